/** Finds credentials after a name or the flag of a command: `password=…`, `curl -u USER:PASSWORD`. */
import { computeOnce } from "../../text/memoize.js";
import { credentialIn } from "./credential-schemes.js";
import { isSecretName, isSecretValue } from "./secret-names.js";
import { groupsOf, type TextRange } from "./text-ranges.js";

/** The start of a value as written: not of a variable or a pattern, and not the word that stands for a value in `key=value`. */
const literal = String.raw`(?![*$%([{.?^|\\]|value(?=[\s"'.,;)${"`"}]|$))`;

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

/** Returns values whose names denote secrets. Another value may contain a named secret: `x=?password=…`. */
export function findNamedValues(text: string): TextRange[] {
  const found: TextRange[] = [];
  for (const { name, value, line, isPattern } of ofNames) {
    if (line !== undefined && !line.test(text)) continue;
    name.lastIndex = 0;
    for (let named = name.exec(text); named; named = name.exec(text)) {
      if (!isSecretName(named[1] ?? "")) continue;
      value.lastIndex = name.lastIndex;
      const given = value.exec(text);
      if (given === null || !isSecretValue(named[1] ?? "", given[0])) continue;
      const ranges = groupsOf(given).map((range) => withoutAnchor(text, range));
      found.push(...(isPattern ? ranges.flatMap((each) => credentialIn(text, each)) : ranges));
      name.lastIndex = value.lastIndex;
    }
  }
  return found;
}

/** Returns the range without the `$` at the end of a pattern that begins with `^`. */
function withoutAnchor(text: string, { start, end }: TextRange): TextRange {
  const isAnchored = text[end - 1] === "$" && /(?:^|[\s"'`!])\^[^\s"'`]*$/.test(text.slice(0, start));
  return { start, end: isAnchored ? end - 1 : end };
}

const bareValue = "[^\\s\"'\\\\`|;]+";
const userValue = "[^\\s:\"'|;]{1,128}:(?!//)";
/**
 * Flags of well-known commands whose names do not reveal that a secret follows: `curl -u USER:PASSWORD`, `mysql
 * -pPASSWORD`.
 */
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
export function findCommandValues(text: string): TextRange[] {
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
