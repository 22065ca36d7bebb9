import {
  type Argument,
  comparePatterns,
  type Directive,
  expressionOf,
  matchesIn,
  type PatternGroup,
  parsePcre,
  parseRewriteWords,
  type Scope,
  spanInExpression,
} from "../../src/lint/api/configuration.js";
import type { Span } from "../../src/lint/api/rule.js";

/** A pattern that matches everything only because one of its alternatives is empty. */
export interface EmptyAlternative {
  readonly pattern: string;
  readonly isNegated: boolean;
  /** What httpd compares with it. */
  readonly subject: "path" | "text";
  /** The pattern without its empty alternatives. */
  readonly corrected: string;
  readonly span: Span;
  /** Whether the span contains the pattern as it is, so that it can be replaced. */
  readonly isVerbatim: boolean;
}

/** A pattern of a line. */
export interface LinePattern extends Pick<EmptyAlternative, "pattern" | "isNegated" | "span" | "isVerbatim"> {
  /** The texts that httpd passes to it, as a pattern. */
  readonly texts: string;
  /** Whether the line may use the text that it matched. */
  readonly isCapturing: boolean;
}

/** Whether a text may have an alternative that is empty. */
const mayBeEmpty = /\|\||\|\)|\|$|^!?\||\((?:\?:)?\|/;

/** Returns the first pattern of a line that matches every text because of an empty alternative. */
export function findEmptyAlternative(directive: Directive, scope: Scope): EmptyAlternative | undefined {
  if (!directive.argumentText.includes("|")) return undefined;
  for (const { texts, isCapturing, ...each } of listPatterns(directive, scope)) {
    const { pattern } = each;
    if (!mayBeEmpty.test(pattern) || isPlaceholder(pattern) || parsePcre(pattern).error) continue;
    // A suffix such as `(|\.html)` after `(.*)` is optional on purpose, if the rule uses what it matched.
    if (isCapturing && /\.[*+]/.test(pattern)) continue;
    const corrected = withoutEmptyAlternatives(pattern);
    if (corrected === undefined || comparePatterns(texts, pattern, false) !== "all") continue;
    if (comparePatterns(texts, corrected, false) !== "all")
      return { ...each, corrected, subject: texts === ANY_PATH ? "path" : "text" };
  }
  return undefined;
}

/** A pattern of a section for file names that matches more names than it is written for. */
export interface LoosePattern {
  readonly pattern: string;
  readonly corrected: string;
  /** A name that it matches; undefined if it matches each of them. */
  readonly name: string | undefined;
  readonly span: Span;
  readonly isVerbatim: boolean;
}

/** Finds a pattern of `<FilesMatch>` whose parts are all optional, or which has a dot for any character before an extension. */
export function findLoosePattern(directive: Directive, scope: Scope): LoosePattern | undefined {
  if (directive.key !== "<filesmatch" && directive.key !== "<files") return undefined;
  const [found] = listPatterns(directive, scope);
  if (found === undefined || isPlaceholder(found.pattern) || parsePcre(found.pattern).error) return undefined;
  const { pattern, span, isVerbatim } = found;
  const [, start = "", literal = ""] = /^(\^?)((?:\\[.~_-]|\w)+)[*?]$/.exec(pattern) ?? [];
  if (/^\\?[^\\]$/.test(literal)) return { pattern, corrected: start + literal, name: undefined, span, isVerbatim };
  // Only a denial of other files does harm.
  const [, before = "", extensions = ""] = /^(\^?(?:\.\*)?)\.(\((?:\?:)?[\w|~]+\)|\w+)\$$/.exec(pattern) ?? [];
  if (extensions === "" || !deniesAll(directive)) return undefined;
  const [, last = ""] = /([A-Za-z]\w*)\)?$/.exec(extensions) ?? [];
  if (last === "") return undefined;
  return { pattern, corrected: `${before}\\.${extensions}$`, name: `x${last}`, span, isVerbatim };
}

/** Reports whether a section denies access to all clients. */
function deniesAll({ children = [] }: Directive): boolean {
  const isDenial = ({ key, argumentText }: Directive) =>
    (key === "require" && /^all\s+denied$/i.test(argumentText)) ||
    (key === "deny" && /^from\s+all$/i.test(argumentText));
  return children.some(isDenial) && !children.some(({ key }) => key === "allow");
}

/** Returns whether a pattern has a part that a template or a variable completes. */
export function isPlaceholder(pattern: string): boolean {
  return /@\w+@|%\w+%|\{\{|\$\{|<%|[^\0-\xff]/.test(pattern);
}

/** Returns a pattern without its empty alternatives; undefined if it has none, or more than groups. */
function withoutEmptyAlternatives(pattern: string): string | undefined {
  let text = pattern;
  for (let left = pattern.length; left > 0; left -= 1) {
    const tree = parsePcre(text);
    if (tree.error || tree.ignored.length > 0) return undefined;
    const [group] = listGroups(tree.branches).filter(hasEmptyBranch);
    const whole = { branches: tree.branches, bodyStart: 0, bodyEnd: text.length };
    const found = group
      ? { branches: group.branches, bodyStart: group.bodyStart, bodyEnd: group.end - 1 }
      : hasEmptyBranch(whole) && whole;
    if (!found) return text === pattern ? undefined : text;
    const kept = found.branches.flatMap((nodes) => {
      const [first, last] = [nodes[0], nodes.at(-1)];
      return first && last ? [text.slice(first.start, last.end)] : [];
    });
    text = text.slice(0, found.bodyStart) + kept.join("|") + text.slice(found.bodyEnd);
  }
  return undefined;
}

type Branches = PatternGroup["branches"];

function hasEmptyBranch({ branches }: { readonly branches: Branches }): boolean {
  return branches.some((nodes) => nodes.length === 0) && branches.some((nodes) => nodes.length > 0);
}

/** Returns the groups of alternatives, with those inside them. */
function listGroups(branches: Branches): readonly PatternGroup[] {
  return branches.flat().flatMap((node) => {
    const inner = node.kind === "repeat" ? node.of : node;
    return inner.kind === "group" && inner.construct === undefined ? [inner, ...listGroups(inner.branches)] : [];
  });
}

/** All URL paths and paths of files, as a pattern. */
export const ANY_PATH = "/.*";
/** All texts of one line. */
const ANY_TEXT = ".*";

/** The first argument is a pattern. */
const patternsFirst: ReadonlyMap<string, string> = new Map([
  ...["browsermatch", "browsermatchnocase", "<filesmatch"].map((key) => [key, ANY_TEXT] as const),
  ...["aliasmatch", "scriptaliasmatch", "proxypassmatch"].map((key) => [key, ANY_PATH] as const),
  ...["<directorymatch", "<locationmatch"].map((key) => [key, ANY_PATH] as const),
]);

/** Sections whose second argument is a pattern after `~`. */
const tildeSections: ReadonlyMap<string, string> = new Map([
  ["<files", ANY_TEXT],
  ["<directory", ANY_PATH],
  ["<location", ANY_PATH],
]);

/** Returns the patterns of a line. */
export function listPatterns(directive: Directive, scope: Scope): readonly LinePattern[] {
  const { key, arguments: words } = directive;
  const isCapturing = /\$\d/.test(directive.argumentText);
  const inWord = (word: Argument | undefined, texts: string, captures = isCapturing, skipped = 0): LinePattern[] =>
    word ? [{ ...placeOf(directive, word, skipped), texts, isCapturing: captures, isNegated: skipped > 0 }] : [];
  const texts = patternsFirst.get(key);
  if (texts !== undefined) return inWord(words[0], texts);
  if (key === "setenvif" || key === "setenvifnocase") return inWord(words[1], ANY_TEXT);
  const pathTexts = words[0]?.value === "~" ? tildeSections.get(key) : undefined;
  if (pathTexts !== undefined) return inWord(words[1], pathTexts);
  if (key === "redirectmatch") {
    const hasStatus = /^(?:\d+|permanent|temp|seeother|gone)$/i.test(words[0]?.value ?? "");
    return inWord(words[hasStatus ? 1 : 0], ANY_PATH);
  }
  if (key === "rewriterule" || key === "rewritecond") {
    const isRule = key === "rewriterule";
    const written = parseRewriteWords(directive.argumentText);
    const word = written?.[isRule ? 0 : 1];
    const isServer = scope.place === "server" || scope.place === "virtualhost";
    const seesPaths = isRule ? isServer : /^%\{REQUEST_URI\}$/i.test(written?.[0]?.value ?? "");
    // Other tests of RewriteCond are not patterns.
    if (!isRule && (/^expr$/i.test(written?.[0]?.value ?? "") || /^!?[-=<>]/.test(word?.value ?? ""))) return [];
    return inWord(word, seesPaths ? ANY_PATH : ANY_TEXT, !isRule || isCapturing, word?.value.startsWith("!") ? 1 : 0);
  }
  const expression = expressionOf(directive);
  if (expression === undefined || !expression.text.includes("~")) return [];
  return matchesIn(expression.text).map(({ operator, regex }) => ({
    pattern: regex.pattern,
    isNegated: operator.name === "!~",
    span: spanInExpression(expression, regex),
    isVerbatim: false,
    texts: ANY_TEXT,
    isCapturing,
  }));
}

/** Returns a pattern in an argument, without the `!` before it. */
function placeOf(directive: Directive, word: Argument, skipped: number) {
  const start = word.end - word.value.length - (word.quote === "none" || word.unclosed ? 0 : 1);
  // If backslashes were removed, offsets in the value differ from those in the text.
  const isVerbatim = directive.argumentText.startsWith(word.value, start);
  const span = directive.spanOf(isVerbatim ? { start: start + skipped, end: start + word.value.length } : word);
  return { pattern: word.value.slice(skipped), span, isVerbatim };
}
