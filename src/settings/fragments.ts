import { realPathOf } from "../project/main-files.js";
import type { Settings } from "./settings.js";

/** The contexts that a configuration file names for fragments, as plain values. */
export type FragmentContexts = Pick<Settings, "fragments" | "directory">;

/** Returns the contexts that a configuration file names for fragments; undefined if it names none. */
export function fragmentsIn(settings: Settings | undefined): FragmentContexts | undefined {
  if (settings === undefined || settings.fragments.length === 0) return undefined;
  const { fragments, directory } = settings;
  return { fragments, directory: realPathOf(directory) ?? directory };
}
