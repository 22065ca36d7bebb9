import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  findDenial,
  findSlowText,
  formatLineTitle,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  slow: (line: Directive, denied: DefiniteAnswer, open: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} exceeds the PCRE match limit on some URLs`,
    notes: ["httpd then treats the pattern as not matching", describeAnswer(denied), describeAnswer(open)],
    help: ["do not repeat a group that contains a repetition: `(a+)+` matches the same as `a+`"],
  }),
};

export const guardRegexGivesUp = defineRule({
  id: "guard-regex-gives-up",
  title: "Access pattern exceeds the PCRE match limit",
  group: "exposure",
  severity: "warning",
  description:
    "A pattern that denies URLs has nested repetition: a long URL exceeds the match limit of PCRE, and is allowed.",
  help: "PCRE stops a search after ten million steps, and httpd logs nothing. Nested repetition takes twice the steps for each further character. Write the pattern without it.",
  securitySeverity: 5.9,
  references: { cwe: [1333, 636] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "deny", "rewriterule"],
      *check(exposed, client) {
        const guard = findGuard(exposed, client);
        const slow = guard && findSlowText(guard.pattern, guard.denied.request.path);
        if (guard === undefined || slow === undefined) return;
        // The server gives one of two answers: with the pattern, or without it.
        const answers = client.askAll(exposed.server, { path: slow });
        const open = answers.find(({ status }) => status === 200);
        if (open === undefined || !answers.some(({ status }) => status === guard.denied.status)) return;
        const { line, denied } = guard;
        yield { message: messages.slow(line, denied, open), span: line.span, witness: witnessOf(open) };
      },
    },
  }),
});

/** A pattern that denies a URL, with the line that has it. */
interface Guard {
  readonly line: Directive;
  readonly pattern: string;
  readonly denied: DefiniteAnswer;
}

function findGuard(exposed: ExposedLine, client: OutsideClient): Guard | undefined {
  const { line, scope, server } = exposed;
  if (line.key === "rewriterule") return findForbiddingRule(exposed, client);
  const { section } = scope;
  const [first, second] = section?.arguments ?? [];
  const isPattern = section?.key === "<locationmatch" || (section?.key === "<location" && first?.value === "~");
  const pattern = section?.key === "<locationmatch" ? first : second;
  const path = isPattern ? client.findPathInto(scope, server) : undefined;
  const denied = path === undefined ? undefined : findDenial(exposed, client, { path });
  return section && pattern && denied && { line: section, pattern: pattern.value, denied };
}

/** Returns a RewriteRule outside of directories that denies the URLs of its pattern. */
function findForbiddingRule({ line, scope, server }: ExposedLine, client: OutsideClient): Guard | undefined {
  const [pattern] = line.arguments;
  if (pattern === undefined || (scope.section && scope.section.key !== "<virtualhost")) return undefined;
  if (!forbiddenFlag.test(line.argumentText)) return undefined;
  const path = samplePattern(pattern.value);
  const denied = path?.startsWith("/") ? client.ask(server, { path }) : undefined;
  return denied?.status === 403 ? { line, pattern: pattern.value, denied } : undefined;
}

const forbiddenFlag = /\[(?:[^\]]*,)?\s*(?:F|forbidden)\s*[,\]]/i;
