import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";

/** Reports whether httpd certainly accepts a line. */
type Acceptance = (line: Directive, project: Project) => boolean;

const each =
  (pattern: RegExp): Acceptance =>
  (line) =>
    line.arguments.every(({ value }) => pattern.test(value));
const never: Acceptance = () => false;

/** Forms of arguments that httpd accepts for certain, with the directives for which it checks more than is known here. */
const forms: readonly (readonly [Acceptance, string])[] = [
  [
    each(/^(?:on|off)$/i),
    "H2CopyFiles H2Direct H2EarlyHints H2ModernTLSOnly H2OutputBuffering H2ProxyRequests H2Push H2Upgrade H2WebSockets LDAPReferrals MDBaseServer MDCertificateStatus MDMustStaple MDProfileMandatory MDRenewViaARI MDServerStatus MDStapleOthers MDStapling MDStoreLocks",
  ],
  [
    each(/^\d{1,9}$/),
    "AuthFormSize CacheMaxFileSize CacheMinFileSize CacheReadSize CacheReadTime CacheSocacheMaxTime CacheSocacheMinTime CacheSocacheReadSize CacheSocacheReadTime DavMinTimeout DeflateInflateLimitRequestBody FlushMaxPipelined FlushMaxThreshold H2MaxDataFrameLen H2MaxHeaderBlockLen H2MaxStreamErrors KeptBodySize LDAPConnectionTimeout LDAPRetries LDAPTimeout ProxyHCTPsize ProxyHTMLBufSize ReadBufferSize SessionExpiryUpdateInterval SSLOCSPResponderTimeout SSLOCSPResponseMaxAge SSLOCSPResponseTimeSkew SSLRenegBufferSize SSLSessionCacheTimeout SSLStaplingErrorCacheTimeout SSLStaplingResponderTimeout SSLStaplingResponseMaxAge SSLStaplingResponseTimeSkew SSLStaplingStandardCacheTimeout SubstituteMaxLineLength",
  ],
  [
    each(/^[1-9]\d{0,8}$/),
    "AsyncRequestWorkerFactor AuthDigestNonceLifetime BufferSize CacheDirLength CacheDirLevels CacheLockMaxAge DBDExptime DBDKeep DBDMax DBDMin DeflateInflateRatioBurst DeflateInflateRatioLimit H2MaxSessionStreams H2MaxWorkers H2MinWorkers LDAPReferralHopLimit ListenTCPDeferAccept MDRetryFailover",
  ],
  [
    each(/^[1-9]\d{0,2}s?$/),
    "CGIDScriptTimeout CGIScriptTimeout H2MaxWorkerIdleSeconds H2StreamTimeout LDAPConnectionPoolTTL LDAPRetryDelay MDActivationDelay MDCheckInterval MDInitialDelay MDRetryDelay MemcacheConnTTL RedisConnPoolTTL RedisTimeout WatchdogInterval",
  ],
  [each(/^[1-9]\d?d$/), "MDRenewWindow MDStaplingKeepResponse MDStaplingRenewWindow MDWarnWindow"],
  [
    each(/^(?:102[4-9]|10[3-9]\d|1[1-9]\d\d|[2-9]\d{3}|[1-9]\d{4,8})$/),
    "AuthDigestShmemSize CacheSocacheMaxSize H2StreamMaxMemSize H2WindowSize",
  ],
  [each(/^(?:AddSuffix|NoChange|Remove)$/i), "BrotliAlterETag"],
  [each(/^[0-8]$/), "BalancerGrowth BrotliCompressionQuality H2Padding HeartbeatMaxServers"],
  [each(/^(?:1[6-9]|2[0-4])$/), "BrotliCompressionMaxInputBlock BrotliCompressionWindow"],
  [each(/^(?:0|2|4|8|16|32|64|128|256)$/), "H2PushDiarySize"],
  [each(/^(?:once|request|conn|thread|server)$/), "LuaScope"],
  [each(/^(?:never|stat|forever)$/), "LuaCodeCache"],
  [each(/^(?:none|parent-first|parent-last)$/), "LuaInherit"],
  [each(/^(?:all|servernames)$/i), "MDMatchNames"],
  [each(/^(?:auto|manual|always)$/i), "MDDriveMode MDRenewMode"],
  [each(/^(?:auto|manual)$/i), "MDMember MDMembers"],
  [each(/^[12]$/), "MDChallengeDns01Version"],
  [each(/^(?:none|ssl|tls|starttls)$/i), "LDAPTrustedMode"],
  [each(/^(?:generic|fpm)$/i), "ProxyFCGIBackendType"],
  [each(/^(?:off|temporary|permanent)$/i), "MDRequireHttps"],
  [each(/^(?:never|searching|finding|always)$/i), "AuthLDAPDereferenceAliases"],
  [each(/^(?:strict|secure|authonly|insecure)$/i), "SSLVHostSNIPolicy"],
  [each(/^\.[\w.-]+$/), "CookieDomain ProxyDomain"],
  [
    each(/^\/(?:[^%]|%%)*$|^none$/i),
    "VirtualDocumentRoot VirtualDocumentRootIP VirtualScriptAlias VirtualScriptAliasIP",
  ],
  [each(/^https?:\/\/[\w.-]+(?::\d+)?\/?$/), "CacheKeyBaseURL MDHttpProxy"],
  [isLogTarget, "CustomLog ErrorLog ForensicLog GlobalLog TransferLog"],
  [isFilterNote, "BrotliFilterNote DeflateFilterNote"],
  [isCookieName, "SessionCookieName SessionCookieName2 SessionDBDCookieName SessionDBDCookieName2"],
  [each(/^(?:utf-8|iso-8859-1)$/i), "xml2EncDefault"],
  [areLoadedFilters(0), "AddOutputFilterByType"],
  [areLoadedFilters(1), "FilterProvider"],
  [(line) => isInProxySection(line) && arePlainMembers(line), "BalancerMember"],
  [each(/^(?:on|off|[45]\d\d)$/i), "ProxyErrorOverride"],
  [each(/^\d{1,6}(?:ms|s)?$/), "KeepAliveTimeout"],
  [each(/^[1-9]\d{0,6}$/), "FcgidIOTimeout FcgidMaxProcesses FcgidMaxProcessesPerClass"],
  [each(/^off$/i), "SSLFIPS"],
  [({ parent }) => !/^<proxy/.test(parent?.key ?? ""), "ProxyPass ProxyPassMatch"],
  [isErrorFormat, "ErrorLogFormat"],
  [
    ({ arguments: [protocol, ...more] }) => more.length === 0 || /^(?:SSL|TLSv1\.3)$/.test(protocol?.value ?? ""),
    "SSLCipherSuite",
  ],
  // Without a known cipher or a list of revoked certificates, httpd does not start.
  [each(/^(?:SSL|TLSv1\.3)$|(?:^|[:+])(?:ALL|AES|DEFAULT|ECDHE|HIGH|MEDIUM)/), "SSLProxyCipherSuite"],
  [each(/^none$/i), "SSLProxyCARevocationCheck"],
  // Their addresses may be names, which the server looks up.
  [each(/^[\d.:/]+$/), "RemoteIPInternalProxy RemoteIPTrustedProxy"],
  // What they accept depends on the system, or on the programs and libraries of the machine.
  [never, "CGIMapExtension LoadFile ScriptInterpreterSource StartThreads SuexecUserGroup UNCList"],
  [never, "EnableExceptionHook GprofDir SessionCryptoDriver SSLCompression SSLCryptoDevice SSLOpenSSLConfCmd Suexec"],
  // It differs among the versions of 2.4.
  [never, "AuthDigestQop"],
  [
    never,
    "AllowCONNECT AuthBasicUseDigestAlgorithm AuthnCacheSOCache AuthnzFcgiCheckAuthnProvider AuthnzFcgiDefineProvider CacheDisable CacheEnable CacheLastModifiedFactor CacheSocache CGIVar CookieExpires DBDriver ExtFilterDefine FilterProtocol FilterTrace H2PushPriority H2PushResource HeartbeatAddress HeartbeatListen InputSed LDAPTrustedClientCert LDAPTrustedGlobalCert Lua_____ByteCodeHack MDCertificateAuthority MDExternalAccountBinding MDPortMap ModemStandard OutputSed ProxyHCExpr ProxyFCGISetEnvIf ProxyHCTemplate ProxyRemote ProxyRemoteMatch ProxySet ProxySourceAddress RegexDefaultOptions SSLOCSPEnable SSLPassPhraseDialog SSLStaplingCache",
  ],
];

const acceptances: ReadonlyMap<string, Acceptance> = new Map(
  forms.flatMap(([accepts, names]) => names.split(" ").map((name) => [name.toLowerCase(), accepts] as const)),
);

/**
 * Reports whether httpd may refuse the arguments of a line that no check here refuses. The forms come from a running
 * 2.4.71, which was given other arguments for each of its directives (`apache2 -t`). Files that a line names are taken to
 * exist.
 */
export function mayRefuseArguments(line: Directive, project: Project): boolean {
  return acceptances.get(line.key)?.(line, project) === false;
}

/** Modules of the filters that httpd looks up when it reads the line. */
const filterModules: ReadonlyMap<string, string> = new Map([
  ["deflate", "deflate_module"],
  ["inflate", "deflate_module"],
  ["includes", "include_module"],
  ["brotli_compress", "brotli_module"],
  ["substitute", "substitute_module"],
]);

/** Returns a test whether the modules of all filters in an argument are loaded (modules/filters/mod_filter.c `add_filter`). */
function areLoadedFilters(index: number): Acceptance {
  return ({ arguments: words }, { modules }) => {
    const names = words[index]?.value.toLowerCase().split(";") ?? [];
    return names.every((name) => modules.has(filterModules.get(name) ?? ""));
  };
}

/**
 * Reports whether a log is a file, or a program that httpd finds from any directory: one with an absolute path, or one that a
 * shell starts (server/log.c `piped_log_spawn`).
 */
function isLogTarget({ arguments: [target] }: Directive, { release }: Project): boolean {
  const isOfShell = isSince(release, "2.4") ? /^\|\$/ : /^\|(?!\|)/;
  return !target?.value.startsWith("|") || /^\|\|?\s*\//.test(target.value) || isOfShell.test(target.value);
}

/** Reports whether two arguments begin with a type of note (modules/filters/mod_deflate.c `deflate_set_note`). */
function isFilterNote({ arguments: [first, second] }: Directive): boolean {
  return (second === undefined ? /^[\w.]+$/ : /^(?:ratio|input|output)$/i).test(first?.value ?? "");
}

/** Reports whether the first argument names a cookie; its attributes follow (modules/session/mod_session_cookie.c `check_string`). */
function isCookieName({ arguments: [name] }: Directive): boolean {
  return /^[\w.-]+$/.test(name?.value ?? "");
}

/** With one argument, the section around it must name the balancer (modules/proxy/mod_proxy.c `add_member`). */
function isInProxySection({ arguments: words, parent }: Directive): boolean {
  if (/^balancer:/i.test(words[0]?.value ?? "")) return true;
  return parent?.key === "<proxy" && /balancer:/i.test(parent.argumentText);
}

/** Reports whether all parameters of a member of a balancer are known to be valid (mod_proxy.c `set_worker_param`). */
function arePlainMembers({ arguments: words }: Directive): boolean {
  const parameters = words.filter(({ value }) => !value.includes("://"));
  return parameters.every(({ value }) =>
    /^(?:loadfactor=[1-9]\d?|(?:retry|max|min|smax|timeout|connectiontimeout|acquire|ping|ttl|lbset)=\d{1,4}|(?:keepalive|disablereuse|nofailover)=(?:on|off)|route=[\w.-]{1,32}|status=[+-]?[dhirsn])$/i.test(
      value,
    ),
  );
}

const plainErrorFormat = /^(?:[^%]|%%|% |%(?:\{[^}]*\}|[-\d])*[aeiklmntvAEFLPTVM])*$/;

/** Reports whether a format of ErrorLogFormat has only known letters, and the message where it belongs (`set_errorlog_format`). */
function isErrorFormat({ arguments: [first, second] }: Directive): boolean {
  const format = (second ?? first)?.value ?? "";
  const hasMessage = /%(?:\{[^}]*\}|[-\d])*M/.test(format);
  if (second === undefined) return plainErrorFormat.test(format) && hasMessage;
  return /^(?:request|connection)$/i.test(first?.value ?? "") && plainErrorFormat.test(format) && !hasMessage;
}
