import { expect, test } from "vitest";
import { type FileTest, readFileText, sizeOfFile, testFile } from "../../src/server/expression/file-tests.js";
import { createListedFiles, type FileTree } from "../../src/server/model/file-tree.js";
import { Oracle } from "../../src/server/model/oracle.js";
import { unknownFact } from "../../src/server/model/unknown-facts.js";

const texts: Readonly<Record<string, string>> = { "/srv/a": "abc\n", "/srv/empty": "", "/srv/nul": "a\0b" };
const files: FileTree = {
  ...createListedFiles([...Object.keys(texts), "/srv/d/", "/srv/secret"]),
  linkAt: (path) => (path === "/srv/link" ? { hasSameOwner: true } : undefined),
  textOf: (path) => texts[path],
};
const none = new Oracle(new Map());

// The live server's results (test/live/expression-files.live.test.ts).
test.each<[tests: readonly FileTest[], path: string, results: readonly (boolean | undefined)[]]>([
  [["e", "d", "f", "s", "L"], "/srv/a", [true, false, true, true, false]],
  [["e", "d", "f", "s", "L"], "/srv/empty", [true, false, true, false, false]],
  [["e", "d", "f", "s", "L"], "/srv/d", [true, true, false, false, false]],
  [["e", "d", "f", "s", "L"], "/srv/d/", [true, true, false, false, false]],
  [["e", "d", "f", "s", "L"], "/srv/a/", [false, false, false, false, false]],
  [["e", "d", "f", "s", "L", "x"], "/srv/none", [false, false, false, false, false, false]],
  [["e", "d", "f", "s", "L", "x"], "", [false, false, false, false, false, false]],
  [["e", "d", "f"], "/", [true, true, false]],
  [["e", "f"], "srv/a", [true, true]],
  [["e", "f"], "/srv/d/../a", [true, true]],
  [["e", "f"], "/srv/none/../a", [false, false]],
  [["e", "f"], "/srv//d/./../a", [true, true]],
  [["L", "x"], "/srv/link", [true, true]],
  [["L"], "/srv/link/", [false]],
  [["x"], "/srv/a", [undefined]],
  [["s"], "/srv/secret", [undefined]],
])("evaluates the tests %j for %j", (tests, path, results) => {
  expect(tests.map((each) => testFile(each, path, files, none))).toEqual(results);
});

test("a file that is assumed to exist is a file, unless its path ends with a slash", () => {
  const assumed: FileTree = { kindOf: (_, mayBeFile) => (mayBeFile ? "file" : "directory") };
  const results = (path: string) => (["f", "d"] as const).map((each) => testFile(each, path, assumed, none));
  expect([results("/srv/a"), results("/srv/a/")]).toEqual([
    [true, false],
    [false, true],
  ]);
});

test("a test for a link is unknown without facts about links", () => {
  expect(testFile("L", "/srv/a", createListedFiles(["/srv/a"]), none)).toBeUndefined();
});

test("tests of unknown files are unknown facts", () => {
  const oracle = new Oracle(new Map([[unknownFact("exists", "/x"), true]]));
  expect(testFile("f", "/x", { kindOf: () => "unknown" }, oracle)).toBe(true);
  expect([...oracle.answered.keys()]).toEqual([unknownFact("exists", "/x"), unknownFact("is-directory", "/x")]);
});

test("returns sizes and contents of files", () => {
  const of = (path: string) => [sizeOfFile(path, files, none), readFileText(path, files, none)];
  expect(of("/srv/a")).toEqual([4, "abc\n"]);
  expect(of("/srv/nul")).toEqual([3, "a"]);
  expect(of("/srv/empty")).toEqual([0, ""]);
  expect(of("/srv/d")).toEqual([0, undefined]);
  expect(of("/srv/none")).toEqual([0, undefined]);
  expect(of("/srv/secret")).toEqual([undefined, undefined]);
});
