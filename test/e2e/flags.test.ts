import { readdirSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { expectFailure, findings, fragmentNote } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { lint, textOf, write } = scratch;

const sound = "<Directory /srv>\nOptions None\n</Directory>\n";
const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";

describe("flags", () => {
  beforeEach(() => write({ "both.conf": `${old}Optoins None\n` }));

  test("--select and --disable choose rules, in lists or one by one", () => {
    const rules = (...args: string[]) => findings(lint(["both.conf", ...args])).map((each) => each.split(" ").pop());
    expect(rules()).toEqual(["old-access-control", "unknown-directive"]);
    expect(rules("--select", "unknown-directive")).toEqual(["unknown-directive"]);
    expect(rules("--disable", "unknown-directive")).toEqual(["old-access-control"]);
    expect(rules("--select", "unknown-directive,syntax-error")).toEqual(["unknown-directive"]);
    expect(rules("--disable", "unknown-directive", "--disable", "old-access-control")).toEqual([]);
  });

  test("--min-severity omits findings with a lower severity", () => {
    expect(findings(lint(["both.conf", "--min-severity", "error"]))).toEqual([
      "both.conf:5:1: error unknown-directive",
    ]);
  });

  test("the last value of a repeated flag applies", () => {
    const twice = ["--format", "json", "--min-severity", "info", "--format", "text", "--min-severity", "error"];
    expect(findings(lint(["both.conf", ...twice]))).toEqual(["both.conf:5:1: error unknown-directive"]);
  });

  test("--statistics counts the findings of each rule", () => {
    expect(lint(["both.conf", "--statistics"]).stdout).toBe("1  old-access-control\n1  unknown-directive\n");
  });

  test("--statistics is written as text or JSON, also to a file, and in no other format", () => {
    expect(lint(["both.conf", "--statistics", "--format", "json", "--output", "out"])).toMatchObject({
      status: 1,
      stdout: "",
    });
    expect(JSON.parse(textOf("out"))).toMatchObject({
      statistics: [
        { rule: "old-access-control", count: 1 },
        { rule: "unknown-directive", count: 1 },
      ],
      summary: { error: 1, warning: 0, info: 1, files: 1 },
    });
    expectFailure(
      lint(["both.conf", "--statistics", "--format", "sarif"]),
      2,
      "supports the formats text and json, not sarif",
    );
  });

  test("--sort orders the findings within a file", () => {
    write({ "a.conf": "<Directory /srv>\nOrder deny,allow\n</Directory>\nOptoins None\n", "b.conf": "Optoins None\n" });
    const places = (...flags: readonly string[]) => findings(lint(["a.conf", "b.conf", ...flags]));
    const [info, error, other] = places();
    expect([info, error, other]).toEqual([
      "a.conf:2:1: info old-access-control",
      "a.conf:4:1: error unknown-directive",
      "b.conf:1:1: error unknown-directive",
    ]);
    expect(places("--sort", "location")).toEqual([info, error, other]);
    expect(places("--sort", "severity")).toEqual([error, info, other]);
  });

  test("-q is --quiet", () => {
    expect(lint(["both.conf"]).stderr).not.toBe("");
    expect(lint(["both.conf", "-q"])).toEqual(lint(["both.conf", "--quiet"]));
    expect(lint(["both.conf", "-q"]).stderr).toBe("");
  });

  test("-q omits the summary, and -qq everything except the exit code and errors", () => {
    const { stdout } = lint(["both.conf"]);
    expect(lint(["both.conf", "-q"]).stdout).toBe(stdout.replace(/\n\n1 error, [^\n]*\n$/, "\n\n"));
    expect(stdout).toMatch(/\n1 error, 1 info in 1 file/);
    expect(lint(["both.conf", "-qq"])).toEqual({ status: 1, stdout: "", stderr: "" });
    expect(lint(["both.conf", "-qq", "--exit-zero"])).toEqual({ status: 0, stdout: "", stderr: "" });
    expect(lint(["both.conf", "-q", "-q"])).toEqual(lint(["both.conf", "-qq"]));
    expect(lint(["both.conf", "-qq", "--format", "json", "--output", "out.json"]).stdout).toBe("");
    expect(textOf("out.json")).toContain('"findings"');
    expectFailure(lint(["nowhere.conf", "-qq"]), 3, /cannot be read/);
    write({ "a.conf": "Require all granted\n" });
    expect(lint(["rules", "-V"]).stdout).toBe(lint(["--version"]).stdout);
  });

  test("the first finding of each rule names its page", () => {
    write({ "twice.conf": `Optoins None\n${old}Optoins All\n` });
    const pages = lint(["twice.conf"]).stdout.match(/= page: .*/g);
    expect(pages).toEqual([
      "= page: `httpd-lint rules unknown-directive`",
      "= page: `httpd-lint rules old-access-control`",
    ]);
  });

  test("ALL selects the rules of all groups", () => {
    const count = (...flags: readonly string[]) => lint(["both.conf", ...flags]).stdout.match(/^\w+\[/gm)?.length ?? 0;
    expect(count("--select", "ALL")).toBeGreaterThanOrEqual(count());
    expect(count("--disable", "ALL")).toBe(0);
    expect(count("--select", "ALL", "--disable", "old-access-control")).toBeLessThan(count("--select", "ALL"));
    expect(lint(["rules", "ALL"]).stdout).toBe(lint(["rules"]).stdout);
  });

  test.each([
    ["expousre", "did you mean `exposure`?"],
    ["unknown-directives", "did you mean `unknown-directive`?"],
    ["open-proxy-server", "`httpd-lint rules` lists all rules"],
    ["rewrite", "did you mean `inactive-rewrite-rule` or `rewrite-loop`?"],
    ["setenv-equal-sign", "did you mean `misread-line`?"],
  ])("an unknown rule %s gets the advice %s", (name, advice) => {
    for (const args of [
      ["both.conf", "--select", name],
      ["both.conf", "--disable", `ALL,${name}`],
      ["rules", name],
    ])
      expectFailure(lint(args), 2, `unknown rule \`${name}\`; ${advice}`);
  });

  test("former spellings of flags still work, but are not listed", () => {
    write({ "r.conf": "<Directory />\nAllowOverride None\n</Directory>\n" });
    const same = (now: readonly string[], before: readonly string[]) => expect(lint(now)).toEqual(lint(before));
    same(["r.conf", "--statistics=reference"], ["r.conf", "--statistics", "--by", "reference"]);
    same(["both.conf", "--statistics=rule"], ["both.conf", "--statistics"]);
    same(["both.conf", "--modules=-mod_status"], ["both.conf", "--no-module", "mod_status"]);
    same(["migrate", "both.conf", "--recover=undo"], ["migrate", "both.conf", "--recover", "--undo"]);
    expect(lint(["both.conf", "--cache=kept"]).status).toBe(1);
    expect(lint(["both.conf", "--cache-location", "kept-2"]).status).toBe(1);
    expect(readdirSync(scratch.path).filter((name) => name.startsWith("kept"))).toEqual(["kept", "kept-2"]);
    for (const [command, former] of [
      ["check", /--by|--cache-location/],
      ["migrate", /--undo/],
    ] as const)
      expect(lint([command, "--help"]).stdout).not.toMatch(former);
    expectFailure(lint(["both.conf", "--by", "rule"]), 2, "--by needs --statistics; use --statistics=reference");
  });

  test("--modules adds and removes modules by sign, besides those of LoadModule lines", () => {
    const guards = ["mod_status", "mod_alias"].map((name) => `<IfModule ${name}.c>\nOptoins ${name}\n</IfModule>\n`);
    write({ "httpd.conf": `LoadModule alias_module modules/mod_alias.so\n${guards.join("")}` });
    const lines = (...flags: readonly string[]) => {
      const { stdout } = lint(["resolve", "httpd.conf", "-q", ...flags]);
      return [...stdout.matchAll(/Optoins (\w+)/g)].map(([, name]) => name);
    };
    expect(lines()).toEqual(["mod_alias"]);
    expect(lines("--modules=+mod_status")).toEqual(["mod_status", "mod_alias"]);
    expect(lines("--modules=-mod_alias")).toEqual([]);
    expect(lines("--modules=+mod_status,-mod_alias")).toEqual(["mod_status"]);
    expect(lines("--modules=mod_status")).toEqual(["mod_status"]);
    expect(lines("--modules=mod_status", "--modules=+mod_alias")).toEqual(["mod_status", "mod_alias"]);
  });

  test("--output writes the result to a file, and leaves no other files", () => {
    const ran = lint(["both.conf", "--format", "json", "--output", "result.json"]);
    expect(ran).toEqual({ status: 1, stdout: "", stderr: fragmentNote });
    const result: { summary: object } = JSON.parse(textOf("result.json"));
    expect(result.summary).toEqual({ error: 1, warning: 0, info: 1, fixable: 0, files: 1, lines: 5 });
    expect(readdirSync(scratch.path).sort()).toEqual(["both.conf", "result.json"]);
    write({ "folder/a.conf": sound });
    const rejected = lint(["both.conf", "--output", "folder"]);
    expectFailure(
      { ...rejected, stderr: rejected.stderr.replace(fragmentNote, "") },
      2,
      /`folder` of --output cannot be written: it is a directory$/m,
    );
    expect(readdirSync(scratch.path).sort()).toEqual(["both.conf", "folder", "result.json"]);
  });

  test("--output keeps the file of an earlier run if a run has failed", () => {
    write({ "result.txt": "an earlier result\n" });
    expectFailure(lint(["nowhere.conf", "--output", "result.txt"]), 3, /nowhere\.conf` cannot be read/);
    expect(textOf("result.txt")).toBe("an earlier result\n");
  });

  test("--format writes JSON, SARIF and GitHub commands", () => {
    const json: { findings: { rule: string }[] } = JSON.parse(lint(["both.conf", "--format", "json"]).stdout);
    expect(json.findings.map((finding) => finding.rule)).toEqual(["old-access-control", "unknown-directive"]);
    const sarif: { version: string; runs: { results: object[] }[] } = JSON.parse(
      lint(["both.conf", "--format", "sarif"]).stdout,
    );
    expect(sarif.version).toBe("2.1.0");
    expect(sarif.runs[0]?.results).toHaveLength(2);
    expect(lint(["both.conf", "--format", "github"]).stdout).toMatch(
      /^::notice file=both\.conf,line=2.*\n::error file=/,
    );
  });

  test("colours are enabled by --color and FORCE_COLOR, and disabled by NO_COLOR", () => {
    const colour = "\u001b[";
    expect(lint(["both.conf"]).stdout).not.toContain(colour);
    expect(lint(["both.conf", "--color", "always"]).stdout).toContain(colour);
    expect(lint(["both.conf"], { env: { FORCE_COLOR: "1" } }).stdout).toContain(colour);
    expect(lint(["both.conf"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }).stdout).not.toContain(colour);
    expect(lint(["both.conf", "--color", "never"], { env: { FORCE_COLOR: "1" } }).stdout).not.toContain(colour);
  });

  test("--from 2.2 adds the rules of the upgrade", () => {
    write({ "wsgi.conf": "LoadModule wsgi_module modules/mod_wsgi.so\n" });
    expect(lint(["wsgi.conf"]).status).toBe(0);
    expect(findings(lint(["wsgi.conf", "--from", "2.2"]))).toEqual(["wsgi.conf:1:1: info third-party-module"]);
  });

  test("--release, --define and the modules decide conditional sections", () => {
    write({
      "conditional.conf": [
        "<IfVersion < 2.4>\nOptoins 1\n</IfVersion>",
        "<IfDefine LIVE>\nOptoins 2\n</IfDefine>",
        "<IfModule mod_status.c>\nOptoins 3\n</IfModule>\n",
      ].join("\n"),
    });
    const lines = (...args: string[]) =>
      findings(lint(["conditional.conf", "--select", "unknown-directive", ...args])).map((each) => each.split(":")[1]);
    expect(lines()).toEqual(["2", "5", "8"]);
    expect(lines("-D", "LIVE", "--no-module", "mod_status")).toEqual(["2", "5"]);
    // The section for 2.2 is checked as such: a line that 2.2 would refuse is wrong on any version.
    expect(lines("-D", "OTHER", "--modules", "mod_alias,mod_version")).toEqual(["2"]);
  });

  test("an unknown module is reported on standard error", () => {
    write({ "sound.conf": sound });
    const noted = /^httpd-lint: unknown module `mod_aliass` for 2\.4 in --modules.* did you mean `mod_alias`\?\n$/;
    for (const command of ["check", "resolve"]) {
      const ran = lint([command, "sound.conf", "--modules", "mod_aliass"]);
      expect(ran.status).toBe(0);
      expect(ran.stderr.replace(fragmentNote, "")).toMatch(noted);
      expect(lint([command, "sound.conf", "--modules", "mod_aliass", "--quiet"]).stderr).toBe("");
    }
  });

  test("--server-root, --sysroot and --confine set the location of files", () => {
    write({
      "image/etc/httpd/conf/httpd.conf": 'ServerRoot "/etc/httpd"\nInclude conf.d/*.conf\n',
      "image/etc/httpd/conf.d/a.conf": "Require all granted\n",
    });
    const main = "image/etc/httpd/conf/httpd.conf";
    const expected = ["image/etc/httpd/conf.d/a.conf:1:1: error misplaced-directive"];
    expect(findings(lint([main, "--sysroot", "image"]))).toEqual(expected);
    expect(findings(lint([main, "--server-root", "image/etc/httpd"]))).toEqual(expected);
    const confined = lint([main, "--server-root", "image/etc/httpd", "--confine", "image/etc/httpd/conf"]);
    expect(confined.status).toBe(0);
    expect(findings(confined)).not.toEqual(expected);
    expect(confined.stdout).toMatch(/^info\[[\w-]+\]: .*it is outside of the --confine directory /m);
    expect(confined.stdout).not.toMatch(/^error\[[\w-]+\]: .*--confine/m);
  });

  test("variables come from envvars, and from the environment only with --process-env", () => {
    write({ "httpd.conf": "ServerName ${SITE}\n" });
    const site = { env: { SITE: "example.org" } };
    const undefinedVariable = ["httpd.conf:1:12: warning undefined-variable"];
    expect(findings(lint(["httpd.conf"], site))).toEqual(undefinedVariable);
    expect(lint(["httpd.conf", "--process-env"], site).status).toBe(0);
    write({ envvars: "export SITE=example.org\n" });
    expect(lint(["httpd.conf"]).status).toBe(0);
  });

  test("a copy of Debian's main file without envvars has the values of the package", () => {
    const lines = "ErrorLog ${APACHE_LOG_DIR}/error.log\nPidFile ${APACHE_PID_FILE}\nServerName ${SITE}\n";
    write({ "copy/apache2.conf": lines, "other/httpd.conf": lines, "own/apache2.conf": lines, "own/envvars": "A=b\n" });
    const copy = ["copy/apache2.conf:3:12: warning undefined-variable"];
    expect(findings(lint(["copy/apache2.conf"]))).toEqual(copy);
    for (const main of ["other/httpd.conf", "own/apache2.conf"]) expect(findings(lint([main]))).toHaveLength(3);
  });
});
