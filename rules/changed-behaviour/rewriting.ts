import type { Argument } from "../../grammar/ast.js";
import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import { rewriteWords } from "../../src/project/rewrite-words.js";
import type { Scope } from "../../src/project/scope.js";
import { replacement } from "../../src/text/edits.js";
import { type Behaviour, fixed, shared } from "./behaviour.js";
import { mayHoldBlank } from "./groups.js";

/** What the server has decoded, or a client writes with blanks as a matter of course. */
const decoded = /%\{(?:REQUEST_URI|REQUEST_FILENAME|SCRIPT_FILENAME|PATH_INFO|HTTP_USER_AGENT)\}/i;

/** Blanks and control characters that a rule puts into a query string as they come. */
const queries: Behaviour = {
  names: ["rewriterule"],
  look(line, scope) {
    const [pattern, target, flags] = rewriteWords(line.argumentText) ?? [];
    if (pattern === undefined || target === undefined) return undefined;
    const { path, query } = partsOf(target.value);
    const says = flagsOf(flags);
    if (isSentAway(path, says) || says.has("f") || says.has("g")) return undefined;
    const isRaw = (text: string) => rawIn(text, pattern.value, line, scope);
    const taken = isRaw(query);
    const isReference = taken !== undefined && !taken.includes("{");
    if (taken === undefined || (isReference && escapesBlanks(says))) return undefined;
    const isFlagEnough = isReference && isRaw(path) === undefined;
    const log = scope.inHtaccess || !["server", "virtualhost"].includes(scope.place) ? "AH10411" : "AH10410";
    const all = /[$%]\d/.test(path) ? "" : ", or `B` to have all escaped that means something there";
    const cure = isFlagEnough
      ? `write the flag \`BCTLS\` (2.4.57) to have these alone escaped${all}`
      : `write \`RewriteMap esc int:escape\` for the server, and here \`\${esc:${taken}}\``;
    const message = `2.4 answers 403 (${log}, since 2.4.56) where what ${quoted(taken)} puts into the query string has a blank or a control character in it, as of a path with \`%20\`, which 2.2 handed on; ${cure}`;
    return {
      severity: "warning",
      ...shared(`query ${log} ${isFlagEnough ? all : taken}`, message),
      ...fixed("Escape blanks and control characters", isFlagEnough ? flagged(line, target, flags) : undefined),
    };
  },
};

/** A substitution at its first `?`, without what is no reference: escaped characters, and what maps give. */
function partsOf(text: string): { readonly path: string; readonly query: string } {
  const bare = text.replace(/\\./gs, "").replace(/\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, "");
  const [path = "", query = ""] = bare.split(/\?(.*)/s);
  return { path, query };
}

const shortNames: Readonly<Record<string, string>> = {
  backrefescaping: "b",
  forbidden: "f",
  gone: "g",
  noescape: "ne",
  proxy: "p",
  redirect: "r",
};

/** Flags by their short names in lower case. */
function flagsOf(word: Argument | undefined): ReadonlyMap<string, string> {
  const flags = (word?.value ?? "").replace(/^\[|\]$/g, "").split(",");
  return new Map(
    flags.map((flag) => {
      const [, name = "", value = ""] = /^\s*([^=]*)=?(.*)$/s.exec(flag.trimEnd()) ?? [];
      const key = name.trim().toLowerCase();
      return [shortNames[key] ?? key, value] as const;
    }),
  );
}

/** A redirection is escaped as a whole. */
function isSentAway(path: string, flags: ReadonlyMap<string, string>): boolean {
  if (flags.has("p") || flags.has("ne")) return false;
  return flags.has("r") || /^https?:\/\//i.test(path);
}

function escapesBlanks(flags: ReadonlyMap<string, string>): boolean {
  const only = flags.get("b");
  const isEscaped = flags.has("bctls") || (only !== undefined && (only === "" || only.includes(" ")));
  return isEscaped && !flags.get("bne")?.includes(" ");
}

/** The first reference of a text that may stand for a blank. */
function rawIn(text: string, pattern: string, line: Directive, scope: Scope): string | undefined {
  const ofRule = (group: number) => !pattern.startsWith("!") && mayHoldBlank(pattern, group);
  for (const [reference] of text.matchAll(/[$%]\d|%\{\w+\}/g)) {
    const group = Number(reference.slice(1));
    if (reference.startsWith("$") ? ofRule(group) : decoded.test(reference)) return reference;
    if (/^%\d/.test(reference) && ofCondition(group, line, scope, ofRule)) return reference;
  }
  return undefined;
}

/** Whether a group of the last condition that has any may hold a blank. */
function ofCondition(group: number, line: Directive, scope: Scope, ofRule: (group: number) => boolean): boolean {
  const before = scope.directives.slice(0, scope.directives.indexOf(line));
  for (const { key, argumentText } of before.reverse()) {
    if (key !== "rewritecond") return false;
    const [text, pattern] = rewriteWords(argumentText) ?? [];
    if (text === undefined || pattern === undefined || /^(?:!|-|[<>=])|^expr$/i.test(pattern.value)) continue;
    const fromRule = [...text.value.matchAll(/\$(\d)/g)].some(([, number]) => ofRule(Number(number)));
    return (fromRule || decoded.test(text.value)) && mayHoldBlank(pattern.value, group);
  }
  return false;
}

function flagged(line: Directive, target: Argument, flags: Argument | undefined) {
  const at = flags ? line.argumentText.indexOf("[", flags.start) + 1 : target.end;
  return replacement(line.spanOf({ start: at, end: at }), flags ? "BCTLS," : " [BCTLS]");
}

export const rewritingBehaviours: readonly Behaviour[] = [queries];
