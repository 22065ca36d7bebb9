import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { httpdLint, type Ran, run, runWithClosedPipe } from "../support/command.js";
import { expectFailure, findings } from "../support/ran.js";
import { lintedFolder } from "../support/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

const sound = "<Directory /srv>\nOptions None\n</Directory>\n";
const unclosed = "<Directory /srv>\nOptions None\n";
const old = "<Directory /srv>\nOrder allow,deny\nAllow from all\n</Directory>\n";

describe("the exit code is", () => {
  test("0 where nothing was found", () => {
    write({ "sound.conf": sound });
    expect(lint(["sound.conf"])).toEqual({ status: 0, stdout: "no findings in 1 file, 3 lines\n", stderr: "" });
  });

  test("1 where something was", () => {
    write({ "unclosed.conf": unclosed });
    const ran = lint(["unclosed.conf"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
    expect(findings(ran)).toEqual(["unclosed.conf:1:1: error syntax-error"]);
  });

  test.each(["text", "json", "sarif", "github"])("1 in the format %s, too, and 0 with --exit-zero", (format) => {
    write({ "unclosed.conf": unclosed });
    expect(lint(["unclosed.conf", "--format", format])).toMatchObject({ status: 1, stderr: "" });
    expect(lint(["unclosed.conf", "--format", format, "--exit-zero"])).toMatchObject({ status: 0, stderr: "" });
  });

  test.each([
    "define",
    "select",
    "disable",
    "modules",
    "output",
    "server-root",
    "sysroot",
    "format",
    "color",
    "release",
  ])("2 where --%s has no value", (flag) => {
    write({ "sound.conf": sound });
    expectFailure(lint(["check", "sound.conf", `--${flag}`]), 2, /Not enough arguments following|Invalid values/);
  });

  test("0 where everything is below --min-severity", () => {
    write({ "old.conf": old });
    expect(lint(["old.conf"]).status).toBe(1);
    expect(lint(["old.conf", "--min-severity", "warning"]).status).toBe(0);
  });

  test.each([
    [["--bogus"], /bogus/],
    [["check", "--format", "xml", "a.conf"], /format/],
    [["check", "--min-severity", "fatal", "a.conf"], /min-severity/],
    [["check", "--release", "2.3", "a.conf"], /release/],
    [["--select", "sintax-error", "a.conf"], /no rule `sintax-error`, did you mean `syntax-error`/],
    [["--disable", "syntax-error,nonsense", "a.conf"], /no rule `nonsense`/],
    [["rules", "sintax-error"], /did you mean `syntax-error`/],
    [["--stdin-filename", "x.conf", "a.conf"], /goes with the path `-`/],
    [["-"], /needs --stdin-filename/],
    [["--envvars", "nowhere", "a.conf"], /`nowhere` of --envvars cannot be read/],
    [
      ["--output", "nowhere/result", "a.conf"],
      /`nowhere\/result` of --output cannot be written: its folder does not exist$/m,
    ],
    [["--sysroot", "nowhere", "a.conf"], /`nowhere` of --sysroot is no directory/],
    [["--server-root", "nowhere", "a.conf"], /`nowhere` of --server-root is no directory/],
    [["--confine", "a.conf", "a.conf"], /`a\.conf` of --confine is no directory/],
    [["resolve"], /name ENTRY, the server.s main file/],
    [["resolve", "--format", "json", "a.conf"], /format/],
  ])("2 for %j", (args, message) => {
    write({ "a.conf": sound });
    expectFailure(lint(args), 2, message);
  });

  test("3 where a path does not exist, also beside one that does", () => {
    write({ "sound.conf": sound });
    expectFailure(lint(["nope.conf"]), 3, /nope\.conf` cannot be read: it does not exist/);
    expectFailure(lint(["sound.conf", "nope.conf"]), 3, /nope\.conf` cannot be read/);
    expectFailure(lint(["resolve", "nope.conf"]), 3, /nope\.conf` cannot be read/);
    expectFailure(lint(["sound.conf/inside.conf"]), 3, /a part of its path is not a directory/);
  });

  test("3 where a folder holds no configuration", () => {
    write({ "readme.txt": "Hello\n", "nginx/site.conf": "server {\nlisten 80;\n}\n" });
    expectFailure(lint([]), 3, "no httpd configuration was found in `.`");
  });

  test("3 where links go in circles", () => {
    symlinkSync("b.conf", at("a.conf"));
    symlinkSync("a.conf", at("b.conf"));
    expectFailure(lint(["a.conf"]), 3, /a\.conf` cannot be read: its symbolic links go in circles/);
  });

  test("3 for what is no file, without waiting for it", () => {
    expect(run("mkfifo", [at("pipe.conf")]).status).toBe(0);
    expectFailure(lint(["pipe.conf"]), 3, /pipe\.conf` cannot be read: it is not a regular file/);
    expectFailure(lint(["/dev/tty0"]), 3, /cannot be read/);
  });
});

describe("paths", () => {
  test("a folder with a main file is a server", () => {
    write({ "conf/httpd.conf": "Include extra/*.conf\n", "conf/extra/a.conf": "Require all granted\n" });
    const ran = lint(["."]);
    expect(findings(ran)).toEqual(["conf/extra/a.conf:1:1: error misplaced-directive"]);
    expect(ran.stdout).toContain("in 2 files, 2 lines");
  });

  test("a file that a server reaches is read within it, and only it is reported", () => {
    write({
      "conf/httpd.conf": "Include extra/*.conf\nOptoins None\n",
      "conf/extra/a.conf": "Require all granted\n",
      "conf/other/a.conf": "Require all granted\n",
    });
    expect(findings(lint(["conf/extra/a.conf"]))).toEqual(["conf/extra/a.conf:1:1: error misplaced-directive"]);
    // Nothing includes this one: it is a fragment, which may be included anywhere.
    expect(lint(["conf/other/a.conf"]).status).toBe(0);
  });

  test("several paths of one server are one analysis", () => {
    write({ "httpd.conf": "Include a.conf\nInclude b.conf\n", "a.conf": "Optoins None\n", "b.conf": "Optoins All\n" });
    const ran = lint(["a.conf", "b.conf", "a.conf"]);
    expect(findings(ran)).toEqual(["a.conf:1:1: error unknown-directive", "b.conf:1:1: error unknown-directive"]);
    expect(ran.stdout).toContain("2 errors in 2 files, 2 lines");
  });

  test("a file that is reached by a link is reported at its target", () => {
    write({ "httpd.conf": "Include enabled/*\n", "available/a.conf": "Optoins None\n", "enabled/.keep": "" });
    symlinkSync("../available/a.conf", at("enabled/a.conf"));
    expect(findings(lint(["httpd.conf"]))).toEqual(["available/a.conf:1:1: error unknown-directive"]);
  });

  test("a `.htaccess` below a document root belongs to the server", () => {
    write({ "httpd.conf": 'DocumentRoot "www"\n', "www/a/.htaccess": "Listen 80\n" });
    const place = "www/a/.htaccess:1:1: error misplaced-directive";
    expect(findings(lint(["httpd.conf"]))).toEqual([place]);
    expect(findings(lint(["www/a/.htaccess"]))).toEqual([place]);
  });

  test("what a server further down reads is read within it alone", () => {
    write({
      "srv/httpd.conf": `DocumentRoot "${scratch.path}/srv/www"\n`,
      "srv/www/a/.htaccess": "Listen 80\n",
      "loose/.htaccess": "Listen 80\n",
    });
    const place = "srv/www/a/.htaccess:1:1: error misplaced-directive";
    const loose = "loose/.htaccess:1:1: error misplaced-directive";
    expect(findings(lint(["."]))).toEqual([loose, place]);
    expect(findings(lint([".", "srv"]))).toEqual([loose, place]);
    expect(findings(lint(["srv/www"]))).toEqual([place]);
  });

  test("what one server reads of another's folder is told once", () => {
    write({
      "a/httpd.conf": `DocumentRoot "${scratch.path}/b/www"\n`,
      "b/apache2.conf": `DocumentRoot "${scratch.path}/b/www"\n`,
      "b/www/.htaccess": "Listen 80\n",
    });
    expect(findings(lint(["."]))).toEqual(["b/www/.htaccess:1:1: error misplaced-directive"]);
    expectFailure(lint(["explain", ".", "http://localhost/"]), 2, "holds more than one server");
  });

  test("a circle of links below a document root is walked once", () => {
    write({ "httpd.conf": 'DocumentRoot "www"\n', "www/a/.htaccess": "Listen 80\n" });
    symlinkSync("..", at("www/a/up"));
    symlinkSync("self", at("www/self"));
    const ran = lint(["httpd.conf"]);
    expect(findings(ran)).toEqual(["www/a/.htaccess:1:1: error misplaced-directive"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
  });

  test("standard input has the name and the place that --stdin-filename gives", () => {
    write({ "httpd.conf": "Include a.conf\n", "a.conf": sound });
    const fragment = lint(["-", "--stdin-filename", "other.conf"], { input: "Require all granted\n" });
    expect(fragment.status).toBe(0);
    const htaccess = lint(["check", "--stdin-filename", ".htaccess", "-"], { input: "Listen 80\n" });
    expect(findings(htaccess)).toEqual([".htaccess:1:1: error misplaced-directive"]);
    const included = lint(["-", "--stdin-filename", "a.conf"], { input: "Require all granted\n" });
    expect(findings(included)).toEqual(["a.conf:1:1: error misplaced-directive"]);
  });

  test("behind `--` anything is a path", () => {
    write({ "-x.conf": unclosed, rules: unclosed });
    expect(findings(lint(["--", "-x.conf"]))).toEqual(["-x.conf:1:1: error syntax-error"]);
    expect(findings(lint(["check", "--", "rules"]))).toEqual(["rules:1:1: error syntax-error"]);
  });

  test("without any the folder is meant", () => {
    write({ "conf.d/a.conf": unclosed });
    expect(findings(lint([]))).toEqual(["conf.d/a.conf:1:1: error syntax-error"]);
  });
});

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

  test("--min-severity leaves out what is below", () => {
    expect(findings(lint(["both.conf", "--min-severity", "error"]))).toEqual([
      "both.conf:5:1: error unknown-directive",
    ]);
  });

  test("of a flag that is given twice the last one counts", () => {
    const twice = ["--format", "json", "--min-severity", "info", "--format", "text", "--min-severity", "error"];
    expect(findings(lint(["both.conf", ...twice]))).toEqual(["both.conf:5:1: error unknown-directive"]);
  });

  test("--statistics counts", () => {
    expect(lint(["both.conf", "--statistics"]).stdout).toBe("1  old-access-control\n1  unknown-directive\n");
  });

  test("--statistics is written as JSON where asked, also to a file, and in no other format", () => {
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
    expectFailure(lint(["both.conf", "--statistics", "--format", "sarif"]), 2, "written as text or json, not as sarif");
  });

  test("--output writes the result to a file, and nothing is left beside it", () => {
    const ran = lint(["both.conf", "--format", "json", "--output", "result.json"]);
    expect(ran).toEqual({ status: 1, stdout: "", stderr: "" });
    const result: { summary: object } = JSON.parse(textOf("result.json"));
    expect(result.summary).toEqual({ error: 1, warning: 0, info: 1, files: 1, lines: 5 });
    expect(readdirSync(scratch.path).sort()).toEqual(["both.conf", "result.json"]);
    write({ "folder/a.conf": sound });
    expectFailure(
      lint(["both.conf", "--output", "folder"]),
      2,
      /`folder` of --output cannot be written: it is a folder$/m,
    );
    expect(readdirSync(scratch.path).sort()).toEqual(["both.conf", "folder", "result.json"]);
  });

  test("--output keeps what an earlier run wrote where there is no result", () => {
    write({ "result.txt": "of yesterday\n" });
    expectFailure(lint(["nowhere.conf", "--output", "result.txt"]), 3, /nowhere\.conf` cannot be read/);
    expect(textOf("result.txt")).toBe("of yesterday\n");
  });

  test("--format gives JSON, SARIF and GitHub's commands", () => {
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

  test("colours come with --color and FORCE_COLOR, never with NO_COLOR", () => {
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

  test("--release, --define and the modules decide guards", () => {
    write({
      "guards.conf": [
        "<IfVersion < 2.4>\nOptoins 1\n</IfVersion>",
        "<IfDefine LIVE>\nOptoins 2\n</IfDefine>",
        "<IfModule mod_status.c>\nOptoins 3\n</IfModule>\n",
      ].join("\n"),
    });
    const lines = (...args: string[]) =>
      findings(lint(["guards.conf", "--select", "unknown-directive", ...args])).map((each) => each.split(":")[1]);
    expect(lines()).toEqual(["8"]);
    expect(lines("--release", "2.2")).toEqual(["2", "8"]);
    expect(lines("-D", "LIVE", "--no-module", "mod_status")).toEqual(["5"]);
    expect(lines("--modules", "mod_alias,mod_version")).toEqual([]);
  });

  test("a module that nobody knows is told of on standard error", () => {
    write({ "sound.conf": sound });
    const noted = /^httpd-lint: `mod_aliass` in --modules is no module .* did you mean `mod_alias`\?\n$/;
    for (const command of ["check", "resolve"]) {
      const ran = lint([command, "sound.conf", "--modules", "mod_aliass"]);
      expect(ran).toMatchObject({ status: 0, stderr: expect.stringMatching(noted) });
      expect(lint([command, "sound.conf", "--modules", "mod_aliass", "--quiet"]).stderr).toBe("");
    }
  });

  test("--server-root, --sysroot and --confine say where files are", () => {
    write({
      "image/etc/httpd/conf/httpd.conf": 'ServerRoot "/etc/httpd"\nInclude conf.d/*.conf\n',
      "image/etc/httpd/conf.d/a.conf": "Require all granted\n",
    });
    const main = "image/etc/httpd/conf/httpd.conf";
    const expected = ["image/etc/httpd/conf.d/a.conf:1:1: error misplaced-directive"];
    expect(findings(lint([main, "--sysroot", "image"]))).toEqual(expected);
    expect(findings(lint([main, "--server-root", "image/etc/httpd"]))).toEqual(expected);
    const confined = lint([main, "--server-root", "image/etc/httpd", "--confine", "image/etc/httpd/conf"]);
    expect(confined.status).toBe(1);
    expect(findings(confined)).not.toEqual(expected);
    expect(confined.stdout).toMatch(/^\S+: info: .*it lies outside .* \(--confine\)/m);
    expect(confined.stdout).not.toMatch(/^\S+: error: .*--confine/m);
  });

  test("variables come from envvars, and from the environment only when asked", () => {
    write({ "httpd.conf": "ServerName ${SITE}\n" });
    const site = { env: { SITE: "example.org" } };
    const undefinedVariable = ["httpd.conf:1:12: warning undefined-variable"];
    expect(findings(lint(["httpd.conf"], site))).toEqual(undefinedVariable);
    expect(lint(["httpd.conf", "--process-env"], site).status).toBe(0);
    write({ envvars: "export SITE=example.org\n" });
    expect(lint(["httpd.conf"]).status).toBe(0);
  });
});

describe("other commands", () => {
  test("resolve prints what the server would load", () => {
    write({
      "httpd.conf": "Include a.conf\nListen 80\n",
      "a.conf": "<Directory /srv>\n  Order \\\n  deny,allow\n</Directory>\n",
    });
    const from = (name: string) => `# In file: ${at(name)}\n`;
    expect(lint(["resolve", "httpd.conf"])).toEqual({
      status: 0,
      stdout: `${from("a.conf")}#   1:\n<Directory /srv>\n  #   3:\n  order deny,allow\n</Directory>\n${from("httpd.conf")}#   2:\nListen 80\n`,
      stderr: "",
    });
  });

  test("resolve reads includes beside an entry that is given relative to another folder", () => {
    write({ "conf/httpd.conf": "Include a.conf\n", "conf/a.conf": "Listen 80\n" });
    expect(lint(["resolve", "conf/httpd.conf"])).toMatchObject({ status: 0, stderr: "" });
  });

  test("resolve reads standard input in place of a file", () => {
    write({ "sub.conf": "ServerName included\n" });
    const ran = lint(["resolve", "-", "--stdin-filename", "httpd.conf"], { input: "Include sub.conf\nListen 8080\n" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toContain("ServerName included");
    expect(ran.stdout).toContain("Listen 8080");
    expectFailure(lint(["resolve", "-"]), 2, /needs --stdin-filename/);
  });

  test("resolve tells on standard error what the server refuses", () => {
    write({ "httpd.conf": "Include nope.conf\nListen 80\n" });
    const { status, stdout, stderr } = lint(["resolve", "httpd.conf"]);
    expect(status).toBe(1);
    expect(stdout).toContain("Listen 80\n");
    expect(stderr).toMatch(/httpd\.conf:1:1: .*nope\.conf` cannot be included/);
  });

  test("rules lists the rules and shows their pages", () => {
    const list = lint(["rules"]);
    expect(list.status).toBe(0);
    for (const line of list.stdout.trimEnd().split("\n")) {
      const [id = ""] = line.split(" ");
      expect(lint(["rules", id]).stdout).toMatch(new RegExp(`^# ${id}\n`));
    }
  }, 120_000);

  test("--version and --help", () => {
    const manifest: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(lint(["--version"])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    const help = lint(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("--server-root");
    expect(Math.max(...help.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe("bad input", () => {
  /** It ends by itself with findings, in few words. */
  function expectShort(ran: Ran): void {
    expect(ran).toMatchObject({ status: 1, stderr: "" });
    expect(ran.stdout.length).toBeLessThan(1 << 20);
  }

  test.each([
    ["directive", "SetEnv A "],
    ["name", "A"],
    ["section", "<Directory "],
    ["quote", 'SetEnv A "'],
  ])("a line of 100 MB: a %s", (_, start) => {
    writeFileSync(at("long.conf"), `${start}${"x".repeat(100 << 20)}\nOptoins None\n`);
    const ran = lint(["long.conf"]);
    expectShort(ran);
    expect(ran.stdout).toContain("more than the 16,777,216 that the server reads in one");
    expect(findings(ran)).toContain("long.conf:2:1: error unknown-directive");
  });

  test("100 MB of continued lines", () => {
    writeFileSync(at("long.conf"), `SetEnv A \\\n${"x\\\n".repeat((100 << 20) / 3)}\nOptoins None\n`);
    expectShort(lint(["long.conf"]));
  });

  test("a binary file", () => {
    writeFileSync(
      at("binary.conf"),
      Buffer.from(Array.from({ length: 1 << 16 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)),
    );
    const ran = lint(["binary.conf"]);
    expect(ran).toMatchObject({ status: 1, stderr: "" });
    // Nothing of it reaches the terminal as it is.
    expect([...ran.stdout].some((letter) => letter < " " && letter !== "\n")).toBe(false);
    for (const format of ["json", "sarif"]) JSON.parse(lint(["binary.conf", "--format", format]).stdout);
  });

  test.each([
    ["sections", "<Directory />\n", "</Directory>\n"],
    ["guards", "<IfModule core.c>\n", "</IfModule>\n"],
    ["guards that do not hold", "<IfModule nope.c>\n", "</IfModule>\n"],
    ["sections that are never closed", "<Location /x>\n", ""],
  ])("100,000 %s inside each other", (_, open, close) => {
    write({ "deep.conf": `${open.repeat(100_000)}${close.repeat(100_000)}Optoins None\n` });
    expectShort(lint(["deep.conf"]));
    const { stderr } = lint(["resolve", "deep.conf"]);
    expect(stderr).not.toMatch(/internal failure|RangeError/);
  });

  test("an expression with 100,000 brackets", () => {
    write({ "expression.conf": `<If "${"(".repeat(100_000)}true${")".repeat(100_000)}">\n</If>\n` });
    const ran = lint(["expression.conf"]);
    expect(ran.status).toBeLessThan(2);
    expect(ran.stderr).toBe("");
  });

  test("files that include each other", () => {
    write({
      "httpd.conf": "Include a.conf\n",
      "a.conf": "Include b.conf\nInclude b.conf\n",
      "b.conf": "Include a.conf\nInclude a.conf\n",
    });
    expectShort(lint(["httpd.conf"]));
  });

  test("a folder that includes itself through a link", () => {
    write({ "httpd.conf": "Include conf.d\n", "conf.d/a.conf": sound });
    mkdirSync(at("conf.d/sub"));
    symlinkSync("..", at("conf.d/sub/up"));
    expectShort(lint(["httpd.conf"]));
  });

  test("a macro that doubles itself", () => {
    const macros = Array.from({ length: 24 }, (_, i) => `<Macro m${i + 1}>\nUse m${i}\nUse m${i}\n</Macro>\n`);
    write({ "macro.conf": `<Macro m0>\nSetEnv A b\n</Macro>\n${macros.join("")}Use m8\n` });
    expect(lint(["macro.conf"])).toMatchObject({ stderr: "" });
  });

  test("a reader that leaves after the first lines", async () => {
    write({ "many.conf": "Optoins None\n".repeat(50_000) });
    const { status, stderr } = await runWithClosedPipe([at("many.conf")]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: "" });
  });

  test("names that are no UTF-8, and names with odd characters", () => {
    const folder = Buffer.concat([Buffer.from(scratch.path), Buffer.from("/caf\xe9.conf", "latin1")]);
    writeFileSync(folder, unclosed);
    write({ "a b'c\"d.conf": unclosed, "httpd.conf": "Include *.conf\n" });
    const ran = lint(["."]);
    expect(ran.status).toBe(1);
    expect(ran.stderr).toBe("");
  });
});

test("the example has a case for every rule", () => {
  const example = ["check", "docs/examples/httpd-2.2", "--server-root", "docs/examples/httpd-2.2", "--statistics"];
  // What single lines lack is told by the upgrade's rules where they run.
  const runs = [httpdLint([...example, "--from", "2.2"]), httpdLint(example)];
  expect(runs.map(({ status }) => status)).toEqual([1, 1]);
  const seen = [...new Set(runs.flatMap(({ stdout }) => stdout.match(/(?<=^ *\d+ {2})\S+$/gm) ?? []))];
  const rules = httpdLint(["rules"])
    .stdout.trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[0]);
  expect(seen.sort()).toEqual(rules.sort());
  expect(existsSync("docs/rules.md")).toBe(true);
});

test("an empty path is not the folder that one is in", () => {
  write({ "site.conf": sound });
  expectFailure(lint([""]), 3, "a path is empty; name a file or a folder");
  expectFailure(lint(["check", "site.conf", ""]), 3, "a path is empty; name a file or a folder");
});

describe("a word that is almost a command", () => {
  test.each([
    ["chek", "check"],
    ["tset", "test"],
    ["Explan", "explain"],
  ])("%s means %s", (word, meant) => {
    expectFailure(lint([word, "x"]), 3, `did you mean \`httpd-lint ${meant}\`?`);
  });

  test("twins: a folder of that name, and words far from any", () => {
    write({ "chek/a.conf": sound });
    expect(lint(["chek"])).toMatchObject({ status: 0 });
    expectFailure(lint(["site"]), 3, "it does not exist");
    expectFailure(lint(["chek.conf"]), 3, "it does not exist");
  });
});

describe("completion", () => {
  test.each([
    ["zsh", "#compdef"],
    ["bash", "complete -o bashdefault"],
    ["fish", "complete -f -c"],
  ])("for %s is that shell's, whatever the environment names", (shell, mark) => {
    for (const SHELL of ["/bin/zsh", "/bin/bash", ""]) {
      const { status, stdout } = lint(["completion", shell], { env: { SHELL } });
      expect({ status, holds: stdout.includes(mark) }).toEqual({ status: 0, holds: true });
    }
  });

  test("for another shell is refused", () => {
    expectFailure(lint(["completion", "csh"]), 2, "no completion script for `csh`; name bash, zsh, fish");
  });
});
