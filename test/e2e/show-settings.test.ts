import { describe, expect, test } from "vitest";
import { expectFailure } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

/** A project with two servers and a part, under a configuration file that extends another one. */
function writeProject(): void {
  write({
    "a/httpd.conf": "Listen 80\nInclude sites/*.conf\n",
    "a/sites/x.conf": "<VirtualHost *:80>\n</VirtualHost>\n",
    "b/httpd.conf": "Bogus\n",
    "part.conf": "<VirtualHost *:80>\n</VirtualHost>\n",
    "base.json": { from: "2.2", rules: { "old-access-control": "error" }, ignores: [{ paths: ["vendor/**"] }] },
    ".httpd-lint.json": {
      extends: "base.json",
      defines: ["PORT=80"],
      rules: { "misread-line": "off", "unknown-directive": "info" },
      servers: [
        { entry: "a", serverRoot: "a" },
        { entry: "b/httpd.conf", from: "2.4" },
      ],
    },
  });
}

/** Returns the lines of the text for the server with a main file. */
function linesFor(main: string, stdout: string): readonly string[] {
  const block = stdout.split(/\n(?=\S)/).find((each) => each.startsWith(`${main}:`));
  return (block ?? "").split("\n").map((line) => line.trim());
}

describe("--show-settings", () => {
  test("shows the settings of each server, and which file sets them", () => {
    writeProject();
    const ran = lint(["--show-settings"]);
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    const [a, b, part] = ["a/httpd.conf", "b/httpd.conf", "part.conf"].map((main) => linesFor(main, ran.stdout));
    expect(a).toContain("configuration file: .httpd-lint.json, extends base.json");
    expect(a).toEqual(
      expect.arrayContaining([
        "release: 2.4 (default)",
        "from: 2.2 (base.json)",
        expect.stringMatching(/^serverRoot: .*a \(\.httpd-lint\.json\)$/),
        "defines: PORT=80 (.httpd-lint.json)",
        "ignores: vendor/** (base.json)",
        "modules: not set",
        "unknown-directive: info (.httpd-lint.json)",
        "old-access-control: error (base.json)",
        "changed-default: info",
      ]),
    );
    expect(b).toContain("from: 2.4 (.httpd-lint.json)");
    expect(b).not.toContain("changed-default: info");
    expect(part).toContain("serverRoot: not set");
    expect(ran.stdout).not.toContain("misread-line");
  });

  test("shows what flags override and add", () => {
    writeProject();
    const flags = ["--from", "2.4", "-D", "SSL", "--modules=+php", "--no-module", "ssl", "--exclude", "*.x"];
    const { stdout } = lint([
      "a",
      "--show-settings",
      ...flags,
      "--select",
      "misread-line,startup",
      "--disable",
      "unknown-directive",
    ]);
    const lines = linesFor("a/httpd.conf", stdout);
    expect(lines).toEqual(
      expect.arrayContaining([
        "from: 2.4 (--from)",
        "defines: PORT=80, SSL (.httpd-lint.json, --define)",
        "modules: +php (--modules)",
        "withoutModules: ssl (--no-module)",
        "extendExclude: *.x (--exclude)",
        "misread-line: warning (.httpd-lint.json, --select)",
      ]),
    );
    expect(lines.filter((line) => line.startsWith("unknown-directive"))).toEqual([]);
  });

  test("shows the variants of a rule if only some of them run", () => {
    write({ "httpd.conf": "Listen 80\n" });
    const whole = linesFor("httpd.conf", lint(["--show-settings", "--select", "misread-line"]).stdout);
    expect(whole).toEqual(expect.arrayContaining(["rules (1):", "misread-line: warning (--select)"]));
    const some = linesFor("httpd.conf", lint(["--show-settings", "--select", "unclosed-quote"]).stdout);
    expect(some).toEqual(expect.arrayContaining(["rules (1):", "unclosed-quote: warning (--select)"]));
  });

  test("shows defaults if there is no configuration file, and the variable and the Dockerfile that set something", () => {
    write({ "httpd.conf": "Listen 80\n" });
    const shown = (env: Readonly<Record<string, string>> = {}) => lint(["--show-settings"], { env }).stdout;
    expect(shown()).toMatch(
      /^httpd\.conf:\n {2}configuration file: none\n {2}release: 2\.4 \(default\)\n {2}from: not set\n/,
    );
    expect(shown({ HTTPD_LINT_CONFINE: "." })).toContain("  confine: . (HTTPD_LINT_CONFINE)\n");
    write({ Dockerfile: "FROM httpd:2.4.58\nCOPY httpd.conf /usr/local/apache2/conf/httpd.conf\n" });
    expect(shown()).toContain("  release: 2.4.58 (Dockerfile)\n");
  });

  test("does not check, and does not write", () => {
    write({ "httpd.conf": "Bogus\n<Files\n", ".httpd-lint.json": { cache: "cache", baseline: "none.json" } });
    expect(lint(["--show-settings", "--baseline", "none.json"])).toMatchObject({ status: 0 });
    expect(lint(["--list-files"]).stdout).not.toContain("cache");
  });

  test("masks secrets", () => {
    write({
      "httpd.conf": "Listen 80\n",
      ".httpd-lint.json": { defines: ["DB_PASSWORD=Hunter2", "A=b", "URL=https://u:Hunter2@x.test/?api_key=Hunter2"] },
    });
    for (const format of ["text", "json"]) {
      const { stdout } = lint(["--show-settings", "--format", format, "-D", "API_TOKEN=Hunter2"]);
      expect(stdout).not.toContain("Hunter2");
      expect(stdout).toContain("DB_PASSWORD=********");
    }
  });

  test("has the same as JSON", () => {
    writeProject();
    const shown: unknown = JSON.parse(lint(["--show-settings", "--format", "json", "part.conf"]).stdout);
    expect(shown).toMatchObject({
      servers: [
        {
          files: ["part.conf"],
          settingsFiles: [".httpd-lint.json", "base.json"],
          settings: expect.arrayContaining([
            { name: "release", value: "2.4", origins: [] },
            { name: "sysroot", origins: [] },
            { name: "from", value: "2.2", origins: [{ kind: "file", path: "base.json" }] },
          ]),
          rules: expect.arrayContaining([
            { id: "old-access-control", severity: "error", origins: [{ kind: "file", path: "base.json" }] },
          ]),
        },
      ],
    });
  });

  test("needs a valid configuration file, and flags that go together", () => {
    write({ "httpd.conf": "Listen 80\n", ".httpd-lint.json": { colour: true } });
    expect(lint(["--show-settings"])).toMatchObject({ status: 2, stdout: "" });
    expectFailure(lint(["--show-settings", "--list-files"]), 2, "cannot be used together");
    expectFailure(
      lint(["--show-settings", "--fix"]),
      2,
      "--show-settings checks nothing and cannot be used with --fix",
    );
    expectFailure(
      lint(["--show-settings", "--format", "sarif"]),
      2,
      "--show-settings supports the formats text and json",
    );
  });
});
