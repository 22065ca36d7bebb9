import { type DirectiveFacts, isAllowedIn, type Place } from "../../src/directives/directives.js";
import { AlikeMistakes } from "../../src/engine/alike-mistakes.js";
import { defineRule, type RuleContext } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { refusalConsequence } from "../../src/project/problems.js";
import { type Misplacement, misplacedVisitor, withoutIfVisitor } from "../../src/refusals/misplaced.js";
import { fixOutside } from "./fixes.js";

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "A directive where it is not allowed",
  severity: "error",
  description:
    "A directive or section that the server does not take in the section, virtual host or file it stands in.",
  help: "The server does not start; in a `.htaccess` file every request below answers 500. Access control belongs into `<Directory>`, `<Location>` or `<Files>` sections or into `.htaccess`, never at the level of the server or a virtual host. What a `.htaccess` file may hold beyond that depends on AllowOverride.",
  tags: ["correctness"],
  upgrade: "start",
  // A section that is not closed either: closing it would not help.
  supersedes: ["syntax-error", "shadowed-rule"],
  check: ({ project, report }) => ({
    ...misplacedVisitor(project, reporter(report)),
    ...withoutIfVisitor((directive, { inHtaccess }) =>
      report({
        message: `\`${directive.name}>\` has no \`<If>\` before it in the same section, so ${refusalConsequence(inHtaccess)}; put it right behind its \`<If>\``,
        span: directive.nameSpan,
      }),
    ),
  }),
});

/** Reports each misplaced directive; virtual hosts by the hundred may have the same one. */
function reporter(report: RuleContext["report"]): (misplacement: Misplacement) => void {
  const alike = new AlikeMistakes();
  return ({ directive, facts, place, section, inHtaccess }) => {
    const outside = section === undefined || section.key === "<virtualhost";
    const fix = outside && !inHtaccess ? fixOutside(directive) : undefined;
    const message = `${titleOf(facts)} is not allowed ${nameOf(place, section)}, so ${refusalConsequence(inHtaccess)}; ${placesOf(facts)}`;
    report({
      message,
      span: directive.nameSpan,
      related: section ? [{ message: "the section is opened here", span: section.span }] : [],
      cause: alike.causeOf(directive, message, fix?.title),
      ...(fix ? { fix } : {}),
    });
  };
}

function nameOf(place: Place, section: Directive | undefined): string {
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
