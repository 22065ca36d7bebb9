import type { Project } from "../config/model/project.js";
import { type LoadOptions, readEntry } from "../config/read-entry.js";
import type { Result } from "../text/result.js";
import { type InstallOptions, installConfig } from "./install-config.js";

export type LoadResult = Result<Project, string>;

/** Reads an entry as `readEntry` does, and installs it; for Node programs. A part of a server stays as it is by default. */
export function loadProject(entry: string, options: LoadOptions = {}, install?: InstallOptions): LoadResult {
  const read = readEntry(entry, options);
  return read.ok ? { ok: true, value: installConfig(read.value, install) } : read;
}
