import type { EntryKind } from "../project/model/project.js";
import { checksum, type RecordedAnswer } from "./dependency-recorder.js";
import type { SerializedFindings } from "./serialized-findings.js";

/** What was found in a configuration, and all that it hangs on. */
export interface CacheEntry {
  /** Of what was analysed, and how. */
  readonly key: string;
  readonly answers: readonly RecordedAnswer[];
  readonly kind: EntryKind;
  /** The files of the configuration by real path, with their number of lines. */
  readonly files: readonly (readonly [path: string, lines: number])[];
  /** What the user is told beside findings. */
  readonly notes: readonly string[];
  readonly found: SerializedFindings;
}

/** Whose results they are. */
export interface CacheOwner {
  /** The program to the letter: another may find something else. */
  readonly program: string;
  /** The file that they are in: one that was moved may lie where a server loads it. */
  readonly path: string;
}

const TITLE = "httpd-lint cache 1";

/** Results as the text of a file. */
export function renderCacheFile(by: CacheOwner, results: readonly CacheEntry[]): string {
  const body = JSON.stringify({ by, results });
  return `${TITLE} ${checksum(body)}\n${body}\n`;
}

/** Why a file is of no use, as a clause. */
export interface CacheMiss {
  readonly failed: string;
  /** It is somebody else's, and not to be written over. */
  readonly isForeign?: boolean;
}

/** Reads the text of such a file. What it holds is believed by its sum. */
export function parseCacheFile(text: string, by: CacheOwner): readonly CacheEntry[] | CacheMiss {
  const [head = "", body = "", ...more] = text.split("\n");
  if (!head.startsWith("httpd-lint cache ")) return { failed: "it is no cache of httpd-lint", isForeign: true };
  if (!head.startsWith(`${TITLE} `)) return { failed: "another version of httpd-lint has written it" };
  if (more.join("") !== "" || head !== `${TITLE} ${checksum(body)}`) return { failed: "it is damaged" };
  const kept: { readonly by: CacheOwner; readonly results: readonly CacheEntry[] } = JSON.parse(body);
  if (kept.by.program !== by.program) return { failed: "another version of httpd-lint has written it" };
  return kept.by.path === by.path ? kept.results : { failed: `it was written as \`${kept.by.path}\`` };
}
