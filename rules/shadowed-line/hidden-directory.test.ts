import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const rule = onlyVariant(shadowedLine, "hidden-directory");
const granted =
  section('Directory "/srv/www"', "Require all granted") + section('Directory "/usr/share"', "Require all granted");
const shared = { "/usr/share/icons/a.gif": "", "/srv/www/index.html": "" };
const icons = 'Alias /icons/ "/usr/share/icons/"\n';
const inHost = (...lines: readonly string[]) =>
  section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv/www"', ...lines);

const check = (main: string, files: Readonly<Record<string, string>> = {}, rest = granted) =>
  findingsOf([rule], onServer(rest, main), { files: { ...shared, ...files } });

test("reports a directory of the document root that an Alias hides", () => {
  expect(check(icons + inHost(), { "/srv/www/icons/logo.png": "" })).toEqual([
    {
      rule: "shadowed-line",
      severity: "warning",
      at: expect.any(String),
      text: icons.trim(),
      message: "`Alias /icons/` hides the directory `/srv/www/icons/` of the document root",
      notes: [
        "GET `http://a.test/icons/logo.png` from 203.0.113.9 returns 404",
        "the file `/srv/www/icons/logo.png` exists, but no URL leads to it",
      ],
      help: ["rename the directory and its links, or delete this line if nothing uses it"],
      related: [expect.stringContaining("the document root")],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["a line of the virtual host", inHost(icons.trim()), { "/srv/www/icons/logo.png": "" }],
    ["a path without a slash at its end", `Alias /icons /usr/share/icons\n${inHost()}`, { "/srv/www/icons/x.png": "" }],
    ["a file in a directory of the directory", icons + inHost(), { "/srv/www/icons/big/x.png": "" }],
    ["a deeper path", `Alias /img/icons/ /usr/share/icons/\n${inHost()}`, { "/srv/www/img/icons/x.png": "" }],
    [
      "one of several files that only the hidden directory has",
      icons + inHost(),
      { "/srv/www/icons/a.gif": "", "/srv/www/icons/b.gif": "" },
    ],
    [
      "the scripts of a site",
      `ScriptAlias /cgi-bin/ "/usr/share/cgi/"\n${inHost()}`,
      { "/usr/share/cgi/env.cgi": "", "/srv/www/cgi-bin/form.cgi": "" },
    ],
    ["the main server", `DocumentRoot "/srv/www"\n${icons}`, { "/srv/www/icons/logo.png": "" }],
    [
      "a virtual host with the same document root and the same line",
      icons + inHost() + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/www"),
      { "/srv/www/icons/logo.png": "" },
    ],
  ])("%s", (_, main, files) => {
    expect(check(main, files)).toHaveLength(1);
  });
});

describe("reports in spite of", () => {
  test.each([
    ["AliasMatch to another directory", "AliasMatch ^/pics/(.*)$ /srv/www/icons-old/$1"],
    ["AliasMatch to one file", "AliasMatch ^/start$ /srv/www/index.html"],
    ["a rule with one file", "RewriteRule ^/start$ /index.html [L]"],
    ["a rule of a directory with one file", section("Directory /srv/www", "RewriteRule ^start$ index.html").trim()],
    ["a redirect", "RewriteRule ^/pics/(.*)$ /icons/$1 [R,L]"],
    ["a rule without a target", "RewriteRule ^/pics/ - [F]"],
    ["a rule with a path of the variable", "RewriteRule ^/pics/(.*)$ %{DOCUMENT_ROOT}/pictures/$1 [L]"],
    ["a rule with a backend", "RewriteRule ^/app/(.*)$ http://127.0.0.1:8080/$1 [P]"],
    ["a backend", "ProxyPass /app/ http://127.0.0.1:8080/"],
    ["a backend with a socket", "ProxyPass /app/ unix:/run/app.sock|http://localhost/"],
    ["a path without a backend", "ProxyPass /app/ !"],
  ])("%s", (_, line) => {
    expect(check(icons + inHost("RewriteEngine On", line), { "/srv/www/icons/logo.png": "" })).toHaveLength(1);
  });
});

describe("does not report", () => {
  test.each([
    ["a document root without the directory", icons + inHost(), {}],
    ["an empty directory", icons + inHost(), { "/srv/www/icons/.gitkeep": "" }],
    ["a copy of the target", icons + inHost(), { "/srv/www/icons/a.gif": "" }],
    ["a start page", icons + inHost(), { "/srv/www/icons/index.html": "" }],
    [
      "a line that leads to a part of the directory",
      `Alias /icons/ /srv/www/icons/dist/\n${inHost()}`,
      { "/srv/www/icons/logo.png": "", "/srv/www/icons/dist/a.png": "" },
    ],
    [
      "a line that leads to the directory itself",
      `Alias /icons/ /srv/www/icons/\n${inHost()}`,
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a directory with another URL",
      `Alias /pictures/ /srv/www/icons/\n${icons}${inHost()}`,
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a directory that another virtual host serves",
      inHost(icons.trim()) + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/www"),
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a line in another virtual host",
      inHost() + section("VirtualHost *:80", "ServerName b.test", "DocumentRoot /srv/other", icons.trim()),
      { "/srv/www/icons/logo.png": "" },
    ],
    [
      "a rule that reads the file before the Alias",
      icons + inHost("RewriteEngine On", "RewriteRule ^/icons/(.*)$ /srv/www/icons/$1 [L]"),
      { "/srv/www/icons/logo.png": "" },
    ],
  ])("%s", (_, main, files) => {
    expect(check(main, files)).toEqual([]);
  });

  const hidden = { "/srv/www/icons/logo.png": "" };
  test.each([
    ["AliasMatch", "AliasMatch ^/pics/(.*)$ /srv/www/icons/$1"],
    ["AliasMatch to the document root", "AliasMatch ^/all/(.*)$ /srv/www/$1"],
    ["AliasMatch to the file", "AliasMatch ^/logo$ /srv/www/icons/logo.png"],
    ["AliasMatch to a path that is not known", "AliasMatch ^/(\\w+)/pics/(.*)$ $1/$2"],
    ["ScriptAliasMatch", "ScriptAliasMatch ^/pics/(.*)$ /srv/www/icons/$1"],
    ["an Alias in a section", section("Location /pics", "Alias /srv/www/icons").trim()],
    ["a rule with a path of the disk", "RewriteRule ^/pics/(.*)$ /srv/www/icons/$1 [L]"],
    ["a rule with a path of the URL", "RewriteRule ^/pics/(.*)$ /icons/$1 [L]"],
    ["a rule with a variable for the document root", "RewriteRule ^/pics/(.*)$ %{DOCUMENT_ROOT}/icons/$1 [L]"],
    ["a rule with another variable", "RewriteRule ^/pics/(.*)$ %{ENV:DIR}/$1 [L]"],
    [
      "a rule of a directory",
      section("Directory /srv/www", "RewriteEngine On", "RewriteRule ^pics/(.*)$ icons/$1 [L]").trim(),
    ],
    ["a backend that reads files", "ProxyPassMatch ^/(.*)$ fcgi://127.0.0.1:9000/srv/www/$1"],
    ["a backend with a socket", "ProxyPassMatch ^/pics/(.*)$ unix:/run/a.sock|fcgi://localhost/srv/www/icons/$1"],
    ["VirtualDocumentRoot", "VirtualDocumentRoot /srv/%0"],
  ])("%s that may lead to the directory", (_, line) => {
    expect(check(icons + inHost("RewriteEngine On", line), hidden)).toEqual([]);
    const own = section('Directory "/srv/www/icons"', "Options Indexes");
    expect(findingsOf([rule], onServer(granted, icons + own + inHost("RewriteEngine On", line)))).toEqual([]);
  });

  test("a part of a server", () => {
    expect(findingsOf([rule], icons + inHost(), { kind: "fragment" })).toEqual([]);
  });
});

describe("a section for a directory, if its files are not known", () => {
  const own = section('Directory "/srv/www/icons"', "Options Indexes");
  /** A server whose document root is not on this disk. */
  const find = (main: string) => findingsOf([rule], onServer(granted, main));

  test("is reported", () => {
    expect(find(icons + own + inHost())).toMatchObject([
      {
        text: icons.trim(),
        severity: "warning",
        notes: [
          "a request for `/icons/page.html` leads to `/usr/share/icons/page.html`",
          "the `<Directory>` section for the hidden directory never applies",
        ],
        related: [expect.stringContaining("for the hidden directory")],
      },
    ]);
  });

  test.each([
    ["in the virtual host", icons + inHost(own.trim())],
    ["for a part of the directory", icons + section('Directory "/srv/www/icons/big"', "Options Indexes") + inHost()],
    ["for scripts", `ScriptAlias /icons/ /usr/share/icons/\n${own}${inHost()}`],
  ])("is reported %s", (_, main) => {
    expect(find(main)).toHaveLength(1);
  });

  test.each([
    ["for another directory", icons + section('Directory "/srv/www/images"', "Options Indexes") + inHost()],
    ["for the target", icons + section('Directory "/usr/share/icons"', "Options Indexes") + inHost()],
    ["with a pattern", icons + section('Directory "/srv/www/*/"', "Options Indexes") + inHost()],
    ["in another virtual host", icons + inHost() + section("VirtualHost *:80", "ServerName b.test", own.trim())],
    ["that another line leads to", `Alias /i/ /srv/www/icons/\n${icons}${own}${inHost()}`],
    ["above the directory", icons + section('Directory "/srv/www"', "Options Indexes") + inHost()],
  ])("is not reported %s", (_, main) => {
    expect(find(main)).toEqual([]);
  });
});
