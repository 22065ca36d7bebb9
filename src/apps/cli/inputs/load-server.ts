import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { entryKindOf } from "../../../config/entry.js";
import type { FileContent } from "../../../config/files/file-access.js";
import { readFoundFile, readNamedFile, resolveOrKeepPath } from "../../../config/files/file-content.js";
import { isWithin } from "../../../config/files/paths.js";
import { realPathOf } from "../../../config/main-files.js";
import type { Project } from "../../../config/model/project.js";
import { type LoadOptions, readEntry } from "../../../config/read-entry.js";
import type { Finding } from "../../../lint/finding.js";
import { maskVariableValues } from "../../../report/secrets/redaction.js";
import { secretValuesOf } from "../../../report/secrets/secret-names.js";
import { describeAssumptions, joinClauses } from "../../../report/text/assumption-words.js";
import { createFileTree, defaultFilesChoice, type FilesChoice } from "../../../server/file-trees.js";
import type { FileTree } from "../../../server/model/file-tree.js";
import { installConfig } from "../../../startup/install-config.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import { findStartupErrors, supplyModules } from "../../server-failure.js";
import { fragmentContextOf } from "../../settings/path-ignores.js";
import type { FragmentContexts } from "../../settings/settings.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { describeGuessedRoot, describeModuleList, rootAdvice } from "./config-source.js";
import { findEntryFiles, validateMainFlag } from "./entry-files.js";
import { formatSomePaths } from "./project-settings.js";
import {
  createReadingOptions,
  describeUnknownModules,
  nameOptionSource,
  type ReadingFlags,
} from "./reading-options.js";
import { readStreams } from "./standard-input.js";

/** The flags that select a server and the files on its disk. */
export interface ServerFlags extends ReadingFlags {
  readonly entry: string;
  readonly stdinFilename?: string | undefined;
  /** `disk`, `assume`, or a file of paths. */
  readonly files?: string | undefined;
  /** The main file that --main names. */
  readonly main?: string | undefined;
  /** The main files that the configuration file names. */
  readonly mainFiles?: readonly string[] | undefined;
  /** The sections that it names as the context of fragments. */
  readonly fragments?: FragmentContexts | undefined;
  /** Contents that replace files on disk, by absolute path; binary strings. */
  readonly overlay?: ReadonlyMap<string, string> | undefined;
}

/** A configuration that requests can be decided against: a server, or a part of one. */
export interface LoadedServer {
  /** As installed; a part of a server is completed. */
  readonly project: Project;
  readonly files: FileTree;
  /** The options with which it was read. */
  readonly read: ServerReadOptions;
  /** The findings that prevent the server from starting. */
  readonly startup: readonly Finding[];
  readonly notes: readonly string[];
}

/** To which servers the modules are supplied that they lack: to those that do not start, or to all that answer no request. */
export type ModuleSupply = "none" | "unstarted" | "unanswering";

/** The options with which a server was read: enough to read it again from embedded files. */
export interface ServerReadOptions {
  readonly load: LoadOptions;
  readonly choice: FilesChoice;
  /** Files outside it are unknown. */
  readonly root: string | undefined;
}

/**
 * Loads the server that an entry is or belongs to, or returns why that is impossible. An entry that no main file includes is
 * a part of a server, and is read on its own.
 *
 * @param supply if modules are supplied, `startup` has the reasons, and the assumptions name the modules
 */
export function loadServer(
  flags: ServerFlags,
  supply: ModuleSupply = "none",
): LoadedServer | { readonly failed: CommandResult } {
  const loaded = findServer(flags);
  if ("failed" in loaded || supply === "none") return loaded;
  const { project, startup } = loaded;
  // One that fails every request answers, with an error.
  if (supply === "unstarted" && startup.length === 0) return loaded;
  const supplied = supplyModules(installConfig(project.read), startup, loaded, (modules) => {
    const again = findServer({ ...flags, moreModules: [...(flags.moreModules ?? []), ...modules] });
    return "failed" in again ? undefined : again;
  });
  return { ...supplied.loaded, startup: supplied.findings };
}

function findServer(flags: ServerFlags): LoadedServer | { readonly failed: CommandResult } {
  const input = readStreams({
    ...flags,
    paths: [flags.entry],
    ...(flags.bySettings?.names.has("--envvars") ? { envvars: undefined } : {}),
  });
  if (input && "failed" in input) return { failed: createFailure(input.exitCode, input.failed) };
  const entry = input?.paths[0] ?? flags.entry;
  if (input?.overlay.has(resolve(entry)) !== true && realPathOf(resolve(entry)) === undefined)
    return { failed: createFailure(exitCodes.unreadable, `\`${entry}\` cannot be read: it does not exist`) };
  const overlay = flags.overlay ?? input?.overlay;
  if (flags.main !== undefined) return loadByMain(entry, flags.main, flags, overlay);
  const named = listNamedMains(flags);
  const piped = input?.overlay.get(resolve(entry));
  const isMain = piped !== undefined && entryKindOf(entry, piped) === "server";
  const main = isMain ? { path: resolve(entry), isMain } : findMainFileAround(entry, named, flags.confine);
  if ("failed" in main) return main;
  const real = main.isMain ? resolveOrKeepPath(main.path) : undefined;
  const mainFiles = [...(main.isMain ? [main.path] : []), ...[...named].filter((path) => path !== real)];
  for (const path of mainFiles) {
    const loaded = loadFrom(path, true, flags, overlay);
    if ("failed" in loaded ? path === main.path : isReached(entry, loaded.project)) return loaded;
  }
  const unreached = main.isMain ? `\`${entry}\` is not included by \`${main.path}\`` : undefined;
  if (unreached !== undefined && statSync(entry, { throwIfNoEntry: false })?.isDirectory())
    return { failed: createFailure(exitCodes.usage, `${unreached}; name the main file of its server`) };
  const onItsOwn = loadFrom(resolve(entry), false, flags, overlay);
  if ("failed" in onItsOwn) return onItsOwn;
  const role = onItsOwn.project.read.kind === "server" ? "as the main file of another server" : "on its own";
  const notes = unreached === undefined ? [] : [`httpd-lint: ${unreached}: it is analyzed ${role}`];
  return { ...onItsOwn, notes: [...onItsOwn.notes, ...notes, ...describePart(onItsOwn)] };
}

/** Reads the server of the main file that --main names, which must include the entry. */
function loadByMain(
  entry: string,
  main: string,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): LoadedServer | { readonly failed: CommandResult } {
  const wrong = validateMainFlag(main, overlay);
  if (wrong) return { failed: wrong };
  const loaded = loadFrom(resolve(main), true, flags, overlay);
  if ("failed" in loaded || isReached(entry, loaded.project)) return loaded;
  return {
    failed: createFailure(exitCodes.usage, `\`${entry}\` is not included by \`${main}\` of --main; ${rootAdvice}`),
  };
}

/** States once what is assumed about the rest of the server. */
function describePart({ project }: LoadedServer): readonly string[] {
  if (!project.isPart) return [];
  return [
    `httpd-lint: assuming that ${joinClauses(describeAssumptions(project.assumptions))}; name the main file with ENTRY or --main to check the whole server`,
  ];
}

/** Returns the main files that the configuration file names, by real path. */
function listNamedMains({ mainFiles }: ServerFlags): ReadonlySet<string> {
  return new Set((mainFiles ?? []).map(resolveOrKeepPath));
}

/** @param isMain whether the file is known to be a main file; if not, its name and content decide */
function loadFrom(
  path: string,
  isMain: boolean,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): LoadedServer | { readonly failed: CommandResult } {
  const reading = createReadingOptions(flags, path, overlay);
  if ("failed" in reading) return { failed: createFailure(exitCodes.usage, reading.failed) };
  const context = flags.fragments
    ? fragmentContextOf(flags.fragments, reading.access.realPath(fromReadable(path)))
    : [];
  const load: LoadOptions = { ...reading.load, context, htaccess: true, ...(isMain ? { kind: "server" } : {}) };
  const loaded = readEntry(path, load);
  if (!loaded.ok)
    return { failed: createFailure(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.error}`) };
  const config = loaded.value;
  const project = installConfig(config, { part: "open" });
  const choice = createFilesChoice(flags);
  if ("failed" in choice) return { failed: createFailure(exitCodes.unreadable, choice.failed) };
  const { confine } = flags;
  const root = confine === undefined ? undefined : (realPathOf(resolve(confine)) ?? resolve(confine));
  const isAbove = (path: string) => root !== undefined && isWithin(root, reading.access.realPath(path));
  return {
    project,
    files: createFileTree(choice, project, reading.access, isAbove),
    read: { load: { ...load, kind: config.kind }, choice, root },
    startup: findStartupErrors(installConfig(config)),
    notes: [...describeUnknownModules(flags), ...describeGuessedRoot(reading.guess), ...describeModuleList(config)],
  };
}

/** Returns the assumptions of several analyses, each clause once. */
export function collectAssumptions(...servers: readonly LoadedServer[]): readonly string[] {
  return [...new Set(servers.flatMap(({ project }) => describeAssumptions(project.assumptions)))];
}

/** Returns the files that servers were read from, by real path. */
export function collectFilesRead(
  ...servers: readonly { readonly project: Pick<Project, "files"> }[]
): readonly string[] {
  return servers.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source.realPath));
}

/** The first file to read. */
interface MainCandidate {
  readonly path: string;
  /** Whether its name or the configuration file identifies it as the main file of a server. */
  readonly isMain: boolean;
}

/**
 * Returns the main file of an entry: the entry itself, one in it, or the nearest one upwards. Without any, it is the
 * entry.
 *
 * @param named the main files that the configuration file names, by real path
 * @param confine the directory outside which nothing is listed
 */
export function findMainFileAround(
  entry: string,
  named: ReadonlySet<string> = new Set(),
  confine?: string,
): MainCandidate | { readonly failed: CommandResult } {
  const path = resolve(entry);
  if (named.has(resolveOrKeepPath(path))) return { path, isMain: true };
  const found = findEntryFiles(entry, confine);
  if ("failed" in found) return { failed: createFailure(exitCodes.unreadable, found.failed) };
  const [main, other] = found.mainFiles;
  if (main !== undefined && other !== undefined)
    return {
      failed: createFailure(exitCodes.usage, `\`${entry}\` has more than one server; name the main file of one`),
    };
  if (main !== undefined) return { path: main, isMain: true };
  const { files } = found;
  if (files.length > 1 || files[0] !== path)
    return {
      failed: createFailure(
        exitCodes.usage,
        `\`${entry}\` has no main file; name one of its files: ${formatSomePaths(files)}`,
      ),
    };
  return { path, isMain: false };
}

/** Reports whether the entry is the main file, its folder, or a file that it includes. */
function isReached(entry: string, project: Project): boolean {
  const real = realPathOf(resolve(entry)) ?? resolve(entry);
  const read = [...project.files.values()].map(({ source }) => source.realPath);
  return read.some((path) => path === real || path.startsWith(real + sep));
}

function createFilesChoice({ files, bySettings }: ServerFlags): FilesChoice | { readonly failed: string } {
  if (files === undefined) return defaultFilesChoice;
  if (files === "assume") return { by: "configuration" };
  if (files === "disk") return { by: "disk" };
  const isByFlag = bySettings?.names.has("--files") !== true;
  const content = isByFlag ? readNamedFile(files) : readFoundFile(files, bySettings?.within);
  const list = parseFileList(files, content, nameOptionSource(bySettings, "--files"));
  return "failed" in list ? list : { by: "list", paths: list.paths };
}

/** Parses one path per line, as printed by `find /srv/www`. A path that ends in a slash is an empty directory. */
function parseFileList(
  file: string,
  content: FileContent,
  given: string,
): { readonly paths: readonly string[] } | { readonly failed: string } {
  if (!content.ok) return { failed: `the list \`${file}\` of ${given} cannot be read` };
  const paths = toReadable(content.value.text)
    .split(/\r?\n/)
    .filter((line) => line !== "");
  const relative = paths.findIndex((path) => !path.startsWith("/"));
  if (relative >= 0)
    return {
      failed: `line ${relative + 1} of the list \`${file}\` of ${given} is not an absolute path: \`${paths[relative]}\``,
    };
  // A path with others below it is a directory, wherever it is in the list.
  return { paths: paths.map(fromReadable).sort() };
}

/**
 * Values that cannot be words of the report itself: at least six characters, not only letters, without JSON
 * punctuation.
 */
const distinctivePattern = /^(?=.*[^A-Za-z])(?=.*[A-Za-z])[\w.+@%!$^*/=~-]{6,}$/;

/** Masks values in a report that come from variables whose names indicate secrets. */
export function* maskServerVariables(pieces: Iterable<string>, servers: readonly LoadedServer[]): Generator<string> {
  const values = servers.flatMap(({ project, read: { load } }) =>
    secretValuesOf(
      [...project.files.values()].map(({ source }) => source),
      load.environment,
      load.defines,
    ),
  );
  const shown = [...new Set(values.map(toReadable))].filter((value) => distinctivePattern.test(value));
  for (const piece of pieces) yield shown.length === 0 ? piece : maskVariableValues(piece, shown);
}
