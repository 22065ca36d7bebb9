import type { StringWord, Variable } from "../../../grammar/expression/ast.js";
import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { expressionOf } from "../../config/queries/expressions.js";
import { toReadable } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import type { AccessState } from "../access/access-state.js";
import { conditionOf, evaluateString } from "../expression/evaluate.js";
import type { Miss } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { type Pass, passesOf } from "../model/pass.js";
import type { RewriteCondition } from "../rewrite/rule-parser.js";
import { targetOf } from "../sections/section-index.js";
import { decidesAccess } from "./access-causes.js";
import { missOf, type SearchedPass } from "./miss.js";
import { findMatch } from "./pattern-parts.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex } from "./written-lines.js";

const filesSections: ReadonlySet<string> = new Set(["<files", "<filesmatch"]);
const locationSections: ReadonlySet<string> = new Set(["<location", "<locationmatch"]);

/** Returns sections for files and URLs that do not apply because their name or pattern differs in the case of letters (server/request.c). */
export function findOtherCase({ pass: { server, state, path, walked, mapping } }: SearchedPass): readonly Miss[] {
  const layers = new Set([...server.layers, ...(state?.layers ?? [])]);
  const applied = new Set(state?.layers.flatMap(({ section }) => section ?? []));
  const file = mapping.kind === "file" ? (walked?.kind === "file" ? walked.filename : mapping.filename) : "";
  const name = file.slice(file.lastIndexOf("/") + 1);
  const missesIn = (keys: ReadonlySet<string>, subject: string) => {
    const sections = [...layers].flatMap((layer) => layer.pick(keys));
    // Another section has the other spelling.
    const others = sections.filter((section) => applied.has(section)).map((section) => bodyOf(section));
    return [...new Set(sections)]
      .filter((section) => !applied.has(section) && !others.includes(bodyOf(section)))
      .flatMap((section) => missOfCase(section, subject));
  };
  return [...(name === "" ? [] : missesIn(filesSections, name)), ...missesIn(locationSections, path)];
}

function bodyOf({ children = [] }: Directive): string {
  return children.map((line) => formatWholeLine(line)).join("\n");
}

function missOfCase(section: Directive, subject: string): readonly Miss[] {
  const target = targetOf(section);
  if (target === undefined || target.text === "" || !/^[ -~]+$/.test(target.text)) return [];
  const pattern = target.isPattern ? target.text : patternOf(section, target.text);
  if (pattern === undefined) return [];
  if (findMatch(pattern, subject) !== undefined || findMatch(pattern, subject, true) === undefined) return [];
  const what = target.isPattern ? `its pattern does not match` : `it is not for`;
  const reason = `${what} \`${toReadable(subject)}\`: letters differ in case`;
  const kind = section.key.startsWith("<files") ? "FilesMatch" : "LocationMatch";
  return [missOf(section, reason, [`to ignore case, use ${quoteWritten(`<${kind} "(?i)${pattern}">`)}`])];
}

/** Returns the pattern for a name or a path; undefined for other wildcards than those of a name. */
function patternOf({ key }: Directive, text: string): string | undefined {
  if (key === "<location")
    return hasWildcard(text) || !/[a-z]/i.test(text)
      ? undefined
      : `^${escapeRegex(text)}${text.endsWith("/") ? "" : "(?:/|$)"}`;
  if (/[[\]\\]/.test(text)) return undefined;
  const pattern = escapeRegex(text).replace(/\\\*/g, ".*").replace(/\\\?/g, ".");
  return `^${pattern}$`.replace(/^\^\.\*/, "");
}

const ifSections: ReadonlySet<string> = new Set(["<if"]);

/**
 * Returns the If sections whose condition is false, with the change of a comparison of a whole value with a part of it
 * (server/util_expr_eval.c `ap_expr_eval_comp`).
 */
export function findFalseIfs({ pass: { state, server } }: SearchedPass): readonly Miss[] {
  if (state === undefined) return [];
  const layers = new Set([...server.layers, ...state.layers]);
  const applied = new Set(state.layers.flatMap(({ section }) => section ?? []));
  const sections = new Set([...layers].flatMap((layer) => layer.pick(ifSections)));
  return [...sections]
    .filter((section) => !applied.has(section))
    .map(
      (section) => missOfComparison(section, state) ?? { ...missOf(section, "its condition is false"), isClose: false },
    );
}

function missOfComparison(section: Directive, state: AccessState): Miss | undefined {
  const condition = conditionOf(section);
  const text = expressionOf(section)?.text;
  if (condition?.kind !== "comparison" || condition.operator.name !== "==" || text === undefined) return undefined;
  const { left, right } = condition;
  const [part, ...more] = right.kind === "string" ? right.parts : [];
  const tree = left.kind === "string" ? left : left.kind === "variable" ? stringOf(left) : undefined;
  if (tree === undefined || part?.kind !== "text" || more.length > 0 || part.value === "") return undefined;
  const oracle = new Oracle(new Map());
  const value = evaluateString(tree, { ...state, oracle, user: state.request.user });
  const isPart = value?.toLowerCase().includes(part.value.toLowerCase()) === true;
  if (value === undefined || !isPart || value === part.value || oracle.answered.size > 0) return undefined;
  const tested = text.slice(left.start, left.end);
  const reason = `its condition is false: \`${toReadable(tested)}\` is \`${toReadable(value)}\`, and \`==\` compares the whole value`;
  const flag = value.includes(part.value) ? "" : "i";
  const [start, end] = [value.slice(0, part.value.length), value.slice(-part.value.length)].map(
    (side) => side.toLowerCase() === part.value.toLowerCase(),
  );
  const pattern = `${start ? "^" : ""}${escapeRegex(part.value)}${end ? "$" : ""}`;
  const regex = pattern.includes("/") ? `m#${pattern}#` : `/${pattern}/`;
  const written = `<If "${toReadable(tested)} =~ ${regex}${flag}">`;
  return missOf(section, reason, /["'#]/.test(tested + part.value) ? [] : [`use ${quoteWritten(written)}`]);
}

function stringOf(part: Variable): StringWord {
  return { kind: "string", quote: "", parts: [part], start: part.start, end: part.end };
}

/**
 * Returns conditions on the scheme and the name of a request that must all hold, for a rule that redirects to one of both: a request with
 * only one of them wrong is not redirected (mod_rewrite.c `apply_rewrite_rule`).
 */
export function findJoinedConditions({ pass }: SearchedPass): readonly Miss[] {
  const rules = passesOf(pass).flatMap(({ rewriting: { url, sections } }) =>
    [url, sections].flatMap((each) => each?.steps ?? []),
  );
  return rules.flatMap(({ rule, match }): readonly Miss[] => {
    const { conditions, output = "" } = rule;
    const failed = match?.failed?.by;
    const isForUrl = ({ input }: RewriteCondition) => urlVariables.test(input);
    if (failed === undefined || conditions.length !== 2 || !conditions.every(isForUrl)) return [];
    const [first, second] = conditions;
    if (!first || !second || first.orNext || first.input.toLowerCase() === second.input.toLowerCase()) return [];
    if (isName(first) === isName(second) || leadsTo(output, pass)) return [];
    // With OR, a condition that holds for the target redirects it to itself.
    if (conditions.some((each) => !isName(each) && holdsForScheme(each, output))) return [];
    // httpd tests them in order: before the second one, the first one holds.
    const isOtherTrue = failed === second || isTrue(second, pass);
    if (!isOtherTrue || !/^https?:\/\/[^/$%]+/i.test(output)) return [];
    const { directive } = first;
    const written =
      directive.arguments.length > 2
        ? formatWholeLine(directive, directive.argumentText.replace(/\]\s*$/, ",OR]"))
        : formatWholeLine(directive, `${directive.argumentText.trimEnd()} [OR]`);
    const reason = `both conditions must hold, and ${quoteLine(failed.directive)} is false`;
    const help = [`if one of them is to be enough, use ${quoteWritten(written)}`];
    return [{ ...missOf(rule.directive, reason, help), change: directive }];
  });
}

/** Reports whether a condition on the scheme holds for requests to a target. */
function holdsForScheme(condition: RewriteCondition, target: string): boolean {
  const [scheme = ""] = /^https?/i.exec(target.toLowerCase()) ?? [];
  const forwarded = { "%{http:x-forwarded-proto}": scheme, "%{server_port}": scheme === "https" ? "443" : "80" };
  return holds(condition, { ...schemeValues(scheme), ...forwarded });
}

/** Values of the variables that a condition may test, by the variable in lower case. */
type ValuesByInput = Readonly<Record<string, string | undefined>>;

function schemeValues(scheme: string): ValuesByInput {
  return { "%{https}": scheme === "https" ? "on" : "off", "%{request_scheme}": scheme };
}

/** Reports whether a condition holds for some values; it does not for an unknown one. */
function holds({ input, test, isNegated, ignoreCase }: RewriteCondition, values: ValuesByInput): boolean {
  const value = values[input.toLowerCase()];
  if (value === undefined) return false;
  if (test.kind === "text" && test.operator === "=") return (value === test.operand) !== isNegated;
  return test.kind === "pattern" && (findMatch(test.pattern, value, ignoreCase) !== undefined) !== isNegated;
}

const urlVariables = /^%\{(?:HTTPS|REQUEST_SCHEME|SERVER_PORT|HTTP:X-Forwarded-Proto|HTTP_HOST|SERVER_NAME)\}$/i;

function isName({ input }: RewriteCondition): boolean {
  return /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(input);
}

/** Reports whether the pattern of a condition holds for the scheme or the name of a request, as far as this is known. */
function isTrue(condition: RewriteCondition, { request }: Pass): boolean {
  const { scheme = "http", host } = request.sent ?? request;
  return condition.test.kind === "pattern" && holds(condition, { ...schemeValues(scheme), "%{http_host}": host });
}

/** Reports whether a request has the scheme and the name of a URL already. */
function leadsTo(url: string, { request }: Pass): boolean {
  const { scheme = "http", host = "" } = request.sent ?? request;
  return url.toLowerCase().startsWith(`${scheme}://${host.toLowerCase()}`);
}

/** Returns Directory sections with a wildcard for the homes of users, if UserDir leads to another folder (mod_userdir.c). */
export function findOtherHomes({ pass: { mapping, server, state } }: SearchedPass): readonly Miss[] {
  const { by } = mapping.kind === "file" ? mapping : {};
  const [written = ""] = by?.key === "userdir" ? argumentValuesOf(by) : [];
  if (mapping.kind !== "file" || !by || written === "") return [];
  const applied = new Set(state?.layers.flatMap(({ section }) => section ?? []));
  const parts = mapping.filename.split("/");
  const sections = server.layers.flatMap((layer) => layer.pick(directorySections));
  return sections.flatMap((section): readonly Miss[] => {
    const [text = ""] = argumentValuesOf(section);
    const [, above, folder] = /^(\/[^?[]*\*)\/([^/*?[]+)\/?$/.exec(text) ?? [];
    if (above === undefined || folder === undefined || applied.has(section)) return [];
    if (!(section.children ?? []).some(decidesAccess)) return [];
    const depth = above.split("/").length;
    const own = parts[depth];
    const pattern = `^${escapeRegex(above).replaceAll("\\*", "[^/]*")}$`;
    if (
      own === undefined ||
      own === "" ||
      own === folder ||
      findMatch(pattern, parts.slice(0, depth).join("/")) === undefined
    )
      return [];
    const place = nativePath(toReadable(parts.slice(0, depth + 1).join("/")));
    const reason = `it does not match \`${place}\`, to which ${quoteLine(by)} leads`;
    return [missOf(section, reason, [`use ${quoteWritten(`<Directory "${toReadable(above)}/${toReadable(own)}">`)}`])];
  });
}

const directorySections: ReadonlySet<string> = new Set(["<directory"]);
