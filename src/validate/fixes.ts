import type { Directive } from "../project/model/directive.js";
import type { Scope } from "../project/model/scope.js";
import { combineEdits, type Edit, indentOf, insertLinesBefore, removeLines, replaceSpan } from "../text/edits.js";
import { resolveMixedOptions } from "./directives/options.js";
import type { CheckFailure } from "./refusal.js";

/** What to write so that the server takes a line as 2.2 did; only where there is one right answer. */
export interface DirectiveFix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A cure before it is seen whether the text is where it seems to be. */
interface ProposedFix {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** By the directive's lower-case name. */
const fixesByDirective: ReadonlyMap<
  string,
  (directive: Directive, fault: CheckFailure, scope: Scope) => ProposedFix | undefined
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

/** How to cure a line that the server refuses; undefined where that takes somebody who knows what is meant. */
export function buildDirectiveFix(directive: Directive, fault: CheckFailure, scope: Scope): DirectiveFix | undefined {
  const change = fixesByDirective.get(directive.key)?.(directive, fault, scope);
  return change && verifyFix(change);
}

/** Puts a comment behind a directive on a line of its own. @param start where it starts */
export function buildCommentFix(directive: Directive, start: number): DirectiveFix | undefined {
  const { span } = directive;
  const comment = span.file.text.slice(start, span.end);
  if (comment.includes("\n") || directive.children !== undefined) return undefined;
  const blanks = indentOf({ ...span, start }).length;
  const edits = [
    insertLinesBefore(span, [`${indentOf(span)}${comment}`]),
    replaceSpan({ ...span, start: start - blanks }, ""),
  ];
  return verifyFix({ title: "Put the comment on a line of its own", edits });
}

function verifyFix({ title, edits }: ProposedFix): DirectiveFix | undefined {
  const there = combineEdits(edits);
  return there && { title, edits: there };
}

/** 2.2 knew one type of file, whose name might stand behind it. */
function withoutStandard(directive: Directive): ProposedFix | undefined {
  const [file, type, more] = directive.arguments;
  if (file === undefined || type?.value !== "standard" || more) return undefined;
  const from = directive.spanOf(file).end;
  return { title: "Take `standard` out", edits: [replaceSpan({ ...directive.span, start: from }, "")] };
}

/** What is logged is said by LogLevel now. */
function withoutDebugLevel(directive: Directive): ProposedFix | undefined {
  const words = directive.arguments;
  const levels = words.filter(({ value }) => /^DebugLevel=/i.test(value));
  if (levels.length === 0) return undefined;
  if (levels.length === words.length) return { title: "Take the line out", edits: [removeLines(directive.span)] };
  const edits = levels.map((word) => {
    const span = directive.spanOf(word);
    return replaceSpan({ ...span, start: span.start - indentOf(span).length }, "");
  });
  return { title: "Take `DebugLevel` out", edits };
}

function asExpression(directive: Directive): ProposedFix | undefined {
  const [, , dispatch, match, more] = directive.arguments;
  const expression = dispatch && match && !more ? buildProviderExpression(dispatch.value, match.value) : undefined;
  if (expression === undefined || dispatch === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(dispatch).start };
  return { title: "Write the condition as an expression", edits: [replaceSpan(span, `"${expression}"`)] };
}

/** To 2.2 everything was On but `off` and `0` (modules/http/http_core.c `set_keep_alive`). */
function toOnOff(directive: Directive): ProposedFix | undefined {
  const [word, more] = directive.arguments;
  if (word === undefined || more) return undefined;
  const meant = word.value === "0" ? "Off" : "On";
  return { title: `Write \`${meant}\``, edits: [replaceSpan(directive.spanOf(word), meant)] };
}

function removeDuplicates(directive: Directive, { server }: CheckFailure): ProposedFix | undefined {
  // A protocol behind the address may be what the second line is there for.
  const isPlain = directive.arguments.length === 1;
  if (server !== "Cannot define multiple Listeners on the same IP:port" || !isPlain) return undefined;
  return { title: "Take the second line out", edits: [removeLines(directive.span)] };
}

function withoutSigns(directive: Directive, { server }: CheckFailure, scope: Scope): ProposedFix | undefined {
  const isAlone = scope.place !== "unknown" && scope.directives.filter(({ key }) => key === "options").length === 1;
  if (!isAlone || !server.startsWith("Either all Options must start with")) return undefined;
  const words = directive.arguments;
  const options = resolveMixedOptions(words.map(({ value }) => value));
  const [first] = words;
  if (options === undefined || first === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(first).start };
  return { title: `Write \`Options ${options}\``, edits: [replaceSpan(span, options)] };
}

function toLowerCase(_: Directive, { lowerCase, span }: CheckFailure): ProposedFix | undefined {
  return lowerCase === undefined
    ? undefined
    : { title: `Write \`${lowerCase}\``, edits: [replaceSpan(span, lowerCase)] };
}

/** `shm:` and `shmht:` were the same to 2.2 as `shmcb:` (modules/ssl/ssl_engine_config.c `ssl_cmd_SSLSessionCache`). */
function toSharedMemory(directive: Directive): ProposedFix | undefined {
  const [word] = directive.arguments;
  const kind = /^(?:shm|shmht)(?=:.)/.exec(word?.value ?? "")?.[0];
  if (word === undefined || kind === undefined || word.quote !== "none") return undefined;
  const { start, ...rest } = directive.spanOf(word);
  return { title: "Write `shmcb:`", edits: [replaceSpan({ ...rest, start, end: start + kind.length }, "shmcb")] };
}

/** What a FilterProvider of 2.2 looks at, in words of an expression: by what stands before the `=`, if anything does. */
function dispatchSubject(dispatch: string): string | undefined {
  const [, from = "", name = ""] = /^(?:(env|req|resp)=)?([\w-]+)$/i.exec(dispatch) ?? [];
  if (name === "") return undefined;
  const source = from.toLowerCase();
  if (source === "env") return `%{reqenv:${name}}`;
  if (source === "req") return `%{req:${name}}`;
  if (source === "" && /^handler$/i.test(name)) return "%{HANDLER}";
  return /^content-type$/i.test(name) ? "%{CONTENT_TYPE}" : `%{resp:${name}}`;
}

/** How it looks; undefined where an expression cannot say the same. */
function dispatchTest(subject: string, match: string): string | undefined {
  if (match === "*") return `-n ${subject}`;
  const number = /^(>=?)([1-9]\d*)$/.exec(match);
  if (number) return `${subject} ${number[1] === ">" ? "-gt" : "-ge"} ${number[2]}`;
  const [, pattern, flag = ""] = /^\/(.*)\/(i?)$/.exec(match) ?? [];
  // A quote, a backslash or the delimiter would have to be written otherwise.
  if (pattern !== undefined) return /["\\#]/.test(pattern) ? undefined : `${subject} =~ m#${pattern}#${flag}`;
  if (/^\$[\w/;+-]+$/.test(match)) return `${subject} =~ m#${escapeQuotes(match.slice(1))}#i`;
  return /^[\w/;+-]+$/.test(match) ? `${subject} =~ m#^${escapeQuotes(match)}$#i` : undefined;
}

function escapeQuotes(text: string): string {
  return text.replaceAll("+", "[+]");
}

/**
 * The expression that 2.4 takes in place of what a FilterProvider of 2.2 is dispatched on and what that must match
 * (modules/filters/mod_filter.c of 2.2); undefined where there is none that says the same.
 */
function buildProviderExpression(dispatch: string, match: string): string | undefined {
  const subject = dispatchSubject(dispatch);
  if (subject === undefined) return undefined;
  const isNegated = match.startsWith("!");
  const test = dispatchTest(subject, isNegated ? match.slice(1) : match);
  return test === undefined || !isNegated ? test : `!(${test})`;
}
