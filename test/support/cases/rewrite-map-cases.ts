/** A map file with all forms of lines. */
export const rewriteMapText = [
  ...["# comment", "one  1", "two\t2 trailing words", "one  other", "#three 3", "  four 4", "five", "six 6\\", "7"],
  ...["Upper up", 'q"uoted 8', "empty ", "a/b.c 9", "dash -", "multi x|y|z", "percent %25", "crlf 12\r", "bs\\ x 13"],
  ...["ab:c 14", "eq= 15", " ", `${"w".repeat(1022)}  17`, `${"k".repeat(1020)} long 18`, "last 16"],
].join("\n");

const rewriteMapKeys: readonly string[] = [
  ...["one", "two", "%23three", "three", "four", "five", "six", "7", "Upper", "upper", "q%22uoted", "empty", "a/b.c"],
  ...[
    "dash",
    "multi",
    "percent",
    "crlf",
    "bs%5C",
    "ab:c",
    "eq=",
    "last",
    "none",
    "%23",
    "trailing",
    "",
    "a%20b",
    "%2541",
  ],
  ...["%25", "%25zz", "w".repeat(1022), "k".repeat(1020), "ng", "g", "17", "%E4"],
];

/** The statuses with which the rules show the values. */
const statuses = [
  ...[400, 401, 402, 403, 404, 405, 406, 407, 408, 409, 411, 412, 413, 414, 415, 416, 417, 421, 422, 423, 424],
  ...[426, 428, 429, 431],
];

const values = [
  ...["1", "2", "3", "4", "6\\", "7", "8", "9", "up", "d", "inner", "-", "x|y|z", "%25", "12", "13", "14", "15"],
  ...["16", "", "17", "18", "other", "a%20b", "A"],
];

/** Rules that look keys up; MAPFILE is the path of the map. */
export const rewriteMapLines: readonly string[] = [
  ...["RewriteEngine On", 'RewriteMap m "txt:MAPFILE"', 'RewriteMap p "MAPFILE"', 'RewriteMap r "rnd:MAPFILE"'],
  ...["RewriteMap l int:tolower", "RewriteMap e int:escape", "RewriteMap u int:unescape"],
  ...["RewriteRule ^/t/(.*)$ /v/${m:$1|d}", "RewriteRule ^/p/(.*)$ /v/${p:$1}"],
  ...["RewriteRule ^/r/(.*)$ /v/${r:$1}", "RewriteRule ^/n/(.*)$ /v/${m:${l:$1}|${m:none|inner}}"],
  ...["RewriteRule ^/no/(.*)$ /v/${none:$1|d}", "RewriteRule ^/e/(.*)$ /v/${e:$1}"],
  ...["RewriteRule ^/u/(.*)$ /v/${u:$1}"],
  ...["RewriteCond ${m:%{QUERY_STRING}} =1", "RewriteRule ^/c$ - [F]"],
  ...["RewriteCond ${m:%{QUERY_STRING}|NF} ^NF$", "RewriteRule ^/c$ - [G]"],
  ...values.map((value, index) => {
    const pattern = value.replace(/[|.\\]/g, "\\$&");
    return `RewriteRule "^/v/${pattern}$" - [R=${statuses[index]}]`;
  }),
];

/** Paths that look up all keys in all maps. */
export const rewriteMapPaths: readonly string[] = rewriteMapKeys.flatMap((key) => [
  ...["/t/", "/p/", "/r/", "/n/", "/no/", "/e/", "/u/", "/c?"].map((start) => start + key),
]);
