import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

const site = (name: string, ...lines: readonly string[]) =>
  ["<VirtualHost *:80>", `ServerName ${name}`, "DocumentRoot /srv/www", ...lines, "</VirtualHost>", ""].join("\n");

const main = [
  "ServerRoot /etc/apache2",
  ...["authz_core", "alias", "dir", "mpm_event"].map((name) => `LoadModule ${name}_module m.so`),
  "Listen 80",
  "<Directory />",
  "Require all granted",
  "</Directory>",
  ...["mods", "conf", "sites"].map((kind) => `IncludeOptional ${kind}-enabled/*.conf`),
  "",
].join("\n");

const onDisk = ["/srv/www/index.html", "/srv/mail/index.html", "/srv/shop/index.html", "/usr/lib/cgi-bin/x.pl"];

interface Given {
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly entry?: string;
  readonly text?: string;
}

/** Returns the lines of files that are not enabled, with the reason and what to do. */
function disabledFor(url: string, { files, links = {}, entry = "apache2.conf", text = main }: Given) {
  const at = (names: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(names).map(([name, each]) => [`/etc/apache2/${name}`, each]));
  const targets = Object.fromEntries(Object.entries(at(links)).map(([name, to]) => [name, `/etc/apache2/${to}`]));
  const all = at({
    "mods-enabled/dir.conf": "DirectoryIndex index.html\n",
    "sites-enabled/000-default.conf": site("www.test"),
    [entry]: text,
    ...files,
  });
  const loaded = loadProject(`/etc/apache2/${entry}`, {
    access: memoryAccess(all, targets),
    release: "2.4",
    kind: "server",
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const [host = "", path = ""] = url.split(/(?=\/)(.*)/);
  const request = { method: "GET", path, host, clientIp: "192.0.2.7" };
  const { misses } = answer(loaded.value, request, { files: createListedFiles(onDisk) });
  return misses.flatMap(({ section, reason, help = [] }) =>
    /not enabled|no `Include`|is a comment/.test(reason) ? [`${section}: ${reason}`, ...help] : [],
  );
}

describe("names the file that is not enabled, and how to enable it", () => {
  test.each<[what: string, url: string, given: Given, expected: readonly string[]]>([
    [
      "Alias",
      "www.test/mail/",
      { files: { "conf-available/webmail.conf": "Alias /mail /srv/mail\n" } },
      [
        "Alias /mail /srv/mail: `conf-available/webmail.conf` is not enabled",
        "run `a2enconf webmail`, and reload httpd",
      ],
    ],
    [
      "ScriptAlias in a conditional section",
      "www.test/cgi-bin/x.pl",
      {
        files: {
          "conf-available/cgi.conf":
            "<IfModule mod_alias.c>\nDefine CGI_BIN\n</IfModule>\n<IfDefine CGI_BIN>\nScriptAlias /cgi-bin/ /usr/lib/cgi-bin/\n</IfDefine>\n",
        },
      },
      [
        "ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/: `conf-available/cgi.conf` is not enabled",
        "run `a2enconf cgi`, and reload httpd",
      ],
    ],
    [
      "ProxyPass in a Location section",
      "www.test/app/x",
      {
        files: { "conf-available/app.conf": '<Location "/app">\nProxyPass http://127.0.0.1:3000\n</Location>\n' },
        text: `LoadModule proxy_module m.so\nLoadModule proxy_http_module m.so\n${main}`,
      },
      [
        "ProxyPass http://127.0.0.1:3000: `conf-available/app.conf` is not enabled",
        "run `a2enconf app`, and reload httpd",
      ],
    ],
    [
      "handler of a module",
      "www.test/server-status",
      {
        files: {
          "mods-available/status.load": "LoadModule status_module m.so\n",
          "mods-available/status.conf":
            "<IfModule mod_status.c>\n<Location /server-status>\nSetHandler server-status\n</Location>\n</IfModule>\n",
        },
      },
      [
        "SetHandler server-status: `mods-available/status.conf` is not enabled",
        "run `a2enmod status`, and restart httpd",
      ],
    ],
    [
      "virtual host",
      "shop.test/",
      { files: { "sites-available/shop.conf": site("shop.test") } },
      ["ServerName shop.test: `sites-available/shop.conf` is not enabled", "run `a2ensite shop`, and reload httpd"],
    ],
    [
      "virtual host with another name of a wildcard",
      "a.shop.test/none",
      { files: { "sites-available/shop.conf": site("shop.test", "ServerAlias *.shop.test") } },
      ["ServerAlias *.shop.test: `sites-available/shop.conf` is not enabled", "run `a2ensite shop`, and reload httpd"],
    ],
    [
      "virtual host on a server without the commands of Debian",
      "shop.test/",
      { files: { "sites-available/shop.conf": site("shop.test") }, entry: "httpd.conf" },
      [
        "ServerName shop.test: `sites-available/shop.conf` is not enabled",
        "link it into `sites-enabled`, and reload httpd",
      ],
    ],
    [
      "Alias in a file without the ending of the wildcard",
      "www.test/mail/",
      { files: { "conf-enabled/webmail": "Alias /mail /srv/mail\n", "conf-enabled/a.conf": "KeepAlive On\n" } },
      [
        "Alias /mail /srv/mail: no `Include` line reads `webmail`",
        "rename the file to `webmail.conf`, and reload httpd",
      ],
    ],
    [
      "a commented Include line",
      "www.test/mail/",
      { files: { "extra/webmail.conf": "Alias /mail /srv/mail\n" }, text: `${main}#Include extra/webmail.conf\n` },
      [
        "Alias /mail /srv/mail: the line that reads this file is a comment: `#Include extra/webmail.conf`",
        "delete the `#` before `Include extra/webmail.conf` in `apache2.conf`, and reload httpd",
      ],
    ],
    [
      "a virtual host that no line reads",
      "shop.test/",
      { files: { "vhosts/shop.conf": site("shop.test") } },
      [
        "ServerName shop.test: no `Include` line reads `vhosts/shop.conf`",
        "add `Include vhosts/shop.conf` to `apache2.conf`, and reload httpd",
      ],
    ],
    [
      "a pattern for the path that no line reads",
      "www.test/mail/",
      {
        files: { "conf.d/mail.conf": "AliasMatch ^/(?:web)?mail /srv/mail\n" },
        text: `${main}IncludeOptional conf.d/*.inc\n`,
      },
      [
        "AliasMatch ^/(?:web)?mail /srv/mail: no `Include` line reads `conf.d/mail.conf`",
        "add `Include conf.d/mail.conf` to `apache2.conf`, and reload httpd",
      ],
    ],
    [
      "a folder of enabled files that no line reads",
      "shop.test/",
      {
        files: { "sites-enabled/shop.conf": site("shop.test"), "000.conf": site("www.test") },
        text: main.replace("IncludeOptional sites-enabled/*.conf", "Include 000.conf"),
      },
      [
        "ServerName shop.test: no `Include` line reads `sites-enabled/shop.conf`",
        "add `IncludeOptional sites-enabled/*.conf` to `apache2.conf`, and reload httpd",
      ],
    ],
    [
      "a file that an ending turns off",
      "shop.test/",
      { files: { "sites-enabled/shop.conf.disabled": site("shop.test") } },
      [
        "ServerName shop.test: no `Include` line reads `shop.conf.disabled`",
        "rename the file to `shop.conf`, and reload httpd",
      ],
    ],
  ])("%s", (_, url, given, expected) => {
    expect(disabledFor(url, given)).toEqual(expected);
  });
});

describe("names no file", () => {
  const withOthers = main
    .replace("Listen", "LoadModule rewrite_module m.so\nListen")
    .concat("IncludeOptional conf.d/*.inc\n");
  const webmail = { "conf-available/webmail.conf": "Alias /mail /srv/mail\n" };

  test.each<[why: string, url: string, given: Given]>([
    ["for another path", "www.test/other/", { files: webmail }],
    ["if something answers", "www.test/", { files: { "conf-available/a.conf": "Alias / /srv/mail/\n" } }],
    ["whose target is missing as well", "www.test/mail/none", { files: webmail }],
    [
      "with the Alias in a comment",
      "www.test/mail/",
      { files: { "conf-available/webmail.conf": "# Alias /mail /srv/mail\n" } },
    ],
    [
      "that is enabled by a link",
      "www.test/mail/none",
      { files: webmail, links: { "conf-enabled/webmail.conf": "conf-available/webmail.conf" } },
    ],
    [
      "with a copy that is enabled",
      "www.test/mail/none",
      { files: { ...webmail, "conf-enabled/webmail.conf": "Alias /mail2 /srv/mail\n" } },
    ],
    [
      "of a folder that no Include reads",
      "www.test/mail/",
      { files: webmail, text: main.replace(/.*conf-enabled.*\n/, "") },
    ],
    [
      "that would prevent a start",
      "www.test/app/x",
      { files: { "conf-available/app.conf": "ProxyPass /app http://127.0.0.1:3000\n" } },
    ],
    [
      "with a section for a module that is not loaded",
      "www.test/app/x",
      {
        files: {
          "conf-available/app.conf": "<IfModule mod_proxy.c>\nProxyPass /app http://127.0.0.1:3000\n</IfModule>\n",
        },
      },
    ],
    [
      "that only denies the path",
      "www.test/mail/",
      { files: { "conf-available/security.conf": "<Directory /srv/www>\nRequire all denied\n</Directory>\n" } },
    ],
    [
      "of a virtual host with another name",
      "shop.test/",
      { files: { "sites-available/shop.conf": site("other.test") } },
    ],
    [
      "of a virtual host for another port",
      "shop.test/",
      { files: { "sites-available/shop.conf": site("shop.test").replace(":80", ":443") } },
    ],
    [
      "of a virtual host whose name another one has",
      "www.test/none",
      { files: { "sites-available/shop.conf": site("www.test", "Alias /none /srv/mail") } },
    ],
    ["in an example", "www.test/mail/", { files: { "conf.d/examples/webmail.conf": "Alias /mail /srv/mail\n" } }],
    [
      "of a virtual host with another name that no line reads",
      "shop.test/",
      { files: { "vhosts/a.conf": site("a.test") } },
    ],
    ...[
      ["Listen", "Listen 8080\n"],
      ["ServerRoot", "ServerRoot /srv/other\n"],
      ["LoadModule", "LoadModule mime_module m.so\n"],
      ["settings of an MPM", "<IfModule mpm_event_module>\nThreadsPerChild 25\n</IfModule>\n"],
      ["files that are read", "IncludeOptional mods-enabled/*.conf\n"],
    ].map(([what, text]): [string, string, Given] => [
      `of another server, with ${what}`,
      "www.test/mail/",
      { files: { "conf.d/other.conf": `${text}Alias /mail /srv/mail\n` }, text: withOthers },
    ]),
    ...[
      "RewriteEngine On\nRewriteRule ^ /index.html",
      "RewriteEngine On\nRewriteRule .* /srv/mail/index.html",
      "RedirectMatch ^/(.*) https://www.test/mail/$1",
      "AliasMatch ^/(.*)/ /srv/$1/",
    ].map((line): [string, string, Given] => [
      `with a line for all paths: ${line}`,
      "www.test/mail/",
      { files: { "conf.d/other.conf": `# /mail\n${line}\n` }, text: withOthers },
    ]),
    ["in a comment without a file", "www.test/mail/", { files: {}, text: `${main}#Include extra/webmail.conf\n` }],
    ["that is a copy", "www.test/mail/", { files: { "conf-available/webmail.conf.bak": "Alias /mail /srv/mail\n" } }],
  ])("%s", (_, url, given) => {
    expect(disabledFor(url, given)).toEqual([]);
  });
});
