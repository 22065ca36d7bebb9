import { fromReadable, toReadable } from "../text/source.js";
import type { FileAccess } from "./files/file-access.js";
import { isWithin } from "./files/paths.js";
import type { HtaccessView, Project, ReadConfig } from "./model/project.js";
import type { Refusal } from "./refusals/refusal.js";

/**
 * Places a configuration on its server: its paths become those of the server. It may name another ServerRoot than the one
 * that its files were read from. Absolute paths in it are those of the server.
 *
 * @param findRefusals see `Project`
 */
export function placeOnServer(config: ReadConfig, findRefusals: Project["findRefusals"]): Project {
  const { serverRoot: from, installedAt: to, htaccess, problems, directories, view } = config;
  const placed = { ...config, read: config, isPart: config.kind !== "server", assumptions: [], findRefusals };
  if (to === undefined || to === from) return placed;
  const toServer = createPathMap(from, to);
  return {
    ...placed,
    serverRoot: to,
    assumptions: [{ code: "relocated", from, to }],
    htaccess: htaccess.map((file) => ({ ...file, directory: toServer(file.directory) })),
    problems: problems.map((problem) => placeProblem(problem, toServer)),
    ...(directories ? { directories: new Set([...directories].map(toServer)) } : {}),
    ...(view ? { view: placeView(view, mapFromServer(config)) } : {}),
  };
}

function placeProblem(problem: Refusal, toServer: (path: string) => string): Refusal {
  const { directory, searchedBelow } = problem;
  if (directory === undefined) return problem;
  return {
    ...problem,
    directory: toServer(directory),
    ...(searchedBelow ? { searchedBelow: searchedBelow.map(toServer) } : {}),
  };
}

/** Returns a view by the paths on the server. Those that files are read from can also occur. */
function placeView(view: HtaccessView, fromServer: (path: string) => string): HtaccessView {
  return {
    ...view,
    onVisit(directory) {
      for (const path of new Set([directory, fromServer(directory)])) view.onVisit(path);
    },
    hasFilesBelow: (directory) => view.hasFilesBelow(directory) || view.hasFilesBelow(fromServer(directory)),
  };
}

/** Returns file access by the paths on the server. @param access knows the paths that files are read from */
export function placeAccess(access: FileAccess, { read }: Project): FileAccess {
  const { serverRoot, installedAt } = read;
  if (installedAt === undefined || installedAt === serverRoot) return access;
  const fromServer = mapFromServer(read);
  const toServer = createPathMap(fromReadable(serverRoot), fromReadable(installedAt));
  const { linkAt, isExecutable } = access;
  // The parents of the ServerRoot exist on the server, but not necessarily here.
  const isAbove = (path: string) => `${fromReadable(installedAt)}/`.startsWith(path === "/" ? path : `${path}/`);
  return {
    read: (path) => access.read(fromServer(path)),
    exists: (path) => isAbove(path) || access.exists(fromServer(path)),
    isDirectory: (path) => isAbove(path) || access.isDirectory(fromServer(path)),
    list: (path) => access.list(fromServer(path)),
    ...(linkAt ? { linkAt: (path: string) => linkAt.call(access, fromServer(path)) } : {}),
    ...(isExecutable ? { isExecutable: (path: string) => isExecutable.call(access, fromServer(path)) } : {}),
    realPath: (path) => toReadable(toServer(fromReadable(access.realPath(fromServer(path))))),
  };
}

/** Returns a function that maps a path on the server to the path it was read from; both are binary strings. */
export function mapFromServer({ serverRoot, installedAt }: ReadConfig): (path: string) => string {
  if (installedAt === undefined || installedAt === serverRoot) return (path) => path;
  return createPathMap(fromReadable(installedAt), fromReadable(serverRoot));
}

/** Returns a function that moves paths in one directory to another; other paths stay. */
function createPathMap(from: string, to: string): (path: string) => string {
  return (path) => (isWithin(path, from) ? to + path.slice(from.length) : path);
}
