import { type Failed, failed, refusedBySystem } from "./failure.js";
import type { FileSystem } from "./file-system.js";
import { type Journal, puttingAway, Run, readJournal } from "./journal.js";
import { placeAt } from "./place.js";
import { finish, type Holding, holdingsOf, removeRun, undo } from "./settle.js";

export interface Recovered {
  /** Which texts all files hold now; `nothing` where there was nothing to recover. */
  readonly recovered: "before" | "after" | "nothing";
  /** The files of the run. */
  readonly files: readonly string[];
  /** The directory with the texts before, where the files hold those after. */
  readonly backup?: string;
}

/**
 * Brings a run that was cut off to an end: every file holds its new text, or every one its old. It may itself be cut off and
 * run again.
 *
 * @param directory the backup directory of the run
 * @param wanted which texts; where only the others can be had (undoing had begun), those
 */
export function recover(
  directory: string,
  system: FileSystem,
  wanted: "before" | "after" = "after",
): Recovered | Failed {
  try {
    if (system.look(directory) === undefined) return { recovered: "nothing", files: [] };
    const place = placeAt(directory, system);
    if ("failed" in place) return place;
    const run = new Run(place.path);
    if (system.look(run.directory) === undefined) return { recovered: "nothing", files: [] };
    const journal = readJournal(run, system);
    if (journal !== undefined) return "failed" in journal ? journal : settled(journal, run, system, wanted);
    // Without a journal no file was touched.
    removeRun(run, system);
    return { recovered: "before", files: [] };
  } catch (error) {
    return refusedBySystem(error, directory, "the run is still unfinished");
  }
}

function settled(journal: Journal, run: Run, system: FileSystem, wanted: "before" | "after"): Recovered | Failed {
  const holdings = holdingsOf(journal, run, system);
  const files = journal.files.map(({ path }) => path);
  const edited = holdings.find(({ holds }) => holds === "other");
  if (edited) return editedSince(edited, run);
  const canFinish = holdings.every((each) => each.canFinish);
  const canUndo = holdings.every((each) => each.canUndo);
  if (canFinish && (wanted === "after" || !canUndo))
    return { recovered: "after", files, backup: finish(journal, holdings, run, system) };
  if (!canUndo) return incomplete(run);
  undo(holdings, run, system);
  return { recovered: "before", files };
}

function editedSince({ file: { path } }: Holding, run: Run): Failed {
  const message = `\`${path}\` holds neither its old nor its new text, since somebody edited it after the run was cut off, so nothing was changed; compare it with \`${run.old}${path}\`, put right what is needed by hand, then ${puttingAway(run)}`;
  return failed("edited", path, message);
}

function incomplete(run: Run): Failed {
  const { directory, journal } = run;
  const message = `some of the texts that \`${journal}\` speaks of are no longer in \`${directory}\`, so nothing was changed; put the files right by hand, then ${puttingAway(run)}`;
  return failed("journal", journal, message);
}
