import { credentialsInClear } from "../../rules/credentials-in-clear/credentials-in-clear.js";
import { encodedSlashGuard } from "../../rules/encoded-slash-guard/encoded-slash-guard.js";
import { fileGuardOnProxy } from "../../rules/file-guard-on-proxy/file-guard-on-proxy.js";
import { filesystemRootReachable } from "../../rules/filesystem-root-reachable/filesystem-root-reachable.js";
import { guardMissesBelow } from "../../rules/guard-misses-below/guard-misses-below.js";
import { guardRegexGivesUp } from "../../rules/guard-regex-gives-up/guard-regex-gives-up.js";
import { openSecondUrl } from "../../rules/open-second-url/open-second-url.js";
import { rawRequestGuard } from "../../rules/raw-request-guard/raw-request-guard.js";
import { symlinkLeavesRoot } from "../../rules/symlink-leaves-root/symlink-leaves-root.js";
import { type ExposureCase, testExposures } from "./exposure-cases.js";

const modules =
  "mpm_event authn_core authn_file authz_core authz_host authz_user auth_basic alias cgi dir env mime proxy proxy_http rewrite setenvif";

const denied = (tag: string) => `<${tag}>\nRequire all denied\n</${tag.replace(/ .*/, "")}>`;
const login = 'AuthType Basic\nAuthName a\nAuthUserFile "@ROOT@/users"\nRequire valid-user';
const cgi = 'ScriptAlias "/cgi/" "@ROOT@/cgi/"\n<Directory "@ROOT@/cgi">\nRequire all granted\n</Directory>\n';
const script = ["cgi/a.cgi", "#!/bin/sh\necho 'Content-Type: text/plain'\necho\n"] as const;
const rewriting = "RewriteEngine On\n";
const wholeDisk = '<Directory "/">\nRequire all granted\n</Directory>';

/** The characters that the rule repeats. */
const many = "a".repeat(60);

const cases: readonly ExposureCase[] = [
  {
    rule: guardMissesBelow,
    bad: denied('Location "/*/private"'),
    good: denied('LocationMatch "^/[^/]+/private(/|$)"'),
    files: ["www/x/private/y.txt"],
    request: "/x/private/y.txt",
    statuses: [200, 403],
  },
  {
    rule: guardMissesBelow,
    bad: cgi + denied('LocationMatch "^/cgi/a\\.cgi$"'),
    good: cgi + denied('Location "/cgi/a.cgi"'),
    files: [script],
    request: "/cgi/a.cgi/x",
    statuses: [200, 403],
  },
  {
    rule: guardMissesBelow,
    bad: cgi + denied("If \"%{REQUEST_URI} == '/cgi/a.cgi'\""),
    good: `${cgi}AcceptPathInfo Off\n${denied("If \"%{REQUEST_URI} == '/cgi/a.cgi'\"")}`,
    files: [script],
    request: "/cgi/a.cgi/x",
    statuses: [200, 404],
  },
  {
    rule: guardMissesBelow,
    bad: `ProxyPass "/" "@BACKEND@/"\n${denied('LocationMatch "^/admin$"')}`,
    good: `ProxyPass "/" "@BACKEND@/"\n${denied('LocationMatch "^/admin(/|$)"')}`,
    request: "/admin/x",
    statuses: [200, 403],
  },
  {
    rule: rawRequestGuard,
    bad: `${rewriting}RewriteCond %{THE_REQUEST} " /private"\nRewriteRule ^ - [F]`,
    good: `${rewriting}RewriteRule "^/private" - [F]`,
    files: ["www/private/y.txt"],
    request: "/%70rivate/y.txt",
    statuses: [200, 403],
  },
  {
    rule: rawRequestGuard,
    bad: denied('If "%{THE_REQUEST} =~ m# /private#"'),
    good: denied('If "%{REQUEST_URI} =~ m#^/private#"'),
    files: ["www/private/y.txt"],
    request: "/./private/y.txt",
    statuses: [200, 403],
  },
  {
    rule: rawRequestGuard,
    bad: 'SetEnvIf Request_URI "^/private" guarded\n<Location "/">\n<RequireAll>\nRequire all granted\nRequire not env guarded\n</RequireAll>\n</Location>',
    good: '<Location "/">\nSetEnvIf Request_URI "^/private" guarded\n<RequireAll>\nRequire all granted\nRequire not env guarded\n</RequireAll>\n</Location>',
    files: ["www/private/y.txt"],
    request: "/%70rivate/y.txt",
    statuses: [200, 403],
  },
  {
    rule: fileGuardOnProxy,
    bad: `ProxyPass "/private" "@BACKEND@/private"\n${denied('Directory "@ROOT@/www/private"')}`,
    good: `ProxyPass "/private" "@BACKEND@/private"\n${denied('Location "/private"')}`,
    files: ["www/private/y.txt"],
    request: "/private/y.txt",
    statuses: [200, 403],
  },
  {
    rule: fileGuardOnProxy,
    bad: `ProxyPass "/" "@BACKEND@/"\n<Files "admin.php">\n${login}\n</Files>`,
    good: `ProxyPass "/" "@BACKEND@/"\n<Location "/admin.php">\n${login}\n</Location>`,
    files: ["users"],
    request: "/admin.php",
    statuses: [200, 401],
  },
  {
    rule: encodedSlashGuard,
    bad: `AllowEncodedSlashes NoDecode\nProxyPass "/" "@BACKEND@/"\n${denied('Location "/private"')}`,
    good: `ProxyPass "/" "@BACKEND@/"\n${denied('Location "/private"')}`,
    request: "/private%2fx",
    statuses: [200, 404],
  },
  {
    rule: encodedSlashGuard,
    bad: `AllowEncodedSlashes NoDecode\nProxyPass "/" "@BACKEND@/" nocanon\n${denied('Location "/private"')}`,
    good: `AllowEncodedSlashes NoDecode\nProxyPass "/" "@BACKEND@/" nocanon\n${denied('LocationMatch "^/private(/|%2[fF]|$)"')}`,
    request: "/private%2fx",
    statuses: [200, 403],
  },
  {
    rule: openSecondUrl,
    bad: '<Location "/private">\nRequire ip 192.0.2.1\n</Location>\nAlias "/files" "@ROOT@/www"',
    good: '<Directory "@ROOT@/www/private">\nRequire ip 192.0.2.1\n</Directory>\nAlias "/files" "@ROOT@/www"',
    files: ["www/private/y.txt"],
    request: "/files/private/y.txt",
    statuses: [200, 403],
  },
  {
    rule: filesystemRootReachable,
    bad: `AliasMatch "^/d/(.*)" "/$1"\n${wholeDisk}`,
    good: 'AliasMatch "^/d/(.*)" "/$1"',
    request: "/d/etc/passwd",
    statuses: [200, 403],
  },
  {
    rule: filesystemRootReachable,
    bad: `${rewriting}RewriteRule "^/u/(.*)" "/etc/$1"\n${wholeDisk}`,
    good: `${rewriting}RewriteRule "^/u/(.*)" "/etc/$1"`,
    request: "/u/passwd",
    statuses: [200, 403],
  },
  {
    rule: filesystemRootReachable,
    bad: `${rewriting}RewriteOptions UnsafePrefixStat\nRewriteRule "^/(.+)\\.txt$" "/$1"\n${wholeDisk}`,
    good: `${rewriting}RewriteRule "^/(.+)\\.txt$" "/$1"\n${wholeDisk}`,
    request: "/etc/passwd.txt",
    statuses: [200, 404],
  },
  {
    rule: guardRegexGivesUp,
    bad: denied('LocationMatch "/(a+)+/secret$"'),
    good: denied('LocationMatch "/a+/secret$"'),
    files: [`www/${many}!/a/secret`, "www/a/secret"],
    request: `/${many}!/a/secret`,
    statuses: [200, 403],
  },
  {
    rule: guardRegexGivesUp,
    bad: `${rewriting}RewriteRule "/(a|aa)+/secret$" "-" [F]`,
    good: `${rewriting}RewriteRule "/a+/secret$" "-" [F]`,
    files: [`www/${many}!/a/secret`],
    request: `/${many}!/a/secret`,
    statuses: [200, 403],
  },
  {
    rule: symlinkLeavesRoot,
    bad: denied('Directory "@ROOT@/keys"'),
    good: `${denied('Directory "@ROOT@/keys"')}\n<Directory "@ROOT@/www">\nOptions None\n</Directory>`,
    files: ["keys/y.txt"],
    links: [["www/link", "../keys"]],
    request: "/link/y.txt",
    statuses: [200, 403],
  },
  {
    rule: symlinkLeavesRoot,
    bad: "",
    good: '<Directory "@ROOT@/www">\nOptions -FollowSymLinks\n</Directory>',
    links: [["www/passwords", "/etc/passwd"]],
    request: "/passwords",
    statuses: [200, 403],
  },
  {
    rule: credentialsInClear,
    bad: `<Directory "@ROOT@/www">\n${rewriting}RewriteRule (.*) https://x.test/$1 [R]\n${login}\n</Directory>`,
    good: `Redirect "/" "https://x.test/"\n<Directory "@ROOT@/www">\n${login}\n</Directory>`,
    files: ["users"],
    request: "/x.txt",
    statuses: [401, 302],
  },
  {
    rule: credentialsInClear,
    bad: `<Location "/">\n${login}\n</Location>`,
    good: `${rewriting}RewriteCond %{HTTPS} !on\nRewriteRule ^/(.*) https://x.test/$1 [R]\n<Location "/">\n${login}\n</Location>`,
    files: ["users"],
    request: "/x.txt",
    statuses: [401, 302],
  },
  {
    rule: credentialsInClear,
    bad: `<Directory "@ROOT@/www/members">\n${login}\n</Directory>`,
    good: `${rewriting}RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f\nRewriteRule ^ /x.txt\n<Directory "@ROOT@/www/members">\n${login}\n</Directory>`,
    files: ["users", "www/members/a.txt"],
    request: "/members/index.html",
    statuses: [401, 200],
  },
];

testExposures("rules about bypassed access control, on the live server", modules, cases);
