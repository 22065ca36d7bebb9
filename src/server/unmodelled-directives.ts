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

/** The effect of a directive that is not modelled. */
interface UnmodelledEffect {
  /** The unknown fact, in words that complete "it depends on …". */
  readonly fact: string;
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

const thirdPartyRequire: UnmodelledEffect = { fact: "the connection, which a third-party module checks" };
const rejection: UnmodelledEffect = { fact: "whether a third-party module rejects the request" };
const application: UnmodelledEffect = { fact: "the answer of an application server", concerns: isBelow };
const managedDomain: UnmodelledEffect = {
  fact: "the answer of mod_md",
  concerns: (_, { request }) => request.path.startsWith("/.well-known/acme-challenge/"),
};
const loginRedirect: UnmodelledEffect = {
  fact: "the redirect of the login form",
  concerns: (_, answered) => answered.answeredBy === "program",
};
const authorizer: UnmodelledEffect = { fact: "the decision of a FastCGI program" };

function hasBody({ headers = {} }: Request): boolean {
  return Object.keys(headers).some((name) => /^(?:content-length|transfer-encoding)$/i.test(name));
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
  allowconnect: { fact: "the tunnel of CONNECT", concerns: (_, { request }) => request.method === "CONNECT" },
  authbasicfake: {
    fact: "the user that AuthBasicFake sets for later steps",
    concerns: (lines, answered) => isNotOff(lines) && answered.pass !== undefined && passesOf(answered.pass).length > 1,
  },
  authbasicusedigestalgorithm: {
    fact: "whether the password file has digests",
    concerns: (_, { request }) => request.user !== undefined,
  },
  authformloginsuccesslocation: loginRedirect,
  authformlogoutlocation: loginRedirect,
  chrootdir: { fact: "the files below the ChrootDir" },
  davbasepath: { fact: "the path of the WebDAV collection", concerns: (_, answered) => answered.status !== 200 },
  limitxmlrequestbody: { fact: "whether the body is XML", concerns: (_, { request }) => hasBody(request) },
  luamaphandler: { fact: "the answer of a Lua program", concerns: (_, answered) => !isDenied(answered) },
  mdcertificatestatus: {
    fact: "the answer of mod_md",
    concerns: (lines, { request }) => isNotOff(lines) && request.path.startsWith("/.httpd/certificate-status"),
  },
  mdomain: managedDomain,
  mdomainset: managedDomain,
  mdrequirehttps: {
    fact: "whether mod_md redirects to `https`",
    concerns: (lines, { request }) => isNotOff(lines) && request.scheme !== "https",
  },
  metafiles: { fact: "the status in a file of mod_cern_meta", concerns: isOn },
  protocolecho: { fact: "the answer of mod_echo", concerns: isOn },
  proxyblock: { fact: "whether mod_proxy blocks the host", concerns: (_, answered) => isProxied(answered) },
  proxydomain: {
    fact: "whether mod_proxy redirects to the domain",
    concerns: (_, answered) => isProxied(answered) && /^[^:]*:\/\/[^./]*$/.test(answered.request.origin ?? ""),
  },
  proxyexpressenable: { fact: "the backend that mod_proxy_express finds", concerns: isOn },
  proxypassinterpolateenv: {
    fact: "the variables in the URL of the backend",
    concerns: (lines, answered) => isOn(lines) && isProxied(answered),
  },
  regexdefaultoptions: { fact: "how patterns match with RegexDefaultOptions" },
  remoteipproxiesheader: {
    fact: "the header that mod_remoteip sets",
    concerns: (lines, { setup: { project } }) =>
      lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  },
  sslciphersuite: {
    fact: "the cipher of the connection",
    concerns: (lines, { request }) =>
      request.scheme === "https" && lines.some(({ parent }) => parent !== undefined && parent.key !== "<virtualhost"),
  },
  sslstrictsnivhostcheck: {
    fact: "whether the client names the host in the TLS handshake",
    concerns: (lines, { request }) => isOn(lines) && request.scheme === "https" && isAddressOrNone(request.host),
  },
  // Third-party modules
  authzsvnaccessfile: { fact: "the access file of Subversion" },
  authzsvnreposrelativeaccessfile: { fact: "the access file of Subversion" },
  ...Object.fromEntries(
    ["fastcgi", "fcgid"].flatMap((name) =>
      ["accesschecker", "authenticator", "authorizer"].map((role) => [`${name}${role}`, authorizer]),
    ),
  ),
  extfilterdefine: {
    fact: "whether the program of a filter starts",
    concerns: (lines, answered) =>
      !isDenied(answered) && lines.some((line) => isFilterUsed(firstArgumentOf(line) ?? "", answered)),
  },
  encodingengine: { fact: "the path that mod_encoding decodes", concerns: isOn },
  geoipenable: {
    fact: "the country of the client",
    concerns: (lines, { setup: { project } }) =>
      isOn(lines) && lines.some((line) => isNamedElsewhere(line, "GEOIP_", project)),
  },
  gnutlsclientverify: thirdPartyRequire,
  gridsiteauth: { fact: "the decision of mod_gridsite", concerns: isOn },
  jkautoalias: { fact: "the files of an application server" },
  jkmount: application,
  jkmountfile: { fact: "the answer of an application server" },
  ldapuserdir: {
    fact: "the home directory in an LDAP directory",
    concerns: (_, { request }) => request.path.startsWith("/~"),
  },
  mapcachealias: application,
  maxminddbenv: {
    fact: "the location of the client",
    concerns: (lines, { setup: { project } }) =>
      lines.some((line) => isNamedElsewhere(line, firstArgumentOf(line), project)),
  },
  nssrequire: thirdPartyRequire,
  nssrequiressl: thirdPartyRequire,
  passengerbaseuri: application,
  passengerenabled: { fact: "the answer of an application server", concerns: isOn },
  qs_denyevent: rejection,
  qs_denypath: rejection,
  qs_denyquery: rejection,
  qs_denyrequestline: rejection,
  qs_permituri: rejection,
  rackbaseuri: application,
  railsbaseuri: application,
  secfilterengine: { ...rejection, concerns: isNotOff },
  vhostldapenabled: { fact: "the virtual host in an LDAP directory", concerns: isOn },
};

/** Their keys, also of sections. */
export const unmodelledKeys: ReadonlySet<string> = new Set(
  Object.keys(unmodelledEffects).flatMap((key) => [key, `<${key}`]),
);

const usesUnmodelled = memoize((project: Project) => indexDirectives(project).hasAny(unmodelledKeys));

/** Marks an answer as undecidable if a directive that is not modelled may change it. */
export function markUnmodelledDirectives(answered: DefiniteAnswer): void {
  const { facts } = answered;
  if (!usesUnmodelled(answered.setup.project) || facts.undecidable !== undefined) return;
  const lines = new Map<string, Directive[]>();
  for (const layer of answered.layers)
    for (const line of layer.pick(unmodelledKeys)) getOrCreate(lines, line.key.replace("<", ""), () => []).push(line);
  for (const [key, applying] of lines) {
    const { fact, concerns } = unmodelledEffects[key] ?? {};
    const line = applying.at(-1);
    if (fact === undefined || line === undefined || concerns?.(applying, answered) === false) continue;
    facts.markUndecidable(`${fact} (${quoteText(`${line.name} ${line.argumentText}`)})`, line);
  }
}
