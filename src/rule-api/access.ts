/** For rules: access control, and probes, which are simulated requests that show its effect. */

// The rule:

export { findHandlerPage, type HandlerPage } from "../witness/handler-pages.js";
export {
  type DisallowedLine,
  type Inspector,
  inspectorOf,
  type ProbeAnswer,
  type ProbeContext,
  type Responder,
} from "../witness/inspector.js";
export { withoutSpecialRules } from "../witness/plain-request.js";
export { createProbeVisitor, defineProbeRule, findWitness } from "../witness/probe-visitor.js";
export { unlistedClientIps } from "../witness/sample-clients.js";
export { matchGroupsOf, sampleNameFor, samplePattern } from "../witness/sample-text.js";
export { findSlowText } from "../witness/slow-text.js";

// What an outside client reaches:

export {
  createExposureVisitor,
  defineExposureRule,
  describeAnswer,
  type ExposedLine,
  findDenial,
} from "../witness/exposure-rule.js";
export { type OutsideAnswer, optionsOf, overrideClassesOf } from "../witness/outside-answer.js";
export type { OutsideClient, OutsideServer } from "../witness/outside-client.js";
export { sampleAddressIn } from "../witness/sample-clients.js";
export type { ListedDirectory } from "../witness/served-directories.js";

// Its messages:

export { describeRequest, formatAssumptions, type Request } from "../httpd/model/request.js";
export {
  describeProbe,
  formatDirectiveNames,
  formatLineTitle,
  manualNameOf,
} from "../witness/probe-visitor.js";

// The rules that apply to a request:

export { authModuleOf } from "../access/decide/authentication.js";
export { checkProvider } from "../access/decide/provider-checks.js";
export { isHostBased } from "../access/decide/upgrade-guide.js";
export { type AccessState, findEffectiveSetting, includesMethod, omitLayer } from "../access/model/access-state.js";
export { limitsOf } from "../access/model/clients-and-methods.js";
export { type RulesTransform, requireLinesOf, sourceLayersOf } from "../access/rules/merge.js";
export { findMissingAuth, hasMisspeltLine, type MissingAuth } from "../witness/missing-authentication.js";
export {
  allowsEveryClient,
  dropCompatRules,
  dropLines,
  dropRequireRules,
  findCompatRulesWithout,
  findRestriction,
  isInherited,
  isPubliclyReachable,
  isReachableAtIpv6Loopback,
  isSatisfyAny,
  listRequireLines,
  listSkippedLines,
  mayLiftDenial,
  mergeLast,
  mergeRequireRulesWithout,
  ownEffectiveRulesOf,
  ownRulesOf,
} from "../witness/rules-in-context.js";

// Directives of mod_access_compat:

export {
  type CompatRules,
  compatDirectiveNames,
  isCompatDirective,
  parseCompatRules,
} from "../access/rules/compat-rules.js";

// Require:

export {
  checksClientOnly,
  isNewProvider,
  lacksAccessCompat,
  lacksRequire,
  moduleOfProvider,
  requiresUser,
} from "../access/rules/providers.js";
export {
  convertNamedClients,
  convertToRequire,
  describeRequireTree,
  listTreeProviders,
  type RequireTree,
  refusedConversion,
} from "../access/rules/require-conversion.js";
export {
  isRequireContainer,
  parseRequireLine,
  type RequireLine,
  type RequireRule,
  requireArgumentsOf,
  requireRulesOf,
} from "../access/rules/require-rules.js";
export { findShadowedLines, type ShadowedLine, ShadowFinder } from "../access/shadowing/shadow-finder.js";

// Addresses:

export { isPrivateAddress, parseAddress, readSubnet, readWildcardNetwork } from "../text/addresses.js";
