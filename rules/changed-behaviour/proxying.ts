import { type Directive, hasProxyFlag, iterateDescendants, type Scope } from "../../src/rule-api/configuration.js";
import { insertLinesAfter, quoteText, replaceSpan } from "../../src/rule-api/rule.js";
import { argumentAt, type Behaviour, type BehaviourContext, createFix, createSharedReport } from "./behaviour.js";

/**
 * Headers for which 2.4 does not set an environment variable: their names contain characters other than letters, digits
 * and hyphens.
 */
const requestHeaders: Behaviour = {
  names: ["requestheader"],
  takesServer: true,
  check(line, scope, surroundings) {
    const name = headerNameOf(line);
    const hyphened = withHyphens(name);
    if (hyphened === name || !/^(?:set|setifempty|add|append|merge|edit\*?)$/i.test(argumentAt(line))) return undefined;
    const isSetToo = (other: Directive) =>
      other.key === "requestheader" && headerNameOf(other).toLowerCase() === hyphened.toLowerCase();
    if (surroundings.find(scope, isSetToo) || goesToBackend(scope, surroundings)) return undefined;
    const strange = name.replace(/[A-Za-z0-9-]/g, "").charAt(0);
    const variable = `HTTP_${hyphened.replaceAll("-", "_").toUpperCase()}`;
    const message = `2.4 makes no environment variable of a header with ${quoteText(strange)} in its name, so scripts and SSI pages do not get ${quoteText(name)} as ${quoteText(variable)} any more, and a client that sends ${quoteText(hyphened)} says what is in there; write ${quoteText(hyphened)}, since SetEnvIf comes ahead of this line and SetEnv does not stand against the client`;
    return {
      severity: "warning",
      ...createSharedReport(`header ${hyphened.toLowerCase()}`, message),
      ...createFix(
        `Name the header ${hyphened}`,
        isNamedElsewhere(name, scope, surroundings) ? undefined : renameHeader(line),
      ),
    };
  },
};

function headerNameOf(line: Directive): string {
  return argumentAt(line, 1).replace(/:$/, "");
}

function withHyphens(name: string): string {
  return name.replace(/[^A-Za-z0-9-]/g, "-");
}

const toBackend = /(?:^|[\s"'])(?:https?|wss?|h2c?|ajp|balancer):\/\//i;

/** Returns whether all requests that the line affects go to backends, which receive the header unchanged. */
function goesToBackend(scope: Scope, surroundings: BehaviourContext): boolean {
  if (scope.place === "proxy") return true;
  if (scope.section && scope.place !== "virtualhost") return scope.directives.some(isProxied);
  const server = surroundings.serverOf(scope);
  if ([...server.iterateInherited()].some(isAllProxied)) return true;
  // Lines of the main server apply in each host.
  const hosts = server.own("<virtualhost");
  return hosts.length > 0 && hosts.every(({ children = [] }) => [...iterateDescendants(children)].some(isAllProxied));
}

function isProxied({ key, argumentText }: Directive): boolean {
  if (!toBackend.test(argumentText)) return false;
  return key === "rewriterule" ? hasProxyFlag(argumentText) : key === "proxypass" || key === "proxypassmatch";
}

/** Returns whether a line proxies every path. */
function isAllProxied(line: Directive): boolean {
  if (!isProxied(line)) return false;
  const { parent } = line;
  if (parent?.key === "<location") return argumentAt(parent) === "/";
  return /^\^?\/?(?:\(?\.[*+]\)?\$?)?$/.test(argumentAt(line));
}

function isNamedElsewhere(name: string, scope: Scope, surroundings: BehaviourContext): boolean {
  const names = ({ key, argumentText }: Directive) =>
    key !== "requestheader" && argumentText.toLowerCase().includes(name.toLowerCase());
  return surroundings.find(scope, names) !== undefined;
}

function renameHeader(line: Directive) {
  const [, name] = line.arguments;
  const span = name && line.spanOf(name);
  if (span === undefined) return undefined;
  const written = span.file.text.slice(span.start, span.end);
  return replaceSpan(span, written.replace(/[^A-Za-z0-9:"'-]/g, "-"));
}

export const headerBehaviours: readonly Behaviour[] = [requestHeaders];

/** SCGI backends. */
const scgi: Behaviour = {
  names: ["proxypass", "proxypassmatch", "balancermember", "rewriterule"],
  takesServer: true,
  check(line, scope, surroundings) {
    if (!/(?:^|[\s"'])scgi:\/\//i.test(line.argumentText)) return undefined;
    const says = ({ argumentText }: Directive) => argumentText.includes("proxy-scgi-pathinfo");
    const said = surroundings.find(scope, says);
    // SetEnv takes effect after the proxy has decided.
    if (said && said.key !== "setenv") return undefined;
    const keep = 'SetEnvIf Request_URI "^" proxy-scgi-pathinfo=1';
    const tooLate = said ? `, and SetEnv comes too late for it` : "";
    const message = `2.4 sends no PATH_INFO to an SCGI backend${tooLate}, and the whole path in SCRIPT_NAME, so an application that goes by PATH_INFO as on 2.2 finds no page; write \`${keep}\` to have it as before`;
    const { modulesAreKnown, modules } = surroundings.project;
    const mayWrite = scope.place !== "proxy" && (!modulesAreKnown || modules.has("setenvif_module"));
    return {
      severity: "warning",
      ...createSharedReport(`scgi${tooLate}`, message),
      ...createFix("Send PATH_INFO as 2.2 did", mayWrite ? insertLinesAfter(line.span, [keep]) : undefined),
    };
  },
};

/** A cache for all URLs on a forward proxy. */
const forwardCache: Behaviour = {
  names: ["cacheenable"],
  takesServer: true,
  check(line, scope, surroundings) {
    const server = surroundings.serverOf(scope);
    const forwards = server.effective("proxyrequests").at(-1);
    if (argumentAt(line, 1) !== "/" || forwards === undefined || !/^on$/i.test(argumentAt(forwards))) return undefined;
    if (server.effective("cacheenable").some((each) => /^[a-z]+:/i.test(argumentAt(each, 1)))) return undefined;
    const keep = `CacheEnable ${argumentAt(line)} http://`;
    return {
      severity: "warning",
      message: `2.4 takes ${quoteText("/")} for the paths of this server alone, so what it fetches for clients as a forward proxy is no longer cached; write \`${keep}\` beside it`,
      related: [{ message: "it is a forward proxy by this line", span: forwards.span }],
      ...createFix("Cache what the forward proxy fetches, too", insertLinesAfter(line.span, [keep])),
    };
  },
};

/** Session identifiers that a cache ignores. */
const sessionIdentifiers: Behaviour = {
  names: ["cacheignoreurlsessionidentifiers"],
  check(line) {
    const [first] = line.arguments;
    if (first === undefined || /^none$/i.test(first.value)) return undefined;
    return {
      severity: "info",
      message: `2.4 passes over a parameter only where ${quoteText(first.value)} is its whole name, where 2.2 went by the end of the name, too (${quoteText(`user${first.value}`)}), so pages that differ in such a parameter are cached apart; name here every parameter that is to be passed over`,
    };
  },
};

export const proxyBehaviours: readonly Behaviour[] = [scgi, forwardCache, sessionIdentifiers];
