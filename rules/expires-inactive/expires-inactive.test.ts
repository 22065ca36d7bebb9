import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, inDirectory, lintText, section } from "../../test/support/rules.js";
import { expiresInactive } from "./expires-inactive.js";

const line = 'ExpiresByType text/html "access plus 1 month"';

const check = (text: string, given?: Given) => findingsOf([expiresInactive], text, given).map(({ at }) => at);

describe("reports", () => {
  test("the first line of each section", () => {
    expect(check(`${line}\n${line}\n`)).toEqual(["1:1-1:46"]);
    expect(check(inDirectory("ExpiresDefault A10", line))).toEqual(["2:1-2:19"]);
    expect(check(`ExpiresActive Off\n${line}\n`)).toEqual(["2:1-2:46"]);
  });

  test("a `.htaccess` file, as an info with a note", () => {
    const [finding] = findingsOf([expiresInactive], `${line}\n`, { kind: "htaccess" });
    expect(finding?.severity).toBe("info");
    expect(finding?.notes).toContain("a directory above may turn it on, but this file is checked on its own");
  });
});

test("reports beside a conditional section of another place that does not apply", () => {
  const inactive = section("IfModule mod_x.c", "ExpiresActive On").trimEnd();
  const other = section('Directory "/usr/share/docs"', inactive);
  expect(check(other + section('Directory "/srv/www"', line))).toEqual(["7:1-7:46"]);
  expect(check(section("VirtualHost *:80", inactive) + section("VirtualHost *:80", line))).toEqual(["7:1-7:46"]);
  const within = section("IfDefine Nope", '<Directory "/usr/share/docs">', "ExpiresActive On", "</Directory>");
  expect(check(within + section('Directory "/srv/www"', line))).toEqual(["7:1-7:46"]);
  const above = section("IfDefine Nope", '<Directory "/srv">', "ExpiresActive On", "</Directory>");
  expect(check(above + section('Directory "/srv/www"', line))).toEqual([]);
});

describe("does not report", () => {
  test.each([
    `ExpiresActive On\n${line}\n`,
    `ExpiresActive On\n${inDirectory(line)}`,
    inDirectory("ExpiresActive On") + inDirectory(line),
    `<IfModule mod_x.c>\nExpiresActive On\n</IfModule>\n${line}\n`,
    "ExpiresActive Off\n",
    `ExpireActive On\n${line}\n`,
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });

  test("a fragment, whose context is unknown", () => {
    expect(check(`${line}\n`, { kind: "fragment" })).toEqual([]);
  });
});

test("the fix adds the line before the first one", () => {
  const [finding] = lintText([expiresInactive], `  ${line}\n`);
  const fixed = finding?.fix ? applyEdits(`  ${line}\n`, finding.fix.edits) : "";
  expect(fixed).toBe(`  ExpiresActive On\n  ${line}\n`);
  expect(check(fixed)).toEqual([]);
});

test.each([
  ["a directory beside it", section('Directory "/opt"', "ExpiresActive On"), 1],
  ["another virtual host", section("VirtualHost *:80", "ExpiresActive On"), 0],
  ["a directory below it", section('Directory "/srv/a"', "ExpiresActive On"), 0],
  ["a directory above it", section('Directory "/"', "ExpiresActive On"), 0],
  ["a location", section('Location "/a"', "ExpiresActive On"), 0],
])("ExpiresActive in %s: %i findings", (_, other, count) => {
  expect(check(other + inDirectory(line))).toHaveLength(count);
});

test("ExpiresActive in another virtual host does not matter in a virtual host", () => {
  const host = (...lines: readonly string[]) => section("VirtualHost *:80", ...lines);
  expect(check(host("ExpiresActive On") + host(line))).toHaveLength(1);
});
