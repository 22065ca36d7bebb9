import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, section, wholeServer } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const encodedSlashes = onlyVariant(wrongTargetPath, "encoded-slashes");

const check = (...lines: readonly string[]) =>
  findingsOf(
    [encodedSlashes],
    wholeServer(
      ...["alias", "proxy", "proxy_http"].map((name) => `LoadModule ${name}_module mod_${name}.so`),
      "Listen 80",
      section("VirtualHost *:80", "ServerName a.test", ...lines),
    ),
  ).map(({ text, severity, message }) => [text, severity, message]);

const rejected = "`nocanon` does not pass on `%2F`: such URLs return 404";
const decoded = "`AllowEncodedSlashes On` passes `%2F` to the backend as a slash";

describe("nocanon without AllowEncodedSlashes", () => {
  test.each([
    "ProxyPass /app http://127.0.0.1:8080/app nocanon",
    "ProxyPass / http://127.0.0.1:8080/ nocanon",
    "AllowEncodedSlashes Off\nProxyPass / http://127.0.0.1:8080/ nocanon retry=0",
    "<Location /app>\nProxyPass http://127.0.0.1:8080/app nocanon\n</Location>",
  ])("is reported: %j", (lines) => {
    expect(check(lines)).toEqual([["nocanon", "info", rejected]]);
  });

  test.each([
    "ProxyPass / http://127.0.0.1:8080/",
    "AllowEncodedSlashes NoDecode\nProxyPass / http://127.0.0.1:8080/ nocanon",
    "AllowEncodedSlashes On\nProxyPass / http://127.0.0.1:8080/ nocanon",
    // Another line takes the requests.
    "ProxyPass / http://127.0.0.1:8080/\nProxyPass /app http://127.0.0.1:8080/app nocanon",
  ])("is not reported: %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });
});

describe("AllowEncodedSlashes On with a backend", () => {
  test.each([
    "AllowEncodedSlashes On\nProxyPass / http://127.0.0.1:8080/",
    "AllowEncodedSlashes on\nProxyPass /app http://127.0.0.1:8080/app retry=0",
    "ProxyPass /a http://127.0.0.1:8080/a nocanon\nProxyPass / http://127.0.0.1:8080/\nAllowEncodedSlashes On",
  ])("is reported: %j", (lines) => {
    expect(check(lines)).toMatchObject([[expect.stringMatching(/^AllowEncodedSlashes on$/i), "warning", decoded]]);
  });

  test.each([
    "AllowEncodedSlashes NoDecode\nProxyPass / http://127.0.0.1:8080/",
    "AllowEncodedSlashes On\nDocumentRoot /srv/www",
    "AllowEncodedSlashes On\nProxyPass /app !",
  ])("is not reported: %j", (lines) => {
    expect(check(lines)).toEqual([]);
  });
});
