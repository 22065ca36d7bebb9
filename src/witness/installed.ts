import type { Project } from "../project/project.js";

/**
 * A configuration as it lies on the server that it is for: its relative paths start at the ServerRoot it names, wherever the
 * files that lie below that were read from. Absolute paths in it mean the same as on the server then.
 */
export function asInstalled(project: Project): Project {
  const { serverRoot, installedAt } = project;
  if (installedAt === undefined || installedAt === serverRoot) return project;
  const moved = (path: string) =>
    `${path}/`.startsWith(`${serverRoot}/`) ? installedAt + path.slice(serverRoot.length) : path;
  const htaccess = project.htaccess.map((file) => ({ ...file, directory: moved(file.directory) }));
  return { ...project, serverRoot: installedAt, htaccess };
}
