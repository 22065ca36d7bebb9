import { dirname } from "node:path";
import { changed, type FileChange, whyNotReplaceable } from "./checks.js";
import { type Failed, failed, recoverCommand, refusedBySystem } from "./failure.js";
import { codeOf, type FileSystem } from "./file-system.js";
import { byHand, digestOf, type Journal, type JournalFile, journalOf, Run, writeJournal } from "./journal.js";
import type { JournalKey, NoKey } from "./journal-key.js";
import { type Place, placeAt } from "./place.js";
import { finish, holdingsOf, removeRun, undo } from "./settle.js";

export interface Written {
  /** The files that were replaced. */
  readonly written: readonly string[];
  /** The directory whose `old` holds the texts before by their full paths; undefined where nothing was to be changed. */
  readonly backup: string | undefined;
  /** Why --recover would not have finished or undone this run, had it been interrupted; a clause. */
  readonly unsigned?: string;
}

/**
 * Puts changed texts in place: all of them, or none.
 *
 * Everything is written and on the disk before the first file is touched, below the backup directory, which no Include and
 * no DocumentRoot may reach (`reachInto` tells). From then on there are renames alone, each from one whole text to another.
 * Only a file whose ACL or extended attributes a new file does not get is written into: its journal tells what it held.
 * What cuts a run off, `recover` finishes or undoes; what fails is undone here.
 *
 * @param directory the backup directory; made where it is missing
 * @param key signs the journal; without one the run has to be recovered by hand
 */
export function writeChanges(
  changes: readonly FileChange[],
  directory: string,
  system: FileSystem,
  key: JournalKey | NoKey,
  now = new Date(),
): Written | Failed {
  const wanted = changes.filter(({ before, after }) => before !== after);
  if (wanted.length === 0) return { written: [], backup: undefined };
  const run = started(wanted, directory, system);
  if ("failed" in run) return run;
  const remedy = "failed" in key ? byHand(run) : `run ${recoverCommand(run.place)}`;
  const journal = prepared(wanted, run, system, { key, now, remedy });
  const written = "failed" in journal ? journal : settled(journal, run, system, remedy);
  return "failed" in key && !("failed" in written) ? { ...written, unsigned: key.failed } : written;
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

interface Preparing {
  readonly key: JournalKey | NoKey;
  readonly now: Date;
  /** What to do where what was made ready cannot be removed. */
  readonly remedy: string;
}

/** Writes the texts before and after, and then the journal. */
function prepared(
  changes: readonly FileChange[],
  run: Run,
  system: FileSystem,
  { key, now, remedy }: Preparing,
): Journal | Failed {
  try {
    const files = changes.map((change, index) => saved(change, index, run, system));
    system.sync(run.place);
    const journal = journalOf(files, now);
    writeJournal(journal, run, key, system);
    return journal;
  } catch (error) {
    const state = "all files are as they were, but what was made ready is left over";
    return undone(error, run, { state, remedy }, () => removeRun(run, system));
  }
}

/** Writes the text before and the text after of a file below the run. */
function saved(change: FileChange, index: number, run: Run, system: FileSystem): JournalFile {
  const { path, before, after } = change;
  const attributes = system.look(path);
  const [old, fresh] = [run.oldOf(change), run.newOf(index)];
  mirror(dirname(path), run, system);
  system.write(old, before, attributes);
  system.write(fresh, after, attributes);
  const extended = system.extendedAttributes(path);
  const mayHave = extended.text !== "" || !extended.isComplete;
  if (mayHave) for (const copy of [old, fresh]) system.copyExtendedAttributes(path, copy);
  system.sync(dirname(old));
  // The new file may also have more than the old one: a directory can have an ACL for new files.
  const inPlace = system.extendedAttributes(fresh).text !== extended.text;
  return { path, before: digestOf(before), after: digestOf(after), inPlace };
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
function settled(journal: Journal, run: Run, system: FileSystem, remedy: string): Written | Failed {
  try {
    const holdings = holdingsOf(journal, run, system);
    const other = holdings.find(({ holds }) => holds !== "before");
    if (other) {
      removeRun(run, system);
      return changed(other.file.path, "was changed while the new texts were made ready");
    }
    return { written: journal.files.map(({ path }) => path), backup: finish(journal, holdings, run, system) };
  } catch (error) {
    const state = "some files may be new and others old";
    return undone(error, run, { state, remedy }, () => {
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
 * @param left how the files are, as a clause, where it cannot be taken back either, and what to do then
 */
function undone(
  refusal: unknown,
  run: Run,
  left: { readonly state: string; readonly remedy: string },
  takeBack: () => void,
): Failed {
  // What is no refusal of the system is not for us to go on after.
  if (codeOf(refusal) === undefined) throw refusal;
  try {
    takeBack();
    return refusedBySystem(refusal, run.directory, "all files are as they were");
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    return refusedBySystem(refusal, run.directory, left.state, `put that right, then ${left.remedy}`);
  }
}
