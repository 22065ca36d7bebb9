import { memoize } from "../../text/memoize.js";
import { isWithin, toAbsolutePath } from "../files/paths.js";
import type { Project } from "../model/project.js";

/**
 * Returns whether this machine has the same file at a path as the server, or has none if the server has none: the main file
 * was read where the server reads it. The main file of a copy is elsewhere, and only paths below its ServerRoot are part of
 * the copy.
 */
export function isOnServersDisk(path: string, project: Project): boolean {
  const { entry, serverRoot } = project;
  if (!isInPlace(project)) return false;
  if (entry.startsWith("/etc/")) return true;
  const absolute = toAbsolutePath(path, serverRoot);
  const isPart = absolute === undefined || (absolute !== serverRoot && isWithin(absolute, serverRoot));
  return isPart && entry.startsWith(`${serverRoot}/`) && entry.slice(serverRoot.length + 1).includes("/");
}

/**
 * Returns the same for a directory of documents. One that is beside a document root of this machine, outside of the ServerRoot,
 * is also known; a machine such as a developer's may have that root only, so other paths are not.
 */
export function isDocumentOnServersDisk(path: string, project: Project): boolean {
  if (isOnServersDisk(path, project)) return true;
  const absolute = toAbsolutePath(path, project.serverRoot);
  return absolute !== undefined && isInPlace(project) && foldersWithRoots(project).has(folderOf(absolute));
}

/** Returns the directories above those of the documents that exist, and that are not below the ServerRoot. */
const foldersWithRoots = memoize(
  ({ directories = new Set(), serverRoot }: Project): ReadonlySet<string> =>
    new Set([...directories].filter((each) => !isWithin(each, serverRoot)).map(folderOf)),
);

function folderOf(path: string): string {
  return path.replace(/\/+$/, "").replace(/\/+[^/]*$/, "");
}

/** Returns whether the main file of a server was read with the ServerRoot that it names. */
function isInPlace({ kind, installedAt, isCopy = false, problems }: Project): boolean {
  return (
    kind === "server" && installedAt === undefined && !isCopy && problems.every((each) => each.kind !== "server-root")
  );
}
