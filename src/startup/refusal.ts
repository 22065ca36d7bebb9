import type { Directive } from "../config/model/directive.js";
import { describeProblem, formatProblem, type ProblemText, type Related } from "../config/model/problems.js";
import type { Project } from "../config/model/project.js";
import type { Scope, SectionContext } from "../config/model/scope.js";
import { type Span, toReadable } from "../text/source.js";
import { trailingComment } from "./directives/values.js";
import { buildCommentFix, buildDirectiveFix, type DirectiveFix } from "./fixes.js";
import type { ReaderState } from "./reader-state.js";

/** An error that prevents the server from starting, or makes every request below a `.htaccess` file return 500. */
export interface Refusal {
  /** The server's message. */
  readonly server: string;
  /** The number of its message: AH00526 has the directive's file and line, AH01624 does not. */
  readonly code: "AH00526" | "AH01624";
  /** One line for the operator. */
  readonly message: string;
  /** The message in parts. */
  readonly text: ProblemText;
  /** The directive that the server names. */
  readonly directive: Directive;
  /** The span of the invalid words. */
  readonly span: Span;
  readonly related: readonly Related[];
  /** Whether every request below the file returns 500; if not, the server does not start. */
  readonly inHtaccess: boolean;
  /** The module that is not loaded, if that is the cause. */
  readonly missing?: string;
  readonly cure?: DirectiveFix;
  /**
   * The time of the server's message: at the line, at the end of the section that it opens, or after all files are
   * read.
   */
  readonly when: "opening" | "closing" | "last";
}

/** The parts of a rejection message. */
export interface CheckFailure {
  readonly server: string;
  readonly code?: "AH01624";
  /** The header: the problem, as a clause. */
  readonly wrong: string;
  /** Further facts, one clause each. */
  readonly facts?: readonly string[];
  /** The remedy, as an imperative clause. */
  readonly remedy: string;
  readonly span: Span;
  readonly related?: readonly Related[];
  /** The module that is not loaded, if that is the cause. */
  readonly missing?: string;
  /** The intended word, if the span has it in another case. */
  readonly lowerCase?: string;
  /** Present if reported only after the section that the line opens. */
  readonly when?: "closing";
}

/** Renders a fault: the problem, the consequence, the remedy and the server's message. */
export function buildRefusal(directive: Directive, fault: CheckFailure, scope: Scope, when: Refusal["when"]): Refusal {
  const { inHtaccess } = scope;
  const comment = commentFailure(directive, fault);
  const { wrong, facts = [], remedy, span } = comment ?? fault;
  const cure = comment ? buildCommentFix(directive, comment.span.start) : buildDirectiveFix(directive, fault, scope);
  const server = toReadable(fault.server).replaceAll("\n", "\\n");
  const description = { problem: wrong, facts, remedy, server };
  return {
    server,
    code: fault.code ?? "AH00526",
    message: formatProblem(description, inHtaccess),
    text: describeProblem(description, inHtaccess),
    directive,
    span,
    related: fault.related ?? [],
    inHtaccess,
    when,
    ...(fault.missing === undefined ? {} : { missing: fault.missing }),
    ...(cure ? { cure } : {}),
  };
}

/** Returns the advice for words after a `#`, if these cause the error. */
function commentFailure(
  directive: Directive,
  { span }: CheckFailure,
): Pick<CheckFailure, "wrong" | "facts" | "remedy" | "span"> | undefined {
  const comment = directive.arguments.find(
    (word, index) => index > 0 && /^#/.test(word.value) && word.quote === "none",
  );
  if (comment === undefined) return undefined;
  const whole = directive.span;
  const { start } = directive.spanOf(comment);
  const isWhole = span.start === whole.start && span.end === whole.end;
  if (!isWhole && (comment.value === "#" ? span.start < start : span.start !== start)) return undefined;
  return {
    ...trailingComment,
    span: { ...whole, start },
  };
}

/** The context of a checked directive, in addition to its arguments. */
export interface CheckContext {
  readonly project: Project;
  readonly state: ReaderState;
  readonly sectionContext: SectionContext;
}

/** Checks a directive with a correct number of arguments; returns undefined if the server accepts it. */
export type DirectiveCheck = (directive: Directive, context: CheckContext) => CheckFailure | undefined;

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
