/** For rules: the configuration as the server reads it, what directives and modules there are, and what httpd rejects. */

// Lines and arguments:

export { hasProxyFlag, parseArguments, parseRewriteWords } from "../../grammar/arguments.js";
export type { Argument, ConfigTree } from "../../grammar/ast.js";
export type { Condition, Word } from "../../grammar/expression/ast.js";
export type { ExpressionError } from "../../grammar/expression/errors.js";
export { CONTEXT_MARK, findContextComments, isContextSection } from "../project/discovery/entry.js";

// The configuration:

export {
  type Directive,
  dedupeByLine,
  lacksBracket,
  lineKeyOf,
  type NameFacts,
  virtualHostAround,
} from "../project/model/directive.js";
export { type Guard, sectionNameOf } from "../project/model/guards.js";
export { findPlaceholder } from "../project/model/placeholders.js";
export { mergeProblems, type Problem } from "../project/model/problems.js";
export type { HtaccessFile, Project } from "../project/model/project.js";
export { findLimitAround, type Scope, type ScopeKind, scopeKindOf } from "../project/model/scope.js";

// Queries:

export { leavesOf } from "../logic/pcre/ast.js";
export { areContradictory, comparePatterns, escapePattern, type PatternTest } from "../logic/pcre/comparison.js";
export { parsePcre } from "../logic/pcre/parser.js";
export { indexDirectives } from "../project/queries/directive-index.js";
export {
  iterateDescendants,
  iterateDirectives,
} from "../project/queries/directive-tree.js";
export {
  type DirectiveExpression,
  expressionDirectives,
  expressionOf,
  expressionsOf,
  findExpressionErrors,
  findUnreadEnd,
  spanInExpression,
} from "../project/queries/expressions.js";
export { relocateProject } from "../project/queries/install-root.js";
export { addsHeader, type HeaderLine, listHeaderLines, parseHeaderLine } from "../project/queries/response-headers.js";
export {
  type AllServerDirectives,
  type ServerDirectives,
  serverDirectivesOf,
  serverOfScope,
} from "../project/queries/server-directives.js";
export {
  listRespondingServers,
  listServerSettings,
  placeOfServer,
  type RespondingServer,
} from "../project/queries/server-settings.js";
export { type DirectiveVisitor, walkProject } from "../project/queries/walker.js";
export { isWholeServer } from "../project/queries/whole-server.js";
export { hasWildcard } from "../text/wildcards.js";

// Virtual hosts, as httpd compares them:

export {
  addressKeysOf,
  isAnyAddress,
  isHostForAny,
  isSameAddress,
  type ListenAddress,
  listLaterHosts,
  readListenAddress,
  readListenLine,
} from "../httpd/model/server.js";
export { compileServerAlias, stripServerName } from "../httpd/vhost/server-names.js";

// Conditions of `<If>` and `<ElseIf>`:

export { constantOf } from "../httpd/expression/constant-folding.js";
export { conditionOf } from "../httpd/expression/evaluate.js";
export { type VariableValues, valuesOfVariable } from "../httpd/expression/variables.js";

// Rewriting:

export { rewriteVariables } from "../httpd/rewrite/expansion.js";
export {
  addRewriteFlag,
  isRedirectStatus,
  parseRewriteRules,
  type RewriteCondition,
  type RewriteRule,
} from "../httpd/rewrite/rule-parser.js";
export { listInactiveDirectiveNames, listInactiveLines, wouldBeIn } from "../project/queries/inactive-lines.js";
export { type RulePlace, RulePlaces } from "../project/queries/rule-places.js";
export { SettingPlaces } from "../project/queries/setting-places.js";

// TLS:

export { type CipherWeakness, weaknessOf } from "../tls/cipher-suites.js";
export {
  guidelineTitle,
  isRecommendedProtocol,
  isRecommendedSuite,
  recommendedCipherLine,
  recommendedProtocolLine,
} from "../tls/guideline.js";
export { parseProtocols, type TlsProtocol } from "../tls/protocols.js";
export {
  createTlsVisitor,
  isTlsDecided,
  isTlsOff,
  listConnectionTls,
  type TlsServer,
  tlsServersOf,
} from "../tls/tls-servers.js";

// LoadModule lines:

export {
  findLastLoadModule,
  formatLoadModule,
  guardLoadModule,
  isDebianLayout,
} from "../project/model/load-module.js";
export {
  findModuleOfSimilarNames,
  isKnownModule,
  isVersionOf,
  type LoadModule,
  replacementOf,
  sharedObjectOf,
} from "../project/model/modules.js";

// Tables of directives and modules:

export { findBackendModules } from "../directives/backend-modules.js";
export {
  type ContextKind,
  type DirectiveFacts,
  findDirectiveFacts,
  findRemovedDirective,
  findThirdPartyDirective,
  isAllowedIn,
  type OverrideClass,
  type Release,
  type RemovedDirective,
  suggestDirectiveName,
  type ThirdPartyDirective,
} from "../directives/directives.js";
export {
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  listCompiledInModules,
  type Module,
  type RemovedModule,
  successorsOf,
} from "../directives/modules.js";

// What httpd rejects:

export { createElseVisitor, createMisplacedVisitor, type Misplacement } from "../validate/misplaced.js";
export type { Refusal } from "../validate/refusal.js";
export { findRequiredModules } from "../validate/required-modules.js";
export { findRefusals, RefusalFinder, SectionValidator } from "../validate/validate.js";
