import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { rootDirectoryOpen } from "./root-directory-open.js";

const check = (text: string) => findingsOf([rootDirectoryOpen], text).map((finding) => finding.text);

const root = (...lines: readonly string[]) => section('Directory "/"', ...lines);
const denied = root("Options None", "AllowOverride None", "Require all denied");

describe("reports", () => {
  test.each([
    [root("Require all granted"), ["Require all granted"]],
    [root("Order allow,deny", "Allow from all"), ["Allow from all"]],
    [root("AllowOverride AuthConfig", "Require all denied"), ["AllowOverride AuthConfig"]],
    [root("Options FollowSymLinks", "Require all denied"), ["Options FollowSymLinks"]],
    [wholeServer("Listen 80"), ["Listen 80"]],
    [wholeServer("Listen 80", root("Options None")), ["Listen 80"]],
    [denied + section("Directory /srv", "AllowOverride All"), ["AllowOverride All"]],
    [section("VirtualHost *", root("Require all granted")), ["Require all granted"]],
  ])("%j", (text, texts) => {
    expect(check(text)).toEqual(texts);
  });
});

describe("does not report", () => {
  test.each([
    wholeServer("Listen 80", denied),
    section("Directory /srv", "Options Indexes", "AllowOverride AuthConfig", "Require all granted"),
    root("Order deny,allow", "Deny from all"),
    root("Require ip 192.0.2.1"),
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });
});
