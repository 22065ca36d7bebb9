import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { hasGroupReference } from "../../config/queries/line-effects.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { toReadable } from "../../text/source.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import {
  type AddressTest,
  type DependencyTracker,
  type HeaderTest,
  type MethodTest,
  type SentPathTest,
  TrackedEnvironment,
} from "../model/dependency-tracker.js";
import type { Environment, ReadonlyEnvironment } from "../model/environment.js";
import { createMethodTest } from "../model/method-test.js";
import type { Oracle } from "../model/oracle.js";
import { compileRegexPattern, type MatchGroups, type Pattern, replaceGroups, VALUE_LIMIT } from "../model/patterns.js";
import { DEFAULT_SERVER_IP, peekTest, protocolOf, type Request } from "../model/request.js";
import { type UnknownFact, unknownFact } from "../model/unknown-facts.js";
import { isUnknown, matchUnknownValue, type UnknownValue } from "../model/unknown-value.js";
import { readHeader } from "./credentials.js";

/** A variable that the server itself reads before the redirect that appends a directory's slash. */
export const REDIRECT_CAREFULLY = "redirect-carefully";

/**
 * A variable that mod_proxy reads while it maps a URL: no ProxyPass applies then (modules/proxy/mod_proxy.c `proxy_trans`;
 * test/live/differing-pairs.live.test.ts). It does not affect rules with the flag P.
 */
export const NO_PROXY = "no-proxy";

/** The variables that modules of httpd read without a line that names them, and that change the status. */
export const implicitVariables: ReadonlySet<string> = new Set([REDIRECT_CAREFULLY, NO_PROXY]);

const setEnvIfNames = new Set(["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase"]);

/** Directives that set variables before access is checked. SetEnv does so after. */
const earlySetters: ReadonlySet<string> = new Set([...setEnvIfNames, "setenvifexpr"]);

/** The result of an expression, and of its last pattern with groups: the text and its groups. */
export interface ConditionResult {
  readonly holds: boolean;
  /** Undefined if no pattern with groups was tried; without a subject if the last of them did not match. */
  readonly matched?: { readonly subject: string | undefined; readonly groups: MatchGroups };
}

/**
 * Evaluates SetEnvIf and BrowserMatch in order (modules/metadata/mod_setenvif.c).
 *
 * @param setters those of one server, section or file: consecutive lines about one attribute look it up once
 * @param path the value of `Request_URI`: as sent for a server's own lines, as `normalizePath` returns it for sections
 * @param isPathSent whether it is as sent by the client
 * @param env changed; names are in lower case
 * @param holds evaluates the condition of a SetEnvIfExpr
 * @param looksUpNames whether HostnameLookups resolves the client's name
 */
export function applySetEnvIf(
  setters: readonly EarlySetter[],
  request: Request,
  path: string,
  env: Environment,
  oracle: Oracle,
  holds: (directive: Directive) => ConditionResult | boolean,
  looksUpNames = false,
  isPathSent = false,
): void {
  let lastRead: { readonly attribute: string; value: string | UnknownValue; isOther: boolean } | undefined;
  for (const line of setters) {
    if (line.header === undefined) {
      const answer = holds(line.directive);
      const result = typeof answer === "boolean" ? { holds: answer } : answer;
      // A line that does not look up its own attribute uses the text that the pattern matched.
      if (lastRead && result.matched) {
        lastRead.value = result.matched.subject ?? "";
        lastRead.isOther = true;
      }
      if (result.holds) for (const word of line.variables) setByExpression(word, result, env, oracle);
      continue;
    }
    if (lastRead?.attribute !== line.attribute) {
      const value = attributeOf(line, request, path, env, oracle, looksUpNames);
      lastRead = { attribute: line.attribute, value, isOther: false };
    }
    const { value } = lastRead;
    if (line.attribute === "request_method") request.tracker?.recordMethod(line.methodTest);
    if (isUnknown(value)) {
      if (matchesUnknown(line.pattern, value, oracle))
        for (const word of line.variables) setUnknownGroups(word, line, value, env, oracle);
      continue;
    }
    const found = line.pattern.find(value, oracle);
    const groups = line.isPlain ? undefined : found;
    if (request.tracker && env instanceof TrackedEnvironment && !isServerAttribute(line, request.tracker, isPathSent)) {
      const isAddress = line.attribute === "remote_addr" || (line.attribute === "remote_host" && !looksUpNames);
      if (lastRead.isOther || request.tracker.ownVariables.has(line.attribute))
        request.tracker.markUnknown(unknownFact("test-of-set-values", line.test));
      const of = isAddress ? line.ofAddress : line.attribute === "request_uri" ? line.ofSentPath : line.sent;
      const { predicate, holds: isHeld } = peekTest(request, request.tracker, line.test, found !== undefined, of);
      for (const word of line.variables) env.changeIf(predicate, isHeld, ...parseAssignment(word, groups, oracle));
    } else if (found !== undefined) for (const word of line.variables) setVariable(word, groups, env, oracle);
  }
}

/** Reports whether an attribute is distinguished in other ways; all others are sent by the client. */
function isServerAttribute(
  { attribute }: AttributeSetter,
  { readsPlainPaths }: DependencyTracker,
  isPathSent: boolean,
): boolean {
  return attribute === "request_method" || (attribute === "request_uri" && (readsPlainPaths || !isPathSent));
}

/** A parsed directive that sets variables before access is checked. */
export type EarlySetter = AttributeSetter | ExpressionSetter;

/** SetEnvIfExpr. */
interface ExpressionSetter {
  readonly header: undefined;
  readonly directive: Directive;
  readonly variables: readonly string[];
}

/** A parsed SetEnvIf or BrowserMatch. */
interface AttributeSetter {
  /** Lower case. */
  readonly attribute: string;
  /** The possible header, or a pattern for header names. */
  readonly header: string | Pattern;
  readonly pattern: Pattern;
  readonly isPlain: boolean;
  readonly test: UnknownFact;
  readonly sent: HeaderTest | undefined;
  /** The pattern that the address is matched against, if that is its attribute. */
  readonly ofAddress: AddressTest;
  /** The same for the path as sent. */
  readonly ofSentPath: SentPathTest;
  /** The test of the method, if that is its attribute and no variable gets a part of it. */
  readonly methodTest: MethodTest | undefined;
  readonly variables: readonly string[];
}

/** Returns the directives of a section that set variables before access is checked. */
export function earlySettersOf(layer: ConfigLayer): readonly EarlySetter[] {
  return layer.pick(earlySetters).map(readSetter);
}

/** Returns undefined for other directives. */
export function earlySetterOf(directive: Directive): EarlySetter | undefined {
  return earlySetters.has(directive.key) ? readSetter(directive) : undefined;
}

function readSetter(directive: Directive): EarlySetter {
  const words = argumentValuesOf(directive);
  if (directive.key === "setenvifexpr") return { header: undefined, directive, variables: words.slice(1) };
  const isBrowser = directive.key.startsWith("browser");
  const [attribute = "", pattern = ""] = isBrowser ? ["User-Agent", words[0]] : words;
  const ignoreCase = directive.key.endsWith("nocase");
  const compiled = compileRegexPattern(pattern, { ignoreCase });
  const variables = words.slice(isBrowser ? 1 : 2);
  const testsMethod = attribute.toLowerCase() === "request_method" && !variables.some(hasGroupReference);
  return {
    attribute: attribute.toLowerCase(),
    header: /^[-\w]*$/.test(attribute) ? toReadable(attribute) : compileRegexPattern(attribute, { ignoreCase }),
    pattern: compiled,
    isPlain: isComparedAsText(pattern),
    test: unknownFact(
      ignoreCase ? "attribute-matches-any-case" : "attribute-matches",
      toReadable(attribute),
      toReadable(pattern),
    ),
    sent: /^[-\w]*$/.test(attribute)
      ? { header: toReadable(attribute), pattern, comparison: { ignoreCase, isNegated: false } }
      : undefined,
    ofAddress: { addressPattern: pattern, ignoreCase, isNegated: false },
    ofSentPath: { sentPath: { pattern, ignoreCase } },
    methodTest: testsMethod ? createMethodTest(compiled) : undefined,
    variables,
  };
}

/** Reports whether a pattern is compared as text: then `$1` in a value has no special meaning (`non_regex_pattern`). */
export function isComparedAsText(pattern: string): boolean {
  return !/[\^.$|()[\]*+?{}]|\\[^\\]/.test(pattern.replace(/\\[\^.$|()[\]*+?{}\\]/g, ""));
}

/** Matches a pattern with a text that is not known. */
function matchesUnknown({ text, ignoreCase }: Pattern, value: UnknownValue, oracle: Oracle): boolean {
  const matches = matchUnknownValue(value, text, ignoreCase);
  if (matches !== "unknown") return matches === "all";
  return oracle.ask(unknownFact("pattern-matches-unknown", text, value.unknown));
}

/** Sets the variable of a word after a match whose groups are not known. */
function setUnknownGroups(
  word: string,
  { isPlain: hasNoGroups }: AttributeSetter,
  { unknown }: UnknownValue,
  env: Environment,
  oracle: Oracle,
): void {
  const [name, value] = parseAssignment(word, undefined, oracle);
  if (hasNoGroups || value === undefined || !hasGroupReference(value)) setVariable(word, undefined, env, oracle);
  else env.set(name, { unknown });
}

/**
 * Sets the variable of a word of SetEnvIfExpr. If the expression tries no pattern with a group, the server fills in groups
 * from memory that nothing has written, and may answer 500 (`match_headers`, server/util_expr_eval.c `ap_expr_eval_comp`).
 */
function setByExpression(word: string, { matched }: ConditionResult, env: Environment, oracle: Oracle): void {
  const isUnset = matched === undefined && hasGroupReference(word);
  if (isUnset) oracle.markUndecidable(unknownFact("unset-groups", toReadable(word)));
  setVariable(word, matched?.subject === undefined ? undefined : matched.groups, env, oracle);
}

function setVariable(word: string, groups: MatchGroups | undefined, env: Environment, oracle: Oracle): void {
  const [name, value] = parseAssignment(word, groups, oracle);
  if (value === undefined) env.delete(name);
  else env.set(name, value);
}

/** Returns the variable of a word, and its value; undefined if it is unset. */
function parseAssignment(
  word: string,
  groups: MatchGroups | undefined,
  oracle: Oracle,
): [name: string, value: string | undefined] {
  const equals = word.indexOf("=");
  const name = (equals < 0 ? word : word.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "" : word.slice(equals + 1);
  if (value === "" && name.startsWith("!")) return [name.slice(1), undefined];
  if (value.startsWith("!")) return [name, undefined];
  if (value === "") return [name, "1"];
  const filled = groups ? replaceGroups(value, groups) : value;
  if (filled !== undefined) oracle.countCharacters(filled.length);
  else oracle.markUndecidable(unknownFact("long-variable", toReadable(name), VALUE_LIMIT));
  return [name, filled ?? ""];
}

/**
 * Returns the variables that SetEnv, PassEnv and UnsetEnv set after access control (modules/metadata/mod_env.c
 * `fixup_env_module`).
 *
 * @param passing decides whether the server's own environment has a variable that PassEnv names; without it, none is
 *   passed. It is not asked about variables that no other line mentions
 */
export function collectLateVariables(
  layers: readonly ConfigLayer[],
  passing?: { readonly project: Project; readonly oracle: Oracle },
): ReadonlyMap<string, string | UnknownValue> {
  const variables = new Map<string, string | UnknownValue>();
  for (const layer of layers) {
    if (!layer.has("setenv") && !layer.has("unsetenv") && !layer.has("passenv")) continue;
    for (const { key, arguments: words } of layer.directives) {
      if (key === "setenv") variables.set(words[0]?.value.toLowerCase() ?? "", words[1]?.value ?? "");
      else if (key === "unsetenv") for (const word of words) variables.delete(word.value.toLowerCase());
      else if (key === "passenv" && passing) for (const { value } of words) passVariable(value, variables, passing);
    }
  }
  return variables;
}

function passVariable(
  name: string,
  variables: Map<string, string | UnknownValue>,
  { project, oracle }: { readonly project: Project; readonly oracle: Oracle },
): void {
  if (!isMentioned(name.toLowerCase(), project) || !oracle.ask(unknownFact("passed-variable", name))) return;
  variables.set(name.toLowerCase(), { unknown: unknownFact("value-of-passed", name) });
}

/** Reports whether a line other than PassEnv has a name in its text. */
function isMentioned(name: string, project: Project): boolean {
  return getOrCreate(mentionsIn(project), name, () =>
    indexDirectives(project).some(
      (text) => text.toLowerCase().includes(name),
      ({ key, argumentText }) => key !== "passenv" && argumentText.toLowerCase().includes(name),
    ),
  );
}

const mentionsIn = memoize((_: Project) => new Map<string, boolean>());

function attributeOf(
  { attribute, header }: AttributeSetter,
  request: Request,
  path: string,
  env: ReadonlyEnvironment,
  oracle: Oracle,
  looksUpNames: boolean,
): string | UnknownValue {
  switch (attribute) {
    case "remote_addr":
      return request.clientIp;
    case "remote_host":
      return (looksUpNames ? request.clientHost : undefined) ?? request.clientIp;
    case "server_addr":
      return request.serverIp ?? DEFAULT_SERVER_IP;
    case "request_method":
      return request.method;
    case "request_protocol":
      return protocolOf(request);
    case "request_uri":
      return path;
    default:
      return typeof header === "string"
        ? (readHeader(request, header) ?? env.get(attribute) ?? "")
        : lastHeader(header, request, oracle);
  }
}

/** Returns the last of the headers whose names match a pattern. */
function lastHeader(pattern: Pattern, request: Request, oracle: Oracle): string | UnknownValue {
  const { host, headers = {}, authorization, changedHeaders } = request;
  if (changedHeaders !== undefined) return { unknown: unknownFact("matching-header", pattern.text) };
  const all = Object.entries(host === undefined ? headers : { Host: host, ...headers });
  const last = all.findLast(([name]) => pattern.find(name, oracle))?.[1];
  if (authorization === undefined || !pattern.matches("Authorization", oracle)) return last ?? "";
  // The client may send it before or after the others.
  return last === undefined ? authorization : { unknown: unknownFact("matching-header", pattern.text) };
}
