import type { Directive, NameFacts } from "../model/directive.js";
import type { Project } from "../model/project.js";
import { Scope, type SectionContext, topSectionContext } from "../model/scope.js";

/** Is shown a directive or section, and the scope that it takes effect in. */
export type DirectiveVisitor = (directive: Directive, scope: Scope) => void;

/** Is shown each scope that holds one of some names, after what stands in it was shown. */
export interface ScopeVisitor {
  /** Lower-case names; a section's with its `<`. */
  readonly holding: readonly string[];
  readonly visit: (scope: Scope) => void;
}

/** What is to be shown of a configuration. Each function is called in the order in which the server reads. */
export interface ConfigurationVisitor {
  /** Directives and sections by lower-case name, a section with its `<`. */
  readonly directives?: Readonly<Record<string, DirectiveVisitor>>;
  /** Asked once for each name that occurs; undefined where directives of that name are of no interest. */
  readonly forName?: (known: NameFacts) => DirectiveVisitor | undefined;
  /**
   * For what can be said of a directive by its words and by where it stands, and by nothing else. Asked once for each
   * name in each standing. The same words in the same standing are not shown again once they were found right.
   */
  readonly byWords?: (known: NameFacts, standing: SectionContext) => DirectiveVisitor | undefined;
  readonly scope?: ScopeVisitor;
  /** All has been shown. */
  readonly end?: () => void;
}

/**
 * Shows a project to all visitors in one walk: the main files, then the `.htaccess` files.
 *
 * @param found how much the visitors have found so far: what raises it was not found right
 */
export function walkProject(project: Project, visitors: readonly ConfigurationVisitor[], found: () => number): void {
  const walker = new Walker(visitors, found);
  walker.walk(new Scope(topSectionContext(project.kind), project.directives));
  const standing = topSectionContext("htaccess");
  for (const file of project.htaccess) walker.walk(new Scope(standing, file.directives));
  for (const visitor of visitors) visitor.end?.();
}

/** Who wants to see the directives of a name where they stand, and the scopes that hold one. */
interface VisitorSet {
  readonly each: readonly DirectiveVisitor[];
  readonly byWords: readonly DirectiveVisitor[];
  /** The wordings that were found right. */
  readonly cleanWordings: Set<number>;
  readonly scopes: readonly ScopeVisitor[];
  /** Where the content of a section stands; undefined for a directive that is none. */
  readonly inner: SectionContext | undefined;
}

/**
 * Who waits for the end of a scope. Scopes by the thousand hold the same names in the same order, so what comes of one more
 * name is worked out once.
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

  /** Recursion is bounded: the reader keeps sections from nesting deeper than a fixed limit. */
  walk(scope: Scope): void {
    const waiting = this.walkInside(scope.content, scope.standing, scope, this.emptyPending);
    for (const visitor of waiting.visitors) visitor.visit(scope);
  }

  /**
   * @param before those who want to see the scope when all in it was shown, as far as it was
   * @returns the same behind the directives
   */
  private walkInside(
    directives: readonly Directive[],
    standing: SectionContext,
    scope: Scope,
    before: PendingScopes,
  ): PendingScopes {
    let waiting = before;
    const interests = this.interestsIn(standing);
    for (const directive of directives) {
      const interest = interests.get(directive.known) ?? this.addInterest(interests, directive.known, standing);
      if (interest.byWords.length > 0) this.showWords(directive, scope, interest);
      for (const visit of interest.each) visit(directive, scope);
      if (interest.scopes.length > 0) waiting = waiting.with(interest);
      const { children } = directive;
      if (children === undefined) continue;
      const inner = interest.inner ?? standing;
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

  private interestsIn(standing: SectionContext): Map<NameFacts, VisitorSet> {
    const interests = this.interests.get(standing) ?? new Map<NameFacts, VisitorSet>();
    this.interests.set(standing, interests);
    return interests;
  }

  private addInterest(interests: Map<NameFacts, VisitorSet>, known: NameFacts, standing: SectionContext): VisitorSet {
    const { visitors } = this;
    const interest: VisitorSet = {
      each: visitors
        .flatMap((visitor) => [visitor.forName?.(known), ownEntry(visitor.directives ?? {}, known.key)])
        .filter((visit) => visit !== undefined),
      byWords: visitors.map((visitor) => visitor.byWords?.(known, standing)).filter((visit) => visit !== undefined),
      cleanWordings: new Set(),
      scopes: visitors
        .map((visitor) => visitor.scope)
        .filter((visitor) => visitor?.holding.includes(known.key))
        .filter((visitor) => visitor !== undefined),
      inner: known.key.startsWith("<") ? standing.inside(known) : undefined,
    };
    interests.set(known, interest);
    return interest;
  }
}

/** What a record has under a name that a user wrote: `constructor` is none of it. */
function ownEntry<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
