import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { type PlacedLine, placedLinesOf } from "../../config/queries/deciding-facts.js";
import { mayShareFacts } from "../../config/queries/line-effects.js";
import { parseHeaderLine } from "../../config/queries/response-headers.js";
import type { Fact } from "../../facts/effects.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { findSuspectName, hasControls } from "../../server/phases/response-headers.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";

/**
 * Reports whether a line may decide that a response header is invalid, which makes 2.4 return 500 (modules/http/http_filters.c
 * `check_headers`): for which requests is not analyzed.
 */
export function decidesInvalidHeader({ line, effects }: PlacedLine, project: Project): boolean {
  // Each text of a line may be a part of a header, such as that of AuthName, AddType or Redirect.
  if (hasControls(line.argumentText)) return true;
  const { lines, read, hasRule } = suspectsOf(project);
  return (
    lines.has(line) ||
    (hasRule && mayRedirect(line)) ||
    (effects !== undefined && read.size > 0 && mayShareFacts(effects.writes, read))
  );
}

/** The lines that may make a header invalid, with those that set the same header, and what they read. */
interface Suspects {
  readonly lines: ReadonlySet<Directive>;
  readonly read: ReadonlySet<Fact>;
  /** Whether a rule is among them: another redirect may answer in its place. */
  readonly hasRule: boolean;
}

const suspectsOf = memoize((project: Project): Suspects => {
  const lines = new Set<Directive>();
  const read = new Set<Fact>();
  const byHeader = new Map<string, PlacedLine[]>();
  for (const placed of placedLinesOf(project)) {
    const { line } = placed;
    if (line.key === "header") getOrCreate(byHeader, parseHeaderLine(line, false).name, () => []).push(placed);
    if (line.key === "rewriterule" && mayReturnPath(line)) lines.add(line);
  }
  const hasRule = lines.size > 0;
  for (const ofHeader of byHeader.values()) {
    if (!ofHeader.some(({ line }) => findSuspectName(line) !== undefined || hasPathVariable(line, project))) continue;
    for (const { line, effects } of ofHeader) {
      lines.add(line);
      for (const fact of effects?.reads ?? []) read.add(fact);
    }
  }
  return { lines, read, hasRule };
});

/** Reports whether a line redirects, or decides whether a rule does. */
function mayRedirect(line: Directive): boolean {
  if (line.key.startsWith("redirect") || line.key === "rewritecond" || line.key === "rewriteengine") return true;
  return line.key === "rewriterule" && isRedirect(line);
}

function isRedirect(line: Directive): boolean {
  const [, target = "", flags = ""] = argumentValuesOf(line);
  return /[[,]\s*(?:r|redirect)\s*[=,\]]/i.test(flags) || /^[a-z][a-z\d+.-]*:\/\//i.test(target);
}

/** Parts of a pattern that match control characters. */
const wideParts = /(?<!\\)\.|\[\^|\\[SDWNH]/;

/** Reports whether a rule copies a part of the decoded path into a cookie, or unescaped into the URL of a redirect. */
function mayReturnPath(line: Directive): boolean {
  const [pattern = "", target = "", flags = ""] = argumentValuesOf(line);
  const copies = (text: string) => /%/.test(text) || (text.includes("$") && wideParts.test(pattern));
  const [, cookie = ""] = /[[,]\s*(?:co|cookie)=([^\]]*)/i.exec(flags) ?? [];
  return copies(cookie) || (isRedirect(line) && /[[,]\s*(?:ne|noescape)\s*[,\]]/i.test(flags) && copies(target));
}

/** Reports whether a header has the value of a variable that may be a part of the decoded path: those of headers are valid. */
function hasPathVariable(line: Directive, project: Project): boolean {
  const names = [...line.argumentText.matchAll(/%\{([^}]+)\}e/g)].map(([, name = ""]) => name.toLowerCase());
  return names.some((name) => pathVariablesOf(project).has(name) || pathVariablesOf(project).has(ANY_NAME));
}

const ANY_NAME = "*";

/** Returns the variables, in lower case, that lines set to a part of the path or to a computed text. */
const pathVariablesOf = memoize((project: Project): ReadonlySet<string> => {
  const names = new Set<string>();
  for (const { line } of placedLinesOf(project)) {
    const words = argumentValuesOf(line);
    if (line.key === "rewriterule")
      for (const [, name = "", value = ""] of (words[2] ?? "").matchAll(/[[,]\s*(?:e|env)=([^:,\]]+):([^,\]]*)/gi))
        if (/[$%]/.test(value)) names.add(/[$%]/.test(name) ? ANY_NAME : name.toLowerCase());
    const isOfPath = line.key === "setenvifexpr" || (line.key.startsWith("setenvif") && words[0] === "Request_URI");
    if (isOfPath)
      for (const [, name = "", value = ""] of words
        .slice(1)
        .join(" ")
        .matchAll(/([\w-]+)=(\S*)/g))
        if (value.includes("$")) names.add(name.toLowerCase());
  }
  return names;
});
