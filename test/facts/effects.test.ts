import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import table22 from "../../src/facts/data/2.2.json" with { type: "json" };
import table24 from "../../src/facts/data/2.4.json" with { type: "json" };
import { programDirectives } from "../../src/server/sections/undecidable-lines.js";
import { unmodelledEffects } from "../../src/server/unmodelled-directives.js";
import effects from "./effects.json" with { type: "json" };

/** All directives of httpd; test/live/directives.live.test.ts compares the tables with the running server. */
const known = new Set(
  [table22, table24].flatMap(({ directives, unlisted }) =>
    [...directives, ...unlisted].map(([name = ""]) => keyOf(name)),
  ),
);

/** Directories of the code that may read a directive to compute a result. */
const folders = ["src/server", "src/config", "src/startup/directives"];

function keyOf(name: string): string {
  return name.replace("<", "").toLowerCase();
}

/** Returns the quoted words of the sources that compute results. */
function wordsOfSources(): ReadonlySet<string> {
  const words = new Set<string>();
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      for (const [, word = ""] of readFileSync(join(folder, name), "utf8").matchAll(/["`<]([a-z][a-z0-9_]*)["`]/g))
        words.add(word);
    }
  return words;
}

const unknown = new Set([...Object.keys(unmodelledEffects), ...[...programDirectives].map(keyOf)]);

describe("the effects of directives", () => {
  const classes = [effects.modelled.map(keyOf), effects.withoutEffect.map(keyOf), [...unknown]];

  test("are known for all directives of httpd, each in one class", () => {
    const classified = new Set(classes.flat());
    expect([...known].filter((key) => !classified.has(key))).toEqual([]);
    expect(classes.flat().length).toBe(classified.size);
  });

  test("have only directives of httpd, except those of third-party modules", () => {
    expect(classes.slice(0, 2).flatMap((keys) => keys.filter((key) => !known.has(key)))).toEqual([]);
  });

  test("are modelled only for directives that the code reads", () => {
    const words = wordsOfSources();
    expect(effects.modelled.map(keyOf).filter((key) => !words.has(key))).toEqual([]);
  });
});
