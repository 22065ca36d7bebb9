import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { missingResponseHeader } from "./missing-response-header.js";

const check = (text: string) =>
  findingsOf([missingResponseHeader], text).map((finding) => [finding.text, finding.message]);

const headers = "LoadModule headers_module mod_headers.so";
const host = (...lines: readonly string[]) => section("VirtualHost *:80", ...lines);
const checkServer = (...lines: readonly string[]) => check(wholeServer(headers, "Listen 80", ...lines));
const [frames, referrer, permissions] = [
  "Header always set X-Frame-Options SAMEORIGIN",
  "Header set Referrer-Policy no-referrer",
  "Header append Permissions-Policy camera=()",
];

describe("reports", () => {
  test("each virtual host with the headers that it lacks", () => {
    expect(checkServer(frames, host(), host(referrer, permissions))).toEqual([
      ["<VirtualHost *:80>", "no `Header` line sets `Referrer-Policy` and `Permissions-Policy`"],
    ]);
  });

  test("a server without virtual hosts", () => {
    expect(checkServer(frames, permissions)).toEqual([["Listen 80", "no `Header` line sets `Referrer-Policy`"]]);
  });

  test("a line that deletes the header", () => {
    expect(checkServer(referrer, permissions, "Header unset X-Frame-Options")).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["all headers", [frames, referrer, permissions]],
    ["headers of the main server and the virtual host", [referrer, permissions, host(frames)]],
    ["Content-Security-Policy", ["Header set Content-Security-Policy \"default-src 'self'\"", referrer, permissions]],
    ["a header in a section", [referrer, permissions, section("Location /", frames)]],
  ])("%s", (_, lines) => {
    expect(checkServer(...lines)).toEqual([]);
  });

  test("a part of a server", () => {
    expect(check(host())).toEqual([]);
  });
});
