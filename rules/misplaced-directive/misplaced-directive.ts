import { type DirectiveFacts, isAllowedIn, type Place } from "../../src/directives/directives.js";
import { defineRule } from "../../src/engine/rule.js";
import { placeOfSection, type Scope } from "../../src/engine/scope.js";
import type { Directive, KnownName } from "../../src/project/directive.js";

const containers = new Set(["<requireall", "<requireany", "<requirenone"]);
const limits = new Set(["<limit", "<limitexcept"]);

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "A directive where it is not allowed",
  severity: "error",
  description: "A directive or section that the server does not take in the section, virtual host or file it stands in.",
  help: "The server does not start; in a `.htaccess` file every request below answers 500. Access control belongs into `<Directory>`, `<Location>` or `<Files>` sections or into `.htaccess`, never at the level of the server or a virtual host. What a `.htaccess` file may hold beyond that depends on AllowOverride.",
  tags: ["correctness"],
  check: ({ project, report }) => {
    // Names repeat, and so do the places they stand in.
    const usable = new Map<KnownName, readonly DirectiveFacts[]>();
    const factsOf = (known: KnownName) => {
      const before = usable.get(known);
      if (before) return before;
      const isUsable = (facts: DirectiveFacts) =>
        !facts.manualOnly && (!project.modulesAreKnown || project.modules.provides(facts));
      const facts = known.facts.filter(isUsable);
      usable.set(known, facts);
      return facts;
    };
    return {
      everyDirective(directive, scope) {
        const facts = factsOf(directive.known);
        if (facts.length === 0 || fits(facts, directive, scope)) return;
        report({
          message: `${titleOf(facts)} is not allowed ${surroundings(directive, scope)}, so ${consequence(scope)}; it belongs ${placesOf(facts)}`,
          span: directive.nameSpan,
          related: directive.parent ? [{ message: "the section is opened here", span: directive.parent.span }] : [],
        });
      },
      scope(scope) {
        for (const directive of withoutIf(scope)) {
          report({
            message: `\`${directive.name}>\` has no \`<If>\` before it in the same section, so ${consequence(scope)}; put it right behind its \`<If>\``,
            span: directive.nameSpan,
          });
        }
      },
    };
  },
});

/** The place that the nearest section makes; undefined where it may be any: at the top of a fragment. */
function placeOf(directive: Directive, scope: Scope): Place | undefined {
  const section = directive.parent;
  if (section !== undefined && limits.has(section.key)) return "limit";
  const { place } = scope;
  return isInHtaccess(scope) ? "htaccess" : place === "unknown" ? undefined : place;
}

/** Sections of a `.htaccess` file take only what the file itself takes. */
function isInHtaccess(scope: Scope): boolean {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) if (outer.place === "htaccess") return true;
  return false;
}

function fits(facts: readonly DirectiveFacts[], directive: Directive, scope: Scope): boolean {
  const section = directive.parent;
  // The containers hand down only what belongs to authorization, and what any class allows.
  if (section !== undefined && containers.has(section.key)) {
    return placeOfSection(directive) === undefined && facts.some(takesAuthorization);
  }
  const place = placeOf(directive, scope);
  if (place === undefined) return true;
  return facts.some((each) => isAllowedIn(each, place) && isInsideOf(each.onlyInside, section));
}

function isInsideOf(wanted: string | undefined, section: Directive | undefined): boolean {
  return wanted === undefined || section?.key === wanted.toLowerCase();
}

function takesAuthorization(facts: DirectiveFacts): boolean {
  return facts.readTime || facts.override.includes("AuthConfig") || facts.override.includes("All");
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

function consequence(scope: Scope): string {
  return isInHtaccess(scope) ? "every request below answers 500" : "the server does not start";
}

function surroundings(directive: Directive, scope: Scope): string {
  if (directive.parent) return `in \`${directive.parent.name}>\``;
  return scope.place === "htaccess" ? "in a `.htaccess` file" : "outside a section";
}

function titleOf([facts]: readonly DirectiveFacts[]): string {
  return facts?.section ? `\`<${facts.name}>\`` : `\`${facts?.name ?? ""}\``;
}

const placeNames: readonly (readonly [Place, string])[] = [
  ["server", "the level of the server"],
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
  if (inside !== undefined) return `in \`${inside}>\``;
  const names = placeNames.filter(([place]) => facts.some((each) => isAllowedIn(each, place))).map(([, name]) => name);
  if (names.length === 0) return "to other places";
  const last = names.pop();
  return names.length === 0 ? `in ${last}` : `in ${names.join(", ")} or ${last}`;
}
