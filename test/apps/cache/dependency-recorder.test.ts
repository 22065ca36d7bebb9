import { describe, expect, test } from "vitest";
import { DependencyRecorder, revalidate } from "../../../src/apps/cache/dependency-recorder.js";
import { type FileAccess, memoryAccess } from "../../../src/config/files/file-access.js";
import { queryFiles } from "../../../src/config/files/file-snapshot.js";

const own = { directory: "/srv", name: "cache" };
const files: FileAccess = {
  ...memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "" }),
  linkAt: () => ({ hasSameOwner: true }),
};

/** Records one query of the current files. */
function recordQuery(query: Parameters<typeof queryFiles>[1], path: string) {
  const answers = new DependencyRecorder(own);
  queryFiles(answers.wrap(files), query, path);
  return answers.recorded() ?? [];
}

const text = { text: "Listen 80\n", realPath: "/srv/a.conf" };

describe("a recorded analysis is valid", () => {
  test.each(["read", "exists", "isDirectory", "list", "linkAt", "realPath"] as const)(
    "if the result of `%s` is the same",
    (query) => {
      expect(revalidate(recordQuery(query, "/srv/a.conf"), own, files)).toBeDefined();
    },
  );

  test("with the files that were read", () => {
    const sources = revalidate(recordQuery("read", "/srv/a.conf"), own, files);
    expect(sources?.get("/srv/a.conf")).toEqual({ path: "/srv/a.conf", ...text });
  });

  test("if its own file appears in its folder, but not in another", () => {
    const withOwn = memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "", "/srv/cache": "" });
    expect(revalidate(recordQuery("list", "/srv"), own, withOwn)).toBeDefined();
    const withOther = memoryAccess({ "/srv/a.conf": "Listen 80\n", "/srv/d/b.conf": "", "/srv/d/cache": "" });
    expect(revalidate(recordQuery("list", "/srv/d"), own, withOther)).toBeUndefined();
  });
});

describe("a recorded analysis is invalid", () => {
  const others: readonly (readonly [string, Parameters<typeof queryFiles>[1], Partial<FileAccess>])[] = [
    ["the content of a file", "read", { read: () => ({ ok: true, value: { ...text, text: "Listen 81\n" } }) }],
    ["the real path of a file", "read", { read: () => ({ ok: true, value: { ...text, realPath: "/srv/b.conf" } }) }],
    [
      "the permission to read a file",
      "read",
      { read: () => ({ ok: false, error: { message: "permission to read it is denied" } }) },
    ],
    ["the existence of a file", "exists", { exists: () => false }],
    ["the kind of a path", "isDirectory", { isDirectory: () => true }],
    ["the name of an entry", "list", { list: () => ({ ok: true, value: [{ name: "c.conf", kind: "file" }] }) }],
    ["the kind of an entry", "list", { list: () => ({ ok: true, value: [{ name: "b.conf", kind: "link" }] }) }],
    ["the owner of a link", "linkAt", { linkAt: () => ({ hasSameOwner: false }) }],
    ["the existence of a link", "linkAt", { linkAt: () => undefined }],
    ["the target of a path", "realPath", { realPath: () => "/srv/elsewhere" }],
  ];
  test.each(others)("after a change of %s", (_, query, change) => {
    const kept = recordQuery(query, query === "list" ? "/srv/d" : "/srv/a.conf");
    expect(revalidate(kept, own, { ...files, ...change })).toBeUndefined();
  });
});

test("an analysis is not recorded if a file changes while it is read", () => {
  let count = 80;
  const changing: FileAccess = {
    ...files,
    read: () => ({ ok: true, value: { ...text, text: `Listen ${count++}\n` } }),
  };
  const answers = new DependencyRecorder(own);
  const recording = answers.wrap(changing);
  recording.read("/srv/a.conf");
  expect(answers.recorded()).toHaveLength(1);
  recording.read("/srv/a.conf");
  expect(answers.recorded()).toBeUndefined();
});
