import type { Argument } from "../../../grammar/ast.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { findClosestWord } from "../../text/closest-word.js";
import { formatWordList } from "../../text/words.js";
import type { DirectiveCheck } from "../refusal.js";

/** The allowed values of one argument: a fixed set of words or a range of numbers. */
interface AllowedValue {
  /** In the manual's spelling; case is ignored. */
  readonly words?: readonly string[];
  readonly range?: NumberRange;
  /** The server's message for any other word, which is `%s` in it. */
  readonly server: string;
  /** The index of the argument; the first if absent. */
  readonly of?: number | "all";
  /** Whether the word may have a leading `+` or `-`, which the server's message omits. */
  readonly signed?: true;
}

/** Numbers as C's `atoi` parses them: the leading digits count, and a text without any is 0. */
interface NumberRange {
  readonly min: number;
  readonly max?: number;
  /** Whether 0 has a special meaning. */
  readonly orZero?: true;
  /** Whether no text may follow the digits. */
  readonly whole?: true;
}

type ValueOptions = Pick<AllowedValue, "of" | "signed">;

const allowWords = (list: string, server: string, more: ValueOptions = {}): AllowedValue => ({
  words: list.split(" "),
  server,
  ...more,
});
const allowNumbers = (range: NumberRange, server: string, more: ValueOptions = {}): AllowedValue => ({
  range,
  server,
  ...more,
});
const fromZero = (server: string): AllowedValue => allowNumbers({ min: 0 }, server);

const onOrOff = allowWords("On Off", "parameter must be 'on' or 'off'");
const h2Switch = allowWords("On Off", "value must be On or Off");
const h2Count = allowNumbers({ min: 1 }, "value must be > 0");
const h2Size = allowNumbers({ min: 1024 }, "value must be >= 1024");
const mdSwitch = allowWords("on off", "unknown '%s', supported parameter values are 'on' and 'off'");
const mdRenewal = allowWords("auto always manual", "unknown MDDriveMode %s");
const verifyWords = "none optional require optional_no_ca off on";

function rangeCount(name: string): AllowedValue {
  const server = `${name} requires 'none', 'default', 'unlimited' or a positive integer`;
  return { words: ["none", "default", "unlimited"], range: { min: 1 }, server };
}

function revocationCheck(name: string): readonly AllowedValue[] {
  const server = `${name}: Invalid argument '%s'`;
  return [allowWords("none leaf chain", server), allowWords("no_crl_for_cert_ok", server, { of: 1 })];
}

/** Allowed values per argument, by directive. Words that only some releases of 2.4 know are accepted. */
export const allowedValues: Readonly<Record<string, AllowedValue | readonly AllowedValue[]>> = {
  // server/core.c
  AcceptPathInfo: allowWords("On Off Default", "AcceptPathInfo must be set to on, off or default"),
  AllowEncodedSlashes: allowWords("On Off NoDecode", "AllowEncodedSlashes must be On, Off, or NoDecode"),
  EnableMMAP: onOrOff,
  EnableSendfile: onOrOff,
  HostnameLookups: allowWords("On Off Double", "parameter must be 'on', 'off', or 'double'"),
  HttpProtocolOptions: allowWords(
    "Strict Unsafe RegisteredMethods LenientMethods Allow0.9 Require1.0",
    "HttpProtocolOptions accepts 'Unsafe' or 'Strict' (default), 'RegisteredMethods' or 'LenientMethods' (default), and 'Require1.0' or 'Allow0.9' (default)",
    { of: "all" },
  ),
  LimitInternalRecursion: allowNumbers({ min: 1 }, "The recursion limit must be greater than zero.", { of: "all" }),
  LimitRequestBody: allowNumbers({ min: 0, whole: true }, "LimitRequestBody requires a non-negative integer."),
  LimitRequestFields: fromZero('LimitRequestFields "%s" must be a non-negative integer (0 = no limit)'),
  LimitRequestFieldSize: fromZero('LimitRequestFieldsize "%s" must be a non-negative integer'),
  LimitRequestLine: fromZero('LimitRequestLine "%s" must be a non-negative integer'),
  LimitXMLRequestBody: fromZero("LimitXMLRequestBody requires a non-negative integer."),
  MaxMemFree: fromZero("Invalid MaxMemFree value: %s"),
  MaxRangeOverlaps: rangeCount("MaxRangeOverlaps"),
  MaxRangeReversals: rangeCount("MaxRangeReversals"),
  MaxRanges: rangeCount("MaxRanges"),
  ProtocolsHonorOrder: allowWords("On Off", "ProtocolsHonorOrder must be 'on' or 'off'"),
  ServerSignature: allowWords("On Off EMail", "ServerSignature: use one of: off | on | email"),
  ServerTokens: allowWords(
    "Major Minor Min Minimal Prod ProductOnly OS Full",
    "ServerTokens takes 1 argument: 'Prod(uctOnly)', 'Major', 'Minor', 'Min(imal)', 'OS', or 'Full'",
  ),
  ThreadStackSize: fromZero("Invalid ThreadStackSize value: %s"),
  TraceEnable: allowWords("on off extended", "TraceEnable must be one of 'on', 'off', or 'extended'"),
  UseCanonicalName: allowWords("On Off DNS", "parameter must be 'on', 'off', or 'dns'"),
  UseCanonicalPhysicalPort: onOrOff,
  // server/listen.c
  ListenBacklog: allowNumbers({ min: 1 }, "ListenBacklog must be > 0"),
  ListenCoresBucketsRatio: allowNumbers({ min: 1 }, "ListenCoresBucketsRatio must be > 0"),
  ReceiveBufferSize: allowNumbers(
    { min: 512, orZero: true },
    "ReceiveBufferSize must be >= 512 bytes, or 0 for system default.",
  ),
  SendBufferSize: allowNumbers(
    { min: 512, orZero: true },
    "SendBufferSize must be >= 512 bytes, or 0 for system default.",
  ),
  // modules/aaa
  AuthBasicUseDigestAlgorithm: allowWords("Off MD5", "Invalid algorithm in AuthBasicUseDigestAlgorithm: %s"),
  AuthDigestAlgorithm: allowWords("MD5", "Unsupported algorithm in AuthDigestAlgorithm: %s"),
  AuthMerging: allowWords("Off And Or", "AuthMerging must be one of: Off | And | Or"),
  Satisfy: allowWords("All Any", "Satisfy either 'any' or 'all'."),
  // modules/filters
  CharsetOptions: allowWords(
    "ImplicitAdd NoImplicitAdd TranslateAllMimeTypes NoTranslateAllMimeTypes",
    "Invalid CharsetOptions option: %s",
    { of: "all" },
  ),
  DeflateAlterETag: allowWords(
    "AddSuffix NoChange Remove",
    "DeflateAlterETAG accepts only 'NoChange', 'AddSuffix', and 'Remove'",
  ),
  DeflateBufferSize: allowNumbers({ min: 1 }, "DeflateBufferSize should be positive"),
  DeflateCompressionLevel: allowNumbers({ min: 1, max: 9 }, "Compression Level must be between 1 and 9"),
  DeflateMemLevel: allowNumbers({ min: 1, max: 9 }, "DeflateMemLevel must be between 1 and 9"),
  DeflateWindowSize: allowNumbers({ min: 1, max: 15 }, "DeflateWindowSize must be between 1 and 15"),
  ExtFilterOptions: allowWords("LogStderr NoLogStderr", "Invalid ExtFilterOptions option: %s", { of: "all" }),
  XBitHack: allowWords("Off On Full", "XBitHack must be set to Off, On, or Full"),
  // modules/generators, modules/http, modules/mappers
  Action: allowWords("virtual", "unrecognized option '%s'", { of: 2 }),
  ForceLanguagePriority: allowWords("None Prefer Fallback", "Invalid ForceLanguagePriority option %s", { of: "all" }),
  IndexOrderDefault: [
    allowWords("Ascending Descending", "First keyword must be 'Ascending' or 'Descending'"),
    allowWords("Name Date Size Description", "Second keyword must be 'Name', 'Date', 'Size', or 'Description'", {
      of: 1,
    }),
  ],
  MultiviewsMatch: allowWords("Any NegotiatedOnly Filters Handlers", "Unrecognized option '%s'", { of: "all" }),
  // modules/http2
  H2CopyFiles: h2Switch,
  H2Direct: h2Switch,
  H2EarlyHints: h2Switch,
  H2MaxSessionStreams: h2Count,
  H2MaxWorkers: h2Count,
  H2MinWorkers: h2Count,
  H2ModernTLSOnly: h2Switch,
  H2OutputBuffering: h2Switch,
  H2ProxyRequests: h2Switch,
  H2Push: h2Switch,
  H2StreamMaxMemSize: h2Size,
  H2Upgrade: h2Switch,
  H2WebSockets: h2Switch,
  H2WindowSize: h2Size,
  // modules/ldap, modules/lua
  LDAPReferrals: allowWords("on off default", "LDAPReferrals must be 'on', 'off', or 'default'"),
  LuaCodeCache: allowWords(
    "never stat forever",
    "LuaCodeCache type of '%s' not recognized, valid options are 'never', 'stat', and 'forever'",
  ),
  LuaInherit: allowWords(
    "none parent-first parent-last",
    "LuaInherit type of '%s' not recognized, valid options are 'none', 'parent-first', and 'parent-last'",
  ),
  // modules/md
  MDBaseServer: mdSwitch,
  MDCertificateStatus: mdSwitch,
  MDDriveMode: mdRenewal,
  MDMatchNames: allowWords("all servernames", "invalid argument, must be a 'all' or 'servernames'"),
  MDMustStaple: mdSwitch,
  MDRenewMode: mdRenewal,
  MDServerStatus: mdSwitch,
  MDStapleOthers: mdSwitch,
  MDStapling: mdSwitch,
  // modules/metadata
  CookieSameSite: allowWords("None Lax Strict", "CookieSameSite accepts 'Strict', 'Lax', or 'None'"),
  CookieStyle: allowWords("Netscape Cookie Cookie2 RFC2109 RFC2965", "Invalid CookieStyle keyword: '%s'"),
  // modules/proxy
  ProxyBadHeader: allowWords("IsError Ignore StartBody", "ProxyBadHeader must be one of: IsError | Ignore | StartBody"),
  ProxyFCGIBackendType: allowWords(
    "GENERIC FPM",
    "ProxyFCGIBackendType requires one of the following arguments: 'GENERIC', 'FPM'",
  ),
  ProxyErrorOverride: allowWords("On Off", "ProxyErrorOverride first parameter must be one of: off | on"),
  ProxyIOBufferSize: allowNumbers(
    { min: 512, orZero: true },
    "ProxyIOBufferSize must be >= 512 bytes, or 0 for system default.",
  ),
  ProxyReceiveBufferSize: allowNumbers(
    { min: 512, orZero: true },
    "ProxyReceiveBufferSize must be >= 512 bytes, or 0 for system default.",
  ),
  ProxyStatus: allowWords("Off On Full", "ProxyStatus must be one of: off | on | full"),
  ProxyTimeout: allowNumbers({ min: 1 }, "Proxy Timeout must be at least 1 second."),
  ProxyVia: allowWords("On Off Full Block", "ProxyVia must be one of: off | on | full | block"),
  // modules/ssl
  SSLCARevocationCheck: revocationCheck("SSLCARevocationCheck"),
  SSLEngine: allowWords("on off optional", "Argument must be On or Off"),
  SSLOptions: allowWords(
    "StdEnvVars ExportCertData FakeBasicAuth StrictRequire OptRenegotiate LegacyDNStringFormat",
    "SSLOptions: Illegal option '%s'",
    { of: "all", signed: true },
  ),
  SSLProxyCARevocationCheck: revocationCheck("SSLProxyCARevocationCheck"),
  SSLProxyVerify: allowWords(verifyWords, "SSLProxyVerify: Invalid argument '%s'"),
  SSLProxyVerifyDepth: fromZero("SSLProxyVerifyDepth: Invalid argument '%s'"),
  SSLRandomSeed: allowWords("startup connect", "SSLRandomSeed: invalid context: `%s'"),
  SSLVerifyClient: allowWords(verifyWords, "SSLVerifyClient: Invalid argument '%s'"),
  SSLVerifyDepth: fromZero("SSLVerifyDepth: Invalid argument '%s'"),
};

/** Argument checks of such directives, by lower-case name. */
export const checksOfValues: Readonly<Record<string, DirectiveCheck>> = Object.fromEntries(
  Object.entries(allowedValues).map(([name, value]) => [
    name.toLowerCase(),
    checkOfValue(name, "server" in value ? [value] : value),
  ]),
);

function checkOfValue(name: string, each: readonly AllowedValue[]): DirectiveCheck {
  return (directive) => {
    const isRaw = directive.known.facts[0]?.argumentKind === "RAW_ARGS";
    const given = isRaw ? directive.arguments : takeUntilEmpty(directive.arguments);
    for (const value of each) {
      const { of = 0 } = value;
      const looked = of === "all" ? given : given.slice(of, of + 1);
      const wrong = looked.find((word) => !isAllowedValue(word.value, value));
      if (wrong) return buildValueFailure(directive, name, value, wrong);
    }
    return undefined;
  };
}

/** Returns the arguments up to the first empty one, at which the server stops. */
export function takeUntilEmpty(given: readonly Argument[]): readonly Argument[] {
  const empty = given.findIndex((word) => word.value === "");
  return empty < 0 ? given : given.slice(0, empty);
}

function isAllowedValue(text: string, { words, range, signed }: AllowedValue): boolean {
  const word = (signed ? text.replace(/^[+-]/, "") : text).toLowerCase();
  return words?.some((each) => each.toLowerCase() === word) || (range !== undefined && isInRange(text, range));
}

function isInRange(text: string, { min, max, orZero, whole }: NumberRange): boolean {
  if (whole && !/^[\t-\r ]*[+-]?\d+$/.test(text)) return false;
  const number = parseLeadingNumber(text);
  if (number === undefined) return true;
  return (number >= min && (max === undefined || number <= max)) || (orZero === true && number === 0);
}

/** Returns the result of C's `atoi` for a text; undefined outside the range of `int`. */
export function parseLeadingNumber(text: string): number | undefined {
  const [, digits = "0"] = /^[\t-\r ]*([+-]?\d+)/.exec(text) ?? [];
  const number = Number(digits);
  return Math.abs(number) < 2 ** 31 ? number : undefined;
}

function buildValueFailure(directive: Directive, name: string, value: AllowedValue, word: Argument): Refusal {
  const unsigned = value.signed ? word.value.replace(/^[+-]/, "") : word.value;
  return {
    ...wordingOf(
      "invalid-value",
      value.server.replace("%s", () => unsigned),
      word.value,
      name,
      describeAllowedValues(value),
      remedyFor(unsigned, value),
    ),
    span: directive.spanOf(word),
  };
}

function describeAllowedValues({ words: known = [], range }: AllowedValue): string {
  const named = known.map((word) => `\`${word}\``);
  if (range === undefined) return formatWordList(named, "or");
  const { min, max, orZero } = range;
  const span = max === undefined ? `a number from ${min}` : `a number from ${min} to ${max}`;
  return formatWordList([...(orZero ? ["`0`"] : []), ...named, span], "or");
}

function remedyFor(word: string, { words: known = [], range, of }: AllowedValue): string {
  const near = findClosestWord(word, known);
  if (near) return `use \`${near}\``;
  if (range?.whole) return "use an allowed number, without a unit";
  if (range && known.length === 0) return "use an allowed number";
  if (of === "all") return "correct it, or delete it";
  return known.length === 1 ? "use the allowed value, or delete it" : "use one of the allowed values";
}
