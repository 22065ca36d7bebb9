import type { Project } from "./project.js";

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
  const { directories } = project;
  const there = directories && new Set([...directories].map(moved));
  return { ...project, serverRoot: installedAt, htaccess, ...(there ? { directories: there } : {}) };
}
