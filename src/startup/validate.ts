import type { Directive, NameFacts } from "../config/model/directive.js";
import type { Project, RefusedLines } from "../config/model/project.js";
import type { Scope, SectionContext } from "../config/model/scope.js";
import { findUndefinedVariable } from "../config/model/variables.js";
import { type ConfigurationVisitor, type DirectiveVisitor, walkProject } from "../config/queries/walker.js";
import type { Refusal } from "../config/refusals/refusal.js";
import { type DirectiveFacts, isAllowedIn } from "../facts/directives.js";
import { isSince } from "../facts/release.js";
import { isRequireContainer } from "../server/access/require-rules.js";
import { getOrCreate } from "../text/collections.js";
import { validateArgumentCount } from "./argument-count.js";
import { ReaderState } from "./reader-state.js";
import { buildRefusedDirective, type RefusedDirective } from "./refusal.js";
import { directiveCheckOf } from "./registry.js";
import {
  addRequireLine,
  closeRequireGroup,
  createContainerGroup,
  createImplicitGroup,
  describeOnlyNegative,
  findOnlyNegative,
  type RequireTreeGroup,
  unknownMember,
} from "./require-tree.js";

/** The refusals of a configuration, with what the rules report besides. */
export interface RefusalReport extends RefusedLines {
  readonly startup: readonly RefusedDirective[];
  readonly htaccess: readonly RefusedDirective[];
  /** RequireAll sections in `.htaccess` files with only negative rules: accepted there, and they deny everyone. */
  readonly neverGranting: readonly Directive[];
}

/** Validators that visited a whole configuration. */
const findersByProject = new WeakMap<Project, RefusalFinder>();

/**
 * Finds the errors that the server reports, checking every directive as it does after reading the files
 * (server/config.c `ap_walk_config`). A configuration is visited only once, even in a walk shared with other visitors.
 */
export function findRefusals(project: Project): RefusalReport {
  return (findersByProject.get(project) ?? inspectProject(project)).refusals;
}

function inspectProject(project: Project): RefusalFinder {
  let count = 0;
  const finder = new RefusalFinder(project, () => count++);
  walkProject(project, [finder.visitor], () => count);
  return finder;
}

/**
 * Sorts errors by the server's order: a section's own arguments, its content, its end, and finally the checks that run
 * last.
 */
function sortByReadingOrder(project: Project, refusals: readonly RefusedDirective[]): RefusedDirective[] {
  const byDirective = new Map<Directive, RefusedDirective[]>();
  for (const refusal of refusals) getOrCreate(byDirective, refusal.directive, () => []).push(refusal);
  const sorted: RefusedDirective[] = [];
  const take = (directive: Directive, time: RefusedDirective["time"]) =>
    sorted.push(...(byDirective.get(directive) ?? []).filter((refusal) => refusal.time === time));
  const walk = (directives: readonly Directive[]) => {
    for (const directive of directives) {
      take(directive, "opening");
      if (directive.children) walk(directive.children);
      take(directive, "closing");
    }
  };
  walk(project.directives);
  for (const file of project.htaccess) walk(file.directives);
  return [...sorted, ...refusals.filter((refusal) => refusal.time === "last")];
}

/** Visits a configuration and reports the errors that the server finds in it. */
export class RefusalFinder {
  /** See `Refusals`. */
  readonly neverGranting: Directive[] = [];
  private readonly open: Directive[] = [];
  readonly visitor: ConfigurationVisitor;
  /** The visitors of single directives, which are part of `visitor`. */
  readonly directives: Readonly<Record<string, DirectiveVisitor>>;

  /** In the order of the walk. */
  private readonly all: RefusedDirective[] = [];
  private inOrder: RefusalReport | undefined;
  private readonly memory: ReaderState;
  private readonly refused = new Set<Directive>();
  private readonly taken = new Map<SectionContext, Map<NameFacts, readonly DirectiveFacts[]>>();

  /** @param found is called with each error, in the order of the walk */
  constructor(
    private readonly project: Project,
    private readonly found: (refusal: RefusedDirective) => void,
  ) {
    this.memory = new ReaderState(project);
    this.directives = this.memory.visitors((directive, scope, fault) => {
      // The server stops at an error in the line itself, or in its context.
      const { known } = directive;
      const isChecked = known.facts.length === 0 || this.factsIn(known, scope.sectionContext).length > 0;
      if (this.refused.has(directive) || !isChecked || isInForeignSection(scope.sectionContext)) return;
      this.addRefusal(directive, scope, fault);
    });
    this.visitor = {
      byWords: (known, sectionContext) => this.checkerOf(known, sectionContext),
      directives: this.directives,
      scope: {
        holding: ["require", "<requireall", "<requireany", "<requirenone"],
        visit: (scope) => this.checkRequireTree(scope),
        // Lines may be missing before a limit, but not after it.
        passesAlikeHosts: project.problems.every(({ kind }) => kind !== "limit"),
        pending: () => this.all.length,
      },
      end: () => findersByProject.set(project, this),
    };
  }

  /** All errors, after the whole configuration was visited. */
  get refusals(): RefusalReport {
    const { all, neverGranting, open, project } = this;
    if (this.inOrder) return this.inOrder;
    const sorted = all.length > 1 ? sortByReadingOrder(project, all) : all;
    this.inOrder = {
      startup: sorted.filter((refusal) => !refusal.inHtaccess),
      htaccess: sorted.filter((refusal) => refusal.inHtaccess),
      neverGranting,
      open,
    };
    return this.inOrder;
  }

  private addRefusal(
    directive: Directive,
    scope: Scope,
    fault: Refusal | undefined,
    time?: RefusedDirective["time"],
  ): void {
    if (fault === undefined) return;
    if (hasUnsetVariable(directive, scope)) {
      if (scope.inHtaccess) this.open.push(directive);
      return;
    }
    this.refused.add(directive);
    const refusal = buildRefusedDirective(directive, fault, scope, time ?? fault.when ?? "opening");
    this.all.push(refusal);
    this.found(refusal);
  }

  /** Returns the check for directives of a name in a context; undefined if their arguments are not checked. */
  private checkerOf(known: NameFacts, sectionContext: SectionContext): DirectiveVisitor | undefined {
    const facts = this.factsIn(known, sectionContext);
    if (facts.length === 0) return undefined;
    const { release } = this.project;
    const check = directiveCheckOf(known, release);
    const isSection = known.key.startsWith("<");
    if (isSection && check === undefined) return undefined;
    const context = { project: this.project, state: this.memory, sectionContext };
    return (directive, scope) => {
      const fault = isSection ? undefined : validateArgumentCount(directive, facts, release);
      this.addRefusal(directive, scope, fault ?? check?.(directive, context));
    };
  }

  /**
   * Returns the facts of loaded modules for a directive that its context allows. Empty if its module is not loaded or
   * it is misplaced: the server stops for that reason, before it checks the arguments. Also empty in an unknown
   * section, whose content may be anything.
   */
  private factsIn(known: NameFacts, sectionContext: SectionContext): readonly DirectiveFacts[] {
    const inContext = getOrCreate(this.taken, sectionContext, () => new Map());
    return getOrCreate(inContext, known, () =>
      isInForeignSection(sectionContext) ? [] : known.facts.filter((each) => this.isAccepted(each, sectionContext)),
    );
  }

  private isAccepted(facts: DirectiveFacts, { place, inHtaccess, section }: SectionContext): boolean {
    const { modules, modulesAreKnown } = this.project;
    if (facts.manualOnly || (modulesAreKnown && !modules.provides(facts))) return false;
    if (section && isRequireContainer(section))
      return facts.override.includes("AuthConfig") || facts.override.includes("All");
    if (facts.requiredSection !== undefined) return section?.key === facts.requiredSection.toLowerCase();
    if (inHtaccess && !isAllowedIn(facts, "htaccess")) return false;
    if (section?.key === "<limit" || section?.key === "<limitexcept") return isAllowedIn(facts, "limit");
    return inHtaccess || place === "unknown" || isAllowedIn(facts, place);
  }

  // ---- Require lines and their containers, which the server checks together ----------------------------------------

  private checkRequireTree(scope: Scope): void {
    if (!isSince(this.project.release, "2.4")) return;
    const group = createImplicitGroup(scope.place === "unknown");
    this.addRules(scope.content, scope.sectionContext, scope, group);
    for (const container of findOnlyNegative(group)) {
      if (scope.inHtaccess) this.neverGranting.push(container);
      else this.addRefusal(container, scope, describeOnlyNegative(container), "last");
    }
  }

  /** Reports whether lines after the directive were not read because of deep nesting: they may be its content. */
  private hasUnreadContent(directive: Directive): boolean {
    const { file, start } = directive.span;
    return this.project.problems.some(({ kind, span }) => kind === "limit" && span.file === file && span.start > start);
  }

  private addRules(
    directives: readonly Directive[],
    sectionContext: SectionContext,
    scope: Scope,
    group: RequireTreeGroup,
  ): void {
    for (const directive of directives) {
      const { children, known } = directive;
      const isContainer = isRequireContainer(directive);
      const isRule = isContainer || directive.key === "require";
      if (!isRule && (children === undefined || sectionContext.inside(known).opensScope || known.facts.length === 0))
        continue;
      const inner = isContainer ? createContainerGroup(directive) : group;
      if (children) this.addRules(children, sectionContext.inside(known), scope, inner);
      if (isContainer && inner.members.length === 0 && this.hasUnreadContent(directive))
        inner.members.push(unknownMember);
      if (!isRule || this.factsIn(known, sectionContext).length === 0) continue;
      const fault = isContainer ? closeRequireGroup(group, inner, directive) : addRequireLine(group, directive);
      if (!this.refused.has(directive)) this.addRefusal(directive, scope, fault, "closing");
    }
  }
}

/**
 * Reports whether the arguments may differ on the server: they have an undefined variable that its environment may
 * define, or the placeholder of a template. `${section:option}` of Buildout, which makes main files, looks like a map of
 * mod_rewrite.
 */
function hasUnsetVariable({ key, argumentText }: Directive, { inHtaccess }: Scope): boolean {
  if (findUndefinedVariable(argumentText) !== undefined) return true;
  return !inHtaccess && !key.startsWith("rewrite") && /\$\{[\w-]+:[\w-]+\}/.test(argumentText);
}

function isInForeignSection(sectionContext: SectionContext): boolean {
  for (let enclosing: SectionContext | undefined = sectionContext; enclosing?.section; enclosing = enclosing.outer) {
    if (enclosing.section.facts.length === 0) return true;
  }
  return false;
}

const accessDirectives = new Set(["order", "allow", "deny", "satisfy", "require"]);
const accessContainers = new Set(["<limit", "<limitexcept", "<requireall", "<requireany", "<requirenone"]);

/** Reports for single sections whether the server rejects their access directives. */
export class SectionValidator {
  /** Visitors for related directives, to run together with the calling rule. */
  readonly directives: Readonly<Record<string, DirectiveVisitor>>;
  private found = 0;
  private readonly visitor: ConfigurationVisitor;

  constructor(project: Project) {
    const finder = new RefusalFinder(project, () => this.found++);
    this.visitor = finder.visitor;
    this.directives = finder.directives;
  }

  /** Reports whether one of the scope's own access directives, or a section around some of them, is rejected. */
  holdsRefused(scope: Scope): boolean {
    const before = this.found;
    this.inspect(scope.content, scope.sectionContext, scope);
    this.visitor.scope?.visit(scope);
    return this.found > before;
  }

  private inspect(directives: readonly Directive[], sectionContext: SectionContext, scope: Scope): void {
    for (const directive of directives) {
      const isAround = accessContainers.has(directive.key);
      if (isAround || accessDirectives.has(directive.key))
        this.visitor.byWords?.(directive.known, sectionContext)?.(directive, scope);
      if (isAround && directive.children)
        this.inspect(directive.children, sectionContext.inside(directive.known), scope);
    }
  }
}
