import type { Directive } from "../project/directive.js";
import type { Scope } from "../project/scope.js";
import { allOrNone, type Edit, indentOf, lineRemoval, linesBefore, replacement } from "../text/edits.js";
import { providerExpression } from "./filter-provider.js";
import { plainOptions } from "./options.js";
import type { Fault } from "./refusal.js";

/** What to write so that the server takes a line as 2.2 did; only where there is one right answer. */
export interface Cure {
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A cure before it is seen whether the text is where it seems to be. */
interface Change {
  readonly title: string;
  readonly edits: readonly (Edit | undefined)[];
}

/** By the directive's lower-case name. */
const changes: ReadonlyMap<string, (directive: Directive, fault: Fault, scope: Scope) => Change | undefined> = new Map([
  ["authgroupfile", withoutStandard],
  ["authuserfile", withoutStandard],
  ["charsetoptions", withoutDebugLevel],
  ["extfilteroptions", withoutDebugLevel],
  ["filterprovider", asExpression],
  ["keepalive", onOrOff],
  ["listen", once],
  ["options", withoutSigns],
  ["require", inLowerCase],
  ["sslsessioncache", inSharedMemory],
]);

/** How to cure a line that the server refuses; undefined where that takes somebody who knows what is meant. */
export function cureOf(directive: Directive, fault: Fault, scope: Scope): Cure | undefined {
  const change = changes.get(directive.key)?.(directive, fault, scope);
  return change && certain(change);
}

/** Puts a comment behind a directive on a line of its own. @param start where it starts */
export function commentCure(directive: Directive, start: number): Cure | undefined {
  const { span } = directive;
  const comment = span.file.text.slice(start, span.end);
  if (comment.includes("\n") || directive.children !== undefined) return undefined;
  const blanks = indentOf({ ...span, start }).length;
  const edits = [
    linesBefore(span, [`${indentOf(span)}${comment}`]),
    replacement({ ...span, start: start - blanks }, ""),
  ];
  return certain({ title: "Put the comment on a line of its own", edits });
}

function certain({ title, edits }: Change): Cure | undefined {
  const there = allOrNone(edits);
  return there && { title, edits: there };
}

/** 2.2 knew one type of file, whose name might stand behind it. */
function withoutStandard(directive: Directive): Change | undefined {
  const [file, type, more] = directive.arguments;
  if (file === undefined || type?.value !== "standard" || more) return undefined;
  const from = directive.spanOf(file).end;
  return { title: "Take `standard` out", edits: [replacement({ ...directive.span, start: from }, "")] };
}

/** What is logged is said by LogLevel now. */
function withoutDebugLevel(directive: Directive): Change | undefined {
  const words = directive.arguments;
  const levels = words.filter(({ value }) => /^DebugLevel=/i.test(value));
  if (levels.length === 0) return undefined;
  if (levels.length === words.length) return { title: "Take the line out", edits: [lineRemoval(directive.span)] };
  const edits = levels.map((word) => {
    const span = directive.spanOf(word);
    return replacement({ ...span, start: span.start - indentOf(span).length }, "");
  });
  return { title: "Take `DebugLevel` out", edits };
}

function asExpression(directive: Directive): Change | undefined {
  const [, , dispatch, match, more] = directive.arguments;
  const expression = dispatch && match && !more ? providerExpression(dispatch.value, match.value) : undefined;
  if (expression === undefined || dispatch === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(dispatch).start };
  return { title: "Write the condition as an expression", edits: [replacement(span, `"${expression}"`)] };
}

/** To 2.2 everything was On but `off` and `0` (modules/http/http_core.c `set_keep_alive`). */
function onOrOff(directive: Directive): Change | undefined {
  const [word, more] = directive.arguments;
  if (word === undefined || more) return undefined;
  const meant = word.value === "0" ? "Off" : "On";
  return { title: `Write \`${meant}\``, edits: [replacement(directive.spanOf(word), meant)] };
}

function once(directive: Directive, { server }: Fault): Change | undefined {
  // A protocol behind the address may be what the second line is there for.
  const isPlain = directive.arguments.length === 1;
  if (server !== "Cannot define multiple Listeners on the same IP:port" || !isPlain) return undefined;
  return { title: "Take the second line out", edits: [lineRemoval(directive.span)] };
}

function withoutSigns(directive: Directive, { server }: Fault, scope: Scope): Change | undefined {
  const isAlone = scope.place !== "unknown" && scope.directives.filter(({ key }) => key === "options").length === 1;
  if (!isAlone || !server.startsWith("Either all Options must start with")) return undefined;
  const words = directive.arguments;
  const options = plainOptions(words.map(({ value }) => value));
  const [first] = words;
  if (options === undefined || first === undefined) return undefined;
  const span = { ...directive.span, start: directive.spanOf(first).start };
  return { title: `Write \`Options ${options}\``, edits: [replacement(span, options)] };
}

function inLowerCase(_: Directive, { lowerCase, span }: Fault): Change | undefined {
  return lowerCase === undefined
    ? undefined
    : { title: `Write \`${lowerCase}\``, edits: [replacement(span, lowerCase)] };
}

/** `shm:` and `shmht:` were the same to 2.2 as `shmcb:` (modules/ssl/ssl_engine_config.c `ssl_cmd_SSLSessionCache`). */
function inSharedMemory(directive: Directive): Change | undefined {
  const [word] = directive.arguments;
  const kind = /^(?:shm|shmht)(?=:.)/.exec(word?.value ?? "")?.[0];
  if (word === undefined || kind === undefined || word.quote !== "none") return undefined;
  const { start, ...rest } = directive.spanOf(word);
  return { title: "Write `shmcb:`", edits: [replacement({ ...rest, start, end: start + kind.length }, "shmcb")] };
}
