import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import type { Finding } from "../engine/finding.js";
import { assumeServer } from "../project/assumed-server.js";
import { assumptionsOf, joinClauses } from "../project/assumptions.js";
import { isWithin } from "../project/confined.js";
import { entryKindOf } from "../project/entry-kind.js";
import { readFound, readNamed, realOrSame } from "../project/file-content.js";
import type { FileContent } from "../project/files.js";
import { type LoadOptions, loadProject } from "../project/load.js";
import { realPathOf } from "../project/main-files.js";
import type { Project } from "../project/project.js";
import type { FileTree } from "../scope/files.js";
import type { FragmentContexts } from "../settings/fragments.js";
import { fragmentContextOf } from "../settings/path-ignores.js";
import { type FilesChoice, filesBy } from "../simulate/file-trees.js";
import { startupFindings } from "../startup.js";
import { fromReadable, toReadable } from "../text/source.js";
import { entryFiles } from "./entry-files.js";
import { exitCodes } from "./exit-codes.js";
import { wrongMain } from "./main-flag.js";
import { givenBy, moduleNotes, type ReadingFlags, readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { rootAdvice } from "./placement-notes.js";
import { guessNotes } from "./root-notes.js";
import { shortPath } from "./settings.js";
import { standardInput } from "./standard-input.js";

/** The flags that say which server is asked, and what lies on its disk. */
export interface ServerFlags extends ReadingFlags {
  readonly entry: string;
  readonly stdinFilename?: string | undefined;
  /** `disk`, `assume`, or a file of paths. */
  readonly files?: string | undefined;
  /** The main file that --main names. */
  readonly main?: string | undefined;
  /** The main files that the configuration file names. */
  readonly mains?: readonly string[] | undefined;
  /** The sections that it names as the context of fragments. */
  readonly fragments?: FragmentContexts | undefined;
  /** Texts in place of files on disk, by absolute path; binary strings. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** A configuration that requests can be decided against: a server, or a part of one. */
export interface LoadedServer {
  /** As it was read. Its kind shows whether it is a part. */
  readonly project: Project;
  readonly files: FileTree;
  /** How it was read. */
  readonly read: ServerReading;
  /** What keeps the server from starting. */
  readonly startup: readonly Finding[];
  readonly notes: readonly string[];
  /** The assumptions about the rest of the server, as clauses; none for a whole server. */
  readonly assumptions: readonly string[];
}

/** How a server was read: enough to read it again from files that are carried elsewhere. */
export interface ServerReading {
  readonly load: LoadOptions;
  readonly choice: FilesChoice;
  /** Of what lies outside nothing is known. */
  readonly root: string | undefined;
}

/**
 * Reads the server that an entry is or belongs to, or returns why that is impossible. An entry that no main file includes is
 * a part of a server, and is read on its own.
 */
export function loadServer(flags: ServerFlags): LoadedServer | { readonly failed: Outcome } {
  const input = standardInput({ paths: [flags.entry], stdinFilename: flags.stdinFilename });
  if (input && "failed" in input) return { failed: failure(exitCodes.usage, input.failed) };
  const entry = input?.path ?? flags.entry;
  if (input === undefined && realPathOf(resolve(entry)) === undefined)
    return { failed: failure(exitCodes.unreadable, `\`${entry}\` cannot be read: it does not exist`) };
  const overlay = flags.overlay ?? input?.overlay;
  if (flags.main !== undefined) return loadByMain(entry, flags.main, flags, overlay);
  const named = namedMains(flags);
  const piped = input?.overlay.get(resolve(entry));
  const isMain = piped !== undefined && entryKindOf(entry, piped) === "server";
  const main = isMain ? { path: resolve(entry), isMain } : mainFileAround(entry, named, flags.confine);
  if ("failed" in main) return main;
  const real = main.isMain ? realOrSame(main.path) : undefined;
  const mains = [...(main.isMain ? [main.path] : []), ...[...named].filter((path) => path !== real)];
  for (const path of mains) {
    const loaded = loadFrom(path, true, flags, overlay);
    if ("failed" in loaded ? path === main.path : isReached(entry, loaded.project)) return loaded;
  }
  const unreached = main.isMain ? `\`${entry}\` is not included by \`${main.path}\`` : undefined;
  if (unreached !== undefined && statSync(entry, { throwIfNoEntry: false })?.isDirectory())
    return { failed: failure(exitCodes.usage, `${unreached}; name the main file of its server`) };
  const alone = loadFrom(resolve(entry), false, flags, overlay);
  if ("failed" in alone) return alone;
  const role = alone.project.kind === "server" ? "as the main file of another server" : "on its own";
  const notes = unreached === undefined ? [] : [`httpd-lint: ${unreached}: it is analyzed ${role}`];
  return { ...alone, notes: [...alone.notes, ...notes, ...assumptionNotes(alone)] };
}

/** Reads the server of the main file that --main names, which must include the entry. */
function loadByMain(
  entry: string,
  main: string,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): LoadedServer | { readonly failed: Outcome } {
  const wrong = wrongMain(main, overlay);
  if (wrong) return { failed: wrong };
  const loaded = loadFrom(resolve(main), true, flags, overlay);
  if ("failed" in loaded || isReached(entry, loaded.project)) return loaded;
  return { failed: failure(exitCodes.usage, `\`${entry}\` is not included by \`${main}\` of --main; ${rootAdvice}`) };
}

/** States once what is assumed about the rest of the server. */
function assumptionNotes({ assumptions }: LoadedServer): readonly string[] {
  if (assumptions.length === 0) return [];
  return [
    `httpd-lint: assuming that ${joinClauses(assumptions)}; name the main file with ENTRY or --main to check the whole server`,
  ];
}

/** The main files that the configuration file names, by real path. */
function namedMains({ mains }: ServerFlags): ReadonlySet<string> {
  return new Set((mains ?? []).map(realOrSame));
}

/** @param isMain whether the file is known to be a main file; otherwise its name and content decide */
function loadFrom(
  path: string,
  isMain: boolean,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): LoadedServer | { readonly failed: Outcome } {
  const reading = readingOptions(flags, path, overlay);
  if ("failed" in reading) return { failed: failure(exitCodes.usage, reading.failed) };
  const context = flags.fragments
    ? fragmentContextOf(flags.fragments, reading.access.realPath(fromReadable(path)))
    : [];
  const load: LoadOptions = { ...reading.load, context, htaccess: true, ...(isMain ? { kind: "server" } : {}) };
  const loaded = loadProject(path, load);
  if ("failed" in loaded)
    return { failed: failure(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.failed}`) };
  const { project } = loaded;
  const choice = choiceOf(flags);
  if ("failed" in choice) return { failed: failure(exitCodes.unreadable, choice.failed) };
  const { confine } = flags;
  const root = confine === undefined ? undefined : (realPathOf(resolve(confine)) ?? resolve(confine));
  const isAbove = (path: string) => root !== undefined && isWithin(root, reading.access.realPath(path));
  return {
    project,
    assumptions: assumptionsOf(project),
    files: filesBy(choice, assumeServer(project), reading.access, isAbove),
    read: { load: { ...load, kind: project.kind }, choice, root },
    startup: startupFindings(project),
    notes: [...moduleNotes(flags), ...guessNotes(reading.guess)],
  };
}

/** Returns what several analyses assume, each clause once. */
export function assumptionsIn(...servers: readonly LoadedServer[]): readonly string[] {
  return [...new Set(servers.flatMap(({ assumptions }) => assumptions))];
}

/** The files that servers were read from, by real path. */
export function filesReadBy(...servers: readonly Pick<LoadedServer, "project">[]): readonly string[] {
  return servers.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source.realPath));
}

/** A file to read first. */
interface Main {
  readonly path: string;
  /** Whether its name, or the configuration file, says that it is the main file of a server. */
  readonly isMain: boolean;
}

/**
 * Returns the main file of an entry: the entry itself, one in it, or the nearest one upwards. Without any, it is the entry.
 *
 * @param named the main files that the configuration file names, by real path
 * @param confine the directory outside of which nothing is listed
 */
export function mainFileAround(
  entry: string,
  named: ReadonlySet<string> = new Set(),
  confine?: string,
): Main | { readonly failed: Outcome } {
  const path = resolve(entry);
  if (named.has(realOrSame(path))) return { path, isMain: true };
  const found = entryFiles(entry, confine);
  if ("failed" in found) return { failed: failure(exitCodes.unreadable, found.failed) };
  const [main, other] = found.mains;
  if (main !== undefined && other !== undefined)
    return {
      failed: failure(exitCodes.usage, `\`${entry}\` holds more than one server; name the main file of one`),
    };
  if (main !== undefined) return { path: main, isMain: true };
  const { files } = found;
  if (files.length > 1 || files[0] !== path)
    return {
      failed: failure(exitCodes.usage, `\`${entry}\` has no main file; name one of its files: ${someOf(files)}`),
    };
  return { path, isMain: false };
}

/** Files are named up to this number. */
const MOST_NAMED = 3;

function someOf(paths: readonly string[]): string {
  const named = paths.slice(0, MOST_NAMED).map((path) => `\`${shortPath(path)}\``);
  const more = paths.length - named.length;
  return more > 0 ? `${named.join(", ")} (${more} more)` : named.join(", ");
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
