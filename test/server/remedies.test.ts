import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import type { Answer } from "../../src/server/model/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import {
  type Asked,
  type Config,
  hosts,
  login,
  questions,
  rules,
  usual,
  withRemedy,
} from "../support/remedies/questions.js";

const grant = ["<Directory /srv/www>", "Require all granted", "AllowOverride All", "</Directory>"];
const grant22 = ["<Directory /srv/www>", "Order allow,deny", "Allow from all", "AllowOverride All", "</Directory>"];

function ask({ main, htaccess = {} }: Config, path: string, asked: Asked = {}): Answer {
  const { files = usual, release = "2.4", ...sent } = asked;
  const own = Object.entries(htaccess).map(([folder, text]) => [`${folder}/.htaccess`, `${text}\n`] as const);
  const before = ["ServerName a.test", "DocumentRoot /srv/www", ...(release === "2.2" ? grant22 : grant)];
  const access = memoryAccess({
    "/etc/httpd.conf": `${[...before, ...main].join("\n")}\n`,
    ...Object.fromEntries(own),
  });
  const loaded = loadProject("/etc/httpd.conf", { access, release, htaccess: true, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const [plain = "", query] = path.split("?");
  const request = { method: "GET", path: plain, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const listed = createListedFiles([...files, ...own.map(([name]) => name)]);
  return answer(loaded.value, query === undefined ? request : { ...request, query }, {
    files: { ...listed, textOf: (name) => (name === "/dev/null" ? "" : undefined) },
  });
}

/** What a reader is told: the causes, and the lines that do not apply although they come close, with what to change. */
function toldOf(found: Answer): readonly (readonly string[])[] {
  const { loop, causes, misses } = found;
  return [
    ...[...(loop ? [loop] : []), ...causes].map(({ text, help = [] }) => [text, ...help]),
    ...misses
      .filter(({ isClose }) => isClose)
      .map(({ section, reason, help = [] }) => [`${section}: ${reason}`, ...help]),
  ];
}

/** What of an answer a remedy is to change. */
function resultOf(found: Answer): string {
  const { status, cases } = found;
  const { location, target, file } = cases[0]?.destination ?? {};
  return [status, location ?? target ?? file].filter((part) => part !== undefined).join(" ");
}

describe("a reader is told the cause and the change", () => {
  test.each(Object.entries(questions))("%s", (_, question) => {
    const { config, path, asked, before, told, after, stays } = question;
    const found = ask(config, path, asked);
    expect(resultOf(found)).toBe(before);
    expect(toldOf(found)[0]).toEqual(told);
    const again = ask(withRemedy(question), path, asked);
    expect(resultOf(again)).toBe(after);
    expect(toldOf(again).some(([text]) => text === told[0])).toBe(stays === true);
  });

  test("an earlier Location section has the backend", () => {
    const inner = ["<Location /m/i/>", "ProxyPass http://127.0.0.1:8090/i/", "</Location>"];
    const outer = ["<Location /m>", "ProxyPass http://127.0.0.1:8008/m", "</Location>"];
    const found = ask({ main: [...inner, ...outer] }, "/m/i/x");
    expect(resultOf(found)).toBe("200 http://127.0.0.1:8008/m/i/x");
    expect(toldOf(found)).toEqual([
      [
        "ProxyPass http://127.0.0.1:8090/i/: `<Location /m/i/>` matches as well, but `<Location /m>` is merged later, and its `ProxyPass` applies",
        "move `<Location /m/i/>` after `<Location /m>`",
      ],
    ]);
    const moved = ask({ main: [...outer, ...inner] }, "/m/i/x");
    expect(resultOf(moved)).toBe("200 http://127.0.0.1:8090/i/x");
    // The outer section is not meant for this path.
    expect(toldOf(moved).length).toBe(0);
  });
});

/** Configurations that are as they should be: nothing of the kind is told. */
const twins: readonly (readonly [about: string, config: Config, path: string, asked?: Asked])[] = [
  ["a pattern with whole segments", rules("RewriteRule (^|/)cli(/|$) - [R=404,L]"), "/api/cli/x"],
  ["a pattern that matches a whole segment", rules("RewriteRule cli - [R=404,L]"), "/api/cli/x"],
  ["a part of a word that leads to a file", rules("RewriteRule cli a.html [L]"), "/client"],
  [
    "a pattern that excludes a whole segment",
    rules("RewriteCond %{REQUEST_URI} !api", "RewriteRule ^ a.html [L]"),
    "/x/api/y",
  ],
  ["a redirect of the start page", rules("RewriteRule ^ https://b.test/ [R]"), "/"],
  ["a redirect of one path", rules("RewriteRule ^docs https://b.test/ [R]"), "/docs/a.html"],
  [
    "a condition for another word",
    rules("RewriteCond %{HTTP_USER_AGENT} ^Spider", "RewriteRule ^ - [F]"),
    "/a.html",
    { headers: { "User-Agent": "Safari" } },
  ],
  ["a dot that matches a dot", rules("RewriteRule a.html - [F]"), "/a.html"],
  ["a dot for any path", rules("RewriteRule . a.html [L]"), "/x"],
  [
    "a redirect that keeps a query without a condition on it",
    rules("RewriteRule ^old$ https://b.test/n [R]"),
    "/old?a=1",
  ],
  [
    "a redirect with a query of its own",
    rules("RewriteCond %{QUERY_STRING} a", "RewriteRule ^old$ https://b.test/?b=1 [R]"),
    "/old?a=1",
  ],
  ["a proxy that keeps the path", { main: ["RewriteEngine On", "RewriteRule ^/(.*) http://127.0.0.1/$1 [P]"] }, "/a"],
  [
    "a proxy that keeps the path by a variable",
    { main: ["RewriteEngine On", "RewriteRule ^/(.*) http://127.0.0.1%{REQUEST_URI} [P]"] },
    "/a",
  ],
  [
    "a redirect of a domain to www",
    rules("RewriteCond %{HTTP_HOST} !^www\\.", "RewriteRule ^ http://www.%{HTTP_HOST}/p [R]"),
    "/a",
    { host: "b.test" },
  ],
  [
    "a redirect of a domain with two labels at its end",
    rules("RewriteCond %{HTTP_HOST} !^www\\.", "RewriteRule ^ http://www.%{HTTP_HOST}/p [R]"),
    "/a",
    { host: "b.co.uk" },
  ],
  [
    "an exclusion of another path",
    rules("RewriteCond %{REQUEST_URI} !^/other/", "RewriteRule ^ https://b.test/p [R]"),
    "/docs",
  ],
  [
    "a redirect of POST that keeps the method",
    rules("RewriteRule ^ https://b.test/p [R=308]"),
    "/a",
    { method: "POST" },
  ],
  ["a redirect of GET", rules("RewriteRule ^ https://b.test/p [R=301]"), "/a"],
  ["a redirect of DELETE", rules("RewriteRule ^ https://b.test/p [R=301]"), "/a", { method: "DELETE" }],
  ["HEAD without a login", login("Require valid-user"), "/a.html", { method: "HEAD" }],
  [
    "a container with a line for all",
    login("<RequireAll>", "Require all granted", "Require valid-user", "</RequireAll>"),
    "/a.html",
  ],
  [
    "a container that excludes",
    login("<RequireAll>", "Require valid-user", "Require not ip 10", "</RequireAll>"),
    "/a.html",
  ],
  ["a login with Require", login("Require valid-user"), "/a.html"],
  [
    "a login for a later section",
    {
      main: [
        "<Directory /srv/www>",
        "AuthType Basic",
        "AuthName a",
        "</Directory>",
        "<Location />",
        "Require all granted",
        "</Location>",
      ],
    },
    "/a.html",
  ],
  ["one index file", { main: ["DirectoryIndex index.html index.php"] }, "/"],
  ["a variable of a rule without a redirect", rules("RewriteRule . - [E=LOGIN:1]"), "/a.html"],
  ["a variable that the last round sets", rules("RewriteRule ^ - [E=LOGIN:1]", "RewriteRule ^x a.html [L]"), "/x"],
  [
    "an early variable",
    { main: ["SetEnvIf Request_URI x ok", "<Location />", "Require env ok", "</Location>"] },
    "/x",
    { files: ["/srv/www/x"] },
  ],
  ["an alias without a port", hosts("b.test", "c.test"), "/a.html", { host: "c.test", files: ["/srv/www/1/a.html"] }],
  [
    "a Redirect of a file with the whole path",
    { main: [], htaccess: { "/srv/www/docs": "Redirect /docs/old /x" } },
    "/docs/a.html",
  ],
  [
    "a Redirect of a file for another name",
    { main: [], htaccess: { "/srv/www/docs": "Redirect /old /x" } },
    "/docs/a.html",
  ],
  [
    "a type of httpd itself",
    { main: ["AddType text/plain .php", "AddType text/html .php"] },
    "/a.php",
    { files: ["/srv/www/a.php"] },
  ],
  [
    "a Directory section for names elsewhere",
    { main: ['<Directory "/srv/www/other/*">', "Require all granted", "</Directory>"] },
    "/docs/",
  ],
  ["a Redirect to another host", { main: ["Redirect /docs/ https://b.test/docs/new/"] }, "/docs/a"],
];

test("a pattern for hidden files is not replaced by one that lets them through", () => {
  const found = ask(rules("RewriteRule ^(\\.|occ).* - [R=404,L]"), "/occasions/a.html");
  expect(toldOf(found)).toEqual([["`^(\\.|occ).*` matches `occ` in `occasions`"]]);
});

describe("a reader is told nothing of", () => {
  test.each(twins.map(([about, config, path, asked]) => ({ about, config, path, asked })))(
    "$about",
    ({ config, path, asked }) => {
      expect(toldOf(ask(config, path, asked))).toEqual([]);
    },
  );
});

test.each([
  ["a name with a comma", hosts("b.test", "c.test,d.test"), "e.test"],
  ["an alias with a dot, for the name after it", hosts("b.test", "a.test\nServerAlias .c.test"), "c.test"],
  ["an alias with a path", hosts("b.test", "a.test\nServerAlias c.test/x"), "x.test"],
  ["a name with a scheme and a port", hosts("b.test", "http://c.test:80"), "d.test"],
])("%s is not for another host", (_, config, host) => {
  const none = `no virtual host has the name \`${host}\`, so the first one at this address answers`;
  const [told = [], ...others] = toldOf(ask(config, "/a.html", { host }));
  expect([told[0]?.startsWith(none), others]).toEqual([true, []]);
});

test.each([
  ["DELETE", "AllowMethods GET HEAD POST", ["use `AllowMethods GET HEAD POST DELETE`"]],
  // 2.4 does not start with a method that it does not know.
  ["PURGE", "AllowMethods GET HEAD POST", undefined],
  ["POST", "AllowMethods GET HEAD POST", undefined],
])("AllowMethods without %s gets the line with it, if httpd has such a method", (method, line, help) => {
  const main = ["<Location />", line, "</Location>"];
  const helps = ask({ main }, "/a.html", { method }).causes.map((each) => each.help);
  expect(helps).toEqual(help ? [help] : []);
});
