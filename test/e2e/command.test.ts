import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { httpdLint } from "../support/programs/command.js";
import { expectFailure } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();

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
    expect(lint(["resolve", "-"], { input: "Include sub.conf\n" }).stdout).toContain("ServerName included");
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
    const ids = list.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0] ?? "");
    // A page is shown as shipped.
    const pages = ids.map((id) => readFileSync(`dist/rules/${id}.md`, "utf8"));
    for (const [index, id] of ids.entries()) expect(pages[index]).toMatch(new RegExp(`^# ${id}\n`));
    for (const index of [0, Math.floor(ids.length / 2), ids.length - 1])
      expect(lint(["rules", ids[index] ?? ""])).toEqual({ status: 0, stdout: pages[index], stderr: "" });
  });

  test("--version and --help", () => {
    const manifest: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(lint(["--version"])).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: "" });
    const help = lint(["--help"]);
    expect(help).toMatchObject({ status: 0, stderr: "" });
    expect(help.stdout).toContain("--server-root");
    expect(Math.max(...help.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  });
});

test("the example has a case for every rule", () => {
  const example = ["check", "docs/examples/httpd-2.2", "--server-root", "docs/examples/httpd-2.2", "--statistics"];
  const seenBy = (...flags: readonly string[]): readonly string[] => {
    const { status, stdout } = httpdLint([...example, ...flags]);
    expect(status).toBe(1);
    return stdout.match(/(?<=^ *\d+ {2})\S+$/gm) ?? [];
  };
  const rules = httpdLint(["rules"])
    .stdout.trimEnd()
    .split("\n")
    .map((line) => line.split(" ")[0] ?? "");
  const seen = seenBy("--from", "2.2");
  // The upgrade rules report missing lines, when they run.
  const others = rules.filter((id) => !seen.includes(id));
  expect([...seen, ...seenBy("--select", others.join())].sort()).toEqual(rules.sort());
  expect(existsSync("docs/rules.md")).toBe(true);
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
