/** An access-control pitfall, with the place of its finding. */
export interface AccessPitfall {
  readonly name: string;
  readonly text: string;
  /** `rule line` for each expected finding. */
  readonly found: readonly string[];
}

function section(open: string, ...lines: readonly string[]): string {
  return [`<${open}>`, ...lines.map((line) => `    ${line}`), `</${open.split(" ")[0]}>`, ""].join("\n");
}

const denyAll = ["Order deny,allow", "Deny from all"];
const login = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/htpasswd"];

/** Pitfalls from the upgrade guide and from practice, each shown by a single file. */
export const accessPitfalls: readonly AccessPitfall[] = [
  {
    name: "the guide's first mixing example",
    text:
      section('Directory "/"', ...denyAll) +
      section('Location "/server-status"', "SetHandler server-status", "Require local"),
    found: ["compat-precedence 7"],
  },
  {
    name: "the guide's second mixing example",
    text:
      section('Directory "/"', "Require all denied") +
      section('Location "/server-status"', "SetHandler server-status", ...denyAll, "Allow from 127.0.0.1"),
    found: ["compat-precedence 8"],
  },
  {
    name: "an inherited Deny before Require all granted in one virtual host",
    text: section(
      "VirtualHost *:80",
      "ServerName app.example",
      'DocumentRoot "/srv/app/public"',
      section('Directory "/srv/app"', ...denyAll),
      section('Directory "/srv/app/public"', "Require all granted"),
    ),
    found: ["compat-precedence 10"],
  },
  {
    name: "Satisfy any that discards inherited lines",
    text:
      section('Location "/private"', ...denyAll, ...login, "Require valid-user") +
      section('Location "/private/x"', "Satisfy any"),
    found: ["compat-reset 10"],
  },
  {
    name: "Satisfy any that opens everything",
    text: section('Location "/tool"', ...denyAll, "Allow from 10.0.0.0/8", "Satisfy any"),
    found: ["satisfy-any 5"],
  },
  {
    name: "a Limit section that leaves methods open",
    text: section('Location "/private"', ...login, section("Limit GET POST", "Require valid-user")),
    found: ["limit-leaves-methods-open 5"],
  },
  {
    name: "a line that another one shadows",
    text: section('Directory "/srv/app"', "Order allow,deny", "Allow from 10.1.2.3", "Deny from all"),
    found: ["shadowed-rule 3"],
  },
  {
    name: "an open status page",
    text: section('Location "/server-status"', "SetHandler server-status"),
    found: ["unprotected-handler 2"],
  },
  {
    name: "redundant host lines",
    text: section('Location "/app"', "Order allow,deny", "Allow from all", ...login, "Require valid-user"),
    found: ["redundant-host-rules 2"],
  },
  {
    name: "a dbm group",
    text: section(
      'Directory "/srv/app"',
      "AuthType Basic",
      "AuthName x",
      "AuthDBMUserFile /u",
      "AuthBasicProvider dbm",
      "AuthDBMGroupFile /g",
      "Require group staff",
    ),
    found: ["dbm-group 7"],
  },
  {
    name: "the authoritative directives",
    text: section(
      'Directory "/srv/app"',
      "AuthzUserAuthoritative Off",
      "AuthzGroupFileAuthoritative Off",
      "AuthzDBMAuthoritative Off",
    ),
    found: ["removed-directive 2", "removed-directive 3", "removed-directive 4"],
  },
  ...pairs(),
];

/** Returns the six pairs of the upgrade guide: the directives of 2.2 left beside those of 2.4. */
function pairs(): readonly AccessPitfall[] {
  const pair = (name: string, old: readonly string[], modern: readonly string[]): AccessPitfall => ({
    name: `the pair "${name}", both left in one section`,
    text: section('Directory "/srv/app"', ...old, ...modern),
    found: ["mixed-access-control 2"],
  });
  return [
    pair("all denied", denyAll, ["Require all denied"]),
    pair("all granted", ["Order allow,deny", "Allow from all"], ["Require all granted"]),
    pair("by name", ["Order Deny,Allow", "Deny from all", "Allow from example.org"], ["Require host example.org"]),
    pair(
      "both must pass",
      ["Order allow,deny", "Deny from all", "Allow from 127.0.0.1", "Satisfy ALL", ...login, "Require valid-user"],
      ["<RequireAll>", "Require ip 127.0.0.1", "</RequireAll>"],
    ),
    pair(
      "either suffices",
      ["Order allow,deny", "Deny from all", "Satisfy ANY", ...login, "Require valid-user"],
      ["Require ip 127.0.0.1"],
    ),
    pair(
      "a client is kept out",
      ["Order allow,deny", "Allow from all", "Deny from 192.0.2.7"],
      ["<RequireAll>", "Require all granted", "Require not ip 192.0.2.7", "</RequireAll>"],
    ),
  ];
}
