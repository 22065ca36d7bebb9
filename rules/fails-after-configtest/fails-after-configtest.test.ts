import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { failsAfterConfigtest } from "./fails-after-configtest.js";

const seen = (...lines: readonly string[]) =>
  findingsOf([failsAfterConfigtest], wholeServer(...lines)).map(({ text }) => text);

describe("Listen", () => {
  test.each([
    ["80", "127.0.0.1:80"],
    ["*:80", "10.0.0.1:80"],
    ["0.0.0.0:80", "127.0.0.1:80"],
  ])("%s conflicts with %s in any order", (any, one) => {
    expect(seen(`Listen ${any}`, `Listen ${one}`)).toEqual([`Listen ${one}`]);
    expect(seen(`Listen ${one}`, `Listen ${any}`)).toEqual([`Listen ${one}`]);
  });

  test("an IPv6 address after the line for all", () => {
    expect(seen("Listen 80", "Listen [::1]:80")).toEqual(["Listen [::1]:80"]);
  });

  test.each([
    ["another port", ["Listen 80", "Listen 127.0.0.1:8080"]],
    ["two addresses", ["Listen 127.0.0.1:80", "Listen 127.0.0.2:80"]],
    ["both families", ["Listen 0.0.0.0:80", "Listen [::]:80"]],
    ["an IPv6 address before all", ["Listen [::1]:80", "Listen 80"]],
    ["an IPv6 address after all of IPv4", ["Listen 0.0.0.0:80", "Listen [::1]:80"]],
    ["a name", ["Listen 80", "Listen localhost:80"]],
    ["SO_REUSEPORT", ["ListenCoresBucketsRatio 1", "Listen 80", "Listen 127.0.0.1:80"]],
    ["a missing file", ["Listen 80", "Listen 127.0.0.1:80", "Include missing.conf"]],
  ])("twins: %s", (_, lines) => {
    expect(seen(...lines)).toEqual([]);
  });
});

describe("TLS", () => {
  const ssl = ["LoadModule ssl_module mod_ssl.so", "Listen 443"];
  const host = (...lines: readonly string[]) => section("VirtualHost *:443", ...lines);
  const certificate = "SSLCertificateFile /etc/x.pem";
  const cache = "SSLStaplingCache shmcb:stapling(32768)";

  test("without a certificate", () => {
    expect(seen(...ssl, host("SSLEngine on"))).toEqual(["SSLEngine on"]);
    expect(seen(...ssl, "SSLEngine on")).toEqual(["SSLEngine on"]);
  });

  test("stapling without a cache", () => {
    expect(seen(...ssl, host("SSLEngine on", certificate, "SSLUseStapling on"))).toEqual(["SSLUseStapling on"]);
    expect(seen(...ssl, "SSLUseStapling on", host("SSLEngine on", certificate))).toEqual(["SSLUseStapling on"]);
  });

  test.each([
    ["a certificate of its own", [host("SSLEngine on", certificate)]],
    ["an inherited certificate", [certificate, host("SSLEngine on")]],
    ["mod_md", ["LoadModule md_module mod_md.so", host("SSLEngine on")]],
    ["TLS is off", [host("SSLEngine off", "SSLUseStapling on")]],
    ["stapling is off", ["SSLUseStapling on", host("SSLEngine on", certificate, "SSLUseStapling off")]],
    ["a cache", [cache, host("SSLEngine on", certificate, "SSLUseStapling on")]],
  ])("twins: %s", (_, lines) => {
    expect(seen(...ssl, ...lines)).toEqual([]);
  });
});
