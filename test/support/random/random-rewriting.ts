import fc from "fast-check";
import { type Lines, type LinesArbitrary, line, several } from "./random-rules.js";
import { pick } from "./random-texts.js";

const engine: LinesArbitrary = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Lines>(["RewriteEngine On"]) },
  { weight: 1, arbitrary: fc.constant<Lines>(["RewriteEngine Off"]) },
  { weight: 1, arbitrary: fc.constant<Lines>([]) },
);
const inheritance = line(
  "RewriteOptions",
  ...["Inherit", "InheritBefore", "InheritDown", "InheritDownBefore", "IgnoreInherit", "Inherit IgnoreInherit"],
  ...["AllowNoSlash", "MergeBase", "LegacyPrefixDocRoot", "IgnoreContextInfo", "UnsafePrefixStat"],
);

const subjects = [
  ...["%{REQUEST_URI}", "%{REQUEST_FILENAME}", "%{QUERY_STRING}", "%{REQUEST_METHOD}", "%{HTTP_HOST}", "%{ENV:flag}"],
  ...["%{HTTP:X-A}", "%{THE_REQUEST}", "%{PATH_INFO}", "%{IS_SUBREQ}", "%{SERVER_PORT}", "%{HTTP_USER_AGENT}", "$1"],
  ...["%1", "%{DOCUMENT_ROOT}%{REQUEST_URI}", "%{DOCUMENT_ROOT}/$1", "%{REMOTE_ADDR}", "%{ENV:REDIRECT_STATUS}", "a"],
  ...["%{SCRIPT_FILENAME}", "%{REMOTE_USER}", "%{SERVER_NAME}", "%{CONTEXT_PREFIX}", "%{NOTHING}", "$0-%0"],
];
const tests = [
  ...[
    "a",
    "^/a",
    "x",
    "html$",
    "-f",
    "-d",
    "!-f",
    "!-d",
    "=GET",
    "!^GET$",
    "^$",
    ".",
    "=a",
    "!=a",
    ">b",
    "<=x",
    "(.)/(.)",
  ],
  ...["^(a|b)", "[A-Z]", "-eq1", "-lt80", "!-ge81", '=""', "test$", "q=(.)", "^10", "flag", "^/(al|a)/(.*)$", "!"],
];
const condition: LinesArbitrary = fc
  .tuple(pick(...subjects), pick(...tests), fc.option(pick("[OR]", "[NC]", "[NC,OR]", "[NV]"), { nil: "", freq: 1 }))
  .map(([subject, test, flags]) => [`RewriteCond ${subject} ${test}${flags === "" ? "" : ` ${flags}`}`]);

const patterns = [
  ...[
    "^",
    "^/a",
    "^a",
    "x",
    "^(.*)$",
    "^/(.*)$",
    "^/a/(.*)$",
    "^a/(.*)$",
    "\\.html$",
    "^(.*)\\.php$",
    "!^/a",
    "!x",
    "none",
  ],
  ...["^/?$", "^/?(a|d|al)(/.*)?$", "^([^/]*)/(.*)$", "^/notes\\.txt$", "^index\\.html$", "^/r", "^/server", "A", "//"],
];
const substitutions = [
  ...["-", "-", "/a/x.txt", "/notes.txt", "a/x.txt", "x.txt", "/$1", "$1", "/a/$1", "a/$1", "/al/$1", "/d/$2", "/none"],
  ...["/index.html", "index.html", "@ROOT@/other/o.txt", "@ROOT@/htdocs/$1", "@ROOT@/none", "http://y.test/$1", "/a/"],
  ...[
    "/a",
    "/secret.html",
    "/a/x.txt?flag",
    "/$1?q=$2",
    "/a/x.txt?",
    "/d/../a/x.txt",
    "//a/x.txt",
    "/",
    "/r/x",
    "/x/%1",
  ],
  ...[
    "http://%{HTTP_HOST}/a/x.txt",
    "http://x.test/notes.txt",
    "/p/x",
    "/a/x.txt/info",
    "/server-status",
    ".",
    "$1.txt",
  ],
];
const flags = [
  ...[
    "F",
    "G",
    "L",
    "L",
    "L",
    "PT",
    "PT",
    "R",
    "R=301",
    "R=404",
    "END",
    "C",
    "S=1",
    "S=2",
    "NC",
    "NE",
    "NS",
    "QSA",
    "QSD",
  ],
  ...["E=flag:1", "E=!flag", "E=other:$1", "N=3", "R=200", "P", "DPI", "B", "QSL", "UNC", "UnsafePrefixStat", "L"],
];
const rule: LinesArbitrary = fc
  .tuple(pick(...patterns), pick(...substitutions), fc.uniqueArray(pick(...flags), { maxLength: 3 }))
  .map(([pattern, to, own]) => {
    // Any other backend would be resolved by name.
    const target = own.includes("P") ? "http://127.0.0.1:@BACKEND@/$1" : to;
    return [`RewriteRule ${pattern} ${target}${own.length === 0 ? "" : ` [${own.join(",")}]`}`];
  });

const ruleSet: LinesArbitrary = several(
  fc.tuple(several(condition, 0, 2), rule).map((pieces) => pieces.flat()),
  1,
  3,
);
const withOptions: LinesArbitrary = fc.option(inheritance, { nil: [], freq: 1 });

/** Rules of `.htaccess` files and sections. */
const withinSections: LinesArbitrary = fc
  .tuple(engine, withOptions, fc.option(line("RewriteBase", "/", "/a", "/al/"), { nil: [], freq: 1 }), ruleSet)
  .map((pieces) => pieces.flat());

const sections = [
  ...['Directory "@ROOT@/htdocs"', 'Directory "@ROOT@/htdocs/a"', 'Directory "@ROOT@/other"', 'Directory "/"'],
  ...['Directory "@ROOT@/htdocs/*"', 'DirectoryMatch "/a"', 'Location "/"', 'Location "/a"', 'Files "x.txt"'],
  ...['LocationMatch "a|d"', "If true"],
];

/** Rewriting on a server or in one of its sections. */
export const rewriting: LinesArbitrary = fc.oneof(
  fc.tuple(engine, withOptions, ruleSet).map((pieces) => pieces.flat()),
  fc.tuple(pick(...sections), withinSections).map(([tag, lines]) => {
    return [`<${tag}>`, ...lines, `</${/^\S+/.exec(tag)?.[0]}>`];
  }),
);

/** `.htaccess` files with rewrite rules. */
export const rewritingFile: LinesArbitrary = withinSections;
