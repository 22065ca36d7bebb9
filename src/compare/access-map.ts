import { findEarlyHeader } from "../httpd/environment/early-headers.js";
import type { Diagram } from "../logic/bdd/bdd.js";
import type { SymbolTable } from "../logic/symbolic/symbol-table.js";
import { type Directive, dedupeByLine, lineKeyOf } from "../project/model/directive.js";
import type { KnownDecisionClass } from "../simulate/model/decision.js";
import { encodeUrlPath } from "../text/escaping.js";
import { getOrCreate } from "../text/get-or-create.js";
import {
  type Exploration,
  type ExplorationVisitor,
  type ExploredClasses,
  type PartPolicy,
  type Side,
  startExploration,
} from "./exploration.js";
import { defaultBudget, type SurveyBudget } from "./model/budget.js";
import type { EntryPoint, ServerPair } from "./model/server-pairs.js";
import type { PathClass } from "./paths/path-class.js";
import { type ClientDescription, memoizeClientDescriptions } from "./symbolic/client-description.js";
import { describeMethods } from "./symbolic/method-partition.js";
import { type ClientPolicy, isUnreadPattern } from "./symbolic/policy.js";
import { earlyHeadersReason, findUnreadParts } from "./unmodelled.js";
import { type Unproved, UnprovedReasons } from "./unproved.js";

/** The allowed clients, and the results for all other clients. */
export interface ClientAccess {
  /** Empty if access is denied to everyone. */
  readonly allowed: readonly ClientDescription[];
  /** Empty if everyone is allowed. */
  readonly others: readonly Exclude<KnownDecisionClass, "allowed">[];
}

/** Paths decided by the same sections, with the access to them. */
export interface MappedScope {
  /** Example paths of these classes, as sent; a shortest one first. */
  readonly examples: readonly string[];
  /** The object found at these paths. With path info, a file precedes it. */
  readonly place: (typeof places)[number];
  /** The sections that contain the deciding lines, in order, and deciding lines outside sections. */
  readonly sections: readonly Directive[];
  /** As text; empty if it applies to all methods. */
  readonly methods: readonly string[];
  /** For one side, or for each of two. */
  readonly who: readonly ClientAccess[];
  /** Whether the two sides differ. */
  readonly differs: boolean;
  /** Whether the result depends on something unknown, named in `AccessMap.unknown`. */
  readonly isUnsure: boolean;
}

/** A server and its complete access map. */
export interface MappedServer {
  /** Its entry points; the most usual first. */
  readonly doors: readonly EntryPoint[];
  /** Sorted by path. */
  readonly scopes: readonly MappedScope[];
}

/** The access of all clients to all paths. */
export interface AccessMap {
  readonly servers: readonly MappedServer[];
  /** Unproved parts of the map. */
  readonly unknown: readonly Unproved[];
}

/**
 * Computes the access map: all paths of all servers, and all clients. Results are for existing files. Directories and
 * missing files are only listed if no file is decided by the same lines.
 *
 * @param other the same configuration under another release, to show side by side
 */
export function accessMap(side: Side, other: Side = side, budget: SurveyBudget = defaultBudget): AccessMap {
  const survey = startExploration(side, other, budget);
  const mapping = new AccessMapBuilder(survey);
  survey.visit([mapping]);
  return side.project.kind === "server" ? mapping.build() : withoutUndecided(mapping.build());
}

/** Removes the paths that no line of a part of a server decides: they are left to the rest of the server. */
function withoutUndecided({ servers, unknown }: AccessMap): AccessMap {
  const isDecided = ({ sections }: MappedScope) => sections.length > 0;
  const open = servers.flatMap(({ scopes }) => scopes.filter((scope) => !isDecided(scope)));
  const [example] = open.flatMap(({ examples }) => examples);
  const reason = "the rest of the server decides access: no line of this file does";
  return {
    servers: servers
      .map((server) => ({ ...server, scopes: server.scopes.filter(isDecided) }))
      .filter(({ scopes }) => scopes.length > 0),
    unknown: example === undefined ? unknown : [...unknown, { reason, directive: undefined, example }],
  };
}

/** A result for a cell that some methods share. */
interface MethodAccess {
  readonly methods: string[];
  readonly who: readonly ClientAccess[];
  readonly differs: boolean;
  readonly isUnsure: boolean;
  readonly sections: readonly Directive[];
}

/** Cells with the same result. */
interface PathGroup extends MethodAccess {
  readonly paths: { readonly path: string; readonly place: number }[];
}

interface MappedPair {
  readonly pair: ServerPair;
  readonly groups: Map<string, PathGroup>;
}

/** Builds the access map from an exploration. */
export class AccessMapBuilder implements ExplorationVisitor {
  private readonly doubts = new UnprovedReasons();
  private readonly senders = memoizeClientDescriptions();
  private readonly mapped: MappedPair[] = [];
  /** Server pairs that are only partly explored, as far as known. */
  private readonly incompletePairs = new Set<ServerPair>();

  constructor(private readonly survey: Exploration) {
    if (!survey.hasAllPairs) this.doubts.addMoreEntryPoints(survey.isSpentBefore);
    for (const { project } of survey.sides) {
      const directive = findEarlyHeader(project);
      if (directive) this.doubts.add({ reason: earlyHeadersReason, directive, example: undefined });
      for (const doubt of findUnreadParts(project)) this.doubts.add(doubt);
    }
  }

  build(): AccessMap {
    const servers = this.mapped.map(({ pair, groups }) => ({
      doors: pair.entryPoints,
      scopes: this.scopesIn([...groups.values()]).map((scope) =>
        this.incompletePairs.has(pair) ? { ...scope, isUnsure: true } : scope,
      ),
    }));
    return { servers, unknown: this.doubts.all };
  }

  pair(pair: ServerPair, cells: ExploredClasses): void {
    // A server pair that was not explored is not listed.
    if (cells !== "out of steps") this.mapped.push({ pair, groups: new Map() });
    this.doubts.addPathClasses(cells, pair);
  }

  cell(policies: readonly PartPolicy[], cell: PathClass): void {
    const groups = this.mapped.at(-1)?.groups;
    for (const told of this.methodAccess(cell, policies)) {
      const key = JSON.stringify([told.sections.map(lineKeyOf), told.methods, told.who, told.differs, told.isUnsure]);
      const group = groups?.get(key) ?? { ...told, paths: [] };
      groups?.set(key, group);
      group.paths.push({ path: encodeUrlPath(cell.path), place: placeKindOf(cell) });
    }
  }

  breakOff(pair: ServerPair): void {
    this.incompletePairs.add(pair);
    if (this.mapped.at(-1)?.groups.size === 0) this.mapped.pop();
    this.doubts.addIncomplete(pair);
  }

  /**
   * Returns the scopes of the groups. Objects other than files are listed only if no file is decided by the same
   * sections.
   */
  private scopesIn(groups: readonly PathGroup[]): readonly MappedScope[] {
    const first = new Map<string, number>();
    const keyOf = ({ sections }: PathGroup) => sections.map(lineKeyOf).join(" ");
    for (const group of groups)
      for (const { place } of group.paths) first.set(keyOf(group), Math.min(place, first.get(keyOf(group)) ?? place));
    const scopes = groups.flatMap((group): readonly MappedScope[] => {
      const { sections, who, differs, isUnsure, methods: own } = group;
      const told = first.get(keyOf(group)) ?? 0;
      const paths = group.paths.filter(({ place }) => place === told).map(({ path }) => path);
      const examples = [...new Set(paths)].toSorted(byLength);
      if (examples.length === 0) return [];
      const all = this.survey.methods;
      const methods = own.length === all.length ? [] : describeMethods(own, all);
      return [{ examples, place: places[told] ?? "file", sections, methods, who, differs, isUnsure }];
    });
    return scopes.toSorted((a, b) => byText(a.examples[0] ?? "", b.examples[0] ?? ""));
  }

  /** Merges methods with the same result. */
  private methodAccess(cell: PathClass, policies: readonly PartPolicy[]): readonly MethodAccess[] {
    const known = new Map<string, MethodAccess>();
    for (const { part, policy } of policies) {
      if (policy === "too large") {
        const reason = "who gets in is more than can be gone through";
        this.doubts.add({ reason, directive: cell.sections.flat().at(-1), example: part.target.path });
        continue;
      }
      const isUnsure = this.addUnprovedParts(policy, part.target.path);
      const { who, differs } = this.clientAccessOf(policy);
      const sections = dedupeByLine(decidingSections(policy, cell));
      const key = JSON.stringify([who, differs, isUnsure, sections.map(lineKeyOf)]);
      const told = getOrCreate(known, key, () => ({ methods: [], who, differs, isUnsure, sections }));
      told.methods.push(part.target.method);
    }
    return [...known.values()];
  }

  /** @returns whether any part is unproved */
  private addUnprovedParts({ parts, universe }: ClientPolicy, example: string): boolean {
    let isUnsure = false;
    for (const { when, asked } of parts) {
      const [unread] = parts.length === 1 ? [] : universe.atomsIn(when).filter(isUnreadPattern);
      const unreadPattern = unread?.kind === "term" ? unread.text : undefined;
      for (const { unprovedReason = unreadPattern, by } of asked)
        if (unprovedReason !== undefined) {
          isUnsure = true;
          this.doubts.add({ reason: unprovedReason, directive: by[0], example });
        }
    }
    return isUnsure;
  }

  private clientAccessOf({ universe, parts }: ClientPolicy): Pick<MethodAccess, "who" | "differs"> {
    const { diagrams } = universe;
    const sides = parts[0]?.asked.map((_, side) => side) ?? [];
    const differs = parts.some(({ asked: [old, now = old] }) => old && now && old.class !== now.class);
    const who = sides.map((side) => {
      const classes = new Set<KnownDecisionClass>();
      let allowed: ReturnType<typeof diagrams.or> = diagrams.false;
      for (const { when, asked } of parts) {
        const of = asked[side];
        if (of === undefined) continue;
        classes.add(of.class);
        if (of.class === "allowed") allowed = diagrams.or(allowed, when);
      }
      const others = (["401", "403", "500"] as const).filter((each) => classes.has(each));
      return { allowed: others.length === 0 ? allClients : this.sendersIn(universe, allowed), others };
    });
    return { who, differs };
  }

  private sendersIn(universe: SymbolTable, when: Diagram | "too large"): readonly ClientDescription[] {
    if (when === "too large") return [{ clients: [], users: [], conditions: ["more than can be told holds"] }];
    return universe.diagrams.isFalse(when) ? [] : this.senders(universe, when);
  }
}

const allClients: readonly ClientDescription[] = [{ clients: [], users: [], conditions: [] }];

/**
 * The objects at a path, in order of preference: a file, something elsewhere (a backend, a redirect), path info after a
 * file, a directory, or nothing.
 */
const places = ["file", "elsewhere", "path info", "directory", "missing"] as const;

function placeKindOf({ path, walks }: PathClass): number {
  const ranks = walks.map((walk) => {
    if (walk === undefined) return places.indexOf("elsewhere");
    return places.indexOf(walk.kind === "file" && walk.walked < path.length ? "path info" : walk.kind);
  });
  return Math.max(...ranks);
}

/** Returns the applicable sections that contain deciding lines, and deciding lines outside sections. */
function decidingSections({ parts }: ClientPolicy, { sections }: PathClass): readonly Directive[] {
  const all = sections.flat();
  const applying = new Set(all);
  const holding = new Set<Directive>();
  const alone = new Set<Directive>();
  for (const { asked } of parts)
    for (const { by } of asked)
      for (const line of by) {
        const held = enclosingSection(line).filter((section) => applying.has(section));
        for (const section of held) holding.add(section);
        if (held.length === 0) alone.add(line);
      }
  return [...all.filter((section) => holding.has(section)), ...alone];
}

/** Returns the section that contains a line. */
function enclosingSection({ parent }: Directive): readonly Directive[] {
  return parent ? [parent, ...enclosingSection(parent)] : [];
}

function byLength(a: string, b: string): number {
  return a.length - b.length || byText(a, b);
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
