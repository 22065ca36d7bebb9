import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { readSettings } from "../../src/settings/read.js";
import { settingsSchema } from "../../src/settings/shape.js";

/** `line:column message` of each mistake; none where the text is taken. */
function mistakesOf(text: string): string[] {
  const read = readSettings(text, defaultRules);
  return "mistakes" in read ? read.mistakes.map(({ line, column, message }) => `${line}:${column} ${message}`) : [];
}

describe("a settings file", () => {
  test("is JSON with comments, and a comma behind the last", () => {
    const text = '\uFEFF// ours\n{ "entry": "conf/httpd.conf", /* since May */ "from": "2.2", }\n';
    expect(readSettings(text, defaultRules)).toEqual({ written: { entry: "conf/httpd.conf", from: "2.2" } });
  });

  test.each([
    ["{", /^1:2 this is no JSON: close brace expected/],
    ['{\n  "entry": "a"\n  "from": "2.2"\n}', /^3:3 this is no JSON: comma expected/],
    ["", /^1:1 the file is empty; write `\{\}`/],
    ["[]", /^1:1 the file takes an object in braces/],
    ['{ "relase": "2.2" }', "1:3 there is no setting `relase`; did you mean `release`?"],
    ['{\n  "colour": true }', /^2:3 there is no setting `colour`; there are `\$schema`, `entry`/],
    ['{ "release": "2.5" }', '1:14 `release` takes `"2.2"` or `"2.4"`, not `"2.5"`'],
    ['{ "release": 2.4 }', '1:14 `release` takes `"2.2"` or `"2.4"`, not `2.4`'],
    ['{ "modules": "mod_ssl" }', '1:14 `modules` takes a list of texts, not `"mod_ssl"`'],
    ['{ "modules": ["mod_ssl", 7] }', "1:26 each of `modules` takes a text that is not empty, not `7`"],
    ['{ "envvars": "" }', '1:14 `envvars` takes a text that is not empty, not `""`'],
    ['{ "servers": [] }', "1:14 `servers` takes a list of objects, and this one is empty"],
    ['{ "servers": ["a.conf"] }', '1:15 each of `servers` takes an object in braces, not `"a.conf"`'],
    ['{ "servers": [{ "from": "2.2" }] }', "1:15 `entry` is missing; write a text that is not empty"],
    ['{ "servers": [{ "entry": "a", "rules": {} }] }', /^1:31 there is no setting `rules` here; /],
    ['{ "rules": { "shadowed-rul": "off" } }', "1:14 there is no rule `shadowed-rul`; did you mean `shadowed-rule`?"],
    ['{ "rules": { "zzz": "off" } }', "1:14 there is no rule `zzz`; `httpd-lint rules` lists them"],
    [
      '{ "rules": { "shadowed-rule": "fatal" } }',
      '1:31 `shadowed-rule` takes `"off"` or `"error"` or `"warning"` or `"info"`, not `"fatal"`',
    ],
    [
      '{ "ignores": [{ "paths": ["a"], "rules": ["shadowed-rul"] }] }',
      '1:43 each of `rules` takes the name of a rule, not `"shadowed-rul"`; did you mean `"shadowed-rule"`?',
    ],
    ['{ "from": "2.2",\n "from": "2.4" }', "2:2 `from` is set twice; keep one"],
    [
      '{ "entry": "a",\n "servers": [{ "entry": "b" }] }',
      "2:13 `entry` is for one server and `servers` for several; keep one of them",
    ],
  ])("%j is refused with its place", (text, expected) => {
    const [first, ...more] = mistakesOf(text);
    expect(first).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
    expect(more).toEqual([]);
  });

  test("tells of all mistakes at once, in their order", () => {
    const text = '{ "zzz": 1,\n  "release": 7,\n  "rules": { "shadowed-rule": "on" } }';
    expect(mistakesOf(text).map((mistake) => mistake.slice(0, 4))).toEqual(["1:3 ", "2:14", "3:31"]);
  });
});

describe("the JSON schema", () => {
  const schema = settingsSchema(defaultRules);
  const isValid = new Ajv2020({ strict: false }).compile(schema);

  test("that is shipped is made of the same shape", () => {
    const shipped: unknown = JSON.parse(readFileSync("src/settings/schema/settings.schema.json", "utf8"));
    expect(shipped, "run `npm run generate`").toEqual(JSON.parse(JSON.stringify(schema)));
  });

  test("describes every setting", () => {
    const undescribed = Object.entries(schema.properties ?? {}).filter(
      ([, part]) => typeof part !== "object" || !part.description,
    );
    expect(undescribed).toEqual([]);
  });

  test.each([
    {},
    { $schema: "x", entry: "a", release: "2.2", from: "2.2", reading: "guide", files: "assume" },
    { servers: [{ entry: "a", sysroot: "b", defines: ["A=1"], withoutModules: ["mod_ssl"] }] },
    { rules: { "shadowed-rule": "off" }, ignores: [{ paths: ["**"], rules: ["shadowed-rule"], reason: "why" }] },
    { rules: { "no-such-rule": "off" } },
    { rules: { "shadowed-rule": "on" } },
    { entry: "a", servers: [{ entry: "b" }] },
    { servers: [] },
    { servers: [{}] },
    { ignores: [{ rules: ["shadowed-rule"] }] },
    { ignores: [{ paths: [] }] },
    { ignores: [{ paths: ["a"], rules: [] }] },
    { release: "2.3" },
    { relase: "2.4" },
    { baseline: "" },
    { modules: "mod_ssl" },
  ])("and the reader agree about %j", (settings) => {
    expect(mistakesOf(JSON.stringify(settings)).length === 0).toBe(isValid(settings));
  });
});
