import { expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { missingServerName } from "./missing-server-name.js";

const seen = (text: string, given?: Given) =>
  findingsOf([missingServerName], text, given).map(({ severity, text: underlined }) => [severity, underlined]);
const host = section("VirtualHost *:80", "ServerName a.test");

test("a server whose virtual hosts have all the names", () => {
  expect(seen(wholeServer("Listen 80", host))).toEqual([["info", "Listen 80"]]);
});

test.each([
  ["a name", wholeServer("Listen 80", "ServerName x.test", host), {}],
  [
    "a name in an included file",
    wholeServer("Listen 80", "Include name.conf"),
    { files: { "/etc/httpd/name.conf": "ServerName x.test\n" } },
  ],
  ["a missing file", wholeServer("Listen 80", "Include name.conf"), {}],
  ["an unknown module", wholeServer("LoadModule odd_module odd.so", "Listen 80"), {}],
  ["a part of a server", host, {}],
  ["2.2", wholeServer("Listen 80"), { release: "2.2" }],
] as const)("twins: %s", (_, text, given) => {
  expect(seen(text, given)).toEqual([]);
});
