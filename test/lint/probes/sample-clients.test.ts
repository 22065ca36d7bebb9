import { describe, expect, test } from "vitest";
import { createClients, UNLISTED_CLIENT_IP } from "../../../src/proof/requests/sample-clients.js";
import { isInSubnet, parseAddress, readSubnet } from "../../../src/text/addresses.js";
import { directivesOf } from "../../support/directives.js";

const clients = (...lines: readonly string[]) => createClients(directivesOf(...lines), 24);

test("the first clients have an unlisted address, without a user and with one", () => {
  expect(clients("Deny from all")).toEqual([
    { clientIp: UNLISTED_CLIENT_IP },
    { clientIp: UNLISTED_CLIENT_IP, user: "somebody" },
  ]);
});

describe("there is a client from each network", () => {
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
    const read = parseAddress(address);
    expect(verdict.ok && read && isInSubnet(read, verdict.value)).toBe(true);
  });
});

describe("there are clients for other differences", () => {
  test.each([
    ["Deny from .example.org", { clientIp: UNLISTED_CLIENT_IP, clientHost: "client.example.org" }],
    ["Require host example.org", { clientIp: UNLISTED_CLIENT_IP, clientHost: "example.org" }],
    ["Allow from localhost", { clientIp: "127.0.0.1", clientHost: "localhost" }],
    ["Require local", { clientIp: "127.0.0.1", clientHost: "localhost" }],
    ["Allow from env=ok", { clientIp: UNLISTED_CLIENT_IP, env: ["ok"] }],
    ["Deny from ENV=!ok", { clientIp: UNLISTED_CLIENT_IP, env: ["ok"] }],
    ["Require env ok", { clientIp: UNLISTED_CLIENT_IP, env: ["ok"] }],
    ["Require user bob al", { clientIp: UNLISTED_CLIENT_IP, user: "bob" }],
    ["Require group staff", { clientIp: UNLISTED_CLIENT_IP, user: "somebody", groups: ["staff"] }],
    ["Require dbm-group staff", { clientIp: UNLISTED_CLIENT_IP, user: "somebody", dbmGroups: ["staff"] }],
  ])("%s", (line, client) => {
    expect(clients(line)).toContainEqual(client);
  });

  test("in order, with host names last, and without duplicates", () => {
    const found = clients("Allow from a.test 10.1 10.1", "Require user bob");
    expect(found.map(({ clientIp, clientHost }) => clientHost ?? clientIp)).toEqual([
      ...[
        UNLISTED_CLIENT_IP,
        UNLISTED_CLIENT_IP,
        UNLISTED_CLIENT_IP,
        "10.1.0.1",
        "10.1.0.1",
        "10.1.0.1",
        "a.test",
        "a.test",
        "a.test",
      ],
    ]);
  });

  test("up to the limit", () => {
    const many = Array.from({ length: 99 }, (_, index) => `10.${index}`).join(" ");
    expect(createClients(directivesOf(`Deny from ${many}`), 24)).toHaveLength(24);
  });
});
