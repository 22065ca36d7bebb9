/**
 * `.htaccess` files with the structure of those that well-known web applications ship or write, reduced to one line of each
 * kind. Each has a file that access control protects.
 */
export interface ApplicationHtaccess {
  readonly name: string;
  readonly lines: readonly string[];
}

const frontController = (...target: readonly string[]) => [
  "RewriteCond %{REQUEST_FILENAME} !-f",
  "RewriteCond %{REQUEST_FILENAME} !-d",
  ...target,
];

const keepAuthorization = "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]";

/** Finds the base of a site: the URL path without the part that the rule reads. */
const findBase = ["RewriteCond %{REQUEST_URI}::$1 ^(/.+)/(.*)::\\2$", "RewriteRule ^(.*) - [E=BASE:%1]"];

/** Serves a compressed copy if there is one with content. */
const compressed = (extension: string) => [
  "RewriteCond %{HTTP:Accept-encoding} gzip",
  "RewriteCond %{REQUEST_FILENAME}\\.gz -s",
  `RewriteRule ^(.*)\\.${extension} $1\\.${extension}\\.gz [QSA]`,
  `RewriteRule \\.${extension}\\.gz$ - [T=text/plain,E=no-gzip:1]`,
];

const protect = (section: string) => [
  section,
  "Order allow,deny",
  "Deny from all",
  section.replace(/<(\w+).*/, "</$1>"),
];

export const applicationHtaccess: readonly ApplicationHtaccess[] = [
  {
    name: "WordPress",
    lines: [
      ...["RewriteEngine On", keepAuthorization, "RewriteBase /", "RewriteRule ^index\\.php$ - [L]"],
      ...frontController("RewriteRule . /index.php [L]"),
      ...protect("<Files config.php>"),
    ],
  },
  {
    name: "WordPress with a network of sites",
    lines: [
      ...["RewriteEngine On", keepAuthorization, "RewriteBase /", "RewriteRule ^index\\.php$ - [L]"],
      "RewriteRule ^([\\w-]+/)?wp-admin$ $1wp-admin/ [R=301,L]",
      ...["RewriteCond %{REQUEST_FILENAME} -f [OR]", "RewriteCond %{REQUEST_FILENAME} -d", "RewriteRule ^ - [L]"],
      ...["RewriteRule ^([\\w-]+/)?(wp-(content|admin).*) $2 [L]", "RewriteRule ^([\\w-]+/)?(.*\\.php)$ $2 [L]"],
      ...["RewriteRule . index.php [L]", ...protect("<Files xmlrpc.php>")],
    ],
  },
  {
    name: "WordPress with a cache of pages",
    lines: [
      ...["RewriteEngine On", "RewriteBase /", "RewriteCond %{REQUEST_METHOD} !POST", "RewriteCond %{QUERY_STRING} ^$"],
      "RewriteCond %{HTTP:Cookie} !(comment_author_|logged_in)",
      "RewriteCond %{DOCUMENT_ROOT}/cache/%{SERVER_NAME}/$1/index.html -f",
      'RewriteRule ^(.*) "/cache/%{SERVER_NAME}/$1/index.html" [L]',
      ...frontController("RewriteRule . /index.php [L]"),
      ...protect("<Files config.php>"),
    ],
  },
  {
    name: "Laravel",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{HTTP:Authorization} .", keepAuthorization],
      ...["RewriteCond %{REQUEST_FILENAME} !-d", "RewriteCond %{REQUEST_URI} (.+)/$", "RewriteRule ^ %1 [L,R=301]"],
      ...frontController("RewriteRule ^ index.php [L]"),
      ...protect("<Files .env>"),
    ],
  },
  {
    name: "Laravel, with the rule for the header at the end",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} !-d", "RewriteRule ^(.*)/$ /$1 [L,R=301]"],
      ...frontController("RewriteRule ^ index.php [L]"),
      ...["RewriteCond %{HTTP:Authorization} .", keepAuthorization],
      ...protect('<FilesMatch "^(artisan|composer\\.json)$">'),
    ],
  },
  {
    name: "Drupal",
    lines: [
      ...['<FilesMatch "\\.(inc|module|sh|.*sql|tpl(\\.php)?)(~|\\.sw[op]|\\.bak)?$|^(\\..*|Entries.*|Root)$|^#.*#$">'],
      ...["Order allow,deny", "</FilesMatch>", "ErrorDocument 404 /index.php", "RewriteEngine on"],
      ...["RewriteRule ^ - [E=protossl]", "RewriteCond %{HTTPS} on", "RewriteRule ^ - [E=protossl:s]"],
      ...['RewriteRule "(^|/)\\.(?!well-known)" - [F]', keepAuthorization],
      ...[
        "RewriteCond %{REQUEST_URI} ^(.*)?/(install\\.php) [OR]",
        "RewriteCond %{REQUEST_URI} ^(.*)?/(rebuild\\.php)",
      ],
      ...["RewriteCond %{REQUEST_URI} !core", "RewriteRule ^ %1/core/%2 [L,QSA,R=301]"],
      ...frontController("RewriteCond %{REQUEST_URI} !=/favicon.ico", "RewriteRule ^ index.php [L]"),
      ...[...compressed("css"), ...compressed("js")],
    ],
  },
  {
    name: "Joomla",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{QUERY_STRING} base64_encode[^(]*\\([^)]*\\) [OR]"],
      ...["RewriteCond %{QUERY_STRING} (<|%3C)([^s]*s)+cript.*(>|%3E) [NC]", "RewriteRule .* index.php [F]"],
      ...[keepAuthorization, "RewriteCond %{REQUEST_URI} !^/index\\.php"],
      ...frontController("RewriteRule .* index.php [L]"),
      ...[...compressed("css"), ...protect("<Files configuration.php>")],
    ],
  },
  {
    name: "Symfony",
    lines: [
      ...["DirectoryIndex app.php", "RewriteEngine On", ...findBase, "RewriteCond %{HTTP:Authorization} ."],
      ...["RewriteRule ^ - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]", "RewriteCond %{ENV:REDIRECT_STATUS} ^$"],
      ...["RewriteRule ^app\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]", "RewriteCond %{REQUEST_FILENAME} -f"],
      ...["RewriteRule ^ - [L]", "RewriteRule ^ %{ENV:BASE}/app.php [L]", ...protect("<Files config.php>")],
    ],
  },
  {
    name: "Zend",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} -s [OR]", "RewriteCond %{REQUEST_FILENAME} -l [OR]"],
      ...["RewriteCond %{REQUEST_FILENAME} -d", "RewriteRule ^.*$ - [NC,L]", "RewriteRule ^.*$ index.php [NC,L]"],
      ...protect("<Files config.ini>"),
    ],
  },
  {
    name: "Zend below an Alias",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} -s [OR]", "RewriteCond %{REQUEST_FILENAME} -l"],
      ...["RewriteRule ^.*$ - [L]", ...findBase, "RewriteRule ^(.*)$ %{ENV:BASE}/index.php [L]"],
      ...protect("<Files config.ini>"),
    ],
  },
  {
    name: "Nextcloud",
    lines: [
      ...['SetEnvIfNoCase ^Authorization$ "(.+)" XAUTHORIZATION=$1', "SetEnv modHeadersAvailable true"],
      ...["RewriteEngine on", "RewriteRule .* - [env=HTTP_AUTHORIZATION:%{HTTP:Authorization}]"],
      ...[
        "RewriteRule ^\\.well-known/carddav /remote.php/dav/ [R=301,L]",
        "RewriteRule ^remote/(.*) remote.php [QSA,L]",
      ],
      ...["RewriteRule ^(?:build|config|lib)/.* - [R=404,L]", "RewriteRule ^\\.well-known/(?!acme) /index.php [QSA,L]"],
      ...["RewriteRule ^(?:\\.(?!well-known)|occ|db_).* - [R=404,L]", ...protect("<Files occ>")],
    ],
  },
  {
    name: "a rule that skips the front controller",
    lines: [
      ...["RewriteEngine On", "RewriteCond %{REQUEST_FILENAME} -s [OR]", "RewriteCond %{REQUEST_FILENAME} -d"],
      ...["RewriteRule .? - [S=1]", "RewriteRule ^(.*)$ index.php/$1 [L]", ...protect("<Files config.php>")],
    ],
  },
];
