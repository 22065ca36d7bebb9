import fc from "fast-check";
import { condition, inQuotes } from "./random-conditions.js";
import {
  authenticationLines,
  type Lines,
  type LinesArbitrary,
  line,
  rules,
  section,
  several,
  variable,
} from "./random-rules.js";
import { pick } from "./random-texts.js";

const tagged = (name: string, ...words: readonly string[]) => pick(...words.map((word) => `${name} "${word}"`));

const directories = [
  ...["/", "@ROOT@", "@ROOT@/htdocs", "@ROOT@/htdocs/a", "@ROOT@/htdocs/a/", "@ROOT@/htdocs/a/b", "@ROOT@/htdocs/d"],
  ...[
    "@ROOT@/other",
    "@ROOT@/other/in",
    "@ROOT@/second",
    "@ROOT@/htdocs/none",
    "@ROOT@/htdocs//a/./b",
    "@ROOT@/htdocs/d/../a",
  ],
  ...["htdocs/a", "@ROOT@/htdocs/a/x.txt", "@ROOT@/htdocs/sp ace", "@ROOT@/htdocs/a.d", "@ROOT@/htdocs/A"],
  ...["@ROOT@/htdocs/*", "@ROOT@/*/a", "@ROOT@/htdocs/?", "@ROOT@/htdocs/[ad]", "@ROOT@/*", "@ROOT@/htdocs/*/b", "/*"],
  ...[
    "@ROOT@/htdocs/*.html",
    "@ROOT@/htdocs/[!a]",
    "@ROOT@/htdocs/a*/",
    "@ROOT@/htdocs/*/*.txt",
    "@ROOT@/h*/a/b",
    "@ROOT@/htdocs/*/",
  ],
  ...["proxy:*"],
];
const directoryPatterns = [
  ...[
    "/a/b",
    "/a$",
    "/b/$",
    "^@ROOT@/htdocs",
    "/htdocs/(?<first>[^/]+)",
    "\\.html$",
    "/[^/]*/b",
    "^/",
    "/nope",
    "/a/",
    "(?i)/A/",
  ],
  ...["/htdocs/$", "/x\\.txt$", "/none$", "/(?<first>a)/(?<name>b)?", "info", "^@ROOT@/[^/]+/?$"],
];
const files = [
  ...[
    "index.html",
    "x.txt",
    "*.html",
    "*.php",
    "?.txt",
    "[ix]*",
    "secret.html",
    "none",
    "*",
    "a",
    "b",
    "index.*",
    "none.html",
    "x",
  ],
  ...["X.TXT", "*x*", "a/x.txt", ".*"],
];
const filePatterns = [
  "\\.html$",
  "^x",
  "^(?<name>[a-z]+)\\.",
  "index",
  "^$",
  "\\.(txt|php)$",
  "^a$",
  "^(?<first>.)",
  "none",
];
const locations = [
  ...[
    "/",
    "/a",
    "/a/",
    "/a/b",
    "/a/b/",
    "/d",
    "/al",
    "/al/",
    "/p",
    "/index.html",
    "/a/x.txt",
    "/none",
    "/r",
    "/a//b",
    "/A",
    "/a/index.html",
  ],
  ...["/a/x.txt/info", "/%61", "a", "/sp ace", "/server-status", "/second", "//", "//a", "/a/.", "/p/x"],
  ...[
    "/a*",
    "/*",
    "/*/b",
    "/?",
    "/[ad]/*",
    "/a/*/",

    "/*.html",
    "/*/*",
    "/al*",
    "/a?b",
    "/*/b/",
    "/a/[!x]*",
    "/?/?.txt",
  ],
];
const locationPatterns = [
  ...[
    "^/a",
    "/b$",
    "^/(?<first>[a-z]+)",
    "\\.html$",
    "//",
    "^/a/(?<name>[^/]+)/",
    "/$",
    "^/d(/|$)",
    "(?i)^/A",
    "x$",
    "^/(?<first>[ad])?(?<name>/b)?",
  ],
  ...["%", " ", "\\.\\.", "^/p", "/[^/]+/[^/]+$"],
];
const backends = [
  "*",
  "http://127.0.0.1:@BACKEND@/*",
  "http://127.0.0.1:@BACKEND@/x",
  "http://127.0.0.1:@BACKEND@",
  "http://*",
  "https://*",
  "http://127.0.0.1:@BACKEND@/*/x",
];

const options: LinesArbitrary = line(
  "Options",
  ...[
    "None",
    "FollowSymLinks",
    "-FollowSymLinks",
    "+SymLinksIfOwnerMatch",
    "All",
    "Indexes",
    "+FollowSymLinks",
    "-Indexes +Includes",
    "+SymLinksIfOwnerMatch -FollowSymLinks",
    "MultiViews",
  ],
);
const index: LinesArbitrary = line(
  "DirectoryIndex",
  ...[
    "index.html",
    "index.htm index.html",
    "none.html index.html",
    "index.php",
    "disabled",
    "none.html x.txt",
    "x.txt index.html",
    "/index.html",
    "b/c.html",
    "b",
  ],
);
const overriding: LinesArbitrary = line(
  "AllowOverride",
  ...[
    "All",
    "None",
    "AuthConfig",
    "Limit",
    "AuthConfig Limit",
    "FileInfo",
    "All",
    "Limit FileInfo",
    "Nonfatal=Override",
    "Nonfatal=All AuthConfig",
    "Options=Indexes,FollowSymLinks Limit",
    "Options AuthConfig",
    "AuthConfig Nonfatal=Unknown",
    "Indexes Options",
  ],
);
const overrideList: LinesArbitrary = line(
  "AllowOverrideList",
  ...[
    "None",
    "Require",
    "Order Allow Deny",
    "require order <files SetEnvIf",
    "<RequireAny Require",
    "<If <Else AuthMerging Satisfy",
    "<Limit Allow Options",
  ],
);

const redirect: LinesArbitrary = fc.oneof(
  line(
    "Redirect",
    ...[
      "403 /a/b",
      "/a/x.txt http://a.test/",
      "gone /d",
      "403",
      "http://a.test/x",
      "permanent /x",
      "401 /none",
      "410",
      "permanent /al /x",
    ],
  ),
  line(
    "RedirectMatch",
    ...["403 \\.php$", "^/a/(.*) /d/$1", "gone ^/d", "500 /none", "index /x", "permanent ^/a$ http://a.test/"],
  ),
);

/** Directives that determine how files are served. */
const serving: LinesArbitrary = fc.oneof(
  line("AcceptPathInfo", "On", "Off", "Default"),
  line("DirectorySlash", "Off", "On"),
  line("DirectoryIndexRedirect", "On", "Off", "permanent", "307"),
  line("DirectoryCheckHandler", "On", "Off"),
  line("SetHandler", "none", "server-status", "default-handler", "cgi-script"),
  line("AddHandler", "cgi-script .php", "cgi-script html txt"),
  line("Options", "+ExecCGI", "Indexes ExecCGI FollowSymLinks"),
  line("ErrorDocument", '403 "no"', '404 "none"', '401 "who"', "500 default"),
  line("Options", "+Indexes", "-Indexes", "+Indexes -FollowSymLinks"),
);

const extra: LinesArbitrary = fc.oneof(
  { weight: 6, arbitrary: variable },
  { weight: 2, arbitrary: options },
  { weight: 2, arbitrary: index },
  { weight: 2, arbitrary: redirect },
  { weight: 1, arbitrary: serving },
);

/** Directives that are valid only in a Location. */
const leading: LinesArbitrary = fc.oneof(
  line("ProxyPass", "http://127.0.0.1:@BACKEND@/", "http://127.0.0.1:@BACKEND@/x", "!"),
  line("ProxyPassMatch", "http://127.0.0.1:@BACKEND@/$1"),
  line("Alias", "@ROOT@/htdocs/d", "@ROOT@/htdocs/a/x.txt", "@ROOT@/htdocs/a/"),
);

/** Generates conditions, some with an ElseIf or Else. */
function conditional(inside: LinesArbitrary): LinesArbitrary {
  const holding = condition.map((text) => inQuotes(text));
  const elseIfs = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Lines>([]) },
    {
      weight: 1,
      arbitrary: section(
        holding.map((text) => `ElseIf ${text}`),
        inside,
      ),
    },
  );
  const last = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Lines>([]) },
    { weight: 2, arbitrary: section(pick("Else"), inside) },
  );
  return fc
    .tuple(
      section(
        holding.map((text) => `If ${text}`),
        inside,
      ),
      elseIfs,
      last,
    )
    .map((pieces) => pieces.flat());
}

const simple: LinesArbitrary = several(
  fc.oneof({ weight: 5, arbitrary: rules }, { weight: 1, arbitrary: extra }),
  1,
  2,
);
const nestedIf: LinesArbitrary = conditional(
  fc.oneof(
    { weight: 4, arbitrary: simple },
    { weight: 1, arbitrary: fc.tuple(simple, conditional(simple)).map((both) => both.flat()) },
  ),
);
const fileTag = fc.oneof(
  { weight: 3, arbitrary: tagged("Files", ...files) },
  { weight: 1, arbitrary: tagged("Files ~", ...filePatterns) },
  { weight: 2, arbitrary: tagged("FilesMatch", ...filePatterns) },
);
const inFiles: LinesArbitrary = section(
  fileTag,
  fc.oneof({ weight: 4, arbitrary: simple }, { weight: 1, arbitrary: nestedIf }),
);

/** Directives whose module only some configurations load. */
const methods: LinesArbitrary = section(
  pick("IfModule mod_allowmethods.c"),
  several(line("AllowMethods", "GET", "POST OPTIONS", "reset", "GET HEAD PROPFIND", "HEAD DELETE"), 1, 2),
);

/** The contents of a section other than Files. */
const content: LinesArbitrary = several(
  fc.oneof(
    { weight: 16, arbitrary: rules },
    { weight: 6, arbitrary: extra },
    { weight: 4, arbitrary: nestedIf },
    { weight: 1, arbitrary: methods },
  ),
  1,
  3,
);
const locationContent: LinesArbitrary = fc
  .tuple(content, fc.oneof({ weight: 12, arbitrary: fc.constant<Lines>([]) }, { weight: 1, arbitrary: leading }))
  .map(([lines, more]) => [...lines, ...more]);
const directoryContent: LinesArbitrary = several(
  fc.oneof(
    { weight: 8, arbitrary: rules },
    { weight: 3, arbitrary: extra },
    { weight: 2, arbitrary: nestedIf },
    { weight: 2, arbitrary: inFiles },
    { weight: 2, arbitrary: overriding },
    { weight: 1, arbitrary: overrideList },
    { weight: 1, arbitrary: methods },
  ),
  1,
  3,
);

/** The first section of most configurations: its settings apply everywhere. */
export const base: LinesArbitrary = fc
  .tuple(
    fc.option(fc.constant(authenticationLines), { nil: [], freq: 4 }),
    fc.option(overriding, { nil: [], freq: 9 }),
    fc.oneof({ weight: 5, arbitrary: fc.constant<Lines>([]) }, { weight: 1, arbitrary: overrideList }),
    fc.option(
      fc.oneof(
        { weight: 1, arbitrary: line("Require", "all granted", "valid-user", "all denied") },
        { weight: 1, arbitrary: simple },
      ),
      { nil: [], freq: 5 },
    ),
  )
  .map((pieces) => ['<Directory "/">', ...pieces.flat(), "</Directory>"]);

/** A section of any kind at the level of a server. */
export const anySection: LinesArbitrary = fc.oneof(
  { weight: 6, arbitrary: section(tagged("Directory", ...directories), directoryContent) },
  { weight: 1, arbitrary: section(tagged("Directory ~", ...directoryPatterns), content) },
  { weight: 2, arbitrary: section(tagged("DirectoryMatch", ...directoryPatterns), content) },
  { weight: 3, arbitrary: inFiles },
  { weight: 5, arbitrary: section(tagged("Location", ...locations), locationContent) },
  { weight: 1, arbitrary: section(tagged("Location ~", ...locationPatterns), locationContent) },
  { weight: 3, arbitrary: section(tagged("LocationMatch", ...locationPatterns), locationContent) },
  { weight: 2, arbitrary: nestedIf },
  {
    weight: 1,
    arbitrary: section(
      fc.oneof(tagged("Proxy", ...backends), tagged("ProxyMatch", "127", "/x$", "^http:", "^proxy:")),
      content,
    ),
  },
);

/** Lines of a server outside its sections. */
export const serverLine: LinesArbitrary = fc.oneof(
  { weight: 4, arbitrary: variable },
  { weight: 1, arbitrary: index },
  { weight: 1, arbitrary: options },
  { weight: 1, arbitrary: line("DirectorySlash", "Off", "On") },
  { weight: 1, arbitrary: line("UseCanonicalName", "On", "Off") },
  { weight: 1, arbitrary: line("HostnameLookups", "On", "Double") },
  {
    weight: 3,
    arbitrary: line(
      "Alias",
      ...[
        "/al @ROOT@/other",
        '/al/ "@ROOT@/other/"',
        "/al/in @ROOT@/htdocs/a",
        "/a @ROOT@/other",
        "/x other",
        "//al @ROOT@/other",
        "/d/page.html @ROOT@/htdocs/a/x.txt",
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: line(
      "AliasMatch",
      '"^/am/(.*)" "@ROOT@/htdocs/a/$1"',
      "^/a/(.)\\. @ROOT@/htdocs/d/page.html",
      "^/am(?:/(?:b|d))?(/.*)?$ @ROOT@/htdocs/a$1",
      "^/(a|d)/(.*)$ @ROOT@/htdocs/$1/$2",
      "^/am/?(a|b|)/(.+) @ROOT@/htdocs/$1/$2",
      "^/a/(x|b)(\\.txt)?$ @ROOT@/htdocs/a/$1.txt",
      "(?i)^/AM @ROOT@/htdocs/",
    ),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      line("ScriptAlias", "/sc @ROOT@/other", "/a/b @ROOT@/other"),
      line("ScriptAliasMatch", "^/sc/(.*) @ROOT@/other/$1"),
    ),
  },
  { weight: 1, arbitrary: serving },
  { weight: 1, arbitrary: line("TraceEnable", "Off", "On", "extended") },
  {
    weight: 2,
    arbitrary: line(
      "Redirect",
      ...["/r http://a.test/", "gone /a/b", "403 /r/x", "permanent /none /x", "/a/x.txt /a/", "410 /d", "401 /al"],
    ),
  },
  {
    weight: 1,
    arbitrary: line("RedirectMatch", ...["^/r/(.*) /$1", "403 \\.php$", "gone ^/A", "500 /none", "404 //"]),
  },
  {
    weight: 2,
    arbitrary: line(
      "ProxyPass",
      ...[
        "/p http://127.0.0.1:@BACKEND@/",
        "/p/x !",
        "/a/b/ http://127.0.0.1:@BACKEND@/x/",
        '"/p" "http://127.0.0.1:@BACKEND@/x"',
      ],
    ),
  },
  {
    weight: 1,
    arbitrary: line(
      "ProxyPassMatch",
      "^/pm/(.*)\\.html$ http://127.0.0.1:@BACKEND@/$1",
      "^/d/ http://127.0.0.1:@BACKEND@",
    ),
  },
  { weight: 1, arbitrary: line("MergeSlashes", "Off", "On") },
  { weight: 1, arbitrary: line("AllowEncodedSlashes", "On", "NoDecode") },
);

/** Names of per-directory files. */
export const fileNames: LinesArbitrary = line("AccessFileName", ".htaccess", ".acl .htaccess", ".none .acl");

/** Lines that are rejected in a `.htaccess` file, or look like it. */
const broken: readonly Lines[] = [
  ["<IfModule mod_none.c>", "Deny from all", "</IfModule>"],
  ["<IfModule dir_module>", "Deny from all", "</IfModule>"],
  ...["Nonsense x", "<Files x>", "</Files>", "Order foo", "Require ip x", "Require bogus", "Require not ip 10"],
  ...["Options None +Indexes", "Options +Nope", "AuthMerging x", "Satisfy some", "Allow all", "Deny from 300.1"],
  ...[
    "AllowOverride All",
    "Listen 80",
    '<Directory "/">',
    "<Nope>",
    "SetEnvIf X-A ( flag",
    "AuthType",
    "Redirect /a b",
  ],
  ...['Require expr "%{X"', "<If x>", "</If>", "DirectoryIndex", "AuthName a b", "ErrorDocument 404", "\\", "Require"],
  ...[
    "Include conf/none",
    "<Limit get>",
    "<RequireNone>",
    "Define X y",
    "DocumentRoot /",
    "ServerName x",
    "php_flag x",
  ],
]
  .map((lines) => (typeof lines === "string" ? [lines] : lines))
  .concat([
    ["<RequireAll>", "</RequireAll>"],
    ["<Limit get>", "Deny from all", "</Limit>"],
    ["<Files x>", "AllowOverride None", "</Files>"],
    ["<If true>", "Nope", "</If>"],
    ['<If "%{NOPE} == 1">', "</If>"],
    ["<If \"file('x') == 1\">", "Deny from all", "</If>"],
    ["AuthName a b", "Nope"],
    ["<Files x>", "<Limit GET>", "</Files>"],
  ]);

/** A `.htaccess` file. */
export const directoryFile: LinesArbitrary = several(
  fc.oneof(
    { weight: 8, arbitrary: rules },
    { weight: 2, arbitrary: extra },
    { weight: 2, arbitrary: inFiles },
    { weight: 2, arbitrary: nestedIf },
    { weight: 1, arbitrary: line("# nothing", "") },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...broken),
    },
  ),
  0,
  3,
);
