import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import table22 from "../../src/facts/data/2.2.json" with { type: "json" };
import table24 from "../../src/facts/data/2.4.json" with { type: "json" };
import effectTable from "../../src/facts/data/effects.json" with { type: "json" };
import thirdParty from "../../src/facts/data/third-party.json" with { type: "json" };
import { findThirdPartyDirective } from "../../src/facts/directives.js";
import { decidingFacts, effectsOf, namesOfEffects, namesWithEffects, unknownEffects } from "../../src/facts/effects.js";
import { releaseLines } from "../../src/facts/release.js";

/** All directives of httpd; test/live/directives.live.test.ts compares the tables with the running server. */
const ofHttpd = new Set(
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

/** Returns the effects of a directive in each release and place. */
function allEffectsOf(name: string) {
  return releaseLines.flatMap((release) =>
    [false, true].flatMap((isInSection) => effectsOf(name.toLowerCase(), release, isInSection) ?? []),
  );
}

describe("the table of effects", () => {
  test("has all directives of httpd, in each release and place", () => {
    expect([...ofHttpd].filter((key) => allEffectsOf(key).length < 4)).toEqual([]);
  });

  test("has all directives of third-party modules, on their own or by their module", () => {
    const names = thirdParty.directives.map(([name = ""]) => keyOf(name));
    expect(names.filter((key) => allEffectsOf(key).length < 4)).toEqual([]);
    const modules = new Set(thirdParty.directives.map(([, module]) => module));
    expect(Object.keys(effectTable.modules).filter((name) => !modules.has(name))).toEqual([]);
  });

  test("leaves a proof open that meets a difference in a third-party directive of which nothing is known", () => {
    expect(effectsOf("dospagecount", "2.4")?.effect).toBe("third-party-setting");
    expect(effectsOf("fcgiwrapper", "2.4")?.effect).toBe("backend");
    expect(effectsOf("passengermaxpoolsize", "2.4")?.effect).toBe("process");
  });

  test("has only directives that are known, each once", () => {
    const keys = namesWithEffects().map(keyOf);
    const isKnown = (key: string) =>
      ofHttpd.has(key) || [key, `<${key}`].some((each) => findThirdPartyDirective(each) !== undefined);
    expect(keys.filter((key) => !isKnown(key))).toEqual([]);
    expect(keys.length).toBe(new Set(keys).size);
  });

  test("says modelled only of directives that the code reads", () => {
    const words = wordsOfSources();
    const claimed = namesWithEffects().filter((name) => allEffectsOf(name).some(({ answer }) => answer === "modelled"));
    expect(claimed.filter((name) => !words.has(keyOf(name)))).toEqual([]);
  });

  test("uses all effects and all unknown facts", () => {
    const used = namesWithEffects().flatMap(allEffectsOf);
    expect(namesOfEffects().filter((name) => !used.some(({ effect }) => effect === name))).toEqual([]);
    expect(unknownEffects.filter((code) => !used.some(({ answer }) => answer === code))).toEqual([]);
  });

  test("says that a directive has no effect only if it writes nothing on which answers depend", () => {
    const wrong = namesWithEffects().filter((name) =>
      allEffectsOf(name).some(
        ({ answer, writes }) => answer === "none" && writes.some((fact) => decidingFacts.has(fact)),
      ),
    );
    expect(wrong).toEqual([]);
  });

  test("leaves a proof open that meets a difference in what answers assume, but for backends", () => {
    const assumed = namesWithEffects().filter((name) => allEffectsOf(name).some(({ answer }) => answer === "assumed"));
    const isOpen = (name: string) => allEffectsOf(name).every(({ unproved }) => unproved !== undefined);
    expect(assumed.filter((name) => !isOpen(name) && allEffectsOf(name)[0]?.effect !== "backend-setting")).toEqual([]);
    expect(assumed).toContain("SSLVerifyDepth");
  });

  test("has no entry for other names", () => {
    expect(effectsOf("frobnicate", "2.4")).toBeUndefined();
    expect(effectsOf("constructor", "2.4")).toBeUndefined();
  });

  test("distinguishes places and releases", () => {
    expect(effectsOf("sslciphersuite", "2.4")?.answer).toBe("none");
    expect(effectsOf("sslciphersuite", "2.4", true)?.answer).toBe("tls-cipher");
    expect(effectsOf("defaulttype", "2.2")?.names).toBe("default-type");
    expect(effectsOf("defaulttype", "2.4")?.names).toBeUndefined();
    expect(effectsOf("<directory", "2.4")).toBe(effectsOf("directory", "2.4"));
  });
});
