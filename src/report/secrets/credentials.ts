/**
 * Finds credentials in text: compared with headers that carry them (`req('Authorization') == '…'`), sent in such
 * headers, or given by name (`password=…`). The text is a line of configuration, or a message that quotes some.
 */
import { computeOnce } from "../../text/memoize.js";
import { isSecretHeader, isSecretName, isSecretValue } from "./secret-names.js";

/** A range of a text, in its own units. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** The name of a header or a variable. `isSecretHeader` decides whether its values are secrets. */
const name = (group: string) => `(?<${group}>[\\w-]{1,128})`;

/** A reference to the value of a header or a variable. */
const lookup = String.raw`(?:%\{(?:[\w-]{1,64}:)?["']?${name("referred")}["']?\}|\b(?:req|req_novary|http|resp|reqenv|osenv|env)\(\s*\\?["']${name("called")}\\?["']\s*\)|\bHTTP_${name("cgi")}\b|${"`"}${name("quoted")}${"`"})[)}${"`"}]*`;
const operator = String.raw`(?:[=!]=|[=!]~|[<>]=?|=|-?(?:eq|ne|lt|gt|le|ge|in|strmatch|strcmatch|fnmatch)\b|(?:(?:does|do) not match|match(?:es)?|is(?: not(?! allowed\b))?)\b(?! not allowed\b))`;
const scheme = `(?:Basic|Bearer|Digest|Negotiate|Token)`;
/** The start of a quoted text, a list or a pattern whose end is missing because a message shortens the line. */
const shortened = String.raw`(?:\\?["']|\{|m?[/#])([^\n${"`"}]*\u2026)`;
/** Quoted, a list, a pattern between slashes, or bare. The groups are the text between the delimiters. */
const value = String.raw`(?:\\?"([^"\n]*)"|\\?'([^'\n]*)'|${"`"}([^${"`"}\n]*)${"`"}|\{([^}\n]*)\}|m?[/#]([^/#\n]*)[/#]|${shortened}|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s"'${"`"},;)\]]+))`;

/** A value that is a whole word of a line: it ends at white space, or at the end of the quoted text. */
const wholeWord = String.raw`(?:"([^"\n]*)"|'([^'\n]*)'(?=[\s${"`"}]|$)|["']([^\n${"`"}]*\u2026)|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s${"`"}]+))`;

const compared = computeOnce(() => new RegExp(String.raw`${lookup}\s*${operator}\s*${value}`, "gid"));
const comparing = computeOnce(
  () =>
    new RegExp(
      String.raw`(?:"([^"\n]*)"|'([^'\n]*)')\s*${operator}\s*\{?\s*(?:\w{1,20}\(\s*|%\{\w{1,20}:)?${lookup}`,
      "gid",
    ),
);
const condition = computeOnce(
  () => new RegExp(String.raw`\bRewriteCond\s+["']?[^\s"']{0,200}?${lookup}[^\s"']{0,200}["']?\s+${wholeWord}`, "gid"),
);
const setting = computeOnce(
  () => new RegExp(String.raw`\bSetEnvIf(?:NoCase)?\s+["']?\^?${name("set")}\$?["']?\s+${wholeWord}`, "gid"),
);
const sent = computeOnce(() => new RegExp(String.raw`[${"`"}"']${name("sent")}:\s*([^${"`"}"'\n]+)`, "gid"));
/** The parts of a text with a comparison: the end of a lookup or of a value, and the start of an operator. */
const mayCompare =
  /["'`})e]\s*(?:[=!<>]|-?(?:eq|ne|lt|gt|le|ge|in|strmatch|strcmatch|fnmatch|match(?:es)?|do(?:es)? not match|is)\b)/i;
/** The patterns, each with a part of what it matches. Most texts lack that, and large patterns take milliseconds to compile. */
const ofHeaders: readonly { readonly pattern: () => RegExp; readonly part: RegExp }[] = [
  { pattern: compared, part: mayCompare },
  { pattern: comparing, part: mayCompare },
  { pattern: condition, part: /RewriteCond/i },
  { pattern: setting, part: /SetEnvIf/i },
  { pattern: sent, part: /:/ },
];

/** The value of any header that begins with the name of a scheme. A challenge with `realm=` is not a secret. */
const schemed = computeOnce(
  () =>
    new RegExp(
      String.raw`\b(?:Request)?Header\s[^\n${"`"}]{0,300}?["'\s=](?:(?<keyed>Bearer|Negotiate|Token|ApiKey)|Basic|Digest)(?:\s|\\ |\+|%20)+(?!(?:realm|error|charset|algorithm|qop|nonce)=|\$|%\{)([^\s"'${"`"},;]{3,})`,
      "gid",
    ),
);

const literal = String.raw`(?![*$%([{.?^|\\])`;

function assignedValue(): RegExp {
  return new RegExp(
    String.raw`"([^"\n]{2,})"|'([^'\n]{2,})'|["']([^\n${"`"}]*\u2026)|(${literal}[^\s"'${"`"}&,;)\]]{2,})`,
    "dy",
  );
}

/** Values after a name, or after a flag of a command: the name with its delimiter, and the value. */
const ofNames: readonly {
  readonly name: RegExp;
  readonly value: RegExp;
  readonly line?: RegExp;
  /** Whether the value is a pattern, which may match any text. */
  readonly isPattern?: boolean;
}[] = [
  { name: /(?<![\w.-])([\w.-]{1,64})=/g, value: assignedValue() },
  {
    name: /(?<![\w.-])([\w.-]{1,64})=/g,
    value: new RegExp(String.raw`((?=[([.?^|\*{])[^\s"'${"`"}&,;]{2,})`, "dy"),
    line: /\bRewriteCond\s|[=!]~|match\b/i,
    isPattern: true,
  },
  // By mistake, such a line may have a space beside the `=`.
  {
    name: /(?<![\w.-])([\w.-]{1,64})(?:[\t ]+=[\t ]*|=[\t ]+)/g,
    value: assignedValue(),
    line: /\b(?:SetEnvIf|BrowserMatch)(?:NoCase)?\s/i,
  },
  { name: /\b(?:E|env)=!?([\w.-]{1,64}):/gi, value: new RegExp(String.raw`(${literal}[^\s"'${"`"},\]]+)`, "dy") },
  {
    name: /\s--?([a-z-]{1,64})\s+/g,
    value: new RegExp(String.raw`(${literal}[^\s"'${"`"}|-][^\s"'${"`"}|]*)`, "dy"),
  },
];

const mayContainSecret =
  /auth(?:orization|[^a-z])|bearer|basic|digest|negotiate|cookie|token|secret|key|pass|pwd?|cred|pin-value|jwt|psk|salt|(?:pat|sk)[^a-z]|curl|mysql|mariadb/i;
const startsWithScheme = computeOnce(
  () => new RegExp(String.raw`^[!<>=^]*(?:\(?(?:\?:)?${scheme}(?:\|${scheme})*\)?(?:\\s|\[[^\]]*\]|[\s+*\\])*)?`, "i"),
);
/** The syntax of patterns, as opposed to the text that they match. */
const patternMarks = /\\[A-Za-z]|\[[^\]]*\]|\(\?(?:[:=!]|<\w*>)|\{[\d,]*\}/g;
/** A longer text is not treated as a pattern. */
const MAX_PATTERN_LENGTH = 4096;
const cookieValue = /=([\w%+/~.:-]{4,})/dg;

/** Sorts ranges and merges those that overlap. */
export function mergeRanges(found: readonly TextRange[]): readonly TextRange[] {
  const merged: TextRange[] = [];
  for (const each of [...found].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || each.start >= last.end) merged.push(each);
    else if (each.end > last.end) merged[merged.length - 1] = { start: last.start, end: each.end };
  }
  return merged;
}

/** Returns the ranges of such values, in no order; they may overlap. */
export function findCredentials(text: string): readonly TextRange[] {
  if (!mayContainSecret.test(text)) return [];
  const found: TextRange[] = [];
  for (const { pattern, part } of ofHeaders)
    for (const match of part.test(text) ? text.matchAll(pattern()) : []) {
      const names = namesOf(match);
      if (!names.some(isSecretHeader)) continue;
      const isCookie = names.some((each) => /cookie/i.test(each));
      for (const each of groupsOf(match)) found.push(...(isCookie ? cookiesIn(text, each) : credentialIn(text, each)));
    }
  return found.concat(findSchemed(text), findNamedSecrets(text), findSetCookies(text), findCommandSecrets(text));
}

const setCookie = /\bSet-Cookie2?\b["']?[:\s]+([^\n`]+)/dgi;
/** A cookie or an attribute with its value. A value that begins like a variable or a pattern is not a secret. */
const cookiePair = /(?<![\w-])([\w.-]{1,128})=(?![$%({[\\^.*])([^\s;,"'`]{3,})/dg;
const cookieAttributes = new Set([
  "path",
  "domain",
  "expires",
  "max-age",
  "samesite",
  "priority",
  "version",
  "comment",
]);

/** Returns the values of the cookies that a line sets, without their attributes. */
function findSetCookies(text: string): TextRange[] {
  return [...text.matchAll(setCookie)].flatMap(groupsOf).flatMap(({ start, end }) => {
    const pairs = [...text.slice(start, end).matchAll(cookiePair)];
    const secret = pairs.filter(({ 1: name = "" }) => !cookieAttributes.has(name.toLowerCase()));
    return secret
      .flatMap((pair) => groupsOf(pair).slice(1))
      .map((each) => ({
        start: start + each.start,
        end: start + each.end,
      }));
  });
}

/** Returns the names of headers and variables in a match. */
function namesOf({ groups = {} }: RegExpExecArray): string[] {
  return Object.values(groups).filter((each) => each !== undefined);
}

/** Returns the values after a scheme in any header. After `Basic` there may be words, which are not encoded. */
function findSchemed(text: string): TextRange[] {
  if (!/header/i.test(text)) return [];
  return [...text.matchAll(schemed())].flatMap((match) => {
    const isEncoded = match.groups?.["keyed"] !== undefined;
    return groupsOf(match).filter(({ start, end }) => isEncoded || /[A-Z\d=]/.test(text.slice(start, end)));
  });
}

/** Returns values whose names denote secrets. Another value may contain a named secret: `x=?password=…`. */
function findNamedSecrets(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (const { name, value, line, isPattern } of ofNames) {
    if (line !== undefined && !line.test(text)) continue;
    name.lastIndex = 0;
    for (let named = name.exec(text); named; named = name.exec(text)) {
      if (!isSecretName(named[1] ?? "")) continue;
      value.lastIndex = name.lastIndex;
      const given = value.exec(text);
      if (given === null || !isSecretValue(named[1] ?? "", given[0])) continue;
      found.push(...(isPattern ? groupsOf(given).flatMap((each) => credentialIn(text, each)) : groupsOf(given)));
      name.lastIndex = value.lastIndex;
    }
  }
  return found;
}

/** Masks such values in a text. */
export function maskCredentials(words: string, mask: string): string {
  let masked = words;
  for (const { start, end } of mergeRanges(findCredentials(words)).toReversed())
    masked = masked.slice(0, start) + mask + masked.slice(end);
  return masked;
}

/** Returns the ranges of the groups that have no name. */
function groupsOf({ indices }: RegExpExecArray): TextRange[] {
  const named = new Set(Object.values(indices?.groups ?? {}).map((each) => each?.[0]));
  return (indices ?? [])
    .slice(1)
    .flatMap((each) => (each && !named.has(each[0]) ? [{ start: each[0], end: each[1] }] : []));
}

/** Returns the text after the scheme if it is more than pattern syntax: `^Basic (.+)$` is not a secret. */
function credentialIn(text: string, { start, end }: TextRange): TextRange[] {
  const whole = text.slice(start, end);
  if (whole.length > MAX_PATTERN_LENGTH) return [{ start, end }];
  const from = startsWithScheme().exec(whole)?.[0].length ?? 0;
  const rest = whole.slice(from);
  return /[\w+/=-]{3,}/.test(rest.replaceAll(patternMarks, " ")) ? [{ start: start + from, end }] : [];
}

/** Returns the values of cookies; a cookie's name is not a secret. */
function cookiesIn(text: string, { start, end }: TextRange): TextRange[] {
  return [...text.slice(start, end).matchAll(cookieValue)].flatMap(groupsOf).map((each) => ({
    start: start + each.start,
    end: start + each.end,
  }));
}

/**
 * Flags of well-known commands whose names do not reveal that a secret follows: `curl -u USER:PASSWORD`, `mysql
 * -pPASSWORD`.
 */

const bareValue = "[^\\s\"'\\\\`|;]+";
const userValue = "[^\\s:\"'|;]{1,128}:(?!//)";
const commandPatterns = [
  {
    command: /\bcurl\b/g,
    flag: computeOnce(
      () =>
        new RegExp(
          String.raw`\s(?:-[A-Za-z#]{0,10}[uU]|--(?:proxy-)?user[\s=])\s*(?:\\?"${userValue}([^"\\\n]+)|'${userValue}([^'\n]+)|${userValue}(${bareValue}))`,
          "dg",
        ),
    ),
  },
  {
    command: /\b(?:mysql|mariadb)(?:-?[a-z]{1,16}){0,2}(?=\s)/g,
    flag: computeOnce(() => new RegExp(String.raw`\s-p(?:\\?"([^"\\\n]+)|'([^'\n]+)|(${bareValue}))`, "dg")),
  },
];

/** The maximum distance between a command and its flag. */
const REACH = 512;

/** Returns the secrets in command flags on a line. */
function findCommandSecrets(text: string): TextRange[] {
  return commandPatterns.flatMap(({ command, flag }) => {
    const ends = [...text.matchAll(command)].map(({ 0: name, index }) => index + name.length);
    return ends.flatMap((from, index) => {
      const words = text.slice(from, Math.min(from + REACH, ends[index + 1] ?? text.length));
      return [...words.matchAll(flag())].flatMap(({ indices = [] }) =>
        indices.slice(1).flatMap((each) => (each ? [{ start: from + each[0], end: from + each[1] }] : [])),
      );
    });
  });
}
