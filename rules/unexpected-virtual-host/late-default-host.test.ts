import { expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const lateDefaultHost = onlyVariant(unexpectedVirtualHost, "late-default-host");

const check = (...hosts: readonly string[]) => findingsOf([lateDefaultHost], wholeServer("Listen 80", ...hosts));
const first = section("VirtualHost *:80", "ServerName a.test");

test("reports a later virtual host with `_default_`", () => {
  expect(check(first, section("VirtualHost _default_:80", "ServerName b.test"))).toMatchObject([
    {
      text: "<VirtualHost _default_:80>",
      message: "`_default_:80` does not make this the default virtual host",
      related: ["httpd.conf:5:1: responds to unknown names"],
    },
  ]);
});

test.each(["_", "default", "_default_"])("reports a later virtual host with the name %s", (name) => {
  expect(check(first, section("VirtualHost *:80", `ServerName ${name}`)).map(({ text }) => text)).toEqual([
    `ServerName ${name}`,
  ]);
});

test.each([
  ["the first virtual host", [section("VirtualHost _default_:80", "ServerName b.test"), first]],
  ["the only virtual host of its address", [first, section("VirtualHost _default_:443", "ServerName b.test")]],
  ["a virtual host for all names", [first, section("VirtualHost _default_:80", "ServerName b.test", "ServerAlias *")]],
  [
    "one of several virtual hosts with `_default_`",
    [
      section("VirtualHost _default_:80", "ServerName a.test"),
      section("VirtualHost _default_:80", "ServerName b.test"),
    ],
  ],
  ["other names", [first, section("VirtualHost *:80", "ServerName default.test")]],
])("does not report %s", (_, hosts) => {
  expect(check(...hosts)).toEqual([]);
});

test("does not report a part of a server", () => {
  const text = first + section("VirtualHost _default_:80", "ServerName b.test");
  expect(findingsOf([lateDefaultHost], text, { kind: "fragment" })).toEqual([]);
});
