import { describe, expect, test } from "vitest";
import { impliesRule, omitRedundantRules } from "../../../../src/proof/migrate/plan/implication.js";
import {
  createRuleLine,
  denyAllRule,
  grantAll,
  negateLine,
  type RequireNode,
  requireAllOf,
  requireAnyOf,
  ruleKey,
} from "../../../../src/server/access/require-nodes.js";

const line = (words: string) => createRuleLine(words);
const not = (words: string) => negateLine(createRuleLine(words));

describe("a rule that implies another", () => {
  test.each<[RequireNode, RequireNode]>([
    [denyAllRule(), line("valid-user")],
    [line("ip 10"), grantAll()],
    [line("ip 10.1.0.0/16"), line("ip 10.0.0.0/8 192.0.2.1")],
    [not("ip 10"), not("ip 10.1")],
    [line("user a"), line("valid-user")],
    [line("user a"), line("user b a")],
    [line("ldap-group cn=x,dc=y"), line("valid-user")],
    [requireAllOf([line("ip 10"), line("valid-user")]), line("ip 10")],
    [line("ip 10"), requireAnyOf([line("ip 10"), line("valid-user")])],
    [requireAllOf([line("ip 10"), not("ip 10.1")]), requireAllOf([grantAll(), not("ip 10.1")])],
    [requireAnyOf([line("user a"), line("user b")]), line("valid-user")],
  ])("is %j, which implies %j", (rule, other) => {
    expect(impliesRule(rule, other)).toBe(true);
    expect(impliesRule(other, rule)).toBe(false);
  });

  test.each<[RequireNode, RequireNode]>([
    [line("ip 10.1"), not("ip 10")],
    [line("ip ::1"), line("ip 0.0.0.0/1")],
    [line("ip 10.0.0.0/255.0.255.0"), line("ip 10.1")],
    [line("env a"), line("env a b")],
    [line("host a.example"), line("ip 10")],
  ])("twin: is neither %j nor %j", (rule, other) => {
    expect([impliesRule(rule, other), impliesRule(other, rule)]).toEqual([false, false]);
  });
});

describe("omits redundant rules", () => {
  test.each<[RequireNode, RequireNode]>([
    [
      requireAllOf([line("ip 10"), line("valid-user"), line("group g")]),
      requireAllOf([line("ip 10"), line("group g")]),
    ],
    [requireAnyOf([line("user a"), line("valid-user")]), line("valid-user")],
    [requireAnyOf([line("ip 10"), line("ip 10.1")]), line("ip 10")],
    [requireAnyOf([line("ip 10.0.0.0/8"), line("ip 10")]), line("ip 10.0.0.0/8")],
    [requireAllOf([not("ip 10"), not("ip 10.1")]), requireAllOf([grantAll(), not("ip 10")])],
    [requireAnyOf([line("ip 10.1"), requireAllOf([line("ip 10.1"), line("valid-user")])]), line("ip 10.1")],
  ])("from %j", (rule, expected) => {
    expect(ruleKey(omitRedundantRules(rule))).toBe(ruleKey(expected));
  });

  test("but not a rule that returns 500 if its file cannot be read", () => {
    const rule = requireAnyOf([line("dbm-group g"), line("valid-user")]);
    expect(omitRedundantRules(rule)).toEqual(rule);
  });

  test("but not rules that decide for some clients", () => {
    const rule = requireAllOf([requireAnyOf([line("ip 10"), line("group g")]), line("valid-user"), not("ip 10.1")]);
    expect(omitRedundantRules(rule)).toEqual(rule);
  });
});
