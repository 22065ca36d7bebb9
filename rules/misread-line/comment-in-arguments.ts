import type { Directive, NameFacts } from "../../src/lint/api/configuration.js";
import {
  defineVariant,
  describeCommentMove,
  type Fix,
  indentOf,
  insertLinesBefore,
  type Report,
  replaceSpan,
  type Span,
  toCommentBefore,
  toReadable,
} from "../../src/lint/api/rule.js";

const header = "a comment cannot follow a directive on the same line";
const messages = {
  arguments: (name: string, comment: string) => ({
    message: header,
    notes: [`\`${name}\` reads \`#\` and the rest of the line as arguments`],
    help: [describeCommentMove(comment)],
  }),
  missing: (name: string, argument: string) => ({
    message: header,
    notes: [`\`${name}\` reads \`#\` and the word after it as its ${argument}`],
    help: [`add the ${argument}, and move the comment to a line of its own`],
  }),
  ignored: (comment: string) => ({
    message: header,
    notes: ["httpd ignores the rest of this line, but rejects comments after most other directives"],
    help: [describeCommentMove(comment)],
  }),
};

const labels = { ignored: "also ignored" };

const fixTitles = { move: "Move the comment to a line of its own" };

export const commentInArguments = defineVariant({
  id: "comment-in-arguments",
  supersedes: ["constant-condition"],
  messages,
  check: ({ project, report }) => {
    const visitWith = (find: (directive: Directive) => FoundComment | undefined) => (directive: Directive) => {
      if (!directive.argumentText.includes("#")) return;
      const found = find(directive);
      if (found) report(createReport(directive, found));
    };
    const visitors = new Map(Object.entries(finders).map(([kind, find]) => [kind, visitWith(find)]));
    return {
      byWords: (known) => visitors.get(readerOf(known) ?? ""),
      end() {
        for (const { span } of project.guards) {
          const comment = findAfterSection(span.file.text.slice(span.start, span.end));
          if (comment === undefined) continue;
          const at = (offset: number) => ({ ...span, start: span.start + offset });
          report({
            ...ignoredIn(span, comment.text),
            span: at(comment.start),
            ...createMove(span, comment.text, at(comment.before), "safe"),
          });
        }
      },
    };
  },
});

/** How a directive reads its arguments. */
type Reader = "list" | "first" | "three" | "require" | "section";

interface FoundComment {
  readonly isIgnored: boolean;
  /** A required argument that the comment takes the place of. */
  readonly insteadOf?: string;
  /** Offsets in the argument text: the end of the argument before the comment, and the comment. */
  readonly before: number;
  readonly start: number;
  readonly end: number;
}

const finders: Readonly<Record<Reader, (directive: Directive) => FoundComment | undefined>> = {
  list: (directive) => findWord(directive, 1, false),
  first: (directive) => findWord(directive, 1, true),
  three: (directive) => findInsteadOfArgument(directive) ?? findWord(directive, 3, true),
  require: findAfterRequire,
  section({ argumentText }) {
    const comment = findAfterSection(argumentText);
    return comment && { ...comment, isIgnored: true, end: argumentText.trimEnd().length };
  },
};

/** Finds a word at an index or after it that begins a comment. If the others are ignored, only the word at the index counts. */
function findWord({ arguments: words }: Directive, from: number, isIgnored: boolean): FoundComment | undefined {
  const at = words.findIndex(({ value, quote }, i) => i >= from && quote === "none" && /^#(?:$|\w)/.test(value));
  const [word, before, last] = [words[at], words[at - 1], words.at(-1)];
  if (word === undefined || before === undefined || last === undefined || (isIgnored && at !== from)) return undefined;
  return { isIgnored, before: before.end, start: word.start, end: last.end };
}

/** Finds a comment of one word in place of the pattern or the target: httpd rejects longer ones. */
function findInsteadOfArgument({ key, arguments: [before, word, ...more] }: Directive): FoundComment | undefined {
  if (before === undefined || word?.quote !== "none" || more.length > 0 || !/^#\w/.test(word.value)) return undefined;
  const insteadOf = key === "rewritecond" ? "pattern" : "target";
  return { isIgnored: false, insteadOf, before: before.end, start: word.start, end: word.end };
}

/** Providers of Require that read every word of the line. Those that are not listed here or below reject a comment. */
const listProviders: ReadonlySet<string> = new Set(["user", "group", "host", "env"]);

/** Providers of Require that read no argument. */
const bareProviders: ReadonlySet<string> = new Set(["valid-user", "local"]);

function findAfterRequire(directive: Directive): FoundComment | undefined {
  const [first, second] = directive.arguments;
  const isNegated = first?.value.toLowerCase() === "not";
  const provider = (isNegated ? second : first)?.value ?? "";
  if (listProviders.has(provider)) return findWord(directive, isNegated ? 3 : 2, false);
  return bareProviders.has(provider) ? findWord(directive, isNegated ? 2 : 1, true) : undefined;
}

/** Finds a comment after the `>` of a section (server/core.c: the last `>` ends the arguments). */
function findAfterSection(
  text: string,
): { readonly before: number; readonly start: number; readonly text: string } | undefined {
  const [hash, close] = [text.indexOf("#"), text.lastIndexOf(">")];
  if (close < 0 || hash < close || text.slice(close + 1, hash).trim() !== "") return undefined;
  return { before: close + 1, start: hash, text: text.slice(hash).trimEnd() };
}

function createReport(directive: Directive, { isIgnored, insteadOf, before, start, end }: FoundComment): Report {
  const name = toReadable(directive.name);
  if (insteadOf !== undefined)
    return { message: messages.missing(name, insteadOf), span: directive.spanOf({ start, end }) };
  const comment = directive.argumentText.slice(start, end);
  const removed = directive.spanOf({ start: before, end });
  return {
    ...(isIgnored ? ignoredIn(directive.span, comment) : { message: messages.arguments(name, comment) }),
    span: directive.spanOf({ start, end }),
    ...createMove(directive.span, comment, removed, isIgnored ? "safe" : "unsafe"),
  };
}

/** The ignored comments of a file are one finding. */
function ignoredIn({ file }: Span, comment: string): Pick<Report, "severity" | "message" | "cause"> {
  return { severity: "info", message: messages.ignored(comment), cause: { key: file.path, also: labels.ignored } };
}

function createMove(line: Span, comment: string, removed: Span, safety: Fix["safety"]): { readonly fix?: Fix } {
  const inserted = insertLinesBefore(line, [`${indentOf(line)}${toCommentBefore(comment).replace(/^#(?=\w)/, "# ")}`]);
  const removal = replaceSpan(removed, "");
  return inserted && removal ? { fix: { title: fixTitles.move, safety, edits: [inserted, removal] } } : {};
}

/** Returns how a directive reads its arguments; undefined if it rejects a comment, which `refused-at-start` reports. */
function readerOf({ key, facts }: NameFacts): Reader | undefined {
  const known = readers.get(key);
  if (known !== undefined) return known;
  if (exceptions.has(key)) return undefined;
  if (facts.some(({ argumentKind }) => argumentKind === "ITERATE" || argumentKind === "ITERATE2")) return "list";
  return facts.some(({ argumentKind }) => argumentKind === "FLAG") ? "first" : undefined;
}

/** Directives that parse their arguments themselves. */
const readers: ReadonlyMap<string, Reader> = new Map([
  ...withReader("list", ["addoutputfilterbytype", "browsermatch", "browsermatchnocase", "directoryindex"]),
  ...withReader("list", ["serveralias", "setenvif", "setenvifnocase"]),
  ...withReader("three", ["rewritecond", "rewriterule"]),
  ...withReader("require", ["require"]),
  ...withReader("section", ["<directory", "<directorymatch", "<files", "<filesmatch", "<if", "<elseif", "<limit"]),
  ...withReader("section", ["<limitexcept", "<location", "<locationmatch", "<virtualhost"]),
]);

function withReader(reader: Reader, keys: readonly string[]): readonly (readonly [string, Reader])[] {
  return keys.map((key) => [key, reader]);
}

/** Names of icons and files may begin with `#`, and `refused-at-start` reports the word after Allow and Deny. */
const exceptions: ReadonlySet<string> = new Set([
  "addalt",
  "adddescription",
  "addicon",
  "allow",
  "deny",
  "indexignore",
]);
