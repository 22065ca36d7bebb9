import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { afterAll, expect, test } from "vitest";
import { findDirectiveFacts } from "../../src/facts/directives.js";
import { replaceTexts, replaceWords } from "./words/replace-words.js";

const folder = mkdtempSync(join(tmpdir(), "httpd-lint-words-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Codes with spaces: members of unions of the program's own types. */
const codes: ReadonlySet<string> = new Set([
  ...["too large", "too complex", "out of steps", "out of time", "more atoms", "give up", "not yet", "no start"],
  ...["in prefix", "in path info", "from above", "from below", "from below where unstable", "existing disk"],
  ...["not found", "never closed", "no operator", "not regular", "denied already", "any user", "require nobody"],
  ...[
    "require everybody",
    "all granted",
    "all denied",
    "later steps",
    "passed on",
    "path info",
    "include rest",
    "access check",
  ],
  ...["any other name", "any other method", "none optional require optional_no_ca off on"],
]);

/** A text that begins with the name of a directive is a line of a configuration, which fixes and migrations write. */
function isConfiguration(text: string): boolean {
  const [name = ""] = text.replace(/^["'\s<]+/, "").split(/[\s>]/);
  return /^[A-Z]/.test(name) && findDirectiveFacts("2.4", name).length > 0;
}

/** Returns what the program does, if its sources pass through a plugin. */
async function behaviourWith(name: string, plugins: Plugin[]): Promise<Record<string, unknown>> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    ...{ entryPoints: ["test/language/words/behaviour.ts"], outfile, plugins },
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "silent" },
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  const { collectBehaviour } = await import(pathToFileURL(outfile).href);
  return JSON.parse(JSON.stringify(collectBehaviour()));
}

test("no code reads the words of a text for people", { timeout: 300_000 }, async () => {
  const { plugin, count } = replaceWords((text) => codes.has(text) || isConfiguration(text));
  const usual = await behaviourWith("usual", []);
  const replaced = await behaviourWith("replaced", [plugin]);
  expect(count()).toBeGreaterThan(1000);
  expect(Object.keys(usual).length).toBeGreaterThan(200);
  expect(Object.values(usual)).not.toContain("exception");
  for (const [what, seen] of Object.entries(usual)) expect.soft(replaced[what], what).toEqual(seen);
});

test.each([
  ['report("one text here")', 'report("bar grkg urer")'],
  ["report(`the file \\`${name}\\` is empty`)", "report(`gur svyr \\`${name}\\` vf rzcgl`)"],
  // Twins: what reads or compares a text, keys and kept texts.
  ['text.startsWith("one text here")', undefined],
  ['text === "one text here"', undefined],
  ['table = { "one text here": 1 }', undefined],
  ['"one text here".split(" ")', undefined],
  ['report("kept text here")', undefined],
  ['report("word")', undefined],
])("the texts of %s are replaced", (source, expected = source) => {
  expect(replaceTexts(source, (text) => text.startsWith("kept")).trim()).toBe(`${expected};`);
});
