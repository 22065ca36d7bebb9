import { expect, test } from "vitest";
import { findingsOf, fixFirst, onServer, section, textOf } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const check = (...lines: readonly string[]) => findingsOf([shadowedLine], onServer(`${lines.join("\n")}\n`));
const all = 'ProxyPass "/" "http://b.test/"';
const except = 'ProxyPass "/private" "!"';

test("reports an exception after the line that matches all requests", () => {
  expect(check(all, except)).toEqual([
    {
      rule: "shadowed-line",
      severity: "warning",
      at: "3:1-3:25",
      text: except,
      message: '`ProxyPass "/private" "!"` never applies: another ProxyPass is used',
      notes: [
        '`ProxyPass "/" "http://b.test/"` matches the same requests',
        "GET `/private` from 203.0.113.9 returns 200 from the backend",
      ],
      help: ["move this line before the other one: the first matching ProxyPass is used"],
      related: ["httpd.conf:2:1: is used instead"],
    },
  ]);
});

test("reports a longer path after a shorter one", () => {
  expect(check('ProxyPass "/app" "http://a.test"', 'ProxyPass "/app/admin" "http://b.test"')).toHaveLength(1);
});

const inLocation = (path: string, target: string) => section(`Location "${path}"`, `ProxyPass "${target}"`).trimEnd();

test("reports an earlier Location section, because the last one is used", () => {
  const sections = [inLocation("/private", "!"), inLocation("/", "http://b.test/")];
  expect(check(...sections).map(({ help }) => help)).toEqual([
    ["move this section after the other one: the last matching `<Location>` is used"],
  ]);
  expect(check(...sections.reverse())).toEqual([]);
});

test.each([
  ["an exception before the other line", [except, all]],
  ["two paths", ['ProxyPass "/a" "http://b.test/"', 'ProxyPass "/b" "!"']],
  ["a path with the same beginning", ['ProxyPass "/priv" "http://b.test/"', except]],
  ["a path without the slash of the other line", ['ProxyPass "/private/" "http://b.test/"', except]],
  ["two exceptions", [except, except, all]],
  ["a longer path with the same target", [all, 'ProxyPass "/app" "http://b.test/app"']],
  ["an exception whose path depends on a variable", [all, 'ProxyPass "/$1" "!"']],
  ["a pattern that takes only the path itself", ['ProxyPassMatch "^/private$" "http://b.test/"', except]],
  ["a variable that turns off ProxyPass", ["SetEnvIf Request_URI ^/private no-proxy", all, except]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

const longer = 'ProxyPass "/app/ws" "ws://b.test/ws"';
const shorter = 'ProxyPass "/app" "http://b.test/"';
const inHost = (...lines: readonly string[]) => section("VirtualHost *:80", "ServerName a.test", ...lines);

test.each([
  ["a server on the loopback address", onServer("Listen 127.0.0.1:80\n", all, "\n", except)],
  ["a section that denies", onServer(all, "\n", except, "\n", section("Location /private", "Require all denied"))],
  ["a virtual host", onServer(inHost(shorter, longer))],
  ["a virtual host on a loopback address", onServer(inHost(shorter, longer).replace("*", "127.0.0.1"))],
  ["a line of the main server before those of a virtual host", onServer(`${shorter}\n`, inHost(longer))],
  ["another parameter", onServer(all, "\n", 'ProxyPass "/app" "http://b.test/app" timeout=9')],
  ["an earlier pattern", onServer('ProxyPassMatch "^/app/.*" "http://b.test"', "\n", 'ProxyPass "/app/x" "!"')],
  ["a later pattern", onServer(all, "\n", 'ProxyPassMatch "^/app/(.*)$" "ws://b.test/$1"')],
  ["an exception before a longer path", onServer('ProxyPass "/app" "!"', `\n${longer}`)],
  ["a section, which is used before other lines", onServer(inLocation("/app", "http://b.test/"), `\n${longer}`)],
])("reports %s", (_, text) => {
  expect(findingsOf([shadowedLine], text)).toHaveLength(1);
});

test("reports a part of a server, although a file that it includes is unknown", () => {
  const tls = ["SSLEngine on", "SSLCertificateFile /x.pem", "Include /etc/other.conf"];
  for (const text of [inHost(shorter, longer, ...tls), `${shorter}\n${longer}\n`]) {
    expect(findingsOf([shadowedLine], text, { kind: "fragment" })).toHaveLength(1);
    const reordered = text.replace(`${shorter}\n${longer}`, `${longer}\n${shorter}`);
    expect(findingsOf([shadowedLine], reordered, { kind: "fragment" })).toEqual([]);
  }
});

test.each([
  ["Redirect", 'Redirect "/private" "/new"'],
  ["RedirectMatch", 'RedirectMatch "^/private/(.*)$" "/new/$1"'],
  ["Redirect for everything", "Redirect permanent / https://a.test/"],
  ["Redirect gone", "Redirect gone /private"],
  ["Alias", 'Alias "/private" "/srv/private"'],
  ["ScriptAlias", 'ScriptAlias "/private/" "/srv/private/"'],
])("reports %s that a ProxyPass takes the requests of, in any order", (_, line) => {
  for (const lines of [
    [all, line],
    [line, all],
  ])
    expect(check(...lines), lines.join()).toHaveLength(1);
});

test("explains the order of the modules", () => {
  expect(check('Alias "/static" "/srv/static"', all).map(textOf)).toEqual([
    '`Alias "/static" "/srv/static"` never applies: a ProxyPass is used | note: `ProxyPass "/" "http://b.test/"` matches the same requests | note: httpd checks each `ProxyPass` before each `Alias`, in any order | note: GET `/static` from 203.0.113.9 returns 200 from the backend | help: add a line `ProxyPass` with this path and `!` before the other one',
  ]);
});

test.each([
  ["a Redirect of an excluded path", [except, all, 'Redirect "/private" "/new"']],
  ["a Redirect of which a part is excluded", ['ProxyPass "/private/a" "!"', all, 'Redirect "/private" "/new"']],
  [
    "a Redirect of a section, which applies to backends",
    [all, section("Location /private", "Redirect https://a.test/")],
  ],
  ["an Alias beside the path of the ProxyPass", [shorter, 'Alias "/application" "/srv/x"']],
  ["an Alias above the path of the ProxyPass", [longer, 'Alias "/app" "/srv/x"']],
  ["a Redirect of several paths, of which a ProxyPass takes one", [shorter, 'RedirectMatch "^/(?:app|b)" "/new"']],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

test("does not report an Alias of another file, such as those of a distribution", () => {
  const files = { "/etc/httpd/alias.conf": 'Alias "/icons/" "/usr/share/icons/"\n' };
  expect(findingsOf([shadowedLine], onServer(`Include alias.conf\n${all}\n`), { files })).toEqual([]);
});

const toHttps = "Redirect permanent / https://a.test/";

test("reports a redirect of everything to https that does not apply to the paths of later ProxyPass lines", () => {
  const other = 'ProxyPass "/other" "http://b.test/"';
  const found = findingsOf([shadowedLine], onServer(inHost(toHttps, shorter, other)));
  expect(found.map(textOf)).toEqual([
    "`Redirect /` does not apply to `/app`: ProxyPass is used | note: httpd checks each `ProxyPass` before each `Redirect`, in any order | note: GET `http://a.test/app` from 203.0.113.9 returns 200 from the backend | help: use the `ProxyPass` lines only in the virtual host with TLS, and delete them here",
  ]);
  expect(found[0]?.related).toHaveLength(2);
});

test.each([
  ["in a part of a server", inHost(toHttps, shorter), "fragment"],
  ["outside of virtual hosts", onServer(`${toHttps}\n${shorter}\n`), "server"],
  ["as RedirectPermanent", onServer(inHost("RedirectPermanent / https://a.test/", shorter)), "server"],
  ["as a pattern", onServer(inHost("RedirectMatch ^/(.*) https://a.test/$1", shorter)), "server"],
  ["before a section", onServer(inHost(toHttps, inLocation("/app", "http://b.test/"))), "server"],
] as const)("reports such a redirect %s", (_, text, kind) => {
  expect(findingsOf([shadowedLine], text, { kind })).toHaveLength(1);
});

test.each([
  ["after the ProxyPass, which may be intended", [shorter, toHttps]],
  ["of which only a path is excluded", [toHttps, 'ProxyPass "/app" "!"']],
  ["beside the proof of a domain", [toHttps, 'ProxyPass "/.well-known/acme-challenge" "http://b.test/"']],
  ["to http", ["Redirect permanent / http://c.test/", shorter]],
  ["of other paths", ["Redirect permanent /login https://a.test/login", shorter]],
  ["of a section, which applies to backends", [section("Location /", "Redirect https://a.test/"), shorter]],
  ["beside one of a section", [toHttps, shorter, section("Location /app", "Redirect https://a.test/")]],
  ["in a virtual host with TLS", [toHttps, shorter, "SSLEngine on"]],
])("does not report a redirect %s", (_, lines) => {
  expect(findingsOf([shadowedLine], onServer(inHost(...lines)))).toEqual([]);
});

test("the fix moves the line before the other one", () => {
  const text = onServer(`${all}\nProxyPassReverse "/" "http://b.test/"\n${except}\n`);
  const fixed = onServer(`${except}\n${all}\nProxyPassReverse "/" "http://b.test/"\n`);
  expect(fixFirst(shadowedLine, text)).toBe(fixed);
  expect(findingsOf([shadowedLine], fixed)).toEqual([]);
});

test("does not offer a fix for lines of different sections", () => {
  const text = onServer(
    section('Location "/private"', 'ProxyPass "!"'),
    section('Location "/"', 'ProxyPass "http://b.test/"'),
  );
  expect(findingsOf([shadowedLine], text)).toHaveLength(1);
  expect(fixFirst(shadowedLine, text)).toBeUndefined();
});

test.each([
  ["everything", [all, "ErrorDocument 503 /down.html"], 1],
  ["its directory", ["ProxyPass /errors/ http://b.test/errors/", "ErrorDocument 502 /errors/502.html"], 1],
  ["an exception after it, which never applies", [all, "ProxyPass /down.html !", "ErrorDocument 503 /down.html"], 0],
  ["an exception before it", ["ProxyPass /down.html !", all, "ErrorDocument 503 /down.html"], 0],
  ["another directory", ["ProxyPass /app http://b.test/app", "ErrorDocument 503 /down.html"], 0],
  ["an error of the backend itself", [all, "ErrorDocument 404 /missing.html"], 0],
  ["a text", [all, 'ErrorDocument 503 "Come back later"'], 0],
  ["a whole URL", [all, "ErrorDocument 503 https://status.test/"], 0],
])("reports an error document of a failing backend that a ProxyPass takes: %s", (_, lines, count) => {
  const found = check(...lines).filter(({ message }) => message.startsWith("the error document"));
  expect(found).toHaveLength(count);
  if (count > 0) expect(found[0]?.message).toMatch(/^the error document `.*` is requested from the backend$/);
});
