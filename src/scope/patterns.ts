import { RE2JS } from "re2js";
import type { Questions } from "./questions.js";

/** What a pattern matched, and what its groups did; undefined for one that took no part. */
export type Groups = readonly (string | undefined)[];

/** A regular expression as httpd uses it. */
export interface Pattern {
  readonly text: string;
  /** Named groups, by their name, with their numbers. */
  readonly names: ReadonlyMap<string, number>;
  /** Whether it has groups that count. */
  readonly hasGroups: boolean;
  matches(subject: string, questions: Questions): boolean;
  /** What it matched, with the groups; undefined where it does not. Linear in the text's length. */
  find(subject: string, questions: Questions): Groups | undefined;
}

export interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** `$` matches nowhere: 2.2 looks at directories like that (AP_REG_NOTEOL). */
  readonly withoutEnd?: boolean;
}

const KNOWN_LIMIT = 5_000;
/** One map for each set of options, so that a text is looked up as it is. */
const known = Array.from({ length: 4 }, () => new Map<string, Pattern>());

/**
 * A pattern that is read once. What no linear matcher can do (looking around, references back) is a question: the server
 * has PCRE for it.
 */
export function patternOf(text: string, { ignoreCase = false, withoutEnd = false }: PatternOptions = {}): Pattern {
  const ofOptions = known[(ignoreCase ? 1 : 0) + (withoutEnd ? 2 : 0)];
  const before = ofOptions?.get(text);
  if (before) return before;
  if (ofOptions && ofOptions.size >= KNOWN_LIMIT) ofOptions.clear();
  const pattern = compile(text, ignoreCase, withoutEnd);
  ofOptions?.set(text, pattern);
  return pattern;
}

const owned = new WeakMap<object, Pattern>();

/** The pattern of a line or an expression that request after request comes by: kept as long as that is there. */
export function patternOfLine(owner: object, text: string, options?: PatternOptions): Pattern {
  const known = owned.get(owner);
  if (known) return known;
  const pattern = patternOf(text, options);
  owned.set(owner, pattern);
  return pattern;
}

/** Text between anchors: most patterns of paths and user agents. */
const plain = /^(\^?)([\w /%:=&,;@#"'<>~!-]*)(\$?)$/;

/** What plain text with anchors matches is plain to see; to make a machine of each costs more than all else. */
function plainPattern(text: string): Pattern | undefined {
  const [, start, sought, end] = plain.exec(text) ?? [];
  if (sought === undefined) return undefined;
  const matches = (subject: string) => {
    if (end) return start ? subject === sought : subject.endsWith(sought);
    return start ? subject.startsWith(sought) : subject.includes(sought);
  };
  const groups: Groups = [sought];
  return {
    text,
    hasGroups: false,
    names: new Map(),
    matches,
    find: (subject) => (matches(subject) ? groups : undefined),
  };
}

function compile(text: string, ignoreCase: boolean, withoutEnd: boolean): Pattern {
  const known = ignoreCase || withoutEnd ? undefined : plainPattern(text);
  if (known) return known;
  let compiled: RE2JS | undefined;
  try {
    compiled = RE2JS.compile(
      withoutEnd ? withoutEnds(text) : text,
      RE2JS.DOTALL | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0),
    );
  } catch {
    // Nothing is said about patterns that the server refuses either: that is told elsewhere.
    compiled = undefined;
  }
  const asks = (subject: string) => `whether the pattern \`${text}\` matches \`${subject}\``;
  return {
    text,
    hasGroups: hasGroups(text),
    matches: (subject, questions) =>
      compiled === undefined ? questions.ask(asks(subject)) : compiled.matcher(subject).find(),
    names: new Map(Object.entries(compiled?.namedGroups() ?? {})),
    find(subject, questions) {
      if (compiled === undefined) return questions.ask(asks(subject)) ? [subject] : undefined;
      const matcher = compiled.matcher(subject);
      if (!matcher.find()) return undefined;
      return Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index) ?? undefined);
    },
  };
}

function hasGroups(text: string): boolean {
  return /\((?!\?)|\(\?P?<(?![=!])|\(\?'/.test(text.replace(/\\./gs, "").replace(/\[\^?\]?[^\]]*\]/g, ""));
}

/** Every `$` that stands for the end becomes something that matches nowhere. */
function withoutEnds(text: string): string {
  let inClass = false;
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if (c === "\\") out += c + (text[++i] ?? "");
    else if (c === "$" && !inClass) out += "[^\\x00-\\x{10FFFF}]";
    else {
      if (c === "[" && !inClass) inClass = true;
      else if (c === "]" && inClass) inClass = false;
      out += c;
    }
  }
  return out;
}
