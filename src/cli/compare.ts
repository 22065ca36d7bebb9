import { type Comparison, compare as compareSides } from "../compare/compare.js";
import type { Release } from "../directives/directives.js";
import type { Finding } from "../engine/finding.js";
import { inChunks } from "../report/chunks.js";
import { comparisonJson } from "../report/comparison-json.js";
import { type Compared, comparisonText } from "../report/comparison-text.js";
import type { Reading } from "../simulate/decision.js";
import { exitCodes } from "./exit-codes.js";
import { lookOf } from "./explain.js";
import { failure, type Outcome } from "./outcome.js";
import { type LoadedServer, loadServer, type ServerFlags } from "./server.js";

/** The ways in which a comparison is written. */
export const compareFormats = ["text", "json"] as const;

export interface CompareFlags extends Omit<ServerFlags, "entry"> {
  readonly before: string;
  /** The same as before, under another release, where it is left out. */
  readonly after?: string | undefined;
  readonly from?: Release | undefined;
  readonly to?: Release | undefined;
  readonly reading: Reading;
  readonly format: (typeof compareFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

/** Says whether two configurations, or one under two releases, decide every request alike. */
export function compare(flags: CompareFlags): Outcome {
  const releases = releasesOf(flags);
  if ("failed" in releases) return failure(exitCodes.usage, releases.failed);
  const { from, to } = releases;
  const entries = [flags.before, flags.after ?? flags.before] as const;
  if (entries[0] === "-" && entries[1] === "-" && flags.after !== undefined)
    return failure(exitCodes.usage, "BEFORE and AFTER cannot both be standard input; name a file for one of them");
  const before = loadServer({ ...flags, entry: entries[0], release: from });
  if ("failed" in before) return before.failed;
  const after = loadServer({ ...flags, entry: entries[1], release: to });
  if ("failed" in after) return after.failed;
  const { reading, exitZero } = flags;
  const sideOf = ({ project }: LoadedServer) => ({ project, reading });
  const comparison = withStartup(compareSides(sideOf(before), sideOf(after)), [before.startup, after.startup]);
  const titles = flags.after === undefined ? ([from, to] as const) : titlesOf(entries, releases);
  const compared: Compared = { comparison, titles, startup: [before.startup, after.startup] };
  const look = lookOf(flags);
  const pieces = flags.format === "json" ? comparisonJson(compared, look.base) : comparisonText(compared, look);
  const codes = { equivalent: exitCodes.clean, different: exitCodes.findings, unknown: exitCodes.unknown } as const;
  const code = codes[comparison.verdict];
  return {
    output: inChunks(pieces),
    notes: [...new Set([...before.notes, ...after.notes])],
    exitCode: exitZero && code === exitCodes.findings ? exitCodes.clean : code,
  };
}

/** One configuration is compared under two releases, and two are under one unless the flags say otherwise. */
function releasesOf({
  after,
  from,
  to,
  release,
}: CompareFlags): { readonly from: Release; readonly to: Release } | { readonly failed: string } {
  if (after !== undefined) return { from: from ?? release, to: to ?? release };
  const releases = {
    from: from ?? (to === "2.2" ? "2.4" : "2.2"),
    to: to ?? (from === "2.4" ? "2.2" : "2.4"),
  } as const;
  return releases.from === releases.to
    ? { failed: `ENTRY under ${releases.from} is compared with itself; name two configurations, or two releases` }
    : releases;
}

/** What a server that does not start answers is not what one does that starts. */
function withStartup(
  comparison: Comparison,
  [before, after]: readonly [readonly Finding[], readonly Finding[]],
): Comparison {
  return (before.length === 0) === (after.length === 0) ? comparison : { ...comparison, verdict: "different" };
}

function titlesOf(
  [before, after]: readonly [string, string],
  { from, to }: { readonly from: Release; readonly to: Release },
): readonly [string, string] {
  return from === to ? [before, after] : [`${before} (${from})`, `${after} (${to})`];
}
