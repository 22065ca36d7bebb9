import type { FileSystem } from "./file-system.js";
import type { Run } from "./journal.js";

/** Something in the directory of a run that no run of this user leaves there. */
interface Stranger {
  readonly path: string;
  /** What is wrong with it, as the rest of a sentence. */
  readonly what: string;
}

/** The names of what a run keeps, beside the originals in `old`. */
const ownName = /^(?:journal\.json(?:\.part)?|\d+\.new|old)$/;

/**
 * Finds what is in the directory of a run and cannot be its own. A clone or an archive may bring such a directory: what
 * follows a link in it, or removes what it holds, would reach other files.
 */
export function strangerIn(run: Run, system: FileSystem): Stranger | undefined {
  const { directory } = run;
  const facts = system.look(directory);
  if (facts === undefined) return undefined;
  if (facts.kind === "link") return { path: directory, what: "is a symbolic link" };
  if (facts.kind !== "directory") return { path: directory, what: "is not a directory" };
  if (facts.uid !== system.user && facts.uid !== 0) return { path: directory, what: "belongs to another user" };
  // A run makes it for its user only; what git or an archive makes can be read by all.
  if ((facts.mode & 0o077) !== 0) return { path: directory, what: "is open to other users, unlike that of a run" };
  for (const name of system.list(directory)) {
    const path = `${directory}/${name}`;
    const stranger = strangerAt(path, system);
    if (stranger) return stranger;
    const isDirectory = system.look(path)?.kind === "directory";
    if (!ownName.test(name) || isDirectory !== (name === "old")) return { path, what: "was not written by httpd-lint" };
  }
  return undefined;
}

/** A link, a device, or a file with a second name, at a path or below it. */
function strangerAt(path: string, system: FileSystem): Stranger | undefined {
  const facts = system.look(path);
  if (facts?.kind === "directory") {
    for (const name of system.list(path)) {
      const stranger = strangerAt(`${path}/${name}`, system);
      if (stranger) return stranger;
    }
    return undefined;
  }
  if (facts?.kind === "link") return { path, what: "is a symbolic link" };
  if (facts?.kind !== "file") return { path, what: "is not a regular file" };
  return facts.names === 1 ? undefined : { path, what: "has further names (hard links)" };
}
