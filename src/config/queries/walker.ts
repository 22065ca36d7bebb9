import { getOrCreate, ownProperty } from "../../text/collections.js";
import type { Directive, NameFacts } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { Scope, type SectionContext, topSectionContext } from "../model/scope.js";
import { type HostFamilies, type HostFamily, hostFamiliesOf, MAX_CHECKED_HOSTS } from "./host-families.js";

/** Visits a directive or section, with the scope that it takes effect in. */
export type DirectiveVisitor = (directive: Directive, scope: Scope) => void;

/** Visits each scope that contains one of some names, after its content was visited. */
export interface ScopeVisitor {
  /** Lower-case names; sections with their `<`. */
  readonly holding: readonly string[];
  readonly visit: (scope: Scope) => void;
  /**
   * Whether the findings in a virtual host depend only on its lines, but not on the numbers in names: if there are none in
   * some hosts, hosts that are alike are not visited.
   */
  readonly passesAlikeHosts?: boolean;
  /** Returns the number of findings that were kept for the end of the walk. */
  readonly pending?: () => number;
}

/** A visitor of a configuration. Each function is called in the order in which the server reads. */
export interface ConfigurationVisitor {
  /**
   * Visitors of directives and sections by lower-case name, sections with their `<`; or a function that is called once for
   * each name that occurs in each context, and returns undefined to skip the directives of that name.
   */
  readonly directives?:
    | Readonly<Record<string, DirectiveVisitor>>
    | ((known: NameFacts) => DirectiveVisitor | undefined);
  /**
   * For checks that depend only on the text of a directive and its context, but not on the numbers in names. Called once for
   * each name in each context. Once a text has passed in a context, its repetitions are not visited again. Once the lines of
   * some virtual hosts have passed, hosts that are alike are not visited.
   */
  readonly byWords?: (known: NameFacts, sectionContext: SectionContext) => DirectiveVisitor | undefined;
  readonly scope?: ScopeVisitor;
  /** Called after everything was visited. */
  readonly end?: () => void;
}

/** Returns the number of reported findings, of all visitors or of the one with an index. */
export type FindingCounter = (visitor?: number) => number;

/**
 * Visits a project with all visitors in one walk: the main files, then the `.htaccess` files.
 *
 * @param found a text that increases the number of findings has not passed
 */
export function walkProject(project: Project, visitors: readonly ConfigurationVisitor[], found: FindingCounter): void {
  const walker = new Walker(visitors, found, hostFamiliesOf(project));
  walker.walk(new Scope(topSectionContext(project.kind), project.directives));
  const sectionContext = topSectionContext("htaccess");
  for (const file of project.htaccess) walker.walk(new Scope(sectionContext, file.directives));
  for (const visitor of visitors) visitor.end?.();
}

/** The visitors for directives of a name in a context, and for the scopes that contain one. */
interface VisitorSet {
  readonly each: readonly DirectiveVisitor[];
  readonly byWords: readonly DirectiveVisitor[];
  /** The identical lines that have passed. */
  readonly cleanWordings: Set<number>;
  readonly scopes: readonly ScopeVisitor[];
  /** The context of a section's content; undefined for a directive that is not a section. */
  readonly inner: SectionContext | undefined;
}

/**
 * The visitors to call at the end of a scope. Thousands of scopes contain the same names in the same order, so each
 * transition is computed only once.
 */
class PendingScopes {
  private readonly successors = new Map<VisitorSet, PendingScopes>();

  constructor(readonly visitors: readonly ScopeVisitor[]) {}

  with(visitors: VisitorSet): PendingScopes {
    const known = this.successors.get(visitors);
    if (known) return known;
    const added = visitors.scopes.filter((visitor) => !this.visitors.includes(visitor));
    const waiting = added.length === 0 ? this : new PendingScopes([...this.visitors, ...added]);
    this.successors.set(visitors, waiting);
    return waiting;
  }
}

/** The virtual hosts of a family that all visitors visited. */
interface VisitedHosts {
  count: number;
  /** The indexes of the visitors that found something. */
  readonly finding: Set<number>;
  /** The walker for those that are alike. */
  further?: Walker | undefined;
}

class Walker {
  private readonly emptyPending = new PendingScopes([]);
  private readonly sets = new Map<SectionContext, Map<NameFacts, VisitorSet>>();
  private readonly hosts = new Map<HostFamily, VisitedHosts>();
  /** The walkers for alike hosts, by the visitors that found something. */
  private readonly walkers = new Map<string, Walker>();
  private readonly pending: readonly (() => number)[];
  /** The number of findings, and that of each visitor, when they were last counted. */
  private total = 0;
  private counts: readonly number[];

  constructor(
    private readonly visitors: readonly ConfigurationVisitor[],
    private readonly found: FindingCounter,
    private readonly families: HostFamilies,
  ) {
    this.pending = visitors.flatMap(({ scope }) => scope?.pending ?? []);
    this.counts = visitors.map(() => 0);
  }

  /** Recursion is bounded: the reader limits the nesting of sections. */
  walk(scope: Scope): void {
    const waiting = this.walkInside(scope.content, scope.sectionContext, scope, this.emptyPending);
    for (const visitor of waiting.visitors) visitor.visit(scope);
  }

  /**
   * @param before the visitors to call at the end of the scope so far
   * @returns the visitors after these directives
   */
  private walkInside(
    directives: readonly Directive[],
    sectionContext: SectionContext,
    scope: Scope,
    before: PendingScopes,
  ): PendingScopes {
    let waiting = before;
    const sets = this.setsIn(sectionContext);
    for (const directive of directives) {
      const set = sets.get(directive.known) ?? this.addSet(sets, directive.known, sectionContext);
      if (set.byWords.length > 0) this.showWords(directive, scope, set);
      for (const visit of set.each) visit(directive, scope);
      if (set.scopes.length > 0) waiting = waiting.with(set);
      const { children } = directive;
      if (children === undefined) continue;
      const inner = set.inner ?? sectionContext;
      if (inner.opensScope) {
        const content = new Scope(inner, children, directive, scope);
        if (inner.place === "virtualhost" && sectionContext.section === undefined) this.walkHost(directive, content);
        else this.walk(content);
      } else waiting = this.walkInside(children, inner, scope, waiting);
    }
    return waiting;
  }

  /** Walks a virtual host. After some of a family, visitors without findings there pass the hosts that are alike. */
  private walkHost(section: Directive, scope: Scope): void {
    const { family, isAlike } = this.families.find(section);
    const visited = getOrCreate(this.hosts, family, (): VisitedHosts => ({ count: 0, finding: new Set() }));
    if (isAlike && visited.count >= MAX_CHECKED_HOSTS) {
      visited.further ??= this.walkerWithout(visited.finding);
      visited.further.walk(scope);
      return;
    }
    this.takeFinding();
    this.walk(scope);
    if (isAlike) visited.count++;
    for (const index of this.takeFinding()) visited.finding.add(index);
    visited.further = undefined;
  }

  /** Returns the visitors with findings since the last call. */
  private takeFinding(): readonly number[] {
    const total = this.pending.reduce((sum, pending) => sum + pending(), this.found());
    if (total === this.total) return [];
    this.total = total;
    const before = this.counts;
    this.counts = this.visitors.map(({ scope }, index) => this.found(index) + (scope?.pending?.() ?? 0));
    return this.counts.flatMap((count, index) => (count === before[index] ? [] : [index]));
  }

  /** Returns a walker that passes alike hosts, except for visitors that found something. */
  private walkerWithout(finding: ReadonlySet<number>): Walker {
    const key = [...finding].sort().join(" ");
    return getOrCreate(this.walkers, key, () => {
      const visitors = this.visitors.map((visitor, index) => (finding.has(index) ? visitor : omitPassing(visitor)));
      return new Walker(visitors, this.found, this.families);
    });
  }

  private showWords(directive: Directive, scope: Scope, { byWords, cleanWordings }: VisitorSet): void {
    const { wording } = directive;
    if (wording === 0) {
      for (const visit of byWords) visit(directive, scope);
      return;
    }
    if (cleanWordings.has(wording)) return;
    const before = this.found();
    for (const visit of byWords) visit(directive, scope);
    if (this.found() === before) cleanWordings.add(wording);
  }

  private setsIn(sectionContext: SectionContext): Map<NameFacts, VisitorSet> {
    return getOrCreate(this.sets, sectionContext, () => new Map());
  }

  private addSet(sets: Map<NameFacts, VisitorSet>, known: NameFacts, sectionContext: SectionContext): VisitorSet {
    const { visitors } = this;
    const set: VisitorSet = {
      each: visitors
        .map(({ directives = {} }) =>
          typeof directives === "function" ? directives(known) : ownProperty(directives, known.key),
        )
        .filter((visit) => visit !== undefined),
      byWords: visitors
        .map((visitor) => visitor.byWords?.(known, sectionContext))
        .filter((visit) => visit !== undefined),
      cleanWordings: new Set(),
      scopes: visitors
        .map((visitor) => visitor.scope)
        .filter((visitor) => visitor?.holding.includes(known.key))
        .filter((visitor) => visitor !== undefined),
      inner: known.key.startsWith("<") ? sectionContext.inside(known) : undefined,
    };
    sets.set(known, set);
    return set;
  }
}

/** Returns a visitor without the parts that pass alike hosts. */
function omitPassing({ byWords: _, scope, ...rest }: ConfigurationVisitor): ConfigurationVisitor {
  return scope === undefined || scope.passesAlikeHosts ? rest : { ...rest, scope };
}
