import type { RewritingCase } from "./rewriting-cases.js";

const on = "RewriteEngine On";

/** Returns rules of a server, with their requests. */
function server(lines: readonly string[], requests: readonly string[] = ["/x.txt"]): RewritingCase {
  return { lines: [on, ...lines], requests };
}

/** Denies if a rule rewrites `/x.txt` to a text that matches a pattern. */
function leading(rule: string, pattern: string, requests?: readonly string[]): RewritingCase {
  return server([`RewriteRule ${rule}`, `RewriteRule "${pattern}" - [G]`], requests);
}

/** Denies if a rule leaves the expected query. */
function asking(rule: string, query: string, requests: readonly string[] = ["/x.txt?q=1", "/x.txt"]): RewritingCase {
  return server([`RewriteRule ${rule}`, `RewriteCond %{QUERY_STRING} "${query}"`, "RewriteRule ^ - [G]"], requests);
}

const flags = [
  ...[
    "F",
    "forbidden",
    "G",
    "gone",
    "L,F",
    "F,R=404",
    "R=404,F",
    "F,G",
    "G,F",
    "r=404",
    "Redirect=410",
    "R=503",
    "R=401",
  ],
].map((each) => server([`RewriteRule ^/x - [${each}]`]));

const spelled = [...['"[ L , F ]"', '"[\tF\t]"', "[f]", "[FORBIDDEN]", '"[ F]"', '"[F ]"', '"[NC ,F]"']].map((each) =>
  server([`RewriteRule ^/X|x - ${each}`]),
);

const redirects = [
  ...["R", "R=", "R=temp", "R=permanent", "R=PERMANENT", "R=seeother", "R=301", "R=302", "R=303", "R=307", "R=308"],
  ...["R=300", "R=404", "R=410", "R=500", "redirect", "redirect=301", "R=301,R=302", "R=301,R", "R=404,R=301"],
].map((each) => server([`RewriteRule ^/x /a/x.txt [${each}]`]));

const matching = [
  leading("^/X /y [NC]", "^/y$"),
  leading("^/X /y [nocase]", "^/y$"),
  leading("^/X /y", "^/y$"),
  leading("!^/x /y", "^/y$", ["/x.txt", "/a"]),
  leading("!^/(x) /y$1", "^/y$", ["/x.txt", "/a"]),
  leading("^/(x)(.)t? /$2$1$0$3", "^/.x/x.$"),
  leading("^/x(.*) /$1$2", "^/.txt$"),
  leading("^/x /$$1%%{X}", "^/..%$"),
  leading("^/x '/a\\$1'", "^/a.1$"),
  leading("^/x '/a\\\\b'", "^/a.b$"),
  leading("^/x /%{REQUEST_METHOD}-%{request_method}-%{NOTHING}", "^/GET-GET-$"),
  leading("^/x /%{REQUEST_METHOD", "^/%.REQUEST_METHOD$"),
  leading("^/x /%{HTTP:Accept}%{HTTP_ACCEPT}%{http:x-a}", "^/bb$", ["/x.txt GET Accept: b", "/x.txt GET X-A: bb"]),
  leading("^/x /%{SCRIPT_FILENAME}%{REQUEST_FILENAME}", "^/+x.txt/x.txt$"),
  leading("^/x /%{CONTEXT_PREFIX}|", "^/[|]$"),
  leading("^/x /%{PATH_INFO}%{REMOTE_USER}%{AUTH_TYPE}|", "^/[|]$"),
  leading("^/x /%{DOCUMENT_ROOT}", "htdocs$"),
  leading("^/x /%{CONTEXT_DOCUMENT_ROOT}", "htdocs$"),
  leading("^/x /%{SERVER_ADMIN}", "^/.no address given.$"),
  leading("^/x /%{SERVER_ADDR}-%{REMOTE_HOST}-%{REMOTE_ADDR}", "^/127.0.0.1-127.0.0.1-127.0.0.1$"),
  leading("^/x /%{QUERY_STRING}", "^/q=1$", ["/x.txt?q=1"]),
  leading("^/x /%{ENV:SCRIPT_URL}%{ENV:none}", "^/+x.txt$"),
  leading("^/x /%{ENV:SCRIPT_URI}", "^/http://host"),
  leading("^/x /%{HTTPS}%{IS_SUBREQ}%{REQUEST_SCHEME}%{IPV6}", "^/offfalsehttpoff$"),
];

const maps = ["RewriteMap up int:toupper", "RewriteMap low int:tolower"];
const mapped = (
  [
    ["/${up:ab}", "^/AB$"],
    ["/${low:AB}", "^/ab$"],
    ["/${low:$1|none}", "^/x$"],
    ["/${low:|none}", "^/none$"],
    ["/${low:$2|${up:none}}", "^/NONE$"],
    ["/${low:${up:ab}}", "^/ab$"],
    ["/${low:%{REQUEST_METHOD}}", "^/get$"],
    ["/${none:a}", "^/$"],
    ["/${none:a|b}", "^/b$"],
    ["/${low:A", "^/..low:A$"],
    ["/${up:a|b}c", "^/Ac$"],
    ["/${up:a:b}", "^/A:B$"],
  ] as const
).map(([to, pattern]) => server([...maps, `RewriteRule ^/(x)(y)? ${to}`, `RewriteRule "${pattern}" - [G]`]));

const queries = [
  asking("^/x /y", "^q=1$"),
  asking("^/x /y?", "^$"),
  asking("^/x /y?", "."),
  asking("^/x /y?a", "^a$"),
  asking("^/x /y?a?b", "^a.b$"),
  asking("^/x /y?a [QSA]", "^a&q=1$"),
  asking("^/x /y?a [QSA]", "^a$"),
  asking("^/x /y?a [qsappend]", "^a&q=1$"),
  asking("^/x /y [QSA]", "^q=1$"),
  asking("^/x /y? [QSA]", "^q=1$"),
  asking("^/x /y?a? [QSA]", "^a|q"),
  asking("^/x /y?a& [QSA]", "^a&&q=1$"),
  asking("^/x /y?a&&", "^a&$"),
  asking("^/x /y?&", "^$"),
  asking("^/x /y [QSD]", "^$"),
  asking("^/x /y [qsdiscard]", "."),
  asking("^/x /y?a [QSD]", "^a$"),
  asking("^/x /y?a [QSD,QSA]", "^a&?$"),
  asking("^/x - [QSD]", "."),
  asking("^/x /y?a?b [QSL]", "^b$"),
  asking("^/x /y?a?b [qslast]", "^a"),
  asking("^/x /y [QSL]", "^q=1$"),
  asking("^/x http://z.test/y?a", "^a$"),
  asking("^/x http://z.test/y?a?b [QSL]", "^b$"),
  asking("^/x http://z.test/y", "^q=1$"),
  asking("^/x http://z.test/y?", "."),
  asking("^/x http://%{HTTP_HOST}/y?a", "^a$"),
];

const schemes = [
  ...["ajp://", "balancer://", "ftp://", "fcgi://", "gopher://", "http://", "https://", "h2://", "h2c://", "ldap://"],
  ...[
    "mailto:",
    "news:",
    "nntp://",
    "scgi://",
    "ws://",
    "wss://",
    "unix:",
    "HTTP://",
    "Ldap://",
    "http:/",
    "x://",
    "mail:",
  ],
].flatMap((each) => [
  server([`RewriteRule ^/x ${each}y.test/z`]),
  asking(`^/x ${each}y.test/z?a`, "^a$", ["/x.txt?q=1"]),
  asking(`^/x ${each}y.test/z?a`, "^q=1$", ["/x.txt?q=1"]),
]);

const absolute = [
  leading("^/x /y [R]", "^http://host[0-9]+[.]test(:[0-9]+)?/y$"),
  leading("^/x y [R]", "^http://host[0-9]+[.]test(:[0-9]+)?/y$"),
  leading("^/x http://z.test/y [R]", "^http://z.test/y$"),
  leading("^/x ftp:y [R]", "^http://host[0-9]+[.]test(:[0-9]+)?/ftp:y$"),
  leading("^/x http://%{HTTP_HOST}/y", "^/y$"),
  ...[
    "http://%{HTTP_HOST}",
    "HTTP://%{HTTP_HOST}",
    "https://%{HTTP_HOST}",
    "http://%{HTTP_HOST}x",
    "http://x%{HTTP_HOST}",
  ].flatMap((each) =>
    ["", "/", "/y", "/y/http://z", "?a", "/y?a"].map((rest) =>
      leading(`^/x ${each}:%{SERVER_PORT}${rest}`, "^/(y.*)?$"),
    ),
  ),
  leading("^/x http://%{HTTP_HOST}:%{SERVER_PORT}0/y", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:x/y", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:/y", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:%{SERVER_PORT}x/y", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:%{SERVER_PORT}/y [R]", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:%{SERVER_PORT}/etc/hostname", "^/y$"),
  leading("^/x http://%{HTTP_HOST}:%{SERVER_PORT}//a/x.txt", "^/a"),
  server(["RewriteOptions LegacyPrefixDocRoot", "RewriteRule ^/x http://%{HTTP_HOST}:%{SERVER_PORT}/etc/hostname"]),
  leading("^/x https://%{HTTP_HOST}/y", "^/y$"),
  leading("^/x http://x.test/y", "^/y$"),
  leading("^/x http://%{HTTP_HOST}/y [R]", "^/y$"),
  leading("^/x http://%{HTTP_HOST}/http://z", "^/http://z$"),
  server(["RewriteRule ^/x ws://"]),
  server(["RewriteRule ^/x ws://a"]),
  server(["RewriteRule ^/x news:"]),
  server(["RewriteRule ^/x news:a"]),
  server(["RewriteRule ^/x http://z.test/y [R=301]", "RewriteRule ^ - [L]"]),
  server(["RewriteRule ^/x /y [R=301]", "RewriteRule ^ /a/x.txt"]),
  server(["RewriteRule ^/x /y [R=301]", "RewriteRule ^http - [F]"]),
];

export const ruleCases: readonly RewritingCase[] = [
  ...[...flags, ...spelled, ...redirects],
  ...[...matching, ...mapped, ...queries, ...schemes, ...absolute],
];
