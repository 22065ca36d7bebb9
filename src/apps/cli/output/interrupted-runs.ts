import { dirname, join } from "node:path";
import { parseJson } from "../../../text/escaping.js";
import { toReadable } from "../../../text/source.js";
import { diskFileSystem, errorCodeOf } from "../../file-changes/file-system.js";
import { backupFolderName, isJournal, MAX_JOURNAL_BYTES, TransactionFolder } from "../../file-changes/journal.js";
import { recoverCommandFor } from "../../file-changes/write-failure.js";

/**
 * Returns notes on interrupted runs of `--write` or `--fix` that change some of the files read: some may be new and others
 * old, so a result may describe neither of the two states. A run is found in the default backup directory, which is next
 * to a main file.
 *
 * @param read the files that a command has read, by real path
 */
export function describeInterruptedRuns(read: readonly string[]): readonly string[] {
  const files = new Set(read);
  const folders = new Set<string>();
  for (const path of files)
    for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  return [...folders].flatMap((folder) => {
    const place = join(folder, backupFolderName);
    const isAffected = listFilesToReplace(new TransactionFolder(place)).some((path) => files.has(path));
    if (!isAffected) return [];
    return [
      `httpd-lint: an earlier run was interrupted (\`${place}\`), and some files may be new and others old; run ${recoverCommandFor(place)}`,
    ];
  });
}

/** Returns the files that an interrupted run replaces. Nothing is done with them, so the journal may be from anyone. */
function listFilesToReplace(run: TransactionFolder): readonly string[] {
  try {
    const facts = diskFileSystem.inspect(run.journal);
    if (facts?.kind !== "file" || facts.size > MAX_JOURNAL_BYTES) return [];
    const journal = parseJson(toReadable(diskFileSystem.read(run.journal)));
    return isJournal(journal) ? journal.files.map(({ path }) => path) : [];
  } catch (error) {
    if (errorCodeOf(error) === undefined) throw error;
    return [];
  }
}
