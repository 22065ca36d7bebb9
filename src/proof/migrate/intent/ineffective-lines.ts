import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import { isSince } from "../../../facts/release.js";
import type { AccessState } from "../../../server/access/access-state.js";
import { type HostRule, isCompatDirective } from "../../../server/access/compat-rules.js";
import { effectiveRules24Of } from "../../../server/access/decide-24.js";
import { isAccessLine } from "../../../server/access/lines-of-24.js";
import {
  accessRulesOf,
  type EffectiveRules,
  findCompatRules,
  type RulesTransform,
  replacesCompatRules,
  requireLinesOf,
  sourceLayersOf,
} from "../../../server/access/merge.js";
import { isGrantAll, type RequireNode, ruleKey } from "../../../server/access/require-nodes.js";
import { isHostBased } from "../../../server/access/upgrade-guide.js";
import type { ConfigLayer } from "../../../server/model/config-layer.js";
import { getOrCreate } from "../../../text/collections.js";
import { type AccessPolicy, computeAccessPolicy, type MigrationMethods } from "../plan/access-policy.js";
import type { MergeContext } from "../plan/contexts.js";
import type { StatedMethods } from "../plan/describe-require.js";
import { ruleOfRequirement } from "../plan/requirement.js";
import { findMeantRules, type MeantRules } from "./meant-rules.js";

/** Access lines of a section that seem to decide nothing, although they say something else than what is decided. */
export interface IneffectiveLines {
  /** The section, or one of those that read the same lines. */
  readonly layer: ConfigLayer;
  readonly lines: readonly Directive[];
  /** The inherited rules that override the lines. */
  readonly overriding: "require" | "compat" | undefined;
  /** The inherited rules that the section has to replace by neutral ones, so that the lines decide. */
  readonly replaced: "require" | "compat" | undefined;
  /** The lines of the section itself that override others, and what they were probably written for. */
  readonly meant: MeantRules | undefined;
  /** The lines that decide instead; empty if the default does. */
  readonly deciding: readonly Directive[];
  /** Whether the inherited rules ask for a user: 2.2 did as well, so the lines may have been written to open nothing. */
  readonly asksForUser: boolean;
  /** The methods for which they do, and for which the access is stated. */
  readonly methods: StatedMethods;
  /** The access now, and as written; undefined if it cannot be stated. */
  readonly now: RequireNode | undefined;
  readonly written: RequireNode | undefined;
  /** Whether any request has another result without the lines, at places where another section has lines, too. */
  readonly isPartial?: boolean;
  /** What is left of them if the inherited rules are not replaced. */
  readonly withoutInherited?: IneffectiveLines | undefined;
}

/** What the contexts of a section show. */
interface SectionRecord {
  readonly layer: ConfigLayer;
  /** By whether inherited rules of the other kind change the result. */
  readonly overridden: IneffectiveLines[];
  readonly deciding: { count: number };
  readonly contradictory: IneffectiveLines[];
}

/**
 * Returns the lines that decide nothing as far as the rules show it: a comparison without them has to prove it. A
 * section counts only if it never has the last word on any request, because inherited rules of the other kind decide
 * each time, or if lines of its own make others useless.
 */
export function findIneffectiveLines(
  contexts: readonly MergeContext[],
  methods: MigrationMethods,
  transform: RulesTransform,
): readonly IneffectiveLines[] {
  const records = new Map<string, SectionRecord>();
  for (const context of contexts) examineContext(context, methods, transform, records);
  return [...records.values()].flatMap(({ overridden: [first], deciding, contradictory: [own] }) => {
    // Where inherited rules decide in some places only, they continue to do so.
    const inPlace = own && first ? { ...own, replaced: undefined } : own;
    if (first && deciding.count === 0) return [{ ...first, withoutInherited: inPlace }];
    return inPlace ? [inPlace] : [];
  });
}

function examineContext(
  context: MergeContext,
  methods: MigrationMethods,
  transform: RulesTransform,
  records: Map<string, SectionRecord>,
): void {
  const { state } = context;
  const rules = transform(mergedRulesOf(state), state);
  const { compat } = rules;
  const meant = compat && findMeantRules(compat.rules);
  const asMeant: EffectiveRules = compat && meant ? { ...rules, compat: { ...compat, rules: meant.rules } } : rules;
  const overriding = findOverriding(context, rules);
  if (meant === undefined && overriding === undefined) {
    const last = lastAccessLayer(context);
    if (last) recordOf(last, records).deciding.count++;
    return;
  }
  const policyOf = (result: EffectiveRules) => {
    const policy = computeAccessPolicy(state, methods, () => result);
    return policy.ok ? policy.value : undefined;
  };
  const [now, withOrder] = [rules, asMeant].map(policyOf);
  const last = lastAccessLayer(context);
  if (last === undefined) return;
  const alone = overriding && policyOf(omitInherited(asMeant, overriding, last));
  const asksForUser = overriding === "require" && rules.require !== undefined && !isHostBased(rules.require, state);
  // Lines that also deny clients have an effect beside a password.
  const isOverridden = overriding !== undefined && isChanged(withOrder, alone) && (!asksForUser || isOpen(alone));
  if (compat && meant && isChanged(now, withOrder)) {
    const replaced = overriding === "require" && !isOverridden ? overriding : undefined;
    recordOf(compat.layer, records).contradictory.push({
      ...{ layer: compat.layer, lines: meant.lines, overriding: undefined, replaced, meant, deciding: meant.deciding },
      asksForUser: false,
      ...stateAccess(now, withOrder, methods),
    });
  }
  const record = recordOf(last, records);
  if (!isOverridden) {
    record.deciding.count++;
    return;
  }
  const lines = last.directives.filter(
    (line) => isAccessLine(line) && isCompatDirective(line) === (overriding === "require"),
  );
  const deciding = overriding === "require" ? rules.require && requireLinesOf(rules.require) : compat?.rules.directives;
  record.overridden.push({
    ...{ layer: last, lines, overriding, replaced: overriding, deciding: deciding ?? [], asksForUser },
    meant: overriding === "require" ? meant : undefined,
    ...stateAccess(now, alone, methods),
  });
}

function recordOf(layer: ConfigLayer, records: Map<string, SectionRecord>): SectionRecord {
  const [first] = layer.directives.filter(isAccessLine);
  const key = first ? lineKeyOf(first) : "";
  return getOrCreate(records, key, () => ({ layer, overridden: [], deciding: { count: 0 }, contradictory: [] }));
}

function mergedRulesOf({ project, config }: AccessState): EffectiveRules {
  if (isSince(project.release, "2.4")) return effectiveRules24Of(config);
  return { compat: findCompatRules(config.layers, replacesCompatRules("2.2")), require: undefined };
}

/** Returns the last section of a context with access rules. */
function lastAccessLayer({ layers }: MergeContext): ConfigLayer | undefined {
  return layers.findLast((layer) => {
    const { compat, authz } = accessRulesOf(layer);
    return compat !== undefined || authz?.rules !== undefined;
  });
}

/**
 * Returns which inherited rules may override those of the last section, which has only rules of the other kind. A
 * section with Order, Allow and Deny never replaces a Require for users, not even in 2.2. There, `Allow from all` did
 * what it says: it allows every address. In files for 2.4, it may be meant to open the section.
 */
function findOverriding(context: MergeContext, { compat, require }: EffectiveRules): IneffectiveLines["overriding"] {
  const last = lastAccessLayer(context);
  if (last === undefined || compat === undefined || require === undefined) return undefined;
  const own = accessRulesOf(last);
  if (own.authz?.rules === undefined) {
    const isInherited = own.compat !== undefined && own.authz === undefined && compat.layer === last;
    const { state } = context;
    const maySayOpen = isSince(state.project.release, "2.4") && own.compat?.hosts.some(isAllowForAll) === true;
    return isInherited && (maySayOpen || isHostBased(require, state)) ? "require" : undefined;
  }
  return own.compat === undefined && sourceLayersOf(require).at(-1) === last ? "compat" : undefined;
}

/** Returns the rules without inherited ones. Require lines that name no method allow it. */
function omitInherited(rules: EffectiveRules, overriding: "require" | "compat", layer: ConfigLayer): EffectiveRules {
  if (overriding === "compat") return { ...rules, compat: undefined };
  return { ...rules, require: { kind: "section", rules: [], layer } };
}

function isAllowForAll({ list, match }: HostRule): boolean {
  return list === "allow" && match.kind === "all";
}

/** Reports whether every client is allowed with every method. */
function isOpen(policy: AccessPolicy | undefined): boolean {
  return policy?.every((each) => each && isGrantAll(ruleOfRequirement(each))) === true;
}

function isChanged(one: AccessPolicy | undefined, other: AccessPolicy | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  return one.some((_, method) => ruleKeyAt(one, method) !== ruleKeyAt(other, method));
}

/**
 * Returns the access by two policies for a method for which they differ, and all these methods. If they do not differ, as
 * where other lines without effect would make the difference, the access is that for all methods.
 */
function stateAccess(
  now: AccessPolicy | undefined,
  written: AccessPolicy | undefined,
  methods: MigrationMethods,
): Pick<IneffectiveLines, "methods" | "now" | "written"> {
  const keys = [now, written].map((policy) => methods.map((_, index) => ruleKeyAt(policy, index)));
  const isDifferent = methods.map((_, index) => keys[0]?.[index] !== keys[1]?.[index]);
  const isAlike = !isDifferent.includes(true);
  const index = isAlike ? 0 : isDifferent.lastIndexOf(true);
  const except = isAlike || isDifferent.at(-1) === true;
  const names = isAlike ? [] : methods.filter((_, method) => isDifferent[method] !== except);
  const stated = { now: ruleAt(now, index), written: ruleAt(written, index) };
  return { ...stated, methods: except && names.length === 0 ? undefined : { except, names } };
}

function ruleAt(policy: AccessPolicy | undefined, method: number): RequireNode | undefined {
  const requirement = policy?.[method];
  return requirement && ruleOfRequirement(requirement);
}

function ruleKeyAt(policy: AccessPolicy | undefined, method: number): string | undefined {
  const rule = ruleAt(policy, method);
  return rule && ruleKey(rule);
}
