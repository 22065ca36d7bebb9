import type { Layer } from "../scope/layer.js";
import { isSteady } from "./marks.js";

/**
 * How sections are told apart that something is laid over: by what lies over them, which is mostly shorter; by themselves; or
 * by themselves only where what lies over them may not be the same for a directory and its index file.
 */
export const manners = ["from above", "from below", "from below where unsteady"] as const;
export type Manner = (typeof manners)[number];

/** Whether a section that something is laid over is told apart by itself rather than by that. */
export function isFromBelow(layer: Layer, manner: Manner): boolean {
  switch (manner) {
    case "from above":
      return false;
    case "from below":
      return true;
    case "from below where unsteady":
      return !isSteady(layer);
  }
}
