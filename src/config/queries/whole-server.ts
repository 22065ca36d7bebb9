import { memoize } from "../../text/memoize.js";
import type { Project } from "../model/project.js";
import type { Refusal } from "../refusals/refusal.js";

/** Problems after which other lines of the server are unknown. */
const incompleteKinds: ReadonlySet<Refusal["kind"]> = new Set([
  ...(["syntax", "include", "passed-over", "server-root", "limit", "refused", "template"] as const),
]);

/**
 * Reports whether a main file was read with its modules and all that it includes, so that a line that was not found is
 * missing on the server. A folder that is missing here may have files on the server, and a configuration without `Listen` is
 * a part of another.
 */
export const isWholeServer: (project: Project) => boolean = memoize(
  ({ kind: entryKind, modulesAreKnown, modules, directives, includes, problems }) =>
    entryKind === "server" &&
    modulesAreKnown &&
    modules.unknown.length === 0 &&
    directives.some(({ key }) => key === "listen") &&
    !includes.some(({ mayHaveFiles }) => mayHaveFiles) &&
    // Problems with a directory, or in a `.htaccess` file, concern only what is below it.
    !problems.some(
      ({ kind, directory, inHtaccess }) => incompleteKinds.has(kind) && directory === undefined && inHtaccess !== true,
    ),
);

/** Reports whether files that are not here may have further lines of a server. */
export function mayHaveMoreLines({ includes, problems, assumptions }: Project): boolean {
  return (
    includes.some(({ mayHaveFiles }) => mayHaveFiles) ||
    problems.some(({ kind }) => kind === "include") ||
    assumptions.some(({ code }) => code === "missing-files-empty")
  );
}
