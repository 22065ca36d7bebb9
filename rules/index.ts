import { isEnabledByDefault, type RuleDefinition } from "../src/rule-api/rule.js";
import { accessCompatNotLoaded } from "./access-compat-not-loaded/access-compat-not-loaded.js";
import { authenticationIncomplete } from "./authentication-incomplete/authentication-incomplete.js";
import { authtypeWithoutRequire } from "./authtype-without-require/authtype-without-require.js";
import { builtInModule } from "./built-in-module/built-in-module.js";
import { changedBehaviour } from "./changed-behaviour/changed-behaviour.js";
import { changedDefault } from "./changed-default/changed-default.js";
import { compatPrecedence } from "./compat-precedence/compat-precedence.js";
import { compatReset } from "./compat-reset/compat-reset.js";
import { dbmGroup } from "./dbm-group/dbm-group.js";
import { duplicateVirtualHost } from "./duplicate-virtual-host/duplicate-virtual-host.js";
import { earlyGuard } from "./early-guard/early-guard.js";
import { failsAfterConfigtest } from "./fails-after-configtest/fails-after-configtest.js";
import { ignoreComment } from "./ignore-comment/ignore-comment.js";
import { ignoredDirective } from "./ignored-directive/ignored-directive.js";
import { implicitRequireAny } from "./implicit-require-any/implicit-require-any.js";
import { limitDropsRequire } from "./limit-drops-require/limit-drops-require.js";
import { limitLeavesMethodsOpen } from "./limit-leaves-methods-open/limit-leaves-methods-open.js";
import { misplacedDirective } from "./misplaced-directive/misplaced-directive.js";
import { missingDocumentRoot } from "./missing-document-root/missing-document-root.js";
import { missingProxyModule } from "./missing-proxy-module/missing-proxy-module.js";
import { missingServerName } from "./missing-server-name/missing-server-name.js";
import { mixedAccessControl } from "./mixed-access-control/mixed-access-control.js";
import { modulesToLoad } from "./modules-to-load/modules-to-load.js";
import { neverMatchingGuard } from "./never-matching-guard/never-matching-guard.js";
import { neverMatchingName } from "./never-matching-name/never-matching-name.js";
import { neverMatchingSection } from "./never-matching-section/never-matching-section.js";
import { oldAccessControl } from "./old-access-control/old-access-control.js";
import { overrideMissing } from "./override-missing/override-missing.js";
import { redundantHostRules } from "./redundant-host-rules/redundant-host-rules.js";
import { refusedAtStart } from "./refused-at-start/refused-at-start.js";
import { removedDirective } from "./removed-directive/removed-directive.js";
import { removedModule } from "./removed-module/removed-module.js";
import { renamedDirective } from "./renamed-directive/renamed-directive.js";
import { satisfyAnyInherited } from "./satisfy-any-inherited/satisfy-any-inherited.js";
import { satisfyAnyWithoutRequire } from "./satisfy-any-without-require/satisfy-any-without-require.js";
import { shadowedAlias } from "./shadowed-alias/shadowed-alias.js";
import { shadowedRule } from "./shadowed-rule/shadowed-rule.js";
import { syntaxError } from "./syntax-error/syntax-error.js";
import { templatePlaceholder } from "./template-placeholder/template-placeholder.js";
import { thirdPartyModule } from "./third-party-module/third-party-module.js";
import { unclosedGuard } from "./unclosed-guard/unclosed-guard.js";
import { unclosedQuote } from "./unclosed-quote/unclosed-quote.js";
import { undefinedVariable } from "./undefined-variable/undefined-variable.js";
import { unknownDirective } from "./unknown-directive/unknown-directive.js";
import { unprotectedHandler } from "./unprotected-handler/unprotected-handler.js";
import { unreadExpression } from "./unread-expression/unread-expression.js";
import { upgradeChangesAccess } from "./upgrade-changes-access/upgrade-changes-access.js";
import { virtualHostWithoutListen } from "./virtual-host-without-listen/virtual-host-without-listen.js";
import { warnedAtStart } from "./warned-at-start/warned-at-start.js";

/** All rules: this list is the only registry. A test compares it with the folders and their pages. */
export const allRules: readonly RuleDefinition[] = [
  accessCompatNotLoaded,
  authenticationIncomplete,
  authtypeWithoutRequire,
  builtInModule,
  changedBehaviour,
  changedDefault,
  compatPrecedence,
  compatReset,
  dbmGroup,
  duplicateVirtualHost,
  earlyGuard,
  failsAfterConfigtest,
  ignoreComment,
  ignoredDirective,
  implicitRequireAny,
  limitDropsRequire,
  limitLeavesMethodsOpen,
  misplacedDirective,
  missingDocumentRoot,
  missingProxyModule,
  missingServerName,
  mixedAccessControl,
  modulesToLoad,
  neverMatchingGuard,
  neverMatchingName,
  neverMatchingSection,
  oldAccessControl,
  overrideMissing,
  redundantHostRules,
  refusedAtStart,
  removedDirective,
  removedModule,
  renamedDirective,
  satisfyAnyInherited,
  satisfyAnyWithoutRequire,
  shadowedAlias,
  shadowedRule,
  syntaxError,
  templatePlaceholder,
  thirdPartyModule,
  unclosedGuard,
  unclosedQuote,
  undefinedVariable,
  unknownDirective,
  unprotectedHandler,
  unreadExpression,
  upgradeChangesAccess,
  virtualHostWithoutListen,
  warnedAtStart,
];

/** The rules that run unless others are selected. */
export const defaultRules: readonly RuleDefinition[] = allRules.filter(isEnabledByDefault);
