import { describe, expect, test } from "vitest";
import { findingsOf, section } from "../../test/support/rules.js";
import { duplicateHeader } from "./duplicate-header.js";

const found = (text: string, kind?: "htaccess") =>
  findingsOf([duplicateHeader], `${text}\n`, kind ? { kind } : {}).map(({ message, at }) => [
    at.split(":")[0],
    message,
  ]);
const twice = (name: string) => `the header \`${name}\` is sent twice: \`always\` has a table of its own`;

const plain = "Header set X-Frame-Options DENY";
const always = "Header always set X-Frame-Options SAMEORIGIN";

describe("reports a header in both tables", () => {
  test("names both lines of one file", () => {
    const helpOf = (text: string, files = {}) =>
      findingsOf([duplicateHeader], text, { files })[0]?.help?.[0]?.split(";")[0];
    expect(helpOf(`${always}\n\n${plain}\n`)).toBe("delete one of the lines 1 and 3");
    const server = `DocumentRoot /srv\n${always}\n${section("Directory /srv", "AllowOverride All")}`;
    expect(helpOf(server, { "/srv/.htaccess": `${plain}\n` })).toBe("delete one of the lines");
  });

  test.each([
    `${plain}\n${always}`,
    `${always}\n${plain}`,
    `${plain}\n${always.replace("SAMEORIGIN", "DENY")}`,
    `Header onsuccess set x-frame-options: DENY\n${always}`,
  ])("%s", (lines) => {
    const name = "X-Frame-Options";
    expect(found(lines)).toEqual([["2", twice(name)]]);
    expect(found(lines, "htaccess")).toEqual([["2", twice(name)]]);
    expect(found(section("VirtualHost *:80", lines))).toEqual([["3", twice(name)]]);
    expect(found(section("Directory /srv", lines))).toEqual([["3", twice(name)]]);
  });

  test("also of an outer section", () => {
    expect(found(`${always}\n${section("VirtualHost *:80", plain)}`)).toEqual([["3", twice("X-Frame-Options")]]);
    expect(found(section("VirtualHost *:80", always, section("Location /a", plain)))).toEqual([
      ["4", twice("X-Frame-Options")],
    ]);
  });

  test("and in a `.htaccess` file of the server", () => {
    const server = `DocumentRoot /srv\n${always}\n${section("Directory /srv", "AllowOverride All")}`;
    const findings = findingsOf([duplicateHeader], server, { files: { "/srv/.htaccess": `${plain}\n` } });
    expect(findings.map(({ message, related }) => [message, related])).toEqual([
      [twice("X-Frame-Options"), ["httpd.conf:2:1: sets the header in the other table"]],
    ]);
  });
});

test.each([
  `${plain}\n${plain}`,
  `${always}\n${always}`,
  `${plain}\nHeader always set X-Content-Type-Options nosniff`,
  `${plain}\nHeader unset X-Frame-Options\n${always}`,
  `Header onsuccess unset X-Frame-Options\n${always}`,
  `${always}\nHeader always unset X-Frame-Options\n${plain}`,
  `${plain}\n${always} env=A`,
  `${plain}\n${always} "expr=%{REQUEST_STATUS} == 404"`,
  `Header setifempty X-Frame-Options DENY\n${always}`,
  `Header append X-Frame-Options DENY\n${always}`,
  `RequestHeader set X-Frame-Options DENY\n${always}`,
  section("Location /a", plain) + section("Location /b", always),
])("does not report %s", (text) => {
  expect(found(text)).toEqual([]);
});
