import { type DirectiveFacts, isAllowedIn, type Place } from "../../src/directives/directives.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Scope } from "../../src/engine/scope.js";
import type { Directive, KnownName } from "../../src/project/directive.js";
import { refusalConsequence } from "../../src/project/problems.js";

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "A directive where it is not allowed",
  severity: "error",
  description:
    "A directive or section that the server does not take in the section, virtual host or file it stands in.",
  help: "The server does not start; in a `.htaccess` file every request below answers 500. Access control belongs into `<Directory>`, `<Location>` or `<Files>` sections or into `.htaccess`, never at the level of the server or a virtual host. What a `.htaccess` file may hold beyond that depends on AllowOverride.",
  tags: ["correctness"],
  check: ({ project, report }) => {
    const isUsable = (facts: DirectiveFacts) =>
      !facts.manualOnly && (!project.modulesAreKnown || project.modules.provides(facts));
    const fitting = new FittingNames();
    const checkPlace = (directive: Directive, facts: readonly DirectiveFacts[], scope: Scope) => {
      const fits = fitting.around(directive, scope);
      if (fits.has(directive.known)) return;
      const refusing = refusingSurrounding(facts, directive, scope);
      if (!refusing) {
        fits.add(directive.known);
        return;
      }
      const { section } = refusing;
      report({
        message: `${titleOf(facts)} is not allowed ${nameOf(refusing)}, so ${refusalConsequence(scope.inHtaccess)}; ${placesOf(facts)}`,
        span: directive.nameSpan,
        related: section ? [{ message: "the section is opened here", span: section.span }] : [],
      });
    };
    return {
      forName(known) {
        const facts = known.facts.filter(isUsable);
        return facts.length === 0 ? undefined : (directive, scope) => checkPlace(directive, facts, scope);
      },
      scope: {
        holding: ["<else", "<elseif"],
        visit(scope) {
          for (const directive of withoutIf(scope)) {
            report({
              message: `\`${directive.name}>\` has no \`<If>\` before it in the same section, so ${refusalConsequence(scope.inHtaccess)}; put it right behind its \`<If>\``,
              span: directive.nameSpan,
            });
          }
        },
      },
    };
  },
});

/** The names that were found to fit, by the sections around: sections of one kind need not be looked into again. */
class FittingNames {
  private readonly bySurroundings = new Map<string, Set<KnownName>>();
  private last: { parent: Directive | undefined; scope: Scope; names: Set<KnownName> } | undefined;

  around({ parent }: Directive, scope: Scope): Set<KnownName> {
    const { last } = this;
    if (last && last.parent === parent && last.scope === scope) return last.names;
    let surroundings = String(scope.inHtaccess);
    for (let section = parent; section; section = section.parent) surroundings += section.key;
    const names = this.bySurroundings.get(surroundings) ?? new Set();
    this.bySurroundings.set(surroundings, names);
    this.last = { parent, scope, names };
    return names;
  }
}

/** Something around a directive that has a say in whether it may stand there. */
interface Surrounding {
  readonly place: Place;
  /** Undefined at the top of a file. */
  readonly section: Directive | undefined;
  takes(facts: DirectiveFacts): boolean;
}

function refusingSurrounding(
  facts: readonly DirectiveFacts[],
  directive: Directive,
  scope: Scope,
): Surrounding | undefined {
  if (facts.some(({ onlyInside }) => isCalled(directive.parent, onlyInside))) return undefined;
  for (const surrounding of surroundings(directive, scope)) if (!facts.some(surrounding.takes)) return surrounding;
  return undefined;
}

/** Whether a section goes by a name or by a short form of it (`<MDomain` for `<MDomainSet`). */
function isCalled(section: Directive | undefined, name: string | undefined): boolean {
  return section !== undefined && name?.toLowerCase().startsWith(section.key) === true;
}

/**
 * All that must take the directive, from the inside out; the server and virtual hosts judge only what no other section
 * is around. Nothing for what stands in a section of a module that we know nothing of.
 */
function* surroundings(directive: Directive, scope: Scope): Generator<Surrounding> {
  const isOfProxy = isInProxy(scope) ? isProxyOnly : () => false;
  let isInside = false;
  for (let section = directive.parent; section && section !== scope.section; section = section.parent) {
    if (section.known.facts.length === 0) return;
    const accepts = sectionsInScope.get(section.key);
    if (accepts === undefined) continue;
    yield {
      place: "limit",
      section,
      takes: (facts) => accepts(facts) || (accepts === takesInLimit && isOfProxy(facts)),
    };
    // What the alias holds is judged by itself, wherever the alias stands.
    if (accepts === takesInAlias) return;
    isInside = true;
  }
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) {
    const { place, section } = outer;
    if (place === "unknown" || (isInside && (place === "server" || place === "virtualhost"))) return;
    yield { place, section, takes: (facts) => isAllowedIn(facts, place) || isOfProxy(facts) };
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

function isInProxy(scope: Scope): boolean {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) if (outer.place === "proxy") return true;
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

/** Else and ElseIf with no If before them; other sections may stand between. */
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

function nameOf({ section, place }: Surrounding): string {
  if (section) return `in \`${section.name}>\``;
  return place === "htaccess" ? "in a `.htaccess` file" : "outside a section";
}

function titleOf([facts]: readonly DirectiveFacts[]): string {
  return facts?.section ? `\`<${facts.name}>\`` : `\`${facts?.name ?? ""}\``;
}

const sectionNames: readonly (readonly [Place, string])[] = [
  ["virtualhost", "`<VirtualHost>`"],
  ["directory", "`<Directory>`"],
  ["location", "`<Location>`"],
  ["files", "`<Files>`"],
  ["proxy", "`<Proxy>`"],
  ["htaccess", "`.htaccess` files"],
];

/** Where the directive may stand, in words. */
function placesOf(facts: readonly DirectiveFacts[]): string {
  const inside = facts.find((each) => each.onlyInside !== undefined)?.onlyInside;
  if (inside !== undefined) return `it belongs in \`${inside}>\``;
  const isAllowed = ([place]: readonly [Place, string]) => facts.some((each) => isAllowedIn(each, place));
  const names = sectionNames.filter(isAllowed).map(([, name]) => name);
  const last = names.pop();
  const sections = last === undefined ? [] : [`in ${names.length === 0 ? last : `${names.join(", ")} or ${last}`}`];
  const places = [...(isAllowed(["server", ""]) ? ["at server level"] : []), ...sections];
  return places.length === 0 ? "take it out" : `it may stand ${places.join(" or ")}`;
}
