import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Release } from "../../src/facts/release.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles, type FileTree } from "../../src/server/model/file-tree.js";
import type { Request } from "../../src/server/model/request.js";
import { loadProject } from "../../src/startup/load-project.js";
import { loadModules } from "../support/httpd/httpd.js";

const defaultModules = [
  "authz_core",
  "authz_host",
  "access_compat",
  "alias",
  "autoindex",
  "dir",
  "env",
  "setenvif",
  "rewrite",
];
const existingFiles = createListedFiles(
  ["x.txt", "y.txt", "a/x.txt", "a/index.html", "empty/"].map((path) => `/srv/www/${path}`),
);

interface Server {
  readonly lines: readonly string[];
  /** Lines of `/srv/www/.htaccess`. */
  readonly htaccess?: readonly string[];
  /** Lines of `/.htaccess`. */
  readonly rootHtaccess?: readonly string[];
  /** Modules in addition to the default ones. */
  readonly modules?: readonly string[];
  readonly release?: Release;
  readonly files?: FileTree;
}

function deciderOf(server: Server): SimulatedServer {
  const { lines, htaccess, rootHtaccess, modules = [], release = "2.4", files = existingFiles } = server;
  const text = `${loadModules([...defaultModules, ...modules])}${['DocumentRoot "/srv/www"', ...lines].join("\n")}\n`;
  const own = htaccess && { "/srv/www/.htaccess": `${htaccess.join("\n")}\n` };
  const ofRoot = rootHtaccess && { "/.htaccess": `${rootHtaccess.join("\n")}\n` };
  const access = memoryAccess({ "/etc/httpd.conf": text, ...own, ...ofRoot });
  const loaded = loadProject("/etc/httpd.conf", { access, kind: "server", release });
  if (!loaded.ok) throw new Error(loaded.error);
  return new SimulatedServer(loaded.value, files);
}

const decidePath = (simulatedServer: SimulatedServer, path: string, more: Partial<Request> = {}) =>
  simulatedServer.answer({ method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...more });

/** Returns the statuses of some paths, requested in order. */
const statusesOf = (server: Server, paths: readonly string[]) => {
  const simulatedServer = deciderOf(server);
  return Object.fromEntries(paths.map((path) => [path, decidePath(simulatedServer, path).status]));
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
  const withConditions = inRoot("AllowOverride None", "AllowOverrideList <IfDefine Redirect");
  const skipping = inRoot("AllowOverride Nonfatal=Override", "AllowOverrideList <IfDefine <Files Require");
  const unmet = ["<IfDefine Y>", "Redirect /a /b", "</IfDefine>"];
  const files = section("Files", "x.txt", "SetEnv a b", denied);
  test.each<Case>([
    [
      "ignore a conditional section whose condition is false",
      { lines: withConditions, htaccess: unmet },
      { "/x.txt": 200 },
    ],
    [
      "reject a later conditional section that is not allowed",
      { lines: withConditions, htaccess: [...unmet, "<IfModule core.c>", "</IfModule>"] },
      { "/x.txt": 500 },
    ],
    [
      "reject a closing tag with a letter instead of the bracket",
      { lines: skipping, htaccess: ["<IfModule core.c>", "<Files a>", "</Filesx"] },
      { "/x.txt": 500 },
    ],
    [
      "accept an unclosed true conditional section after a skipped one",
      { lines: skipping, htaccess: ["<IfModule core.c>", "<IfDefine !Y>", "Require all granted"] },
      { "/x.txt": 200 },
    ],
    [
      "apply a section without its skipped lines",
      { lines: inRoot("AllowOverride AuthConfig Nonfatal=Override"), htaccess: files },
      { "/x.txt": 403, "/y.txt": 200 },
    ],
    [
      "ignore skipped lines in a section",
      {
        lines: inRoot("AllowOverride AuthConfig Nonfatal=Override"),
        htaccess: section("Files", "x.txt", "Redirect https://y.test/", "Require all granted"),
      },
      { "/x.txt": 200 },
    ],
    [
      "are read in the root directory",
      { lines: section("Directory", "/", "AllowOverride AuthConfig"), htaccess: [], rootHtaccess: [denied] },
      { "/x.txt": 403 },
    ],
    [
      "reject an unknown directive if All follows Nonfatal",
      { lines: inRoot("AllowOverride Nonfatal=Unknown All"), htaccess: ["Foo x"] },
      { "/x.txt": 500 },
    ],
    [
      "accept an unknown directive if Nonfatal follows All",
      { lines: inRoot("AllowOverride All Nonfatal=Unknown"), htaccess: ["Foo x"] },
      { "/x.txt": 200 },
    ],
  ])("%s", (_, server, answers) => {
    expect(statusesOf(server, Object.keys(answers))).toEqual(answers);
  });
});

const treeFiles = createListedFiles(["index.html", "a/x", "a/i/index.html", "b/y"].map((path) => `/srv/www/${path}`));
const listed = [...inRoot("Options Indexes", "Require all granted"), ...section("Location", "/b", denied)];

/** The statuses of `/a/` and `/a/i/` from 2.4.71: names are URLs relative to the request. */
test.each([
  ...["x", "%78", "./x", "%2e/x", "i/../x", "../a/x", "/a/%78", "/b/../a/x"].map((name) => [name, 200] as const),
  ...["../b/y", "/%62/y", "/b/%2e%2e/b/y", "//b/y", "/b//y"].map((name) => [name, 403] as const),
  ...["../../b/y", "/../b/y", "/x/../../b/y", "%zz"].map((name) => [name, 400] as const),
  ...[".", "./.", "?q", "#f"].map((name) => [name, 500] as const),
  ...["a%2fx", "%00", '""', '"" ../b/y', '"" %zz', 'disabled ""'].map((name) => [name, 200] as const),
  ["i", 301] as const,
  ["..", 200] as const,
  ["nope%zz x", 200] as const,
  ["nope%zz nope", 400] as const,
  ["../b/y nope", 403] as const,
])("DirectoryIndex %s", (names, status) => {
  const lines = [...listed, ...section("Directory", "/srv/www/a", `DirectoryIndex ${names}`)];
  expect(statusesOf({ lines, files: treeFiles }, ["/a/"])).toEqual({ "/a/": status });
});

/** The statuses of `/a/nope` from 2.4.71. */
test.each([
  ...["/%62/y", "../b/y", "/b/%2e%2e/b/y", "//b/y", "../%62/y"].map((name) => [name, 403] as const),
  ...["/a/x", "/a/%78", "./x", "%78", "/b/../a/x", "../%61/x", "/a/i/"].map((name) => [name, 200] as const),
  ...["/../b/y", "/%zz"].map((name) => [name, 400] as const),
  ...["/a%2fx", "/nope"].map((name) => [name, 404] as const),
])("FallbackResource %s", (name, status) => {
  const lines = [...listed, ...section("Directory", "/srv/www/a", `FallbackResource ${name}`)];
  expect(statusesOf({ lines, files: treeFiles }, ["/a/nope"])).toEqual({ "/a/nope": status });
});

/** The statuses of `/a/nope` from 2.4.71. */
describe("the path that a rule with PT leads to", () => {
  const ruled = (lines: readonly string[], ...written: readonly string[]) => ({
    lines: [...listed, ...lines, ...rules(...written)],
    files: treeFiles,
  });
  test.each([
    ...["//b/y", "///b/y", "./b/y", "a/../b/y"].map((target) => [target, 200, 200] as const),
    ["/./b/y", 200, 404] as const,
    ...["b/y", "/b//y", "/b/../b/y"].map((target) => [target, 403, 200] as const),
    ...["../b/y", "..", "/a/../../b/y"].map((target) => [target, 403, 403] as const),
  ])("%s", (target, passed, mapped) => {
    const statusWith = (flag: string) =>
      statusesOf(ruled([], `RewriteRule ^/a/nope$ ${target}${flag}`), ["/a/nope"])["/a/nope"];
    expect([statusWith(" [PT]"), statusWith("")]).toEqual([passed, mapped]);
  });

  test("is above the root after a group, or twice a slash", () => {
    const served = (target: string) =>
      statusesOf(ruled([], `RewriteRule ^/a/n/(.*)$ ${target} [PT]`), ["/a/n/b/y"])["/a/n/b/y"];
    expect(["../$1", "//$1", "/$1", "$1"].map(served)).toEqual([403, 200, 403, 403]);
  });

  test.each([
    ["", [200, 200, 403, 403]],
    ["MergeSlashes Off", [403, 403, 403, 403]],
  ] as const)("is compared with Location as it is, except with %s", (merging, statuses) => {
    const targets = ["//b/y", "///b//y", "/b//y", "/b/y"];
    const answers = targets.map((target) =>
      statusesOf(ruled([merging], `RewriteRule ^/a/nope$ ${target} [PT]`), ["/a/nope"]),
    );
    expect(answers.map((each) => each["/a/nope"])).toEqual(statuses);
  });

  test("is compared with the doubled slash of a Location", () => {
    const lines = section("Location", "/a//x", denied);
    expect(statusesOf(ruled(lines, "RewriteRule ^/a/nope$ /a//x [PT]"), ["/a/nope", "/a/x", "/a//x"])).toEqual({
      "/a/nope": 403,
      "/a/x": 200,
      "/a//x": 200,
    });
  });

  test("may leave an Alias, but not the DocumentRoot", () => {
    const lines = ["Alias /c /srv/www/b"];
    const answered = (target: string) =>
      statusesOf(ruled(lines, `RewriteRule ^/a/nope$ ${target} [PT]`), ["/a/nope"])["/a/nope"];
    expect(["/c/../../www/a/x", "/c/y", "/../www/a/x"].map(answered)).toEqual([200, 200, 403]);
  });
});

/** The statuses of `/x.txt`, `/a/` and `/empty/` from 2.4.71; `/a/` has an index file, whose directory has an empty name. */
describe("the name of a Files section", () => {
  const listing = inRoot("Options Indexes");
  const open = { "/x.txt": 200, "/a/": 200, "/empty/": 200 };
  const ofFile = { ...open, "/x.txt": 403 };
  const ofEmpty = { "/x.txt": 200, "/a/": 403, "/empty/": 403 };
  const ofAll = { ...ofEmpty, "/x.txt": 403 };
  test.each([
    ...["x.txt", "./x.txt", ".//x.txt", "b/../x.txt", "a//../x.txt", "a/b/../../x.txt", "*/../x.txt"].map(
      (name) => [name, ofFile] as const,
    ),
    ...["", ".", "./", "./.", "b/..", "x.txt/.."].map((name) => [name, ofEmpty] as const),
    ...["*", "./*", "a/../*"].map((name) => [name, ofAll] as const),
    ...["/x.txt", "//x.txt", "/./x.txt", "/../x.txt", "../x.txt", "a/../../x.txt"].map((name) => [name, open] as const),
    ...["x.txt/", "x.txt//", "x.txt/.", "./x.txt/", "[./]x.txt", ".\\/x.txt", "..", "./.x.txt"].map(
      (name) => [name, open] as const,
    ),
  ])("%s", (name, answers) => {
    const lines = section("Files", `"${name}"`, denied);
    const overriding = [...listing, ...inRoot("AllowOverride All")];
    const paths = Object.keys(answers);
    expect(statusesOf({ lines: [...listing, ...lines] }, paths)).toEqual(answers);
    expect(statusesOf({ lines: [...listing, ...inRoot(...lines)] }, paths)).toEqual(answers);
    expect(statusesOf({ lines: overriding, htaccess: lines }, paths)).toEqual(answers);
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
      "test the variable of SetEnvIfExpr, not its expression",
      { lines: ['SetEnvIfExpr "true" a', ...section("Location", "/", "Require env true")] },
      { "/x.txt": 403 },
    ],
    [
      "see variables of SetEnv in the subrequest for an index file",
      { lines: ["SetEnv a 1", ...section("Files", "index.html", "Require env a")] },
      { "/a/": 200, "/a/index.html": 403 },
    ],
    [
      "do not see variables that UnsetEnv removed",
      { lines: ["SetEnv a 1", "UnsetEnv a", ...section("Files", "index.html", "Require env a")] },
      { "/a/": 403 },
    ],
    [
      "map a path by Alias in a Location",
      { lines: section("Location", "/r", "Alias /srv/www/a/x.txt") },
      { "/r": 200, "/r/x": 200 },
    ],
    [
      "match only the exact path of a Redirect with an error status",
      { lines: section("Location", "/a", "Redirect 400 /a/x.txt") },
      { "/a/x.txt": 400, "/a/index.html": 200 },
    ],
    [
      "return 500 for a Redirect with another status and an invalid target",
      { lines: section("Location", "/a", "Redirect 300 nowhere") },
      { "/a/x.txt": 500 },
    ],
    [
      "redirect in an If section before access is checked, and grant access in another",
      {
        lines: [
          ...section("Location", "/a", denied, ...section("If", '"true"', "Redirect https://y.test/")),
          ...section("Location", "/x.txt", denied, ...section("If", '"true"', "Require all granted")),
        ],
      },
      { "/a/x.txt": 302, "/x.txt": 200 },
    ],
    [
      "match an escaped asterisk literally",
      { lines: section("Directory", '"/srv/w*/\\*"', denied) },
      { "/a/x.txt": 200 },
    ],
    ["match an asterisk as a wildcard", { lines: section("Directory", '"/srv/w*/*"', denied) }, { "/a/x.txt": 403 }],
    [
      "see the request line for the directory in the subrequest for its index file",
      { lines: section("Files", "index.html", 'Require expr "%{THE_REQUEST} =~ m#/a/ #"') },
      { "/a/": 200, "/a/index.html": 403 },
    ],
    [
      "are not checked again for an index file if they are the same",
      { lines: here },
      { "/a/": 200, "/a/index.html": 403 },
    ],
    ...["lua", "allowmethods", "wsgi", "auth_mellon", "log_debug"].map(
      (module): Case => [
        `are checked again for an index file with mod_${module}`,
        { lines: here, modules: [module] },
        { "/a/": 403 },
      ],
    ),
    [
      "are not checked again for an index file with mod_auth_form",
      { lines: here, modules: ["auth_form"] },
      { "/a/": 200 },
    ],
    [
      "apply a Directory section to a file if links are followed",
      { lines: [...options("FollowSymLinks"), ...ofFiles] },
      { "/x.txt": 403, "/y.txt": 403 },
    ],
    [
      "do not apply a Directory section to a file if links are not followed",
      { lines: [...options("None"), ...ofFiles] },
      { "/x.txt": 200, "/y.txt": 200 },
    ],
    [
      "apply a Directory section to a file that a rewrite rule maps to, except within one directory",
      {
        lines: [
          ...[...options("FollowSymLinks"), ...section("Directory", "/srv/www/y.txt", denied)],
          ...section("Directory", "/srv/www/a/x.txt", denied),
          ...inRoot("DirectorySlash Off", ...rules("RewriteRule ^x.txt$ /y.txt", "RewriteRule ^a$ /a/x.txt")),
        ],
      },
      { "/x.txt": 200, "/y.txt": 403, "/a": 403, "/a/x.txt": 403 },
    ],
    ["remove an inherited option", { lines: [...options("+Indexes"), ...innermost("-Indexes")] }, { "/empty/": 403 }],
    [
      "restore options added before None if a later section adds another",
      { lines: [...options("+Indexes", "None"), ...innermost("+ExecCGI")] },
      { "/empty/": 200 },
    ],
    [
      "use the named group of the URL rather than that of the directory if a rule rewrites to the same path",
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
describe("rewrite rules", () => {
  const doubled = (flags: string) =>
    rules("RewriteCond %{REQUEST_URI} ^(/)", `RewriteRule ^/x %1/a/x.txt${flags}`, "RewriteRule ^//a - [F]");
  test.each<readonly [title: string, lines: readonly string[], path: string, status: number]>([
    [
      "see the original request line",
      [
        ...rules("RewriteRule ^/x /a/x.txt?q=1 [PT]"),
        ...section("Location", "/a", 'Require expr "%{THE_REQUEST} !~ /q=1/"'),
      ],
      ...(["/x.txt", 200] as const),
    ],
    ["merge leading slashes", doubled(""), "/x.txt", 200],
    ["keep leading slashes with UNC", doubled(" [UNC]"), "/x.txt", 403],
    [
      "start the query at an encoded `?` in the path",
      rules("RewriteRule ^/(.*) /$1 [UnsafeAllow3F]"),
      "/x.txt%3fy",
      200,
    ],
    [
      "do not start the query at an encoded `?` before a final `?`",
      rules("RewriteRule ^/(.*) /$1? [UnsafeAllow3F]"),
      "/x.txt%3fy",
      404,
    ],
    [
      "do not start the query at an encoded `?` with QSD",
      rules("RewriteRule ^/(.*) /$1 [QSD,UnsafeAllow3F]"),
      "/x.txt%3fy",
      404,
    ],
    [
      "keep two leading slashes of the substitution",
      rules("RewriteRule ^/x //a", "RewriteRule ^//a - [F]"),
      "/x.txt",
      403,
    ],
    ["accept spaces before a flag", rules('RewriteRule ^/x - "[E=a:b,  F]"'), "/x.txt", 403],
    ["do not use an argument of another directive as a map", rules("RewriteRule ^/x /${On:y}a/x.txt"), "/x.txt", 200],
    [
      "keep the path if the substitution is only a query",
      rules("RewriteRule ^/x ?a=b [R]", "RewriteCond %{QUERY_STRING} a=b", "RewriteRule ^ - [F]"),
      ...(["/x.txt", 403] as const),
    ],
    [
      "use the default value after braces in the key of a map",
      rules("RewriteMap lc int:tolower", "RewriteRule ^/x /a/${lc:%{ENV:none}X.TXT|y}"),
      ...(["/x.txt", 200] as const),
    ],
  ])("%s", (_, lines, path, status) => {
    expect(decidePath(deciderOf({ lines }), path)).toMatchObject({ status, notes: [], unknown: [] });
  });

  test("keep leading slashes on 2.2", () => {
    const status = decidePath(deciderOf({ lines: doubled(""), release: "2.2" }), "/x.txt").status;
    expect(status).toBe(403);
  });
});

test("the root directory exists for any list of files", () => {
  expect(["/", "", "/srv", "/opt"].map((path) => existingFiles.kindOf(path))).toEqual([
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
  const statuses = (simulatedServer: SimulatedServer, path: string) => {
    const { status, alternatives } = decidePath(simulatedServer, path);
    return [...new Set([status, ...alternatives.map((each) => each.status)])]
      .filter((each) => each !== undefined)
      .sort();
  };

  test("a directory is looked up again for each request", () => {
    const lines = section("Directory", "/srv/www/b", denied);
    const simulatedServer = deciderOf({ lines, files: unsure("/srv/www/b", "/srv/www/b/x") });
    for (const _ of [1, 2]) expect(statuses(simulatedServer, "/b/x")).toEqual([403, 404]);
  });

  test("a rewrite rule maps to a file system path if its first directory exists", () => {
    const lines = [...rules("RewriteRule ^/x /other/y"), ...section("Directory", "/other", denied)];
    const simulatedServer = deciderOf({ lines, files: unsure("/other", "/other/y") });
    expect(statuses(simulatedServer, "/x")).toEqual([200, 403]);
  });

  test("a Directory section for an index file does not apply to its directory", () => {
    const file = "/srv/www/a/index.html";
    const lines = ["DirectoryIndex index.html", ...section("Directory", file, denied)];
    const simulatedServer = deciderOf({ lines, files: unsure(file) });
    // Without the section, httpd would list the directory, which Options does not allow.
    expect(statuses(simulatedServer, "/a/")).toEqual([200, 403]);
  });
});

// All as 2.4 responds: it ignores addresses that are not host names, and checks the target of a redirect.
describe("a virtual host address that is not a host name", () => {
  const host = (address: string) => [
    `<VirtualHost ${address}>`,
    "<Location />",
    "Require all denied",
    "</Location>",
    "</VirtualHost>",
  ];
  test.each(['""', "a]b"])("never matches a request: <VirtualHost %s>", (address) => {
    const decision = decidePath(deciderOf({ lines: host(address) }), "/x.txt");
    expect([decision.class, decision.alternatives.map(({ status }) => status)]).not.toContain("403");
    expect(decision.status).not.toBe(403);
  });
  test("twin: matches a request for any address", () => {
    expect(decidePath(deciderOf({ lines: host("*") }), "/x.txt").status).toBe(403);
  });
});

describe("the description of a request", () => {
  const client = { clientIp: "192.0.2.7", clientHost: "c.test" };
  const linesRequiring = (expression: string, ...lines: readonly string[]) => [
    ...lines,
    ...section("Location", "/", `Require expr "${expression}"`),
  ];
  test("has no name as the connection address, even if another directive looks up names", () => {
    const lines = (name: string) => linesRequiring(`%{${name}} == '192.0.2.7'`, "HostnameLookups On");
    expect(decidePath(deciderOf({ lines: lines("CONN_REMOTE_ADDR") }), "/x.txt", client).status).toBe(200);
    expect(decidePath(deciderOf({ lines: lines("REMOTE_HOST") }), "/x.txt", client).status).toBe(403);
  });

  test("has an empty Host header if none is sent", () => {
    const simulatedServer = deciderOf({ lines: linesRequiring("%{HTTP_HOST} == ''") });
    const { status } = simulatedServer.answer({ method: "GET", path: "/x.txt", clientIp: "192.0.2.7" });
    expect(status).toBe(200);
  });

  test("has no named groups of section patterns on 2.2", () => {
    const section22 = section("DirectoryMatch", '"/(?<N>www)"', "Order allow,deny", "Allow from env=MATCH_N");
    expect(decidePath(deciderOf({ lines: section22, release: "2.2" }), "/x.txt").status).toBe(403);
    expect(decidePath(deciderOf({ lines: section22 }), "/x.txt").status).toBe(200);
  });
});

// The live server's answers (test/live/override-options.live.test.ts).
test.each<[outer: readonly string[], inner: readonly string[], status: number]>([
  [["AllowOverride Options=Indexes"], [], 500],
  [["AllowOverride Options=Indexes"], ["AllowOverride All"], 200],
  [["AllowOverride Options=Indexes"], ["AllowOverrideList Options"], 500],
  [["AllowOverride Options=Indexes", "AllowOverride All"], [], 500],
  [["AllowOverride Options=Indexes", "AllowOverride All"], ["AllowOverride All"], 200],
])("with %j outside and %j inside, Options +ExecCGI in `.htaccess` returns %i", (outer, inner, status) => {
  const lines = [...section("Directory", "/srv", ...outer), ...inRoot(...inner)];
  expect(decidePath(deciderOf({ lines, htaccess: ["Options +ExecCGI"] }), "/x.txt").status).toBe(status);
});

// The answers of a live 2.2.34.
test.each<[allowed: string, options: string, status: number]>([
  ["Options", "+ExecCGI", 200],
  ["Options", "MultiViews", 500],
  ["Options", "+SymLinksIfOwnerMatch", 500],
  ["All", "MultiViews", 200],
  ["Options=Indexes", "Indexes", 200],
  ["Options=Indexes", "-ExecCGI", 500],
  ["Options=Indexes", "None", 200],
  ["Options=Indexes", "Indexes ExecCGI", 500],
  ["Options=IncludesNOEXEC", "Includes", 500],
  ["Options=Includes", "IncludesNOEXEC", 200],
  ["Options=RunScripts", "MultiViews", 200],
])("on 2.2 with AllowOverride %s, Options %s in `.htaccess` returns %i", (allowed, options, status) => {
  const lines = inRoot(`AllowOverride ${allowed}`);
  const decide = deciderOf({ lines, htaccess: [`Options ${options}`], release: "2.2" });
  expect(decidePath(decide, "/x.txt").status).toBe(status);
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
])("with the Authorization header of a user, the condition %s returns %s", (condition, status) => {
  const lines = inRoot(`Require expr "${condition}"`);
  expect(decidePath(deciderOf({ lines }), "/x.txt", { user: "bob" }).status).toBe(status);
});

test("the Authorization header is empty without a user", () => {
  const lines = inRoot("Require expr -n req('Authorization')");
  expect(decidePath(deciderOf({ lines }), "/x.txt").status).toBe(403);
});

test("the target of VirtualDocumentRoot is unknown if its name comes from a resolver", () => {
  const lines = ["UseCanonicalName DNS", "VirtualDocumentRoot /srv/%0"];
  const { status, unknown } = decidePath(deciderOf({ lines, modules: ["vhost_alias"] }), "/x.txt");
  expect([status, unknown]).toEqual([undefined, ["the target of `VirtualDocumentRoot /srv/%0`"]]);
});

test("the line with an unknown AuthType decides", () => {
  const lines = section("Location", "/", "AuthType Basic", "Require valid-user");
  const { status, decidedBy } = decidePath(deciderOf({ lines, modules: ["authn_core", "authz_user"] }), "/x.txt");
  expect([status, decidedBy.map(({ name }) => name)]).toEqual([500, ["AuthType"]]);
});

test("the result is unknown if later rules match the unknown target of a redirect", () => {
  const rules = (flags: string) => [
    "RewriteEngine On",
    `RewriteRule ^/x http://%{TIME}.test/ [${flags}]`,
    "RewriteRule ^http://[0-9]+\\.test - [F]",
  ];
  const answerTo = (lines: readonly string[]) => {
    const { status, notes } = decidePath(deciderOf({ lines }), "/x.txt");
    return [status, notes.length];
  };
  expect(answerTo(rules("R=301"))).toEqual([undefined, 1]);
  expect([answerTo(rules("R=301,L")), answerTo(rules("R=301").slice(0, 2))]).toEqual([
    [301, 0],
    [301, 0],
  ]);
});

test("the subrequest for an index file has the decoded path of its directory", () => {
  const requirement = "Require expr \"%{REQUEST_URI} == '/a b/'\"";
  const lines = ['<Location "/a b">', '<If "true">', requirement, "</If>", "</Location>"];
  const files = createListedFiles(["/srv/www/a b/index.html"]);
  expect(decidePath(deciderOf({ lines, files }), "/a%20b/").status).toBe(200);
});

describe("a word of Options without a sign replaces the inherited options, wherever it is in a line of 2.2", () => {
  const answerTo = (outer: string, inner: string) => {
    const lines = [...section("Directory", "/", `Options ${outer}`), ...section("Directory", "/srv/www/empty", inner)];
    return decidePath(deciderOf({ lines, release: "2.2" }), "/empty/").status;
  };
  test.each([
    ["None", "-FollowSymLinks Indexes", 200],
    ["Indexes", "-MultiViews FollowSymLinks", 403],
    ["Indexes", "+ExecCGI FollowSymLinks", 403],
    ["None", "FollowSymLinks +Indexes", 200],
    ["Indexes", "Indexes -Indexes", 403],
    ["Indexes", "-MultiViews +FollowSymLinks", 200],
    ["None", "+ExecCGI", 403],
  ])("Options %s, then %s: %i for a list of files", (outer, inner, status) => {
    expect(answerTo(outer, `Options ${inner}`)).toBe(status);
  });
});

/** Answers of 2.2.34 and 2.4.62, as statuses of GET for `/a/` with an index file, and for `/empty/`. */
describe("index files of a directory with a handler", () => {
  const lines = (...own: readonly string[]) => [
    ...section("Directory", "/srv/www", "Options Indexes ExecCGI FollowSymLinks", ...own),
  ];
  const modules = ["actions", "cgi", "dav", "dav_fs", "mime", "status"];
  const statuses = (own: readonly string[], release: Release) => {
    const server = deciderOf({ lines: own, modules, release });
    return ["/a/", "/empty/"].map((path) => decidePath(server, path).status);
  };
  test.each<[string, readonly string[], old: readonly number[], checked: readonly number[], plain: readonly number[]]>([
    ["cgi-script", lines("SetHandler cgi-script"), [403, 403], [403, 403], [200, 403]],
    ["the handler of files", lines("SetHandler default-handler"), [404, 404], [404, 404], [200, 404]],
    ["a page", lines("SetHandler server-status"), [200, 200], [200, 200], [200, 200]],
    ["no handler", lines("SetHandler none"), [200, 200], [200, 200], [200, 200]],
    ["the programs of ScriptAlias", ["ScriptAlias /a/ /srv/www/a/", ...lines()], [403, 200], [403, 200], [200, 200]],
    ["AddHandler", lines("AddHandler foo .html"), [200, 200], [200, 200], [200, 200]],
    ["ForceType", lines("ForceType text/x-foo"), [200, 200], [200, 200], [200, 200]],
    ["a rule", lines("RewriteEngine on", "RewriteRule ^a/$ - [H=foo]"), [200, 200], [200, 200], [200, 200]],
    ["a rule of the server", ["RewriteEngine on", "RewriteRule ^/a/$ - [H=foo]"], [200, 403], [200, 403], [200, 403]],
    ["WebDAV", lines("Dav On"), [200, 200], [200, 200], [200, 200]],
  ])("%s", (_, own, old, checked, plain) => {
    const noListing = own[0]?.startsWith("Rewrite") ? ["Options None"] : [];
    expect(statuses([...own, ...noListing], "2.2")).toEqual(old);
    expect(statuses([...own, ...noListing, "DirectoryCheckHandler On"], "2.4")).toEqual(checked);
    expect(statuses([...own, ...noListing], "2.4")).toEqual(plain);
  });

  test("a method that mod_dav takes", () => {
    const own = [...lines("Dav On"), ...section("Files", "index.html", "Order allow,deny")];
    const put = (release: Release, ...more: readonly string[]) =>
      decidePath(deciderOf({ lines: [...own, ...more], modules, release }), "/a/", { method: "PUT" }).status;
    expect(put("2.2")).toBe(409);
    expect(put("2.4", "DirectoryCheckHandler On")).toBe(409);
    expect(put("2.4")).toBe(403);
  });
});

/** Answers of 2.2.34, 2.4.57 and 2.4.62. */
describe("types with the name of a handler", () => {
  const modules = ["cgi", "info", "mime", "status"];
  const files = createListedFiles(["x.txt", "x.html", "a/x.html", "a/index.html"].map((path) => `/srv/www/${path}`));
  const statuses = (lines: readonly string[], release: Release, ...paths: readonly string[]) =>
    statusesOf({ lines: ["Options FollowSymLinks", ...lines], modules, release, files }, paths);
  test.each<[readonly string[], Readonly<Record<string, number>>]>([
    [
      ["AddType server-status .html"],
      { "/x.html": 200, "/no.html": 200, "/x.html/more": 200, "/x.txt": 200, "/a/": 200 },
    ],
    [["AddType Server-Info .html"], { "/no.html": 200, "/no.txt": 404 }],
    [["AddType cgi-script .html"], { "/x.html": 403, "/no.html": 403, "/x.txt": 200, "/a/": 403, "/a": 301 }],
    [["AddType x-script .html"], { "/x.html": 200, "/no.html": 404 }],
    [
      section("Directory", "/srv/www/a", "ForceType cgi-script"),
      { "/a/x.html": 403, "/a/no": 403, "/a/": 403, "/x.html": 200 },
    ],
    [
      section("Directory", "/srv/www/a", "ForceType server-status", "SetHandler default-handler"),
      { "/a/x.html": 200, "/a/no": 404 },
    ],
    [["RewriteEngine on", "RewriteRule ^/a/ - [T=cgi-script]"], { "/a/x.html": 403, "/a/no": 403, "/a/": 403 }],
  ])("%j", (lines, expected) => {
    for (const release of ["2.2", "2.4"] as const)
      expect(statuses(lines, release, ...Object.keys(expected))).toEqual(expected);
  });

  test("the handler of an extension replaces that of ScriptAlias, also for a missing file", () => {
    const lines = ["ScriptAlias /p/ /srv/www/a/", "AddHandler default-handler .html"];
    for (const release of ["2.2", "2.4"] as const) {
      const server = deciderOf({ lines, modules, release, files });
      const put = (path: string) => decidePath(server, path, { method: "PUT" }).status;
      expect([put("/p/no.html"), put("/p/no"), put("/p/x.html")]).toEqual([405, 404, 405]);
    }
  });
});

/** Answers of 2.2.34, 2.4.57 and 2.4.62: the file `redirect:/x.txt` cannot be opened. */
describe("the handler of a rule replaces the redirect of a rule in a section", () => {
  const redirect = section("Directory", "/srv/www/a", "RewriteEngine on", "RewriteRule ^ /x.txt");
  const statuses = (handler: string, method = "GET") =>
    (["2.2", "2.4"] as const).map((release) => {
      const rule = handler === "" ? [] : [`RewriteRule ^/ - [H=${handler}]`];
      const lines = ["Options FollowSymLinks", "RewriteEngine on", ...rule, ...redirect];
      const server = deciderOf({ lines, modules: ["cgi", "status"], release });
      return ["/a/x.txt", "/a/", "/a/no"].map((path) => decidePath(server, path, { method }).status);
    });
  test.each<[string, string, readonly number[]]>([
    ["", "GET", [200, 200, 200]],
    ["default-handler", "GET", [403, 404, 404]],
    ["default-handler", "POST", [403, 404, 404]],
    ["default-handler", "PUT", [405, 405, 405]],
    ["default-handler", "OPTIONS", [200, 200, 200]],
    ["server-status", "GET", [200, 200, 200]],
    ["server-status", "POST", [403, 404, 404]],
    ["cgi-script", "GET", [403, 403, 403]],
  ])("%s, %s: %j", (handler, method, expected) => {
    expect(statuses(handler, method)).toEqual([expected, expected]);
  });

  test("in the rules of the same section", () => {
    const rules = ["RewriteEngine on", "RewriteRule ^ - [H=default-handler]", "RewriteRule ^ /x.txt"];
    const lines = ["Options FollowSymLinks", ...section("Directory", "/srv/www/a", ...rules)];
    expect(statusesOf({ lines }, ["/a/x.txt", "/a/", "/x.txt"])).toEqual({
      "/a/x.txt": 403,
      "/a/": 404,
      "/x.txt": 200,
    });
  });
});

/** Answers of 2.2.34 and 2.4.71. */
test.each<[Release, readonly string[], number]>([
  ["2.2", [], 200],
  ["2.4", [], 403],
  ["2.2", section("Directory", "/", "Options -Indexes"), 403],
  ["2.2", section("Directory", "/", "Options FollowSymLinks"), 403],
  ["2.4", section("Directory", "/", "Options +Indexes"), 200],
])("%s lists a directory without an index file by default: %j", (release, lines, status) => {
  expect(decidePath(deciderOf({ lines, release }), "/empty/").status).toBe(status);
});

test.each<[Release, string, number]>([
  ["2.2", "a_b.test", 400],
  ["2.4", "a_b.test", 200],
  ["2.2", "a!b.test", 400],
  ["2.2", "a-b.test", 200],
])("%s answers a request with the Host header %s: %i", (release, host, status) => {
  expect(decidePath(deciderOf({ lines: [], release }), "/x.txt", { host }).status).toBe(status);
});

/** Answers of 2.2.34 and 2.4.71: 2.2 checks access to an index file again, as GET, if a Location section applies. */
test.each<[Release, string, string, string, number]>([
  ["2.2", "Location", "/a", "POST", 403],
  ["2.2", "Location", "/a", "PUT", 403],
  ["2.2", "Directory", "/srv/www", "POST", 200],
  ["2.2", "Directory", "/srv/www", "PUT", 405],
  ["2.4", "Location", "/a", "POST", 200],
  ["2.4", "Location", "/a", "PUT", 405],
])("%s with `<Limit GET>` in `<%s %s>` answers %s for a directory: %i", (release, name, path, method, status) => {
  const lines = section(name, path, "Order deny,allow", ...section("Limit", "GET", "Deny from all"));
  expect(decidePath(deciderOf({ lines, release }), "/a/", { method }).status).toBe(status);
});
