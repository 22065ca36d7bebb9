import { describe, expect, test } from "vitest";
import { findingsOf, type Given, onlyVariant, wholeServer } from "../../test/support/rules.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host.js";

const virtualHostWithoutListen = onlyVariant(unexpectedVirtualHost, "virtual-host-without-listen");

const check = (text: string, given?: Given) =>
  findingsOf([virtualHostWithoutListen], text, given).map(({ message }) => message);
const checkListen = (listen: string, host: string) =>
  check(wholeServer(`Listen ${listen}`, `<VirtualHost ${host}>`, "</VirtualHost>"));

test.each([
  ["80", "*:8080"],
  ["80", "10.0.0.1:8080"],
  ["127.0.0.1:80", "10.0.0.1:80"],
  ["127.0.0.1:80", "10.0.0.1"],
  ["0.0.0.0:80", "[::1]:80"],
  ["[::1]:80", "10.0.0.1:80"],
])("reports that Listen %s does not include %s", (listen, host) => {
  expect(checkListen(listen, host)).toEqual([`no \`Listen\` line for the virtual host \`${host}\``]);
});

test.each([
  ["80", "*:80"],
  ["80", "*"],
  ["80", "10.0.0.1"],
  ["80", "10.0.0.1:80"],
  ["80", "10.0.0.1:8080 10.0.0.1:80"],
  ["*:80", "[::1]:80"],
  ["0.0.0.0:80", "10.0.0.1:80"],
  ["[::]:80", "10.0.0.1:80"],
  ["10.0.0.1:80", "*:80"],
  ["10.0.0.1:80", "0.0.0.0:80"],
  ["[::1]:80", "0.0.0.0:80"],
  ["10.0.0.1:80", "[::]:80"],
  ["host.test:80", "10.0.0.1:80"],
  ["10.0.0.1:80", "host.test:80"],
  ["443 https", "*:443"],
])("does not report Listen %s, which may include %s", (listen, host) => {
  expect(checkListen(listen, host)).toEqual([]);
});

describe("an address without a port", () => {
  const notesOf = (...lines: readonly string[]) =>
    findingsOf([virtualHostWithoutListen], wholeServer(...lines, "</VirtualHost>")).map(({ notes }) => notes?.[0]);

  test.each(["10.0.0.1", "_default_", "[::1]"])("has the port of the ServerName before it: %s", (address) => {
    expect(notesOf("ServerName a:8081", "Listen 80", `<VirtualHost ${address}>`)).toEqual([
      "an address without a port has that of the `ServerName` before it: 8081",
    ]);
    expect(notesOf("ServerName a:80", "Listen 80", `<VirtualHost ${address}>`)).toEqual([]);
    expect(notesOf("ServerName a", "Listen 80", `<VirtualHost ${address}>`)).toEqual([]);
    expect(
      notesOf("Listen 80", `<VirtualHost ${address}>`, "</VirtualHost>", "ServerName a:8081", "<VirtualHost *>"),
    ).toEqual([]);
  });

  test("is for all ports if it is a star", () => {
    expect(notesOf("ServerName a:8081", "Listen 80", "<VirtualHost *>")).toEqual([]);
    expect(notesOf("ServerName a:8081", "Listen 80", "<VirtualHost 10.0.0.1:*>")).toEqual([]);
  });

  test("is not the cause beside another port", () => {
    expect(notesOf("ServerName a:8081", "Listen 80", "<VirtualHost 10.0.0.1:8082>")).toEqual([
      "httpd starts without a warning",
    ]);
  });
});

const unmatched = ["Listen 80", "<VirtualHost *:8080>", "</VirtualHost>"];

test.each([
  ["a server without modules", unmatched.join("\n"), {}],
  ["a server with a missing file", wholeServer(...unmatched, "Include missing.conf"), {}],
  ["a server with an empty directory", wholeServer(...unmatched, "IncludeOptional sites/*.conf"), {}],
  ["a server without any Listen", wholeServer(...unmatched.slice(1)), {}],
  ["a fragment", wholeServer(...unmatched), { kind: "fragment" }],
  ["a server of 2.2", wholeServer(...unmatched), { release: "2.2" }],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});

const server = (...lines: readonly string[]) =>
  wholeServer("Listen 80", ...lines, "<VirtualHost *:443>", "</VirtualHost>");
const inModule = ["<IfModule mod_ssl.c>", "Listen 443", "</IfModule>"];

test.each([
  ["the port", ["<IfDefine SSL>", "Listen 443", "</IfDefine>"]],
  ["the address", ["<IfDefine SSL>", "Listen 0.0.0.0:443 https", "</IfDefine>"]],
  [
    "it in sections as SUSE has them",
    ["<IfDefine SSL>", "<IfDefine !NOSSL>", ...inModule, "</IfDefine>", "</IfDefine>"],
  ],
])("does not report a host if a start with -D may listen on %s", (_, lines) => {
  expect(check(server(...lines))).toEqual([]);
});

test.each([
  ["listens on another port", ["<IfDefine SSL>", "Listen 8443", "</IfDefine>"]],
  ["would need another module", inModule],
  ["does not listen if it is made with -D", ["Define PLAIN", "<IfDefine !PLAIN>", "Listen 443", "</IfDefine>"]],
])("reports a host if a start %s", (_, lines) => {
  expect(check(server(...lines))).toEqual(["no `Listen` line for the virtual host `*:443`"]);
});
