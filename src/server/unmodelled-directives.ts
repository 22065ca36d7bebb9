import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { findUndefinedVariable, textBeforeUndefined } from "../config/model/variables.js";
import { indexDirectives } from "../config/queries/directive-index.js";
import { iterateDirectives } from "../config/queries/directive-tree.js";
import {
  type DirectiveEffects,
  type EffectName,
  effectsOf,
  isUnknownEffect,
  keysWithEffect,
} from "../facts/effects.js";
import { getOrCreate } from "../text/collections.js";
import { computeOnce, memoize } from "../text/memoize.js";
import { quoteText } from "../text/words.js";
import type { DefiniteAnswer } from "./definite-answer.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  firstArgumentOf,
  keywordArgumentOf,
} from "./model/config-layer.js";
import { passesOf } from "./model/pass.js";
import type { Request } from "./model/request.js";
import { unknownFact } from "./model/unknown-facts.js";
import { blockableHostOf } from "./phases/proxy-block.js";

/** Reports whether the lines of one effect that apply may change the answer to a request. */
type Concern = (lines: readonly Directive[], answered: DefiniteAnswer) => boolean;

/** Reports whether the last line may have a keyword: with a variable that is not set, any. */
const mayBe = (word: string, lines: readonly Directive[]) => {
  const keyword = keywordArgumentOf(lines.at(-1));
  return keyword === word || findUndefinedVariable(keyword ?? "") !== undefined;
};
const isOn = (lines: readonly Directive[]) => mayBe("on", lines);
const isNotOff = (lines: readonly Directive[]) => keywordArgumentOf(lines.at(-1)) !== "off";
const isDenied = (answered: DefiniteAnswer) => answered.status === 401 || answered.status === 403;
const isProxied = (answered: DefiniteAnswer) => answered.answeredBy === "backend";

/** Reports whether the words of ProxyBlock were compared with the host of the backend. */
const isBlockDecided = ({ backend, request }: DefiniteAnswer) =>
  backend !== undefined && request.method !== "CONNECT" && blockableHostOf(`proxy:${backend.url}`) !== undefined;

/** Returns whether the path begins with the first argument of a line, up to a wildcard or a variable that is not set. */
const isBelow: Concern = (lines, { request }) =>
  lines.some((line) =>
    request.path.startsWith(textBeforeUndefined(firstArgumentOf(line) ?? "").replace(/[*|].*$/s, "")),
  );

const mayRedirectLogin: Concern = (_, answered) => answered.answeredBy === "program";

/** An address is not a name: clients do not send it in the TLS handshake. */
const hasNoNameInHandshake = ({ request }: DefiniteAnswer) =>
  request.scheme === "https" && request.tls?.serverName === undefined && isAddressOrNone(request.host);

/**
 * Returns whether mod_cache may have the answer to such a request of another client. It looks before any other step, and not
 * for requests with a user (mod_cache.c `cache_quick_handler`).
 */
const mayBeCached: Concern = (lines, { request, layers }) => {
  const { method, path, user, authorization } = request;
  const isPlain = (method === "GET" || method === "HEAD") && user === undefined && authorization === undefined;
  if (!isPlain || keywordArgumentOf(findSetting(layers, "cachequickhandler")) === "off") return false;
  const covers = (line: Directive, at: number) => {
    const url = textBeforeUndefined(argumentValuesOf(line)[at] ?? "/");
    return isOfServer(line) && path.startsWith(url.replace(/^[a-z]+:\/\/[^/]*/i, ""));
  };
  const isExcluded = layers.some(({ directives }) =>
    directives.some((line) => line.key === "cachedisable" && covers(line, 0)),
  );
  return !isExcluded && lines.some((line) => covers(line, 1));
};

/** Reports whether a line is not in a section other than a virtual host: sections do not apply yet. */
function isOfServer({ parent }: Directive): boolean {
  return parent === undefined || parent.key === "<virtualhost";
}

function hasBody({ headers = {} }: Request): boolean {
  return Object.keys(headers).some((name) => /^(?:content-length|transfer-encoding)$/i.test(name));
}

/** Returns whether the server authenticates the user of a request. */
function asksForUser({ accessStatus, pass }: DefiniteAnswer): boolean {
  return (
    accessStatus === 401 || (pass !== undefined && passesOf(pass).some(({ answer }) => answer?.user !== undefined))
  );
}

/** Returns whether a host is not a name: clients do not send addresses in the TLS handshake. */
function isAddressOrNone(host: string | undefined): boolean {
  return host === undefined || /^\[|^[\d.]+(?::\d+)?$/.test(host);
}

/** Returns whether another line of the configuration contains a name, of a variable or a header. */
function isNamedElsewhere({ key }: Directive, name: string | undefined, project: Project): boolean {
  const wanted = name?.toLowerCase();
  if (wanted === undefined) return false;
  if (findUndefinedVariable(wanted) !== undefined) return true;
  return [...iterateDirectives(project)].some(
    (other) => other.key !== key && other.argumentText.toLowerCase().includes(wanted),
  );
}

/** Directives that add filters to the files with some extension, after the names of the filters. */
const extensionFilters: ReadonlySet<string> = new Set(["addoutputfilter", "addinputfilter"]);

/** Directives by which filters apply to a response. */
const filterNames: ReadonlySet<string> = new Set([
  ...["setoutputfilter", "setinputfilter", "addoutputfilterbytype", "filterprovider", "filterchain", "filtertrace"],
  ...extensionFilters,
]);

/** Reports whether a line that applies to the request uses a filter. */
function isFilterUsed(name: string, answered: DefiniteAnswer): boolean {
  const wanted = name.toLowerCase();
  if (findUndefinedVariable(wanted) !== undefined) return true;
  const file = answered.served?.walked?.filename ?? "";
  const extensions = file
    .slice(file.lastIndexOf("/") + 1)
    .toLowerCase()
    .split(".")
    .slice(1);
  return answered.layers.some((layer) =>
    layer.pick(filterNames).some((line) => {
      const [words = "", ...others] = argumentValuesOf(line);
      const named = extensionFilters.has(line.key) ? [words] : [words, ...others];
      const isNamed = named.some((word) =>
        word
          .toLowerCase()
          .split(/[;,\s]/)
          .some((each) => each.replace(/^[-+=@!]/, "") === wanted),
      );
      const isForFile =
        answered.served === undefined ||
        !extensionFilters.has(line.key) ||
        others.some((each) => extensions.includes(each.toLowerCase().replace(/^\./, "")));
      return isNamed && isForFile;
    }),
  );
}

/** The requests that an effect concerns; those that are not here concern all requests to which such a line applies. */
const concerns: Partial<Record<EffectName, Concern>> = {
  "connect-tunnel": (_, { request }) => request.method === "CONNECT",
  "fake-basic-user": (lines, { pass }) => isNotOff(lines) && pass !== undefined && passesOf(pass).length > 1,
  "password-digests": (_, { request }) => request.user !== undefined,
  "fastcgi-provider": (lines, answered) => keywordArgumentOf(lines.at(-1)) !== "none" && asksForUser(answered),
  "form-redirect": mayRedirectLogin,
  cache: mayBeCached,
  "dav-base-path": (_, { status }) => status !== 200,
  "xml-body": (_, { request }) => hasBody(request),
  "lua-answer": (_, answered) => !isDenied(answered),
  "domain-status": (lines, { request }) => isNotOff(lines) && request.path.startsWith("/.httpd/certificate-status"),
  "managed-domain": (_, { request }) => request.path.startsWith("/.well-known/acme-challenge/"),
  "https-redirect": (lines, { request }) => isNotOff(lines) && request.scheme !== "https",
  "cern-meta-status": isOn,
  "echo-answer": isOn,
  "login-default": (lines, { status }) => mayBe("off", lines) && status === 401,
  "proxy-block": (_, answered) => isProxied(answered) && !isBlockDecided(answered),
  "domain-redirect": (_, answered) => isProxied(answered) && /^[^:]*:\/\/[^./]*$/.test(answered.request.origin ?? ""),
  "express-backend": isOn,
  "backend-url-variables": (lines, answered) => isOn(lines) && isProxied(answered),
  "remote-ip-header": (lines, { setup: { project } }) =>
    lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  "tls-cipher": (_, { request }) => request.scheme === "https",
  "host-name-in-handshake": (lines, answered) => isOn(lines) && hasNoNameInHandshake(answered),
  "sni-policy": (lines, answered) => keywordArgumentOf(lines.at(-1)) !== "insecure" && hasNoNameInHandshake(answered),
  // Third-party modules
  "filter-program": (lines, answered) =>
    !isDenied(answered) && lines.some((line) => isFilterUsed(firstArgumentOf(line) ?? "", answered)),
  "encoding-path": isOn,
  "client-country": (lines, { setup: { project } }) =>
    isOn(lines) && lines.some((line) => isNamedElsewhere(line, "GEOIP_", project)),
  "client-location": (lines, { setup: { project } }) =>
    lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  gridsite: isOn,
  "application-mount": isBelow,
  "application-switch": isOn,
  "ldap-home-directory": (_, { request }) => request.path.startsWith("/~"),
  "third-party-filter": isNotOff,
  "ldap-host": isOn,
};

/** Reports whether the effect of a line that applies concerns only some requests. */
export function concernsSomeRequests(effect: EffectName): boolean {
  return concerns[effect] !== undefined;
}

const usesUnmodelled = memoize((project: Project) => indexDirectives(project).hasAny(unmodelledKeys()));

/** Marks an answer as undecidable if a directive that is not modelled may change it. */
export function markUnmodelledDirectives(answered: DefiniteAnswer): void {
  const { oracle } = answered;
  const { project } = answered.setup;
  if (!usesUnmodelled(project) || oracle.undecidable !== undefined) return;
  const lines = new Map<string, Directive[]>();
  for (const layer of answered.layers)
    for (const line of layer.pick(unmodelledKeys())) getOrCreate(lines, line.key, () => []).push(line);
  for (const applying of lines.values()) {
    const line = applying.at(-1);
    if (line === undefined) continue;
    const effects = effectsAt(line, project);
    // The result of a program is marked before the steps that it may change.
    if (effects === undefined || !isUnknownEffect(effects.answer) || effects.answer === "program-result") continue;
    if (concerns[effects.effect]?.(applying, answered) === false) continue;
    oracle.markUndecidable(unknownFact(effects.answer, quoteText(`${line.name} ${line.argumentText}`)), line);
  }
}

/** Returns a line of some layers that is not modelled, and that concerns all requests. */
export function findUnmodelledLine(layers: readonly ConfigLayer[], project: Project): Directive | undefined {
  return layers
    .flatMap((layer) => layer.pick(unmodelledKeys()))
    .find((line) => {
      const effects = effectsAt(line, project);
      return effects !== undefined && isUnknownEffect(effects.answer) && !concernsSomeRequests(effects.effect);
    });
}

/** The directives with such an effect in some place, as keys of lines and of sections. */
const unmodelledKeys = computeOnce(() => new Set(keysWithEffect(({ answer }) => isUnknownEffect(answer))));

/** Returns the effects of a line in its place. */
function effectsAt(line: Directive, { release, htaccess }: Project): DirectiveEffects | undefined {
  const isInHtaccess = htaccess.some(({ tree }) => tree.source.realPath === line.span.file.realPath);
  return effectsOf(line.key, release, !isOfServer(line) || isInHtaccess);
}
