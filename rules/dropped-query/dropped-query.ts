import { matchGroupsOf } from "../../src/rule-api/access.js";
import {
  addRewriteFlag,
  comparePatterns,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
} from "../../src/rule-api/configuration.js";
import { createFix, defineRule, quoteText } from "../../src/rule-api/rule.js";

const messages = {
  dropped: (result: string) => ({
    message: "the query of the request is dropped",
    notes: [`\`/x?page=2\` becomes ${quoteText(result)}, without \`page=2\``],
    help: ["add the flag `QSA`, which appends the query of the request"],
  }),
};

const fixTitles = { addFlag: "Add the flag `QSA`" };

export const droppedQuery = defineRule({
  id: "dropped-query",
  title: "Query of the request is dropped",
  group: "correctness",
  severity: "info",
  description: "A RewriteRule that passes every path to a program in a new query, without the flag QSA.",
  help: "A target with a query replaces the query of the request. A rule for every path then hides all parameters from the program. Add the flag QSA, or QSD if this is intended.",
  tags: ["correctness"],
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const result = rule.output?.includes("?") ? findResult(rule) : undefined;
          if (result === undefined) continue;
          const { directive } = rule;
          const target = parseRewriteWords(directive.argumentText)?.[1];
          report({
            message: messages.dropped(result),
            span: target ? directive.spanOf(target) : directive.span,
            ...createFix(fixTitles.addFlag, "unsafe", addRewriteFlag(directive, "QSA")),
          });
        }
      },
    },
  }),
});

/** Flags with which the query is kept, or is dropped on purpose, and those of other responses. */
const otherFlags = ["qsappend", "qsdiscard", "qsnone", "redirect", "proxy"];

/** Returns the target of `/x` if a rule passes every path in a query of its own. */
function findResult({ output = "", pattern, isNegated, flags, conditions }: RewriteRule): string | undefined {
  if (isNegated || otherFlags.some((flag) => flags.names.has(flag)) || !/^[^?]*\?[^?]*\$\d/.test(output))
    return undefined;
  if (/:\/\/|%\{(?:QUERY_STRING|THE_REQUEST)\}/i.test(output)) return undefined;
  if (!conditions.every(({ test, isNegated: isNot }) => test.kind === "file" && isNot)) return undefined;
  const slash = pattern.startsWith("^/") ? "/" : "";
  if (comparePatterns(`${slash}[\\w-]+`, pattern, flags.names.has("nocase")) !== "all") return undefined;
  const path = `${slash}x`;
  const groups = matchGroupsOf(pattern, path, flags.names.has("nocase"));
  if (!groups) return undefined;
  return output.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "");
}
