import type { RewritingCase } from "./rewriting-cases.js";

const requests = [
  ...[
    "/",
    "/x.txt",
    "/a",
    "/a/",
    "/a/x.txt",
    "//a//x.txt",
    "/a/b/c.html",
    "/a/b/",
    "/x.txt/more",
    "/none",
    "/a/./x.txt",
  ],
  "/al/x.txt",
];

/** Sections by path, each of which denies what it matches. */
const places = [
  ...["Directory DOCROOT", "Directory DOCROOT/", "Directory DOCROOT/a", "Directory DOCROOT/a/", "Directory DOCROOT//a"],
  ...[
    "Directory DOCROOT/./a",
    "Directory DOCROOT/secret/../a",
    "Directory a",
    "Directory DOCROOT/?",
    "Directory DOCROOT/*",
  ],
  ...["Directory DOCROOT/*/b", "Directory DOCROOT/[ab]", "Directory DOCROOT/a/b/c.html", "Directory /", "Directory /*"],
  ...[
    "Directory ~ /a$",
    "Directory ~ /a/?$",
    "DirectoryMatch htdocs/a/",
    "DirectoryMatch ^/.*/a/b",
    "DirectoryMatch x.txt",
  ],
  ...[
    "Location /",
    "Location /a",
    "Location /a/",
    "Location //a",
    "Location /a/b",
    "Location /a//b",
    "Location /x",
    "Location /A",
  ],
  ...[
    "Location /?",
    "Location /*",
    "Location /*/x.txt",
    "Location /a*",
    "Location /[a]/x.txt",
    "Location a",
    "Location /x.txt/more",
  ],
  ...[
    "Location ~ b/c",
    "Location ~ ^/a/?$",
    "LocationMatch ^//a",
    "LocationMatch /a/(?<part>b)",
    "Location /al",
    "LocationMatch ^/al",
  ],
  ...[
    "Files x.txt",
    "Files X.TXT",
    "Files *.txt",
    "Files ?.txt",
    "Files [x].txt",
    "Files *",
    "Files a",
    "Files a/x.txt",
  ],
  ...[
    'Files ""',
    "Files ~ [.]txt$",
    "FilesMatch ^x",
    "FilesMatch ^$",
    "FilesMatch more",
    "Files index.html",
    "Files more",
  ],
];

function refusing(place: string): RewritingCase {
  const [name = "", ...words] = place.split(" ");
  const quoted = words.map((word) => (/^[~"]/.test(word) ? word : `"${word}"`)).join(" ");
  return { lines: ["Alias /al DOCROOT/a", `<${name} ${quoted}>`, "Require all denied", `</${name}>`], requests };
}

const sectionsByKind = {
  directory: ["<Directory DOCROOT/a>", "Require all WORD", "</Directory>"],
  inner: ["<Directory DOCROOT/a/b>", "Require all WORD", "</Directory>"],
  pattern: ["<DirectoryMatch /a>", "Require all WORD", "</DirectoryMatch>"],
  files: ["<Files *>", "Require all WORD", "</Files>"],
  within: ["<Directory DOCROOT/a>", "<Files *>", "Require all WORD", "</Files>", "</Directory>"],
  location: ["<Location /a>", "Require all WORD", "</Location>"],
  condition: ["<If true>", "Require all WORD", "</If>"],
  else: [
    "<If false>",
    "Require all WORD",
    "</If>",
    '<ElseIf "%{REQUEST_URI} =~ /x/">',
    "Require all granted",
    "</ElseIf>",
  ],
  within2: ["<Location /a>", "<If \"-n '1'\">", "Require all WORD", "</If>", "</Location>"],
} as const;

/** Returns two sections for the same paths, one of which allows what the other denies, in both orders. */
function opposites(): RewritingCase[] {
  const kinds = Object.values(sectionsByKind);
  const withWord = (lines: readonly string[], word: string) => lines.map((line) => line.replace("WORD", word));
  return kinds.flatMap((first) =>
    kinds.flatMap((second) =>
      first === second
        ? []
        : [
            {
              lines: [...withWord(first, "denied"), ...withWord(second, "granted")],
              requests: ["/a/x.txt", "/a/b/c.html", "/x.txt"],
            },
          ],
    ),
  );
}

export const placeCases: readonly RewritingCase[] = [...places.map(refusing), ...opposites()];

/** Returns a section whose pattern has named groups, and one that grants access by their values. */
function naming(place: string, condition: string, ...before: readonly string[]): RewritingCase {
  const [name = ""] = place.split(" ");
  const section = [`<${place}>`, "SetEnvIf Request_URI . seen", `</${name}>`];
  const requireLines = ["<Location />", `Require expr "${condition}"`, "</Location>"];
  return {
    lines: ["RewriteEngine on", ...before, ...section, ...requireLines],
    requests: [...requests, "/b/x.txt", "/led/x.txt"],
  };
}

const toA = "RewriteRule ^/led/(.*)$ /a/$1";

/** Named groups, which become variables. */
export const namedCases: readonly RewritingCase[] = [
  naming("LocationMatch ^/(?<part>[^/]+)/", "reqenv('MATCH_PART') == 'a'"),
  naming("LocationMatch ^/(?<part>[^/]+)/", "reqenv('MATCH_PART') != 'led'", toA),
  naming("LocationMatch ^/(?<part>[^/]+)/", "reqenv('MATCH_PART') == 'led'", `${toA} [PT]`),
  naming("LocationMatch ^//(?<part>a)//", "reqenv('MATCH_PART') == 'a'"),
  naming("LocationMatch ^/((?<part>a)|(?<other>x))", "-z reqenv('MATCH_PART') && reqenv('MATCH_OTHER') == 'x'"),
  naming("LocationMatch /(?<part>[ab])(?<other>/|$)", "reqenv('MATCH_PART') == 'a' && reqenv('MATCH_OTHER') == '/'"),
  naming('Location ~ "^/(?<part>a)/(?<rest>.*)"', "reqenv('MATCH_REST') =~ /c/"),
  naming("DirectoryMatch /(?<part>[^/]+)/?$", "reqenv('MATCH_PART') == 'a'"),
  naming("DirectoryMatch htdocs/(?<part>[^/]+)/(?<rest>.*)", "reqenv('MATCH_PART') == 'a' && -n reqenv('MATCH_REST')"),
  naming("FilesMatch ^(?<name>[^.]+)[.]txt$", "reqenv('MATCH_NAME') == 'x'"),
  naming("FilesMatch ^(?<name>[^.]*)", "reqenv('MATCH_NAME') == 'index'"),
  naming("FilesMatch ^(?<name>[^.]*)", "-z reqenv('MATCH_NAME')"),
  naming("FilesMatch ^(?<name>[^.]*)", "reqenv('MATCH_NAME') == 'x'", toA),
  naming("FilesMatch ^(?<name>x)", "reqenv('match_name') == 'x'", "SetEnvIf Request_URI . MATCH_NAME=before"),
];

const byUsers = [
  "/~a/x.txt",
  "/~a",
  "/~a/",
  "/~none/x.txt",
  "/~",
  "/~a/b/c.html",
  "/a/~a/x.txt",
  "/~../x.txt",
  "/~./x.txt",
];

function users(...lines: readonly string[]): RewritingCase {
  return { lines, requests: byUsers };
}

/** Targets of `/~name`; the folder `a` belongs to a user. */
export const userCases: readonly RewritingCase[] = [
  users(),
  users("UserDir DOCROOT"),
  users("UserDir DOCROOT/*"),
  users("UserDir DOCROOT/*/b"),
  users("UserDir DOCROOT/nowhere DOCROOT"),
  users("UserDir DOCROOT/nowhere DOCROOT/*/b DOCROOT"),
  users("UserDir http://other.test/*"),
  users("UserDir DOCROOT/nowhere http://other.test/*"),
  users("UserDir http://other.test/*/more"),
  users("UserDir DOCROOT", "UserDir disabled"),
  users("UserDir DOCROOT", "UserDir disabled a"),
  users("UserDir DOCROOT", "UserDir disable none"),
  users("UserDir DOCROOT", "UserDir disabled", "UserDir enabled a"),
  users("UserDir DOCROOT", "UserDir disabled", "UserDir enabled none"),
  users("UserDir DOCROOT", "UserDir disabled", "UserDir enabled"),
  users("UserDir DOCROOT", "UserDir disabled a", "UserDir enabled a"),
  users("UserDir DOCROOT/nowhere", "UserDir DOCROOT"),
];
