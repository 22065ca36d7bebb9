import type { Directive } from "../project/directive.js";
import { toReadable } from "../text/source.js";
import { patternOf } from "./patterns.js";
import type { Questions } from "./questions.js";
import { DEFAULT_SERVER_IP, headerOf, type Request } from "./request.js";

const names = new Set(["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase"]);

/** Whether directives of a name set variables before access is checked. SetEnv does so after. */
export function setsEarly(key: string): boolean {
  return names.has(key) || key === "setenvifexpr";
}

/**
 * Carries out SetEnvIf and BrowserMatch in their order (modules/metadata/mod_setenvif.c).
 *
 * @param env changed
 * @param path as `normalPath` gives it
 * @param holds whether the condition of a SetEnvIfExpr holds
 */
export function setEnvironment(
  directives: readonly Directive[],
  request: Request,
  path: string,
  env: Map<string, string>,
  questions: Questions,
  holds: (directive: Directive) => boolean,
): void {
  for (const directive of directives) {
    if (directive.key === "setenvifexpr") {
      if (holds(directive)) for (const word of directive.arguments.slice(1)) setVariable(word.value, [], env);
      continue;
    }
    if (!names.has(directive.key)) continue;
    const words = directive.arguments.map((word) => word.value);
    const isBrowser = directive.key.startsWith("browser");
    const [attribute = "", pattern = ""] = isBrowser ? ["User-Agent", words[0]] : words;
    const ignoreCase = directive.key.endsWith("nocase");
    const groups = patternOf(pattern, { ignoreCase }).find(attributeOf(attribute, request, path, env), questions);
    if (groups === undefined) continue;
    for (const word of words.slice(isBrowser ? 1 : 2)) setVariable(word, groups, env);
  }
}

function setVariable(word: string, groups: readonly string[], env: Map<string, string>): void {
  if (word.startsWith("!")) {
    env.delete(word.slice(1));
    return;
  }
  const equals = word.indexOf("=");
  const name = equals < 0 ? word : word.slice(0, equals);
  const value = equals < 0 ? "1" : word.slice(equals + 1);
  env.set(
    name,
    value.replace(/\$(\d)/g, (_, digit: string) => groups[Number(digit)] ?? ""),
  );
}

function attributeOf(attribute: string, request: Request, path: string, env: ReadonlyMap<string, string>): string {
  switch (attribute.toLowerCase()) {
    case "remote_addr":
      return request.clientIp;
    case "remote_host":
      return request.clientHost ?? request.clientIp;
    case "server_addr":
      return request.serverIp ?? DEFAULT_SERVER_IP;
    case "request_method":
      return request.method;
    case "request_protocol":
      return "HTTP/1.1";
    case "request_uri":
      return path;
    default:
      return headerOf(request, toReadable(attribute)) ?? env.get(attribute) ?? "";
  }
}
