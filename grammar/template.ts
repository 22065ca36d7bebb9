/**
 * The tags of template languages in a configuration: Jinja and Twig, ERB and EPP, Go templates, Handlebars and Mustache, PHP,
 * and `@@IF@@` with the like. An expression stands for a word. A statement is not part of the configuration, but shows which
 * lines belong together: those of a condition, or of a loop.
 */

import { hideText } from "./marked-text.js";

/** A tag, by its offsets in the text. */
export interface TemplateTag {
  readonly start: number;
  readonly end: number;
  /** Whether it stands for a value; otherwise it is a statement or a comment. */
  readonly isExpression: boolean;
}

/** One of the alternatives of a condition: the lines between two tags. */
export interface TemplateBranch {
  /** The statement that it follows, such as `{% else %}`. */
  readonly tag: TemplateTag;
  /** The offset of the tag that ends it. */
  readonly end: number;
  /** The conditions under which it is the one that applies: expressions, and whether they hold. */
  readonly requires: ReadonlyMap<string, boolean>;
}

/** A text as a template. */
export interface Template {
  readonly tags: readonly TemplateTag[];
  /** The branches of its conditions, by offset. A condition within a branch follows it. */
  readonly branches: readonly TemplateBranch[];
}

/** The endings of the names of templates. */
export const templateEndings: readonly string[] = [
  ...["j2", "jinja", "jinja2", "erb", "epp", "tpl", "stpl", "tmpl", "template", "mustache", "ctmpl", "gotmpl", "in"],
];
const ending = new RegExp(`\\.(?:${templateEndings.join("|")})$`, "i");

/** Reports whether a file is a template by its name, such as `site.conf.j2`. */
export function isTemplateName(name: string): boolean {
  return ending.test(name);
}

/** Returns the name of what a template produces: `deploy.yaml` for `deploy.yaml.j2`. */
export function nameOfProduct(name: string): string {
  return name.replace(ending, "");
}

/** A longer value is a tag that is not closed. */
const MAX_VALUE_BYTES = 1000;

/** The beginning of a tag. */
const opening = /\{[{%#]|<%|<\?(?=php\b|=|\s)|@@(?=(?:END)?(?:IF|ELSE|ELSIF|ELIF|FOR)\w*\b)/g;

/** The beginning of each kind of tag, and what ends the search for its end: the end, or the next tag of that kind. */
const delimiters = [
  { opening: "{{", delimiter: /\{\{|\}\}/g },
  { opening: "{%", delimiter: /\{%|%\}/g },
  { opening: "{#", delimiter: /\{#|#\}/g },
  { opening: "<%", delimiter: /<%|%>/g },
  { opening: "<?", delimiter: /\?>/g, mayBeOpen: true },
  { opening: "@@", delimiter: /@@/g },
];

/** A tag with its words. */
interface ScannedTag extends TemplateTag {
  readonly language: string;
  /** The text between its delimiters, without their modifiers. */
  readonly words: string;
}

/** Parses the tags of a text; undefined if it has none. */
export function parseTemplate(text: string): Template | undefined {
  const tags = scanTags(text);
  return tags.length === 0 ? undefined : { tags, branches: findBranches(tags) };
}

function scanTags(text: string): readonly ScannedTag[] {
  const tags: ScannedTag[] = [];
  opening.lastIndex = 0;
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const start = found.index;
    const end = findEnd(text, start);
    if (end === undefined) continue;
    const language = text.slice(start, start + 2);
    const words = text.slice(start + 2, end.start).replace(/^(?:php\b|[-~])?\s*|\s*[-~]?$/g, "");
    const isExpression = isValue(language, words);
    if (isExpression && end.end - start > MAX_VALUE_BYTES) continue;
    tags.push({ start, end: end.end, language, words, isExpression });
    opening.lastIndex = end.end;
  }
  return tags;
}

function findEnd(text: string, at: number): { start: number; end: number } | undefined {
  const kind = delimiters.find((each) => text.startsWith(each.opening, at));
  if (kind === undefined) return undefined;
  kind.delimiter.lastIndex = at + kind.opening.length;
  const next = kind.delimiter.exec(text);
  if (next === null) return kind.mayBeOpen ? { start: text.length, end: text.length } : undefined;
  if (next[0] === kind.opening && kind.opening !== "@@") return undefined;
  // `{{{ value }}}` is a value without escaping.
  const end = next.index + next[0].length;
  return { start: next.index, end: kind.opening === "{{" && text[end] === "}" && text[at + 2] === "{" ? end + 1 : end };
}

/** The statements of Go templates, Handlebars and Mustache, whose values have the same delimiters. */
const mixedStatement =
  /^(?:[#/^!>]|(?:if|else|end|range|with|define|block|template|break|continue)\b|\/\*|\$\w+\s*:?=)/;

function isValue(language: string, words: string): boolean {
  if (language === "{{") return !mixedStatement.test(words);
  return (language === "<%" || language === "<?") && words.startsWith("=");
}

/** What a statement does to the sections of a template. */
type Effect =
  | { readonly kind: "if"; readonly condition: string }
  | { readonly kind: "case"; readonly value: string }
  | { readonly kind: "block" | "end" }
  | { readonly kind: "else"; readonly condition: string | undefined };

/** The statements that open, divide or end a section; matched in order, the first group is the condition. */
const statements: readonly (readonly [RegExp, (condition: string) => Effect])[] = [
  [/^(?:end\w*\b|\/(?!\*)|\}\s*$|END\w+)/, () => ({ kind: "end" })],
  [/^\}?\s*(?:elif|elsif|elseif|else if|ELIF|ELSIF)\b\s*(.*?)[\s:{]*$/s, (condition) => ({ kind: "else", condition })],
  [/^(?:when)\b\s*(.*?)(?:\s+then)?$/s, (condition) => ({ kind: "else", condition })],
  [/^(?:\}?\s*(?:else|ELSE)\b|\^$)/, () => ({ kind: "else", condition: undefined })],
  [/^#?(?:unless)\b\s*(.*?)[\s:{]*$/s, (condition) => ({ kind: "if", condition: `not ${condition}` })],
  [/^\^\s*(.+)$/s, (condition) => ({ kind: "if", condition: `not ${condition}` })],
  [/^#?(?:if|IF)\b\s*(.*?)[\s:{]*$/s, (condition) => ({ kind: "if", condition })],
  [/^case\b\s*(.*)$/s, (value) => ({ kind: "case", value })],
  [
    /^(?:for|foreach|each|with|range|while|until|block|macro|call|filter|raw|verbatim|define|capture|FOR)\b/,
    () => ({ kind: "block" }),
  ],
  [/^#\s*(?:each|with)\b/, () => ({ kind: "block" })],
  [/^#\s*(\S.*)$/s, (condition) => ({ kind: "if", condition })],
  [/(?:\bdo|\{)\s*(?:\|[^|]*\|)?$/, () => ({ kind: "block" })],
];

function effectOf({ language, words, isExpression }: ScannedTag): Effect | undefined {
  // `{#` and `<%#` begin a comment, and `{{#` a section.
  if (isExpression || language === "{#" || (language !== "{{" && words.startsWith("#"))) return undefined;
  for (const [pattern, toEffect] of statements) {
    const match = pattern.exec(words);
    if (match) return toEffect((match[1] ?? "").trim());
  }
  return undefined;
}

/** A section that is open. */
interface OpenSection {
  /** The value that conditions are compared with, in a `case`. */
  readonly value?: string;
  /** Conditions of the branches so far; undefined for a loop or the like. */
  readonly failed?: Map<string, boolean>;
  branch?: { readonly tag: TemplateTag; readonly requires: ReadonlyMap<string, boolean> };
}

function findBranches(tags: readonly ScannedTag[]): readonly TemplateBranch[] {
  const branches: TemplateBranch[] = [];
  const open: OpenSection[] = [];
  const closeBranch = ({ branch }: OpenSection, end: number) => {
    if (branch) branches.push({ ...branch, end });
  };
  for (const tag of tags) {
    const effect = effectOf(tag);
    const section = open.at(-1);
    switch (effect?.kind) {
      case "if":
        open.push(startBranch({ failed: new Map() }, tag, effect.condition));
        break;
      case "case":
        open.push({ failed: new Map(), value: effect.value });
        break;
      case "block":
        open.push({});
        break;
      case "else":
        if (section?.failed === undefined) break;
        closeBranch(section, tag.start);
        startBranch(section, tag, effect.condition);
        break;
      case "end":
        if (section) closeBranch(section, tag.start);
        open.pop();
        break;
    }
  }
  // A template with open sections may be a part of another: its lines are all read.
  return open.length > 0 ? [] : branches.sort((a, b) => a.tag.start - b.tag.start);
}

/** @param condition undefined for the branch that applies if no other does */
function startBranch(section: OpenSection, tag: TemplateTag, condition: string | undefined): OpenSection {
  const { failed = new Map<string, boolean>(), value } = section;
  const requires = new Map(failed);
  if (condition !== undefined) {
    const [key, holds] = readCondition(value === undefined ? condition : `${value} == ${condition}`);
    requires.set(key, holds);
    failed.set(key, !holds);
  }
  section.branch = { tag, requires };
  return section;
}

/** Returns a condition without its negations, and whether it holds if the whole does. */
function readCondition(text: string): readonly [key: string, holds: boolean] {
  let key = text.replace(/\s+/g, " ").trim();
  let holds = true;
  for (;;) {
    const inner = /^(?:not\s+|!\s*(?!=))(.+)$/s.exec(key)?.[1] ?? /^\((.*)\)$/s.exec(key)?.[1];
    if (inner === undefined) break;
    if (!key.startsWith("(")) holds = !holds;
    key = inner.trim();
  }
  const [, left, operator, right] = /^(.+?) ?(?<![<>])(!=|==|=) ?(.+)$/s.exec(key) ?? [];
  if (left === undefined || operator === undefined) return [key, holds];
  return [`${left} == ${right}`, operator === "!=" ? !holds : holds];
}

/** What a value is compared with, so that two comparisons cannot both hold. */
function comparedValueOf(condition: string): string | undefined {
  return / == ["']?[\w.]+["']?$/.test(condition) ? condition.slice(0, condition.lastIndexOf(" == ")) : undefined;
}

/** A template as a configuration: the text, and its branches. */
export interface FilledTemplate {
  /**
   * As long as the template. Tags and the branches that do not apply are blank. The white space and quotes of an expression
   * are hidden (`hideText`), so that it is one word: `toReadable` shows them as they are.
   */
  readonly text: string;
  readonly applied: readonly TemplateBranch[];
  readonly skipped: readonly TemplateBranch[];
}

/**
 * Fills in a template. Conditions hold if nothing is known of them, except that of two comparisons of a value with different
 * texts only the first holds. Loops run once.
 *
 * @param given conditions, and whether they hold
 */
export function fillTemplate(text: string, template: Template, given: ReadonlyMap<string, boolean>): FilledTemplate {
  const { applied, skipped } = chooseBranches(template.branches, given);
  const parts: string[] = [];
  let done = 0;
  const writeTo = (end: number, write: (part: string) => string) => {
    if (end > done) parts.push(write(text.slice(done, end)));
    done = Math.max(done, end);
  };
  const replaced = [
    ...template.tags.map(({ start, end, isExpression }) => ({
      start,
      end,
      write: isExpression ? toOneWord : blankOut,
    })),
    ...skipped.map(({ tag, end }) => ({ start: tag.end, end, write: blankOut })),
  ];
  for (const { start, end, write } of replaced.sort((a, b) => a.start - b.start || b.end - a.end)) {
    writeTo(start, asWritten);
    writeTo(end, write);
  }
  writeTo(text.length, asWritten);
  return { text: parts.join(""), applied, skipped };
}

const asWritten = (text: string) => text;

function blankOut(text: string): string {
  return text.replace(/[^\n]/g, " ");
}

function toOneWord(text: string): string {
  return text.replace(/[\s"'\\]/g, hideText);
}

function chooseBranches(branches: readonly TemplateBranch[], given: ReadonlyMap<string, boolean>) {
  const known = new Map(given);
  const chosenOf = new Map(
    [...given].flatMap(([key, holds]) => (holds ? [[comparedValueOf(key) ?? key, key] as const] : [])),
  );
  const holds = (key: string) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const value = comparedValueOf(key);
    const isPossible = value === undefined || (chosenOf.get(value) ?? key) === key;
    known.set(key, isPossible);
    if (isPossible && value !== undefined) chosenOf.set(value, key);
    return isPossible;
  };
  const applied: TemplateBranch[] = [];
  const skipped: TemplateBranch[] = [];
  let skippedUntil = 0;
  for (const branch of branches) {
    if (branch.end <= skippedUntil) continue;
    const applies = [...branch.requires].every(([key, wanted]) => holds(key) === wanted);
    (applies ? applied : skipped).push(branch);
    if (!applies) skippedUntil = branch.end;
  }
  return { applied, skipped };
}
