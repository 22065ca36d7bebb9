import { formatLineTitle } from "../../src/lint/api/access.js";
import type { Argument, Directive, Scope } from "../../src/lint/api/configuration.js";

export const replacedMessages = {
  byLater: (line: Directive) => ({
    message: `${formatLineTitle(line)} has no effect: a later line replaces it`,
    notes: ["of several such lines in one place, httpd uses the last one"],
    help: ["delete one of the two lines"],
  }),
};

/** A line that a later one of the same place replaces. */
interface ReplacedLine {
  readonly line: Directive;
  readonly by: Directive;
}

/** What a line is for, apart from its value; undefined if it adds to others. */
type Subject = (words: readonly Argument[]) => string | undefined;

const whole: Subject = () => "";
const byFirst: Subject = ([first]) => first?.value.toLowerCase();
/** Options without signs replace all others (server/core.c `set_options`). */
const unsigned: Subject = (words) => (words.some(({ value }) => /^[+-]/.test(value)) ? undefined : "");

/** Directives of which the last line of a place applies, and what several of them differ in. */
const subjects: ReadonlyMap<string, Subject> = new Map([
  ["adddefaultcharset", whole],
  ["authname", whole],
  ["authuserfile", whole],
  ["documentroot", whole],
  ["errordocument", byFirst],
  ["expiresbytype", byFirst],
  ["expiresdefault", whole],
  ["forcetype", whole],
  ["options", unsigned],
  ["servername", whole],
  ["sethandler", whole],
]);

export const replacedDirectives = [...subjects.keys()];

/** Yields the lines of a scope with another value than that of a later line, which applies. */
export function* findReplacedLines({ directives }: Scope): Generator<ReplacedLine> {
  const last = new Map<string, Directive>();
  for (const line of directives.toReversed()) {
    const subject = subjects.get(line.key)?.(line.arguments);
    if (subject === undefined) continue;
    const key = `${line.key} ${subject}`;
    const by = last.get(key);
    if (by === undefined) last.set(key, line);
    // A line of another file, or in another section with a condition, may be meant to replace it.
    else if (by.span.file === line.span.file && by.guard === line.guard && writtenValueOf(by) !== writtenValueOf(line))
      yield { line, by };
  }
}

function writtenValueOf({ arguments: words }: Directive): string {
  return words.map(({ value }) => value.toLowerCase()).join(" ");
}
