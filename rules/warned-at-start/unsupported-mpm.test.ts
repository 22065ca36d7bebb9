import { describe, expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { warnedAtStart } from "./warned-at-start.js";

const check = (modules: readonly string[], ...lines: readonly string[]) =>
  findingsOf(
    [warnedAtStart],
    [
      ...[...modules, "unixd", "authz_core"].map((name) => `LoadModule ${name}_module mod_${name}.so`),
      "Listen 80",
      ...lines,
      "",
    ].join("\n"),
  );
const load = "LoadModule http2_module mod_http2.so";
const offered = "browsers get HTTP/1.1: httpd does not offer HTTP/2 in the TLS handshake";

describe("mod_http2 with the MPM prefork is reported", () => {
  test.each<readonly [string, readonly string[], string, boolean, number]>([
    ["at Protocols", ["Protocols h2 http/1.1"], "Protocols h2 http/1.1", true, 1],
    ["at Protocols of a host", ["<VirtualHost *:80>", "Protocols h2", "</VirtualHost>"], "Protocols h2", true, 1],
    ["in upper case", ["Protocols H2 h2c http/1.1"], "Protocols H2 h2c http/1.1", true, 1],
    ["without Protocols", [], load, false, 1],
    ["with other Protocols", ["Protocols http/1.1"], load, false, 1],
    ["with mod_php", ["LoadModule php_module mod_php.so", "Protocols h2"], "Protocols h2", true, 2],
  ])("%s", (_, lines, text, isOffered, helps) => {
    const [finding, ...more] = check(["mpm_prefork", "http2"], ...lines);
    expect(more).toEqual([]);
    expect(finding?.text).toBe(text);
    expect(finding?.notes?.includes(offered)).toBe(isOffered);
    expect(finding?.help).toHaveLength(helps);
  });
});

describe("is not reported", () => {
  test.each<readonly [string, readonly string[]]>([
    ["with event", ["mpm_event", "http2"]],
    ["with worker", ["mpm_worker", "http2"]],
    ["without mod_http2", ["mpm_prefork"]],
    ["with mod_proxy_http2 only", ["mpm_prefork", "proxy", "proxy_http2"]],
    ["with TLS", ["mpm_prefork", "ssl"]],
  ])("%s", (_, modules) => {
    expect(check(modules)).toEqual([]);
  });
});
