import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isDeep } from "../support/depth.js";
import { type Ran, runWithClosedPipe } from "../support/programs/command.js";
import { findings, fragmentNote } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

const sound = "<Directory /srv>\nOptions None\n</Directory>\n";
const unclosed = "<Directory /srv>\nOptions None\n";

describe("bad input", () => {
  /** Expects a normal exit with findings, and short output. */
  function expectShort(ran: Ran): void {
    expect(ran.status).toBe(1);
    expect(ran.stderr.replace(fragmentNote, "")).toBe("");
    expect(ran.stdout.length).toBeLessThan(1 << 20);
  }

  test.each([
    [isDeep ? 100 : 20, "directive", "SetEnv A "],
    [20, "name", "A"],
    [20, "section", "<Directory "],
    [20, "quote", 'SetEnv A "'],
  ])("a line of %i MB: a %s", (megabytes, _, start) => {
    writeFileSync(at("long.conf"), `${start}${"x".repeat(megabytes << 20)}\nOptoins None\n`);
    // The process of the tests may have too little memory left.
    const ran = lint(["long.conf"], { ownProcess: true });
    expectShort(ran);
    expect(ran.stdout).toContain("but the limit is 16,777,216");
    expect(findings(ran)).toContain("long.conf:2:1: error unknown-directive");
  });

  test("60 MB of continued lines", () => {
    writeFileSync(at("long.conf"), `SetEnv A \\\n${"x\\\n".repeat(20 << 20)}\nOptoins None\n`);
    expectShort(lint(["long.conf"]));
  });

  test("a binary file", () => {
    writeFileSync(
      at("binary.conf"),
      Buffer.from(Array.from({ length: 1 << 16 }, (_, i) => (i * i * 31 + (i >> 3)) & 255)),
    );
    const ran = lint(["binary.conf"]);
    expect(ran).toMatchObject({ status: 1, stderr: fragmentNote });
    // No control character reaches the terminal unescaped.
    expect([...ran.stdout].some((letter) => letter < " " && letter !== "\n")).toBe(false);
    for (const format of ["json", "sarif"]) JSON.parse(lint(["binary.conf", "--format", format]).stdout);
  });

  test.each([
    ["sections", "<Directory />\n", "</Directory>\n"],
    ["conditional sections", "<IfModule core.c>\n", "</IfModule>\n"],
    ["conditional sections that are skipped", "<IfModule nope.c>\n", "</IfModule>\n"],
    ["unclosed sections", "<Location /x>\n", ""],
  ])("100,000 nested %s", (_, open, close) => {
    write({ "deep.conf": `${open.repeat(100_000)}${close.repeat(100_000)}Optoins None\n` });
    expectShort(lint(["deep.conf"]));
    const { stderr } = lint(["resolve", "deep.conf"]);
    expect(stderr).not.toMatch(/internal (?:error|failure)|RangeError/);
  });

  test("an expression with 100,000 parentheses", () => {
    write({ "expression.conf": `<If "${"(".repeat(100_000)}true${")".repeat(100_000)}">\n</If>\n` });
    const ran = lint(["expression.conf"]);
    expect(ran.status).toBeLessThan(2);
    expect(ran.stderr).toBe(fragmentNote);
  });

  test("files that include each other", () => {
    write({
      "httpd.conf": "Include a.conf\n",
      "a.conf": "Include b.conf\nInclude b.conf\n",
      "b.conf": "Include a.conf\nInclude a.conf\n",
    });
    expectShort(lint(["httpd.conf"]));
  });

  test("a directory that includes itself through a link", () => {
    write({ "httpd.conf": "Include conf.d\n", "conf.d/a.conf": sound });
    mkdirSync(at("conf.d/sub"));
    symlinkSync("..", at("conf.d/sub/up"));
    expectShort(lint(["httpd.conf"]));
  });

  test("a macro that doubles itself", () => {
    const macros = Array.from({ length: 24 }, (_, i) => `<Macro m${i + 1}>\nUse m${i}\nUse m${i}\n</Macro>\n`);
    write({ "macro.conf": `<Macro m0>\nSetEnv A b\n</Macro>\n${macros.join("")}Use m8\n` });
    const { stderr } = lint(["macro.conf"]);
    expect(stderr).toMatch(
      /^httpd-lint: 14 lines under `<Macro m18>` \(macro\.conf:72\), .* and 4 more were not checked$/m,
    );
    expect(stderr.startsWith(fragmentNote)).toBe(true);
  });

  test("a reader that closes the pipe after the first lines", async () => {
    write({ "many.conf": "Optoins None\n".repeat(50_000) });
    const { status, stderr } = await runWithClosedPipe([at("many.conf")]);
    expect({ status, stderr }).toEqual({ status: 1, stderr: fragmentNote });
  });

  test("names that are not UTF-8, and names with unusual characters", () => {
    const folder = Buffer.concat([Buffer.from(scratch.path), Buffer.from("/caf\xe9.conf", "latin1")]);
    writeFileSync(folder, unclosed);
    write({ "a b'c\"d.conf": unclosed, "httpd.conf": "Include *.conf\n" });
    const ran = lint(["."]);
    expect([ran.status, ran.stderr]).toEqual([1, ""]);
    // The message must not say that the file does not exist.
    expect(ran.stdout).toMatch(
      /info\[refused-at-start\]: `\S+caf\ufffd\.conf` cannot be included: its name is not UTF-8/,
    );
    expect(ran.stdout).not.toContain("does not exist");
  });
});
