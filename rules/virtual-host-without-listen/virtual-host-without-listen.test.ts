import { expect, test } from "vitest";
import { findingsOf, type Given, wholeServer } from "../../test/support/rules.js";
import { virtualHostWithoutListen } from "./virtual-host-without-listen.js";

const seen = (text: string, given?: Given) =>
  findingsOf([virtualHostWithoutListen], text, given).map(({ message }) => message);
const at = (listen: string, host: string) =>
  seen(wholeServer(`Listen ${listen}`, `<VirtualHost ${host}>`, "</VirtualHost>"));

test.each([
  ["80", "*:8080"],
  ["80", "10.0.0.1:8080"],
  ["127.0.0.1:80", "10.0.0.1:80"],
  ["127.0.0.1:80", "10.0.0.1"],
  ["0.0.0.0:80", "[::1]:80"],
  ["[::1]:80", "10.0.0.1:80"],
])("Listen %s does not include %s", (listen, host) => {
  expect(at(listen, host)).toEqual([`no \`Listen\` line for the virtual host \`${host}\``]);
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
  ["host.test:80", "10.0.0.1:80"],
  ["10.0.0.1:80", "host.test:80"],
  ["443 https", "*:443"],
])("Listen %s may include %s", (listen, host) => {
  expect(at(listen, host)).toEqual([]);
});

const apart = ["Listen 80", "<VirtualHost *:8080>", "</VirtualHost>"];

test.each([
  ["without modules", apart.join("\n"), {}],
  ["with a file that is missing", wholeServer(...apart, "Include missing.conf"), {}],
  ["with a folder that is empty", wholeServer(...apart, "IncludeOptional sites/*.conf"), {}],
  ["without any Listen", wholeServer(...apart.slice(1)), {}],
  ["of a fragment", wholeServer(...apart), { kind: "fragment" }],
  ["of 2.2", wholeServer(...apart), { release: "2.2" }],
] as const)("says nothing %s", (_, text, given) => {
  expect(seen(text, given)).toEqual([]);
});
