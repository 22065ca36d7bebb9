import { memoize } from "../text/memoize.js";
import { memoryAccess } from "./files/file-access.js";
import type { Directive } from "./model/directive.js";
import { ASSUMED_PATH, type Assumption, type HtaccessFile, type Project } from "./model/project.js";
import { readConfig } from "./read-config.js";
import { needDirectory } from "./reader/unused-macros.js";

/** The document root of a site whose `.htaccess` file on its own is not in it. */
const ASSUMED_ROOT = "/httpd-lint-assumed-root";

/**
 * Completes a part of a server with what is assumed around it. A main file is its own server. A fragment is analyzed as if
 * an otherwise empty server included it: at its top, or in `<Directory "/">` if its directives need a directory. A
 * `.htaccess` file is analyzed below a document root that AllowOverride opens, with the files of that name above it, and
 * with those below it if they were read.
 *
 * @returns a configuration of kind `server`; the same object for the same configuration
 */
export const completePart = memoize((config: Project): Project => {
  if (config.kind === "server") return config;
  return config.kind === "htaccess" ? completeHtaccess(config) : completeFragment(config);
});

/**
 * Completes a part like `completePart`, and takes RewriteBase for the URL path of a `.htaccess` file on its own. The
 * document root is then another directory.
 */
export const completeAtBase = memoize((config: Project): Project => {
  const { htaccessEntry, kind } = config;
  const written = htaccessEntry?.file.directives.findLast(({ key }) => key === "rewritebase")?.arguments[0]?.value;
  const base = written?.replace(/\/*$/, "");
  if (kind !== "htaccess" || htaccessEntry === undefined || !base?.startsWith("/")) return completePart(config);
  const [directory, path] = [htaccessEntry.file.directory, base].map(quotePath);
  const lines = [`DocumentRoot "${ASSUMED_ROOT}"`, `Alias "${path}" "${directory}"`];
  const server = completePart(config);
  const others = server.directives.filter(({ key }) => key !== "documentroot");
  return { ...server, directives: [...readAssumed(config, lines), ...others] };
});

/** Returns a completed part as if it were a whole server, so that nothing depends on the rest. */
export const closePart = memoize((config: Project): Project => (config.isPart ? { ...config, isPart: false } : config));

function completeFragment(config: Project): Project {
  const { directives } = config;
  if (needsDirectory(directives)) {
    const around = readAssumed(config, ['DocumentRoot "/"', '<Directory "/">', "</Directory>"]);
    const lines = around.map((each) => (each.children ? each.withChildren(directives) : each));
    return serverOf(config, { directives: lines }, { code: "included-in-directory" });
  }
  const hasRoot = directives.some(({ key }) => key === "documentroot");
  const hasHosts = directives.some(({ key }) => key === "<virtualhost");
  const root = hasRoot ? [] : readAssumed(config, ['DocumentRoot "/"']);
  const assumed: readonly Assumption[] = hasHosts ? [{ code: "default-host" }] : [];
  return serverOf(config, { directives: [...root, ...directives] }, ...assumed);
}

/**
 * Completes a part like `completePart`, for requests with one URL path. If the path begins with the last folders of a `.htaccess`
 * file on its own, such as `/forum/x` for `forum/.htaccess`, the document root is above these folders.
 *
 * @param path the path of the URL, as sent
 */
export function completeForPath(config: Project, path: string): Project {
  const { htaccessEntry, kind } = config;
  if (kind !== "htaccess" || htaccessEntry === undefined || htaccessEntry.above().length > 0)
    return completePart(config);
  const folders = htaccessEntry.file.directory.replace(/\/+$/, "").split("/");
  const requested = path.split("/").slice(1, -1);
  for (let count = Math.min(folders.length - 1, requested.length); count > 0; count--) {
    const isSame = folders.slice(-count).every((name, index) => name === requested[index]);
    if (isSame) return completeHtaccess(config, folders.slice(0, -count).join("/") || "/");
  }
  return completePart(config);
}

/** @param root the document root; by default, the directory of the outermost file */
function completeHtaccess(config: Project, root?: string): Project {
  const { htaccessEntry } = config;
  if (htaccessEntry === undefined) return serverOf(config, {});
  const htaccess = [...htaccessEntry.above(), htaccessEntry.file, ...htaccessEntry.below()];
  const [outermost = htaccessEntry.file] = htaccess;
  const { directory } = root === undefined ? outermost : { directory: root };
  const lines = [`DocumentRoot "${quotePath(directory)}"`, ...['<Directory "/">', "AllowOverride All", "</Directory>"]];
  return serverOf(config, { directives: readAssumed(config, lines), htaccess }, { code: "document-root", directory });
}

/** Returns a server as if each virtual host read a `.htaccess` file, unless a virtual host has a section for its directory. */
export function withHtaccess(server: Project, file: HtaccessFile): Project {
  const lines = readAssumed(server, [
    `<Directory "${quotePath(file.directory)}">`,
    "AllowOverride All",
    "</Directory>",
  ]);
  return {
    ...server,
    directives: [...server.directives, ...lines],
    htaccess: [...new Set([...server.htaccess, file])],
  };
}

function quotePath(path: string): string {
  return path.replace(/["\\]/g, "\\$&");
}

function serverOf(
  config: Project,
  lines: Partial<Pick<Project, "directives" | "htaccess">>,
  ...more: readonly Assumption[]
): Project {
  const assumptions: readonly Assumption[] = [...config.assumptions, { code: "no-other-file" }, ...more];
  return { ...config, ...lines, kind: "server", assumptions };
}

function readAssumed({ release }: Project, lines: readonly string[]): readonly Directive[] {
  const access = memoryAccess({ [ASSUMED_PATH]: `${lines.join("\n")}\n` });
  const read = readConfig(ASSUMED_PATH, { release, access, kind: "server", htaccess: false });
  return read.ok ? read.value.directives : [];
}

/** Reports whether lines can only be included in a directory. */
export function needsDirectory(directives: readonly Directive[]): boolean {
  return needDirectory(directives.map(({ known: { facts } }) => facts));
}
