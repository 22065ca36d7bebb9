import type { Directive } from "../../config/model/directive.js";
import { compareTexts } from "../../text/collections.js";
import { type ClientAccess, type DeniedAnswer, type MappedScope, places } from "../model/mapped-access.js";
import type { PathClass } from "../model/path-class.js";
import type { BddResult } from "../requests/bdd.js";
import type { SymbolTable } from "../requests/symbol-table.js";
import { type ClientDescription, memoizeClientDescriptions } from "./client-description.js";
import { isOtherAnswer } from "./observe.js";
import type { ClientPolicy } from "./policy.js";

/** Describes the clients that policies allow; equal sets of clients are described once. */
export class AccessDescriber {
  private readonly senders = memoizeClientDescriptions();

  /** Returns the allowed clients of each side, and the answers to all others. */
  describe({ symbols, blocks }: ClientPolicy): Pick<MappedScope, "who" | "differs"> {
    const { diagrams } = symbols;
    const sides = blocks[0]?.results.map((_, side) => side) ?? [];
    const differs = blocks.some(
      ({ results: [before, after = before] }) => before && after && isOtherAnswer(before, after),
    );
    const who = sides.map((side): ClientAccess => {
      const answers = new Set<DeniedAnswer>();
      let allowed: BddResult = diagrams.false;
      for (const { when, results } of blocks) {
        const result = results[side];
        if (result === undefined) continue;
        const { access, status } = result;
        if (access === "allowed") allowed = diagrams.or(allowed, when);
        else answers.add(access === "redirected" ? "redirect" : `${status}`);
      }
      const others = [...answers].toSorted((a, b) => rankOf(a) - rankOf(b));
      return { allowed: others.length === 0 ? allClients : this.sendersIn(symbols, allowed), others };
    });
    return { who, differs };
  }

  private sendersIn(symbols: SymbolTable, when: BddResult): readonly ClientDescription[] {
    if (when === "too large") return [{ clients: [], users: [], conditions: ["further conditions apply"] }];
    return symbols.diagrams.isFalse(when) ? [] : this.senders(symbols, when);
  }
}

/** Sorts denials first, then errors and redirects. */
function rankOf(answer: DeniedAnswer): number {
  if (answer === "redirect") return 550;
  const status = Number(answer);
  return status === 401 || status === 403 ? status : status >= 500 ? status - 50 : status + 200;
}

const allClients: readonly ClientDescription[] = [{ clients: [], users: [], conditions: [] }];

/** Returns the kind of object at the path of a class, as an index into `places`. */
export function placeKindOf({ path, walks }: Pick<PathClass, "path" | "walks">): number {
  const ranks = walks.map((walk) => {
    if (walk === undefined) return places.indexOf("elsewhere");
    return places.indexOf(walk.kind === "file" && walk.walked < path.length ? "path info" : walk.kind);
  });
  return Math.max(...ranks);
}

/** Returns the applicable sections that contain deciding lines, and deciding lines outside sections. */
export function findDecidingSections({ blocks }: ClientPolicy, { sections }: PathClass): readonly Directive[] {
  const all = sections.flat();
  const applying = new Set(all);
  const deciding = new Set<Directive>();
  const outside = new Set<Directive>();
  for (const { results } of blocks)
    for (const { decidedBy } of results)
      for (const line of decidedBy) {
        const enclosing = enclosingSection(line).filter((section) => applying.has(section));
        for (const section of enclosing) deciding.add(section);
        if (enclosing.length === 0) outside.add(line);
      }
  // Which line decides first depends on the order in which clients are analyzed.
  const lines = [...outside].sort(compareByPlace);
  return [...all.filter((section) => deciding.has(section)), ...lines];
}

function compareByPlace({ span: a }: Directive, { span: b }: Directive): number {
  return compareTexts(a.file.path, b.file.path) || a.start - b.start;
}

/** Returns the section that contains a line. */
function enclosingSection({ parent }: Directive): readonly Directive[] {
  return parent ? [parent, ...enclosingSection(parent)] : [];
}
