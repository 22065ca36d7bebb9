import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isDeep, sampleOf } from "../support/depth.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();

/** Half of the documented memory limit. The CPU time includes all threads, such as those of the garbage collector. */
const bounded = { env: { NODE_OPTIONS: "--max-old-space-size=1024" }, cpuSeconds: 40 };

/** Runs one of several commands that read the same lines, or all of them in a deep run. */
function runOneOf(...commands: readonly (readonly string[])[]): void {
  for (const args of sampleOf(commands, commands.length)) run(args);
}

/** Runs a command within the limits. */
function run(args: readonly string[]) {
  const ran = lint([...args, "--no-config"], bounded);
  expect(ran.stderr).not.toMatch(/internal (?:error|failure)|out of memory/);
  expect([0, 1, 5]).toContain(ran.status);
  return ran;
}

const head = "ServerName x.example\nListen 80\n";
const nestedDefines = "Define a 0123456789abcdef\n" + "Define a ${a}${a}${a}\n".repeat(10);

describe("small configurations that require much work", { timeout: 300_000 }, () => {
  test("Defines and Macros that multiply each other", () => {
    const macros = Array.from({ length: 14 }, (_, i) => `<Macro m${i + 1}>\nUse m${i}\nUse m${i}\n</Macro>\n`);
    write({ "httpd.conf": `${nestedDefines}<Macro m0>\nSetEnv A \${a}\n</Macro>\n${macros.join("")}Use m14\n` });
    expect(run(["check", "httpd.conf"]).stdout).toContain("expand to more than 32 MB in total");
  });

  test("Defines within the limits", () => {
    write({ "httpd.conf": `${nestedDefines}SetEnv A \${a}\n` });
    expect(run(["check", "httpd.conf"]).stdout).not.toContain("in total");
  });

  test("an Include of other text files", () => {
    const junk = Array.from({ length: 2000 }, (_, i) => `word${i} is unknown\n`).join("");
    for (const name of ["a", "b", "c"]) {
      mkdirSync(at(`d/${name}`), { recursive: true });
      writeFileSync(at(`d/${name}/x`), junk.replaceAll("word", `${name}word`));
    }
    write({ "httpd.conf": `IncludeOptional d/*/*\n`.repeat(3) });
    const { stdout } = run(["check", "httpd.conf", "--server-root", at(".")]);
    expect(stdout.match(/different unknown directives/g)).toHaveLength(1);
    expect(stdout).toContain("aword0");
    expect(stdout).not.toContain("bword0");
  });

  test("an IncludeOptional of five levels of directories with other text files", () => {
    const names = ["a", "b", "c", "d", ...(isDeep ? ["e", "f"] : [])];
    const levels = (depth: number): string[] =>
      depth === 0 ? [""] : levels(depth - 1).flatMap((below) => names.map((name) => `${name}/${below}`));
    for (const path of levels(4)) {
      mkdirSync(at(`tree/${path}`), { recursive: true });
      for (const name of names) writeFileSync(at(`tree/${path}${name}`), `word${path.replaceAll("/", "")}${name} 1\n`);
    }
    write({ "httpd.conf": `${head}IncludeOptional tree/*/*/*/*/*\nIncludeOptional tree/*/*/*/*/*\n` });
    const commands = [
      ["check", "httpd.conf"],
      ["explain", "httpd.conf", "/x"],
      ["map", "httpd.conf"],
    ];
    for (const command of isDeep ? commands : commands.slice(0, 1)) {
      expect(run([...command, "--server-root", at(".")]).stdout).toContain("different unknown directives");
    }
  });

  test.each([
    ["groups of a pattern", `<LocationMatch "${"(".repeat(30_000)}${")".repeat(30_000)}">\n</LocationMatch>\n`],
    ["unclosed groups", `<If "%{REQUEST_URI} =~ m#${"(".repeat(3000)}#">\n`],
    ["maps", `RewriteEngine On\nRewriteMap a int:tolower\nRewriteRule ^ /${"${a:".repeat(5000)}x${"}".repeat(5000)}\n`],
    ["functions", `<If "${"base64(".repeat(250)}'aaaa'${")".repeat(250)} == 'a'">\n</If>\n`],
  ])("nested: %s", (_, lines) => {
    write({ "httpd.conf": `${head}${lines}` });
    runOneOf(["check", "httpd.conf"], ["compare", "httpd.conf"], ["explain", "httpd.conf", "/x"]);
  });

  test.each([
    ["E flags", `RewriteEngine On\n${"RewriteRule ^ - [E=a:x%{ENV:a}%{ENV:a}%{ENV:a}%{ENV:a}]\n".repeat(14)}`],
    [
      "SetEnvIf",
      `SetEnvIf Request_URI "(.*)" A=$1\n${'SetEnvIf A "(.*)" B=$1$1$1$1$1$1$1$1$1\nSetEnvIf B "(.*)" A=$1$1$1$1$1$1$1$1$1\n'.repeat(9)}`,
    ],
    ["a redirection", `RedirectMatch "(.*)" ${"$1".repeat(100_000)}\n`],
  ])("growing values from %s, which make the answer unknown", (_, lines) => {
    write({ "httpd.conf": `${head}${lines}` });
    const { status, stdout } = run(["explain", "httpd.conf", "/x"]);
    expect(status).toBe(5);
    expect(stdout).toContain("exceeds 65,536 bytes");
    if (isDeep) run(["compare", "httpd.conf"]);
  });

  test("rules that restart while their values grow", () => {
    const rules = "RewriteRule ^ - [E=a:x%{ENV:a}%{ENV:a}%{ENV:a}%{ENV:a}]\n".repeat(8);
    write({ "httpd.conf": `${head}RewriteEngine On\n${rules}RewriteRule ^ /%1$0 [N]\n` });
    expect(run(["explain", "httpd.conf", "/x"]).status).toBe(5);
    if (isDeep) run(["compare", "httpd.conf"]);
  });

  test.runIf(isDeep)("20,000 subnets in 8 lines for migrate", () => {
    const subnets = (first: number) => Array.from({ length: 2_500 }, (_, i) => `${first}.${i >> 8}.${i & 255}.0/24`);
    const lines = Array.from(
      { length: 8 },
      (_, i) => `${i % 2 ? "Deny" : "Allow"} from ${subnets(10 + i).join(" ")}\n`,
    );
    write({ "httpd.conf": `${head}<Location /a>\n${lines.join("")}</Location>\n` });
    run(["migrate", "httpd.conf"]);
  });

  test("values within the limits", () => {
    write({ "httpd.conf": `${head}RewriteEngine On\n${"RewriteRule ^ - [E=a:x%{ENV:a}%{ENV:a}]\n".repeat(4)}` });
    expect(run(["explain", "httpd.conf", "/x"]).stdout).not.toContain("exceeds");
  });

  test.each([
    ["variables", `SetEnv A ${"${".repeat(200_000)}\n`],
    ["variables of rewriting", `RewriteEngine On\nRewriteRule ^ /${"%{".repeat(30_000)}\n`],
    ["conditions of rewriting", `RewriteEngine On\nRewriteCond ${"%{ENV:".repeat(100_000)} a\nRewriteRule ^ - [F]\n`],
    ["maps", `RewriteEngine On\nRewriteRule ^ \${${"%{}".repeat(40)}\n`],
  ])("unclosed %s", (_, lines) => {
    write({ "httpd.conf": `${head}${lines}` });
    runOneOf(["compare", "httpd.conf"], ["check", "httpd.conf", "--from", "2.2"], ["explain", "httpd.conf", "/x"]);
  });

  test("a variable that 100,000 words of a line set and remove", () => {
    for (const words of sampleOf(["X !X ", "X "], 2)) {
      write({
        "httpd.conf": `${head}SetEnvIf A b ${words.repeat(50_000)}\n<Location />\nRequire env X\n</Location>\n`,
      });
      run(["compare", "httpd.conf"]);
    }
  });

  test.runIf(isDeep)("20,000 subnets denied and 20,000 allowed, in lines and in words", () => {
    const words = (first: number) => Array.from({ length: 20_000 }, (_, i) => `${first}.${i >> 8}.${i & 255}.0/24`);
    const lines = (list: readonly string[], name: string) => list.map((word) => `${name} from ${word}\n`).join("");
    const open = "<Location /a>\nOrder deny,allow\n";
    write({
      "lines.conf": `${head}${open}${lines(words(10), "Deny")}${lines(words(11), "Allow")}</Location>\n`,
      "words.conf": `${head}${open}Deny from ${words(10).join(" ")}\nAllow from ${words(11).join(" ")}\n</Location>\n`,
    });
    run(["check", "lines.conf"]);
    run(["check", "words.conf"]);
  });

  test.each(isDeep ? [22, 40] : [22])("%i pairs of conditions", (count) => {
    const pair = (i: number) => `<RequireAll>\nRequire env a${i}\nRequire env b${i}\n</RequireAll>\n`;
    const pairs = Array.from({ length: count }, (_, i) => pair(i)).join("");
    write({ "httpd.conf": `${head}<Location /a>\n<RequireAny>\n${pairs}</RequireAny>\n</Location>\n` });
    const { status, stdout } = run(["map", "httpd.conf"]);
    expect(status).toBe(5);
    expect(stdout).toContain("the step budget ran out");
    if (!isDeep) return;
    run(["check", "httpd.conf", "--from", "2.2"]);
    run(["compare", "httpd.conf"]);
  });
});
