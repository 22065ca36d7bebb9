import { parseArguments } from "../../grammar/arguments.js";
import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../project/directive.js";
import { isExpansion } from "../project/macros.js";
import type { Span } from "../text/source.js";

/** Where a line truly stands: in a macro's definition, if a macro put it in place. */
export function originOfLine({ file, start, end }: Span): Span {
  if (!isExpansion(file)) return { file, start, end };
  const number = file.text.slice(0, start).split("\n").length - 1;
  const origin = file.origins[number];
  return origin ? originOfLine(origin) : { file, start, end };
}

/** What stands behind a directive's name where it is written, with variables and a macro's parameters. */
function restWritten(directive: Directive): string {
  const { file, start, end } = originOfLine(directive.span);
  const text = file.text.slice(start, end).replace(/\\\r?\n/g, " ");
  return text.replace(/^\S+\s*/, "").trim();
}

/** The words of a Require line as they are written, without `not`. */
export function writtenRest(directive: Directive): string {
  return restWritten(directive).replace(/^not\s+/i, "");
}

/** Some words of a line as they are written; none where they do not stand there one for one. */
export function writtenWords(directive: Directive, words: readonly Argument[]): readonly string[] {
  const rest = restWritten(directive);
  const raw = parseArguments(rest);
  const read = directive.arguments;
  if (raw.length !== read.length) return [];
  return words.flatMap((word) => {
    const at = read.findIndex(({ start }) => start === word.start);
    const found = raw[at];
    return found ? [rest.slice(found.start, found.end)] : [];
  });
}
