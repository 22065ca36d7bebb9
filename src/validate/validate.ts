import { isRequireContainer } from "../access/rules/require-rules.js";
import { type DirectiveFacts, isAllowedIn } from "../directives/directives.js";
import type { Directive, NameFacts } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import type { Scope, SectionContext } from "../project/model/scope.js";
import { findUndefinedVariable } from "../project/model/variables.js";
import { type ConfigurationVisitor, type DirectiveVisitor, walkProject } from "../project/queries/walker.js";
import { validateArgumentCount } from "./argument-count.js";
import { ReaderState } from "./reader-state.js";
import { buildRefusal, type CheckFailure, type Refusal } from "./refusal.js";
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

/** What the server refuses in a configuration, as far as it is modelled, in the order in which the server comes to it. */
export interface RefusalReport {
  /** Of the main files: the server stops at the first. */
  readonly startup: readonly Refusal[];
  /** Of `.htaccess` files: every request below the first one's directory answers 500. */
  readonly htaccess: readonly Refusal[];
  /** RequireAll sections in `.htaccess` files with only negative rules: accepted there, and they refuse everybody. */
  readonly neverGranting: readonly Directive[];
  /** Lines of `.htaccess` files that would be refused but for variables in them, which have no value here. */
  readonly open: readonly Directive[];
}

/** Those who were shown all of a configuration. */
const findersByProject = new WeakMap<Project, RefusalFinder>();

/**
 * What the server refuses, looking at every directive as it does when it has read the files (server/config.c
 * `ap_walk_config`). A configuration is looked through once, be it in a walk that shows it to others, too.
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

/** As the server comes to them: a section's own words, what stands in it, its end, and after all else what it looks at last. */
function sortByReadingOrder(project: Project, refusals: readonly Refusal[]): Refusal[] {
  const byDirective = new Map<Directive, Refusal[]>();
  for (const refusal of refusals) {
    const others = byDirective.get(refusal.directive);
    if (others) others.push(refusal);
    else byDirective.set(refusal.directive, [refusal]);
  }
  const sorted: Refusal[] = [];
  const take = (directive: Directive, when: Refusal["when"]) =>
    sorted.push(...(byDirective.get(directive) ?? []).filter((refusal) => refusal.when === when));
  const walk = (directives: readonly Directive[]) => {
    for (const directive of directives) {
      take(directive, "opening");
      if (directive.children) walk(directive.children);
      take(directive, "closing");
    }
  };
  walk(project.directives);
  for (const file of project.htaccess) walk(file.directives);
  return [...sorted, ...refusals.filter((refusal) => refusal.when === "last")];
}

/** Is shown a configuration, and tells what the server refuses in it. */
export class RefusalFinder {
  /** See `Refusals`. */
  readonly neverGranting: Directive[] = [];
  private readonly open: Directive[] = [];
  readonly visitor: ConfigurationVisitor;

  /** In the order of the walk. */
  private readonly all: Refusal[] = [];
  private inOrder: RefusalReport | undefined;
  private readonly memory: ReaderState;
  private readonly refused = new Set<Directive>();
  private readonly taken = new Map<SectionContext, Map<NameFacts, readonly DirectiveFacts[]>>();

  /** @param found is told of each refusal, in the order of the walk */
  constructor(
    private readonly project: Project,
    private readonly found: (refusal: Refusal) => void,
  ) {
    this.memory = new ReaderState(project);
    this.visitor = {
      byWords: (known, standing) => this.checkerOf(known, standing),
      directives: this.memory.visitors((directive, scope, fault) => {
        // The server stops at what is wrong with the line by itself, or with where it stands.
        if (this.refused.has(directive) || this.factsIn(directive.known, scope.standing).length === 0) return;
        this.addRefusal(directive, scope, fault);
      }),
      scope: {
        holding: ["require", "<requireall", "<requireany", "<requirenone"],
        visit: (scope) => this.checkRequireTree(scope),
      },
      end: () => findersByProject.set(project, this),
    };
  }

  /** All of them, where all of the configuration was shown. */
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
    fault: CheckFailure | undefined,
    when?: Refusal["when"],
  ): void {
    if (fault === undefined) return;
    if (hasUnsetVariable(directive)) {
      if (scope.inHtaccess && findUndefinedVariable(directive.argumentText) !== undefined) this.open.push(directive);
      return;
    }
    this.refused.add(directive);
    const refusal = buildRefusal(directive, fault, scope, when ?? fault.when ?? "opening");
    this.all.push(refusal);
    this.found(refusal);
  }

  /** How directives of a name are judged where they stand; undefined where nothing in their words is looked at. */
  private checkerOf(known: NameFacts, standing: SectionContext): DirectiveVisitor | undefined {
    const facts = this.factsIn(known, standing);
    if (facts.length === 0) return undefined;
    const { release } = this.project;
    const check = directiveCheckOf(known, release);
    const isSection = known.key.startsWith("<");
    if (isSection && check === undefined) return undefined;
    const look = { project: this.project, state: this.memory, standing };
    return (directive, scope) => {
      const fault = isSection ? undefined : validateArgumentCount(directive, facts, release);
      this.addRefusal(directive, scope, fault ?? check?.(directive, look));
    };
  }

  /**
   * What loaded modules know of a directive that may stand where it does. None where they are not loaded or misplaced: the
   * server stops for that reason, before it looks at the words. None in an unknown section either, whose content may be
   * anything.
   */
  private factsIn(known: NameFacts, standing: SectionContext): readonly DirectiveFacts[] {
    const inStanding = this.taken.get(standing) ?? new Map<NameFacts, readonly DirectiveFacts[]>();
    this.taken.set(standing, inStanding);
    const before = inStanding.get(known);
    if (before) return before;
    const facts = isInForeignSection(standing) ? [] : known.facts.filter((each) => this.isAccepted(each, standing));
    inStanding.set(known, facts);
    return facts;
  }

  private isAccepted(facts: DirectiveFacts, { place, inHtaccess, section }: SectionContext): boolean {
    const { modules, modulesAreKnown } = this.project;
    if (facts.manualOnly || (modulesAreKnown && !modules.provides(facts))) return false;
    if (section && isRequireContainer(section))
      return facts.override.includes("AuthConfig") || facts.override.includes("All");
    if (facts.requiredSection !== undefined) return section?.key === facts.requiredSection.toLowerCase();
    if (inHtaccess) return isAllowedIn(facts, "htaccess");
    if (section?.key === "<limit" || section?.key === "<limitexcept") return isAllowedIn(facts, "limit");
    return place === "unknown" || isAllowedIn(facts, place);
  }

  // ---- Require lines and their containers, which the server takes together -----------------------------------------

  private checkRequireTree(scope: Scope): void {
    if (this.project.release !== "2.4") return;
    const group = createImplicitGroup(scope.place === "unknown");
    this.addRules(scope.content, scope.standing, scope, group);
    for (const container of findOnlyNegative(group)) {
      if (scope.inHtaccess) this.neverGranting.push(container);
      else this.addRefusal(container, scope, describeOnlyNegative(container), "last");
    }
  }

  /** Whether something behind the directive was not read, since it nests too deep: it may be what stands in it. */
  private holdsUnread(directive: Directive): boolean {
    const { file, start } = directive.span;
    return this.project.problems.some(({ kind, span }) => kind === "limit" && span.file === file && span.start > start);
  }

  private addRules(
    directives: readonly Directive[],
    standing: SectionContext,
    scope: Scope,
    group: RequireTreeGroup,
  ): void {
    for (const directive of directives) {
      const { children, known } = directive;
      const isContainer = isRequireContainer(directive);
      const isRule = isContainer || directive.key === "require";
      if (!isRule && (children === undefined || standing.inside(known).opensScope || known.facts.length === 0))
        continue;
      const inner = isContainer ? createContainerGroup(directive) : group;
      if (children) this.addRules(children, standing.inside(known), scope, inner);
      if (isContainer && inner.members.length === 0 && this.holdsUnread(directive)) inner.members.push(unknownMember);
      if (!isRule || this.factsIn(known, standing).length === 0) continue;
      const fault = isContainer ? closeRequireGroup(group, inner, directive) : addRequireLine(group, directive);
      if (!this.refused.has(directive)) this.addRefusal(directive, scope, fault, "closing");
    }
  }
}

/**
 * Whether the words are not yet what the server will read: a variable without a value here, which the server's
 * environment may have, or the placeholder of a template.
 */
function hasUnsetVariable(directive: Directive): boolean {
  const { argumentText } = directive;
  return findUndefinedVariable(argumentText) !== undefined || /@\w+@|%\w+%|\{\{|<%/.test(argumentText);
}

function isInForeignSection(standing: SectionContext): boolean {
  for (let around: SectionContext | undefined = standing; around?.section; around = around.outer) {
    if (around.section.facts.length === 0) return true;
  }
  return false;
}

const accessDirectives = new Set(["order", "allow", "deny", "satisfy", "require"]);
const accessContainers = new Set(["<limit", "<limitexcept", "<requireall", "<requireany", "<requirenone"]);

/** Tells of single sections whether the server refuses what they say about access. */
export class SectionValidator {
  /** What lines elsewhere have to do with it: to be shown the configuration beside the rule that asks. */
  readonly directives: ConfigurationVisitor["directives"] & object;
  private found = 0;
  private readonly visitor: ConfigurationVisitor;

  constructor(project: Project) {
    this.visitor = new RefusalFinder(project, () => this.found++).visitor;
    this.directives = this.visitor.directives ?? {};
  }

  /** Whether one of the scope's own lines of access control, or a section around some of them, is refused. */
  holdsRefused(scope: Scope): boolean {
    const before = this.found;
    this.inspect(scope.content, scope.standing, scope);
    this.visitor.scope?.visit(scope);
    return this.found > before;
  }

  private inspect(directives: readonly Directive[], standing: SectionContext, scope: Scope): void {
    for (const directive of directives) {
      const isAround = accessContainers.has(directive.key);
      if (isAround || accessDirectives.has(directive.key))
        this.visitor.byWords?.(directive.known, standing)?.(directive, scope);
      if (isAround && directive.children) this.inspect(directive.children, standing.inside(directive.known), scope);
    }
  }
}
