import { fromReadable } from "../text/source.js";
import type { Project, View } from "./project.js";

/**
 * Where the files below the ServerRoot lie on the server that a configuration is for: it names another ServerRoot than the one
 * that they were read from. Absolute paths in it mean what they mean on the server.
 */
export function onServer({ serverRoot, installedAt }: Project): (path: string) => string {
  if (installedAt === undefined) return (path) => path;
  return (path) => (`${path}/`.startsWith(`${serverRoot}/`) ? installedAt + path.slice(serverRoot.length) : path);
}

/** A configuration as it lies on the server that it is for: its relative paths start at the ServerRoot it names. */
export function asInstalled(project: Project): Project {
  const { serverRoot, installedAt } = project;
  if (installedAt === undefined || installedAt === serverRoot) return project;
  const moved = onServer(project);
  const htaccess = project.htaccess.map((file) => ({ ...file, directory: moved(file.directory) }));
  const problems = project.problems.map((problem) =>
    problem.directory === undefined ? problem : { ...problem, directory: moved(problem.directory) },
  );
  const { directories } = project;
  const there = directories && new Set([...directories].map(moved));
  const view = project.view && viewFrom(project.view, { serverRoot, installedAt });
  return {
    ...{ ...project, serverRoot: installedAt, htaccess, problems },
    ...(there ? { directories: there } : {}),
    ...(view ? { view } : {}),
  };
}

/** A view of files by where they lie on the server. */
function viewFrom(
  view: View,
  { serverRoot, installedAt }: Required<Pick<Project, "serverRoot" | "installedAt">>,
): View {
  const [here, there] = [fromReadable(serverRoot), fromReadable(installedAt)];
  const moved = (path: string) => (`${path}/`.startsWith(`${there}/`) ? here + path.slice(there.length) : undefined);
  return {
    ...view,
    comesBy(directory) {
      view.comesBy(directory);
      const read = moved(directory);
      if (read !== undefined) view.comesBy(read);
    },
    hasFilesBelow(directory) {
      const read = moved(directory);
      return view.hasFilesBelow(directory) || (read !== undefined && view.hasFilesBelow(read));
    },
  };
}
