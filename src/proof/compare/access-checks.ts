import type { Directive } from "../../config/model/directive.js";
import type { BudgetExceeded } from "../../regex/budget.js";
import type { ConfigLayer } from "../../server/model/config-layer.js";
import type { AccessCheckOnly } from "../../server/model/simulation-setup.js";
import { findOtherUserSource, type ObservedAnswer } from "../clients/observe.js";
import type { ClientPolicy } from "../clients/policy.js";
import type { PathClass, PathPartition, UnknownPhase, WalkedPath } from "../model/path-class.js";
import { Numbering, type ServerPair } from "../model/server-pairs.js";
import type { Exploration } from "./exploration.js";

/** A limit for the pairs of a URL path and a file: beyond it, unknown targets are not analyzed. */
const MAX_CHECKS = 20_000;

/**
 * Reports whether both sides check access alike for all URL paths and all files that these may be mapped to. If they
 * also process requests alike, every answer is then the same, whatever the later phases do (docs/proof.md, "Unknown
 * targets").
 */
export function checksAlike(exploration: Exploration, pair: ServerPair): boolean {
  if (!exploration.followsUnknownPhases) return false;
  const partition = exploration.pathClassesOf(pair, "access check");
  if (typeof partition === "string") return false;
  return partition.inexact.every(({ unknown }) => unknown !== undefined) && isAlikeIn(partition, exploration, pair);
}

/**
 * Removes what is unknown about targets and later phases from a partition, with the path classes that it concerns, if
 * both sides check access alike for all URL paths and all files that these may be mapped to.
 */
export function settleUnknownPhases(
  exploration: Exploration,
  pair: ServerPair,
  partition: PathPartition,
): PathPartition {
  const unknown = partition.inexact.filter((each) => each.unknown !== undefined);
  if (!exploration.followsUnknownPhases || unknown.length === 0) return partition;
  if (!isAlikeIn(partition, exploration, pair)) return partition;
  const settled = new Set(unknown.flatMap(({ classes }) => classes));
  return {
    ...partition,
    classes: partition.classes.filter((each) => !settled.has(each)),
    inexact: partition.inexact.filter((each) => each.unknown === undefined),
  };
}

/** Reports whether both sides check access to a path alike, for all clients and methods. */
export function isCheckAlike(
  exploration: Exploration,
  pair: ServerPair,
  walked: WalkedPath,
  check: AccessCheckOnly,
): boolean {
  if (exploration.isOutOfSteps) return false;
  return [...exploration.exploreAccessChecks(pair, walked, check)].every(({ policy }) =>
    isSameCheck(policy, exploration),
  );
}

function isAlikeIn(partition: PathPartition, exploration: Exploration, pair: ServerPair): boolean {
  const classesOf = (phase: UnknownPhase) =>
    new Set(partition.inexact.flatMap(({ unknown, classes }) => (unknown === phase ? classes : [])));
  const [ofFiles, ofBoth] = [classesOf("target"), classesOf("backend or target")];
  const isAlike = (walked: WalkedPath, check: AccessCheckOnly) => isCheckAlike(exploration, pair, walked, check);
  const line = partition.inexact.find(({ unknown }) => unknown === "any target")?.directive;
  if (line) return isAlikeForAnyTarget(partition, line, isAlike, exploration, pair);
  const withoutTarget = new Set([...ofFiles, ...ofBoth]);
  const known = partition.classes.filter((each) => !ofFiles.has(each));
  const own = { target: undefined } as const;
  if (!known.every((each) => isAlike(each, ofBoth.has(each) ? { ...own, usesProxies: true } : own))) return false;
  const files = withoutTarget.size === 0 ? [] : partition.partitionFiles();
  if (files === "too large" || withoutTarget.size * files.length > MAX_CHECKS) return false;
  const [file] = files;
  if (file === undefined) return true;
  const isAlikeFor = ({ path }: PathClass) =>
    files.every((each) => isAlike({ path, walks: each.walks }, { target: each.path }));
  return representUrls([...withoutTarget], file, exploration, pair).every(isAlikeFor);
}

/** A URL path without a target, and how requests to it are checked with a file. */
interface CheckedUrl {
  readonly url: PathClass;
  /** The sections that apply; undefined if it is checked with each file, whatever those of other URL paths are. */
  readonly sections: string | undefined;
  /** Whether each request is mapped to the file: no rule or other line answers or forwards some of them. */
  readonly isAlwaysMapped: boolean;
}

/**
 * Returns the URL paths to check with each file. A check depends on the URL path only by the sections that apply. If the
 * same apply to several URL paths, one of them that is always mapped to the file is enough: all requests are checked at
 * it. What answers or forwards a request before does not depend on the file, so one file is enough for that.
 *
 * @param assumed what is assumed of requests besides the file
 */
function representUrls(
  urls: readonly PathClass[],
  file: PathClass,
  exploration: Exploration,
  pair: ServerPair,
  assumed: Pick<AccessCheckOnly, "afterRules"> = {},
): readonly PathClass[] {
  const layers = new Numbering<ConfigLayer>();
  const checked = urls.flatMap((url): readonly CheckedUrl[] => {
    const walked = { path: url.path, walks: noFile };
    const policies = [...exploration.exploreAccessChecks(pair, walked, { target: file.path, ...assumed })];
    const alone = { url, sections: undefined, isAlwaysMapped: false };
    if (exploration.isOutOfSteps || !policies.every(({ policy }) => isSameCheck(policy, exploration))) return [alone];
    // TRACE for a file is answered before any check of it, at each URL path.
    const blocks = policies.flatMap(({ method, policy }) =>
      policy === "too large" || method === "TRACE" ? [] : policy.blocks,
    );
    const isAlwaysMapped = blocks.every(({ results }) => results.every(isMapped));
    // A side alone may reach another file.
    if (blocks.some(({ results }) => results.some(isMapped) && !results.every(isMapped))) return [alone];
    if (!blocks.some(({ results }) => results.some(isMapped))) return [];
    const keys = new Set(blocks.flatMap(({ results }) => sectionsIn(results, layers) ?? []));
    const [sections] = keys;
    return [keys.size === 1 ? { url, sections, isAlwaysMapped } : alone];
  });
  const representatives = new Map<string | undefined, CheckedUrl>();
  for (const each of checked) if (each.isAlwaysMapped) representatives.set(each.sections, each);
  return checked
    .filter((each) => each.sections === undefined || (representatives.get(each.sections) ?? each) === each)
    .map(({ url }) => url);
}

function isMapped({ checkOfFile }: ObservedAnswer): boolean {
  return checkOfFile !== undefined;
}

/** Returns a key for the sections that apply on each side; undefined if a side does not check access to the file. */
function sectionsIn(results: readonly ObservedAnswer[], numbers: Numbering<ConfigLayer>): string | undefined {
  const sides = results.map(({ checkOfFile }) => checkOfFile?.layers?.map((layer) => numbers.of(layer)).join(" "));
  return sides.includes(undefined) ? undefined : sides.join("; ");
}

/** The walks of a request to no known file. */
const noFile = [undefined, undefined];

/** The URL of any backend, if no line reads it. */
const anyBackend = "proxy:http://backend.invalid/";

/**
 * Reports whether both sides check access alike for each URL path with each file, and with a backend: a line may lead to any
 * of them. It keeps the URL path. URL paths to which the same sections apply are checked once.
 */
function isAlikeForAnyTarget(
  { classes, readsBackends, partitionFiles }: PathPartition,
  line: Directive,
  isAlike: (walked: WalkedPath, check: AccessCheckOnly) => boolean,
  exploration: Exploration,
  pair: ServerPair,
): boolean {
  if (readsBackends) return false;
  const all = [...new Map(classes.map((each) => [each.path, each])).values()];
  const toBackend = { target: anyBackend, afterRules: { backendBy: line } };
  if (!all.every(({ path }) => isAlike({ path, walks: noFile }, toBackend))) return false;
  const files = partitionFiles();
  if (files === "too large") return false;
  const [first] = files;
  if (first === undefined) return true;
  const toFile = { afterRules: { backendBy: undefined } };
  const urls = representUrls(all, first, exploration, pair, toFile);
  if (urls.length * files.length > MAX_CHECKS) return false;
  return urls.every(({ path }) =>
    files.every((file) => isAlike({ path, walks: file.walks }, { target: file.path, ...toFile })),
  );
}

/** Reports whether both sides decide alike for all clients. */
function isSameCheck(policy: ClientPolicy | BudgetExceeded, exploration: Exploration): boolean {
  if (policy === "too large") return false;
  return policy.blocks.every(({ results: [before, after = before] }) => {
    if (before === undefined || after === undefined) return false;
    if (findOtherUserSource(before, after) !== undefined || exploration.usesLostDefault(before)) return false;
    return before.access === after.access && (before.unprovedReason ?? after.unprovedReason) === undefined;
  });
}
