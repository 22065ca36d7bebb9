import { compatDirectiveNames } from "../../src/access/rules/compat-rules.js";
import type { OverrideClass } from "../../src/directives/directives.js";
import { defineRule, type RuleContext } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { HtaccessFile } from "../../src/project/model/project.js";
import { type DisallowedLine, type Inspector, inspectorOf } from "../../src/witness/inspector.js";
import { describeAnswer, describeRequest, formatLineTitle, manualNameOf } from "../../src/witness/probe-visitor.js";

export const overrideMissing = defineRule({
  id: "override-missing",
  title: "A .htaccess file that is not allowed what it says",
  severity: "error",
  description:
    "A directive in a `.htaccess` file that AllowOverride does not allow there, or no AllowOverride at all; access control that `Nonfatal=Override` has the server skip.",
  help: "A `.htaccess` file with one directive that is not allowed answers every request below it with 500. Without any AllowOverride on the way 2.4 still reads the file and allows nothing, where 2.2 allowed everything. `AllowOverride None` has the file left alone. With `Nonfatal=Override` the line is skipped instead, and where it is access control everybody comes in. Allow in the server's files what the `.htaccess` file says, or take it out there.",
  tags: ["upgrade", "access-control"],
  upgrade: "start",
  // Replacing a line helps only once the file is read.
  supersedes: ["old-access-control", "shadowed-rule"],
  check: ({ project, release, report }) => ({
    project() {
      if (release !== "2.4" || project.htaccess.length === 0) return;
      const inspector = inspectorOf(project);
      for (const file of inspector.htaccess) {
        reportSkipped(file, inspector, report);
        const found = inspector.findDisallowed(file);
        // A directive that is not valid in any such file is misplaced, whatever AllowOverride is.
        if (found === undefined || (found.directive && mayStandInNone(found.directive))) continue;
        const { allowed, span, probeAnswer } = found;
        report({
          message: messageOf(found, file),
          span,
          related: allowed ? [{ message: `${formatLineTitle(allowed)} is in force here`, span: allowed.span }] : [],
          witness: inspector.witness(probeAnswer),
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
  const lines = within(file.directives).filter((each) => directives.has(each) && classesOf(each).length > 0);
  const protects = lines.find(keepsOut);
  const first = lines.find(({ key }) => ofAccess.has(key));
  if (protects === undefined || first === undefined) return;
  report({
    message: `${formatLineTitle(allowed)} does not allow ${formatLineTitle(protects)} in this file and has the server skip it with no more than a warning in the log (AH02295), so it keeps nobody out; write \`AllowOverride ${wantedBy(file, allowed).join(" ")}\` instead, or move the rule into the server's \`<Directory>\` section`,
    span: first.span,
    related: [{ message: `${formatLineTitle(allowed)} is in force here`, span: allowed.span }],
  });
}

const ofAccess: ReadonlySet<string> = new Set([...compatDirectiveNames, "require", "sslrequiressl", "sslrequire"]);

/** Returns whether an access-control line can deny anybody. */
function keepsOut({ key, arguments: words, argumentText }: Directive): boolean {
  if (key === "order") return !/^deny,allow$/i.test(words[0]?.value ?? "");
  if (key === "require") return !/^all[\t ]+granted\b/i.test(argumentText);
  return key === "deny" || key === "sslrequiressl" || key === "sslrequire";
}

function messageOf({ directive, allowed, probeAnswer }: DisallowedLine, file: HtaccessFile): string {
  const what = directive ? `\`${manualNameOf(directive)}\`` : "this line";
  const answer = `${describeRequest(probeAnswer.request)} ${describeAnswer(probeAnswer)}, like all below`;
  const wanted = `AllowOverride ${wantedBy(file, allowed).join(" ")}`;
  if (allowed === undefined)
    return `no AllowOverride is in force for this file, and 2.4 allows nothing in it then, not even ${what}: ${answer}; write \`${wanted}\` into the server's \`<Directory>\` section for it, or \`AllowOverride None\` to have the file left alone`;
  const { key } = allowed;
  if (key === "allowoverride" && directive?.key === "options" && hasClass(allowed, "Options"))
    return `${formatLineTitle(allowed)} does not allow all that ${formatLineTitle(directive)} in this file says: ${answer}; name the option there, or take it out here`;
  const advice = key === "allowoverride" ? `write \`${wanted}\` instead` : `write \`${wanted}\` beside it`;
  return `${formatLineTitle(allowed)} does not allow ${what} in this file: ${answer}; ${advice}, or take out here what is not allowed`;
}

/** Returns the arguments of an AllowOverride that allows everything in a file, in addition to the current ones. */
function wantedBy({ directives }: HtaccessFile, allowed: Directive | undefined): readonly string[] {
  if (within(directives).some(isFromElsewhere)) return ["All"];
  const inForce = allowed?.key === "allowoverride" ? allowed.arguments.map(({ value }) => value) : [];
  const words = inForce.filter((word) => word.toLowerCase() !== "none");
  const has = (name: OverrideClass) =>
    words.some((word) => word.split("=")[0]?.toLowerCase() === name.toLowerCase()) ||
    (name === "All" && words.some((word) => !/^nonfatal=/i.test(word)));
  const needs = within(directives)
    .map(classesOf)
    .filter((classes) => classes.length > 0);
  // Directives that only one class allows come first: the same class may cover others.
  for (const classes of needs.sort((a, b) => a.length - b.length || rank(a) - rank(b)))
    if (!classes.some(has)) words.push(...classes.slice(0, 1));
  return words.length > 0 ? words : ["All"];
}

/** Returns whether no class allows a directive; for a third-party directive, that is unknown. */
function mayStandInNone(directive: Directive): boolean {
  return !isFromElsewhere(directive) && classesOf(directive).length === 0;
}

function isFromElsewhere({ known }: Directive): boolean {
  return known.facts.length === 0;
}

/** Directives that any class allows come last. */
function rank([first]: readonly OverrideClass[]): number {
  return first === "All" ? 1 : 0;
}

/** Returns the classes that each allow a directive. */
function classesOf({ known }: Directive): readonly OverrideClass[] {
  return [...new Set(known.facts.flatMap(({ override }) => override))];
}

function hasClass({ arguments: words }: Directive, name: OverrideClass): boolean {
  return words.some(({ value }) => value.split("=")[0]?.toLowerCase() === name.toLowerCase());
}

function within(directives: readonly Directive[]): readonly Directive[] {
  return directives.flatMap((each) => [each, ...within(each.children ?? [])]);
}
