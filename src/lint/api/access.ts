/** For rules: access control, and probes, which are simulated requests that show its effect. */

// The rule:

export { variablesSetBy } from "../../proof/paths/project-facts.js";
export { unlistedClientIps } from "../../proof/requests/sample-clients.js";
export { matchGroupsOf, sampleNameFor, samplePattern } from "../../proof/requests/sample-text.js";
export type { AccessAnswer } from "../../server/definite-answer.js";
export { type HandlerPage, probePages } from "../probes/handler-pages.js";
export {
  type DisallowedLine,
  type Inspector,
  inspectorOf,
  type ProbeContext,
  type Responder,
  type RewrittenDenial,
} from "../probes/inspector.js";
export { withoutSpecialRules } from "../probes/plain-request.js";
export { findWitness } from "../probes/scope-probes.js";
export { findSlowText } from "../probes/slow-text.js";

// What an outside client reaches:

export { sampleAddressIn } from "../../proof/requests/sample-clients.js";
export type { DefiniteAnswer } from "../../server/definite-answer.js";
export { mayHaveHandler, modulesOfHandler, virtualPageHandlers } from "../../server/phases/handler-lookup.js";
export {
  describeAnswer,
  type ExposedLine,
  type ExposureCheck,
  findDenial,
  optionsOf,
  overrideClassesOf,
} from "../probes/exposure.js";
export { forwardedSchemeOf } from "../probes/forwarded-scheme.js";
export { clientAnywhereOf, type OutsideClient, type OutsideServer } from "../probes/outside-client.js";
export { allUrlRootsOf, urlPathsOf, urlRootsOf } from "../probes/sample-paths.js";
export type { ListedDirectory } from "../probes/served-directories.js";
export {
  type ContinuedRedirect,
  type EndlessRequest,
  type Hop,
  innerTargetOf,
  type LostVariable,
  lineTrialsOf,
  type NegotiatedAnswer,
  type RenamedVariables,
  type RetakenTarget,
  redirectingLineOf,
  type SlashedFile,
  type TakenFiles,
  type Trial,
  usesMultiViews,
} from "../probes/trials.js";
export { findLostEffect, type LostEffect } from "../probes/unread-files.js";
export { accessVariablesOf, type Unset } from "../probes/unset-variables.js";
export { witnessOf } from "../probes/witness-steps.js";

// The `.htaccess` files that AllowOverride limits:

export { isOverrideUnknown, overridesAllowing, overrideWordsFor } from "../../server/trace/override-words.js";
export { findRedirectOfIndex } from "../../server/trace/side-effects.js";
export { findUnmodelledLine } from "../../server/unmodelled-directives.js";

// Its messages:

export { describeRequest, formatAssumptions, type Request } from "../../server/model/request.js";
export {
  describeProbe,
  formatDirectiveNames,
  formatLineTitle,
  manualNameOf,
} from "../probes/scope-probes.js";

// The rules that apply to a request:

export { type AccessState, includesMethod, omitLayer } from "../../server/access/access-state.js";
export { authModuleOf, authTypeOf } from "../../server/access/authentication.js";
export { limitsInclude, limitsOf } from "../../server/access/clients-and-methods.js";
export { type RulesTransform, requireLinesOf, sourceLayersOf } from "../../server/access/merge.js";
export { authnProvidersOf } from "../../server/access/password-providers.js";
export { checkProvider } from "../../server/access/provider-checks.js";
export { isHostBased } from "../../server/access/upgrade-guide.js";
export { findMissingAuth, hasMisspeltLine, type MissingAuth } from "../probes/missing-authentication.js";
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
} from "../probes/rules-in-context.js";

// Directives of mod_access_compat:

export {
  type CompatRules,
  compatDirectiveNames,
  isCompatDirective,
  parseCompatRules,
} from "../../server/access/compat-rules.js";

export { type IneffectiveList, ineffectiveLists } from "../../server/access/ineffective-lists.js";

// Require:

export {
  findContradictions,
  findShadowedLines,
  type ShadowedLine,
  ShadowFinder,
  type UnmetContainer,
} from "../../proof/clients/shadow-finder.js";
export {
  checksClientOnly,
  isNewProvider,
  lacksAccessCompat,
  lacksRequire,
  moduleOfProvider,
  requiresUser,
} from "../../server/access/providers.js";
export {
  convertNamedClients,
  convertToRequire,
  describeRequireTree,
  listTreeProviders,
  refusedConversion,
} from "../../server/access/require-conversion.js";
export {
  argumentsOfLine,
  createRuleLine,
  grantAll,
  isDenyAll,
  isGrantAll,
  negateLine,
  type RequireNode,
} from "../../server/access/require-nodes.js";
export {
  isRequireContainer,
  parseRequireLine,
  type RequireLine,
  type RequireRule,
  requireArgumentsOf,
  requireRulesOf,
} from "../../server/access/require-rules.js";

// Addresses:

export { isPrivateAddress, parseAddress, readSubnet, readWildcardNetwork } from "../../text/addresses.js";
