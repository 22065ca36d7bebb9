import type { Directive } from "../config/model/directive.js";
import type { Project } from "../config/model/project.js";
import { indexDirectives } from "../config/queries/directive-index.js";
import { iterateDirectives } from "../config/queries/directive-tree.js";
import { getOrCreate } from "../text/collections.js";
import { memoize } from "../text/memoize.js";
import { quoteText } from "../text/words.js";
import type { DefiniteAnswer } from "./definite-answer.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "./model/config-layer.js";
import { passesOf } from "./model/pass.js";
import type { Request } from "./model/request.js";
import { type EffectCode, unknownFact } from "./model/unknown-facts.js";

/** The effect of a directive that is not modelled. */
interface UnmodelledEffect {
  readonly fact: EffectCode;
  /** Returns whether the lines that apply may change the answer to a request; by default they always may. */
  readonly concerns?: (lines: readonly Directive[], answered: DefiniteAnswer) => boolean;
}

const isOn = (lines: readonly Directive[]) => keywordArgumentOf(lines.at(-1)) === "on";
const isNotOff = (lines: readonly Directive[]) => keywordArgumentOf(lines.at(-1)) !== "off";
const isDenied = (answered: DefiniteAnswer) => answered.status === 401 || answered.status === 403;
const isProxied = (answered: DefiniteAnswer) => answered.answeredBy === "backend";

/** Returns whether the path begins with the first argument of a line, up to a wildcard. */
const isBelow = (lines: readonly Directive[], { request }: DefiniteAnswer) =>
  lines.some((line) => request.path.startsWith(firstArgumentOf(line)?.replace(/[*|].*$/s, "") ?? ""));

const thirdPartyRequire: UnmodelledEffect = { fact: "module-require" };
const rejection: UnmodelledEffect = { fact: "third-party-rejection" };
const application: UnmodelledEffect = { fact: "application-server", concerns: isBelow };
const managedDomain: UnmodelledEffect = {
  fact: "md-answer",
  concerns: (_, { request }) => request.path.startsWith("/.well-known/acme-challenge/"),
};
const loginRedirect: UnmodelledEffect = {
  fact: "form-redirect",
  concerns: (_, answered) => answered.answeredBy === "program",
};
const authorizer: UnmodelledEffect = { fact: "fastcgi-authorizer" };

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

/**
 * The directives that may change an answer and that are not modelled, by key. docs/directives.md lists them, beside the
 * directives that are modelled and those that cannot change an answer.
 */
export const unmodelledEffects: Readonly<Record<string, UnmodelledEffect>> = {
  allowconnect: { fact: "connect-tunnel", concerns: (_, { request }) => request.method === "CONNECT" },
  authbasicfake: {
    fact: "fake-basic-user",
    concerns: (lines, answered) => isNotOff(lines) && answered.pass !== undefined && passesOf(answered.pass).length > 1,
  },
  authbasicusedigestalgorithm: {
    fact: "password-digests",
    concerns: (_, { request }) => request.user !== undefined,
  },
  authnzfcgicheckauthnprovider: {
    fact: "fastcgi-authorizer",
    concerns: (lines, answered) => keywordArgumentOf(lines.at(-1)) !== "none" && asksForUser(answered),
  },
  authformloginsuccesslocation: loginRedirect,
  authformlogoutlocation: loginRedirect,
  chrootdir: { fact: "chroot" },
  davbasepath: { fact: "dav-base-path", concerns: (_, answered) => answered.status !== 200 },
  limitxmlrequestbody: { fact: "xml-body", concerns: (_, { request }) => hasBody(request) },
  luamaphandler: { fact: "lua-answer", concerns: (_, answered) => !isDenied(answered) },
  mdcertificatestatus: {
    fact: "md-answer",
    concerns: (lines, { request }) => isNotOff(lines) && request.path.startsWith("/.httpd/certificate-status"),
  },
  mdomain: managedDomain,
  mdomainset: managedDomain,
  mdrequirehttps: {
    fact: "https-redirect",
    concerns: (lines, { request }) => isNotOff(lines) && request.scheme !== "https",
  },
  metafiles: { fact: "cern-meta-status", concerns: isOn },
  protocolecho: { fact: "echo-answer", concerns: isOn },
  proxyblock: { fact: "proxy-block", concerns: (_, answered) => isProxied(answered) },
  proxydomain: {
    fact: "domain-redirect",
    concerns: (_, answered) => isProxied(answered) && /^[^:]*:\/\/[^./]*$/.test(answered.request.origin ?? ""),
  },
  proxyexpressenable: { fact: "express-backend", concerns: isOn },
  proxypassinterpolateenv: {
    fact: "backend-url-variables",
    concerns: (lines, answered) => isOn(lines) && isProxied(answered),
  },
  regexdefaultoptions: { fact: "regex-defaults" },
  remoteipproxiesheader: {
    fact: "remote-ip-header",
    concerns: (lines, { setup: { project } }) =>
      lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  },
  sslciphersuite: {
    fact: "tls-cipher",
    concerns: (lines, { request }) =>
      request.scheme === "https" && lines.some(({ parent }) => parent !== undefined && parent.key !== "<virtualhost"),
  },
  sslstrictsnivhostcheck: {
    fact: "host-name-in-handshake",
    concerns: (lines, { request }) => isOn(lines) && request.scheme === "https" && isAddressOrNone(request.host),
  },
  // Third-party modules
  authzsvnaccessfile: { fact: "subversion-access-file" },
  authzsvnreposrelativeaccessfile: { fact: "subversion-access-file" },
  ...Object.fromEntries(
    ["fastcgi", "fcgid"].flatMap((name) =>
      ["accesschecker", "authenticator", "authorizer"].map((role) => [`${name}${role}`, authorizer]),
    ),
  ),
  extfilterdefine: {
    fact: "filter-program",
    concerns: (lines, answered) =>
      !isDenied(answered) && lines.some((line) => isFilterUsed(firstArgumentOf(line) ?? "", answered)),
  },
  encodingengine: { fact: "encoding-path", concerns: isOn },
  geoipenable: {
    fact: "client-country",
    concerns: (lines, { setup: { project } }) =>
      isOn(lines) && lines.some((line) => isNamedElsewhere(line, "GEOIP_", project)),
  },
  gnutlsclientverify: thirdPartyRequire,
  gridsiteauth: { fact: "gridsite", concerns: isOn },
  jkautoalias: { fact: "application-server-files" },
  jkmount: application,
  jkmountfile: { fact: "application-server" },
  ldapuserdir: {
    fact: "ldap-home-directory",
    concerns: (_, { request }) => request.path.startsWith("/~"),
  },
  mapcachealias: application,
  maxminddbenv: {
    fact: "client-location",
    concerns: (lines, { setup: { project } }) =>
      lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  },
  nssrequire: thirdPartyRequire,
  nssrequiressl: thirdPartyRequire,
  passengerbaseuri: application,
  passengerenabled: { fact: "application-server", concerns: isOn },
  qs_denyevent: rejection,
  qs_denypath: rejection,
  qs_denyquery: rejection,
  qs_denyrequestline: rejection,
  qs_permituri: rejection,
  rackbaseuri: application,
  railsbaseuri: application,
  secfilterengine: { ...rejection, concerns: isNotOff },
  vhostldapenabled: { fact: "ldap-host", concerns: isOn },
};

/** Their keys, also of sections. */
const unmodelledKeys: ReadonlySet<string> = new Set(Object.keys(unmodelledEffects).flatMap((key) => [key, `<${key}`]));

const usesUnmodelled = memoize((project: Project) => indexDirectives(project).hasAny(unmodelledKeys));

/** Marks an answer as undecidable if a directive that is not modelled may change it. */
export function markUnmodelledDirectives(answered: DefiniteAnswer): void {
  const { oracle } = answered;
  if (!usesUnmodelled(answered.setup.project) || oracle.undecidable !== undefined) return;
  const lines = new Map<string, Directive[]>();
  for (const layer of answered.layers)
    for (const line of layer.pick(unmodelledKeys)) getOrCreate(lines, line.key.replace("<", ""), () => []).push(line);
  for (const [key, applying] of lines) {
    const { fact, concerns } = unmodelledEffects[key] ?? {};
    const line = applying.at(-1);
    if (fact === undefined || line === undefined || concerns?.(applying, answered) === false) continue;
    oracle.markUndecidable(unknownFact(fact, quoteText(`${line.name} ${line.argumentText}`)), line);
  }
}
