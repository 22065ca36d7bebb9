import { type ContextKind, type DirectiveFacts, isAllowedIn } from "../directives/directives.js";
import type { Directive, NameFacts } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import { type Scope, type SectionContext, topSectionContext } from "../project/model/scope.js";
import { type ConfigurationVisitor, walkProject } from "../project/queries/walker.js";

/** A directive where the server does not take it. */
export interface Misplacement {
  readonly directive: Directive;
  /** What loaded modules know of it. */
  readonly facts: readonly DirectiveFacts[];
  /** What refuses it there. */
  readonly place: ContextKind;
  /** The section that refuses it; undefined at the top of a file. */
  readonly section: Directive | undefined;
  readonly inHtaccess: boolean;
}

/** Is shown a configuration, and tells of each directive that the server does not take where it stands. */
export function createMisplacedVisitor(
  project: Project,
  found: (misplacement: Misplacement) => void,
): Required<Pick<ConfigurationVisitor, "byWords">> {
  const isUsable = (facts: DirectiveFacts) =>
    !facts.manualOnly && (!project.modulesAreKnown || project.modules.provides(facts));
  const isUnclosed = findUnclosedSections(project);
  return {
    byWords(known, standing) {
      const facts = known.facts.filter(isUsable);
      if (facts.length === 0 || findRefusingSection(facts, standing) === undefined) return undefined;
      return (directive, { inHtaccess }) => {
        // Nobody knows what a section holds that is never closed.
        const sections = sectionsAround(directive).filter((section) => !isUnclosed(section));
        const top = topSectionContext(inHtaccess ? "htaccess" : project.kind);
        const certain = sections.reduceRight((outer, section) => outer.inside(section.known), top);
        const refusing = findRefusingSection(facts, certain);
        if (refusing === undefined) return;
        found({ directive, facts, place: refusing.place, section: sections[refusing.distance], inHtaccess });
      };
    },
  };
}

/** Is shown scopes, and tells of each Else and ElseIf with no If before it in the same one; other sections may stand between. */
export function createElseVisitor(
  found: (directive: Directive, scope: Scope) => void,
): Required<Pick<ConfigurationVisitor, "scope">> {
  return {
    scope: {
      holding: ["<else", "<elseif"],
      visit(scope) {
        for (const directive of findElseWithoutIf(scope)) found(directive, scope);
      },
    },
  };
}

/** Directives and sections of the main files that keep the server from starting by where they stand. */
export function findMisplaced(project: Project): readonly Directive[] {
  const found: Directive[] = [];
  // Where its module is not loaded the server stops at the same line, so that does not matter.
  const mainFiles = { ...project, htaccess: [], modulesAreKnown: false };
  const visitors = [
    createMisplacedVisitor(mainFiles, ({ directive }) => found.push(directive)),
    createElseVisitor((directive) => found.push(directive)),
  ];
  walkProject(mainFiles, visitors, () => found.length);
  return found;
}

/** Whether the server takes a directive where all that is around it is known; true where nobody knows. */
export function isPlacementAllowed(facts: readonly DirectiveFacts[], standing: SectionContext): boolean {
  return findRefusingSection(facts, standing) === undefined;
}

/** Something around a directive that has a say in whether it may stand there. */
interface EnclosingSection {
  readonly place: ContextKind;
  /** How many sections out it stands: 0 is the one right around the directive. */
  readonly distance: number;
  accepts(facts: DirectiveFacts): boolean;
}

function findRefusingSection(facts: readonly DirectiveFacts[], standing: SectionContext): EnclosingSection | undefined {
  if (facts.some(({ requiredSection }) => matchesSectionName(standing.section, requiredSection))) return undefined;
  for (const surrounding of enclosingSections(standing)) if (!facts.some(surrounding.accepts)) return surrounding;
  return undefined;
}

/** Whether a section goes by a name or by a short form of it (`<MDomain` for `<MDomainSet`). */
function matchesSectionName(section: NameFacts | undefined, name: string | undefined): boolean {
  return section !== undefined && name?.toLowerCase().startsWith(section.key) === true;
}

/** From the inside out. */
function sectionsAround({ parent }: Directive): Directive[] {
  const sections: Directive[] = [];
  for (let section = parent; section; section = section.parent) sections.push(section);
  return sections;
}

/** Tells the sections that are open at the end of their file, or where one around them is closed. */
function findUnclosedSections({ problems }: Project): (section: Directive) => boolean {
  const syntax = problems.filter(({ kind }) => kind === "syntax");
  const unclosed = [
    ...syntax.filter(({ server }) => server?.endsWith(" was not closed.")).map(({ span }) => span),
    ...syntax.filter(({ crosses }) => crosses).flatMap(({ related }) => related.map(({ span }) => span)),
  ];
  return ({ span }) => unclosed.some(({ file, start }) => file === span.file && start === span.start);
}

/**
 * All that must take the directive, from the inside out; the server and virtual hosts judge only what no other section
 * is around. Nothing for what stands in a section of a module that we know nothing of.
 */
function* enclosingSections(standing: SectionContext): Generator<EnclosingSection> {
  const isOfProxy = isInProxy(standing) ? isProxyOnly : () => false;
  let isInside = false;
  let distance = 0;
  let around: SectionContext | undefined = standing;
  for (; around?.section && !around.opensScope; around = around.outer, distance++) {
    if (around.section.facts.length === 0) return;
    const accepts = sectionsInScope.get(around.section.key);
    if (accepts === undefined) continue;
    yield {
      place: "limit",
      distance,
      accepts: (facts) => accepts(facts) || (accepts === isAllowedInLimit && isOfProxy(facts)),
    };
    // What the alias holds is judged by itself, wherever the alias stands.
    if (accepts === isAllowedInAlias) return;
    isInside = true;
  }
  for (; around; around = around.outer, distance++) {
    // A section within the scope around says nothing about what stands in an inner scope.
    if (around.section && !around.opensScope) continue;
    const { place } = around;
    if (place === "unknown" || (isInside && (place === "server" || place === "virtualhost"))) return;
    yield { place, distance, accepts: (facts) => isAllowedIn(facts, place) || isOfProxy(facts) };
    isInside = true;
  }
}

/** What `<Proxy>` alone takes of all sections it also hands down to the sections inside. */
function isProxyOnly(facts: DirectiveFacts): boolean {
  return (
    isAllowedIn(facts, "proxy") &&
    facts.override.length === 0 &&
    !perDirectory.some((place) => isAllowedIn(facts, place))
  );
}

function isInProxy(standing: SectionContext): boolean {
  for (let outer: SectionContext | undefined = standing; outer; outer = outer.outer)
    if (outer.place === "proxy") return true;
  return false;
}

const perDirectory = ["directory", "location", "if"] as const;

const isAllowedInLimit = (facts: DirectiveFacts) => isAllowedIn(facts, "limit");
/** The containers hand down what belongs to authorization or what any class allows, and that under Limit's rules. */
const isAllowedInContainer = (facts: DirectiveFacts) => isAllowedInLimit(facts) && belongsToAuthorization(facts);
/** Besides, what a section takes and no `.htaccess` file does. No section around refuses anything here. */
const isAllowedInAlias = (facts: DirectiveFacts) =>
  perDirectory.some((place) => isAllowedIn(facts, place)) &&
  (facts.override.length === 0 || belongsToAuthorization(facts));

const sectionsInScope = new Map<string, (facts: DirectiveFacts) => boolean>([
  ["<limit", isAllowedInLimit],
  ["<limitexcept", isAllowedInLimit],
  ["<requireall", isAllowedInContainer],
  ["<requireany", isAllowedInContainer],
  ["<requirenone", isAllowedInContainer],
  ["<authnprovideralias", isAllowedInAlias],
  ["<authzprovideralias", isAllowedInAlias],
]);

function belongsToAuthorization({ override }: DirectiveFacts): boolean {
  return override.includes("AuthConfig") || override.includes("All");
}

function findElseWithoutIf(scope: Scope): Directive[] {
  const found: Directive[] = [];
  if (scope.place === "unknown") return found;
  let hasIf = false;
  for (const directive of scope.directives) {
    if (directive.key === "<if") hasIf = true;
    else if (directive.key === "<else" || directive.key === "<elseif") {
      if (!hasIf) found.push(directive);
      if (directive.key === "<else") hasIf = false;
    }
  }
  return found;
}
