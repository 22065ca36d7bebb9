/**
 * Values that prove who one is, where they stand in text: compared with headers that carry such (`req('Authorization') ==
 * '…'`), sent in them, or given by name (`password=…`). Text is a line of configuration, or words that quote some.
 */
import { isSecretName } from "./secret-names.js";

/** A stretch of a text, in its own units. */
interface TextRange {
  readonly start: number;
  readonly end: number;
}

const secretPart = "(?:(?:Api|Access|Auth|Private|Subscription)-?Key|Token|Secret|Password|Passwd|Passphrase|Pass)";
/** Last parts of their names that tell something else: what kind it is, how it is named or how long it is good for. */
const openEnd = "(?:Type|Name|Source|Status|Error|Expires|Expiry|Expiration|TTL|Url|Id)";
/** Headers by which one proves who one is: their names say so in a part of their own, or at the end. */
const secretHeader = String.raw`(?:(?:Proxy-)?Authorization|Cookie|(?:[\w-]{0,64}-)?Auth|[\w-]{0,64}(?:Api-?Key|Token|Secret)|(?:[\w-]{0,64}-)?${secretPart}(?:-(?:(?!${openEnd}\b(?!-))\w){1,64}){0,8})`;
const wholeSecretHeader = new RegExp(`^${secretHeader}$`, "i");

/** What stands for the value of such a header. */
const lookup = String.raw`(?:%\{(?:[\w-]{1,64}:)?["']?${secretHeader}["']?\}|%\{HTTP_(?:COOKIE|AUTHORIZATION)\}|\b(?:req|req_novary|http)\(\s*\\?["']${secretHeader}\\?["']\s*\)|\bHTTP_COOKIE\b|${"`"}${secretHeader}${"`"})[)}]*`;
const operator = String.raw`(?:[=!]=|[=!]~|[<>]=?|=|-?(?:eq|ne|lt|gt|le|ge|in|strmatch|strcmatch|fnmatch)\b|matches\b)`;
const scheme = `(?:Basic|Bearer|Digest|Negotiate|Token)`;
/** Quoted, a list, a pattern between slashes, or bare. The groups are what is between the marks. */
const value = String.raw`(?:\\?"([^"\n]*)"|\\?'([^'\n]*)'|${"`"}([^${"`"}\n]*)${"`"}|\{([^}\n]*)\}|m?[/#]([^/#\n]*)[/#]|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s"'${"`"},;)\]]+))`;

/** A value that is the word of a line: it ends where white space does, or where the words that quote it do. */
const wholeWord = String.raw`(?:"([^"\n]*)"|'([^'\n]*)'(?=[\s${"`"}]|$)|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s${"`"}]+))`;

const compared = new RegExp(String.raw`${lookup}\s*${operator}\s*${value}`, "gid");
const comparing = new RegExp(
  String.raw`(?:"([^"\n]*)"|'([^'\n]*)')\s*${operator}\s*\{?\s*(?:\w{1,20}\(\s*|%\{\w{1,20}:)?${lookup}`,
  "gid",
);
const condition = new RegExp(
  String.raw`\bRewriteCond\s+["']?[^\s"']{0,200}?${lookup}[^\s"']{0,200}["']?\s+${wholeWord}`,
  "gid",
);
const setting = new RegExp(String.raw`\bSetEnvIf(?:NoCase)?\s+["']?${secretHeader}["']?\s+${wholeWord}`, "gid");
const sent = new RegExp(String.raw`[${"`"}"']${secretHeader}:\s*([^${"`"}"'\n]+)`, "gid");
const ofHeaders = [compared, comparing, condition, setting, sent];

const literal = String.raw`(?![*$%([{.?^|\\])`;
/** What is given by name, and behind a flag of a command: the name with its mark, and the value. */
const ofNames = [
  {
    name: /(?<![\w.-])([\w.-]{1,64})=/g,
    value: new RegExp(String.raw`"([^"\n]{2,})"|'([^'\n]{2,})'|(${literal}[^\s"'${"`"}&,;)\]]{2,})`, "dy"),
  },
  { name: /\bE=!?([\w.-]{1,64}):/g, value: new RegExp(String.raw`(${literal}[^\s"'${"`"},\]]+)`, "dy") },
  {
    name: /\s--?([a-z-]{1,64})\s+/g,
    value: new RegExp(String.raw`(${literal}[^\s"'${"`"}|-][^\s"'${"`"}|]*)`, "dy"),
  },
];

const maySay =
  /auth(?:orization|[^a-z])|cookie|token|secret|key|pass|pwd?|cred|pin-value|jwt|psk|salt|(?:pat|sk)[^a-z]|curl|mysql|mariadb/i;
const startsWithScheme = new RegExp(
  String.raw`^[!<>=^]*(?:\(?(?:\?:)?${scheme}(?:\|${scheme})*\)?(?:\\s|\[[^\]]*\]|[\s+*\\])*)?`,
  "i",
);
/** What patterns are written with, apart from the text that they look for. */
const patternMarks = /\\[A-Za-z]|\[[^\]]*\]|\(\?(?:[:=!]|<\w*>)|\{[\d,]*\}/g;
/** What is longer is no pattern that anybody reads. */
const LONGEST_PATTERN = 4096;
const cookieValue = /=([\w%+/~.:-]{4,})/dg;

/** Stretches in their order, those that overlap as one. */
export function mergeRanges(found: readonly TextRange[]): readonly TextRange[] {
  const apart: TextRange[] = [];
  for (const each of [...found].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || each.start >= last.end) apart.push(each);
    else if (each.end > last.end) apart[apart.length - 1] = { start: last.start, end: each.end };
  }
  return apart;
}

/** Where such values stand; in no order, and they may overlap. */
export function findCredentials(text: string): readonly TextRange[] {
  if (!maySay.test(text)) return [];
  const found: TextRange[] = [];
  for (const pattern of ofHeaders)
    for (const match of text.matchAll(pattern)) {
      const isCookie = /cookie/i.test(match[0]);
      for (const each of groupsOf(match)) found.push(...(isCookie ? cookiesIn(text, each) : credentialIn(text, each)));
    }
  return found.concat(findNamedSecrets(text), findSetCookies(text), findCommandSecrets(text));
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

/** The values of cookies that a line sets, without their attributes. */
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

/** Whether a header by that name proves who one is. */
export function isSecretHeader(name: string): boolean {
  return wholeSecretHeader.test(name);
}

/** Values whose names say that they are secrets. What is named otherwise may hold one further on: `x=?password=…`. */
function findNamedSecrets(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (const { name, value } of ofNames) {
    name.lastIndex = 0;
    for (let named = name.exec(text); named; named = name.exec(text)) {
      if (!isSecretName(named[1] ?? "")) continue;
      value.lastIndex = name.lastIndex;
      const given = value.exec(text);
      if (given === null) continue;
      found.push(...groupsOf(given));
      name.lastIndex = value.lastIndex;
    }
  }
  return found;
}

/** Words with such values masked. */
export function maskCredentials(words: string, mask: string): string {
  let masked = words;
  for (const { start, end } of mergeRanges(findCredentials(words)).toReversed())
    masked = masked.slice(0, start) + mask + masked.slice(end);
  return masked;
}

function groupsOf(match: RegExpExecArray): TextRange[] {
  return (match.indices ?? []).slice(1).flatMap((each) => (each ? [{ start: each[0], end: each[1] }] : []));
}

/** Behind the scheme, where there is more than the marks of a pattern: `^Basic (.+)$` tells nothing. */
function credentialIn(text: string, { start, end }: TextRange): TextRange[] {
  const whole = text.slice(start, end);
  if (whole.length > LONGEST_PATTERN) return [{ start, end }];
  const from = startsWithScheme.exec(whole)?.[0].length ?? 0;
  const rest = whole.slice(from);
  return /[\w+/=-]{3,}/.test(rest.replaceAll(patternMarks, " ")) ? [{ start: start + from, end }] : [];
}

/** The values of cookies; that one is there at all, by its name, is no secret. */
function cookiesIn(text: string, { start, end }: TextRange): TextRange[] {
  return [...text.slice(start, end).matchAll(cookieValue)].flatMap(groupsOf).map((each) => ({
    start: start + each.start,
    end: start + each.end,
  }));
}

/** Flags of well-known commands whose names do not say that a secret follows: `curl -u USER:PASSWORD`, `mysql -pPASSWORD`. */

const bareValue = "[^\\s\"'\\\\`|;]+";
const userValue = "[^\\s:\"'|;]{1,128}:(?!//)";
const commandPatterns = [
  {
    command: /\bcurl\b/g,
    flag: new RegExp(
      String.raw`\s(?:-[A-Za-z#]{0,10}[uU]|--(?:proxy-)?user[\s=])\s*(?:\\?"${userValue}([^"\\\n]+)|'${userValue}([^'\n]+)|${userValue}(${bareValue}))`,
      "dg",
    ),
  },
  {
    command: /\b(?:mysql|mariadb)(?:-?[a-z]{1,16}){0,2}(?=\s)/g,
    flag: new RegExp(String.raw`\s-p(?:\\?"([^"\\\n]+)|'([^'\n]+)|(${bareValue}))`, "dg"),
  },
];

/** Further from its command no flag is looked for. */
const REACH = 512;

/** The secrets that flags of commands give, where a command stands in a line. */
function findCommandSecrets(text: string): TextRange[] {
  return commandPatterns.flatMap(({ command, flag }) => {
    const ends = [...text.matchAll(command)].map(({ 0: name, index }) => index + name.length);
    return ends.flatMap((from, index) => {
      const words = text.slice(from, Math.min(from + REACH, ends[index + 1] ?? text.length));
      return [...words.matchAll(flag)].flatMap(({ indices = [] }) =>
        indices.slice(1).flatMap((each) => (each ? [{ start: from + each[0], end: from + each[1] }] : [])),
      );
    });
  });
}
