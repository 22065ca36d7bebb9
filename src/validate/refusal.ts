import type { Directive } from "../project/model/directive.js";
import { formatProblem, type Related } from "../project/model/problems.js";
import type { Project } from "../project/model/project.js";
import type { Scope, SectionContext } from "../project/model/scope.js";
import { type Span, toReadable } from "../text/source.js";
import { buildCommentFix, buildDirectiveFix, type DirectiveFix } from "./fixes.js";
import type { ReaderState } from "./reader-state.js";

/** Something that keeps the server from starting, or makes every request below a `.htaccess` file answer 500. */
export interface Refusal {
  /** What the server says, in its own words. */
  readonly server: string;
  /** The number of its message: AH00526 comes with the directive's file and line, AH01624 without. */
  readonly code: "AH00526" | "AH01624";
  /** One line for the operator. */
  readonly message: string;
  /** The directive that the server names. */
  readonly directive: Directive;
  /** The words at fault. */
  readonly span: Span;
  readonly related: readonly Related[];
  /** Every request below the file answers 500; else the server does not start. */
  readonly inHtaccess: boolean;
  /** The module that is not loaded, where that is the cause. */
  readonly missing?: string;
  readonly cure?: DirectiveFix;
  /** When the server says it: at the line, at the end of the section that it opens, or when all files are read. */
  readonly when: "opening" | "closing" | "last";
}

/** A refusal before it is put in words. */
export interface CheckFailure {
  readonly server: string;
  readonly code?: "AH01624";
  /** What is wrong, as a clause. */
  readonly wrong: string;
  /** What to do, as a clause. */
  readonly remedy: string;
  readonly span: Span;
  readonly related?: readonly Related[];
  /** The module that is not loaded, where that is the cause. */
  readonly missing?: string;
  /** The word that is meant, which the span has in another case. */
  readonly lowerCase?: string;
  /** Said only when the section that the line opens has been read. */
  readonly when?: "closing";
}

/** Puts a fault in words: what is wrong, what comes of it, what to do, and what the server says. */
export function buildRefusal(directive: Directive, fault: CheckFailure, scope: Scope, when: Refusal["when"]): Refusal {
  const { inHtaccess } = scope;
  const comment = commentFailure(directive, fault);
  const { wrong, remedy, span } = comment ?? fault;
  const cure = comment ? buildCommentFix(directive, comment.span.start) : buildDirectiveFix(directive, fault, scope);
  const server = toReadable(fault.server).replaceAll("\n", "\\n");
  return {
    server,
    code: fault.code ?? "AH00526",
    message: formatProblem({ problem: wrong, remedy, server }, inHtaccess),
    directive,
    span,
    related: fault.related ?? [],
    inHtaccess,
    when,
    ...(fault.missing === undefined ? {} : { missing: fault.missing }),
    ...(cure ? { cure } : {}),
  };
}

/** The advice for words behind a `#`, where that is what the server stumbles over. */
function commentFailure(
  directive: Directive,
  { span }: CheckFailure,
): Pick<CheckFailure, "wrong" | "remedy" | "span"> | undefined {
  const comment = directive.arguments.find(
    (word, index) => index > 0 && /^#/.test(word.value) && word.quote === "none",
  );
  if (comment === undefined) return undefined;
  const whole = directive.span;
  const { start } = directive.spanOf(comment);
  const isWhole = span.start === whole.start && span.end === whole.end;
  if (!isWhole && (comment.value === "#" ? span.start < start : span.start !== start)) return undefined;
  return {
    wrong: "a comment behind a directive is read as part of it",
    remedy: "put the comment on a line of its own",
    span: { ...whole, start },
  };
}

/** What there is to know of a directive beside its words. */
export interface CheckContext {
  readonly project: Project;
  readonly state: ReaderState;
  readonly standing: SectionContext;
}

/** Looks at the words of a directive whose number is right; undefined where the server takes them. */
export type DirectiveCheck = (directive: Directive, look: CheckContext) => CheckFailure | undefined;

/** Runs checks one after the other, as the server does. */
export function runInTurn(...checks: readonly DirectiveCheck[]): DirectiveCheck {
  return (directive, look) => {
    for (const check of checks) {
      const fault = check(directive, look);
      if (fault) return fault;
    }
    return undefined;
  };
}
