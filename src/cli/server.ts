import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Finding } from "../engine/finding.js";
import { isWithin, readFound, readNamed } from "../project/file-content.js";
import type { FileContent } from "../project/files.js";
import { type LoadOptions, loadProject } from "../project/load.js";
import { realPathOf } from "../project/main-files.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import { type FilesChoice, filesBy } from "../simulate/file-trees.js";
import { startupFindings } from "../startup.js";
import { fromReadable, toReadable } from "../text/source.js";
import { exitCodes } from "./exit-codes.js";
import { givenBy, moduleNotes, type ReadingFlags, readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { standardInput } from "./standard-input.js";
import { targetsOf } from "./targets.js";

/** The flags that say which server is asked, and what lies on its disk. */
export interface ServerFlags extends ReadingFlags {
  readonly entry: string;
  readonly stdinFilename?: string | undefined;
  /** `disk`, `assume`, or a file of paths. */
  readonly files?: string | undefined;
  /** Texts that stand for files on disk, by absolute path; binary strings. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** A configuration that requests can be decided against. */
export interface LoadedServer {
  readonly project: Project;
  readonly files: FileTree;
  /** How it was read. */
  readonly read: ServerReading;
  /** What keeps the server from starting. */
  readonly startup: readonly Finding[];
  readonly notes: readonly string[];
}

/** How a server was read: enough to read it again from files that are carried elsewhere. */
export interface ServerReading {
  readonly load: LoadOptions;
  readonly choice: FilesChoice;
  /** Of what lies outside nothing is known. */
  readonly root: string | undefined;
}

/** Reads the server that an entry is or belongs to, or says why not. */
export function loadServer(flags: ServerFlags): LoadedServer | { readonly failed: Outcome } {
  const input = standardInput({ paths: [flags.entry], stdinFilename: flags.stdinFilename });
  if (input && "failed" in input) return { failed: failure(exitCodes.usage, input.failed) };
  const entry = input?.path ?? flags.entry;
  if (input === undefined && realPathOf(resolve(entry)) === undefined)
    return { failed: failure(exitCodes.unreadable, `\`${entry}\` cannot be read: it does not exist`) };
  const main = mainFileAround(entry);
  if ("failed" in main) return main;
  const loaded = loadFrom(main.path, flags, flags.overlay ?? input?.overlay);
  if ("failed" in loaded || isReached(entry, loaded.project)) return loaded;
  const unreached = `\`${entry}\` is not reached from \`${main.path}\``;
  if (!isMainItself(entry)) return { failed: failure(exitCodes.usage, `${unreached}; name its main file`) };
  const alone = loadFrom(resolve(entry), flags, flags.overlay ?? input?.overlay);
  if ("failed" in alone) return alone;
  const note = `httpd-lint: ${unreached}: it is read as the main file of a server of its own`;
  return { ...alone, notes: [...alone.notes, note] };
}

function loadFrom(
  path: string,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): LoadedServer | { readonly failed: Outcome } {
  const reading = readingOptions(flags, path, overlay);
  if ("failed" in reading) return { failed: failure(exitCodes.usage, reading.failed) };
  const loaded = loadProject(path, { ...reading.load, kind: "server" });
  if ("failed" in loaded)
    return { failed: failure(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.failed}`) };
  const { project } = loaded;
  const choice = choiceOf(flags);
  if ("failed" in choice) return { failed: failure(exitCodes.unreadable, choice.failed) };
  const { confine } = flags;
  const root = confine === undefined ? undefined : (realPathOf(resolve(confine)) ?? resolve(confine));
  const isAbove = (path: string) => root !== undefined && isWithin(root, reading.access.realPath(path));
  const files = filesBy(choice, project, reading.access, isAbove);
  const { load } = reading;
  return { project, files, read: { load, choice, root }, startup: startupFindings(project), notes: moduleNotes(flags) };
}

/** The files that servers were read from, by real path. */
export function filesReadBy(...servers: readonly Pick<LoadedServer, "project">[]): readonly string[] {
  return servers.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source.realPath));
}

/** Whether a file that no server reads may be one's main file: it says where the documents are, or what is listened to. */
function isMainItself(entry: string): boolean {
  if (/(^|\/)\.ht/.test(entry) || !statSync(entry, { throwIfNoEntry: false })?.isFile()) return false;
  const content = readFound(entry);
  return "text" in content && /^[ \t]*(?:ServerRoot|DocumentRoot|Listen)[ \t]/im.test(content.text);
}

type Main = { readonly path: string };

/** The main file: the entry itself, one in it, or the nearest one upwards. */
export function mainFileAround(entry: string): Main | { readonly failed: Outcome } {
  const targets = targetsOf([entry]);
  if ("failed" in targets) return { failed: failure(exitCodes.unreadable, targets.failed) };
  const [main, other] = targets.targets.flatMap((target) => target.main ?? []);
  if (main !== undefined && other !== undefined)
    return {
      failed: failure(exitCodes.usage, `\`${entry}\` holds more than one server; name the main file of one`),
    };
  if (main !== undefined) return { path: main };
  const [path = "", ...more] = targets.targets.flatMap((target) => target.paths);
  if (more.length > 0 || path !== resolve(entry))
    return {
      failed: failure(exitCodes.usage, `\`${entry}\` holds no main file of a server; name the file that is one`),
    };
  if (/(^|\/)\.ht/.test(path))
    return { failed: failure(exitCodes.usage, `no server was found around \`${entry}\`; name its main file`) };
  return { path };
}

/** Whether the entry is the main file, a folder of it, or a file that it leads to. */
function isReached(entry: string, project: Project): boolean {
  const real = realPathOf(resolve(entry)) ?? resolve(entry);
  const read = [...project.files.values()].map(({ source }) => source.realPath);
  return read.some((path) => path === real || path.startsWith(real + sep));
}

function choiceOf({ files, bySettings }: ServerFlags): FilesChoice | { readonly failed: string } {
  if (files === undefined) return { by: "disk if there" };
  if (files === "assume") return { by: "configuration" };
  if (files === "disk") return { by: "disk" };
  const isByFlag = bySettings?.names.has("--files") !== true;
  const content = isByFlag ? readNamed(files) : readFound(files, bySettings?.within);
  const list = readList(files, content, givenBy(bySettings, "--files"));
  return "failed" in list ? list : { by: "list", paths: list.paths };
}

/** A path a line, as `find /srv/www` prints them; one that ends in a slash is an empty directory. */
function readList(
  file: string,
  content: FileContent,
  given: string,
): { readonly paths: readonly string[] } | { readonly failed: string } {
  if ("failed" in content) return { failed: `the list \`${file}\` of ${given} cannot be read` };
  const paths = toReadable(content.text)
    .split(/\r?\n/)
    .filter((line) => line !== "");
  const relative = paths.findIndex((path) => !path.startsWith("/"));
  if (relative >= 0)
    return {
      failed: `line ${relative + 1} of the list \`${file}\` of ${given} is no absolute path: \`${paths[relative]}\``,
    };
  // What lies in something makes it a directory, wherever it stands in the list.
  return { paths: paths.map(fromReadable).sort() };
}
