import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadModules } from "../support/httpd/httpd.js";

/** A server whose document tree has `.htaccess` files, as in shared hosting. */
export interface PlantedTree {
  readonly main: string;
  readonly documents: string;
  readonly files: number;
}

const modules = [
  ...["mpm_event", "authn_core", "authn_file", "authz_core", "authz_host", "authz_user", "authz_groupfile"],
  ...["access_compat", "auth_basic", "alias", "autoindex", "deflate", "dir", "env", "expires", "headers", "mime"],
  ...["rewrite", "setenvif"],
];

/**
 * Writes a document tree with a `.htaccess` file in each directory, and a main file that allows them everything.
 *
 * @param folder an existing folder
 * @param hosts number of virtual hosts that share the files; 0: all are below the main server's DocumentRoot
 */
export function plantTree(folder: string, files: number, hosts: number): PlantedTree {
  const documents = join(folder, "www");
  const each = Math.ceil(files / Math.max(hosts, 1));
  for (let n = 0; n < files; n++) {
    const host = hosts === 0 ? "all" : `host${Math.floor(n / each)}`;
    const directory = join(documents, host, ...placeOf(n % each));
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, ".htaccess"), contentOf(n));
  }
  const main = join(folder, "httpd.conf");
  writeFileSync(main, mainFile(folder, documents, hosts));
  return { main, documents, files };
}

/** Returns the path of a directory in a tree with ten subdirectories in each. */
function placeOf(n: number): string[] {
  const names: string[] = [];
  for (let rest = n; rest > 0; rest = Math.floor((rest - 1) / 10)) names.unshift(`d${(rest - 1) % 10}`);
  return names;
}

function mainFile(root: string, documents: string, hosts: number): string {
  const server = `ServerRoot "${root}"
Listen 127.0.0.1:8099
ServerName localhost
PidFile pid
ErrorLog error.log
${loadModules(modules)}DocumentRoot "${hosts === 0 ? join(documents, "all") : documents}"
<Directory "/">
    AllowOverride None
    Require all denied
</Directory>
<Directory "${documents}">
    AllowOverride All
    Options FollowSymLinks
    Require all granted
</Directory>
`;
  const each = Array.from(
    { length: hosts },
    (_, n) => `<VirtualHost *:8099>
    ServerName host${n}.example.org
    ServerAlias www.host${n}.example.org
    DocumentRoot "${join(documents, `host${n}`)}"
    ErrorLog logs/host${n}.log
</VirtualHost>
`,
  );
  return server + each.join("");
}

/** Returns a file's content: half are copies from an application, the others are individual. */
function contentOf(n: number): string {
  const kinds = n % 2 === 0 ? copies : own;
  const kind = kinds[Math.floor(n / 2) % kinds.length];
  return kind === undefined ? "" : kind(n);
}

type Content = (n: number) => string;

const copies: readonly Content[] = [
  () => `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`,
  () => "Require all denied\n",
  () => `<IfModule mod_authz_core.c>
    Require all denied
</IfModule>
<IfModule !mod_authz_core.c>
    Order deny,allow
    Deny from all
</IfModule>
`,
  () => `Options -Indexes
<FilesMatch "\\.(bak|inc|sql)$">
    Order allow,deny
    Deny from all
</FilesMatch>
`,
  () => `<IfModule mod_expires.c>
    ExpiresActive On
    ExpiresByType image/png "access plus 1 month"
    ExpiresByType text/css "access plus 1 week"
</IfModule>
Header set X-Content-Type-Options nosniff
AddOutputFilterByType DEFLATE text/html text/css
`,
];

const own: readonly Content[] = [
  (n) => `Order deny,allow\nDeny from all\nAllow from 10.${n % 250}.${(n >> 8) % 250}.0/24\n`,
  (n) => `Require ip 10.${n % 250}.0.0/16\nRequire ip 192.0.2.${n % 250}\n`,
  (n) => `AuthType Basic\nAuthName "Members ${n}"\nAuthUserFile "/srv/passwords/${n}"\nRequire valid-user\n`,
  (n) => `AuthType Basic\nAuthName "Staff ${n}"\nAuthUserFile "/srv/passwords/${n}"\nRequire user amy${n}
Order allow,deny\nAllow from 192.0.2.${n % 250}\nSatisfy Any\n`,
  (n) => `RewriteEngine On\nRewriteCond %{HTTP_HOST} ^old${n}\\.example\\.org$ [NC]
RewriteRule ^(.*)$ https://new${n}.example.org/$1 [R=301,L]\nRedirect 301 /was${n} /is${n}\n`,
  (n) => `ErrorDocument 404 /missing-${n}.html\nDirectoryIndex index-${n}.html\nHeader set X-Site "site ${n}"\n`,
  (n) =>
    `<Files "secret-${n}.txt">\n    Order allow,deny\n    Allow from all\n    Deny from 198.51.100.${n % 250}\n</Files>\n`,
  // Invalid ones.
  (n) => `Requier ip 10.0.${n % 250}.1\n`,
  (n) => `<FilesMatch "\\.php${n}$">\n    Require all denied\n`,
  (n) => `RewriteEngine On\nRewriteRule ^(old${n} /new [R=301]\n`,
];
