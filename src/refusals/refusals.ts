import { isRequireContainer } from "../access/new-rules.js";
import { type DirectiveFacts, isAllowedIn } from "../directives/directives.js";
import type { Directive, KnownName } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import type { Standing } from "../project/standing.js";
import { unsetVariable } from "../project/unset-variables.js";
import { type ConfigurationVisitor, type DirectiveVisitor, walkProject } from "../project/walk.js";
import { countFault } from "./arguments.js";
import { checkOf } from "./checks.js";
import { Memory } from "./memory.js";
import { type Fault, type Refusal, refusalOf } from "./refusal.js";
import {
  addLine,
  closeGroup,
  containerGroup,
  implicitGroup,
  onlyNegative,
  onlyNegativeFault,
  type RequireGroup,
  unreadMember,
} from "./require-tree.js";

/** What the server refuses in a configuration, as far as it is modelled, in the order in which the server comes to it. */
export interface Refusals {
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
const finders = new WeakMap<Project, RefusalFinder>();

/**
 * What the server refuses, looking at every directive as it does when it has read the files (server/config.c
 * `ap_walk_config`). A configuration is looked through once, be it in a walk that shows it to others, too.
 */
export function findRefusals(project: Project): Refusals {
  return (finders.get(project) ?? lookThrough(project)).refusals;
}

function lookThrough(project: Project): RefusalFinder {
  let count = 0;
  const finder = new RefusalFinder(project, () => count++);
  walkProject(project, [finder.visitor], () => count);
  return finder;
}

/** As the server comes to them: a section's own words, what stands in it, its end, and after all else what it looks at last. */
function inReadingOrder(project: Project, refusals: readonly Refusal[]): Refusal[] {
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
  private inOrder: Refusals | undefined;
  private readonly memory: Memory;
  private readonly refused = new Set<Directive>();
  private readonly taken = new Map<Standing, Map<KnownName, readonly DirectiveFacts[]>>();

  /** @param found is told of each refusal, in the order of the walk */
  constructor(
    private readonly project: Project,
    private readonly found: (refusal: Refusal) => void,
  ) {
    this.memory = new Memory(project);
    this.visitor = {
      byWords: (known, standing) => this.judgeOf(known, standing),
      directives: this.memory.visitors((directive, scope, fault) => {
        // The server stops at what is wrong with the line by itself, or with where it stands.
        if (this.refused.has(directive) || this.factsIn(directive.known, scope.standing).length === 0) return;
        this.note(directive, scope, fault);
      }),
      scope: {
        holding: ["require", "<requireall", "<requireany", "<requirenone"],
        visit: (scope) => this.checkRequireTree(scope),
      },
      end: () => finders.set(project, this),
    };
  }

  /** All of them, where all of the configuration was shown. */
  get refusals(): Refusals {
    const { all, neverGranting, open, project } = this;
    if (this.inOrder) return this.inOrder;
    const sorted = all.length > 1 ? inReadingOrder(project, all) : all;
    this.inOrder = {
      startup: sorted.filter((refusal) => !refusal.inHtaccess),
      htaccess: sorted.filter((refusal) => refusal.inHtaccess),
      neverGranting,
      open,
    };
    return this.inOrder;
  }

  private note(directive: Directive, scope: Scope, fault: Fault | undefined, when?: Refusal["when"]): void {
    if (fault === undefined) return;
    if (isOpen(directive)) {
      if (scope.inHtaccess && unsetVariable(directive.argumentText) !== undefined) this.open.push(directive);
      return;
    }
    this.refused.add(directive);
    const refusal = refusalOf(directive, fault, scope, when ?? fault.when ?? "opening");
    this.all.push(refusal);
    this.found(refusal);
  }

  /** How directives of a name are judged where they stand; undefined where nothing in their words is looked at. */
  private judgeOf(known: KnownName, standing: Standing): DirectiveVisitor | undefined {
    const facts = this.factsIn(known, standing);
    if (facts.length === 0) return undefined;
    const { release } = this.project;
    const check = checkOf(known, release);
    const isSection = known.key.startsWith("<");
    if (isSection && check === undefined) return undefined;
    const look = { project: this.project, memory: this.memory, standing };
    return (directive, scope) => {
      const fault = isSection ? undefined : countFault(directive, facts, release);
      this.note(directive, scope, fault ?? check?.(directive, look));
    };
  }

  /**
   * What loaded modules know of a directive that may stand where it does. None where they are not loaded or misplaced: the
   * server stops for that reason, before it looks at the words. None in an unknown section either, whose content may be
   * anything.
   */
  private factsIn(known: KnownName, standing: Standing): readonly DirectiveFacts[] {
    const inStanding = this.taken.get(standing) ?? new Map<KnownName, readonly DirectiveFacts[]>();
    this.taken.set(standing, inStanding);
    const before = inStanding.get(known);
    if (before) return before;
    const facts = isInForeignSection(standing) ? [] : known.facts.filter((each) => this.takes(each, standing));
    inStanding.set(known, facts);
    return facts;
  }

  private takes(facts: DirectiveFacts, { place, inHtaccess, section }: Standing): boolean {
    const { modules, modulesAreKnown } = this.project;
    if (facts.manualOnly || (modulesAreKnown && !modules.provides(facts))) return false;
    if (section && isRequireContainer(section))
      return facts.override.includes("AuthConfig") || facts.override.includes("All");
    if (facts.onlyInside !== undefined) return section?.key === facts.onlyInside.toLowerCase();
    if (inHtaccess) return isAllowedIn(facts, "htaccess");
    if (section?.key === "<limit" || section?.key === "<limitexcept") return isAllowedIn(facts, "limit");
    return place === "unknown" || isAllowedIn(facts, place);
  }

  // ---- Require lines and their containers, which the server takes together -----------------------------------------

  private checkRequireTree(scope: Scope): void {
    if (this.project.release !== "2.4") return;
    const group = implicitGroup(scope.place === "unknown");
    this.addRules(scope.content, scope.standing, scope, group);
    for (const container of onlyNegative(group)) {
      if (scope.inHtaccess) this.neverGranting.push(container);
      else this.note(container, scope, onlyNegativeFault(container), "last");
    }
  }

  /** Whether something behind the directive was not read, since it nests too deep: it may be what stands in it. */
  private holdsUnread(directive: Directive): boolean {
    const { file, start } = directive.span;
    return this.project.problems.some(({ kind, span }) => kind === "limit" && span.file === file && span.start > start);
  }

  private addRules(directives: readonly Directive[], standing: Standing, scope: Scope, group: RequireGroup): void {
    for (const directive of directives) {
      const { children, known } = directive;
      const isContainer = isRequireContainer(directive);
      const isRule = isContainer || directive.key === "require";
      if (!isRule && (children === undefined || standing.inside(known).opensScope || known.facts.length === 0))
        continue;
      const inner = isContainer ? containerGroup(directive) : group;
      if (children) this.addRules(children, standing.inside(known), scope, inner);
      if (isContainer && inner.members.length === 0 && this.holdsUnread(directive)) inner.members.push(unreadMember);
      if (!isRule || this.factsIn(known, standing).length === 0) continue;
      const fault = isContainer ? closeGroup(group, inner, directive) : addLine(group, directive);
      if (!this.refused.has(directive)) this.note(directive, scope, fault, "closing");
    }
  }
}

/**
 * Whether the words are not yet what the server will read: a variable without a value here, which the server's
 * environment may have, or the placeholder of a template.
 */
function isOpen(directive: Directive): boolean {
  const { argumentText } = directive;
  return unsetVariable(argumentText) !== undefined || /@\w+@|%\w+%|\{\{|<%/.test(argumentText);
}

function isInForeignSection(standing: Standing): boolean {
  for (let around: Standing | undefined = standing; around?.section; around = around.outer) {
    if (around.section.facts.length === 0) return true;
  }
  return false;
}
