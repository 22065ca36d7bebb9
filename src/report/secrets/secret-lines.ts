import { isSecretHeader } from "./credentials.js";
import { isSecretDirective, isSecretName } from "./secret-names.js";

/**
 * The directives that hold secrets, and where on their line these begin. Their names may stand in any case, in a comment,
 * and even broken over lines.
 */

const continuation = String.raw`(?:\\\r?\n)*`;
const blank = String.raw`(?:[\t\v\f\r ]|\\\r?\n)+`;
const quoted = (mark: string) => String.raw`${mark}(?:[^${mark}\\\n]|\\[^\n]|\\\r?\n)*${mark}`;
const word = String.raw`(?:${quoted('"')}|${quoted("'")}|(?:[^\s"]|\\\r?\n)+)`;

/** Names of directives, with patterns of the words ahead of the secret. */
const directives: readonly {
  readonly names: readonly string[];
  readonly ahead: readonly string[];
  /** A word that is no secret where it stands in that place. */
  readonly open?: string;
}[] = [
  {
    names: [
      ...["AuthLDAPBindPassword", "SessionCryptoPassphrase", "DBDParams"],
      ...["MDExternalAccountBinding", "CryptoKey", "SSLSRPUnknownUserSeed"],
    ],
    ahead: [],
  },
  { names: ["SSLPassPhraseDialog"], ahead: [], open: "builtin" },
  { names: ["AuthBasicFake"], ahead: [word] },
  { names: ["ProxyRemote", "ProxyRemoteMatch"], ahead: [word, word] },
];

/** They give a value to a variable, behind its name and the words ahead of it; whether it is a secret, the name says. */
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
/** They give a value to a header. */
const ofHeaders = ["Header", "RequestHeader"];
const headerAction = (gap: string) =>
  `(?:(?:always|onsuccess|early)${gap})?(?:set|add|append|merge|setifempty|edit\\*?)`;
/** A variable by its name, or nothing: no secret of a header. */
const openHeader = String.raw`%\{[\w:.-]+\}[a-z]|""|''`;
/** What turns something on or off, and is no secret of a directive that nobody knows. */
const openWord = "on|off|true|false|yes|no|none";

/** Of these a parameter is one: `secret=…`. */
const withParameters = ["ProxyPass", "ProxyPassMatch", "BalancerMember", "ProxySet"];
/** That parameter; its name is the first group. */
export const secretParameter = /(\bsecret=)("[^"]*"|[^\s"]+)/gi;

/** Names that are meant to be one of those, and are none. */
const misspelt = `(?!(?:${directives.flatMap(({ names }) => names).join("|")})(?![a-z]))[a-z]{0,40}pas{1,4}(?:w|p?hr)[a-z]{0,40}(?<!file|path)`;

const broken = (name: string) => [...name].join(continuation);
const start = String.raw`(?:[\t\v\f\r #<]|\\\r?\n)*`;
const end = String.raw`(?=[\t-\r \\]|$)`;

/**
 * What stands ahead of a secret. Where a name decides, it is a group: `variable`, `header` or `directive`.
 *
 * @param spelt how the pattern of a name is made of it
 * @param ownName a pattern of any name
 */
function headsBy(spelt: (name: string) => string, gap: string, ownName: string): string {
  const named = (names: readonly string[]) => `(?:${names.map(spelt).join("|")})`;
  const unless = (open: string) => `(?!${gap}["']?(?:${open})["']?(?=[\\s\`>]|$))`;
  const fixed = directives.map(
    ({ names, ahead, open }) => [named(names), ...ahead].join(gap) + (open === undefined ? "" : unless(open)),
  );
  const variables = ofVariables.map(({ names, ahead }) => [named(names), ...ahead].join(gap)).join("|");
  return [
    ...[...fixed, misspelt],
    `(?:${variables})${gap}!?(?<variable>${word})`,
    `${named(ofHeaders)}${gap}${headerAction(gap)}${gap}(?<header>${word})${unless(openHeader)}`,
    `(?<directive>${ownName})${unless(openWord)}`,
  ].join("|");
}

/** Whether the name that decides says that a secret follows; where none does, one follows. */
function namesSecret({ groups }: RegExpMatchArray): boolean {
  const { variable, header, directive } = groups ?? {};
  // Behind a backtick, the words that quote a line go on.
  if (variable !== undefined) return !variable.includes("`") && isSecretName(removeQuotes(variable));
  if (header !== undefined) return isSecretHeader(removeQuotes(header));
  return directive === undefined || isSecretDirective(joinContinuations(directive));
}

function removeQuotes(written: string): string {
  return joinContinuations(written).replace(/^["']|["']$/g, "");
}

function joinContinuations(written: string): string {
  return written.replace(/\\\r?\n/g, "");
}

const inFiles = headsBy(broken, blank, String.raw`[a-z](?:\w|\\\r?\n){0,80}`);
const inWords = headsBy((name) => name, "\\s+", String.raw`[a-z]\w{0,80}`);
const secretiveLine = new RegExp(`${start}(?:${inFiles})${end}`, "iy");
const parameterLine = new RegExp(`${start}(?:${withParameters.map(broken).join("|")})${end}`, "iy");
const secretiveQuote = new RegExp(`\`\\s*(?:${inWords})\\s+(?=[^\`])`, "gi");
const secretiveText = new RegExp(`(?<!\\w)(?:${inWords})\\s+(?=\\S)`, "gi");
const mayQuote =
  /pass|dbd|crypto|secret|token|key|credential|auth|cookie|pw|proxyremote|binding|seed|jwt|cred|psk|salt|(?:pat|sk)\b/i;

/** Where the secret part of a line begins: all that stands behind it is one. @param lineStart of a logical line */
export function findSecretStart(text: string, lineStart: number): number | undefined {
  return ownStart(text, lineStart) ?? findMacroSecretStart(text, lineStart, ownStart);
}

function ownStart(text: string, lineStart: number): number | undefined {
  secretiveLine.lastIndex = lineStart;
  const match = secretiveLine.exec(text);
  return match && namesSecret(match) ? lineStart + match[0].length : undefined;
}

/** Whether a line may have a parameter that is a secret. @param lineStart of a logical line */
export function mayHoldParameter(text: string, lineStart: number): boolean {
  parameterLine.lastIndex = lineStart;
  return parameterLine.test(text);
}

/** Words with what they quote of such lines masked. */
export function maskQuotedSecrets(words: string, mask: string): string {
  if (!mayQuote.test(words)) return words;
  let masked = "";
  let at = 0;
  for (const match of words.matchAll(secretiveQuote)) {
    if (!namesSecret(match)) continue;
    const start = match.index + match[0].length;
    const close = words.indexOf("`", start);
    masked += words.slice(at, start) + mask;
    at = close < 0 ? words.length : close;
  }
  return (masked + words.slice(at)).replace(secretParameter, `$1${mask}`);
}

/** Whether text holds such a line. */
export function hasSecretLine(text: string): boolean {
  return [...text.matchAll(secretiveText)].some(namesSecret);
}

/** Macros that put what they are given into a line with a secret, by name; of the text that was looked at last. */
let knownMacros: { readonly text: string; readonly names: ReadonlySet<string> } | undefined;

const useLine = /[\t ]*Use[\t ]+["']?([^\s"']+)["']?[\t ]+/iy;
const macroOpening = /^[\t ]*<Macro[\t ]+["']?([^\s"'>]+)["']?([^>]*)>/i;
const macroClosing = /^[\t ]*<\/Macro/i;

/**
 * Where the words begin that a Use line gives to a macro of its own file, if that puts them where a secret stands.
 *
 * @param secretStart tells where the secret of a line begins
 */
function findMacroSecretStart(
  text: string,
  lineStart: number,
  secretStart: (text: string, lineStart: number) => number | undefined,
): number | undefined {
  useLine.lastIndex = lineStart;
  const name = useLine.exec(text)?.[1];
  if (name === undefined) return undefined;
  const end = useLine.lastIndex;
  if (knownMacros?.text !== text) knownMacros = { text, names: findSecretMacros(text, secretStart) };
  return knownMacros.names.has(name.toLowerCase()) ? end : undefined;
}

function findSecretMacros(
  text: string,
  secretStart: (text: string, lineStart: number) => number | undefined,
): ReadonlySet<string> {
  const names = new Set<string>();
  let inside: { readonly name: string; readonly parameters: readonly string[] } | undefined;
  let start = 0;
  for (const line of text.split("\n")) {
    const [, name, parameters = ""] = macroOpening.exec(line) ?? [];
    if (name !== undefined) inside = { name: name.toLowerCase(), parameters: parameters.match(/[^\s"']+/g) ?? [] };
    else if (macroClosing.test(line)) inside = undefined;
    else if (inside) {
      const secret = secretStart(text, start);
      const said = secret === undefined ? "" : text.slice(secret, start + line.length);
      if (inside.parameters.some((each) => said.includes(each))) names.add(inside.name);
    }
    start += line.length + 1;
  }
  return names;
}
