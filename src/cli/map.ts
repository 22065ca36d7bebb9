import { accessMap } from "../compare/access-map.js";
import type { Release } from "../directives/directives.js";
import { FileRecording } from "../project/carried-files.js";
import type { FileAccess } from "../project/files.js";
import { inChunks } from "../report/chunks.js";
import { mapPage } from "../report/html/map-page.js";
import { mapJson } from "../report/map-json.js";
import { type Mapped, mapText } from "../report/map-text.js";
import type { Reading } from "../simulate/decision.js";
import { carriedServer } from "./carried.js";
import { type ExitCode, exitCodes } from "./exit-codes.js";
import { lookOf } from "./explain.js";
import { withMaskedValues } from "./masked-values.js";
import type { Outcome } from "./outcome.js";
import { assumptionsIn, filesReadBy, type LoadedServer, loadServer, type ServerFlags } from "./server.js";
import { browserScript } from "./shipped.js";

/** The ways in which a map is written. */
export const mapFormats = ["text", "json", "html"] as const;

export interface MapFlags extends Omit<ServerFlags, "release"> {
  /** One alone; both where it is left out. */
  readonly release?: Release | undefined;
  readonly reading: Reading;
  readonly format: (typeof mapFormats)[number];
  readonly exitZero: boolean;
  readonly colour: boolean;
  readonly width: number | undefined;
}

function exitCodeOf(isUnknown: boolean, starts: boolean): ExitCode {
  if (!starts) return exitCodes.findings;
  return isUnknown ? exitCodes.unknown : exitCodes.clean;
}

/** Says who gets in where, under 2.2 and 2.4 beside each other. */
export function map(flags: MapFlags): Outcome {
  const asked: readonly Release[] = flags.release === undefined ? ["2.2", "2.4"] : [flags.release];
  const recording = flags.format === "html" ? new FileRecording() : undefined;
  const through = recording && ((access: FileAccess) => recording.through(access));
  const all: (LoadedServer & { readonly release: Release })[] = [];
  for (const release of asked) {
    const loaded = loadServer({ ...flags, release, through });
    if ("failed" in loaded) return loaded.failed;
    all.push({ ...loaded, release });
  }
  // A server that does not start lets nobody in; where none starts, all are told of as if what is refused was not there.
  const starting = all.filter(({ startup }) => startup.length === 0);
  const shown = starting.length > 0 ? starting : all;
  const sides = shown.map(({ project }) => ({ project, reading: flags.reading }));
  const [first, second] = sides;
  if (first === undefined) throw new Error("a map of no release");
  const mapped: Mapped = {
    map: accessMap(first, second),
    releases: shown.map(({ release }) => release),
    startup: all.map(({ release, startup }) => ({ release, findings: startup })),
    assumptions: assumptionsIn(...all),
  };
  const look = lookOf(flags);
  const page = () => {
    const about = { reading: flags.reading, base: look.base };
    const data = recording && carriedServer(shown, recording, mapped.map, about);
    const asking = data && { asking: { script: browserScript("map"), data } };
    return mapPage({ mapped, base: look.base, entry: flags.entry, ...asking });
  };
  const pieces = { text: () => mapText(mapped, look), json: () => mapJson(mapped, look.base), html: page };
  return {
    output: inChunks(withMaskedValues(pieces[flags.format](), all)),
    read: filesReadBy(...all),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    exitCode: exitCodeOf(mapped.map.unknown.length > 0, starting.length > 0 || flags.exitZero),
  };
}
