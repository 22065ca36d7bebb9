import { computeOnce, memoizeLast } from "../../text/memoize.js";
import { scheme } from "./credential-schemes.js";
import { isSecretDirective, isSecretHeader, isSecretValue } from "./secret-names.js";

/**
 * Directives that contain secrets, and the position of the secret in the line. Their names may be in any case, in a
 * comment, and even split by line continuations.
 */

const continuation = String.raw`(?:\\\r?\n)*`;
const blank = String.raw`(?:[\t\v\f\r ]|\\\r?\n)+`;
const quoted = (mark: string) => String.raw`${mark}(?:[^${mark}\\\n]|\\[^\n]|\\\r?\n)*${mark}`;
const word = String.raw`(?:${quoted('"')}|${quoted("'")}|(?:[^\s"]|\\\r?\n)+)`;

/** Directive names, with patterns of the arguments before the secret. */
const directives: readonly {
  readonly names: readonly string[];
  readonly ahead: readonly string[];
  /** A word that is not a secret in that position. */
  readonly open?: string;
}[] = [
  {
    names: [
      ...["AuthLDAPBindPassword", "SessionCryptoPassphrase", "DBDParams"],
      ...["MDExternalAccountBinding", "CryptoKey", "SSLSRPUnknownUserSeed", "AuthFormSitePassphrase"],
      // Third-party modules.
      ...["SecRemoteRules", "SecHashKey", "SecHttpBlKey", "TKTAuthPassthruBasicKey", "UnionStationKey"],
      ...["AdvertiseSecurityKey", "OIDCOAuthVerifySharedKeys", "GnuTLSPIN", "GnuTLSSRKPIN"],
    ],
    ahead: [],
  },
  { names: ["SSLPassPhraseDialog"], ahead: [], open: "builtin" },
  { names: ["AuthBasicFake", "AddRadiusAuth", "AuthXRadiusAddServer"], ahead: [word] },
  { names: ["ProxyRemote", "ProxyRemoteMatch", "LDAPTrustedClientCert", "LDAPTrustedGlobalCert"], ahead: [word, word] },
];

/** Directives that set a variable, which follows these arguments; its name determines whether the value is a secret. */
const ofVariables: readonly { readonly names: readonly string[]; readonly ahead: readonly string[] }[] = [
  {
    names: [
      ...["SetEnv", "Define", "php_value", "php_admin_value"],
      ...["PerlSetEnv", "PerlSetVar", "PerlAddVar", "PassengerEnvVar", "FcgidInitialEnv"],
    ],
    ahead: [],
  },
  { names: ["ProxyFCGISetEnvIf"], ahead: [word] },
];
/** Directives that set a header. */
const ofHeaders = ["Header", "RequestHeader"];
const headerAction = (gap: string) =>
  `(?:(?:always|onsuccess|early)${gap})?(?:set|add|append|merge|setifempty|edit\\*?)`;
/** A variable reference, which a scheme may come before, or an empty value: not a secret of a header. */
const openHeader = String.raw`(?:expr=)?(?:${scheme} +)?%\{[\w:.-]+\}[a-z]?|""|''`;
/** Switches, which are not secrets of an unknown directive. */
const openWord = "on|off|true|false|yes|no|none";

/** Directives with a secret parameter: `secret=…`. */
const withParameters = ["ProxyPass", "ProxyPassMatch", "BalancerMember", "ProxySet"];
/** That parameter in a file; its name is the first group. */
export const secretParameter = /(\bsecret=)("[^"]*"|[^\s"]+)/gi;
/** That parameter in a message, where a backtick ends the quoted line. */
const quotedParameter = /(\bsecret=)("[^"]*"|"[^"\n`]*\u2026|[^\s"`]+)/gi;

/** Misspellings of these names. */
const misspelt = `(?!(?:${[...directives.flatMap(({ names }) => names), "AuthFormPassword"].join("|")})(?![a-z]))[a-z]{0,40}pas{1,4}(?:w|p?hr)[a-z]{0,40}(?<!file|path)`;

const broken = (name: string) => [...name].join(continuation);
const start = String.raw`(?:[\t\v\f\r #<]|\\\r?\n)*`;
const end = String.raw`(?=[\t-\r \\]|$)`;

/**
 * Returns a pattern of the text before a secret. A name that decides is captured in a group: `variable`, `header` or
 * `directive`.
 *
 * @param spell converts a name to its pattern
 * @param ownName a pattern of any name
 */
function headsBy(spell: (name: string) => string, gap: string, ownName: string): string {
  const named = (names: readonly string[]) => `(?:${names.map(spell).join("|")})`;
  const notFollowedBy = (open: string) => `(?!${gap}["']?(?:${open})["']?(?=[\\s\`>]|$))`;
  const fixed = directives.map(
    ({ names, ahead, open }) => [named(names), ...ahead].join(gap) + (open === undefined ? "" : notFollowedBy(open)),
  );
  const variables = ofVariables.map(({ names, ahead }) => [named(names), ...ahead].join(gap)).join("|");
  return [
    ...[...fixed, misspelt],
    `(?:${variables})${gap}!?(?<variable>${word})`,
    `${named(ofHeaders)}${gap}${headerAction(gap)}${gap}(?<header>${word})${notFollowedBy(openHeader)}`,
    `(?<directive>${ownName})${notFollowedBy(openWord)}`,
  ].join("|");
}

/**
 * Reports whether a secret follows, by the captured name; if there is none, a secret follows.
 *
 * @param following the rest of the line or of the quoted text
 */
function namesSecret({ groups }: RegExpMatchArray, following: string): boolean {
  const value = removeQuotes(following.trim());
  const { variable, header, directive } = groups ?? {};
  // After a backtick, the message around the quoted line continues.
  if (variable !== undefined) return !variable.includes("`") && isSecretValue(removeQuotes(variable), value);
  if (header !== undefined) return isSecretHeader(removeQuotes(header));
  return directive === undefined || isSecretDirective(joinContinuations(directive), value);
}

function removeQuotes(written: string): string {
  return joinContinuations(written).replace(/^["']|["']$/g, "");
}

function joinContinuations(written: string): string {
  return written.replace(/\\\r?\n/g, "");
}

const inFiles = headsBy(broken, blank, String.raw`[a-z](?:\w|\\\r?\n){0,80}`);
const inWords = () => headsBy((name) => name, "\\s+", String.raw`[a-z]\w{0,80}`);
const secretLinePattern = new RegExp(`${start}(?:${inFiles})${end}`, "iy");
const parameterLine = computeOnce(() => new RegExp(`${start}(?:${withParameters.map(broken).join("|")})${end}`, "iy"));
const secretQuotePattern = computeOnce(() => new RegExp(`\`\\s*(?:${inWords()})\\s+(?=[^\`])`, "gi"));
const secretTextPattern = computeOnce(() => new RegExp(`(?<!\\w)(?:${inWords()})\\s+(?=\\S)`, "gi"));
const mayQuote =
  /pass|dbd|crypto|radius|gnutls|ldaptrusted|remoterules|secret|token|key|credential|auth|cookie|pw|proxyremote|binding|seed|jwt|cred|psk|salt|(?:pat|sk)\b/i;

/** Returns the start of the secret part of a line: all text after it is secret. @param lineStart of a logical line */
export function findSecretStart(text: string, lineStart: number): number | undefined {
  return ownStart(text, lineStart) ?? findMacroSecretStart(text, lineStart);
}

const lineName = /[\t\v\f\r #<]*([a-z]\w*)/iy;
/** The names in the pattern of such lines, except misspelt ones. */
const namesOfLines = new Set(
  [...[...directives, ...ofVariables].flatMap(({ names }) => names), ...ofHeaders].map((name) => name.toLowerCase()),
);

/** Reports whether the directive of a line can have a secret. Its pattern is so large that most runs do without it. */
function mayHaveSecret(text: string, lineStart: number): boolean {
  const end = text.indexOf("\n", lineStart);
  // A line continuation may split the name.
  if (text.slice(lineStart, end < 0 ? text.length : end).includes("\\")) return true;
  lineName.lastIndex = lineStart;
  const name = lineName.exec(text)?.[1] ?? "";
  return namesOfLines.has(name.toLowerCase()) || /pas/i.test(name) || isSecretDirective(name);
}

function ownStart(text: string, lineStart: number): number | undefined {
  if (!mayHaveSecret(text, lineStart)) return undefined;
  secretLinePattern.lastIndex = lineStart;
  const match = secretLinePattern.exec(text);
  if (match === null) return undefined;
  const start = lineStart + match[0].length;
  return namesSecret(match, restOfLine(text, start)) ? start : undefined;
}

function restOfLine(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return text.slice(start, end < 0 ? text.length : end);
}

/** Reports whether a line may have a secret parameter. @param lineStart of a logical line */
export function mayHoldParameter(text: string, lineStart: number): boolean {
  const pattern = parameterLine();
  pattern.lastIndex = lineStart;
  return pattern.test(text);
}

/** Masks the secrets in lines that a message quotes. */
export function maskQuotedSecrets(words: string, mask: string): string {
  if (!mayQuote.test(words)) return words;
  let masked = "";
  let at = 0;
  for (const match of words.matchAll(secretQuotePattern())) {
    const start = match.index + match[0].length;
    const close = words.indexOf("`", start);
    if (!namesSecret(match, words.slice(start, close < 0 ? words.length : close))) continue;
    masked += words.slice(at, start) + mask;
    at = close < 0 ? words.length : close;
  }
  return (masked + words.slice(at)).replace(quotedParameter, `$1${mask}`);
}

/** Reports whether text contains such a line. */
export function hasSecretLine(text: string): boolean {
  return [...text.matchAll(secretTextPattern())].some((match) =>
    namesSecret(match, restOfLine(text, match.index + match[0].length)),
  );
}

const useLine = /[\t ]*Use[\t ]+["']?([^\s"']+)["']?[\t ]+/iy;
const macroOpening = /^[\t ]*<Macro[\t ]+["']?([^\s"'>]+)["']?([^>]*)>/i;
const macroClosing = /^[\t ]*<\/Macro/i;

/** Returns the start of the arguments of a Use line if a macro of the same file puts them in place of a secret. */
function findMacroSecretStart(text: string, lineStart: number): number | undefined {
  useLine.lastIndex = lineStart;
  const name = useLine.exec(text)?.[1];
  if (name === undefined) return undefined;
  const end = useLine.lastIndex;
  return findSecretMacros(text).has(name.toLowerCase()) ? end : undefined;
}

/** Returns the names of the macros that put their arguments into a line with a secret. */
const findSecretMacros = memoizeLast((text: string): ReadonlySet<string> => {
  const names = new Set<string>();
  let inside: { readonly name: string; readonly parameters: readonly string[] } | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const [, name, parameters = ""] = macroOpening.exec(line) ?? [];
    if (name !== undefined) inside = { name: name.toLowerCase(), parameters: parameters.match(/[^\s"']+/g) ?? [] };
    else if (macroClosing.test(line)) inside = undefined;
    else if (inside) {
      const secret = ownStart(text, start);
      const secretText = secret === undefined ? "" : text.slice(secret, start + line.length);
      if (inside.parameters.some((each) => secretText.includes(each))) names.add(inside.name);
    }
    start += line.length + 1;
  }
  return names;
});
