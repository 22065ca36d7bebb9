import type { Project } from "../../config/model/project.js";
import { isSince } from "../../facts/release.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { MergeGroup } from "../sections/per-dir-config.js";

/** The identity of a merged configuration: two are the same only if the server reused one. */
export type Configuration = object;

interface MergeStep {
  readonly kind: MergeGroup["kind"];
  readonly layers: readonly ConfigLayer[];
  readonly base: Configuration;
  readonly configuration: Configuration;
  /** Whether an earlier merge was reused. */
  readonly isKnown: boolean;
}

/** The merges of walks by kind, in the order in which the server caches them (`prep_walk_cache`). */
export class MergeCache {
  private readonly walks: MergeStep[] = [];

  /** @param previous those of the previous request: each walk is compared with the one at the same position */
  constructor(
    private readonly keeps: boolean,
    private readonly previous: MergeCache | undefined,
  ) {}

  /**
   * Merges over a configuration, or reuses an identical earlier merge.
   *
   * @param isSameName whether Files sections are for a file of the same name as in the previous request
   */
  take(kind: MergeGroup["kind"], layers: readonly ConfigLayer[], base: Configuration, isSameName = false): MergeStep {
    let place = 0;
    let own: MergeStep | undefined;
    for (const each of this.walks) {
      if (each.kind !== kind) continue;
      place++;
      own = each;
    }
    const before = this.previous?.at(kind, place) ?? own;
    // The walk to a file's directory is reused as a whole.
    const isWhole = kind === "directory" && before?.layers === layers;
    const isKnown =
      kind !== "proxy" &&
      before?.base === base &&
      (isWhole || ((this.keeps || isSameName) && areSameLayers(before.layers, layers)));
    const configuration = isKnown ? before.configuration : layers.length === 0 ? base : {};
    const merged = { kind, layers, base, configuration, isKnown };
    this.walks.push(merged);
    return merged;
  }

  private at(kind: MergeGroup["kind"], place: number): MergeStep | undefined {
    return this.walks.filter((each) => each.kind === kind)[place];
  }
}

function areSameLayers(some: readonly ConfigLayer[], others: readonly ConfigLayer[]): boolean {
  return some.length === others.length && some.every((layer, index) => layer === others[index]);
}

/**
 * Reports whether the server reuses earlier merges: 2.2 does not (server/request.c `ap_directory_walk`), and a module with
 * its own access check prevents it (`auth_internal_per_conf`).
 */
export function reusesMergedConfig({ modules, release }: Project): boolean {
  return isSince(release, "2.4") && !modulesThatCheckAgain.some((each) => modules.has(each));
}

/**
 * Modules with a function for access control that does not depend on the sections alone, or that does not say so
 * (`ap_hook_access_checker` in place of `ap_hook_check_access`).
 */
const modulesThatCheckAgain: readonly string[] = [
  ...["allowmethods_module", "auth_mellon_module", "log_debug_module", "lua_module", "wsgi_module"],
];
