import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { listCommandWords } from "../../scripts/completions/command-words.js";
import { ensureBuilt, httpdLint, type Ran, run } from "../support/programs/command.js";
import { testFolder } from "../support/programs/test-folder.js";

const scratch = testFolder();
beforeAll(ensureBuilt);

const scriptOf = (shell: string) => resolve(`completions/httpd-lint.${shell}`);
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Runs a shell that prints the words that it offers at the end of a command line, one on each line. */
const shells: Readonly<Record<string, (line: string) => Ran>> = {
  // bash calls the function with the words of the line, which it also splits at "=".
  bash: (line) => {
    const words = line.replaceAll("=", " = ").split(" ").map(quoted).join(" ");
    const script = `. ${scriptOf("bash")}; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _httpd_lint
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--noprofile", "--norc", "-c", script], { cwd: scratch.path });
  },
  zsh: (line) =>
    run("zsh", ["-f", resolve("test/support/shells/zsh-completions.zsh"), scriptOf("zsh"), line], {
      cwd: scratch.path,
    }),
  fish: (line) =>
    run("fish", ["--no-config", "-c", `source ${scriptOf("fish")}; complete -C ${quoted(line)}`], {
      cwd: scratch.path,
    }),
  elvish: completeInElvish,
};

/** Runs the completer of Elvish outside its editor, which selects the words that begin as the last one of the line. */
function completeInElvish(line: string): Ran {
  const words = line.split(" ");
  const last = words.at(-1) ?? "";
  const completer = readFileSync(scriptOf("elvish"), "utf8")
    .replace("set edit:completion:arg-completer[httpd-lint] =", "var completer =")
    .replaceAll("edit:complete-filename", "complete-filename");
  const files = "fn complete-filename {|seed| put $seed*[nomatch-ok] }";
  const script = `${files}\n${completer}\n$completer ${words.map((word) => `'${word}'`).join(" ")} | to-lines`;
  const ran = run("elvish", ["-norc", "-c", script], { cwd: scratch.path });
  const offered = ran.stdout.split("\n").filter((word) => word.startsWith(last));
  return { ...ran, stdout: offered.join("\n") };
}

/** Returns the offered words, without descriptions, duplicates and the existing part of a list. */
function listOffered(shell: string, line: string): readonly string[] {
  const ran = shells[shell]?.(line);
  expect(ran, line).toMatchObject({ status: 0, stderr: "" });
  const words = (ran?.stdout ?? "").split("\n").map((each) => each.replace(/\t.*/, "").trim());
  return [...new Set(words.filter((each) => each !== ""))].map((each) => each.replace(/^(?:--\w+=|.*,)/, "")).sort();
}

describe.each(Object.keys(shells))("completion in %s", (shell) => {
  const isInstalled = run("sh", ["-c", `command -v ${shell}`]).status === 0;
  const suffix = isInstalled ? "" : ` (needs ${shell})`;

  test.skipIf(!isInstalled).each([
    ["httpd-lint ex", ["explain"]],
    ["httpd-lint check --no-c", ["--no-config"]],
    ["httpd-lint --list-f", ["--list-files"]],
    ["httpd-lint explain --stat", []],
    ["httpd-lint check --format j", ["json", "json-lines", "junit"]],
    ["httpd-lint explain --format j", ["json"]],
    ["httpd-lint check --format=ju", ["junit"]],
    ["httpd-lint check --fail-on ", ["error", "info", "warning"]],
    ["httpd-lint check --select unknown-d", ["unknown-directive"]],
    ["httpd-lint check --disable syntax,unknown-d", ["unknown-directive"]],
    ["httpd-lint rules unknown-d", ["unknown-directive"]],
    ["httpd-lint rules hard", ["hardening"]],
    ["httpd-lint completion ", ["bash", "elvish", "fish", "powershell", "zsh"]],
  ])(`%s${suffix}`, (line, words) => {
    expect(listOffered(shell, line)).toEqual(words);
  });

  // bash completes files itself if the function offers no words.
  test.skipIf(!isInstalled)(`offers files as arguments${suffix}`, () => {
    scratch.write({ "site/httpd.conf": "Listen 80\n" });
    const names = listOffered(shell, "httpd-lint check si");
    expect(names).toEqual(shell === "bash" ? [] : [shell === "fish" ? "site/" : "site"]);
  });
});

describe("the script for PowerShell", () => {
  const script = readFileSync(scriptOf("powershell"), "utf8").replace(/^ *#.*$/gm, "");

  test("has each command and each flag", () => {
    for (const { name, flags } of listCommandWords()) {
      const cases = script.split("\n").filter((line) => line.trimStart().startsWith(`'${name}' {`));
      const words = new Set(cases.join("").match(/'[^']*'/g));
      for (const { long, short } of flags) {
        expect(words, name).toContain(`'--${long}'`);
        if (short !== undefined) expect(words, name).toContain(`'-${short}'`);
      }
    }
  });

  test("has each word of a value", () => {
    const words = new Set(script.match(/'[^']*'/g));
    for (const { flags, argument } of listCommandWords())
      for (const value of [argument, ...flags.map((flag) => flag.value)])
        if (value?.kind === "choice") for (const choice of value.choices) expect(words).toContain(`'${choice}'`);
  });

  test("is ASCII, with balanced quotes and brackets", () => {
    expect(script).toMatch(/^[\n -~]*$/);
    const code = script.replace(/'[^'\n]*'|"[^"\n]*"/g, "");
    expect(code).not.toMatch(/['"`]/);
    const open: string[] = [];
    const pairs: Readonly<Record<string, string>> = { ")": "(", "}": "{", "]": "[" };
    for (const [bracket] of code.matchAll(/[()[\]{}]/g)) {
      const opening = pairs[bracket];
      if (opening === undefined) open.push(bracket);
      else expect(open.pop()).toBe(opening);
    }
    expect(open).toEqual([]);
  });
});

describe("httpd-lint completion", () => {
  test.each([...Object.keys(shells), "powershell"])("%s prints its script, regardless of the environment", (shell) => {
    for (const SHELL of ["/bin/zsh", "/bin/bash", ""])
      expect(httpdLint(["completion", shell], { env: { SHELL } })).toEqual({
        status: 0,
        stdout: readFileSync(scriptOf(shell), "utf8"),
        stderr: "",
      });
  });

  test.each([
    ["/usr/bin/fish", "fish"],
    ["/bin/zsh", "zsh"],
    ["/usr/bin/elvish", "elvish"],
    ["/bin/sh", "bash"],
    ["", "bash"],
  ])("prints the script for the shell of the environment: %j", (SHELL, shell) => {
    expect(httpdLint(["completion"], { env: { SHELL } }).stdout).toBe(readFileSync(scriptOf(shell), "utf8"));
  });

  test("does not print a script for another shell", () => {
    const stderr = "httpd-lint: no completion script for `csh`: expected bash, zsh, fish, powershell or elvish\n";
    expect(httpdLint(["completion", "csh"])).toEqual({ status: 2, stdout: "", stderr });
  });

  test("has help", () => {
    expect(httpdLint(["completion", "--help"]).stdout).toMatch(/^Usage: httpd-lint completion \[OPTION…\] \[SHELL\]\n/);
  });
});
