import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const rewriting = ["authz_core", "alias", "rewrite"];
const proxying = [...rewriting, "proxy", "proxy_http", "proxy_balancer", "slotmem_shm", "lbmethod_byrequests"];
const inRoot = (...lines: readonly string[]) => ["<Directory DOCROOT>", "RewriteEngine On", ...lines, "</Directory>"];

/** A rule with the lines of a server, a request, and parts of the answer that its findings claim. */
const cases: readonly {
  readonly title: string;
  readonly modules: readonly string[];
  readonly lines: readonly string[];
  readonly asked: readonly (readonly [path: string, status: number, header?: string, value?: string | undefined])[];
}[] = [
  {
    title: "never-matching-path: encoded characters are decoded first",
    modules: rewriting,
    lines: [
      "Redirect 301 /a%20b /never",
      'Redirect 301 "/c d" /found',
      ...inRoot("RewriteRule ^e%20f$ /never [R]", "RewriteRule ^g\\sh$ /found [R]"),
    ],
    asked: [
      ["/a%20b", 404],
      ["/c%20d", 301, "location", "/found"],
      ["/e%20f", 404],
      ["/g%20h", 302, "location", "/found"],
    ],
  },
  {
    title: "never-matching-path: a pattern that begins with a slash applies only in directories below",
    modules: rewriting,
    lines: inRoot("RewriteRule /news/(.*) /archive/$1 [R]"),
    asked: [
      ["/news/a", 404],
      ["/x/news/a", 302, "location", "/archive/a"],
    ],
  },
  {
    title: "ignored-value: a later Header set replaces an earlier one",
    modules: [...rewriting, "headers", "setenvif"],
    lines: ["Header set X-A 1", "Header set X-A 2", "SetEnvIf Host . no_index", "Header set X-B 1 env=noindex"],
    asked: [["/a.txt", 200, "x-a", "2"]],
  },
  {
    title: "ignored-value: a rule that responds sends only headers of Header always",
    modules: [...rewriting, "headers"],
    lines: ["Header set X-A 1", "Header always set X-B 1", ...inRoot("RewriteRule ^pre - [R=204,L]")],
    asked: [
      ["/pre", 204, "x-b", "1"],
      ["/pre", 204, "x-a", undefined],
      ["/a.txt", 200, "x-a", "1"],
    ],
  },
  {
    title: "ignored-value: the advice for several origins",
    modules: ["authz_core", "headers", "setenvif"],
    lines: [
      'SetEnvIf Origin "^https://(a|b)\\.example$" ORIGIN=$0',
      'Header always set Access-Control-Allow-Origin "%{ORIGIN}e" env=ORIGIN',
      "Header always merge Vary Origin",
    ],
    asked: [
      ["/a.txt", 200, "access-control-allow-origin", "https://b.example"],
      ["/missing", 404, "vary", "Origin"],
    ],
  },
  {
    title: "undefined-reference: a map of the main server is not inherited",
    modules: rewriting,
    lines: [
      "RewriteMap lc int:tolower",
      "<VirtualHost *>",
      "RewriteEngine On",
      "RewriteRule ^/p/(.*) /q/${lc:$1}x [R]",
      "</VirtualHost>",
    ],
    asked: [["/p/ABC", 302, "location", "/q/x"]],
  },
  {
    title: "wrong-target-path: a target with a scheme is a redirect without P",
    modules: proxying,
    lines: inRoot("RewriteRule ^api/(.*) http://127.0.0.1:5000/$1 [L]", "RewriteRule ^ws ws://127.0.0.1:5000/ [L]"),
    asked: [
      ["/api/x", 302, "location", "http://127.0.0.1:5000/x"],
      ["/ws", 302, "location", "ws://127.0.0.1:5000/"],
    ],
  },
  {
    title: "missing-proxy-module: a balancer without members",
    modules: proxying,
    lines: ["ProxyPass /b balancer://nobody/", "RewriteEngine On", "RewriteRule ^/c/(.*) balancer://none/$1 [P]"],
    asked: [
      ["/b/x", 503],
      ["/c/x", 500],
    ],
  },
  {
    title: "wrong-error-document: a status of success comes with the page for errors",
    modules: rewriting,
    lines: [
      'ErrorDocument 202 "a"',
      "Redirect 201 /made",
      "Redirect 202 /taken",
      "Redirect 204 /gone",
      ...inRoot("RewriteRule ^ok$ $0 [R=200,L]", "RewriteRule ^none$ - [R=204,L]"),
    ],
    asked: [
      ["/ok", 200, "content-type", "text/html; charset=iso-8859-1"],
      ["/made", 201, "content-type", "text/html; charset=iso-8859-1"],
      ["/taken", 202, "content-length", "1"],
      ["/gone", 204, "content-type", undefined],
      ["/none", 204, "content-type", undefined],
    ],
  },
  {
    title: "undefined-reference: a variable that nothing sets before rules run is empty",
    modules: [...rewriting, "env", "setenvif"],
    lines: [
      "SetEnv LATE https",
      "SetEnvIf Host ^ EARLY=https",
      "RewriteEngine On",
      "RewriteRule ^/a %{ENV:PROTO}://shop.example/a [R]",
      "RewriteRule ^/b https://%{ENV:DOMAIN}/b [R]",
      "RewriteRule ^/c %{ENV:LATE}://shop.example/c [R]",
      "RewriteRule ^/d %{ENV:EARLY}://shop.example/d [R]",
    ],
    asked: [
      ["/a", 302, "location", "/://shop.example/a"],
      ["/b", 302, "location", "https:///b"],
      ["/c", 302, "location", "/://shop.example/c"],
      ["/d", 302, "location", "https://shop.example/d"],
    ],
  },
  {
    title: "misread-line: a quote after the space is part of the paths",
    modules: rewriting,
    lines: ['Alias "/q "DOCROOT"', 'Alias "/r" "DOCROOT"'],
    asked: [
      ["/q/a.txt", 404],
      ["/r/a.txt", 200],
    ],
  },
  {
    title: "wrong-target-path: conditions apply only to the next rule",
    modules: rewriting,
    lines: inRoot(
      "RewriteCond %{REQUEST_FILENAME} !-f",
      "RewriteRule ^canary$ - [R=204,L]",
      "RewriteRule ^(.*)$ - [E=TAKEN:1,R=403]",
    ),
    asked: [
      ["/canary", 204],
      ["/a.txt", 403],
    ],
  },
  {
    title: "ignored-directive: virtual hosts do not inherit AllowEncodedSlashes",
    modules: ["authz_core"],
    lines: [
      "AllowEncodedSlashes NoDecode",
      "<VirtualHost *>",
      "<Location /job>",
      "Redirect 301 /found",
      "</Location>",
      "</VirtualHost>",
    ],
    asked: [["/job/a%2Fb", 404]],
  },
];

describe.skipIf(!httpd)(liveTitle("lines of everyday mistakes"), () => {
  test.each(cases)("$title", async ({ modules, lines, asked }) => {
    await withRunningHttpd(
      modules.includes("alias") ? modules : [...modules, "alias"],
      lines,
      async (running) => {
        for (const [path, status, header, value] of asked) {
          const answer = await running.ask({ path, headers: { Origin: "https://b.example" } });
          expect([path, answer.status]).toEqual([path, status]);
          if (header === undefined) continue;
          const found = answer.headers[header];
          const local =
            typeof found === "string"
              ? found.replace(/^http:\/\/[\w.]+(?::\d+)?(?=\/)(?!\/x)/, (origin) =>
                  origin.endsWith(":5000") ? origin : "",
                )
              : found;
          expect([path, local]).toEqual([path, value]);
        }
      },
      { "a.txt": "a" },
    );
  });
});
