import type { Random } from "../support/random/random.js";
import { type AccessStyle, accessStyles } from "./access-styles.js";
import { panelHosts } from "./panel-hosts.js";

/** A server of ordinary size: 100 to 3,000 lines. */
export interface OrdinaryServer {
  readonly release: "2.2" | "2.4";
  readonly text: string;
  readonly lines: number;
}

/** What a part of a server may use. */
interface Site {
  /** Number of the host; names, folders and addresses depend on it. */
  readonly n: number;
  readonly name: string;
  readonly root: string;
  readonly access: AccessStyle;
  readonly random: Random;
}

/** A block of lines of a server or of a host. */
type Part = (site: Site) => string;

/** Lines that almost each server has, from the files that distributions ship. */
const stock: readonly Part[] = [
  () => "Timeout 60\nKeepAlive On\nMaxKeepAliveRequests 100\nKeepAliveTimeout 15\nUseCanonicalName Off\n",
  ({ access }) =>
    access.release === "2.2"
      ? "<IfModule mpm_prefork_module>\nStartServers 8\nMinSpareServers 5\nMaxSpareServers 20\nMaxClients 256\nMaxRequestsPerChild 4000\n</IfModule>\nDefaultType text/plain\n"
      : "<IfModule mpm_event_module>\nStartServers 2\nMinSpareThreads 25\nMaxSpareThreads 75\nMaxRequestWorkers 150\nMaxConnectionsPerChild 0\n</IfModule>\n",
  ({ access }) =>
    `<Directory />\nOptions FollowSymLinks\nAllowOverride None\n${access.closed()}</Directory>\n<Directory /var/www>\nOptions Indexes FollowSymLinks\nAllowOverride None\n${access.open()}</Directory>\n`,
  ({ access }) => `<Files ~ "^\\.ht">\n${access.closed()}</Files>\nAccessFileName .htaccess\n`,
  () =>
    'LogFormat "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined\nLogFormat "%h %l %u %t \\"%r\\" %>s %b" common\nErrorLog logs/error_log\nLogLevel warn\nCustomLog logs/access_log combined\n',
  ({ access }) =>
    `Alias /icons/ "/var/www/icons/"\n<Directory "/var/www/icons">\nOptions Indexes MultiViews\nAllowOverride None\n${access.open()}</Directory>\nIndexOptions FancyIndexing VersionSort NameWidth=*\n${icons}`,
  ({ access }) =>
    `ScriptAlias /cgi-bin/ "/var/www/cgi-bin/"\n<Directory "/var/www/cgi-bin">\nAllowOverride None\nOptions None\n${access.open()}</Directory>\n`,
  () => languages,
  () =>
    "AddType application/x-compress .Z\nAddType application/x-gzip .gz .tgz\nAddHandler type-map var\nAddType text/html .shtml\nAddOutputFilter INCLUDES .shtml\n",
  () =>
    'BrowserMatch "Mozilla/2" nokeepalive\nBrowserMatch "MSIE 4\\.0b2;" nokeepalive downgrade-1.0 force-response-1.0\nBrowserMatch "RealPlayer 4\\.0" force-response-1.0\nBrowserMatch "Java/1\\.0" force-response-1.0\nBrowserMatch "^WebDAVFS/1.[0123]" redirect-carefully\n',
  ({ access }) => `<Location /server-status>\nSetHandler server-status\n${access.from("127.0.0.1")}</Location>\n`,
  ({ access }) =>
    `<IfModule mod_info.c>\n<Location /server-info>\nSetHandler server-info\n${access.from("127.0.0.1", "10.0.0.0/8")}</Location>\n</IfModule>\n`,
];

const icons = [
  ...["binary .bin .exe", "binhex4 .hqx", "tar .tar", "world2 .wrl .wrl.gz .vrml", "compressed .Z .z .tgz .gz .zip"],
  ...["a .ps .ai .eps", "layout .html .shtml .htm .pdf", "text .txt", "c .c", "p .pl .py", "f .for", "dvi .dvi"],
  ...["uuencoded .uu", "script .conf .sh .shar .csh .ksh .tcl", "tex .tex", "back ..", "hand.right README"],
]
  .map((words) => {
    const [icon, ...names] = words.split(" ");
    return `AddIcon /icons/${icon}.gif ${names.join(" ")}\n`;
  })
  .join("");

const languages = ["ca", "cs .cz", "da .dk", "de", "el", "en", "eo", "es", "et", "fr", "he", "hr", "it", "ja", "ko"]
  .map((words) => {
    const [language, suffix = `.${words}`] = words.split(" ");
    return `AddLanguage ${language} ${suffix}\n`;
  })
  .join("");

/** Features of a whole server. Each server has some of them. */
const features: readonly Part[] = [
  ({ access }) =>
    `UserDir disabled root\nUserDir public_html\n<Directory /home/*/public_html>\nAllowOverride FileInfo AuthConfig Limit\nOptions MultiViews Indexes SymLinksIfOwnerMatch IncludesNoExec\n<Limit GET POST OPTIONS>\n${access.open()}</Limit>\n<LimitExcept GET POST OPTIONS>\n${access.closed()}</LimitExcept>\n</Directory>\n`,
  ({ access }) =>
    `Alias /phpmyadmin /usr/share/phpmyadmin\n<Directory /usr/share/phpmyadmin>\nOptions FollowSymLinks\nDirectoryIndex index.php\n${access.from("127.0.0.1", "192.168.0.0/16")}</Directory>\n<Directory /usr/share/phpmyadmin/setup>\n${access.login("phpMyAdmin Setup", "/etc/phpmyadmin/htpasswd.setup")}</Directory>\n<Directory /usr/share/phpmyadmin/libraries>\n${access.closed()}</Directory>\n`,
  ({ access }) =>
    `ScriptAlias /nagios/cgi-bin /usr/lib/nagios/cgi-bin\nAlias /nagios /usr/share/nagios/htdocs\n<DirectoryMatch (/usr/share/nagios/htdocs|/usr/lib/nagios/cgi-bin)>\nOptions FollowSymLinks\nDirectoryIndex index.php\nAllowOverride AuthConfig\n${access.login("Nagios Access", "/etc/nagios/htpasswd.users")}</DirectoryMatch>\n`,
  ({ access }) =>
    `Alias /munin /var/cache/munin/www\n<Directory /var/cache/munin/www>\n${access.from("127.0.0.1", "10.1.0.0/16")}Options None\n</Directory>\n`,
  ({ access }) =>
    `Alias /awstats-icon/ /usr/share/awstats/icon/\nScriptAlias /awstats/ /usr/lib/cgi-bin/\n<Location /awstats>\n${access.login("Statistics", "/etc/awstats/users")}</Location>\n`,
  ({ access }) =>
    `ScriptAlias /mailman/ /usr/lib/mailman/cgi-bin/\nAlias /pipermail/ /var/lib/mailman/archives/public/\n<Directory /var/lib/mailman/archives/public>\nOptions MultiViews FollowSymLinks\nAllowOverride None\n${access.open()}AddDefaultCharset Off\n</Directory>\nRedirectMatch ^/mailman[/]*$ /mailman/listinfo\n`,
  ({ access }) =>
    `Alias /manual "/usr/share/doc/apache-doc/manual/"\n<Directory "/usr/share/doc/apache-doc/manual/">\nOptions Indexes FollowSymLinks\nAllowOverride None\n${access.open()}AddDefaultCharset off\n</Directory>\n`,
  ({ access, random }) =>
    `SetEnvIfNoCase User-Agent "^(wget|libwww|EmailSiphon)" bad_bot\n${botLines(random)}<Location />\n${access.butNotBots()}</Location>\n`,
  ({ access }) =>
    `<IfModule mod_dav_svn.c>\n<Location /svn>\nDAV svn\nSVNParentPath /srv/svn\n${access.login("Subversion", "/etc/svn/users")}</Location>\n</IfModule>\n`,
  ({ access }) => `<FilesMatch "\\.(bak|old|orig|sql|swp|inc)$">\n${access.closed()}</FilesMatch>\n`,
  ({ access }) => `<DirectoryMatch "/\\.(svn|git|hg)">\n${access.closed()}</DirectoryMatch>\n`,
  () => "ServerTokens Prod\nServerSignature Off\nTraceEnable Off\nFileETag None\n",
  () =>
    "<IfModule mod_deflate.c>\nAddOutputFilterByType DEFLATE text/html text/plain text/xml text/css\nSetEnvIfNoCase Request_URI \\.(?:gif|jpe?g|png)$ no-gzip dont-vary\n</IfModule>\n",
  ({ access }) => `<Proxy *>\n${access.from("10.0.0.0/8", "192.168.0.0/16")}</Proxy>\nProxyRequests Off\nProxyVia On\n`,
  ({ access }) =>
    `<Directory "/srv/ftp">\n<LimitExcept GET HEAD>\n${access.closed()}</LimitExcept>\n</Directory>\nAlias /pub /srv/ftp\n`,
];

function botLines(random: Random): string {
  const names = ["HTTrack", "WebZIP", "Teleport", "EmailWolf", "WebBandit", "Zeus", "larbin", "psbot", "grub-client"];
  return names
    .filter(() => random.chance(0.6))
    .map((name) => `BrowserMatchNoCase "^${name}" bad_bot\n`)
    .join("");
}

/** What a host may be. */
const kinds: readonly [Part, ...Part[]] = [
  ({ root, access }) => directory(root, "Options Indexes FollowSymLinks\nAllowOverride None\n", access.open()),
  // A front controller.
  ({ root, access }) =>
    directory(
      root,
      "AllowOverride None\nDirectoryIndex index.php\nRewriteEngine On\nRewriteBase /\nRewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /index.php [L]\n",
      access.open(),
    ) +
    `<Directory ${root}/wp-content/uploads>\n<FilesMatch "\\.php$">\n${access.closed()}</FilesMatch>\n</Directory>\n<Files wp-config.php>\n${access.closed()}</Files>\n<Files xmlrpc.php>\n${access.from("192.0.2.0/24")}</Files>\n`,
  ({ root, access }) =>
    `${directory(root, "AllowOverride None\nOptions -Indexes +FollowSymLinks\nErrorDocument 404 /index.php\n", access.open())}<FilesMatch "\\.(engine|inc|info|install|make|module|profile|test|po|sh|.*sql|theme|tpl(\\.php)?|xtmpl)$|^(\\..*|Entries.*|Repository|Root|Tag|Template)$">\n${access.closed()}</FilesMatch>\n<Directory ${root}/sites/default/files>\nSetHandler None\nOptions None\n</Directory>\nRewriteEngine on\nRewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]\nRewriteRule ^ http://%1%{REQUEST_URI} [L,R=301]\n`,
  // A reverse proxy.
  ({ n, access }) =>
    `ProxyRequests Off\nProxyPreserveHost On\nProxyPass /static !\nProxyPass / http://127.0.0.1:${8100 + n}/\nProxyPassReverse / http://127.0.0.1:${8100 + n}/\n<Proxy *>\n${access.open()}</Proxy>\n<Location /admin>\n${access.from(`10.${n % 200}.0.0/16`, "127.0.0.1")}</Location>\n<LocationMatch "^/(health|metrics)$">\n${access.from("10.0.0.0/8")}</LocationMatch>\n`,
  // An intranet with LDAP.
  ({ n, root, access }) =>
    `${directory(root, "Options Indexes\nAllowOverride All\n", access.ldap(`cn=staff${n},ou=groups,dc=example,dc=org`))}<Location /private>\n${access.ldap("cn=admins,ou=groups,dc=example,dc=org")}</Location>\n<Location /open>\n${access.release === "2.2" ? "Satisfy any\n" : ""}${access.open()}</Location>\n`,
  ({ root, n, access }) =>
    `${directory(root, "AllowOverride AuthConfig Limit\nOptions +Includes\n", access.open())}<Directory ${root}/intern>\n${access.either(`192.168.${n % 250}.0/24`, "Internal", `/etc/httpd/users.${n}`)}</Directory>\n<Directory ${root}/intern/board>\n${access.group("Board", `/etc/httpd/users.${n}`, "board")}</Directory>\n`,
  // A repository with WebDAV.
  ({ root, access }) =>
    `<Location /dav>\nDav On\n<LimitExcept GET HEAD OPTIONS PROPFIND>\n${access.login("Authors", "/etc/httpd/authors")}</LimitExcept>\n</Location>\nAlias /dav ${root}/dav\n${directory(root, "AllowOverride None\n", access.open())}`,
  // An old site with redirects.
  ({ n, root, access, random }) =>
    `${directory(root, "AllowOverride None\n", access.open())}${Array.from({ length: 3 + random.below(15) }, (_, each) => `Redirect permanent /old${each}.html http://www${n}.example.org/new/${each}\n`).join("")}RedirectMatch ^/news/(.*)\\.php3$ http://news.example.org/$1\nRewriteEngine On\nRewriteCond %{HTTP_REFERER} !^$\nRewriteCond %{HTTP_REFERER} !^http://(www\\.)?site${n}\\.example [NC]\nRewriteRule \\.(gif|jpe?g|png)$ - [F,NC]\nRewriteCond %{REQUEST_METHOD} ^TRACE\nRewriteRule .* - [F]\n`,
  // Addresses that are denied.
  ({ root, access, random }) =>
    directory(
      root,
      "AllowOverride None\nOptions None\n",
      access.butNotFrom(
        Array.from(
          { length: 5 + random.below(40) },
          () => `${1 + random.below(220)}.${random.below(255)}.${random.below(255)}.0/24`,
        ),
      ),
    ),
  // CGI and files of its own for errors.
  ({ n, root, access }) =>
    `${directory(root, "Options Indexes FollowSymLinks ExecCGI\nAddHandler cgi-script .cgi .pl\nAllowOverride All\n", access.open())}ScriptAlias /cgi-bin/ /srv/cgi/${n}/\n<Directory /srv/cgi/${n}>\nOptions ExecCGI\n${access.open()}</Directory>\nErrorDocument 404 /missing.html\nErrorDocument 403 /forbidden.html\n<Location /cgi-bin/admin.cgi>\n${access.login("Administration", `/etc/httpd/admin.${n}`)}</Location>\n`,
  // A PHP application.
  ({ root, n, access }) =>
    `${directory(root, 'AllowOverride Limit Options FileInfo\nDirectoryIndex index.php\n<FilesMatch "\\.php$">\nSetHandler application/x-httpd-php\n</FilesMatch>\n', access.open())}<Directory ${root}/config>\n${access.closed()}</Directory>\n<Directory ${root}/data>\n${access.closed()}</Directory>\n<LocationMatch "/(data|conf|bin|inc)/">\n${access.closed()}</LocationMatch>\nphp_admin_value open_basedir ${root}:/tmp\nphp_admin_flag engine on\nSetEnv APP_NUMBER ${n}\n`,
];

function directory(folder: string, lines: string, access: string): string {
  return `<Directory ${folder}>\n${lines}${access}</Directory>\n`;
}

/** Lines that a host may have in addition. */
const additions: readonly Part[] = [
  ({ name }) => `ServerAlias www.${name} ${name.replace(".example", ".test")}\n`,
  ({ name }) => `ServerAdmin webmaster@${name}\n`,
  ({ name }) => `ErrorLog logs/${name}-error_log\nCustomLog logs/${name}-access_log combined\n`,
  () => 'SetEnvIf Request_URI "\\.(gif|jpe?g|png|css|js)$" static\nCustomLog logs/pages_log combined env=!static\n',
  () => "Header set X-Frame-Options SAMEORIGIN\nHeader always append Vary User-Agent\n",
  () => "ExpiresActive On\nExpiresByType image/gif A2592000\nExpiresByType text/css A604800\n",
  () => "RewriteEngine On\nRewriteCond %{HTTPS} !=on\nRewriteRule ^/login(.*)$ https://%{HTTP_HOST}/login$1 [R,L]\n",
  ({ n }) => `Alias /media /srv/media/${n}\n`,
  ({ n, access }) => `<Directory /srv/media/${n}>\n${access.open()}</Directory>\n`,
  ({ root }) => `<Directory ${root}/images>\nExpiresActive On\nExpiresDefault "access plus 1 month"\n</Directory>\n`,
  () => "AddDefaultCharset UTF-8\nDirectoryIndex index.html index.htm\n",
];

function hostOf(site: Site, kind: Part): string {
  const added = additions.filter(() => site.random.chance(0.4)).map((part) => part(site));
  return `<VirtualHost *:80>\nServerName ${site.name}\nDocumentRoot ${site.root}\n${added.join("")}${kind(site)}</VirtualHost>\n`;
}

const MOST_LINES = 3000;
const FEWEST_LINES = 100;

/**
 * Writes a server of ordinary size: the stock lines of a distribution, some features, and hosts that share a few kinds.
 * One in eight is a server of a control panel, and one in ten of 2.4 has its hosts from a macro.
 *
 * @param random draws everything
 * @param folder the server's root, an existing folder
 */
export function ordinaryServer(random: Random, folder: string): OrdinaryServer {
  const access = random.pick(accessStyles);
  const siteAt = (n: number): Site => ({
    ...{ n, name: `site${n}.example`, root: random.pick([`/srv/www/site${n}`, `/var/www/vhosts/site${n}/htdocs`]) },
    ...{ access, random },
  });
  const most = Math.round(FEWEST_LINES * (MOST_LINES / FEWEST_LINES) ** random.next());
  if (access.release === "2.2" && random.chance(0.2)) {
    const text = panelHosts(1 + Math.floor(Math.min(most, 2_300) / 75), folder, random);
    return { release: "2.2", text, lines: linesOf(text) };
  }
  const main = siteAt(0);
  const start = `ServerRoot "${folder}"\nListen 80\nServerName localhost\nDocumentRoot /var/www/html\n${access.release === "2.2" ? "NameVirtualHost *:80\n" : ""}`;
  const parts = [...stock.filter(() => random.chance(0.8)), ...features.filter(() => random.chance(0.25))].map((part) =>
    part(main),
  );
  // A server has hosts of a few kinds.
  const own: readonly [Part, ...Part[]] = [random.pick(kinds), random.pick(kinds), random.pick(kinds)];
  let text = start + parts.join("");
  if (access.release === "2.4" && random.chance(0.2)) return withMacro(text, own[0], siteAt(1), most);
  for (let n = 1, host = hostOf(siteAt(n), random.pick(own)); ; n++, host = hostOf(siteAt(n), random.pick(own))) {
    if (n > 1 && linesOf(text + host) > most) break;
    text += host;
  }
  return { release: access.release, text, lines: linesOf(text) };
}

/** The hosts are uses of a macro. Its names are those of the first host, with a parameter for the number. */
function withMacro(start: string, kind: Part, site: Site, lines: number): OrdinaryServer {
  const host = hostOf(site, kind).replaceAll("site1", "$name");
  const uses = Array.from({ length: Math.max(2, Math.floor(lines / 40)) }, (_, n) => `Use Site site${n + 1}\n`);
  const text = `${start}<Macro Site $name>\n${host}</Macro>\n${uses.join("")}UndefMacro Site\n`;
  return { release: "2.4", text, lines: linesOf(text) };
}

function linesOf(text: string): number {
  return text.split("\n").length - 1;
}
