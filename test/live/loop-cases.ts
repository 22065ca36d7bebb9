/** The lines of a site, and whether requests to it never end. */
export interface LoopCase {
  readonly title: string;
  /** The lines of the `.htaccess` file of the document root. */
  readonly htaccess?: string;
  /** The lines of the virtual host without TLS. */
  readonly host?: string;
  /** The lines of the virtual host with TLS; without any, the site has none. */
  readonly tls?: string;
  /** Further files of the site. */
  readonly files?: Readonly<Record<string, string>>;
  /** A request that never ends; absent for a site on which every request ends. */
  readonly loops?: string;
  /** Whether the `.htaccess` file on its own does not show it. */
  readonly needsServer?: true;
}

/** The files of each site. */
export const siteFiles = [
  "index.html",
  "index.php",
  "about.html",
  "about.php",
  "news.php",
  "style.css",
  "photos/a.txt",
  "blog/index.html",
  "img/favicon.ico",
];

/** Requests to each site: pages, files, directories, missing ones, the targets of rules. */
export const probedPaths = [
  ...["/", "/index.php", "/index.html", "/page", "/page/", "/photos", "/photos/", "/photos/a.txt", "/blog", "/blog/"],
  ...[
    "/about",
    "/about/",
    "/about.html",
    "/about.php",
    "/news",
    "/news/",
    "/news.php",
    "/style.css",
    "/none.css",
    "/a",
    "/a/",
    "/a/b",
  ],
  ...[
    "/dir/page",
    "/favicon.ico",
    "/page.html",
    "/page.php",
    "/old",
    "/old/x",
    "/new",
    "/new/x",
    "/index.php?q=1",
    "/?p=1",
    "/Page",
    "/a-b",
    "/a_b",
  ],
];

const engine = "RewriteEngine On";
const lines = (...each: readonly string[]) => each.join("\n");
const rules = (...each: readonly string[]) => lines(engine, ...each);
const notFile = "RewriteCond %{REQUEST_FILENAME} !-f";
const notDirectory = "RewriteCond %{REQUEST_FILENAME} !-d";
const toHttps = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";

/** HOST is the name of the site, without `www.`; the site has both. */
export const loopCases: readonly LoopCase[] = [
  // Rules of a directory that apply to their own result.
  {
    title: "a front controller whose pattern leaves out only some files",
    htaccess: rules("RewriteRule !.(js|ico|gif|jpg|png|css|html)$ /index.php"),
    loops: "/page",
  },
  {
    title: "a front controller whose pattern leaves out only images",
    htaccess: rules("RewriteRule !\\.(js|ico|gif|jpe?g|png|css)$ /index.php [L]"),
    loops: "/page",
  },
  {
    title: "a front controller that passes the path in the query",
    htaccess: rules("RewriteRule ^(.*)$ /index.php?q=$1 [L,QSA]"),
    loops: "/page",
  },
  { title: "a front controller for everything", htaccess: rules("RewriteRule . /index.php [L]"), loops: "/page" },
  {
    title: "a front controller with the path after it",
    htaccess: rules("RewriteRule ^(.*)$ index.php/$1 [L]"),
    loops: "/page",
  },
  {
    title: "a relative front controller with the path after it and a base",
    htaccess: rules("RewriteBase /", "RewriteRule ^(.*)$ index.php/$1"),
    loops: "/page",
  },
  {
    title: "a folder that is prepended for everything",
    htaccess: rules("RewriteRule ^(.*)$ /photos/$1 [L]"),
    loops: "/page",
    needsServer: true,
  },
  {
    title: "a folder that is prepended for one name",
    htaccess: rules("RewriteCond %{HTTP_HOST} ^HOST$ [NC]", "RewriteRule ^(.*)$ /photos/$1 [L]"),
    loops: "/page",
    needsServer: true,
  },
  {
    title: "a condition for another file than the target",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/index\\.html$", "RewriteRule ^(.*)$ /index.php [L]"),
    loops: "/page",
  },
  {
    title: "a condition that excludes a folder only",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/photos/", "RewriteRule .* /index.php?url=$0 [QSA,L]"),
    loops: "/page",
  },
  {
    title: "an extension that is always added",
    htaccess: rules("RewriteRule ^(.*)$ $1.php [L]"),
    loops: "/page",
  },
  {
    title: "an extension that is added unless the name is that of a directory",
    htaccess: rules(notDirectory, "RewriteRule ^(.+)$ $1.html [L]"),
    loops: "/page",
  },
  {
    title: "an extension that is added for each missing file",
    htaccess: rules(notFile, "RewriteRule ^(.*)$ $1.php [L]"),
    loops: "/page",
  },
  {
    title: "two rules that lead to each other",
    htaccess: rules("RewriteRule ^about\\.html$ about.php [L]", "RewriteRule ^about\\.php$ about.html [L]"),
    loops: "/about.html",
  },
  {
    title: "rules in a directory section",
    host: lines('<Directory "DOCROOT">', rules("RewriteRule ^(.*)$ /index.php?q=$1 [L,QSA]"), "</Directory>"),
    loops: "/page",
  },
  {
    title: "an exclusion in upper case",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/INDEX\\.php", "RewriteRule ^ /index.php [L]"),
    loops: "/page",
  },
  {
    title: "OR between exclusions",
    htaccess: rules(
      "RewriteCond %{REQUEST_URI} !^/index\\.php [OR]",
      "RewriteCond %{REQUEST_URI} !^/photos/",
      "RewriteRule ^ /index.php [L]",
    ),
    loops: "/page",
  },
  {
    title: "a maintenance page that is rewritten itself",
    htaccess: rules("RewriteCond %{REQUEST_URI} !/maintenance\\.html$", "RewriteRule .* /about.html [L]"),
    loops: "/page",
  },
  {
    title: "a suffix that is added to words",
    htaccess: rules("RewriteRule ^([a-z]+)$ $1x [L]"),
    loops: "/page",
  },
  { title: "a path that begins with a slash", htaccess: rules("RewriteRule ^(.*)$ /$1 [L]"), loops: "/page" },
  {
    title: "a variable that is not set",
    htaccess: rules("RewriteRule ^(.*)$ %{ENV:SUBFOLDER}/$1 [L]"),
    loops: "/page",
  },
  {
    title: "an exclusion after the rule",
    htaccess: rules("RewriteRule ^(.*)$ index.php/$1", "RewriteRule ^index - [L]"),
    loops: "/page",
  },
  // Redirects that lead to themselves.
  {
    title: "a slash that is removed from directories",
    htaccess: rules("RewriteRule ^(.*)/$ /$1 [L,R=301]", notDirectory, notFile, "RewriteRule ^ index.php [L]"),
    loops: "/photos/",
  },
  {
    title: "a slash that is removed with a condition for files only",
    htaccess: rules(notFile, "RewriteRule ^(.+)/$ /$1 [R=301,L]"),
    loops: "/photos/",
  },
  {
    title: "a slash that is removed in a virtual host",
    host: rules("RewriteRule ^/(.+)/$ /$1 [R=301,L]"),
    loops: "/photos/",
  },
  {
    title: "a slash that is removed with RedirectMatch",
    host: "RedirectMatch 301 ^/(.+)/$ /$1",
    loops: "/photos/",
  },
  { title: "a slash that is removed, in a file", htaccess: "RedirectMatch 301 ^/(.+)/$ /$1", loops: "/photos/" },
  {
    title: "slashes that are removed and added",
    htaccess: rules(
      notDirectory,
      "RewriteRule ^(.+)/$ /$1 [R=301,L]",
      "RewriteCond %{REQUEST_URI} !\\.",
      "RewriteRule ^(.*[^/])$ /$1/ [R=301,L]",
    ),
    loops: "/page",
  },
  { title: "a redirect below its own path", host: "Redirect /a /a/b", loops: "/a" },
  { title: "a redirect below its own path, in a file", htaccess: "Redirect 301 /a /a/b", loops: "/a" },
  { title: "a permanent redirect of everything into a folder", host: "RedirectPermanent / /new/", loops: "/page" },
  { title: "a pattern that applies to its target", host: "RedirectMatch ^/(.*)$ /new/$1", loops: "/page" },
  {
    title: "a pattern without anchors",
    htaccess: "RedirectMatch 301 /favicon.ico /img/favicon.ico",
    loops: "/favicon.ico",
  },
  { title: "a redirect with one path", htaccess: "Redirect permanent /old", loops: "/page" },
  { title: "two redirects that lead to each other", host: "Redirect /old /new\nRedirect /new /old", loops: "/old" },
  {
    title: "two redirects in a file that lead to each other",
    htaccess: "Redirect 301 /old /new\nRedirect 301 /new /old",
    loops: "/old",
  },
  {
    title: "a rule that redirects everything into a folder",
    htaccess: rules("RewriteRule ^(.*)$ /new/$1 [R=301,L]"),
    loops: "/page",
  },
  {
    title: "a rule that redirects to the same URL",
    htaccess: rules("RewriteRule ^ http://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]"),
    loops: "/page",
  },
  {
    title: "a rule of a host that redirects to its own name",
    host: rules("RewriteRule ^/(.*)$ http://HOST/$1 [R=301,L]"),
    loops: "/page",
  },
  { title: "a redirect to the same name", host: "Redirect permanent / http://HOST/", loops: "/page" },
  {
    title: "a condition without www in the pattern",
    htaccess: rules("RewriteCond %{HTTP_HOST} !^HOST$ [NC]", "RewriteRule ^(.*)$ http://www.HOST/$1 [R=301,L]"),
    loops: "/page",
  },
  {
    title: "www that is added and removed",
    htaccess: rules(
      "RewriteCond %{HTTP_HOST} !^www\\.",
      "RewriteRule ^(.*)$ http://www.%{HTTP_HOST}/$1 [R=301,L]",
      "RewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]",
      "RewriteRule ^(.*)$ http://%1/$1 [R=301,L]",
    ),
    loops: "/page",
  },
  {
    title: "an index file that is hidden and rewritten again",
    htaccess: rules("RewriteRule ^index\\.php$ / [R=301,L]", notFile, "RewriteRule ^ index.php [L]"),
    loops: "/page",
  },
  {
    title: "an extension that is removed from URLs and added again",
    htaccess: rules(
      "RewriteRule ^(.+)\\.php$ /$1 [R=301,L]",
      "RewriteCond %{REQUEST_FILENAME}.php -f",
      "RewriteRule ^(.*)$ $1.php [L]",
    ),
    loops: "/news",
  },
  {
    title: "an html extension that is removed from URLs and added again",
    htaccess: rules(
      "RewriteRule ^(.*)\\.html$ /$1 [R=301,L]",
      notDirectory,
      "RewriteCond %{REQUEST_FILENAME}.html -f",
      "RewriteRule ^(.+)$ $1.html [L]",
    ),
    loops: "/about",
  },
  {
    title: "lower case that is not tested",
    htaccess: rules("RewriteRule ^(.*)$ /$1?lower=1 [R=301,L]"),
    loops: "/page",
  },
  {
    title: "a test of the request line that the target passes, too",
    htaccess: rules("RewriteCond %{THE_REQUEST} /about", "RewriteRule ^(.*)$ /new/$1 [R=301,L]"),
    loops: "/about",
  },
  // TLS.
  {
    title: "a TLS host that redirects to itself",
    host: "",
    tls: "Redirect permanent / https://HOST/",
    loops: "https:/page",
  },
  {
    title: "both hosts with the same redirect",
    host: "Redirect / https://HOST/",
    tls: "Redirect / https://HOST/",
    loops: "/page",
  },
  {
    title: "hosts that redirect to each other",
    host: "Redirect / https://HOST/",
    tls: "Redirect / http://HOST/",
    loops: "/page",
  },
  {
    title: "a rule for https without a condition",
    htaccess: rules("RewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]"),
    host: "",
    tls: "",
    loops: "/page",
  },
  {
    title: "a rule for https with the opposite condition",
    htaccess: rules("RewriteCond %{HTTPS} on", toHttps),
    host: "",
    tls: "",
    loops: "https:/page",
  },
  {
    title: "a rule for https beside one for http",
    htaccess: rules(
      "RewriteCond %{HTTPS} off",
      toHttps,
      "RewriteCond %{HTTPS} on",
      "RewriteCond %{REQUEST_URI} !^/photos",
      "RewriteRule ^ http://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]",
    ),
    host: "",
    tls: "",
    loops: "/page",
  },
  {
    title: "a TLS host with a rule for the other name, and one back",
    host: "Redirect / https://HOST/",
    tls: rules(
      "RewriteCond %{HTTP_HOST} !^www\\.",
      "RewriteRule ^/(.*)$ https://www.%{HTTP_HOST}/$1 [R=301,L]",
      "RewriteCond %{HTTP_HOST} ^www\\.",
      "RewriteRule ^/(.*)$ https://HOST/$1 [R=301,L]",
    ),
    loops: "/page",
  },
  {
    title: "a test of the scheme that the TLS host never passes",
    host: "",
    tls: rules("RewriteCond %{HTTP:X-Forwarded-Proto} !https", toHttps),
    loops: "https:/page",
  },

  // Sites on which every request ends.
  {
    title: "WordPress",
    htaccess: rules(
      "RewriteBase /",
      "RewriteRule ^index\\.php$ - [L]",
      notFile,
      notDirectory,
      "RewriteRule . /index.php [L]",
    ),
  },
  {
    title: "Laravel",
    htaccess: rules(
      "RewriteCond %{HTTP:Authorization} .",
      "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]",
      notDirectory,
      "RewriteCond %{REQUEST_URI} (.+)/$",
      "RewriteRule ^ %1 [L,R=301]",
      notDirectory,
      notFile,
      "RewriteRule ^ index.php [L]",
    ),
  },
  {
    title: "Joomla",
    htaccess: rules(
      "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]",
      "RewriteCond %{REQUEST_URI} !^/index\\.php",
      notFile,
      notDirectory,
      "RewriteRule .* index.php [L]",
    ),
  },
  {
    title: "Drupal",
    htaccess: rules(notFile, notDirectory, "RewriteCond %{REQUEST_URI} !=/favicon.ico", "RewriteRule ^ index.php [L]"),
  },
  {
    title: "Symfony",
    htaccess: rules(
      "RewriteCond %{REQUEST_URI}::$0 ^(/.+)/(.*)::\\2$",
      "RewriteRule .* - [E=BASE:%1]",
      'RewriteCond %{ENV:REDIRECT_STATUS} =""',
      "RewriteRule ^index\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]",
      notFile,
      "RewriteRule ^ %{ENV:BASE}/index.php [L]",
    ),
  },
  {
    title: "CodeIgniter",
    htaccess: rules(notFile, notDirectory, "RewriteRule ^(.*)$ index.php/$1 [L]"),
  },
  {
    title: "a front controller with END",
    htaccess: rules("RewriteRule ^(.*)$ /index.php?q=$1 [END,QSA]"),
  },
  {
    title: "a front controller for the first round",
    htaccess: rules("RewriteCond %{ENV:REDIRECT_STATUS} ^$", "RewriteRule ^(.*)$ /index.php?q=$1 [L,QSA]"),
  },
  {
    title: "a front controller that excludes itself",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/index\\.php", "RewriteRule ^(.*)$ /index.php?q=$1 [L,QSA]"),
  },
  {
    title: "a front controller whose pattern leaves out scripts",
    htaccess: rules("RewriteRule !\\.(js|ico|gif|jpg|png|css|html|php)$ /index.php"),
  },
  { title: "a relative front controller", htaccess: rules("RewriteRule ^ index.php [L]") },
  { title: "a relative front controller with a pattern", htaccess: rules("RewriteRule ^(.*)$ index.php [L,QSA]") },
  {
    title: "rules of a host, which run once",
    host: rules("RewriteRule ^/(.*)$ /index.php?q=$1 [L,QSA]"),
  },
  {
    title: "a folder that is prepended once",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/photos/", "RewriteRule ^(.*)$ /photos/$1 [L]"),
  },
  {
    title: "a folder with rules of its own",
    htaccess: rules("RewriteRule ^(.*)$ photos/$1 [L]"),
    files: { "photos/.htaccess": "RewriteEngine On\n" },
    needsServer: true,
  },
  {
    title: "an extension that is added to existing files",
    htaccess: rules("RewriteCond %{REQUEST_FILENAME}.php -f", "RewriteRule ^(.*)$ $1.php [L]"),
    loops: "/news/",
  },
  {
    title: "an extension that is added to names without a dot",
    htaccess: rules("RewriteRule ^([^.]+)$ $1.php [L]"),
  },
  {
    title: "an extension that is removed as the client sent it, and added",
    htaccess: rules(
      "RewriteCond %{THE_REQUEST} \\s/+(.+?)\\.php[\\s?]",
      "RewriteRule ^ /%1 [R=301,L]",
      "RewriteCond %{REQUEST_FILENAME}.php -f",
      "RewriteRule ^(.*)$ $1.php [L]",
    ),
    loops: "/news/",
  },
  {
    title: "an extension that is removed and added with END",
    htaccess: rules(
      "RewriteRule ^(.+)\\.php$ /$1 [R=301,L]",
      "RewriteCond %{REQUEST_FILENAME}.php -f",
      "RewriteRule ^(.*)$ $1.php [END]",
    ),
  },
  {
    title: "a slash that is removed except from directories",
    htaccess: rules(notDirectory, "RewriteRule ^(.+)/$ /$1 [R=301,L]"),
  },
  {
    title: "a slash that is removed without DirectorySlash",
    htaccess: lines("DirectorySlash Off", rules("RewriteRule ^(.+)/$ /$1 [R=301,L]")),
  },
  {
    title: "a slash that is added to pages",
    htaccess: rules(notFile, "RewriteCond %{REQUEST_URI} !/$", "RewriteRule ^(.*)$ /$1/ [R=301,L]"),
  },
  { title: "a redirect of a directory to itself with a slash", host: "RedirectMatch 301 ^/old$ /old/" },
  { title: "a redirect to another path", host: "Redirect 301 /old /new" },
  { title: "a redirect with the path of a page", htaccess: "RedirectMatch 301 ^/a/?$ /a/b" },
  { title: "a redirect of everything but its target", host: "RedirectMatch ^/(?!new/)(.*)$ /new/$1" },
  { title: "a redirect of everything to another site", htaccess: "Redirect 301 / https://other.example/" },
  {
    title: "redirects that end",
    htaccess: "Redirect 301 /a/b /new\nRedirect 301 /old /a/b",
  },
  {
    title: "a redirect after the one of its target",
    htaccess: "Redirect 301 /old/new /new\nRedirect 301 /old /old/new",
  },
  {
    title: "www that is added",
    htaccess: rules(
      "RewriteCond %{HTTP_HOST} !^www\\. [NC]",
      "RewriteRule ^(.*)$ http://www.%{HTTP_HOST}/$1 [R=301,L]",
    ),
  },
  {
    title: "www that is removed",
    htaccess: rules("RewriteCond %{HTTP_HOST} ^www\\.(.+)$ [NC]", "RewriteRule ^(.*)$ http://%1/$1 [R=301,L]"),
  },
  {
    title: "one name for all",
    htaccess: rules("RewriteCond %{HTTP_HOST} !^www\\.HOST$ [NC]", "RewriteRule ^(.*)$ http://www.HOST/$1 [R=301,L]"),
  },
  {
    title: "an old name",
    htaccess: rules("RewriteCond %{HTTP_HOST} ^HOST$", "RewriteRule ^(.*)$ http://www.HOST/$1 [R=301,L]"),
  },
  {
    title: "a name of another site",
    htaccess: rules(
      "RewriteCond %{HTTP_HOST} ^(www\\.)?old\\.example$",
      "RewriteRule ^(.*)$ http://new.example/$1 [R=301,L]",
    ),
  },
  {
    title: "https for all",
    htaccess: rules("RewriteCond %{HTTPS} off", toHttps),
    host: "",
    tls: "",
  },
  {
    title: "https and www",
    htaccess: rules(
      "RewriteCond %{HTTPS} off [OR]",
      "RewriteCond %{HTTP_HOST} !^www\\. [NC]",
      "RewriteCond %{HTTP_HOST} ^(?:www\\.)?(.+)$ [NC]",
      "RewriteRule ^ https://www.%1%{REQUEST_URI} [R=301,L]",
    ),
    host: "",
    tls: "",
  },
  {
    title: "https in the plain host",
    host: "Redirect permanent / https://HOST/",
    tls: "",
  },
  {
    title: "https by a rule of the plain host",
    host: rules("RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L,NE]"),
    tls: "",
  },
  {
    title: "https with the header of a proxy",
    htaccess: rules("RewriteCond %{HTTPS} !=on", "RewriteCond %{HTTP:X-Forwarded-Proto} !https [NC]", toHttps),
    host: "",
    tls: "",
  },
  {
    title: "an index file that is hidden as the client sent it",
    htaccess: rules(
      "RewriteCond %{THE_REQUEST} ^[A-Z]+\\s/+index\\.php[\\s?]",
      "RewriteRule ^index\\.php$ / [R=301,L]",
      notFile,
      notDirectory,
      "RewriteRule ^ index.php [L]",
    ),
  },
  {
    title: "a maintenance page",
    htaccess: rules("RewriteCond %{REQUEST_URI} !^/about\\.html$", "RewriteRule .* /about.html [R=302,L]"),
  },
  {
    title: "a page for a cookie that is set with it",
    htaccess: rules("RewriteCond %{HTTP_COOKIE} !seen=1", "RewriteRule ^ /%{REQUEST_URI} [CO=seen:1:%{HTTP_HOST},R,L]"),
  },
  {
    title: "a query that is removed",
    htaccess: rules("RewriteCond %{QUERY_STRING} ^p=", "RewriteRule ^(.*)$ /$1? [R=301,L]"),
  },
  {
    title: "two names of one page",
    htaccess: rules("RewriteRule ^about$ about.html [L]", "RewriteRule ^news$ news.php [L]"),
  },
  // An extension that is added below the path of a file.
  {
    title: "an extension for the path of a file with a slash after it",
    htaccess: rules(notDirectory, "RewriteCond %{REQUEST_FILENAME}.html -f", "RewriteRule ^(.*)$ $1.html"),
    loops: "/about/",
  },
  {
    title: "an extension, with an escaped dot",
    htaccess: rules("RewriteCond %{REQUEST_FILENAME}\\.php -f", "RewriteRule ^(.+)$ $1.php [L]"),
    loops: "/news/",
  },
  {
    title: "an extension for names without a slash",
    htaccess: rules(notDirectory, "RewriteCond %{REQUEST_FILENAME}.html -f", "RewriteRule ^([^/]+)$ $1.html [L]"),
  },
  {
    title: "an extension for paths with an optional slash after them",
    htaccess: rules(notDirectory, "RewriteCond %{REQUEST_FILENAME}.html -f", "RewriteRule ^([^.]+?)/?$ $1.html [L]"),
  },
  {
    title: "an extension, and END",
    htaccess: rules(notDirectory, "RewriteCond %{REQUEST_FILENAME}.html -f", "RewriteRule ^(.*)$ $1.html [END]"),
  },
  {
    title: "an extension, if the file of the whole URL exists",
    htaccess: rules("RewriteCond %{DOCUMENT_ROOT}/$1.html -f", "RewriteRule ^(.*)$ $1.html [L]"),
  },
  // Headers that browsers send again.
  {
    title: "a page for a language, which is below that of the language as well",
    htaccess: rules("RewriteCond %{HTTP:User-Agent} !^Robot", "RewriteRule ^(.*)$ /de/$1 [R=302,L]"),
    loops: "/page",
  },
  {
    title: "a page for a language, without that of the language",
    htaccess: rules("RewriteCond %{HTTP:Accept-Language} ^de", "RewriteRule ^(?!de/)(.*)$ /de/$1 [R=302,L]"),
  },
  // Rules that run again because of N.
  {
    title: "a folder that is prepended in each round",
    host: rules("RewriteRule ^/(.*)$ /a/$1 [N]"),
    loops: "/page",
  },
  {
    title: "a letter that is prepended in each round",
    htaccess: rules("RewriteRule ^(.*)$ x$1 [N]"),
    loops: "/page",
  },
  {
    title: "a separator that is replaced by itself in each round",
    htaccess: rules("RewriteRule ^(.*)-(.*)$ $1-$2 [N]"),
    loops: "/a-b",
  },
  {
    title: "two rules that undo each other in each round",
    htaccess: rules("RewriteRule ^(.*)_(.*)$ $1-$2 [N]", "RewriteRule ^(.*)-(.*)$ $1_$2 [N]"),
    loops: "/a_b",
  },
  {
    title: "a letter that is replaced in either case in each round",
    htaccess: rules("RewriteRule ^(.*)A(.*)$ $1a$2 [N,NC]"),
    loops: "/page",
  },
  {
    title: "a front controller with N instead of L",
    htaccess: rules("RewriteRule ^(.*)$ index.php?q=$1 [N,QSA]"),
    loops: "/page",
  },
  { title: "N in a rule without a target", htaccess: rules("RewriteRule ^about - [N]"), loops: "/about.html" },
  {
    title: "a condition that no round changes",
    htaccess: rules("RewriteCond %{REQUEST_URI} ^/old", "RewriteRule ^(.*)$ $1.bak [N]"),
    loops: "/old",
  },
  {
    title: "N for a host",
    host: rules("RewriteCond %{HTTP_HOST} ^www\\.", "RewriteRule ^/(.*)$ /photos/$1 [N]"),
    loops: "/page",
  },
  {
    title: "blanks and underscores that become hyphens, and N",
    htaccess: rules("RewriteRule ^(.*)_(.*)$ $1-$2 [N]"),
  },
  {
    title: "a redirect after the last round",
    htaccess: rules("RewriteRule ^([^_]*)_([^_]*_.*)$ $1-$2 [N]", "RewriteRule ^([^_]*)_([^_]*)$ /$1-$2 [R=301,L]"),
  },
  {
    title: "N in a rule that does not apply to its result",
    htaccess: rules("RewriteRule ^page$ index.php [N]", "RewriteRule ^old$ about.html [N,NC]"),
  },
  {
    title: "a letter that is replaced by its small letter, and N",
    htaccess: rules("RewriteRule ^(.*)P(.*)$ $1p$2 [N]"),
  },
  {
    title: "N with a condition that its result does not meet",
    htaccess: rules("RewriteCond $1 !^photos/", "RewriteRule ^(.*)$ photos/$1 [N]"),
  },
  // Rules that index files, fallbacks and error documents lead to.
  {
    title: "an index file that is rewritten to its directory",
    htaccess: rules("RewriteCond %{THE_REQUEST} !index\\.php", "RewriteRule ^index\\.php$ / [L]"),
    host: "DirectoryIndex index.php",
    loops: "/",
    needsServer: true,
  },
  {
    title: "an index file that is rewritten to its directory if it is requested",
    htaccess: rules("RewriteCond %{THE_REQUEST} index\\.html", "RewriteRule ^index\\.html$ / [L]"),
    loops: "/index.html",
    needsServer: true,
  },
  {
    title: "an index file that is redirected to its directory if it is requested",
    htaccess: rules("RewriteCond %{THE_REQUEST} index\\.html", "RewriteRule ^index\\.html$ / [R=301,L]"),
  },
  {
    title: "a fallback that is rewritten to a missing file",
    htaccess: lines(
      "FallbackResource /index.php",
      rules("RewriteCond %{THE_REQUEST} !index\\.php", "RewriteRule ^index\\.php$ /none [L]"),
    ),
    loops: "/page",
  },
  {
    title: "a fallback that is rewritten to a file",
    htaccess: lines("FallbackResource /index.php", rules("RewriteRule ^index\\.php$ /about.php [L]")),
  },
  {
    title: "an error document that is redirected to a missing page",
    htaccess: lines("ErrorDocument 404 /about.php", rules("RewriteRule ^about\\.php$ /none [R,L]")),
    loops: "/page",
  },
  {
    title: "an error document that is redirected to a page",
    htaccess: lines("ErrorDocument 404 /about.php", rules("RewriteRule ^about\\.php$ /about.html [R,L]")),
  },
  {
    title: "an error document with the URL of a missing page",
    htaccess: "ErrorDocument 404 http://HOST/none.html",
    loops: "/page",
    needsServer: true,
  },
  {
    title: "an error document with the URL of a page",
    htaccess: "ErrorDocument 404 http://HOST/about.html",
  },
  {
    title: "an error document with a URL that is denied as well",
    host: lines("ErrorDocument 403 http://HOST/about.html", "<Location />", "Require all denied", "</Location>"),
    loops: "/page",
  },
  {
    title: "an error document with a URL that is allowed",
    host: lines(
      "ErrorDocument 403 http://HOST/about.html",
      ...["<Location />", "Require all denied", "</Location>"],
      ...["<Location /about.html>", "Require all granted", "</Location>"],
    ),
  },
  {
    title: "an error document with the URL of the site, whose start page is denied",
    htaccess: lines("ErrorDocument 403 http://HOST/", rules("RewriteRule ^$ - [F]")),
    loops: "/",
    needsServer: true,
  },
  {
    title: "an error document with the URL of another site",
    htaccess: "ErrorDocument 404 http://errors.example/none.html",
  },
];
