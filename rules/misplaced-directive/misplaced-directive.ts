import {
  createElseVisitor,
  createMisplacedVisitor,
  type Directive,
  describeRefusal,
  type MisplacedDirective,
} from "../../src/lint/api/configuration.js";
import {
  DuplicateGrouper,
  defineRule,
  type Edit,
  type Fix,
  indentOf,
  type Report,
  removeLines,
  replaceLines,
} from "../../src/lint/api/rule.js";

const fixTitles = { delete: "Delete this section", wrap: 'Wrap this line in `<Location "/">`' };

export const misplacedDirective = defineRule({
  id: "misplaced-directive",
  title: "Directive not allowed here",
  group: "startup",
  advice: "anywhere",
  severity: "error",
  description: "A directive or section that httpd does not accept in the surrounding section, virtual host or file.",
  help: "httpd does not start. In a `.htaccess` file, every request below it returns 500. Access control belongs in `<Directory>`, `<Location>` or `<Files>` sections or in `.htaccess` files. It is never allowed at server level or directly in a virtual host. AllowOverride decides which other directives a `.htaccess` file may contain.",
  tags: ["correctness"],
  upgrade: "start",
  // Neither closing a misplaced section nor another path in it would help.
  supersedes: ["syntax-error", "shadowed-rule", "never-matching-path", "override-missing"],
  check: ({ project, report }) => {
    const alike = new DuplicateGrouper();
    const moved = new Set<Directive>();
    return {
      ...createMisplacedVisitor(project, (refusal) => {
        const { directive, inclusion } = refusal;
        if (inclusion === undefined) report(createReport(refusal, alike));
        else if (!moved.has(inclusion)) {
          // One finding is enough for all lines that an Include adds.
          moved.add(inclusion);
          const message = describeRefusal(refusal);
          const cause = alike.causeOf(inclusion, message, undefined);
          report({ ...refusal, message, cause, covers: [directive.nameSpan] });
        }
      }),
      ...createElseVisitor((refusal) => report({ ...refusal, message: describeRefusal(refusal) })),
    };
  },
});

/** Returns the report of a misplaced directive; hundreds of virtual hosts may have the same one. */
function createReport(refusal: MisplacedDirective, alike: DuplicateGrouper): Report {
  const { directive, section, inHtaccess } = refusal;
  const outside = section === undefined || section.key === "<virtualhost";
  const fix = outside && !inHtaccess ? createMoveFix(directive) : undefined;
  const message = describeRefusal(refusal);
  return { ...refusal, message, cause: alike.causeOf(directive, message, fix?.title), ...(fix ? { fix } : {}) };
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
