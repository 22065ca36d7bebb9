import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { allRules } from "../../../rules/index.js";
import { MAX_MISTAKES } from "../../../src/apps/settings/mistakes.js";
import {
  MAX_SETTINGS_BYTES,
  MAX_SETTINGS_DEPTH,
  MAX_SETTINGS_VALUES,
  readSettings,
} from "../../../src/apps/settings/read.js";
import { createSettingsSchema } from "../../../src/apps/settings/shape.js";

/** Returns `line:column message` of each error; none if the text is valid. */
function mistakesOf(text: string): string[] {
  const read = readSettings(text, allRules);
  return read.ok ? [] : read.error.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

describe("a configuration file", () => {
  test("is JSON with comments and trailing commas", () => {
    const text = '\uFEFF// ours\n{ "entry": "conf/httpd.conf", /* since May */ "from": "2.2", }\n';
    expect(readSettings(text, allRules)).toEqual({ ok: true, value: { entry: "conf/httpd.conf", from: "2.2" } });
  });

  test.each([
    ["{", /^1:2 invalid JSON: close brace expected/],
    ['{\n  "entry": "a"\n  "from": "2.2"\n}', /^3:3 invalid JSON: comma expected/],
    ["", /^1:1 the file is empty; use `\{\}`/],
    ["[]", /^1:1 empty list for the file: expected an object/],
    ['{ "relase": "2.2" }', "1:3 unknown option `relase`; did you mean `release`?"],
    ['{\n  "colour": true }', /^2:3 unknown option `colour`; expected `\$schema`, `extends`, `entry`/],
    [
      '{ "release": "2.5" }',
      '1:14 invalid value `"2.5"` for `release`: expected a name such as `"2.4"`, `"2.4.29"` or `"rhel-7"`',
    ],
    [
      '{ "release": 2.4 }',
      '1:14 invalid value `2.4` for `release`: expected a name such as `"2.4"`, `"2.4.29"` or `"rhel-7"`',
    ],
    [
      '{ "release": "rhl-7" }',
      '1:14 invalid value `"rhl-7"` for `release`: expected a name such as `"2.4"`, `"2.4.29"` or `"rhel-7"`; did you mean `"rhel-7"`?',
    ],
    ['{ "modules": "mod_ssl" }', '1:14 invalid value `"mod_ssl"` for `modules`: expected a list of strings'],
    ['{ "modules": ["mod_ssl", 7] }', "1:26 invalid value `7` for each item of `modules`: expected a non-empty string"],
    ['{ "envvars": "" }', '1:14 invalid value `""` for `envvars`: expected a non-empty string'],
    ['{ "map": "extra" }', '1:10 invalid value `"extra"` for `map`: expected an object'],
    [
      '{ "map": { "extra": "conf" } }',
      '1:21 invalid value `"conf"` for `extra`: expected an absolute path on the server',
    ],
    ['{ "map": { "extra": ["/conf"] } }', "1:21 invalid value for `extra`: expected an absolute path on the server"],
    ['{ "servers": [] }', "1:14 empty list for `servers`: expected a list of objects"],
    ['{ "servers": ["a.conf"] }', '1:15 invalid value `"a.conf"` for each item of `servers`: expected an object'],
    ['{ "servers": [{ "from": "2.2" }] }', "1:15 `entry` is missing: expected a non-empty string"],
    ['{ "servers": [{ "entry": "a", "rules": {} }] }', /^1:31 unknown option `rules` here; /],
    ['{ "rules": { "shadowed-rul": "off" } }', "1:14 unknown rule `shadowed-rul`; did you mean `shadowed-rule`?"],
    ['{ "rules": { "zzz": "off" } }', "1:14 unknown rule `zzz`; `httpd-lint rules` lists all rules"],
    [
      '{ "rules": { "shadowed-rule": "fatal" } }',
      '1:31 invalid value `"fatal"` for `shadowed-rule`: expected `"off"` or `"error"` or `"warning"` or `"info"`',
    ],
    [
      '{ "ignores": [{ "paths": ["a"], "rules": ["shadowed-rul"] }] }',
      '1:43 invalid value `"shadowed-rul"` for each item of `rules`: expected the name of a rule or of a group; did you mean `"shadowed-rule"`?',
    ],
    [
      '{ "fragments": [{ "paths": ["a"], "context": ["<Foo a>"] }] }',
      '1:47 invalid value `"<Foo a>"` for each item of `context`: expected the opening line of a section, such as `<Directory "/srv/app">`',
    ],
    ['{ "from": "2.2",\n "from": "2.4" }', "2:2 `from` is set twice; keep one"],
    [
      '{ "entry": "a",\n "servers": [{ "entry": "b" }] }',
      "2:13 `entry` and `servers` cannot be used together; use `servers` for several servers",
    ],
  ])("is rejected with the position of the error: %j", (text, expected) => {
    const [first, ...more] = mistakesOf(text);
    expect(first).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
    expect(more).toEqual([]);
  });

  test("is rejected with all errors, in order", () => {
    const text = '{ "zzz": 1,\n  "release": 7,\n  "rules": { "shadowed-rule": "on" } }';
    expect(mistakesOf(text).map((mistake) => mistake.slice(0, 4))).toEqual(["1:3 ", "2:14", "3:31"]);
  });
});

describe("the JSON schema", () => {
  const schema = createSettingsSchema(allRules);
  const isValid = new Ajv2020({ strict: false }).compile(schema);

  test("of the package is generated from the same definition", () => {
    const shipped: unknown = JSON.parse(readFileSync("src/apps/settings/schema/settings.schema.json", "utf8"));
    expect(shipped, "run `npm run generate`").toEqual(JSON.parse(JSON.stringify(schema)));
  });

  test("describes every option", () => {
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
    { rules: { exposure: "off" }, extendSelect: ["hardening"], ignores: [{ paths: ["**"], rules: ["upgrade"] }] },
    { extendSelect: ["no-such-group"] },
    { rules: { "no-such-rule": "off" } },
    { rules: { "shadowed-rule": "on" } },
    { entry: "a", servers: [{ entry: "b" }] },
    { servers: [] },
    { servers: [{}] },
    { ignores: [{ rules: ["shadowed-rule"] }] },
    { ignores: [{ paths: [] }] },
    { ignores: [{ paths: ["a"], rules: [] }] },
    { fragments: [{ paths: ["a"], context: ['<Directory "/srv">'] }] },
    { fragments: [{ paths: ["a"], context: ["<directory /srv>", "<FilesMatch x>"] }] },
    { fragments: [{ paths: ["a"], context: ["<IfModule x>"] }] },
    { fragments: [{ paths: ["a"], context: [] }] },
    { fragments: [{ paths: ["a"] }] },
    { release: "2.3" },
    { relase: "2.4" },
    { baseline: "" },
    { modules: "mod_ssl" },
  ])("and the reader agree on %j", (settings) => {
    expect(mistakesOf(JSON.stringify(settings)).length === 0).toBe(isValid(settings));
  });
});

describe("the limits of a configuration file", () => {
  const nested = (depth: number) => `{ "modules": ${"[".repeat(depth)}${"]".repeat(depth)} }`;
  const listed = (values: number) => `{ "modules": [${"5,".repeat(values)}] }`;

  test("reject a large file", () => {
    const large = (size: number) => `{}${" ".repeat(size - 2)}`;
    expect(mistakesOf(large(MAX_SETTINGS_BYTES))).toEqual([]);
    expect(mistakesOf(large(MAX_SETTINGS_BYTES + 1))).toEqual(["1:1 the file is larger than 1 MB"]);
  });

  test("reject a deeply nested file", () => {
    expect(mistakesOf(nested(MAX_SETTINGS_DEPTH - 1))[0]).toMatch(
      /^1:15 invalid value for each item of `modules`: expected a non-empty string/,
    );
    expect(mistakesOf(nested(MAX_SETTINGS_DEPTH))).toEqual([
      `1:${13 + MAX_SETTINGS_DEPTH} lists and objects are nested more than ${MAX_SETTINGS_DEPTH} deep here`,
    ]);
    expect(mistakesOf("[".repeat(100_000))).toHaveLength(1);
    expect(mistakesOf('{"a":'.repeat(100_000))).toHaveLength(1);
  });

  test("reject a file with many values", () => {
    expect(mistakesOf(listed(200_000))).toEqual([
      expect.stringMatching(`the file has more than ${MAX_SETTINGS_VALUES} names and values$`),
    ]);
    const most = mistakesOf(listed(MAX_SETTINGS_VALUES - 3));
    expect(most).toHaveLength(MAX_MISTAKES + 1);
    expect(most.at(-1)).toMatch(new RegExp(`^1:\\d+ ${MAX_SETTINGS_VALUES - 3 - MAX_MISTAKES} more errors from here$`));
  });

  test("limit the errors of thousands of names", () => {
    const names = (name: (index: number) => string) =>
      `{\n${Array.from({ length: MAX_SETTINGS_VALUES / 2 - 1 }, (_, index) => `${name(index)}: 1,\n`).join("")}}`;
    const start = process.cpuUsage();
    for (const text of [names((index) => `"a${index}"`), names(() => '"entry"')]) {
      const mistakes = mistakesOf(text);
      expect(mistakes).toHaveLength(MAX_MISTAKES + 1);
      expect(mistakes.at(-1)).toMatch(/ \d+ more errors from here$/);
    }
    expect(process.cpuUsage(start).user).toBeLessThan(2_000_000);
  });

  test("allow each error up to the maximum number", () => {
    const most = mistakesOf(listed(MAX_MISTAKES));
    expect(most).toHaveLength(MAX_MISTAKES);
    expect(most.at(-1)).toMatch(/for each item of `modules`/);
  });
});
