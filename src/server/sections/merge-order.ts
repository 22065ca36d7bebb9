import type { ConfigLayer } from "../model/config-layer.js";

/**
 * The groups of sections in the order in which a request merges them: each group is merged over those before it, and
 * the sections of a group over each other (manual, "Configuration Sections"; server/request.c
 * `ap_process_request_internal`). Proxy sections replace the directory walk.
 */
export const mergeOrder = ["proxy", "directory", "files", "location", "if"] as const;

export type SectionGroup = (typeof mergeOrder)[number];

/** Finds the sections of a group that apply, given the configuration of the groups before it. */
type SectionFinder<Config> = (before: Config) => readonly ConfigLayer[];

/**
 * Merges the groups that a request has, in order.
 *
 * @param finders those of the groups that it has
 * @param merge merges sections of a group over the configuration before it
 */
export function mergeGroups<Config>(
  server: Config,
  finders: Readonly<Partial<Record<SectionGroup, SectionFinder<Config>>>>,
  merge: (before: Config, group: SectionGroup, layers: readonly ConfigLayer[]) => Config,
): Config {
  let config = server;
  for (const group of mergeOrder) {
    const layers = finders[group]?.(config);
    if (layers) config = merge(config, group, layers);
  }
  return config;
}
