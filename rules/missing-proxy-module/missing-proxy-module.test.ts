import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { missingProxyModule } from "./missing-proxy-module.js";

const loading = (modules: readonly string[], ...lines: readonly string[]) =>
  wholeServer(...["proxy", "rewrite", ...modules].map((name) => `LoadModule ${name}_module mod_${name}.so`), ...lines);
const seen = (text: string, given?: Given) =>
  findingsOf([missingProxyModule], text, given).map(({ message, text: underlined }) => [
    /^`(.*?)`/.exec(message)?.[1],
    underlined,
  ]);

describe("a backend without its module", () => {
  test.each([
    ["ProxyPass /a http://b.test/", "proxy_http_module", "http://b.test/"],
    ["ProxyPass /a HTTPS://b.test/ timeout=5", "proxy_http_module", "HTTPS://b.test/"],
    ["ProxyPass /a ws://b.test/", "proxy_http_module", "ws://b.test/"],
    ["ProxyPass /a ajp://b.test/", "proxy_ajp_module", "ajp://b.test/"],
    ["ProxyPass /a unix:/run/x.sock|fcgi://x/", "proxy_fcgi_module", "unix:/run/x.sock|fcgi://x/"],
    ["ProxyPassMatch ^/a(.*) fcgi://b.test/$1", "proxy_fcgi_module", "fcgi://b.test/$1"],
    ["RewriteRule ^/a(.*) http://b.test$1 [P,L]", "proxy_http_module", "http://b.test$1"],
    ["ProxyPass /a balancer://b/", "proxy_balancer_module", "balancer://b/"],
  ])("%s", (line, module, url) => {
    expect(seen(loading([], line))).toEqual([[module, url]]);
  });

  test("in a section", () => {
    expect(seen(loading([], section("Location /a", "ProxyPass http://b.test/")))).toHaveLength(1);
    expect(seen(loading([], section("Files a.php", "SetHandler proxy:fcgi://b.test")))).toHaveLength(1);
    expect(seen(loading([], section("Proxy balancer://b", "BalancerMember http://b.test")))).toHaveLength(1);
  });
});

test("the effect depends on the directive", () => {
  const notesOf = (line: string) => findingsOf([missingProxyModule], loading([], line))[0]?.notes?.[1];
  expect(notesOf("ProxyPass /a http://b.test/")).toContain("500");
  expect(notesOf(section("Files a.php", "SetHandler proxy:fcgi://b.test"))).toContain("the file itself");
});

test("lines with one missing module are one finding", () => {
  const [finding, ...more] = findingsOf(
    [missingProxyModule],
    loading([], "ProxyPass /a http://b.test/", "ProxyPass /c http://d.test/"),
  );
  expect(more).toEqual([]);
  expect(finding?.related).toEqual(["httpd.conf:7:14: also needs the module"]);
});

test("on Debian, a2enmod", () => {
  const [finding] = findingsOf([missingProxyModule], "Include mods-enabled/*.load\nProxyPass /a http://b.test/\n", {
    files: { "/etc/httpd/mods-enabled/proxy.load": loading([]) },
  });
  expect(finding?.help).toEqual(["run `a2enmod proxy_http`"]);
});

test.each([
  ["the module is loaded", loading(["proxy_http"], "ProxyPass /a http://b.test/"), {}],
  ["the other module for ws", loading(["proxy_wstunnel"], "ProxyPass /a ws://b.test/"), {}],
  ["an exception", loading([], "ProxyPass /a !"), {}],
  ["an unknown scheme", loading([], "ProxyPass /a odd://b.test/"), {}],
  ["a rule without P", loading([], "RewriteRule ^/a http://b.test/ [R]"), {}],
  ["a handler", loading([], section("Files a", "SetHandler cgi-script")), {}],
  ["no modules are known", "ProxyPass /a http://b.test/\n", {}],
  ["an unknown module", loading(["odd"], "ProxyPass /a http://b.test/"), {}],
  ["mod_proxy is missing", wholeServer("ProxyPass /a http://b.test/"), {}],
  ["2.2", loading([], "ProxyPass /a http://b.test/"), { release: "2.2" }],
] as const)("twins: %s", (_, text, given) => {
  expect(seen(text, given)).toEqual([]);
});
