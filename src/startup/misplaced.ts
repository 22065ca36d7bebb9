import type { Directive, NameFacts } from "../config/model/directive.js";
import { mayBeThirdParty } from "../config/model/modules.js";
import type { Project } from "../config/model/project.js";
import { SectionContext, topSectionContext } from "../config/model/scope.js";
import { findElseWithoutIf } from "../config/queries/else-without-if.js";
import { type ConfigurationVisitor, walkProject } from "../config/queries/walker.js";
import { type Refusal, wordingOf } from "../config/refusals/refusal.js";
import {
  type ContextKind,
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  isAllowedIn,
} from "../facts/directives.js";
import { formatWordList } from "../text/words.js";
import { findMisplacedInclusion } from "./inclusions.js";

/** The refusal of a directive in a context that does not allow it. */
export interface MisplacedDirective extends Refusal {
  readonly directive: Directive;
  readonly inHtaccess: boolean;
  /** The section that rejects it; undefined at the top of a file. */
  readonly section?: Directive | undefined;
  /** The Include or Use line that adds it there, and that must move instead: everything that it adds belongs elsewhere. */
  readonly inclusion?: Directive;
}

/** Returns a visitor that reports each directive in a context that does not allow it. */
export function createMisplacedVisitor(
  project: Project,
  found: (refusal: MisplacedDirective) => void,
): Required<Pick<ConfigurationVisitor, "byWords">> {
  const isUsable = (facts: DirectiveFacts) =>
    !facts.manualOnly && (!project.modulesAreKnown || project.modules.provides(facts));
  const isUnclosed = findUnclosedSections(project);
  return {
    byWords(known, sectionContext) {
      if (isForeignOfServer(known, project))
        return (directive, { inHtaccess }) => {
          if (!inHtaccess && project.kind !== "htaccess") return;
          const title = `\`${directive.children ? `${directive.name}>` : directive.name}\``;
          const text = wordingOf("server-directive-in-htaccess", title);
          found({ ...text, kind: "directive", span: directive.nameSpan, directive, inHtaccess: true });
        };
      const facts = known.facts.filter(isUsable);
      if (facts.length === 0 || findRefusingSection(facts, sectionContext) === undefined) return undefined;
      return (directive, { inHtaccess }) => {
        // The content of an unclosed section is unknown.
        const sections = sectionsAround(directive).filter((section) => !isUnclosed(section));
        const top = topSectionContext(inHtaccess ? "htaccess" : project.kind);
        const certain = sections.reduceRight((outer, section) => outer.inside(section.known), top);
        const refusing = findRefusingSection(facts, certain);
        if (refusing === undefined) return;
        const section = sections[refusing.distance];
        const where = describePlace(refusing.place, section);
        const canMove = (added: readonly Directive[]) => listDestinations(added, isUsable).length > 0;
        const moved = findMisplacedInclusion(directive, section, project, canMove);
        if (moved) {
          const { inclusion, added } = moved;
          const remedy = `move this \`${inclusion.name}\` to ${listPlaces(listDestinations(added, isUsable))}`;
          found({
            ...wordingOf("added-directive-not-allowed-here", titleOf(facts), where, inclusion.name, remedy),
            ...{ kind: "directive", span: inclusion.span, directive, inHtaccess, section, inclusion },
            related: [
              { message: "httpd rejects this line", span: directive.nameSpan },
              ...(section ? [{ message: "section starts here", span: section.span }] : []),
            ],
          });
          return;
        }
        found({
          ...wordingOf("directive-not-allowed-here", titleOf(facts), where, adviceOn(facts, inHtaccess)),
          ...{ kind: "directive", span: directive.nameSpan, directive, inHtaccess, section },
          related: section ? [{ message: "section starts here", span: section.span }] : [],
        });
      };
    },
  };
}

/** Reports whether a module that may be loaded defines a name, and no value of AllowOverride allows it in `.htaccess` files. */
function isForeignOfServer({ key, facts }: NameFacts, project: Project): boolean {
  return (
    facts.length === 0 && findThirdPartyDirective(key)?.override?.length === 0 && mayBeThirdParty({ key }, project)
  );
}

/**
 * Returns a visitor that reports each Else and ElseIf without an earlier If in the same scope; other sections may be
 * between them.
 */
export function createElseVisitor(
  found: (refusal: MisplacedDirective) => void,
): Required<Pick<ConfigurationVisitor, "scope">> {
  return {
    scope: {
      holding: ["<else", "<elseif"],
      visit(scope) {
        const { inHtaccess, place } = scope;
        for (const directive of place === "unknown" ? [] : findElseWithoutIf(scope.directives)) {
          const wording = wordingOf("else-without-if", directive.name);
          found({ ...wording, kind: "directive", span: directive.nameSpan, directive, inHtaccess });
        }
      },
    },
  };
}

/** Returns the directives and sections of the main files whose context prevents the server from starting. */
export function findMisplaced(project: Project): readonly Directive[] {
  const found: Directive[] = [];
  // If its module is not loaded the server stops at the same line, so that does not matter.
  const mainFiles = { ...project, htaccess: [], modulesAreKnown: false };
  const visitors = [
    createMisplacedVisitor(mainFiles, ({ directive }) => found.push(directive)),
    createElseVisitor(({ directive }) => found.push(directive)),
  ];
  walkProject(mainFiles, visitors, () => found.length);
  return found;
}

/** Reports whether a context allows a directive; true if that is unknown. */
export function isPlacementAllowed(facts: readonly DirectiveFacts[], sectionContext: SectionContext): boolean {
  return findRefusingSection(facts, sectionContext) === undefined;
}

function describePlace(place: ContextKind, section: Directive | undefined): string {
  if (section) return `in \`${section.name}>\``;
  return place === "htaccess" ? "in a `.htaccess` file" : "outside a section";
}

function titleOf([facts]: readonly DirectiveFacts[]): string {
  return facts?.section ? `\`<${facts.name}>\`` : `\`${facts?.name ?? ""}\``;
}

type PlaceName = readonly [place: Exclude<ContextKind, "limit">, name: string];

const placeNames: readonly PlaceName[] = [
  ["server", "server level"],
  ["virtualhost", "`<VirtualHost>`"],
  ["directory", "`<Directory>`"],
  ["location", "`<Location>`"],
  ["files", "`<Files>`"],
  ["proxy", "`<Proxy>`"],
  ["htaccess", "a `.htaccess` file"],
];

/** Returns the remedy: the permitted contexts of the directive. */
function adviceOn(facts: readonly DirectiveFacts[], inHtaccess: boolean): string {
  const inside = facts.find((each) => each.requiredSection !== undefined)?.requiredSection;
  if (inside !== undefined) return `move it to \`${inside}>\``;
  const places = placeNames.filter(([place]) => facts.some((each) => isAllowedIn(each, place)));
  if (places.length === 0) return "delete it";
  const isOfDirectories =
    inHtaccess && facts.some(({ name, section }) => section && /^Directory(?:Match)?$/.test(name));
  if (isOfDirectories)
    return `write its lines into the \`.htaccess\` file of that directory, or move it to ${listPlaces(places)} in the configuration of the server`;
  const isOfSections = places.every(([place]) => place !== "server" && place !== "htaccess");
  return `move it to ${listPlaces(places)}${inHtaccess && isOfSections ? " in the configuration of the server" : ""}`;
}

function listPlaces(places: readonly PlaceName[]): string {
  return formatWordList(
    places.map(([, name]) => name),
    "or",
  );
}

/** Returns the places to which an Include or Use can move. */
function listDestinations(
  added: readonly Directive[],
  isUsable: (facts: DirectiveFacts) => boolean,
): readonly PlaceName[] {
  return placeNames.filter(
    ([place]) => place !== "htaccess" && isAcceptedIn(new SectionContext(place, false), added, isUsable),
  );
}

/**
 * Returns the Include or Use line that adds a directive to a section, if everything that the line adds can be in
 * `<RequireAll>` as well.
 */
export function findInclusionForRequireAll(directive: Directive, project: Project): Directive | undefined {
  const known = { key: "<requireall", facts: findDirectiveFacts(project.release, "<RequireAll>") };
  const context = new SectionContext("directory", false).inside(known);
  const canMove = (added: readonly Directive[]) => isAcceptedIn(context, added, ({ manualOnly }) => !manualOnly);
  return findMisplacedInclusion(directive, directive.parent, project, canMove)?.inclusion;
}

/** Reports whether a context allows directives, with the contents of sections. */
function isAcceptedIn(
  sectionContext: SectionContext,
  directives: readonly Directive[],
  isUsable: (facts: DirectiveFacts) => boolean,
): boolean {
  return directives.every(({ known, children }) => {
    const facts = known.facts.filter(isUsable);
    const isAccepted = facts.length === 0 || findRefusingSection(facts, sectionContext) === undefined;
    return isAccepted && (!children || isAcceptedIn(sectionContext.inside(known), children, isUsable));
  });
}

/** A surrounding section or scope that may reject a directive. */
interface EnclosingSection {
  readonly place: ContextKind;
  /** Number of sections between it and the directive: 0 is the innermost section. */
  readonly distance: number;
  accepts(facts: DirectiveFacts): boolean;
}

function findRefusingSection(
  facts: readonly DirectiveFacts[],
  sectionContext: SectionContext,
): EnclosingSection | undefined {
  if (facts.some(({ requiredSection }) => matchesSectionName(sectionContext.section, requiredSection)))
    return undefined;
  for (const surrounding of enclosingSections(sectionContext)) if (!facts.some(surrounding.accepts)) return surrounding;
  return undefined;
}

/** Reports whether a section has a name or a short form of it (`<MDomain` for `<MDomainSet`). */
function matchesSectionName(section: NameFacts | undefined, name: string | undefined): boolean {
  return section !== undefined && name?.toLowerCase().startsWith(section.key) === true;
}

/** Returns the enclosing sections, innermost first. */
function sectionsAround({ parent }: Directive): Directive[] {
  const sections: Directive[] = [];
  for (let section = parent; section; section = section.parent) sections.push(section);
  return sections;
}

/** Returns a predicate for sections that are unclosed at the end of the file, or when an enclosing one is closed. */
function findUnclosedSections({ problems }: Project): (section: Directive) => boolean {
  const syntax = problems.filter(({ kind }) => kind === "syntax");
  const unclosed = [
    ...syntax.filter(({ code }) => code === "unclosed-section").map(({ span }) => span),
    ...syntax.filter(({ crosses }) => crosses).flatMap(({ related = [] }) => related.map(({ span }) => span)),
  ];
  return ({ span }) => unclosed.some(({ file, start }) => file === span.file && start === span.start);
}

/**
 * Yields all contexts that must allow the directive, innermost first. The server and virtual hosts matter only if no
 * other section encloses it. Yields nothing in a section of an unknown module.
 */
function* enclosingSections(sectionContext: SectionContext): Generator<EnclosingSection> {
  const isOfProxy = isInProxy(sectionContext) ? isProxyOnly : () => false;
  let isInside = false;
  let distance = 0;
  let enclosing: SectionContext | undefined = sectionContext;
  for (; enclosing?.section && !enclosing.opensScope; enclosing = enclosing.outer, distance++) {
    if (enclosing.section.facts.length === 0) return;
    const accepts = sectionsInScope.get(enclosing.section.key);
    if (accepts === undefined) continue;
    yield {
      place: "limit",
      distance,
      accepts: (facts) => accepts(facts) || (accepts === isAllowedInLimit && isOfProxy(facts)),
    };
    // The content of the alias is checked separately, and regardless of its place.
    if (accepts === isAllowedInAlias) return;
    isInside = true;
  }
  for (; enclosing; enclosing = enclosing.outer, distance++) {
    // A section within the outer scope does not restrict the content of an inner scope.
    if (enclosing.section && !enclosing.opensScope) continue;
    const { place } = enclosing;
    if (place === "unknown" || (isInside && (place === "server" || place === "virtualhost"))) return;
    yield { place, distance, accepts: (facts) => isAllowedIn(facts, place) || isOfProxy(facts) };
    isInside = true;
  }
}

/** Reports whether only `<Proxy>` allows a directive; it then also allows it in its inner sections. */
function isProxyOnly(facts: DirectiveFacts): boolean {
  return (
    isAllowedIn(facts, "proxy") &&
    facts.override.length === 0 &&
    !perDirectory.some((place) => isAllowedIn(facts, place))
  );
}

function isInProxy(sectionContext: SectionContext): boolean {
  for (let outer: SectionContext | undefined = sectionContext; outer; outer = outer.outer)
    if (outer.place === "proxy") return true;
  return false;
}

const perDirectory = ["directory", "location", "if"] as const;

const isAllowedInLimit = (facts: DirectiveFacts) => isAllowedIn(facts, "limit");
/** The containers pass on directives of authorization or of any class, under Limit's rules. */
const isAllowedInContainer = (facts: DirectiveFacts) => isAllowedInLimit(facts) && belongsToAuthorization(facts);
/**
 * Directives that a section allows and a `.htaccess` file does not are allowed as well. No enclosing section rejects
 * anything here.
 */
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
