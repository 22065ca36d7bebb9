import { describe, expect, test } from "vitest";
import type { Request } from "../../src/server/model/request.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { errorsAfter, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { askRaw, portOfRunning } from "./raw-request.js";

const modules = ["authz_core", "vhost_alias", "alias", "userdir", "cgi", "dir", "rewrite", "autoindex"];

/** Templates. Each applies to the hosts below its number, such as `www.example.t3.test`. */
const templates = [
  "/v/%0",
  "/v/%0/",
  "/v/%1/%2/%3",
  "/v/%-1/%-2/%-9",
  "/v/%2+/x",
  "/v/%-2+/x",
  "/v/%1+%-1+",
  "/v/%2.1/%2.2/%2.-1/%2",
  "/v/%1.2+/%1.-2+/%1.9",
  "/v/%0.1+.-0/%9.1/%-3.1",
  "/v/%p/%%/%0.9+",
  "/v/100%%",
  "/v/%1.0/%0.0/%-1.1+",
  "/v/%1/../%2",
  "/v//%1",
  "/v/.%1",
] as const;

const hostsOf = (index: number): readonly (string | undefined)[] => [
  `www.Example.t${index}.test`,
  `a.t${index}.test:81`,
  `t${index}.test.`,
  `x.t${index}.test`,
  `.t${index}.test`,
  `a-b.c_d.e.f.g.h.i.j.k.l.m.n.o.p.q.r.s.t.u.v.t${index}.test`,
];

/** Requests to the main server, which has a ServerName with a port. */
const mainHosts: readonly (string | undefined)[] = [
  undefined,
  "",
  "127.0.0.1",
  "[::1]",
  "[::1]:81",
  "other.example:99",
  "localhost",
];

async function fetchMappedPath(running: RunningHttpd, host: string | undefined, path: string): Promise<string> {
  const before = running.errors().length;
  const lines = host === undefined ? [`GET ${path} HTTP/1.0`] : [`GET ${path} HTTP/1.1`, `Host: ${host}`];
  const status = await askRaw(running, lines);
  const found = errorsAfter(running, before).find((line) => /AH00128|AH02811/.test(line));
  return `${status} ${found?.replace(/.*does not exist: |.*stderr from |: script not found.*/g, "") ?? ""}`;
}

function simulateMappedPath(
  running: RunningHttpd,
  simulatedServer: ReturnType<typeof simulatedServerOn>,
  host: string | undefined,
  path: string,
) {
  const request: Request = {
    ...{ method: "GET", path, clientIp: "127.0.0.1", port: portOfRunning(running) },
    ...(host === undefined ? {} : { host }),
  };
  const { status, trace, unknown } = simulatedServer.answer(request);
  const effect = trace
    .map(({ effect }) => /maps to `([^`]*)`/.exec(effect ?? "")?.[1])
    .findLast(Boolean)
    ?.replace(/^(\/scripts-[^/]*).*/, "$1");
  return `${unknown.join()}${status} ${(status === 404 ? effect : undefined) ?? ""}`;
}

describe.skipIf(!httpd)(liveTitle("mod_vhost_alias"), () => {
  test("inserts host names into paths as the live server does", async () => {
    const hosts = templates.flatMap((template, index) => [
      "<VirtualHost *>",
      `ServerName t${index}.test`,
      `ServerAlias *.t${index}.test`,
      `VirtualDocumentRoot ${template}`,
      `VirtualScriptAlias /c/%-1/%1`,
      "</VirtualHost>",
    ]);
    const others = [
      ...["<VirtualHost *>", "ServerName ip.test:77", "VirtualDocumentRootIP /ip/%1/%-1/%p", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName canon.test:77", "ServerAlias *.canon.test", "UseCanonicalName On"],
      ...["VirtualDocumentRoot /canon/%0/%p", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName none.test", "VirtualDocumentRoot none", "</VirtualHost>"],
      ...[
        "<VirtualHost *>",
        "ServerName both.test",
        "VirtualDocumentRoot /by-name/%0",
        "VirtualDocumentRootIP /by-ip/%0",
      ],
      ...["DocumentRoot /plain", "Alias /al /alias", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName inherit.test", "DocumentRoot /plain", "</VirtualHost>"],
      ...["<VirtualHost *>", "VirtualDocumentRoot /nameless/%0", "</VirtualHost>"],
    ];
    const lines = [
      "LogLevel core:info cgi:info",
      ...["VirtualDocumentRoot /main/%0/%p", "VirtualScriptAlias /scripts-%0"],
      ...["<VirtualHost *>", "ServerName first.test:88", "</VirtualHost>", ...hosts, ...others],
      ...["<Location /l>", "UseCanonicalName On", "</Location>"],
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const simulatedServer = simulatedServerOn(running);
      const differences: unknown[] = [];
      const check = async (host: string | undefined, path: string) => {
        const live = await fetchMappedPath(running, host, path);
        const decided = simulateMappedPath(running, simulatedServer, host, path);
        if (live !== decided) differences.push({ host, path, live, decided });
      };
      for (const index of templates.keys()) for (const host of hostsOf(index)) await check(host, "/x/y");
      for (const host of [
        ...mainHosts,
        "ip.test",
        "canon.test",
        "a.canon.test:99",
        "none.test",
        "both.test",
        "inherit.test",
        "first.test",
      ])
        for (const path of [
          "/x",
          "/",
          "/cgi-bin/x",
          "/cgi-bin",
          "/cgi-binx",
          "//cgi-bin/x",
          "/a/cgi-bin/x",
          "/al/x",
          "/l/x",
        ])
          await check(host, path);
      expect(differences).toEqual([]);
    });
  }, 60_000);

  test("selects files, sections, `.htaccess` files and rules as the live server does", async () => {
    const rules = (...more: readonly string[]) => ["RewriteEngine On", ...more, ""].join("\n");
    const files = {
      "hosts/a.test/index.html": "x\n",
      "hosts/a.test/new.html": "x\n",
      "hosts/a.test/d/new.html": "x\n",
      "hosts/a.test/d/.htaccess": rules(
        "RewriteRule ^old$ new.html",
        "RewriteRule ^abs$ /new.html",
        "RewriteRule ^gone$ none.html",
      ),
      "hosts/a.test/t/.htaccess": rules("RewriteCond %{DOCUMENT_ROOT} a\\.test$", "RewriteRule ^root$ - [F]"),
      "hosts/a.test/secret/x.txt": "x\n",
      "hosts/a.test/secret/.htaccess": "Require all denied\n",
      "hosts/b.test/secret/x.txt": "x\n",
      "hosts/b.test/private/x.txt": "x\n",
      "hosts/b.test/.htaccess": rules("RewriteRule ^front - [F]", "RewriteRule ^(.*)$ index.html [L]"),
      "hosts/b.test/index.html": "x\n",
      "hosts/_/x.txt": "x\n",
      "hosts/c.test": "x\n",
      "cgi/a.test/d/p": "x\n",
      "plain/new.html": "x\n",
    };
    const lines = [
      "DocumentRoot DOCROOT/plain",
      ...["VirtualDocumentRoot DOCROOT/hosts/%0", "VirtualScriptAlias DOCROOT/cgi/%0", "Alias /plain DOCROOT/plain"],
      ...["<Directory DOCROOT>", "AllowOverride All", "Options FollowSymLinks", "</Directory>"],
      ...["<DirectoryMatch /hosts/b[^/]*/private>", "Require all denied", "</DirectoryMatch>"],
      ...["<Location /loc>", "Require all denied", "</Location>"],
      ...["RewriteEngine On", "RewriteRule ^/rw$ /new.html", "RewriteRule ^/pt$ /new.html [PT]"],
    ];
    const paths = [
      ...[
        "/",
        "/new.html",
        "/none",
        "/d/old",
        "/d/abs",
        "/d/gone",
        "/d",
        "/d/",
        "/t/root",
        "/secret/x.txt",
        "/private/x.txt",
      ],
      ...["/loc/x", "/rw", "/pt", "/plain/new.html", "/front", "/cgi-bin/p", "/cgi-bin/", "/x.txt", "/index.html/more"],
    ];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        for (const host of ["a.test", "A.Test.:80", "b.test", "c.test", "d.test", "_", undefined])
          for (const path of paths) {
            const sent = host === undefined ? [`GET ${path} HTTP/1.0`] : [`GET ${path} HTTP/1.1`, `Host: ${host}`];
            const before = running.errors().length;
            const status = await askRaw(running, sent);
            const log = errorsAfter(running, before);
            const decision = simulatedServer.answer({
              ...{ method: "GET", path, clientIp: "127.0.0.1", port: portOfRunning(running) },
              ...(host === undefined ? {} : { host }),
            });
            const found =
              decision.status === status ? status : { decided: decision.status, unknown: decision.unknown, log };
            expect({ host, path, status: found }).toEqual({ host, path, status });
          }
      },
      files,
    );
  }, 60_000);
});
