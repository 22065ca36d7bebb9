import { accessMap } from "../../compare/access-map.js";
import type { Release } from "../../directives/directives.js";
import { readBrowserScript } from "../../linter/package-files.js";
import type { FileAccess } from "../../project/files/file-access.js";
import { FileRecorder } from "../../project/files/file-snapshot.js";
import { renderMapJson } from "../../report/comparisons/map-json.js";
import { type MapReport, renderMapText } from "../../report/comparisons/map-text.js";
import { renderMapPage } from "../../report/html/map-page.js";
import { joinIntoChunks } from "../../report/index.js";
import type { Reading } from "../../simulate/model/decision.js";
import {
  collectAssumptions,
  collectFilesRead,
  type LoadedServer,
  loadServer,
  maskServerVariables,
  type ServerFlags,
} from "../inputs/load-server.js";
import { type CommandResult, type ExitCode, exitCodes } from "../output/command-result.js";
import { embedServer } from "./embedded-server.js";
import { textStyleOf } from "./explain.js";

/** Output formats of a map. */
export const mapFormats = ["text", "json", "html"] as const;

export interface MapFlags extends Omit<ServerFlags, "release"> {
  /** The only release to show; both if omitted. */
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

/** Shows the access map, under 2.2 and 2.4 side by side. */
export function runMap(flags: MapFlags): CommandResult {
  const asked: readonly Release[] = flags.release === undefined ? ["2.2", "2.4"] : [flags.release];
  const recording = flags.format === "html" ? new FileRecorder() : undefined;
  const through = recording && ((access: FileAccess) => recording.wrap(access));
  const all: (LoadedServer & { readonly release: Release })[] = [];
  for (const release of asked) {
    const loaded = loadServer({ ...flags, release, through });
    if ("failed" in loaded) return loaded.failed;
    all.push({ ...loaded, release });
  }
  // A server that does not start denies everybody. If none starts, all are shown as if the rejected lines were absent.
  const starting = all.filter(({ startup }) => startup.length === 0);
  const shown = starting.length > 0 ? starting : all;
  const sides = shown.map(({ project }) => ({ project, reading: flags.reading }));
  const [first, second] = sides;
  if (first === undefined) throw new Error("a map of no release");
  const mapped: MapReport = {
    map: accessMap(first, second),
    releases: shown.map(({ release }) => release),
    startup: all.map(({ release, startup }) => ({ release, findings: startup })),
    assumptions: collectAssumptions(...all),
  };
  const look = textStyleOf(flags);
  const page = () => {
    const about = { reading: flags.reading, base: look.base };
    const data = recording && embedServer(shown, recording, mapped.map, about);
    const asking = data && { asking: { script: readBrowserScript("map"), data } };
    return renderMapPage({ mapped, base: look.base, entry: flags.entry, ...asking });
  };
  const pieces = { text: () => renderMapText(mapped, look), json: () => renderMapJson(mapped, look.base), html: page };
  return {
    output: joinIntoChunks(maskServerVariables(pieces[flags.format](), all)),
    read: collectFilesRead(...all),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    exitCode: exitCodeOf(mapped.map.unknown.length > 0, starting.length > 0 || flags.exitZero),
  };
}
