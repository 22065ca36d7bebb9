import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { portOf } from "../support/httpd/ports.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const modules = ["authz_core", "alias", "dir", "mime", "rewrite", "userdir", "env"];

/** Returns the status and the Location header of the server, and those of the simulator. */
async function redirectBoth(running: RunningHttpd, url: string, host = "x.test") {
  const { status, headers } = await running.ask({ path: url, headers: { Host: host } });
  const [path = "", query] = url.split(/\?(.*)/s);
  const request = { method: "GET", path, host, clientIp: "127.0.0.1", ...(query === undefined ? {} : { query }) };
  const answer = simulatedServerOn(running).answer(request);
  const location = answer.cases[0]?.destination.location;
  return { live: [url, status, headers.location], simulated: [url, answer.status, location] };
}

async function expectRedirects(lines: readonly string[], urls: readonly string[], host?: string): Promise<void> {
  await withRunningHttpd(
    modules,
    ["TypesConfig /dev/null", "UserDir disabled", ...lines],
    async (running) => {
      for (const url of urls) {
        const { live, simulated } = await redirectBoth(running, url, host);
        expect(simulated).toEqual(live);
      }
    },
    { "d/x.txt": "x\n", "d/a b/x.txt": "x\n", "s/index.html": "x\n" },
  );
}

describe.skipIf(!httpd)(liveTitle("the Location header of redirects"), () => {
  test("of Redirect and RedirectMatch", async () => {
    await expectRedirects(
      [
        "Redirect permanent /host https://shop.test",
        "Redirect /slash/ https://shop.test/a/",
        "Redirect 307 /own /other",
        "Redirect /query /q?own=1",
        "Redirect /fragment https://shop.test/a#part",
        'RedirectMatch 303 "^/match/(.*)$" "https://shop.test:443/$1"',
        'RedirectMatch "^/port/(.*)$" "http://u:p@shop.test:80/$1#top"',
        'RedirectMatch "^/taken/(.*)$" "/page?p=$1"',
        "Redirect gone /gone",
        "<Location /in>\nRedirect https://shop.test/%{HTTP_HOST}/\n</Location>",
        "<Location /relative>\nRedirectRelative On\nRedirect /plain\n</Location>",
        "<Directory DOCROOT/d>\nRedirectMatch ^/d/m(.*) /n$1\n</Directory>",
      ],
      [
        ...["/host/apps/files", "/hostess", "/host?a=b", "/slash/a%20b/%c3%a9?x=%20", "/own/x?y", "/query/x?y=z"],
        ...["/fragment/x", "/fragment/x?y", "/match/a%3fb%23c", "/match/a%20b?q", "/port/x", "/port/x?y"],
        ...["/taken/a%26b", "/taken/x?y", "/gone", "/in/x?y", "/relative/x?y", "/d/mx%20y?z", "/slash/%25"],
      ],
    );
  }, 60_000);

  test("of rules", async () => {
    await expectRedirects(
      [
        "RewriteEngine on",
        "RewriteRule ^/a/(.*) https://shop.test/$1 [R=301]",
        "RewriteRule ^/b/(.*) /new/$1?own=%20 [R,QSA]",
        "RewriteRule ^/c/(.*) /new/$1#part [R,NE]",
        "RewriteRule ^/e/(.*) /new/$1#part [R]",
        "RewriteRule ^/f/(.*) https://shop.test?to=$1 [R=308,L]",
        "RewriteRule ^/g http://%{HTTP_HOST}%{REQUEST_URI} [R,QSD]",
        "RewriteRule ^/h/(.*) mailto:$1 [R]",
        "RewriteRule ^/i relative [R]",
        "<Directory DOCROOT/d>\nRewriteEngine on\nRewriteRule ^bar$ foo [R]",
        "RewriteRule ^x/(.*) https://shop.test/$1 [R=301]\n</Directory>",
        "<Directory DOCROOT/s>\nRewriteEngine on\nRewriteBase /base/\nRewriteRule ^bar/(.*) $1 [R]\n</Directory>",
      ],
      [
        ...[
          "/a/x%20y?q=%20",
          "/a/",
          "/b/x?y=%2f",
          "/b/x",
          "/c/x?y",
          "/e/x%23",
          "/f/a%26b?q",
          "/g/x%20y?q",
          "/h/x@y.test",
        ],
        ...["/i", "/d/bar?x", "/d/x/%c3%a9", "/s/bar/a%20b?y"],
      ],
    );
  }, 60_000);

  test("of directories, index files, home directories and error documents", async () => {
    await expectRedirects(
      [
        "ErrorDocument 404 https://www.test/lost?from=here",
        'ErrorDocument 403 "https://%{HTTP_HOST}/no"',
        "<Location /no>\nRequire all denied\n</Location>",
        "<Directory DOCROOT/s>\nDirectoryIndexRedirect seeother\n</Directory>",
        "UserDir https://people.test/*/home",
        "UserDir enabled",
      ],
      ["/d?x=%20", "/d/a%20b", "/s/?q", "/missing?q", "/no", "/~ann/x%20y?q", "/~ann"],
    );
  }, 60_000);

  test("has the name and the port of the server", async () => {
    const lines = ["Redirect /a /b", "RewriteEngine on", "RewriteRule ^/c /d [R]"];
    for (const host of ["y.test:8080", "[::1]:81", "Y.TEST."]) await expectRedirects(lines, ["/a/x", "/c", "/d"], host);
    const named = ["ServerName https://own.test:8443", "UseCanonicalName On", ...lines];
    await expectRedirects(named, ["/a/x", "/c", "/d"], "y.test");
  }, 60_000);
});

describe.skipIf(!httpd)(liveTitle("the URL that a backend gets"), () => {
  test("is that of the simulator", async () => {
    const backend = createServer(({ url = "" }, response) => response.setHeader("X-Url", url).end());
    const at = `http://127.0.0.1:${await portOf(backend)}`;
    const lines = [
      ...["TypesConfig /dev/null", `ProxyPass /pass/ ${at}/`, `ProxyPass /raw/ ${at}/r/ nocanon`],
      `ProxyPassMatch ^/match/(.*)$ ${at}/m/$1`,
      ...[
        "RewriteEngine on",
        `RewriteRule ^/rule/(.*) ${at}/$1 [P]`,
        `RewriteRule ^/query/(.*) ${at}/x?own=$1 [P,QSA]`,
      ],
      ...[`RewriteRule ^/kept/(.*) ${at}/$1 [P,NE]`, "RewriteRule ^/inside/(.*) /pass/$1?in [PT]"],
      `<Directory DOCROOT/d>\nRewriteEngine on\nRewriteRule ^api/(.*) ${at}/{REQUEST_URI}/$1 [P]\n</Directory>`,
      `<Location /here/>\nProxyPass ${at}/there/\nDirectoryIndex x.txt\n</Location>`,
      `<Location /set/>\nSetHandler "proxy:${at}/ZZ"\nDirectoryIndex index.php\n</Location>`,
      `AddHandler "proxy:${at}" .abc`,
    ];
    const urls = [
      ...["/pass/a%20b?x=%20", "/pass/%c3%a9", "/raw/a%20b?x", "/match/a?b", "/rule/a%20b?c", "/query/a?b"],
      ...["/kept/a?b=%20", "/inside/x?y", "/d/api/u?v", "/here/x%3by?z", "/pass/", "/here/"],
      ...["/set/index.php", "/set/index.php/more?q", "/set/none/a/b", "/set/", "/set/a%20b%2520c?a=b%20c"],
      ...["/x.abc", "/x.abc/more?q", "/none.abc"],
    ];
    try {
      const serve = async (running: RunningHttpd) => {
        for (const url of urls) {
          const { headers } = await running.ask({ path: url, headers: { Host: "x.test" } });
          const [path = "", query] = url.split(/\?(.*)/s);
          const request = { method: "GET", path, host: "x.test", clientIp: "127.0.0.1" };
          const answer = simulatedServerOn(running).answer(query === undefined ? request : { ...request, query });
          expect([url, answer.cases[0]?.destination.target]).toEqual([url, `${at}${headers["x-url"]}`]);
        }
      };
      const files = { "d/x.txt": "x\n", "set/index.php": "x\n", "x.abc": "x\n" };
      await withRunningHttpd([...modules, "proxy", "proxy_http"], lines, serve, files);
    } finally {
      backend.close();
    }
  }, 60_000);
});
