import {
  type DefiniteAnswer,
  describeAnswer,
  findDenial,
  formatLineTitle,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, hasWildcard, type Scope } from "../../src/lint/api/configuration.js";
import {
  createFix,
  defineRule,
  doubleQuote,
  type Edit,
  nativePath,
  replaceSpan,
  toReadable,
} from "../../src/lint/api/rule.js";
import { findAnswerBelow } from "./answer-below.js";

const messages = {
  missed: (section: Directive, denied: DefiniteAnswer, below: DefiniteAnswer, remedy: string) => ({
    message: `${formatLineTitle(section)} does not protect the URLs below it`,
    notes: [describeAnswer(denied), describeAnswer(below)],
    help: [remedy],
  }),
};

const assumedFile = (answer: DefiniteAnswer) =>
  `this assumes that \`${nativePath(toReadable(answer.file ?? ""))}\` exists`;

const fixTitle = "End the pattern with `(/|$)`";

export const guardMissesBelow = defineRule({
  id: "guard-misses-below",
  title: "Access rules that miss the URLs below",
  group: "exposure",
  severity: "error",
  description: "A section denies a URL by a wildcard, pattern or condition, and allows the URLs below it.",
  help: 'Wildcards and patterns are compared with the whole URL. `<Location "/*/private">` does not apply to `/a/private/x`. End the pattern with `(/|$)`, or use `<Location>` without wildcards.',
  securitySeverity: 7.5,
  references: { cwe: [425] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "deny"],
      *check(exposed, client) {
        const { scope, server } = exposed;
        const { section } = scope;
        const path = section && comparesWholeUrl(scope, section) ? client.findPathInto(scope, server) : undefined;
        if (section === undefined || path === undefined || path === "/") return;
        const denied = findDenial(exposed, client, { path });
        const below = denied && findAnswerBelow(denied, path.replace(/\/$/, ""), scope, server, client);
        if (denied === undefined || below === undefined) return;
        const { answer, isAssumed } = below;
        yield {
          message: messages.missed(section, denied, answer, remedyFor(scope, section)),
          span: section.span,
          notes: isAssumed ? [assumedFile(answer)] : [],
          witness: witnessOf(answer),
          ...createFix(fixTitle, "unsafe", extendPattern(section)),
        };
      },
    },
  }),
});

/** Returns whether a section compares the whole URL: by wildcards, a pattern, or a condition. */
function comparesWholeUrl({ place }: Scope, { key, arguments: [first], argumentText }: Directive): boolean {
  if (place === "if") return /REQUEST_URI/i.test(argumentText);
  if (place !== "location" || first === undefined) return false;
  return key === "<locationmatch" || first.value === "~" || hasWildcard(first.value);
}

function remedyFor({ place, inHtaccess }: Scope, { key, arguments: [first] }: Directive): string {
  if (place === "if" && inHtaccess) return "use a pattern that ends in `(/|$)`";
  if (place === "if") return "use `<Location>`, which also applies to the URLs below its path";
  return key === "<locationmatch" || first?.value === "~"
    ? "end the pattern in `(/|$)` instead of `$`"
    : "use `<LocationMatch>` with a pattern that ends in `(/|$)`, and `[^/]+` instead of `*`";
}

/** Extends a pattern that ends in `$` to the URLs below. */
function extendPattern(section: Directive): Edit | undefined {
  const [first, second] = section.arguments;
  const pattern = section.key === "<locationmatch" ? first : first?.value === "~" ? second : undefined;
  const [, start] = /^((?:[^|()\\]|\\.)*)\$$/.exec(pattern?.value ?? "") ?? [];
  if (pattern === undefined || start === undefined || start.endsWith("/")) return undefined;
  return replaceSpan(section.spanOf(pattern), doubleQuote(`${start}(/|$)`));
}
