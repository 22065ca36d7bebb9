import { checkNameOf, type Finding } from "../../src/lint/finding.js";
import { applyEdits } from "../../src/text/edits.js";

/** A changed file, and the claim of a finding about its answers. */
export interface Variant {
  readonly text: string;
  /** The answers equal those of the file, none has status 402, or one of them has a property. */
  readonly expects: "equal" | "never 402" | "nothing" | ((answer: VariantAnswer) => boolean);
  /** Paths of requests, below the folder of the file. */
  readonly paths?: readonly string[];
  readonly files?: readonly string[];
}

interface VariantAnswer {
  readonly status: number;
  readonly location: string;
  readonly shown: string;
}

/** The lines of a file, and the index of the reported line. */
interface ReportedLine {
  readonly finding: Finding;
  readonly text: string;
  readonly lines: readonly string[];
  readonly at: number;
}

/** Creates the variant that shows whether a finding is right. */
export function createVariant(finding: Finding, text: string, at: number): Variant {
  const create = variants.get(checkNameOf(finding));
  const nothing: Variant = { text, expects: "nothing" };
  return create?.({ finding, text, lines: text.split("\n"), at }) ?? nothing;
}

const equal = (text: string): Variant => ({ text, expects: "equal" });

function blank({ lines, at }: ReportedLine, isBlank: (line: string, index: number) => boolean): string {
  let isContinued = false;
  const changed = lines.map((line, index) => {
    const isDeleted = isContinued || index === at || isBlank(line, index);
    isContinued = isDeleted && /\\\r?$/.test(line);
    return isDeleted ? "#" : line;
  });
  return changed.join("\n");
}

/** Replaces the reported text. */
function replaceText({ finding: { span }, text }: ReportedLine, by: string): string {
  return text.slice(0, span.start) + by + text.slice(span.end);
}

/** Returns the indices of the conditions right before a line. */
function conditionsBefore({ lines, at }: ReportedLine): readonly number[] {
  const found: number[] = [];
  for (let index = at - 1; index >= 0; index--) {
    const line = lines[index] ?? "";
    if (/^\s*RewriteCond\b/i.test(line)) found.push(index);
    else if (!/^\s*(?:#|$)/.test(line)) break;
  }
  return found;
}

const ruleStart = /^(\s*RewriteRule\s+(?:"[^"]*"|\S+)).*/i;

/** Makes rules respond with 402 to each request that their pattern matches. */
function expectNoMatch(reported: ReportedLine, isRule: (index: number) => boolean): Variant {
  const { lines, at } = reported;
  const before = new Set(conditionsBefore(reported));
  const changed = lines.map((line, index) => {
    if (before.has(index) || (index > at && isRule(index) && /^\s*RewriteCond\b/i.test(line))) return "#";
    return isRule(index) ? line.replace(ruleStart, "$1 - [R=402,L]") : line;
  });
  return { text: changed.join("\n"), expects: "never 402" };
}

/** Deletes a section with its contents. */
function withoutSection(reported: ReportedLine): Variant {
  const { lines, at } = reported;
  const name = /<(\w+)/.exec(lines[at] ?? "")?.[1] ?? "";
  const end = lines.findIndex((line, index) => index > at && new RegExp(`^\\s*</${name}>`, "i").test(line));
  return equal(blank(reported, (_, index) => index > at && index <= end));
}

function applyFix({ finding, text }: ReportedLine): string | undefined {
  return finding.fix && applyEdits(text, finding.fix.edits);
}

/** Deletes a condition and the rule after it, with its other conditions. */
function withoutRule(reported: ReportedLine): string {
  const { lines, at } = reported;
  const rule = lines.findIndex((line, index) => index > at && /^\s*RewriteRule\b/i.test(line));
  const before = new Set(conditionsBefore({ ...reported, at: rule }));
  return blank(reported, (_, index) => index === rule || before.has(index));
}

const variants = new Map<string, (reported: ReportedLine) => Variant | undefined>([
  ["ignored-rewrite-target", (reported: ReportedLine) => equal(replaceText(reported, "-"))],
  ["undefined-back-reference", (reported: ReportedLine) => equal(replaceText(reported, ""))],
  ["condition-without-rule", (reported: ReportedLine) => equal(blank(reported, () => false))],
  ["shadowed-alias", (reported: ReportedLine) => equal(blank(reported, () => false))],
  [
    "rewrite-engine-off",
    (reported: ReportedLine) => equal(blank(reported, (line) => /^\s*Rewrite(?:Rule|Cond)/i.test(line))),
  ],
  [
    "unguarded-php-setting",
    ({ text }: ReportedLine) => ({ text, expects: ({ status }: VariantAnswer) => status === 500 }),
  ],
  ["never-matching-section", withoutSection],
  [
    "never-matching-path",
    (reported: ReportedLine) => {
      const line = reported.lines[reported.at] ?? "";
      if (line.trim().startsWith("<")) return withoutSection(reported);
      if (!ruleStart.test(line)) return equal(blank(reported, () => false));
      return expectNoMatch(reported, (index) => index === reported.at);
    },
  ],
  ["unreachable-rewrite-rule", (reported: ReportedLine) => expectNoMatch(reported, (index) => index >= reported.at)],
  [
    "or-on-last-condition",
    (reported: ReportedLine) => {
      const before = new Set(conditionsBefore(reported));
      return equal(blank(reported, (line, index) => before.has(index) && /\[[^\]]*\bOR\b/i.test(line)));
    },
  ],
  [
    "relative-redirect",
    ({ text }: ReportedLine) => ({ text, expects: ({ location }: VariantAnswer) => /\/variants\//.test(location) }),
  ],
  [
    "escaped-redirect",
    ({ finding, text }: ReportedLine) => {
      const missing = /`(%..)` is not/.exec(finding.message)?.[1];
      const sent = missing === undefined ? /%23|%25/ : undefined;
      return {
        text,
        expects: ({ location }: VariantAnswer) =>
          location !== "" && (sent ? sent.test(location) : !location.includes(missing ?? "")),
      };
    },
  ],
  [
    "unknown-rewrite-variable",
    (reported: ReportedLine) => {
      const { finding, text } = reported;
      const [start, end] = [finding.span.start - 2, finding.span.end + 1];
      const isWhole = /[\s"]/.test(text[start - 1] ?? "") && /[\s"]/.test(text[end] ?? "");
      return equal(`${text.slice(0, start)}${isWhole ? '""' : ""}${text.slice(end)}`);
    },
  ],
  [
    "constant-condition",
    (reported: ReportedLine) =>
      equal(/always/.test(reported.finding.message) ? blank(reported, () => false) : withoutRule(reported)),
  ],
  [
    "contradictory-flags",
    (reported: ReportedLine) => {
      const fixed = /has no effect/.test(reported.finding.message) ? applyFix(reported) : undefined;
      return fixed === undefined ? undefined : equal(fixed);
    },
  ],
  [
    "attached-flags",
    (reported: ReportedLine) =>
      /^\s*RewriteCond/i.test(reported.lines[reported.at] ?? "")
        ? equal(withoutRule(reported))
        : { text: reported.text, expects: ({ location }: VariantAnswer) => /\[|%5B/i.test(location) },
  ],
  ["comment-in-arguments", judgeComment],
  [
    "continued-comment",
    ({ finding, text }: ReportedLine) => {
      const end = text.indexOf("\n", finding.span.start);
      return equal(text.slice(0, finding.span.start) + text.slice(end));
    },
  ],
  ["dropped-query", judgeQuery],
  [
    "ignored-value",
    (reported: ReportedLine) => {
      const { lines, at, finding } = reported;
      const extension = /`\.?([^`]+)` never matches an extension/.exec(finding.message)?.[1];
      const line =
        (lines[at] ?? "").trim().split(/\s+/).length > 3 ? replaceText(reported, "") : blank(reported, () => false);
      return { ...equal(line), ...(extension ? { files: [`a.${extension}`], paths: [`a.${extension}`] } : {}) };
    },
  ],
  [
    "failing-error-document",
    ({ text }: ReportedLine) => ({ text, expects: ({ shown }: VariantAnswer) => shown.includes("Additionally") }),
  ],
  [
    "rewrite-loop",
    ({ text }: ReportedLine) => ({ text, expects: ({ status }: VariantAnswer) => status === 500 || status >= 300 }),
  ],
]);

/** An ignored comment changes nothing. The words of other comments become variables or extensions. */
function judgeComment(reported: ReportedLine): Variant | undefined {
  const { finding, lines, at, text } = reported;
  if (finding.severity === "info") return equal(applyFix(reported) ?? text);
  const line = lines[at] ?? "";
  if (!/^\s*SetEnvIf\b/i.test(line)) return undefined;
  const words = line.replace(/^\s*SetEnvIf\s+\S+\s+\S+/i, "SetEnvIf Request_URI .");
  return {
    text: `${words}\nHeader always set X-Judge "%{#}e"\n`,
    expects: ({ shown }) => shown.includes('["x-judge","1"]'),
  };
}

/** Tests the rule alone, as a redirect, which shows the new query. */
function judgeQuery({ finding, lines, at }: ReportedLine): Variant | undefined {
  const path = /`\/?([^`?]+)\?page=2` becomes/.exec(finding.notes?.[0] ?? "")?.[1];
  const [, start, target = "", flags = ""] =
    /^(\s*RewriteRule\s+(?:"[^"]*"|\S+)\s+)(\S+)(?:\s+\[([^\]]*)\])?/i.exec(lines[at] ?? "") ?? [];
  if (path === undefined || start === undefined) return undefined;
  const kept = flags.split(",").filter((flag) => /^(?:NC|nocase)$/i.test(flag.trim()));
  return {
    text: `RewriteEngine On\n${start}/${target.replace(/^\//, "")} [${[...kept, "R", "L"].join(",")}]\n`,
    paths: [`${path}?page=2`],
    expects: ({ status, location }) => status === 302 && !location.includes("page=2"),
  };
}
