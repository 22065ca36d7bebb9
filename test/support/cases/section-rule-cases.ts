import type { RewritingCase } from "./rewriting-cases.js";

const on = "RewriteEngine On";
const requests = ["/x.txt", "/a/x.txt", "/a", "/a/b/c.html/more"];

function within(section: string, ...lines: readonly string[]): readonly string[] {
  return [`<${section}>`, ...lines, `</${section.replace(/ .*/, "")}>`];
}

function folder(...lines: readonly string[]): RewritingCase {
  return { lines: within('Directory "DOCROOT"', on, ...lines), requests };
}

/** Rules of sections, by their input and their targets. */
const folders = [
  ...["^x", "^a/x", "^/", "^$", "^a$", "^a/$", "more", "^a/b/c.html/more$", "x$", "DOCROOT"].map((pattern) =>
    folder(`RewriteRule ${pattern} - [F]`),
  ),
  ...[
    "/x.txt",
    "x.txt",
    "a/x.txt",
    "/a/x.txt",
    "./x.txt",
    "../x.txt",
    "a/../x.txt",
    "DOCROOT/x.txt",
    "/nothere/x",
    "$1x.txt",
  ].map((to) => folder(`RewriteRule ^a/(b/)? ${to}`)),
  ...[
    "http://y.test/",
    "news:a",
    "x:a",
    "news:",
    "x.txt?a",
    "x.txt [R]",
    "x.txt [R=301]",
    "/x.txt [R=404]",
    "x.txt [P]",
  ].map((to) => folder(`RewriteRule ^a/ ${to}`)),
  ...[
    "x.txt [L]",
    "x.txt [END]",
    "x.txt [PT]",
    "x.txt [C]",
    "- [L]",
    "- [END]",
    "x.txt [N=2]",
    "x.txt [NS]",
    "$0 [L]",
  ].map((to) => folder(`RewriteRule ^a/x.* ${to}`, "RewriteRule ^x - [G]")),
  folder("RewriteRule ^a/(.*) x.txt/$1"),
  folder("RewriteRule ^a/b/(.*) x.txt/$1 [DPI]", "RewriteCond %{PATH_INFO} .", "RewriteRule ^ - [G]"),
  folder("RewriteRule ^a/b/c - [DPI]", "RewriteCond %{PATH_INFO} .", "RewriteRule ^ - [G]"),
  folder("RewriteRule ^a/b/c.html(/more)?$ a/b/c.html [discardpath]", "RewriteRule ^a/b/c.html$ - [G]"),
  folder("RewriteRule ^a/b/c.html a/b/c.html", "RewriteRule more$ - [G]"),
  folder("RewriteCond %{REQUEST_FILENAME} htdocs/a/x.txt$", "RewriteRule ^ - [F]"),
  folder("RewriteCond %{SCRIPT_FILENAME} htdocs/a/b/c.html$", "RewriteRule ^ - [F]"),
  folder("RewriteCond %{PATH_INFO} ^/more$", "RewriteRule ^ - [F]"),
  folder("RewriteCond %{REQUEST_URI} ^/a/x.txt$", "RewriteRule ^ - [F]"),
  ...[
    "",
    "None",
    "All",
    "FollowSymLinks",
    "SymLinksIfOwnerMatch",
    "-FollowSymLinks",
    "-FollowSymLinks +SymLinksIfOwnerMatch",
  ].map((words) => folder(...(words === "" ? [] : [`Options ${words}`]), "RewriteRule ^a/x - [F]")),
  { lines: within('Directory "DOCROOT"', on, "Options None"), requests },
  ...["AllowNoSlash", "allownoslash", "Inherit"].map((option) =>
    folder(`RewriteOptions ${option}`, "RewriteRule ^ - [F]"),
  ),
  ...["/", "/a", "/a/", "/none"].flatMap((base) => [
    folder(`RewriteBase ${base}`, "RewriteRule ^x.txt$ b/c.html"),
    folder(`RewriteBase ${base}`, "RewriteRule ^x.txt$ b/c.html [R]"),
    folder(`RewriteBase ${base}`, "RewriteRule ^x.txt$ /a/b/c.html"),
    folder(`RewriteBase ${base}`, "RewriteRule ^x.txt$ DOCROOT/a/b/c.html"),
  ]),
];

/** Sections of other kinds. */
const kinds = [
  ...[
    "Location /a",
    "Location /a/",
    "LocationMatch ^/a",
    "Files x.txt",
    "Files *.txt",
    "FilesMatch txt$",
    "DirectoryMatch /a",
  ],
  ...[
    'Directory "DOCROOT/a"',
    'Directory "DOCROOT/a/"',
    'Directory "DOCROOT/*"',
    'Directory ~ "/a$"',
    'If "true"',
    'If "false"',
  ],
].flatMap((section) => [
  { lines: within(section, on, "RewriteRule x - [F]"), requests },
  { lines: within(section, on, "RewriteRule ^(.*)x.txt$ b/c.html"), requests },
]);

const alias = ["Alias /al DOCROOT/a", "Alias /sl/ DOCROOT/a/", "Alias /other DOCROOT/../other"];
const aliased = [[], ["RewriteOptions IgnoreContextInfo"], ["RewriteBase /al"], ["RewriteBase /"]].flatMap((lines) =>
  ["b/c.html", "/al/b/c.html", "/other/x", "DOCROOT/a/b/c.html"].map((to) => ({
    lines: [
      ...alias,
      ...within('Directory "DOCROOT/a"', on, ...lines, `RewriteRule ^x.txt$ ${to}`),
      ...within('Directory "DOCROOT/../other"', on, ...lines, `RewriteRule ^x.txt$ ${to}`),
    ],
    requests: ["/al/x.txt", "/sl/x.txt", "/a/x.txt", "/other/x.txt"],
  })),
);

/** Returns nested sections, to test which rules they inherit. */
function nested(outer: readonly string[], inner: readonly string[]): RewritingCase {
  return {
    lines: [
      ...within('Directory "DOCROOT"', on, ...outer, "RewriteRule x - [F]"),
      ...within('Directory "DOCROOT/a"', ...inner),
    ],
    requests: ["/x.txt", "/a/x.txt"],
  };
}

const gone = "RewriteRule ^x - [G]";
const option = (words: string) => (words === "" ? [] : [`RewriteOptions ${words}`]);
const merged = [
  ...["", "Inherit", "InheritBefore", "IgnoreInherit", "MergeBase"].flatMap((inner) =>
    ["", "InheritDown", "InheritDownBefore"].flatMap((outer) => [
      nested(option(outer), [on, ...option(inner), gone]),
      nested(option(outer), option(inner).length === 0 ? [gone] : option(inner)),
    ]),
  ),
  nested(["RewriteOptions InheritDown IgnoreInherit"], [gone]),
  nested(["RewriteOptions InheritDown"], ["RewriteOptions IgnoreInherit Inherit", gone]),
  nested([], ["RewriteEngine Off", gone]),
  nested([], ["RewriteEngine Off", "RewriteOptions Inherit"]),
  nested(["RewriteEngine Off"], [gone]),
  nested(["RewriteEngine Off"], [on, gone]),
  nested([], ["RewriteCond a b"]),
  nested([], ["RewriteBase /"]),
  ...["RewriteOptions MergeBase", "RewriteOptions AllowNoSlash"].flatMap((line) => [
    nested(["RewriteBase /none"], [line, "RewriteRule ^x.txt$ b/c.html"]),
    nested(["RewriteBase /none"], [line, "RewriteBase /a", "RewriteRule ^x.txt$ b/c.html"]),
    nested([], [line, "RewriteBase /a", "RewriteRule ^x.txt$ b/c.html"]),
    nested(["RewriteBase /a", line], ["RewriteRule ^x.txt$ b/c.html"]),
  ]),
];

export const sectionRuleCases: readonly RewritingCase[] = [...folders, ...kinds, ...aliased, ...merged];
