import { compareTexts, getOrCreate } from "../../text/collections.js";
import { AccessDescriber } from "../clients/policy-access.js";
import { type MappedScope, places } from "../model/mapped-access.js";
import type { PathClass } from "../model/path-class.js";
import type { ServerPair } from "../model/server-pairs.js";
import type { ExplorationVisitor, PathPartitionResult, RequestClassPolicy } from "./explored-requests.js";
import type { TemplateInstance } from "./host-templates.js";
import { UnprovedReasons } from "./unproved.js";

/** The groups of a server pair: path classes with the same result, by that result. */
interface GroupedPair<Group> {
  readonly pair: ServerPair;
  readonly alike: TemplateInstance[];
  readonly groups: Map<string, Group>;
}

/** Builds groups of path classes for each server pair that an exploration visits. A pair without any result is left out. */
export abstract class PathGroupBuilder<Group> implements ExplorationVisitor {
  protected readonly unproved = new UnprovedReasons("view");
  protected readonly access = new AccessDescriber();
  protected readonly pairs: GroupedPair<Group>[] = [];

  abstract visitPathClass(pathClass: PathClass, policies: readonly RequestClassPolicy[]): void;

  visitPartition(pair: ServerPair, partition: PathPartitionResult): void {
    if (partition !== "out of steps") this.pairs.push({ pair, alike: [], groups: new Map() });
  }

  visitInstance(instance: TemplateInstance): boolean {
    const known = this.pairs.find(({ pair }) => pair === instance.representative);
    known?.alike.push(instance);
    return known !== undefined;
  }

  visitIncomplete(_pair: ServerPair): void {
    if (this.pairs.at(-1)?.groups.size === 0) this.pairs.pop();
  }

  /** Returns the group of the current pair with a result. @param key the result */
  protected groupFor(key: unknown, create: () => Group): Group {
    return getOrCreate(this.pairs.at(-1)?.groups ?? new Map<string, Group>(), JSON.stringify(key), create);
  }
}

/** Paths with the same result, each with the kind of object at its end: an index of `places`. */
interface PlacedPaths {
  readonly paths: ReadonlyMap<string, { readonly place: number }>;
}

/** Those paths of a group that represent it, the shortest first. */
interface Represented<Group> extends Pick<MappedScope, "examples" | "place"> {
  readonly group: Group;
}

/** Represents groups by paths. Objects other than files are omitted if a group with the same key has files, and so on. */
export function representGroups<Group extends PlacedPaths>(
  groups: readonly Group[],
  keyOf: (group: Group) => string,
): readonly Represented<Group>[] {
  const first = new Map<string, number>();
  for (const group of groups)
    for (const { place } of group.paths.values())
      first.set(keyOf(group), Math.min(place, first.get(keyOf(group)) ?? place));
  return groups.flatMap((group): readonly Represented<Group>[] => {
    const shown = first.get(keyOf(group)) ?? 0;
    const examples = [...group.paths].flatMap(([path, { place }]) => (place === shown ? [path] : []));
    if (examples.length === 0) return [];
    return [{ group, place: places[shown] ?? "file", examples: examples.toSorted(compareByLength) }];
  });
}

/** Compares texts by length, then alphabetically. */
function compareByLength(a: string, b: string): number {
  return a.length - b.length || compareTexts(a, b);
}
