import { dirname } from "node:path";
import { changed, type FileChange, whyNotReplaceable } from "./checks.js";
import { type Failed, failed, recoverCommand, refusedBySystem } from "./failure.js";
import { codeOf, type FileSystem } from "./file-system.js";
import { backupName, digestOf, type Journal, Run, writeJournal } from "./journal.js";
import { type Place, placeAt } from "./place.js";
import { finish, holdingsOf, removeRun, undo } from "./settle.js";

export interface Written {
  /** The files that were replaced. */
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before by their full paths; undefined where nothing was to be changed. */
  readonly backup: string | undefined;
}

/**
 * Puts changed texts in place: all of them, or none.
 *
 * Everything is written and on the disk before the first file is touched, below the backup directory, which no Include and
 * no DocumentRoot may reach (`reachInto` tells). From then on there are renames alone, each from one whole text to another.
 * What cuts a run off, `recover` finishes or undoes; what fails is undone here.
 *
 * @param directory the backup directory; made where it is missing
 */
export function writeChanges(
  changes: readonly FileChange[],
  directory: string,
  system: FileSystem,
  now = new Date(),
): Written | Failed {
  const wanted = changes.filter(({ before, after }) => before !== after);
  if (wanted.length === 0) return { written: [], backup: undefined };
  const run = started(wanted, directory, system);
  if ("failed" in run) return run;
  const journal: Journal = {
    version: 1,
    backup: `${backupName}${now.toISOString().replaceAll(/[:.]/g, "-")}`,
    files: wanted.map(({ path, before, after }) => ({ path, before: digestOf(before), after: digestOf(after) })),
  };
  return prepared(wanted, journal, run, system) ?? settled(journal, run, system);
}

/** Looks whether all can be replaced, and begins: from here on no other run does. */
function started(changes: readonly FileChange[], directory: string, system: FileSystem): Run | Failed {
  try {
    const place = placeAt(directory, system);
    if ("failed" in place) return place;
    const run = new Run(place.path);
    const earlier = unfinishedIn(run, system);
    if (earlier) return earlier;
    for (const change of changes) {
      const refused = whyNotReplaceable(change, place, system);
      if (refused) return refused;
    }
    makePlace(place, system);
    // Of two that come to this at once, one is refused by the system.
    system.makeDirectory(run.directory);
    return run;
  } catch (error) {
    return refusedBySystem(error, directory, "nothing was changed");
  }
}

function unfinishedIn(run: Run, system: FileSystem): Failed | undefined {
  const { directory, place } = run;
  if (system.look(directory) === undefined) return undefined;
  const message = `an earlier run was cut off (\`${directory}\`), and may have left some files new and others old, so nothing was changed; run ${recoverCommand(place)} first`;
  return failed("unfinished", directory, message);
}

/** That an earlier run was cut off, so that the files may be neither as they were nor as they were to be, where that can be seen. */
export function unfinishedRun(directory: string, system: FileSystem): Failed | undefined {
  try {
    const place = placeAt(directory, system);
    return "failed" in place ? undefined : unfinishedIn(new Run(place.path), system);
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return undefined;
  }
}

function makePlace({ path, isThere }: Place, system: FileSystem): void {
  if (isThere) return;
  system.makeDirectory(path);
  system.sync(dirname(path));
}

/** Writes the texts before and after, and then the journal. */
function prepared(changes: readonly FileChange[], journal: Journal, run: Run, system: FileSystem): Failed | undefined {
  try {
    for (const [index, change] of changes.entries()) {
      const attributes = system.look(change.path);
      mirror(dirname(change.path), run, system);
      system.write(run.oldOf(change), change.before, attributes);
      system.sync(dirname(run.oldOf(change)));
      system.write(run.newOf(index), change.after, attributes);
    }
    system.sync(run.place);
    writeJournal(journal, run, system);
    return undefined;
  } catch (error) {
    const state = "all files are as they were, but what was made ready is left over";
    return undone(error, run, state, () => removeRun(run, system));
  }
}

/** Makes a directory below `old` as it is at the top, so that copying all of it back changes the rights of none. */
function mirror(directory: string, run: Run, system: FileSystem): void {
  const copy = directory === "/" ? run.old : `${run.old}${directory}`;
  if (system.look(copy)) return;
  const above = directory === "/" ? run.directory : dirname(copy);
  if (directory !== "/") mirror(dirname(directory), run, system);
  const facts = system.look(directory);
  // Whoever is not root has to be able to write into it.
  system.makeDirectory(copy, facts && { ...facts, mode: system.user === 0 ? facts.mode : facts.mode | 0o700 });
  system.sync(above);
}

/** Replaces the files; where that fails, puts back those that were. */
function settled(journal: Journal, run: Run, system: FileSystem): Written | Failed {
  try {
    const holdings = holdingsOf(journal, run, system);
    const other = holdings.find(({ holds }) => holds !== "before");
    if (other) {
      removeRun(run, system);
      return changed(other.file.path, "was changed while the new texts were made ready");
    }
    return { written: journal.files.map(({ path }) => path), backup: finish(journal, holdings, run, system) };
  } catch (error) {
    return undone(error, run, "some files may be new and others old", () => {
      const holdings = holdingsOf(journal, run, system);
      // What somebody edited just now is left to them, and all else to what they decide.
      if (!holdings.every(({ canUndo }) => canUndo)) throw error;
      undo(holdings, run, system);
    });
  }
}

/**
 * Takes back what a run did that the system refused to go on with.
 *
 * @param otherwise how the files are, as a clause, where it cannot be taken back either
 */
function undone(refusal: unknown, run: Run, otherwise: string, takeBack: () => void): Failed {
  // What is no refusal of the system is not for us to go on after.
  if (codeOf(refusal) === undefined) throw refusal;
  try {
    takeBack();
    return refusedBySystem(refusal, run.directory, "all files are as they were");
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    const remedy = `put that right, then run ${recoverCommand(run.place)}`;
    return refusedBySystem(refusal, run.directory, otherwise, remedy);
  }
}
