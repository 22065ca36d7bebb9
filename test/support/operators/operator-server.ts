import { loadModules } from "../httpd/httpd.js";
import type { Random } from "../random/random.js";
import { drawAccess } from "./access-features.js";
import { drawMany, drawPerhaps, type Lines, section } from "./drawing.js";
import { type DrawFeature, type Feature, pages } from "./feature.js";
import { mappingFeatures } from "./mapping-features.js";
import { drawRewriting } from "./rewriting-features.js";
import { drawInnerSection, drawOptions, drawOverride, drawSetting } from "./section-features.js";
import { serverFeatures } from "./server-features.js";

/** A configuration as an operator writes it, with its files; see `Feature` for the names in them. */
export interface OperatorServer {
  readonly lines: Lines;
  readonly files: Readonly<Record<string, string>>;
  readonly links: Readonly<Record<string, string>>;
}

/** Which requests reach a part of a server. */
export interface ReachedSite {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
}

export interface DrawnServer {
  readonly server: OperatorServer;
  readonly sites: readonly ReachedSite[];
}

const operatorModules: readonly string[] = [
  ...["authn_anon", "request", "session", "session_cookie", "auth_form"],
  ...["mpm_event", "authn_core", "authz_core", "authn_file", "auth_basic", "auth_digest", "authz_user", "authz_host"],
  ...[
    "authz_groupfile",
    "authz_dbm",
    "authz_owner",
    "access_compat",
    "env",
    "setenvif",
    "headers",
    "mime",
    "negotiation",
  ],
  ...["alias", "userdir", "vhost_alias", "speling", "dir", "autoindex", "actions", "cgi", "dav", "dav_fs", "status"],
  ...["remoteip", "proxy", "proxy_http", "rewrite", "allowmethods"],
];

/** Returns the lines that all these servers begin with. @param listening `ADDRESS:PORT` */
export function headFor(listening: readonly string[]): Lines {
  return [
    ...loadModules(operatorModules).trimEnd().split("\n"),
    ...['ServerRoot "@ROOT@"', ...listening.map((each) => `Listen ${each}`), "PidFile pid", "Mutex posixsem"],
    ...["ServerLimit 1", "StartServers 1", "ThreadsPerChild 16", "MaxRequestWorkers 16", "TypesConfig conf/types"],
    // Each connection has its own port, which marks the lines of its request. mod_remoteip hides it from this log.
    ...["ErrorLog error.log", 'ErrorLogFormat "#%{c}a %M"', 'CustomLog access.log "#%{Request-Id}i %a %>s"'],
  ];
}

const siteFiles = [
  ...[
    "index.html",
    "index.php",
    "about.html",
    "page.xyz",
    "notes.txt",
    "docs/index.html",
    "docs/readme.txt",
    "docs/a b.txt",
  ],
  ...["img/logo.png", "app/index.php", "app/front.txt", "app/lib/secret.inc", "app/old.sql", "private/index.html"],
  ...["private/notes.txt", ".git/config", "run.cgi", "docs/.hidden", ".htpasswd", "docs/index.html.de", "empty/"],
];

/** URL paths that any site may have. */
const sitePaths = [
  ...siteFiles.map((path) => `/${path.replace(" ", "%20")}`),
  ...[
    "/",
    "/docs",
    "/docs/",
    "/app/",
    "/private/",
    "/private",
    "/img/",
    "/none",
    "/docs/none.html",
    "/index.html/info",
  ],
  ...[
    "/index.php/a/b",
    "/run.cgi/more",
    "/.htaccess",
    "/docs/.htaccess",
    "/docs/readme.txt/",
    "/app/lib/",
    "/app/index.php?q=1",
  ],
];

function drawSite(random: Random, root: string, draws: readonly DrawFeature[]): Feature {
  const features = draws.map((draw) => draw(random));
  const files = pages(...siteFiles.filter(() => random.chance(0.85)).map((path) => `@DOCROOT@/${path}`));
  const inside = (text: string) => text.replaceAll("@DOCROOT@", root);
  const moved = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([path, text]) => [inside(path), inside(text)]));
  return {
    lines: features.flatMap(({ lines }) => guardLines(random, lines)).map(inside),
    files: moved(Object.assign({}, files, ...features.map((each) => each.files ?? {}), drawDirectoryFiles(random))),
    links: moved(Object.assign({}, ...features.map(({ links }) => links ?? {}))),
    paths: [...sitePaths, ...features.flatMap(({ paths = [] }) => [...paths, ...paths])],
    hosts: features.flatMap(({ hosts = [] }) => hosts),
  };
}

function drawDirectoryFiles(random: Random): Readonly<Record<string, string>> {
  const folders = [
    "@DOCROOT@",
    "@DOCROOT@/docs",
    "@DOCROOT@/app",
    "@DOCROOT@/private",
    "@ROOT@/other",
    "@ROOT@/home/alice/public_html",
  ] as const;
  const texts = drawMany(random, 0, 3, () => {
    const lines = [
      ...(random.chance(0.45) ? drawRewriting(random, false) : []),
      ...(random.chance(0.4) ? drawAccess(random) : []),
      ...(random.chance(0.3) ? drawInnerSection(random) : []),
      ...drawMany(random, 0, 2, drawSetting),
      ...drawPerhaps(random, 0.15, drawOptions(random)),
      ...drawPerhaps(
        random,
        0.1,
        random.pick(["Redirect /docs/gone.txt /about.html", 'RedirectMatch "^/private/(.*)x$" "/docs/$1"']),
      ),
    ];
    return [`${random.pick(folders)}/.htaccess`, `${lines.join("\n")}\n`] as const;
  });
  return Object.fromEntries(texts);
}

const pickFeature = (random: Random): DrawFeature =>
  random.chance(0.5) ? random.pick(mappingFeatures) : random.pick(serverFeatures);

const addresses = [
  "*",
  "*:@PORT1@",
  "127.0.0.1",
  "127.0.0.2:@PORT1@",
  "[::1]",
  "*:@PORT2@",
  "_default_:*",
  "*",
  "*",
] as const;

function drawHost(random: Random, index: number): { readonly feature: Feature; readonly lines: Lines } {
  const name = `site${index}.example.test`;
  const root = `@ROOT@/sites/site${index}`;
  const feature = drawSite(random, root, drawMany(random, 1, 4, pickFeature));
  const lines = section(
    `VirtualHost ${random.pick(addresses)}`,
    ...drawPerhaps(random, 0.9, `ServerName ${random.pick(["", "", "http://"])}${name}`),
    ...drawPerhaps(
      random,
      0.4,
      `ServerAlias www.${name} ${random.pick(["*.wild.test", "shop", "*.example.test", "site?.test"])}`,
    ),
    ...drawPerhaps(random, 0.1, `ServerPath /site${index}`),
    ...drawPerhaps(random, 0.9, `DocumentRoot ${root}`),
    ...feature.lines,
  );
  const hosts = [name, name, `www.${name}`, ...(feature.hosts ?? []), `${name}:81`, "a.wild.test", "site1.test"];
  return { lines, feature: { ...feature, hosts, paths: [...(feature.paths ?? []), `/site${index}/about.html`] } };
}

const types = "text/html html htm\ntext/plain txt\nimage/png png\nimage/gif gif\napplication/json json\n";
const sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";

/** The files of all servers. */
const commonFiles = {
  "@ROOT@/conf/types": types,
  "@ROOT@/conf/users": ["alice", "bob", "carol", "root"].map((user) => `${user}:${sha}\n`).join(""),
  "@ROOT@/conf/more-users": `# others\n\nalice:${sha}\ndave:${sha}:extra\n erin:${sha}\nfrank:\n`,
  "@ROOT@/conf/groups": 'staff: alice bob\nadmins: alice\n"web team": carol\nadmins: root\nops: \\\n  dave bob\n',
};

/** Providers that access control of any part may use. */
const providerAliases = [
  ...section("AuthnProviderAlias file staff-file", "AuthUserFile conf/more-users"),
  ...section("AuthzProviderAlias ip office 127.0.0.2 10.0.0.0/8"),
  ...section("AuthzProviderAlias group leads admins", "AuthGroupFile conf/groups"),
];

/** Wraps lines in a conditional section, as packages do. */
function guardLines(random: Random, lines: Lines): Lines {
  if (random.chance(0.8)) return lines;
  return section(
    random.pick([
      ...(["IfModule mod_alias.c", "IfModule !mod_php.c", "IfVersion >= 2.4", "IfDefine !NEVER"] as const),
      ...["IfModule rewrite_module", "IfModule mod_php.c", "IfVersion < 2.4"],
    ]),
    ...lines,
  );
}

/** Draws a server: its main part, virtual hosts, and files. */
export function drawServer(random: Random): DrawnServer {
  const main = drawSite(random, "@ROOT@/sites/main", drawMany(random, 1, 4, pickFeature));
  const hosts = drawMany(random, 0, 4, (each) => each).map((_, index) => drawHost(random, index + 1));
  const base = random.pick([
    ["Require all granted"],
    ["Require all granted", "AllowOverride All"],
    ["Options Indexes FollowSymLinks", "AllowOverride All", "Require all granted"],
    ["Options FollowSymLinks", ...drawOverride(random), "Require all granted"],
    ["Order allow,deny", "Allow from all", "AllowOverride All"],
  ]);
  const lines = [
    ...drawPerhaps(random, 0.9, "ServerName main.example.test"),
    "DocumentRoot @ROOT@/sites/main",
    ...providerAliases,
    ...(random.chance(0.5)
      ? section("Directory />", "AllowOverride None", "Require all denied").map((line) => line.replace("/>>", "/>"))
      : []),
    ...section('Directory "@ROOT@"', ...base),
    ...(random.chance(0.6) ? section('FilesMatch "^\\.ht"', "Require all denied") : []),
    ...main.lines,
    ...hosts.flatMap(({ lines }) => lines),
  ];
  const sites = [
    { ...main, hosts: ["main.example.test", ...(main.hosts ?? [])] },
    ...hosts.map(({ feature }) => feature),
  ];
  return {
    server: {
      lines,
      files: Object.assign({}, commonFiles, ...sites.map(({ files }) => files)),
      links: Object.assign({}, ...sites.map(({ links }) => links)),
    },
    sites: sites.map(({ hosts = [], paths = [] }) => ({ hosts, paths })),
  };
}
