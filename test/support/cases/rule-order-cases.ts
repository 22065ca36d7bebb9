import type { RewritingCase } from "./rewriting-cases.js";

const on = "RewriteEngine On";
const requests = ["/x.txt", "/a/x.txt"];

function server(...lines: readonly string[]): RewritingCase {
  return { lines: [on, ...lines], requests };
}

/** Rules of a server in sequence. */
const order = [
  server("RewriteRule ^/x - [L]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x - [last]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x /a/x.txt [L]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x - [END]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x /a/x.txt [END]", "<Directory DOCROOT>", on, "RewriteRule x - [G]", "</Directory>"),
  server("RewriteRule ^/x /a/x.txt [L]", "<Directory DOCROOT>", on, "RewriteRule x - [G]", "</Directory>"),
  server("RewriteRule ^/x - [END]", "<Directory DOCROOT>", on, "RewriteRule x - [G]", "</Directory>"),
  ...["S", "S=0", "S=1", "S=2", "S=3", "S=-1", "skip=1", "S=1,S=2", "S=1x", "S=x"].map((skip) =>
    server(`RewriteRule ^/x - [${skip}]`, "RewriteRule x - [R=404]", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]"),
  ),
  server("RewriteRule ^/y - [S=1]", "RewriteRule x - [G]"),
  server("RewriteRule ^/x - [C]", "RewriteRule a - [C]", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]"),
  server("RewriteRule ^/x - [chain]", "RewriteRule x - [chain]", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]"),
  server("RewriteRule ^/none - [C]", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]"),
  server("RewriteRule ^/none - [C]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/none - [C]"),
  server("RewriteRule ^/x - [S=1,C]", "RewriteRule ^ - [G]", "RewriteRule ^ - [F]"),
  server("RewriteRule ^/x /none/$0 [C]", "RewriteRule ^/none//x - [G]"),
  ...["N=1", "N=2", "N=3", "N=4", "N=5", "N=0", "N=x", "N=-1", "next=3"].map((next) =>
    server("RewriteRule ^/zzz - [G]", `RewriteRule ^/([a-z]*)x?(.txt)?$ /$1z [${next}]`),
  ),
  server("RewriteRule ^/(z*)x(.*) /z$1$2 [N=10]", "RewriteRule ^/z - [G]"),
  server("RewriteRule ^/x - [PT]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x /a/x.txt [passthrough]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x nothing [PT]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x http://y.test/ [PT]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x /a/x.txt", "RewriteRule ^/a - [PT]", "RewriteRule ^ - [G]"),
  server("Alias /al DOCROOT/secret", "RewriteRule ^/x /al/x.txt [PT]"),
  server("Alias /al DOCROOT/secret", "RewriteRule ^/x /al/x.txt"),
  server("RewriteRule ^/x /a/x.txt [P]"),
  server("RewriteRule ^/x http://y.test/ [proxy]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x - [P]", "RewriteRule ^ - [G]"),
  server("RewriteRule ^/x /a/x.txt [NS]", "RewriteRule ^/a - [G,NS]"),
];

/** The result of E, as a later condition sees it. */
const variables = (
  [
    ["E=a:b", "%{ENV:a} =b"],
    ["E=A:b", "%{ENV:a} =b"],
    ["env=a:b", "%{ENV:A} =b"],
    ["E=a:b:c", "%{ENV:a} =b:c"],
    ["E=a:b=c", "%{ENV:a} =b=c"],
    ["E=a=b:c", "%{ENV:a=b} =c"],
    ["E=a", '%{ENV:a} =""'],
    ["E=a:$1%1", "%{ENV:a} =x/"],
    ["E=a:b,E=a:c", "%{ENV:a} =c"],
    ["E=a:b,E=!a", '%{ENV:a} =""'],
    ["E=a:b,E=!A", '%{ENV:a} =""'],
    ["E=a:b,E=b:%{ENV:a}", "%{ENV:b} =b"],
    ["E=$1:b", "%{ENV:x} =b"],
  ] as const
).map(([flag, condition]) =>
  server(
    ...["RewriteCond %{REQUEST_URI} ^(.)", `RewriteRule ^/(x) - [${flag}]`],
    ...[`RewriteCond ${condition}`, "RewriteCond %{REQUEST_URI} x", "RewriteRule ^ - [G]"],
  ),
);

/** Targets of rules on the disk. */
const places = [
  ...["/.", "/..", "/../x.txt", "/a/..", "/a/../x.txt", "/a/../../x.txt", "/a//../x.txt", "/a/./../x.txt", "/./x.txt"],
  ...["/..a", "/a/..a", "//x.txt", "///a/x.txt", "/etc/hostname", "/etc//hostname", "//etc/hostname"],
  ...["/etc", "/tmp", "/nothere/x", "/x.txt/", "/a", "/a/", "/", ".", "..", "./x.txt", "../x.txt", "x.txt"],
  ...[
    "DOCROOT/x.txt",
    "DOCROOT/a",
    "DOCROOT",
    "DOCROOT/secret/x.txt",
    "DOCROOT/../htdocs/x.txt",
    "/$1.txt",
    "/%2e%2e/x",
  ],
].map((to) => ({ lines: [on, `RewriteRule ^/(x).txt$ ${to}`], requests: ["/x.txt"] }));

const prefixes = [
  { lines: [on, "RewriteRule ^/(.*) /$1"], requests: ["/etc/hostname", "/etc", "/tmp", "/x.txt"] },
  {
    lines: [on, "RewriteRule ^/(.*) /$1 [UnsafePrefixStat]"],
    requests: ["/etc/hostname", "/tmp", "/x.txt", "/../etc"],
  },
  { lines: [on, "RewriteOptions UnsafePrefixStat", "RewriteRule ^/(.*) /$1"], requests: ["/etc/hostname", "/x.txt"] },
  {
    lines: [on, "RewriteOptions LegacyPrefixDocRoot", "RewriteRule ^/(.*) /$1"],
    requests: ["/etc/hostname", "/x.txt"],
  },
  { lines: [on, "RewriteRule ^(.*) $1"], requests: ["/etc/hostname", "/x.txt"] },
  { lines: [on, "RewriteRule ^(.*) DOCROOT$1"], requests: ["/x.txt", "/a/x.txt", "/secret/x.txt"] },
  { lines: [on, "RewriteRule ^(.*) %{DOCUMENT_ROOT}$1"], requests: ["/x.txt", "/a/x.txt", "/secret/x.txt"] },
];

/** Queries and paths that rules reject as targets. */
const refused = [
  ...["/$1", "/a?$1", "/a?b$1", "/$1?a", "/$1?a?b [QSL]", "/a?$1 [QSL]", "/$1 [UnsafeAllow3F]", "/$1 [R]", "/$1 [PT]"],
  ...[
    "/$1 [B]",
    "/a?$1 [B]",
    "/a?$1 [B,BNP]",
    "/a?$1 [BCTLS]",
    "/a?$1 [BNE=?]",
    "http://z.test/?$1",
    "http://z.test/?$1 [NE]",
  ],
  ...["/a?$1 [B=b]", "/a?$1 [B=?,BNE=b]", "/a?$1 [B,BNE=%]", "/a?$1 [backrefescaping]", "/a?$1 [backrefernoplus,B]"],
].map((to) => ({
  lines: [on, `RewriteRule ^/z(.*) ${to}`],
  requests: ["/za%3fb", "/za%20b", "/za%25b", "/z%7f", "/zx.txt"],
}));

export const ruleOrderCases: readonly RewritingCase[] = [...variables, ...order, ...places, ...prefixes, ...refused];
