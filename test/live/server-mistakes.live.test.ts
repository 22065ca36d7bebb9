import { beforeAll, describe, expect, test } from "vitest";
import { aliasSlashMismatch } from "../../rules/alias-slash-mismatch/alias-slash-mismatch.js";
import { constantCondition } from "../../rules/constant-condition/constant-condition.js";
import { ignoredHtaccess } from "../../rules/ignored-htaccess/ignored-htaccess.js";
import { ignoredValue } from "../../rules/ignored-value/ignored-value.js";
import { inactiveRewriteRule } from "../../rules/inactive-rewrite-rule/inactive-rewrite-rule.js";
import { neverMatchingName } from "../../rules/never-matching-name/never-matching-name.js";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { openAllowList } from "../../rules/open-allow-list/open-allow-list.js";
import { openSecondUrl } from "../../rules/open-second-url/open-second-url.js";
import { overriddenSection } from "../../rules/overridden-section/overridden-section.js";
import { requestAlwaysFails } from "../../rules/request-always-fails/request-always-fails.js";
import { rewriteLoop } from "../../rules/rewrite-loop/rewrite-loop.js";
import { shadowedLine } from "../../rules/shadowed-line/shadowed-line.js";
import { unexpectedVirtualHost } from "../../rules/unexpected-virtual-host/unexpected-virtual-host.js";
import { wrongCase } from "../../rules/wrong-case/wrong-case.js";
import { wrongErrorDocument } from "../../rules/wrong-error-document/wrong-error-document.js";
import { wrongTargetPath } from "../../rules/wrong-target-path/wrong-target-path.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, onlyVariant, section, wholeServer } from "../support/rules.js";
import { type ExposureCase, testExposures } from "./exposure-cases.js";

const misplacedRewriteBase = onlyVariant(wrongTargetPath, "misplaced-rewrite-base");
const restOfPath = onlyVariant(wrongTargetPath, "rest-of-path");

const failingErrorDocument = onlyVariant(wrongErrorDocument, "failing-error-document");

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");
const neverMatchingSection = onlyVariant(neverMatchingPath, "never-matching-section");

const constantResult = onlyVariant(constantCondition, "constant-condition");

const duplicateVirtualHost = onlyVariant(unexpectedVirtualHost, "duplicate-virtual-host");
const unnamedVirtualHost = onlyVariant(unexpectedVirtualHost, "unnamed-virtual-host");
const lateDefaultHost = onlyVariant(unexpectedVirtualHost, "late-default-host");
const mixedVirtualHostAddresses = onlyVariant(unexpectedVirtualHost, "mixed-virtual-host-addresses");

const uninheritedRewriteRules = onlyVariant(inactiveRewriteRule, "uninherited-rewrite-rules");

const inRoot = (...lines: readonly string[]) => section('Directory "@ROOT@/www"', ...lines);
const denied = "Require all denied";
const granted = "Require all granted";
/** Returns lines that make the server read `.htaccess` files with another name. */
const reading = (name: string) => `AccessFileName ${name}\n${inRoot("AllowOverride All", granted)}`;
const toHttps = "RewriteEngine On\nRewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]\n";
const rule = "RewriteEngine On\nRewriteRule ^z$ x.txt\n";
const noFile = "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule !^gone gone [L]\n";
const toIndex = [
  "RewriteCond %{REQUEST_FILENAME} !-d",
  "RewriteCond %{REQUEST_FILENAME} !-f",
  "RewriteRule ^ index.html",
];
const status = section("Location /status", "SetHandler server-status");

/** Returns lines that deny the requests for which a variable is set. */
const banning = (setter: string) =>
  `${setter}\n${inRoot("<RequireAll>", granted, "Require not env bad", "</RequireAll>")}`;

const remote = (list: string, ...lines: readonly string[]) =>
  `RemoteIPHeader X-Forwarded-For\n${list}\n${section("Location /x.txt", ...lines)}`;

/** Returns lines that send requests for missing files to `/index.html`, as applications do, below a denial of all paths. */
const frontController = (exempt: string, ...beside: readonly string[]) =>
  inRoot("RewriteEngine On", noFile.split("\n")[0] ?? "", "RewriteRule . /index.html [L]") +
  section('Location "/"', "Require env never", ...beside) +
  exempt;

const cases: readonly ExposureCase[] = [
  {
    rule: rewriteLoop,
    bad: `AliasMatch ^/img/ "@ROOT@/www/pictures"\n${section('Directory "@ROOT@/www/pictures"', granted)}`,
    good: `AliasMatch ^/img/(.*)$ "@ROOT@/www/pictures/$1"\n${section('Directory "@ROOT@/www/pictures"', granted)}`,
    files: ["www/pictures/x.txt"],
    request: "/img/x.txt",
    statuses: [301, 200],
  },
  {
    rule: rewriteLoop,
    bad: 'AliasMatch ^/img/(.*)$ "@ROOT@/www/pictures/"',
    good: 'AliasMatch ^/img$ "@ROOT@/www/pictures/x.txt"',
    files: ["www/pictures/x.txt"],
    request: "/img/x.txt",
    statuses: [301, 404],
  },
  {
    rule: rewriteLoop,
    bad: 'AliasMatch ^/([^/]+)/static/ "@ROOT@/www/$1/static/"',
    good: 'AliasMatch ^/([^/]+)/static/(.*)$ "@ROOT@/www/$1/static/$2"',
    files: ["www/shop/static/x.txt"],
    request: "/shop/static/x.txt",
    statuses: [301, 200],
  },
  {
    rule: rewriteLoop,
    bad: "RedirectMatch 301 ^/x.txt(.*)$ /x/txt$1",
    good: "RedirectMatch 301 ^/x\\.txt(.*)$ /x/txt$1",
    request: "/x/txt",
    statuses: [301, 404],
  },
  {
    rule: aliasSlashMismatch,
    bad: `ScriptAlias /app/ "@ROOT@/www/app.cgi"\n${inRoot("AcceptPathInfo On", granted)}`,
    good: `ScriptAlias /app "@ROOT@/www/app.cgi"\n${inRoot("AcceptPathInfo On", granted)}`,
    files: ["www/app.cgi"],
    request: "/app/x",
    statuses: [404, 200],
  },
  {
    rule: requestAlwaysFails,
    bad: inRoot("AllowOverride All", "RewriteEngine On", "RewriteBase /src/App", ...toIndex),
    good: inRoot("AllowOverride All", "RewriteEngine On", "RewriteBase /", ...toIndex),
    files: ["www/index.html"],
    request: "/page",
    statuses: [500, 200],
  },
  {
    rule: restOfPath,
    bad: section('Directory "@ROOT@/www/team"', "Redirect 302 / /x.txt/"),
    good: section('Directory "@ROOT@/www/team"', "Redirect 302 /team/ /x.txt/"),
    files: ["www/team/x.txt"],
    request: "/team/",
    statuses: [302, 302],
  },
  {
    rule: overriddenSection,
    bad: section('Directory "@ROOT@/www/private"', denied) + section('FilesMatch "\\.txt$"', granted),
    good: section('FilesMatch "\\.txt$"', granted) + section("Location /private", denied),
    files: ["www/private/x.txt"],
    request: "/private/x.txt",
    statuses: [200, 403],
  },
  {
    rule: overriddenSection,
    bad: inRoot("AllowOverride All") + section("Files x.*", granted),
    good: inRoot("AllowOverride All"),
    files: [
      ["www/private/.htaccess", denied],
      ["www/private/x.txt", "x"],
    ],
    request: "/private/x.txt",
    statuses: [200, 403],
  },
  {
    rule: overriddenSection,
    bad: frontController(section("Location /api/", granted)),
    good: frontController("", 'Require expr "%{THE_REQUEST} =~ m#^GET /api/#"'),
    files: ["www/index.html"],
    request: "/api/items",
    statuses: [403, 200],
  },
  {
    rule: overriddenSection,
    bad: frontController(section("LocationMatch ^/api/", granted)),
    good: frontController(section("LocationMatch ^/(?:api/|index\\.html$)", granted)),
    files: ["www/index.html"],
    request: "/api/items",
    statuses: [403, 200],
  },
  {
    rule: overriddenSection,
    bad: frontController(section("Location /missing.txt", granted)),
    good: frontController(section("Location /x.txt", granted)),
    files: ["www/index.html"],
    request: "/missing.txt",
    statuses: [403, 403],
  },
  {
    rule: ignoredHtaccess,
    bad: inRoot("AllowOverride None", granted),
    good: inRoot("AllowOverride All", granted),
    files: [["www/a/.htaccess", "Redirect /a/old /x.txt\n"]],
    request: "/a/old",
    statuses: [404, 302],
  },
  {
    rule: ignoredHtaccess,
    bad: inRoot("AllowOverride None", granted),
    good: inRoot("AllowOverride All", granted),
    files: [["www/a/.htaccess", "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /x.txt [L]\n"]],
    request: "/a/page",
    statuses: [404, 200],
  },
  {
    rule: pathPatterns,
    bad: section('Directory "@ROOT@/www/e/f"', "RewriteEngine On", "RewriteRule ^e/f/x.txt$ - [F]"),
    good: section('Directory "@ROOT@/www/e/f"', "RewriteEngine On", "RewriteRule ^x.txt$ - [F]"),
    files: ["www/e/f/x.txt"],
    request: "/e/f/x.txt",
    statuses: [200, 403],
  },
  {
    rule: pathPatterns,
    bad: `Alias /e/f "@ROOT@/www"\n${inRoot("RewriteEngine On", "RewriteRule ^/?e/f/(.*)$ - [F]")}`,
    good: `Alias /e/f "@ROOT@/www"\n${inRoot("RewriteEngine On", "RewriteRule ^(.*)$ - [F]")}`,
    request: "/e/f/x.txt",
    statuses: [200, 403],
  },
  {
    rule: neverMatchingName,
    bad: remote("RemoteIPTrustedProxy 127.0.0.1", "Require ip 192.168.1.0/24"),
    good: remote("RemoteIPInternalProxy 127.0.0.1", "Require ip 192.168.1.0/24"),
    request: "/x.txt",
    header: "X-Forwarded-For: 192.168.1.7",
    statuses: [403, 200],
  },
  {
    rule: neverMatchingName,
    bad: remote("RemoteIPTrustedProxy 127.0.0.0/8", "Order allow,deny", "Allow from all", "Deny from 10.1.2.3"),
    good: remote("RemoteIPInternalProxy 127.0.0.0/8", "Order allow,deny", "Allow from all", "Deny from 10.1.2.3"),
    request: "/x.txt",
    header: "X-Forwarded-For: 10.1.2.3",
    statuses: [200, 403],
  },
  {
    rule: neverMatchingName,
    bad: remote("RemoteIPTrustedProxy 127.0.0.1", "Require ip 172.16.0.0/12"),
    good: remote("RemoteIPTrustedProxy 127.0.0.1", "Require ip 203.0.113.0/24"),
    request: "/x.txt",
    header: "X-Forwarded-For: 203.0.113.9",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: banning("SetEnvIf X-Country ^(CN||CU) bad"),
    good: banning("SetEnvIf X-Country ^(CN|CU) bad"),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: banning("SetEnvIf X-Country ^(CN|CU|) bad"),
    good: banning("SetEnvIf X-Country ^(CN|CU|)$ bad"),
    request: "/x.txt",
    header: "X-Country: US",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: banning("BrowserMatchNoCase (bot|crawl|) bad"),
    good: banning("BrowserMatchNoCase (bot|crawl) bad"),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: section('LocationMatch "^/(admin||login)"', denied),
    good: section('LocationMatch "^/(admin|login)"', denied),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: section('FilesMatch "\\.(bak|old)$|"', denied),
    good: section('FilesMatch "\\.(bak|old)$"', denied),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: "RewriteEngine On\nRewriteRule ^/(wp-admin||xmlrpc) - [F]",
    good: "RewriteEngine On\nRewriteRule ^/(wp-admin|xmlrpc) - [F]",
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: "RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} !(firefox||chrome)\nRewriteRule ^ - [F]",
    good: "RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} !(firefox|chrome)\nRewriteRule ^ - [F]",
    request: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: constantResult,
    bad: section('If "%{HTTP:X-Country} =~ /^(CN||CU)/"', denied),
    good: section('If "%{HTTP:X-Country} =~ /^(CN|CU)/"', denied),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: constantResult,
    bad: "RedirectMatch 410 ^/(a||b)",
    good: "RedirectMatch 410 ^/(a|b)",
    request: "/x.txt",
    statuses: [410, 200],
  },
  {
    rule: overriddenSection,
    bad: section("Location /x.txt", denied) + section('Location "/"', granted),
    good: section('Location "/"', granted) + section("Location /x.txt", denied),
    request: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: overriddenSection,
    bad: section("Location /x.txt", granted) + section('Location "/"', denied),
    good: section('Location "/"', denied) + section("Location /x.txt", granted),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: overriddenSection,
    bad: section("Files x.txt", denied) + section('Location "/"', granted),
    good: section('Location "/"', granted) + section("Location /x.txt", denied),
    request: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: overriddenSection,
    bad: section('Location "/"', denied),
    good: section('Location "/a"', denied),
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: neverMatchingName,
    bad: `SetEnv here 1\n${section("Location /x.txt", "Require env here")}`,
    good: `SetEnvIf Remote_Addr . here\n${section("Location /x.txt", "Require env here")}`,
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: neverMatchingName,
    bad: inRoot("RewriteEngine On", "RewriteRule ^ - [E=here:1]", "Require env here"),
    good: `RewriteEngine On\nRewriteRule ^ - [E=HERE:1]\n${inRoot("Require env here")}`,
    request: "/x.txt",
    statuses: [403, 200],
  },
  {
    rule: failingErrorDocument,
    bad: "ErrorDocument 404 /404.html",
    good: "ErrorDocument 404 /e/404.html",
    files: ["www/e/404.html"],
    request: "/404.html",
    statuses: [404, 404],
  },
  {
    rule: failingErrorDocument,
    bad: `ErrorDocument 404 /e/404.html\n${section('Directory "@ROOT@/www/e"', denied)}`,
    good: "ErrorDocument 404 /e/404.html",
    files: ["www/e/404.html"],
    request: "/e/404.html",
    statuses: [403, 200],
  },
  {
    rule: misplacedRewriteBase,
    bad: reading(".bad"),
    good: reading(".good"),
    files: [
      ["www/.bad", `RewriteBase /blog/\n${rule}`],
      ["www/.good", `RewriteBase /\n${rule}`],
    ],
    request: "/z",
    statuses: [404, 200],
  },
  {
    rule: uninheritedRewriteRules,
    bad: reading(".bad"),
    good: reading(".good"),
    files: [
      ["www/.bad", toHttps],
      ["www/.good", toHttps],
      ["www/blog/.bad", "RewriteEngine On\nRewriteRule ^a$ b\n"],
      ["www/blog/.good", `${toHttps}RewriteRule ^a$ b\n`],
      "www/blog/x.txt",
    ],
    request: "/blog/x.txt",
    statuses: [200, 302],
  },
  {
    rule: wrongCase,
    bad: section('Directory "@ROOT@/www/Private"', denied),
    good: section('Directory "@ROOT@/www/private"', denied),
    files: ["www/private/x.txt"],
    request: "/private/x.txt",
    statuses: [200, 403],
  },
  {
    rule: wrongCase,
    bad: inRoot(section("Files X.txt", denied).trim()),
    good: inRoot(section("Files x.txt", denied).trim()),
    request: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: wrongCase,
    bad: inRoot("DirectoryIndex X.txt"),
    good: inRoot("DirectoryIndex x.txt"),
    request: "/",
    statuses: [404, 200],
  },
  {
    rule: openAllowList,
    bad: section("Location /x.txt", "Order Deny,Allow", "Allow from 10.0.0.1"),
    good: section("Location /x.txt", "Order Deny,Allow", "Deny from all", "Allow from 10.0.0.1"),
    request: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: shadowedLine,
    bad: reading(".bad") + status,
    good: reading(".good") + status,
    files: [
      ["www/.bad", `RewriteEngine On\n${noFile}`],
      ["www/.good", `RewriteEngine On\nRewriteCond %{REQUEST_URI} !=/status\n${noFile}`],
    ],
    request: "/status",
    statuses: [404, 200],
  },
  {
    rule: pathPatterns,
    bad: 'Alias "/a" "@ROOT@/www/x.txt/"',
    good: 'Alias "/a" "@ROOT@/www/x.txt"',
    request: "/a",
    statuses: [404, 200],
  },
  {
    rule: neverMatchingSection,
    bad: section("Directory /private", denied),
    good: section('Directory "@ROOT@/www/private"', denied),
    files: ["www/private/x.txt"],
    request: "/private/x.txt",
    statuses: [200, 403],
  },
];

const modules =
  "mpm_event access_compat authn_core authz_core authz_host alias dir env mime remoteip rewrite setenvif ssl status";

testExposures("everyday mistakes in server configurations, on the live server", modules, cases);

/** The virtual hosts of an address `@ADDRESS@` with the document root `@ROOT@`, and a request with a host name. */
interface HostCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  readonly host: string;
  readonly path: string;
  readonly statuses: readonly [bad: number, good: number];
}

const host = (name: string, ...lines: readonly string[]) =>
  section("VirtualHost @ADDRESS@", `ServerName ${name}`, 'DocumentRoot "@ROOT@"', ...lines);
const isMissing = "Redirect 404 /x.txt";
const guard = section('Directory "@ROOT@"', denied).trim();

const overrides = (value: string) =>
  section('Directory "@ROOT@"', `AllowOverride ${value}`, "Require all granted").trim();

const hostCases: readonly HostCase[] = [
  ...[
    ["shop.invalid", "ServerName shop.invalid"],
    ["shop.invalid:@PORT@", "ServerName shop.invalid"],
    ["shop.invalid:*", "ServerName a.test", "ServerAlias shop.invalid"],
    ["Shop.Invalid:@PORT@", "ServerName shop.invalid:80"],
    ["webapp.invalid", 'DocumentRoot "@ROOT@"'],
    ["web1.invalid:@PORT@", "ServerName shop.invalid"],
  ].map(([address = "", ...lines]) => ({
    rule: mixedVirtualHostAddresses,
    bad: host("b.test") + section(`VirtualHost ${address}`, ...lines, isMissing),
    good: host("b.test") + section("VirtualHost @ADDRESS@", "ServerName shop.invalid", ...lines, isMissing),
    host: "shop.invalid",
    path: "/x.txt",
    statuses: [200, 404] as const,
  })),
  {
    rule: lateDefaultHost,
    bad: host("a.test") + host("_", isMissing),
    good: host("_", isMissing) + host("a.test"),
    host: "unknown.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: unnamedVirtualHost,
    bad: host("a.test") + section("VirtualHost @ADDRESS@", isMissing),
    good: host("a.test") + host("b.test", isMissing),
    host: "b.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: duplicateVirtualHost,
    bad: host("a.test", "ServerAlias c.test") + host("b.test", "ServerAlias c.test", isMissing),
    good: host("a.test") + host("b.test", "ServerAlias c.test", isMissing),
    host: "c.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: ignoredValue,
    bad: host("a.test") + host("b.test", "ServerAlias http://c.test", isMissing),
    good: host("a.test") + host("b.test", "ServerAlias c.test", isMissing),
    host: "c.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: ignoredValue,
    bad: host("a.test") + host("http://b.test/shop", isMissing),
    good: host("a.test") + host("http://b.test", isMissing),
    host: "b.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: ignoredValue,
    bad: host("a.test") + host("b.test/", isMissing),
    good: host("a.test") + host("b.test:80", isMissing),
    host: "b.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: ignoredHtaccess,
    bad: host("a.test", overrides("All")) + host("b.test", overrides("None")),
    good: host("a.test", overrides("All")) + host("b.test", overrides("All")),
    host: "b.test",
    path: "/private/x.txt",
    statuses: [200, 403],
  },
  {
    rule: mixedVirtualHostAddresses,
    bad: section("VirtualHost *", "ServerName a.test", isMissing) + host("b.test").replace("@ADDRESS@", "*:@PORT@"),
    good: host("a.test", isMissing) + host("b.test"),
    host: "a.test",
    path: "/x.txt",
    statuses: [200, 404],
  },
  {
    rule: openSecondUrl,
    bad: host("a.test") + host("b.test", guard),
    good: host("a.test", 'Redirect "/" "https://b.test/"') + host("b.test", guard),
    host: "a.test",
    path: "/x.txt",
    statuses: [200, 302],
  },
  {
    rule: neverMatchingSection,
    bad: host("a.test", section("If \"%{HTTPS} == 'on'\"", denied).trim()),
    good: host("a.test", section("If \"%{HTTPS} == 'off'\"", denied).trim()),
    host: "a.test",
    path: "/x.txt",
    statuses: [200, 403],
  },
  {
    rule: mixedVirtualHostAddresses,
    // The server logs AH00547 and ignores the host.
    bad: section("VirtualHost shop.invalid:@PORT@", "ServerName shop.invalid", section("Location /", denied).trim()),
    good: section("VirtualHost @ADDRESS@", "ServerName shop.invalid", section("Location /", denied).trim()),
    host: "shop.invalid",
    path: "/x.txt",
    statuses: [404, 403],
  },
  // The server logs AH00547 for each of these as well.
  ...[
    "*.@PORT@",
    "*@PORT@",
    "*;@PORT@",
    "*:@PORT@.",
    "http://*:@PORT@",
    "10.0.0.*:@PORT@",
    "*.shop.invalid:@PORT@",
  ].map((address) => ({
    rule: mixedVirtualHostAddresses,
    bad: section(`VirtualHost ${address}`, "ServerName shop.invalid", section("Location /", denied).trim()),
    good: section("VirtualHost @ADDRESS@", "ServerName shop.invalid", section("Location /", denied).trim()),
    host: "shop.invalid",
    path: "/x.txt",
    statuses: [404, 403] as const,
  })),
];

describe.skipIf(!httpd)(liveTitle("everyday mistakes in virtual hosts, on the live server"), () => {
  const folder = sharedFolder();
  let statuses: readonly number[] = [];
  const texts = hostCases.flatMap((each) => [
    { ...each, hosts: each.bad },
    { ...each, hosts: each.good },
  ]);

  beforeAll(async () => {
    const ports = await Promise.all(texts.map(() => freePort()));
    folder.write({ "www/x.txt": "x", "www/private/x.txt": "x", "www/private/.htaccess": denied });
    const head = `${loadModules(modules.split(" "))}ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig /dev/null\n`;
    const servers = texts.map(({ hosts }, index) => {
      const address = `127.0.0.1:${ports[index]}`;
      return `Listen ${address}\n${hosts.replaceAll("@ADDRESS@", address).replaceAll("@PORT@", String(ports[index])).replaceAll("@ROOT@", folder.at("www"))}`;
    });
    folder.write({ "httpd.conf": head + servers.join("") });
    const served = await askServer(
      folder.path,
      texts.map(({ host: name, path }, index) => {
        const text = `GET ${path} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`;
        return { address: "127.0.0.1", port: ports[index] ?? 0, text };
      }),
    );
    if ("refused" in served) throw new Error(served.refused);
    statuses = served.answers.map(({ status }) => status);
  });

  test.each(hostCases.map((each, index) => [each.rule.id, each, index] as const))(
    "%s",
    (_, { rule: tested, bad, good, statuses: expected }, index) => {
      const find = (hosts: string) => {
        const text = `Listen 80\n${hosts}`
          .replaceAll("@ADDRESS@", "*:80")
          .replaceAll("@PORT@", "80")
          .replaceAll("@ROOT@", "/srv");
        const loads = ["alias", "rewrite", "ssl"].map((name) => `LoadModule ${name}_module mod_${name}.so`);
        return findingsOf([tested], wholeServer(...loads, text), {
          files: { "/srv/x.txt": "x", "/srv/private/x.txt": "x", "/srv/private/.htaccess": denied },
        });
      };
      expect([statuses[2 * index], statuses[2 * index + 1]]).toEqual(expected);
      expect([find(bad).length, find(good).length]).toEqual([1, 0]);
    },
  );
});
