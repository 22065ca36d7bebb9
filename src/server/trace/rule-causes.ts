import { type Directive, findSectionAround } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { readRedirect } from "../mapping/redirects.js";
import type { Cause, Miss } from "../model/answer.js";
import { argumentValuesOf, layerOfSection } from "../model/config-layer.js";
import { mainPassesOf, type Pass } from "../model/pass.js";
import { headerOf, type Request } from "../model/request.js";
import { backendOf } from "../phases/handler.js";
import { earlySetterOf } from "../request/setenvif.js";
import type { RewriteStep, RuleMatch } from "../rewrite/engine.js";
import { parseRewriteRules, type RewriteCondition, type RewriteRule } from "../rewrite/rule-parser.js";
import { targetOf } from "../sections/section-index.js";
import { deniesEveryone } from "./access-causes.js";
import type { ExplainedRun } from "./causes.js";
import { findVariant, isPathText } from "./condition-variants.js";
import { findLooseMatch, findMatch, type LooseMatch } from "./pattern-parts.js";
import { findSetters } from "./request-steps.js";
import { withPattern, withRuleFlag } from "./rule-corrections.js";
import { formatLine, formatWholeLine, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex } from "./written-lines.js";

/** A rule that applied, with what was tested. */
interface AppliedRule {
  readonly rule: RewriteRule;
  readonly match: RuleMatch;
}

/** Returns the rule that decides a result: that of a redirect, a backend or a status, or the last one that leads to another URL. */
function decidingRuleOf({ outcome: { by, pass, served = pass } }: ExplainedRun): AppliedRule | undefined {
  const passes = pass ? mainPassesOf(pass) : [];
  const proxied = served && backendOf(served)?.by;
  const mapped = passes[0]?.mapping.by;
  const led = passes.find(({ next }) => next?.by.key === "rewriterule")?.next?.by;
  const line = [...by, proxied, mapped, led].find((each) => each?.key === "rewriterule");
  const found = passes.flatMap(stepsOf).find(({ rule, match }) => rule.directive === line && !match?.failed);
  // A check reports flags that are part of the target: the rule does not do what it is written for.
  if (found === undefined || hasAttachedFlags(found.rule)) return undefined;
  return found.match && { rule: found.rule, match: found.match };
}

/** Reports whether the target of a rule without flags ends in words like those of flags: no space is before the bracket. */
function hasAttachedFlags({ directive, output }: RewriteRule): boolean {
  return argumentValuesOf(directive).length === 2 && /[^?&=[]\[[A-Z]+(?:=[^,\]]*)?(?:,[^\]]*)?\]$/.test(output ?? "");
}

function stepsOf({ rewriting: { url, sections } }: Pass): readonly RewriteStep[] {
  return [url, sections].flatMap((each) => each?.steps ?? []);
}

/** A pattern of the deciding line that matches more than it was written for: a part of a word, or any character for a dot. */
export function explainLoosePattern(run: ExplainedRun): readonly Cause[] {
  const { outcome, request } = run;
  const { pass } = outcome;
  const applied = decidingRuleOf(run);
  // A rule that leads to a file may be for a part of a word on purpose.
  const isServed = outcome.status < 300;
  if (applied && !applied.rule.isNegated) {
    const { rule, match } = applied;
    const found = findLooseMatch(rule.pattern, match.subject, rule.flags.names.has("nocase"), !isServed);
    if (found) return [looseCause(rule.directive, rule.pattern, found)];
    for (const { by, value } of match.conditions) {
      if (by.isNegated || by.test.kind !== "pattern") continue;
      const { pattern } = by.test;
      const loose = findLooseMatch(pattern, value, by.ignoreCase, !isServed && isPathText(by.input));
      if (loose) return [looseCause(by.directive, pattern, loose)];
    }
  }
  const file = pass?.mapping.kind === "file" ? pass.mapping.filename : "";
  return outcome.by.flatMap((line) => {
    const section = line.key === "redirectmatch" ? line : patternSectionOf(line);
    const pattern = section && patternOf(section);
    if (section === undefined || pattern === undefined) return [];
    const isName = section.key.startsWith("<files");
    const subject = isName ? file.slice(file.lastIndexOf("/") + 1) : request.path;
    const found = findLooseMatch(pattern, subject, false, !isName);
    return found ? [looseCause(section, pattern, found)] : [];
  });
}

/**
 * A pattern for names that begin with a dot which denies a URL below `/.well-known/`, whose files are for clients (RFC 8615).
 */
export function explainWellKnown(run: ExplainedRun): readonly Cause[] {
  const { outcome, request } = run;
  const { path } = request;
  if (outcome.status < 400 || !/^\/\.well-known\//.test(path)) return [];
  const ofRule = decidingRuleOf(run)?.rule;
  if (ofRule && !isForAllClients(ofRule, run)) return [];
  const lines = ofRule && !ofRule.isNegated ? [ofRule.directive] : outcome.by;
  return lines.slice(0, 1).flatMap((line) => {
    const section = line.key === "rewriterule" || line.key === "redirectmatch" ? line : hiddenSectionOf(line);
    const pattern = section?.key === "rewriterule" ? ofRule?.pattern : section && patternOf(section);
    if (section === undefined || pattern === undefined || pattern.includes("well-known")) return [];
    // A section that allows some clients may deny the others this path on purpose.
    if (section.children && !deniesEveryone(layerOfSection(section))) return [];
    if (findSectionAround(line, ({ key }) => /^<(?:if|else)/.test(key))) return [];
    const corrected = exceptWellKnown(pattern, path);
    if (corrected === undefined) return [];
    const text = `\`${toReadable(pattern)}\` is for all names that begin with a dot, also for \`.well-known\`, whose files are for clients`;
    const written = quoteWritten(withSectionEnd(section, withPattern(section, pattern, toReadable(corrected))));
    return [{ text, line: section, help: [`to leave them out, use ${written}`] }];
  });
}

/** Reports whether a rule does not depend on the client: only conditions on the path restrict it, and no rule before may skip it. */
function isForAllClients({ directive, conditions }: RewriteRule, { outcome: { pass } }: ExplainedRun): boolean {
  const isOfRule = ({ rule }: RewriteStep) => rule.directive === directive;
  const steps = (pass ? mainPassesOf(pass) : []).map(stepsOf).find((each) => each.some(isOfRule)) ?? [];
  const before = steps.slice(0, steps.findIndex(isOfRule));
  const maySkip = ({ rule: { flags, output, conditions: tests } }: RewriteStep) =>
    flags.names.has("chain") || flags.skips > 0 || (output === undefined && tests.length > 0);
  return (
    conditions.every(({ input }) => /^%\{(?:REQUEST_URI|(?:REQUEST|SCRIPT)_FILENAME)\}$/i.test(input)) &&
    !before.some(maySkip)
  );
}

/** Returns the section around a line that compares a path with a pattern. */
function hiddenSectionOf(line: Directive): Directive | undefined {
  return findSectionAround(
    line,
    ({ key, argumentText }) => /^<(?:location|directory)/.test(key) && argumentText.includes("."),
  );
}

/** Returns a pattern that matches what another one matches, except for a path below `/.well-known/`; undefined if it has no such dot. */
function exceptWellKnown(pattern: string, path: string): string | undefined {
  // Another dot may be anywhere in a name.
  const dots = [...pattern.matchAll(/(?<=\/|(?<![[\\])\^|\((?:\?:)?(?:\^\|\/|\/\|\^)\))(?:\\\.|\[\.\])/g)];
  const matches = (text: string, other: string) =>
    [other, other.slice(1)].some((subject) => findMatch(text, subject) !== undefined);
  return dots
    .map(
      ({ index, 0: dot }) =>
        `${pattern.slice(0, index + dot.length)}(?!well-known/)${pattern.slice(index + dot.length)}`,
    )
    .find((each) => matches(pattern, path) && !matches(each, path) && matches(each, "/.git/config"));
}

/** Returns the pattern of a RedirectMatch or a section; undefined for a section without one. */
function patternOf(line: Directive): string | undefined {
  if (line.key === "redirectmatch") return readRedirect(line, true)?.from;
  const target = targetOf(line);
  return target?.isPattern ? target.text : undefined;
}

const patternSections: ReadonlySet<string> = new Set(["<location", "<locationmatch", "<files", "<filesmatch"]);

/** Returns the section around a line that compares the path of the URL, or the name of the file, with a pattern. */
function patternSectionOf(line: Directive): Directive | undefined {
  return findSectionAround(line, (each) => patternSections.has(each.key) && patternOf(each) !== undefined);
}

function looseCause(line: Directive, pattern: string, { text, corrected, purpose = "" }: LooseMatch): Cause {
  if (corrected === undefined) return { text: toReadable(text), line };
  const written = quoteWritten(withSectionEnd(line, withPattern(line, pattern, toReadable(corrected))));
  return { text: toReadable(text), line, help: [`${purpose}use ${written}`] };
}

/**
 * Conditions on the name of the host above the rule before the deciding one: they exclude this request from that rule only
 * (mod_rewrite.c `cmd_rewriterule`).
 */
export function explainConditionsOfOther(run: ExplainedRun): readonly Cause[] {
  const { rule } = decidingRuleOf(run) ?? {};
  const host = run.request.host?.replace(/:\d+$/, "");
  if (rule === undefined || host === undefined || rule.conditions.length > 0) return [];
  const layers = (run.outcome.pass ? mainPassesOf(run.outcome.pass) : []).flatMap(({ state, server }) => [
    server.layer,
    ...(state?.layers ?? []),
  ]);
  const layer = layers.find(({ directives }) => directives.includes(rule.directive));
  const rules = layer ? parseRewriteRules(layer.directives) : [];
  const before = rules[rules.findIndex(({ directive }) => directive === rule.directive) - 1];
  // A rule for all paths is for a purpose of its own, such as one name for all hosts.
  if (before === undefined || before.isNegated || isForAllPaths(before.pattern)) return [];
  // Rules that lead to the same host belong together.
  if (hostOf(rule) === undefined || hostOf(rule) !== hostOf(before)) return [];
  const excluding = before.conditions.find(
    ({ input, test, isNegated, orNext, ignoreCase }, index) =>
      /^%\{HTTP_HOST\}$/i.test(input) &&
      test.kind === "pattern" &&
      !isNegated &&
      !orNext &&
      before.conditions[index - 1]?.orNext !== true &&
      findMatch(test.pattern, host, ignoreCase) === undefined,
  );
  if (excluding === undefined) return [];
  const text = `${quoteLine(rule.directive)} has no condition: ${quoteLine(excluding.directive)} applies only to the rule right after it`;
  return [{ text, line: rule.directive }];
}

/** Returns the text of a line; that of a section ends in a bracket. */
function withSectionEnd({ key }: Directive, text: string): string {
  return key.startsWith("<") && !text.endsWith(">") ? `${text}>` : text;
}

/** The query of the request that a redirect keeps although a condition chose it (mod_rewrite.c `splitout_queryargs`). */
export function explainKeptQuery(run: ExplainedRun): readonly Cause[] {
  const { location } = run.outcome;
  const { query = "" } = run.request;
  const applied = decidingRuleOf(run);
  if (!applied || query === "" || location?.endsWith(`?${query}`) !== true) return [];
  const { rule } = applied;
  const isChosen = rule.conditions.some(({ input }) => /%\{QUERY_STRING\}/i.test(input));
  if (!isChosen || rule.output === undefined || rule.output.includes("?") || rule.flags.names.has("qsappend"))
    return [];
  const written = isSince(run.project.release, "2.4")
    ? withRuleFlag(rule.directive, "QSD")
    : formatWholeLine(
        rule.directive,
        rule.directive.argumentText.replace(rule.output, () => `${rule.output}?`),
      );
  const text = `its target has no query, so httpd keeps that of the request, \`${toReadable(query)}\``;
  return [{ text, line: rule.directive, help: [`to drop it, use ${quoteWritten(written)}`] }];
}

/** A query with characters that a rule takes from the decoded path, and that httpd refuses (mod_rewrite.c, CVE-2023-25690). */
export function explainBrokenQuery(run: ExplainedRun): readonly Cause[] {
  const { log } = run.outcome;
  const applied = log.some((code) => code === "AH10410" || code === "AH10411") ? decidingRuleOf(run) : undefined;
  const { directive, output = "", flags } = applied?.rule ?? {};
  if (!directive || !/\?.*\$\d/.test(output) || flags?.names.has("backrefescaping")) return [];
  const text =
    "the path is decoded before the rule uses it, so `%20` is a space in the query; the flag `B` encodes it again";
  return [{ text, line: directive, help: [`use ${quoteWritten(withRuleFlag(directive, "B"))}`] }];
}

/** Characters of a decoded path that have another meaning in the query for which a rule takes it (mod_rewrite.c `do_expand`). */
export function explainDecodedQuery(run: ExplainedRun): readonly Cause[] {
  const applied = decidingRuleOf(run);
  const { directive, output = "", flags } = applied?.rule ?? {};
  if (!directive || !applied || flags?.names.has("backrefescaping") || run.outcome.status >= 400) return [];
  const used = [...output.slice(output.indexOf("?") + 1).matchAll(/=\$(\d)/g)].map(([, digit]) => Number(digit));
  const taken = output.includes("?") ? used.map((index) => applied.match.groups[index] ?? "") : [];
  const found = ["&", "+"].find((sign) => taken.some((text) => text.includes(sign)));
  if (found === undefined) return [];
  const meaning = found === "&" ? "ends the value" : "stands for a space";
  const text = `the path is decoded before the rule uses it, and \`${found}\` ${meaning} in the query; the flag \`B\` encodes it again`;
  // A redirect encodes the result another time (`hook_uri2file`, `hook_fixup`).
  const isRedirect = flags?.names.has("redirect") === true || /^[a-z]+:\/\//i.test(output);
  const added = isRedirect && !flags?.names.has("noescape") ? "B,NE" : "B";
  return [{ text, line: directive, help: [`use ${quoteWritten(withRuleFlag(directive, added))}`] }];
}

/**
 * A redirect with a part of the request line, which is as the client sent it: without the flag NE, its escapes are escaped
 * again (mod_rewrite.c `escape_absolute_uri`, `hook_uri2file`).
 */
export function explainEscapedRequestLine(run: ExplainedRun): readonly Cause[] {
  const { location } = run.outcome;
  const { rule, match } = decidingRuleOf(run) ?? {};
  if (!rule || !match || location === undefined || rule.flags.names.has("noescape")) return [];
  // The last condition has the groups; a group of the pattern is of the decoded path, which needs to be escaped.
  const last = rule.conditions.at(-1)?.input ?? "";
  const { output = "" } = rule;
  if (!/^%\{THE_REQUEST\}$/i.test(last) || !/%\d/.test(output) || /\$\d/.test(output)) return [];
  const { value = "" } = match.conditions.at(-1) ?? {};
  const found = [...value.matchAll(/%[0-9a-f]{2}/gi)].find(([sign]) => location.includes(sign.replace("%", "%25")));
  if (found === undefined) return [];
  const [sign] = found;
  const text = `\`%{THE_REQUEST}\` has the URL as the client sent it, and the redirect escapes its \`${sign}\` again, to \`${sign.replace("%", "%25")}\`; the flag \`NE\` prevents that`;
  return [{ text, line: rule.directive, help: [`use ${quoteWritten(withRuleFlag(rule.directive, "NE"))}`] }];
}

/** Extensions of files that pages load: browsers reject a page in their place. */
const loadedFile = /\.(?:css|gif|ico|jpe?g|js|mjs|png|svg|webp|woff2?)$/i;
const loadedFilePattern = "\\.(?:css|gif|ico|jpe?g|m?js|png|svg|webp|woff2?)$";

/** A rule for all paths that answers for a missing script, style sheet or image with a page. */
export function explainPageForFile(run: ExplainedRun): readonly Cause[] {
  const { outcome, request } = run;
  const { pass, served } = outcome;
  const { rule, match } = decidingRuleOf(run) ?? {};
  if (!rule || !match || !pass || outcome.status !== 200 || outcome.answeredBy !== undefined) return [];
  const page = served?.walked?.kind === "file" ? served.path : "";
  // The name of the file ends at the first directory that is missing.
  const file = pass.mapping.kind === "file" ? pass.mapping.filename : "";
  const isNameOf = (value: string) => value.endsWith(request.path) || file.startsWith(`${value}/`);
  const isMissing = match.conditions.some(({ by, value }) => by.isNegated && isFileTest(by) && isNameOf(value));
  if (
    !isMissing ||
    !loadedFile.test(request.path) ||
    !/\.html?$/i.test(page) ||
    rule.isNegated ||
    !isForAllPages(rule.pattern)
  )
    return [];
  const text = `\`${toReadable(request.path)}\` does not exist, and this rule returns the page \`${toReadable(page)}\` in its place`;
  // The last condition is one of several alternatives, or none is.
  const isJoined = rule.conditions.at(-1)?.orNext === true;
  const condition = quoteWritten(`RewriteCond %{REQUEST_URI} !${loadedFilePattern}`);
  const help = [`to return 404 for missing files that pages load, add ${condition} right before the rule`];
  return [{ text, line: rule.directive, ...(isJoined ? {} : { help }), stays: true }];
}

function isFileTest({ test }: RewriteCondition): boolean {
  return test.kind === "file" && test.test.toLowerCase() === "f";
}

function isForAllPages(pattern: string): boolean {
  return findMatch(pattern, "a") !== undefined && findMatch(pattern, "/-") !== undefined;
}

/** A part of the pattern that the target does not use, so that all URLs lead to the same one. */
export function explainUnusedGroup(run: ExplainedRun): readonly Cause[] {
  const applied = decidingRuleOf(run);
  if (!applied) return [];
  const { rule, match } = applied;
  const { directive, output = "", pattern, isNegated } = rule;
  const rest = match.groups[1];
  const isWhole = /^\^?\/?\(\.[*+]\)\$?$/.test(pattern) && rest !== undefined && rest !== "";
  const lines = [directive, ...rule.conditions.map((each) => each.directive)];
  const isUsed = lines.some(({ argumentText }) =>
    /\$\d|%\{(?:REQUEST_URI|THE_REQUEST|REQUEST_FILENAME)\}/i.test(argumentText),
  );
  if (isNegated || !isWhole || isUsed || !/^[a-z]+:\/\/[^?]*\/$/i.test(output) || !rule.flags.names.has("proxy"))
    return [];
  const corrected = formatWholeLine(
    directive,
    directive.argumentText.replace(output, () => `${output}$1`),
  );
  const text = `the target has no \`$1\`, so \`${toReadable(rest)}\`, which \`${pattern.replace(/^\^?\/?|\$?$/g, "")}\` matches, is dropped`;
  return [{ text, line: directive, help: [`use ${quoteWritten(corrected)}`] }];
}

/** Returns the scheme and the host of a rule's target, in lower case; undefined for a path. */
function hostOf({ output = "" }: RewriteRule): string | undefined {
  return /^[a-z]+:\/\/[^/?#]+/i.exec(output)?.[0].toLowerCase();
}

function isForAllPaths(pattern: string): boolean {
  return findMatch(pattern, "") !== undefined && findMatch(pattern, "/-") !== undefined;
}

/** A redirect of all paths to a URL without one. */
export function explainLostPath(run: ExplainedRun): readonly Cause[] {
  const applied = decidingRuleOf(run);
  const { directive, output = "", pattern = "", isNegated } = applied?.rule ?? {};
  const isForAll = !isNegated && isForAllPaths(pattern);
  const [host] = /^[a-z]+:\/\/(?:[\w.:-]|%\{(?:HTTP_HOST|SERVER_NAME)\})+(?=\/?$)/i.exec(output) ?? [];
  if (!directive || !isForAll || host === undefined || run.outcome.location === undefined || run.request.path === "/")
    return [];
  const written = formatWholeLine(
    directive,
    directive.argumentText.replace(output, () => `${host}%{REQUEST_URI}`),
  );
  const text = `the target has no path, so \`${toReadable(run.request.path)}\` is dropped`;
  return [{ text, line: directive, help: [`to keep the path, use ${quoteWritten(written)}`] }];
}

/** A label such as `www.` that a target puts before the name of the request. */
export function explainPrefixedHost(run: ExplainedRun): readonly Cause[] {
  const { host = "" } = run.request;
  const applied = decidingRuleOf(run);
  const { output = "", directive } = applied?.rule ?? {};
  const [, prefix, variable] = /^[a-z]+:\/\/((?:[\w-]+\.)+)(%\{(?:HTTP_HOST|SERVER_NAME)\})/i.exec(output) ?? [];
  if (!applied || !directive || prefix === undefined || variable === undefined || run.outcome.location === undefined)
    return [];
  const name = host.toLowerCase().replace(/:\d+$/, "");
  const own = prefix.toLowerCase();
  if (name.startsWith(own)) {
    const usesGroup = /%\d/.test(output);
    const condition = `RewriteCond %{HTTP_HOST} ^(?:${escapeRegex(own)})?(.+)$ [NC]`;
    const corrected = formatWholeLine(directive, directive.argumentText.replace(variable, "%1"));
    const help = usesGroup
      ? []
      : [`add ${quoteWritten(condition)} right before the rule, and use ${quoteWritten(corrected)}`];
    const text = `the target puts \`${prefix}\` before \`${toReadable(name)}\`, which begins with it already`;
    return [{ text, line: directive, help }];
  }
  if (!isSubdomain(name)) return [];
  const text = `the rule puts \`${prefix}\` before each name that its conditions allow, also before \`${toReadable(name)}\``;
  const [, domain = name] = /^[^.]+\.(.+)$/.exec(name) ?? [];
  return [
    {
      text,
      line: directive,
      help: [
        `to leave this name as it is, add ${quoteWritten(`RewriteCond %{HTTP_HOST} !^${escapeRegex(name)}$ [NC]`)} right before the rule`,
        `to change only one name, add ${quoteWritten(`RewriteCond %{HTTP_HOST} ^${escapeRegex(domain)}$ [NC]`)} instead`,
      ],
    },
  ];
}

/** Reports whether a name has a label before its domain: `api.a.test`, but not `a.co.uk`. */
function isSubdomain(name: string): boolean {
  const labels = name.split(".");
  const [top = "", second = ""] = labels.toReversed();
  return !/^[\d.]+$/.test(name) && labels.length > (top.length === 2 && second.length <= 3 ? 3 : 2);
}

/**
 * A negated condition that would exclude the text if it differed in a slash or in the case of letters. With `OR`, another condition
 * may hold in its place.
 */
export function explainMissedExclusion(run: ExplainedRun): readonly Cause[] {
  const applied = decidingRuleOf(run);
  const all = applied?.rule.conditions ?? [];
  return (applied?.match.conditions ?? [])
    .filter(({ by }) => by.isNegated && !by.orNext && all[all.indexOf(by) - 1]?.orNext !== true)
    .flatMap(({ by, value }) => causeOfCondition(by, value, run.request, "does not exclude"))
    .slice(0, 1);
}

function causeOfCondition(
  by: RewriteCondition,
  value: string,
  request: Request,
  verb: "does not exclude" | "does not match",
): readonly Cause[] {
  const found = findVariant(by, value, request);
  if (found === undefined) return [];
  const text = `${quoteLine(by.directive)} ${verb} \`${toReadable(value)}\`: ${found.why}`;
  const help = found.written === undefined ? {} : { help: [`use ${quoteWritten(found.written)}`] };
  return [{ text, line: by.directive, ...help }];
}

/**
 * Returns the conditions because of which a rule does not apply, if they are false only for a slash or the like, or because a
 * pattern that excludes matches a part of a word.
 */
export function missesOfConditions(pass: Pass): readonly Miss[] {
  return stepsOf(pass).flatMap(({ match }): readonly Miss[] => {
    const { by, value } = match?.failed ?? {};
    if (!by || value === undefined || by.test.kind !== "pattern") return [];
    const { directive, test, isNegated, ignoreCase } = by;
    const place = { section: formatLine(directive), span: directive.span, isClose: true };
    if (!isNegated) {
      const found = findVariant(by, value, pass.request.sent ?? pass.request);
      const reason = `it does not match \`${toReadable(value)}\`: ${found?.why}`;
      return found?.written === undefined ? [] : [{ ...place, reason, help: [`use ${quoteWritten(found.written)}`] }];
    }
    const loose = findLooseMatch(test.pattern, value, ignoreCase, isPathText(by.input));
    if (loose === undefined) return [];
    const { help = [] } = looseCause(directive, test.pattern, loose);
    return [{ ...place, reason: `it excludes this request: ${toReadable(loose.text)}`, help }];
  });
}

/** The lines on access that may read variables. */
export const variableLines: ReadonlySet<string> = new Set(["require", "allow", "deny"]);

/** The line that sets a variable because of which access is denied or granted, and what its pattern matches. */
export function explainVariable({ outcome: { by, pass, status }, request }: ExplainedRun): readonly Cause[] {
  if (pass === undefined || (status !== 403 && status !== 401)) return [];
  const names = new Set(
    by.filter(({ key }) => variableLines.has(key)).flatMap((line) => namesOfVariables(argumentValuesOf(line))),
  );
  return findSetters(pass, names).flatMap(({ directive }): readonly Cause[] => {
    const setter = earlySetterOf(directive);
    if (setter?.header === undefined) return [];
    const { attribute, pattern } = setter;
    const value = valueOfAttribute(attribute, request);
    const [found] = value === undefined ? [] : (findMatch(pattern.text, value, pattern.ignoreCase) ?? []);
    if (value === undefined || found === undefined || found === "") return [];
    const loose = findLooseMatch(pattern.text, value, pattern.ignoreCase, attribute === "request_uri");
    const within = found === value ? "" : ` in \`${toReadable(value)}\``;
    const shown = `${quoteLine(directive)} applies: \`${toReadable(pattern.text)}\` matches \`${toReadable(found)}\`${within}`;
    if (!loose) return [{ text: shown, line: directive }];
    return [looseCause(directive, pattern.text, loose)];
  });
}

/** Returns the variables of a Require, Allow or Deny line, in lower case. */
export function namesOfVariables(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => word.toLowerCase() === "env");
  const named = at < 0 ? [] : words.slice(at + 1);
  const assigned = words.flatMap((word) => /^env=!?(.+)$/i.exec(word)?.[1] ?? []);
  return [...named, ...assigned].map((name) => name.toLowerCase());
}

/** Returns the text that a SetEnvIf line tests, if a client sends it. */
export function valueOfAttribute(attribute: string, request: Request): string | undefined {
  const own = new Map([
    ["request_uri", request.path],
    ["remote_addr", request.clientIp],
    ["request_method", request.method],
  ]);
  return own.get(attribute) ?? headerOf(request, attribute);
}
