import { describe, expect, test } from "vitest";
import { compileGlob } from "../../../src/apps/settings/path-ignores.js";
import { type FileAccess, memoryAccess } from "../../../src/config/files/file-access.js";
import { resolvePath } from "../../../src/config/files/paths.js";
import { MAX_REREAD_LINES } from "../../../src/config/reader/config-reader.js";
import { findHtaccessFiles, MAX_DIRECTORIES } from "../../../src/config/reader/htaccess-discovery.js";
import { MAX_INCLUDED_PATHS } from "../../../src/config/reader/include.js";
import { describeUnfinishedSearch } from "../../../src/config/reader/read-htaccess.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { compileFileWildcard } from "../../../src/text/wildcards.js";
import { applyingLines, load, loadText, problemsOf } from "../../support/projects.js";

const main = "/etc/httpd/httpd.conf";
const inRoot = (path: string) => resolvePath("/etc/httpd", path);

describe("files that include each other", () => {
  test("are limited, which is reported once", { timeout: 120_000 }, () => {
    const depth = 40;
    // Comments also count as lines, so that the limit is reached sooner.
    const comments = "#\n".repeat(30);
    const files = Object.fromEntries(
      Array.from({ length: depth }, (_, n) => [`/etc/httpd/${n}`, `${comments}Include ${n + 1}\nInclude ${n + 1}\n`]),
    );
    const project = load({ ...files, [`/etc/httpd/${depth}`]: "", [main]: "Include 0\nServerAdmin me@example.org\n" });
    expect(problemsOf(project)).toEqual([
      expect.stringContaining(`have more than ${MAX_REREAD_LINES.toLocaleString("en")} lines`),
    ]);
    expect(applyingLines(project)).toEqual(["ServerAdmin me@example.org"]);
  });

  test("twin: may be included by many hosts", () => {
    const hosts = Array.from({ length: 1000 }, () => "Include shared\n").join("");
    const project = load({ [main]: hosts, "/etc/httpd/shared": "Listen 80\n" });
    expect(problemsOf(project)).toEqual([]);
    expect(applyingLines(project)).toHaveLength(1000);
  });
});

describe("an Include of a whole machine", () => {
  const entry = memoryAccess({ [main]: "Include /all/*/*/*/*/*/*\nListen 80\n" });
  /** A million directories: ten subdirectories in each, six levels deep. */
  const machine: FileAccess = {
    ...entry,
    isDirectory: (path) => path.startsWith("/all"),
    exists: () => true,
    list: (path) =>
      path.split("/").length > 8
        ? { ok: true, value: [] }
        : { ok: true, value: Array.from({ length: 10 }, (_, n) => ({ name: String(n), kind: "directory" })) },
  };

  test("reads a limited number of paths, which is reported", () => {
    const loaded = loadProject(main, { access: machine });
    if (!loaded.ok) throw new Error(loaded.error);
    expect(problemsOf(loaded.value)).toEqual([
      expect.stringContaining(`limit of ${MAX_INCLUDED_PATHS.toLocaleString("en")} files and directories`),
    ]);
    expect(applyingLines(loaded.value)).toEqual(["Listen 80"]);
  });
});

describe("a DocumentRoot that contains the whole machine", () => {
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`/all/${n}/.htaccess`, ""]));
  const access = memoryAccess({ ...files, "/srv/.htaccess": "", [main]: "" });
  const { directives } = loadText('DocumentRoot "/srv"\nAlias /x "/all"\n');

  test("is searched up to a limit, and the line that maps to it is reported", () => {
    const found = findHtaccessFiles(directives, inRoot, access, 20);
    expect(found.files).toHaveLength(20 - 1);
    expect(found.directories).toBeUndefined();
    expect(found.unfinished).toMatchObject([{ path: "/all", by: { name: "Alias" } }]);
    const [fault] = found.unfinished.map(describeUnfinishedSearch);
    expect(fault?.problem).toContain(
      `\`/all\` exceeds the limit of ${MAX_DIRECTORIES.toLocaleString("en")} directories`,
    );
  });

  test("twin: is searched completely at the maximum number of directories", () => {
    const found = findHtaccessFiles(directives, inRoot, access, 52);
    expect(found.files).toHaveLength(51);
    expect(found.unfinished).toEqual([]);
  });
});

/** Patterns for which a backtracking matcher needs exponential time. */
describe("patterns with many repetitions", () => {
  const stars = "*a".repeat(30);

  test("are matched in linear time in Include and ServerAlias", () => {
    expect(compileFileWildcard(`${stars}b`)("a".repeat(250))).toBe(false);
    expect(compileFileWildcard(`${stars}*`)("a".repeat(250))).toBe(true);
  });

  test("are matched in linear time in IfVersion", () => {
    const nested = `${"(".repeat(12)}.*${")*".repeat(12)}x`;
    const text = `<IfVersion = /${nested}/>\nListen 1\n</IfVersion>\n<IfVersion = /^2\\.4/>\nListen 2\n</IfVersion>\n`;
    expect(applyingLines(loadText(text))).toEqual(["Listen 2"]);
  });

  test("are reported as unsupported in IfVersion if only the server can match them", () => {
    expect(problemsOf(loadText("<IfVersion = /^(?:2|(?R))/>\nListen 1\n</IfVersion>\n"))).toEqual([
      expect.stringContaining("httpd-lint does not support the pattern"),
    ]);
  });

  test.each([
    ["~ ^(?!2\\.2)", true],
    ["!~ ^(?!2\\.2)", false],
    ["~ ^(?!2\\.4)", false],
    ["= /^(?=2)/", true],
    ["~ (\\d)\\.\\1", false],
    ["~ (\\d)\\.(?!\\1)", true],
    ["~ ^2++\\.", true],
    ["~ ^\\p{N}\\.4", true],
  ])("with lookaround, back references and the like decide IfVersion %s: %s", (condition, holds) => {
    const project = loadText(`<IfVersion ${condition}>\nListen 1\n</IfVersion>\n`);
    expect([problemsOf(project), applyingLines(project)]).toEqual([[], holds ? ["Listen 1"] : []]);
  });

  test.each(["(", "2\\.[4", "a**", "\\2"])("that are invalid are rejected in IfVersion ~ %s", (pattern) => {
    expect(problemsOf(loadText(`<IfVersion ~ ${pattern}>\nListen 1\n</IfVersion>\n`))).toEqual([
      expect.stringContaining("invalid regular expression"),
    ]);
  });

  test("are matched in linear time in the configuration file of httpd-lint", () => {
    expect(compileGlob(`**/${stars}b`)(`x/${"a".repeat(4000)}`)).toBe(false);
    expect(compileGlob("((a+)+)+b")("a".repeat(4000))).toBe(false);
    expect(compileGlob(`${"{a,".repeat(5000)}${"}".repeat(5000)}`)("b")).toBe(false);
  });
});

describe("an expression", () => {
  test("with deep nesting does not overflow the stack", () => {
    const deep = `${"(".repeat(4000)}true${")".repeat(4000)}`;
    const words = `${"%{tolower:".repeat(700)}x${"}".repeat(700)}`;
    for (const condition of [deep, `! `.repeat(4000), words]) {
      expect(() => loadText(`<If "${condition}">\nRequire all denied\n</If>\n`)).not.toThrow();
    }
  });
});
