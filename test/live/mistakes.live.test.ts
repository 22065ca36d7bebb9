import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { constantCondition } from "../../rules/constant-condition/constant-condition.js";
import { contradictoryFlags } from "../../rules/contradictory-flags/contradictory-flags.js";
import { droppedQuery } from "../../rules/dropped-query/dropped-query.js";
import { escapedRedirect } from "../../rules/escaped-redirect/escaped-redirect.js";
import { ignoredValue } from "../../rules/ignored-value/ignored-value.js";
import { inactiveRewriteRule } from "../../rules/inactive-rewrite-rule/inactive-rewrite-rule.js";
import { misreadLine } from "../../rules/misread-line/misread-line.js";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { overriddenSection } from "../../rules/overridden-section/overridden-section.js";
import { requestAlwaysFails } from "../../rules/request-always-fails/request-always-fails.js";
import { rewriteLoop } from "../../rules/rewrite-loop/rewrite-loop.js";
import { shadowedLine } from "../../rules/shadowed-line/shadowed-line.js";
import { undefinedReference } from "../../rules/undefined-reference/undefined-reference.js";
import { unguardedPhpSetting } from "../../rules/unguarded-php-setting/unguarded-php-setting.js";
import { unknownDirective } from "../../rules/unknown-directive/unknown-directive.js";
import { unknownFilter } from "../../rules/unknown-filter/unknown-filter.js";
import { wrongErrorDocument } from "../../rules/wrong-error-document/wrong-error-document.js";
import { wrongTargetPath } from "../../rules/wrong-target-path/wrong-target-path.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { findingsOf, onlyVariant } from "../support/rules.js";
import { argumentCases, type MistakeCase } from "./mistake-cases.js";

const undefinedBackReference = onlyVariant(undefinedReference, "undefined-back-reference");
const unknownRewriteVariable = onlyVariant(undefinedReference, "unknown-rewrite-variable");

const missingSlash = onlyVariant(wrongTargetPath, "missing-slash");
const relativeRedirect = onlyVariant(wrongTargetPath, "relative-redirect");
const misplacedRewriteBase = onlyVariant(wrongTargetPath, "misplaced-rewrite-base");

const textErrorDocument = onlyVariant(wrongErrorDocument, "text-error-document");

const commaInArguments = onlyVariant(misreadLine, "comma-in-arguments");
const commentInArguments = onlyVariant(misreadLine, "comment-in-arguments");
const setenvEqualsSign = onlyVariant(misreadLine, "setenv-equals-sign");
const typographicQuote = onlyVariant(misreadLine, "typographic-quote");
const unclosedQuote = onlyVariant(misreadLine, "unclosed-quote");

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");

const constantResult = onlyVariant(constantCondition, "constant-condition");
const orOnLastCondition = onlyVariant(constantCondition, "or-on-last-condition");

const rewriteEngineOff = onlyVariant(inactiveRewriteRule, "rewrite-engine-off");
const conditionWithoutRule = onlyVariant(inactiveRewriteRule, "condition-without-rule");
const ignoredRewriteTarget = onlyVariant(inactiveRewriteRule, "ignored-rewrite-target");

const modules =
  "mpm_event asis authn_core authn_file authz_core authz_user auth_basic alias deflate dir env expires filter headers mime negotiation setenvif substitute".split(
    " ",
  );

const engine = "RewriteEngine On\n";
const rewrite = `${engine}RewriteRule`;

const cases: readonly MistakeCase[] = [
  {
    rule: ignoredValue,
    bad: "AddType text/x-a .txt\nExpiresActive On\nExpiresByType text/(x-a|x-b) A60",
    good: "AddType text/x-a .txt\nExpiresActive On\nExpiresByType text/x-a A60",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 max-age=60",
  },
  {
    rule: ignoredValue,
    bad: "DirectoryIndex (x|y).txt",
    good: "DirectoryIndex x.txt",
    path: "",
    badResponse: "404",
    goodResponse: "200 x",
  },
  ...argumentCases,
  {
    rule: requestAlwaysFails,
    bad: `${rewrite} ^c/([\\w\\s-]+)/?$ x.txt?n=$1 [L]`,
    good: `${rewrite} ^c/([\\w\\s-]+)/?$ x.txt?n=$1 [B,L]`,
    path: "c/a%20b",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: requestAlwaysFails,
    bad: `${rewrite} "^c/([a-z ]+)$" x.txt?n=$1&m=1`,
    good: `${rewrite} "^c/([a-z ]+)$" x.txt?m=1`,
    path: "c/a%20b",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: constantCondition,
    bad: `SetEnv MODE dev\n${engine}RewriteCond %{ENV:MODE} =dev\nRewriteRule ^ - [F]`,
    good: `SetEnvIf Request_URI ^ MODE=dev\n${engine}RewriteCond %{ENV:MODE} =dev\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantCondition,
    bad: `SetEnv MODE live\n${engine}RewriteCond %{ENV:MODE} !^live$\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteRule ^ - [E=MODE:live]\nRewriteCond %{ENV:MODE} !^live$\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: constantCondition,
    bad: `SetEnv MODE dev\n<If "reqenv('MODE') == 'dev'">\nHeader set X-A dev\n</If>`,
    good: `SetEnv MODE dev\nHeader set X-A dev env=MODE`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 dev",
  },
  {
    rule: constantCondition,
    bad: `SetEnv MODE dev\n<If "%{ENV:MODE} == 'dev'">\nHeader set X-A dev\n</If>`,
    good: `SetEnvIf Request_URI "^" MODE=dev\nHeader set X-A dev "expr=%{ENV:MODE} == 'dev'"`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 dev",
  },
  {
    rule: shadowedLine,
    bad: `${rewrite} ^([a-z]+)/?$ /dN/x.txt [L]\nRewriteRule ^about$ - [F]`,
    good: `${rewrite} ^about$ - [F]\nRewriteRule ^([a-z]+)/?$ /dN/x.txt [L]`,
    path: "about",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: shadowedLine,
    bad: `${engine}RewriteCond %{HTTPS} off\nRewriteRule ^ - [F]\nRewriteCond %{HTTPS} off\nRewriteRule ^old$ /new [R=301,L]`,
    good: `${engine}RewriteCond %{HTTPS} off\nRewriteRule ^old$ /new [R=301,L]\nRewriteCond %{HTTPS} off\nRewriteRule ^ - [F]`,
    path: "old",
    badResponse: "403",
    goodResponse: "301",
  },
  {
    rule: shadowedLine,
    bad: `${engine}RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /dN/x.txt [L]\nRewriteRule ^old$ /new [R=301,L]`,
    good: `${engine}RewriteRule ^old$ /new [R=301,L]\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /dN/x.txt [L]`,
    path: "old",
    badResponse: "200 x",
    goodResponse: "301",
  },
  {
    rule: missingSlash,
    bad: `${engine}RewriteCond %{DOCUMENT_ROOT}$1 -f\nRewriteRule ^(.*)$ - [F]`,
    good: `${engine}RewriteCond %{DOCUMENT_ROOT}/dN/$1 -f\nRewriteRule ^(.*)$ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: unclosedQuote,
    bad: `Header set X-A "\n  default-src 'self';\n  object-src 'none'"`,
    good: `Header set X-A "\\\n  default-src 'self'; \\\n  object-src 'none'"`,
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 default-src 'self';   object-src 'none'",
  },
  {
    rule: unknownDirective,
    bad: "DirectoryIndex none.txt\n  x.txt",
    good: "DirectoryIndex none.txt \\\n  x.txt",
    path: "",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: pathPatterns,
    bad: `${rewrite} ^/x.txt$ - [F]`,
    good: `${rewrite} ^x.txt$ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: pathPatterns,
    bad: "Redirect 301 dN/x.txt /new",
    good: "Redirect 301 /dN/x.txt /new",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "301",
  },
  {
    rule: pathPatterns,
    bad: "RedirectMatch 301 ^dN/x.txt$ /new",
    good: "RedirectMatch 301 ^/dN/x.txt$ /new",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "301",
  },
  {
    rule: pathPatterns,
    bad: "Redirect 301 /dN/x.txt?id=1 /new",
    good: `RewriteEngine On\nRewriteCond %{QUERY_STRING} ^id=1$\nRewriteRule ^x.txt$ /new [R=301]`,
    path: "x.txt?id=1",
    badResponse: "200 x",
    goodResponse: "301",
  },
  {
    rule: pathPatterns,
    bad: '<FilesMatch "^dN/x">\nRequire all denied\n</FilesMatch>',
    good: '<FilesMatch "^x">\nRequire all denied\n</FilesMatch>',
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: typographicQuote,
    bad: "AuthType Basic\nAuthName a\nAuthUserFile “@ROOT@/users”\nRequire valid-user",
    good: 'AuthType Basic\nAuthName a\nAuthUserFile "@ROOT@/users"\nRequire valid-user',
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: commentInArguments,
    bad: "DirectoryIndex none.txt # x.txt",
    good: "# x.txt\nDirectoryIndex none.txt",
    path: "",
    badResponse: "200 x",
    goodResponse: "404",
  },
  {
    rule: commaInArguments,
    bad: "DirectoryIndex x.txt, none.txt",
    good: "DirectoryIndex x.txt none.txt",
    path: "",
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: commaInArguments,
    bad: "AddOutputFilterByType DEFLATE, text/plain",
    good: "AddOutputFilterByType DEFLATE text/plain",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: setenvEqualsSign,
    bad: "SetEnv A=b\nHeader set X-A %{A}e",
    good: "SetEnv A b\nHeader set X-A %{A}e",
    path: "x.txt",
    badResponse: "200 (null)",
    goodResponse: "200 b",
  },
  {
    rule: textErrorDocument,
    bad: "ErrorDocument 404 x.txt",
    good: "ErrorDocument 404 /dN/x.txt",
    path: "none",
    badResponse: "404 x.txt",
    goodResponse: "404 x",
  },
  {
    rule: unknownFilter,
    bad: "AddOutputFilter DEFLAT txt",
    good: "AddOutputFilter DEFLATE txt",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 x",
  },
  {
    rule: unknownFilter,
    bad: "SetOutputFilter DEFLAT",
    good: "SetOutputFilter DEFLATE",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 x",
  },
  {
    rule: orOnLastCondition,
    bad: `${engine}RewriteCond %{HTTP_HOST} ^none [OR]\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^none\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: conditionWithoutRule,
    bad: `${engine}RewriteRule ^ - [F]\nRewriteCond %{HTTP_HOST} ^none`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^none\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: undefinedBackReference,
    bad: `${engine}RewriteRule ^(z)$ x$2.txt`,
    good: `${engine}RewriteRule ^(z)$ x$1.txt`,
    path: "z",
    badResponse: "200 x",
    goodResponse: "404",
  },
  {
    rule: undefinedBackReference,
    bad: `${engine}RewriteCond %{HTTP_HOST} ^(none)?127\nRewriteRule ^z$ x%2.txt`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^(127)\nRewriteRule ^z$ x%1.txt`,
    path: "z",
    badResponse: "200 x",
    goodResponse: "404",
  },
  {
    rule: unknownRewriteVariable,
    bad: `${engine}RewriteCond %{HTTP_HOSTS} ^127\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^127\nRewriteRule ^ - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: shadowedLine,
    bad: `${engine}RewriteRule ^ - [L]\nRewriteRule ^x - [F]`,
    good: `${engine}RewriteRule ^x - [F]\nRewriteRule ^ - [L]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{HTTPS} =OFF\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTPS} =off\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{HTTP_HOST} ^LOCALHOST$ [OR]\nRewriteCond %{HTTP_HOST} ^127\\.0\\.0\\.1:\\D\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^LOCALHOST$ [NC,OR]\nRewriteCond %{HTTP_HOST} ^127\\.0\\.0\\.1:\\d\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{REQUEST_URI} -f\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{REQUEST_METHOD} ^GET$\nRewriteCond %{REQUEST_METHOD} ^POST$\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{REQUEST_METHOD} ^GET$ [OR]\nRewriteCond %{REQUEST_METHOD} ^POST$\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{HTTP_HOST} ^127 [OR]\nRewriteCond %{HTTP_HOST} ^a\nRewriteCond %{HTTP_HOST} ^b [OR]\nRewriteCond %{HTTP_HOST} ^c\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{HTTP_HOST} ^127 [OR]\nRewriteCond %{HTTP_HOST} ^a [OR]\nRewriteCond %{HTTP_HOST} ^b [OR]\nRewriteCond %{HTTP_HOST} ^c\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{REQUEST_URI} !^/a [OR]\nRewriteCond %{REQUEST_URI} !^/dN/\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{REQUEST_URI} !^/a\nRewriteCond %{REQUEST_URI} !^/dN/\nRewriteRule ^ - [F]`,
    path: "x.txt",

    badResponse: "403",
    goodResponse: "200 x",
  },
  {
    rule: constantResult,
    bad: `${engine}RewriteCond %{QUERY_STRING} ^\\?a=1$\nRewriteRule ^ - [F]`,
    good: `${engine}RewriteCond %{QUERY_STRING} ^a=1$\nRewriteRule ^ - [F]`,
    path: "x.txt?a=1",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: rewriteLoop,
    bad: `${rewrite} ^(.*)$ x.txt/$1 [L]`,
    good: `${rewrite} ^z$ x.txt [L]`,
    path: "z",

    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: rewriteLoop,
    bad: "Redirect 301 /dN /dN/new",
    good: "RedirectMatch 301 ^/dN/?$ /dN/new",
    path: "new",

    badResponse: "301",
    goodResponse: "404",
  },
  {
    rule: rewriteLoop,
    bad: "Redirect permanent /dN/old",
    good: "Redirect permanent /dN/old /dN/x.txt",
    path: "x.txt",

    badResponse: "301",
    goodResponse: "200 x",
  },
  {
    rule: relativeRedirect,
    bad: `${rewrite} ^z$ x.txt [R=301]`,
    good: `${rewrite} ^z$ /dN/x.txt [R=301]`,
    path: "z",
    follows: true,
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: contradictoryFlags,
    bad: `${rewrite} ^z$ /dN/x.txt [R=301,PT]`,
    good: `${rewrite} ^z$ /dN/x.txt [R=301]`,
    path: "z",
    follows: true,
    badResponse: "400",
    goodResponse: "200 x",
  },
  {
    rule: contradictoryFlags,
    bad: `${rewrite} ^z$ - [F,R=301]`,
    good: `${rewrite} ^z$ - [F]`,
    path: "z",

    badResponse: "301",
    goodResponse: "403",
  },
  {
    rule: contradictoryFlags,
    bad: `${rewrite} ^x.txt$ - [R=301]`,
    good: `${rewrite} ^x.txt$ /dN/y [R=301]`,
    path: "x.txt",

    badResponse: "200 x",
    goodResponse: "301",
  },
  {
    rule: contradictoryFlags,
    bad: `${rewrite} ^z$ x.txt [C,L]\nRewriteRule ^x.txt$ - [F]`,
    good: `${rewrite} ^z$ x.txt [C]\nRewriteRule ^x.txt$ - [F]`,
    path: "z",

    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE text/*",
    good: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE text/plain",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE text/plain;charset=utf-8",
    good: "Substitute s/x/y/\nAddOutputFilterByType SUBSTITUTE text/plain",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE *.txt",
    good: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE .txt",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE x.txt",
    good: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE .txt",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "Substitute s/x/y/\nAddOutputFilter .txt SUBSTITUTE",
    good: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE .txt",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: ignoredValue,
    bad: "Header set X-A b early",
    good: "Header set X-A b",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 b",
  },
  {
    rule: ignoredValue,
    bad: `ExpiresActive On\nExpiresByType text/plain,text/css A60`,
    good: `ExpiresActive On\nExpiresByType text/plain A60`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 max-age=60",
  },
  {
    rule: ignoredValue,
    bad: `ExpiresActive On\nExpiresByType */* A60`,
    good: `ExpiresActive On\nExpiresByType text/* A60`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 max-age=60",
  },
  {
    rule: commaInArguments,
    bad: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE .txt,.css",
    good: "Substitute s/x/y/\nAddOutputFilter SUBSTITUTE .txt .css",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 y",
  },
  {
    rule: shadowedLine,
    bad: `${engine}RewriteRule ^ x.txt [L]\nRewriteRule ^(x.txt|z)$ - [F]`,
    good: `${engine}RewriteRule ^(x.txt|z)$ - [F]\nRewriteRule ^ x.txt [L]`,
    path: "z",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: shadowedLine,
    bad: `AddType text/plain .txt\nOptions +MultiViews\n${rewrite} ^x/(\\d+)$ x.txt?id=$1 [R]`,
    good: `AddType text/plain .txt\nOptions -MultiViews\n${rewrite} ^x/(\\d+)$ /dN/x.txt?id=$1 [R]`,
    path: "x/1",
    badResponse: "404",
    goodResponse: "302",
  },
  {
    rule: pathPatterns,
    bad: `${rewrite} ^x.txt?id=1$ - [F]`,
    good: `${engine}RewriteCond %{QUERY_STRING} ^id=1$\nRewriteRule ^x.txt$ - [F]`,
    path: "x.txt?id=1",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: ignoredRewriteTarget,
    bad: `${engine}RewriteRule ^z$ x.txt [R=404]`,
    good: `${engine}ErrorDocument 404 /dN/x.txt\nRewriteRule ^z$ - [R=404]`,
    path: "z",
    badResponse: "404",
    goodResponse: "404 x",
  },
  {
    rule: rewriteEngineOff,
    bad: "RewriteRule ^x - [F]",
    good: `${engine}RewriteRule ^x - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: rewriteEngineOff,
    bad: "RewriteEngine Off\nRewriteRule ^x - [F]",
    good: `${engine}RewriteRule ^x - [F]`,
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: escapedRedirect,
    bad: `${rewrite} ^z$ /dN/x.txt#top [R]`,
    good: `${rewrite} ^z$ /dN/x.txt#top [R,NE]`,
    path: "z",
    follows: true,
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: escapedRedirect,
    bad: `${rewrite} ^z$ /dN/%78.txt [R]`,
    good: `${rewrite} ^z$ /dN/\\%78.txt [R,NE]`,
    path: "z",
    follows: true,
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: escapedRedirect,
    bad: `${rewrite} ^z$ /dN/\\%78.txt [R]`,
    good: `${rewrite} ^z$ /dN/\\%78.txt [R,NE]`,
    path: "z",
    follows: true,
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: escapedRedirect,
    bad: "RedirectMatch ^/dN/z /dN/%78.txt",
    good: "RedirectMatch ^/dN/z /dN/x.txt",
    path: "z",
    follows: true,
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: overriddenSection,
    bad: "<Files x.txt>\nRequire all denied\n</Files>\n<Files *>\nRequire all granted\n</Files>",
    good: "<Files *>\nRequire all granted\n</Files>\n<Files x.txt>\nRequire all denied\n</Files>",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "403",
  },
  {
    rule: droppedQuery,
    bad: `${engine}RewriteCond %{QUERY_STRING} page\nRewriteRule ^y - [F]\nRewriteRule ^(.*)$ y?q=$1 [L]`,
    good: `${engine}RewriteCond %{QUERY_STRING} page\nRewriteRule ^y - [F]\nRewriteRule ^(.*)$ y?q=$1 [L,QSA]`,
    path: "z?page=2",
    badResponse: "404",
    goodResponse: "403",
  },
  {
    rule: unguardedPhpSetting,
    bad: "php_value memory_limit 64M",
    good: "<IfModule mod_php.c>\nphp_value memory_limit 64M\n</IfModule>",
    path: "x.txt",
    badResponse: "500",
    goodResponse: "200 x",
  },
  {
    rule: misplacedRewriteBase,
    bad: `RewriteBase /var/www/html\n${rewrite} ^z$ x.txt`,
    good: `RewriteBase /dN\n${rewrite} ^z$ x.txt`,
    path: "z",
    badResponse: "404",
    goodResponse: "200 x",
  },
  {
    rule: rewriteLoop,
    bad: `RewriteEngine On\nSetEnvIf X-Forwarded-Proto https A=1\nRewriteCond %{HTTPS} off\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]`,
    good: `RewriteEngine On\nRewriteCond %{HTTPS} off\nRewriteCond %{HTTP:X-Forwarded-Proto} !=https\nRewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R]`,
    path: "x.txt",
    badResponse: "302",
    goodResponse: "200 x",
  },
  {
    rule: ignoredValue,
    bad: "SetEnv A b\nHeader set X-A b env=A=b",
    good: "SetEnv A b\nHeader set X-A b env=A",
    path: "x.txt",
    badResponse: "200 x",
    goodResponse: "200 b",
  },
];

type SentRequest = Pick<MistakeCase, "path" | "follows" | "header">;

describe.skipIf(!httpd)(liveTitle("everyday mistakes, on the live server"), () => {
  const folder = sharedFolder();
  let responses: readonly string[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const root = folder.at("www");
    const texts = cases.flatMap(({ bad, good }) => [bad, good]);
    texts.forEach((text, index) => {
      const below = join(root, `d${index}`);
      mkdirSync(below, { recursive: true });
      for (const name of ["x.txt", "x.jpg"]) writeFileSync(join(below, name), "x");
      const lines = text.replaceAll("dN", `d${index}`).replaceAll("@ROOT@", folder.path);
      writeFileSync(join(below, ".htaccess"), `${lines}\n`);
    });
    writeFileSync(folder.at("mime.types"), "text/plain txt\nimage/jpeg jpg\n");
    // alice:secret
    writeFileSync(folder.at("users"), "alice:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n");
    const head = `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nTypesConfig mime.types\nKeepAlive Off\nListen 127.0.0.1:${port}\n`;
    const directory = `DocumentRoot "${root}"\n<Directory "${root}">\nAllowOverride All\nRequire all granted\n</Directory>\n`;
    writeFileSync(folder.at("httpd.conf"), loadModules([...modules, "rewrite"]) + head + directory);
    const authorization = `Basic ${Buffer.from("alice:secret").toString("base64")}`;
    const read = async ({ path, follows, header: shownHeader }: SentRequest) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization, "x-forwarded-proto": "https" },
        redirect: follows ? "follow" : "manual",
      });
      const body = await response.text();
      if (shownHeader !== undefined)
        return `${response.status} ${(response.headers.get(shownHeader) ?? "").replace(/\/.*/, "")}`;
      const header = response.headers.get("x-a") ?? response.headers.get("cache-control");
      const shown = header ?? (body.startsWith("<") ? "" : body);
      return `${response.status} ${shown}`.trim();
    };
    const requests = cases.flatMap((each, index) =>
      [2 * index, 2 * index + 1].map((number) => ({ ...each, path: `/d${number}/${each.path}` })),
    );
    const first = { address: "127.0.0.1", port, text: "GET / HTTP/1.0\r\n\r\n" };
    const served = await whileServing(folder.path, first, () => Promise.all(requests.map(read)));
    if ("refused" in served) throw new Error(served.refused);
    responses = served;
  });

  test.each(cases.map((each, index) => [each.rule.id, each.bad, each, index] as const))(
    "%s: %j",
    (_, _bad, { rule, bad, good, badResponse, goodResponse }, index) => {
      expect(findingsOf([rule], bad, { kind: "htaccess" })).not.toEqual([]);
      expect(findingsOf([rule], good, { kind: "htaccess" })).toEqual([]);
      expect([responses[2 * index], responses[2 * index + 1]]).toEqual([badResponse, goodResponse]);
    },
  );
});
