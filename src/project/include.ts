import type { Release } from "../directives/directives.js";
import { toReadable } from "../text/source.js";
import type { FileAccess } from "./files.js";
import { compileFnmatch, hasWildcard } from "./fnmatch.js";

/** Directories nested deeper than this under an Include stop the server (server/config.c AP_MAX_INCLUDE_DIR_DEPTH). */
const DEEPEST_DIRECTORY = 128;

export type IncludedFiles =
  | { readonly files: readonly string[] }
  /** The server's message, and the same for an operator. */
  | { readonly refused: string; readonly reason: string };

/**
 * The files that an Include names, in the order in which the server reads them: each wildcard component is matched in
 * byte order, a directory stands for everything below it (server/util.c `ap_dir_fnmatch`). A wildcard without a match
 * stops 2.4 unless the directive is IncludeOptional; 2.2 passes over it.
 *
 * @param path absolute, as written
 */
export function includedFiles(path: string, optional: boolean, release: Release, access: FileAccess): IncludedFiles {
  const files: string[] = [];
  const search: Search = { optional, emptyMatch: optional || release === "2.2", access, files };
  const refusal = hasWildcard(path) ? matchComponents("/", path.slice(1), search) : collect(path, search, 0);
  return refusal ?? { files };
}

/** What is tolerated, and the files found so far. */
interface Search {
  readonly optional: boolean;
  readonly emptyMatch: boolean;
  readonly access: FileAccess;
  readonly files: string[];
}

type Refusal = { readonly refused: string; readonly reason: string };

/** A file stands for itself, a directory for all that lies below it. */
function collect(path: string, search: Search, depth: number): Refusal | undefined {
  const { access, files, optional } = search;
  if (!access.isDirectory(path)) {
    if (!optional || access.exists(path)) files.push(path);
    return undefined;
  }
  const shown = toReadable(path);
  if (depth >= DEEPEST_DIRECTORY) {
    return {
      refused: `Include/IncludeOptional: Directory '${shown}' exceeds the maximum include directory nesting level of ${DEEPEST_DIRECTORY}. You have probably a recursion somewhere.`,
      reason: `\`${shown}\` nests more than ${DEEPEST_DIRECTORY} directories deep, most likely because a link points back up`,
    };
  }
  const entries = access.list(path);
  if (!entries) return unlistable(shown);
  for (const { name } of entries) {
    const refusal = collect(join(path, name), search, depth + 1);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Follows a path with wildcards one component at a time. */
function matchComponents(base: string, rest: string, search: Search): Refusal | undefined {
  const { access } = search;
  const [component, remaining] = splitComponent(rest);
  if (!hasWildcard(component)) {
    const path = component === "" ? base : join(base, component);
    if (remaining === undefined) return collect(path, search, 0);
    return matchComponents(path, remaining, search);
  }
  const entries = access.list(base);
  if (!entries) return search.optional && !access.exists(base) ? undefined : unlistable(toReadable(base));
  const matches = compileFnmatch(component);
  // With more path to come only directories count, and a link to one is none.
  const candidates = entries
    .filter((entry) => matches(entry.name) && (remaining === undefined || entry.kind === "directory"))
    .map((entry) => entry.name);
  if (candidates.length === 0 && !search.emptyMatch) {
    return {
      refused: `Include/IncludeOptional: No matches for the wildcard '${toReadable(component)}' in '${toReadable(base)}', failing`,
      reason: `the wildcard \`${toReadable(component)}\` matches nothing in \`${toReadable(base)}\``,
    };
  }
  for (const name of candidates) {
    const path = join(base, name);
    const refusal = remaining === undefined ? collect(path, search, 0) : matchComponents(path, remaining, search);
    if (refusal) return refusal;
  }
  return undefined;
}

function splitComponent(rest: string): [string, string | undefined] {
  const slash = rest.indexOf("/");
  if (slash < 0) return [rest, undefined];
  const remaining = rest.slice(slash).replace(/^\/+/, "");
  return [rest.slice(0, slash), remaining === "" ? undefined : remaining];
}

function unlistable(shown: string): Refusal {
  return {
    refused: `Include/IncludeOptional: Could not open directory ${shown}`,
    reason: `the directory \`${shown}\` cannot be listed`,
  };
}

function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}
