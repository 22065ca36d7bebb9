import {
  type Directive,
  expressionDirectives,
  expressionOf,
  indexDirectives,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  passed: ({ text, holds }: DateTest) => ({
    message: `${quoteText(text)} is always ${holds}: the date has passed`,
    help: [holds ? "delete the condition" : "delete the lines that depend on it, or set a later date"],
  }),
};

export const expiredCondition = defineVariant({
  id: "expired-condition",
  severity: "info",
  messages,
  check: ({ project, report, now }) => {
    const mayTest = (text: string) => /%\{TIME/i.test(text);
    if (!indexDirectives(project).some(mayTest, ({ argumentText }) => mayTest(argumentText))) return {};
    const visit = (line: Directive) => {
      for (const test of findDateTests(line)) {
        if (test.decided < now.getTime()) report({ message: messages.passed(test), span: line.span });
      }
    };
    return { directives: Object.fromEntries([...expressionDirectives, "rewritecond"].map((name) => [name, visit])) };
  },
});

/** A comparison of the current time with a date. */
interface DateTest {
  readonly text: string;
  /** Its result once the date has passed. */
  readonly holds: boolean;
  /** The time from which the result is the same everywhere, in milliseconds. */
  readonly decided: number;
}

/** `%{TIME}` has 14 digits. As a text, a shorter number is smaller on every day. */
const dateTest = /%\{TIME(_YEAR)?\}["']?\s*(-?(?:lt|le|gt|ge|eq|ne)\b|[<>]=?|[!=]=|=)\s*["']?(\d{14}|\d{4})\b["']?/gi;

function findDateTests(line: Directive): readonly DateTest[] {
  if (line.key === "rewritecond") return findInRewriteCond(line);
  return findInExpression(expressionOf(line)?.text ?? "");
}

function findInExpression(text: string): readonly DateTest[] {
  return [...text.matchAll(dateTest)].flatMap(([found, year, operator = "", date = ""]) => {
    const test = readDateTest(found, operator, date);
    return test && (year !== undefined) === (date.length === 4) ? [test] : [];
  });
}

function findInRewriteCond({ arguments: [input, pattern] }: Directive): readonly DateTest[] {
  if (input === undefined || pattern === undefined) return [];
  if (input.value.toLowerCase() === "expr") return findInExpression(pattern.value);
  const [, year] = /^%\{TIME(_YEAR)?\}$/i.exec(input.value) ?? [];
  // mod_rewrite converts integers with `atoi`, which is undefined for 14 digits.
  const [, not, operator = "", date = ""] =
    /^(!?)([<>]=?|=|-(?:lt|le|gt|ge|eq|ne))(\d{14}|\d{4})$/.exec(pattern.value) ?? [];
  if (date.length !== (year === undefined ? 14 : 4) || !/^%\{TIME/i.test(input.value)) return [];
  if (year === undefined && operator.startsWith("-")) return [];
  const test = readDateTest(`${input.value} ${pattern.value}`, operator, date);
  return test ? [{ ...test, holds: test.holds === (not === "") }] : [];
}

/** Reads a comparison. Until a day after the date, the result depends on the time zone of the server. */
function readDateTest(text: string, operator: string, date: string): DateTest | undefined {
  const name = operator.replace("-", "").toLowerCase();
  const [year, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [0, 4, 6, 8, 10, 12]
    .map((at) => Number(date.slice(at, at === 0 ? 4 : at + 2)))
    .slice(0, date.length === 4 ? 1 : 6);
  if (year === undefined) return undefined;
  // These results change when the year ends.
  const isAfter = date.length === 4 && !/^(?:lt|<|ge|>=)$/.test(name);
  const start = Date.UTC(isAfter ? year + 1 : year, month - 1, day, hour, minute, second);
  return { text, holds: /^(?:gt|ge|ne|>=?|!=)$/.test(name), decided: start + DAY };
}

const DAY = 24 * 60 * 60 * 1000;
