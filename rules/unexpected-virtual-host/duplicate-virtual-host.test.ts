import { expect, test } from "vitest";
import { findingsOf, onlyVariant, section } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const duplicateVirtualHost = onlyVariant(unexpectedVirtualHost, "duplicate-virtual-host");

const host = (address: string, ...lines: readonly string[]) => section(`VirtualHost ${address}`, ...lines);
const check = (...hosts: readonly string[]) =>
  findingsOf([duplicateVirtualHost], hosts.join("")).map(({ message, text }) => [message, text]);

const hiddenMessage = (name: string) => `the virtual host \`${name}\` never responds: an earlier one has its names`;
const takenMessage = (name: string) => `the name \`${name}\` selects an earlier virtual host, not this one`;
const named = ["ServerName a.test"];
const a = host("*:80", "ServerName a.test");

test.each([
  ["the same name", [a, a]],
  ["another case, a port and a scheme", [a, host("*:80", "ServerName http://A.test:8080")]],
  ["an alias of the earlier one", [host("*:80", "ServerName b.test", "ServerAlias x.test a.test"), a]],
  ["the port of a ServerName", ["ServerName x:80\n", host("10.0.0.1", ...named), host("10.0.0.1:80", ...named)]],
  ["a wildcard of the earlier one", [host("*:80", "ServerName b.test", "ServerAlias *.test"), a]],
  ["another spelling of the address", [a, host("_default_:80", "ServerName a.test")]],
  [
    "two addresses that earlier virtual hosts use",
    [host("10.0.0.1:80 10.0.0.2:80", "ServerName a.test"), host("10.0.0.2:80", "ServerName a.test")],
  ],
])("reports a virtual host that never responds: %s", (_, hosts) => {
  expect(check(...hosts).map(([message]) => message)).toEqual([hiddenMessage("a.test")]);
});

test("reports a name that selects an earlier virtual host if the later one has other names", () => {
  expect(check(a, host("*:80", "ServerName b.test", "ServerAlias c.test a.test"))).toEqual([
    [takenMessage("a.test"), "a.test"],
  ]);
});

test("adapts the help to the cause", () => {
  const helpOf = (...hosts: readonly string[]) => findingsOf([duplicateVirtualHost], hosts.join(""))[0]?.help;
  expect(helpOf(a, a)).toEqual(["merge the virtual hosts, or correct the name of one of them"]);
  expect(helpOf(host("*:80", "ServerName b.test", "ServerAlias *.test"), a)).toEqual([
    "move this virtual host before the one with the wildcard `*.test`",
  ]);
});

test("reports a file that is included twice", () => {
  const files = { "/etc/httpd/sites/a.conf": a };
  const [finding, ...more] = findingsOf([duplicateVirtualHost], "Include sites/*.conf\nInclude sites/a.conf\n", {
    files,
  });
  expect(more).toEqual([]);
  expect(finding?.message).toBe("the virtual host `a.test` is read twice");
  expect(finding?.help).toEqual(["delete one of the `Include` lines"]);
});

test.each([
  ["another port of a ServerName", ["ServerName x:81\n", host("10.0.0.1", ...named), host("10.0.0.1:80", ...named)]],
  ["all ports beside one", [host("10.0.0.1", ...named), host("10.0.0.1:80", ...named)]],
  [
    "another ServerName before it",
    ["ServerName x:81\n", host("10.0.0.1", ...named), "ServerName x:82\n", host("10.0.0.1", ...named)],
  ],
  ["other names", [a, host("*:80", "ServerName b.test")]],
  ["another port", [a, host("*:443", "ServerName a.test")]],
  ["another address", [host("10.0.0.1:80", "ServerName a.test"), host("10.0.0.2:80", "ServerName a.test")]],
  [
    "a virtual host with an unused address",
    [host("10.0.0.1:80", "ServerName a.test"), host("10.0.0.1:80 10.0.0.2:80", "ServerName a.test")],
  ],
  ["a wildcard that comes later", [a, host("*:80", "ServerName b.test", "ServerAlias *.test")]],
  ["a wildcard below an exact name", [a, host("*:80", "ServerName b.test", "ServerAlias *.a.test")]],
  ["a virtual host without a name", [a, host("*:80", "DocumentRoot /srv")]],
  [
    "an unknown name",
    [host("*:80", "ServerName b.test", "ServerAlias *.test"), host("*:80", "ServerName ${NAME}.test")],
  ],
  ["a placeholder", [host("*:80", "ServerName b.test", "ServerAlias *"), host("*:80", "ServerName {{name}}")]],
])("does not report %s", (_, hosts) => {
  expect(check(...hosts)).toEqual([]);
});

test("reports only the name of a host that a ServerPath also selects", () => {
  expect(check(a, host("*:80", "ServerName a.test", "ServerPath /a"))).toEqual([[takenMessage("a.test"), "a.test"]]);
});

test("does not report virtual hosts of 2.2", () => {
  expect(findingsOf([duplicateVirtualHost], a + a, { release: "2.2" })).toEqual([]);
});
