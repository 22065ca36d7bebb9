import { describe, expect, test } from "vitest";
import { findingsOf, inDirectory, section, wholeServer } from "../../test/support/rules.js";
import { warnedAtStart } from "./warned-at-start.js";

const check = (...lines: readonly string[]) =>
  findingsOf([warnedAtStart], wholeServer(...lines)).map(({ text }) => text);
const checkWithListen = (...lines: readonly string[]) => check("Listen 80", ...lines);

describe("values that httpd ignores", () => {
  test.each([
    ["ErrorDocument 401 http://x.test/login", "http://x.test/login"],
    ["ErrorDocument 401 mailto:me@x.test", "mailto:me@x.test"],
    [inDirectory("AllowOverrideList Redirekt").trim(), "Redirekt"],
    [inDirectory("AllowOverrideList Require Listen").trim(), "Listen"],
    [inDirectory("AllowOverrideList RewriteRule").trim(), "RewriteRule"],
    ["LimitInternalRecursion 3", "3"],
    ["LimitInternalRecursion 10 2", "2"],
    ["LoadModule authz_core_module mod_authz_core.so", "LoadModule authz_core_module mod_authz_core.so"],
  ])("reports %s", (line, text) => {
    expect(check(line)).toEqual([text]);
  });

  test.each([
    "ErrorDocument 401 /login.html",
    'ErrorDocument 401 "see: the login page"',
    "ErrorDocument 404 http://x.test/missing",
    inDirectory("AllowOverrideList Require Options AllowOverride"),
    inDirectory("AllowOverrideList None"),
    inDirectory("AllowOverrideList ${NAMES}"),
    `LoadModule rewrite_module mod_rewrite.so\n${inDirectory("AllowOverrideList RewriteRule")}`,
    `LoadModule odd_module odd.so\n${inDirectory("AllowOverrideList OddRule")}`,
    "LimitInternalRecursion 4 10",
    "LoadModule authz_host_module mod_authz_host.so",
  ])("does not report %s", (line) => {
    expect(check(line)).toEqual([]);
  });

  test("reports only an unknown name if the modules are unknown", () => {
    const findings = findingsOf([warnedAtStart], inDirectory("AllowOverrideList RewriteRule Redirekt"));
    expect(findings.map(({ text }) => text)).toEqual(["Redirekt"]);
  });
});

describe("backends that lines share", () => {
  const proxy = "LoadModule proxy_module mod_proxy.so";

  test.each([
    ["the same URL", ["ProxyPass /a http://b.test/", "ProxyPass /c http://b.test/ timeout=5"]],
    ["a URL below the first one", ["ProxyPass /a http://b.test", "ProxyPass /c http://b.test/c timeout=5"]],
    ["another case of the host", ["ProxyPass /a http://B.test/", "ProxyPass /c http://b.test/ timeout=5"]],
    ["another value", ["ProxyPass /a http://b.test/ timeout=4", "ProxyPass /c http://b.test/ timeout=5"]],
    ["a section", ["ProxyPass /a http://b.test/", section("Location /c", "ProxyPass http://b.test/ timeout=5")]],
  ])("reports %s", (_, lines) => {
    expect(check(proxy, ...lines)).toEqual(["timeout=5"]);
  });

  test.each([
    ["a longer URL before a shorter one", ["ProxyPass /c http://b.test/c timeout=5", "ProxyPass /a http://b.test/"]],
    ["another host", ["ProxyPass /a http://b.test/", "ProxyPass /c http://b.test.x/ timeout=5"]],
    ["the same value", ["ProxyPass /a http://b.test/ timeout=5", "ProxyPass /c http://b.test/ timeout=5"]],
    ["a flag of the line", ["ProxyPass /a http://b.test/", "ProxyPass /c http://b.test/ nocanon"]],
    [
      "another virtual host",
      ["ProxyPass /a http://b.test/", section("VirtualHost *", "ProxyPass /a http://b.test/ timeout=5")],
    ],
    ["a path that is not proxied", ["ProxyPass /a http://b.test/", "ProxyPass /a/c !"]],
  ])("does not report %s", (_, lines) => {
    expect(check(proxy, ...lines)).toEqual([]);
  });
});

describe("numbers of workers", () => {
  test.each([
    [["MaxRequestWorkers 10"], ["MaxRequestWorkers 10"]],
    [["MaxRequestWorkers 1000"], ["MaxRequestWorkers 1000"]],
    [["ServerLimit 4"], ["ServerLimit 4"]],
    [["ThreadsPerChild 64"], ["ThreadsPerChild 64"]],
    [["ThreadLimit 8"], ["ThreadLimit 8"]],
    [["ThreadsPerChild 200", "MaxRequestWorkers 640"], ["ThreadsPerChild 200"]],
    [["MaxClients 90"], ["MaxClients 90"]],
  ])("reports %j", (lines, texts) => {
    expect(checkWithListen(...lines)).toEqual(texts);
  });

  test("reports those of mpm_prefork, which does not have threads", () => {
    const prefork = (...lines: readonly string[]) =>
      findingsOf(
        [warnedAtStart],
        ["mpm_prefork", "unixd", "authz_core"]
          .map((name) => `LoadModule ${name}_module mod_${name}.so`)
          .concat("Listen 80", ...lines, "")
          .join("\n"),
      ).map(({ message }) => message);
    expect(prefork("MaxRequestWorkers 300")).toEqual(["`MaxRequestWorkers` 300 needs a higher `ServerLimit` than 256"]);
    expect(prefork("MaxRequestWorkers 300", "ServerLimit 300")).toEqual([]);
  });

  test.each([
    [["MaxRequestWorkers 150", "ThreadsPerChild 25", "ThreadLimit 64", "StartServers 2"]],
    [["ServerLimit 40", "MaxRequestWorkers 1000"]],
    [["MaxRequestWorkers 0"]],
    [["MaxRequestWorkers 1000", "Include missing.conf"]],
  ])("does not report %j", (lines) => {
    expect(checkWithListen(...lines)).toEqual([]);
  });
});
