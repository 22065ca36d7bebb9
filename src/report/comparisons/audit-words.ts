import { lineKeyOf } from "../../config/model/directive.js";
import type { Release } from "../../facts/release.js";
import { type Finding, severities } from "../../lint/finding.js";
import type { RuleDefinition } from "../../lint/rule.js";
import {
  type OutsideScope,
  type OutsideView,
  type OutsideViewServer,
  type ScopeEffect,
  scopeEffects,
} from "../../proof/audit/outside-model.js";
import { outcomesByOpenness, type ProbeOutcome, type SensitiveProbe } from "../../proof/audit/sensitive-probes.js";
import { describeRequest } from "../../server/model/request.js";
import { formatLine } from "../../server/trace/step.js";
import { formatCount, formatNumber, pluralize } from "../../text/words.js";
import { formatFindingCount } from "../findings/text.js";
import { formatNames, groupByKey } from "../text/text-printer.js";
import { type AlikeHosts, divideAlikeHosts } from "./alike-hosts.js";
import { formatConditions } from "./client-words.js";
import { describeClientAccess, formatExamplePaths, formatServerTitle, isFailing } from "./map-words.js";
import type { NamedWords } from "./path-examples.js";

/** An outside view to be rendered. */
export interface AuditReport {
  readonly view: OutsideView;
  readonly probes: readonly SensitiveProbe[];
  /** Number of sensitive paths checked. */
  readonly checkedPaths: number;
  /** Of the rules about exposure and TLS; sorted by severity. */
  readonly findings: readonly Finding[];
  readonly rules: readonly RuleDefinition[];
  readonly release: Release;
  /** Findings that prevent the server from starting, or make all requests fail; the rejected lines are ignored. */
  readonly startup: readonly Finding[];
  /** The assumptions about the rest of the server and about missing modules, as clauses. */
  readonly assumptions: readonly string[];
}

/** Returns all effects, and errors only if there are any. */
function listScopeKinds(groups: readonly OutsideGroup[]): readonly ScopeEffect[] {
  return scopeEffects.filter(
    (effect) => effect !== "error" || groups.some(({ server }) => countScopes(server, effect) > 0),
  );
}

/** Headings of the scopes with each effect. */
export const effectTitles: Readonly<Record<ScopeEffect, string>> = {
  read: "Read",
  run: "Run",
  write: "Write",
  fetch: "Fetch",
  error: "Error",
  protected: "Protected",
};

/** Words for each outcome after a number of sensitive paths. */
export const outcomeNames: Readonly<Record<ProbeOutcome, string>> = {
  exposed: "exposed",
  program: "answered by a program",
  backend: "passed to a backend",
  error: "failed with an error",
  denied: "denied",
  absent: "absent",
  other: "answered by another page or a redirect",
  rejected: "rejected",
  unknown: "unknown",
};

/** A server, and the hosts for which its scopes also hold. */
export interface OutsideGroup extends AlikeHosts {
  readonly server: OutsideViewServer;
  readonly title: string;
}

/** Groups servers with equal scopes. One that represents servers with other constants has a group of its own. */
export function groupOutsideServers(servers: readonly OutsideViewServer[]): readonly OutsideGroup[] {
  const described = servers.map((server) => {
    const policy = JSON.stringify([server.scopes.map(describeScope), server.unknownPaths]);
    return { server, policy, title: titleOf(server), ...divideAlikeHosts(server.alike, policy) };
  });
  return groupByKey(described, ({ policy, renamed }) => `${policy}${renamed.join(" ")}`).map(({ first, others }) => ({
    server: first.server,
    title: first.title,
    same: [...first.same, ...others.flatMap(({ title, same }) => [title, ...same])],
    renamed: first.renamed,
  }));
}

/** Returns what a scope shows, except its request, which names the host. */
function describeScope({ answer, sections, ...scope }: OutsideScope): object {
  return {
    ...scope,
    status: answer.status,
    lines: answer.decidedBy.map(lineKeyOf),
    sections: sections.map(formatLine),
  };
}

function titleOf(server: OutsideViewServer): string {
  return formatServerTitle({ ...server, scopes: [] });
}

/** Returns the columns of the overview with the numbers of path classes: one of unknown answers only if there are any. */
export function listCountColumns(
  groups: readonly OutsideGroup[],
): readonly { readonly title: string; readonly countOf: (group: OutsideGroup) => number }[] {
  const effects = listScopeKinds(groups).map((effect) => ({
    title: effectTitles[effect],
    countOf: ({ server }: OutsideGroup) => countScopes(server, effect),
  }));
  const unknown = { title: "Unknown", countOf: ({ server }: OutsideGroup) => server.unknownPaths.length };
  return groups.some((group) => unknown.countOf(group) > 0) ? [...effects, unknown] : effects;
}

/** Returns what a server without scopes shows: nothing, as far as its answers are known. */
export function describeNoScopes({ unknownPaths }: OutsideViewServer): string {
  return unknownPaths.length > 0
    ? "no path with a known answer (see Unknown)"
    : "no path that a file, a program or a backend answers";
}

/** Counts the scopes of a server by effect. */
function countScopes({ scopes }: OutsideViewServer, effect: ScopeEffect): number {
  return scopes.filter((scope) => scope.effect === effect).length;
}

/** Returns the number of sensitive paths with one of the given answers. */
export function countPaths(probes: readonly SensitiveProbe[]): number {
  return new Set(probes.map(({ path }) => path)).size;
}

/**
 * Formats how many sensitive paths are exposed, and the other outcomes: `1 exposed, 77 absent (of 78)`. Hosts may answer
 * differently: each path is counted once, with its most open answer, so that the counts add up.
 */
export function formatProbeCounts({ probes, checkedPaths }: Pick<AuditReport, "probes" | "checkedPaths">): string {
  const byPath = groupByKey(
    probes.toSorted((a, b) => outcomesByOpenness.indexOf(a.outcome) - outcomesByOpenness.indexOf(b.outcome)),
    ({ path }) => path,
  );
  const outcomes = outcomesByOpenness.flatMap((outcome) => {
    const count = byPath.filter(({ first }) => first.outcome === outcome).length;
    return count > 0 || outcome === "exposed" ? [`${formatNumber(count)} ${outcomeNames[outcome]}`] : [];
  });
  const differs = byPath.some(({ first, others }) => others.some(({ outcome }) => outcome !== first.outcome));
  const counted = differs ? ", each with its most open answer at any host" : "";
  return `${outcomes.join(", ")} (of ${formatNumber(checkedPaths)}${counted})`;
}

/** Returns the title of a report: the view that a server has, or would have if it answered requests. */
export function formatAuditTitle({ startup }: Pick<AuditReport, "startup">): string {
  return startup.length === 0 ? "Outside view" : "Outside view after corrections";
}

/** Formats the number of findings of each severity: `1 error, 2 warnings`. */
export function formatAuditFindings({ findings }: Pick<AuditReport, "findings">): string {
  const counts = severities.flatMap((severity) => {
    const count = findings.filter((each) => each.severity === severity).length;
    return count > 0 ? [formatFindingCount(count, severity)] : [];
  });
  return counts.length === 0 ? "none" : counts.join(", ");
}

/** Formats the paths of a scope: examples, or any URL or host for a forward proxy. */
export function formatScopePaths(scope: OutsideScope, names: NamedWords): string {
  const { examples, isForward } = scope;
  return isForward ? `${formatForwardTarget(scope)}\`${examples[0] ?? ""}\`` : formatExamplePaths(examples, names);
}

/** Formats the targets of a forward proxy that the example of its scope represents; empty for other scopes. */
export function formatForwardTarget({ isForward, methods }: OutsideScope): string {
  return isForward ? `any ${methods.includes("CONNECT") ? "host" : "URL"}, e.g. ` : "";
}

/** Formats the answer to a request: ``GET `http://a.test/x` from 203.0.113.7 returns 200``. */
export function formatAnswer({ request, status }: Pick<SensitiveProbe, "request" | "status">): string {
  return status === undefined ? describeRequest(request) : `${describeRequest(request)} returns ${status}`;
}

/** Formats the remarks on all paths of a scope: methods, conditions and allowed clients; none if nothing is special. */
export function listScopeRemarks(scope: OutsideScope): readonly string[] {
  const { effect, methods, alternatives, access, isListing, isUnsure } = scope;
  const isUsual = access !== undefined || (effect === "read" && methods.includes("GET"));
  return [
    ...(isUnsure ? ["not fully known (see Unknown)"] : []),
    ...(isListing ? ["directory listing, if no index file exists"] : []),
    ...(isUsual ? [] : [`${pluralize("method", methods.length)}: ${methods.join(", ")}`]),
    ...(alternatives.length > 0 ? [`only ${alternatives.map(formatConditions).join(", or ")}`] : []),
    ...(access ? [isFailing(access) ? describeClientAccess(access) : `allowed: ${describeClientAccess(access)}`] : []),
  ];
}

/** Formats the hosts of a probe, if it is not about all of them; empty for a server without names. */
export function formatProbeHosts({ hosts }: SensitiveProbe, isVerbose: boolean): string {
  return hosts.length === 0
    ? ""
    : ` at ${hosts.length > 1 ? `${formatCount(hosts.length, "host")}: ` : ""}${formatNames(hosts, isVerbose)}`;
}
