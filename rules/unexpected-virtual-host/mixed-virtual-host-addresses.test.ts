import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const mixedVirtualHostAddresses = onlyVariant(unexpectedVirtualHost, "mixed-virtual-host-addresses");

const head = "LoadModule authz_core_module modules/mod_authz_core.so\nListen 80\n";
const hosts = (...addresses: readonly string[]) =>
  addresses.map((address, i) => section(`VirtualHost ${address}`, `ServerName host${i}.example`)).join("");

const check = (text: string) => findingsOf([mixedVirtualHostAddresses], head + text).map(({ message }) => message);

describe("reports", () => {
  test.each([
    ["192.0.2.1:80", "*:80"],
    ["[2001:db8::1]:80", "*:80"],
    ["192.0.2.1:80", "_default_:80"],
    ["192.0.2.1", "*"],
    ["127.0.0.1:80", "*:80"],
  ])("%s beside %s, once", (specific, wildcard) => {
    const message = `requests to \`${specific}\` never reach the virtual hosts of \`${wildcard}\``;
    expect(check(hosts(wildcard, specific, specific))).toEqual([message]);
    expect(check(hosts(specific, wildcard))).toEqual([message]);
  });
});

test("gives an address without a port that of the ServerName before it", () => {
  const name = "ServerName a.test:80\n";
  const message = "requests to `192.0.2.1` never reach the virtual hosts of `*:80`";
  expect(check(name + hosts("192.0.2.1", "*:80"))).toEqual([message]);
  expect(check(hosts("192.0.2.1", "*:80"))).toEqual([]);
  expect(check(`ServerName a.test:81\n${hosts("192.0.2.1", "*:80")}`)).toEqual([]);
  expect(check(hosts("192.0.2.1") + name + hosts("192.0.2.1", "*:80"))).toEqual([message]);
  expect(check(hosts("_default_", "*:80"))).toEqual(["the virtual hosts of `_default_` never respond"]);
  expect(check(name + hosts("_default_", "*:80"))).toEqual([]);
});

test("reports a virtual host without a port that never responds", () => {
  const listens = "Listen 443\n";
  expect(findingsOf([mixedVirtualHostAddresses], head + hosts("*", "*:80"))).toMatchObject([
    {
      severity: "warning",
      at: "3:1-3:16",
      message: "the virtual hosts of `*` never respond",
      related: [expect.anything()],
    },
  ]);
  expect(check(listens + hosts("*", "*:443", "_default_:80"))).toEqual(["the virtual hosts of `*` never respond"]);
  expect(check(listens + hosts("*", "*:443"))).toEqual([]);
  expect(check(hosts("*", "*"))).toEqual([]);
  expect(check(hosts("* 192.0.2.1:81", "*:80"))).toEqual([]);
});

describe("does not report", () => {
  test.each([
    ["addresses of one kind", hosts("*:80", "*:80")],
    ["other spellings of any address", hosts("*:80", "0.0.0.0:80", "[::]:80")],
    ["several addresses", hosts("192.0.2.1:80", "192.0.2.2:80")],
    ["another port", hosts("*:80", "192.0.2.1:443")],
    ["a virtual host with both", hosts("*:80 192.0.2.1:80")],
    ["localhost", hosts("*:80") + section("VirtualHost localhost:80", "ServerName localhost")],
    ["localhost by its address", hosts("*:80") + section("VirtualHost 127.0.0.1:80", "ServerName localhost")],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});

test.each([
  ["two.example:80", "*:80", 1],
  ["192.0.2.1:80", "*:80", 1],
  ["*:443", "*:80", 0],
  ["*", "*:80", 0],
])("reports a part of a server only for an address: %s beside %s", (specific, wildcard, count) => {
  expect(findingsOf([mixedVirtualHostAddresses], hosts(wildcard, specific), { kind: "fragment" })).toHaveLength(count);
});

describe("a name as the address", () => {
  const found = (...sections: readonly string[]) =>
    findingsOf([mixedVirtualHostAddresses], head + sections.join("")).map(({ severity, text, help }) => [
      severity,
      text,
      help?.[0],
    ]);
  const named = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines);

  test.each([
    ["warning", "shop.example:80", ["ServerName shop.example"], "<VirtualHost *:80>"],
    ["warning", "Shop.Example:80", ["ServerName shop.example:80"], "<VirtualHost *:80>"],
    ["warning", "shop.example:*", ["ServerName a.test", "ServerAlias shop.example"], "<VirtualHost *:*>"],
    ["warning", "keyserver_webapp", [], "<VirtualHost *>"],
    ["info", "web1:80", ["ServerName shop.example"], "<VirtualHost *:80>"],
  ])("%s for %s", (severity, address, lines, tag) => {
    expect(found(named(address, ...lines))).toEqual([
      [severity, `<VirtualHost ${address}>`, `use \`${tag}\`, and the name in \`ServerName\``],
    ]);
  });

  test("with the port of the ServerName before it", () => {
    expect(found("ServerName a.test:81\n", named("shop.example", "ServerName shop.example"))).toEqual([
      ["warning", "<VirtualHost shop.example>", "use `<VirtualHost *:81>`, and the name in `ServerName`"],
    ]);
  });

  test("beside any address", () => {
    expect(found(named("web1:80", "ServerName a.test"), named("*:80", "ServerName b.test"))).toMatchObject([
      ["warning", "<VirtualHost web1:80>", expect.anything()],
    ]);
  });

  test.each([
    "localhost:80",
    "*:80",
    "_default_:80",
    "[::1]:80",
    "192.0.2.1:80",
    "$" + "{IP}:80",
    "{{ip}}:80",
    "@IP@:80",
  ])("is not %s", (address) => {
    expect(found(named(address, "ServerName a.test"))).toEqual([]);
  });
});

describe("an address that is neither an address nor a name", () => {
  const found = (address: string, ...more: readonly string[]) =>
    findingsOf([mixedVirtualHostAddresses], head + hosts(address, ...more));

  test("is reported with the address that was meant", () => {
    expect(found("*.80")).toMatchObject([
      {
        severity: "warning",
        message: "httpd ignores `*.80`: it is not an address",
        notes: [
          "httpd looks for a host with this name at start, and finds none (AH00547)",
          "other virtual hosts or the main server answer the requests",
        ],
        help: ["use `*:80`"],
      },
    ]);
  });

  test.each([
    ["*80", "*:80"],
    ["*;80", "*:80"],
    ["*,443", "*:443"],
    ["*/80", "*:80"],
    ["*:80.", "*:80"],
    ["*::80", "*:80"],
    ["_default_.443", "_default_:443"],
    ["10.0.0.1.80", "10.0.0.1:80"],
    ["http://*:80", "*:80"],
    ["https://10.0.0.1:443", "10.0.0.1:443"],
  ])("%s was to be %s", (address, correct) => {
    expect(found(address).map(({ help }) => help)).toEqual([[`use \`${correct}\``]]);
  });

  test.each(["*:http", "*:8O", "*:80:443", "10.0.0.300:80", "10.0.0.*:80", "10.0.0.0/24", "*.*:80", "*:"])(
    "%s has no such remedy",
    (address) => {
      expect(found(address).map(({ help }) => help)).toEqual([["use an address and a port, such as `*:80`"]]);
    },
  );

  test.each(["*.shop.example:80", "*.shop.example", "www.*:80"])("%s is a name with a wildcard", (address) => {
    const port = address.endsWith(":80") ? ":80" : "";
    expect(found(address)).toMatchObject([
      { severity: "warning", help: [`use \`<VirtualHost *${port}>\`, and the name in \`ServerAlias\``] },
    ]);
  });

  test("is one finding for all of them", () => {
    expect(found("*.80", "*.443")).toHaveLength(1);
  });

  test.each([
    ["*:80"],
    ["*:*"],
    ["*"],
    ["::1:80"],
    ["[2001:db8::1]:443"],
    ["10.0.0.1:80", "10.0.0.2:80"],
    ["_default_:443"],
    ["$" + "{IP}.80"],
    ["{{ip}}.80"],
    ["<ip>"],
    ["xxx.xxx.xxx.xxx:80"],
    ["*:{{port}}"],
    ["%IP%:80"],
    ["_default_:mod_proxy"],
    ["strict-default:core"],
    ["*:PORT"],
  ])("is not %s", (...addresses) => {
    expect(
      found(addresses[0], ...addresses.slice(1)).filter(({ message }) => /is not an address/.test(message)),
    ).toEqual([]);
  });
});
