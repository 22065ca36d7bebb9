import { describe, expect, test } from "vitest";
import type { PathPartition } from "../../../src/proof/model/path-class.js";
import { wordsOfReason } from "../../../src/proof/model/unproved-reasons.js";
import { fileTreeOfWalk } from "../../../src/proof/paths/applying-sections.js";
import { partitionPaths } from "../../../src/proof/paths/path-partition.js";
import { ServerLookup } from "../../../src/server/request/vhost-lookup.js";
import { load, loadText } from "../../support/projects.js";

const pathsOf = (text: string) => [...new Set(cellsOf(text).classes.map(({ path }) => path))].sort();

/** Returns the cells of the main servers of two configurations. */
function cellsOf(first: string, second = first): PathPartition {
  const [a, b] = [first, second].map((text) => {
    const project = loadText(text);
    return { project, server: new ServerLookup(project.directives, project.release).main };
  });
  const cells = a && b && partitionPaths([a, b], 20_000);
  if (cells === undefined || cells === "too large") throw new Error("too large");
  return cells;
}

/** Formats each cell as a line: the path with `|` where the walk ends, the file type, and the sections that apply. */
function cellLines({ classes }: PathPartition): string[] {
  return classes
    .map(({ path, walks, sections }) => {
      const [first, second] = walks.map((walk) =>
        walk ? `${path.slice(0, walk.walked)}|${path.slice(walk.walked)} ${walk.kind}` : path,
      );
      const named = sections.map((all) => all.map(({ argumentText }) => argumentText.replace(/>$/, "")).join(" "));
      const where = first === second ? first : `${first}, ${second}`;
      return named[0] === named[1] ? `${where}: ${named[0]}` : `${where}: ${named.join(" / ")}`;
    })
    .sort();
}

const ends = (path: string, sections: string) =>
  [`${path}/| directory`, `${path}|/ file`, `${path}| directory`, `${path}| file`, `${path}| missing`].map(
    (each) => `${each}: ${sections}`,
  );

describe("the cells of a configuration", () => {
  test("distinguish only file types without sections", () => {
    expect(cellLines(cellsOf("DocumentRoot /srv"))).toEqual(
      ["/| directory: ", "/a|/ file: ", "/a| directory: ", "/a| file: ", "/a| missing: "].sort(),
    );
  });

  test("assume that the directories of `.htaccess` files exist", () => {
    const project = load({
      "/etc/httpd/httpd.conf": "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>",
      "/srv/b/c/.htaccess": "Options None",
    });
    const side = { project, server: new ServerLookup(project.directives, project.release).main };
    const cells = partitionPaths([side, side], 20_000);
    const walks = cells === "too large" ? [] : cells.classes.flatMap((cell) => cell.walks);
    const kindsAt = (path: string) => new Set(walks.flatMap((walk) => (walk?.filename === path ? walk.kind : [])));
    expect(kindsAt("/srv/b/c")).toEqual(new Set(["directory"]));
    expect([...kindsAt("/srv/b")].filter((kind) => kind !== "directory")).toEqual([]);
    expect(kindsAt("/srv/a")).toEqual(new Set(["directory", "file", "missing"]));
  });

  test("limit the predicates of a `.htaccess` file to its directory", () => {
    const project = load({
      "/etc/httpd/httpd.conf": "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>",
      "/srv/b/.htaccess": "<Files x.txt>\nDeny from all\n</Files>",
      "/srv/c/.htaccess": "<FilesMatch y>\nDeny from all\n</FilesMatch>",
      "/other/.htaccess": "<Files z.txt>\nDeny from all\n</Files>",
    });
    const side = { project, server: new ServerLookup(project.directives, project.release).main };
    const cells = partitionPaths([side, side], 20_000);
    const walks = cells === "too large" ? [] : cells.classes.flatMap((cell) => cell.walks);
    const names = new Set(walks.flatMap((walk) => (walk?.kind === "file" ? walk.filename : [])));
    expect([...names].sort()).toEqual(["/srv/a", "/srv/b/a", "/srv/b/x.txt", "/srv/c/a", "/srv/c/y"]);
  });

  test("include the `.htaccess` file of a rewrite target", () => {
    const project = load({
      "/etc/httpd/httpd.conf": `DocumentRoot /srv
RewriteEngine On
RewriteRule ^/x /other/files/y
<Directory />
AllowOverride All
</Directory>`,
      "/other/files/.htaccess": "Redirect /xa /elsewhere",
    });
    const side = { project, server: new ServerLookup(project.directives, project.release).main };
    const cells = partitionPaths([side, side], 20_000);
    const paths = cells === "too large" ? [] : cells.classes.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["/x", "/xa"]));
  });

  test("distinguish a fixed rewrite target with a host, or relative to the folder of its rule", () => {
    const rule = (target: string) => `RewriteEngine On\nRewriteRule x$ ${target}`;
    const own = `ServerName a.test\nDocumentRoot /srv\n${rule("http://a.test/b")}`;
    expect(pathsOf(own)).toEqual(expect.arrayContaining(["/b", "/x"]));
    const inFolder = `DocumentRoot /srv\n<Directory /srv/d>\n${rule("c")}\n</Directory>`;
    expect(pathsOf(inFolder)).toEqual(expect.arrayContaining(["/d/c", "/d/x"]));
  });

  test("distinguish names that matter only at a rewrite target", () => {
    const project = load({
      "/etc/httpd/httpd.conf": "DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>",
      "/srv/.htaccess": "RewriteEngine On\nRewriteCond %{REQUEST_URI} !^/public/\nRewriteRule ^(.*)$ public/$1",
      "/srv/public/.htaccess": "<Files x.txt>\nDeny from all\n</Files>",
    });
    const side = { project, server: new ServerLookup(project.directives, project.release).main };
    const cells = partitionPaths([side, side], 20_000);
    const paths = cells === "too large" ? [] : cells.classes.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(["/x.txt", "/public/x.txt"]));
  });

  test("distinguish a literal Location", () => {
    expect(cellLines(cellsOf("DocumentRoot /srv\n<Location /b>\nOptions None\n</Location>"))).toEqual(
      ["/| directory: ", ...ends("/a", "").slice(1), ...ends("/b", "/b")].sort(),
    );
  });

  test("do not distinguish a section whose lines have no effect on results", () => {
    const lines = '<Files "*.bak">\nHeader set X y\n</Files>\nExpiresActive On';
    expect(cellLines(cellsOf(`DocumentRoot /srv\n<Location /b>\n${lines}\n</Location>`))).toEqual(
      ["/| directory: ", ...ends("/a", "").slice(1)].sort(),
    );
  });

  test("distinguish a Directory on only one side, for a directory and a file of its name, but not if it is missing", () => {
    const cells = cellsOf("DocumentRoot /srv\n<Directory /srv/b>\nOptions None\n</Directory>", "DocumentRoot /srv");
    expect(cellLines(cells)).toEqual(
      [
        ...["/| directory: ", "/a|/ file: ", "/a| directory: ", "/a| file: ", "/a| missing: "],
        ...["/b/| directory: /srv/b / ", "/b| directory: /srv/b / ", "/b| file: /srv/b / "],
        ...["/b/a|/ file: /srv/b / ", "/b/a| file: /srv/b / ", "/b/a| missing: /srv/b / "],
      ].sort(),
    );
  });

  test("include the targets of Alias and Redirect", () => {
    const text = "DocumentRoot /srv\nAlias /b /x\nRedirect /c /d\n<Directory /x>\nOptions None\n</Directory>";
    expect(cellLines(cellsOf(text))).toEqual(
      [
        ...["/| directory: ", ...ends("/a", "").slice(1), "/c: "],
        ...["/b/| directory: /x", "/b|/ file: ", "/b| directory: /x", "/b| file: /x", "/b| missing: "],
        ...["/b/a|/ file: /x", "/b/a| file: /x", "/b/a| missing: /x"],
      ].sort(),
    );
  });

  test("distinguish the files of each side", () => {
    const cells = cellsOf("DocumentRoot /srv", "DocumentRoot /other");
    const kinds = cells.classes.map(({ walks }) => walks.map((walk) => walk?.kind).join(" and "));
    const each = ["directory", "file", "missing"];
    const pairs = each.flatMap((first) => each.map((second) => `${first} and ${second}`));
    expect([...new Set(kinds)].sort()).toEqual(pairs);
    expect(cellLines(cells)).toContain("/a/| directory, /a|/ missing: ");
  });

  test("distinguish a directory whose index file matches a section", () => {
    const cells = cellsOf(
      "DocumentRoot /srv\n<Files index.html>\nOptions None\n</Files>\n<Location /b/index.html>\nOptions None\n</Location>",
    );
    expect(cellLines(cells).filter((each) => each.includes("/| directory"))).toEqual([
      ...["/b/index.html/| directory: /b/index.html", "/b/| directory: ", "/| directory: "],
    ]);
  });

  test("distinguish paths by conditions, and raw paths by SetEnvIf", () => {
    const text = [
      "DocumentRoot /srv",
      "<If \"%{REQUEST_URI} =~ m#^/b# || %{REQUEST_URI} == '/c'\">",
      "</If>",
      "SetEnvIf Request_URI %20 spaced",
      "Deny from env=spaced",
    ].join("\n");
    expect(pathsOf(text)).toEqual(["/", "/ ", "/ /", "/a", "/a/", "/b", "/b ", "/b /", "/b/", "/c"]);
  });

  test.each([
    ["an ElseIf", '<If "%{REQUEST_URI} =~ m#^/x#">\n</If>\n<ElseIf "%{REQUEST_URI} =~ m#^/b#">\n</ElseIf>', "/b"],
    ["a SetEnvIfExpr", 'SetEnvIfExpr "%{REQUEST_URI} =~ m#^/b#" x=1\nDeny from env=x', "/b"],
    [
      "an alias of a provider",
      '<AuthzProviderAlias expr b "%{REQUEST_URI} =~ m#^/b#">\n</AuthzProviderAlias>\n<Directory /srv>\nRequire b\n</Directory>',
      "/b",
    ],
    ["an order of texts", "<If \"%{REQUEST_URI} < '/m'\">\n</If>", "/n"],
    ["a pattern in any case", '<If "%{REQUEST_URI} =~ m#^/B#i">\n</If>', "/b"],
  ])("distinguish paths by the condition of %s", (_, lines, path) => {
    expect(pathsOf(`DocumentRoot /srv\n${lines}`)).toContain(path);
  });

  test.each([
    ["an extension with a handler, beside one with a type", "AddHandler x .php\nAddType text/plain .txt"],
    ["an extension with a type, beside an Action for a handler", "Action h /x.cgi\nAddType text/plain .txt"],
  ])("do not distinguish %s", (_, lines) => {
    expect(pathsOf(`DocumentRoot /srv\n${lines}`)).toEqual(["/", "/a", "/a/"]);
  });

  test("distinguish a Directory with wildcards, but not if it is missing", () => {
    const cells = cellLines(cellsOf("DocumentRoot /srv\n<Directory /srv/b*>\nOptions None\n</Directory>"));
    expect(cells.filter((each) => each.startsWith("/b") && each.includes("missing"))).toEqual([
      "/b/a| missing: /srv/b*",
    ]);
    expect(cells).toEqual(expect.arrayContaining(["/b| directory: /srv/b*", "/b| file: /srv/b*"]));
  });

  test("distinguish backends on a host with the name of the scheme of the sections", () => {
    const section = '<Proxy "http://proxy:80/c">\nRequire all denied\n</Proxy>';
    expect(pathsOf(`DocumentRoot /srv\nProxyPass /b/ http://proxy:80/\n${section}`)).toContain("/b/c");
  });

  test("distinguish folders below an Alias to a folder with a slash", () => {
    expect(pathsOf("DocumentRoot /srv\nAlias /x /y/\n<Directory /y/b>\nOptions None\n</Directory>")).toContain("/x/b");
  });

  test("ignore a variable that is only logged", () => {
    const text = ["DocumentRoot /srv", "SetEnvIf Request_URI b picture", "CustomLog log common env=!picture"].join(
      "\n",
    );
    expect(pathsOf(text)).toEqual(["/", "/a", "/a/"]);
    expect(pathsOf(`${text}\nRewriteRule ^ - [E=other:%{ENV:picture}]`)).toEqual(["/", "/a", "/a/", "/b", "/b/"]);
  });

  test("distinguish the paths that a rule or condition of a folder reads", () => {
    const paths = (...lines: readonly string[]) =>
      pathsOf(["DocumentRoot /srv", "<Directory /srv>", "RewriteEngine on", ...lines, "</Directory>"].join("\n"));
    expect(paths("RewriteRule ^b$ - [F]")).toContain("/b");
    expect(paths("RewriteCond %{REQUEST_URI} ^/b$", "RewriteRule ^ - [F]")).toContain("/b");
    expect(paths("RewriteCond %{REQUEST_FILENAME} ^/srv/b$", "RewriteRule ^ - [F]")).toContain("/b");
  });

  test("distinguish the path of a ProxyPass with a pattern", () => {
    expect(pathsOf("DocumentRoot /srv\nProxyPass ~ ^/b$ http://x.test/")).toEqual(["/", "/a", "/a/", "/b"]);
  });

  test("distinguish rewrite targets that httpd rejects", () => {
    const text = ["DocumentRoot /srv", "RewriteEngine on", "RewriteRule ^/b(.*) /c$1 [R,L]"].join("\n");
    expect(pathsOf(text)).toEqual(["/", "/a", "/a/", "/b", "/b/", "/b?", "/b?/"]);
  });

  test("distinguish the rest of a path that a rule rejects, in a folder whose name would be rejected, too", () => {
    const rule = "RewriteEngine on\nRewriteRule ^(.*)$ /x?$1";
    const paths = pathsOf(`DocumentRoot /srv\n<Directory "/srv/my site">\n${rule}\n</Directory>`);
    expect(paths.filter((path) => path.startsWith("/my site/"))).toEqual([
      "/my site/",
      "/my site/ ",
      "/my site/ /",
      "/my site/a",
      "/my site/a/",
    ]);
  });
});

/** Returns the inexact results, with the paths that they concern. */
function unknownIn(text: string): string[] {
  const reasons = cellsOf(text).inexact.map(({ reason, directive, classes }) => {
    const paths = [...new Set(classes.map(({ path }) => path))].sort();
    return `${directive.name}: ${wordsOfReason(reason)}: ${paths.join(" ")}`;
  });
  // Each side reports its results.
  return [...new Set(reasons)];
}

describe("inexact parts", () => {
  test("include an AliasMatch that uses parts of the path, except the rest", () => {
    expect(unknownIn("DocumentRoot /srv\nAliasMatch ^/b/(.)/(.) /x/$2/$1")).toEqual([
      "AliasMatch: an index file has a different target than its directory: /b/a/",
      "AliasMatch: the target of this line depends on the path in a way that is not analyzed: /b/a/a",
    ]);
    expect(unknownIn("DocumentRoot /srv\nAliasMatch ^/b/(.*) /x/$1")).toEqual([]);
  });

  test("include rules with a target in the path, but not redirects and fixed targets", () => {
    const rules = (...lines: readonly string[]) =>
      unknownIn(["DocumentRoot /srv", "RewriteEngine on", ...lines].join("\n"));
    expect(rules("RewriteRule ^/b(.*) /c$1")).toEqual([
      "RewriteRule: the target of this line depends on the path: /b /b/",
    ]);
    expect(rules("RewriteRule ^/b(.*) /c$1 [R,L]", "RewriteRule ^/d /e", "RewriteRule ^/f - [F]")).toEqual([]);
    // The rules are applied again, to another path.
    expect(rules("RewriteRule ^/b(.*) /c$1 [R,N]")).toHaveLength(1);
    expect(rules("RewriteRule ^/q - [E=a:1]", "RewriteRule ^/b/(.*) /c/$1")).toEqual([
      "RewriteRule: the target of this line depends on the path: /b/ /b/a",
    ]);
  });

  test("include redirects that 2.4 may reject because of the rest of the path", () => {
    const rule = (line: string) =>
      unknownIn(`DocumentRoot /srv\nRewriteEngine on\nRewriteRule ${line}`).map((each) => each.replace(/: \/.*/, ""));
    const reasonFor = (what: string) => [`RewriteRule: its target may contain ${what} from the path`];
    expect(rule("(.*) https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]")).toEqual([]);
    expect(rule("^/(\\d+)/(.*)$ /$2?id=$1 [R]")).toEqual([]);
    expect(rule("^/b/([^/]*)/(.*)$ /$1?x=$2 [R]")).toEqual(reasonFor("a question mark"));
    expect(rule("^/b/([^/]*)/(.*)$ /b?$2 [R,NE]")).toEqual(reasonFor("a query with control characters or spaces"));
    expect(rule("^/b/([^/]*)/(.*)$ /b?$2 [R]")).toEqual([]);
    // With QSL, the query starts at the last question mark.
    expect(rule("^/b/(.*)$ /x?a=$1 [R,QSL]")).toEqual(reasonFor("a question mark"));
    expect(rule("^/b/(.*)$ /x?a=$1 [R,B]")).toEqual([]);
  });

  test("concern only the paths with the character that 2.4 rejects", () => {
    const rule = "RewriteRule ^/b/([^/]*)/(.*)$ /$1?x=$2 [R]";
    expect(unknownIn(`DocumentRoot /srv\nRewriteEngine on\n${rule}`)).toEqual([
      "RewriteRule: its target may contain a question mark from the path: /b/?/ /b/a/?",
    ]);
  });

  test("include named groups if a line reads them", () => {
    const section = (pattern: string, line: string) =>
      unknownIn(`DocumentRoot /srv\n<LocationMatch "${pattern}">\n${line}\n</LocationMatch>`);
    const reader = "Require expr \"%{env:MATCH_X} == 'b'\"";
    expect(section("^/(?<x>b)", reader)).toEqual([
      "<LocationMatch: its named groups capture parts of the path: /b /b/",
    ]);
    expect(section("^/(?<x>b)", "Options None")).toEqual([]);
    expect(section("^/(b)", reader)).toEqual([]);
  });

  test("include a condition that uses a captured group", () => {
    const text = "DocumentRoot /srv\n<If \"%{REQUEST_URI} =~ m#^/(.)# && $1 == 'b'\">\nOptions None\n</If>";
    expect(unknownIn(text)).toEqual([
      "<If: a condition uses a part of the path that a pattern captured, which is not analyzed: / /a /a/",
    ]);
  });

  test("include a condition on a variable that contains the path, or whose name is computed", () => {
    const If = (condition: string) => unknownIn(`DocumentRoot /srv\n<If "${condition}">\nOptions None\n</If>`);
    const computed = ["<If: a condition compares a value computed from the path, which is not analyzed: / /a /a/"];
    expect(If("reqenv('SCRIPT_URL') == '/b'")).toEqual(computed);
    expect(If("reqenv(req('X-Name')) == '/b'")).toEqual(computed);
    expect(If("'x%{REQUEST_URI}' == '/b'")).toEqual(computed);
    expect(If("reqenv('team') == '/b'")).toEqual([]);
    expect(If("'%{REQUEST_URI}' == '/b'")).toEqual([]);
  });

  test("include a redirect to a group of its pattern, but not one without a pattern", () => {
    const reason = "RedirectMatch: whether it redirects depends on the match of its pattern: /b";
    expect(unknownIn("DocumentRoot /srv\nRedirectMatch ^/b(.*) $1")).toEqual([reason]);
    expect(unknownIn("DocumentRoot /srv\n<Location /b>\nRedirect $x\n</Location>")).toEqual([]);
  });

  test("do not include a rule that applies to no path", () => {
    expect(unknownIn("DocumentRoot /srv\nRewriteEngine on\nRewriteRule ^b(.*) /c$1")).toEqual([]);
  });

  test("include conditions on values derived from the path, but not on the path and its file", () => {
    const reason = ["RewriteCond: this condition tests a value that depends on the path: / /a /a/"];
    const lines = (condition: string) => `RewriteEngine on\nRewriteCond ${condition}\nRewriteRule ^ - [F]`;
    const inServer = (condition: string) => unknownIn(`DocumentRoot /srv\n${lines(condition)}`);
    const inFolder = (condition: string) =>
      unknownIn(`DocumentRoot /srv\n<Directory /srv>\n${lines(condition)}\n</Directory>`);
    for (const unknown of [inServer, inFolder]) {
      expect(unknown("%{REQUEST_URI} ^/b$")).toEqual([]);
      expect(unknown("%{DOCUMENT_ROOT}%{REQUEST_URI} -d")).toEqual([]);
      expect(unknown("%{REQUEST_URI} -d")).toEqual(reason);
    }
    expect(inServer("%{DOCUMENT_ROOT}%{REQUEST_FILENAME} -d")).toEqual([]);
    expect(inServer("%{REQUEST_FILENAME} -d")).toEqual(reason);
    expect(inFolder("%{REQUEST_FILENAME} -d")).toEqual([]);
    expect(inFolder("%{DOCUMENT_ROOT}%{REQUEST_FILENAME} -d")).toEqual(reason);
  });

  test("do not include a pattern that is not regular if no group is used", () => {
    expect(unknownIn("DocumentRoot /srv\n<LocationMatch ^/(b)\\\\1>\nOptions None\n</LocationMatch>")).toEqual([]);
  });
});

test("a partition beyond the budget is too large", () => {
  const text = Array.from({ length: 20 }, (_, n) => `<LocationMatch x${n}y>\nOptions None\n</LocationMatch>`).join(
    "\n",
  );
  expect(() => cellsOf(`DocumentRoot /srv\n${text}`)).toThrow("too large");
});

test("a pattern with too many states makes a partition too large", () => {
  const section = "<LocationMatch (a|b)*a(a|b){18}x>\nOptions None\n</LocationMatch>";
  expect(() => cellsOf(`DocumentRoot /srv\n${section}`)).toThrow("too large");
});

test("a cell has assumptions about the file system", () => {
  const { classes } = cellsOf("DocumentRoot /srv/www");
  const [walk] = classes.find(({ path, walks }) => path === "/a" && walks[0]?.kind === "file")?.walks ?? [];
  const files = fileTreeOfWalk(walk);
  const kinds = ["", "/srv", "/srv/www", "/srv/www/a", "/srv/www/a/b", "/srv/www/b", "/etc/passwd"].map((path) =>
    files.kindOf(path),
  );
  expect(kinds).toEqual([...["directory", "directory", "directory"], "file", "missing", "unknown", "unknown"]);
});

test("a backend is inexact if the path may change its host", () => {
  expect(
    unknownIn("DocumentRoot /srv\nProxyPass /b/ http://x.test/\nProxyPassMatch ^/c/(.*) http://x.test/$1"),
  ).toEqual([]);
  expect(unknownIn("DocumentRoot /srv\nProxyPass /b/ http://x.test")).toEqual([
    "ProxyPass: the target of this line depends on the path in a way that is not analyzed: /b/",
  ]);
});
