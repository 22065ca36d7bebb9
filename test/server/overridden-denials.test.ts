import { describe, expect, test } from "vitest";
import { type Asked, answerFor, closeMissesOf } from "./explained.js";

const section = (opening: string, ...lines: readonly string[]) => [
  `<${opening}>`,
  ...lines,
  `</${opening.split(" ")[0]}>`,
];
const denied = (opening: string) => section(opening, "Require all denied");
const granted = (opening: string) => section(opening, "Require all granted");
const host = (...lines: readonly string[]) =>
  section("VirtualHost *:80", "ServerName a.test", "DocumentRoot /srv/www", ...lines);

/** Returns the lines that later ones replace, with the change; the status has to be 200. */
function overridden(lines: readonly string[], path: string, more: Partial<Asked> = {}): readonly string[] {
  expect(answerFor(lines, path, more).status).toBe(200);
  return closeMissesOf(lines, path, more);
}

const files = [
  "/srv/www/.git/config",
  "/srv/www/docs/a.html",
  "/srv/www/docs/a.bak",
  "/srv/www/app/.htaccess",
  "/srv/www/app/x.php",
];

describe("a denial that a later section replaces", () => {
  test("is for a pattern of directories, and the grant for all URLs", () => {
    const lines = [...denied('DirectoryMatch "/\\.git"'), ...host(...granted("Location /"))];
    expect(overridden(lines, "/.git/config", { files })).toEqual([
      "Require all denied: `<Location />` is merged later, as all Location sections are, and its `Require all granted` replaces this line",
      'help: to deny it, add `<LocationMatch "/\\.git">`, `Require all denied` and `</LocationMatch>` after `<Location />`',
      'help: or, to grant access to the document root only, use `<Directory "/srv/www">` and `</Directory>` in place of `<Location />`',
    ]);
  });

  test.each<[string, readonly string[], string, string]>([
    [
      "a Directory section",
      [...denied("Directory /srv/www/docs"), ...granted("LocationMatch ^/")],
      "/docs/a.html",
      'to deny it, add `<Location "/docs">`, `Require all denied` and `</Location>` after `<LocationMatch ^/>`',
    ],
    [
      "a Directory section, by names of files",
      [...denied("Directory /srv/www/docs"), ...granted('FilesMatch "\\.(html|css)$"')],
      "/docs/a.html",
      'to deny it, add `<Location "/docs">`, `Require all denied` and `</Location>` to the main server',
    ],
    [
      "a Files section",
      [...denied('FilesMatch "\\.(bak|sql)$"'), ...granted("Location /docs")],
      "/docs/a.bak",
      'to deny it, add `<LocationMatch "\\.(bak|sql)$">`, `Require all denied` and `</LocationMatch>` after `<Location /docs>`',
    ],
    [
      "a Files section with wildcards",
      [...denied("Files *.bak"), ...granted("Location /docs")],
      "/docs/a.bak",
      'to deny it, add `<LocationMatch "/[^/]*\\.bak$">`, `Require all denied` and `</LocationMatch>` after `<Location /docs>`',
    ],
    [
      "a Location section",
      [...denied("Location /docs"), ...granted("Location /")],
      "/docs/a.html",
      "move `<Location /docs>` after `<Location />`",
    ],
    [
      "a Location section of the main server",
      [...denied("Location /docs"), ...host(...granted("Location /"))],
      "/docs/a.html",
      "to deny it, add `<Location /docs>`, `Require all denied` and `</Location>` after `<Location />`",
    ],
    [
      "a section with the same paths",
      [...denied("Location /docs"), ...granted("Location /docs")],
      "/docs/a.html",
      "keep only one of the `<Location /docs>` sections",
    ],
  ])("is that of %s", (_, lines, path, help) => {
    expect(overridden(lines, path, { files })[1]).toBe(`help: ${help}`);
  });

  test("is a restriction", () => {
    const lines = [...section("Directory /srv/www/docs", "Require ip 10"), ...granted("Location /")];
    const [reason, help] = overridden(lines, "/docs/a.html");
    expect(reason).toContain("Require ip 10: `<Location />` is merged later");
    expect(help).toBe(
      'help: to apply its lines, add `<Location "/docs">` and `</Location>` with them after `<Location />`',
    );
    const login = ["AuthType Basic", "AuthName a", "AuthUserFile /etc/users", "Require valid-user"];
    expect(
      overridden([...section("Directory /srv/www/docs", ...login), ...granted("Location /")], "/docs/a.html"),
    ).toHaveLength(3);
  });

  test("is of a directory whose `.htaccess` file grants access", () => {
    expect(
      overridden(denied("Directory /srv/www/app"), "/app/x.php", { files, htaccess: "Require all granted" }),
    ).toEqual([
      "Require all denied: the `.htaccess` file of its directory is merged later, and its `Require all granted` replaces this line",
      "help: delete that line, or do not allow it with `AllowOverride`",
    ]);
  });

  test("is of a `.htaccess` file", () => {
    const lines = granted("Location /");
    expect(overridden(lines, "/app/x.php", { files, htaccess: "Require all denied" })[1]).toBe(
      'help: to deny it, add `<Location "/app">`, `Require all denied` and `</Location>` after `<Location />`',
    );
  });

  test("is one of mod_access_compat", () => {
    const lines = [
      ...section("DirectoryMatch /\\.git", "Order deny,allow", "Deny from all"),
      ...section("Location /", "Order allow,deny", "Allow from all"),
    ];
    for (const release of ["2.2", "2.4"] as const)
      expect(overridden(lines, "/.git/config", { files, release })[0]).toContain(
        "and its `Allow from all` replaces this line",
      );
  });
});

describe("a denial is replaced on purpose", () => {
  test.each<[string, readonly string[], string, Partial<Asked>?]>([
    ["the root of all", [...denied("Directory /"), ...granted("Directory /srv/www")], "/docs/a.html"],
    ["the root by a Location section", [...denied("Directory /"), ...granted("Location /docs")], "/docs/a.html"],
    ["the document root", [...denied("Directory /srv/www"), ...granted("Location /")], "/docs/a.html"],
    ["a directory above", [...denied("Directory /srv/www/docs"), ...granted("Location /docs/")], "/docs/a.html"],
    ["a Location above", [...denied("Location /docs"), ...granted("Location /docs/a.html")], "/docs/a.html"],
    ["a file by its name", [...denied("Directory /srv/www/docs"), ...granted('Files "a.html"')], "/docs/a.html"],
    [
      "a file of the directory",
      [...section("Directory /srv/www/docs", "Require all denied", ...granted("Files *.html"))],
      "/docs/a.html",
    ],
    [
      "a pattern in the directory",
      [...denied("Location /docs"), ...granted('LocationMatch "^/docs/a"')],
      "/docs/a.html",
    ],
    ["a pattern of a name", [...denied("Location /docs"), ...granted('LocationMatch "/a\\.html$"')], "/docs/a.html"],
    ["a path of the pattern", [...denied('DirectoryMatch "/\\.git"'), ...granted("Location /.git")], "/.git/config"],
    [
      "a condition",
      [...denied("Directory /srv/www/docs"), ...section('If "true"', "Require all granted")],
      "/docs/a.html",
    ],
    [
      "with AuthMerging",
      [...denied("Location /docs"), ...section("Location /", "AuthMerging Or", "Require all granted")],
      "/docs/a.html",
    ],
    [
      "a restriction that allows the client",
      [...section("Directory /srv/www/docs", "Require ip 192"), ...granted("Location /")],
      "/docs/a.html",
    ],
    ["a file of a subdirectory", denied("Directory /srv/www"), "/app/x.php", { htaccess: "Require all granted" }],
    ["in another virtual host", [...denied("Location /docs"), ...host(...granted("Location /docs"))], "/docs/a.html"],
  ])("is not named: %s", (_, lines, path, more = {}) => {
    expect(overridden(lines, path, { files, ...more })).toEqual([]);
  });

  test("is not named if the request is denied anyway", () => {
    const lines = [...denied("DirectoryMatch /\\.git"), ...granted("Location /"), ...denied("Location /.git")];
    expect(closeMissesOf(lines, "/.git/config", { files })).toEqual([]);
  });
});
