import { aliasSlashMismatch } from "../../rules/alias-slash-mismatch/alias-slash-mismatch.js";
import { directoryListing } from "../../rules/directory-listing/directory-listing.js";
import { exposedPrivateFile } from "../../rules/exposed-private-file/exposed-private-file.js";
import { headerGrantsAccess } from "../../rules/header-grants-access/header-grants-access.js";
import { ignoredHtaccess } from "../../rules/ignored-htaccess/ignored-htaccess.js";
import { namedFileFetchable } from "../../rules/named-file-fetchable/named-file-fetchable.js";
import { openForwardProxy } from "../../rules/open-forward-proxy/open-forward-proxy.js";
import { openRedirect } from "../../rules/open-redirect/open-redirect.js";
import { requestChosenBackend } from "../../rules/request-chosen-backend/request-chosen-backend.js";
import { shadowedLine } from "../../rules/shadowed-line/shadowed-line.js";
import { writableDav } from "../../rules/writable-dav/writable-dav.js";
import { type ExposureCase, testExposures } from "./exposure-cases.js";

const modules =
  "mpm_event authn_core authn_file authz_core authz_host authz_user auth_basic autoindex alias dir env mime dav dav_fs proxy proxy_http rewrite setenvif";

const inRoot = '<Directory "@ROOT@">\nRequire all granted\n</Directory>';
const dav =
  'DavLockDB "@ROOT@/lock"\n<Directory "@ROOT@/www">\nDav On\nAuthType Basic\nAuthName a\nAuthUserFile "@ROOT@/users"\n';
const writes = "<LimitExcept GET HEAD OPTIONS>\nRequire valid-user\n</LimitExcept>\n";

const cases: readonly ExposureCase[] = [
  {
    rule: exposedPrivateFile,
    bad: "",
    good: 'RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"',
    files: ["www/.git/config"],
    request: "/.git/config",
    statuses: [200, 404],
  },
  {
    rule: exposedPrivateFile,
    bad: '<FilesMatch "\\.bak$">\nRequire all denied\n</FilesMatch>',
    good: '<FilesMatch "^\\.|~$|(?i)\\.(bak|sql|swp|orig)$">\nRequire all denied\n</FilesMatch>',
    files: ["www/X.BAK"],
    request: "/X.BAK",
    statuses: [200, 403],
  },
  {
    rule: ignoredHtaccess,
    bad: '<Directory "@ROOT@/www">\nAllowOverride None\n</Directory>',
    good: '<Directory "@ROOT@/www">\nAllowOverride AuthConfig\n</Directory>',
    files: ["www/p/f.txt", ["www/p/.htaccess", "Require all denied\n"]],
    request: "/p/f.txt",
    statuses: [200, 403],
  },
  {
    rule: directoryListing,
    bad: '<Directory "@ROOT@/www">\nOptions Indexes\n</Directory>',
    good: '<Directory "@ROOT@/www">\nOptions -Indexes\n</Directory>',
    request: "/",
    statuses: [200, 403],
  },
  {
    rule: namedFileFetchable,
    bad: 'ErrorLog "@ROOT@/www/error.log"',
    good: 'ErrorLog "@ROOT@/error.log"',
    request: "/error.log",
    statuses: [200, 404],
  },
  {
    rule: namedFileFetchable,
    bad: '<Location "/admin">\nAuthUserFile "@ROOT@/www/users.pwd"\n</Location>',
    good: '<Location "/admin">\nAuthUserFile "@ROOT@/www/users.pwd"\n</Location>\n<Files "*.pwd">\nRequire all denied\n</Files>',
    files: ["www/users.pwd"],
    request: "/users.pwd",
    statuses: [200, 403],
  },
  {
    rule: aliasSlashMismatch,
    bad: `Alias "/img/" "@ROOT@/images"\n${inRoot}`,
    good: `Alias "/img" "@ROOT@/images"\n${inRoot}`,
    files: ["images/x.txt", "images-private/s"],
    request: "/img/-private/s",
    statuses: [200, 404],
  },
  {
    rule: aliasSlashMismatch,
    bad: `AliasMatch "^/img(.*)" "@ROOT@/images/$1"\n${inRoot}`,
    good: `AliasMatch "^/img/(.*)" "@ROOT@/images/$1"\n${inRoot}`,
    files: ["images/x.txt", "secret.txt"],
    request: "/img../secret.txt",
    statuses: [200, 404],
  },
  {
    rule: shadowedLine,
    bad: 'ProxyPass "/" "@BACKEND@/"\nProxyPass "/private" "!"',
    good: 'ProxyPass "/private" "!"\nProxyPass "/" "@BACKEND@/"',
    request: "/private",
    statuses: [200, 404],
  },
  {
    rule: shadowedLine,
    bad: '<Location "/private">\nProxyPass "!"\n</Location>\n<Location "/">\nProxyPass "@BACKEND@/"\n</Location>',
    good: '<Location "/">\nProxyPass "@BACKEND@/"\n</Location>\n<Location "/private">\nProxyPass "!"\n</Location>',
    request: "/private",
    statuses: [200, 404],
  },
  {
    rule: shadowedLine,
    bad: 'ProxyPass "/" "@BACKEND@/"\nProxyPass "/a" "ws://127.0.0.1:1/a"',
    good: 'ProxyPass "/a" "ws://127.0.0.1:1/a"\nProxyPass "/" "@BACKEND@/"',
    request: "/a",
    statuses: [200, 503],
  },
  {
    rule: shadowedLine,
    bad: 'ProxyPass "/" "@BACKEND@/"\nRedirect "/old" "/new"',
    good: 'ProxyPass "/old" "!"\nProxyPass "/" "@BACKEND@/"\nRedirect "/old" "/new"',
    request: "/old",
    statuses: [200, 302],
  },
  {
    rule: shadowedLine,
    bad: 'Alias "/static" "@ROOT@/www"\nProxyPass "/" "@BACKEND@/"',
    good: 'Alias "/static" "@ROOT@/www"\nProxyPass "/static" "!"\nProxyPass "/" "@BACKEND@/"',
    request: "/static/none",
    statuses: [200, 404],
  },
  {
    rule: shadowedLine,
    bad: '<Location "/a">\nProxyPass "@BACKEND@/"\n</Location>\nProxyPass "/a/b" "!"',
    good: '<Location "/a">\nProxyPass "@BACKEND@/"\n</Location>\n<Location "/a/b">\nProxyPass "!"\n</Location>',
    request: "/a/b",
    statuses: [200, 404],
  },
  {
    rule: shadowedLine,
    bad: 'Redirect permanent / https://x.test/\nProxyPass "/app" "@BACKEND@/"',
    good: "Redirect permanent / https://x.test/",
    request: "/app",
    statuses: [200, 301],
  },
  {
    rule: shadowedLine,
    bad: 'RedirectMatch ^/(.*) https://x.test/$1\nProxyPass "/app" "@BACKEND@/"',
    good: 'RewriteEngine On\nRewriteRule ^ https://x.test/ [R]\nProxyPass "/app" "@BACKEND@/"',
    request: "/app",
    statuses: [200, 302],
  },
  {
    rule: shadowedLine,
    bad: 'RedirectPermanent / https://x.test/\nProxyPass "/app" "@BACKEND@/"',
    good: '<Location "/">\nRedirect https://x.test/\n</Location>\nProxyPass "/app" "@BACKEND@/"',
    request: "/app",
    statuses: [200, 302],
  },
  {
    rule: openForwardProxy,
    bad: 'ProxyRequests On\n<Location "/">\nRequire ip 192.0.2.1\n</Location>',
    good: 'ProxyRequests On\n<Proxy "*">\nRequire ip 192.0.2.1\n</Proxy>',
    request: "@BACKEND@/",
    statuses: [200, 403],
  },
  {
    rule: writableDav,
    bad: `${dav}Require all granted\n${writes}</Directory>`,
    good: `${dav}<Limit GET HEAD OPTIONS>\nRequire all granted\n</Limit>\n${writes}</Directory>`,
    request: "PUT /new.txt",
    header: "Content-Length: 0",
    statuses: [201, 401],
  },
  {
    rule: headerGrantsAccess,
    bad: 'SetEnvIf User-Agent "^Monitor" known\n<Location "/">\nRequire env known\n</Location>',
    good: 'SetEnvIf Remote_Addr "^192\\.0\\.2\\." known\n<Location "/">\nRequire env known\n</Location>',
    request: "/x.txt",
    header: "User-Agent: Monitor",
    statuses: [200, 403],
  },
  {
    rule: openRedirect,
    bad: 'RedirectMatch "^/old(.*)" "https://www.example.com$1"',
    good: 'RedirectMatch "^/old(/.*)" "https://www.example.com$1"',
    request: "/old.evil.example/",
    statuses: [302, 404],
  },
  {
    rule: openRedirect,
    bad: 'RewriteEngine On\nRewriteRule "^/old(.*)" "https://www.example.com$1" [R]',
    good: 'RewriteEngine On\nRewriteRule "^/old(/.*)" "https://www.example.com$1" [R]',
    request: "/old.evil.example/",
    statuses: [302, 404],
  },
  {
    rule: requestChosenBackend,
    bad: 'RewriteEngine On\nRewriteRule "^/fetch/(.*)" "http://$1" [P]',
    good: 'RewriteEngine On\nRewriteCond $1 "^(a|b)\\.test/"\nRewriteRule "^/fetch/(.*)" "http://$1" [P]',
    request: "/fetch/@AUTHORITY@/",
    statuses: [200, 404],
  },
  {
    rule: requestChosenBackend,
    bad: 'ProxyPassMatch "^/api(.*)" "http://192.0.2.1$1"',
    good: 'ProxyPassMatch "^/api(/.*)" "http://192.0.2.1$1"',
    request: "/api@@AUTHORITY@/",
    statuses: [200, 404],
  },
];

testExposures("exposure rules, on the live server", modules, cases);
