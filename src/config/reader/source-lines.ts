import type { Span } from "../../text/source.js";
import type { Directive } from "../model/directive.js";
import { isExpansion } from "./macros.js";

/** Returns the source location of a line: in the macro definition if a macro inserted it. */
export function sourceLineOf({ file, start, end }: Span): Span {
  if (!isExpansion(file)) return { file, start, end };
  const number = file.text.slice(0, start).split("\n").length - 1;
  const origin = file.origins[number];
  return origin ? sourceLineOf(origin) : { file, start, end };
}

/** Returns the text after a directive's name in the source, with variables and macro parameters. */
export function sourceArgumentsOf(directive: Directive): string {
  const { file, start, end } = sourceLineOf(directive.span);
  const text = file.text.slice(start, end).replace(/\\\r?\n/g, " ");
  return text.replace(/^\S+\s*/, "").trim();
}
