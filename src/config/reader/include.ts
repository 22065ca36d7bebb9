import type { Release } from "../../facts/directives.js";
import { toReadable } from "../../text/source.js";
import { compileFileWildcard, hasWildcard } from "../../text/wildcards.js";
import { type FileAccess, type FileFailure, findAccessFailure, notFoundHereFailure } from "../files/file-access.js";
import type { ProblemDescription } from "../model/problems.js";

/**
 * Limit of nested directories under an Include; beyond it, the server stops (server/config.c AP_MAX_INCLUDE_DIR_DEPTH).
 */
export const MAX_DIRECTORY_DEPTH = 128;

/**
 * Limit of directories to search, and of files to find, for one Include; beyond it, the Include is not followed
 * further.
 */
export const MAX_INCLUDED_PATHS = 200_000;

export type IncludeResult = { readonly files: readonly string[] } | { readonly refused: ProblemDescription };

/**
 * Returns the files that an Include names, in the order in which the server reads them. Each wildcard component is
 * matched in byte order, and a directory stands for everything below it (server/util.c `ap_dir_fnmatch`). A wildcard
 * without a match stops 2.4 unless the directive is IncludeOptional; 2.2 ignores it.
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
  const refused = hasWildcard(path) ? matchComponents("/", path.slice(1), search) : collect(path, search, 0);
  return refused ? { refused } : { files };
}

/** Returns the fault for an included file that cannot be read. */
export function describeUnreadableInclude(
  path: string,
  failure: FileFailure,
  { optional, release, access }: Pick<Search, "optional" | "release" | "access">,
): ProblemDescription {
  const shown = toReadable(path);
  const wrong = `\`${shown}\` cannot be included`;
  if (failure.isAbsent && access.isPartial) return describeUnmapped(`${wrong}: ${notFoundHereFailure.failed}`);
  const server = `Could not open configuration file ${shown}`;
  if (failure.isAbsent && access.linkAt?.(path) !== undefined) {
    const remedy = `correct the link, or ${optional || release === "2.2" ? "delete it" : "use IncludeOptional"}`;
    const problem = `${wrong}: it is a symbolic link to a missing file`;
    return { ...describeUnreadable(wrong, server, failure, remedy), problem };
  }
  return describeUnreadable(wrong, server, failure, remedyFor(optional, release));
}

function remedyFor(optional: boolean, release: Release): string {
  return `correct the path, or ${optional || release === "2.2" ? "delete the line" : "use IncludeOptional"}`;
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
function checkIncludeLimit(search: Search): ProblemDescription | undefined {
  if (++search.found <= MAX_INCLUDED_PATHS) return undefined;
  return {
    problem: `the Include exceeds the limit of ${MAX_INCLUDED_PATHS.toLocaleString("en")} files and directories`,
    consequence: "the included directives are not checked",
    remedy: "use a smaller directory or a narrower pattern",
  };
}

/** Adds a file, or everything below a directory. */
function collect(path: string, search: Search, depth: number): ProblemDescription | undefined {
  const { access, files, optional } = search;
  const endless = checkIncludeLimit(search);
  if (endless) return endless;
  if (!access.isDirectory(path)) {
    if (!optional || access.exists(path) || findAccessFailure(path, access)) files.push(path);
    return undefined;
  }
  const shown = toReadable(path);
  if (depth >= MAX_DIRECTORY_DEPTH) {
    return {
      problem: `\`${shown}\` is nested more than ${MAX_DIRECTORY_DEPTH} directories deep`,
      facts: ["a link to a parent directory is the most likely cause"],
      remedy: "delete the link, or include files by name",
      server: `${search.release === "2.4" ? `Include/IncludeOptional: Directory '${shown}'` : `Directory ${shown}`} exceeds the maximum include directory nesting level of ${MAX_DIRECTORY_DEPTH}. You have probably a recursion somewhere.`,
    };
  }
  const entries = access.list(path);
  if ("failed" in entries) return describeUnreadableDirectory(path, entries, search);
  for (const { name } of entries) {
    const refused = collect(join(path, name), search, depth + 1);
    if (refused) return refused;
  }
  return undefined;
}

/** Matches a path with wildcards one component at a time. */
function matchComponents(base: string, rest: string, search: Search): ProblemDescription | undefined {
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
  if ("failed" in entries) {
    // Only a missing directory is ignored, not one that cannot be opened for another reason.
    return search.optional && entries.isAbsent ? undefined : describeUnreadableDirectory(base, entries, search);
  }
  const matches = compileFileWildcard(component);
  // Before the last component only directories count, and a link to one does not.
  const candidates = entries
    .filter((entry) => matches(entry.name) && (remaining === undefined || entry.kind === "directory"))
    .map((entry) => entry.name);
  if (candidates.length === 0 && !search.optional && search.release === "2.4") {
    const [pattern, directory] = [toReadable(component), toReadable(base)];
    if (access.isPartial)
      return describeUnmapped(`the wildcard \`${pattern}\` matches no mapped file in \`${directory}\``);
    return {
      problem: `the wildcard \`${pattern}\` matches nothing in \`${directory}\``,
      isMissing: true,
      remedy: remedyFor(search.optional, search.release),
      server: `Include/IncludeOptional: No matches for the wildcard '${pattern}' in '${directory}', failing`,
    };
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
): ProblemDescription {
  const shown = toReadable(path);
  const wrong = `the directory \`${shown}\` cannot be listed`;
  if (failure.isAbsent && access.isPartial) return describeUnmapped(`${wrong}: ${notFoundHereFailure.failed}`);
  const server = `${release === "2.4" ? "Include/IncludeOptional: Could not open" : "Could not open config"} directory ${shown}`;
  return describeUnreadable(wrong, server, failure, remedyFor(optional, release));
}

/** Returns the fault for a missing file that may exist on the server. */
function describeUnmapped(wrong: string): ProblemDescription {
  return {
    problem: wrong,
    isMissing: true,
    consequence: "the included directives are not checked",
    remedy: "copy it from the server and map it with --map",
  };
}

/** @param server the server's message, without the system's error text at its end */
function describeUnreadable(
  wrong: string,
  server: string,
  { failed, system, isAbsent = false, reason, remedy: ownRemedy = "give httpd-lint read access" }: FileFailure,
  remedy: string,
): ProblemDescription {
  const fault = { problem: `${wrong}: ${failed}`, ...(isAbsent ? { isMissing: true as const } : {}) };
  if (system !== undefined) return { ...fault, remedy, server: `${server}: ${system}` };
  return {
    ...fault,
    ...(reason === undefined ? {} : { facts: [reason] }),
    consequence: "the included directives are not checked",
    remedy: ownRemedy,
  };
}

function join(directory: string, name: string): string {
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}
