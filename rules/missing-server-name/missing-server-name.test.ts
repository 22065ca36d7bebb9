import { expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { missingServerName } from "./missing-server-name.js";

const check = (text: string, given?: Given) =>
  findingsOf([missingServerName], text, given).map(({ severity, text: underlined }) => [severity, underlined]);
const host = section("VirtualHost *:80", "ServerName a.test");

test("reports a server if only its virtual hosts have names", () => {
  expect(check(wholeServer("Listen 80", host))).toEqual([["info", "Listen 80"]]);
});

test.each([
  ["a server with a name", wholeServer("Listen 80", "ServerName x.test", host), {}],
  [
    "a server with a name in an included file",
    wholeServer("Listen 80", "Include name.conf"),
    { files: { "/etc/httpd/name.conf": "ServerName x.test\n" } },
  ],
  ["a server with a missing file", wholeServer("Listen 80", "Include name.conf"), {}],
  ["a server with an unknown module", wholeServer("LoadModule odd_module odd.so", "Listen 80"), {}],
  ["a part of a server", host, {}],
  ["a server of 2.2", wholeServer("Listen 80"), { release: "2.2" }],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});
