import type { Directive } from "../../project/model/directive.js";
import { toReadable } from "../../text/source.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import { type AddressTest, type HeaderTest, TrackedEnvironment } from "../model/dependency-tracker.js";
import type { Oracle } from "../model/oracle.js";
import {
  compileRegexPattern,
  describeTooLongValue,
  type MatchGroups,
  type Pattern,
  replaceGroups,
} from "../model/patterns.js";
import { DEFAULT_SERVER_IP, headerOf, protocolOf, type Request, readMethod } from "../model/request.js";

/** The one variable by which the server itself answers otherwise: it looks at it ahead of the redirect to a directory's slash. */
export const REDIRECT_CAREFULLY = "redirect-carefully";

const setEnvIfNames = new Set(["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase"]);

/** Directives that set variables before access is checked. SetEnv does so after. */
const earlySetters: ReadonlySet<string> = new Set([...setEnvIfNames, "setenvifexpr"]);

/** Whether an expression holds, and what its patterns with groups matched last: the text and its groups. */
export interface ConditionResult {
  readonly holds: boolean;
  /** Undefined where no pattern with groups was tried; without a subject where the last of them did not match. */
  readonly matched?: { readonly subject: string | undefined; readonly groups: MatchGroups };
}

/**
 * Carries out SetEnvIf and BrowserMatch in their order (modules/metadata/mod_setenvif.c).
 *
 * @param setters those of one server, section or file: lines about one attribute that follow each other look it up once
 * @param path what `Request_URI` is: as sent where a server's own lines are carried out, as `normalPath` gives it for sections
 * @param env changed; names are in lower case
 * @param holds whether the condition of a SetEnvIfExpr holds
 * @param looksUpNames whether HostnameLookups asks for the client's name
 */
export function applySetEnvIf(
  setters: readonly EarlySetter[],
  request: Request,
  path: string,
  env: Map<string, string>,
  questions: Oracle,
  holds: (directive: Directive) => ConditionResult | boolean,
  looksUpNames = false,
): void {
  let looked: { readonly attribute: string; value: string; isOther: boolean } | undefined;
  for (const line of setters) {
    if (line.header === undefined) {
      const answer = holds(line.directive);
      const held = typeof answer === "boolean" ? { holds: answer } : answer;
      // What its pattern matched is taken for the value by a line that does not look up its own.
      if (looked && held.matched) {
        looked.value = held.matched.subject ?? "";
        looked.isOther = true;
      }
      const groups = held.matched?.subject === undefined ? undefined : held.matched.groups;
      if (held.holds) for (const word of line.variables) setVariable(word, groups, env, questions);
      continue;
    }
    if (looked?.attribute !== line.attribute) {
      const value = attributeOf(line, request, path, env, questions, looksUpNames);
      looked = { attribute: line.attribute, value, isOther: false };
    }
    const found = line.pattern.find(looked.value, questions);
    const groups = line.isPlain ? undefined : found;
    if (request.looks && env instanceof TrackedEnvironment && !serverAttributes.has(line.attribute)) {
      const isAddress = line.attribute === "remote_addr" || (line.attribute === "remote_host" && !looksUpNames);
      if (looked.isOther || request.looks.ownVariables.has(line.attribute))
        request.looks.markUnknown(`${line.test.replace(/^whether /, "")} hangs on what other lines set`);
      const of = isAddress ? line.ofAddress : line.sent;
      const { predicate, holds: isHeld } = request.looks.peekTest(line.test, found !== undefined, of);
      for (const word of line.variables) env.changeIf(predicate, isHeld, ...parseAssignment(word, groups, questions));
    } else if (found !== undefined) for (const word of line.variables) setVariable(word, groups, env, questions);
  }
}

/** What is told apart in other ways; all else is what the client sends, and where it does. */
const serverAttributes: ReadonlySet<string> = new Set(["request_method", "request_uri"]);

/** A line that sets variables before access is checked, taken apart. */
export type EarlySetter = AttributeSetter | ExpressionSetter;

/** SetEnvIfExpr. */
interface ExpressionSetter {
  readonly header: undefined;
  readonly directive: Directive;
  readonly variables: readonly string[];
}

/** SetEnvIf or BrowserMatch. */
interface AttributeSetter {
  /** Lower case. */
  readonly attribute: string;
  /** The header that it may be; or a pattern over their names. */
  readonly header: string | Pattern;
  readonly pattern: Pattern;
  readonly isPlain: boolean;
  /** What is asked, in words. */
  readonly test: string;
  readonly sent: HeaderTest | undefined;
  /** What it holds the address against, where that is its attribute. */
  readonly ofAddress: AddressTest;
  readonly variables: readonly string[];
}

/** The lines of a layer that set variables before access is checked. */
export function earlySettersOf(layer: ConfigLayer): readonly EarlySetter[] {
  return layer.pick(earlySetters).map(readSetter);
}

/** Undefined for a directive of another kind. */
export function earlySetterOf(directive: Directive): EarlySetter | undefined {
  return earlySetters.has(directive.key) ? readSetter(directive) : undefined;
}

function readSetter(directive: Directive): EarlySetter {
  const words = argumentValuesOf(directive);
  if (directive.key === "setenvifexpr") return { header: undefined, directive, variables: words.slice(1) };
  const isBrowser = directive.key.startsWith("browser");
  const [attribute = "", pattern = ""] = isBrowser ? ["User-Agent", words[0]] : words;
  const ignoreCase = directive.key.endsWith("nocase");
  return {
    attribute: attribute.toLowerCase(),
    header: /^[-\w]*$/.test(attribute) ? toReadable(attribute) : compileRegexPattern(attribute, { ignoreCase }),
    pattern: compileRegexPattern(pattern, { ignoreCase }),
    isPlain: isPlain(pattern),
    test: `whether \`${toReadable(attribute)}\` matches \`${toReadable(pattern)}\`${ignoreCase ? " in any case" : ""}`,
    sent: /^[-\w]*$/.test(attribute) ? { header: toReadable(attribute), pattern } : undefined,
    ofAddress: { addressPattern: pattern, ignoreCase, isNegated: false },
    variables: words.slice(isBrowser ? 1 : 2),
  };
}

/** Whether a pattern is compared as text: then `$1` in a value is nothing special (`non_regex_pattern`). */
function isPlain(pattern: string): boolean {
  return !/[\^.$|()[\]*+?{}]|\\[^\\]/.test(pattern.replace(/\\[\^.$|()[\]*+?{}\\]/g, ""));
}

function setVariable(word: string, groups: MatchGroups | undefined, env: Map<string, string>, questions: Oracle): void {
  const [name, value] = parseAssignment(word, groups, questions);
  if (value === undefined) env.delete(name);
  else env.set(name, value);
}

/** The variable that a word is for, and its value; undefined where it is taken away. */
function parseAssignment(
  word: string,
  groups: MatchGroups | undefined,
  questions: Oracle,
): [name: string, value: string | undefined] {
  const equals = word.indexOf("=");
  const name = (equals < 0 ? word : word.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "" : word.slice(equals + 1);
  if (value === "" && name.startsWith("!")) return [name.slice(1), undefined];
  if (value.startsWith("!")) return [name, undefined];
  if (value === "") return [name, "1"];
  const filled = groups ? replaceGroups(value, groups) : value;
  if (filled === undefined) questions.markUndecidable(describeTooLongValue(`the value of \`${toReadable(name)}\``));
  return [name, filled ?? ""];
}

/**
 * The variables that SetEnv and UnsetEnv leave: access control does not see them, but requests that the server makes itself
 * for an index file do (modules/metadata/mod_env.c).
 */
export function collectLateVariables(layers: readonly ConfigLayer[]): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  for (const layer of layers) {
    if (!layer.has("setenv") && !layer.has("unsetenv")) continue;
    for (const { key, arguments: words } of layer.directives) {
      if (key === "setenv") variables.set(words[0]?.value.toLowerCase() ?? "", words[1]?.value ?? "");
      else if (key === "unsetenv") for (const word of words) variables.delete(word.value.toLowerCase());
    }
  }
  return variables;
}

function attributeOf(
  { attribute, header }: AttributeSetter,
  request: Request,
  path: string,
  env: ReadonlyMap<string, string>,
  questions: Oracle,
  looksUpNames: boolean,
): string {
  switch (attribute) {
    case "remote_addr":
      return request.clientIp;
    case "remote_host":
      return (looksUpNames ? request.clientHost : undefined) ?? request.clientIp;
    case "server_addr":
      return request.serverIp ?? DEFAULT_SERVER_IP;
    case "request_method":
      return readMethod(request);
    case "request_protocol":
      return protocolOf(request);
    case "request_uri":
      return path;
    default:
      return typeof header === "string"
        ? (headerOf(request, header) ?? env.get(attribute) ?? "")
        : lastHeader(header, request, questions);
  }
}

/** The last of the headers whose names a pattern matches. */
function lastHeader(pattern: Pattern, { host, headers = {} }: Request, questions: Oracle): string {
  const all = Object.entries(host === undefined ? headers : { Host: host, ...headers });
  return all.findLast(([name]) => pattern.find(name, questions))?.[1] ?? "";
}
