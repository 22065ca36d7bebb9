import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { analyzeCompatSection } from "../../../src/proof/clients/compat-section.js";
import { type RemovableRules, SymbolicClient, unknownClient } from "../../../src/proof/clients/symbolic-client.js";
import { parseCompatRules } from "../../../src/server/access/compat-rules.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import { formatAddress } from "../../../src/text/addresses.js";
import { scopeOf, textOf } from "../../support/scopes.js";

function sectionOf(text: string, release: Release = "2.4"): RemovableRules {
  const rules = parseCompatRules(scopeOf(text.split("; "), release).scope.directives);
  if (rules === undefined) throw new Error("no mod_access_compat directives");
  return analyzeCompatSection(rules, release);
}

const local: RequestModel = { ...unknownClient, address: { family: 4, bits: 0x0a010203n } };
const posting: RequestModel = { ...unknownClient, method: "POST" };

describe("decisions of a section, with the deciding lines", () => {
  test.each<[string, RequestModel, string, readonly string[]]>([
    ["Deny from all", unknownClient, "false undefined undefined", ["Deny from all"]],
    // The default order decides, which is not a line.
    ["Deny from 10", unknownClient, "true undefined undefined", []],
    ["Order allow,deny", unknownClient, "false allow,deny undefined", ["Order allow,deny"]],
    ["Order allow,deny; Allow from 10", local, "true allow,deny undefined", ["Allow from 10", "Order allow,deny"]],
    ["Deny from 10; Satisfy any", local, "false undefined any", ["Deny from 10", "Satisfy any"]],
    ["Deny from 10; Satisfy any; Satisfy all", local, "false undefined all", ["Deny from 10", "Satisfy all"]],
    ["Deny from 10; <Limit GET>; Satisfy any; </Limit>", posting, "true undefined undefined", []],
    [
      "Order deny,allow; <Limit GET>; Order allow,deny; </Limit>",
      unknownClient,
      "false allow,deny undefined",
      ["Order allow,deny"],
    ],
    [
      "Order deny,allow; <Limit GET>; Order allow,deny; </Limit>",
      posting,
      "true deny,allow undefined",
      ["Order deny,allow"],
    ],
  ])("%s", (lines, client, result, by) => {
    const answer = sectionOf(lines).decide(new SymbolicClient(client));
    expect({ result: answer.result, by: answer.by.map(textOf) }).toEqual({ result, by });
  });
});

describe("the lines that may be redundant", () => {
  test.each<[string, readonly string[]]>([
    ["Deny from 10; Allow from 11", ["Deny from 10", "Allow from 11"]],
    ["Deny from all", ["Deny from all"]],
    ["Order deny,allow; Deny from all", ["Order deny,allow", "Deny from all"]],
    ["Order mutual-failure; Deny from 10", ["Order mutual-failure", "Deny from 10"]],
    ["Order allow,deny; Allow from 10; Deny from all", ["Order allow,deny", "Allow from 10", "Deny from all"]],
    // It states the default of the order explicitly.
    ["Order allow,deny; Deny from all; Satisfy any", ["Order allow,deny", "Satisfy any"]],
    ["Order allow,deny; Deny from 10; Deny from all", ["Order allow,deny", "Deny from 10"]],
    ["Order allow,deny; Deny from 10", ["Order allow,deny", "Deny from 10"]],
    ["Order mutual-failure; Deny from all", ["Order mutual-failure"]],
    // It does not for one of the methods.
    [
      "Order allow,deny; <Limit GET>; Order deny,allow; </Limit>; Deny from all",
      ["Order allow,deny", "Order deny,allow", "Deny from all"],
    ],
  ])("in %s", (lines, expected) => {
    expect(sectionOf(lines).removables.map(({ directive }) => textOf(directive))).toEqual(expected);
  });
});

describe("a section after the removal of a line", () => {
  const remainingLines = (lines: string, release: Release, index = 0) => {
    const section = sectionOf(lines, release);
    const { directive } = section.removables[index] ?? {};
    return directive && section.without(directive)?.removables.map((each) => textOf(each.directive));
  };

  test.each(["2.2", "2.4"] as const)("keeps the other lines on %s", (release) => {
    expect(remainingLines("Deny from 10; Allow from 11; Satisfy any", release)).toEqual([
      "Allow from 11",
      "Satisfy any",
    ]);
    expect(remainingLines("Order deny,allow; Order allow,deny", release)).toEqual(["Order allow,deny"]);
    expect(remainingLines("Satisfy any; Satisfy all; Deny from 10", release)).toEqual(["Satisfy all", "Deny from 10"]);
  });

  test.each(["2.2", "2.4"] as const)("inherits the outer lines if no line is left on %s", (release) => {
    expect(remainingLines("Deny from 10", release)).toBeUndefined();
    expect(remainingLines("Satisfy any", release)).toBeUndefined();
  });

  test("does not exist on 2.2 if only Satisfy is left, which is merged separately there", () => {
    expect(remainingLines("Deny from 10; Satisfy any", "2.2")).toBeUndefined();
    expect(remainingLines("Deny from 10; Satisfy any", "2.4")).toEqual(["Satisfy any"]);
    expect(remainingLines("Satisfy any; Satisfy all", "2.2")).toEqual(["Satisfy all"]);
  });
});

describe("clients that a line applies to", () => {
  const applies = (lines: string, index: number, client: RequestModel) =>
    sectionOf(lines).removables[index]?.appliesTo(new SymbolicClient(client));

  test.each<[string, number, RequestModel, boolean]>([
    ["Order deny,allow; Deny from all", 0, unknownClient, true],
    ["Satisfy any; Deny from all", 0, local, true],
    ["Deny from all; Allow from 10", 0, unknownClient, true],
    ["Deny from all; Allow from 10", 1, unknownClient, false],
    ["Deny from all; Allow from 10", 1, local, true],
    ["Deny from 10; Allow from all", 0, unknownClient, false],
    ["Deny from 10; Allow from all", 0, local, true],
    ["Deny from 11 10; Allow from all", 0, local, true],
    ["Allow from all; <Limit GET>; Deny from all; </Limit>", 1, unknownClient, true],
    ["Allow from all; <Limit GET>; Deny from all; </Limit>", 1, posting, false],
    ["<Limit GET>; Order allow,deny; </Limit>; Deny from 10", 0, unknownClient, true],
    ["<Limit GET>; Order allow,deny; </Limit>; Deny from 10", 0, posting, false],
    ["Deny from all; <LimitExcept GET>; Satisfy any; </LimitExcept>", 1, unknownClient, false],
    ["Deny from all; <LimitExcept GET>; Satisfy any; </LimitExcept>", 1, posting, true],
  ])("%s: line %i", (lines, index, client, expected) => {
    expect(applies(lines, index, client)).toBe(expected);
  });
});

describe("the sample clients of a line", () => {
  const samplesOf = (lines: string) => sectionOf(lines).removables[0]?.samples ?? [];

  test("are the clients that its arguments name", () => {
    const named = samplesOf("Allow from 10 11 12").map(({ address }) => formatAddress(address));
    expect(named).toEqual(["10.0.0.0", "11.0.0.0", "12.0.0.0"]);
  });

  test("are any client if it names none", () => {
    expect(samplesOf("Order deny,allow; Allow from 10")).toEqual([unknownClient]);
    expect(samplesOf("Satisfy any; Allow from 10")).toEqual([unknownClient]);
  });
});

describe("the lines that may decide instead of another", () => {
  const replacementsOf = (lines: string, index: number) => {
    const { removables } = sectionOf(lines);
    const all = removables.map(({ directive }) => directive);
    return removables[index]?.replacementsIn(all).map(textOf);
  };

  test.each<[string, number, readonly string[]]>([
    ["Order deny,allow; Order allow,deny; Allow from 10; Satisfy any", 0, ["Order deny,allow", "Order allow,deny"]],
    ["Satisfy all; Satisfy any; Order deny,allow; Deny from 10", 0, ["Satisfy all", "Satisfy any"]],
    ["Order deny,allow; Allow from 10; Deny from 11; Satisfy any", 1, ["Allow from 10", "Deny from 11"]],
    ["Order deny,allow; Allow from 10; Deny from 11; Satisfy any", 2, ["Allow from 10", "Deny from 11"]],
    ["Order allow,deny; Deny from 11; Satisfy any", 1, ["Deny from 11"]],
    ["Order deny,allow; Allow from 10; Satisfy any", 1, ["Allow from 10"]],
  ])("%s: line %i", (lines, index, expected) => {
    expect(replacementsOf(lines, index)).toEqual(expected);
  });

  test("include the Order if no other line matches", () => {
    const { removables } = sectionOf("Deny from 10; Order deny,allow; Satisfy any");
    const [deny, ...others] = removables;
    expect(deny?.replacementsIn(others.map(({ directive }) => directive)).map(textOf)).toEqual(["Order deny,allow"]);
  });
});
