import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { tlsSessionCache } from "./tls-session-cache.js";

const check = (text: string) => findingsOf([tlsSessionCache], text).map((finding) => finding.text);

const host = section("VirtualHost *:443", "SSLEngine On");
const ssl = "LoadModule ssl_module mod_ssl.so";
const checkServer = (...lines: readonly string[]) => check(wholeServer(ssl, "Listen 443", ...lines));

test("reports the first line that uses TLS", () => {
  expect(checkServer(host, host)).toEqual(["SSLEngine On"]);
  expect(checkServer("SSLEngine optional")).toEqual(["SSLEngine optional"]);
});

describe("does not report", () => {
  test.each([
    ["a cache", ["SSLSessionCache shmcb:ssl_cache(512000)", host]],
    ["a cache that is disabled on purpose", ["SSLSessionCache none", host]],
    ["a server without TLS", [section("VirtualHost *:80", "SSLEngine Off")]],
  ])("%s", (_, lines) => {
    expect(checkServer(...lines)).toEqual([]);
  });

  test("a part of a server", () => {
    expect(check(host)).toEqual([]);
  });
});
