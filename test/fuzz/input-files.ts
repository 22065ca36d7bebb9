import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import type { Release } from "../../src/facts/release.js";
import { loadProject } from "../../src/startup/load-project.js";
import { fromBytes } from "../../src/text/bytes.js";
import { toReadable } from "../../src/text/source.js";

/** The main file of a fuzzed server. */
export const mainFile = "/srv/x/httpd.conf";

/** The header of a further file, with its path below the server's folder. */
const head = /^==> ([\w./-]{1,80}) <==\n/m;

/**
 * Parses bytes into files: the main file, and further ones after lines such as `==> conf.d/a.conf <==` (as `head`
 * writes them).
 *
 * @returns texts by absolute path
 */
export function givenFiles(data: Uint8Array): Record<string, string> {
  const [main = "", ...others] = toReadable(fromBytes(data)).split(head);
  const files: Record<string, string> = {};
  for (let index = 0; index + 1 < others.length; index += 2) {
    files[`/srv/x/${others[index]}`.replaceAll(/\/+/g, "/")] = others[index + 1] ?? "";
  }
  return { ...files, [mainFile]: main };
}

/** Loads the configuration in files under a release. @param withoutModules the values of `--no-module` */
export function load(
  files: Readonly<Record<string, string>>,
  release: Release,
  withoutModules: readonly string[] = [],
): Project {
  const access = memoryAccess(files);
  const loaded = loadProject(mainFile, { access, kind: "server", serverRoot: "/srv/x", release, withoutModules });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}
