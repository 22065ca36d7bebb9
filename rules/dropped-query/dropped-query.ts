import { matchGroupsOf, samplePattern } from "../../src/lint/api/access.js";
import {
  addRewriteFlag,
  comparePatterns,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { createFix, defineRule, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  dropped: ({ path, target }: Result) => ({
    message: "the query of the request is dropped",
    notes: [`${quoteText(`${path}?page=2`)} becomes ${quoteText(target)}, without \`page=2\``],
    help: ["add the flag `QSA`, which appends the query of the request"],
  }),
};

const labels = { alike: "also drops the query" };

const fixTitles = { addFlag: "Add the flag `QSA`" };

export const droppedQuery = defineRule({
  id: "dropped-query",
  title: "Query of the request is dropped",
  group: "correctness",
  advice: "if it has a query",
  severity: "info",
  description: "A RewriteRule that passes a path to a program in a new query, without the flag QSA.",
  help: "A target with a query replaces the query of the request. The program does not see its parameters. Add the flag QSA, or QSD if this is intended.",
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
            cause: { key: directive.span.file.path, also: labels.alike },
            ...createFix(fixTitles.addFlag, "unsafe", addRewriteFlag(directive, "QSA")),
          });
        }
      },
    },
  }),
});

/** Flags with which the query is kept, or is dropped on purpose, and those of other responses. */
const otherFlags = ["qsappend", "qsdiscard", "qsnone", "redirect", "proxy"];

/** A path that a rule passes on, and the result. */
interface Result {
  readonly path: string;
  readonly target: string;
}

/** Targets whose responses do not depend on the query. */
const staticTarget = /^[^?]*\.(?:css|gif|html?|ico|jpe?g|js|json|pdf|png|svg|txt|webp|woff2?|xml)\?/i;

/** Returns a path that a rule passes to a program in a query of its own. */
function findResult({ output = "", pattern, isNegated, flags, conditions }: RewriteRule): Result | undefined {
  if (isNegated || otherFlags.some((flag) => flags.names.has(flag)) || !/^[^?]*\?./.test(output)) return undefined;
  if (/:\/\/|%\{(?:QUERY_STRING|THE_REQUEST)\}|%\d/i.test(output) || staticTarget.test(output)) return undefined;
  if (!conditions.every(({ test, isNegated: isNot }) => test.kind === "file" && isNot)) return undefined;
  const ignoresCase = flags.names.has("nocase");
  const slash = pattern.startsWith("^/") ? "/" : "";
  const isForAll = comparePatterns(`${slash}[\\w-]+`, pattern, ignoresCase) === "all";
  const path = isForAll ? `${slash}x` : samplePattern(pattern);
  const groups = path !== undefined && /^[\w./-]+$/.test(path) ? matchGroupsOf(pattern, path, ignoresCase) : undefined;
  if (path === undefined || !groups) return undefined;
  const target = output.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "");
  return { path: path.startsWith("/") ? path : `/${path}`, target };
}
