import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import { isLoopbackListener } from "../../proof/clients/outsiders.js";
import { withoutRule } from "../../proof/clients/require-section.js";
import { type CompatRules, parseCompatRules } from "../../server/access/compat-rules.js";
import { findSatisfyAny24 } from "../../server/access/decide-24.js";
import {
  accessRulesOf,
  type EffectiveCompatRules,
  type EffectiveRules,
  findCompatRules,
  mergeRequireRules,
  type RequireSet,
  type RulesTransform,
  replacesCompatRules,
  sourceLayersOf,
} from "../../server/access/merge.js";
import { type ConfigLayer, keywordArgumentOf } from "../../server/model/config-layer.js";
import { portOf } from "../../server/model/request.js";
import {
  isAnyAddress,
  isHostForAny,
  isUnspecified,
  type ListenAddress,
  readListenAddress,
  readListenLine,
} from "../../server/model/server.js";
import { isLocalhost } from "../../text/addresses.js";
import { type AccessScopes, enclosingHostOf } from "./access-scopes.js";
import { inspectorOf, type ProbeContext } from "./inspector.js";

const requireNames: ReadonlySet<string> = new Set(["require"]);

/** Rule filters that drop mod_access_compat rules, or Require rules. */
export const dropCompatRules: RulesTransform = ({ require }) => ({ compat: undefined, require });
export const dropRequireRules: RulesTransform = ({ compat }) => ({ compat, require: undefined });

/** Returns the scope's own access rules. */
export function ownRulesOf({ layer }: ProbeContext) {
  const { compat, authz } = accessRulesOf(layer);
  return { compat, require: authz?.rules };
}

/** Returns the rules that would apply if the scope inherited none, for a probe. */
export function ownEffectiveRulesOf({ layer }: ProbeContext): EffectiveRules {
  const { compat, authz } = accessRulesOf(layer);
  return { compat: compat && { rules: compat, layer }, require: authz?.rules };
}

/** Returns whether a section inherits a configuration: the section's own one is merged after it. */
export function isInherited({ state, layer: own }: ProbeContext, layer: ConfigLayer): boolean {
  return state.layers.indexOf(layer) < state.layers.indexOf(own);
}

/** Returns the mod_access_compat rules that would apply without those of one section. */
export function findCompatRulesWithout({ state }: ProbeContext, layer: ConfigLayer): EffectiveCompatRules | undefined {
  return findCompatRules(
    state.layers.filter((each) => each !== layer),
    replacesCompatRules("2.4"),
  );
}

/** How a section can restrict access, given the other sections that apply to its requests. */
export interface Restriction {
  /** Whether Order, Allow and Deny must restrict it: Require lines of the section would not, or not only they decide. */
  readonly isByCompat: boolean;
  /** Whether a section that is merged after it decides, whatever its own lines are. */
  readonly isTooEarly: boolean;
}

/**
 * Returns how a section can restrict access. Without its own mod_access_compat lines, the inherited ones apply again, and
 * `Satisfy any` of another section makes Require optional.
 */
export function findRestriction(situation: ProbeContext): Restriction {
  const { state, layer: own, compat, require, request } = situation;
  const isOwn = compat?.layer === own;
  const isOptional = compat !== undefined && !isOwn && findSatisfyAny24(compat, { request }) !== undefined;
  const isByCompat =
    !isSince(state.project.release, "2.4") ||
    isOptional ||
    (isOwn && findCompatRulesWithout(situation, own) !== undefined);
  const required = require ? sourceLayersOf(require) : [];
  const deciding = isByCompat ? (compat ? [compat.layer] : []) : required;
  return { isByCompat, isTooEarly: deciding.some((layer) => state.layers.indexOf(layer) > state.layers.indexOf(own)) };
}

/**
 * Returns a filter that drops some lines of Allow, Deny and Require, for a probe. A section without any lines left no
 * longer replaces the rules of others.
 */
export function dropLines(situation: ProbeContext, lines: readonly Directive[]): RulesTransform {
  const dropFromCompat = ({ rules, layer }: EffectiveCompatRules): EffectiveCompatRules | undefined =>
    rules.directives.every((line) => lines.includes(line))
      ? findCompatRulesWithout(situation, layer)
      : { layer, rules: { ...rules, hosts: rules.hosts.filter(({ directive }) => !lines.includes(directive)) } };
  const dropFromSet = (set: RequireSet): RequireSet | undefined => {
    if (set.kind === "merged") {
      const [first, second] = [dropFromSet(set.first), dropFromSet(set.second)];
      return first && second ? { ...set, first, second } : (first ?? second);
    }
    const rules = lines.reduce(withoutRule, set.rules);
    return rules.length > 0 ? { ...set, rules } : mergeRequireRulesWithout(situation, set.layer);
  };
  return ({ compat, require }) => ({
    compat: compat && dropFromCompat(compat),
    require: require && dropFromSet(require),
  });
}

/** Returns the rules that would apply if a section were merged last, for a probe. */
export function mergeLast(situation: ProbeContext): RulesTransform {
  const own = ownEffectiveRulesOf(situation);
  return ({ compat, require }) => ({ compat: own.compat ?? compat, require: own.require ?? require });
}

/** Returns the Require rules that would apply without those of one section, on 2.4. */
export function mergeRequireRulesWithout({ state }: ProbeContext, layer: ConfigLayer): RequireSet | undefined {
  return mergeRequireRules(
    state.groups.map((group) => ({ ...group, layers: group.layers.filter((each) => each !== layer) })),
  );
}

/** Returns the Require lines of all sections that apply, even if overridden: they distinguish clients. */
export function listRequireLines({ state }: ProbeContext): readonly Directive[] {
  return state.layers.flatMap((layer) => layer.pick(requireNames));
}

/** Returns the directives that Nonfatal of AllowOverride ignores, by file: they are not effective access control. */
export function listSkippedLines(project: Project): readonly ReadonlySet<Directive>[] {
  if (project.kind !== "server") return [];
  const inspector = inspectorOf(project);
  return inspector.htaccess.flatMap((file) => inspector.skippedLinesIn(file)?.directives ?? []);
}

export function isSatisfyAny({ key, argumentText }: Directive): boolean {
  return key === "satisfy" && /^"?any"?$/i.test(argumentText);
}

/** Returns whether mod_access_compat rules allow every client. */
export function allowsEveryClient({ hosts, orders }: CompatRules): boolean {
  const order = orders.at(-1)?.ordering ?? "deny,allow";
  const allowsAll = hosts.some(
    ({ list, match, limits }) => list === "allow" && match.kind === "all" && limits.length === 0,
  );
  return hosts.every(({ list }) => list === "allow") && (order === "deny,allow" || allowsAll);
}

/**
 * Returns whether mod_access_compat rules that allow every client may override others for some request. Those of
 * enclosing directories are ignored: any request into the scope shows their effect.
 */
export function mayLiftDenial({ scope, state }: ProbeContext, scopes: AccessScopes): boolean {
  for (const under of scopes.compatScopesUnder(scope)) {
    const rules = parseCompatRules(under.directives);
    if (!rules || (allowsEveryClient(rules) && rules.satisfies.every(({ satisfy }) => satisfy === "all"))) continue;
    const isAround = state.layers.some(({ section, content }) =>
      under.section ? section === under.section : content === under.content,
    );
    if (!isAround || (under.place !== "directory" && under.place !== "htaccess")) return true;
  }
  return false;
}

/**
 * Returns whether arbitrary clients reach access control: the server listens on more than the loopback interface, and
 * TLS does not require a client certificate.
 */
export function isPubliclyReachable({ scope, state, request }: ProbeContext): boolean {
  if (request.scheme === "https" && keywordArgumentOf(state.config.setting("sslverifyclient")) === "require")
    return false;
  const host = enclosingHostOf(scope)?.section?.arguments.map(({ value }) => readListenAddress(value)) ?? [];
  if (host.length > 0 && host.every(isLoopbackListener)) return false;
  const lines = state.project.directives.filter(({ key }) => key === "listen");
  const listening = lines.map(readListenLine);
  const here = listening.filter(({ port }) => port === portOf(request));
  const addresses = here.length > 0 ? here : listening;
  return addresses.length === 0 || !addresses.every(isLoopbackListener);
}

/**
 * Returns whether a program on the machine itself may connect to the server at ::1: it listens there, or at every address.
 * Without a Listen line here, it may. The addresses of a name are unknown.
 */
export function isReachableAtIpv6Loopback({ scope, state, request }: ProbeContext): boolean {
  const host = enclosingHostOf(scope)?.section?.arguments.map(({ value }) => readListenAddress(value)) ?? [];
  if (host.length > 0 && !host.some((each) => isHostForAny(each) || isAtIpv6Loopback(each))) return false;
  const listening = state.project.directives.filter(({ key }) => key === "listen").map(readListenLine);
  const here = listening.filter(({ port }) => port === portOf(request));
  const addresses = here.length > 0 ? here : listening;
  return addresses.length === 0 || addresses.some(isAtIpv6Loopback);
}

function isAtIpv6Loopback(listen: ListenAddress): boolean {
  const { address } = listen;
  return isAnyAddress(listen) || (address?.family === 6 && (isUnspecified(address) || isLocalhost(address)));
}
