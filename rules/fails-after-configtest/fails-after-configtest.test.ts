import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { failsAfterConfigtest } from "./fails-after-configtest.js";

const check = (...lines: readonly string[]) =>
  findingsOf([failsAfterConfigtest], wholeServer(...lines)).map(({ text }) => text);

describe("Listen", () => {
  test.each([
    ["80", "127.0.0.1:80"],
    ["*:80", "10.0.0.1:80"],
    ["0.0.0.0:80", "127.0.0.1:80"],
  ])("reports a conflict of %s with %s in any order", (any, one) => {
    expect(check(`Listen ${any}`, `Listen ${one}`)).toEqual([`Listen ${one}`]);
    expect(check(`Listen ${one}`, `Listen ${any}`)).toEqual([`Listen ${one}`]);
  });

  test("reports an IPv6 address after a line for all addresses", () => {
    expect(check("Listen 80", "Listen [::1]:80")).toEqual(["Listen [::1]:80"]);
  });

  test.each([
    ["another port", ["Listen 80", "Listen 127.0.0.1:8080"]],
    ["two addresses", ["Listen 127.0.0.1:80", "Listen 127.0.0.2:80"]],
    ["all addresses of each family", ["Listen 0.0.0.0:80", "Listen [::]:80"]],
    ["an IPv6 address before a line for all addresses", ["Listen [::1]:80", "Listen 80"]],
    ["an IPv6 address after a line for all IPv4 addresses", ["Listen 0.0.0.0:80", "Listen [::1]:80"]],
    ["a name", ["Listen 80", "Listen localhost:80"]],
    ["SO_REUSEPORT", ["ListenCoresBucketsRatio 1", "Listen 80", "Listen 127.0.0.1:80"]],
    ["a missing file", ["Listen 80", "Listen 127.0.0.1:80", "Include missing.conf"]],
  ])("does not report %s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});

describe("TLS", () => {
  const ssl = ["LoadModule ssl_module mod_ssl.so", "Listen 443"];
  const host = (...lines: readonly string[]) => section("VirtualHost *:443", ...lines);
  const md = ["LoadModule md_module mod_md.so"];
  const certificate = "SSLCertificateFile /etc/x.pem";
  const cache = "SSLStaplingCache shmcb:stapling(32768)";

  test("reports TLS without a certificate", () => {
    expect(check(...ssl, host("SSLEngine on"))).toEqual(["SSLEngine on"]);
    expect(check(...ssl, "SSLEngine on")).toEqual(["SSLEngine on"]);
  });

  // A live 2.4.71 does not start with the first group, and starts with the second.
  test.each([
    ["SSLProtocol -all", "SSLProtocol -all"],
    ["SSLProtocol -TLSv1", "SSLProtocol -TLSv1"],
    ["SSLProtocol TLSv1.2 -TLSv1.2", "SSLProtocol TLSv1.2 -TLSv1.2"],
    ["SSLProtocol all -TLSv1.3 -TLSv1.2 -TLSv1.1 -TLSv1 -SSLv3", "SSLProtocol all -TLSv1.3"],
  ])("reports a server without protocols: %s", (line, text) => {
    const [found = "", ...others] = check(...ssl, host("SSLEngine on", certificate, line));
    expect(found.startsWith(text)).toBe(true);
    expect(others).toEqual([]);
    expect(check(...ssl, line, host("SSLEngine on", certificate))).toHaveLength(1);
  });

  test("reports backends without protocols", () => {
    const line = "SSLProxyProtocol -all";
    expect(check("Listen 80", ssl[0] ?? "", host("SSLProxyEngine on", line))).toEqual([line]);
  });

  test.each([
    ["protocols", [host("SSLEngine on", certificate, "SSLProtocol -all +TLSv1.2")]],
    ["the protocols of a host", ["SSLProtocol -all", host("SSLEngine on", certificate, "SSLProtocol TLSv1.2")]],
    ["one protocol", [host("SSLEngine on", certificate, "SSLProtocol all -SSLv3 -TLSv1 -TLSv1.1 -TLSv1.2")]],
    ["the oldest one", [host("SSLEngine on", certificate, "SSLProtocol all -TLSv1 -TLSv1.1 -TLSv1.2 -TLSv1.3")]],
    ["no TLS", [host("SSLProtocol -all", "SSLProxyProtocol -all"), "SSLProtocol -all"]],
    ["TLS that clients may request", [host("SSLEngine optional", certificate, "SSLProtocol -all")]],
  ])("does not report a server with %s", (_, lines) => {
    expect(check(...ssl, ...lines)).toEqual([]);
  });

  // All asked of 2.4.71: it reports AH02572.
  test.each([
    ["no domain", []],
    ["a domain for other names", ["MDomain b.test"]],
    ["a domain of which the name is below", ["MDomain test"]],
  ])("reports a name that mod_md does not manage: %s", (_, lines) => {
    expect(check(...ssl, ...md, ...lines, host("ServerName a.test", "SSLEngine on"))).toEqual(["SSLEngine on"]);
  });

  test("reports stapling without a cache", () => {
    expect(check(...ssl, host("SSLEngine on", certificate, "SSLUseStapling on"))).toEqual(["SSLUseStapling on"]);
    expect(check(...ssl, "SSLUseStapling on", host("SSLEngine on", certificate))).toEqual(["SSLUseStapling on"]);
  });

  test.each([
    ["a host with its own certificate", [host("SSLEngine on", certificate)]],
    ["an inherited certificate", [certificate, host("SSLEngine on")]],
    ["a domain in a virtual host", [...md, host("ServerName a.test", "SSLEngine on", "MDomain a.test")]],
    ["a name that mod_md manages", [...md, "MDomain B.test a.test", host("ServerName A.test", "SSLEngine on")]],
    [
      "an alias that mod_md manages",
      [...md, "MDomain b.test", host("ServerName a.test", "ServerAlias b.test", "SSLEngine on")],
    ],
    [
      "a name below a managed domain",
      [...md, "MDomain b.test *.b.test", host("ServerName https://a.b.test:443", "SSLEngine on")],
    ],
    [
      "a member of a managed domain",
      [...md, "<MDomainSet b.test>\nMDMember a.test\n</MDomainSet>", host("ServerName a.test", "SSLEngine on")],
    ],
    [
      "the name of the main server, which mod_md manages",
      [...md, "ServerName a.test", "MDomain a.test", host("SSLEngine on")],
    ],
    ["a host without TLS", [host("SSLEngine off", "SSLUseStapling on")]],
    ["a host without stapling", ["SSLUseStapling on", host("SSLEngine on", certificate, "SSLUseStapling off")]],
    ["stapling with a cache", [cache, host("SSLEngine on", certificate, "SSLUseStapling on")]],
  ])("does not report %s", (_, lines) => {
    expect(check(...ssl, ...lines)).toEqual([]);
  });
});

describe("a module without another that it needs", () => {
  const load = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module mod_${name}.so`);

  test("is reported for each missing one", () => {
    expect(check("Listen 80", ...load("auth_form"))).toEqual([load("auth_form")[0], load("auth_form")[0]]);
    expect(check("Listen 80", ...load("proxy", "proxy_balancer"))).toEqual(load("proxy_balancer"));
  });

  test.each([
    ["all modules in any order", ["Listen 80", ...load("auth_form", "request", "session")]],
    ["a module whose functions are missing, which `configtest` reports", ["Listen 80", ...load("proxy_http")]],
    ["a part of a server", load("auth_form")],
    ["a file that is not here", ["Listen 80", "Include missing.conf", ...load("auth_form")]],
    ["a section that does not apply", ["Listen 80", "<IfModule none>", ...load("auth_form"), "</IfModule>"]],
  ])("does not report %s", (_, lines) => {
    expect(check(...lines)).toEqual([]);
  });
});

// A live 2.4.71 starts with the second group, and not with the first.
describe("a balancer without the module of its method", () => {
  const proxy = ["proxy", "proxy_http", "proxy_balancer", "slotmem_shm"].map(
    (name) => `LoadModule ${name}_module mod_${name}.so`,
  );
  const bytraffic = "LoadModule lbmethod_bytraffic_module mod_lbmethod_bytraffic.so";
  const member = "BalancerMember http://127.0.0.1:9";

  test.each<[what: string, lines: readonly string[], text: string]>([
    ["of a section", [section("Proxy balancer://g", member)], member],
    ["of a target", ["ProxyPass /x balancer://g"], "ProxyPass /x balancer://g"],
    ["of a pattern", ["ProxyPassMatch ^/x(.*) balancer://g$1"], "ProxyPassMatch ^/x(.*) balancer://g$1"],
    ["of a member with a name", ["BalancerMember balancer://g http://a"], "BalancerMember balancer://g http://a"],
    ["of a location", [section("Location /y", "ProxyPass balancer://g")], "ProxyPass balancer://g"],
    ["with another method's module", [bytraffic, section("Proxy balancer://g", member)], member],
    [
      "of another server",
      [
        bytraffic,
        section("VirtualHost *:80", "ProxyPass /q balancer://g lbmethod=bytraffic"),
        section("Proxy balancer://g", member),
      ],
      member,
    ],
  ])("is reported: %s", (_, lines, text) => {
    expect(check("Listen 80", ...proxy, ...lines)).toEqual([text]);
  });

  test.each<[what: string, lines: readonly string[]]>([
    ["an empty section", [section("Proxy balancer://g")]],
    ["a rule", ["LoadModule rewrite_module mod_rewrite.so", "RewriteRule ^/x balancer://g/ [P]"]],
    [
      "another method in its section",
      [bytraffic, section("Proxy balancer://g", member, "ProxySet lbmethod=bytraffic")],
    ],
    [
      "another method in a later line",
      [bytraffic, section("Proxy balancer://g", member), "ProxyPass /x balancer://g lbmethod=bytraffic"],
    ],
    ["another method in the tag of its section", [bytraffic, section("Proxy balancer://g lbmethod=bytraffic", member)]],
    ["the module", ["LoadModule lbmethod_byrequests_module m.so", section("Proxy balancer://g", member)]],
  ])("is not reported with %s", (_, lines) => {
    expect(check("Listen 80", ...proxy, ...lines)).toEqual([]);
  });
});
