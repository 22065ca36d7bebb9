import { describe, expect, test } from "vitest";
import { AskedClient } from "../../src/access/asked-client.js";
import { type RequireLine, readRequire } from "../../src/access/new-rules.js";
import { stranger } from "../../src/access/sample-clients.js";
import type { Situation } from "../../src/logic/atoms.js";
import { scopeOf } from "../support/scopes.js";

function lineOf(text: string): RequireLine {
  const found = scopeOf([text]).scope.directives.find(({ key }) => key === "require");
  if (found === undefined) throw new Error("no Require");
  return readRequire(found);
}

const bob: Situation = { ...stranger, user: "bob" };
const inStaff = (source: string): Situation => ({ ...bob, groups: new Map([[source, new Set(["staff"])]]) });
const where = (situation: Situation, ...terms: readonly string[]): Situation => ({
  ...situation,
  terms: new Set(terms),
});
const loopback: Situation = { ...stranger, address: { family: 4, bits: 0x7f000001n } };

describe("what a Require line says to somebody", () => {
  test.each<[string, Situation, string]>([
    ["all granted", stranger, "granted"],
    ["all denied", stranger, "denied"],
    ["ip 203.0.113.0/24", stranger, "granted"],
    ["ip 10", stranger, "denied"],
    ["host example.org", { ...stranger, host: "www.example.org" }, "granted"],
    ["host example.org", stranger, "denied"],
    ["env flag", { ...stranger, env: new Set(["flag"]) }, "granted"],
    ["env flag", stranger, "denied"],
    ["method GET", stranger, "granted"],
    ["method POST", stranger, "denied"],
    ["valid-user", stranger, "no-user"],
    ["valid-user", bob, "granted"],
    ["user bob", stranger, "no-user"],
    ["user bob", bob, "granted"],
    ["user eve", bob, "denied"],
  ])("%s", (text, situation, result) => {
    expect(new AskedClient(situation).check(lineOf(`Require ${text}`), false)).toBe(result);
  });

  test.each<[string, Situation, string]>([
    ["group staff", stranger, "no-user"],
    ["group staff", bob, "denied"],
    ["group ops staff", inStaff("group"), "granted"],
    ["group staff", inStaff("dbm-group"), "denied"],
    ["dbm-group staff", inStaff("dbm-group"), "granted"],
    ["dbm-group staff", inStaff("group"), "denied"],
    ["dbm-group staff", where(inStaff("dbm-group"), "whether the dbm file of groups cannot be opened"), "error"],
    // mod_authz_groupfile takes a file that it cannot open for one without groups.
    ["group staff", where(inStaff("group"), "whether the dbm file of groups cannot be opened"), "granted"],
  ])("of groups: %s", (text, situation, result) => {
    expect(new AskedClient(situation).check(lineOf(`Require ${text}`), false)).toBe(result);
  });

  test.each<[Situation, string]>([
    [stranger, "denied"],
    [loopback, "granted"],
    [where(stranger, "whether the client has the server's own address"), "granted"],
  ])("local, be it at a loopback address or at the server's own: %#", (situation, result) => {
    expect(new AskedClient(situation).check(lineOf("Require local"), false)).toBe(result);
  });
});

describe("what it says of which nothing but its words is known", () => {
  const line = "Require ldap-user bob";
  test.each<[string, Situation, string]>([
    [line, stranger, "no-user"],
    [line, bob, "denied"],
    [line, where(bob, `whether \`${line}\` grants`), "granted"],
    [line, where(stranger, `whether \`${line}\` grants`), "no-user"],
    [line, where(bob, `whether \`${line}\` fails`), "error"],
    [line, where(bob, `whether \`${line}\` asks for a user`), "no-user"],
    [line, where(bob, `whether \`${line}\` has no say`), "neutral"],
    [line, where(bob, "whether `Require ldap-user eve` grants"), "denied"],
    ["Require expr true", where(stranger, "whether `Require expr true` grants"), "granted"],
    ["Require expr true", where(stranger, "whether `Require expr true` asks for a user"), "no-user"],
    ["Require expr true", stranger, "denied"],
    // Nothing that looks at the client alone asks for a user, or has no say.
    ["Require forward-dns a.test", where(stranger, "whether `Require forward-dns a.test` grants"), "granted"],
    ["Require forward-dns a.test", where(stranger, "whether `Require forward-dns a.test` fails"), "error"],
    ["Require forward-dns a.test", where(stranger, "whether `Require forward-dns a.test` asks for a user"), "denied"],
    ["Require forward-dns a.test", where(stranger, "whether `Require forward-dns a.test` has no say"), "denied"],
    ["Require ssl", where(stranger, "whether `Require ssl` grants"), "granted"],
    ["Require file-owner", where(bob, "whether `Require file-owner` grants"), "granted"],
    // An expression in it may come to anything.
    ["Require host %{HTTP_HOST}", where(stranger, "whether `Require host %{HTTP_HOST}` grants"), "granted"],
    ["Require user %{HTTP_HOST}", where(bob, "whether `Require user %{HTTP_HOST}` grants"), "granted"],
    ["Require group %{HTTP_HOST}", where(bob, "whether `Require group %{HTTP_HOST}` grants"), "granted"],
    ["Require dbm-group %{HTTP_HOST}", where(bob, "whether `Require dbm-group %{HTTP_HOST}` grants"), "granted"],
    ["Require env %x", where(stranger, "whether `Require env %x` grants"), "denied"],
  ])("%s %#", (text, situation, result) => {
    expect(new AskedClient(situation).check(lineOf(text), false)).toBe(result);
  });

  test("so with the word of an alias, whatever it is", () => {
    const asked = (situation: Situation) => new AskedClient(situation).check(lineOf("Require ip 10"), true);
    expect(asked(where(stranger, "whether `Require ip 10` grants"))).toBe("granted");
    expect(asked({ ...stranger, address: { family: 4, bits: 0x0a000001n } })).toBe("denied");
  });
});

describe("what it takes note of", () => {
  const seenBy = (text: string, situation: Situation) => {
    const client = new AskedClient(situation);
    client.check(lineOf(`Require ${text}`), false);
    return client.seen;
  };
  const group = (source: string, name: string) => ({ kind: "group", source, name });

  test("of the groups that are named, as a whole", () => {
    expect(seenBy("group staff ops", inStaff("group"))).toEqual([
      { look: { kind: "any-user" }, value: true },
      { look: { kind: "any", of: [group("group", "staff"), group("group", "ops")] }, value: true },
    ]);
    expect(seenBy("dbm-group ops", inStaff("dbm-group"))).toEqual([
      { look: { kind: "any-user" }, value: true },
      { look: { kind: "term", text: "whether the dbm file of groups cannot be opened" }, value: false },
      { look: { kind: "any", of: [group("dbm-group", "ops")] }, value: false },
    ]);
  });

  test("of nobody's groups but that there is nobody", () => {
    expect(seenBy("group staff", stranger)).toEqual([{ look: { kind: "any-user" }, value: false }]);
  });

  test("of no user where the line asks for none", () => {
    expect(seenBy("all granted", bob)).toEqual([]);
    expect(seenBy("ip 10", bob).map(({ look }) => look.kind)).toEqual(["any"]);
  });

  test("of methods as GET where they are HEAD", () => {
    const client = new AskedClient(stranger);
    client.atMethod(["HEAD", "PUT"]);
    client.atMethod();
    expect(client.seen).toEqual([
      { look: { kind: "method", name: "GET" }, value: true },
      { look: { kind: "method", name: "PUT" }, value: false },
    ]);
  });

  test("of users and groups one by one on 2.2", () => {
    const client = new AskedClient(inStaff("group"));
    expect([client.isUser("bob"), client.isUser("eve")]).toEqual([true, false]);
    expect([client.isInGroup("staff"), client.isInGroup("ops")]).toEqual([true, false]);
    expect(client.seen).toEqual([
      { look: { kind: "user", name: "bob" }, value: true },
      { look: { kind: "user", name: "eve" }, value: false },
      { look: group("group", "staff"), value: true },
      { look: group("group", "ops"), value: false },
    ]);
  });
});

describe("the request of somebody", () => {
  test("brings what is known of them", () => {
    const situation: Situation = { ...loopback, host: "a.test", env: new Set(["flag"]), method: "PUT" };
    const { request, env } = new AskedClient(situation);
    expect(request).toMatchObject({ method: "PUT", path: "/", clientIp: "127.0.0.1", clientHost: "a.test" });
    expect(request.env).toEqual(["flag"]);
    expect(env.has("flag")).toBe(true);
  });

  test("has no name where nobody knows one, and notes nothing where nobody wants to know", () => {
    expect(new AskedClient(stranger).request).not.toHaveProperty("clientHost");
    expect(new AskedClient(stranger).request.looks).toBeDefined();
    expect(new AskedClient(stranger, false).request).not.toHaveProperty("looks");
  });

  test("may hold anything in a text", () => {
    const client = new AskedClient(where(stranger, "a"));
    expect([client.test("a"), client.test("b")]).toEqual([true, false]);
    expect(client.peek("a")).toEqual({ look: { kind: "term", text: "a" }, holds: true });
    expect(client.peek("b")).toMatchObject({ holds: false });
    expect(client.seen.map(({ value }) => value)).toEqual([true, false]);
  });
});
