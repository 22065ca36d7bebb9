import type { Release } from "../../facts/release.js";
import type { Finding } from "../../lint/finding.js";
import type { AccessMap, MappedScope, MappedServer } from "../../proof/model/mapped-access.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { Block, BlockOptions } from "../blocks/block.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import { listFailureNotes } from "../text/failure-words.js";
import type { TextStyle } from "../text/text-printer.js";
import { formatClassCount, isFailing } from "./map-words.js";
import { listServers } from "./scope-blocks.js";
import { listUnproved } from "./unproved-blocks.js";

/** A map to be rendered. */
export interface MapReport {
  readonly map: AccessMap;
  /** The mapped releases, in the order of the results for each. */
  readonly releases: readonly Release[];
  /**
   * Findings that prevent a release from starting, or make all its requests fail. Such a release is not mapped, unless
   * no other is shown.
   */
  readonly startup: readonly { readonly release: Release; readonly findings: readonly Finding[] }[];
  /** The assumptions about the rest of the server and about missing modules, as clauses. */
  readonly assumptions?: readonly string[];
}

/** Limit of the lines for servers, without `--verbose`. */
const MAX_LINES = 300;

/** Renders an access map as text: each server with its scopes, their access, and the differences between 2.2 and 2.4. */
export function renderMapText(mapped: MapReport, style: TextStyle): Generator<string> {
  return new TextLayout(style).render(listMapBlocks(mapped, blockOptionsOf(style)));
}

/** Yields the blocks of an access map. */
export function* listMapBlocks(
  { map, releases, startup, assumptions }: MapReport,
  options: BlockOptions,
): Generator<Block> {
  const last = startup.findLast(({ findings }) => findings.length > 0);
  for (const each of startup) {
    const { release, findings } = each;
    if (findings.length === 0) continue;
    const notes = releases.includes(release)
      ? listFailureNotes("the map", each === last ? assumptions : [])
      : [`note: the map omits ${release}`];
    yield { kind: "failure", title: release, reasons: findings, notes };
    yield { kind: "space" };
  }
  yield* listServers(map.servers, releases, MAX_LINES, options);
  if (map.unknown.length > 0) yield { kind: "space" };
  yield* listUnproved("Unknown", map.unknown, options);
  yield { kind: "space" };
  yield { kind: "paragraph", text: formatMapSummary(map, releases) };
}

/** Renders the number of mapped scopes, and of those that differ. */
function formatMapSummary({ servers, unknown }: AccessMap, releases: readonly string[]): string {
  const scopes = servers.flatMap((server) => server.scopes);
  const size = formatMapSize(servers);
  const isWhole = unknown.length === 0;
  if (releases.length < 2 || (scopes.length === 0 && !isWhole)) return `${size}${formatFailingCount(scopes, releases)}`;
  return `${size}; ${formatDifferingCount(scopes, isWhole, releases)}${formatFailingCount(scopes, releases)}`;
}

/**
 * Formats the number of path classes whose requests all fail, after other counts; empty if there are none. Of several
 * releases, those with such requests are named.
 */
export function formatFailingCount(scopes: readonly MappedScope[], releases: readonly string[]): string {
  const counts = releases.flatMap((release, side) => {
    const failing = scopes.filter(({ who }) => who.some((access, at) => at === side && isFailing(access))).length;
    return failing === 0 ? [] : [{ failing, under: releases.length > 1 ? ` under ${release}` : "" }];
  });
  const texts = counts.map(({ failing, under }) => `requests to ${formatClassCount(failing)} fail${under}`);
  return texts.map((text) => `; ${text}`).join("");
}

/** Formats the number of servers and of path classes. */
export function formatMapSize(servers: readonly MappedServer[]): string {
  const scopes = servers.reduce((sum, server) => sum + server.scopes.length, 0);
  const count = servers.reduce((sum, { alike }) => sum + 1 + alike.length, 0);
  return `${formatCount(count, "server")}, ${formatClassCount(scopes)}`;
}

/** Formats the number of path classes that differ. @param isWhole whether the map is complete */
export function formatDifferingCount(
  scopes: readonly MappedScope[],
  isWhole: boolean,
  releases: readonly string[],
): string {
  const different = scopes.filter(({ differs }) => differs).length;
  const between = `between ${releases.join(" and ")}`;
  if (different === 0) return `no ${isWhole ? "" : "known "}difference ${between}`;
  return `${formatNumber(different)} ${different === 1 ? "differs" : "differ"} ${between}`;
}
