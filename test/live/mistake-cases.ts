import { droppedQuery } from "../../rules/dropped-query/dropped-query.js";
import { ignoredValue } from "../../rules/ignored-value/ignored-value.js";
import { misreadLine } from "../../rules/misread-line/misread-line.js";
import { neverMatchingGuard } from "../../rules/never-matching-guard/never-matching-guard.js";
import { neverMatchingName } from "../../rules/never-matching-name/never-matching-name.js";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { rewriteLoop } from "../../rules/rewrite-loop/rewrite-loop.js";
import { unknownDirective } from "../../rules/unknown-directive/unknown-directive.js";
import { unknownFilter } from "../../rules/unknown-filter/unknown-filter.js";
import { wrongErrorDocument } from "../../rules/wrong-error-document/wrong-error-document.js";
import type { RuleDefinition } from "../../src/lint/rule.js";
import { onlyVariant } from "../support/rules.js";

const failingErrorDocument = onlyVariant(wrongErrorDocument, "failing-error-document");

const attachedFlags = onlyVariant(misreadLine, "attached-flags");
const commentInArguments = onlyVariant(misreadLine, "comment-in-arguments");
const continuedComment = onlyVariant(misreadLine, "continued-comment");
const setenvEqualsSign = onlyVariant(misreadLine, "setenv-equals-sign");

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");
const neverMatchingSection = onlyVariant(neverMatchingPath, "never-matching-section");

/** The lines of a `.htaccess` file in the folder `/dN`, a request below it, and the responses. */
export interface MistakeCase {
  readonly rule: RuleDefinition;
  readonly bad: string;
  readonly good: string;
  readonly path: string;
  /** The header to show, without the text after a slash. */
  readonly header?: string;
  /** Whether redirects are followed. */
  readonly follows?: true;
  /** The status, and the header `X-A`, `Cache-Control` or the body. */
  readonly badResponse: string;
  readonly goodResponse: string;
}

const login = "AuthType Basic\nAuthName a\nAuthUserFile @ROOT@/users\n";
const engine = "RewriteEngine On\n";
const denied = "Require all denied";

const isPlain = "RewriteCond %{HTTPS} off";
/** The requests say that the client uses https. */
const isProxied = "RewriteCond %{HTTP:X-Forwarded-Proto} !=https";
const toHttps = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]";

/** Mistakes in single arguments, comments and conditions. The user of the requests is alice. */
export const argumentCases: readonly MistakeCase[] = [
  {
    rule: neverMatchingName,
    bad: `SetEnvIf Request_URI ^/dN/api ok\nRequire env ok\n<Files x.txt>\nForceType text/x\n</Files>\n${engine}RewriteRule api x.txt`,
    good: `SetEnvIf Request_URI ^/dN/api ok\nRequire env ok\n${engine}RewriteRule api x.txt`,
    path: "api/1",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: commentInArguments,
    bad: `${login}Require user bob # not alice`,
    good: `${login}# not alice\nRequire user bob`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "401",
  },
  {
    rule: commentInArguments,
    bad: `${login}Require valid-user # bob`,
    good: `${login}# bob\nRequire valid-user`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 x",
  },
  {
    rule: commentInArguments,
    bad: "RewriteEngine On # a\nRewriteRule ^z$ x.txt [L] # b",
    good: "# a\nRewriteEngine On\n# b\nRewriteRule ^z$ x.txt [L]",
    path: "z",
    badResponse: "200 x",
    goodResponse: "200 x",
  },
  {
    rule: commentInArguments,
    bad: `<Files "x.txt"> # a\n<IfModule mod_rewrite.c> # b\n${denied}\n</IfModule>\n</Files>`,
    good: `# a b\n<Files "x.txt">\n${denied}\n</Files>`,
    path: "x.txt",
    badResponse: "403",
    goodResponse: "403",
  },
  {
    rule: commentInArguments,
    bad: `${engine}RewriteCond %{HTTP_HOST} #127\nRewriteRule ^ - [F]`,
    good: `${engine}# 127\nRewriteCond %{HTTP_HOST} ^127\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: ignoredValue,
    bad: 'Header set X-A "%{HTTP_HOST}e" env=HTTP_HOST',
    good: 'SetEnvIf Host (.+) HTTP_HOST=a\nHeader set X-A "%{HTTP_HOST}e" env=HTTP_HOST',
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 a",
  },
  {
    rule: ignoredValue,
    bad: "ExpiresActive On\nExpiresDefault A60\nExpiresDefault A90",
    good: "ExpiresActive On\nExpiresDefault A90",
    path: "x.txt",
    badResponse: "200 max-age=90",
    goodResponse: "200 max-age=90",
  },
  {
    rule: attachedFlags,
    bad: `${engine}RewriteCond %{HTTP_HOST} ^127[NC]\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^127 [NC]\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: attachedFlags,
    bad: `${engine}RewriteRule ^z$ /dN/x.txt[R=303,L]`,
    good: `${engine}RewriteRule ^z$ /dN/x.txt [R=303,L]`,
    path: "z",
    badResponse: "404",
    goodResponse: "303",
  },
  {
    rule: ignoredValue,
    bad: "Header unset Server",
    good: "# ServerTokens Prod",
    path: "x.txt",
    header: "server",
    badResponse: "200 Apache",
    goodResponse: "200 Apache",
  },
  {
    rule: ignoredValue,
    bad: "Header add Content-Type text/html\nHeader set X-A expr=%{CONTENT_TYPE}",
    good: "Header set Content-Type text/html\nHeader set X-A expr=%{CONTENT_TYPE}",
    path: "x.txt",
    badResponse: "200 text/plain",
    goodResponse: "200 text/html",
  },
  {
    rule: continuedComment,
    bad: `# a \\\n${denied}`,
    good: `# a\n${denied}`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: neverMatchingSection,
    bad: `<Files "*.{ini,txt}">\n${denied}\n</Files>`,
    good: `<FilesMatch "\\.(ini|txt)$">\n${denied}\n</FilesMatch>`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: neverMatchingGuard,
    bad: `<IfModule mod_rewrite.c>\n<IfModule !mod_rewrite.c>\n${denied}\n</IfModule>\n</IfModule>`,
    good: `<IfModule mod_rewrite.c>\n${denied}\n</IfModule>`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: setenvEqualsSign,
    bad: "SetEnvIf Remote_Addr . A = b\nHeader set X-A %{A}e",
    good: "SetEnvIf Remote_Addr . A=b\nHeader set X-A %{A}e",
    path: "x.txt",
    badResponse: "200 1",
    goodResponse: "200 b",
  },
  {
    rule: unknownFilter,
    bad: "AddHandler send-asis .txt",
    good: "AddHandler send-as-is .txt",
    path: "x.txt",
    badResponse: "200 x",
    // The whole file is read as headers.
    goodResponse: "200",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE txt",
    good: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE text/plain",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "ExpiresActive On\nExpiresByType image/jpg A60",
    good: "ExpiresActive On\nExpiresByType image/jpeg A60",
    path: "x.jpg",
    badResponse: "200 x",
    goodResponse: "200 max-age=60",
  },
  {
    rule: ignoredValue,
    bad: 'RequestHeader set X-B "%{REQUEST_METHOD}e"\nHeader set X-A "expr=%{req:X-B}"',
    good: 'RequestHeader set X-B "expr=%{REQUEST_METHOD}"\nHeader set X-A "expr=%{req:X-B}"',
    path: "x.txt",
    badResponse: "200 (null)",
    goodResponse: "200 GET",
  },
  {
    rule: failingErrorDocument,
    bad: `${engine}ErrorDocument 403 /dN/x.txt\nRewriteRule ^ - [F]`,
    good: `${engine}ErrorDocument 403 /dN/x.txt\nRewriteCond %{REQUEST_URI} !=/dN/x.txt\nRewriteRule ^ - [F]`,
    path: "z",
    badResponse: "403",
    goodResponse: "403 x",
  },
  {
    rule: rewriteLoop,
    bad: `${engine}${isPlain} [OR]\n${isProxied}\n${toHttps}`,
    good: `${engine}${isPlain}\n${isProxied}\n${toHttps}`,
    path: "x.txt",
    badResponse: "302",
    goodResponse: "200 x",
  },
  {
    rule: pathPatterns,
    bad: `${engine}RewriteRule ^http://127 - [R=410]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^127\nRewriteRule ^ - [R=410]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "410",
  },
  {
    rule: pathPatterns,
    bad: "Redirect 302 /dN/z#top /new",
    good: "Redirect 302 /dN/z /new",
    // Clients do not send the fragment.
    path: "z#top",
    badResponse: "404",
    goodResponse: "302",
  },
  {
    rule: droppedQuery,
    bad: `${engine}RewriteCond %{QUERY_STRING} page\nRewriteRule ^y - [F]\nRewriteRule ^z$ y?q=1 [L]`,
    good: `${engine}RewriteCond %{QUERY_STRING} page\nRewriteRule ^y - [F]\nRewriteRule ^z$ y?q=1 [L,QSA]`,
    path: "z?page=2",
    badResponse: "404",
    goodResponse: "403",
  },
  {
    rule: ignoredValue,
    bad: "ExpiresActive On\nExpiresDefault A60\nExpiresDefault A90",
    good: "ExpiresActive On\nExpiresDefault A60",
    path: "x.txt",
    badResponse: "200 max-age=90",
    goodResponse: "200 max-age=60",
  },
  {
    rule: ignoredValue,
    bad: "ExpiresActive On\nExpiresByType text/plain A60\nExpiresByType Text/Plain A90",
    good: "ExpiresActive On\nExpiresByType text/plain A60\nExpiresByType text/css A90",
    path: "x.txt",
    badResponse: "200 max-age=90",
    goodResponse: "200 max-age=60",
  },
  {
    rule: ignoredValue,
    bad: "ErrorDocument 404 /dN/x.txt\nErrorDocument 404 gone",
    good: "ErrorDocument 404 /dN/x.txt\nErrorDocument 403 gone",
    path: "none",
    badResponse: "404 gone",
    goodResponse: "404 x",
  },
  {
    rule: ignoredValue,
    bad: `${login}AuthUserFile @ROOT@/none\nRequire user alice`,
    good: `${login}Require user alice`,
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: ignoredValue,
    bad: `Options FollowSymLinks\nOptions Indexes\n${engine}RewriteRule ^z$ x.txt`,
    good: `Options FollowSymLinks\nOptions +Indexes\n${engine}RewriteRule ^z$ x.txt`,
    path: "z",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: ignoredValue,
    bad: `ForceType text/x-a\nForceType text/x-b\nExpiresActive On\nExpiresByType text/x-a A60`,
    good: `ForceType text/x-a\nExpiresActive On\nExpiresByType text/x-a A60`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 max-age=60",
  },
  {
    rule: unknownDirective,
    bad: "&lt;Files x.txt&gt;\nRequire all denied\n&lt;/Files&gt;",
    good: "<Files x.txt>\nRequire all denied\n</Files>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "403",
  },
  {
    rule: unknownDirective,
    bad: "&lt;IfModule mod_headers.c&gt;\nHeader set X-A b\n&lt;/IfModule&gt;",
    good: "<IfModule mod_headers.c>\nHeader set X-A b\n</IfModule>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 b",
  },
  {
    rule: unknownDirective,
    bad: '&lt;FilesMatch "x"&gt;\nRequire all denied\n&lt;/FilesMatch&gt;',
    good: '<FilesMatch "x">\nRequire all denied\n</FilesMatch>',
    path: "x.txt",
    badResponse: "500",
    goodResponse: "403",
  },
  {
    rule: unknownDirective,
    bad: "&lt;RequireAll&gt;\nRequire all granted\n&lt;/RequireAll&gt;",
    good: "<RequireAll>\nRequire all granted\n</RequireAll>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: unknownDirective,
    bad: "&lt;If true&gt;\nHeader set X-A b\n&lt;/If&gt;",
    good: "<If true>\nHeader set X-A b\n</If>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 b",
  },
  {
    rule: unknownDirective,
    bad: "&lt;Limit POST&gt;\nRequire all denied\n&lt;/Limit&gt;",
    good: "<Limit POST>\nRequire all denied\n</Limit>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
];
