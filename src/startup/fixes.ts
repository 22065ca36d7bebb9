import type { Directive } from "../config/model/directive.js";
import type { Scope } from "../config/model/scope.js";
import { resolveMixedOptions } from "../config/queries/mixed-options.js";
import type { Refusal } from "../config/refusals/refusal.js";
import { toCommentBefore } from "../text/comments.js";
import { combineEdits, type Edit, indentOf, insertLinesBefore, removeLines, replaceSpan } from "../text/edits.js";

/**
 * A replacement with which the server accepts a line with its meaning in 2.2; exists only if there is one correct
 * answer.
 */
export interface DirectiveFix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A fix before its text is located in the file. */
interface ProposedFix {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** By lower-case directive name. */
const fixesByDirective: ReadonlyMap<
  string,
  (directive: Directive, fault: Refusal, scope: Scope) => ProposedFix | undefined
> = new Map([
  ["authgroupfile", withoutStandard],
  ["authuserfile", withoutStandard],
  ["charsetoptions", withoutDebugLevel],
  ["extfilteroptions", withoutDebugLevel],
  ["filterprovider", asExpression],
  ["keepalive", toOnOff],
  ["listen", removeDuplicates],
  ["options", withoutSigns],
  ["require", toLowerCase],
  ["sslsessioncache", toSharedMemory],
]);

/** Returns the fix for a line that the server rejects; undefined if it requires knowledge of the intended meaning. */
export function buildDirectiveFix(directive: Directive, fault: Refusal, scope: Scope): DirectiveFix | undefined {
  const change = fixesByDirective.get(directive.key)?.(directive, fault, scope);
  return change && verifyFix(change);
}

/** Returns a fix that moves a comment after a directive to a line of its own. @param start the start of the comment */
export function buildCommentFix(directive: Directive, start: number): DirectiveFix | undefined {
  const { span } = directive;
  const comment = span.file.text.slice(start, span.end);
  if (comment.includes("\n") || directive.children !== undefined) return undefined;
  const blanks = indentOf({ ...span, start }).length;
  const edits = [
    insertLinesBefore(span, [`${indentOf(span)}${toCommentBefore(comment)}`]),
    replaceSpan({ ...span, start: start - blanks }, ""),
  ];
  return verifyFix({ title: "Move the comment to its own line", edits });
}

function verifyFix({ title, edits }: ProposedFix): DirectiveFix | undefined {
  const there = combineEdits(edits);
  return there && { title, edits: there };
}

/** 2.2 had one type of file, whose name could follow it. */
function withoutStandard(directive: Directive): ProposedFix | undefined {
  const [file, type, more] = directive.arguments;
  if (file === undefined || type?.value !== "standard" || more) return undefined;
  const from = directive.spanOf(file).end;
  return { title: "Delete `standard`", edits: [replaceSpan({ ...directive.span, start: from }, "")] };
}

/** LogLevel now controls the log output. */
function withoutDebugLevel(directive: Directive): ProposedFix | undefined {
  const words = directive.arguments;
  const levels = words.filter(({ value }) => /^DebugLevel=/i.test(value));
  if (levels.length === 0) return undefined;
  if (levels.length === words.length) return { title: "Delete this line", edits: [removeLines(directive.span)] };
  const edits = levels.map((word) => {
    const span = directive.spanOf(word);
    return replaceSpan({ ...span, start: span.start - indentOf(span).length }, "");
  });
  return { title: "Delete `DebugLevel`", edits };
}

function asExpression(directive: Directive): ProposedFix | undefined {
  const [, , dispatch, match, more] = directive.arguments;
  const expression = dispatch && match && !more ? buildProviderExpression(dispatch.value, match.value) : undefined;
  if (expression === undefined || dispatch === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(dispatch).start };
  return { title: "Replace with an expression", edits: [replaceSpan(span, `"${expression}"`)] };
}

/** In 2.2 everything was On except `off` and `0` (modules/http/http_core.c `set_keep_alive`). */
function toOnOff(directive: Directive): ProposedFix | undefined {
  const [word, more] = directive.arguments;
  if (word === undefined || more) return undefined;
  const replacement = word.value === "0" ? "Off" : "On";
  return { title: `Replace with \`${replacement}\``, edits: [replaceSpan(directive.spanOf(word), replacement)] };
}

function removeDuplicates(directive: Directive, { code }: Refusal): ProposedFix | undefined {
  // A protocol after the address may be the purpose of the second line.
  const isPlain = directive.arguments.length === 1;
  if (code !== "duplicate-listen" || !isPlain) return undefined;
  return { title: "Delete the second line", edits: [removeLines(directive.span)] };
}

function withoutSigns(directive: Directive, { code }: Refusal, scope: Scope): ProposedFix | undefined {
  const isOnlyLine = scope.place !== "unknown" && scope.directives.filter(({ key }) => key === "options").length === 1;
  if (!isOnlyLine || code !== "mixed-option-signs") return undefined;
  const words = directive.arguments;
  const options = resolveMixedOptions(words.map(({ value }) => value));
  const [first] = words;
  if (options === undefined || first === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(first).start };
  return { title: `Replace with \`Options ${options}\``, edits: [replaceSpan(span, options)] };
}

function toLowerCase(_: Directive, { lowerCase, span }: Refusal): ProposedFix | undefined {
  return lowerCase === undefined
    ? undefined
    : { title: `Replace with \`${lowerCase}\``, edits: [replaceSpan(span, lowerCase)] };
}

/**
 * In 2.2 `shm:` and `shmht:` were equivalent to `shmcb:` (modules/ssl/ssl_engine_config.c `ssl_cmd_SSLSessionCache`).
 */
function toSharedMemory(directive: Directive): ProposedFix | undefined {
  const [word] = directive.arguments;
  const kind = /^(?:shm|shmht)(?=:.)/.exec(word?.value ?? "")?.[0];
  if (word === undefined || kind === undefined || word.quote !== "none") return undefined;
  const { start, ...rest } = directive.spanOf(word);
  return {
    title: "Replace with `shmcb:`",
    edits: [replaceSpan({ ...rest, start, end: start + kind.length }, "shmcb")],
  };
}

/** Returns the expression for the subject of a 2.2 FilterProvider, from the text before the `=`, if any. */
function dispatchSubject(dispatch: string): string | undefined {
  const [, from = "", name = ""] = /^(?:(env|req|resp)=)?([\w-]+)$/i.exec(dispatch) ?? [];
  if (name === "") return undefined;
  const source = from.toLowerCase();
  if (source === "env") return `%{reqenv:${name}}`;
  if (source === "req") return `%{req:${name}}`;
  if (source === "" && /^handler$/i.test(name)) return "%{HANDLER}";
  return /^content-type$/i.test(name) ? "%{CONTENT_TYPE}" : `%{resp:${name}}`;
}

/** Returns the test of the subject; undefined if an expression cannot express it. */
function dispatchTest(subject: string, match: string): string | undefined {
  if (match === "*") return `-n ${subject}`;
  const number = /^(>=?)([1-9]\d*)$/.exec(match);
  if (number) return `${subject} ${number[1] === ">" ? "-gt" : "-ge"} ${number[2]}`;
  const [, pattern, flag = ""] = /^\/(.*)\/(i?)$/.exec(match) ?? [];
  // A quote, a backslash or the delimiter would need another notation.
  if (pattern !== undefined) return /["\\#]/.test(pattern) ? undefined : `${subject} =~ m#${pattern}#${flag}`;
  if (/^\$[\w/;+-]+$/.test(match)) return `${subject} =~ m#${escapeQuotes(match.slice(1))}#i`;
  return /^[\w/;+-]+$/.test(match) ? `${subject} =~ m#^${escapeQuotes(match)}$#i` : undefined;
}

function escapeQuotes(text: string): string {
  return text.replaceAll("+", "[+]");
}

/**
 * Returns the 2.4 expression for the dispatch subject and match of a 2.2 FilterProvider (modules/filters/mod_filter.c
 * of 2.2); undefined if there is no equivalent.
 */
function buildProviderExpression(dispatch: string, match: string): string | undefined {
  const subject = dispatchSubject(dispatch);
  if (subject === undefined) return undefined;
  const isNegated = match.startsWith("!");
  const test = dispatchTest(subject, isNegated ? match.slice(1) : match);
  return test === undefined || !isNegated ? test : `!(${test})`;
}
