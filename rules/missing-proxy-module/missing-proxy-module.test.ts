import { describe, expect, test } from "vitest";
import { findingsOf, type Given, section, wholeServer } from "../../test/support/rules.js";
import { missingProxyModule } from "./missing-proxy-module.js";

const serverWith = (modules: readonly string[], ...lines: readonly string[]) =>
  wholeServer(...["proxy", "rewrite", ...modules].map((name) => `LoadModule ${name}_module mod_${name}.so`), ...lines);
const check = (text: string, given?: Given) =>
  findingsOf([missingProxyModule], text, given).map(({ message, text: underlined }) => [
    /^`(.*?)`/.exec(message)?.[1],
    underlined,
  ]);

describe("reports a backend without its module", () => {
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
    expect(check(serverWith([], line))).toEqual([[module, url]]);
  });

  test("in a section", () => {
    expect(check(serverWith([], section("Location /a", "ProxyPass http://b.test/")))).toHaveLength(1);
    expect(check(serverWith([], section("Files a.php", "SetHandler proxy:fcgi://b.test")))).toHaveLength(1);
    expect(check(serverWith([], section("Proxy balancer://b", "BalancerMember http://b.test")))).toHaveLength(1);
  });
});

test("adapts the note to the directive", () => {
  const notesOf = (line: string) => findingsOf([missingProxyModule], serverWith([], line))[0]?.notes?.[1];
  expect(notesOf("ProxyPass /a http://b.test/")).toContain("500");
  expect(notesOf(section("Files a.php", "SetHandler proxy:fcgi://b.test"))).toContain("the file itself");
});

test("reports lines with the same missing module once", () => {
  const [finding, ...more] = findingsOf(
    [missingProxyModule],
    serverWith([], "ProxyPass /a http://b.test/", "ProxyPass /c http://d.test/"),
  );
  expect(more).toEqual([]);
  expect(finding?.related).toEqual(["httpd.conf:7:14: also needs the module"]);
});

test("suggests a2enmod on Debian", () => {
  const [finding] = findingsOf([missingProxyModule], "Include mods-enabled/*.load\nProxyPass /a http://b.test/\n", {
    files: { "/etc/httpd/mods-enabled/proxy.load": serverWith([]) },
  });
  expect(finding?.help).toEqual(["run `a2enmod proxy_http`"]);
});

test.each([
  ["a backend whose module is loaded", serverWith(["proxy_http"], "ProxyPass /a http://b.test/"), {}],
  ["a WebSocket backend with its other module", serverWith(["proxy_wstunnel"], "ProxyPass /a ws://b.test/"), {}],
  ["a path that is not proxied", serverWith([], "ProxyPass /a !"), {}],
  ["an unknown scheme beside a module of a third party", serverWith(["odd"], "ProxyPass /a odd://b.test/"), {}],
  ["an unknown scheme in a part", "ProxyPass /a odd://b.test/\n", {}],
  ["a rule without P", serverWith([], "RewriteRule ^/a http://b.test/ [R]"), {}],
  ["another handler", serverWith([], section("Files a", "SetHandler cgi-script")), {}],
  ["a server whose modules are unknown", "ProxyPass /a http://b.test/\n", {}],
  ["a server with an unknown module", serverWith(["odd"], "ProxyPass /a http://b.test/"), {}],
  ["a server without mod_proxy", wholeServer("ProxyPass /a http://b.test/"), {}],
  ["a server of 2.2", serverWith([], "ProxyPass /a http://b.test/"), { release: "2.2" }],
] as const)("does not report %s", (_, text, given) => {
  expect(check(text, given)).toEqual([]);
});

describe("targets that httpd cannot use", () => {
  const found = (line: string, given: Given = {}) =>
    findingsOf([missingProxyModule], `${line}\n`, given).map(({ message, help }) => [message, ...(help ?? [])]);
  const inHtaccess: Given = { kind: "htaccess" };

  test.each([
    ["proxy:127.0.0.1:9000", "use `proxy:fcgi://127.0.0.1:9000`"],
    ["proxy:unix:/run/php/php-fpm.sock", "use `proxy:unix:/run/php/php-fpm.sock|fcgi://localhost`"],
    ["proxy:/run/php.sock|fcgi://localhost", "use `proxy:unix:/run/php.sock|fcgi://localhost`"],
    ["proxy:fcgi//127.0.0.1:9000", "use `proxy:fcgi://127.0.0.1:9000`"],
    ["fcgi://127.0.0.1:9000", "use `proxy:fcgi://127.0.0.1:9000`"],
    ["unix:/run/php.sock|fcgi://localhost", "use `proxy:unix:/run/php.sock|fcgi://localhost`"],
  ])("handlers that send files: %s", (handler, help) => {
    const target = handler.replace(/^proxy:/, "");
    const message = `\`${target}\` is not a backend: httpd sends the files themselves`;
    expect(found(`<FilesMatch "\\.php$">\nSetHandler "${handler}"\n</FilesMatch>`)).toEqual([[message, help]]);
    expect(found(`SetHandler "${handler}"`, inHtaccess)).toEqual([[message, help]]);
  });

  test.each([
    ["SetHandler proxy:fcgi:/run/a.sock", "fcgi:/run/a.sock", 400, "use `proxy:unix:/run/a.sock|fcgi://localhost`"],
    [
      "SetHandler proxy:unix:/run/a.sock|fcgi//localhost",
      "unix:/run/a.sock|fcgi//localhost",
      400,
      "use `proxy:unix:/run/a.sock|fcgi://localhost`",
    ],
    ["SetHandler proxy:fcgi://app:90000", "fcgi://app:90000", 400, "use a port up to 65535"],
    ["RewriteRule ^(.*)$ http://127.0.0.1:PORT/$1 [P]", "http://127.0.0.1:PORT/$1", 500, "use the number of the port"],
  ])("requests that fail: %s", (line, target, status, help) => {
    expect(found(`RewriteEngine On\n${line}`, inHtaccess)).toEqual([
      [`requests for \`${target}\` return ${status}`, help],
    ]);
  });

  test.each(["localhost:3000/$1", "10.1.2.3/$1", "http:/10.1.2.3/$1", "http//10.1.2.3:80/$1", "app:8080/$1"])(
    "requests to the server itself: %s",
    (target) => {
      const [[message] = []] = found(`RewriteEngine On\nRewriteRule ^(.*)$ ${target} [P,L]`, inHtaccess);
      expect(message).toBe(`\`${target}\` has no scheme: the request goes to this server`);
    },
  );

  test("an unknown scheme on a whole server", () => {
    expect(found(serverWith(["proxy_http"], "ProxyPass /a htp://b.test/"))).toEqual([
      ["no module of mod_proxy is for the scheme of `htp://b.test/`", "use a scheme such as `http://` or `fcgi://`"],
    ]);
  });

  test.each([
    "SetHandler proxy:fcgi://127.0.0.1:9000",
    "SetHandler proxy:unix:/run/php.sock|fcgi://localhost",
    'SetHandler "proxy:unix:/run/php.sock|fcgi://www.example.org/"',
    "SetHandler proxy:fcgi://%{reqenv:BACKEND}",
    "SetHandler proxy:%{reqenv:BACKEND}",
    "SetHandler proxy:balancer://app",
    "SetHandler application/x-httpd-php",
    "SetHandler server-status",
    "SetHandler none",
    "RewriteRule ^(.*)$ http://[::1]:8080/$1 [P]",
    "RewriteRule ^(.*)$ http://127.0.0.1:$1/ [P]",
    "RewriteRule ^(.*)$ %{REQUEST_SCHEME}://127.0.0.1/$1 [P]",
    "RewriteRule ^(.*)$ /local/$1 [P]",
    "RewriteRule ^(.*)$ $1 [P]",
    "RewriteRule ^ - [P]",
    "RewriteRule ^(.*)$ http://@HOST@:@PORT@/$1 [P]",
    "RewriteRule ^(.*)$ index.php [L]",
    "RewriteRule ^(.*)$ unix:/run/a.sock|http://localhost/$1 [P]",
  ])("not %s", (line) => {
    expect(found(`RewriteEngine On\n${line}`, inHtaccess)).toEqual([]);
  });
});
