import { inDirectory, section } from "../../support/rules.js";

/** A pitfall of the upgrade from 2.2 to 2.4, observed on servers of both. */
export interface Pitfall {
  /** Its group, number and, if it has several variants, letter. */
  readonly id: string;
  readonly title: string;
  /** A main file with the pitfall, and the rules that report it. */
  readonly bad: string;
  readonly rules: readonly string[];
  /** The main file without the pitfall. */
  readonly good: string;
  /** Further files of both configurations, by path. */
  readonly files?: Readonly<Record<string, string>>;
  readonly modules?: readonly string[];
  readonly withoutModules?: readonly string[];
}

const root = 'DocumentRoot "/srv"\n';
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/httpd/users"];
const within = (path: string, ...lines: readonly string[]) => section(`Directory "${path}"`, ...lines);
const authnAndAuthz = ["mod_authn_core", "mod_authz_core", "mod_access_compat", "mod_authz_host"];

/** Pitfalls that change responses, although both servers start. */
const silent: readonly Pitfall[] = [
  {
    id: "A1",
    title: "Satisfy any without a Require allows all clients",
    bad: root + inDirectory("Order allow,deny", "Deny from all", "Satisfy any"),
    rules: ["satisfy-any", "upgrade-changes-access"],
    good: root + inDirectory("Order allow,deny", "Deny from all"),
  },
  {
    id: "A2a",
    title: "Satisfy as the only directive in a section drops the outer rules",
    bad: root + inDirectory("Order allow,deny", "Deny from all") + within("/srv/a", "Satisfy all"),
    rules: ["compat-reset", "upgrade-changes-access"],
    good:
      root + inDirectory("Order allow,deny", "Deny from all") + within("/srv/a", "Order allow,deny", "Deny from all"),
  },
  {
    id: "A2b",
    title: "Satisfy any next to an inner Require drops the outer rules",
    bad:
      root +
      inDirectory("Order allow,deny", "Deny from all") +
      within("/srv/a", ...authLines, "Require valid-user", "Satisfy any"),
    rules: ["compat-reset", "upgrade-changes-access"],
    good:
      root +
      inDirectory("Order allow,deny", "Deny from all") +
      within("/srv/a", ...authLines, "Require valid-user", "Order allow,deny", "Deny from all", "Satisfy any"),
  },
  {
    id: "A2c",
    title: "Order and Deny repeated in an inner section drop the outer Satisfy any",
    bad:
      root +
      inDirectory(...authLines, "Require valid-user", "Order allow,deny", "Deny from all", "Satisfy any") +
      within("/srv/a", "Order allow,deny", "Deny from all"),
    rules: ["upgrade-changes-access"],
    good: root + inDirectory(...authLines, "Require valid-user"),
  },
  {
    id: "A3",
    title: "an inner Allow does not add to the outer rules, in either version",
    bad: root + inDirectory("Order deny,allow", "Deny from all") + within("/srv/a", "Allow from 192.0.2.1"),
    rules: ["compat-reset"],
    good:
      root +
      inDirectory("Order deny,allow", "Deny from all") +
      within("/srv/a", "Order deny,allow", "Deny from all", "Allow from 192.0.2.1"),
  },
  {
    id: "A4",
    title: "Require group no longer uses mod_authz_dbm",
    bad: root + inDirectory(...authLines, "AuthDBMGroupFile /etc/httpd/groups", "Require group staff"),
    rules: ["dbm-group"],
    good: root + inDirectory(...authLines, "AuthDBMGroupFile /etc/httpd/groups", "Require dbm-group staff"),
  },
  {
    id: "A5a",
    title: "Require all granted does not override an outer Deny",
    bad: root + inDirectory("Order deny,allow", "Deny from all") + within("/srv/a", "Require all granted"),
    rules: ["compat-precedence"],
    good: root + inDirectory("Require all denied") + within("/srv/a", "Require all granted"),
  },
  {
    id: "A5b",
    title: "Require all granted does not override a Deny in the same section",
    bad: root + inDirectory("Order deny,allow", "Deny from all", "Require all granted"),
    rules: ["mixed-access-control"],
    good: root + inDirectory("Require all granted"),
  },
  {
    id: "A5c",
    title: "Require all denied denies no client with Satisfy any",
    bad: root + inDirectory("Order allow,deny", "Allow from all", "Satisfy any", "Require all denied"),
    rules: ["mixed-access-control"],
    good: root + inDirectory("Require all denied"),
  },
  {
    id: "A6",
    title: "a Require in an inner LimitExcept replaces the outer one for all methods",
    bad:
      root +
      inDirectory("Require all denied") +
      within("/srv/a", ...authLines, "<LimitExcept GET>", "Require valid-user", "</LimitExcept>"),
    rules: ["limit-drops-require"],
    good: root + inDirectory("Require all denied") + within("/srv/a", ...authLines, "Require valid-user"),
  },
  {
    id: "A7",
    title: "without any AllowOverride, a `.htaccess` file returns 500",
    bad: root + inDirectory("Require all granted"),
    rules: ["override-missing"],
    good: root + inDirectory("Require all granted", "AllowOverride All"),
    files: { "/srv/.htaccess": "Options -Indexes\n" },
  },
  {
    id: "A8",
    title: "a lower-case method limits nothing",
    bad: root + inDirectory("<Limit get>", "Require all denied", "</Limit>"),
    rules: ["never-matching-path"],
    good:
      root +
      inDirectory(
        "<Limit GET>",
        "Require all granted",
        "</Limit>",
        "<LimitExcept GET>",
        "Require all denied",
        "</LimitExcept>",
      ),
  },
  {
    id: "A9",
    title: "Require env has no form for an unset variable",
    bad: root + inDirectory("Require env !bot"),
    rules: ["never-matching-name"],
    good: root + inDirectory("<RequireAll>", "Require all granted", "Require not env bot", "</RequireAll>"),
  },
  {
    id: "A10",
    title: "an address after Require host matches no client",
    bad: root + inDirectory("Require host 127.0.0.1"),
    rules: ["never-matching-name"],
    good: root + inDirectory("Require ip 127.0.0.1"),
  },
  {
    id: "A11a",
    title: "names separated by commas are one name",
    bad: root + inDirectory("Order deny,allow", "Deny from all", "Allow from a.example.org,b.example.org"),
    rules: ["never-matching-name"],
    good: root + inDirectory("Order deny,allow", "Deny from all", "Allow from a.example.org b.example.org"),
  },
  {
    id: "A11b",
    title: "none is a host name",
    bad: root + inDirectory("Order deny,allow", "Deny from all", "Allow from none"),
    rules: ["never-matching-name"],
    good: root + inDirectory("Order deny,allow", "Deny from all"),
  },
];

/** Pitfalls that prevent 2.4 from starting, or cause a 500, although 2.2 accepts the line. */
const stopping: readonly Pitfall[] = [
  {
    id: "B1",
    title: "the providers of Require are case-sensitive",
    bad: root + inDirectory(...authLines, "Require Valid-User"),
    rules: ["refused-at-start"],
    good: root + inDirectory(...authLines, "Require valid-user"),
  },
  {
    id: "B2a",
    title: "Require needs a provider of a loaded module",
    bad: root + inDirectory(...authLines, "Require bogus x"),
    rules: ["refused-at-start"],
    good: root + inDirectory(...authLines, "Require user x"),
  },
  {
    id: "B2b",
    title: "Require takes an argument",
    bad: root + inDirectory(...authLines, "Require"),
    rules: ["refused-at-start"],
    good: root + inDirectory(...authLines, "Require valid-user"),
  },
  ...(
    [
      ["Allow from 192.0.2.1 # office", "Allow from 192.0.2.1"],
      ["Require ip 192.0.2.1 # office", "Require ip 192.0.2.1"],
      ["Require all granted # everybody", "Require all granted"],
    ] as const
  ).map(([bad, good], index) => ({
    id: `B3${"abc"[index]}`,
    title: `a comment after ${bad.split(" ").slice(0, 2).join(" ")}`,
    bad: root + inDirectory(bad),
    rules: ["refused-at-start"],
    good: root + inDirectory(good),
  })),
  {
    id: "B4a",
    title: "Options with and without signs",
    bad: root + inDirectory("Options Indexes +FollowSymLinks", "Require all granted"),
    rules: ["refused-at-start"],
    good: root + inDirectory("Options +Indexes +FollowSymLinks", "Require all granted"),
  },
  {
    id: "B4b",
    title: "Options with and without signs in a `.htaccess` file",
    bad: root + inDirectory("AllowOverride All", "Require all granted"),
    rules: ["refused-at-start"],
    good: `${root}${inDirectory("AllowOverride None", "Require all granted")}`,
    files: { "/srv/.htaccess": "Options -Indexes FollowSymLinks\n" },
  },
  {
    id: "B5",
    title: "Limit is only allowed in sections",
    bad: `${root}<Limit POST>\n</Limit>\n`,
    rules: ["misplaced-directive"],
    good:
      root +
      inDirectory(
        "<Limit POST>",
        "Require all granted",
        "</Limit>",
        "<LimitExcept POST>",
        "Require all granted",
        "</LimitExcept>",
      ),
  },
  ...["5", "0", "yes"].map((word, index) => ({
    id: `B6${"abc"[index]}`,
    title: `KeepAlive ${word}`,
    bad: `${root}KeepAlive ${word}\n`,
    rules: ["refused-at-start"],
    good: `${root}KeepAlive On\n`,
  })),
  {
    id: "B7a",
    title: "AuthUserFile with a second argument",
    bad:
      root +
      inDirectory("AuthType Basic", "AuthName x", "AuthUserFile /etc/httpd/users standard", "Require valid-user"),
    rules: ["refused-at-start"],
    good: root + inDirectory(...authLines, "Require valid-user"),
  },
  {
    id: "B7b",
    title: "FilterProvider with a header condition",
    bad: `${root}FilterDeclare zip\nFilterProvider zip DEFLATE resp=Content-Type $text\n`,
    rules: ["refused-at-start"],
    good: `${root}FilterDeclare zip\nFilterProvider zip DEFLATE "%{CONTENT_TYPE} =~ /text/"\n`,
  },
  {
    id: "B7c",
    title: "CharsetOptions with DebugLevel",
    bad: root + inDirectory("CharsetOptions DebugLevel=1", "Require all granted"),
    rules: ["refused-at-start"],
    good: root + inDirectory("CharsetOptions ImplicitAdd", "Require all granted"),
    modules: ["mod_charset_lite", ...authnAndAuthz],
  },
  {
    id: "B7d",
    title: "LDAPTrustedClientCert at server level",
    bad: `${root}LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem\n`,
    rules: ["misplaced-directive"],
    good: root + inDirectory("LDAPTrustedClientCert CERT_BASE64 /etc/httpd/client.pem", "Require all granted"),
    modules: ["mod_ldap", ...authnAndAuthz],
  },
  ...[
    "ProxyPass http://b.example.org/",
    "ProxyPassMatch http://b.example.org/",
    "ProxyPassReverse http://b.example.org/",
  ].map((line, index) => ({
    id: `B8${"abc"[index]}`,
    title: `${line.split(" ")[0]} in a Directory section`,
    bad: root + inDirectory(line),
    rules: ["misplaced-directive"],
    good: `${root}${section("Location /srv", line.replace("Match http://b.example.org/", " http://b.example.org/"))}`,
    modules: ["mod_proxy", "mod_proxy_http", ...authnAndAuthz],
  })),
  {
    id: "B9",
    title: "Include with a wildcard that matches nothing",
    bad: `${root}Include /etc/httpd/none/*.conf\n`,
    rules: ["refused-at-start"],
    good: `${root}IncludeOptional /etc/httpd/none/*.conf\n`,
  },
  {
    id: "B10",
    title: "the same Listen twice",
    bad: `Listen 80\nListen 80\n${root}`,
    rules: ["refused-at-start"],
    good: `Listen 80\nListen 8080\n${root}`,
  },
  {
    id: "B11",
    title: "Substitute in a `.htaccess` file needs FileInfo",
    bad: root + inDirectory("AllowOverride Indexes", "Require all granted"),
    rules: ["override-missing"],
    good: root + inDirectory("AllowOverride FileInfo", "Require all granted"),
    files: { "/srv/.htaccess": "Substitute s/a/b/\n" },
    modules: ["mod_substitute", ...authnAndAuthz],
  },
  {
    id: "B12a",
    title: "SSLv2 was removed",
    bad: `${root}SSLProtocol SSLv2\n`,
    rules: ["refused-at-start"],
    good: `${root}SSLProtocol all -SSLv2\n`,
    modules: ["mod_ssl", ...authnAndAuthz],
  },
  {
    id: "B12b",
    title: "the session cache shm was removed",
    bad: `${root}SSLSessionCache shm:/run/cache(512000)\n`,
    rules: ["refused-at-start"],
    good: `${root}SSLSessionCache shmcb:/run/cache(512000)\n`,
    modules: ["mod_ssl", "mod_socache_shmcb", ...authnAndAuthz],
  },
  {
    id: "B13",
    title: "a balancer needs its method and shared memory",
    bad: `${root}<Proxy balancer://b>\nBalancerMember http://b.example.org\n</Proxy>\n`,
    rules: ["modules-to-load"],
    good: root,
    modules: ["mod_proxy", "mod_proxy_http", "mod_proxy_balancer", ...authnAndAuthz],
  },
  {
    id: "B14a",
    title: "Order in a conditional section for mod_authz_host still needs mod_access_compat",
    bad: `${root}<IfModule mod_authz_host.c>\n${inDirectory("Order allow,deny", "Allow from all")}</IfModule>\n`,
    rules: ["access-compat-not-loaded"],
    good: `${root}<IfModule mod_access_compat.c>\n${inDirectory("Order allow,deny", "Allow from all")}</IfModule>\n`,
    withoutModules: ["mod_access_compat"],
  },
  ...(
    [
      ["Require ip 192.0.2.1", "mod_authz_host"],
      ["Require valid-user", "mod_authz_user"],
      ["Require group staff", "mod_authz_groupfile"],
    ] as const
  ).map(([line, module], index) => ({
    id: `B14${"bcd"[index]}`,
    title: `${line} without ${module}`,
    bad: root + inDirectory(...authLines, "AuthGroupFile /etc/httpd/groups", line),
    rules: ["refused-at-start"],
    good: `${root}<IfModule ${module}.c>\n${inDirectory(...authLines, "AuthGroupFile /etc/httpd/groups", line)}</IfModule>\n`,
    withoutModules: [module],
  })),
  ...["mod_disk_cache.c", "mod_authn_alias.c", "mod_authz_default.c", "mod_mem_cache.c", "mod_ldap.c"].map(
    (name, index) => ({
      id: `B15${"abcde"[index]}`,
      title: `<IfModule ${name}> is always false`,
      bad: `${root}<IfModule ${name}>\nTimeout 30\n</IfModule>\n`,
      rules: ["never-matching-guard"],
      good: `${root}<IfModule mod_cache_disk.c>\nTimeout 30\n</IfModule>\n`,
    }),
  ),
  ...(
    [
      ["Require not ip 192.0.2.1"],
      ["<RequireNone>", "Require ip 192.0.2.1", "</RequireNone>"],
      ["<RequireAll>", "Require not ip 192.0.2.1", "</RequireAll>"],
      ["<RequireAny>", "</RequireAny>"],
      ["<RequireAll>", "Require all granted", "Order allow,deny", "</RequireAll>"],
      ["<RequireAll x>", "Require all granted", "</RequireAll>"],
      ["Require method get"],
    ] as const
  ).map((lines, index) => ({
    id: `B16${"abcdefg"[index]}`,
    title: lines.join(" "),
    bad: root + inDirectory(...lines),
    rules: [index === 4 ? "misplaced-directive" : "refused-at-start"],
    good: root + inDirectory("<RequireAll>", "Require all granted", "Require not ip 192.0.2.1", "</RequireAll>"),
  })),
];

export const pitfalls: readonly Pitfall[] = [...silent, ...stopping];
