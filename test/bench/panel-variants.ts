import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../support/random/random.js";
import type { FleetVariant } from "./fleet-variants.js";
import { panelHosts } from "./panel-hosts.js";

const SITES = 300;

/** A part of a site, or of the panel's main file; it is always there, or only in some installations. */
type Part = readonly [text: (site: Site) => string, chance?: number];

interface Site {
  readonly n: number;
  readonly name: string;
  readonly user: string;
}

function sitesOf(parts: readonly Part[], random: Random): string {
  const kept = parts.filter(([, chance = 1]) => random.chance(chance));
  return Array.from({ length: SITES }, (_, n) => {
    const site = { n, name: `site${n}.example`, user: `user${n}` };
    return kept.map(([text]) => text(site)).join("");
  }).join("");
}

function mainOf(folder: string, parts: readonly Part[], random: Random): string {
  const kept = parts.filter(([, chance = 1]) => random.chance(chance));
  const start = `ServerRoot "${folder}"\nListen 127.0.0.1:8099\nServerName localhost\nNameVirtualHost *:8099\n`;
  return start + kept.map(([text]) => text({ n: 0, name: "", user: "" })).join("");
}

const hidden: Part = [() => '<Files ~ "^\\.ht">\nOrder allow,deny\nDeny from all\nSatisfy All\n</Files>\n'];
const logs: Part = [
  () =>
    'LogFormat "%h %l %u %t \\"%r\\" %>s %b" combined\nLogFormat "%b" bytes\nSetEnvIf Remote_Addr "^127\\." dontlog\n',
];

const plesk = {
  main: [
    hidden,
    logs,
    [() => "<Directory />\nOptions None\nAllowOverride None\nOrder allow,deny\nDeny from all\n</Directory>\n"],
    [
      () =>
        "<Directory /var/www/vhosts>\nAllowOverride All\nOptions SymLinksIfOwnerMatch\nOrder allow,deny\nAllow from all\n</Directory>\n",
    ],
    [
      () =>
        "Alias /error_docs /var/www/error_docs\n<Location /error_docs>\nOrder allow,deny\nAllow from all\n</Location>\n",
      0.5,
    ],
    [() => "ServerTokens ProductOnly\nFileETag None\n", 0.5],
  ] satisfies readonly Part[],
  site: [
    [({ name }) => `<VirtualHost *:8099>\nServerName "${name}"\nServerAlias "www.${name}"\nUseCanonicalName Off\n`],
    [({ name }) => `DocumentRoot "/var/www/vhosts/${name}/httpdocs"\n`],
    [({ name }) => `CustomLog logs/${name}.access combined env=!dontlog\nErrorLog logs/${name}.error\n`],
    [({ user }) => `SuexecUserGroup ${user} psacln\n`, 0.7],
    [({ name }) => `ScriptAlias "/cgi-bin/" "/var/www/vhosts/${name}/cgi-bin/"\n`, 0.7],
    [
      ({ name }) => `Alias "/plesk-stat" "/var/www/vhosts/system/${name}/statistics"
<Location "/plesk-stat/">
Options +Indexes
</Location>
<Location "/plesk-stat/webstat/">
AuthType Basic
AuthName "Domain statistics"
AuthUserFile "/var/www/vhosts/system/${name}/pd/d..httpdocs@plesk-stat"
Require valid-user
</Location>
`,
      0.8,
    ],
    [
      ({ name, user }) => `<Directory "/var/www/vhosts/${name}/httpdocs">
<Files ~ (\\.php$)>
SetHandler fcgid-script
FCGIWrapper /var/www/cgi-bin/cgi_wrapper/${user} .php
Options +ExecCGI
Order allow,deny
Allow from all
</Files>
Options -Includes -ExecCGI
</Directory>
`,
      0.7,
    ],
    [
      ({ name }) =>
        `<Directory "/var/www/vhosts/${name}">\nOptions +FollowSymLinks\nOrder allow,deny\nAllow from all\n</Directory>\n`,
    ],
    [
      ({ name }) =>
        `Alias /awstats-icon/ /usr/share/awstats/icon/\n<Directory "/var/www/vhosts/${name}/private">\nOrder deny,allow\nDeny from all\n</Directory>\n`,
      0.5,
    ],
    [() => "DirectoryIndex index.html index.htm index.php\n", 0.6],
    [
      ({ name }) =>
        `RewriteEngine On\nRewriteCond %{HTTP_HOST} ^www\\.${name.replace(".", "\\.")}$ [NC]\nRewriteRule ^(.*)$ http://${name}$1 [L,R=301]\n`,
      0.5,
    ],
    [() => "</VirtualHost>\n"],
  ] satisfies readonly Part[],
};

const directAdmin = {
  main: [
    hidden,
    logs,
    [() => "<Directory />\nOptions All\nAllowOverride All\n</Directory>\n"],
    [
      () =>
        '<Directory "/home/*">\nAllowOverride AuthConfig FileInfo Indexes Limit Options=Indexes,FollowSymLinks\nOptions -MultiViews -Indexes FollowSymLinks\nOrder allow,deny\nAllow from all\n</Directory>\n',
    ],
    [
      () =>
        '<Directory "/var/www/html">\nOptions -Indexes FollowSymLinks\nAllowOverride All\nOrder allow,deny\nAllow from all\n</Directory>\n',
    ],
    [
      () =>
        '<FilesMatch "\\.(inc|php|php3|php4|php5|phtml|phps)$">\nAddHandler application/x-httpd-php .inc .php .php3 .php4 .php5 .phtml\n</FilesMatch>\n',
      0.6,
    ],
    [() => "Alias /webmail /var/www/html/roundcube/\nAlias /phpmyadmin /var/www/html/phpMyAdmin/\n", 0.7],
    [() => "AddType application/x-gzip .tgz\nAddEncoding x-compress .Z\n", 0.6],
    [() => '<FilesMatch "^error_log$">\nOrder allow,deny\nDeny from all\n</FilesMatch>\n', 0.5],
  ] satisfies readonly Part[],
  site: [
    [
      ({ name }) =>
        `<VirtualHost *:8099>\nServerName www.${name}\nServerAlias www.${name} ${name}\nServerAdmin webmaster@${name}\n`,
    ],
    [({ name, user }) => `DocumentRoot /home/${user}/domains/${name}/public_html\n`],
    [({ name, user }) => `ScriptAlias /cgi-bin/ /home/${user}/domains/${name}/public_html/cgi-bin/\n`, 0.8],
    [() => "UseCanonicalName Off\n"],
    [({ user }) => `SuexecUserGroup ${user} ${user}\n`, 0.7],
    [
      ({ name }) =>
        `CustomLog logs/${name}.bytes bytes\nCustomLog logs/${name}.log combined env=!dontlog\nErrorLog logs/${name}.error.log\n`,
    ],
    [
      ({ name, user }) => `<Directory /home/${user}/domains/${name}/public_html>
Options +Includes -Indexes
php_admin_flag engine ON
php_admin_value sendmail_path '/usr/sbin/sendmail -t -i -f ${user}@${name}'
</Directory>
php_admin_value open_basedir /home/${user}/:/tmp:/var/tmp
`,
      0.8,
    ],
    [
      ({ name, user }) =>
        `<Location /stats>\nAuthType Basic\nAuthName "Stats of ${name}"\nAuthUserFile /home/${user}/domains/${name}/.htpasswd\nRequire valid-user\n</Location>\n`,
      0.4,
    ],
    [
      ({ name, user }) =>
        `<Directory /home/${user}/domains/${name}/private_html>\nOrder deny,allow\nDeny from all\n</Directory>\n`,
      0.5,
    ],
    [() => 'RewriteEngine On\nRewriteCond %{HTTP_USER_AGENT} "^(wget|masscan)" [NC]\nRewriteRule .* - [F]\n', 0.4],
    [() => "</VirtualHost>\n"],
  ] satisfies readonly Part[],
};

const cPanel = {
  main: [
    hidden,
    logs,
    [
      () =>
        '<Directory "/">\nAllowOverride All\nOptions ExecCGI FollowSymLinks Includes IncludesNOEXEC Indexes SymLinksIfOwnerMatch\n</Directory>\n',
    ],
    [
      () =>
        '<Directory "/usr/local/apache/htdocs">\nOptions Includes Indexes FollowSymLinks\nAllowOverride None\nOrder allow,deny\nAllow from all\n</Directory>\n',
    ],
    [() => '<Files ~ "^error_log$">\nOrder allow,deny\nDeny from all\nSatisfy All\n</Files>\n'],
    [
      () =>
        "AddType application/x-httpd-php .php5 .php .php3 .php4 .phtml\nAddHandler cgi-script .cgi .pl .plx .ppl .perl\n",
      0.7,
    ],
    [() => "Alias /bandwidth /usr/local/bandmin/htdocs/\nScriptAlias /cgi-sys /usr/local/cpanel/cgi-sys/\n"],
    [
      () =>
        "ScriptAliasMatch ^/?controlpanel/?$ /usr/local/cpanel/cgi-sys/redirect.cgi\nScriptAliasMatch ^/?webmail/?$ /usr/local/cpanel/cgi-sys/wredirect.cgi\n",
      0.6,
    ],
    [
      () =>
        "<Location /whm-server-status>\nSetHandler server-status\nOrder deny,allow\nDeny from all\nAllow from 127.0.0.1\n</Location>\n",
      0.7,
    ],
    [() => "DirectoryIndex index.php index.html index.htm default.html\n", 0.8],
  ] satisfies readonly Part[],
  site: [
    [
      ({ name }) =>
        `<VirtualHost *:8099>\nServerName ${name}\nServerAlias www.${name} mail.${name}\nServerAdmin webmaster@${name}\n`,
    ],
    [({ user }) => `DocumentRoot /home/${user}/public_html\nUseCanonicalName Off\n`],
    [({ user }) => `SuexecUserGroup ${user} ${user}\n`, 0.7],
    [
      ({ name }) =>
        `CustomLog logs/${name}-bytes "%{%s}t %I .\\n%{%s}t %O ."\nCustomLog logs/${name} combined env=!dontlog\n`,
    ],
    [() => "Options -ExecCGI -Includes\nRemoveHandler cgi-script .cgi .pl .plx .ppl .perl\n", 0.4],
    [({ user }) => `ScriptAlias /cgi-bin/ /home/${user}/public_html/cgi-bin/\n`],
    [
      ({ user }) =>
        `<Directory "/home/${user}/public_html/protected">\nAuthType Basic\nAuthName "Protected"\nAuthUserFile "/home/${user}/.htpasswds/public_html/protected/passwd"\nRequire valid-user\n</Directory>\n`,
      0.4,
    ],
    [
      ({ name }) =>
        `RewriteEngine On\nRewriteCond %{HTTP_HOST} ^mail\\.${name.replace(".", "\\.")} [NC]\nRewriteRule ^/(.*) http://${name}/$1 [R=302,L]\n`,
      0.4,
    ],
    [
      ({ user }) =>
        `<Directory "/home/${user}/public_html">\nAllowOverride All\nOrder allow,deny\nAllow from all\nDeny from 192.0.2.66\n</Directory>\n`,
      0.5,
    ],
    [() => "</VirtualHost>\n"],
  ] satisfies readonly Part[],
};

function panelOf(title: string, { main, site }: { main: readonly Part[]; site: readonly Part[] }): FleetVariant {
  return {
    what: `${SITES} sites of ${title}`,
    write: (folder, random) =>
      writeFileSync(join(folder, "httpd.conf"), mainOf(folder, main, random) + sitesOf(site, random)),
  };
}

/** Variants of sites as the templates of control panels write them. */
export const panelVariants: readonly FleetVariant[] = [
  {
    what: `${SITES} sites of ISPConfig`,
    write: (folder, random) => writeFileSync(join(folder, "httpd.conf"), panelHosts(SITES, folder, random)),
  },
  panelOf("Plesk", plesk),
  panelOf("DirectAdmin", directAdmin),
  panelOf("cPanel", cPanel),
];
