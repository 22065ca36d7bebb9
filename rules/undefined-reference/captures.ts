import {
  type Argument,
  type Directive,
  expressionOf,
  isComparedAsText,
  matchesIn,
  parsePcre,
  readRedirect,
} from "../../src/lint/api/configuration.js";

/** A part of the text after the name of a directive. */
export type ArgumentPart = Pick<Argument, "start" | "end">;

/** A line other than RewriteRule whose pattern captures texts for `$1` in other words (server/util.c `ap_pregsub`). */
export interface Captures {
  readonly pattern: string;
  /** Where `$1` is replaced. */
  readonly targets: readonly ArgumentPart[];
  /**
   * What httpd does with references if the pattern has no group: it inserts nothing, replaces nothing because it compares
   * the pattern as text (mod_setenvif.c `non_regex_pattern`), or inserts memory that it has not set (`match_headers`).
   */
  readonly withoutGroups: "empty" | "literal" | "unset";
  /** Whether `$0` can replace a group, because the target is not a path with the whole path in it. */
  readonly isPlainValue: boolean;
}

/** Directives whose first word is a pattern for a path, and whose second is the target. */
const pathLines = ["aliasmatch", "scriptaliasmatch", "wsgiscriptaliasmatch", "redirectmatch", "proxypassmatch"];
/** Directives that set variables to parts of a request header. */
const settingLines = ["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase"];

/** The names of the directives that `readCaptures` knows, in lower case. */
export const capturingDirectives: readonly string[] = [
  ...pathLines,
  ...settingLines,
  "setenvifexpr",
  "header",
  "requestheader",
  "substitute",
];

/** Returns the pattern of a line and the words that may refer to its groups; undefined if the line has no such word. */
export function readCaptures(line: Directive): Captures | undefined {
  const { key, arguments: words } = line;
  if (settingLines.includes(key)) {
    const [pattern, ...targets] = words.slice(key.startsWith("browser") ? 0 : 1);
    return pattern && plainValue(pattern.value, targets, isComparedAsText(pattern.value) ? "literal" : "empty");
  }
  if (key === "setenvifexpr") {
    const [match, ...others] = matchesIn(expressionOf(line)?.text ?? "");
    return match && others.length === 0 ? plainValue(match.regex.pattern, words.slice(1), "unset") : undefined;
  }
  if (key === "substitute") return readSubstitution(line);
  if (key === "header" || key === "requestheader") {
    const hasTable = /^(?:always|onsuccess)$/i.test(words[0]?.value ?? "");
    const [action, , pattern, target] = hasTable ? words.slice(1) : words;
    if (!/^edit\*?$/i.test(action?.value ?? "") || pattern === undefined || target === undefined) return undefined;
    return target.value.startsWith("expr=") ? undefined : plainValue(pattern.value, [target]);
  }
  const hasStatus = key === "redirectmatch" && readRedirect(line, false)?.from === words[1]?.value;
  const [first, second] = hasStatus ? words.slice(1) : words;
  // In a section by pattern, ProxyPassMatch has only a target.
  const isInSection = key === "proxypassmatch" && line.parent?.key === "<locationmatch";
  const pattern = isInSection ? line.parent?.arguments[0]?.value : first?.value;
  const target = isInSection ? first : second;
  if (pattern === undefined || target === undefined) return undefined;
  return { pattern, targets: [target], withoutGroups: "empty", isPlainValue: false };
}

function plainValue(
  pattern: string,
  targets: readonly ArgumentPart[],
  withoutGroups: Captures["withoutGroups"] = "empty",
): Captures {
  return { pattern, targets, withoutGroups, isPlainValue: true };
}

/** Returns the parts of `s/pattern/text/flags` (mod_substitute.c `set_pattern`). */
function readSubstitution({ arguments: [word], argumentText }: Directive): Captures | undefined {
  if (word === undefined) return undefined;
  const [, before = "", delimiter = ""] = /^(["']?s)([\s\S])/.exec(argumentText.slice(word.start, word.end)) ?? [];
  if (delimiter === "") return undefined;
  const start = word.start + before.length + 1;
  const [pattern = "", text, flags] = argumentText.slice(start, word.end).split(delimiter);
  // With `n`, the pattern is a text.
  if (text === undefined || flags === undefined || flags.includes("n")) return undefined;
  const from = start + pattern.length + 1;
  return plainValue(pattern, [{ start: from, end: from + text.length }]);
}

/** Returns the number of groups of a pattern; Infinity if it cannot be counted, such as with a branch reset. */
export function countGroups(pattern: string): number {
  const tree = parsePcre(pattern);
  return tree.error !== undefined || /\(\?\||\$\{/.test(pattern) ? Number.POSITIVE_INFINITY : tree.groups.length;
}

/**
 * Returns a pattern with its only repeated part in a group; undefined if that does not make the group of a number, or if
 * several parts could be meant.
 */
export function addGroup(pattern: string, number: number): string | undefined {
  const { branches, groups, error } = parsePcre(pattern);
  if (error !== undefined || branches.length > 1 || groups.length + 1 !== number) return undefined;
  const [part, ...others] = branches.flat().filter((node) => node.kind === "repeat" && node.of.kind !== "group");
  if (part === undefined || others.length > 0 || groups.some(({ end }) => end > part.start)) return undefined;
  return `${pattern.slice(0, part.start)}(${pattern.slice(part.start, part.end)})${pattern.slice(part.end)}`;
}
