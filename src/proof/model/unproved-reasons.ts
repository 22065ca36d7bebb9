import type { Directive } from "../../config/model/directive.js";
import { remedyForUnset } from "../../config/model/placeholders.js";
import type { UnprovedEffect } from "../../facts/effects.js";
import { type FactCode, isFact, type UnknownFact, wordsOfFact } from "../../server/model/unknown-facts.js";
import { codeOf, createCodedText, renderCodedText, type WordsByCode } from "../../text/coded-text.js";
import type { Unproved } from "./comparison.js";

/** The reason why something is not proved, or the unknown fact that decides; `wordsOfReason` makes the words. */
export type UnprovedReason = UnknownFact;

/** An unproved part, before its words are made. */
export interface UnprovedPart extends Omit<Unproved, "reason" | "help"> {
  readonly reason: UnprovedReason;
}

/** A line that is not analyzed exactly. */
export interface ReasonAtLine {
  readonly reason: UnprovedReason;
  readonly directive: Directive;
}

/** Advice for parts omitted for lack of steps. */
const budgetRemedy = "analyze a configuration with fewer hosts or path patterns";
const inCondition = (what: string) => () => `a condition ${what}, which is not analyzed`;

/** Why a difference in a directive of the table of effects is not analyzed. */
const effectReasons = {
  "body-filter": () => "a filter may reject or fail to process a body, which is not analyzed",
  "cached-answers": () => "a cached answer needs no access, and which answers are cached is not analyzed",
  "client-address": () => "which proxies may set the client address is not analyzed",
  "client-certificates": () => "which certificates of clients the server accepts is not analyzed",
  "computed-handler": () => "which handler it sets for a request is not analyzed",
  dav: () => "what WebDAV requests do is not analyzed",
  "dav-limit": () => "which depths of WebDAV requests it allows is not analyzed",
  "digest-settings": () => "which digests of passwords it accepts is not analyzed",
  "early-headers": () => "its early change of request headers is not analyzed",
  "effect-on-answer": () => "its effect on the answer to a request is not modelled",
  "encoded-slashes": () => "paths with encoded slashes are not analyzed",
  "error-document": () => "the status that this error document may set is not analyzed",
  "fcgi-authentication": () => "the answer of a FastCGI program that authenticates users is not analyzed",
  "file-content": () => "the content of the files to which it gives a handler is not analyzed",
  "file-lookup": () => "whether a path without a file is redirected, or leads to another file, is not analyzed",
  "image-map": () => "the answers of image maps are not analyzed",
  "index-redirect": () => "redirects to index files are not analyzed",
  "loaded-module": () => "only one side loads a third-party module, whose effect on requests is not known",
  "login-default": () => "how it leaves the login to another module is not analyzed",
  "login-form": () => "logins by form and their sessions are not analyzed",
  "malformed-requests": () => "which requests httpd rejects for their syntax or their HTTP version is not analyzed",
  "media-type-of-content": () => "the media type that it gives a file, and so the handler, is not analyzed",
  "own-name-and-port": () => "the server's own name and port are not analyzed",
  "program-access": () => "access to the program that handles these requests is not analyzed",
  "protocol-header": () => "what the server does with this request header is not analyzed",
  "protocol-of-connection": () => "a line reads what it sets for the connection, which is not analyzed",
  "proxy-inheritance": () => "which lines for backends a virtual host inherits is not analyzed",
  "proxy-limit": () => "how many proxies a request may pass is not analyzed",
  realm: () => "the password of a user depends on the realm, and the contents of password files are not analyzed",
  "repeated-slashes": () => "patterns may match repeated slashes, which the server keeps; such paths are not analyzed",
  "request-size": () => "the length of a request and its body, and the number of its headers, are not analyzed",
  "rewrite-map": () => "which rules apply depends on what it returns, which is not analyzed",
  "server-path": () => "its mapping of requests without a Host header is not analyzed",
  "sni-policy": () => "which hosts one TLS connection may reach is not analyzed",
  "symbolic-links": () =>
    "it decides whether httpd follows symbolic links (403 if not), and which files are links is not analyzed",
  "third-party-setting": () => "the effect of this directive of a third-party module is not known",
  "tls-by-protocol": () => "whether it enables TLS on the connection is not analyzed",
  "user-files": () => "the contents of user and group files, and the answers of other providers, are not analyzed",
  "value-in-condition": () => "another line tests or computes a value that this line changes, which is not analyzed",
  variant: () => "which variant of a file the server chooses is not analyzed",
  "windows-paths": () => "which paths of Windows servers it allows is not analyzed",
} satisfies Readonly<Record<UnprovedEffect, () => string>>;

/** The words of each reason, made of its values, as a clause. */
const reasonWords = {
  // Limits.
  "not-started": () => `the step budget ran out before any request to it was analyzed; ${budgetRemedy}`,
  incomplete: () => `the step budget ran out before all requests to it were analyzed; ${budgetRemedy}`,
  "too-many-path-classes": () =>
    "its paths form too many classes to distinguish; this server is not analyzed; analyze a configuration with fewer path patterns",
  "more-entry-points": () =>
    "only some of the names, addresses and ports of the hosts were analyzed; analyze fewer hosts at a time",
  "out-of-steps": () =>
    "earlier comparisons used the whole step budget of this run; make fewer changes, or analyze fewer hosts, at a time",
  "costly-pattern": (advice: string) =>
    `its pattern multiplies the number of groups of paths; ${wordsOfReason(advice)}`,
  "anchor-pattern": () => "anchor it with `^`, or analyze a copy of the configuration without it",
  "omit-pattern": () => "analyze a copy of the configuration without it",
  "too-many-clients": () => "the conditions for clients are too complex to analyze",
  "no-example": () => "no example request was found",
  "files-of-both-sides": () =>
    "the two sides reach the same files by different paths, and which of these files exist is not analyzed",
  "no-example-of-client": () =>
    "no example request was found, because the result depends on data that the client sends",
  "no-example-depends": (fact: string) =>
    `no example request was found, because the result depends on ${wordsOfReason(fact)}`,
  "unread-methods": () => "not all methods that it distinguishes are analyzed",
  // Parts of the configuration.
  "main-server": (reason: string) => `the main server: ${wordsOfReason(reason)}`,
  "unread-part": (refusal: string) => refusal,
  "user-htaccess": (allowing: string, section: string) =>
    `\`.htaccess\` files in the directories of users were not read, and \`${allowing}\` in \`${section}\` lets them control access`,
  "user-htaccess-by-default": () =>
    "`.htaccess` files in the directories of users were not read, and the default `AllowOverride All` of 2.2 lets them control access",
  "decided-elsewhere": () => "no line of this file decides access; the rest of the server does",
  // Facts.
  "result-depends": (fact: string) => `the result depends on ${wordsOfReason(fact)}`,
  "answer-depends": (fact: string) => `the answer depends on ${wordsOfReason(fact)}`,
  "is-unknown": (fact: string) => `it is unknown ${wordsOfReason(fact)}`,
  // Differences between the two sides.
  ...effectReasons,
  arguments: () => "whether httpd accepts its arguments is not checked",
  "module-of-one-side": (name: string) =>
    `only one side loads the third-party module \`${name}\`, whose effect on requests is not known`,
  "module-acts": (name: string) => `only one side loads \`${name}\`, which acts on requests without a line of its own`,
  "order-of-modules": (one: string, other: string) =>
    `the order of \`${one}\` and \`${other}\` depends on the modules that a side loads, and the first one acts first`,
  "requests-of-versions": (requests: string) =>
    `the two versions may answer requests ${requests} differently, and these requests are not analyzed`,
  "needed-module": () => "only one side loads a module without another that it needs, so that httpd may not start",
  "directive-not-in-table": () => "the effect of this directive is not known",
  "invalid-header": () => "for which requests httpd returns 500 because of an invalid response header is not analyzed",
  "third-party-conditions": () => "the conditions of a third-party module that checks access are not analyzed",
  "passed-on-request": () =>
    "a type map or a program may pass requests on to other URLs, and these requests are not analyzed",
  "file-of-handler": () =>
    "it decides which file a handler reads, such as a type map, and the contents of files are not analyzed",
  "relative-file": () => "its file is below the ServerRoot, which differs, and the content of the file is not analyzed",
  "forward-proxy": () => "requests to a forward proxy are not analyzed",
  "path-as-sent": () => "it matches the path as sent, and paths with unnecessary escapes are not analyzed",
  // Lines that read the path.
  "path-in-variable": () => "this rule stores a part of the path in a variable",
  "computes-from-path": inCondition("computes a value from the path"),
  "compares-computed": inCondition("compares a value computed from the path"),
  "matches-computed": inCondition("matches a pattern against a value computed from the path"),
  "uses-captured": inCondition("uses a part of the path that a pattern captured"),
  "looks-up-computed": inCondition("looks up a value computed from the path in a list"),
  "tests-computed": inCondition("tests a value computed from the path"),
  "tests-value-of-path": () => "this condition tests a value that depends on the path",
  "pattern-construct": (pattern: string, construct: string) => `its pattern \`${pattern}\` contains ${construct}`,
  "named-groups": () => "its named groups capture parts of the path",
  "rules-elsewhere": () => "its rules also apply to directories other than their own",
  // Targets.
  "target-of-path": () => "the target of this line depends on the path",
  "target-not-analyzed": () => "the target of this line depends on the path in a way that is not analyzed",
  "target-of-variable": () => "its target depends on a variable or a header",
  "target-with-character": (character: string) => `its target may contain ${character} from the path`,
  "relative-target": () => "its target is relative to the requested path",
  "redirect-of-pattern": () => "whether it redirects depends on the match of its pattern",
  "index-target": () => "an index file has a different target than its directory",
  "index-not-plain": (name: string) => `\`${name}\` is not a plain path`,
};

type ReasonCode = keyof typeof reasonWords;

function fromEach(
  codes: readonly ReasonCode[],
  help: readonly string[],
): Readonly<Partial<Record<ReasonCode, readonly string[]>>> {
  return Object.fromEntries(codes.map((code) => [code, help]));
}

/** What the user can do about the directories of users. */
export const helpForUserFiles = [
  "add `--assume-no-userdir-htaccess` if no `.htaccess` file in these directories controls access",
];

/** What the user can do about a reason or a fact, one imperative sentence each. */
const helpByCode: Readonly<Partial<Record<ReasonCode | FactCode, readonly string[]>>> = {
  ...fromEach(
    ["target-of-path", "target-not-analyzed", "target-of-variable", "target-with-character", "path-in-variable"],
    ["analyze a copy of the configuration without this line"],
  ),
  ...fromEach(
    ["directive-not-in-table", "effect-on-answer", "third-party-setting", "third-party-conditions"],
    ["write this line in the same section and with the same arguments on both sides"],
  ),
  ...fromEach(["module-of-one-side", "module-acts", "loaded-module"], ["load the module on both sides"]),
  ...fromEach(["order-of-modules"], ["load the modules in the same order on both sides"]),
  "forward-proxy": [
    "set `ProxyRequests Off` if clients do not use the server as their proxy; a reverse proxy works without it",
  ],
  "user-htaccess": [
    "add `--assume-no-userdir-htaccess` if no such file controls access",
    "set `AllowOverride None` in this section if the files are not needed",
  ],
  "user-htaccess-by-default": [
    "add `--assume-no-userdir-htaccess` if no such file controls access",
    'set `AllowOverride None` in `<Directory "/">` if the files are not needed',
  ],
};

/** The same, if all access of a server is to be shown. */
const helpInView: typeof helpByCode = {
  "home-directories-of-line": [
    "name the directories in a copy of the configuration, for example `UserDir /home/*/public_html`, and analyze the copy",
  ],
};

/** Where a part is reported that is not proved. */
export type UnprovedUse = "comparison" | "view";

const helpFor: Readonly<Record<UnprovedUse, ReadonlyMap<string, readonly string[]>>> = {
  comparison: new Map(Object.entries(helpByCode)),
  view: new Map(Object.entries({ ...helpByCode, ...helpInView })),
};

/** Returns what the user can do about a reason. */
export function helpForReason(reason: UnprovedReason, use: UnprovedUse): readonly string[] {
  if (isFact(reason, "undefined-variable")) return [remedyForUnset(reason.split("\0")[1] ?? "")];
  return helpFor[use].get(codeOf(reason)) ?? [];
}

/** The code of a reason without values. */
export type PlainReasonCode = {
  [Code in ReasonCode]: Parameters<(typeof reasonWords)[Code]> extends [] ? Code : never;
}[ReasonCode];

const wordsByCode: WordsByCode = new Map(Object.entries<(typeof reasonWords)[ReasonCode]>(reasonWords));

/** Returns a reason. A value that is itself a fact or a reason comes last. */
export function reasonFor<C extends ReasonCode>(
  code: C,
  ...values: Parameters<(typeof reasonWords)[C]>
): UnprovedReason {
  return createCodedText(code, values);
}

/** Returns a part without a proof that has such a reason, at a line. */
export function createUnprovedPart(code: PlainReasonCode, directive: Directive | undefined): UnprovedPart {
  return { reason: reasonFor(code), directive, example: undefined };
}

/** Returns the words of a reason, as a clause. */
export function wordsOfReason(reason: string): string {
  return renderCodedText(reason, wordsByCode) ?? wordsOfFact(reason);
}

/**
 * Returns the advice on a line whose pattern costs too many steps: an anchor at the start helps only if there is none, and if
 * the pattern is not about the end of a path or about all paths.
 */
export function adviceOnPattern({ key, arguments: words }: Directive): PlainReasonCode {
  const written = words.map(({ value }) => value).filter((word) => word !== "~");
  const pattern = (key === "rewritecond" || key.startsWith("setenvif") ? written[1] : written[0]) ?? "";
  return /^!?(?:\^|\(?\.\*)|(?<!\\)\$$/.test(pattern) ? "omit-pattern" : "anchor-pattern";
}
