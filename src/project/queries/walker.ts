import { getOrCreate, ownProperty } from "../../text/collections.js";
import type { Directive, NameFacts } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { Scope, type SectionContext, topSectionContext } from "../model/scope.js";

/** Visits a directive or section, with the scope that it takes effect in. */
export type DirectiveVisitor = (directive: Directive, scope: Scope) => void;

/** Visits each scope that contains one of some names, after its content was visited. */
export interface ScopeVisitor {
  /** Lower-case names; sections with their `<`. */
  readonly holding: readonly string[];
  readonly visit: (scope: Scope) => void;
}

/** A visitor of a configuration. Each function is called in the order in which the server reads. */
export interface ConfigurationVisitor {
  /** Directives and sections by lower-case name, sections with their `<`. */
  readonly directives?: Readonly<Record<string, DirectiveVisitor>>;
  /** Called once for each name that occurs; returns undefined to skip directives of that name. */
  readonly forName?: (known: NameFacts) => DirectiveVisitor | undefined;
  /**
   * For checks that depend only on the text of a directive and its context. Called once for each name in each context.
   * Once a text has passed in a context, its repetitions are not visited again.
   */
  readonly byWords?: (known: NameFacts, sectionContext: SectionContext) => DirectiveVisitor | undefined;
  readonly scope?: ScopeVisitor;
  /** Called after everything was visited. */
  readonly end?: () => void;
}

/**
 * Visits a project with all visitors in one walk: the main files, then the `.htaccess` files.
 *
 * @param found returns the number of findings so far: a text that increases it has not passed
 */
export function walkProject(project: Project, visitors: readonly ConfigurationVisitor[], found: () => number): void {
  const walker = new Walker(visitors, found);
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

  with(interest: VisitorSet): PendingScopes {
    const known = this.successors.get(interest);
    if (known) return known;
    const added = interest.scopes.filter((visitor) => !this.visitors.includes(visitor));
    const waiting = added.length === 0 ? this : new PendingScopes([...this.visitors, ...added]);
    this.successors.set(interest, waiting);
    return waiting;
  }
}

class Walker {
  private readonly emptyPending = new PendingScopes([]);
  private readonly interests = new Map<SectionContext, Map<NameFacts, VisitorSet>>();

  constructor(
    private readonly visitors: readonly ConfigurationVisitor[],
    private readonly found: () => number,
  ) {}

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
    const interests = this.interestsIn(sectionContext);
    for (const directive of directives) {
      const interest = interests.get(directive.known) ?? this.addInterest(interests, directive.known, sectionContext);
      if (interest.byWords.length > 0) this.showWords(directive, scope, interest);
      for (const visit of interest.each) visit(directive, scope);
      if (interest.scopes.length > 0) waiting = waiting.with(interest);
      const { children } = directive;
      if (children === undefined) continue;
      const inner = interest.inner ?? sectionContext;
      if (inner.opensScope) this.walk(new Scope(inner, children, directive, scope));
      else waiting = this.walkInside(children, inner, scope, waiting);
    }
    return waiting;
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

  private interestsIn(sectionContext: SectionContext): Map<NameFacts, VisitorSet> {
    return getOrCreate(this.interests, sectionContext, () => new Map());
  }

  private addInterest(
    interests: Map<NameFacts, VisitorSet>,
    known: NameFacts,
    sectionContext: SectionContext,
  ): VisitorSet {
    const { visitors } = this;
    const interest: VisitorSet = {
      each: visitors
        .flatMap((visitor) => [visitor.forName?.(known), ownProperty(visitor.directives ?? {}, known.key)])
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
    interests.set(known, interest);
    return interest;
  }
}
