import { describe, expect, test } from "vitest";
import { analyzeRequireSection } from "../../../src/proof/clients/require-section.js";
import {
  type Removable,
  type RemovableRules,
  SymbolicClient,
  sampleClientOf,
  sampleClientsOf,
  unknownClient,
} from "../../../src/proof/clients/symbolic-client.js";
import { parseCompatRules } from "../../../src/server/access/compat-rules.js";
import { parseRequireLine, type RequireLine, requireRulesOf } from "../../../src/server/access/require-rules.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import { layerOf } from "../../../src/server/model/config-layer.js";
import { unknownFact } from "../../../src/server/model/unknown-facts.js";
import { scopeOf, textOf } from "../../support/scopes.js";

function sectionOf(text: string): RemovableRules | undefined {
  const { project, scope } = scopeOf(text.split("; "));
  return analyzeRequireSection(requireRulesOf(scope), { project, layer: layerOf(scope.content, scope.section) });
}

const local: RequestModel = { ...unknownClient, address: { family: 4, bits: 0x0a010203n } };
const posting: RequestModel = { ...unknownClient, method: "POST" };
const bob: RequestModel = { ...unknownClient, user: "bob" };

describe("decisions of a section, with the deciding lines", () => {
  test.each<[string, RequestModel, string, readonly string[]]>([
    ["Require ip 10", unknownClient, "denied", ["Require ip 10"]],
    ["Require ip 10", local, "granted", ["Require ip 10"]],
    ["Require ip 10; Require valid-user", unknownClient, "no-user", ["Require valid-user"]],
    ["Require ip 10; Require user alice", bob, "denied", ["Require ip 10", "Require user alice"]],
    ["<Limit GET>; Require ip 10; </Limit>", unknownClient, "denied", ["Require ip 10"]],
    // The merged sections decide.
    ["<Limit GET>; Require ip 10; </Limit>", posting, "not checked", []],
    ["<LimitExcept GET>; Require ip 10; </LimitExcept>", unknownClient, "not checked", []],
  ])("%s", (lines, client, result, by) => {
    const answer = sectionOf(lines)?.decide(new SymbolicClient(client));
    expect({ result: answer?.result, by: answer?.by.map(textOf) }).toEqual({ result, by });
  });
});

// Live 2.4: `apache2 -t` reports for the others that a section only contains negative directives, or is empty.
describe("a section that the server accepts", () => {
  test.each([
    "Require all denied",
    "Require ip 10; Require ip 11",
    "<RequireAny>; Require ip 10; </RequireAny>",
    "<RequireAll>; Require ip 10; Require not ip 10.1; </RequireAll>",
    "<RequireAll>; Require ip 10; <RequireNone>; Require ip 10.1; </RequireNone>; </RequireAll>",
    "<RequireAll>; <RequireAny>; Require ip 10; </RequireAny>; Require not ip 10.1; </RequireAll>",
    "<RequireAll>; <RequireAll>; Require ip 10; </RequireAll>; Require not ip 10.1; </RequireAll>",
    "<RequireAll>; <RequireAll>; Require not ip 10; </RequireAll>; Require ip 11; </RequireAll>",
  ])("%s", (lines) => {
    expect(sectionOf(lines)).toBeDefined();
  });

  test.each([
    "<RequireAll>; Require not ip 10; </RequireAll>",
    "<RequireNone>; Require ip 10; </RequireNone>",
    "<RequireAll>; <RequireNone>; Require ip 10; </RequireNone>; Require not ip 11; </RequireAll>",
    "Require ip 10; <RequireAll>; Require not ip 10; </RequireAll>",
    "Require ip 10; <RequireAll>; <RequireAll>; Require not ip 10; </RequireAll>; </RequireAll>",
    "<RequireAll>; Require ip 10; <RequireNone>; <RequireAll>; Require not ip 11; </RequireAll>; </RequireNone>; </RequireAll>",
    "Require ip 10; <RequireAll>; </RequireAll>",
    "Require ip 10; <RequireAny>; </RequireAny>",
    "<RequireAll>; Require ip 10; <RequireNone>; </RequireNone>; </RequireAll>",
    "<RequireAll>; Require ip 10; <RequireNone>; <RequireAll>; </RequireAll>; </RequireNone>; </RequireAll>",
  ])("is not %s", (lines) => {
    expect(sectionOf(lines)).toBeUndefined();
  });

  test.each([
    ["Require ip 10; <RequireAll>; Require ip 11; </RequireAll>", "Require ip 11"],
    ["Require ip 10; <RequireAny>; Require ip 11; </RequireAny>", "Require ip 11"],
    ["<RequireAll>; Require ip 10; <RequireNone>; Require ip 11; </RequireNone>; </RequireAll>", "Require ip 11"],
    ["<RequireAll>; Require ip 10; Require not ip 11; </RequireAll>", "Require ip 10"],
    ["Require ip 10", "Require ip 10"],
  ])("does not remain of %s without `%s`", (lines, line) => {
    const section = sectionOf(lines);
    const found = allIn(section?.removables ?? []).find(({ directive }) => textOf(directive) === line);
    expect(found && section?.without(found.directive)).toBeUndefined();
    expect(found).toBeDefined();
  });

  test("loses the contents of a removed container", () => {
    const section = sectionOf("Require ip 10; <RequireAll>; Require ip 11; Require ip 12; </RequireAll>");
    const container = section?.removables[1];
    expect(container?.inner.map(({ directive }) => textOf(directive))).toEqual(["Require ip 11", "Require ip 12"]);
    const remaining = container && section?.without(container.directive);
    expect(remaining?.removables.map(({ directive }) => textOf(directive))).toEqual(["Require ip 10"]);
    const [inner] = container?.inner ?? [];
    expect(
      inner && allIn(section?.without(inner.directive)?.removables ?? []).map((each) => textOf(each.directive)),
    ).toEqual([...["Require ip 10", "<RequireAll>", "Require ip 12"]]);
  });
});

function allIn(removables: readonly Removable[]): readonly Removable[] {
  return removables.flatMap((each) => [each, ...allIn(each.inner)]);
}

describe("clients to which a rule applies", () => {
  test.each<[string, string, RequestModel, boolean]>([
    ["Require ip 10; Require valid-user", "Require ip 10", local, true],
    ["Require ip 10; Require valid-user", "Require ip 10", unknownClient, false],
    ["Require ip 10; Require valid-user", "Require valid-user", unknownClient, false],
    ["Require ip 10; Require valid-user", "Require valid-user", bob, true],
    ["<RequireAll>; Require valid-user; Require not ip 10; </RequireAll>", "Require not ip 10", local, true],
    ["<RequireAll>; Require valid-user; Require not ip 10; </RequireAll>", "Require not ip 10", unknownClient, false],
    ["<RequireAll>; Require ip 10; Require valid-user; </RequireAll>", "<RequireAll>", local, false],
    [
      "<RequireAll>; Require valid-user; <RequireNone>; Require ip 10; </RequireNone>; </RequireAll>",
      "<RequireNone>",
      local,
      true,
    ],
    [
      "<RequireAll>; Require valid-user; <RequireNone>; Require ip 10; </RequireNone>; </RequireAll>",
      "<RequireNone>",
      unknownClient,
      false,
    ],
    ["Require ip 11; <RequireAny>; Require ip 10; </RequireAny>", "<RequireAny>", local, true],
    ["Require ip 11; <RequireAny>; Require ip 10; </RequireAny>", "<RequireAny>", unknownClient, false],
  ])("%s: `%s`", (lines, rule, client, expected) => {
    const found = allIn(sectionOf(lines)?.removables ?? []).find(({ directive }) => textOf(directive) === rule);
    expect(found?.appliesTo(new SymbolicClient(client))).toBe(expected);
  });
});

describe("clients that a Require line may allow", () => {
  const clientsFor = (text: string) => sampleClientsOf(lineOf(text));
  const grant = (line: string) => ({ facts: new Set([unknownFact("grants", line)]) });

  test.each<[string, ...Partial<RequestModel>[]]>([
    ["Require ip 10.1", { address: { family: 4, bits: 0x0a010000n } }],
    ["Require ip 2001:db8::/32", { address: { family: 6, bits: 0x2001_0db8n << 96n } }],
    [
      "Require ip 10.1 11.1",
      { address: { family: 4, bits: 0x0a010000n } },
      { address: { family: 4, bits: 0x0b010000n } },
    ],
    ["Require host Example.ORG", { host: "example.org" }],
    ["Require env Flag", { env: new Set(["flag"]) }],
    ["Require user Bob eve", { user: "Bob" }, { user: "eve" }],
    [
      "Require group staff ops",
      ...["staff", "ops"].map((name) => ({ user: "somebody", groups: new Map([["group", new Set([name])]]) })),
    ],
    ["Require dbm-group ops", { user: "somebody", groups: new Map([["dbm-group", new Set(["ops"])]]) }],
    ["Require method PUT", { method: "PUT" }],
    ["Require valid-user", { user: "somebody" }],
    ["Require user", { user: "somebody" }],
    ["Require file-owner", { user: "somebody" }],
    ["Require ldap-user bob", { user: "somebody" }],
    ["Require all granted", {}],
    ["Require ip x", {}],
    ["Require expr true", {}],
    ["Require ssl", {}],
    ["Require local", {}],
    ["<Limit PUT>; Require valid-user; </Limit>", { user: "somebody", method: "PUT" }],
  ])("%s", (text, ...expected) => {
    const line = text.replace(/^<.*>; (.*); <.*$/, "$1");
    expect(clientsFor(text)).toEqual(expected.map((each) => ({ ...unknownClient, ...grant(line), ...each })));
  });
});

describe("a client that an argument of Allow or Deny names", () => {
  const clientOf = (text: string) => {
    const rules = parseCompatRules(scopeOf(text.split("; ")).scope.directives);
    const [rule] = rules?.hosts ?? [];
    if (rule === undefined) throw new Error("no host");
    return sampleClientOf(rule);
  };

  test.each<[string, Partial<RequestModel>]>([
    ["Allow from all", {}],
    ["Allow from 10.1", { address: { family: 4, bits: 0x0a010000n } }],
    ["Deny from Example.ORG", { host: "example.org" }],
    ["Allow from env=Flag", { env: new Set(["flag"]) }],
    ["Allow from env=!Flag", {}],
    ["<Limit POST>; Deny from all; </Limit>", { method: "POST" }],
    ["<LimitExcept GET>; Deny from 10; </LimitExcept>", { method: "POST", address: { family: 4, bits: 0x0a000000n } }],
  ])("%s", (text, expected) => {
    expect(clientOf(text)).toEqual({ ...unknownClient, ...expected });
  });
});

function lineOf(text: string): RequireLine {
  const found = scopeOf(text.split("; ")).scope.directives.find(({ key }) => key === "require");
  if (found === undefined) throw new Error("no Require");
  return parseRequireLine(found);
}
