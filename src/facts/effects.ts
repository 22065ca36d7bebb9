import { computeOnce } from "../text/memoize.js";
import table from "./data/effects.json" with { type: "json" };
import { findThirdPartyDirective } from "./directives.js";
import type { Release } from "./release.js";

/**
 * What a directive may read or write while the server answers a request. The name of a header is in lower case, as is
 * that of a variable; a `*` at its end stands for any rest. `config:` is the configuration of a module, which only
 * other lines of that module read.
 */
export type Fact =
  /** The addresses and ports of the connection, and the names that the server looks up for them. */
  | "address"
  /** The state of TLS on the connection, and the certificate of the client. */
  | "tls"
  | "virtual-host"
  | "method"
  | "path"
  | "query"
  | `header:${string}`
  | `variable:${string}`
  | "user"
  /** The path of the file. */
  | "file"
  /** What is on the disk. */
  | "file-kind"
  | "media-type"
  /** The media type of files without one. */
  | "default-type"
  | "handler"
  | "filter"
  | `config:${string}`
  /** The status of the answer, and with it each access decision. */
  | "status"
  | "log"
  | "response-headers"
  | "body"
  /** The processes, sockets, caches and files of the server itself. */
  | "process";

/** Why an answer is unknown where a directive applies: `src/server/model/unknown-facts.ts` has the words. */
export const unknownEffects = [
  ...([
    "application-server",
    "application-server-files",
    "backend-url-variables",
    "cached-answer",
    "cern-meta-status",
    "chroot",
  ] as const),
  ...(["client-country", "client-location", "connect-tunnel", "dav-base-path", "domain-redirect"] as const),
  ...(["echo-answer", "encoding-path", "express-backend", "fake-basic-user", "fastcgi-authorizer"] as const),
  ...([
    "filter-program",
    "form-redirect",
    "gridsite",
    "host-name-in-handshake",
    "https-redirect",
    "ldap-host",
  ] as const),
  ...([
    "ldap-home-directory",
    "login-default",
    "lua-answer",
    "md-answer",
    "module-require",
    "password-digests",
    "program-result",
  ] as const),
  ...([
    "proxy-block",
    "regex-defaults",
    "remote-ip-header",
    "subversion-access-file",
    "third-party-rejection",
  ] as const),
  ...(["tls-cipher", "xml-body"] as const),
] as const;
export type UnknownEffect = (typeof unknownEffects)[number];

/**
 * Why a proof cannot tell whether a difference in a directive matters, though an answer with it is known:
 * `src/proof/model/unproved-reasons.ts` has the words.
 */
export type UnprovedEffect =
  | "body-filter"
  | "cached-answers"
  | "client-address"
  | "client-certificates"
  | "computed-handler"
  | "dav"
  | "dav-limit"
  | "digest-settings"
  | "early-headers"
  | "effect-on-answer"
  | "encoded-slashes"
  | "error-document"
  | "fcgi-authentication"
  | "file-content"
  | "file-lookup"
  | "image-map"
  | "index-redirect"
  | "login-default"
  | "login-form"
  | "loaded-module"
  | "malformed-requests"
  | "media-type-of-content"
  | "own-name-and-port"
  | "program-access"
  | "protocol-header"
  | "protocol-of-connection"
  | "proxy-inheritance"
  | "proxy-limit"
  | "realm"
  | "repeated-slashes"
  | "request-size"
  | "rewrite-map"
  | "server-path"
  | "sni-policy"
  | "symbolic-links"
  | "third-party-setting"
  | "tls-by-protocol"
  | "user-files"
  | "value-in-condition"
  | "variant"
  | "windows-paths";

/** Headers that mod_dav reads (modules/dav/main/mod_dav.c, util.c). */
const davHeaderFacts = [
  ...(["header:destination", "header:depth", "header:overwrite", "header:if", "header:lock-token"] as const),
  ...(["header:timeout", "header:content-type", "header:label"] as const),
] as const;
export const davHeaders: ReadonlySet<Fact> = new Set<Fact>(davHeaderFacts);

/** What must hold for a line or its configuration so that a reason counts: `src/proof/compare/circumstances.ts` decides. */
export type Circumstance =
  | "accepts-any-certificate"
  | "accepts-other-requests"
  | "changes-links"
  | "changes-variants"
  | "computes-value"
  | "extends-trace"
  | "extensions-in-path-info"
  | "filters-may-fail"
  | "handlers-by-content"
  | "handlers-by-method"
  | "is-early"
  | "keeps-directory-urls"
  | "keeps-slashes"
  | "logins-by-digest"
  | "maps-by-content"
  | "negotiates-types"
  | "negotiation"
  | "replaces-errors"
  | "replaces-status"
  | "tests-own-names"
  | "tests-tls-variables"
  | "uses-dav"
  | "writes-dav-headers"
  | "writes-negotiation-facts"
  | "writes-protocol-headers";

/** A reason that only counts under a circumstance. */
export interface ConditionalReason {
  readonly reason: UnprovedEffect;
  readonly if: Circumstance;
}

/** How the names of headers and variables, or further facts, follow from the arguments of a line (`line-effects.ts`). */
export type NameExtractor =
  | "access-by-host"
  | "authentication-type"
  | "default-type"
  | "filters"
  | "header"
  | "negotiation"
  | "passed"
  | "require"
  | "response-header"
  | "rewrite-condition"
  | "rewrite-rule"
  | "switched-off"
  | "variable"
  | "variables"
  | "variables-by-attribute"
  | "variables-by-browser"
  | "variables-by-expression"
  | "verification";

/** What a directive does to the answer of a request. */
export interface DirectiveEffects {
  /** The name of its row in the table of effects. */
  readonly effect: EffectName;
  readonly reads: readonly Fact[];
  readonly writes: readonly Fact[];
  /**
   * Whether the simulator models it, it cannot change the class of an answer, an answer assumes what it decides, or why an
   * answer with it is unknown. An answer assumes who the client is: its address, its certificate, its user and password. It
   * counts a program that runs, or a backend, as allowed, and a filter of a body as one that does not fail.
   */
  readonly answer: "modelled" | "none" | "assumed" | UnknownEffect;
  /** Set if a proof does not analyze it, always or under circumstances. */
  readonly unproved?: UnprovedEffect | readonly ConditionalReason[];
  readonly names?: NameExtractor;
  /**
   * The arguments that only matter where the server uses them: the target at the end, URLs of other servers, or all. Each
   * other argument may decide about all requests to which the line applies.
   */
  readonly usedLater?: "target" | "urls" | "all";
  /** What the server does without any such line: logins fail, or it reads password files. */
  readonly absence?: "logins-fail" | "reads-files";
  /** Whether its first argument is the path of a file, below ServerRoot if it is relative. */
  readonly namesFile?: true;
}

type Effect = Omit<DirectiveEffects, "effect">;

const effect =
  (answer: Effect["answer"]) =>
  (
    reads: readonly Fact[],
    writes: readonly Fact[],
    more: Omit<Effect, "reads" | "writes" | "answer"> = {},
  ): Effect => ({
    ...{ reads, writes, answer },
    ...more,
  });

const modelled = effect("modelled");
const none = effect("none");
const assumed = effect("assumed");
const unknown = (
  code: UnknownEffect,
  reads: readonly Fact[] = ["path"],
  writes: readonly Fact[] = ["status"],
  more: Pick<Effect, "names" | "unproved"> = {},
) => effect(code)(reads, writes, more);

const under = (reason: UnprovedEffect, circumstance: Circumstance): ConditionalReason => ({
  reason,
  if: circumstance,
});
/** The names of the server count where a line tests them. */
const ifNamesCount = [under("own-name-and-port", "tests-own-names")];
/** By what mod_cache decides whether it keeps an answer (`cache_save_filter`). */
const cachedBy: readonly Fact[] = ["response-headers", "variable:no-cache"];
const ofServerVariables = [under("variant", "writes-negotiation-facts"), under("file-lookup", "keeps-directory-urls")];
/** Handlers whose answers proofs do not analyze. */
const ofOpenHandlers = [under("file-content", "handlers-by-content"), under("effect-on-answer", "handlers-by-method")];
const ofVariants = [under("variant", "negotiates-types")];
const ofExtensions = [under("media-type-of-content", "extensions-in-path-info"), ...ofOpenHandlers];

const effectsByName = <Name extends string>(all: Readonly<Record<Name, Effect>>) => all;

/** The effects that directives share, by name; a condition in a line adds what it reads. */
const effects = computeOnce(() =>
  effectsByName({
    // Without effect on the class of an answer.
    process: none([], ["process"]),
    log: none([], ["log"]),
    body: none(["path"], ["body"]),
    backend: none(["path"], ["body"]),
    "response-headers": none(["path"], ["response-headers"]),
    // Variables of programs; an internal redirect renames them (server/util_script.c `ap_add_common_vars`).
    "passed-authorization": none(["path"], ["body", "variable:http_authorization"]),
    "server-signature": none(["path"], ["body", "variable:server_signature"]),
    "redirect-url": none(["path"], ["body", "variable:redirect_url"]),
    // Variables of HTTP/2 that an index file may test (mod_http2.c `h2_h2_fixups`).
    pushes: none(["path"], ["response-headers", "variable:h2push", "variable:h2_*"], {
      unproved: "protocol-of-connection",
    }),
    // Headers after the body (modules/http/http_filters.c `read_chunked_trailers`).
    trailers: assumed([], ["header:*"], { unproved: "protocol-header" }),
    // POST and PUT get 500 if iconv does not know a character set (mod_charset_lite.c `find_code_page`).
    charset: assumed(["path", "method"], ["body", "status"], { unproved: "effect-on-answer" }),
    // A module that is loaded later no longer maps the path (mod_file_cache.c `file_cache_xlat`).
    "file-cache": assumed(["path"], ["file", "status"], { unproved: "effect-on-answer" }),
    // Whether the `Location` of a backend leads to another URL of the server (mod_proxy_scgi.c `pass_response`).
    "backend-redirect": assumed(["path"], ["status"], { unproved: "effect-on-answer" }),
    // Whether an ErrorDocument replaces what a backend returns.
    "backend-errors": assumed(["path"], ["status"], { unproved: [under("effect-on-answer", "replaces-errors")] }),
    // Whether a module takes a request for a backend or a program.
    "backend-choice": assumed(["path"], ["status"], { unproved: "effect-on-answer" }),
    // Its handler does not look at the path after the file (mod_dialup.c `dialup_handler`).
    "path-check": assumed(["path"], ["status"], { unproved: "effect-on-answer" }),
    "passed-header": none(["path"], ["body"], { names: "passed" }),
    "backend-selection": modelled(["path", "header:upgrade"], ["handler", "status"]),
    // It changes `%{THE_REQUEST}` (mod_http2's h2_request.c `h2_create_request_rec`).
    "request-line": assumed([], ["path"], { unproved: "protocol-of-connection" }),
    // A filter that fails ends the request with an error.
    filter: none(["path"], ["filter", "body"], { names: "filters", unproved: "body-filter" }),
    "filter-setting": assumed(["path"], ["body", "status"], { unproved: "body-filter" }),
    "server-version": none([], ["response-headers", "variable:server_software"], { unproved: "value-in-condition" }),
    // The name of the client is a note, which conditions may read (mod_usertrack.c `spot_cookie`).
    "user-tracking": none(["path"], ["response-headers", "variable:cookie"], { unproved: "value-in-condition" }),
    // The text of the configuration: the reader resolves it.
    text: modelled([], []),
    module: modelled([], ["status"], { unproved: "loaded-module", usedLater: "all" }),
    // Sections: their content applies if these facts say so.
    "file-section": modelled(["file"], []),
    "path-section": modelled(["path"], []),
    "method-section": modelled(["method"], []),
    "backend-section": modelled(["path"], []),
    "host-section": modelled(["address", "virtual-host"], []),
    condition: modelled([], []),
    // The server and the connection.
    "host-name": modelled(["header:host"], ["virtual-host"], { unproved: ifNamesCount, usedLater: "all" }),
    "own-name": modelled(["address", "header:host"], ["virtual-host", "address"], { unproved: ifNamesCount }),
    "server-path": modelled(["path"], ["virtual-host"], { unproved: "server-path" }),
    port: modelled(["address"], ["virtual-host"], { usedLater: "all" }),
    "client-address": modelled(["address", "header:*"], ["address"], { unproved: "client-address" }),
    "client-address-file": modelled(["address"], ["address"], { unproved: "client-address", namesFile: true }),
    "address-exceptions": assumed(["address"], ["address"], { unproved: "client-address" }),
    tls: modelled(["address"], ["tls"]),
    "tls-variables": modelled(["tls"], ["variable:ssl_*", "user", "config:mod_ssl"], {
      unproved: [under("value-in-condition", "tests-tls-variables")],
    }),
    "tls-parameters": none([], ["process", "variable:ssl_*"], { unproved: "protocol-of-connection" }),
    "certificate-check": modelled([], ["tls", "status", "config:mod_ssl"], {
      names: "verification",
      unproved: [under("client-certificates", "accepts-any-certificate")],
    }),
    // A client without a certificate gets no answer if the handshake fails.
    "certificate-handshake": modelled([], ["tls", "status", "config:mod_ssl"], {
      names: "verification",
      unproved: "client-certificates",
    }),
    "client-certificates": assumed([], ["config:mod_ssl", "variable:ssl_*"], { unproved: "client-certificates" }),
    "certificate-file": assumed([], ["config:mod_ssl", "variable:ssl_*"], {
      unproved: "client-certificates",
      namesFile: true,
    }),
    "certificate-user": modelled(["tls", "config:mod_ssl"], ["user"]),
    "sni-policy": unknown("host-name-in-handshake", ["tls", "virtual-host"], ["status"], { unproved: "sni-policy" }),
    protocol: none([], ["process", "variable:server_protocol", "variable:http2", "variable:h2_*"], {
      unproved: "protocol-of-connection",
    }),
    "protocol-name": assumed([], ["tls"], { unproved: "tls-by-protocol" }),
    ident: none(["address"], ["variable:remote_ident"], { unproved: "protocol-of-connection" }),
    admin: modelled([], ["variable:server_admin"], { unproved: "value-in-condition" }),
    // The path and the file.
    mapping: modelled(["path"], ["path", "file", "handler", "status"], { usedLater: "target" }),
    "document-root": modelled(["path"], ["path", "file", "handler", "status"], { usedLater: "target" }),
    "user-directory-mapping": modelled(["path"], ["path", "file", "handler", "status"], { usedLater: "all" }),
    "path-setting": modelled(["path"], ["path", "file", "handler", "status"]),
    "repeated-slashes": modelled(["path"], ["path", "file", "handler", "status"], {
      unproved: [under("repeated-slashes", "keeps-slashes")],
    }),
    // They decide whether a path without a file gets a redirect, another file, or 404.
    "file-lookup": modelled(["path"], ["path", "file", "handler", "status"], { unproved: "file-lookup" }),
    "directory-redirect": modelled(["file-kind", "path"], ["path", "file", "status"], { unproved: "file-lookup" }),
    // A method of WebDAV may get another status for a directory than for its index file (mod_dav.c `dav_method_propfind`).
    index: modelled(["file-kind", "path"], ["path", "file", "status"], { unproved: [under("dav", "uses-dav")] }),
    "index-redirect": modelled(["file-kind", "path"], ["status"], { unproved: "index-redirect" }),
    redirect: modelled(["path"], ["status", "response-headers"], { usedLater: "target" }),
    "proxy-mapping": modelled(["path", "variable:no-proxy"], ["handler", "status"], { usedLater: "target" }),
    // By the manual, it leaves out lines of the main server; 2.4.71 does not.
    "proxy-inheritance": assumed(["path"], ["handler", "status"], { unproved: "proxy-inheritance" }),
    "forward-proxy": modelled(["path"], ["handler", "status"]),
    // Without the header, a backend gets the number (mod_proxy.c `proxy_handler`).
    "proxy-limit": assumed(["header:max-forwards"], ["status"], { unproved: "proxy-limit" }),
    "backend-setting": assumed(["path"], ["body"]),
    // Without it, a request to a backend with TLS fails (mod_ssl.c `ssl_hook_ssl_bind_outgoing`).
    "backend-tls": modelled(["path"], ["body", "status"]),
    "encoded-slashes": modelled(["path"], ["path", "status"], { unproved: "encoded-slashes" }),
    "windows-paths": assumed(["file"], ["status"], { unproved: "windows-paths" }),
    // Rules in a directory need FollowSymLinks, whatever they do (mod_rewrite.c `hook_fixup`).
    "rewrite-engine": modelled([], ["config:mod_rewrite", "status"]),
    "rewrite-setting": modelled([], ["config:mod_rewrite"]),
    "rewrite-map": modelled([], ["config:mod_rewrite"], { unproved: "rewrite-map", usedLater: "all" }),
    "rewrite-condition": modelled([], [], { names: "rewrite-condition" }),
    "rewrite-rule": modelled(["path", "config:mod_rewrite"], [], { names: "rewrite-rule", usedLater: "urls" }),
    // Variables and headers.
    variable: modelled(["path"], [], { names: "variable", unproved: ofServerVariables }),
    variables: modelled(["path"], [], { names: "variables", unproved: ofServerVariables }),
    "passed-variables": modelled([], [], { names: "passed", unproved: ofServerVariables }),
    "variables-by-attribute": modelled([], [], { names: "variables-by-attribute", unproved: ofServerVariables }),
    "variables-by-browser": modelled(["header:user-agent"], [], {
      names: "variables-by-browser",
      unproved: ofServerVariables,
    }),
    "variables-by-expression": modelled([], [], { names: "variables-by-expression", unproved: ofServerVariables }),
    "request-header": modelled(["path"], [], {
      names: "header",
      unproved: [
        under("protocol-header", "writes-protocol-headers"),
        under("variant", "writes-negotiation-facts"),
        under("dav", "writes-dav-headers"),
        under("early-headers", "is-early"),
      ],
    }),
    "response-header": modelled(["path"], ["response-headers"], { names: "response-header" }),
    // The type and the handler of the file.
    handler: modelled(["file"], ["handler"], {
      names: "negotiation",
      usedLater: "urls",
      unproved: [under("computed-handler", "computes-value"), ...ofOpenHandlers],
    }),
    "extension-handler": modelled(["file"], ["handler"], {
      names: "negotiation",
      usedLater: "urls",
      unproved: ofExtensions,
    }),
    program: modelled(["media-type", "default-type", "handler", "method"], ["handler", "path", "status"], {
      unproved: "program-access",
    }),
    // A type may name a handler (server/config.c `ap_invoke_handler`).
    "media-type": modelled(["file"], ["media-type", "handler"], {
      names: "negotiation",
      unproved: [...ofVariants, ...ofOpenHandlers],
    }),
    "extension-type": modelled(["file"], ["media-type", "handler"], {
      names: "negotiation",
      unproved: [...ofVariants, ...ofExtensions],
    }),
    "types-file": modelled(["file"], ["media-type", "handler"], {
      unproved: "media-type-of-content",
      usedLater: "all",
      namesFile: true,
    }),
    "path-info-type": modelled(["file", "path"], ["media-type", "handler"], {
      unproved: "media-type-of-content",
      usedLater: "all",
    }),
    // Only the name of the handler comes from it (2.2's server/config.c `ap_invoke_handler`).
    "default-type": modelled(["file"], ["default-type"], {
      names: "default-type",
      unproved: "media-type-of-content",
    }),
    "file-content-type": assumed(["file"], ["media-type", "handler"], {
      unproved: "media-type-of-content",
      namesFile: true,
    }),
    variant: modelled(["file"], ["config:mod_negotiation", "response-headers"], {
      unproved: [under("variant", "negotiation")],
    }),
    "modelled-filter": modelled(["file"], ["file", "filter", "status"], {
      names: "filters",
      unproved: [under("body-filter", "filters-may-fail")],
    }),
    dav: modelled(["method", "path", ...davHeaderFacts], ["handler", "status"], { unproved: "dav" }),
    "dav-locks": modelled(["method"], ["status"], { unproved: "dav", usedLater: "all" }),
    // The file of locks, and how long they live.
    "dav-lock-storage": assumed(["method"], ["status"], { unproved: "dav", usedLater: "all", namesFile: true }),
    "dav-limit": modelled(["method", "header:depth"], ["status"], { unproved: "dav-limit" }),
    "image-map": assumed(["handler"], ["status"], {
      unproved: [under("image-map", "maps-by-content"), ...ofOpenHandlers],
    }),
    "error-document": modelled(["status"], ["path", "status"], {
      usedLater: "target",
      unproved: [under("error-document", "replaces-status")],
    }),
    limit: modelled(["method"], ["status"], { usedLater: "all" }),
    "protocol-options": modelled(["method"], ["status"], {
      usedLater: "all",
      unproved: [under("malformed-requests", "accepts-other-requests")],
    }),
    "body-size": modelled(["method", "header:content-length", "header:transfer-encoding"], ["status"], {
      unproved: "request-size",
      usedLater: "all",
    }),
    cache: unknown("cached-answer", ["path", "query", "config:mod_cache", ...cachedBy], ["status"], {
      unproved: "cached-answers",
    }),
    // Without a CacheEnable, no answer is cached (mod_cache.c `cache_quick_handler`).
    "cache-setting": none([], ["config:mod_cache"], { unproved: "cached-answers" }),
    // They are checked before any line changes the headers.
    "request-size": modelled([], ["status"], { unproved: "request-size", usedLater: "all" }),
    // A request within such a limit is assumed.
    "module-limit": assumed(["method"], ["status"], { unproved: "request-size", usedLater: "all" }),
    overrides: modelled(["path"], ["status", "handler", "file"]),
    options: modelled(["path"], ["status", "handler", "file"], {
      names: "negotiation",
      unproved: [under("variant", "changes-variants"), under("symbolic-links", "changes-links")],
    }),
    // Access.
    access: modelled(["address", "method", "user"], ["status"]),
    "trace-method": modelled(["method"], ["status"], { unproved: [under("request-size", "extends-trace")] }),
    "access-by-host": modelled(["address"], ["status"], { names: "access-by-host" }),
    "access-by-rule": modelled([], ["status"], { names: "require" }),
    "access-by-expression": modelled(["tls"], ["status"]),
    authentication: modelled(["header:authorization", "config:users"], ["user", "status"]),
    "login-page": modelled(["header:authorization", "config:users"], ["user", "status"], {
      unproved: "login-form",
      usedLater: "all",
    }),
    provider: modelled(["header:authorization", "config:users"], ["user", "status"], {
      unproved: "user-files",
      absence: "reads-files",
    }),
    "provider-alias": modelled(["header:authorization", "config:users"], ["user", "status"], {
      unproved: "user-files",
      usedLater: "all",
    }),
    "authentication-type": modelled(["header:authorization", "config:users"], ["user", "status"], {
      names: "authentication-type",
    }),
    // Without one, a login fails with 500; what it is matters only to Digest.
    realm: modelled([], ["config:mod_auth_digest", "status"], {
      // A value that cannot be computed is 500 (mod_authn_core.c `authn_ap_auth_name`).
      unproved: [under("realm", "logins-by-digest"), under("effect-on-answer", "computes-value")],
      usedLater: "all",
      absence: "logins-fail",
    }),
    digest: assumed([], ["config:mod_auth_digest"], { unproved: "digest-settings" }),
    "anonymous-users": modelled([], ["config:users"]),
    "fcgi-authentication": modelled(["header:authorization"], ["user", "status"], {
      unproved: "fcgi-authentication",
      usedLater: "all",
    }),
    "user-file": modelled([], ["config:users", "user", "status"], {
      ...({ unproved: "user-files", usedLater: "all", absence: "logins-fail", namesFile: true } as const),
    }),
    "group-file": modelled([], ["config:users", "user", "status"], {
      ...({ unproved: "user-files", absence: "logins-fail", namesFile: true } as const),
    }),
    "user-file-type": modelled([], ["config:users", "user", "status"], { unproved: "user-files" }),
    "user-directory": modelled(["config:mod_ldap"], ["config:users", "user", "status"], {
      unproved: "user-files",
      usedLater: "all",
    }),
    "ldap-users": assumed(["config:mod_ldap"], ["config:users", "user", "status"], { unproved: "user-files" }),
    "ldap-connection": assumed([], ["config:mod_ldap"], { unproved: "user-files" }),
    "database-users": assumed(["config:mod_dbd"], ["config:users", "user", "status"], { unproved: "user-files" }),
    database: assumed([], ["config:mod_dbd"], { unproved: "user-files" }),
    "password-cache": assumed([], ["config:users"], { unproved: "user-files" }),
    // Off leaves the login to another module: without one, 500 instead of 401 (mod_authn_default of 2.2).
    "login-default": unknown("login-default", ["user"], [], { names: "switched-off", unproved: "login-default" }),
    "login-form": none([], ["config:mod_auth_form"], { unproved: "login-form" }),
    session: none(["header:cookie"], ["config:mod_auth_form", "variable:http_session"], { unproved: "login-form" }),
    "session-paths": modelled(["path"], ["config:mod_auth_form", "variable:http_session"], {
      unproved: "login-form",
    }),
    "session-secret": none(["header:cookie"], ["config:mod_auth_form", "variable:http_session"], {
      unproved: "login-form",
      namesFile: true,
    }),
    "lua-provider": none([], ["config:mod_lua"], { unproved: "program-access" }),
    "lua-setting": none([], ["config:mod_lua"], { unproved: "program-access" }),
    // Unknown.
    "application-mount": unknown("application-server"),
    "application-switch": unknown("application-server"),
    "application-server": unknown("application-server"),
    "application-server-files": unknown("application-server-files"),
    "backend-url-variables": unknown("backend-url-variables", ["path", "variable:*"]),
    "cern-meta-status": unknown("cern-meta-status", ["file", "config:mod_cern_meta"]),
    "cern-meta-setting": none([], ["config:mod_cern_meta"], { unproved: "program-access" }),
    chroot: unknown("chroot", [], ["file", "status"]),
    "client-country": unknown("client-country", ["address"], ["variable:geoip_*"]),
    "client-location": unknown("client-location", ["address", "config:mod_maxminddb"], ["variable:*"]),
    "ip-location": none([], ["config:mod_maxminddb", "variable:geoip_*"], { unproved: "program-access" }),
    "connect-tunnel": unknown("connect-tunnel", ["method"]),
    "dav-base-path": unknown("dav-base-path"),
    "domain-redirect": unknown("domain-redirect"),
    "echo-answer": unknown("echo-answer", []),
    "encoding-path": unknown("encoding-path", ["path"], ["path", "file"]),
    "express-backend": unknown("express-backend"),
    "fake-basic-user": unknown("fake-basic-user", ["user", "path"], ["header:authorization"]),
    "fastcgi-authorizer": unknown("fastcgi-authorizer", ["header:*", "user"], ["user", "status"]),
    "fastcgi-provider": unknown("fastcgi-authorizer", ["header:*", "user"], ["user", "status"]),
    "filter-program": unknown("filter-program", ["path", "filter"]),
    "form-redirect": unknown("form-redirect"),
    gridsite: unknown("gridsite"),
    "host-name-in-handshake": unknown("host-name-in-handshake", ["tls", "virtual-host"]),
    "https-redirect": unknown("https-redirect", ["tls"]),
    "ldap-host": unknown("ldap-host", ["header:host"], ["virtual-host", "status"]),
    "ldap-home-directory": unknown("ldap-home-directory", ["path"], ["file", "status"]),
    "lua-answer": unknown("lua-answer", ["path", "config:mod_lua"]),
    "managed-domain": unknown("md-answer", ["path", "config:mod_md"]),
    "md-setting": none([], ["config:mod_md"], { unproved: "effect-on-answer" }),
    "domain-status": unknown("md-answer"),
    "module-require": unknown("module-require", ["tls"]),
    "password-digests": unknown("password-digests", ["user"], ["user", "status"]),
    "program-result": unknown(
      "program-result",
      ["path", "header:*", "variable:*", "config:mod_lua"],
      [...(["user", "path", "file", "handler", "status", "header:*", "variable:*"] as const)],
    ),
    "proxy-block": unknown("proxy-block"),
    "regex-defaults": unknown("regex-defaults", [], ["path", "file", "status", "variable:*"]),
    "remote-ip-header": unknown("remote-ip-header", ["address"], ["header:*"]),
    "subversion-access-file": unknown("subversion-access-file", ["user", "path"]),
    "third-party-rejection": unknown("third-party-rejection", ["header:*", "query", "path"]),
    // Nothing is known of the other settings of such modules.
    "third-party-setting": assumed([], ["config:third-party"], { unproved: "third-party-setting" }),
    "third-party-filter": unknown("third-party-rejection", ["header:*", "query", "path"]),
    "tls-cipher": unknown("tls-cipher", ["tls"], ["variable:ssl_*", "status"]),
    "xml-body": unknown("xml-body", ["header:content-length"]),
  }),
);

/** Returns why a proof does not analyze an effect. */
export function unprovedReasonsOf(
  { unproved = [] }: Pick<DirectiveEffects, "unproved">,
  holds: (circumstance: Circumstance) => boolean,
): readonly UnprovedEffect[] {
  if (typeof unproved === "string") return [unproved];
  return unproved.filter((each) => holds(each.if)).map(({ reason }) => reason);
}

/** The name of a row in the table of effects. */
export type EffectName = keyof ReturnType<typeof effects>;

/**
 * Headers that httpd itself reads after the lines that change them: for the body and its filters, for the version and the range
 * of a file, and for a backend (modules/http/http_filters.c `ap_http_filter`, mod_deflate.c `check_gzip`, http_protocol.c
 * `ap_meets_conditions`, byterange_filter.c, mod_proxy.c `proxy_handler`).
 */
const protocolHeaderFacts = [
  ...(["header:expect", "header:content-length", "header:transfer-encoding", "header:range"] as const),
  ...(["header:if-match", "header:if-none-match", "header:if-modified-since"] as const),
  ...(["header:if-unmodified-since", "header:if-range"] as const),
  ...(["header:content-encoding", "header:max-forwards"] as const),
] as const;
export const protocolHeaders: ReadonlySet<Fact> = new Set<Fact>(protocolHeaderFacts);

/** The headers and the variable by which mod_negotiation chooses a variant (`parse_accept_headers`, `set_language_quality`). */
export const negotiationFacts: ReadonlySet<Fact> = new Set<Fact>([
  ...(["header:accept", "header:accept-language", "header:accept-encoding", "header:accept-charset"] as const),
  ...(["header:negotiate", "variable:prefer-language"] as const),
]);

/**
 * The facts that an answer depends on without a line that reads them: with any of them, another request may get an answer of
 * another class. A line matters if it writes one of these, or a fact that such a line reads.
 */
export const decidingFacts: ReadonlySet<Fact> = new Set<Fact>([
  ...(["address", "tls", "virtual-host", "method", "path", "user", "file", "file-kind", "handler"] as const),
  ...(["status", "header:authorization", "header:host"] as const),
  ...protocolHeaderFacts,
  "config:third-party",
  // mod_dir does not redirect to a directory with it (`fixup_dir`).
  "variable:redirect-carefully",
]);

/** The row of a directive: one effect, or one for each place or release where they differ. */
type Row = string | { readonly [where: string]: string | undefined };

const rows = computeOnce((): ReadonlyMap<string, { readonly name: string; readonly row: Row }> => {
  const entries = Object.entries<Row>(table.directives);
  return new Map(entries.map(([name, row]) => [name.toLowerCase(), { name, row }]));
});

const found = new Map<string, DirectiveEffects | undefined>();

/**
 * Returns the effects of a directive; undefined if neither it nor its module is in the table, so that nothing is known of it. The
 * facts come from httpd's source and manual; `npm run soundness` compares them with a running server.
 *
 * @param key lower-case name, of a section with or without its `<`
 * @param isInSection whether it is in a section other than a virtual host, or in a `.htaccess` file
 */
export function effectsOf(key: string, release: Release, isInSection = false): DirectiveEffects | undefined {
  const place = `${key.startsWith("<") ? key.slice(1) : key} ${release}${isInSection ? " section" : ""}`;
  if (!found.has(place)) found.set(place, findEffects(place.slice(0, place.indexOf(" ")), release, isInSection));
  return found.get(place);
}

function findEffects(key: string, release: Release, isInSection: boolean): DirectiveEffects | undefined {
  const row = rows().get(key)?.row ?? effectOfModules(key);
  const name = typeof row === "object" ? (row[release] ?? row[isInSection ? "section" : "server"]) : row;
  return name === undefined || !isEffectName(name) ? undefined : { effect: name, ...effects()[name] };
}

/** Returns the effect of a third-party directive without a row: that of the modules that define it. */
function effectOfModules(key: string): string | undefined {
  const known = findThirdPartyDirective(key) ?? findThirdPartyDirective(`<${key}`);
  if (known === undefined) return undefined;
  const names = new Set(known.modules.map((name) => moduleEffects().get(name) ?? "third-party-setting"));
  const [only = "third-party-setting", ...others] = names;
  return others.length === 0 ? only : "third-party-setting";
}

const moduleEffects = computeOnce(() => new Map(Object.entries<string>(table.modules)));

function isEffectName(name: string): name is EffectName {
  return Object.hasOwn(effects(), name);
}

/** Returns all names in the table, as the manual spells them. */
export function namesWithEffects(): readonly string[] {
  return [...rows().values()].map(({ name }) => name);
}

/** Returns the keys of the directives with an effect in some place or release, each as that of a line and of a section. */
export function keysWithEffect(predicate: (effects: DirectiveEffects) => boolean): readonly string[] {
  return [...rows()].flatMap(([key, { row }]) => {
    const names = typeof row === "string" ? [row] : Object.values(row);
    const isFound = names.some((name) => name && isEffectName(name) && predicate({ effect: name, ...effects()[name] }));
    return isFound ? [key, `<${key}`] : [];
  });
}

const unknownAnswers: ReadonlySet<string> = new Set(unknownEffects);

/** Reports whether the effect on an answer is unknown. */
export function isUnknownEffect(answer: DirectiveEffects["answer"]): answer is UnknownEffect {
  return unknownAnswers.has(answer);
}

/** Returns the names of all effects. */
export function namesOfEffects(): readonly string[] {
  return Object.keys(effects());
}
