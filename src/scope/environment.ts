import type { Directive } from "../project/directive.js";
import { toReadable } from "../text/source.js";
import type { Layer } from "./layer.js";
import { type Groups, type Pattern, patternOf, patternOfLine } from "./patterns.js";
import type { Questions } from "./questions.js";
import { DEFAULT_SERVER_IP, headerOf, protocolOf, type Request } from "./request.js";
import { wordsOf } from "./words.js";

const names = new Set(["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase"]);

/** Directives that set variables before access is checked. SetEnv does so after. */
export const earlySetters: ReadonlySet<string> = new Set([...names, "setenvifexpr"]);

/** Whether an expression holds, and what its patterns with groups matched last: the text and its groups. */
export interface Held {
  readonly holds: boolean;
  /** Undefined where no pattern with groups was tried; without a subject where the last of them did not match. */
  readonly matched?: { readonly subject: string | undefined; readonly groups: Groups };
}

/**
 * Carries out SetEnvIf and BrowserMatch in their order (modules/metadata/mod_setenvif.c).
 *
 * @param directives those of one server, section or file: lines about one attribute that follow each other look it up once
 * @param path what `Request_URI` is: as sent where a server's own lines are carried out, as `normalPath` gives it for sections
 * @param env changed; names are in lower case
 * @param holds whether the condition of a SetEnvIfExpr holds
 * @param looksUpNames whether HostnameLookups asks for the client's name
 */
export function setEnvironment(
  directives: readonly Directive[],
  request: Request,
  path: string,
  env: Map<string, string>,
  questions: Questions,
  holds: (directive: Directive) => Held | boolean,
  looksUpNames = false,
): void {
  let looked: { readonly attribute: string; value: string } | undefined;
  for (const directive of directives) {
    const words = wordsOf(directive);
    if (directive.key === "setenvifexpr") {
      const answer = holds(directive);
      const held = typeof answer === "boolean" ? { holds: answer } : answer;
      // What its pattern matched is taken for the value by a line that does not look up its own.
      if (looked && held.matched) looked.value = held.matched.subject ?? "";
      const groups = held.matched?.subject === undefined ? undefined : held.matched.groups;
      if (held.holds) for (const word of words.slice(1)) setVariable(word, groups, env);
      continue;
    }
    if (!names.has(directive.key)) continue;
    const isBrowser = directive.key.startsWith("browser");
    const [attribute = "", pattern = ""] = isBrowser ? ["User-Agent", words[0]] : words;
    const ignoreCase = directive.key.endsWith("nocase");
    if (looked?.attribute !== attribute.toLowerCase()) {
      const value = attributeOf(attribute, ignoreCase, request, path, env, questions, looksUpNames);
      looked = { attribute: attribute.toLowerCase(), value };
    }
    const found = patternOfLine(directive, pattern, { ignoreCase }).find(looked.value, questions);
    const groups = isSentAtWill(attribute) ? asLooked(directive, attribute, pattern, found, request) : found;
    if (groups === undefined) continue;
    const given = isPlain(pattern) ? undefined : groups;
    for (const word of words.slice(isBrowser ? 1 : 2)) setVariable(word, given, env);
  }
}

/** What the server knows of a request by itself; all else is what the client sends. */
const ofServer: ReadonlySet<string> = new Set(["server_addr", "request_method", "request_protocol", "request_uri"]);

function isSentAtWill(attribute: string): boolean {
  return !ofServer.has(attribute.toLowerCase());
}

function asLooked(
  { key }: Directive,
  attribute: string,
  pattern: string,
  found: Groups | undefined,
  { looks }: Request,
): Groups | undefined {
  if (looks === undefined) return found;
  const fold = key.endsWith("nocase") ? " in any case" : "";
  const test = `whether \`${toReadable(attribute)}\` matches \`${toReadable(pattern)}\`${fold}`;
  return looks.test(test, found !== undefined) ? (found ?? []) : undefined;
}

/** Whether a pattern is compared as text: then `$1` in a value is nothing special (`non_regex_pattern`). */
function isPlain(pattern: string): boolean {
  return !/[\^.$|()[\]*+?{}]|\\[^\\]/.test(pattern.replace(/\\[\^.$|()[\]*+?{}\\]/g, ""));
}

function setVariable(word: string, groups: Groups | undefined, env: Map<string, string>): void {
  const equals = word.indexOf("=");
  const name = (equals < 0 ? word : word.slice(0, equals)).toLowerCase();
  const value = equals < 0 ? "" : word.slice(equals + 1);
  if (value === "" && name.startsWith("!")) env.delete(name.slice(1));
  else if (value.startsWith("!")) env.delete(name);
  else if (value === "") env.set(name, "1");
  else env.set(name, groups ? value.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? "") : value);
}

/**
 * The variables that SetEnv and UnsetEnv leave: access control does not see them, but requests that the server makes itself
 * for an index file do (modules/metadata/mod_env.c).
 */
export function lateVariables(layers: readonly Layer[]): ReadonlyMap<string, string> {
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
  attribute: string,
  ignoreCase: boolean,
  request: Request,
  path: string,
  env: ReadonlyMap<string, string>,
  questions: Questions,
  looksUpNames: boolean,
): string {
  switch (attribute.toLowerCase()) {
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
      return /^[-\w]*$/.test(attribute)
        ? (headerOf(request, toReadable(attribute)) ?? env.get(attribute.toLowerCase()) ?? "")
        : lastHeader(patternOf(attribute, { ignoreCase }), request, questions);
  }
}

/** The last of the headers whose names a pattern matches. */
function lastHeader(pattern: Pattern, { host, headers = {} }: Request, questions: Questions): string {
  const all = Object.entries(host === undefined ? headers : { Host: host, ...headers });
  return all.findLast(([name]) => pattern.find(name, questions))?.[1] ?? "";
}
