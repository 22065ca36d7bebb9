import { matchGroupsOf } from "../../src/lint/api/access.js";
import type { Directive, RulePlace, Scope } from "../../src/lint/api/configuration.js";
import { expandTarget, findRepetition, mayBeginAlike, type Repetition, samplePathFor } from "./repetition.js";

/** A line of mod_alias that applies to its own target. */
export interface RedirectLoop {
  readonly line: Directive;
  readonly repetition: Repetition;
  /** Whether it applies to all requests of its section, because it has only one path. */
  readonly isForAll: boolean;
}

/** A line of mod_alias. */
interface Redirect {
  readonly line: Directive;
  /** `all`: to one target for each path of the section; `prefix`: for the paths below one, and the rest is kept. */
  readonly kind: "all" | "prefix" | "pattern";
  /** The start of the paths, or the pattern. */
  readonly from: string;
  /** A path of the same host; undefined for another host, and if the response is not a redirect. */
  readonly to: string | undefined;
}

/** Returns the redirects of a scope that apply to their own target. */
export function findRedirectLoops({ directives, section }: Scope, place: RulePlace): readonly RedirectLoop[] {
  const location = section?.key === "<location" ? section.arguments[0]?.value : undefined;
  const root = location ?? (place.isDirectory ? place.base : undefined);
  const redirects = directives.map((line) => readRedirect(line, root)).filter((each) => each !== undefined);
  return redirects.flatMap((redirect) => {
    const { line, kind, from } = redirect;
    if (!mayApplyToTarget(redirect)) return [];
    const start = kind === "pattern" ? samplePathFor(from, true) : from;
    const repetition = findRepetition(start, (path) =>
      findFirst(redirects, path) === redirect ? followOf(redirect, path) : undefined,
    );
    return repetition ? [{ line, repetition, isForAll: kind === "all" }] : [];
  });
}

/** Returns whether a line may apply to its target: most do not. */
function mayApplyToTarget(redirect: Redirect): boolean {
  const { kind, from, to } = redirect;
  if (to === undefined) return false;
  return kind === "pattern" ? mayBeginAlike(from, to) : appliesTo(redirect, to);
}

/** Returns the redirect for a path: those for whole sections come first (modules/mappers/mod_alias.c `fixup_redir`). */
function findFirst(redirects: readonly Redirect[], path: string): Redirect | undefined {
  const last = redirects.findLast(({ kind }) => kind === "all");
  return last && appliesTo(last, path) ? last : redirects.find((each) => each.kind !== "all" && appliesTo(each, path));
}

/** Returns whether a line may apply to a path (`alias_matches`). */
function appliesTo({ from, kind }: Redirect, path: string): boolean {
  if (kind === "pattern") return matchGroupsOf(from, path, false) !== false;
  const rest = path.slice(from.length);
  return path.startsWith(from) && (rest === "" || from.endsWith("/") || rest.startsWith("/"));
}

/** Returns the target for a path; undefined if it is unknown, or not on the same host. */
function followOf({ kind, from, to }: Redirect, path: string): string | undefined {
  if (to === undefined || kind === "all") return to;
  if (kind === "prefix") return to + path.slice(from.length);
  const groups = matchGroupsOf(from, path, false);
  return groups ? expandTarget(to, groups, path) : undefined;
}

const names: ReadonlySet<string> = new Set(["redirect", "redirectmatch", "redirectpermanent", "redirecttemp"]);

/** Returns a redirect; undefined for other lines. @param root the start of the paths of the section, if known */
function readRedirect(line: Directive, root: string | undefined): Redirect | undefined {
  const { key, arguments: words } = line;
  if (!names.has(key)) return undefined;
  const [first = "", ...others] = words.map(({ value }) => value);
  const hasStatus = key.length < "redirectpermanent".length && /^(?:permanent|temp|seeother|gone|\d{3})$/i.test(first);
  const isRedirect = !hasStatus || /^(?:permanent|temp|seeother|3\d\d)$/i.test(first);
  const [from, to] = hasStatus ? others : [first, ...others];
  if (from === undefined) return undefined;
  const kind = to === undefined && isRedirect ? "all" : key === "redirectmatch" ? "pattern" : "prefix";
  if (kind !== "all") return { line, kind, from, to: isRedirect ? localPathOf(to) : undefined };
  return root === undefined ? undefined : { line, kind, from: root, to: localPathOf(from) };
}

/** Returns a target without its query if it is a path of the same host. */
function localPathOf(target: string | undefined): string | undefined {
  return target && /^\/(?!\/)/.test(target) ? target.replace(/[?#].*$/s, "") : undefined;
}
