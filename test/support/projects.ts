import { dumpConfig } from "../../src/config/dump.js";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import type { LoadOptions } from "../../src/config/read-entry.js";
import { formatRefusal } from "../../src/config/refusals/refusal.js";
import { loadProject } from "../../src/startup/load-project.js";
import { rangeOf, toReadable } from "../../src/text/source.js";

/** Loads `/etc/httpd/httpd.conf` from files given as strings. */
export function load(files: Readonly<Record<string, string>>, options: LoadOptions = {}): Project {
  const loaded = loadProject("/etc/httpd/httpd.conf", { ...options, access: memoryAccess(files) });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Loads a text as the main file. */
export function loadText(text: string, options: LoadOptions = {}): Project {
  return load({ "/etc/httpd/httpd.conf": text }, options);
}

/** Lists the directives that apply, one per line, without positions. */
export function applyingLines(project: Project): string[] {
  return toReadable(dumpConfig(project.directives))
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
}

/** Formats the problems as `file:line: message`. */
export function problemsOf(project: Project): string[] {
  return project.problems.map(
    (problem) =>
      `${problem.span.file.path.replace(/^.*\//, "")}:${rangeOf(problem.span).start.line}: ${formatRefusal(problem)}`,
  );
}
