import { type Directive, hasProxyFlag, iterateDescendants, type Scope } from "../../src/lint/api/configuration.js";
import { createFix, insertLinesAfter, replaceSpan } from "../../src/lint/api/rule.js";
import { argumentAt, type Behaviour, type BehaviourContext, createSharedReport } from "./behaviour.js";
import { behaviourFixTitles, behaviourLabels, behaviourMessages, oldBehaviour } from "./messages.js";

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
    if (surroundings.find(scope, isSetToo) || isSentToBackend(scope, surroundings)) return undefined;
    const strange = name.replace(/[A-Za-z0-9-]/g, "").charAt(0);
    const variable = `HTTP_${hyphened.replaceAll("-", "_").toUpperCase()}`;
    const message = behaviourMessages.headerName(name, strange, hyphened, variable);
    return {
      severity: "warning",
      ...createSharedReport(`header ${hyphened.toLowerCase()}`, message),
      ...createFix(
        behaviourFixTitles.renameHeader(hyphened),
        "unsafe",
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
function isSentToBackend(scope: Scope, surroundings: BehaviourContext): boolean {
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
    const setsPathInfo = ({ argumentText }: Directive) => argumentText.includes("proxy-scgi-pathinfo");
    const setting = surroundings.find(scope, setsPathInfo);
    // SetEnv takes effect after the proxy has decided.
    if (setting && setting.key !== "setenv") return undefined;
    const { modulesAreKnown, modules } = surroundings.project;
    const mayWrite = scope.place !== "proxy" && (!modulesAreKnown || modules.has("setenvif_module"));
    return {
      severity: "warning",
      ...createSharedReport(`scgi ${setting !== undefined}`, behaviourMessages.scgiPathInfo(setting !== undefined)),
      ...createFix(
        behaviourFixTitles.sendPathInfo,
        "unsafe",
        mayWrite ? insertLinesAfter(line.span, [oldBehaviour.scgiPathInfo]) : undefined,
      ),
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
      message: behaviourMessages.forwardCache(keep),
      related: [{ message: behaviourLabels.forwardProxy, span: forwards.span }],
      ...createFix(behaviourFixTitles.cacheForwarded, "unsafe", insertLinesAfter(line.span, [keep])),
    };
  },
};

/** Session identifiers that a cache ignores. */
const sessionIdentifiers: Behaviour = {
  names: ["cacheignoreurlsessionidentifiers"],
  check(line) {
    const [first] = line.arguments;
    if (first === undefined || /^none$/i.test(first.value)) return undefined;
    return { severity: "info", message: behaviourMessages.sessionIdentifier(first.value) };
  },
};

export const proxyBehaviours: readonly Behaviour[] = [scgi, forwardCache, sessionIdentifiers];
