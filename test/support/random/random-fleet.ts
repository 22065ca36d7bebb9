import type { Random } from "./random.js";

/** Names that are each other's parts, prefixes or near misses; some are also written in main servers. */
const names = ["aa", "bb", "aab", "aa.bb", "shared", "site1", "site11", "index.html", "cc.bak", "AA", "x-1"] as const;
const networks = ["10.0.0.0/8", "10.0.1.0/24", "10.0.1.7", "10.1.0.0/16", "192.0.2.0/24", "192.0.2.128/25"] as const;
const users = ["ann", "bob", "eve", "aa", "shared"] as const;

/** The constants of one virtual host. */
interface Constants {
  readonly root: string;
  readonly part: string;
  readonly name: string;
  readonly network: string;
  readonly other: string;
  readonly user: string;
}

type HostLines = (constants: Constants) => readonly string[];

/** Parts of templates; each uses constants of its host. */
const hostParts: readonly [HostLines, ...HostLines[]] = [
  ({ network }) => ["<Location />", "Order deny,allow", "Deny from all", `Allow from ${network}`, "</Location>"],
  ({ root, network }) => [`<Directory "/srv/${root}">`, "Order allow,deny", `Allow from ${network}`, "</Directory>"],
  ({ root, part, network }) => [`<Directory /srv/${root}/${part}>`, `Require ip ${network}`, "</Directory>"],
  ({ part }) => [`<Location "/${part}">`, "Require all denied", "</Location>"],
  ({ part, network, other }) => [
    ...[`<Location /${part}/in>`, "Order deny,allow", `Deny from ${network}`, `Allow from ${other}`, "Satisfy any"],
    ...["Require valid-user", "</Location>"],
  ],
  ({ root, part }) => [`Alias "/${part}" "/srv/${root}/${part}"`],
  ({ part }) => [`Alias /static /srv/${part}`],
  ({ root, user }) => [
    ...["<Location /members>", "AuthType Basic", 'AuthName "members"', `AuthUserFile "/srv/${root}/users"`],
    ...[`Require user ${user} carl`, "</Location>"],
  ],
  () => ['<Files "*.bak">', "Deny from all", "</Files>"],
  () => ['<FilesMatch "^(?:users|index)">', "Require all denied", "</FilesMatch>"],
  () => ['<DirectoryMatch "^/srv/[a-c]+/">', "Require all denied", "</DirectoryMatch>"],
  ({ name }) => [`SetEnvIf User-Agent "^bot-${name}" bot`, "<Location /bots>", "Deny from env=bot", "</Location>"],
  ({ name, part }) => [
    ...[`<If "%{HTTP_HOST} == '${name}.test' && %{REQUEST_URI} =~ m|^/${part}/|">`, "Require all denied", "</If>"],
  ],
  ({ name }) => [
    ...["RewriteEngine On", `RewriteCond %{HTTP_HOST} ^${name}\\.test [NC]`],
    `RewriteRule ^/old/(.*)$ http://www.${name}.test/$1 [R=301,L]`,
  ],
  // Without R, a host's own name leads to a path; without L, the next rule reads the URL.
  ({ name, part }) => ["RewriteEngine On", `RewriteRule ^/moved/ http://${name}.test/${part}/ [L]`],
  ({ name }) => ["RewriteEngine On", `RewriteRule ^/old/ http://${name}.test/ [R]`, "RewriteRule site1 - [F]"],
  ({ root }) => [`SetEnv TMPDIR /srv/${root}/tmp`],
  ({ name }) => [`SetEnv SITE ${name}`, "<Location /of>", "Require expr \"reqenv('SITE') == 'site1'\"", "</Location>"],
  ({ name }) => [
    ...["RewriteEngine On", `RewriteCond %{HTTP_HOST} ^www\\.${name}\\.test$ [NC]`],
    `RewriteRule ^(.*)$ http://${name}.test$1 [L,R=301]`,
  ],
  ({ network }) => ["<Location /local>", "Require local", `Require ip ${network}`, "</Location>"],
  ({ name, part }) => [`Redirect permanent /${part} https://www.${name}.test/${part}`],
  ({ name, part }) => [`RedirectMatch "^/go/(.*)$" "http://${name}.test/${part}/$1"`, `Redirect /went /${part}/`],
  ({ name, part }) => [`RedirectMatch ^/${part}(.*)$ http://${name}.test$1`],
  ({ root, part }) => [`AliasMatch ^/files/(.*)$ /srv/${root}/${part}/$1`],
  ({ root, part }) => [`AliasMatch ^/near/(.*)$ /srv/${root}/${part}$1`],
  ({ root }) => [`WSGIScriptAlias /app /srv/${root}/app.wsgi`],
  ({ part }) => [`FallbackResource /${part}/index.php`],
  ({ part }) => [`ErrorDocument 403 /${part}/denied.html`, "ErrorDocument 404 http://errors.test/404"],
  ({ name, part }) => [`ProxyPass /${part} http://${name}.internal:80${part.length}0/${part}`],
  ({ name, part }) => [`ProxyPassMatch ^/app/(.*)$ http://${name}/${part}/$1`],
  ({ name, root }) => [
    ...['<FilesMatch "\\.php$">', `SetHandler "proxy:unix:/run/${root}.sock|fcgi://${name}"`, "</FilesMatch>"],
  ],
  ({ name }) => ["RewriteEngine On", `RewriteCond %{SERVER_NAME} =${name}.test`, "RewriteRule ^/own - [F]"],
  ({ name }) => [
    ...["RewriteEngine On", `RewriteCond %{HTTP_HOST} !=www.${name}.test [NC]`],
    `RewriteRule ^/to/ https://www.${name}.test%{REQUEST_URI} [R=301,L]`,
  ],
  ({ root, part }) => [
    ...["RewriteEngine On", `RewriteCond /srv/${root}/${part}.down -f`, "RewriteRule ^/up/ - [F]"],
    ...[`RewriteCond %{DOCUMENT_ROOT}/${part} !-d`, "RewriteRule ^/down/ - [F]"],
  ],
  ({ root, part }) => ["RewriteEngine On", `RewriteRule ^/raw/(.*)$ /srv/${root}/${part}/$1 [L]`],
  ({ part }) => ["RewriteEngine On", `RewriteRule ^/new/(.*)$ /${part}/$1`, "RewriteRule ^/(site|part)1 - [F]"],
  ({ part }) => [
    "RewriteEngine On",
    `RewriteRule ^/join/(.*)$ /${part}$1 [PT]`,
    `<Location /${part}x>`,
    "Require all denied",
    "</Location>",
  ],
  ({ name, part }) => ["RewriteEngine On", `RewriteRule ^/px/(.*)$ http://${name}:8080/${part}/$1 [P]`],
  ({ root, part }) => [
    ...[`<Directory /srv/${root}>`, "RewriteEngine On", `RewriteBase /${part}/`, "RewriteRule ^page$ index.php"],
    "</Directory>",
  ],
  ({ name }) => [
    ...[
      "RewriteEngine On",
      "RewriteCond %{HTTP_REFERER} !^$",
      `RewriteCond %{HTTP_REFERER} !^https?://(www\\.)?${name}\\.test`,
    ],
    "RewriteRule \\.(gif|bak)$ - [F]",
  ],
];

/** Lines for logs and headers: some hosts of a template have them. They decide only if another line reads their variable. */
const optionalParts: readonly [HostLines, ...HostLines[]] = [
  () => ['SetEnvIf Remote_Addr "^10\\." dontlog', "CustomLog logs/access common env=!dontlog"],
  ({ part }) => [`SetEnvIf Request_URI "^/${part}" dontlog`],
  ({ network }) => [`SetEnvIfExpr "-R '${network}'" dontlog`],
  ({ name }) => [`SetEnvIf dontlog 1 bot=${name}`],
  ({ name, part }) => [`ErrorLog logs/${name}`, `<Location "/${part}">`, `Header set X-Host ${name}`, "</Location>"],
  ({ name }) => ['<LocationMatch "\\.css$">', `SetEnv STYLE ${name}`, "ExpiresDefault A60", "</LocationMatch>"],
];

/** Sections of the main server for one host, as control panels write them. */
const outsideParts: readonly [HostLines, ...HostLines[]] = [
  ({ root }) => [`<Directory /srv/${root}>`, "AllowOverride None", "Order Deny,Allow", "Deny from all", "</Directory>"],
  ({ root, part }) => [`<Directory "/srv/${root}/${part}">`, "Require all denied", "</Directory>"],
  ({ part, user }) => [`<Directory /srv/${part}>`, `Require user ${user}`, "</Directory>"],
  ({ root, network }) => [`<Directory /srv/${root}>`, "Order allow,deny", `Allow from ${network}`, "</Directory>"],
  () => ['<Directory "/srv/*">', "Require all denied", "</Directory>"],
  ({ part }) => [`<Location "/${part}">`, "Require all denied", "</Location>"],
];

type MainLines = (random: Random) => readonly string[];

const mainParts: readonly [MainLines, ...MainLines[]] = [
  (random) => [`<Directory /srv/${random.pick(names)}>`, "Order allow,deny", "Deny from all", "</Directory>"],
  (random) => [`<Directory "/srv/*/${random.pick(names)}">`, "Require all denied", "</Directory>"],
  (random) => [`<Location "/${random.pick(names)}">`, `Require ip ${random.pick(networks)}`, "</Location>"],
  (random) => [`<LocationMatch "^/${random.pick(names)}">`, "Require all denied", "</LocationMatch>"],
  (random) => ['<FilesMatch "\\.(?:bak|html)$">', `Deny from ${random.pick(networks)}`, "</FilesMatch>"],
  (random) => [`Alias "/${random.pick(names)}" /srv/shared`],
  (random) => [`<Proxy http://${random.pick(names)}>`, "Deny from all", "</Proxy>"],
  () => ["<Proxy *>", "Order deny,allow", "Deny from all", "</Proxy>"],
  (random) => [`<ProxyMatch ${random.pick(names)}>`, "Require all denied", "</ProxyMatch>"],
  (random) => [`SetEnvIf Request_URI "${random.pick(names)}" bot`],
  (random) => [`SetEnvIf Remote_Addr "^10\\.${random.below(2)}\\." bot`],
  (random) => [`SetEnvIf User-Agent "^bot-${random.pick(names)}" bot`],
  () => ["<Location /bots>", "Deny from env=bot", "</Location>"],
  () => ['LogFormat "%h %{dontlog}e" common', "CustomLog logs/main common env=dontlog"],
  () => ["<Location /log>", "Deny from env=dontlog", "</Location>"],
  (random) => ["<Directory />", "AllowOverride All", `Require user ${random.pick(users)}`, "</Directory>"],
];

/** Files of a server, by path. */
export type FleetFiles = Readonly<Record<string, string>>;

/** Returns a small server whose hosts come from one or two templates. */
export function randomFleet(random: Random): FleetFiles {
  const main = pickSome(mainParts, random, 2).flatMap((part) => part(random));
  const templates = [0, 1].map(() => pickSome(hostParts, random, 3));
  const outside = random.chance(0.4) ? pickSome(outsideParts, random, 2) : [];
  const hosts = Array.from({ length: 2 + random.below(2) }, (_, index) => {
    const parts = templates[random.chance(0.8) ? 0 : 1] ?? [];
    return writeHost(parts, random.chance(0.9) ? outside : [], index, random);
  });
  const lines = ["Listen 80", "NameVirtualHost *:80", 'DocumentRoot "/srv/www"', ...main, ...hosts.flat()];
  const htaccess = random.chance(0.2) ? { [`/srv/${random.pick(names)}/.htaccess`]: "Deny from all\n" } : {};
  return { "/etc/httpd/httpd.conf": `${lines.join("\n")}\n`, ...htaccess };
}

function writeHost(
  parts: readonly HostLines[],
  outside: readonly HostLines[],
  index: number,
  random: Random,
): readonly string[] {
  const constants = { ...constantsApart(index), ...(random.chance(0.6) ? randomConstant(random) : {}) };
  const optional = optionalParts.filter(() => random.chance(0.15));
  const alias = random.chance(0.2) ? [`ServerAlias ${random.chance(0.5) ? "*" : index}.test`] : [];
  return [
    ...outside.flatMap((part) => part(constants)),
    ...[`<VirtualHost ${random.chance(0.9) ? "*:80" : `10.0.1.${7 + index}:80`}>`, `ServerName ${constants.name}.test`],
    ...[...alias, `DocumentRoot /srv/${constants.root}`],
    ...[...optional, ...parts].flatMap((part) => part(constants)),
    "</VirtualHost>",
  ];
}

/** Returns constants that have nothing in common with those of other hosts, except that networks may be nested. */
function constantsApart(index: number): Constants {
  return {
    ...{ root: `root${index}`, part: `part${index}`, name: `site${index}`, user: `user${index}` },
    ...{ network: `10.${index}.1.0/24`, other: `172.16.${index}.0/24` },
  };
}

/** Returns a constant that may be a near miss of others. */
function randomConstant(random: Random): Partial<Constants> {
  const name = random.pick(names);
  return random.pick<Partial<Constants>>([
    ...[{ root: name }, { root: `${name}/${random.pick(names)}` }, { root: "root0/in" }, { part: name }, { name }],
    ...[{ network: random.pick(networks) }, { other: random.pick(networks) }, { user: random.pick(users) }],
  ] as const);
}

function pickSome<T>(choices: readonly [T, ...T[]], random: Random, most: number): readonly T[] {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(choices));
}
