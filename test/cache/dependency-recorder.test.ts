import { describe, expect, test } from "vitest";
import { DependencyRecorder, revalidate } from "../../src/cache/dependency-recorder.js";
import { type FileAccess, memoryAccess } from "../../src/project/files/file-access.js";
import { queryFiles } from "../../src/project/files/file-snapshot.js";

const own = { directory: "/srv", name: "cache" };
const files: FileAccess = {
  ...memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "" }),
  linkAt: () => ({ isOwners: true }),
};

/** Records one query of the current files. */
function askedOnce(asked: Parameters<typeof queryFiles>[1], path: string) {
  const answers = new DependencyRecorder(own);
  queryFiles(answers.wrap(files), asked, path);
  return answers.recorded() ?? [];
}

const text = { text: "Listen 80\n", realPath: "/srv/a.conf" };

describe("an answer is the same", () => {
  test.each(["read", "exists", "isDirectory", "list", "linkAt", "realPath"] as const)("to %s again", (asked) => {
    expect(revalidate(askedOnce(asked, "/srv/a.conf"), own, files)).toBeDefined();
  });

  test("and brings the files that were read", () => {
    const sources = revalidate(askedOnce("read", "/srv/a.conf"), own, files);
    expect(sources?.get("/srv/a.conf")).toEqual({ path: "/srv/a.conf", ...text });
  });

  test("notices its own file in a folder, and in no other folder", () => {
    const withOwn = memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "", "/srv/cache": "" });
    expect(revalidate(askedOnce("list", "/srv"), own, withOwn)).toBeDefined();
    const withOther = memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "", "/srv/d/cache": "" });
    expect(revalidate(askedOnce("list", "/srv/d"), own, withOther)).toBeUndefined();
  });
});

describe("an answer is another", () => {
  const others: readonly (readonly [string, Parameters<typeof queryFiles>[1], Partial<FileAccess>])[] = [
    ["a text", "read", { read: () => ({ ...text, text: "Listen 81\n" }) }],
    ["where a text lies", "read", { read: () => ({ ...text, realPath: "/srv/b.conf" }) }],
    ["a text that is closed to us", "read", { read: () => ({ failed: "permission to read it is denied" }) }],
    ["what is not there", "exists", { exists: () => false }],
    ["a folder", "isDirectory", { isDirectory: () => true }],
    ["a folder's list", "list", { list: () => [{ name: "c.conf", kind: "file" }] }],
    ["what stands in a list", "list", { list: () => [{ name: "b.conf", kind: "link" }] }],
    ["whose a link is", "linkAt", { linkAt: () => ({ isOwners: false }) }],
    ["no link", "linkAt", { linkAt: () => undefined }],
    ["where a path leads", "realPath", { realPath: () => "/srv/elsewhere" }],
  ];
  test.each(others)("by %s", (_, asked, change) => {
    const kept = askedOnce(asked, asked === "list" ? "/srv/d" : "/srv/a.conf");
    expect(revalidate(kept, own, { ...files, ...change })).toBeUndefined();
  });
});

test("an analysis with two answers to one question is not kept", () => {
  let count = 80;
  const changing: FileAccess = { ...files, read: () => ({ ...text, text: `Listen ${count++}\n` }) };
  const answers = new DependencyRecorder(own);
  const heard = answers.wrap(changing);
  heard.read("/srv/a.conf");
  expect(answers.recorded()).toHaveLength(1);
  heard.read("/srv/a.conf");
  expect(answers.recorded()).toBeUndefined();
});
