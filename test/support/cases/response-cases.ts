import { bobAuthentication } from "../httpd/running-httpd.js";

/** A server with requests, and its responses: the status, and the numbers of the messages in the error log. */
export interface ResponseCase {
  readonly title: string;
  readonly modules?: readonly string[];
  readonly lines: readonly string[];
  /** `METHOD path`, with a Host header or another one, a body of some length, or the user `bob`. */
  readonly requests: readonly ResponseRequest[];
}

export type ResponseRequest = readonly [request: string, answer: string, more?: RequestExtras];

interface RequestExtras {
  readonly host?: string;
  readonly body?: number;
  readonly referer?: string;
  readonly isBob?: boolean;
}

export const responseModules: readonly string[] = [
  ...["authn_core", "authn_file", "auth_basic", "authz_core", "authz_user", "alias", "dir", "mime", "rewrite"],
  "setenvif",
];

export const responseFiles: Readonly<Record<string, string>> = {
  "a.txt": "a",
  "secret/x.txt": "s",
  "err/403.html": "E",
  "den/e.html": "d",
  "d/index.html": "i",
  "e/x.txt": "x",
};

const denied = [
  ...['<Directory "DOCROOT/secret">', "Require all denied", "</Directory>"],
  ...['<Directory "DOCROOT/den">', "Require all denied", "</Directory>"],
];

const form = [
  ...["<Location /d>", "AuthType form", "AuthName x", "AuthFormProvider file", "AuthUserFile users", "Session On"],
  ...["SessionCookieName s path=/", "Require valid-user"],
];

/** Settings of a section with a login, in which a file or all users of a provider are missing. */
const providerSections: readonly (readonly string[])[] = [
  ["AuthBasicProvider dbm file", "AuthDBMUserFile none"],
  ["AuthBasicProvider dbm", "AuthDBMUserFile none"],
  ["AuthBasicProvider dbm", "AuthDBMUserFile none", "AuthDBMType GDBM"],
  ["AuthBasicProvider other file"],
  ["AuthBasicProvider file anon", "AuthUserFile none-of-users", "Anonymous *"],
  ["AuthBasicProvider file dbm", "AuthDBMUserFile none"],
  ["AuthBasicProvider socache file", "AuthnCacheProvideFor file"],
  ["AuthBasicProvider anon dbm", "AuthDBMUserFile none", "Anonymous *", "Anonymous_MustGiveEmail off"],
];

export const responseCases: readonly ResponseCase[] = [
  {
    title: "local error documents",
    lines: [
      ...denied,
      ...["ErrorDocument 403 /err/403.html", "ErrorDocument 404 /den/e.html", "RewriteEngine on"],
      ...["RewriteRule ^/away http://q.test/ [R=307,L]", "RewriteRule ^/no - [F]"],
      ...["<Location /l/gone>", "ErrorDocument 404 /gone", "</Location>"],
      ...["<Location /l/away>", "ErrorDocument 404 /away", "</Location>"],
      ...["<Location /l/loop>", "ErrorDocument 404 /no", "</Location>", "<Location /no>", "ErrorDocument 403 /no"],
      ...["</Location>", "<Location /l/text>", 'ErrorDocument 404 "a text"', "</Location>"],
      ...["<Location /l/default>", "ErrorDocument 404 default", "</Location>"],
    ],
    requests: [
      ["GET /secret/x.txt", "403 AH01630"],
      ["POST /secret/x.txt", "403 AH01630"],
      ["GET /l/none", "404 AH01630"],
      ["GET /l/gone", "404"],
      ["GET /l/away", "307"],
      ["GET /l/text", "404"],
      ["GET /l/default", "404"],
      ["GET /a.txt", "200"],
    ],
  },
  {
    title: "error documents that rules reject",
    lines: [
      ...denied,
      ...["ErrorDocument 403 /d/e.html", "ErrorDocument 404 /d/x.html", "RewriteEngine on"],
      ...["RewriteRule ^/q/(.*) /$1", "RewriteRule ^/teapot - [R=404]", "RewriteRule ^/abs http://o.test/"],
      ...["RewriteRule ^/away http://o.test/ [R=301]", 'RewriteRule ^/space "/a.txt?x y" [B,NE]'],
      ...['<Directory "DOCROOT/d">', "RewriteEngine On", "Options None", "</Directory>"],
      ...["<Location /l/abs>", "ErrorDocument 404 /abs", "</Location>"],
      ...["<Location /l/away>", "ErrorDocument 404 /away", "</Location>"],
      ...["<Location /l/space>", "ErrorDocument 404 /space", "</Location>"],
      ...["<Location /l/alias>", "ErrorDocument 404 /alias", "</Location>", "Redirect /alias http://o.test/"],
      ...["<Location /l/unsafe>", "ErrorDocument 404 /q/a%3fx", "</Location>"],
    ],
    requests: [
      ["GET /secret/x.txt", "403 AH01630 AH00670"],
      ["GET /d/index.html", "403 AH00670 AH00670"],
      ["GET /none", "404 AH00670"],
      ["GET /teapot", "404 AH00670"],
      ["GET /q/a%3fx", "403 AH10508 AH00670"],
      ["GET /l/abs", "302"],
      ["GET /l/away", "301"],
      ["GET /l/space", "404 AH10410"],
      ["GET /l/alias", "404"],
      ["GET /l/unsafe", "404 AH10508"],
    ],
  },
  {
    title: "redirects to URLs that are partly unknown, with a `?` from the path",
    lines: [
      ...["RewriteEngine on", "RewriteMap low int:tolower"],
      ...["RewriteRule ^/u/(.*) https://o.test/%{TIME}/$1 [R,L]"],
      ...["RewriteRule ^/map/(.*) https://o.test/%{TIME}/${low:$1} [R,L]"],
      ...["RewriteRule ^/query/(.*) https://o.test/?t=%{TIME}&p=$1 [R,L]"],
      ...["RewriteRule ^/later/(.*) https://o.test/%{TIME}?p=$1 [R,L]"],
      ...["RewriteRule ^/last/(.*) https://o.test/%{TIME}?p=$1 [R,L,QSL]"],
      ...["RewriteRule ^/own/(.*) https://o.test/$1/%{TIME}?p=1 [R,L,QSL]"],
      ...["RewriteRule ^/safe/(.*) https://o.test/%{TIME}/$1 [R,L,UnsafeAllow3F]"],
    ],
    requests: [
      ["GET /u/ax", "302"],
      ["GET /u/a%3fx", "403 AH10508"],
      ["GET /map/ax", "302"],
      ["GET /map/a%3fx", "403 AH10508"],
      ["GET /query/a%3fx", "302"],
      ["GET /later/a%3fx", "302"],
      ["GET /last/a%3fx", "403 AH10508"],
      ["GET /own/a%3fx", "302"],
      ["GET /safe/a%3fx", "302"],
    ],
  },
  {
    title: "messages of handlers before those of an error document",
    modules: ["autoindex", "cgi"],
    lines: [
      ...denied,
      ...["ErrorDocument 403 /den/e.html", "ErrorDocument 404 /den/e.html", "ErrorDocument 501 /den/e.html"],
      'ScriptAlias /cgi-bin/ "DOCROOT/e/"',
    ],
    requests: [
      ["GET /e/", "403 AH01276 AH01630"],
      ["GET /cgi-bin/none.cgi", "404 AH02811 AH01630"],
      ["GET /cgi-bin/", "403 AH02812 AH01630"],
      ["UNBIND /a.txt", "501 AH00135 AH01630"],
    ],
  },
  {
    title: "error documents of rejected paths and hosts",
    lines: [
      ...denied,
      ...["ErrorDocument 400 /den/e.html", "ErrorDocument 404 /err/403.html", "<VirtualHost *>", "ServerName x.test"],
      ...["</VirtualHost>", "<VirtualHost *>", "ServerName y.test", "ErrorDocument 400 /away"],
      ...["ErrorDocument 404 http://o.test/", "RewriteEngine on", "RewriteRule ^/away - [G]", "</VirtualHost>"],
    ],
    requests: [
      ["GET /a%2fb", "404"],
      ["GET /a%zz", "400 AH10244 AH01630"],
      ["GET /a.txt", "400 AH01630", { host: "a b" }],
      ["GET /a%2fb", "302", { host: "y.test" }],
      ["GET /a%zz", "410 AH10244", { host: "y.test" }],
    ],
  },
  {
    title: "targets and methods of mod_dav",
    modules: ["dav", "dav_fs"],
    lines: ["ErrorDocument 400 /den/e.html", ...denied, '<Location "*">', "Require all denied", "</Location>"],
    requests: [
      ["OPTIONS *", "200"],
      ["GET *", "400 AH01630"],
      ["CONNECT /a.txt", "400 AH01630"],
      ["CONNECT /secret/x.txt", "400 AH01630"],
      ["CONNECT *", "400 AH01630"],
      ["SEARCH /a.txt", "405"],
      ["BIND /a.txt", "405"],
      ["UNBIND /a.txt", "501 AH00135"],
    ],
  },
  {
    title: "external error documents",
    lines: [
      ...denied,
      ...["ErrorDocument 403 http://o.test/", "ErrorDocument 404 https://o.test/", "ErrorDocument 405 http://o.test/"],
      ...["ErrorDocument 401 http://o.test/", "<Location /d>", "AuthType Basic", "AuthName x", "AuthUserFile users"],
      ...["Require valid-user", "</Location>"],
    ],
    requests: [
      ["GET /secret/x.txt", "302 AH01630"],
      ["GET /none", "302"],
      ["PUT /a.txt", "302"],
      ["GET /d/", "401"],
      ["GET /a.txt", "200"],
    ],
  },
  {
    title: "mod_dav",
    modules: ["dav", "dav_fs", "dav_lock"],
    lines: ["DavLockDB lk", '<Directory "DOCROOT">', "Dav On", "</Directory>"],
    requests: [
      ["PROPFIND /a.txt", "207"],
      ["PROPFIND /none", "404"],
      ["PROPFIND /a.txt/more", "400"],
      ["PROPFIND /a.txt/", "400"],
      ["PUT /a.txt/", "400"],
      ["DELETE /none", "404"],
      ["PUT /no/dir", "409"],
      ["MKCOL /no/dir", "409"],
      ["MKCOL /a.txt", "405"],
      ["MKCOL /a.txt", "415", { body: 2 }],
      ["MKCOL /no/dir", "415", { body: 2 }],
      ["PATCH /a.txt", "405"],
      ["OPTIONS /none", "200"],
      ["GET /a.txt", "200"],
      ["GET /none", "404"],
      ["POST /a.txt", "200"],
    ],
  },
  {
    title: "mod_dav and directories",
    modules: ["dav", "dav_fs", "dav_lock", "negotiation"],
    lines: [
      ...["DavLockDB lk", '<Directory "DOCROOT">', "Dav On", "</Directory>"],
      ...["<Files *.var>", "SetHandler type-map", "</Files>"],
    ],
    requests: [
      ["PUT /d/", "405"],
      ["DELETE /d/", "405"],
      ["PROPFIND /d/", "405"],
      ["MKCOL /d/", "405", { body: 2 }],
      ["PUT /d", "301"],
      ["PUT /e/", "409"],
      ["MKCOL /e/", "405"],
      ["MKCOL /e/", "415", { body: 2 }],
      ["PROPFIND /e/", "403"],
      ["OPTIONS /e/", "200"],
      ["PATCH /e/", "405"],
      ["UNBIND /e/", "501 AH00135"],
      ["MOVE /none", "404"],
      ["COPY /a.txt", "400 AH00591"],
      ["MOVE /e/", "400 AH00591"],
      ["PROPFIND /none.var", "404"],
      ["UNBIND /none.var", "501 AH00135"],
    ],
  },
  {
    title: "mod_dav without a lock database, and with handlers of directories",
    modules: ["dav", "dav_fs"],
    lines: ['<Directory "DOCROOT">', "Dav On", "DavDepthInfinity Off", "DirectoryCheckHandler On", "</Directory>"],
    requests: [
      ["PUT /d/", "409"],
      ["PROPFIND /d/", "403"],
      ["MKCOL /a.txt", "405"],
      ["DELETE /none", "404"],
      ["PUT /a.txt/more", "400"],
    ],
  },
  {
    title: "mod_dav and long bodies",
    modules: ["dav", "dav_fs"],
    lines: ["DavLockDB lk", "LimitRequestBody 3", '<Directory "DOCROOT">', "Dav On", "</Directory>"],
    requests: [
      ["PUT /a.txt", "413", { body: 5 }],
      ["PUT /e/new.txt", "413", { body: 5 }],
      ["DELETE /a.txt", "413", { body: 5 }],
    ],
  },
  {
    title: "Script for a directory",
    modules: ["actions"],
    lines: [
      ...["Script PATCH /no", "<Location /no>", "Require all denied", "</Location>"],
      ...['<Directory "DOCROOT/e">', "Action httpd/unix-directory /none", "</Directory>"],
      ...['<Directory "DOCROOT/d">', "Script PUT /no", "</Directory>"],
    ],
    requests: [
      ["PUT /d/index.html", "403 AH01630"],
      ["PATCH /e/", "403 AH01630"],
      ["PATCH /d/", "403 AH01630"],
      ["PATCH /a.txt", "403 AH01630"],
      ["PUT /e/", "405"],
    ],
  },
  {
    title: "Script for a page of mod_status",
    modules: ["actions", "status"],
    lines: [...denied, ...["Script PATCH /secret", "<Location /status>", "SetHandler server-status", "</Location>"]],
    requests: [
      ["GET /status", "200"],
      ["PATCH /status", "403 AH01630"],
      ["PUT /status", "405"],
    ],
  },
  {
    title: "AcceptPathInfo for the path after an index file",
    lines: [
      ...['<Directory "DOCROOT/d">', "DirectoryIndex /a.txt/more", "AcceptPathInfo On", "</Directory>"],
      ...['<Directory "DOCROOT/e">', "DirectoryIndex /a.txt/more", "</Directory>"],
      ...['<Directory "DOCROOT/err">', "DirectoryIndex /d/index.html/more", "</Directory>"],
    ],
    requests: [
      ["GET /d/", "200"],
      ["GET /e/", "404"],
      ["GET /err/", "404"],
      ["GET /d/index.html/more", "200"],
    ],
  },
  {
    title: "`*` after a host",
    lines: [],
    requests: [["OPTIONS http://x.test*", "400"]],
  },
  {
    title: "error documents for the index file of a directory",
    lines: [
      ...['<Directory "DOCROOT/d">', "ErrorDocument 403 /gone", "</Directory>", "RewriteEngine On"],
      ...["RewriteRule ^/gone - [G]", "<Files index.html>", "Require all denied", "ErrorDocument 403 http://o.test/"],
      ...["</Files>", '<Directory "DOCROOT/e">', "DirectoryIndex /d/index.html", "</Directory>"],
    ],
    requests: [
      ["GET /d/index.html", "302 AH01630"],
      ["GET /d/", "410 AH01630"],
      ["GET /e/", "403 AH01630"],
    ],
  },
  {
    title: "rules of a section that lead to a backend, and CheckSpelling",
    modules: ["speling", "proxy"],
    lines: [
      ...['<Directory "DOCROOT">', "CheckSpelling On", "RewriteEngine On", "RewriteRule ^b.txt$ odd://o.test/ [P]"],
      "</Directory>",
    ],
    requests: [
      ["GET /b.txt", "500 AH01144"],
      ["GET /c.txt", "301"],
    ],
  },
  {
    title: "StrictHostCheck",
    lines: [
      ...["StrictHostCheck On", "<VirtualHost *>", "ServerName x.test", "ServerAlias *.w.test", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName z.test", "</VirtualHost>"],
    ],
    requests: [
      ["GET /a.txt", "200", { host: "x.test" }],
      ["GET /a.txt", "200", { host: "q.w.test" }],
      ["GET /a.txt", "200", { host: "Z.test." }],
      ["GET /a.txt", "400 AH10157", { host: "other.test" }],
      ["GET /a.txt", "400 AH10157", { host: "127.0.0.1" }],
    ],
  },
  {
    title: "StrictHostCheck without virtual hosts",
    lines: ["StrictHostCheck On"],
    requests: [
      ["GET /a.txt", "200", { host: "x.test" }],
      ["GET /a.txt", "400 AH10156", { host: "other.test" }],
    ],
  },
  {
    title: "StrictHostCheck of a virtual host other than the default",
    lines: [
      ...["<VirtualHost *>", "ServerName x.test", "</VirtualHost>", "<VirtualHost *>", "ServerName z.test"],
      ...["StrictHostCheck On", "</VirtualHost>"],
    ],
    requests: [["GET /a.txt", "200", { host: "other.test" }]],
  },
  {
    title: "HttpProtocolOptions Unsafe",
    lines: [
      ...["HttpProtocolOptions Unsafe", "<VirtualHost *>", "ServerName x.test", "</VirtualHost>", "<VirtualHost *>"],
      ...["ServerName z.test", "HttpProtocolOptions Strict", "Redirect 410 /a.txt", "</VirtualHost>"],
    ],
    requests: [
      ["GET /a.txt", "200", { host: "a b" }],
      ["GET /a.txt", "200", { host: "1.2.3.4x" }],
      ["GET /a.txt", "200", { host: "123" }],
      ["GET /a.txt", "200", { host: "z.test:" }],
      ["GET /a.txt", "410", { host: "z.test" }],
      ["GET /a.txt", "410", { host: "Z.test.:81" }],
      ["GET /a.txt", "400", { host: "a..b" }],
      ["GET /a.txt", "400", { host: "a/b" }],
      ["GET /a.txt", "400", { host: "z.test:99999" }],
      ["GET /a.txt", "400", { host: ":80" }],
      ["GET /a.txt", "400", { host: "[::x]" }],
      ["GET /a.txt", "200", { host: "[::1]" }],
    ],
  },
  {
    title: "HttpProtocolOptions of a virtual host other than the default",
    lines: [
      ...["<VirtualHost *>", "ServerName x.test", "</VirtualHost>", "<VirtualHost *>", "ServerName z.test"],
      ...["HttpProtocolOptions Unsafe", "</VirtualHost>"],
    ],
    requests: [["GET /a.txt", "400", { host: "a b" }]],
  },
  {
    title: "LimitRequestBody",
    lines: [
      ...["LimitRequestBody 3", "Redirect /r http://e.test/", "ErrorDocument 413 http://e.test/413"],
      ...["<Location /d>", "LimitRequestBody 0", "</Location>", ...denied],
      ...['<Directory "DOCROOT">', "RewriteEngine on", "RewriteRule ^(l.*) l$1", "</Directory>"],
    ],
    requests: [
      ["POST /r/x", "413", { body: 5 }],
      ["POST /secret/x.txt", "413 AH01630", { body: 5 }],
      ["POST /secret/x.txt", "403 AH01630", { body: 2 }],
      ["POST /a.txt", "302", { body: 5 }],
      ["PUT /none", "302", { body: 5 }],
      ["GET /none", "302", { body: 5 }],
      ["GET /a%zz", "400 AH10244", { body: 5 }],
      ["GET /a%2fb", "413", { body: 5 }],
      ["POST /l", "500 AH00124", { body: 5 }],
      ["POST /none", "404", { body: 2 }],
      ["MOVE /a.txt", "405"],
      ["UNBIND /a.txt", "302", { body: 5 }],
      ["UNBIND /a.txt", "501 AH00135", { body: 2 }],
      ["POST /d/", "200", { body: 5 }],
      ["POST /d", "301", { body: 5 }],
    ],
  },
  {
    title: "LimitRequestBody and backends",
    modules: ["proxy", "proxy_http"],
    lines: [
      ...["LimitRequestBody 3", "ProxyPass /p http://127.0.0.1:1/", "RewriteEngine on"],
      ...[
        "RewriteRule ^/r http://127.0.0.1:1/ [P]",
        "<LocationMatch ^/./no>",
        "Require all denied",
        "</LocationMatch>",
      ],
      ...["<Location /h>", 'SetHandler "proxy:http://127.0.0.1:1/"', "</Location>", "<Location /p/no/e>"],
      ...["ErrorDocument 403 http://e.test/", "</Location>"],
    ],
    requests: [
      ["POST /p/no", "403 AH01630", { body: 5 }],
      ["FOO /r/no", "403 AH01630", { body: 5 }],
      ["POST /h/no", "413 AH01630", { body: 5 }],
      ["POST /p/no/e", "302 AH01630", { body: 5 }],
    ],
  },
  {
    title: "a missing FallbackResource below MultiViews",
    modules: ["negotiation"],
    lines: ['<Directory "DOCROOT">', "Options MultiViews", "FallbackResource /none/x.php", "</Directory>"],
    requests: [
      ["GET /missing.html", "500 AH00125"],
      ["GET /none/x.php", "500 AH00125"],
      ["GET /a.txt", "200"],
    ],
  },
  {
    title: "a login page of mod_auth_form",
    modules: ["session", "session_cookie", "request", "auth_form"],
    lines: [
      ...[...form, "AuthFormLoginRequiredLocation http://x.test/login", "</Location>", "<Location /e/>"],
      ...["DirectoryIndex /d/index.html a.txt", "</Location>"],
    ],
    requests: [
      ["GET /d/", "302"],
      ["GET /e/", "302"],
      ["POST /d/", "302"],
      ["GET /a.txt", "200"],
    ],
  },
  {
    title: "handlers of rules",
    modules: ["status", "cgid"],
    lines: [
      ...["RewriteEngine on", "RewriteRule ^/(?:a.txt|none|d/)$ - [H=application/x-httpd-php]"],
      ...[
        "RewriteRule ^/st - [H=Server-Status]",
        "RewriteRule ^/cgi - [H=cgi-script]",
        "RewriteRule ^/ht - [H=default-handler]",
      ],
      ...['<Directory "DOCROOT">', "RewriteEngine on", "RewriteRule ^in/st - [H=server-status]", "</Directory>"],
    ],
    requests: [
      ["GET /a.txt", "200"],
      ["PUT /a.txt", "405"],
      ["GET /none", "404"],
      ["GET /d/", "200"],
      ["GET /st", "200"],
      ["PUT /st", "405"],
      ["GET /cgi", "403 AH01262"],
      ["GET /ht", "404"],
      ["GET /in/st", "200"],
    ],
  },
  {
    title: "handlers that no module provides",
    modules: ["autoindex"],
    lines: [
      ...["<FilesMatch \\.txt$>", "SetHandler application/x-httpd-php", "</FilesMatch>"],
      ...["<Location /n>", "SetHandler foo", "</Location>", "<Location /e/>", "SetHandler foo", "Options Indexes"],
      ...["</Location>", "AddHandler foo .html"],
    ],
    requests: [
      ["GET /a.txt", "200"],
      ["PUT /a.txt", "405"],
      ["POST /a.txt", "200"],
      ["GET /none.txt", "404"],
      ["GET /n", "404"],
      ["GET /a.txt/more", "404"],
      ["GET /e/", "404"],
      ["OPTIONS /e/", "200"],
      ["GET /d/", "200"],
      ["PUT /d/index.html", "405"],
    ],
  },
  {
    title: "escape and unescape in expressions",
    lines: [
      "<Location /a.txt>",
      "Require expr \"escape('a b/%') == 'a%20b/%25' && unescape('%41%2F') == 'A%2F' && unescape('a%') == ''\"",
      "</Location>",
      ...["<Location /d/>", "Require expr \"unescape('%41') == '%41'\"", "</Location>"],
    ],
    requests: [
      ["GET /a.txt", "200"],
      ["GET /d/", "403 AH01630"],
    ],
  },
  {
    title: "response headers that the server refuses to send",
    modules: ["headers", "env"],
    lines: [
      ...[...denied, "SetEnv set 1", "<Location /a.txt>", "Header set X?Bad y", "</Location>", "<Location /secret>"],
      ...["Header set X?Bad y", "</Location>", "<Location /den>", 'Header always append "X Bad" y', "</Location>"],
      ...["<Location /d/>", "Header set X@Bad: y env=!set", "Header set X-Good: y env=set", "</Location>"],
      ...["<Location /d>", "Header set X?Bad y early", "Header add (a) y expr=false", "</Location>"],
      ...["<Location /e/>", "Header merge a=b c env=set", "Header always add {x} y env=!set", "</Location>"],
      ...["<Location /e/no>", "Require all denied", "</Location>"],
      ...["<Location /err/>", "Header set X?Bad y", "Header unset x?bad", "Header note No{te y", "</Location>"],
    ],
    requests: [
      ["GET /a.txt", "500 AH02429"],
      ["HEAD /a.txt", "500 AH02429"],
      ["PUT /a.txt", "405"],
      ["GET /secret/x.txt", "403 AH01630"],
      ["GET /den/e.html", "500 AH01630 AH02429 AH02429"],
      ["GET /den", "500 AH01630 AH02429 AH02429"],
      ["GET /d/", "200"],
      ["GET /e/x.txt", "500 AH02429"],
      // SetEnv has not run if access is denied.
      ["GET /e/no", "500 AH01630 AH02429 AH02429"],
      ["GET /err/403.html", "200"],
      ["GET /d/none", "404"],
    ],
  },
  {
    title: "response headers with other names than tokens, and HttpProtocolOptions Unsafe",
    modules: ["headers"],
    lines: [
      ...["HttpProtocolOptions Unsafe", "<Location /d/>", "Header set X'~!#$&*+^_`|.-B y", "</Location>"],
      ...[
        "<Location /a.txt>",
        'Header set "X Bad" y',
        "</Location>",
        "<Location /e/>",
        "Header set :x y",
        "</Location>",
      ],
    ],
    requests: [
      ["GET /a.txt", "500 AH02429"],
      ["GET /d/", "200"],
    ],
  },
  {
    title: "response headers that are invalid before the path is known",
    modules: ["headers"],
    lines: [
      ...["Header always set X{Bad y early", "<Location /a.txt>", "Header unset X{Bad", "</Location>"],
      ...["<Location /den>", "Header always unset X{Bad:", "Require all denied", "</Location>"],
      ...["<Location /d/>", "Header always unset x{bad:", "</Location>"],
    ],
    requests: [
      ["GET /a.txt", "500 AH02429"],
      ["GET /den/e.html", "500 AH01630 AH02429"],
      ["GET /d/index.html", "200"],
      ["GET /none", "500 AH02429"],
      ["GET /a%zz", "500 AH10244 AH02429"],
      ["GET /a.txt", "400", { host: "a b" }],
    ],
  },
  {
    title: "invalid response headers and error documents",
    modules: ["headers"],
    lines: [
      ...[...denied, "ErrorDocument 500 http://o.test/", "<Location /den>", "Header always set [x] y", "</Location>"],
      ...["<Location /d/>", "Header set [x] y", "</Location>", "ErrorDocument 404 /d/index.html"],
      ...["<Location /e/>", "Header set [x] y", "ErrorDocument 500 default", "</Location>"],
    ],
    requests: [
      ["GET /secret/x.txt", "403 AH01630"],
      ["GET /a.txt", "200"],
      ["GET /d/", "302 AH02429"],
      ["GET /e/x.txt", "500 AH02429"],
      ["GET /den/e.html", "500 AH01630 AH02429 AH02429"],
      ["GET /a%zz", "400 AH10244"],
      ["GET /none", "404 AH02429"],
    ],
  },
  {
    title: "limits of the request line and of headers",
    lines: [
      "LimitRequestLine 50",
      "LimitRequestFieldSize 60",
      "LimitRequestFields 3",
      ...["<VirtualHost *:*>", "ServerName x.test", "LimitRequestLine 60", "</VirtualHost>"],
      ...["<VirtualHost *:*>", "ServerName y.test", "LimitRequestLine 100", "</VirtualHost>"],
    ],
    requests: [
      ["GET /a.txt", "200"],
      [`GET /${"a".repeat(46)}`, "404"],
      [`GET /${"a".repeat(47)}`, "404"],
      [`GET /${"a".repeat(48)}`, "414"],
      ["GET /a.txt", "200", { host: `${"y".repeat(50)}.test` }],
      ["GET /a.txt", "400", { host: `${"y".repeat(51)}.test` }],
      ["POST /a.txt", "200", { body: 1 }],
    ],
  },
  {
    title: "HttpProtocolOptions RegisteredMethods",
    modules: ["authz_host", "actions"],
    lines: [
      ...["HttpProtocolOptions RegisteredMethods", "RegisterHttpMethod BAR", "Script QUX /cgi", "Redirect /old /new"],
      ...["<Location /d>", ...bobAuthentication, "Require valid-user", "<Limit LIM>", "Require all denied", "</Limit>"],
      ...["</Location>", "<VirtualHost *>", "ServerName x.test", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName z.test", "HttpProtocolOptions LenientMethods", "</VirtualHost>"],
    ],
    requests: [
      ["FOO /d/index.html", "501"],
      ["FOO /old", "501"],
      ["FOO /none", "501"],
      ["FOO /a%zz", "501"],
      ["FOO /a.txt", "501", { host: "a b" }],
      ["FOO /a.txt", "501", { host: "z.test" }],
      ["LIM /d/index.html", "401"],
      ["BAR /d/index.html", "401"],
      ["QUX /d/index.html", "401"],
      ["PROPFIND /d/index.html", "401"],
      ["BAR /old", "302"],
    ],
  },
  {
    title: "HttpProtocolOptions RegisteredMethods, and LenientMethods in the virtual host of the connection",
    lines: [
      ...["HttpProtocolOptions RegisteredMethods Unsafe", ...denied, "<VirtualHost *>", "ServerName x.test"],
      ...["HttpProtocolOptions lenientMethods Strict", "</VirtualHost>"],
      ...["<VirtualHost *>", "ServerName z.test", "HttpProtocolOptions RegisteredMethods", "</VirtualHost>"],
    ],
    requests: [
      ["FOO /secret/x.txt", "403 AH01630"],
      ["FOO /secret/x.txt", "403 AH01630", { host: "z.test" }],
      ["FOO /a.txt", "501 AH00135"],
    ],
  },
  {
    title: "an error document for methods that are not registered",
    lines: ["HttpProtocolOptions RegisteredMethods", "ErrorDocument 501 http://e.test/"],
    requests: [
      ["FOO /a.txt", "302"],
      ["PUT /a.txt", "405"],
    ],
  },
  {
    title: "files and settings of authentication providers that are missing",
    modules: ["authn_dbm", "authz_dbm", "authn_anon", "authn_socache", "socache_shmcb", "authz_groupfile"],
    lines: [
      ...[
        "<AuthnProviderAlias dbm other>",
        "AuthDBMUserFile none-of-alias",
        "AuthDBMType SDBM",
        "</AuthnProviderAlias>",
      ],
      ...providerSections.flatMap((own, index) => [
        ...[
          `Alias /${index}/ "DOCROOT/"`,
          `<Location /${index}/>`,
          "AuthType Basic",
          "AuthName x",
          "AuthUserFile users",
        ],
        ...["Require valid-user", ...own, "</Location>"],
      ]),
    ],
    requests: ["500 AH10285", "500 AH10285", "500 AH10285", "500 AH10285", "500 AH01620", "200", "200", "200"].flatMap(
      (answer, index): readonly ResponseRequest[] => [
        [`GET /${index}/a.txt`, answer, { isBob: true }],
        [`GET /${index}/a.txt`, "401"],
      ],
    ),
  },
  {
    title: "the group files of a user that are missing",
    modules: ["authz_dbm", "authz_groupfile"],
    lines: [
      ...["<Location /d>", ...bobAuthentication, "AuthGroupFile none", "Require group g", "</Location>"],
      ...["<Location /e>", ...bobAuthentication, "AuthDBMGroupFile none", "Require dbm-group g", "</Location>"],
    ],
    requests: [
      ["GET /d/index.html", "401 AH01665 AH01631", { isBob: true }],
      ["GET /e/x.txt", "500 AH01799", { isBob: true }],
    ],
  },
  {
    title: "methods of the balancer manager",
    modules: ["proxy", "proxy_balancer", "slotmem_shm", "lbmethod_byrequests", "status"],
    lines: [
      ...["UseCanonicalName On", "<Location /b>", "SetHandler balancer-manager", "</Location>"],
      ...["<Location /s>", "SetHandler server-status", "</Location>", "AddHandler balancer-manager bm"],
      ...["<Location /b/no>", "Require all denied", "</Location>"],
    ],
    requests: [
      ["GET /b", "200 AH10187"],
      ["POST /b", "200 AH10187"],
      ["POST /b", "200", { referer: "http://u@X.test:81/q" }],
      ["POST /b", "200 AH10187", { referer: "http://y.test/" }],
      ["POST /b", "200 AH10187", { referer: "/b" }],
      ["POST /none.bm", "200 AH10187"],
      ["PUT /b", "405"],
      ["OPTIONS /b", "200"],
      ["POST /b/no", "403 AH01630"],
      ["POST /s", "404"],
    ],
  },
];
