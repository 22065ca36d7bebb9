import type { Directive } from "../../config/model/directive.js";
import { unknownFact } from "../model/unknown-facts.js";
import { checkTlsRequirements } from "./access-checkers.js";
import { type AccessResult, type AccessState, grantedResult, includesMethod } from "./access-state.js";
import { authenticate } from "./authentication.js";
import { type AuthorizerName, authorizersOf, isDefaultAuthoritative } from "./authorizers-22.js";
import { limitsOf } from "./clients-and-methods.js";
import { decideByOrder } from "./decide-order.js";
import { isGroupFileMissing, isInAnyGroup, mayBeInOwningGroup, mayOwnFile } from "./group-membership.js";
import {
  accessRulesOf,
  findCompatRules,
  findRequireLines22,
  keepMergedRules,
  type RulesTransform,
  replacesCompatRules,
} from "./merge.js";
import { findOtherRefusal } from "./other-modules.js";
import { isProviderGranted } from "./provider-checks.js";
import { parseRequireLine } from "./require-rules.js";

/**
 * Decides access in 2.2: Order/Allow/Deny and Require are separate, and Satisfy sets whether both are needed
 * (server/request.c).
 *
 * @param transform a step between merging the host-based rules and deciding by them
 */
export function decide22(state: AccessState, transform: RulesTransform = keepMergedRules): AccessResult {
  const { compat } = transform(
    { compat: findCompatRules(state.layers, replacesCompatRules("2.2")), require: undefined },
    state,
  );
  const ssl = checkTlsRequirements(state);
  const byRules = compat && decideByOrder(compat.rules, state);
  const refusal = byRules?.allowed === false ? undefined : (ssl ?? findOtherRefusal(state));
  const byCompat = refusal ? { allowed: false, by: refusal.by } : byRules;
  const isRefused = byCompat?.allowed === false;
  const lines = findRequireLines22(state.layers).filter((line) => includesMethod(limitsOf(line), state.request));
  const any = findSatisfyAny22(state);
  const status = refusal?.status ?? 403;
  const isFinal = refusal === ssl && ssl?.isFinal === true;
  if (isRefused && (any === undefined || lines.length === 0 || isFinal)) return { status, log: [], by: byCompat.by };
  const passing = byCompat?.by ?? [];
  if (lines.length === 0) return { ...grantedResult, by: passing };
  if (any !== undefined && !isRefused) return { ...grantedResult, by: [...passing, any] };
  const answer = decideRequire(lines, state);
  const others = any === undefined ? passing : [any];
  return answer.status === undefined ? { ...answer, by: [...others, ...answer.by] } : answer;
}

/** Returns the `Satisfy any` line that applies, if any: Satisfy merges on its own, method by method. */
export function findSatisfyAny22({ layers, request }: Pick<AccessState, "layers" | "request">): Directive | undefined {
  const lines = layers.flatMap((layer) => accessRulesOf(layer).compat?.satisfies ?? []);
  const line = lines.findLast(({ limits }) => includesMethod(limits, request));
  return line?.satisfy === "any" ? line.directive : undefined;
}

function decideRequire(lines: readonly Directive[], state: AccessState): AccessResult {
  const authentication = authenticate(state);
  switch (authentication.kind) {
    case "none":
      return { status: 500, log: [], by: lines };
    case "broken":
      return { status: 500, log: [], by: authentication.by };
    case "unknown-user":
      return { status: 401, log: [], by: authentication.by };
    case "challenge":
      return { status: 401, log: [], by: lines };
    case "refused":
      return { status: authentication.status, log: [], by: authentication.by };
    case "somebody": {
      const isAnyUser = lines.some(({ arguments: [word] }) => word?.value.toLowerCase() === "valid-user");
      const isMet = isAnyUser || state.oracle.ask(unknownFact("meets-require"));
      return isMet ? { ...grantedResult, by: lines } : { status: 401, log: [], by: lines };
    }
    case "user":
      return authorize(lines, state, authentication.user);
  }
}

/** A module's result for the Require lines: met, not met, declined, or unable to decide. */
type ModuleVerdict = "met" | "failed" | "passed on" | "broken";
type ModuleCheck = (lines: readonly RequireWords[], request: Authorization, isAuthoritative: boolean) => ModuleVerdict;

interface RequireWords {
  readonly word: string;
  readonly values: readonly string[];
  /** Everything after the provider name, as written. */
  readonly rest: string;
}

/** The input of the modules, and the state that one leaves for the next. */
interface Authorization {
  readonly state: AccessState;
  readonly user: string;
  /** The group of the file, noted by mod_authz_owner for `file-group`; without a name if it is unknown. */
  fileGroup: { readonly name: string | undefined } | undefined;
}

const moduleChecks: Readonly<Record<AuthorizerName, ModuleCheck>> = {
  ldap: checkByLdap,
  user: checkByUser,
  owner: checkByOwner,
  groupfile: (...checkArguments) => checkByGroup("text", ...checkArguments),
  dbm: (...checkArguments) => checkByGroup("dbm", ...checkArguments),
};

/** Runs each module in turn; mod_authz_default is last. */
function authorize(directives: readonly Directive[], state: AccessState, user: string): AccessResult {
  const lines = directives.map((directive): RequireWords => {
    const [word = "", ...values] = directive.arguments.map((argument) => argument.value);
    return { word, values, rest: parseRequireLine(directive).rest };
  });
  const request: Authorization = { state, user, fileGroup: undefined };
  for (const { name, isAuthoritative } of authorizersOf(state)) {
    const verdict = moduleChecks[name](lines, request, isAuthoritative);
    if (verdict === "met") return { ...grantedResult, by: directives };
    if (verdict === "failed") return { status: 401, log: [], by: directives };
    if (verdict === "broken") return { status: 500, log: [], by: directives };
  }
  return { status: isDefaultAuthoritative(state) ? 401 : 500, log: [], by: directives };
}

function isWord({ word }: RequireWords, expected: string): boolean {
  return word.toLowerCase() === expected;
}

function checkByUser(
  lines: readonly RequireWords[],
  { state, user }: Authorization,
  isAuthoritative: boolean,
): ModuleVerdict {
  if (lines.some((line) => isWord(line, "valid-user"))) return "met";
  const names = lines.flatMap((line) => (isWord(line, "user") ? line.values : []));
  state.request.tracker?.recordPredicate(
    { kind: "any", of: names.map((name) => ({ kind: "user", name })) },
    names.includes(user),
  );
  if (names.includes(user)) return "met";
  return lines.some((line) => isWord(line, "user")) && isAuthoritative ? "failed" : "passed on";
}

function checkByOwner(lines: readonly RequireWords[], request: Authorization, isAuthoritative: boolean): ModuleVerdict {
  const { state, user } = request;
  const { filename = "", files } = state;
  const exists = files.kindOf(filename.replace(/\/$/, "")) !== "missing";
  const owner = files.ownerOf?.(filename);
  let wasChecked = false;
  let hasReason = false;
  let hasOther = false;
  for (const { word } of lines) {
    if (hasReason && isAuthoritative) break;
    if (word === "file-owner") {
      // An owner check after a group check is too late.
      if (hasOther && isAuthoritative) break;
      wasChecked = true;
      const isOwner = owner ? owner.user === user : mayOwnFile(state, user);
      if (exists && isOwner) return "met";
      hasReason = true;
    } else if (word === "file-group") {
      if (wasChecked && isAuthoritative) break;
      hasOther = true;
      if (exists) request.fileGroup = { name: owner?.group };
      else hasReason = true;
    }
  }
  if (!(wasChecked || hasOther) || !isAuthoritative) return "passed on";
  // An authoritative module has checked only one of the two.
  return request.fileGroup !== undefined ? "passed on" : "failed";
}

/** Leaves the result open, because the contents of the directory are unknown. */
function checkByLdap(
  lines: readonly RequireWords[],
  { state }: Authorization,
  isAuthoritative: boolean,
): ModuleVerdict {
  const own = lines.filter(({ word }) => word.startsWith("ldap-"));
  if (own.length === 0) return "passed on";
  if (own.some(({ word, rest }) => ldapWords.has(word) && isProviderGranted({ provider: word, rest }, state)))
    return "met";
  return isAuthoritative ? "failed" : "passed on";
}

const ldapWords: ReadonlySet<string> = new Set(["ldap-user", "ldap-dn", "ldap-group", "ldap-attribute", "ldap-filter"]);

/**
 * Checks `group` and, if mod_authz_owner has noted the file's group, `file-group`: an authoritative module stops after
 * it.
 */
function checkByGroup(
  source: "text" | "dbm",
  lines: readonly RequireWords[],
  { fileGroup, user, state }: Authorization,
  isAuthoritative: boolean,
): ModuleVerdict {
  let isOwn = false;
  for (const line of lines) {
    const isFileGroup = isWord(line, "file-group");
    if (isFileGroup ? fileGroup === undefined : !isWord(line, "group")) continue;
    isOwn = true;
    if (isGroupFileMissing(state, source)) return "broken";
    const named = fileGroup?.name === undefined ? undefined : [fileGroup.name];
    const wanted = isFileGroup ? named : line.values;
    if (wanted ? isInAnyGroup(state, user, source, wanted) : mayBeInOwningGroup(state, user)) return "met";
    if (isFileGroup && isAuthoritative) break;
  }
  return isOwn && isAuthoritative ? "failed" : "passed on";
}
