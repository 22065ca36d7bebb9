import { isEnabledByDefault, type RuleDefinition } from "../src/lint/api/rule.js";
import { accessCompatNotLoaded } from "./access-compat-not-loaded/access-compat-not-loaded.js";
import { aliasSlashMismatch } from "./alias-slash-mismatch/alias-slash-mismatch.js";
import { authenticationIncomplete } from "./authentication-incomplete/authentication-incomplete.js";
import { authtypeWithoutRequire } from "./authtype-without-require/authtype-without-require.js";
import { builtInModule } from "./built-in-module/built-in-module.js";
import { certificateUnfit } from "./certificate-unfit/certificate-unfit.js";
import { changedBehaviour } from "./changed-behaviour/changed-behaviour.js";
import { changedDefault } from "./changed-default/changed-default.js";
import { compatPrecedence } from "./compat-precedence/compat-precedence.js";
import { compatReset } from "./compat-reset/compat-reset.js";
import { constantCondition } from "./constant-condition/constant-condition.js";
import { contradictoryFlags } from "./contradictory-flags/contradictory-flags.js";
import { credentialsInClear } from "./credentials-in-clear/credentials-in-clear.js";
import { dbmGroup } from "./dbm-group/dbm-group.js";
import { directoryListing } from "./directory-listing/directory-listing.js";
import { droppedQuery } from "./dropped-query/dropped-query.js";
import { duplicateHeader } from "./duplicate-header/duplicate-header.js";
import { earlyGuard } from "./early-guard/early-guard.js";
import { encodedSlashGuard } from "./encoded-slash-guard/encoded-slash-guard.js";
import { escapedRedirect } from "./escaped-redirect/escaped-redirect.js";
import { etagInode } from "./etag-inode/etag-inode.js";
import { executableUpload } from "./executable-upload/executable-upload.js";
import { expiresInactive } from "./expires-inactive/expires-inactive.js";
import { exposedPrivateFile } from "./exposed-private-file/exposed-private-file.js";
import { failsAfterConfigtest } from "./fails-after-configtest/fails-after-configtest.js";
import { fcgiTakesAnyFile } from "./fcgi-takes-any-file/fcgi-takes-any-file.js";
import { fileGuardOnProxy } from "./file-guard-on-proxy/file-guard-on-proxy.js";
import { filesystemRootReachable } from "./filesystem-root-reachable/filesystem-root-reachable.js";
import { guardMissesBelow } from "./guard-misses-below/guard-misses-below.js";
import { guardRegexGivesUp } from "./guard-regex-gives-up/guard-regex-gives-up.js";
import { handlerOnInnerExtension } from "./handler-on-inner-extension/handler-on-inner-extension.js";
import { headerGrantsAccess } from "./header-grants-access/header-grants-access.js";
import { hostByDns } from "./host-by-dns/host-by-dns.js";
import { ignoreComment } from "./ignore-comment/ignore-comment.js";
import { ignoredDirective } from "./ignored-directive/ignored-directive.js";
import { ignoredHtaccess } from "./ignored-htaccess/ignored-htaccess.js";
import { ignoredValue } from "./ignored-value/ignored-value.js";
import { implicitRequireAny } from "./implicit-require-any/implicit-require-any.js";
import { inactiveRewriteRule } from "./inactive-rewrite-rule/inactive-rewrite-rule.js";
import { limitDropsRequire } from "./limit-drops-require/limit-drops-require.js";
import { limitLeavesMethodsOpen } from "./limit-leaves-methods-open/limit-leaves-methods-open.js";
import { listenAnywhere } from "./listen-anywhere/listen-anywhere.js";
import { localAccessByIpv4 } from "./local-access-by-ipv4/local-access-by-ipv4.js";
import { misplacedDirective } from "./misplaced-directive/misplaced-directive.js";
import { misreadLine } from "./misread-line/misread-line.js";
import { missingDocumentRoot } from "./missing-document-root/missing-document-root.js";
import { missingHsts } from "./missing-hsts/missing-hsts.js";
import { missingProxyModule } from "./missing-proxy-module/missing-proxy-module.js";
import { missingResponseHeader } from "./missing-response-header/missing-response-header.js";
import { missingServerName } from "./missing-server-name/missing-server-name.js";
import { mixedAccessControl } from "./mixed-access-control/mixed-access-control.js";
import { modulesToLoad } from "./modules-to-load/modules-to-load.js";
import { namedFileFetchable } from "./named-file-fetchable/named-file-fetchable.js";
import { needsNewerHttpd } from "./needs-newer-httpd/needs-newer-httpd.js";
import { neverMatchingGuard } from "./never-matching-guard/never-matching-guard.js";
import { neverMatchingName } from "./never-matching-name/never-matching-name.js";
import { neverMatchingPath } from "./never-matching-path/never-matching-path.js";
import { obsoleteTlsDirective } from "./obsolete-tls-directive/obsolete-tls-directive.js";
import { oldAccessControl } from "./old-access-control/old-access-control.js";
import { openAllowList } from "./open-allow-list/open-allow-list.js";
import { openForwardProxy } from "./open-forward-proxy/open-forward-proxy.js";
import { openRedirect } from "./open-redirect/open-redirect.js";
import { openSecondUrl } from "./open-second-url/open-second-url.js";
import { overriddenSection } from "./overridden-section/overridden-section.js";
import { overrideMissing } from "./override-missing/override-missing.js";
import { portAndTlsDisagree } from "./port-and-tls-disagree/port-and-tls-disagree.js";
import { protocolOverridesProtocol } from "./protocol-overrides-protocol/protocol-overrides-protocol.js";
import { rawRequestGuard } from "./raw-request-guard/raw-request-guard.js";
import { redundantHostRules } from "./redundant-host-rules/redundant-host-rules.js";
import { reflectedOrigin } from "./reflected-origin/reflected-origin.js";
import { refusedAtStart } from "./refused-at-start/refused-at-start.js";
import { removedDirective } from "./removed-directive/removed-directive.js";
import { removedModule } from "./removed-module/removed-module.js";
import { renamedDirective } from "./renamed-directive/renamed-directive.js";
import { requestAlwaysFails } from "./request-always-fails/request-always-fails.js";
import { requestChosenBackend } from "./request-chosen-backend/request-chosen-backend.js";
import { requestLimits } from "./request-limits/request-limits.js";
import { rewriteLoop } from "./rewrite-loop/rewrite-loop.js";
import { rootDirectoryOpen } from "./root-directory-open/root-directory-open.js";
import { satisfyAny } from "./satisfy-any/satisfy-any.js";
import { scriptSourceServed } from "./script-source-served/script-source-served.js";
import { shadowedLine } from "./shadowed-line/shadowed-line.js";
import { shadowedRule } from "./shadowed-rule/shadowed-rule.js";
import { skippedFile } from "./skipped-file/skipped-file.js";
import { spoofableClientAddress } from "./spoofable-client-address/spoofable-client-address.js";
import { symlinkLeavesRoot } from "./symlink-leaves-root/symlink-leaves-root.js";
import { syntaxError } from "./syntax-error/syntax-error.js";
import { templatePlaceholder } from "./template-placeholder/template-placeholder.js";
import { thirdPartyModule } from "./third-party-module/third-party-module.js";
import { tlsSessionCache } from "./tls-session-cache/tls-session-cache.js";
import { traceEnabled } from "./trace-enabled/trace-enabled.js";
import { unclosedGuard } from "./unclosed-guard/unclosed-guard.js";
import { undefinedReference } from "./undefined-reference/undefined-reference.js";
import { undefinedVariable } from "./undefined-variable/undefined-variable.js";
import { unexpectedVirtualHost } from "./unexpected-virtual-host/unexpected-virtual-host.js";
import { unguardedPhpSetting } from "./unguarded-php-setting/unguarded-php-setting.js";
import { unknownDirective } from "./unknown-directive/unknown-directive.js";
import { unknownFilter } from "./unknown-filter/unknown-filter.js";
import { unprotectedHandler } from "./unprotected-handler/unprotected-handler.js";
import { unverifiedBackend } from "./unverified-backend/unverified-backend.js";
import { unverifiedClientCertificate } from "./unverified-client-certificate/unverified-client-certificate.js";
import { upgradeChangesAccess } from "./upgrade-changes-access/upgrade-changes-access.js";
import { verboseServer } from "./verbose-server/verbose-server.js";
import { warnedAtStart } from "./warned-at-start/warned-at-start.js";
import { weakTlsCipher } from "./weak-tls-cipher/weak-tls-cipher.js";
import { weakTlsProtocol } from "./weak-tls-protocol/weak-tls-protocol.js";
import { writableDav } from "./writable-dav/writable-dav.js";
import { wrongCase } from "./wrong-case/wrong-case.js";
import { wrongErrorDocument } from "./wrong-error-document/wrong-error-document.js";
import { wrongTargetPath } from "./wrong-target-path/wrong-target-path.js";

/** All rules: this list is the only registry. A test compares it with the directories and their pages. */
export const allRules: readonly RuleDefinition[] = [
  accessCompatNotLoaded,
  aliasSlashMismatch,
  authenticationIncomplete,
  authtypeWithoutRequire,
  builtInModule,
  certificateUnfit,
  changedBehaviour,
  changedDefault,
  compatPrecedence,
  compatReset,
  constantCondition,
  contradictoryFlags,
  credentialsInClear,
  dbmGroup,
  directoryListing,
  droppedQuery,
  duplicateHeader,
  earlyGuard,
  encodedSlashGuard,
  escapedRedirect,
  etagInode,
  executableUpload,
  expiresInactive,
  exposedPrivateFile,
  failsAfterConfigtest,
  fcgiTakesAnyFile,
  fileGuardOnProxy,
  filesystemRootReachable,
  guardMissesBelow,
  guardRegexGivesUp,
  handlerOnInnerExtension,
  headerGrantsAccess,
  hostByDns,
  ignoreComment,
  ignoredDirective,
  ignoredHtaccess,
  ignoredValue,
  implicitRequireAny,
  inactiveRewriteRule,
  limitDropsRequire,
  limitLeavesMethodsOpen,
  listenAnywhere,
  localAccessByIpv4,
  misplacedDirective,
  misreadLine,
  missingDocumentRoot,
  missingHsts,
  missingProxyModule,
  missingResponseHeader,
  missingServerName,
  mixedAccessControl,
  modulesToLoad,
  namedFileFetchable,
  needsNewerHttpd,
  neverMatchingGuard,
  neverMatchingName,
  neverMatchingPath,
  obsoleteTlsDirective,
  oldAccessControl,
  openAllowList,
  openForwardProxy,
  openRedirect,
  openSecondUrl,
  overriddenSection,
  overrideMissing,
  portAndTlsDisagree,
  protocolOverridesProtocol,
  rawRequestGuard,
  redundantHostRules,
  reflectedOrigin,
  refusedAtStart,
  removedDirective,
  removedModule,
  renamedDirective,
  requestAlwaysFails,
  requestChosenBackend,
  requestLimits,
  rewriteLoop,
  rootDirectoryOpen,
  satisfyAny,
  scriptSourceServed,
  shadowedLine,
  shadowedRule,
  skippedFile,
  spoofableClientAddress,
  symlinkLeavesRoot,
  syntaxError,
  templatePlaceholder,
  thirdPartyModule,
  tlsSessionCache,
  traceEnabled,
  unclosedGuard,
  undefinedReference,
  undefinedVariable,
  unexpectedVirtualHost,
  unguardedPhpSetting,
  unknownDirective,
  unknownFilter,
  unprotectedHandler,
  unverifiedBackend,
  unverifiedClientCertificate,
  upgradeChangesAccess,
  verboseServer,
  warnedAtStart,
  weakTlsCipher,
  weakTlsProtocol,
  writableDav,
  wrongCase,
  wrongErrorDocument,
  wrongTargetPath,
];

/** The rules that run unless others are selected. */
export const defaultRules: readonly RuleDefinition[] = allRules.filter(isEnabledByDefault);
