import { isSince, type Release } from "../../facts/release.js";
import type { Result } from "../../text/result.js";
import { toReadable } from "../../text/source.js";
import { compileFileWildcard, hasWildcard } from "../../text/wildcards.js";
import { formatNumber } from "../../text/words.js";
import { type FileAccess, type FileFailure, findAccessFailure, notFoundHereFailure } from "../files/file-access.js";
import { nativePath } from "../files/paths.js";
import { type RefusalText, wordingOf } from "../refusals/refusal.js";

/**
 * Limit of nested directories under an Include; beyond it, the server stops (server/config.c AP_MAX_INCLUDE_DIR_DEPTH).
 */
export const MAX_DIRECTORY_DEPTH = 128;

/**
 * Limit of directories to search, and of files to find, for one Include; beyond it, the Include is not followed
 * further.
 */
export const MAX_INCLUDED_PATHS = 200_000;

export type IncludeResult = Result<readonly string[], RefusalText>;

/**
 * Returns the files that an Include names, in the order in which the server reads them. Each wildcard component is
 * matched in byte order, and a directory stands for everything below it (server/util.c `ap_dir_fnmatch`). A wildcard
 * without a match stops 2.4 unless the directive is IncludeOptional; 2.2 ignores it, and accepts wildcards only in the
 * last component (server/config.c `ap_process_resource_config` of 2.2.34).
 *
 * @param path absolute, as written
 */
export function findIncludedFiles(
  path: string,
  optional: boolean,
  release: Release,
  access: FileAccess,
): IncludeResult {
  const files: string[] = [];
  const search: Search = { optional, release, access, files, found: 0 };
  if (!isSince(release, "2.4") && hasWildcard(path.slice(0, path.lastIndexOf("/"))))
    return { ok: false, error: wordingOf("wildcard-in-directory", nativePath(toReadable(path))) };
  const refused = hasWildcard(path) ? matchComponents("/", path.slice(1), search) : collect(path, search, 0);
  return refused ? { ok: false, error: refused } : { ok: true, value: files };
}

/** Returns the fault for an included file that cannot be read. */
export function describeUnreadableInclude(
  path: string,
  failure: FileFailure,
  { optional, release, access }: Pick<Search, "optional" | "release" | "access">,
): RefusalText {
  const shown = nativePath(toReadable(path));
  const what = `\`${shown}\` cannot be included`;
  if (failure.isAbsent && access.isPartial)
    return wordingOf("unmapped-include", `${what}: ${notFoundHereFailure.message}`);
  if (failure.isAbsent && access.linkAt?.(path) !== undefined)
    return wordingOf("dangling-include", shown, failure, !optional && isSince(release, "2.4"));
  const server = `Could not open configuration file ${shown}`;
  return wordingOf("unreadable-include", what, failure, server, remedyFor(optional, release));
}

function remedyFor(optional: boolean, release: Release): string {
  return `correct the path, or ${optional || !isSince(release, "2.4") ? "delete the line" : "use IncludeOptional"}`;
}

/** The options of a search, and the files found so far. */
interface Search {
  readonly optional: boolean;
  readonly release: Release;
  readonly access: FileAccess;
  readonly files: string[];
  /** Number of directories and files visited. */
  found: number;
}

/** Returns the fault for an Include that exceeds the limit. */
function checkIncludeLimit(search: Search): RefusalText | undefined {
  if (++search.found <= MAX_INCLUDED_PATHS) return undefined;
  return wordingOf("too-many-included-files", formatNumber(MAX_INCLUDED_PATHS));
}

/** Adds a file, or everything below a directory. */
function collect(path: string, search: Search, depth: number): RefusalText | undefined {
  const { access, files, optional } = search;
  const endless = checkIncludeLimit(search);
  if (endless) return endless;
  if (!access.isDirectory(path)) {
    if (!optional || access.exists(path) || findAccessFailure(path, access)) files.push(path);
    return undefined;
  }
  const shown = nativePath(toReadable(path));
  if (depth >= MAX_DIRECTORY_DEPTH) {
    return wordingOf("directories-too-deep", shown, MAX_DIRECTORY_DEPTH, search.release);
  }
  const entries = access.list(path);
  if (!entries.ok) return describeUnreadableDirectory(path, entries.error, search);
  for (const { name } of entries.value) {
    const refused = collect(join(path, name), search, depth + 1);
    if (refused) return refused;
  }
  return undefined;
}

/** Matches a path with wildcards one component at a time. */
function matchComponents(base: string, rest: string, search: Search): RefusalText | undefined {
  const { access } = search;
  const [component, remaining] = splitComponent(rest);
  const endless = checkIncludeLimit(search);
  if (endless) return endless;
  if (!hasWildcard(component)) {
    const path = component === "" ? base : join(base, component);
    if (remaining === undefined) return collect(path, search, 0);
    return matchComponents(path, remaining, search);
  }
  const entries = access.list(base);
  if (!entries.ok) {
    // Only a missing directory is ignored, not one that cannot be opened for another reason.
    return search.optional && entries.error.isAbsent
      ? undefined
      : describeUnreadableDirectory(base, entries.error, search);
  }
  const matches = compileFileWildcard(component);
  // Before the last component only directories count, and a link to one does not.
  const candidates = entries.value
    .filter((entry) => matches(entry.name) && (remaining === undefined || entry.kind === "directory"))
    .map((entry) => entry.name);
  if (candidates.length === 0 && !search.optional && isSince(search.release, "2.4")) {
    const [pattern, directory] = [toReadable(component), nativePath(toReadable(base))];
    if (access.isPartial)
      return wordingOf("unmapped-include", `the wildcard \`${pattern}\` matches no mapped file in \`${directory}\``);
    return wordingOf("wildcard-without-match", pattern, directory, remedyFor(search.optional, search.release));
  }
  for (const name of candidates) {
    const path = join(base, name);
    const refused = remaining === undefined ? collect(path, search, 0) : matchComponents(path, remaining, search);
    if (refused) return refused;
  }
  return undefined;
}

function splitComponent(rest: string): [string, string | undefined] {
  const slash = rest.indexOf("/");
  if (slash < 0) return [rest, undefined];
  const remaining = rest.slice(slash).replace(/^\/+/, "");
  return [rest.slice(0, slash), remaining === "" ? undefined : remaining];
}

function describeUnreadableDirectory(
  path: string,
  failure: FileFailure,
  { optional, release, access }: Search,
): RefusalText {
  const shown = nativePath(toReadable(path));
  const what = `the directory \`${shown}\` cannot be listed`;
  if (failure.isAbsent && access.isPartial)
    return wordingOf("unmapped-include", `${what}: ${notFoundHereFailure.message}`);
  const server = `${isSince(release, "2.4") ? "Include/IncludeOptional: Could not open" : "Could not open config"} directory ${shown}`;
  return wordingOf("unreadable-include", what, failure, server, remedyFor(optional, release));
}

function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}
