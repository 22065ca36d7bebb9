import { parseArguments } from "../../../grammar/arguments.js";
import type { ConfigTree } from "../../../grammar/ast.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { Guard } from "../model/guards.js";
import type { Project } from "../model/project.js";
import { type Scope, scopeKindOfKey } from "../model/scope.js";

/** A directive in a conditional section that does not apply: another server may have it. */
export interface InactiveLine {
  /** The lower-case name. */
  readonly key: string;
  /** The first argument. */
  readonly argument: string;
  /** All arguments. */
  readonly words: readonly string[];
  readonly guard: Guard;
  /** The sections between the conditional section and the line, outermost first. */
  readonly within: readonly InactiveSection[];
}

interface InactiveSection {
  /** The lower-case name with the `<`. */
  readonly key: string;
  /** The first argument. */
  readonly argument: string;
}

/** Returns the directives in conditional sections that do not apply. */
export const listInactiveLines = memoize(({ guards, files }: Project): readonly InactiveLine[] => {
  const skipped = new Map<string, Map<number, Guard>>();
  for (const guard of guards)
    if (!guard.holds) getOrCreate(skipped, guard.span.file.realPath, () => new Map()).set(guard.span.start, guard);
  return [...files.values()].flatMap((tree) => {
    const starts = skipped.get(tree.source.realPath);
    return starts ? [...iterateLinesAfter(tree, starts)] : [];
  });
});

/** Returns the lower-case names of the directives in conditional sections that do not apply. */
export function listInactiveDirectiveNames(project: Project): ReadonlySet<string> {
  return new Set(listInactiveLines(project).map(({ key }) => key));
}

/** Returns the IfModule section with a Listen line for a port that httpd skips, because its module is not loaded. */
export function findSkippedListen(project: Project, port: number): Guard | undefined {
  const isOfPort = ({ key, argument, within, guard: { kind, negated, isUndecided } }: InactiveLine) =>
    key === "listen" &&
    within.length === 0 &&
    kind === "<ifmodule" &&
    !(negated || isUndecided) &&
    argument.slice(argument.lastIndexOf(":") + 1) === String(port);
  return listInactiveLines(project).find(isOfPort)?.guard;
}

/** Returns whether a line would be one of the own lines of a scope if its conditional section applied. */
export function wouldBeIn({ guard, within }: InactiveLine, { section, inHtaccess, directives }: Scope): boolean {
  if (guard.section !== section || within.some(({ key }) => scopeKindOfKey(key) !== undefined)) return false;
  const file = directives[0]?.span.file;
  return section !== undefined || !inHtaccess || file === undefined || file.realPath === guard.span.file.realPath;
}

function* iterateLinesAfter({ lines, text }: ConfigTree, starts: ReadonlyMap<number, Guard>): Generator<InactiveLine> {
  let guard: Guard | undefined;
  const within: InactiveSection[] = [];
  let index = -1;
  for (const { kind, nameStart, nameEnd } of lines) {
    index++;
    const key = () => text.slice(nameStart, nameEnd).toLowerCase();
    const at = index;
    if (guard === undefined) {
      if (kind === "open") guard = starts.get(nameStart);
    } else if (kind === "open") {
      const rest = lines.restOf(text, index).replace(/>[^>]*$/, "");
      within.push({ key: key(), argument: parseArguments(rest)[0]?.value ?? "" });
    } else if (kind === "close") {
      if (within.pop() === undefined) guard = undefined;
    } else if (kind === "directive")
      yield {
        ...{ key: key(), guard, within: [...within] },
        // Few lines are asked for it.
        get argument() {
          return this.words[0] ?? "";
        },
        get words() {
          return parseArguments(lines.restOf(text, at)).map(({ value }) => value);
        },
      };
  }
}
