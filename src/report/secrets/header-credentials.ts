/** Finds credentials in headers: `req('Authorization') == '…'`, a header that a line sends or sets, and cookies. */
import { computeOnce } from "../../text/memoize.js";
import { credentialIn, scheme } from "./credential-schemes.js";
import { isSecretHeader } from "./secret-names.js";
import { groupsOf, type TextRange } from "./text-ranges.js";

/** The name of a header or a variable. `isSecretHeader` decides whether its values are secrets. */
const name = (group: string) => `(?<${group}>[\\w-]{1,128})`;

/** A reference to the value of a header or a variable. */
const lookup = String.raw`(?:%\{(?:[\w-]{1,64}:)?["']?${name("referred")}["']?\}|\b(?:req|req_novary|http|resp|reqenv|osenv|env)\(\s*\\?["']${name("called")}\\?["']\s*\)|\bHTTP_${name("cgi")}\b|${"`"}${name("quoted")}${"`"})[)}${"`"}]*`;
const operator = String.raw`(?:[=!]=|[=!]~|[<>]=?|=|-?(?:eq|ne|lt|gt|le|ge|in|strmatch|strcmatch|fnmatch)\b|(?:(?:does|do) not match|match(?:es)?|is(?: not(?! allowed\b))?)\b(?! not allowed\b))`;
/** The start of a quoted text, a list or a pattern whose end is missing because a message shortens the line. */
const shortened = String.raw`(?:\\?["']|\{|m?[/#])([^\n${"`"}]*\u2026)`;
/** Quoted, a list, a pattern between slashes, or bare. The groups are the text between the delimiters. */
const value = String.raw`(?:\\?"([^"\n]*)"|\\?'([^'\n]*)'|${"`"}([^${"`"}\n]*)${"`"}|\{([^}\n]*)\}|m?[/#]([^/#\n]*)[/#]|${shortened}|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s"'${"`"},;)\]]+))`;

/** A value that is a whole word of a line: it ends at white space, or at the end of the quoted text. */
const wholeWord = String.raw`(?:"([^"\n]*)"|'([^'\n]*)'(?=[\s${"`"}]|$)|["']([^\n${"`"}]*\u2026)|((?:[!<>=^]*${scheme}[\s\\+]+)?[^\s${"`"}]+))`;

/** What a message says of a name that it quotes: a value is quoted, too, unlike in `\`X-Token\` is not set`. */
const ownWords = String.raw`(?<=${"`"})\s+(?:(?:does|do) not match|match(?:es)?|is(?: not\b|(?! not\b)))\s+\w`;
const compared = computeOnce(() => new RegExp(String.raw`${lookup}(?!${ownWords})\s*${operator}\s*${value}`, "gid"));
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

/** Returns the values that are compared with a secret header or variable, or sent in one. */
export function findHeaderValues(text: string): readonly TextRange[] {
  const found: TextRange[] = [];
  for (const { pattern, part } of ofHeaders)
    for (const match of part.test(text) ? text.matchAll(pattern()) : []) {
      const names = namesOf(match);
      if (!names.some(isSecretHeader)) continue;
      const isCookie = names.some((each) => /cookie/i.test(each));
      for (const each of groupsOf(match)) found.push(...(isCookie ? cookiesIn(text, each) : credentialIn(text, each)));
    }
  return found;
}

/** Returns the names of headers and variables in a match. */
function namesOf({ groups = {} }: RegExpExecArray): string[] {
  return Object.values(groups).filter((each) => each !== undefined);
}

const cookieValue = /=([\w%+/~.:-]{4,})/dg;

/** Returns the values of cookies; a cookie's name is not a secret. */
function cookiesIn(text: string, { start, end }: TextRange): TextRange[] {
  return [...text.slice(start, end).matchAll(cookieValue)].flatMap(groupsOf).map((each) => ({
    start: start + each.start,
    end: start + each.end,
  }));
}

/** The value of any header that begins with the name of a scheme. A challenge with `realm=` is not a secret. */
const schemed = computeOnce(
  () =>
    new RegExp(
      String.raw`\b(?:Request)?Header\s[^\n${"`"}]{0,300}?["'\s=](?:(?<keyed>Bearer|Negotiate|Token|ApiKey)|Basic|Digest)(?:\s|\\ |\+|%20)+(?!(?:realm|error|charset|algorithm|qop|nonce)=|\$|%\{)([^\s"'${"`"},;]{3,})`,
      "gid",
    ),
);

/** Returns the values after a scheme in any header. After `Basic` there may be words, which are not encoded. */
export function findSchemeValues(text: string): TextRange[] {
  if (!/header/i.test(text)) return [];
  return [...text.matchAll(schemed())].flatMap((match) => {
    const isEncoded = match.groups?.["keyed"] !== undefined;
    return groupsOf(match).filter(({ start, end }) => isEncoded || /[A-Z\d=]/.test(text.slice(start, end)));
  });
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
export function findSetCookies(text: string): TextRange[] {
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
