import type { Random } from "../support/random/random.js";
import { parseLines, type ServerText } from "./configuration-tree.js";

/** A part of a server on which the effects of some modules show. */
export interface Scene {
  readonly modules: readonly string[];
  readonly lines: string;
  readonly htaccess?: Readonly<Record<string, string>>;
}

/** Modules of all servers. */
const commonModules: readonly string[] = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host"],
  ...["access_compat", "alias", "dir", "mime", "setenvif", "env", "rewrite"],
];
const modules22: readonly string[] = [
  ...["authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host", "authz_default"],
  ...["alias", "dir", "mime", "setenvif", "env", "rewrite"],
];

const basic = "AuthType Basic\nAuthName private\nAuthUserFile conf/users\n";

/** By topic. Each server has some of them. */
const scenes: Readonly<Record<string, Scene>> = {
  login: {
    modules: ["headers", "authn_anon", "authn_dbm", "authz_dbm", "authn_socache", "socache_shmcb"],
    lines: `<Directory "@ROOT@/htdocs/secret">
${basic}Require valid-user
</Directory>
<Location /a/b>
${basic}AuthBasicProvider file anon
AuthGroupFile conf/groups
Anonymous guest
Require user alice guest
Require group staff
</Location>`,
  },
  digest: {
    modules: ["auth_digest", "authn_anon", "headers"],
    lines: `<Location /secret>
AuthType Digest
AuthName private
AuthDigestProvider file
AuthUserFile conf/digest
Require valid-user
</Location>`,
  },
  form: {
    modules: ["auth_form", "session", "session_cookie", "request", "authn_anon", "session_crypto"],
    lines: `<Location /secret>
AuthType Form
AuthName private
AuthFormProvider file
AuthUserFile conf/users
Session On
SessionCookieName session path=/
Require valid-user
</Location>
<Location /login>
SetHandler form-login-handler
AuthType Form
AuthName private
AuthFormProvider file
AuthUserFile conf/users
Session On
SessionCookieName session path=/
</Location>`,
  },
  addresses: {
    modules: ["headers", "remoteip"],
    lines: `<Location /a>
Order deny,allow
Deny from all
Allow from 127.0.0.2
Allow from env=flag
</Location>
<Files "x.txt">
Require ip 127.0.0.0/8
</Files>
<Directory "@ROOT@/htdocs/secret">
Order allow,deny
Allow from 127.0.0.0/8
Deny from env=other
Satisfy any
</Directory>`,
  },
  remote: {
    modules: ["remoteip", "headers"],
    lines: `RemoteIPHeader X-Client
RemoteIPInternalProxy 127.0.0.1
<Location /secret>
Require ip 10.0.0.0/8
</Location>`,
  },
  variables: {
    modules: ["headers"],
    lines: `SetEnvIf X-A 1 flag
<Location /secret>
Require env flag
Require env REDIRECT_flag
Require expr "%{HTTP:X-A} == '2'"
</Location>
<Directory "@ROOT@/htdocs/a/b">
SetEnvIf User-Agent bad other
Order allow,deny
Allow from all
Deny from env=other
</Directory>`,
  },
  rewriting: {
    modules: ["headers"],
    lines: `RewriteEngine On
RewriteCond %{HTTP:X-A} 1
RewriteRule ^/old/(.*) /secret/$1 [PT]
RewriteRule ^/a/php /secret/x.txt
<Directory "@ROOT@/htdocs/secret">
Require env REDIRECT_STATUS
Require ip 127.0.0.2
</Directory>
<Directory "@ROOT@/htdocs/d">
RewriteEngine On
RewriteRule . /secret/x.txt
</Directory>`,
  },
  htaccess: {
    modules: ["headers", "negotiation"],
    lines: `<Directory "@ROOT@/htdocs">
AllowOverride All
</Directory>`,
    htaccess: {
      "@ROOT@/htdocs/a/.htaccess": "SetEnvIf X-A 1 flag\nRequire env flag\nRequire ip 127.0.0.2",
      "@ROOT@/htdocs/d/.htaccess": "RewriteEngine On\nRewriteRule ^x /secret/x.txt\nErrorDocument 404 /secret/x.txt",
      "@ROOT@/htdocs/secret/.htaccess": `${basic}Require valid-user`,
    },
  },
  errors: {
    modules: ["cgi", "actions", "headers"],
    lines: `ErrorDocument 404 /err.html
ErrorDocument 403 /secret/x.txt
<Location /secret>
Require env REDIRECT_STATUS
</Location>
<Location /a/b>
Require all denied
</Location>
<Files "err.html">
Require ip 127.0.0.2
</Files>`,
  },
  index: {
    modules: ["autoindex", "negotiation", "cgi", "speling", "userdir", "include", "filter"],
    lines: `DirectoryIndex index.html x.txt
<Directory "@ROOT@/htdocs/a">
Options +MultiViews +Indexes
AddLanguage de .de
AddLanguage en .en
AddHandler type-map .var
</Directory>
<Files "index.html">
Require ip 127.0.0.2
</Files>
<Files "doc.html.de">
Require all denied
</Files>
<Directory "@ROOT@/htdocs/d">
FallbackResource /secret/x.txt
</Directory>`,
  },
  handlers: {
    modules: [
      "cgi",
      "actions",
      "negotiation",
      "imagemap",
      "asis",
      "status",
      "info",
      "headers",
      "dav",
      "dav_fs",
      "include",
      "ext_filter",
    ],
    lines: `ScriptAlias /cgi-bin/ "@ROOT@/cgi-bin/"
AddHandler cgi-script .cgi
AddHandler imap-file .map
AddHandler type-map .var
AddHandler send-as-is .asis
Action x-run /cgi-bin/run.cgi
<Location /server-status>
SetHandler server-status
Require ip 127.0.0.2
</Location>
<Directory "@ROOT@/htdocs/a">
Options +ExecCGI
</Directory>
<Location /dav>
Dav On
<LimitExcept GET OPTIONS>
Require ip 127.0.0.2
</LimitExcept>
</Location>`,
  },
  proxy: {
    modules: [
      "proxy",
      "proxy_http",
      "proxy_balancer",
      "lbmethod_byrequests",
      "slotmem_shm",
      "proxy_connect",
      "headers",
    ],
    lines: `ProxyPass /px/ http://127.0.0.1:@BACKEND@/
<Proxy "balancer://group">
BalancerMember http://127.0.0.1:@BACKEND@
</Proxy>
ProxyPass /bal/ balancer://group/
<Location /px/secret>
Require ip 127.0.0.2
</Location>
<Proxy "http://127.0.0.1:@BACKEND@/">
Require all granted
</Proxy>`,
  },
  forward: {
    modules: ["proxy", "proxy_http", "proxy_connect"],
    lines: `ProxyRequests On
AllowCONNECT @BACKEND@
<Proxy "*">
Require ip 127.0.0.2
</Proxy>`,
  },
  hosts: {
    modules: ["vhost_alias", "headers", "ssl", "socache_shmcb"],
    lines: `<VirtualHost *:@PORT1@>
ServerName x.test
DocumentRoot "@ROOT@/htdocs"
<Location /secret>
Require ip 127.0.0.2
</Location>
</VirtualHost>
<VirtualHost *:@PORT1@>
ServerName b.test
ServerAlias *.b.test
DocumentRoot "@ROOT@/other"
<Location />
${basic}Require valid-user
</Location>
</VirtualHost>`,
  },
  methods: {
    modules: ["allowmethods", "headers"],
    lines: `<Directory "@ROOT@/htdocs/a">
<Limit POST PUT>
Require ip 127.0.0.2
</Limit>
<LimitExcept GET POST>
Require all denied
</LimitExcept>
</Directory>
<Location /d>
AllowMethods GET
</Location>
<If "%{REQUEST_METHOD} == 'POST'">
Require ip 127.0.0.0/8
</If>`,
  },
  macros: {
    modules: ["macro", "headers"],
    lines: `<Macro Open $path>
<Location /$path>
Require ip 127.0.0.2
</Location>
</Macro>
<Macro Closed $path>
<Location /$path>
Require all denied
</Location>
</Macro>
Use Closed secret
Define NAME value
<IfDefine NAME>
Alias /al @ROOT@/other
</IfDefine>
<Directory "@ROOT@/other">
Require ip 127.0.0.2
</Directory>`,
  },
};

/** Lines of servers of 2.2 for these topics, which do not use Require outside of logins. */
const topics22 = [
  "login",
  "digest",
  "rewriting22",
  "addresses22",
  "htaccess22",
  "errors22",
  "index22",
  "handlers22",
] as const;
const scenes22: Readonly<Record<string, Scene>> = {
  login: {
    modules: ["authn_anon", "authn_dbm", "authz_dbm", "headers", "authz_owner"],
    lines: `<Directory "@ROOT@/htdocs/secret">
${basic}Require valid-user
</Directory>
<Location /a/b>
${basic}AuthGroupFile conf/groups
AuthBasicProvider file anon
Anonymous guest
Require group staff
Require user guest
</Location>`,
  },
  digest: scenes["digest"] ?? { modules: [], lines: "" },
  rewriting22: {
    modules: ["headers"],
    lines: `RewriteEngine On
RewriteRule ^/old/(.*) /secret/$1 [PT]
<Directory "@ROOT@/htdocs/secret">
Order deny,allow
Deny from all
Allow from env=REDIRECT_STATUS
</Directory>`,
  },
  addresses22: {
    modules: ["headers"],
    lines: `SetEnvIf X-A 1 flag
<Location /a>
Order deny,allow
Deny from all
Allow from 127.0.0.2
Allow from env=flag
</Location>
<Directory "@ROOT@/htdocs/secret">
${basic}Require valid-user
Order allow,deny
Allow from 127.0.0.2
Satisfy any
</Directory>`,
  },
  htaccess22: {
    modules: ["headers", "negotiation"],
    lines: `<Directory "@ROOT@/htdocs">
AllowOverride All
</Directory>`,
    htaccess: {
      "@ROOT@/htdocs/a/.htaccess": "Order deny,allow\nDeny from all\nAllow from env=flag",
      "@ROOT@/htdocs/secret/.htaccess": `${basic}Require valid-user`,
    },
  },
  errors22: {
    modules: ["cgi", "actions"],
    lines: `ErrorDocument 404 /err.html
ErrorDocument 403 /secret/x.txt
<Location /a/b>
Order allow,deny
</Location>`,
  },
  index22: {
    modules: ["autoindex", "negotiation", "speling", "userdir", "include"],
    lines: `DirectoryIndex index.html x.txt
<Directory "@ROOT@/htdocs/a">
Options +MultiViews +Indexes
</Directory>
<Files "index.html">
Order deny,allow
Deny from 127.0.0.1
</Files>`,
  },
  handlers22: {
    modules: ["cgi", "actions", "imagemap", "asis", "status", "info", "dav", "dav_fs", "include"],
    lines: `ScriptAlias /cgi-bin/ "@ROOT@/cgi-bin/"
AddHandler cgi-script .cgi
AddHandler imap-file .map
<Location /server-status>
SetHandler server-status
Order deny,allow
Deny from all
</Location>`,
  },
};

const base24 = `ServerName x.test
ServerRoot "@ROOT@"
DocumentRoot "@ROOT@/htdocs"
<Directory "/">
Options FollowSymLinks
Require all granted
</Directory>
`;
const base22 = `ServerName x.test
ServerRoot "@ROOT@"
DocumentRoot "@ROOT@/htdocs"
<Directory "/">
Options FollowSymLinks
Order allow,deny
Allow from all
</Directory>
`;

const allTopics = Object.keys(scenes);

/** Modules that others need to be loaded. */
const needs: Readonly<Record<string, readonly string[]>> = {
  auth_form: ["session", "request"],
  session_cookie: ["session"],
  session_crypto: ["session", "session_cookie"],
  session_dbd: ["session", "dbd"],
  authn_dbd: ["dbd"],
  authz_dbd: ["dbd"],
  authnz_ldap: ["ldap"],
  authn_socache: ["socache_shmcb"],
  cache_disk: ["cache"],
  cache_socache: ["cache", "socache_shmcb"],
  dav_fs: ["dav"],
  dav_lock: ["dav"],
  md: ["ssl", "socache_shmcb"],
  ssl: ["socache_shmcb"],
  proxy_http: ["proxy"],
  proxy_connect: ["proxy"],
  proxy_express: ["proxy", "proxy_http"],
  proxy_fcgi: ["proxy"],
  proxy_ftp: ["proxy"],
  proxy_scgi: ["proxy"],
  proxy_html: ["proxy", "xml2enc"],
  proxy_wstunnel: ["proxy"],
  proxy_hcheck: ["proxy", "proxy_balancer", "slotmem_shm"],
  proxy_balancer: ["proxy", "slotmem_shm"],
  lbmethod_heartbeat: ["proxy", "proxy_balancer", "slotmem_shm"],
};

/** Compiled into the server, or not modules at all. */
const builtIn = new Set([
  "core",
  "so",
  "http",
  "log_config",
  "logio",
  "version",
  "unixd",
  "watchdog",
  "mpm_common",
  "event",
  "prefork",
]);

/** Returns a list of modules with all that they need. @param module as the manual names it: `mod_alias` */
export function withModule(modules: readonly string[], module: string): readonly string[] {
  const name = module.replace(/^mod_/, "");
  if (builtIn.has(name) || /^(beos|mpm_|worker)/.test(name) || modules.includes(name)) return modules;
  return [...(needs[name] ?? []).reduce((known, need) => withModule(known, need), modules), name];
}

/** Returns a server of some topics. */
export function serverOfTopics(release: "2.2" | "2.4", topics: readonly string[]): ServerText {
  const table = release === "2.4" ? scenes : scenes22;
  const chosen = topics.flatMap((topic) => table[topic] ?? []);
  const modules = new Set([
    ...(release === "2.4" ? commonModules : modules22),
    ...chosen.flatMap((each) => each.modules),
  ]);
  const files = Object.assign({}, ...chosen.map(({ htaccess }) => htaccess ?? {})) as Readonly<Record<string, string>>;
  return {
    modules: [...modules],
    lines: parseLines([release === "2.4" ? base24 : base22, ...chosen.map(({ lines }) => lines)].join("\n")),
    htaccess: Object.fromEntries(Object.entries(files).map(([path, text]) => [path, parseLines(text)])),
  };
}

/** Draws the topics of a server: mostly few, so that it stays small. */
export function drawTopics(random: Random, release: "2.2" | "2.4"): readonly string[] {
  const all: readonly string[] = release === "2.4" ? allTopics : topics22;
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  return [...new Set(Array.from({ length: count }, () => all[random.below(all.length)] ?? "login"))];
}

/** Returns the topics of a release. */
export function topicsOf(release: "2.2" | "2.4"): readonly string[] {
  return release === "2.4" ? allTopics : topics22;
}

/** The files on the disk of all servers, by path. Those that start with `#!` are programs. */
export const diskTexts: Readonly<Record<string, string>> = (() => {
  const sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";
  const users = (...names: readonly string[]) => names.map((name) => `${name}:${sha}\n`).join("");
  const program = "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nx'\n";
  const pages = [
    ...[
      "index.html",
      "x.txt",
      "err.html",
      "a/index.html",
      "a/x.txt",
      "a/doc.html.de",
      "a/doc.html.en",
      "a/b/index.html",
    ],
    ...["a/b/c.html", "a/b/x.txt", "secret/index.html", "secret/x.txt", "d/x.txt", "dav/x.txt", "a/page.php"],
  ];
  return {
    ...Object.fromEntries(pages.map((path) => [`@ROOT@/htdocs/${path}`, "x\n"])),
    "@ROOT@/htdocs/a/t.cgi": program,
    "@ROOT@/htdocs/t.cgi": program,
    "@ROOT@/cgi-bin/run.cgi": program,
    "@ROOT@/htdocs/a/map.var":
      "URI: map\n\nURI: doc.html.de\nContent-Type: text/html\nContent-Language: de\n\nURI: x.txt\nContent-Type: text/plain\nContent-Language: en\n",
    "@ROOT@/htdocs/a/image.map": "default /a/x.txt\nrect /secret/x.txt 0,0 10,10\n",
    "@ROOT@/htdocs/a/raw.asis": "Content-Type: text/plain\n\nx\n",
    "@ROOT@/other/o.txt": "x\n",
    "@ROOT@/other/index.html": "x\n",
    "@ROOT@/home/alice/public_html/x.txt": "x\n",
    "@ROOT@/logs/empty": "",
    "@ROOT@/conf/users": users("alice", "bob", "carol"),
    "@ROOT@/conf/few-users": users("bob"),
    "@ROOT@/conf/digest": `alice:private:@MD5:alice:private:secret@\nbob:public:@MD5:bob:public:secret@\n`,
    "@ROOT@/conf/groups": "staff: bob\nops: alice\n",
    "@ROOT@/conf/few-groups": "staff: alice\n",
    "@ROOT@/conf/types": "text/html html\ntext/plain txt\n",
    "@ROOT@/conf/mime.types": "text/html html\ntext/plain txt\n",
    "@ROOT@/mime.types": "text/html html\ntext/plain txt\n",
    "@ROOT@/second/mime.types": "text/plain txt html\n",
    "@ROOT@/conf/other-types": "text/plain html\napplication/x-httpd-cgi txt\n",
    "@ROOT@/conf/magic": "0 string x text/plain\n",
    "@ROOT@/conf/pages.txt": "a b\n",
    "@ROOT@/conf/proxies": "127.0.0.1\n",
    "@ROOT@/conf/extra.conf": "<Location /a/b>\nRequire ip 127.0.0.2\n</Location>\n",
    "@ROOT@/conf/hook.lua":
      "require 'apache2'\nfunction pass(r) return apache2.DECLINED end\nfunction deny(r) return 403 end\n",
    "@ROOT@/second/conf/users": users("carol"),
    "@ROOT@/second/conf/groups": "staff: carol\n",
    "@ROOT@/second/conf/mime.types": "text/plain txt html\n",
    "@ROOT@/second/conf/digest": "",
    "@ROOT@/second/logs/empty": "",
  };
})();
