import {
  type ContextKind,
  createElseVisitor,
  createMisplacedVisitor,
  type Directive,
  type DirectiveFacts,
  isAllowedIn,
  type Misplacement,
} from "../../src/rule-api/configuration.js";
import {
  DuplicateGrouper,
  defineRule,
  describeConsequence,
  type Edit,
  type Fix,
  indentOf,
  type RuleContext,
  removeLines,
  replaceLines,
} from "../../src/rule-api/rule.js";

const messages = {
  notAllowed: (facts: readonly DirectiveFacts[], where: string, inHtaccess: boolean) =>
    `${titleOf(facts)} is not allowed ${where}, so ${describeConsequence(inHtaccess)}; ${placesOf(facts)}`,
  elseWithoutIf: ({ name }: Directive, inHtaccess: boolean) =>
    `\`${name}>\` has no \`<If>\` before it in the same section, so ${describeConsequence(inHtaccess)}; put it right behind its \`<If>\``,
};

const labels = { section: "the section is opened here" };

const fixTitles = { delete: "Take it out", wrap: "Put it into a section" };

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "A directive where it is not allowed",
  severity: "error",
  description:
    "A directive or section that the server does not take in the section, virtual host or file it stands in.",
  help: "The server does not start; in a `.htaccess` file every request below answers 500. Access control belongs into `<Directory>`, `<Location>` or `<Files>` sections or into `.htaccess`, never at the level of the server or a virtual host. What a `.htaccess` file may hold beyond that depends on AllowOverride.",
  tags: ["correctness"],
  upgrade: "start",
  // A misplaced section that is not closed: closing it would not help.
  supersedes: ["syntax-error", "shadowed-rule"],
  messages,
  check: ({ project, report }) => ({
    ...createMisplacedVisitor(project, reporter(report)),
    ...createElseVisitor((directive, { inHtaccess }) =>
      report({ message: messages.elseWithoutIf(directive, inHtaccess), span: directive.nameSpan }),
    ),
  }),
});

/** Returns a function that reports each misplaced directive; hundreds of virtual hosts may have the same one. */
function reporter(report: RuleContext["report"]): (misplacement: Misplacement) => void {
  const alike = new DuplicateGrouper();
  return ({ directive, facts, place, section, inHtaccess }) => {
    const outside = section === undefined || section.key === "<virtualhost";
    const fix = outside && !inHtaccess ? createFix(directive) : undefined;
    const message = messages.notAllowed(facts, nameOf(place, section), inHtaccess);
    report({
      message,
      span: directive.nameSpan,
      related: section ? [{ message: labels.section, span: section.span }] : [],
      cause: alike.causeOf(directive, message, fix?.title),
      ...(fix ? { fix } : {}),
    });
  };
}

function nameOf(place: ContextKind, section: Directive | undefined): string {
  if (section) return `in \`${section.name}>\``;
  return place === "htaccess" ? "in a `.htaccess` file" : "outside a section";
}

function titleOf([facts]: readonly DirectiveFacts[]): string {
  return facts?.section ? `\`<${facts.name}>\`` : `\`${facts?.name ?? ""}\``;
}

const sectionNames: readonly (readonly [ContextKind, string])[] = [
  ["virtualhost", "`<VirtualHost>`"],
  ["directory", "`<Directory>`"],
  ["location", "`<Location>`"],
  ["files", "`<Files>`"],
  ["proxy", "`<Proxy>`"],
  ["htaccess", "`.htaccess` files"],
];

/** Lists the permitted contexts of the directive. */
function placesOf(facts: readonly DirectiveFacts[]): string {
  const inside = facts.find((each) => each.requiredSection !== undefined)?.requiredSection;
  if (inside !== undefined) return `it belongs in \`${inside}>\``;
  const isAllowed = ([place]: readonly [ContextKind, string]) => facts.some((each) => isAllowedIn(each, place));
  const names = sectionNames.filter(isAllowed).map(([, name]) => name);
  const last = names.pop();
  const sections = last === undefined ? [] : [`in ${names.length === 0 ? last : `${names.join(", ")} or ${last}`}`];
  const places = [...(isAllowed(["server", ""]) ? ["at server level"] : []), ...sections];
  return places.length === 0 ? "take it out" : `it may stand ${places.join(" or ")}`;
}

/** Returns a fix for a directive of 2.2 that 2.4 accepts only in sections; undefined if that needs human judgement. */
function createFix(directive: Directive): Fix | undefined {
  const edits = [directive.children ? removeEmptyLimit(directive) : renameClientCertificate(directive)];
  const there = edits.filter((edit) => edit !== undefined);
  if (there.length === 0) return undefined;
  return { title: directive.children ? fixTitles.delete : fixTitles.wrap, safety: "unsafe", edits: there };
}

/** In 2.2, a Limit section at this level was ineffective, too. */
function removeEmptyLimit({ key, span }: Directive): Edit | undefined {
  const rest = span.file.text.slice(span.end);
  const end = /^[\t ]*\r?\n(?:[\t ]*\r?\n)*[\t ]*<\/Limit(?:Except)?>/i.exec(rest)?.[0].length;
  if (end === undefined || (key !== "<limit" && key !== "<limitexcept")) return undefined;
  return removeLines({ ...span, end: span.end + end });
}

/** A setting for all connections to LDAP servers becomes one for all requests. */
function renameClientCertificate({ key, span }: Directive): Edit | undefined {
  const line = span.file.text.slice(span.start, span.end);
  if (key !== "ldaptrustedclientcert" || line.includes("\n")) return undefined;
  const indent = indentOf(span);
  return replaceLines(span, `${indent}<Location "/">\n${indent}    ${line}\n${indent}</Location>`);
}
