import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { allRules, defaultRules } from "../../rules/index.js";
import { readCertificates } from "../../src/config/files/certificates.js";
import { diskAccess } from "../../src/config/files/disk.js";
import { type FileAccess, memoryAccess } from "../../src/config/files/file-access.js";
import type { EntryKind } from "../../src/config/model/project.js";
import { readEnvvars } from "../../src/config/model/variables.js";
import { lint } from "../../src/lint/runner/lint.js";
import { createFileTree } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { rangeOf, type Span, toReadable } from "../../src/text/source.js";
import { corpus, corpusTitle } from "../support/corpus.js";

/** A server as a distribution installs it: its files by path, and its main file. */
interface StockServer {
  readonly main: string;
  readonly files: Readonly<Record<string, string>>;
}

const loadLines = (folder: string, ...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module ${folder}/mod_${name}.so\n`).join("");

const logFormats = `LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
LogFormat "%h %l %u %t \\"%r\\" %>s %b" common
`;

const icons = `AddIconByEncoding (CMP,/icons/compressed.gif) x-compress x-gzip
AddIconByType (TXT,/icons/text.gif) text/*
AddIcon /icons/binary.gif .bin .exe
AddIcon /icons/folder.gif ^^DIRECTORY^^
DefaultIcon /icons/unknown.gif
ReadmeName README.html
HeaderName HEADER.html
IndexIgnore .??* *~ *# HEADER* README* RCS CVS *,v *,t
`;

const debianModules = [
  ...["access_compat", "alias", "auth_basic", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user"],
  ...["autoindex", "deflate", "dir", "env", "filter", "mime", "mpm_event", "negotiation", "reqtimeout", "setenvif"],
  "status",
];

/** Debian 12: the files that are enabled after the installation, and `default-ssl` with `ssl`. */
const debian: StockServer = {
  main: "/etc/apache2/apache2.conf",
  files: {
    "/etc/apache2/apache2.conf": `DefaultRuntimeDir \${APACHE_RUN_DIR}
PidFile \${APACHE_PID_FILE}
Timeout 300
KeepAlive On
MaxKeepAliveRequests 100
KeepAliveTimeout 5
User \${APACHE_RUN_USER}
Group \${APACHE_RUN_GROUP}
HostnameLookups Off
ErrorLog \${APACHE_LOG_DIR}/error.log
LogLevel warn
IncludeOptional mods-enabled/*.load
IncludeOptional mods-enabled/*.conf
Include ports.conf
<Directory />
	Options FollowSymLinks
	AllowOverride None
	Require all denied
</Directory>
<Directory /usr/share>
	AllowOverride None
	Require all granted
</Directory>
<Directory /var/www/>
	Options Indexes FollowSymLinks
	AllowOverride None
	Require all granted
</Directory>
AccessFileName .htaccess
<FilesMatch "^\\.ht">
	Require all denied
</FilesMatch>
${logFormats}IncludeOptional conf-enabled/*.conf
IncludeOptional sites-enabled/*.conf
`,
    "/etc/apache2/envvars": `export APACHE_RUN_USER=www-data
export APACHE_RUN_GROUP=www-data
export APACHE_PID_FILE=/var/run/apache2/apache2.pid
export APACHE_RUN_DIR=/var/run/apache2
export APACHE_LOG_DIR=/var/log/apache2
`,
    "/etc/apache2/ports.conf": "Listen 80\n<IfModule ssl_module>\n\tListen 443\n</IfModule>\n",
    "/etc/apache2/mods-enabled/all.load": loadLines("/usr/lib/apache2/modules", ...debianModules),
    "/etc/apache2/mods-enabled/alias.conf": `Alias /icons/ "/usr/share/apache2/icons/"
<Directory "/usr/share/apache2/icons">
	Options FollowSymlinks
	AllowOverride None
	Require all granted
</Directory>
`,
    "/etc/apache2/mods-enabled/autoindex.conf": `IndexOptions FancyIndexing VersionSort HTMLTable NameWidth=* DescriptionWidth=* Charset=UTF-8\n${icons}`,
    "/etc/apache2/mods-enabled/dir.conf":
      "DirectoryIndex index.html index.cgi index.pl index.php index.xhtml index.htm\n",
    "/etc/apache2/mods-enabled/mime.conf": `TypesConfig /etc/mime.types
AddType application/x-gzip .gz .tgz
AddLanguage en .en
AddLanguage pt-BR .pt-br
AddCharset UTF-8 .utf8
AddHandler type-map var
AddType text/html .shtml
<IfModule mod_include.c>
	AddOutputFilter INCLUDES .shtml
</IfModule>
`,
    "/etc/apache2/mods-enabled/reqtimeout.conf":
      "RequestReadTimeout header=20-40,minrate=500\nRequestReadTimeout body=10,minrate=500\n",
    "/etc/apache2/mods-enabled/setenvif.conf":
      'BrowserMatch "Mozilla/2" nokeepalive\nBrowserMatch "JDK/1\\.0" force-response-1.0\n',
    "/etc/apache2/mods-enabled/status.conf": `<Location /server-status>
	SetHandler server-status
	Require local
</Location>
ExtendedStatus On
<IfModule mod_proxy.c>
	ProxyStatus On
</IfModule>
`,
    "/etc/apache2/conf-enabled/other-vhosts-access-log.conf":
      "CustomLog ${APACHE_LOG_DIR}/other_vhosts_access.log combined\n",
    "/etc/apache2/conf-enabled/security.conf": "ServerTokens OS\nServerSignature On\nTraceEnable Off\n",
    "/etc/apache2/conf-enabled/serve-cgi-bin.conf": `<IfModule mod_alias.c>
	<IfModule mod_cgi.c>
		Define ENABLE_USR_LIB_CGI_BIN
	</IfModule>
	<IfModule mod_cgid.c>
		Define ENABLE_USR_LIB_CGI_BIN
	</IfModule>
	<IfDefine ENABLE_USR_LIB_CGI_BIN>
		ScriptAlias /cgi-bin/ /usr/lib/cgi-bin/
		<Directory "/usr/lib/cgi-bin">
			AllowOverride None
			Options +ExecCGI -MultiViews +SymLinksIfOwnerMatch
			Require all granted
		</Directory>
	</IfDefine>
</IfModule>
`,
    "/etc/apache2/sites-enabled/000-default.conf": `<VirtualHost *:80>
	ServerAdmin webmaster@localhost
	DocumentRoot /var/www/html
	ErrorLog \${APACHE_LOG_DIR}/error.log
	CustomLog \${APACHE_LOG_DIR}/access.log combined
</VirtualHost>
`,
    "/usr/share/apache2/icons/folder.gif": "GIF89a",
    "/var/www/html/index.html": "<p>It works!</p>\n",
  },
};

const debianWithTls: StockServer = {
  main: debian.main,
  files: {
    ...debian.files,
    "/etc/apache2/mods-enabled/ssl.load": loadLines("/usr/lib/apache2/modules", "socache_shmcb", "ssl", "cgid"),
    "/etc/apache2/mods-enabled/ssl.conf": `SSLRandomSeed startup builtin
SSLRandomSeed connect builtin
AddType application/x-x509-ca-cert .crt
SSLPassPhraseDialog exec:/usr/share/apache2/ask-for-passphrase
SSLSessionCache shmcb:\${APACHE_RUN_DIR}/ssl_scache(512000)
SSLSessionCacheTimeout 300
SSLCipherSuite HIGH:!aNULL
SSLProtocol all -SSLv3
SSLSessionTickets off
`,
    "/etc/apache2/sites-enabled/default-ssl.conf": `<VirtualHost *:443>
	ServerAdmin webmaster@localhost
	DocumentRoot /var/www/html
	ErrorLog \${APACHE_LOG_DIR}/error.log
	CustomLog \${APACHE_LOG_DIR}/access.log combined
	SSLEngine on
	SSLCertificateFile /etc/ssl/certs/ssl-cert-snakeoil.pem
	SSLCertificateKeyFile /etc/ssl/private/ssl-cert-snakeoil.key
	<FilesMatch "\\.(?:cgi|shtml|phtml|php)$">
		SSLOptions +StdEnvVars
	</FilesMatch>
	<Directory /usr/lib/cgi-bin>
		SSLOptions +StdEnvVars
	</Directory>
</VirtualHost>
`,
  },
};

const redHatModules = [
  ...["access_compat", "actions", "alias", "allowmethods", "auth_basic", "auth_digest", "authn_anon", "authn_core"],
  ...[
    "authn_dbm",
    "authn_file",
    "authz_core",
    "authz_dbm",
    "authz_groupfile",
    "authz_host",
    "authz_owner",
    "authz_user",
  ],
  ...["autoindex", "cache", "cache_disk", "data", "deflate", "dir", "echo", "env", "expires", "ext_filter", "filter"],
  ...["headers", "include", "info", "log_config", "logio", "mime_magic", "mime", "negotiation", "remoteip"],
  ...["reqtimeout", "rewrite", "setenvif", "slotmem_shm", "socache_shmcb", "status", "substitute", "suexec"],
  ...["unique_id", "unixd", "userdir", "version", "vhost_alias", "dav", "dav_fs", "dav_lock", "lua", "mpm_event"],
  ...["proxy", "proxy_ajp", "proxy_balancer", "proxy_connect", "proxy_fcgi", "proxy_ftp", "proxy_http", "proxy_scgi"],
  ...["proxy_wstunnel", "ssl", "systemd", "cgid", "http2", "proxy_http2"],
];

/** Red Hat Enterprise Linux 9 with mod_ssl, which has the layout of Fedora and CentOS. */
const redHat: StockServer = {
  main: "/etc/httpd/conf/httpd.conf",
  files: {
    "/etc/httpd/conf/httpd.conf": `ServerRoot "/etc/httpd"
Listen 80
Include conf.modules.d/*.conf
User apache
Group apache
ServerAdmin root@localhost
<Directory />
    AllowOverride none
    Require all denied
</Directory>
DocumentRoot "/var/www/html"
<Directory "/var/www">
    AllowOverride None
    Require all granted
</Directory>
<Directory "/var/www/html">
    Options Indexes FollowSymLinks
    AllowOverride None
    Require all granted
</Directory>
<IfModule dir_module>
    DirectoryIndex index.html
</IfModule>
<Files ".ht*">
    Require all denied
</Files>
ErrorLog "logs/error_log"
LogLevel warn
<IfModule log_config_module>
${logFormats}    CustomLog "logs/access_log" combined
</IfModule>
<IfModule alias_module>
    ScriptAlias /cgi-bin/ "/var/www/cgi-bin/"
</IfModule>
<Directory "/var/www/cgi-bin">
    AllowOverride None
    Options None
    Require all granted
</Directory>
<IfModule mime_module>
    TypesConfig /etc/mime.types
    AddType application/x-gzip .gz .tgz
    AddType text/html .shtml
    AddOutputFilter INCLUDES .shtml
</IfModule>
AddDefaultCharset UTF-8
<IfModule mime_magic_module>
    MIMEMagicFile conf/magic
</IfModule>
EnableSendfile on
IncludeOptional conf.d/*.conf
`,
    "/etc/httpd/conf.modules.d/00-base.conf": loadLines("modules", ...redHatModules),
    "/etc/httpd/conf.d/autoindex.conf": `IndexOptions FancyIndexing HTMLTable VersionSort
Alias /icons/ "/usr/share/httpd/icons/"
<Directory "/usr/share/httpd/icons">
    Options Indexes MultiViews FollowSymlinks
    AllowOverride None
    Require all granted
</Directory>
${icons}`,
    "/etc/httpd/conf.d/ssl.conf": `Listen 443 https
SSLPassPhraseDialog exec:/usr/libexec/httpd-ssl-pass-dialog
SSLSessionCache shmcb:/run/httpd/sslcache(512000)
SSLSessionCacheTimeout 300
SSLCryptoDevice builtin
<VirtualHost _default_:443>
ErrorLog logs/ssl_error_log
TransferLog logs/ssl_access_log
LogLevel warn
SSLEngine on
SSLHonorCipherOrder on
SSLCipherSuite PROFILE=SYSTEM
SSLProxyCipherSuite PROFILE=SYSTEM
SSLCertificateFile /etc/pki/tls/certs/localhost.crt
SSLCertificateKeyFile /etc/pki/tls/private/localhost.key
<FilesMatch "\\.(cgi|shtml|phtml|php)$">
    SSLOptions +StdEnvVars
</FilesMatch>
<Directory "/var/www/cgi-bin">
    SSLOptions +StdEnvVars
</Directory>
BrowserMatch "MSIE [2-5]" nokeepalive ssl-unclean-shutdown downgrade-1.0 force-response-1.0
CustomLog logs/ssl_request_log "%t %h %{SSL_PROTOCOL}x %{SSL_CIPHER}x \\"%r\\" %b"
</VirtualHost>
`,
    "/etc/httpd/conf.d/userdir.conf": `<IfModule mod_userdir.c>
    UserDir disabled
</IfModule>
<Directory "/home/*/public_html">
    AllowOverride FileInfo AuthConfig Limit Indexes
    Options MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec
    Require method GET POST OPTIONS
</Directory>
`,
    "/etc/httpd/conf.d/welcome.conf": `<LocationMatch "^/+$">
    Options -Indexes
    ErrorDocument 403 /.noindex.html
</LocationMatch>
<Directory /usr/share/httpd/noindex>
    AllowOverride None
    Require all granted
</Directory>
Alias /.noindex.html /usr/share/httpd/noindex/index.html
Alias /poweredby.png /usr/share/httpd/icons/apache_pb3.png
`,
    "/usr/share/httpd/icons/folder.gif": "GIF89a",
    "/usr/share/httpd/icons/apache_pb3.png": "PNG",
    "/usr/share/httpd/noindex/index.html": "<p>Test page</p>\n",
    "/var/www/html/": "",
  },
};

const sourceModules = [
  ...["mpm_event", "authn_file", "authn_core", "authz_host", "authz_groupfile", "authz_user", "authz_core"],
  ...["access_compat", "auth_basic", "reqtimeout", "filter", "mime", "log_config", "env", "headers", "setenvif"],
  ...["version", "unixd", "status", "autoindex", "dir", "alias"],
];

/** httpd as `make install` leaves it, and as in its container image. */
const source: StockServer = {
  main: "/usr/local/apache2/conf/httpd.conf",
  files: {
    "/usr/local/apache2/conf/httpd.conf": `ServerRoot "/usr/local/apache2"
Listen 80
${loadLines("modules", ...sourceModules)}<IfModule unixd_module>
User daemon
Group daemon
</IfModule>
ServerAdmin you@example.com
<Directory />
    AllowOverride none
    Require all denied
</Directory>
DocumentRoot "/usr/local/apache2/htdocs"
<Directory "/usr/local/apache2/htdocs">
    Options Indexes FollowSymLinks
    AllowOverride None
    Require all granted
</Directory>
<IfModule dir_module>
    DirectoryIndex index.html
</IfModule>
<Files ".ht*">
    Require all denied
</Files>
ErrorLog "logs/error_log"
LogLevel warn
<IfModule log_config_module>
${logFormats}    CustomLog "logs/access_log" common
</IfModule>
<IfModule alias_module>
    ScriptAlias /cgi-bin/ "/usr/local/apache2/cgi-bin/"
</IfModule>
<IfModule cgid_module>
</IfModule>
<Directory "/usr/local/apache2/cgi-bin">
    AllowOverride None
    Options None
    Require all granted
</Directory>
<IfModule headers_module>
    RequestHeader unset Proxy early
</IfModule>
<IfModule mime_module>
    TypesConfig conf/mime.types
    AddType application/x-gzip .gz .tgz
</IfModule>
<IfModule proxy_html_module>
Include conf/extra/proxy-html.conf
</IfModule>
<IfModule ssl_module>
SSLRandomSeed startup builtin
SSLRandomSeed connect builtin
</IfModule>
`,
    "/usr/local/apache2/htdocs/index.html": "<p>It works!</p>\n",
    "/usr/local/apache2/cgi-bin/printenv": "#!/usr/bin/perl\n",
  },
};

/** Changes the text of the main file from source. */
function sourceTextWith(changes: readonly (readonly [from: string, to: string])[]): string {
  const text = source.files[source.main] ?? "";
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the main file has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** The files of `extra` that Alpine includes, with its own guards. */
const alpineParts: Readonly<Record<string, string>> = {
  "mpm.conf": `<IfModule !mpm_netware_module>
    PidFile "/run/apache2/httpd.pid"
</IfModule>
<IfModule mpm_prefork_module>
    StartServers 5
    MaxRequestWorkers 250
</IfModule>
<IfModule mpm_event_module>
    StartServers 3
    ThreadsPerChild 25
</IfModule>
<IfModule mpm_netware_module>
    ThreadStackSize 65536
</IfModule>
`,
  "info.conf": `<IfModule status_module>
<Location /server-status>
    SetHandler server-status
    Require host .example.com
    Require ip 127
</Location>
</IfModule>
<IfModule info_module>
<Location /server-info>
    SetHandler server-info
    Require host .example.com
    Require ip 127
</Location>
</IfModule>
`,
  "userdir.conf": `<IfModule userdir_module>
UserDir public_html
<Directory "/home/*/public_html">
    AllowOverride FileInfo AuthConfig Limit Indexes
    Options MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec
    Require method GET POST OPTIONS
</Directory>
</IfModule>
`,
  "default.conf": `Timeout 60
UseCanonicalName Off
AccessFileName .htaccess
<IfModule reqtimeout_module>
  RequestReadTimeout header=20-40,MinRate=500 body=20,MinRate=500
</IfModule>
`,
};

/** Alpine: `extra` is `conf.d`, whose files are all included. */
const alpine: StockServer = {
  main: "/etc/apache2/httpd.conf",
  files: {
    "/etc/apache2/httpd.conf": sourceTextWith([
      ['ServerRoot "/usr/local/apache2"', "ServerRoot /var/www\nServerTokens OS\nServerSignature On"],
      ["User daemon\nGroup daemon", "User apache\nGroup apache"],
      ["/usr/local/apache2/", "/var/www/localhost/"],
      ["conf/mime.types", "/etc/apache2/mime.types"],
      ["mpm_event", "mpm_prefork"],
      [
        "<IfModule proxy_html_module>\nInclude conf/extra/proxy-html.conf\n</IfModule>\n",
        "IncludeOptional /etc/apache2/conf.d/*.conf\n",
      ],
    ]),
    ...Object.fromEntries(Object.entries(alpineParts).map(([name, text]) => [`/etc/apache2/conf.d/${name}`, text])),
    "/var/www/localhost/htdocs/index.html": "<p>It works!</p>\n",
    "/var/www/localhost/cgi-bin/printenv": "#!/usr/bin/perl\n",
  },
};

/** FreeBSD: files of other ports are in `modules.d` and `Includes`. */
const freeBsd: StockServer = {
  main: "/usr/local/etc/apache24/httpd.conf",
  files: {
    "/usr/local/etc/apache24/httpd.conf": sourceTextWith([
      ['ServerRoot "/usr/local/apache2"', 'ServerRoot "/usr/local"'],
      ["User daemon\nGroup daemon", "User www\nGroup www"],
      ["/usr/local/apache2/htdocs", "/usr/local/www/apache24/data"],
      ["/usr/local/apache2/cgi-bin", "/usr/local/www/apache24/cgi-bin"],
      ["conf/", "etc/apache24/"],
      ["modules/", "libexec/apache24/"],
      ["mpm_event", "mpm_prefork"],
      [
        "<IfModule unixd_module>",
        "IncludeOptional etc/apache24/modules.d/[0-9][0-9][0-9]_*.conf\n<IfModule unixd_module>",
      ],
      [
        "SSLRandomSeed connect builtin\n</IfModule>\n",
        "SSLRandomSeed connect builtin\n</IfModule>\nInclude etc/apache24/Includes/*.conf\n",
      ],
    ]),
    "/usr/local/etc/apache24/Includes/no-accf.conf":
      "<IfDefine NOHTTPACCEPT>\n   AcceptFilter http none\n   AcceptFilter https none\n</IfDefine>\n",
    "/usr/local/etc/apache24/modules.d/000_mpm_prefork_fallback.conf": "# see README_modules.d\n",
    "/usr/local/www/apache24/data/index.html": "<p>It works!</p>\n",
    "/usr/local/www/apache24/cgi-bin/printenv": "#!/usr/bin/perl\n",
  },
};

/** Lints a server, or a file of it without the others, by the default rules. */
function lintFile(main: string, access: FileAccess, kind: EntryKind) {
  const envvars = access.read("/etc/apache2/envvars");
  const environment = envvars.ok && main === debian.main ? readEnvvars(envvars.value.text) : new Map<string, string>();
  const loaded = loadProject(main, { access, kind, environment });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = loaded.value;
  const files = createFileTree({ by: "existing disk" }, project, access);
  const ruleIds = allRules.map(({ id }) => id);
  return lint(project, { rules: defaultRules, ruleIds, files, readCertificates, omitsRoutine: true });
}

/** Returns the findings above info. */
function lintServer(main: string, access: FileAccess) {
  const { findings } = lintFile(main, access, "server");
  const severe = findings.filter(({ severity }) => severity !== "info");
  return severe.map(({ rule, span, message }) => `${rule} ${toReadable(span.file.path)}: ${message}`);
}

describe("the default configuration", () => {
  test.each([
    ["of Debian", debian],
    ["of Debian with mod_ssl and default-ssl", debianWithTls],
    ["of Red Hat", redHat],
    ["of httpd", source],
    ["of Alpine", alpine],
    ["of FreeBSD", freeBsd],
  ])("%s has no finding above info", (_, { main, files }) => {
    expect(lintServer(main, memoryAccess(files))).toEqual([]);
  });

  test.each([
    ["of Debian", debian, "/var/www/html/.git/config", "[core]\n"],
    ["of Red Hat", redHat, "/var/www/html/backup.sql", "CREATE TABLE a;\n"],
    ["of httpd", source, "/usr/local/apache2/htdocs/.env", "KEY=1\n"],
    ["of Alpine", alpine, "/var/www/localhost/htdocs/.env", "KEY=1\n"],
    ["of FreeBSD", freeBsd, "/usr/local/www/apache24/data/.env", "KEY=1\n"],
  ])("%s does not protect private files", (_, { main, files }, path, text) => {
    const findings = lintServer(main, memoryAccess({ ...files, [path]: text }));
    expect(findings.map((each) => each.replace(/ .*/, ""))).toEqual(["exposed-private-file"]);
  });
});

/** Returns the files of a server that are configuration. */
function configurationOf({ files }: StockServer): readonly (readonly [path: string, text: string])[] {
  return Object.entries(files).filter(([path]) => /\.(?:conf|load)$/.test(path));
}

const guard = /^[ \t]*<If(?:Module|Define|Version|File)\b.*$/gm;

/** Returns a text for each of its conditional sections, with a wrong line in it, and the number of that line. */
function plantIn(text: string): readonly { readonly text: string; readonly line: number; readonly tag: string }[] {
  return [...text.matchAll(guard)].map(({ 0: tag, index }) => {
    const end = index + tag.length;
    const line = text.slice(0, end).split("\n").length + 1;
    return { text: `${text.slice(0, end)}\nServerTokns Prod${text.slice(end)}`, line, tag: tag.trim() };
  });
}

const lineOf = (span: Span) => rangeOf(span).start.line;

describe("each file of the default configuration", () => {
  test.each([
    ["of Debian", debianWithTls],
    ["of Red Hat", redHat],
    ["of httpd", source],
    ["of Alpine", alpine],
    ["of FreeBSD", freeBsd],
  ])("%s has no finding above info on its own, and a wrong line in any conditional section is found", (_, server) => {
    const wrongLinesOf = (path: string, text: string, kind: EntryKind, others = {}) => {
      const { findings, unchecked } = lintFile(path, memoryAccess({ ...others, [path]: text }), kind);
      const severe = findings.filter(({ severity }) => severity !== "info");
      return { severe: severe.map(({ span }) => lineOf(span)), unchecked };
    };
    let planted = 0;
    for (const [path, text] of configurationOf(server)) {
      if (path === server.main) continue;
      expect(wrongLinesOf(path, text, "fragment").severe, path).toEqual([]);
      for (const each of plantIn(text)) {
        expect(wrongLinesOf(path, each.text, "fragment").severe, `${path} ${each.tag}`).toEqual([each.line]);
        planted++;
      }
    }
    for (const [path, text] of configurationOf(server)) {
      for (const each of plantIn(text)) {
        const files = { ...server.files, [path]: each.text };
        const { findings, unchecked } = lintFile(server.main, memoryAccess(files), "server");
        const isFound = findings.some(
          ({ rule, span }) => rule === "unknown-directive" && span.file.path === path && lineOf(span) === each.line,
        );
        // The server is known to skip lines for another release, and may not include the file.
        const isSkipped = unchecked.some(({ line, isSkippedByServer }) => isSkippedByServer && line === each.line - 1);
        expect(
          isFound || isSkipped,
          `${path} ${each.tag} ${findings.map(({ message, span }) => message + span.file.path + lineOf(span))}`,
        ).toBe(true);
        if (isFound) planted++;
      }
    }
    expect(planted).toBeGreaterThan(0);
  });
});

/** Whether this machine has Debian's files as installed. */
const isStockDebian =
  existsSync("/etc/apache2/apache2.conf") &&
  existsSync("/var/www/html/index.html") &&
  spawnSync("dpkg", ["--verify", "apache2"], { encoding: "utf8" }).stdout === "";

test.skipIf(!isStockDebian)("the configuration that Debian installed here has no finding above info", () => {
  expect(lintServer("/etc/apache2/apache2.conf", diskAccess())).toEqual([]);
});

const centos = "centos7_apache__apache__httpd__";
const published = corpus.filter(({ name }) => name.includes(centos));

test.skipIf(published.length === 0)(corpusTitle("the files of CentOS 7 have no finding above info"), () => {
  const access = diskAccess();
  const entries = published.map(({ name, path }): readonly [string, string] => {
    const file = access.read(path);
    if (!file.ok) throw new Error(file.error.message);
    return [`/etc/httpd/${name.slice(name.indexOf(centos) + centos.length).replace(/__/g, "/")}`, file.value.text];
  });
  const files = {
    ...redHat.files,
    ...Object.fromEntries(entries),
  };
  expect(lintServer(redHat.main, memoryAccess(files))).toEqual([]);
});
