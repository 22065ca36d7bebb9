import {
  type AccessAnswer,
  compatDirectiveNames,
  type DisallowedLine,
  describeProbe,
  formatLineTitle,
  type Inspector,
  inspectorOf,
  isOverrideUnknown,
  manualNameOf,
  overridesAllowing,
  overrideWordsFor,
} from "../../src/lint/api/access.js";
import { type Directive, type HtaccessFile, isSince, type OverrideClass } from "../../src/lint/api/configuration.js";
import { defineRule, type MessageText, type RuleContext, rejectionEffectOf } from "../../src/lint/api/rule.js";

const titleOf = (directive: Directive | undefined) => (directive ? `\`${manualNameOf(directive)}\`` : "this line");

const messages = {
  noneAllowed: (directive: Directive | undefined, answer: AccessAnswer, wanted: readonly string[]) => ({
    message: `${titleOf(directive)} is not allowed: no AllowOverride applies to this file`,
    effect: rejectionEffectOf(true),
    notes: ["without AllowOverride, 2.4 reads the file and allows nothing in it", describeProbe(answer)],
    help: [
      `add \`AllowOverride ${wanted.join(" ")}\` to the server's \`<Directory>\` section for this directory`,
      "or add `AllowOverride None` there to ignore this file",
    ],
    addsLines: true as const,
  }),
  /** Of a third-party module. */
  neverAllowed: (directive: Directive, answer: AccessAnswer) => ({
    message: `${titleOf(directive)} is not allowed in a \`.htaccess\` file`,
    effect: rejectionEffectOf(true),
    notes: [describeProbe(answer)],
    help: ["move it to the server's files"],
  }),
  optionNotAllowed: (allowed: Directive, options: Directive, answer: AccessAnswer) => ({
    message: `${formatLineTitle(allowed)} does not allow every option of ${formatLineTitle(options)}`,
    effect: rejectionEffectOf(true),
    notes: [describeProbe(answer)],
    help: ["add the option to AllowOverride", "or delete the option from this line"],
  }),
  /** By AllowOverride. */
  notAllowed: (
    allowed: Directive,
    directive: Directive | undefined,
    answer: AccessAnswer,
    wanted: readonly string[],
  ) => ({
    message: `${formatLineTitle(allowed)} does not allow ${titleOf(directive)} in this file`,
    effect: rejectionEffectOf(true),
    notes: [describeProbe(answer)],
    help: [
      `use \`AllowOverride ${wanted.join(" ")}\` instead`,
      "or move the directives that are not allowed to a `<Directory>` section",
    ],
    addsLines: true as const,
  }),
  /** By AllowOverrideList. */
  notListed: (
    allowed: Directive,
    directive: Directive | undefined,
    answer: AccessAnswer,
    wanted: readonly string[],
  ) => ({
    message: `${formatLineTitle(allowed)} does not allow ${titleOf(directive)} in this file`,
    effect: rejectionEffectOf(true),
    notes: [describeProbe(answer)],
    help: [
      `add \`AllowOverride ${wanted.join(" ")}\` next to it`,
      "or move the directives that are not allowed to a `<Directory>` section",
    ],
    addsLines: true as const,
  }),
  skipped: (allowed: Directive, protects: Directive, wanted: readonly string[]) => ({
    message: `${formatLineTitle(allowed)} makes httpd skip ${formatLineTitle(protects)}`,
    notes: ["httpd only logs a warning (AH02295)", `${formatLineTitle(protects)} denies nobody`],
    help: [
      `use \`AllowOverride ${wanted.join(" ")}\` instead`,
      "or move the rule to the server's `<Directory>` section",
    ],
  }),
};

const labels = { allowed: "applies to this file" };

export const overrideMissing = defineRule({
  id: "override-missing",
  title: "Directive not permitted by AllowOverride",
  group: "startup",
  severity: "error",
  description:
    "A directive in a `.htaccess` file that AllowOverride does not allow, or that no AllowOverride covers. Also access control that httpd skips because of `Nonfatal=Override`.",
  help: "If a `.htaccess` file contains a directive that is not allowed, every request below it returns 500. Without any AllowOverride, 2.4 still reads the file and allows nothing, whereas 2.2 allows everything. `AllowOverride None` makes httpd ignore the file. With `Nonfatal=Override`, httpd skips the line instead; if the line is access control, everyone is allowed. Allow the directives in the server's files, or delete them from the `.htaccess` file.",
  tags: ["upgrade", "access-control"],
  upgrade: "start",
  // Replacing a line helps only once the file is read.
  supersedes: ["old-access-control", "shadowed-rule", "upgrade-changes-access"],
  needsWholeServer: { reason: "another file may set AllowOverride" },
  isResolvedByMigrate: true,
  messages,
  check: ({ project, release, report }) => ({
    end() {
      if (!isSince(release, "2.4") || project.htaccess.length === 0) return;
      const inspector = inspectorOf(project);
      for (const file of inspector.htaccess) {
        reportSkipped(file, inspector, report);
        const disallowed = inspector.findDisallowed(file);
        // A directive that is not valid in any such file is misplaced, whatever AllowOverride is.
        if (disallowed === undefined || (disallowed.directive && isMisplaced(disallowed.directive))) continue;
        const { allowed, span, answer } = disallowed;
        // Another rule reports a directive whose argument is rejected, whatever AllowOverride is.
        if (disallowed.directive && allowed && isFullyAllowed(disallowed.directive, allowed)) continue;
        report({
          message: createMessage(disallowed, file),
          span,
          related: allowed ? [{ message: labels.allowed, span: allowed.span }] : [],
          witness: inspector.witness(answer),
        });
      }
    },
  }),
});

/**
 * Reports directives that Nonfatal ignores: the server does not treat that as an error, but what they protect is open.
 */
function reportSkipped(file: HtaccessFile, inspector: Inspector, report: RuleContext["report"]): void {
  const skipped = inspector.skippedLinesIn(file);
  if (skipped?.allowed === undefined) return;
  const { allowed, directives } = skipped;
  const lines = within(file.directives).filter((each) => directives.has(each) && overridesAllowing(each).length > 0);
  const protects = lines.find(deniesClients);
  const first = lines.find(({ key }) => ofAccess.has(key));
  if (protects === undefined || first === undefined) return;
  report({
    message: messages.skipped(allowed, protects, overrideWordsFor(file, allowed)),
    span: first.span,
    related: [{ message: labels.allowed, span: allowed.span }],
  });
}

const ofAccess: ReadonlySet<string> = new Set([...compatDirectiveNames, "require", "sslrequiressl", "sslrequire"]);

/** Returns whether an access-control line can deny a client. */
function deniesClients({ key, arguments: words, argumentText }: Directive): boolean {
  if (key === "order") return !/^deny,allow$/i.test(words[0]?.value ?? "");
  if (key === "require") return !/^all[\t ]+granted\b/i.test(argumentText);
  return key === "deny" || key === "sslrequiressl" || key === "sslrequire";
}

function createMessage({ directive, allowed, answer }: DisallowedLine, file: HtaccessFile): MessageText {
  if (directive && isNeverAllowed(directive)) return messages.neverAllowed(directive, answer);
  const wanted = overrideWordsFor(file, allowed);
  if (allowed === undefined) return messages.noneAllowed(directive, answer, wanted);
  const isOverride = allowed.key === "allowoverride";
  if (isOverride && directive?.key === "options" && hasClass(allowed, "Options"))
    return messages.optionNotAllowed(allowed, directive, answer);
  return (isOverride ? messages.notAllowed : messages.notListed)(allowed, directive, answer, wanted);
}

/** Returns whether AllowOverride allows a directive with all its arguments. */
function isFullyAllowed(directive: Directive, allowed: Directive): boolean {
  if (allowed.key !== "allowoverride" || isOverrideUnknown(directive)) return false;
  const words = allowed.arguments.map(({ value }) => value.toLowerCase());
  return overridesAllowing(directive).some((name) => words.includes(name.toLowerCase()));
}

/** Returns whether no class allows a directive of httpd, which another rule reports. */
function isMisplaced(directive: Directive): boolean {
  return directive.known.facts.length > 0 && isNeverAllowed(directive);
}

/** Returns whether no class allows a directive; for some third-party directives, that is unknown. */
function isNeverAllowed(directive: Directive): boolean {
  return !isOverrideUnknown(directive) && overridesAllowing(directive).length === 0;
}

function hasClass({ arguments: words }: Directive, name: OverrideClass): boolean {
  return words.some(({ value }) => value.split("=")[0]?.toLowerCase() === name.toLowerCase());
}

function within(directives: readonly Directive[]): readonly Directive[] {
  return directives.flatMap((each) => [each, ...within(each.children ?? [])]);
}
