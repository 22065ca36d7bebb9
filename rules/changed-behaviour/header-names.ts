import { withInner } from "../../src/project/all-directives.js";
import type { Directive } from "../../src/project/directive.js";
import { quoted } from "../../src/project/problems.js";
import { hasProxyFlag } from "../../src/project/rewrite-words.js";
import type { Scope } from "../../src/project/scope.js";
import { replacement } from "../../src/text/edits.js";
import { type Behaviour, fixed, type Surroundings, shared, word } from "./behaviour.js";

/** Headers of which 2.4 makes no environment variable: with another character in their name than letters, digits and hyphens. */
const requestHeaders: Behaviour = {
  names: ["requestheader"],
  takesServer: true,
  look(line, scope, surroundings) {
    const name = nameOf(line);
    const hyphened = withHyphens(name);
    if (hyphened === name || !/^(?:set|setifempty|add|append|merge|edit\*?)$/i.test(word(line))) return undefined;
    const isSetToo = (other: Directive) =>
      other.key === "requestheader" && nameOf(other).toLowerCase() === hyphened.toLowerCase();
    if (surroundings.find(scope, isSetToo) || goesToBackend(scope, surroundings)) return undefined;
    const strange = name.replace(/[A-Za-z0-9-]/g, "").charAt(0);
    const variable = `HTTP_${hyphened.replaceAll("-", "_").toUpperCase()}`;
    const message = `2.4 makes no environment variable of a header with ${quoted(strange)} in its name, so scripts and SSI pages do not get ${quoted(name)} as ${quoted(variable)} any more, and a client that sends ${quoted(hyphened)} says what is in there; write ${quoted(hyphened)}, since SetEnvIf comes ahead of this line and SetEnv does not stand against the client`;
    return {
      severity: "warning",
      ...shared(`header ${hyphened.toLowerCase()}`, message),
      ...fixed(`Name the header ${hyphened}`, isNamedElsewhere(name, scope, surroundings) ? undefined : renamed(line)),
    };
  },
};

function nameOf(line: Directive): string {
  return word(line, 1).replace(/:$/, "");
}

function withHyphens(name: string): string {
  return name.replace(/[^A-Za-z0-9-]/g, "-");
}

const toBackend = /(?:^|[\s"'])(?:https?|wss?|h2c?|ajp|balancer):\/\//i;

/** Whether all that the line is about goes to servers that are sent the header as it is. */
function goesToBackend(scope: Scope, surroundings: Surroundings): boolean {
  if (scope.place === "proxy") return true;
  if (scope.section && scope.place !== "virtualhost") return scope.directives.some(isProxied);
  const server = surroundings.serverOf(scope);
  if ([...server.around()].some(isAllProxied)) return true;
  // Lines of the main server count in each host.
  const hosts = server.own("<virtualhost");
  return hosts.length > 0 && hosts.every(({ children = [] }) => [...withInner(children)].some(isAllProxied));
}

function isProxied({ key, argumentText }: Directive): boolean {
  if (!toBackend.test(argumentText)) return false;
  return key === "rewriterule" ? hasProxyFlag(argumentText) : key === "proxypass" || key === "proxypassmatch";
}

/** Whether a line proxies every path. */
function isAllProxied(line: Directive): boolean {
  if (!isProxied(line)) return false;
  const { parent } = line;
  if (parent?.key === "<location") return word(parent) === "/";
  return /^\^?\/?(?:\(?\.[*+]\)?\$?)?$/.test(word(line));
}

function isNamedElsewhere(name: string, scope: Scope, surroundings: Surroundings): boolean {
  const names = ({ key, argumentText }: Directive) =>
    key !== "requestheader" && argumentText.toLowerCase().includes(name.toLowerCase());
  return surroundings.find(scope, names) !== undefined;
}

function renamed(line: Directive) {
  const [, name] = line.arguments;
  const span = name && line.spanOf(name);
  if (span === undefined) return undefined;
  const written = span.file.text.slice(span.start, span.end);
  return replacement(span, written.replace(/[^A-Za-z0-9:"'-]/g, "-"));
}

export const headerBehaviours: readonly Behaviour[] = [requestHeaders];
