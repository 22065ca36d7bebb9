import { describe, expect, test } from "vitest";
import { addressOf, isIn, readSubnet } from "../../src/text/addresses.js";
import { clientsFor, STRANGER } from "../../src/witness/clients.js";
import { directivesOf } from "../support/directives.js";

const clients = (...lines: readonly string[]) => clientsFor(directivesOf(...lines), 24);

test("nobody's client comes first, without a user and with one", () => {
  expect(clients("Deny from all")).toEqual([{ clientIp: STRANGER }, { clientIp: STRANGER, user: "somebody" }]);
});

describe("a client from each network", () => {
  test.each([
    ["10.1", "10.1.0.1"],
    ["10", "10.0.0.1"],
    ["192.0.2.0/24", "192.0.2.1"],
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.6/31", "192.0.2.7"],
    ["10.0.0.0/255.0.255.255", "10.0.0.0"],
    ["192.0.2.0/255.255.255.1", "192.0.2.0"],
    ["2001:db8::/32", "2001:db8::1"],
    ["2001:db8:0:1::/64", "2001:db8:0:1::1"],
    ["2001:db8:0:0:7::/80", "2001:db8::7:0:0:1"],
    ["::1", "::1"],
    ["fe80::1:0:0:0", "fe80::1:0:0:0"],
  ])("%s", (network, address) => {
    for (const line of [
      `Allow from ${network}`,
      `Deny from 198.51.100.1 ${network}`,
      `Require ip ${network}`,
      `Require not ip ${network}`,
    ]) {
      const found = clients(line).map(({ clientIp }) => clientIp);
      expect(found).toContain(address);
    }
    const verdict = readSubnet(network);
    const read = addressOf(address);
    expect("subnet" in verdict && read && isIn(read, verdict.subnet)).toBe(true);
  });
});

describe("what else tells clients apart", () => {
  test.each([
    ["Deny from .example.org", { clientIp: STRANGER, clientHost: "client.example.org" }],
    ["Require host example.org", { clientIp: STRANGER, clientHost: "example.org" }],
    ["Allow from localhost", { clientIp: "127.0.0.1", clientHost: "localhost" }],
    ["Require local", { clientIp: "127.0.0.1", clientHost: "localhost" }],
    ["Allow from env=ok", { clientIp: STRANGER, env: ["ok"] }],
    ["Deny from ENV=!ok", { clientIp: STRANGER, env: ["ok"] }],
    ["Require env ok", { clientIp: STRANGER, env: ["ok"] }],
    ["Require user bob al", { clientIp: STRANGER, user: "bob" }],
    ["Require group staff", { clientIp: STRANGER, user: "somebody", groups: ["staff"] }],
    ["Require dbm-group staff", { clientIp: STRANGER, user: "somebody", dbmGroups: ["staff"] }],
  ])("%s", (line, client) => {
    expect(clients(line)).toContainEqual(client);
  });

  test("names come last, and each client once", () => {
    const found = clients("Allow from a.test 10.1 10.1", "Require user bob");
    expect(found.map(({ clientIp, clientHost }) => clientHost ?? clientIp)).toEqual([
      ...[STRANGER, STRANGER, STRANGER, "10.1.0.1", "10.1.0.1", "10.1.0.1", "a.test", "a.test", "a.test"],
    ]);
  });

  test("no more than asked for", () => {
    const many = Array.from({ length: 99 }, (_, index) => `10.${index}`).join(" ");
    expect(clientsFor(directivesOf(`Deny from ${many}`), 24)).toHaveLength(24);
  });
});
