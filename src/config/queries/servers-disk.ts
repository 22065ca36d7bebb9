import { memoize } from "../../text/memoize.js";
import { isWithin, toAbsolutePath } from "../files/paths.js";
import type { Project } from "../model/project.js";

/**
 * Returns whether this machine has the same file at a path as the server, or has none if the server has none: the main file
 * was read where the server reads it. The main file of a copy is elsewhere, and only paths below its ServerRoot are part of
 * the copy, unless the machine has document roots elsewhere that the configuration names.
 */
export function isOnServersDisk(path: string, project: Project): boolean {
  const { entry, serverRoot } = project;
  if (!isInPlace(project)) return false;
  if (entry.startsWith("/etc/")) return true;
  const absolute = toAbsolutePath(path, serverRoot);
  const isPart = absolute === undefined || (absolute !== serverRoot && isWithin(absolute, serverRoot));
  if (isPart && entry.startsWith(`${serverRoot}/`) && entry.slice(serverRoot.length + 1).includes("/")) return true;
  return hasFolderElsewhere(project);
}

/** Returns whether a directory of the documents exists, and is not below the ServerRoot. */
const hasFolderElsewhere = memoize(({ directories = new Set(), serverRoot }: Project) =>
  [...directories].some((each) => !isWithin(each, serverRoot)),
);

/** Returns whether the main file of a server was read with the ServerRoot that it names. */
function isInPlace({ kind, installedAt, isCopy = false, problems }: Project): boolean {
  return (
    kind === "server" && installedAt === undefined && !isCopy && problems.every((each) => each.kind !== "server-root")
  );
}
