import { describe, expect, test } from "vitest";
import { SymbolicClient, unknownClient } from "../../../src/proof/clients/symbolic-client.js";
import { parseRequireLine, type RequireLine } from "../../../src/server/access/require-rules.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import { recordTest } from "../../../src/server/model/request.js";
import { type UnknownFact, unknownFact } from "../../../src/server/model/unknown-facts.js";
import { scopeOf } from "../../support/scopes.js";

function lineOf(text: string): RequireLine {
  const found = scopeOf([text]).scope.directives.find(({ key }) => key === "require");
  if (found === undefined) throw new Error("no Require");
  return parseRequireLine(found);
}

const bob: RequestModel = { ...unknownClient, user: "bob" };
const inStaff = (source: string): RequestModel => ({ ...bob, groups: new Map([[source, new Set(["staff"])]]) });
const where = (situation: RequestModel, ...facts: readonly UnknownFact[]): RequestModel => ({
  ...situation,
  facts: new Set(facts),
});
const loopback: RequestModel = { ...unknownClient, address: { family: 4, bits: 0x7f000001n } };

describe("decisions of a Require line", () => {
  test.each<[string, RequestModel, string]>([
    ["all granted", unknownClient, "granted"],
    ["all denied", unknownClient, "denied"],
    ["ip 203.0.113.0/24", unknownClient, "granted"],
    ["ip 10", unknownClient, "denied"],
    ["host example.org", { ...unknownClient, host: "www.example.org" }, "granted"],
    ["host example.org", unknownClient, "denied"],
    ["env flag", { ...unknownClient, env: new Set(["flag"]) }, "granted"],
    ["env flag", unknownClient, "denied"],
    ["method GET", unknownClient, "granted"],
    ["method POST", unknownClient, "denied"],
    ["valid-user", unknownClient, "no-user"],
    ["valid-user", bob, "granted"],
    ["user bob", unknownClient, "no-user"],
    ["user bob", bob, "granted"],
    ["user eve", bob, "denied"],
  ])("%s", (text, situation, result) => {
    expect(new SymbolicClient(situation).check(lineOf(`Require ${text}`), false)).toBe(result);
  });

  test.each<[string, RequestModel, string]>([
    ["group staff", unknownClient, "no-user"],
    ["group staff", bob, "denied"],
    ["group ops staff", inStaff("group"), "granted"],
    ["group staff", inStaff("dbm-group"), "denied"],
    ["dbm-group staff", inStaff("dbm-group"), "granted"],
    ["dbm-group staff", inStaff("group"), "denied"],
    ["dbm-group staff", where(inStaff("dbm-group"), unknownFact("dbm-group-file")), "error"],
    // mod_authz_groupfile treats a file that it cannot open as one without groups.
    ["group staff", where(inStaff("group"), unknownFact("dbm-group-file")), "granted"],
  ])("on groups: %s", (text, situation, result) => {
    expect(new SymbolicClient(situation).check(lineOf(`Require ${text}`), false)).toBe(result);
  });

  test.each<[RequestModel, string]>([
    [unknownClient, "denied"],
    [loopback, "granted"],
    [where(unknownClient, unknownFact("own-address")), "granted"],
  ])("local, for a loopback address or the server's own address: %#", (situation, result) => {
    expect(new SymbolicClient(situation).check(lineOf("Require local"), false)).toBe(result);
  });
});

describe("decisions of providers that are not modelled", () => {
  const line = "Require ldap-user bob";
  test.each<[string, RequestModel, string]>([
    [line, unknownClient, "no-user"],
    [line, bob, "denied"],
    [line, where(bob, unknownFact("grants", line)), "granted"],
    [line, where(unknownClient, unknownFact("grants", line)), "no-user"],
    [line, where(bob, unknownFact("fails", line)), "error"],
    [line, where(bob, unknownFact("needs-user", line)), "no-user"],
    [line, where(bob, unknownFact("is-neutral", line)), "neutral"],
    [line, where(bob, unknownFact("grants", "Require ldap-user eve")), "denied"],
    ["Require expr true", where(unknownClient, unknownFact("grants", "Require expr true")), "granted"],
    ["Require expr true", where(unknownClient, unknownFact("needs-user", "Require expr true")), "no-user"],
    ["Require expr true", unknownClient, "denied"],
    // Checks of the client never need a user, even if they do not apply.
    [
      "Require forward-dns a.test",
      where(unknownClient, unknownFact("grants", "Require forward-dns a.test")),
      "granted",
    ],
    ["Require forward-dns a.test", where(unknownClient, unknownFact("fails", "Require forward-dns a.test")), "error"],
    [
      "Require forward-dns a.test",
      where(unknownClient, unknownFact("needs-user", "Require forward-dns a.test")),
      "denied",
    ],
    [
      "Require forward-dns a.test",
      where(unknownClient, unknownFact("is-neutral", "Require forward-dns a.test")),
      "denied",
    ],
    ["Require ssl", where(unknownClient, unknownFact("grants", "Require ssl")), "granted"],
    ["Require file-owner", where(bob, unknownFact("grants", "Require file-owner")), "granted"],
    // An embedded expression may have any value.
    ["Require host %{HTTP_HOST}", where(unknownClient, unknownFact("grants", "Require host %{HTTP_HOST}")), "granted"],
    ["Require user %{HTTP_HOST}", where(bob, unknownFact("grants", "Require user %{HTTP_HOST}")), "granted"],
    ["Require group %{HTTP_HOST}", where(bob, unknownFact("grants", "Require group %{HTTP_HOST}")), "granted"],
    ["Require dbm-group %{HTTP_HOST}", where(bob, unknownFact("grants", "Require dbm-group %{HTTP_HOST}")), "granted"],
    ["Require env %x", where(unknownClient, unknownFact("grants", "Require env %x")), "denied"],
  ])("%s %#", (text, situation, result) => {
    expect(new SymbolicClient(situation).check(lineOf(text), false)).toBe(result);
  });

  test("of an alias are unknown facts", () => {
    const resultFor = (situation: RequestModel) => new SymbolicClient(situation).check(lineOf("Require ip 10"), true);
    expect(resultFor(where(unknownClient, unknownFact("grants", "Require ip 10")))).toBe("granted");
    expect(resultFor({ ...unknownClient, address: { family: 4, bits: 0x0a000001n } })).toBe("denied");
  });
});

describe("recorded predicates", () => {
  const observationsOf = (text: string, situation: RequestModel) => {
    const client = new SymbolicClient(situation);
    client.check(lineOf(`Require ${text}`), false);
    return client.observations;
  };
  const group = (source: string, name: string) => ({ kind: "group", source, name });

  test("combine the groups of a line", () => {
    expect(observationsOf("group staff ops", inStaff("group"))).toEqual([
      { predicate: { kind: "any-user" }, value: true },
      { predicate: { kind: "any", of: [group("group", "staff"), group("group", "ops")] }, value: true },
    ]);
    expect(observationsOf("dbm-group ops", inStaff("dbm-group"))).toEqual([
      { predicate: { kind: "any-user" }, value: true },
      { predicate: { kind: "fact", fact: unknownFact("dbm-group-file") }, value: false },
      { predicate: { kind: "any", of: [group("dbm-group", "ops")] }, value: false },
    ]);
  });

  test("include only the missing user of a request without one", () => {
    expect(observationsOf("group staff", unknownClient)).toEqual([{ predicate: { kind: "any-user" }, value: false }]);
  });

  test("do not include the user if the line does not require one", () => {
    expect(observationsOf("all granted", bob)).toEqual([]);
    expect(observationsOf("ip 10", bob).map(({ predicate }) => predicate.kind)).toEqual(["any"]);
  });

  test("have GET instead of HEAD", () => {
    const client = new SymbolicClient(unknownClient);
    client.recordMethod(["HEAD", "PUT"]);
    client.recordMethod();
    expect(client.observations).toEqual([
      { predicate: { kind: "method", name: "GET" }, value: true },
      { predicate: { kind: "method", name: "PUT" }, value: false },
    ]);
  });

  test("have separate users and groups on 2.2", () => {
    const client = new SymbolicClient(inStaff("group"));
    expect([client.isUser("bob"), client.isUser("eve")]).toEqual([true, false]);
    expect([client.isInGroup("staff"), client.isInGroup("ops")]).toEqual([true, false]);
    expect(client.observations).toEqual([
      { predicate: { kind: "user", name: "bob" }, value: true },
      { predicate: { kind: "user", name: "eve" }, value: false },
      { predicate: group("group", "staff"), value: true },
      { predicate: group("group", "ops"), value: false },
    ]);
  });
});

describe("the request of a client", () => {
  test("has the known properties of the client", () => {
    const situation: RequestModel = { ...loopback, host: "a.test", env: new Set(["flag"]), method: "PUT" };
    const { request, env } = new SymbolicClient(situation);
    expect(request).toMatchObject({ method: "PUT", path: "/", clientIp: "127.0.0.1", clientHost: "a.test" });
    expect(request.env).toEqual(["flag"]);
    expect(env.has("flag")).toBe(true);
  });

  test("has no host name if it is unknown, and no tracker if none is requested", () => {
    expect(new SymbolicClient(unknownClient).request).not.toHaveProperty("clientHost");
    expect(new SymbolicClient(unknownClient).request.tracker).toBeDefined();
    expect(new SymbolicClient(unknownClient, false).request).not.toHaveProperty("tracker");
  });

  test("has a result for any test", () => {
    const [a, b] = [unknownFact("fails", "a"), unknownFact("fails", "b")];
    const client = new SymbolicClient(where(unknownClient, a));
    expect([recordTest(client.request, a, false), recordTest(client.request, b, true)]).toEqual([true, false]);
    expect(client.peekTest(a, false)).toEqual({ predicate: { kind: "fact", fact: a }, holds: true });
    expect(client.peekTest(b, true)).toMatchObject({ holds: false });
    expect(client.observations.map(({ value }) => value)).toEqual([true, false]);
  });
});
