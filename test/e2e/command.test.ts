import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { commands } from "../../src/apps/cli/commands/all-commands.js";
import { commandNames } from "../../src/apps/cli/commands/command.js";
import { formatWordList } from "../../src/text/words.js";
import { httpdLint } from "../support/programs/command.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, textOf, write } = lintedFolder();

describe("other commands", () => {
  test("resolve prints the configuration that the server would load", () => {
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

  test("resolve reads includes next to an entry in another directory", () => {
    write({ "conf/httpd.conf": "Include a.conf\n", "conf/a.conf": "Listen 80\n" });
    expect(lint(["resolve", "conf/httpd.conf"])).toMatchObject({ status: 0, stderr: "" });
  });

  test("resolve reads standard input instead of a file", () => {
    write({ "sub.conf": "ServerName included\n" });
    const ran = lint(["resolve", "-", "--stdin-filename", "httpd.conf"], { input: "Include sub.conf\nListen 8080\n" });
    expect(ran).toMatchObject({ status: 0, stderr: "" });
    expect(ran.stdout).toContain("ServerName included");
    expect(ran.stdout).toContain("Listen 8080");
    expect(lint(["resolve", "-"], { input: "Include sub.conf\n" }).stdout).toContain("ServerName included");
  });

  test("resolve reports rejected lines on standard error", () => {
    write({ "httpd.conf": "Include nope.conf\nListen 80\n" });
    expect(lint(["resolve", "httpd.conf", "--exit-zero"]).status).toBe(0);
    const { status, stdout, stderr } = lint(["resolve", "httpd.conf"]);
    expect(status).toBe(1);
    expect(stdout).toContain("Listen 80\n");
    expect(stderr).toMatch(/httpd\.conf:1:1: .*nope\.conf` cannot be included/);
  });

  test("rules lists the rules and shows their pages", () => {
    const group = lint(["rules", "tls"]).stdout.trimEnd().split("\n");
    expect(group[0]).toBe("TLS (tls):");
    expect(group.slice(1).map((line) => line.trim().split(" ")[0])).toEqual(
      allRules.flatMap((rule) => (rule.group === "tls" ? [rule.id] : [])),
    );
    expect(lint(["rules", "hardenin"]).stderr).toContain("did you mean `hardening`?");
    const list = lint(["rules"]);
    expect(list.status).toBe(0);
    const ids = list.stdout.match(/(?<=^ {2})\S+/gm) ?? [];
    expect(ids).toHaveLength(allRules.length);
    expect(list.stdout).toMatch(
      /^Exposure to outside clients \(exposure\):\n(?: {2}.*\n)* {2}limit-leaves-methods-open +warning {2}/m,
    );
    // As Markdown, a page is shown as shipped.
    const pages = ids.map((id) => readFileSync(`dist/rules/${id}.md`, "utf8"));
    for (const [index, id] of ids.entries()) expect(pages[index]).toMatch(new RegExp(`^# ${id}\n`));
    for (const index of [0, Math.floor(ids.length / 2), ids.length - 1])
      expect(lint(["rules", ids[index] ?? "", "--format", "markdown"])).toEqual({
        status: 0,
        stdout: pages[index],
        stderr: "",
      });
  });

  test("ids of the previous version are accepted, with one line about the rule that they are a part of", () => {
    const note = "httpd-lint: the rule `shadowed-alias` is now a part of `shadowed-line`\n";
    const page = lint(["rules", "shadowed-alias", "--format", "markdown"]);
    expect(page).toEqual({ ...lint(["rules", "shadowed-line", "--format", "markdown"]), stderr: note });
    const main = "Alias /a /srv/a\nAlias /a/b /srv/b\nRewriteEngine On\nRewriteRule ^ - [F]\nRewriteRule ^/c - [F]\n";
    write({ "httpd.conf": main });
    const linesOf = (...flags: readonly string[]) => {
      const { stdout, stderr } = lint(["check", "httpd.conf", "--format", "json", ...flags]);
      const { findings }: { findings: readonly { rule: string; start: { line: number } }[] } = JSON.parse(stdout);
      return { lines: findings.filter(({ rule }) => rule === "shadowed-line").map(({ start }) => start.line), stderr };
    };
    expect(linesOf().lines).toEqual([2, 5]);
    expect(linesOf("--select", "shadowed-alias")).toMatchObject({ lines: [2], stderr: expect.stringContaining(note) });
    expect(linesOf("--disable", "shadowed-alias")).toMatchObject({ lines: [5], stderr: expect.stringContaining(note) });
    // A baseline of some variants keeps what it knows of the others.
    const written = ["--baseline", "known.json", "--update-baseline"];
    lint(["check", "httpd.conf", ...written]);
    expect(lint(["check", "httpd.conf", ...written, "--select", "shadowed-alias"]).stderr).toContain("is up to date");
  });

  test("rules renders a page for the terminal: headings, code and paragraphs", () => {
    const { stdout, stderr } = lint(["rules", "unknown-directive", "--color", "always"]);
    expect(stderr).toBe("");
    expect(stdout.startsWith("\u001b[1munknown-directive\u001b[22m\n\n")).toBe(true);
    expect(stdout).toContain("\nBad:\n    ");
    expect(stdout).not.toContain("```");
    const prose = stdout.split("\n").filter((line) => !line.startsWith("    "));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(lint(["rules", "unknown-directive"]).stdout).not.toContain("\u001b");
  });

  test("rules --format json lists the rules, and contains the page of one rule", () => {
    const all = lint(["rules", "--format", "json"]);
    expect(validJson("rules", all.stdout)).toMatchObject({
      rules: expect.arrayContaining([expect.objectContaining({ id: "unknown-directive", severity: "error" })]),
    });
    const one = lint(["rules", "unknown-directive", "--format", "json"]);
    const exposed = lint(["rules", "unprotected-handler", "--format", "json"]);
    expect(validJson("rules", exposed.stdout)).toMatchObject({
      rules: [{ group: "exposure", isDefault: true, references: { cwe: [497], stig: ["V-214242"] } }],
    });
    expect(lint(["rules", "unprotected-handler"]).stdout).toMatch(
      /\nReferences: CIS 2\.4, CIS 2\.8, STIG V-214242, CWE-497\.\n$/,
    );
    expect(validJson("rules", one.stdout)).toMatchObject({
      rules: [
        expect.objectContaining({ id: "unknown-directive", page: expect.stringMatching(/^# unknown-directive\n/) }),
      ],
    });
  });

  test("--version and --help are printed", () => {
    const manifest: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
    const printed = lint(["--version"]);
    expect(printed).toMatchObject({ status: 0, stderr: "" });
    const [first = "", second, ...others] = printed.stdout.split("\n");
    // The commit, its day, and a mark if the sources differ from it; unknown outside a checkout.
    expect(first).toMatch(/^httpd-lint \d+\.\d+\.\d+(?: \([0-9a-f]{7,}\+? \d{4}-\d\d-\d\d\))?$/);
    expect(first.split(" ")[1]).toBe(manifest.version);
    expect(second).toMatch(/^(?:single executable with )?(?:Node\.js|Bun) \d+\.\d+\.\d+, \w+-\w+$/);
    expect(others).toEqual([""]);
    const help = lint(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("httpd-lint COMMAND --help");
    expect(Math.max(...help.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

test("-f and -o are short for --format and --output", () => {
  write({ "httpd.conf": "Optoins None\n" });
  const long = lint(["httpd.conf", "--format", "json"]);
  expect(lint(["httpd.conf", "-f", "json"])).toEqual(long);
  expect(lint(["httpd.conf", "-f", "text", "--format", "json"])).toEqual(long);
  expect(lint(["check", "httpd.conf", "-f", "json", "-o", "found.json"])).toMatchObject({ status: 1, stdout: "" });
  expect(textOf("found.json")).toBe(long.stdout);
  expect(lint(["httpd.conf", "-f", "jsn"]).stderr).toContain("invalid value `jsn` for --format");
});

test("--to and --release both name the target version", () => {
  // 2.4.7 does not know this directive, and 2.4.62 does.
  write({ "httpd.conf": "Listen 80\nMergeSlashes Off\n", "server/httpd.conf": "Listen 80\nServerName a.example\n" });
  const checked = ["2.4.7", "2.4.62"].map((release) => lint(["httpd.conf", "--release", release]).stdout);
  expect(checked[0]).not.toBe(checked[1]);
  expect(["2.4.7", "2.4.62"].map((release) => lint(["httpd.conf", "--to", release]).stdout)).toEqual(checked);
  const upgrade = ["upgrade", "server/httpd.conf", "--from", "2.4.7"];
  const upgraded = lint([...upgrade, "--to", "2.4.29"]);
  expect(upgraded.stdout).toContain("Upgrade from 2.4.7 to 2.4.29\n");
  expect(lint([...upgrade, "--release", "2.4.29"])).toEqual(upgraded);
  expect(lint(["upgrade", "--help"]).stdout).not.toContain("--release");
});

test("the command help prints what --help prints", () => {
  expect(lint(["help"])).toEqual(lint(["--help"]));
  expect(lint(["help", "migrate"])).toEqual(lint(["migrate", "--help"]));
  expect(lint(["help", "migrate"]).stdout).toContain("Usage: httpd-lint migrate");
  // Twin: a path with this name is checked.
  write({ help: "Optoins None\n" });
  expect(lint(["./help"]).stdout).toContain("unknown directive `Optoins`");
});

test.each([["-fjson"], ["-f=json"], ["-qfjson"], ["-f", "json"]])("a short flag takes its value: %s", (...flags) => {
  write({ "a.conf": "Optoins ${A}\n" });
  expect(lint(["check", "a.conf", ...flags]).stdout).toBe(lint(["check", "a.conf", "--format", "json"]).stdout);
});

test("an attached value is a path, a name or a number", () => {
  write({ "a.conf": "<IfDefine A>\nOptoins None\n</IfDefine>\n" });
  expect(lint(["check", "a.conf", "-DA", "-j2", "-oresult.txt"])).toMatchObject({ status: 1, stdout: "" });
  expect(lint(["check", "result.txt", "--no-config"]).stdout).toContain("Optoins");
});

test("two names of a flag may have the same value, and the last one of a name counts", () => {
  write({ "a.conf": "Listen 80\n" });
  for (const flags of [
    ["--to", "2.4", "--release", "2.4"],
    ["--release", "2.2", "--release", "2.4", "--to=2.4"],
  ])
    expect(lint(["check", "a.conf", ...flags]).stderr).not.toContain("different values");
});

describe("--help of a command", () => {
  test("groups the flags with their values, without annotations of the parser", () => {
    const { stdout } = lint(["check", "--help"]);
    const titles = stdout.match(/^[A-Z][a-z]+:$/gm);
    expect(titles).toEqual(["Arguments:", "Input:", "Rules:", "Changes:", "Output:", "Performance:", "Other:"]);
    expect(stdout).toMatch(/^Usage: httpd-lint check \[OPTION…\] \[PATH…\]\n\nReport problems\n/);
    expect(stdout).toMatch(/^ {2}-D, --define NAME\[=VALUE\] {2}/m);
    expect(stdout).not.toMatch(/\[(?:boolean|string|array|choices|default)/);
    expect(lint(["explain", "--help"]).stdout).toMatch(/^Request:$/m);
  });

  test.each(commandNames)("lists only known flags within 100 columns: %s", (command) => {
    const { stdout } = lint([command, "--help"]);
    const flags = [...stdout.matchAll(/^ {2}(?:-\w, | {4})--([a-z-]+)/gm)].map(([, flag = ""]) => flag);
    expect(flags.filter((flag) => !(flag in commands[command].flags)).sort()).toEqual(["help", "version"]);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

describe("errors of the argument parser", () => {
  test.each([
    [["check", "--formt", "json"], "unknown flag --formt; did you mean --format?"],
    [["check", "--bogus"], "unknown flag --bogus; see `httpd-lint check --help`"],
    [["explain", "--fix"], "--fix is not a flag of `explain`; see `httpd-lint explain --help`"],
    [
      ["check", "--color", "alway"],
      "invalid value `alway` for --color: expected auto, always or never; did you mean `always`?",
    ],
    [["check", "--output"], "--output needs a value: --output FILE"],
    [["help", "nosuch"], `unknown command \`nosuch\`: expected ${formatWordList(commandNames, "or")}`],
    [
      ["help", "chek"],
      `unknown command \`chek\`: expected ${formatWordList(commandNames, "or")}; did you mean \`check\`?`,
    ],
    [["help", "check", "explain"], "unexpected argument `explain`; `help` takes the name of one command"],
    [
      ["check", "--to", "2.2", "--release=2.4"],
      "--release 2.4 and --to 2.2 are different values of one flag; use only one of them",
    ],
    [
      ["upgrade", "--release", "2.4", "--to", "2.2"],
      "--to 2.2 and --release 2.4 are different values of one flag; use only one of them",
    ],
    [["lsp", "-ofile"], "--output is not a flag of `lsp`; see `httpd-lint lsp --help`"],
    [["resolve", "a.conf", "b.conf"], "unexpected argument `b.conf`; see `httpd-lint resolve --help`"],
  ])("%j", (args, message) => {
    expect(lint(args)).toEqual({ status: 2, stdout: "", stderr: `httpd-lint: ${message}\n` });
  });
});

test("the examples contain a finding of every rule", { timeout: 300_000 }, () => {
  const rulesIn = (example: string, ...flags: readonly string[]): readonly string[] => {
    const folder = `docs/examples/${example}`;
    const { status, stdout } = httpdLint(["check", folder, "--server-root", folder, "--statistics", ...flags]);
    expect(status).toBe(1);
    return stdout.match(/(?<=^ *\d+ {2})\S+$/gm) ?? [];
  };
  const rules = allRules.map(({ id }) => id);
  const reported = new Set([
    ...["exposed", "mistakes", "tls"].flatMap((example) => rulesIn(example)),
    ...rulesIn("not-migrated", "--from", "2.2"),
    ...rulesIn("hardening", "--select", "hardening", "--fail-on", "info"),
  ]);
  // The largest example takes longest. A finding of another rule on the same line may supersede one: a second check is
  // without it.
  for (let attempt = 0; attempt < 2; attempt++) {
    const others = rules.filter((id) => !reported.has(id));
    const selected = others.length === 0 ? [] : rulesIn("httpd-2.2", "--from", "2.2", "--select", others.join());
    for (const id of selected) reported.add(id);
  }
  expect([...reported].sort()).toEqual(rules.sort());
  expect(existsSync("docs/rules.md")).toBe(true);
});
