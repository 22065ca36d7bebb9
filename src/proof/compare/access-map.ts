import { type Directive, dedupeByLine, lineKeyOf } from "../../config/model/directive.js";
import { isInHomeDirectory } from "../../server/mapping/user-directories.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { findEarlyHeader } from "../../server/request/early-headers.js";
import { compareTexts } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { describeMethods } from "../clients/method-partition.js";
import { type ClientPolicy, isUnreadPattern } from "../clients/policy.js";
import { findDecidingSections, placeKindOf } from "../clients/policy-access.js";
import { defaultBudget, type ExplorationBudget } from "../model/budget.js";
import type { Unproved } from "../model/comparison.js";
import type { AccessMap, ClientAccess, MappedScope } from "../model/mapped-access.js";
import type { PathClass } from "../model/path-class.js";
import type { ProgressListener } from "../model/progress.js";
import type { ServerPair } from "../model/server-pairs.js";
import { reasonFor, wordsOfReason } from "../model/unproved-reasons.js";
import { exploreRequests } from "./compare.js";
import { type Exploration, startExploration } from "./exploration.js";
import type { PathPartitionResult, RequestClassPolicy } from "./explored-requests.js";
import type { Side } from "./observed-sides.js";
import { PathGroupBuilder, representGroups } from "./path-groups.js";
import { findUnreadParts } from "./unread-parts.js";
import { findUnreadUserHtaccess } from "./user-htaccess.js";

/**
 * Computes the access map: all paths of all servers, and all clients. Results are for existing files. Directories and
 * missing files are only listed if no file is decided by the same lines. The first steps are those of `compare`: server
 * pairs, path classes, access policies. Then:
 *
 * 1. Describe the allowed clients of each path class, the same for all methods that the policy treats alike
 *    (`describeAccess`).
 * 2. Group the path classes with the same description and deciding sections (`visitPathClass`).
 * 3. List each group by example paths (`listScopes`).
 *
 * @param other the same configuration under another release, to show side by side
 */
export function accessMap(
  side: Side,
  other: Side = side,
  budget: ExplorationBudget = defaultBudget,
  onProgress?: ProgressListener,
): AccessMap {
  const exploration = startExploration({ ...side, readsPlainPaths: true }, { ...other, readsPlainPaths: true }, budget);
  const builder = new AccessMapBuilder(exploration);
  exploreRequests(exploration, [builder], { onProgress });
  const map = builder.build();
  return side.project.isPart ? withoutUndecided(map) : map;
}

/** Returns the unproved part for a path that no line of a part of a server decides. */
export function describeOpenPath(example: string): Unproved {
  const reason = wordsOfReason(reasonFor("decided-elsewhere"));
  return { reason, directive: undefined, example };
}

/** Removes the paths that no line of a part of a server decides: they are left to the rest of the server. */
function withoutUndecided({ servers, unknown }: AccessMap): AccessMap {
  const isDecided = ({ sections }: MappedScope) => sections.length > 0;
  const open = servers.flatMap(({ scopes }) => scopes.filter((scope) => !isDecided(scope)));
  const [example] = open.flatMap(({ examples }) => examples);
  return {
    servers: servers
      .map((server) => ({ ...server, scopes: server.scopes.filter(isDecided) }))
      .filter(({ scopes }) => scopes.length > 0),
    unknown: example === undefined ? unknown : [...unknown, describeOpenPath(example)],
  };
}

/** A result for a path class that some methods share. */
interface MethodAccess {
  readonly methods: string[];
  readonly who: readonly ClientAccess[];
  readonly differs: boolean;
  readonly isUnsure: boolean;
  readonly sections: readonly Directive[];
}

/** Path classes with the same result. */
interface PathGroup extends MethodAccess {
  readonly paths: Map<string, { readonly place: number }>;
}

/** Builds the access map from an exploration. */
export class AccessMapBuilder extends PathGroupBuilder<PathGroup> {
  /** Server pairs that are only partly explored, as far as known. */
  private readonly incompletePairs = new Set<ServerPair>();

  constructor(private readonly exploration: Exploration) {
    super();
    if (!exploration.hasAllServerPairs) this.unproved.addMoreEntryPoints(exploration.startedWithoutBudget);
    for (const { project } of exploration.sides) {
      const directive = findEarlyHeader(project);
      if (directive) this.unproved.add({ reason: reasonFor("early-headers"), directive, example: undefined });
      for (const part of findUnreadParts(project)) this.unproved.add(part);
    }
  }

  build(): AccessMap {
    const servers = this.pairs.map(({ pair, alike, groups }) => ({
      entryPoints: pair.entryPoints,
      alike,
      scopes: this.listScopes([...groups.values()]).map((scope) =>
        this.incompletePairs.has(pair) ? { ...scope, isUnsure: true } : scope,
      ),
    }));
    return { servers, unknown: this.unproved.all };
  }

  override visitPartition(pair: ServerPair, partition: PathPartitionResult): void {
    super.visitPartition(pair, partition);
    this.unproved.addPathClasses(partition, pair, this.exploration);
    const [before, after] = this.exploration.sides;
    const ofUsers = findUnreadUserHtaccess(pair, [before.project, after.project]);
    // If it is not known where the directories are, nothing is known of them.
    if (ofUsers && !argumentValuesOf(ofUsers.directive).some(isInHomeDirectory)) this.unproved.add(ofUsers);
  }

  visitPathClass(pathClass: PathClass, policies: readonly RequestClassPolicy[]): void {
    for (const access of this.describeAccess(pathClass, policies)) {
      const { sections, methods, who, differs, isUnsure } = access;
      const key = [sections.map(lineKeyOf), methods, who, differs, isUnsure];
      const { paths } = this.groupFor(key, () => ({ ...access, paths: new Map() }));
      const path = encodeUrlPath(pathClass.path);
      const place = placeKindOf(pathClass);
      paths.set(path, { place: Math.min(place, paths.get(path)?.place ?? place) });
    }
  }

  override visitIncomplete(pair: ServerPair): void {
    this.incompletePairs.add(pair);
    super.visitIncomplete(pair);
    this.unproved.addIncomplete(pair, this.exploration);
  }

  /** Returns the scopes of the groups, by path. */
  private listScopes(groups: readonly PathGroup[]): readonly MappedScope[] {
    return representGroups(groups, ({ sections }) => sections.map(lineKeyOf).join(" "))
      .map(({ group, examples, place }): MappedScope => {
        const { sections, who, differs, isUnsure, methods: own } = group;
        const methods = describeMethods(own, this.exploration.methods);
        return { examples, place, sections, methods, who, differs, isUnsure };
      })
      .toSorted((a, b) => compareTexts(a.examples[0] ?? "", b.examples[0] ?? ""));
  }

  /** Returns the access to the paths of a class; methods with the same result share one. */
  private describeAccess(pathClass: PathClass, policies: readonly RequestClassPolicy[]): readonly MethodAccess[] {
    const known = new Map<string, MethodAccess>();
    /** Methods with the same result share a policy. */
    const ofPolicy = new Map<ClientPolicy, MethodAccess>();
    let rejected = 0;
    for (const { requests, policy } of policies) {
      const { method, path } = requests.target;
      if (policy !== "too large" && isMethodRejected(method, policy)) {
        rejected++;
        continue;
      }
      if (policy === "too large") {
        const reason = reasonFor("too-many-clients");
        this.unproved.add({ reason, directive: pathClass.sections.flat().at(-1), example: path });
        continue;
      }
      const same = ofPolicy.get(policy);
      if (same) {
        same.methods.push(method);
        continue;
      }
      const isUnsure = this.addUnprovedParts(policy, path);
      const { who, differs } = this.access.describe(policy);
      const sections = dedupeByLine(findDecidingSections(policy, pathClass));
      const key = JSON.stringify([who, differs, isUnsure, sections.map(lineKeyOf)]);
      const access = known.get(key) ?? { methods: [], who, differs, isUnsure, sections };
      known.set(key, access);
      ofPolicy.set(policy, access);
      access.methods.push(method);
    }
    const { all } = this.exploration.methods;
    return [...known.values()].map((access) =>
      access.methods.length + rejected === all.length ? { ...access, methods: [...all] } : access,
    );
  }

  /** @returns whether any part is unproved */
  private addUnprovedParts({ blocks, symbols }: ClientPolicy, example: string): boolean {
    let isUnsure = false;
    const mayDependOnPattern = blocks.length > 1 && symbols.atoms.some(isUnreadPattern);
    for (const { when, results } of blocks) {
      const [unread] = mayDependOnPattern ? symbols.atomsIn(when).filter(isUnreadPattern) : [];
      const unreadPattern = unread?.kind === "fact" ? unread.fact : undefined;
      for (const { unprovedReason: reason = unreadPattern, decidedBy } of results)
        if (reason !== undefined) {
          isUnsure = true;
          this.unproved.add({ reason, directive: decidedBy[0], example });
        }
    }
    return isUnsure;
  }
}

/**
 * Reports whether the server rejects a method for every client: TRACE with 405, which most servers do, or a method that
 * is not registered.
 */
function isMethodRejected(method: string, { blocks }: ClientPolicy): boolean {
  return blocks.every(({ results }) =>
    results.every(
      ({ status, unprovedReason }) =>
        (status === 501 || (status === 405 && method === "TRACE")) && unprovedReason === undefined,
    ),
  );
}
