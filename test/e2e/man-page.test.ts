import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { outputFormats } from "../../src/report/formats.js";
import { commandNames, ensureBuilt, httpdLint } from "../support/programs/command.js";

const page = "man/httpd-lint.1";

/** The page as plain text: hyphens and letters, without formatting. */
const words = readFileSync(page, "utf8")
  .replaceAll("\\-", "-")
  .replace(/\\f[BIR]/g, "");

const [, ...sections] = words.split(/^\.SS /m);
const common = words.slice(words.indexOf('.SH "COMMON OPTIONS"'), words.indexOf('.SH "EXIT STATUS"'));

beforeAll(ensureBuilt);

/** Returns the flags at the start of `--help` rows. */
function flagsOf(command: string): readonly string[] {
  const { stdout } = httpdLint([command, "--help"]);
  return [...stdout.matchAll(/^ {2}(?:-\w, | {4})(--[a-z-]+)/gm)].map(([, flag = ""]) => flag);
}

describe("the manual page", () => {
  test("describes the commands that --help lists, and no others", () => {
    const listed = [...httpdLint(["--help"]).stdout.matchAll(/^ {2}([a-z]+)(?: \[| {2})/gm)].map(([, name]) => name);
    expect(sections.map((section) => /^httpd-lint ([a-z]+)/.exec(section)?.[1])).toEqual(listed);
    expect(listed).toEqual([...commandNames, "completion"]);
  });

  test.each(commandNames)("describes every flag of %s in its section or among the common options", (command) => {
    const section = sections.find((each) => each.startsWith(`httpd-lint ${command}`)) ?? "";
    const flags = flagsOf(command);
    expect(flags).toContain("--help");
    for (const flag of flags) {
      const entry = new RegExp(`^\\.TP\\n(?:-\\w, )?${flag}(?![a-z-])`, "m");
      expect(entry.test(section) || entry.test(common), `${flag} is described`).toBe(true);
      if (flag === "--help" || flag === "--version") continue;
      expect(new RegExp(`${flag}(?![a-z-])`).test(section), `${flag} is named in the section`).toBe(true);
    }
  });

  test("has the exit codes of docs/cli.md", () => {
    const table = readFileSync("docs/cli.md", "utf8").split("| exit code | meaning |")[1] ?? "";
    const codes = [...(table.split("\n\n")[0]?.matchAll(/^\| (\d) \|/gm) ?? [])].map(([, code]) => code);
    const status = words.slice(words.indexOf('.SH "EXIT STATUS"'), words.indexOf(".SH ENVIRONMENT"));
    expect([...status.matchAll(/^\.B (\d)$/gm)].map(([, code]) => code)).toEqual(codes);
  });

  const hasMan = spawnSync("man", ["--version"]).status === 0;
  test.skipIf(!hasMan)(`is formatted without warnings${hasMan ? "" : " (needs man)"}`, () => {
    const formatted = spawnSync("man", ["--warnings", "-l", page], {
      encoding: "utf8",
      env: { ...process.env, MANWIDTH: "80", LC_ALL: "C.UTF-8" },
    });
    expect(formatted.stderr).toBe("");
    expect(formatted.stdout).toContain("COMMON OPTIONS");
  });
});

test.each(commandNames)("docs/cli.md names every flag of %s", (command) => {
  const named = readFileSync("docs/cli.md", "utf8");
  const missing = flagsOf(command).filter((flag) => !new RegExp(`${flag}(?![a-z-])`).test(named));
  expect(missing).toEqual([]);
});

test("docs/cli.md lists the commands of every output format", () => {
  const [, table = ""] = /### Output formats\n\n([\s\S]*?)\n\n/.exec(readFileSync("docs/cli.md", "utf8")) ?? [];
  const listed = [...table.matchAll(/^\| `([\w-]+)` \| (.*?) \|/gm)].map(([, format = "", commands = ""]) => {
    const all = Object.entries(outputFormats).filter(([, formats]) => formats.some((each) => each === format));
    const expected = all.map(([command]) => `\`${command}\``).join(", ");
    return [format, commands.replace(" (default)", ""), expected] as const;
  });
  const formats = new Set(Object.values(outputFormats).flat());
  expect(listed.map(([format]) => format).sort()).toEqual([...formats].sort());
  expect(listed.filter(([format, written, expected]) => format !== "text" && written !== expected)).toEqual([]);
});
