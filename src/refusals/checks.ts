import type { Release } from "../directives/directives.js";
import type { KnownName } from "../project/directive.js";
import { listenFault, serverNameFault, virtualHostFault } from "./addresses.js";
import { balancerMemberFault } from "./balancer.js";
import { expiresByTypeFault, expiresDefaultFault } from "./expires.js";
import { headerFault } from "./headers.js";
import { customLogFault, logFormatFault, logLevelFault } from "./logs.js";
import { type Check, inTurn } from "./look.js";
import { allowMethodsFault, limitFault } from "./methods.js";
import { mutexFault } from "./mutex.js";
import { oldFault } from "./old-rules.js";
import { etagFault, indexOptionsFault, optionsFault, overrideFault, overrideListFault } from "./options.js";
import { expressionFault } from "./patterns.js";
import { proxyPassFault, proxyPassReverseFault, proxyRemoteMatchFault } from "./proxy.js";
import { aliasMatchFault, aliasPlaceFault, redirectFault } from "./redirect.js";
import { proxyProtocolExceptionsFault, trustedProxyFault } from "./remote-ip.js";
import { requestTimeoutFault } from "./request-timeout.js";
import { aliasFault, requireFault } from "./require.js";
import { baseFault, conditionLineFault, rewriteOptionsFault, ruleFault } from "./rewrite.js";
import { rewriteMapFault } from "./rewrite-map.js";
import { bracketFault, conditionFault, pathFault } from "./sections.js";
import { errorFault, goneFault, keepAliveTimeoutFault, portFault, userDirFault } from "./server.js";
import { setEnvIfExprFault, setEnvIfFault } from "./setenvif.js";
import { protocolFault, sessionCacheFault } from "./ssl.js";
import { errorDocumentFault } from "./status.js";
import { substituteFault } from "./substitute.js";
import { valueChecks } from "./values.js";

const limit: Check = (directive, { project, memory, standing }) =>
  limitFault(directive, project.release, memory.methods, standing.inHtaccess);
const oldRule: Check = (directive, { project }) => oldFault(directive, project.release);
const authnProvider: Check = (directive, { memory }) => memory.authnProviders.fault(directive);
const condition = inTurn(expressionFault, conditionFault);

/**
 * What looks at the words of a directive, by its lower-case name, a section's with its `<`. Directives whose words are
 * a closed set or a number stand in the table of values.
 */
const checks: Readonly<Record<string, Check>> = {
  ...valueChecks,
  alias: aliasPlaceFault,
  aliasmatch: aliasMatchFault,
  allow: oldRule,
  allowmethods: (directive, { memory }) => allowMethodsFault(directive, memory.methods),
  allowoverride: overrideFault,
  allowoverridelist: overrideListFault,
  authbasicprovider: authnProvider,
  authdigestprovider: authnProvider,
  authformprovider: authnProvider,
  balancermember: balancerMemberFault,
  browsermatch: setEnvIfFault,
  browsermatchnocase: setEnvIfFault,
  customlog: (directive, { project }) => customLogFault(directive, project),
  deny: oldRule,
  error: errorFault,
  errordocument: errorDocumentFault,
  expiresbytype: expiresByTypeFault,
  expiresdefault: expiresDefaultFault,
  fancyindexing: (directive) =>
    goneFault(directive, "The FancyIndexing directive is no longer supported. Use IndexOptions FancyIndexing."),
  fileetag: etagFault,
  globallog: (directive, { project }) => customLogFault(directive, project),
  header: inTurn(headerFault, expressionFault),
  indexoptions: indexOptionsFault,
  keepalivetimeout: keepAliveTimeoutFault,
  listen: listenFault,
  logformat: (directive, { project }) => logFormatFault(directive, project),
  loglevel: (directive, { project }) => logLevelFault(directive, project),
  mutex: (directive, { project }) => mutexFault(directive, project),
  options: (directive, { project }) => optionsFault(directive, project.release),
  order: oldRule,
  port: portFault,
  proxypass: proxyPassFault,
  proxypassmatch: proxyPassFault,
  proxypassreverse: proxyPassReverseFault,
  proxyremotematch: proxyRemoteMatchFault,
  redirect: redirectFault,
  redirectmatch: redirectFault,
  redirectpermanent: redirectFault,
  redirecttemp: redirectFault,
  remoteipinternalproxy: trustedProxyFault,
  remoteipproxyprotocolexceptions: proxyProtocolExceptionsFault,
  remoteiptrustedproxy: trustedProxyFault,
  requestheader: inTurn(headerFault, expressionFault),
  requestreadtimeout: requestTimeoutFault,
  require: inTurn(
    (directive, { memory }) => requireFault(directive, memory.providers, memory.methods),
    expressionFault,
  ),
  rewritebase: baseFault,
  rewritecond: conditionLineFault,
  rewritemap: (directive, { project }) => rewriteMapFault(directive, project),
  rewriteoptions: rewriteOptionsFault,
  rewriterule: ruleFault,
  scriptalias: aliasPlaceFault,
  scriptaliasmatch: aliasMatchFault,
  servername: serverNameFault,
  setenvif: setEnvIfFault,
  setenvifexpr: inTurn(expressionFault, setEnvIfExprFault),
  setenvifnocase: setEnvIfFault,
  ssllog: (directive) => goneFault(directive, "SSLLog directive is no longer supported - use ErrorLog."),
  sslloglevel: (directive) => goneFault(directive, "SSLLogLevel directive is no longer supported - use LogLevel."),
  sslprotocol: protocolFault,
  sslproxyprotocol: protocolFault,
  sslsessioncache: (directive, { project }) => sessionCacheFault(directive, project),
  substitute: substituteFault,
  userdir: userDirFault,
  "<authnprovideralias": (directive, { memory }) => memory.authnProviders.aliasFault(directive),
  "<authzprovideralias": (directive, { memory }) => aliasFault(directive, memory.providers, memory.methods),
  "<directory": (directive) => pathFault(directive, "tilde"),
  "<directorymatch": (directive) => pathFault(directive, "both"),
  "<elseif": condition,
  "<files": (directive) => pathFault(directive, "tilde"),
  "<filesmatch": (directive) => pathFault(directive, "always"),
  "<if": condition,
  "<limit": limit,
  "<limitexcept": limit,
  "<location": (directive) => pathFault(directive, "tilde"),
  "<locationmatch": (directive) => pathFault(directive, "always"),
  "<proxymatch": (directive) => pathFault(directive, "always"),
  "<virtualhost": virtualHostFault,
};

/** Of the others it is not known what 2.2 says. */
const lookedAtIn22 = new Set("allow deny <limit <limitexcept options order satisfy".split(" "));

/** What is looked at in the words of directives of a name; undefined where nothing is. */
export function checkOf({ key }: KnownName, release: Release): Check | undefined {
  const check = Object.hasOwn(checks, key) ? checks[key] : undefined;
  if (release === "2.2") return lookedAtIn22.has(key) ? check : undefined;
  if (!key.startsWith("<")) return check;
  return check ? inTurn(bracketFault, check) : bracketFault;
}
