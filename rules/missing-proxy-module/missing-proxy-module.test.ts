import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, type Given, lintText, section, wholeServer } from "../../test/support/rules.js";
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

const faults = (text: string, given?: Given) =>
  findingsOf([missingProxyModule], text, given).map(({ message }) => message);
const hostWith = (...lines: readonly string[]) => section("VirtualHost *:443", "ServerName a.test", ...lines);
const part: Given = { kind: "fragment" };

describe("a backend by https", () => {
  const needsTls = (url: string) => [`the backend \`${url}\` needs \`SSLProxyEngine On\``];

  test.each([
    ["ProxyPass / https://b.test/", "https://b.test/"],
    ["ProxyPass /ws wss://b.test/ws", "wss://b.test/ws"],
    ["RewriteRule ^/(.*) https://b.test/$1 [P]", "https://b.test/$1"],
    [section("Location /a", "ProxyPass https://b.test/"), "https://b.test/"],
    ["SSLProxyEngine off\nProxyPass / https://b.test/", "https://b.test/"],
  ])("needs SSLProxyEngine: %j", (lines, url) => {
    expect(faults(hostWith(lines), part)).toEqual(needsTls(url));
    expect(faults(wholeServer(hostWith(lines)))).toEqual(needsTls(url));
  });

  test.each([
    ["in the virtual host", hostWith("SSLProxyEngine on", "ProxyPass / https://b.test/")],
    ["on the main server", `SSLProxyEngine On\n${hostWith("ProxyPass / https://b.test/")}`],
    ["in a section", hostWith(section("Proxy https://b.test/", "SSLProxyEngine on"), "ProxyPass / https://b.test/")],
    ["of mod_tls", hostWith("TLSProxyEngine on", "ProxyPass / https://b.test/")],
    ["for a backend by http", hostWith("ProxyPass / http://b.test/")],
    ["for a redirect", hostWith("RewriteRule ^ https://b.test/ [R]")],
    ["in a file that is not here", hostWith("Include tls.conf", "ProxyPass / https://b.test/")],
    ["outside of virtual hosts", "ProxyPass / https://b.test/\n"],
  ])("has it %s", (_, text) => {
    expect(faults(text, part)).toEqual([]);
  });

  test.each([
    ["ProxyPass /ws wss://127.0.0.1:3000/ws", "ProxyPass / http://127.0.0.1:3000/", "ws://127.0.0.1:3000/ws"],
    [
      'RewriteRule .* "wss://127.0.0.1:3000%{REQUEST_URI}" [P]',
      "ProxyPass / http://127.0.0.1:3000/",
      '"ws://127.0.0.1:3000%{REQUEST_URI}"',
    ],
    ["ProxyPass / https://App.test:80/", "ProxyPass /ws ws://app.test/ws", "http://App.test:80/"],
    ["ProxyPass / https://b.test:81/", "RewriteRule ^/a http://b.test:81/a [P]", "http://b.test:81/"],
  ])("whose port is used without TLS, needs its scheme: %j, %j", (line, plain, corrected) => {
    for (const text of [
      hostWith(line, plain),
      hostWith(line) + section("VirtualHost *:80", "ServerName c.test", plain),
    ]) {
      const [finding, ...more] = lintText([missingProxyModule], text, part);
      expect(more).toEqual([]);
      expect(finding?.message).toMatch(/uses TLS, but another line uses its port without$/);
      expect(applyEdits(text, finding?.fix?.edits ?? [])).toContain(` ${corrected}`);
    }
  });

  test.each([
    ["another port", "ProxyPass / http://b.test:3001/"],
    ["another host", "ProxyPass / http://c.test:3000/"],
    ["the default port", "ProxyPass / http://b.test/"],
    ["TLS also", "ProxyPass / https://b.test:3000/"],
    ["a redirect", "RewriteRule ^/a http://b.test:3000/ [R,L]"],
  ])("needs SSLProxyEngine beside %s", (_, line) => {
    expect(faults(hostWith("ProxyPass /ws wss://b.test:3000/", line), part)).toEqual(needsTls("wss://b.test:3000/"));
  });

  test("does not have that of another virtual host", () => {
    expect(faults(hostWith("SSLProxyEngine on") + hostWith("ProxyPass / https://b.test/"), part)).toHaveLength(1);
  });

  test("is reported once for a virtual host", () => {
    expect(faults(hostWith("ProxyPass /a https://b.test/a", "ProxyPass /c https://b.test/c"), part)).toHaveLength(1);
  });
});

describe("a balancer", () => {
  const members = section("Proxy balancer://workers", "BalancerMember http://b.test");
  const whole = (text: string) => faults(wholeServer("Listen 443", text));

  test("without members", () => {
    const message = ["the balancer `worker` has no members"];
    expect(faults(members + hostWith("ProxyPass / balancer://worker/"), part)).toEqual(message);
    expect(whole(hostWith("ProxyPass / balancer://worker/"))).toEqual(message);
    expect(whole(hostWith("RewriteRule ^/(.*) balancer://worker/$1 [P]"))).toEqual(message);
    expect(
      whole(
        section("Proxy balancer://worker", "ProxySet stickysession=A") + hostWith("ProxyPass / balancer://worker/"),
      ),
    ).toEqual(message);
  });

  test.each([
    ["with its members", members + hostWith("ProxyPass / balancer://Workers/")],
    [
      "with a member outside of sections",
      `BalancerMember balancer://worker http://b.test\n${hostWith("ProxyPass / balancer://worker/")}`,
    ],
    ["of a variable", members + hostWith("ProxyPass / balancer://${NAME}/")],
    ["that gets members later", `BalancerPersist On\n${members}${hostWith("ProxyPass / balancer://worker/")}`],
    ["of mod_cluster", `ManagerBalancerName worker\n${hostWith("ProxyPass / balancer://worker/")}`],
  ])("%s", (_, text) => {
    expect(whole(text)).toEqual([]);
  });

  const pair = (first: string, second: string, ...more: readonly string[]) =>
    section(
      "Proxy balancer://app",
      `BalancerMember http://b.test${first}`,
      `BalancerMember http://c.test${second}`,
      ...more,
    );
  const sticky = hostWith("ProxyPass / balancer://app/ stickysession=ID");

  test("whose members have no route for stickysession", () => {
    const message = ["`stickysession` has no effect: no member of the balancer `app` has a `route`"];
    expect(whole(pair("", "") + sticky)).toEqual(message);
    const set = pair("", "", "ProxySet stickysession=ID lbmethod=byrequests");
    expect(whole(set + hostWith("ProxyPass / balancer://App/"))).toEqual(message);
    expect(faults(set + hostWith("ProxyPass / balancer://App/"), part)).toEqual(message);
    expect(faults(pair("", "") + sticky, part)).toEqual(message);
  });

  test.each([
    ["with routes", pair(" route=a", " route=b") + sticky],
    ["with the route of one member", pair(" route=a", "") + sticky],
    ["with routes in ProxySet", pair("", "") + section("Proxy http://b.test", "ProxySet route=a") + sticky],
    ["with one member", section("Proxy balancer://app", "BalancerMember http://b.test") + sticky],
    ["without stickysession", pair("", "") + hostWith("ProxyPass / balancer://app/")],
    ["with an empty stickysession", pair("", "") + hostWith("ProxyPass / balancer://app/ stickysession=")],
    [
      "with stickysession of another balancer",
      pair("", "") +
        section("Proxy balancer://other", "ProxySet stickysession=ID") +
        hostWith("ProxyPass / balancer://app/"),
    ],
  ])("%s", (_, text) => {
    expect(whole(text)).toEqual([]);
    expect(faults(text, part)).toEqual([]);
  });

  test("whose members are, or may be, in another file", () => {
    expect(faults(sticky, part)).toEqual([]);
    expect(faults(`Include members.conf\n${pair("", "")}${sticky}`, part)).toEqual([]);
  });

  test("of another file", () => {
    expect(faults(hostWith("ProxyPass / balancer://worker/"), part)).toEqual([]);
  });
});

describe("a path of a FastCGI backend", () => {
  const php = (url: string, tag = 'FilesMatch "\\.php$"') => faults(section(tag, `SetHandler "${url}"`), part);

  test.each([
    "proxy:fcgi://127.0.0.1:9000/srv/web/",
    "proxy:fcgi://php:9000/srv",
    "proxy:unix:/run/a.sock|fcgi://localhost/srv/web",
  ])("comes before that of each script: %s", (url) => {
    expect(php(url)).toHaveLength(1);
  });

  test.each([
    "proxy:fcgi://127.0.0.1:9000",
    "proxy:fcgi://127.0.0.1:9000/",
    "proxy:unix:/run/php/a.sock|fcgi://localhost/",
    "proxy:http://b.test/srv/",
  ])("is empty: %s", (url) => {
    expect(php(url)).toEqual([]);
  });

  test("may be that of another program, or corrected", () => {
    expect(php("proxy:fcgi://b.test:9000/app", "Location /app")).toEqual([]);
    const corrected = 'ProxyFCGISetEnvIf true SCRIPT_FILENAME "/srv%{REQUEST_URI}"\n';
    expect(faults(corrected + section("Files *.php", 'SetHandler "proxy:fcgi://b.test:9000/srv"'), part)).toEqual([]);
  });
});

describe("targets that httpd cannot use", () => {
  const found = (line: string, given: Given = {}) =>
    findingsOf([missingProxyModule], `${line}\n`, given).map(({ message, help }) => [message, ...(help ?? [])]);
  const inHtaccess: Given = { kind: "htaccess" };

  test.each([
    ["proxy:127.0.0.1:9000", 'use `SetHandler "proxy:fcgi://127.0.0.1:9000"`'],
    ["proxy:unix:/run/php/php-fpm.sock", 'use `SetHandler "proxy:unix:/run/php/php-fpm.sock|fcgi://localhost"`'],
    ["proxy:/run/php.sock|fcgi://localhost", 'use `SetHandler "proxy:unix:/run/php.sock|fcgi://localhost"`'],
    ["proxy:fcgi//127.0.0.1:9000", 'use `SetHandler "proxy:fcgi://127.0.0.1:9000"`'],
    ["fcgi://127.0.0.1:9000", 'use `SetHandler "proxy:fcgi://127.0.0.1:9000"`'],
    ["unix:/run/php.sock|fcgi://localhost", 'use `SetHandler "proxy:unix:/run/php.sock|fcgi://localhost"`'],
  ])("handlers that send files: %s", (handler, help) => {
    const message = `\`${handler}\` is not a backend: httpd sends the files themselves`;
    expect(found(`<FilesMatch "\\.php$">\nSetHandler "${handler}"\n</FilesMatch>`)).toEqual([[message, help]]);
    expect(found(`SetHandler "${handler}"`, inHtaccess)).toEqual([[message, help]]);
  });

  test.each([
    [
      "SetHandler proxy:fcgi:/run/a.sock",
      "proxy:fcgi:/run/a.sock",
      400,
      'use `SetHandler "proxy:unix:/run/a.sock|fcgi://localhost"`',
    ],
    [
      "SetHandler proxy:unix:/run/a.sock|fcgi//localhost",
      "proxy:unix:/run/a.sock|fcgi//localhost",
      400,
      'use `SetHandler "proxy:unix:/run/a.sock|fcgi://localhost"`',
    ],
    ["SetHandler proxy:fcgi://app:90000", "proxy:fcgi://app:90000", 400, "use a port up to 65535"],
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

describe("PHP-FPM without the document root", () => {
  const found = (root: string, ...lines: readonly string[]) =>
    findingsOf(
      [missingProxyModule],
      serverWith(
        ["proxy_fcgi"],
        section("VirtualHost *:80", ...(root === "" ? [] : [`DocumentRoot ${root}`]), ...lines),
      ),
    ).map(({ help }) => help?.[0]);

  test.each([
    ["ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/$1", "fcgi://127.0.0.1:9000/srv/www/$1"],
    ["ProxyPassMatch ^(/.*\\.php)$ fcgi://127.0.0.1:9000$1", "fcgi://127.0.0.1:9000/srv/www$1"],
    ["ProxyPassMatch ^/(.*\\.php(/.*)?)$ fcgi://localhost:9000", "fcgi://localhost:9000/srv/www"],
    [
      'ProxyPassMatch "^/(.*\\.php)$" "unix:/run/php.sock|fcgi://localhost/$1"',
      "unix:/run/php.sock|fcgi://localhost/srv/www/$1",
    ],
    // The path continues the name of the root, or a directory above it is the root.
    ["ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www$1", "fcgi://127.0.0.1:9000/srv/www/$1"],
    ["ProxyPassMatch ^/(.+\\.php(/.*)?)$ fcgi://127.0.0.1:9000/srv//$1", "fcgi://127.0.0.1:9000/srv/www/$1"],
    ["ProxyPassMatch ^(/.+\\.php)$ fcgi://127.0.0.1:9000/srv$1", "fcgi://127.0.0.1:9000/srv/www$1"],
    ["ProxyPassMatch ^/.*\\.php$ fcgi://127.0.0.1:9000/srv/www/$1", "fcgi://127.0.0.1:9000/srv/www"],
    ["ProxyPassMatch ^/.*\\.php$ fcgi://127.0.0.1:9000/srv/", "fcgi://127.0.0.1:9000/srv/www"],
  ])("%s", (line, corrected) => {
    expect(found("/srv/www", line)).toEqual([`use \`${corrected}\``]);
  });

  test("shows the whole URL, which users copy", () => {
    const line = "ProxyPassMatch ^/(.*\\.php)$ unix:/run/php/php8.2-fpm.sock|fcgi://localhost/$1";
    const root = "/srv/www/customers/example.org/public";
    expect(found(root, line)).toEqual([`use \`unix:/run/php/php8.2-fpm.sock|fcgi://localhost${root}/$1\``]);
  });

  test("may have a root of its own, as in a container", () => {
    const given = { files: { "/srv/www/index.php": "x" } };
    const text = (root: string) =>
      serverWith(
        ["proxy_fcgi"],
        section(
          "VirtualHost *:80",
          "DocumentRoot /srv/www",
          `ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000${root}/$1`,
        ),
      );
    expect(findingsOf([missingProxyModule], text("/app/public"), given)).toEqual([]);
    expect(findingsOf([missingProxyModule], text(""), given)).toHaveLength(1);
  });

  test.each([
    ["/srv/www", "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www/$1"],
    ["/srv/www", "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/app/$1"],
    ["/srv/www", "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www"],
    ["/srv/www/", "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/www//$1"],
    ["/srv/www", "Alias /x /srv/x\nProxyPassMatch ^/x/(.*\\.php)$ fcgi://127.0.0.1:9000/srv/x/$1"],
    // A container may have another root.
    ["/srv/www", "ProxyPassMatch ^/(.*\\.php)$ fcgi://php:9000/$1"],
    ["/srv/www", "ProxyPassMatch ^/(.*)$ fcgi://127.0.0.1:9000/$1"],
    ["/srv/www", "ProxyFCGISetEnvIf true SCRIPT_FILENAME /x\nProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/$1"],
    ["", "ProxyPassMatch ^/(.*\\.php)$ fcgi://127.0.0.1:9000/$1"],
  ])("not below %s: %s", (root, lines) => {
    expect(found(root, lines)).toEqual([]);
  });
});
