import {
  type Argument,
  type Directive,
  isRedirectStatus,
  parseRewriteRules,
  parseRewriteWords,
  type RewriteRule,
} from "../../src/lint/api/configuration.js";
import { createFix, defineRule, quoteText, replaceSpan, type Severity } from "../../src/lint/api/rule.js";

const messages = {
  noEffect: (flag: string, winner: string, why: string) => ({
    message: `the flag ${quoteText(flag)} has no effect: ${quoteText(winner)} applies`,
    notes: [why],
    help: [`delete ${quoteText(flag)}, or ${quoteText(winner)} if it is not intended`],
  }),
  badRequest: {
    message: "the flags `R` and `PT` return 400",
    notes: ["`PT` passes the result on as a URL path, but with `R` it is a whole URL"],
    help: ["delete `PT`"],
  },
  noLocation: (flag: string, winner: string) => ({
    message: `${quoteText(winner)} after ${quoteText(flag)} redirects without a target`,
    notes: [`clients receive the status of ${quoteText(winner)} without a \`Location\` header`],
    help: [`delete ${quoteText(winner)} to deny the request, or ${quoteText(flag)} to redirect it`],
  }),
  noTarget: (flag: string) => ({
    message: `the flag ${quoteText(flag)} has no effect: the target is \`-\``,
    notes: ["with `-`, httpd keeps the URL, and neither redirects nor forwards the request"],
    help: ["add the target"],
  }),
};

const fixTitles = { remove: (flag: string) => `Delete the flag ${quoteText(flag)}` };

export const contradictoryFlags = defineRule({
  id: "contradictory-flags",
  title: "Contradictory flags of a rewrite rule",
  group: "correctness",
  severity: "warning",
  description: "Flags of a RewriteRule of which one cancels another, such as `[R,PT]`, `[F,R=301]` or `[QSA,QSD]`.",
  help: "httpd accepts the flags, and one of them cancels the other: a redirect is not sent, or a request fails. Keep the flag that is intended.",
  tags: ["correctness"],
  supersedes: ["ignored-rewrite-target"],
  messages,
  check: ({ report }) => ({
    scope: {
      holding: ["rewriterule"],
      visit({ directives }) {
        for (const rule of parseRewriteRules(directives)) {
          const words = parseRewriteWords(rule.directive.argumentText);
          const flags = words?.[2] ? listFlags(words[2], rule.directive) : [];
          const conflict = words && findConflict(rule, flags, words[1].value);
          if (conflict === undefined) continue;
          const { message, severity, flag, isSuperfluous } = conflict;
          const edit = isSuperfluous ? removeFlag(flag, flags, rule.directive) : undefined;
          report({
            message,
            ...(severity ? { severity } : {}),
            span: rule.directive.spanOf(flag),
            ...createFix(fixTitles.remove(flag.text), answering.has(flag.name) ? "unsafe" : "safe", edit),
          });
        }
      },
    },
  }),
});

/** Flags that state the answer: the other one may be the mistake. */
const answering: ReadonlySet<string> = new Set(["R", "F", "G", "P"]);

/** A flag as written. */
interface WrittenFlag {
  readonly text: string;
  /** In upper case, without its value. */
  readonly name: string;
  /** Its place in the arguments of the line. */
  readonly start: number;
  readonly end: number;
}

interface Conflict {
  readonly message: ReturnType<(typeof messages)["noEffect"]> | typeof messages.badRequest;
  readonly severity?: Severity;
  readonly flag: WrittenFlag;
  /** Whether the rule does the same without the flag. */
  readonly isSuperfluous?: boolean;
}

/** Lists the flags in brackets, with their places. */
function listFlags({ start, end }: Argument, { argumentText }: Directive): readonly WrittenFlag[] {
  const text = argumentText.slice(start, end);
  return [...text.matchAll(/[^[\],"\s][^[\],"]*/g)].map(({ 0: each, index }) => {
    const flag = each.trimEnd();
    const name = flag.replace(/=.*/s, "").toUpperCase();
    return { text: flag, name: shortNames.get(name) ?? name, start: start + index, end: start + index + flag.length };
  });
}

const shortNames: ReadonlyMap<string, string> = new Map([
  ["FORBIDDEN", "F"],
  ["GONE", "G"],
  ["REDIRECT", "R"],
  ["PROXY", "P"],
  ["PASSTHROUGH", "PT"],
  ["QSAPPEND", "QSA"],
  ["QSDISCARD", "QSD"],
  ["LAST", "L"],
  ["CHAIN", "C"],
  ["NEXT", "N"],
  ["SKIP", "S"],
]);

/** A flag without an effect beside another one, and the reason. */
const cancelled: readonly (readonly [flag: string, by: string, why: string])[] = [
  ["R", "P", "`P` forwards the request before it is redirected"],
  ["QSA", "QSD", "`QSD` drops the query of the request in any order"],
  ["C", "L", "`L` ends the rules before the chained one"],
  ["C", "END", "`END` ends the rules before the chained one"],
  ["C", "F", "`F` ends the rules before the chained one"],
  ["C", "G", "`G` ends the rules before the chained one"],
  ["S", "L", "`L` ends the rules, so that none is left to skip"],
  ["L", "N", "`N` starts the rules again"],
];

/** Finds flags that conflict (modules/mappers/mod_rewrite.c `cmd_rewriterule_setflag`, `apply_rewrite_rule`). */
function findConflict({ flags }: RewriteRule, written: readonly WrittenFlag[], target: string): Conflict | undefined {
  const find = (name: string) => written.findLast((each) => each.name === name);
  const redirect = find("R");
  const denial = written.findLast(({ name }) => name === "F" || name === "G");
  if (redirect && denial) return compareStatus(redirect, denial, flags.status);
  const [forbidden, gone] = [find("F"), find("G")];
  if (forbidden && gone) {
    const [first, last] = forbidden.start < gone.start ? [forbidden, gone] : [gone, forbidden];
    return {
      message: messages.noEffect(first.text, last.text, "the last of them sets the status"),
      flag: first,
      isSuperfluous: true,
    };
  }
  if (flags.answers) return undefined;
  const sender = redirect ?? find("P");
  if (sender && target === "-") return { message: messages.noTarget(sender.text), flag: sender };
  const pass = find("PT");
  if (redirect && pass && !find("P")) return { message: messages.badRequest, flag: pass };
  for (const [name, by, why] of cancelled) {
    const [flag, winner] = [find(name), find(by)];
    if (flag && winner)
      return { severity: "info", message: messages.noEffect(flag.text, winner.text, why), flag, isSuperfluous: true };
  }
  return undefined;
}

/** @param status the status that the last of the flags sets */
function compareStatus(redirect: WrittenFlag, denial: WrittenFlag, status: number): Conflict {
  if (isRedirectStatus(status)) return { message: messages.noLocation(denial.text, redirect.text), flag: redirect };
  const isDenied = status === (denial.name === "F" ? 403 : 410);
  const [flag, winner] = isDenied ? [redirect, denial] : [denial, redirect];
  return {
    message: messages.noEffect(flag.text, winner.text, `the request ends with status ${status}`),
    flag,
    isSuperfluous: true,
  };
}

/** Deletes a flag with the comma beside it. */
function removeFlag(flag: WrittenFlag, all: readonly WrittenFlag[], directive: Directive) {
  const index = all.indexOf(flag);
  const [before, after] = [all[index - 1], all[index + 1]];
  const [start, end] = after ? [flag.start, after.start] : [before?.end ?? flag.start, flag.end];
  return replaceSpan(directive.spanOf({ start, end }), "");
}
