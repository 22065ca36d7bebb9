import { defaultRules } from "../../rules/index.js";
import { isWithin } from "../config/files/paths.js";
import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import type { Finding } from "../lint/finding.js";
import type { RuleDefinition } from "../lint/rule.js";
import type { RuleGroup } from "../lint/rule-groups.js";
import { lintWithoutProofs } from "../lint/runner/lint.js";
import { SimulatedServer } from "../server/answer.js";
import type { Answer } from "../server/model/answer.js";
import type { FileTree } from "../server/model/file-tree.js";
import { lineAt, type Span } from "../text/source.js";

/** Beyond this number of lines, a check takes longer than an answer may. */
const MAX_LINES = 3_000;

/** The groups with rules about what a line does; others are about the server as a whole, or its upgrade. */
const groups: ReadonlySet<RuleGroup> = new Set<RuleGroup>(["correctness", "access", "startup"]);

/** The rules whose findings are shown, by id. */
const advisers: ReadonlyMap<string, RuleDefinition> = new Map(
  defaultRules
    .filter(({ group, advice }) => groups.has(group) || advice !== undefined)
    .map((rule) => [rule.id, rule] as const),
);

/**
 * Returns what `check` reports on the lines that decide an answer, or that a reader may expect to do so: these findings
 * contain the remedy. Those on the lines that the request used come first. None for a large server.
 *
 * @param files the files of the server, as the answer was made with
 */
export function findLineAdvice(project: Project, files: FileTree, answer: Answer): readonly Finding[] {
  if (!isQuick(project)) return [];
  const lines = new Set(listPlaces(answer).flatMap(listLineKeys));
  const { findings } = lintWithoutProofs(project, {
    rules: [...advisers.values()],
    ruleIds: [...advisers.keys()],
    files,
  });
  const useful = findings.filter((finding) => (finding.help ?? []).length > 0 && concerns(finding, answer));
  const exposures = useful.filter(isAboutExposure);
  const ofLines = useful.filter((each) => lines.has(lineKeyAt(each.span)) && !exposures.includes(each));
  const others = useful.filter((each) => !ofLines.includes(each) && !exposures.includes(each));
  const never = others.filter((each) => isAnywhere(each) && !isInOtherHost(each.span, project, answer));
  const exposed = exposures.length > 0 ? new SimulatedServer(project, files, answer.semantics) : undefined;
  const ofFile = exposed ? exposures.filter((each) => isOfFile(each, project, answer, exposed)) : [];
  const ofResponse = others.filter((each) => !isAnywhere(each) && changesResponse(each, answer));
  const used = new Set(listUsedPlaces(answer).flatMap(listLineKeys));
  const isUsed = ({ span }: Finding) => used.has(lineKeyAt(span));
  const sorted = [...ofLines.filter(isUsed), ...ofLines.filter((each) => !isUsed(each))];
  return [...withoutRefusedLines(sorted), ...[...ofFile, ...never, ...ofResponse].slice(0, MAX_OTHERS)];
}

/** Removes findings on a line that httpd refuses, except those that report the refusal: the line has no effect. */
function withoutRefusedLines(findings: readonly Finding[]): readonly Finding[] {
  const isRefusal = ({ rule, severity }: Finding) => severity === "error" && advisers.get(rule)?.group === "startup";
  const refused = new Set(findings.filter(isRefusal).map(({ span }) => lineKeyAt(span)));
  return findings.filter((each) => isRefusal(each) || !refused.has(lineKeyAt(each.span)));
}

/** Reports whether a server is so small that a check takes no longer than an answer may. */
export function isQuick({ files, htaccess }: Project): boolean {
  const trees = [...files.values(), ...htaccess.map(({ tree }) => tree)];
  return trees.reduce((sum, tree) => sum + tree.lines.length, 0) <= MAX_LINES;
}

/** More findings elsewhere are seldom about what a reader expects. */
const MAX_OTHERS = 2;

/** Reports whether a finding may be on a line that has no part in the answer. */
function isAnywhere({ rule }: Finding): boolean {
  const advice = advisers.get(rule)?.advice;
  return advice === "anywhere" || advice === "for the default host";
}

/** Reports whether a finding is about this request. */
function concerns({ rule, severity, mayAllow }: Finding, answer: Answer): boolean {
  const { request, class: decided } = answer;
  const { group, advice } = advisers.get(rule) ?? {};
  // A line that allows more than intended does not deny anything.
  if (mayAllow && (decided === "401" || decided === "403")) return false;
  // The files of the server may be elsewhere.
  if (group === "startup" && severity === "info") return false;
  if (advice === "if its file is exposed" && decided !== "allowed") return false;
  if (advice === "if a loop has no remedy") return answer.loop?.help === undefined;
  if (advice === "for the default host") return answer.isForDefaultHost;
  if (advice === "if it has an inner extension") return /\.\w+\.\w+$/.test(request.path);
  return advice !== "if it has a query" || (request.query ?? "") !== "";
}

/** Reports whether a place is in a virtual host that does not answer. */
function isInOtherHost({ file, start }: Span, { directives }: Project, { trace }: Answer): boolean {
  const host = directives.findLast(
    (each) =>
      each.key === "<virtualhost" && each.span.file === file && each.span.start <= start && start <= endOf(each),
  );
  return host !== undefined && !trace.some(({ span }) => span.file === file && span.start === host.span.start);
}

function isAboutExposure({ rule }: Finding): boolean {
  return advisers.get(rule)?.advice === "if its file is exposed";
}

/**
 * Reports whether a finding about an exposed file is about that of an answer: its witness requests the same path, or another
 * file of the same repository, or the section that it is about denies the same file at another URL.
 */
function isOfFile(finding: Finding, { directives }: Project, answer: Answer, server: SimulatedServer): boolean {
  const { request, cases } = answer;
  const [only, ...others] = cases;
  const file = others.length === 0 && only?.status === 200 ? only.destination.file : undefined;
  const found = finding.witness?.request.path;
  if (file === undefined || found === undefined) return false;
  if (found === request.path) return true;
  const hidden = /^.*\/\.[^/]+(?=\/)/.exec(found)?.[0];
  if (hidden !== undefined) return isWithin(request.path, hidden);
  const section = directives.find(({ span }) => span.file === finding.span.file && span.start === finding.span.start);
  const named = section?.arguments[0]?.value.replace(/\/+$/, "");
  if (named === undefined || section?.key !== "<location") return false;
  return [...request.path.matchAll(/\//g)].some(({ index }) => {
    const other = server.answer({ ...request, path: named + request.path.slice(index) });
    const isDenied = other.class === "401" || other.class === "403";
    return isDenied && other.cases.every(({ destination }) => destination.file === file);
  });
}

/** Reports whether a finding is on a line that changes the response of an answer, and about its type if it is about one. */
function changesResponse({ span, fix }: Finding, { causes, loop, responseLines }: Answer): boolean {
  if (responseLines === undefined || causes.length > 0 || loop !== undefined) return false;
  const { forAll, forKinds, kinds } = responseLines;
  const isOn = (line: Directive) => lineKeyAt(line.span) === lineKeyAt(span);
  if (forAll.some(isOn)) return true;
  const words = [
    ...forKinds.filter(isOn).map(({ argumentText }) => argumentText),
    ...(fix?.edits ?? []).map(({ text }) => text),
  ];
  return forKinds.some(isOn) && words.flatMap(listKinds).some((word) => kinds.has(word));
}

/** Returns the words of a line that may be media types, or extensions without their dot. */
function listKinds(text: string): readonly string[] {
  return text
    .toLowerCase()
    .split(/[\s,;"]+/)
    .map((word) => word.replace(/^\./, ""));
}

/** Returns the end of the last line in a section. */
function endOf({ span, children = [] }: Directive): number {
  const last = children.at(-1);
  return last === undefined ? span.end : endOf(last);
}

function lineKeyAt({ file, start }: Span): string {
  return `${file.path}:${lineAt(file, start)}`;
}

/** Returns the key of a line, and those of the conditions right before a rewrite rule. */
function listLineKeys({ file, start }: Span): readonly string[] {
  const number = lineAt(file, start);
  const texts = file.text.split("\n", number);
  let first = number;
  if (/^\s*RewriteRule\b/i.test(texts[number - 1] ?? ""))
    while (/^\s*(?:RewriteCond\b|#|$)/i.test(texts[first - 2] ?? "-")) first--;
  return Array.from({ length: number - first + 1 }, (_, index) => `${file.path}:${first + index}`);
}

/** Returns the lines that led to the answer: those that decide, and those that are steps of their own. */
function listUsedPlaces({ decidedBy, leadPlaces, trace }: Answer): readonly Span[] {
  const steps = trace.filter(({ role }) => role !== "no-effect");
  return [...leadPlaces, ...decidedBy.map(({ span }) => span), ...steps.map(({ span }) => span)];
}

/** Returns the lines that decide, that have an effect, and that a reader may expect to apply. */
function listPlaces(answer: Answer): readonly Span[] {
  const { decidedBy, causes, misses, loop, leadPlaces, trace } = answer;
  const acting = trace.filter(({ role }) => role !== "no-effect");
  const lines = [
    ...decidedBy,
    ...[...causes, ...(loop ? [loop] : [])].flatMap(({ line }) => line ?? []),
    ...acting.flatMap((step) => step.lines),
  ];
  return [
    ...leadPlaces,
    ...lines.map(({ span }) => span),
    ...acting.map(({ span }) => span),
    ...misses.flatMap(({ span, isClose }) => (isClose ? [span] : [])),
  ];
}
