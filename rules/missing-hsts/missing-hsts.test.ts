import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { missingHsts } from "./missing-hsts.js";

const check = (text: string) => findingsOf([missingHsts], text).map((finding) => finding.text);

const modules = ["ssl", "headers"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
const host = (...lines: readonly string[]) => section("VirtualHost *:443", "SSLEngine On", ...lines);
const checkServer = (...lines: readonly string[]) => check(wholeServer(...modules, "Listen 443", ...lines));
const always = 'Header always set Strict-Transport-Security "max-age=63072000; includeSubDomains"';

describe("reports", () => {
  test.each([
    ["a virtual host without the header", [host()], ["<VirtualHost *:443>"]],
    ["the main server", ["SSLEngine On"], ["Listen 443"]],
    ["a virtual host with another header", [host('Header always set X-A "max-age=63072000"')], ["<VirtualHost *:443>"]],
    [
      "a header that a virtual host deletes",
      [always, host("Header always unset Strict-Transport-Security")],
      ["<VirtualHost *:443>"],
    ],
    [
      "a header with a short time",
      [host("Header always set Strict-Transport-Security max-age=600")],
      ["Header always set Strict-Transport-Security max-age=600"],
    ],
    [
      "a line without `always` once for all hosts that inherit it",
      ["Header set Strict-Transport-Security max-age=63072000", host(), host()],
      ["Header set Strict-Transport-Security max-age=63072000"],
    ],
  ])("%s", (_, lines, texts) => {
    expect(checkServer(...lines)).toEqual(texts);
  });
});

describe("does not report", () => {
  test.each([
    ["a header of the virtual host", [host(always)]],
    ["an inherited header", [always, host()]],
    ["a header in a section", [host(section("Location /", always))]],
    ["a header with a condition", [host(`${always} env=HTTPS`)]],
    ["a virtual host without TLS", [section("VirtualHost *:80", "SSLEngine Off")]],
    ["a header with an unknown value", [host("Header always set Strict-Transport-Security ${HSTS}")]],
  ])("%s", (_, lines) => {
    expect(checkServer(...lines)).toEqual([]);
  });

  test("a part of a server", () => {
    expect(check(host())).toEqual([]);
  });
});
