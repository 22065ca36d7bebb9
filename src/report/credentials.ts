/**
 * Values that prove who one is, where they stand in text: compared with headers that carry such (`req('Authorization') ==
 * '…'`), sent in them, or given by name (`password=…`). Text is a line of configuration, or words that quote some.
 */

/** A stretch of a text, in its own units. */
export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Headers by which one proves who one is. */
export const secretHeader = String.raw`(?:(?:Proxy-)?Authorization|[\w-]{0,64}(?:Api-?Key|Token|Secret)|Cookie)`;

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
/** What is given by name, and behind a flag of a command; the name is the first group. */
const ofNames = [
  new RegExp(
    String.raw`(?<![\w.-])([\w.-]{1,64})=(?:"([^"\n]{2,})"|'([^'\n]{2,})'|(${literal}[^\s"'${"`"}&,;)\]]{2,}))`,
    "gd",
  ),
  new RegExp(String.raw`\bE=!?([\w.-]{1,64}):(${literal}[^\s"'${"`"},\]]+)`, "gd"),
  new RegExp(String.raw`\s--?([a-z-]{1,64})\s+(${literal}[^\s"'${"`"}|-][^\s"'${"`"}|]*)`, "gd"),
];
const secretName =
  /^(?:(?:.*[_.-])?(?:pass|pw|pwd)|.*(?:password|passwd|passphrase|secret|token|api[_-]?key|private[_-]?key|credentials?))$/i;

const maySay = /authorization|cookie|token|secret|api-?_?key|pass|pwd|pw=/i;
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
export function together(found: readonly Found[]): readonly Found[] {
  const apart: Found[] = [];
  for (const each of [...found].sort((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last === undefined || each.start >= last.end) apart.push(each);
    else if (each.end > last.end) apart[apart.length - 1] = { start: last.start, end: each.end };
  }
  return apart;
}

/** Where such values stand; in no order, and they may overlap. */
export function credentialsIn(text: string): readonly Found[] {
  if (!maySay.test(text)) return [];
  const found: Found[] = [];
  for (const pattern of ofHeaders)
    for (const match of text.matchAll(pattern)) {
      const isCookie = /cookie/i.test(match[0]);
      for (const each of groupsOf(match)) found.push(...(isCookie ? cookiesIn(text, each) : credentialIn(text, each)));
    }
  for (const pattern of ofNames)
    for (const match of text.matchAll(pattern)) {
      if (secretName.test(match[1] ?? "")) found.push(...groupsOf(match).slice(1));
    }
  return found;
}

/** Words with such values masked. */
export function withoutCredentials(words: string, mask: string): string {
  let masked = words;
  for (const { start, end } of together(credentialsIn(words)).toReversed())
    masked = masked.slice(0, start) + mask + masked.slice(end);
  return masked;
}

function groupsOf(match: RegExpExecArray): Found[] {
  return (match.indices ?? []).slice(1).flatMap((each) => (each ? [{ start: each[0], end: each[1] }] : []));
}

/** Behind the scheme, where there is more than the marks of a pattern: `^Basic (.+)$` tells nothing. */
function credentialIn(text: string, { start, end }: Found): Found[] {
  const whole = text.slice(start, end);
  if (whole.length > LONGEST_PATTERN) return [{ start, end }];
  const from = startsWithScheme.exec(whole)?.[0].length ?? 0;
  const rest = whole.slice(from);
  return /[\w+/=-]{3,}/.test(rest.replaceAll(patternMarks, " ")) ? [{ start: start + from, end }] : [];
}

/** The values of cookies; that one is there at all, by its name, is no secret. */
function cookiesIn(text: string, { start, end }: Found): Found[] {
  return [...text.slice(start, end).matchAll(cookieValue)].flatMap(groupsOf).map((each) => ({
    start: start + each.start,
    end: start + each.end,
  }));
}
