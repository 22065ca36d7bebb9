import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, wholeServer } from "../../test/support/rules.js";
import { ignoredDirective } from "./ignored-directive.js";

const check = (text: string, given?: Given) =>
  findingsOf([ignoredDirective], text, given).map(({ severity, text: underlined, notes = [] }) => [
    severity,
    underlined,
    /AH\d+/.exec(notes.join())?.[0],
  ]);

const section = (name: string, line: string) => `<${name} x>\n${line}\n</${name}>\n`;

describe("reports directives that 2.4 ignores", () => {
  test.each([
    ["DefaultType text/plain\n", "warning", "AH00117"],
    [inDirectory("DefaultType text/html"), "warning", "AH00117"],
    ["NameVirtualHost *:80\n", "info", "AH00548"],
    [section("Location", "AllowOverride None"), "warning", "AH00114"],
    [section("LocationMatch", "AllowOverride All"), "warning", "AH00114"],
    [section("FilesMatch", "AllowOverride None"), "warning", "AH00114"],
    [inDirectory("<Files x>", "AllowOverride None", "</Files>"), "warning", "AH00114"],
    [inDirectory("<If true>", "AllowOverrideList None", "</If>"), "warning", "AH00115"],
  ])("%j", (text, severity, number) => {
    const line = text.split("\n").find((each) => !each.startsWith("<"));
    expect(check(text)).toEqual([[severity, line, number]]);
  });

  test.each([
    ["<DirectoryMatch>", section("DirectoryMatch", "AllowOverride None")],
    ["<Directory ~>", `<Directory ~ x>\nAllowOverride None\n</Directory>\n`],
    ["<Directory ~>", `${inDirectory("AllowOverride None")}<Directory ~ x>\nAllowOverride None\n</Directory>\n`],
  ])("such as AllowOverride in %s, which 2.4 ignores silently", (name, text) => {
    const [finding, ...others] = findingsOf([ignoredDirective], text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: "AllowOverride None" });
    expect(finding?.message).toBe(`\`AllowOverride\` has no effect in \`${name}\``);
    expect(finding?.notes?.[0]).toBe("`AllowOverride` applies only in a `<Directory>` with a path");
  });

  test("in a `.htaccess` file", () => {
    expect(check("DefaultType text/plain\n", { kind: "htaccess" })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    "DefaultType none\n",
    "DefaultType None\n",
    inDirectory("AllowOverride None"),
    '<Directory "/srv/[e]*">\nAllowOverride None\n</Directory>\n',
    '<Directory "~">\nAllowOverride None\n</Directory>\n',
    section("DirectoryMatch", "Options None"),
    inDirectory("ForceType text/plain"),
    "<IfVersion < 2.4>\nNameVirtualHost *:80\n</IfVersion>\n",
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });

  test("2.2, or the top level of a fragment", () => {
    const old = `DefaultType text/plain\nNameVirtualHost *:80\n`;
    expect(check(old, { release: "2.2" })).toEqual([]);
    expect(check("AllowOverride None\n", { kind: "fragment" })).toEqual([]);
  });
});

describe("AllowEncodedSlashes of the main server", () => {
  const host = (...lines: readonly string[]) =>
    `<VirtualHost *:80>\nServerName a.test\n${lines.join("\n")}\n</VirtualHost>\n`;
  const found = (...lines: readonly string[]) =>
    findingsOf([ignoredDirective], wholeServer("Listen 80", ...lines)).map(({ text, message }) => [text, message]);
  const message = "`AllowEncodedSlashes` of the main server has no effect in virtual hosts";

  test.each(["NoDecode", "On"])("%s is not inherited by virtual hosts", (value) => {
    expect(found(`AllowEncodedSlashes ${value}`, host())).toEqual([[`AllowEncodedSlashes ${value}`, message]]);
  });

  test.each([
    ["there are no virtual hosts", ["AllowEncodedSlashes On"]],
    ["a virtual host has its own", ["AllowEncodedSlashes On", host("AllowEncodedSlashes On")]],
    ["it is the default", ["AllowEncodedSlashes Off", host()]],
    ["it is in a virtual host", [host("AllowEncodedSlashes On"), host()]],
  ])("is not reported if %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });

  test("is not reported in a part of a server", () => {
    expect(findingsOf([ignoredDirective], `AllowEncodedSlashes On\n${host()}`, { kind: "fragment" })).toEqual([]);
  });
});
