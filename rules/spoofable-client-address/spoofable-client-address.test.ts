import { describe, expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { spoofableClientAddress } from "./spoofable-client-address.js";

const header = "RemoteIPHeader X-Forwarded-For\n";
const check = (...texts: readonly string[]) => findingsOf([spoofableClientAddress], onServer(...texts));
const office = section("Location /office", "Require ip 203.0.113.0/24");

test("reports a header that every client can send", () => {
  expect(check(header, office)).toEqual([
    {
      rule: "spoofable-client-address",
      severity: "error",
      at: "2:1-2:31",
      text: "RemoteIPHeader X-Forwarded-For",
      message: "`RemoteIPHeader X-Forwarded-For` takes the header of every client",
      notes: [
        "`Require ip 203.0.113.0/24` depends on the address in the header",
        "GET `/office` from 203.0.113.1 with the header `X-Forwarded-For: 203.0.113.1` returns 200",
        "without the header, GET `/office` from 198.51.100.9 returns 403",
      ],
      help: ["add `RemoteIPInternalProxy` or `RemoteIPTrustedProxy` with the addresses of your proxies"],
      related: ["httpd.conf:4:1: depends on the address"],
    },
  ]);
});

test.each([
  [
    "mod_access_compat",
    header,
    section("Location /office", "Order deny,allow", "Deny from all", "Allow from 203.0.113.7"),
  ],
  ["IPv6", header, section("Location /office", "Require ip 2001:db8::/32")],
  ["a header of a virtual host", "Listen 80\n", section("VirtualHost *:80", header.trim(), office.trim()).trimEnd()],
])("reports %s", (_, ...texts) => {
  expect(check(...texts)).toHaveLength(1);
});

test("reports several lines once", () => {
  const findings = check(header, office, section("Location /b", "Require ip 198.51.100.0/24"));
  expect(findings.map(({ related }) => related.length)).toEqual([2]);
});

test.each([
  ["a list of proxies", header, "RemoteIPInternalProxy 10.9.9.9\n", office],
  ["trusted proxies", header, "RemoteIPTrustedProxy 10.9.9.9\n", office],
  ["the PROXY protocol", header, "RemoteIPProxyProtocol On\n", office],
  [
    "private addresses, which no client can present",
    header,
    section("Location /office", "Require ip 10 192.168.0.0/16"),
  ],
  [
    "an additional required user",
    header,
    section(
      "Location /office",
      "AuthType Basic",
      "AuthName a",
      "AuthUserFile /u",
      "<RequireAll>",
      "Require valid-user",
      "Require ip 203.0.113.0/24",
      "</RequireAll>",
    ),
  ],
  ["an address without the header", office],
  ["access for every client", header, section("Location /office", "Require ip 203.0.113.0/24", "Require all granted")],
  ["a server on the loopback address", "Listen 127.0.0.1:80\n", header, office],
])("does not report %s", (_, ...texts) => {
  expect(check(...texts)).toEqual([]);
});

test("does not report a server without mod_remoteip", () => {
  expect(findingsOf([spoofableClientAddress], onServer(header, office), { withoutModules: ["mod_remoteip"] })).toEqual(
    [],
  );
});

describe("a part of a server", () => {
  const inPart = (...lines: readonly string[]) =>
    findingsOf(
      [spoofableClientAddress],
      section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv", ...lines),
      {
        kind: "fragment",
      },
    );
  const own = header.trim();
  const inOffice = (...lines: readonly string[]) => section("Location /office", ...lines).trimEnd();

  test.each([
    ["a network", [own, inOffice("Require ip 203.0.113.0/24")]],
    ["an address of 2.2", [own, inOffice("Order deny,allow", "Deny from all", "Allow from 203.0.113.7")]],
  ])("is reported with %s", (_, lines) => {
    expect(inPart(...lines)).toMatchObject([
      {
        severity: "warning",
        text: own,
        notes: expect.arrayContaining(["this holds if no other file lists the proxies"]),
      },
    ]);
  });

  test.each([
    ["a list of proxies", [own, "RemoteIPInternalProxy 192.0.2.10", inOffice("Require ip 203.0.113.0/24")]],
    ["the PROXY protocol", [own, "RemoteIPProxyProtocol On", inOffice("Require ip 203.0.113.0/24")]],
    ["a private network", [own, inOffice("Require ip 10.0.0.0/8")]],
    ["no header", [inOffice("Require ip 203.0.113.0/24")]],
  ])("is not reported with %s", (_, lines) => {
    expect(inPart(...lines)).toEqual([]);
  });

  test("is not reported outside of virtual hosts", () => {
    expect(findingsOf([spoofableClientAddress], `${header}${office}`, { kind: "fragment" })).toEqual([]);
  });
});
