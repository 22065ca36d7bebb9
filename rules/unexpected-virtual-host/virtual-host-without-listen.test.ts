import { expect, test } from "vitest";
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
