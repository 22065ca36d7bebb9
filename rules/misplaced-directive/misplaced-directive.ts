import {
  type ContextKind,
  createElseVisitor,
  createMisplacedVisitor,
  type Directive,
  type DirectiveFacts,
  isAllowedIn,
  type Misplacement,
} from "../../src/lint/api/configuration.js";
import {
  DuplicateGrouper,
  defineRule,
  type Edit,
  type Fix,
  indentOf,
  type RuleContext,
  rejectionEffectOf,
  removeLines,
  replaceLines,
} from "../../src/lint/api/rule.js";

const messages = {
  notAllowed: (facts: readonly DirectiveFacts[], where: string, inHtaccess: boolean) => ({
    message: `${titleOf(facts)} is not allowed ${where}`,
    effect: rejectionEffectOf(inHtaccess),
    help: [adviceOn(facts)],
  }),
  elseWithoutIf: ({ name }: Directive, inHtaccess: boolean) => ({
    message: `\`${name}>\` does not follow an \`<If>\` in the same section`,
    effect: rejectionEffectOf(inHtaccess),
    help: ["move it right after its `<If>`"],
  }),
};

const labels = { section: "section starts here" };

const fixTitles = { delete: "Delete this section", wrap: 'Wrap this line in `<Location "/">`' };

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "Directive not allowed here",
  group: "startup",
  severity: "error",
  description: "A directive or section that httpd does not accept in the surrounding section, virtual host or file.",
  help: "httpd does not start. In a `.htaccess` file, every request below it returns 500. Access control belongs in `<Directory>`, `<Location>` or `<Files>` sections or in `.htaccess` files. It is never allowed at server level or directly in a virtual host. AllowOverride decides which other directives a `.htaccess` file may contain.",
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
    const fix = outside && !inHtaccess ? createMoveFix(directive) : undefined;
    const message = messages.notAllowed(facts, describePlace(place, section), inHtaccess);
    report({
      message,
      span: directive.nameSpan,
      related: section ? [{ message: labels.section, span: section.span }] : [],
      cause: alike.causeOf(directive, message, fix?.title),
      ...(fix ? { fix } : {}),
    });
  };
}

function describePlace(place: ContextKind, section: Directive | undefined): string {
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
  ["htaccess", "a `.htaccess` file"],
];

/** Returns the remedy: the permitted contexts of the directive. */
function adviceOn(facts: readonly DirectiveFacts[]): string {
  const inside = facts.find((each) => each.requiredSection !== undefined)?.requiredSection;
  if (inside !== undefined) return `move it to \`${inside}>\``;
  const isAllowed = ([place]: readonly [ContextKind, string]) => facts.some((each) => isAllowedIn(each, place));
  const names = sectionNames.filter(isAllowed).map(([, name]) => name);
  const places = [...(isAllowed(["server", ""]) ? ["server level"] : []), ...names];
  const last = places.pop();
  if (last === undefined) return "delete it";
  return `move it to ${places.length === 0 ? last : `${places.join(", ")} or ${last}`}`;
}

/** Returns a fix for a directive of 2.2 that 2.4 accepts only in sections; undefined if that needs human judgement. */
function createMoveFix(directive: Directive): Fix | undefined {
  const edits = [directive.children ? removeEmptyLimit(directive) : renameClientCertificate(directive)];
  const possibleEdits = edits.filter((edit) => edit !== undefined);
  if (possibleEdits.length === 0) return undefined;
  return { title: directive.children ? fixTitles.delete : fixTitles.wrap, safety: "unsafe", edits: possibleEdits };
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
