import { describe, expect, test } from "vitest";
import { allRules } from "../../../rules/index.js";
import { MAX_BASES } from "../../../src/apps/settings/layers.js";
import { createIgnoreMatcher, fragmentContextOf } from "../../../src/apps/settings/path-ignores.js";
import { findSettings, type Settings } from "../../../src/apps/settings/settings.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";

type Documents = Readonly<Record<string, object>>;

/** Finds the configuration file of /srv/web. @param documents by path */
function find(documents: Documents) {
  const texts = Object.entries(documents).map(([path, document]) => [path, JSON.stringify(document)] as const);
  return findSettings("/srv/web", memoryAccess(Object.fromEntries(texts)), allRules);
}

function settingsOf(documents: Documents): Settings {
  const found = find(documents);
  if (!found?.ok) throw new Error(JSON.stringify(found));
  return found.value;
}

function errorOf(documents: Documents) {
  const found = find(documents);
  if (found === undefined || found.ok) throw new Error("the configuration file is accepted");
  const { path, chain, mistakes } = found.error;
  return {
    path,
    chain,
    mistakes: mistakes.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`),
  };
}

const own = "/srv/web/.httpd-lint.json";
const base = "/srv/base.json";

describe("a configuration file that extends another one", () => {
  test("overrides its settings, key by key", () => {
    const settings = settingsOf({
      [base]: { release: "2.4.29", from: "2.2", defines: ["A", "B"], map: { a: "/a" }, baseline: "known.json" },
      [own]: { extends: "../base.json", from: "2.4", defines: ["C"], map: { b: "/b" } },
    });
    expect(settings.common).toMatchObject({
      release: "2.4.29",
      from: "2.4",
      defines: ["C"],
      map: { "/srv/web/b": "/b" },
    });
    expect(settings.common.map).not.toHaveProperty("/srv/a");
    expect(settings).toMatchObject({
      path: own,
      directory: "/srv/web",
      baseline: "/srv/known.json",
      files: [own, base],
    });
  });

  test("resolves its paths in its own folder", () => {
    const { common, servers } = settingsOf({
      [base]: { entry: "conf/httpd.conf", sysroot: "image", files: "list.txt" },
      [own]: { extends: base, sysroot: "other" },
    });
    expect(common).toMatchObject({ sysroot: "/srv/web/other", files: "/srv/list.txt" });
    expect(servers).toMatchObject([{ entry: "/srv/conf/httpd.conf", sysroot: "/srv/web/other" }]);
  });

  test("replaces its servers by its own ones, also by a single entry", () => {
    const servers = [{ entry: "a.conf", from: "2.2" }];
    const of = (document: object) =>
      settingsOf({ [base]: { servers, from: "2.4" }, [own]: { extends: "../base.json", ...document } }).servers;
    expect(of({ release: "2.4.7" })).toMatchObject([{ entry: "/srv/a.conf", from: "2.2", release: "2.4.7" }]);
    expect(of({ entry: "b.conf" })).toMatchObject([{ entry: "/srv/web/b.conf", from: "2.4" }]);
    expect(of({ servers: [{ entry: "c.conf" }] })).toMatchObject([{ entry: "/srv/web/c.conf" }]);
  });

  test("adds to its lists of the project, with the globs of each relative to its folder", () => {
    const settings = settingsOf({
      [base]: {
        ignores: [{ paths: ["web/vendor/**"], reason: "base" }],
        fragments: [{ paths: ["web/*.conf"], context: ["<Location /base>"] }],
        exclude: ["old"],
        extendExclude: ["older"],
        extendSelect: ["etag-inode"],
      },
      [own]: {
        extends: "../base.json",
        ignores: [{ paths: ["generated/**"] }],
        fragments: [{ paths: ["a.conf"], context: ["<Location /own>"] }],
        "extend-exclude": ["tmp"],
        extendSelect: ["host-by-dns"],
      },
    });
    const globOf = (path: string) => createIgnoreMatcher(settings.ignores)("unknown-directive", path)?.glob;
    expect(globOf("/srv/web/vendor/a.conf")).toBe("web/vendor/**");
    expect(globOf("/srv/web/generated/a.conf")).toBe("generated/**");
    expect(globOf("/srv/web/web/vendor/a.conf")).toBeUndefined();
    expect(settings.ignores.map(({ file }) => file)).toEqual([own, base]);
    expect(fragmentContextOf(settings.fragments, "/srv/web/a.conf")).toEqual(["<Location /own>"]);
    expect(fragmentContextOf(settings.fragments, "/srv/web/b.conf")).toEqual(["<Location /base>"]);
    expect(settings.exclude).toMatchObject([{ directory: "/srv", patterns: ["old"] }]);
    expect(settings.extendExclude.map(({ file, patterns }) => [file, ...patterns])).toEqual([
      [base, "older"],
      [own, "tmp"],
    ]);
    expect([...settings.extendSelect]).toEqual(["host-by-dns", "etag-inode"]);
  });

  test("overrides the severity of a rule also by its group", () => {
    const { rules } = settingsOf({
      [base]: { rules: { "unknown-directive": "error", "misread-line": "info", "shadowed-rule": "info" } },
      [own]: { extends: "../base.json", rules: { startup: "off", "misread-line": "error" } },
    });
    expect(rules.get("unknown-directive")).toBe("off");
    expect(rules.get("misread-line")).toBe("error");
    expect(rules.get("shadowed-rule")).toBe("info");
  });

  test("lets a later file of a list override an earlier one", () => {
    const files = { "/srv/a.json": { from: "2.2", release: "2.4.1" }, "/srv/b.json": { from: "2.4" } };
    const { common, files: read } = settingsOf({ ...files, [own]: { extends: ["../a.json", "../b.json"] } });
    expect(common).toMatchObject({ from: "2.4", release: "2.4.1" });
    expect(read).toEqual([own, "/srv/b.json", "/srv/a.json"]);
  });

  test("may extend a file that extends others, also twice", () => {
    const settings = settingsOf({
      "/srv/deep/c.json": { baseline: "known.json", rules: { startup: "info" } },
      "/srv/a.json": { extends: "deep/c.json", from: "2.2" },
      "/srv/b.json": { extends: ["deep/c.json"] },
      [own]: { extends: ["../a.json", "../b.json"] },
    });
    expect(settings).toMatchObject({ baseline: "/srv/deep/known.json", common: { from: "2.2" } });
    expect(settings.files).toEqual([own, "/srv/b.json", "/srv/deep/c.json", "/srv/a.json"]);
  });

  test("records which file sets what", () => {
    const { common, servers } = settingsOf({
      [base]: { from: "2.2", release: "2.4.1", ignores: [], rules: { startup: "off" } },
      [own]: { extends: "../base.json", from: "2.4", ignores: [], servers: [{ entry: "a.conf", release: "2.4.2" }] },
    });
    const originOf = (key: string) => common.origins?.get(key);
    expect(["from", "release", "ignores", "rules.unknown-directive"].map(originOf)).toEqual([
      [own],
      [base],
      [own, base],
      [base],
    ]);
    expect(["from", "release"].map((key) => servers[0]?.origins?.get(key))).toEqual([[own], [own]]);
  });
});

describe("an invalid `extends`", () => {
  test("names a missing file, with the files on the way", () => {
    expect(errorOf({ [own]: { extends: ["../a.json"] }, "/srv/a.json": { from: "2.2", extends: "no.json" } })).toEqual({
      path: "/srv/a.json",
      chain: [own, "/srv/a.json", "/srv/no.json"],
      mistakes: ["1:25 base-unreadable `no.json` in `extends` cannot be read: it does not exist"],
    });
  });

  test.each<[string, Documents, readonly string[]]>([
    ["itself", { [own]: { extends: ".httpd-lint.json" } }, [own, own]],
    ["a file that extends it", { [own]: { extends: [base] }, [base]: { extends: own } }, [own, base, own]],
    ["files in a cycle", { [own]: { extends: base }, [base]: { extends: ["./base.json"] } }, [own, base, base]],
  ])("names %s", (_, documents, chain) => {
    const error = errorOf(documents);
    expect(error.chain).toEqual(chain);
    expect(error.mistakes).toEqual([expect.stringMatching(/ base-cycle `.*` in `extends` forms a cycle$/)]);
  });

  test("names a file with errors, which are those reported", () => {
    expect(errorOf({ [own]: { extends: base, from: "2.2" }, [base]: { from: "9" } })).toMatchObject({
      path: base,
      chain: [own, base],
      mistakes: [expect.stringContaining("invalid-value")],
    });
  });

  test.each([{ value: [1] }, { value: {} }, { value: "" }, { value: null }])("has the value $value", ({ value }) => {
    const expected = /^1:12 invalid-value invalid value .*for `extends`: expected a path or a list of paths$/;
    expect(errorOf({ [own]: { extends: value } }).mistakes).toEqual([expect.stringMatching(expected)]);
  });

  test("has too many files", () => {
    const twice = (name: string) => ({ extends: [`${name}.json`, `${name}.json`] });
    const names = [..."abcdefghij"];
    const doubling = names.map((name, index) => [`/srv/web/${name}.json`, twice(names[index + 1] ?? "last")] as const);
    const documents = { [own]: twice("a"), ...Object.fromEntries(doubling), "/srv/web/last.json": {} };
    expect(errorOf(documents).mistakes).toEqual([expect.stringContaining(`more than ${MAX_BASES} files are extended`)]);
  });
});
