import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { listChecks } from "../../src/lint/rule.js";

/** Rules that report refusals, whose wordings are in `src/config/refusals`. */
const withParserMessages = ["misplaced-directive", "unclosed-guard", "undefined-variable"];

/** Returns the sources of a rule, without its definition's own title, description and help. */
function sourcesOf(id: string): string {
  const folder = join("rules", id);
  const names = readdirSync(folder).filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  const text = names.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
  return text.replace(/^ {2}title: .*$/gm, "");
}

/** Returns the sources without the tables of messages and their helpers. */
function outsideTables(sources: string): string {
  const table = /^(?:export )?(?:const|function) (?:\w*[mM]essages|describe\w*)\b.*(?:\n(?:[ \t].*)?)*(?:\n[})]+;?)?/gm;
  return sources.replace(table, "");
}

describe.each(allRules.map((rule) => [rule.id, rule] as const))("the messages of %s", (id, rule) => {
  const sources = sourcesOf(id);

  test("are declared in a table, and the rule uses each of them", () => {
    const names = listChecks(rule).flatMap(({ messages = {} }) => Object.keys(messages));
    if (!withParserMessages.includes(id)) expect(names).not.toEqual([]);
    expect(names.filter((name) => !new RegExp(`\\.${name}\\b|"${name}"`).test(sources))).toEqual([]);
  });

  test("are not written where the rule reports, and neither are labels and titles of fixes", () => {
    expect(outsideTables(sources).match(/\b(?:message|also|title|label): *["`].*/g) ?? []).toEqual([]);
  });
});
