import { isBefore, isOfDistribution, isSince, type Release, type ReleaseLine } from "./release.js";

/**
 * A change between two versions of 2.4 that no simulated answer shows: of a default, of headers, of what a backend or a
 * program gets. The answers that versions give differently are in `behaviours.ts`.
 */
export interface VersionChange {
  readonly kind: "default" | "other";
  /** The first version with it. */
  readonly since: `${ReleaseLine}.${number}`;
  /** The first later version without it. */
  readonly until?: `${ReleaseLine}.${number}`;
  /** What httpd does since then, as the words after its name. */
  readonly does: string;
  /** Directives in lower case, of which a configuration must have one. Empty: it concerns every server. */
  readonly uses: readonly string[];
  /** A module that the configuration must load, by identifier. */
  readonly module?: string;
  /** A directive in lower case that decides it, so that the change does not matter. */
  readonly setBy?: string;
  /** The function of httpd, its entry in CHANGES, or the number of the message. */
  readonly source: string;
  /** The vulnerabilities that the change belongs to. */
  readonly fixes?: readonly string[];
}

const proxying = ["proxypass", "proxypassmatch", "proxyrequests", "rewriterule", "<proxy", "balancermember"];
const programs = ["scriptalias", "scriptaliasmatch", "addhandler", "sethandler", "wsgiscriptalias", "scgi", "action"];
const patterns = [
  ...["rewriterule", "redirectmatch", "aliasmatch", "scriptaliasmatch", "<filesmatch", "<locationmatch"],
  ...["<directorymatch", "proxypassmatch", "setenvif", "browsermatch"],
];

/** The changes, oldest first. The defaults are those of the manuals of the tags, and of the code that they describe. */
const changes: readonly VersionChange[] = [
  {
    kind: "default",
    since: "2.4.4",
    does: "does not compress TLS: `SSLCompression` is off",
    uses: ["sslengine"],
    setBy: "sslcompression",
    source: "ssl_engine_init.c `ssl_init_ctx_protocol`, `sc->compression`; manual of 2.4.4",
    fixes: ["CVE-2012-4929"],
  },
  {
    kind: "other",
    since: "2.4.12",
    does: "keeps trailers of a request apart from its headers",
    uses: ["requestheader", "header", "setenvif", "proxypass"],
    setBy: "mergetrailers",
    source: "CHANGES of 2.4.11; MergeTrailers",
    fixes: ["CVE-2013-5704"],
  },
  {
    kind: "default",
    since: "2.4.17",
    does: "rejects SSLv3: `SSLProtocol` is `all -SSLv3`",
    uses: ["sslengine"],
    setBy: "sslprotocol",
    source: "ssl_engine_config.c `SSL_PROTOCOL_DEFAULT`; manual of 2.4.17",
  },
  {
    kind: "default",
    since: "2.4.17",
    does: "does not offer SSLv3 to backends: `SSLProxyProtocol` is `all -SSLv3`",
    uses: ["sslproxyengine"],
    setBy: "sslproxyprotocol",
    source: "ssl_engine_config.c `SSL_PROTOCOL_DEFAULT`; manual of 2.4.17",
  },
  {
    kind: "other",
    since: "2.4.25",
    does: "does not give programs the header `Proxy` as the variable `HTTP_PROXY`",
    uses: programs,
    source: "server/util_script.c `ap_add_common_vars`; CHANGES of 2.4.24",
    fixes: ["CVE-2016-5387"],
  },
  {
    kind: "other",
    since: "2.4.33",
    does: "does not let `$` match before a line feed at the end",
    uses: patterns,
    setBy: "regexdefaultoptions",
    source: "server/util_pcre.c `AP_REG_DOLLAR_ENDONLY`; CHANGES of 2.4.30",
    fixes: ["CVE-2017-15715"],
  },
  {
    kind: "other",
    since: "2.4.38",
    does: "rejects a session whose time is over, also of mod_session_cookie",
    uses: ["session"],
    source: "mod_session.c; CHANGES of 2.4.38",
    fixes: ["CVE-2018-17199"],
  },
  {
    kind: "other",
    since: "2.4.39",
    does: "asks for the certificate of a client in a section with TLS 1.3 as well",
    uses: ["sslverifyclient"],
    source: "ssl_engine_kernel.c `ssl_hook_Access_modern`; CHANGES of 2.4.39",
    fixes: ["CVE-2019-0215"],
  },
  {
    kind: "other",
    since: "2.4.41",
    does: "does not show the URL in its own error pages",
    uses: [],
    source: "modules/http/http_protocol.c `get_canned_error_string`; CHANGES of 2.4.41",
    fixes: ["CVE-2019-10092"],
  },
  {
    kind: "default",
    since: "2.4.41",
    does: "gets certificates from the second version of the interface of Let's Encrypt: `MDCertificateAuthority`",
    uses: ["mdomain", "<mdomainset", "mdomainset"],
    setBy: "mdcertificateauthority",
    source: "manual of 2.4.41",
  },
  {
    kind: "other",
    since: "2.4.48",
    does: "tunnels a WebSocket only after the backend has agreed to the upgrade",
    uses: ["proxypass", "proxypassmatch", "rewriterule"],
    module: "proxy_wstunnel_module",
    source: "mod_proxy_wstunnel.c, mod_proxy_http.c; CHANGES of 2.4.47",
    fixes: ["CVE-2019-17567"],
  },
  {
    kind: "other",
    since: "2.4.49",
    does: "does not take the socket of a backend from the URL of a request",
    uses: proxying,
    module: "proxy_module",
    source: "mod_proxy.c `ap_proxy_de_socketfy`; CHANGES of 2.4.49",
    fixes: ["CVE-2021-40438"],
  },
  {
    kind: "other",
    since: "2.4.52",
    does: "rejects a URL without a host in requests to a forward proxy",
    uses: ["proxyrequests"],
    source: "mod_proxy.c `proxy_detect`; CHANGES of 2.4.52",
    fixes: ["CVE-2021-44224"],
  },
  {
    kind: "other",
    since: "2.4.54",
    does: "sends `X-Forwarded-For` to backends even if the client lists it in its header `Connection`",
    uses: proxying,
    module: "proxy_module",
    source: "mod_proxy_http.c `ap_proxy_create_hdrbrgd`; CHANGES of 2.4.54",
    fixes: ["CVE-2022-31813"],
  },
  {
    kind: "other",
    since: "2.4.59",
    does: "ignores `Content-Length` and `Transfer-Encoding` in the answers of programs",
    uses: [...programs, "proxypass", "proxypassmatch"],
    source: "server/util_script.c `ap_scan_script_header_err_core_ex`; CHANGES of 2.4.59; `ap_trust_cgilike_cl`",
    fixes: ["CVE-2024-24795", "CVE-2023-38709"],
  },
  {
    kind: "other",
    since: "2.4.60",
    until: "2.4.61",
    does: "ignores handlers that `AddType` sets, for some requests: the source of scripts is then sent",
    uses: ["addtype", "forcetype"],
    source: "server/config.c `ap_invoke_handler`; CHANGES of 2.4.61",
    fixes: ["CVE-2024-39884"],
  },
  {
    kind: "other",
    since: "2.4.60",
    does: "does not use the type that a program or a backend sends as the name of a handler",
    uses: ["addtype", "forcetype", "action"],
    source: "server/config.c `ap_invoke_handler`; CHANGES of 2.4.60",
    fixes: ["CVE-2024-38476"],
  },
  {
    kind: "other",
    since: "2.4.60",
    does: "encodes the path again before it sends it to a backend",
    uses: proxying,
    module: "proxy_module",
    source: "mod_proxy_http.c `proxy_http_canon`; CHANGES of 2.4.60",
    fixes: ["CVE-2024-38473"],
  },
  {
    kind: "other",
    since: "2.4.61",
    until: "2.4.62",
    does: "may still ignore handlers that `AddType` sets, for files that are requested indirectly",
    uses: ["addtype", "forcetype"],
    source: "modules/http/http_request.c `internal_internal_redirect`; vulnerabilities of 2.4.62",
    fixes: ["CVE-2024-40725"],
  },
  {
    kind: "other",
    since: "2.4.64",
    does: "returns 421 if a resumed TLS session belongs to a host with other settings for clients",
    uses: ["sslverifyclient"],
    source: "vulnerabilities of 2.4.64",
    fixes: ["CVE-2025-23048"],
  },
  {
    kind: "other",
    since: "2.4.64",
    does: "does not change a connection to TLS: `SSLEngine optional` was removed",
    uses: ["sslengine"],
    source: "vulnerabilities of 2.4.64",
    fixes: ["CVE-2025-49812"],
  },
];

/** Returns the changes, oldest first. */
export function listVersionChanges(): readonly VersionChange[] {
  return changes;
}

/** A change on the way from a version to another. */
export interface PassedChange {
  readonly change: VersionChange;
  /** Whether the target version does it, and the other does not; or the reverse. */
  readonly isNew: boolean;
  /** Whether a side is of a distribution that may have the change in an older version. */
  readonly isUncertain: boolean;
}

/** Returns the changes that one of two releases has, and the other does not, oldest first. */
export function listChangesBetween(before: Release, after: Release): readonly PassedChange[] {
  const has = (release: Release, { since, until }: VersionChange) =>
    isSince(release, since) && (until === undefined || isBefore(release, until));
  return changes.flatMap((change) => {
    const [old, now] = [has(before, change), has(after, change)];
    if (old === now) return [];
    const isFix = (change.fixes ?? []).length > 0;
    const isUncertain = isFix && isOfDistribution(old ? after : before);
    return [{ change, isNew: now, isUncertain }];
  });
}
