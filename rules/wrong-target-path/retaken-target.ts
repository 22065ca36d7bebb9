import {
  describeAnswer,
  formatLineTitle,
  lineTrialsOf,
  type RetakenTarget,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  addRewriteFlag,
  mayNameDirectory,
  parseRewriteRules,
  type RewriteRule,
  type RulePlace,
  RulePlaces,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteShort, quoteText, type RuleContext } from "../../src/lint/api/rule.js";

const exclusion = "exclude the target with a condition of the other rule";

const messages = {
  retaken: ({ answer, by, target }: RetakenTarget, end: string | undefined) => ({
    message: `another rule takes the target ${quoteShort(target, 48)} of this one`,
    notes: [
      answer.file === undefined || answer.status >= 400
        ? describeAnswer(answer)
        : `${describeAnswer(answer)} from ${quoteText(answer.file)}`,
      `in a directory, the rules run again for the target, and ${formatLineTitle(by)} applies to it`,
    ],
    help: end === undefined ? [exclusion] : [end, `or ${exclusion}`],
  }),
};

const labels = { other: "applies to the target" };

const fixTitle = "Add `END`";

/** Finds rules of a directory whose target another rule of the list takes in the next round (mod_rewrite.c `hook_fixup`; live case). */
export const retakenTarget = defineVariant({
  id: "retaken-target",
  messages,
  check: (context) => {
    const places = new RulePlaces(context.project);
    return {
      scope: {
        holding: ["rewriterule"],
        visit(scope) {
          const place = places.find(scope);
          const rules = parseRewriteRules(scope.directives);
          if (!place.isDirectory || rules.length < 2) return;
          for (const rule of rules) {
            const found = isInternal(rule) ? lineTrialsOf(context).findRetakenTarget(rule, scope) : undefined;
            const other = found && rules.find(({ directive }) => directive === found.by);
            if (found === undefined || other === undefined || mayHaveOwnRules(found.target, other, place, context))
              continue;
            const endsFor =
              !mayNameDirectory(rule) && context.files?.kindOf(fileOf(found.target, place)) !== "directory";
            const edit = endsFor ? addRewriteFlag(rule.directive, "END") : undefined;
            const end = rule.flags.names.has("last") ? "use `END` instead of `L`" : "add the flag `END`";
            context.report({
              message: messages.retaken(found, endsFor ? end : undefined),
              span: rule.directive.span,
              related: [{ message: labels.other, span: other.directive.span }],
              witness: witnessOf(found.answer),
              ...(edit ? createFix(fixTitle, "unsafe", edit) : {}),
            });
          }
        },
      },
    };
  },
});

/** Reports whether a rule leads to another path of the server, and the rules run again for it. */
function isInternal({ output, flags: { names, answers } }: RewriteRule): boolean {
  const leaves = ["redirect", "proxy", "end", "next"].some((name) => names.has(name));
  return output !== undefined && !leaves && !answers && !/^\w+:\/\//.test(output);
}

/** Returns the path on the disk for a URL path below the directory of a rule. */
function fileOf(target: string, { base = "/", directory = "" }: RulePlace): string {
  return `${directory}/${target.slice(base.length)}`;
}

/** Reports whether a target may be in a directory with rules of its own, which then replace these. */
function mayHaveOwnRules(
  target: string,
  { pattern }: RewriteRule,
  { base = "/", directory }: RulePlace,
  { files }: RuleContext,
): boolean {
  const [first, ...rest] = target.slice(base.length).split("/");
  if (first === undefined || rest.length === 0) return false;
  const kind = directory === undefined ? undefined : files?.kindOf(`${directory}/${first}/.htaccess`);
  if (kind === "file") return true;
  // A rule for paths of the directory shows that these rules are for it.
  const isNamed = pattern
    .replaceAll("\\", "")
    .replace(/^\^\/?/, "")
    .startsWith(first);
  return !isNamed && files?.kindOf(`${directory ?? ""}/${first}`) !== "directory";
}
