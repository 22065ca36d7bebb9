import { nativePath } from "../../config/files/paths.js";
import { findPlaceholder } from "../../config/model/placeholders.js";
import { type CodedText, codeOf, createCodedText, renderCodedText, type WordsByCode } from "../../text/coded-text.js";

/** A fact that decides and that cannot be known here. Proofs ask millions of times; `wordsOfFact` makes the words. */
export type UnknownFact = CodedText;

const withReason = (words: string, reason: string) => `${words} (${wordsOfFact(reason)} is unknown)`;
const tooLong = (what: string) => (limit: string) => `${what}, which exceeds ${limit} bytes`;
const of = (effect: string) => (line: string) => `${effect} (${line})`;

/** The effects of directives that are not modelled. The value is the line. */
const effectWords = {
  "application-server": of("the answer of an application server"),
  "application-server-files": of("the files of an application server"),
  "backend-url-variables": of("the variables in the URL of the backend"),
  "cached-answer": of("whether the cache has an answer for another client"),
  "cern-meta-status": of("the status in a file of mod_cern_meta"),
  chroot: of("the files below the ChrootDir"),
  "client-country": of("the country of the client"),
  "client-location": of("the location of the client"),
  "connect-tunnel": of("the tunnel of CONNECT"),
  "dav-base-path": of("the path of the WebDAV collection"),
  "domain-redirect": of("whether mod_proxy redirects to the domain"),
  "echo-answer": of("the answer of mod_echo"),
  "encoding-path": of("the path that mod_encoding decodes"),
  "express-backend": of("the backend that mod_proxy_express finds"),
  "fake-basic-user": of("the user that AuthBasicFake sets for later steps"),
  "fastcgi-authorizer": of("the decision of a FastCGI program"),
  "filter-program": of("whether the program of a filter starts"),
  "form-redirect": of("the redirect of the login form"),
  gridsite: of("the decision of mod_gridsite"),
  "host-name-in-handshake": of("whether the client names the host in the TLS handshake"),
  "https-redirect": of("whether mod_md redirects to `https`"),
  "ldap-host": of("the virtual host in an LDAP directory"),
  "ldap-home-directory": of("the home directory in an LDAP directory"),
  "login-default": of("whether a module refuses the login"),
  "lua-answer": of("the answer of a Lua program"),
  "md-answer": of("the answer of mod_md"),
  "module-require": of("the connection, which a third-party module checks"),
  "password-digests": of("whether the password file has digests"),
  "proxy-block": of("whether mod_proxy blocks the host"),
  "regex-defaults": of("how patterns match with RegexDefaultOptions"),
  "remote-ip-header": of("the header that mod_remoteip sets"),
  "subversion-access-file": of("the access file of Subversion"),
  "third-party-rejection": of("whether a third-party module rejects the request"),
  "tls-cipher": of("the cipher of the connection"),
  "xml-body": of("whether the body is XML"),
};

/** The words of each fact, made of its values. They complete "it depends on …" and "… is unknown". */
const factWords = {
  ...effectWords,
  // Files.
  exists: (path: string) => `whether \`${nativePath(path)}\` exists`,
  "is-directory": (path: string) => `whether \`${nativePath(path)}\` is a directory`,
  "file-owner": (file: string, user: string) => `whether \`${nativePath(file)}\` belongs to \`${user}\``,
  "file-type": (file: string, type: string) => `whether \`${nativePath(file)}\` is of the type \`${type}\``,
  "group-of-file": (user: string, file: string) =>
    `whether \`${user}\` is in the group that owns \`${nativePath(file)}\``,
  "link-owner": (link: string) => `whether the link \`${nativePath(link)}\` and its target have the same owner`,
  "shorter-file": (one: string, other: string) =>
    `whether \`${nativePath(one)}\` is shorter than \`${nativePath(other)}\``,
  "extension-type": (extension: string) => `whether TypesConfig has a type for \`.${extension}\``,
  "types-file": (extension: string) => `the types of TypesConfig, such as that of \`.${extension}\``,
  "multiviews-file": (file: string) => `whether MultiViews finds a file for \`${nativePath(file)}\``,
  "first-type-map": (file: string) =>
    `which of several type maps for \`${nativePath(file)}\` the directory lists first`,
  "type-map": (path: string) => `the content of the type map \`${nativePath(path)}\``,
  "type-map-file": (file: string, map: string) =>
    `the file \`${nativePath(file)}\` that the type map \`${nativePath(map)}\` names`,
  "files-in-circle": (file: string) => `the files of \`${nativePath(file)}\`, which lead to each other`,
  spelling: (name: string, text: string) => `whether the disk spells \`${name}\` as \`${text}\``,
  "name-on-windows": (file: string) => `which file \`${nativePath(file)}\` names on Windows`,
  "spelling-file": (file: string) => `whether CheckSpelling finds a file for \`${nativePath(file)}\``,
  "only-spelling": (file: string) => `whether one file has a name that is most similar to \`${nativePath(file)}\``,
  "home-directories": () => "the home directories of users",
  "home-directories-of-line": (place: string) => `the home directories of users, which \`UserDir ${place}\` uses`,
  // Parts of the configuration that are not known.
  "unread-lines": (problem: string) => `lines that were not read (${problem})`,
  "unread-htaccess": (reason: string) => `\`.htaccess\` files that were not read (${reason})`,
  "htaccess-by-path": (file: string) =>
    `the directives of \`${nativePath(file)}\`, which \`AccessFileName\` names by a path`,
  "htaccess-beyond-part": (file: string) => `the directives of \`${nativePath(file)}\`, which is not read`,
  "undefined-variable": (variable: string, line: string) =>
    `the value of ${variable} in ${line}, ${findPlaceholder(variable) === undefined ? "which is not set" : "a placeholder of a template"}`,
  "program-result": (line: string) => `the result of ${line}`,
  "document-result": (line: string) => `the result of ${line}`,
  "header-effect": (line: string) => `the effect of ${line}`,
  "changed-header": (name: string, line: string) => `the header \`${name}\` after ${line}`,
  "order-of-modules": () => "whether mod_headers or mod_dir is loaded first",
  "passed-variable": (name: string) => `whether the environment of httpd has \`${name}\``,
  "value-of-passed": (name: string) => `the value of \`${name}\` in the environment of httpd`,
  "after-header-change": (lines: string, fact: string) => `${wordsOfFact(fact)}, after ${lines}`,
  "host-elsewhere": (host: string) => `whether another file defines a virtual host for \`${host}\``,
  "port-elsewhere": (port: string) =>
    `whether another file defines a virtual host for port ${port} of the requested address`,
  "access-elsewhere": (path: string) => `the access rules of other files: this file has none for \`${path}\``,
  "login-elsewhere": (path: string) => `the login of other files: this file does not set one up for \`${path}\``,
  "password-file-elsewhere": (file: string) =>
    `the password file \`${nativePath(file)}\`: httpd returns 500 if it does not exist`,
  "override-elsewhere": (folder: string) =>
    `the \`AllowOverride\` that applies to \`${nativePath(folder)}\`: no line of this file sets it`,
  "mapping-elsewhere": (path: string) =>
    `where \`${path}\` is on the disk: no DocumentRoot or Alias of this file maps it`,
  "require-elsewhere": (path: string) => `the \`Require\` lines of other files: this file has none for \`${path}\``,
  "setting-elsewhere": (name: string) => `the \`${name}\` that applies: no line of this file sets it`,
  "backend-tls-elsewhere": () => "whether another file sets `SSLProxyEngine On` for all virtual hosts",
  "merging-elsewhere": (line: string) => `the \`Require\` lines of other files: \`${line}\` merges them`,
  "index-elsewhere": (path: string) => `whether the rest of the server lists \`${path}\` or names another index file`,
  behaviour: (release: string, does: string) => `whether ${release} ${does}`,
  "escaped-dots": (release: string) => `the path that ${release} makes of a segment \`..\` with escapes`,
  "escaped-line-feed": (release: string) => `which patterns of ${release} match a line feed`,
  // Names and addresses.
  "own-address": () => "whether the client has the server's own address",
  "own-name": (name: string) => `whether \`${name}\` is the server's own name`,
  "listen-address": () => "whether the virtual host has the address of the `Listen` line, which turns on TLS",
  "server-address": (name: string) => `whether the server's address is that of \`${name}\``,
  "client-name": (address: string, name: string) => `whether the server's name for ${address} is \`${name}\``,
  "name-of-address": (address: string, name: string) => `whether \`${address}\` resolves to the name \`${name}\``,
  "name-in-variable": (written: string, name: string) => `whether ${written} is \`${name}\``,
  "blocked-address": (host: string) => `whether \`${host}\` has an address of \`ProxyBlock\``,
  "backend-host": (host: string) => `whether the host ${host} exists`,
  "proxied-addresses": (header: string) => `how many addresses of \`${header}\` mod_remoteip uses`,
  // Patterns, tests and values.
  "pattern-matches": (pattern: string, subject: string) => `whether the pattern \`${pattern}\` matches \`${subject}\``,
  "pattern-matches-in-limit": (pattern: string, subject: string) =>
    `whether the pattern \`${pattern}\` matches \`${subject}\` within the limit of PCRE`,
  "pattern-matches-unknown": (pattern: string, subject: string) =>
    `whether the pattern \`${pattern}\` matches ${wordsOfFact(subject)}`,
  "attribute-matches": (attribute: string, pattern: string) => `whether \`${attribute}\` matches \`${pattern}\``,
  "attribute-matches-any-case": (attribute: string, pattern: string) =>
    `whether \`${attribute}\` matches \`${pattern}\` (ignoring case)`,
  test: (test: string) => `whether \`${test}\``,
  "test-of-sent-path": (test: string) => `whether \`${test}\` holds for the path as sent`,
  "test-any-case": (test: string) => `whether \`${test}\` (ignoring case)`,
  "test-holds": (test: string) => `whether the test \`${test}\` holds`,
  "test-holds-for": (test: string, subject: string) =>
    `whether the test \`${test}\` holds, which depends on ${wordsOfFact(subject)}`,
  "header-sent": (name: string) => `whether the request has the header \`${name}\``,
  "header-condition": (condition: string) => `whether the condition ${condition} holds`,
  "ssl-require": (expression: string) => `whether \`SSLRequire ${expression}\` holds`,
  "file-test": (test: string, file: string) => `the result of the test \`-${test}\` for \`${nativePath(file)}\``,
  "test-of-set-values": (test: string) => `${wordsOfFact(test)} depends on values that other directives set`,
  "test-of-set-value": (variable: string, test: string) =>
    `${wordsOfFact(test)} is true depends on the value that other directives set for \`${variable}\``,
  "set-at-that-point": (variable: string) => `whether \`${variable}\` is set at that point`,
  "value-of-request": (text: string) => `the value of \`${text}\` depends on the request`,
  "value-of-variable": (name: string) => `the value of \`${name}\``,
  variable: (written: string) => `\`${written}\``,
  "long-variable": (name: string, limit: string) => tooLong(`the value of \`${name}\``)(limit),
  "unset-groups": (word: string) => `the value of \`${word}\`: its expression tries no pattern with a group`,
  "long-target": tooLong("the target of a pattern"),
  "long-rule": tooLong("the expansion of a rule"),
  "long-expression": tooLong("the value of an expression"),
  "credentials-header": () => "the `Authorization` header",
  "matching-header": (pattern: string) => `the last header that matches \`${pattern}\``,
  "groups-of-expression": (expression: string) => `the value of \`%N\` after the expression \`${expression}\``,
  "map-result": (map: string) => `the result of \`RewriteMap ${map}\``,
  "nested-maps": (limit: string) => `the result of maps nested more than ${limit} levels deep`,
  // URL mapping and rewriting.
  target: (line: string) => `the target of \`${line}\``,
  "target-is-url": (line: string) => `whether the target of \`${line}\` is a URL or a path`,
  "rule-applies": (line: string, reason: string) => withReason(`whether ${line} applies`, reason),
  "rule-result": (line: string, reason: string) => withReason(`the result of ${line}`, reason),
  "rule-variable": (line: string, reason: string) => withReason(`the variable that ${line} sets`, reason),
  "rule-rounds": () => "the number of its rounds",
  "rule-on-variant": (file: string) => `a rewrite rule that applies to the file \`${nativePath(file)}\``,
  "rules-of-forward-proxy": () => "what rewrite rules do with a request to a forward proxy",
  // Users, groups and modules that check access.
  "meets-require": () => "whether the user meets `Require`",
  grants: (line: string) => `whether \`${line}\` grants access`,
  fails: (line: string) => `whether \`${line}\` fails`,
  "needs-user": (line: string) => `whether \`${line}\` needs a user`,
  "is-neutral": (line: string) => `whether \`${line}\` is neutral`,
  "in-group": (user: string, group: string) => `whether \`${user}\` is in the group \`${group}\``,
  "dbm-group-file": () => "whether httpd cannot open the dbm group file",
  "some-password": (user: string) => `whether \`${user}\` sends a password that is not empty`,
  "password-matches": (user: string, scheme: string, file: string) =>
    `whether the password of \`${user}\` matches its hash (${scheme}) in \`${nativePath(file)}\``,
  "password-with-address": (user: string) => `whether the password of \`${user}\` has an \`@\` and a dot`,
  "accepts-password": (module: string, user: string, line: string) =>
    `whether ${module} accepts the password of \`${user}\` (${line})`,
  "accepts-any-password": (module: string, line: string) => `whether ${module} accepts the password (${line})`,
  identifies: (module: string, line: string) => `whether ${module} identifies the client (${line})`,
  returns: (module: string, status: string, line: string) => `whether ${module} returns ${status} (${line})`,
  rejects: (module: string, line: string) => `whether ${module} rejects the request (${line})`,
  "endpoint-answer": (module: string, path: string) => `the answer of ${module} at ${path}`,
  "certificate-accepted": () => "whether the client presents a certificate that `SSLVerifyClient require` accepts",
  "certificate-presented": () => "whether the client presents a certificate",
  "certificate-variable": (variable: string) => `whether the client's certificate has \`${variable}\``,
  "certificate-user": (name: string) => `whether the client's certificate names the user \`${name}\``,
  "certificate-known": () => "whether the certificate's subject is a user with the password `password`",
  "certificate-later": (ways: string) => `whether the client ${ways}`,
  "user-of-certificate": (variable: string) => `the user that \`SSLUserName ${variable}\` sets`,
  // The response.
  "status-by-document": (responder: string, line: string) => `whether ${responder} of ${line} sets another status`,
  "status-by-header": (header: string) => `whether the header \`${header}\` changes the status`,
  "range-in-file": () => "whether the range is in the file",
  "long-body": (limit: string) => `whether the body of the request is longer than ${limit} bytes`,
  "answer-to-long-body": (limit: string) =>
    `whether a program reads the body: it is longer than the limit of ${limit} bytes, and httpd then returns 413`,
  "unread-long-body": (limit: string) => `whether the program leaves the body of more than ${limit} bytes unread`,
  "changes-header": (line: string) => `whether ${line} changes a header`,
  "controls-in-header": (line: string) => `whether ${line} sets a value with control characters`,
  "dav-answer": (method: string) => `what mod_dav returns for ${method}`,
  "too-many-facts": () => "more unknown facts than can be combined",
  // What a proof does not analyze.
  "unrecorded-data": () => "the result depends on data that is not analyzed",
  "rule-of-proof": (note: string) => note,
};

export type FactCode = keyof typeof factWords;

type FactWords = (typeof factWords)[FactCode];

const wordsByCode: WordsByCode = new Map(Object.entries<FactWords>(factWords));

/** Returns a fact. A value that is itself a fact comes last. */
export function unknownFact<C extends FactCode>(code: C, ...values: Parameters<(typeof factWords)[C]>): UnknownFact {
  return createCodedText(code, values);
}

/** Reports whether a fact has one of some codes. */
export function isFact(fact: UnknownFact, ...codes: readonly FactCode[]): boolean {
  return codes.some((code) => fact.startsWith(`${code}\0`));
}

/**
 * Reports whether a fact has a usual answer, so that the usual case is shown without it: which files exist, whether the program of an
 * error document sets another status, and what seldom holds.
 */
export function hasUsualAnswer(fact: UnknownFact): boolean {
  return isFact(fact, "exists", "is-directory", "status-by-document") || isUnusual(fact);
}

/** Reports whether a fact, other than one about a file, seldom holds: that a program leaves a body unread, and the like. */
export function isUnusual(fact: UnknownFact): boolean {
  return isFact(fact, "unread-long-body", "backend-tls-elsewhere", "blocked-address");
}

/**
 * Reports whether a fact leaves open whether access is granted, which host answers, or what a directory without an index file shows,
 * but not where the lines of a part lead.
 */
export function leavesDestination(fact: UnknownFact): boolean {
  return isFact(fact, "access-elsewhere", "require-elsewhere", "index-elsewhere", "host-elsewhere");
}

/** Returns the same fact about other values. @param rename returns the new text of a value */
export function renameFact(fact: UnknownFact, rename: (value: string) => string): UnknownFact {
  const code = codeOf(fact);
  return `${code}\0${rename(fact.slice(code.length + 1))}`;
}

/** Returns the words of a fact: "whether `/srv/www/x` exists". A text that is not a fact stays as it is. */
export function wordsOfFact(fact: string): string {
  return renderCodedText(fact, wordsByCode) ?? fact;
}

/**
 * Returns the condition under which other files let the lines of a part respond, as a clause; undefined if a fact is about something
 * else.
 */
export function grantOfFact(fact: string): string | undefined {
  return renderCodedText(fact, grantsByCode);
}

const grantsByCode: WordsByCode = new Map([
  ["host-elsewhere", (host: string) => `unless another file defines a virtual host for \`${host}\``],
  ["access-elsewhere", (path: string) => `if other files grant access: this file has no access rules for \`${path}\``],
  [
    "require-elsewhere",
    (path: string) => `if the \`Require\` lines of other files allow it: this file has none for \`${path}\``,
  ],
]);

/**
 * Returns how to set the variable whose value is unknown, as an imperative clause; undefined if a fact is about something else. httpd
 * keeps the name of an unset variable in the text (server/core.c `ap_resolve_env`, AH00111).
 */
export function remedyOfFact(fact: string): string | undefined {
  return renderCodedText(fact, remediesByCode) || undefined;
}

const remediesByCode: WordsByCode = new Map([
  [
    "undefined-variable",
    (variable: string) => {
      const [written, name] = /\$\{(\w+)\}/.exec(variable) ?? [];
      return name === undefined
        ? ""
        : `set \`${name}\` where httpd starts (\`export ${name}=…\` in \`envvars\`, \`ENV ${name} …\` of an image), or add \`Define ${name} …\` before this line; without a value, httpd takes \`${written}\` as it is`;
    },
  ],
]);

/** Returns the fact as a clause that holds: "`/srv/www/x` exists". */
export function clauseOfFact(fact: UnknownFact): string {
  return wordsOfFact(fact).replace(/^whether /, "");
}
