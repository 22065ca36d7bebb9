import { describe, expect, test } from "vitest";
import type { Release } from "../../src/directives/directives.js";
import { createListedFiles, type FileTree } from "../../src/httpd/model/file-tree.js";
import type { Request } from "../../src/httpd/model/request.js";
import { memoryAccess } from "../../src/project/files/file-access.js";
import { loadProject } from "../../src/project/load.js";
import { Decider } from "../../src/simulate/decide.js";
import { loadModules } from "../support/httpd/httpd.js";

const usual = ["authz_core", "authz_host", "access_compat", "alias", "autoindex", "dir", "env", "setenvif", "rewrite"];
const there = createListedFiles(
  ["x.txt", "y.txt", "a/x.txt", "a/index.html", "empty/"].map((path) => `/srv/www/${path}`),
);

interface Server {
  readonly lines: readonly string[];
  /** Of `/srv/www/.htaccess`. */
  readonly htaccess?: readonly string[];
  /** Of `/.htaccess`. */
  readonly rootHtaccess?: readonly string[];
  /** In addition to the usual ones. */
  readonly modules?: readonly string[];
  readonly release?: Release;
  readonly files?: FileTree;
}

function deciderOf(server: Server): Decider {
  const { lines, htaccess, rootHtaccess, modules = [], release = "2.4", files = there } = server;
  const text = `${loadModules([...usual, ...modules])}${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const own = htaccess && { "/srv/www/.htaccess": `${htaccess.join("\n")}\n` };
  const ofRoot = rootHtaccess && { "/.htaccess": `${rootHtaccess.join("\n")}\n` };
  const access = memoryAccess({ "/etc/httpd.conf": text, ...own, ...ofRoot });
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server", release });
  if ("failed" in loaded) throw new Error(loaded.failed);
  return new Decider(loaded.project, files);
}

const ask = (decider: Decider, path: string, more: Partial<Request> = {}) =>
  decider.decide({ method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...more });

/** Returns the statuses of some paths, requested in order. */
const statusesOf = (server: Server, paths: readonly string[]) => {
  const decider = deciderOf(server);
  return Object.fromEntries(paths.map((path) => [path, ask(decider, path).status]));
};

const section = (name: string, words: string, ...lines: readonly string[]) => [
  `<${name} ${words}>`,
  ...lines,
  `</${name}>`,
];
const inRoot = (...lines: readonly string[]) => section("Directory", "/srv/www", ...lines);
const rules = (...lines: readonly string[]) => ["RewriteEngine On", ...lines];
const denied = "Require all denied";

type Case = readonly [title: string, server: Server, answers: Readonly<Record<string, number>>];

/** Responses of 2.4.71 to manual requests. */
describe("`.htaccess` files", () => {
  const guards = inRoot("AllowOverride None", "AllowOverrideList <IfDefine Redirect");
  const skipping = inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <IfDefine <Files Require");
  const unmet = ["<IfDefine Y>", "Redirect /a /b", "</IfDefine>"];
  const files = section("Files", "x.txt", "SetEnv a b", denied);
  test.each<Case>([
    ["a guard that does not hold", { lines: guards, htaccess: unmet }, { "/x.txt": 200 }],
    [
      "one that may not stand behind it",
      { lines: guards, htaccess: [...unmet, "<IfModule core.c>", "</IfModule>"] },
      { "/x.txt": 500 },
    ],
    [
      "a letter in the place of the bracket that closes a tag",
      { lines: skipping, htaccess: ["<IfModule core.c>", "<Files a>", "</Filesx"] },
      { "/x.txt": 500 },
    ],
    [
      "a guard that holds and is never closed, behind one that is passed over",
      { lines: skipping, htaccess: ["<IfModule core.c>", "<IfDefine !Y>", "Require all granted"] },
      { "/x.txt": 200 },
    ],
    [
      "a section, less what is passed over in it",
      { lines: inRoot("AllowOverride AuthConfig Nonfatal=Override"), htaccess: files },
      { "/x.txt": 403, "/y.txt": 200 },
    ],
    [
      "what is passed over in it does nothing",
      {
        lines: inRoot("AllowOverride AuthConfig Nonfatal=Override"),
        htaccess: section("Files", "x.txt", "Redirect https://y.test/", "Require all granted"),
      },
      { "/x.txt": 200 },
    ],
    [
      "the one in the root folder",
      { lines: section("Directory", "/", "AllowOverride AuthConfig"), htaccess: [], rootHtaccess: [denied] },
      { "/x.txt": 403 },
    ],
    [
      "All takes back what stands ahead of it",
      { lines: inRoot("AllowOverride Nonfatal=Unknown All"), htaccess: ["Foo x"] },
      { "/x.txt": 500 },
    ],
    [
      "and not what stands behind it",
      { lines: inRoot("AllowOverride All Nonfatal=Unknown"), htaccess: ["Foo x"] },
      { "/x.txt": 200 },
    ],
  ])("%s", (_, server, answers) => {
    expect(statusesOf(server, Object.keys(answers))).toEqual(answers);
  });
});

/** Also responses of 2.4.71. */
describe("sections", () => {
  const here = section("Location", "/a", "Require expr \"%{REQUEST_URI} == '/a/'\"");
  const ofFiles = [
    ...section("Directory", "/srv/www/x.txt", denied),
    ...section("Directory", "/srv/www/y.txt", denied),
  ];
  const options = (...words: readonly string[]) => section("Directory", "/", ...words.map((each) => `Options ${each}`));
  const innermost = (words: string) => section("Directory", "/srv/www/empty", `Options ${words}`);
  test.each<Case>([
    [
      "a variable of SetEnvIfExpr, and not its expression",
      { lines: ['SetEnvIfExpr "true" a', ...section("Location", "/", "Require env true")] },
      { "/x.txt": 403 },
    ],
    [
      "what SetEnv leaves for an index file",
      { lines: ["SetEnv a 1", ...section("Files", "index.html", "Require env a")] },
      { "/a/": 200, "/a/index.html": 403 },
    ],
    [
      "what UnsetEnv takes away again",
      { lines: ["SetEnv a 1", "UnsetEnv a", ...section("Files", "index.html", "Require env a")] },
      { "/a/": 403 },
    ],
    [
      "the Alias of a Location",
      { lines: section("Location", "/r", "Alias /srv/www/a/x.txt") },
      { "/r": 200, "/r/x": 200 },
    ],
    [
      "a redirect of a status that is none is for its path alone",
      { lines: section("Location", "/a", "Redirect 400 /a/x.txt") },
      { "/a/x.txt": 400, "/a/index.html": 200 },
    ],
    [
      "a redirect of another status that leads nowhere",
      { lines: section("Location", "/a", "Redirect 300 nowhere") },
      { "/a/x.txt": 500 },
    ],
    [
      "an If section that redirects ahead of access, and one that grants it",
      {
        lines: [
          ...section("Location", "/a", denied, ...section("If", '"true"', "Redirect https://y.test/")),
          ...section("Location", "/x.txt", denied, ...section("If", '"true"', "Require all granted")),
        ],
      },
      { "/a/x.txt": 302, "/x.txt": 200 },
    ],
    ["a star that is escaped", { lines: section("Directory", '"/srv/w*/\\*"', denied) }, { "/a/x.txt": 200 }],
    ["a star", { lines: section("Directory", '"/srv/w*/*"', denied) }, { "/a/x.txt": 403 }],
    [
      "the first line is that of the directory for its index file",
      { lines: section("Files", "index.html", 'Require expr "%{THE_REQUEST} =~ m#/a/ #"') },
      { "/a/": 200, "/a/index.html": 403 },
    ],
    ["the same sections are not asked again for an index file", { lines: here }, { "/a/": 200, "/a/index.html": 403 }],
    ...["lua", "allowmethods"].map(
      (module): Case => [`they are with mod_${module}`, { lines: here, modules: [module] }, { "/a/": 403 }],
    ),
    [
      "a Directory section for a file, where links are followed",
      { lines: [...options("FollowSymLinks"), ...ofFiles] },
      { "/x.txt": 403, "/y.txt": 403 },
    ],
    [
      "a Directory section for a file, where they are not",
      { lines: [...options("None"), ...ofFiles] },
      { "/x.txt": 200, "/y.txt": 200 },
    ],
    [
      "a Directory section for a file that a rule leads to in the same folder, and from the folder itself",
      {
        lines: [
          ...[...options("FollowSymLinks"), ...section("Directory", "/srv/www/y.txt", denied)],
          ...section("Directory", "/srv/www/a/x.txt", denied),
          ...inRoot("DirectorySlash Off", ...rules("RewriteRule ^x.txt$ /y.txt", "RewriteRule ^a$ /a/x.txt")),
        ],
      },
      { "/x.txt": 200, "/y.txt": 403, "/a": 403, "/a/x.txt": 403 },
    ],
    ["options that are taken away", { lines: [...options("+Indexes"), ...innermost("-Indexes")] }, { "/empty/": 403 }],
    [
      "options that were added ahead of None, and come again with another",
      { lines: [...options("+Indexes", "None"), ...innermost("+ExecCGI")] },
      { "/empty/": 200 },
    ],
    [
      "a group that both the folder and the URL have, where rules lead to the same path",
      {
        lines: [
          ...rules("RewriteRule ^/a/x.txt /a/x.txt [PT]"),
          ...section("DirectoryMatch", '"/(?<N>www)"'),
          ...section("LocationMatch", '"/(?<N>a)"', "Require env MATCH_N"),
          ...section("If", "\"reqenv('MATCH_N') == 'a'\"", denied),
        ],
      },
      { "/a/x.txt": 200 },
    ],
  ])("%s", (_, server, answers) => {
    expect(statusesOf(server, Object.keys(answers))).toEqual(answers);
  });
});

/** Also responses of 2.4.71. */
describe("rules of rewriting", () => {
  const doubled = (flags: string) =>
    rules("RewriteCond %{REQUEST_URI} ^(/)", `RewriteRule ^/x %1/a/x.txt${flags}`, "RewriteRule ^//a - [F]");
  test.each<readonly [title: string, lines: readonly string[], path: string, status: number]>([
    [
      "the first line is that which was sent",
      [
        ...rules("RewriteRule ^/x /a/x.txt?q=1 [PT]"),
        ...section("Location", "/a", 'Require expr "%{THE_REQUEST} !~ /q=1/"'),
      ],
      ...(["/x.txt", 200] as const),
    ],
    ["slashes at the beginning are made one", doubled(""), "/x.txt", 200],
    ["unless UNC is there", doubled(" [UNC]"), "/x.txt", 403],
    ["a `?` of the path begins a query", rules("RewriteRule ^/(.*) /$1 [UnsafeAllow3F]"), "/x.txt%3fy", 200],
    ["not ahead of one at the end", rules("RewriteRule ^/(.*) /$1? [UnsafeAllow3F]"), "/x.txt%3fy", 404],
    ["nor with QSD", rules("RewriteRule ^/(.*) /$1 [QSD,UnsafeAllow3F]"), "/x.txt%3fy", 404],
    ["where the rule itself has two, they stay", rules("RewriteRule ^/x //a", "RewriteRule ^//a - [F]"), "/x.txt", 403],
    ["spaces ahead of a flag", rules('RewriteRule ^/x - "[E=a:b,  F]"'), "/x.txt", 403],
    ["a word of another line is no map", rules("RewriteRule ^/x /${On:y}a/x.txt"), "/x.txt", 200],
    [
      "a query without a path",
      rules("RewriteRule ^/x ?a=b [R]", "RewriteCond %{QUERY_STRING} a=b", "RewriteRule ^ - [F]"),
      ...(["/x.txt", 403] as const),
    ],
    [
      "the default behind brackets in the key of a map",
      rules("RewriteMap lc int:tolower", "RewriteRule ^/x /a/${lc:%{ENV:none}X.TXT|y}"),
      ...(["/x.txt", 200] as const),
    ],
  ])("%s", (_, lines, path, status) => {
    expect(ask(deciderOf({ lines }), path)).toMatchObject({ status, notes: [], unknown: [] });
  });

  test("2.2 keeps slashes at the beginning", () => {
    const status = ask(deciderOf({ lines: doubled(""), release: "2.2" }), "/x.txt").status;
    expect(status).toBe(403);
  });
});

test("the root folder exists whatever files are listed", () => {
  expect(["/", "", "/srv", "/opt"].map((path) => there.kindOf(path))).toEqual([
    ...["directory", "directory", "directory", "missing"],
  ]);
});

describe("unknown files", () => {
  const folders = ["", "/srv", "/srv/www", "/srv/www/a", "/srv/www/other"];
  const unsure = (...paths: readonly string[]): FileTree => ({
    kindOf: (path) => {
      if (paths.includes(path)) return "unknown";
      if (folders.includes(path)) return "directory";
      return path === "/srv/www/other/y" ? "file" : "missing";
    },
  });
  const statuses = (decider: Decider, path: string) => {
    const { status, alternatives } = ask(decider, path);
    return [...new Set([status, ...alternatives.map((each) => each.status)])]
      .filter((each) => each !== undefined)
      .sort();
  };

  test("a folder is looked up again for each request", () => {
    const lines = section("Directory", "/srv/www/b", denied);
    const decider = deciderOf({ lines, files: unsure("/srv/www/b", "/srv/www/b/x") });
    for (const _ of [1, 2]) expect(statuses(decider, "/b/x")).toEqual([403, 404]);
  });

  test("whether a rule leads to a path of the disk hangs on its first folder", () => {
    const lines = [...rules("RewriteRule ^/x /other/y"), ...section("Directory", "/other", denied)];
    const decider = deciderOf({ lines, files: unsure("/other", "/other/y") });
    expect(statuses(decider, "/x")).toEqual([200, 403]);
  });

  test("a Directory section for an index file does not belong to its folder", () => {
    const file = "/srv/www/a/index.html";
    const lines = ["DirectoryIndex index.html", ...section("Directory", file, denied)];
    const decider = deciderOf({ lines, files: unsure(file) });
    // Without it the folder would be listed, which its options do not allow.
    expect(statuses(decider, "/a/")).toEqual([200, 403]);
  });
});

// All as 2.4 responds: it ignores addresses that are not host names, and checks the target of a redirect.
describe("addresses of no client", () => {
  const host = (address: string) => [
    `<VirtualHost ${address}>`,
    "<Location />",
    "Require all denied",
    "</Location>",
    "</VirtualHost>",
  ];
  test.each(['""', "a]b"])("<VirtualHost %s> never lets its rules be asked", (address) => {
    const decision = ask(deciderOf({ lines: host(address) }), "/x.txt");
    expect([decision.class, decision.alternatives.map(({ status }) => status)]).not.toContain("403");
    expect(decision.status).not.toBe(403);
  });
  test("accepts one for any address", () => {
    expect(ask(deciderOf({ lines: host("*") }), "/x.txt").status).toBe(403);
  });
});

describe("the description of a request", () => {
  const client = { clientIp: "192.0.2.7", clientHost: "c.test" };
  const asks = (expression: string, ...lines: readonly string[]) => [
    ...lines,
    ...section("Location", "/", `Require expr "${expression}"`),
  ];
  test("the address of its connection is not a name, even if another directive looks up names", () => {
    const lines = (name: string) => asks(`%{${name}} == '192.0.2.7'`, "HostnameLookups On");
    expect(ask(deciderOf({ lines: lines("CONN_REMOTE_ADDR") }), "/x.txt", client).status).toBe(200);
    expect(ask(deciderOf({ lines: lines("REMOTE_HOST") }), "/x.txt", client).status).toBe(403);
  });

  test("no Host header is empty", () => {
    const decider = deciderOf({ lines: asks("%{HTTP_HOST} == ''") });
    const { status } = decider.decide({ method: "GET", path: "/x.txt", clientIp: "192.0.2.7" });
    expect(status).toBe(200);
  });

  test("groups of a section's pattern have no names on 2.2", () => {
    const section22 = section("DirectoryMatch", '"/(?<N>www)"', "Order allow,deny", "Allow from env=MATCH_N");
    expect(ask(deciderOf({ lines: section22, release: "2.2" }), "/x.txt").status).toBe(403);
    expect(ask(deciderOf({ lines: section22 }), "/x.txt").status).toBe(200);
  });
});

// The live server's answers (test/live/override-options.live.test.ts).
test.each<[outer: readonly string[], inner: readonly string[], status: number]>([
  [["AllowOverride Options=Indexes"], [], 500],
  [["AllowOverride Options=Indexes"], ["AllowOverride All"], 200],
  [["AllowOverride Options=Indexes"], ["AllowOverrideList Options"], 500],
  [["AllowOverride Options=Indexes", "AllowOverride All"], [], 500],
  [["AllowOverride Options=Indexes", "AllowOverride All"], ["AllowOverride All"], 200],
])("with %j, and %j further in, Options +ExecCGI in `.htaccess`: %i", (outer, inner, status) => {
  const lines = [...section("Directory", "/srv", ...outer), ...inRoot(...inner)];
  expect(ask(deciderOf({ lines, htaccess: ["Options +ExecCGI"] }), "/x.txt").status).toBe(status);
});

// The live server's answers (test/live/authorization-header.live.test.ts).
test.each<[condition: string, status: number | undefined]>([
  ["-n req('Authorization')", 200],
  ["-z req('authorization')", 403],
  ["-T %{HTTP:Authorization}", 200],
  ["req('Authorization') == ''", 403],
  ["req('Authorization') != 'no'", 200],
  ["req('Authorization') =~ /^(Basic|Digest) /", 200],
  ["req('Authorization') =~ /^BASIC/", 403],
  ["req('Authorization') !~ /^Bearer/", 200],
  ["req('Authorization') =~ /=$/", undefined],
  ["'x' . req('Authorization') == 'x'", undefined],
])("the Authorization header of a user in the expression %s: %s", (condition, status) => {
  const lines = inRoot(`Require expr "${condition}"`);
  expect(ask(deciderOf({ lines }), "/x.txt", { user: "bob" }).status).toBe(status);
});

test("a header that no user sends is empty", () => {
  const lines = inRoot("Require expr -n req('Authorization')");
  expect(ask(deciderOf({ lines }), "/x.txt").status).toBe(403);
});

test("the target of VirtualDocumentRoot is unknown if its name comes from a resolver", () => {
  const lines = ["UseCanonicalName DNS", "VirtualDocumentRoot /srv/%0"];
  const { status, unknown } = ask(deciderOf({ lines, modules: ["vhost_alias"] }), "/x.txt");
  expect([status, unknown]).toEqual([undefined, ["the target of `VirtualDocumentRoot /srv/%0`"]]);
});

test("the line with an unknown AuthType decides", () => {
  const lines = section("Location", "/", "AuthType Basic", "Require valid-user");
  const { status, decidedBy } = ask(deciderOf({ lines, modules: ["authn_core", "authz_user"] }), "/x.txt");
  expect([status, decidedBy.map(({ name }) => name)]).toEqual([500, ["AuthType"]]);
});

test("rules after a redirect with an unknown target read it: the answer is unknown", () => {
  const rules = (flags: string) => [
    "RewriteEngine On",
    `RewriteRule ^/x http://%{TIME}.test/ [${flags}]`,
    "RewriteRule ^http://[0-9]+\\.test - [F]",
  ];
  const answerTo = (lines: readonly string[]) => {
    const { status, notes } = ask(deciderOf({ lines }), "/x.txt");
    return [status, notes.length];
  };
  expect(answerTo(rules("R=301"))).toEqual([undefined, 1]);
  expect([answerTo(rules("R=301,L")), answerTo(rules("R=301").slice(0, 2))]).toEqual([
    [301, 0],
    [301, 0],
  ]);
});

test("an index file is asked for by the escaped path of its directory", () => {
  const asking = "Require expr \"%{REQUEST_URI} == '/a b/'\"";
  const lines = ['<Location "/a b">', '<If "true">', asking, "</If>", "</Location>"];
  const files = createListedFiles(["/srv/www/a b/index.html"]);
  expect(ask(deciderOf({ lines, files }), "/a%20b/").status).toBe(200);
});
