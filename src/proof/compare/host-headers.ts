import type { Project } from "../../config/model/project.js";
import { findUndefinedVariable } from "../../config/model/variables.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { isSince } from "../../facts/release.js";
import { escapePattern, type PatternTest } from "../../regex/pcre/comparison.js";
import { argumentValuesOf } from "../../server/model/config-layer.js";
import { readListenAddress, type Server } from "../../server/model/server.js";
import { isMalformedHost } from "../../server/request/request-parser.js";
import { memoize } from "../../text/memoize.js";
import { findValue, type TestedHeader } from "../clients/header-values.js";
import { isUnnamed, MAX_ENTRY_POINTS, type Pair, type ServerPair } from "../model/server-pairs.js";
import { samplePattern } from "../requests/sample-text.js";

/**
 * Returns tests that every Host header passes with which requests reach a pair of servers; none if any name may reach it.
 * A name is sent in any case, with a port or a final dot. The host of an absolute URL replaces the header on 2.4, unless
 * HttpProtocolOptions is Unsafe (server/vhost.c `fix_hostname`, `ap_update_vhost_from_headers_ex`).
 */
export function hostHeadersOf({ servers, entryPoints }: ServerPair, projects: Pair<Project>): readonly PatternTest[] {
  const isOpen = entryPoints.some((entry) => entry.host === undefined || isUnnamed(entry));
  if (
    isOpen ||
    projects.every(keepsSentHost) ||
    entryPoints.length >= MAX_ENTRY_POINTS ||
    servers.some(mayHaveOtherNames)
  )
    return [];
  const names = [...entryPoints.map(({ host = "" }) => escapePattern(host)), ...servers.flatMap(otherNamesOf)];
  return [{ pattern: `^(?:${[...new Set(names)].join("|")})[.:0-9]*$`, ignoreCase: true }];
}

/** Reports whether the Host header may name another host than the URL. The first host at an address decides it for all. */
const keepsSentHost = memoize(
  (project: Project) =>
    !isSince(project.release, "2.4") ||
    [...iterateDirectives(project)].some(
      (line) => line.key === "httpprotocoloptions" && /\bunsafe\b/i.test(line.argumentText),
    ),
);

/** Reports whether requests may reach a server by a name that is not in the configuration, or without one. */
function mayHaveOtherNames({ layer }: Server): boolean {
  const lines = layer.directives.filter(({ key }) => key === "servername" || key === "serveralias");
  const isUnset = lines.some((line) =>
    argumentValuesOf(line).some((name) => findUndefinedVariable(name) !== undefined),
  );
  return isUnset || !lines.some(({ key }) => key === "servername") || layer.has("serverpath");
}

/** Returns patterns for the names with wildcards, and for the addresses: they count as names, too. */
function otherNamesOf({ section, layer }: Server): readonly string[] {
  const aliases = layer.directives.filter(({ key }) => key === "serveralias").flatMap(argumentValuesOf);
  const wildcards = aliases.filter((alias) => /[*?]/.test(alias));
  const texts = (section?.arguments ?? []).map(({ value }) => escapePattern(readListenAddress(value).text));
  return [
    ...wildcards.map((alias) => escapePattern(alias).replaceAll("\\*", ".*").replaceAll("\\?", ".")),
    ...texts.map((text) => `\\[?${text}\\]?`),
  ];
}

/** A name that the server accepts, if possible one with letters at the start of each part. */
const acceptedNames: readonly (readonly PatternTest[])[] = [
  [{ pattern: "^[a-z][a-z0-9-]*(?:\\.[a-z][a-z0-9-]*)*$" }],
  [{ pattern: "^[a-z0-9_-]+(?:\\.[a-z0-9_-]+)*(?::[1-9][0-9]*)?$" }],
];

/**
 * Returns Host headers that may give tests their results: that of the usual entry point, those that reach the pair, and those
 * that the tests name. The caller verifies them.
 *
 * @param possible tests that all Host headers pass with which requests reach the pair
 */
export function findCandidateHosts(
  { entryPoints }: ServerPair,
  tested: readonly TestedHeader[],
  possible: readonly PatternTest[],
): readonly (string | undefined)[] {
  const usual = entryPoints[0]?.host;
  if (tested.length === 0) return [usual];
  const written = tested.flatMap(({ test: { pattern, text }, holds }) => {
    const value = text ?? (pattern === undefined ? undefined : samplePattern(pattern));
    return holds && value !== undefined ? [value] : [];
  });
  const found = acceptedNames.flatMap((names) => findValue(tested, [...names, ...possible]) ?? []);
  const named = entryPoints.slice(0, MAX_TRIED_NAMES).flatMap(({ host }) => host ?? []);
  const others = [...named, ...found, ...written].filter((host) => host !== "" && !isMalformedHost(host));
  return [...new Set([usual, ...others])];
}

const MAX_TRIED_NAMES = 20;
