import type { NameFacts } from "../config/model/directive.js";
import { isNewest, isSince, type Release } from "../facts/release.js";
import { checkCompatDirective } from "./directives/access-compat.js";
import {
  checkListen,
  checkProxyProtocolExceptions,
  checkServerName,
  checkTrustedProxy,
  checkVirtualHost,
} from "./directives/addresses.js";
import { checksOfRows } from "./directives/argument-rows.js";
import { checkDav } from "./directives/dav.js";
import { checkHeader, checkHeaderPatternOf22 } from "./directives/headers.js";
import { checkCustomLog, checkLogFormat, checkLogLevel, checkLogMessage } from "./directives/logs.js";
import { checkLimit, validateAllowMethods } from "./directives/methods.js";
import { checkMutex } from "./directives/mutex.js";
import { checkNewerWords } from "./directives/newer-words.js";
import {
  checkAllowOverride,
  checkAllowOverrideList,
  checkFileEtag,
  checkIndexOptions,
  checkOptionsDirective,
} from "./directives/options.js";
import { checkExpressionPatterns, checkSubstitute } from "./directives/patterns.js";
import {
  checkBalancerMember,
  checkProxyPass,
  checkProxyPassReverse,
  checkProxyPatternOf22,
  checkProxyRemoteMatch,
} from "./directives/proxy.js";
import { checkBalancerMethod } from "./directives/proxy-parameters.js";
import { checkAliasPlacement, checkRedirect } from "./directives/redirect.js";
import { checkAuthzProviderAlias, checkRequire } from "./directives/require.js";
import { checkRewriteCond, checkRewriteMap, checkRewriteOptions, checkRewriteRule } from "./directives/rewrite.js";
import { checkSectionBracket, checkSectionCondition, checkSectionPath } from "./directives/sections.js";
import { checkErrorDirective, checkPort } from "./directives/server.js";
import { checkSetEnvIf, checkSetEnvIfExpr } from "./directives/setenvif.js";
import { checkAuthorityPlacement, checkSessionCache, checkSslProtocol } from "./directives/ssl.js";
import { checkExpiresByType, checkExpiresDefault, checkRequestTimeout } from "./directives/timeouts.js";
import { checksOfValues } from "./directives/values.js";
import { type DirectiveCheck, runInTurn } from "./refusal.js";

const limitCheck: DirectiveCheck = (directive, { project, state, sectionContext }) =>
  checkLimit(directive, project.release, state.methods, sectionContext.inHtaccess);
const compatCheck: DirectiveCheck = (directive, { project }) => checkCompatDirective(directive, project.release);
const authnProviderCheck: DirectiveCheck = (directive, { state }) => state.authnProviders.check(directive);
const customLogCheck = runInTurn(
  (directive, { project }) => checkCustomLog(directive, project),
  checkExpressionPatterns,
);
const conditionCheck = runInTurn(checkExpressionPatterns, checkSectionCondition);

/**
 * Argument checks by lower-case directive name, sections with their `<`. Directives with a fixed set of words or a
 * number are in the table of values.
 */
const checksByDirective: Readonly<Record<string, DirectiveCheck>> = {
  ...checksOfValues,
  ...checksOfRows,
  addoutputfilterbytype: (directive, { state }) => state.filters.check(directive),
  alias: checkAliasPlacement,
  allow: compatCheck,
  allowmethods: (directive, { state }) => validateAllowMethods(directive, state.methods),
  allowoverride: checkAllowOverride,
  allowoverridelist: checkAllowOverrideList,
  authbasicprovider: authnProviderCheck,
  authdigestprovider: authnProviderCheck,
  authformprovider: authnProviderCheck,
  balancermember: checkBalancerMember,
  browsermatch: checkSetEnvIf,
  browsermatchnocase: checkSetEnvIf,
  customlog: customLogCheck,
  dav: (directive, { project }) => checkDav(directive, project),
  deny: compatCheck,
  error: checkErrorDirective,
  expiresbytype: checkExpiresByType,
  expiresdefault: checkExpiresDefault,
  fileetag: checkFileEtag,
  filterprovider: runInTurn((directive, { state }) => state.filters.check(directive), checkExpressionPatterns),
  globallog: customLogCheck,
  header: runInTurn(checkHeader, checkExpressionPatterns),
  indexoptions: checkIndexOptions,
  listen: checkListen,
  logformat: (directive, { project }) => checkLogFormat(directive, project),
  logmessage: runInTurn(checkExpressionPatterns, checkLogMessage),
  loglevel: (directive, { project }) => checkLogLevel(directive, project),
  mutex: (directive, { project }) => checkMutex(directive, project),
  options: (directive, { project }) => checkOptionsDirective(directive, project.release),
  order: compatCheck,
  port: checkPort,
  proxyfcgisetenvif: checkExpressionPatterns,
  proxyhcexpr: checkExpressionPatterns,
  proxypass: checkProxyPass,
  proxypassmatch: checkProxyPass,
  proxypassreverse: checkProxyPassReverse,
  proxyremotematch: checkProxyRemoteMatch,
  proxyset: runInTurn(
    (directive, { state, sectionContext }) => state.backends.check(directive, sectionContext),
    checkBalancerMethod,
  ),
  redirect: checkRedirect,
  redirectmatch: checkRedirect,
  redirectpermanent: checkRedirect,
  redirecttemp: checkRedirect,
  remoteipinternalproxy: checkTrustedProxy,
  remoteipproxyprotocolexceptions: checkProxyProtocolExceptions,
  remoteiptrustedproxy: checkTrustedProxy,
  requestheader: runInTurn(checkHeader, checkExpressionPatterns),
  requestreadtimeout: checkRequestTimeout,
  require: runInTurn(
    (directive, { state }) => checkRequire(directive, state.providers, state.methods),
    checkExpressionPatterns,
  ),
  rewritecond: runInTurn(checkRewriteCond, checkExpressionPatterns),
  rewritemap: (directive, { project }) => checkRewriteMap(directive, project),
  rewriteoptions: checkRewriteOptions,
  rewriterule: checkRewriteRule,
  scriptalias: checkAliasPlacement,
  servername: checkServerName,
  setenvif: checkSetEnvIf,
  setenvifexpr: runInTurn(checkExpressionPatterns, checkSetEnvIfExpr),
  setenvifnocase: checkSetEnvIf,
  sslcacertificatefile: checkAuthorityPlacement,
  sslcacertificatepath: checkAuthorityPlacement,
  sslprotocol: checkSslProtocol,
  sslproxyprotocol: checkSslProtocol,
  sslsessioncache: (directive, { project }) => checkSessionCache(directive, project),
  substitute: checkSubstitute,
  "<authnprovideralias": (directive, { state }) => state.authnProviders.aliasFault(directive),
  "<authzprovideralias": (directive, { state }) => checkAuthzProviderAlias(directive, state.providers, state.methods),
  "<directory": (directive) => checkSectionPath(directive, "tilde"),
  "<directorymatch": (directive) => checkSectionPath(directive, "both"),
  "<elseif": conditionCheck,
  "<files": (directive) => checkSectionPath(directive, "tilde"),
  "<filesmatch": (directive) => checkSectionPath(directive, "always"),
  "<if": conditionCheck,
  "<limit": limitCheck,
  "<limitexcept": limitCheck,
  "<location": (directive) => checkSectionPath(directive, "tilde"),
  "<locationmatch": (directive) => checkSectionPath(directive, "always"),
  "<proxy": checkBalancerMethod,
  "<proxymatch": (directive) => checkSectionPath(directive, "always"),
  "<virtualhost": checkVirtualHost,
};

/**
 * The directives that 2.2.34 checks as 2.4 does, with the same messages: its answers are in test/startup/verdicts-22.json.
 * `<FilesMatch>`, `<LocationMatch>` and ScriptAliasMatch share their functions with `<Files ~>`, `<Location ~>` and AliasMatch.
 */
const checkedIn22 = new Set([
  ..."<directory <directorymatch <files <filesmatch <limit <limitexcept <location <locationmatch <proxymatch".split(
    " ",
  ),
  ..."acceptpathinfo action".split(" "),
  ..."aliasmatch allow allowencodedslashes allowoverride browsermatch browsermatchnocase cookiestyle deflatebuffersize".split(
    " ",
  ),
  ..."deflatecompressionlevel deflatememlevel deflatewindowsize deny documentroot enablemmap".split(" "),
  ..."enablesendfile expiresbytype expiresdefault fancyindexing fileetag forcelanguagepriority".split(" "),
  ..."hostnamelookups indexoptions indexorderdefault limitinternalrecursion limitrequestbody".split(" "),
  ..."limitrequestfields limitrequestfieldsize limitrequestline limitxmlrequestbody listenbacklog".split(" "),
  ..."maxmemfree maxranges multiviewsmatch namevirtualhost options order port proxybadheader".split(" "),
  ..."proxypassreverse proxyreceivebuffersize proxyremotematch proxystatus proxytimeout proxyvia".split(" "),
  ..."receivebuffersize redirect redirectmatch redirectpermanent redirecttemp rewritebase rewritecond rewriteengine rewriteoptions rewriterule".split(
    " ",
  ),
  ..."satisfy scriptaliasmatch sendbuffersize".split(" "),
  ..."serversignature setenvif setenvifnocase substitute traceenable usecanonicalname".split(" "),
  ..."usecanonicalphysicalport userdir xbithack".split(" "),
]);

/**
 * The directives of which 2.2.34 checks the pattern as 2.4 does, with the same message (`ap_pregcomp` in mod_headers.c and
 * mod_proxy.c). What it does with their other arguments, and with those of other directives, is not known.
 */
const patternChecksOf22: Readonly<Record<string, DirectiveCheck>> = {
  header: checkHeaderPatternOf22,
  proxypassmatch: checkProxyPatternOf22,
  requestheader: checkHeaderPatternOf22,
};

/** Returns the argument check for a directive name; undefined if there is none. */
export function directiveCheckOf({ key }: NameFacts, release: Release): DirectiveCheck | undefined {
  const check = Object.hasOwn(checksByDirective, key) ? checksByDirective[key] : undefined;
  if (!isSince(release, "2.4") && !checkedIn22.has(key))
    return Object.hasOwn(patternChecksOf22, key) ? patternChecksOf22[key] : undefined;
  const checks = [
    ...(key.startsWith("<") ? [checkSectionBracket] : []),
    ...(isNewest(release) || !isSince(release, "2.4") ? [] : [checkNewerWords]),
    ...(check ? [check] : []),
  ];
  return checks.length > 1 ? runInTurn(...checks) : checks[0];
}
