import type { EntryKind } from "../../config/model/project.js";
import type { NumberedFindings } from "../../lint/finding-files.js";
import type { Result } from "../../text/result.js";
import { checksum, type RecordedAnswer } from "./dependency-recorder.js";

/** The findings of a unit, and all queries that they depend on. */
export interface CacheEntry {
  /** See `computeCacheKey`. */
  readonly key: string;
  readonly answers: readonly RecordedAnswer[];
  readonly kind: EntryKind;
  /** The configuration files by real path, with their number of lines. */
  readonly files: readonly (readonly [path: string, lines: number])[];
  /** Notes for the user, besides findings. */
  readonly notes: readonly string[];
  /** Whether it is declared as one of 2.2 and already for 2.4 as a whole. */
  readonly isUpgraded: boolean;
  /** The files that wildcards skip, by real path, with the reason. */
  readonly skipped: readonly (readonly [path: string, reason: string])[];
  readonly found: NumberedFindings;
}

/** The origin of cached results. */
export interface CacheOwner {
  /** The exact program: another may report different findings. */
  readonly program: string;
  /** The path of the cache file: a moved one may be where a server loads it. */
  readonly path: string;
}

const TITLE = "httpd-lint cache 3";

/** Serializes results as the contents of a cache file. */
export function renderCacheFile(by: CacheOwner, results: readonly CacheEntry[]): string {
  const body = JSON.stringify({ by, results });
  return `${TITLE} ${checksum(body)}\n${body}\n`;
}

/** Why a cache file is unusable: the reason is a clause. */
export interface CacheMiss {
  readonly reason: string;
  /** It belongs to another program, and must not be overwritten. */
  readonly isForeign?: boolean;
}

/** Parses a cache file. Its contents are trusted if the checksum matches. */
export function parseCacheFile(text: string, by: CacheOwner): Result<readonly CacheEntry[], CacheMiss> {
  const [head = "", body = "", ...more] = text.split("\n");
  if (!head.startsWith("httpd-lint cache "))
    return { ok: false, error: { reason: "it is not a cache of httpd-lint", isForeign: true } };
  if (!head.startsWith(`${TITLE} `))
    return { ok: false, error: { reason: "another version of httpd-lint has written it" } };
  if (more.join("") !== "" || head !== `${TITLE} ${checksum(body)}`)
    return { ok: false, error: { reason: "it is damaged" } };
  const kept: { readonly by: CacheOwner; readonly results: readonly CacheEntry[] } = JSON.parse(body);
  if (kept.by.program !== by.program)
    return { ok: false, error: { reason: "another version of httpd-lint has written it" } };
  return kept.by.path === by.path
    ? { ok: true, value: kept.results }
    : { ok: false, error: { reason: `it was written as \`${kept.by.path}\`` } };
}
