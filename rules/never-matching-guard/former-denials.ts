import { type Guard, isBefore, iterateDescendants, type Project } from "../../src/lint/api/configuration.js";
import type { Span } from "../../src/lint/api/rule.js";

/** A conditional section that only 2.2 reads, with denials that 2.4 has no counterpart of. */
export interface FormerDenial {
  readonly guard: Guard;
  /** Whether it denies every client. */
  readonly deniesAll: boolean;
}

const accessNames: ReadonlySet<string> = new Set([
  ...["order", "allow", "deny", "satisfy", "require", "<requireall", "<requireany", "<requirenone"],
]);

/** Finds conditional sections for 2.2 with `Deny` lines in files that have no access lines that 2.4 reads. */
export function findFormerDenials({ guards, directives, htaccess, release }: Project): readonly FormerDenial[] {
  if (isBefore(release, "2.4") || !guards.some(isFor22)) return [];
  const restricted = new Set<Span["file"]>();
  for (const list of [directives, ...htaccess.map((each) => each.directives)])
    for (const { key, span } of iterateDescendants(list)) if (accessNames.has(key)) restricted.add(span.file);
  // The section for 2.4 may have an Include with its lines.
  const hasCounterpart = (guard: Guard) => guards.some((each) => each.span.file === guard.span.file && isFor24(each));
  return guards.filter(isFor22).flatMap((guard) => {
    if (restricted.has(guard.span.file) || hasCounterpart(guard)) return [];
    const text = contentOf(guard);
    if (!/^[ \t]*deny[ \t]+from\b/im.test(text)) return [];
    const deniesAll = /^[ \t]*deny[ \t]+from[ \t]+all\b/im.test(text) && !/^[ \t]*(?:allow|satisfy)\b/im.test(text);
    return [{ guard, deniesAll }];
  });
}

function isOnCore({ kind, argument }: Guard): boolean {
  return kind === "<ifmodule" && /^(?:mod_authz_core\.c|authz_core_module)$/.test(argument);
}

/** Reports whether 2.2 reads a section, and 2.4 does not. */
function isFor22(guard: Guard): boolean {
  if (guard.holds || guard.isUndecided) return false;
  if (isOnCore(guard)) return guard.negated;
  return guard.kind === "<ifversion" && !guard.negated && /^(?:<\s*2\.[34]|<=\s*2\.2)\b/.test(guard.argument);
}

function isFor24(guard: Guard): boolean {
  return guard.holds && (isOnCore(guard) || guard.kind === "<ifversion");
}

/** Returns the text of a section, up to its closing tag. */
function contentOf({ span: { file, end } }: Guard): string {
  const rest = file.text.slice(end);
  let depth = 1;
  for (const tag of rest.matchAll(/^[ \t]*<(\/?)if(?:module|version|define|file|directive|section)\b/gim)) {
    depth += tag[1] === "/" ? -1 : 1;
    if (depth === 0) return rest.slice(0, tag.index);
  }
  return rest;
}
