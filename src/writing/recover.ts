import { type Failed, failed, refusedBySystem } from "./failure.js";
import type { FileSystem } from "./file-system.js";
import { byHand, type Journal, puttingAway, Run, readJournal } from "./journal.js";
import type { JournalKey, NoKey } from "./journal-key.js";
import { placeAt } from "./place.js";
import { finish, type Holding, holdingsOf, removeRun, undo } from "./settle.js";
import { strangerIn } from "./strangers.js";

export interface Recovered {
  /** Which texts all files hold now; `nothing` where there was nothing to recover. */
  readonly recovered: "before" | "after" | "nothing";
  /** The files of the run. */
  readonly files: readonly string[];
  /** The directory with the texts before, where the files hold those after. */
  readonly backup?: string;
}

/** How a run is recovered, and what it may change. */
export interface Recovery {
  /** Which texts are wanted; where only the others can be had (undoing had begun), those. */
  readonly wanted: "before" | "after";
  /** The key that has signed the journal. */
  readonly key: JournalKey | NoKey;
  /** Why the files of a journal may not be changed, as a clause; it is asked once. */
  readonly whyNot?: (paths: readonly string[]) => string | undefined;
  /** Whether a repository brings a path, or what is below it. */
  readonly isTracked?: (path: string) => boolean;
  /** Receives the files before the first of them is changed. */
  readonly announce?: (paths: readonly string[]) => void;
}

/**
 * Brings a run that was cut off to an end: every file holds its new text, or every one its old. It may itself be cut off and
 * run again. Nothing is changed unless this user wrote the journal on this machine, and all digests match.
 *
 * @param directory the backup directory of the run
 */
export function recover(directory: string, system: FileSystem, recovery: Recovery): Recovered | Failed {
  try {
    if (system.look(directory) === undefined) return { recovered: "nothing", files: [] };
    const place = placeAt(directory, system);
    if ("failed" in place) return place;
    const run = new Run(place.path);
    if (system.look(run.directory) === undefined) return { recovered: "nothing", files: [] };
    const planted = whyPlanted(run, system, recovery);
    if (planted) return planted;
    const journal = readJournal(run, recovery.key, system);
    if (journal !== undefined) return "failed" in journal ? journal : settled(journal, run, system, recovery);
    // Without a journal no file was touched.
    removeRun(run, system);
    return { recovered: "before", files: [] };
  } catch (error) {
    return refusedBySystem(error, directory, "the run is still unfinished");
  }
}

/** Why what is kept of a run is not what httpd-lint leaves, as far as that can be seen without the journal. */
function whyPlanted(run: Run, system: FileSystem, { isTracked, key }: Recovery): Failed | undefined {
  const refuse = (path: string, what: string) =>
    failed("journal", path, `\`${path}\` ${what}, so nothing was changed; ${byHand(run)}`);
  const stranger = strangerIn(run, system);
  if (stranger) return refuse(stranger.path, stranger.what);
  const tracked = [run.directory, ...("path" in key && key.path !== undefined ? [key.path] : [])];
  const path = tracked.find((each) => isTracked?.(each));
  return path === undefined ? undefined : refuse(path, "is tracked by git");
}

function settled(journal: Journal, run: Run, system: FileSystem, recovery: Recovery): Recovered | Failed {
  const files = journal.files.map(({ path }) => path);
  const refused = recovery.whyNot?.(files);
  if (refused !== undefined)
    return failed("journal", run.journal, `\`${run.journal}\` is refused: ${refused}; nothing was changed`);
  const holdings = holdingsOf(journal, run, system);
  const damaged = holdings.find((each) => each.damaged !== undefined)?.damaged;
  if (damaged !== undefined) return notAsWritten(damaged, run);
  const edited = holdings.find(({ holds }) => holds === "other");
  if (edited) return editedSince(edited, run);
  const canFinish = holdings.every((each) => each.canFinish);
  const canUndo = holdings.every((each) => each.canUndo);
  if (!canFinish && !canUndo) return incomplete(run);
  recovery.announce?.(files);
  if (canFinish && (recovery.wanted === "after" || !canUndo))
    return { recovered: "after", files, backup: finish(journal, holdings, run, system) };
  undo(holdings, run, system);
  return { recovered: "before", files };
}

function notAsWritten(path: string, run: Run): Failed {
  const message = `\`${path}\` is not as the interrupted run wrote it: its digest is not the one in \`${run.journal}\`, so nothing was changed; ${byHand(run)}`;
  return failed("journal", path, message);
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
