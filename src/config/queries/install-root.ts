import { fromReadable, toReadable } from "../../text/source.js";
import type { FileAccess } from "../files/file-access.js";
import { isWithin } from "../files/paths.js";
import type { HtaccessView, Project } from "../model/project.js";

/**
 * Returns a function that maps a path below the ServerRoot to its path on the target server. The configuration may name
 * another ServerRoot than the one it was read from. Absolute paths in it are those of the server.
 */
export function mapToServer({ serverRoot, installedAt }: Project): (path: string) => string {
  if (installedAt === undefined) return (path) => path;
  return (path) => (isWithin(path, serverRoot) ? installedAt + path.slice(serverRoot.length) : path);
}

/** Returns a configuration as installed on its target server: its relative paths start at the ServerRoot it names. */
export function relocateProject(project: Project): Project {
  const { serverRoot, installedAt } = project;
  if (installedAt === undefined || installedAt === serverRoot) return project;
  const moved = mapToServer(project);
  const htaccess = project.htaccess.map((file) => ({ ...file, directory: moved(file.directory) }));
  const problems = project.problems.map((problem) => {
    const { directory, searchedBelow } = problem;
    if (directory === undefined) return problem;
    return {
      ...problem,
      directory: moved(directory),
      ...(searchedBelow ? { searchedBelow: searchedBelow.map(moved) } : {}),
    };
  });
  const { directories } = project;
  const there = directories && new Set([...directories].map(moved));
  const view = project.view && relocateView(project.view, { serverRoot, installedAt });
  return {
    ...{ ...project, serverRoot: installedAt, htaccess, problems },
    ...(there ? { directories: there } : {}),
    ...(view ? { view } : {}),
  };
}

/** Returns file access by the paths on the server. */
export function relocateAccess(access: FileAccess, project: Project): FileAccess {
  const { serverRoot, installedAt } = project;
  if (installedAt === undefined || installedAt === serverRoot) return access;
  const located = mapFromServer(project);
  const onServer = mapToServer(project);
  const { linkAt } = access;
  // The parents of the ServerRoot exist on the server, but not necessarily here.
  const isAbove = (path: string) => `${fromReadable(installedAt)}/`.startsWith(path === "/" ? path : `${path}/`);
  return {
    read: (path) => access.read(located(path)),
    exists: (path) => isAbove(path) || access.exists(located(path)),
    isDirectory: (path) => isAbove(path) || access.isDirectory(located(path)),
    list: (path) => access.list(located(path)),
    ...(linkAt ? { linkAt: (path: string) => linkAt.call(access, located(path)) } : {}),
    realPath: (path) => toReadable(onServer(fromReadable(access.realPath(located(path))))),
  };
}

/** Returns a function that maps a path on the server to the path it was read from. */
export function mapFromServer({ serverRoot, installedAt }: Project): (path: string) => string {
  if (installedAt === undefined || installedAt === serverRoot) return (path) => path;
  const at = mapMovedPath({ serverRoot, installedAt });
  return (path) => at(path) ?? path;
}

type MovedRoots = Required<Pick<Project, "serverRoot" | "installedAt">>;

/**
 * Returns a function that maps a path on the server to the path it was read from; undefined for paths outside the
 * ServerRoot.
 */
function mapMovedPath({ serverRoot, installedAt }: MovedRoots): (path: string) => string | undefined {
  const [here, there] = [fromReadable(serverRoot), fromReadable(installedAt)];
  return (path) => (isWithin(path, there) ? here + path.slice(there.length) : undefined);
}

/** Returns a view by the paths on the server. */
function relocateView(view: HtaccessView, roots: MovedRoots): HtaccessView {
  const moved = mapMovedPath(roots);
  return {
    ...view,
    onVisit(directory) {
      view.onVisit(directory);
      const read = moved(directory);
      if (read !== undefined) view.onVisit(read);
    },
    hasFilesBelow(directory) {
      const read = moved(directory);
      return view.hasFilesBelow(directory) || (read !== undefined && view.hasFilesBelow(read));
    },
  };
}
