import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, inDirectory, lintText, onlyVariant, section } from "../../test/support/rules.js";
import { inactiveRewriteRule } from "./inactive-rewrite-rule.js";

const rewriteEngineOff = onlyVariant(inactiveRewriteRule, "rewrite-engine-off");

const rule = "RewriteRule ^a - [F]";

const check = (text: string, given?: Given) =>
  findingsOf([rewriteEngineOff], text, given).map(({ severity, at }) => [severity, at]);

describe("reports rules without the engine", () => {
  test("on the server, in a virtual host, and in a directory", () => {
    expect(check(`${rule}\n`)).toEqual([["warning", "1:1-1:21"]]);
    expect(check(section("VirtualHost *:80", rule))).toEqual([["warning", "2:1-2:21"]]);
    expect(check(inDirectory(rule))).toEqual([["warning", "2:1-2:21"]]);
  });

  test("in one of two virtual hosts", () => {
    const other = section("VirtualHost *:80", "RewriteEngine On", rule);
    expect(check(other + section("VirtualHost *:80", rule))).toEqual([["warning", "6:1-6:21"]]);
  });

  test("beside a conditional section of another place that does not apply", () => {
    const inactive = section("IfDefine Nope", "RewriteEngine On").trimEnd();
    const host = (...lines: readonly string[]) => section("VirtualHost *:80", ...lines);
    expect(check(host(inactive) + host(rule))).toEqual([["warning", "7:1-7:21"]]);
    expect(check(`${section("Location /docs", inactive)}${rule}\n`)).toEqual([["warning", "6:1-6:21"]]);
    expect(check(section('Directory "/usr/share"', inactive) + host(rule))).toEqual([["warning", "7:1-7:21"]]);
    expect(
      check(`${section("IfModule mod_x.c", "<VirtualHost *:80>", "RewriteEngine On", "</VirtualHost>")}${rule}\n`),
    ).toEqual([["warning", "6:1-6:21"]]);
    expect(check(host(inactive, rule))).toEqual([]);
    expect(check(`${inactive}\n${host(rule)}`)).toEqual([]);
  });

  test("in a `.htaccess` file, with a note", () => {
    const [finding] = findingsOf([rewriteEngineOff], `${rule}\n`, { kind: "htaccess" });
    expect(finding?.notes).toContain("a directory above may turn it on, but this file is checked on its own");
  });

  test("in a virtual host of a fragment, with a note about the main server", () => {
    const notesOf = (kind: "server" | "fragment") =>
      findingsOf([rewriteEngineOff], section("VirtualHost *:80", rule), { kind }).map(({ notes }) => notes);
    const byDefault = "the engine is off by default";
    expect(notesOf("server")).toEqual([[byDefault]]);
    expect(notesOf("fragment")).toEqual([
      [byDefault, "the main server may turn it on, but this file is checked on its own"],
    ]);
  });

  test("on 2.2, in a directory below one with the engine", () => {
    const text = inDirectory("RewriteEngine On") + section('Directory "/srv/a"', rule);
    expect(check(text, { release: "2.2" })).toHaveLength(1);
    expect(check(text)).toEqual([]);
  });

  test("after the engine is turned off", () => {
    expect(check(`RewriteEngine Off\n${rule}\n`)).toEqual([["info", "2:1-2:21"]]);
  });
});

describe("does not report", () => {
  test.each([
    `RewriteEngine On\n${rule}\n`,
    `${rule}\nRewriteEngine on\n`,
    `RewriteEngine On\n${section("VirtualHost *:80", rule)}`,
    `RewriteEngine On\n${inDirectory(rule)}`,
    "RewriteEngine Off\n",
    `RewriteEngin On\n${rule}\n`,
    `<IfModule mod_x.c>\nRewriteEngine On\n</IfModule>\n${rule}\n`,
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });

  test("a fragment, whose context is unknown", () => {
    expect(check(`${rule}\n`, { kind: "fragment" })).toEqual([]);
  });
});

test("the fix turns the engine on before the first condition", () => {
  const text = `RewriteCond %{HTTPS} off\n${rule}\n`;
  const [finding] = lintText([rewriteEngineOff], text, { kind: "htaccess" });
  const fixed = finding?.fix ? applyEdits(text, finding.fix.edits) : "";
  expect(fixed).toBe(`RewriteEngine On\n${text}`);
  expect(check(fixed, { kind: "htaccess" })).toEqual([]);
});

test.each([
  ["beside it", "/opt", 1],
  ["below it", "/srv/a", 1],
  ["with a name that begins alike", "/sr", 1],
  ["above it", "/", 0],
  ["by a pattern", "/s*", 0],
])("the engine of a directory %s: %i findings", (_, directory, count) => {
  const other = section(`Directory "${directory}"`, "RewriteEngine On");
  expect(check(other + inDirectory(rule))).toHaveLength(count);
});

test("the engine of a `.htaccess` file beside another", () => {
  const files = { "/srv/a/.htaccess": `${rule}\n`, "/srv/b/.htaccess": `RewriteEngine On\n${rule}\n` };
  expect(check(`DocumentRoot /srv\n${inDirectory("AllowOverride All")}`, { files })).toHaveLength(1);
});
