import { type Directive, dedupeByLine, lineKeyOf } from "../../config/model/directive.js";
import { getOrCreate } from "../../text/collections.js";
import { encodeUrlPath } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import { type ClientDescription, memoizeClientDescriptions } from "../clients/client-description.js";
import { describeMethods } from "../clients/method-partition.js";
import type { Difference, DifferenceRegion, ProbedMethods } from "../model/comparison.js";
import type { PathClass, WalkKind } from "../model/path-class.js";
import { describeEntryPoint, Numbering, type ServerPair } from "../model/server-pairs.js";

/** URL paths to which the same sections apply. */
export interface PathsSummary {
  /** One of them, as sent. */
  readonly example: string;
  /** The object at the path; undefined for a backend or a redirect. */
  readonly kind: WalkKind | undefined;
  /** The sections that apply on each side, in merge order. */
  readonly sections: readonly Directive[];
}

/** A description of requests with the same result on each side. */
export interface RegionSummary extends ClientDescription {
  /** Names of virtual hosts, or other identification of one. */
  readonly hosts: readonly string[];
  readonly paths: readonly PathsSummary[];
  /** Empty if all methods are affected. */
  readonly methods: readonly string[];
}

/** Returns a name of each virtual host that a difference holds for. */
export function listHosts({ regions }: Pick<Difference, "regions">): readonly string[] {
  return namesOfPairs(regions.flatMap(({ pair, alike }) => [pair, ...alike.map((each) => each.pair)]));
}

/** Returns a name of each of some pairs of servers. */
export function namesOfPairs(pairs: readonly ServerPair[]): readonly string[] {
  const names = [...new Set(pairs)].map(({ entryPoints: [first] }) => (first ? describeEntryPoint(first) : ""));
  return [...new Set(names)].filter((name) => name !== "").map(toReadable);
}

/** Maximum number of names shown for one server. */
const MAX_SHOWN_HOSTS = 3;

interface RegionGroup {
  readonly senders: ClientDescription;
  readonly hosts: readonly string[];
  readonly methods: Set<string>;
  readonly paths: PathsSummary;
}

/** Summarizes regions: those that differ only in paths or methods are merged. */
export function summarizeRegions(
  regions: readonly DifferenceRegion[],
  methods: ProbedMethods,
): readonly RegionSummary[] {
  const byCell = new Map<string, RegionGroup>();
  const numbers = new Numbering<PathClass>();
  const sendersOf = memoizeClientDescriptions();
  for (const { pair, pathClass, method, symbols, when } of regions)
    for (const senders of sendersOf(symbols, when)) {
      const key = `${numbers.of(pathClass)} ${JSON.stringify(senders)}`;
      const known = byCell.get(key);
      if (known) known.methods.add(method);
      else {
        const hosts = [...new Set(pair.entryPoints.map(describeEntryPoint))]
          .filter((text) => text !== "")
          .slice(0, MAX_SHOWN_HOSTS);
        const paths = {
          example: encodeUrlPath(pathClass.path),
          kind: pathClass.walks.find((walk) => walk !== undefined)?.kind,
          sections: dedupeByLine(pathClass.sections.flat()),
        };
        byCell.set(key, { senders, hosts, methods: new Set([method]), paths });
      }
    }
  const groups = new Map<string, { readonly gathered: RegionGroup; readonly paths: PathsSummary[] }>();
  for (const gathered of byCell.values()) {
    const key = JSON.stringify([gathered.senders, gathered.hosts, [...gathered.methods]]);
    getOrCreate(groups, key, () => ({ gathered, paths: [] })).paths.push(gathered.paths);
  }
  return [...groups.values()].map(({ gathered: { senders, hosts, methods: own }, paths }) => ({
    ...senders,
    ...{ hosts, paths: removeRepeatedSections(paths) },
    methods: describeMethods([...own], methods),
  }));
}

/** Keeps one path for each kind of object to which the same sections apply. */
function removeRepeatedSections(paths: readonly PathsSummary[]): readonly PathsSummary[] {
  const kept = new Map<string, PathsSummary>();
  for (const each of paths) {
    const key = `${each.kind} ${each.sections.map(lineKeyOf).join(" ")}`;
    if (!kept.has(key)) kept.set(key, each);
  }
  return [...kept.values()];
}
