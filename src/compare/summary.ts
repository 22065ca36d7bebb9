import { type Directive, dedupeByLine, lineKeyOf } from "../project/model/directive.js";
import { encodeUrlPath } from "../text/escaping.js";
import type { DifferenceRegion } from "./compare.js";
import { describeEntryPoint, Numbering } from "./model/server-pairs.js";
import type { PathClass, PathWalk } from "./paths/path-class.js";
import { type ClientDescription, memoizeClientDescriptions } from "./symbolic/client-description.js";
import { describeMethods } from "./symbolic/method-partition.js";

/** URL paths that the same sections are for. */
export interface PathsSummary {
  /** One of them, as it is sent. */
  readonly example: string;
  /** What is there; none where a backend is asked, or a redirect answers. */
  readonly kinds: readonly PathWalk["kind"][];
  /** The sections that apply on either side, in the order in which they do. */
  readonly sections: readonly Directive[];
}

/** Requests that are answered alike on each side, in words. */
export interface RegionSummary extends ClientDescription {
  /** Names of virtual hosts, or what else leads to one. */
  readonly hosts: readonly string[];
  readonly paths: readonly PathsSummary[];
  /** None where all methods are. */
  readonly methods: readonly string[];
}

/** So many names of one server are shown. */
const MAX_SHOWN_HOSTS = 3;

interface RegionGroup {
  readonly senders: ClientDescription;
  readonly hosts: readonly string[];
  readonly methods: Set<string>;
  readonly paths: PathsSummary;
}

/** Tells of regions in few words: those that differ in paths or methods alone are told of together. */
export function summarizeRegions(
  regions: readonly DifferenceRegion[],
  methods: readonly string[],
): readonly RegionSummary[] {
  const byCell = new Map<string, RegionGroup>();
  const numbers = new Numbering<PathClass>();
  const sendersOf = memoizeClientDescriptions();
  for (const { pair, cell, method, universe, when } of regions)
    for (const senders of sendersOf(universe, when)) {
      const key = `${numbers.of(cell)} ${JSON.stringify(senders)}`;
      const known = byCell.get(key);
      if (known) known.methods.add(method);
      else {
        const hosts = [...new Set(pair.entryPoints.map(describeEntryPoint))]
          .filter((text) => text !== "")
          .slice(0, MAX_SHOWN_HOSTS);
        const paths = {
          example: encodeUrlPath(cell.path),
          kinds: cell.walks.flatMap((walk) => walk?.kind ?? []).slice(0, 1),
          sections: dedupeByLine(cell.sections.flat()),
        };
        byCell.set(key, { senders, hosts, methods: new Set([method]), paths });
      }
    }
  const together = new Map<string, { readonly gathered: RegionGroup; readonly paths: PathsSummary[] }>();
  for (const gathered of byCell.values()) {
    const key = JSON.stringify([gathered.senders, gathered.hosts, [...gathered.methods]]);
    const known = together.get(key);
    if (known) known.paths.push(gathered.paths);
    else together.set(key, { gathered, paths: [gathered.paths] });
  }
  return [...together.values()].map(({ gathered: { senders, hosts, methods: own }, paths }) => ({
    ...senders,
    ...{ hosts, paths: removeRepeatedSections(paths) },
    methods: own.size === methods.length ? [] : describeMethods([...own], methods),
  }));
}

/** Paths that the same sections are for are told of by one. */
function removeRepeatedSections(paths: readonly PathsSummary[]): readonly PathsSummary[] {
  const told: PathsSummary[] = [];
  for (const each of paths) {
    const index = told.findIndex(({ sections }) => isSameLines(sections, each.sections));
    const known = told[index];
    if (known === undefined) told.push(each);
    else told[index] = { ...known, kinds: [...new Set([...known.kinds, ...each.kinds])].sort() };
  }
  return told;
}

function isSameLines(some: readonly Directive[], others: readonly Directive[]): boolean {
  return some.map(lineKeyOf).join(" ") === others.map(lineKeyOf).join(" ");
}
