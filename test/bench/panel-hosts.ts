import type { Random } from "../support/random/random.js";

/**
 * Writes a server of 2.2 as the control panel ISPConfig sets it up: each site has directives of its own for its directories,
 * its PHP starter, its user and the redirect to its main name.
 *
 * @param count number of sites, with 75 lines each
 * @param root an existing folder
 * @param random draws which optional parts all sites have; without it, they have all
 */
export function panelHosts(count: number, root: string, random?: Random): string {
  const isKept = Array.from({ length: OPTIONAL_PARTS }, () => random?.chance(0.6) ?? true);
  const sites = Array.from({ length: count }, (_, index) => panelHost(index + 1, isKept));
  return `ServerRoot "${root}"
Listen 127.0.0.1:8099
ServerName localhost
NameVirtualHost *:8099
<Directory />
    AllowOverride None
    Order Deny,Allow
    Deny from all
</Directory>
<Directory /var/www/conf>
    Options None
    Order Deny,Allow
    Deny from all
</Directory>
<Files ~ "^\\.ht">
    Order allow,deny
    Deny from all
    Satisfy all
</Files>
${sites.join("")}`;
}

const OPTIONAL_PARTS = 6;

function panelHost(site: number, isKept: readonly boolean[]): string {
  const optional = (part: number, text: string) => (isKept[part] ? text : "");
  const name = `site${site}.example`;
  const [link, home] = [`/var/www/${name}`, `/var/www/clients/client${site}/web${site}`];
  const errors = [400, 401, 403, 404, 405, 500, 502, 503].map(
    (status) => `    ErrorDocument ${status} /error/${status}.html\n`,
  );
  return `<Directory ${link}>
    AllowOverride None
    Order Deny,Allow
    Deny from all
</Directory>
<VirtualHost *:8099>
    DocumentRoot ${link}/web
    ServerName ${name}
    ServerAlias www.${name}
    ServerAdmin webmaster@${name}
    ErrorLog /var/log/ispconfig/httpd/${name}/error.log
${optional(0, `    Alias /error/ "${link}/web/error/"\n${errors.join("")}`)}${[link, home].map(webDirectory).join("")}${optional(
  1,
  `    ScriptAlias /cgi-bin/ ${home}/cgi-bin/
    <Directory ${home}/cgi-bin>
        Options +ExecCGI
        Order allow,deny
        Allow from all
    </Directory>
`,
)}    SuexecUserGroup web${site} client${site}
    SetEnv TMPDIR ${home}/tmp
${optional(2, [link, home].map((folder) => phpDirectory(folder, site)).join(""))}${optional(
  3,
  `    RewriteEngine on
    RewriteCond %{HTTP_HOST} ^site${site}\\.example [NC]
    RewriteRule ^/(.*)$ http://www.${name}/$1 [R=301,L]
`,
)}${optional(
  4,
  `    <Directory ${home}/webdav>
        Order allow,deny
        Allow from all
        <FilesMatch "\\.ph(p3?|tml)$">
            SetHandler None
        </FilesMatch>
    </Directory>
`,
)}${optional(
  5,
  `    <Location /stats>
        AuthType Basic
        AuthName "Members"
        AuthUserFile ${home}/web/stats/.htpasswd_stats
        Require valid-user
    </Location>
`,
)}</VirtualHost>
`;
}

function webDirectory(folder: string): string {
  return `    <Directory ${folder}/web>
        Options FollowSymLinks
        AllowOverride Indexes AuthConfig Limit FileInfo
        Order allow,deny
        Allow from all
    </Directory>
`;
}

function phpDirectory(folder: string, site: number): string {
  return `    <Directory ${folder}/web>
        AddHandler fcgid-script .php .php3 .php4 .php5
        FCGIWrapper /var/www/php-fcgi-scripts/web${site}/.php-fcgi-starter .php
        Options +ExecCGI
        AllowOverride Indexes AuthConfig Limit FileInfo
        Order allow,deny
        Allow from all
    </Directory>
`;
}
