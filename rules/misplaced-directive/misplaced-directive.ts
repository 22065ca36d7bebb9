import { type DirectiveFacts, isAllowedIn, type Place } from "../../src/directives/directives.js";
import { defineRule } from "../../src/engine/rule.js";
import { placeOfSection, type Scope } from "../../src/engine/scope.js";
import type { Directive } from "../../src/project/directive.js";

const containers = new Set(["<requireall", "<requireany", "<requirenone"]);
const limits = new Set(["<limit", "<limitexcept"]);

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "A directive where it is not allowed",
  severity: "error",
  description: "A directive or section that the server does not take in the section, virtual host or file it stands in.",
  help: "The server does not start; in a `.htaccess` file every request below answers 500. Access control belongs into `<Directory>`, `<Location>` or `<Files>` sections or into `.htaccess`, never at the level of the server or a virtual host. What a `.htaccess` file may hold beyond that depends on AllowOverride.",
  tags: ["correctness"],
  check: ({ project, report }) => ({
    everyDirective(directive, scope) {
      const facts = directive.known.facts.filter(
        (each) => !each.manualOnly && (!project.modulesAreKnown || project.modules.provides(each)),
      );
      const surroundings = surroundingsOf(directive, scope);
      if (facts.length === 0 || surroundings === undefined) return;
      if (facts.some((each) => fits(each, directive, surroundings))) return;
      const [known] = facts;
      if (known === undefined) return;
      const consequence = scope.place === "htaccess" ? "every request below answers 500" : "the server does not start";
      report({
        message: `${title(known)} is not allowed ${surroundings.words}, so ${consequence}; it belongs ${placesOf(facts)}`,
        span: directive.nameSpan,
        related: surroundings.section ? [{ message: "the section is opened here", span: surroundings.section.span }] : [],
      });
    },
    scope(scope) {
      let hasIf = false;
      for (const directive of scope.directives) {
        if (directive.key === "<if") hasIf = true;
        if (directive.key === "<else" || directive.key === "<elseif") {
          if (!hasIf && scope.place !== "unknown") {
            report({
              message: `\`${directive.name}>\` has no \`<If>\` before it in the same section, so ${scope.place === "htaccess" ? "every request below answers 500" : "the server does not start"}; put it right behind its \`<If>\``,
              span: directive.nameSpan,
            });
          }
          if (directive.key === "<else") hasIf = false;
        }
      }
    },
  }),
});

/** What a directive stands in, as far as it decides what is allowed. */
interface Surroundings {
  readonly place: Place;
  readonly section: Directive | undefined;
  readonly inContainer: boolean;
  readonly words: string;
}

/** The nearest section, and the place it makes; undefined at the top of a fragment, which may be included anywhere. */
function surroundingsOf(directive: Directive, scope: Scope): Surroundings | undefined {
  const section = directive.parent;
  if (section === undefined) {
    if (scope.place === "unknown") return undefined;
    const words = scope.place === "htaccess" ? "in a `.htaccess` file" : "outside a section";
    return { place: scope.place, section, inContainer: false, words };
  }
  const words = `in \`${section.name}>\``;
  if (containers.has(section.key)) return { place: "directory", section, inContainer: true, words };
  if (limits.has(section.key)) return { place: "limit", section, inContainer: false, words };
  const place = placeOfSection(section);
  if (place === undefined || place === "unknown") return undefined;
  return { place: isInHtaccess(scope) ? "htaccess" : place, section, inContainer: false, words };
}

/** Sections of a `.htaccess` file take only what the file itself takes. */
function isInHtaccess(scope: Scope): boolean {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent) if (outer.place === "htaccess") return true;
  return false;
}

function fits(facts: DirectiveFacts, directive: Directive, { place, inContainer, section }: Surroundings): boolean {
  // The containers hand down only what belongs to authorization, and what any class allows.
  if (inContainer) return takesAuthorization(facts) && placeOfSection(directive) === undefined;
  if (facts.onlyInside !== undefined && section?.key !== facts.onlyInside.toLowerCase()) return false;
  return isAllowedIn(facts, place);
}

function takesAuthorization(facts: DirectiveFacts): boolean {
  return facts.readTime || facts.override.includes("AuthConfig") || facts.override.includes("All");
}

function title(facts: DirectiveFacts): string {
  return facts.section ? `\`<${facts.name}>\`` : `\`${facts.name}\``;
}

const placeNames: readonly (readonly [Place, string])[] = [
  ["server", "at the level of the server"],
  ["virtualhost", "in `<VirtualHost>`"],
  ["directory", "in `<Directory>`"],
  ["location", "in `<Location>`"],
  ["files", "in `<Files>`"],
  ["proxy", "in `<Proxy>`"],
  ["htaccess", "in `.htaccess` files"],
];

/** Where the directive may stand, in words. */
function placesOf(facts: readonly DirectiveFacts[]): string {
  const inside = facts.find((each) => each.onlyInside !== undefined)?.onlyInside;
  if (inside !== undefined) return `in \`${inside}>\``;
  const names = placeNames.filter(([place]) => facts.some((each) => isAllowedIn(each, place))).map(([, name]) => name);
  if (names.length < 2) return names[0] ?? "nowhere that httpd-lint knows of";
  return `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
}
