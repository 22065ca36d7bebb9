import { secretHeader } from "./credentials.js";
import { givenToMacro } from "./macro-secrets.js";

/**
 * The directives that hold secrets, and where on their line these begin. Their names may stand in any case, in a comment,
 * and even broken over lines.
 */

const continuation = String.raw`(?:\\\r?\n)*`;
const blank = String.raw`(?:[\t\v\f\r ]|\\\r?\n)+`;
const word = String.raw`(?:"(?:[^"\\\n]|\\[^\n]|\\\r?\n)*"|(?:[^\s"]|\\\r?\n)+)`;

/** Names of variables that say that their value is a secret. */
const secretName = String.raw`["']?(?:(?:[\w.-]*[_.-])?(?:pass|pw|pwd)|[\w.-]*(?:password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key|credentials?))["']?`;
const wholeSecretName = new RegExp(`^${secretName}$`, "i");

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
      ...["MDExternalAccountBinding", "CryptoKey"],
    ],
    ahead: [],
  },
  { names: ["SSLPassPhraseDialog"], ahead: [], open: "builtin" },
  { names: ["AuthBasicFake"], ahead: [word] },
  { names: ["ProxyRemote", "ProxyRemoteMatch"], ahead: [word, word] },
  { names: ["SetEnv", "Define", "php_value", "php_admin_value"], ahead: [secretName] },
  {
    names: ["Header", "RequestHeader"],
    ahead: [
      `(?:(?:always|onsuccess|early)${blank})?(?:set|add|append|merge|setifempty|edit\\*?)`,
      `["']?${secretHeader}["']?`,
    ],
    // A variable by its name, or nothing.
    open: String.raw`%\{[\w:.-]+\}[a-z]|""|''`,
  },
];

/** Of these a parameter is one: `secret=…`. */
const withParameters = ["ProxyPass", "ProxyPassMatch", "BalancerMember", "ProxySet"];
/** That parameter; its name is the first group. */
export const secretParameter = /(\bsecret=)("[^"]*"|[^\s"]+)/gi;

/** Names that are meant to be one of those, and are none. */
const misspelt = `(?!(?:${directives.flatMap(({ names }) => names).join("|")})(?![a-z]))[a-z]{0,40}pas{1,4}(?:w|p?hr)[a-z]{0,40}(?<!file|path)`;

const broken = (name: string) => [...name].join(continuation);
const start = String.raw`(?:[\t\v\f\r #<]|\\\r?\n)*`;
const end = String.raw`(?=[\t-\r \\]|$)`;

/** @param spelt how the pattern of a name is made of it */
function headsBy(spelt: (name: string) => string, gap: string): string {
  const heads = directives.map(({ names, ahead, open }) => {
    const head = [`(?:${names.map(spelt).join("|")})`, ...each(ahead)].join(gap);
    return open === undefined ? head : `${head}(?!${gap}["']?(?:${open})["']?(?=[\\s\`]|$))`;
  });
  return [...heads, misspelt].join("|");
}

function each(patterns: readonly string[]): string[] {
  return patterns.map((pattern) => `(?:${pattern})`);
}

const secretiveLine = new RegExp(`${start}(?:${headsBy(broken, blank)})${end}`, "iy");
const parameterLine = new RegExp(`${start}(?:${withParameters.map(broken).join("|")})${end}`, "iy");
const secretiveQuote = new RegExp(`(\`\\s*(?:${headsBy((name) => name, "\\s+")})\\s+)[^\`]+`, "gi");
const secretiveText = new RegExp(`(?:${headsBy((name) => name, "\\s+")})\\s+\\S`, "i");
const mayQuote = /pass|dbd|crypto|secret|token|key|credential|auth|cookie|pw|proxyremote|binding/i;

/** Where the secret part of a line begins: all that stands behind it is one. @param lineStart of a logical line */
export function secretStart(text: string, lineStart: number): number | undefined {
  return ownStart(text, lineStart) ?? givenToMacro(text, lineStart, ownStart);
}

function ownStart(text: string, lineStart: number): number | undefined {
  secretiveLine.lastIndex = lineStart;
  return secretiveLine.test(text) ? secretiveLine.lastIndex : undefined;
}

/** Whether a line may have a parameter that is a secret. @param lineStart of a logical line */
export function mayHoldParameter(text: string, lineStart: number): boolean {
  parameterLine.lastIndex = lineStart;
  return parameterLine.test(text);
}

/** Words with what they quote of such lines masked. */
export function withoutQuotedSecrets(words: string, mask: string): string {
  return mayQuote.test(words)
    ? words.replace(secretiveQuote, `$1${mask}`).replace(secretParameter, `$1${mask}`)
    : words;
}

/** Whether text holds such a line. */
export function holdsSecretiveLine(text: string): boolean {
  return secretiveText.test(text);
}

/** Whether a variable's name says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return wholeSecretName.test(name);
}
