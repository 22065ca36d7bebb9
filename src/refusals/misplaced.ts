import { type DirectiveFacts, isAllowedIn, type Place } from "../directives/directives.js";
import type { Directive, KnownName } from "../project/directive.js";
import type { Project } from "../project/project.js";
import type { Scope } from "../project/scope.js";
import { type Standing, topStanding } from "../project/standing.js";
import { type ConfigurationVisitor, walkProject } from "../project/walk.js";

/** A directive where the server does not take it. */
export interface Misplacement {
  readonly directive: Directive;
  /** What loaded modules know of it. */
  readonly facts: readonly DirectiveFacts[];
  /** What refuses it there. */
  readonly place: Place;
  /** The section that refuses it; undefined at the top of a file. */
  readonly section: Directive | undefined;
  readonly inHtaccess: boolean;
}

/** Is shown a configuration, and tells of each directive that the server does not take where it stands. */
export function misplacedVisitor(
  project: Project,
  found: (misplacement: Misplacement) => void,
): Required<Pick<ConfigurationVisitor, "byWords">> {
  const isUsable = (facts: DirectiveFacts) =>
    !facts.manualOnly && (!project.modulesAreKnown || project.modules.provides(facts));
  const isUnclosed = unclosedSections(project);
  return {
    byWords(known, standing) {
      const facts = known.facts.filter(isUsable);
      if (facts.length === 0 || refusingSurrounding(facts, standing) === undefined) return undefined;
      return (directive, { inHtaccess }) => {
        // Nobody knows what a section holds that is never closed.
        const sections = sectionsAround(directive).filter((section) => !isUnclosed(section));
        const top = topStanding(inHtaccess ? "htaccess" : project.kind);
        const certain = sections.reduceRight((outer, section) => outer.inside(section.known), top);
        const refusing = refusingSurrounding(facts, certain);
        if (refusing === undefined) return;
        found({ directive, facts, place: refusing.place, section: sections[refusing.distance], inHtaccess });
      };
    },
  };
}

/** Is shown scopes, and tells of each Else and ElseIf with no If before it in the same one; other sections may stand between. */
export function withoutIfVisitor(
  found: (directive: Directive, scope: Scope) => void,
): Required<Pick<ConfigurationVisitor, "scope">> {
  return {
    scope: {
      holding: ["<else", "<elseif"],
      visit(scope) {
        for (const directive of withoutIf(scope)) found(directive, scope);
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
    misplacedVisitor(mainFiles, ({ directive }) => found.push(directive)),
    withoutIfVisitor((directive) => found.push(directive)),
  ];
  walkProject(mainFiles, visitors, () => found.length);
  return found;
}

/** Whether the server takes a directive where all that is around it is known; true where nobody knows. */
export function mayStandIn(facts: readonly DirectiveFacts[], standing: Standing): boolean {
  return refusingSurrounding(facts, standing) === undefined;
}

/** Something around a directive that has a say in whether it may stand there. */
interface Surrounding {
  readonly place: Place;
  /** How many sections out it stands: 0 is the one right around the directive. */
  readonly distance: number;
  takes(facts: DirectiveFacts): boolean;
}

function refusingSurrounding(facts: readonly DirectiveFacts[], standing: Standing): Surrounding | undefined {
  if (facts.some(({ onlyInside }) => isCalled(standing.section, onlyInside))) return undefined;
  for (const surrounding of surroundings(standing)) if (!facts.some(surrounding.takes)) return surrounding;
  return undefined;
}

/** Whether a section goes by a name or by a short form of it (`<MDomain` for `<MDomainSet`). */
function isCalled(section: KnownName | undefined, name: string | undefined): boolean {
  return section !== undefined && name?.toLowerCase().startsWith(section.key) === true;
}

/** From the inside out. */
function sectionsAround({ parent }: Directive): Directive[] {
  const sections: Directive[] = [];
  for (let section = parent; section; section = section.parent) sections.push(section);
  return sections;
}

/** Tells the sections that are open at the end of their file, or where one around them is closed. */
function unclosedSections({ problems }: Project): (section: Directive) => boolean {
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
function* surroundings(standing: Standing): Generator<Surrounding> {
  const isOfProxy = isInProxy(standing) ? isProxyOnly : () => false;
  let isInside = false;
  let distance = 0;
  let around: Standing | undefined = standing;
  for (; around?.section && !around.opensScope; around = around.outer, distance++) {
    if (around.section.facts.length === 0) return;
    const accepts = sectionsInScope.get(around.section.key);
    if (accepts === undefined) continue;
    yield {
      place: "limit",
      distance,
      takes: (facts) => accepts(facts) || (accepts === takesInLimit && isOfProxy(facts)),
    };
    // What the alias holds is judged by itself, wherever the alias stands.
    if (accepts === takesInAlias) return;
    isInside = true;
  }
  for (; around; around = around.outer, distance++) {
    // A section within the scope around says nothing about what stands in an inner scope.
    if (around.section && !around.opensScope) continue;
    const { place } = around;
    if (place === "unknown" || (isInside && (place === "server" || place === "virtualhost"))) return;
    yield { place, distance, takes: (facts) => isAllowedIn(facts, place) || isOfProxy(facts) };
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

function isInProxy(standing: Standing): boolean {
  for (let outer: Standing | undefined = standing; outer; outer = outer.outer) if (outer.place === "proxy") return true;
  return false;
}

const perDirectory = ["directory", "location", "if"] as const;

const takesInLimit = (facts: DirectiveFacts) => isAllowedIn(facts, "limit");
/** The containers hand down what belongs to authorization or what any class allows, and that under Limit's rules. */
const takesInContainer = (facts: DirectiveFacts) => takesInLimit(facts) && belongsToAuthorization(facts);
/** Besides, what a section takes and no `.htaccess` file does. No section around refuses anything here. */
const takesInAlias = (facts: DirectiveFacts) =>
  perDirectory.some((place) => isAllowedIn(facts, place)) &&
  (facts.override.length === 0 || belongsToAuthorization(facts));

const sectionsInScope = new Map<string, (facts: DirectiveFacts) => boolean>([
  ["<limit", takesInLimit],
  ["<limitexcept", takesInLimit],
  ["<requireall", takesInContainer],
  ["<requireany", takesInContainer],
  ["<requirenone", takesInContainer],
  ["<authnprovideralias", takesInAlias],
  ["<authzprovideralias", takesInAlias],
]);

function belongsToAuthorization({ override }: DirectiveFacts): boolean {
  return override.includes("AuthConfig") || override.includes("All");
}

function withoutIf(scope: Scope): Directive[] {
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
