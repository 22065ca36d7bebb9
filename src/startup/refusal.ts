import type { Directive } from "../config/model/directive.js";
import type { Project, RefusedLine } from "../config/model/project.js";
import type { Scope, SectionContext } from "../config/model/scope.js";
import { type Refusal, wordingOf } from "../config/refusals/refusal.js";
import { type Span, toReadable } from "../text/source.js";
import { buildCommentFix, buildDirectiveFix, type DirectiveFix } from "./fixes.js";
import type { ReaderState } from "./reader-state.js";

/**
 * A refused directive: an error that prevents the server from starting, or makes every request below a `.htaccess` file
 * return 500.
 */
export interface RefusedDirective extends RefusedLine {
  readonly inHtaccess: boolean;
  readonly cure?: DirectiveFix;
  /** The time of the server's message: at the line, at the end of the section that it opens, or after all files. */
  readonly time: "opening" | "closing" | "last";
}

/** Completes the refusal of a directive by its fix. */
export function buildRefusedDirective(
  directive: Directive,
  refusal: Refusal,
  scope: Scope,
  time: RefusedDirective["time"],
): RefusedDirective {
  const comment = findComment(directive, refusal);
  const cure = comment ? buildCommentFix(directive, comment.start) : buildDirectiveFix(directive, refusal, scope);
  return {
    ...refusal,
    ...(comment ? { ...wordingOf("comment-after-directive", textOf(comment)), span: comment } : {}),
    kind: "directive",
    server: toReadable(refusal.server ?? ""),
    directive,
    inHtaccess: scope.inHtaccess,
    time,
    ...(cure ? { cure } : {}),
  };
}

function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end).trimEnd();
}

/** Returns the span of the words after a `#`, if these cause the error. */
function findComment(directive: Directive, { span }: Refusal): Span | undefined {
  const comment = directive.arguments.find(
    (word, index) => index > 0 && /^#/.test(word.value) && word.quote === "none",
  );
  if (comment === undefined) return undefined;
  const whole = directive.span;
  const { start } = directive.spanOf(comment);
  const isWhole = span.start === whole.start && span.end === whole.end;
  if (!isWhole && (comment.value === "#" ? span.start < start : span.start !== start)) return undefined;
  return { ...whole, start };
}

/** The context of a checked directive, in addition to its arguments. */
export interface CheckContext {
  readonly project: Project;
  readonly state: ReaderState;
  readonly sectionContext: SectionContext;
}

/** Checks a directive with a correct number of arguments; returns undefined if the server accepts it. */
export type DirectiveCheck = (directive: Directive, context: CheckContext) => Refusal | undefined;

/** Combines checks that run in order, as in the server. */
export function runInTurn(...checks: readonly DirectiveCheck[]): DirectiveCheck {
  return (directive, context) => {
    for (const check of checks) {
      const fault = check(directive, context);
      if (fault) return fault;
    }
    return undefined;
  };
}
