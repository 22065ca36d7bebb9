/** For rules: the configuration as the server reads it, what directives and modules there are, and what httpd rejects. */

// Lines and arguments:

export { hasProxyFlag, parseArguments, parseRewriteWords } from "../../../grammar/arguments.js";
export type { Argument, ConfigTree } from "../../../grammar/ast.js";
export type { Condition, Word } from "../../../grammar/expression/ast.js";
export type { ExpressionError } from "../../../grammar/expression/errors.js";
export { CONTEXT_MARK, findContextComments, isContextSection } from "../../config/entry.js";

// The configuration:

export {
  type Directive,
  dedupeByLine,
  isInSection,
  lacksBracket,
  lineKeyOf,
  type NameFacts,
  virtualHostAround,
} from "../../config/model/directive.js";
export { type Guard, sectionNameOf } from "../../config/model/guards.js";
export { findPlaceholder, isFilledIn } from "../../config/model/placeholders.js";
export type { HtaccessFile, Include, Project, SkippedFile } from "../../config/model/project.js";
export { findLimitAround, type Scope, type ScopeKind, scopeKindOf, seesPathsBelow } from "../../config/model/scope.js";
export { findUndefinedVariable } from "../../config/model/variables.js";
export { isOfUnusedMacro } from "../../config/reader/macros.js";
export { describeRefusal, mergeRefusals, type Refusal } from "../../config/refusals/refusal.js";
export { keywordArgumentOf } from "../../server/model/config-layer.js";

// Queries:

export { indexDirectives } from "../../config/queries/directive-index.js";
export {
  iterateDescendants,
  iterateDirectives,
} from "../../config/queries/directive-tree.js";
export { type DiskPath, findDiskPath } from "../../config/queries/disk-path.js";
export {
  type DirectiveExpression,
  expressionDirectives,
  expressionOf,
  expressionsOf,
  findExpressionErrors,
  findUnreadEnd,
  matchesIn,
  spanInExpression,
} from "../../config/queries/expressions.js";
export { directoryMappingOf } from "../../config/queries/named-directories.js";
export {
  addsHeader,
  type HeaderLine,
  listHeaderLines,
  parseHeaderLine,
} from "../../config/queries/response-headers.js";
export {
  type AllServerDirectives,
  type ServerDirectives,
  serverDirectivesOf,
  serverOfScope,
} from "../../config/queries/server-directives.js";
export {
  listRespondingServers,
  listServerSettings,
  placeOfServer,
  type RespondingServer,
} from "../../config/queries/server-settings.js";
export { isDocumentOnServersDisk, isOnServersDisk } from "../../config/queries/servers-disk.js";
export { type DirectiveVisitor, walkProject } from "../../config/queries/walker.js";
export { isWholeServer, mayHaveMoreLines } from "../../config/queries/whole-server.js";
export { type GroupNode as PatternGroup, leavesOf } from "../../regex/pcre/ast.js";
export { areContradictory, comparePatterns, escapePattern, type PatternTest } from "../../regex/pcre/comparison.js";
export { parsePcre } from "../../regex/pcre/parser.js";
export { hasWildcard } from "../../text/wildcards.js";

// Sections:

export { canonicalizeName } from "../../server/sections/section-index.js";

// Virtual hosts, as httpd compares them:

export {
  addressKeyOf,
  addressKeysOf,
  addressReaderOf,
  isAnyAddress,
  isHostForAny,
  isSameAddress,
  type ListenAddress,
  listLaterHosts,
  readListenAddress,
  readListenLine,
  readListenWord,
} from "../../server/model/server.js";
export { compileServerAlias, stripServerName } from "../../server/request/server-names.js";

// Conditions of `<If>` and `<ElseIf>`:

export { constantOf } from "../../server/expression/constant-folding.js";
export { conditionOf } from "../../server/expression/evaluate.js";
export { type VariableValues, valuesOfVariable } from "../../server/expression/variables.js";

// Redirects and rewriting:

export { listInactiveDirectiveNames, listInactiveLines, wouldBeIn } from "../../config/queries/inactive-lines.js";
export { type RulePlace, RulePlaces } from "../../config/queries/rule-places.js";
export { SettingPlaces } from "../../config/queries/setting-places.js";
export { redirectsAllToHttps, rewritesAllToHttps } from "../../server/mapping/https-redirects.js";
export { readRedirect } from "../../server/mapping/redirects.js";
export { isComparedAsText } from "../../server/request/setenvif.js";
export { rewriteVariables } from "../../server/rewrite/expansion.js";
export { uriSchemeOf } from "../../server/rewrite/rewrite-context.js";
export {
  addRewriteFlag,
  isRedirectStatus,
  mayNameDirectory,
  parseRewriteRules,
  type RewriteCondition,
  type RewriteRule,
} from "../../server/rewrite/rule-parser.js";
export { endsRules } from "../probes/ending-rules.js";

// Backends:

export { balancerNameIn, balancersOf } from "../../server/phases/balancer-members.js";
export { parseTypes } from "../../server/phases/types-file.js";

// TLS:

export { type CipherWeakness, weaknessOf } from "../../facts/cipher-suites.js";
export {
  guidelineTitle,
  isRecommendedProtocol,
  isRecommendedSuite,
  recommendedCipherLine,
  recommendedProtocolLine,
} from "../../server/tls/guideline.js";
export { parseProtocols, type TlsProtocol } from "../../server/tls/protocols.js";
export {
  createTlsVisitor,
  hasUnusedCertificate,
  isTlsDecided,
  isTlsOff,
  listConnectionTls,
  type TlsServer,
  tlsServersOf,
} from "../../server/tls/tls-servers.js";

// LoadModule lines:

export {
  findLastLoadModule,
  formatLoadModule,
  guardLoadModule,
  isDebianLayout,
} from "../../config/model/load-module.js";
export {
  findModuleOfSimilarNames,
  identifierOf,
  isKnownModule,
  isVersionOf,
  type LoadModule,
  replacementOf,
  sharedObjectOf,
} from "../../config/model/modules.js";

// Tables of directives and modules:

export { findBackendModules } from "../../facts/backend-modules.js";
export {
  type DirectiveFacts,
  findDirectiveFacts,
  findRemovedDirective,
  findThirdPartyDirective,
  isAllowedIn,
  listModulesWithPrefix,
  type OverrideClass,
  type RemovedDirective,
  suggestDirectiveName,
  type ThirdPartyDirective,
} from "../../facts/directives.js";
export { filterModules } from "../../facts/filters.js";
export {
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  listCompiledInModules,
  type Module,
  type RemovedModule,
  successorsOf,
} from "../../facts/modules.js";
export {
  isBefore,
  isNewest,
  isSince,
  lineOf,
  listMaintainedReleases,
  nameRelease,
  type Release,
  versionOf,
} from "../../facts/release.js";
export { headerOfVariable, isHeaderName } from "../../facts/request-headers.js";
export { isKnownStatus } from "../../facts/status-codes.js";
export { findLastVersion, findNewerDirective, hasModule, listVersionedNames } from "../../facts/versions.js";
export { findNewerKeyword } from "../../startup/directives/newer-words.js";
export { securityRuleIdOf } from "../../startup/directives/security-rules.js";

// What httpd rejects:

export { findBalancersWithoutMethod } from "../../startup/balancer-methods.js";
export { findLackingModules, type LackingModule } from "../../startup/lacking-modules.js";
export {
  createElseVisitor,
  createMisplacedVisitor,
  findInclusionForRequireAll,
  type MisplacedDirective,
} from "../../startup/misplaced.js";
export type { RefusedDirective } from "../../startup/refusal.js";
export { findRequiredModules } from "../../startup/required-modules.js";
export { findRefusals, RefusalFinder, SectionValidator } from "../../startup/validate.js";
