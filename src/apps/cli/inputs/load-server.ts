import { statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { entryKindOf } from "../../../config/entry.js";
import type { FileContent } from "../../../config/files/file-access.js";
import { readFoundFile, readNamedFile, resolveOrKeepPath } from "../../../config/files/file-content.js";
import { isWithin, toAbsolutePath } from "../../../config/files/paths.js";
import { realPathOf } from "../../../config/main-files.js";
import type { Project } from "../../../config/model/project.js";
import { type LoadOptions, readEntry } from "../../../config/read-entry.js";
import { findMissingParts, isUnread } from "../../../config/refusals/refusal.js";
import type { Finding } from "../../../lint/finding.js";
import { maskVariableValues } from "../../../report/secrets/redaction.js";
import { secretValuesOf } from "../../../report/secrets/secret-names.js";
import { describeAssumedModules, describeAssumptions, joinClauses } from "../../../report/text/assumption-words.js";
import { createFileTree, defaultFilesChoice, type FilesChoice } from "../../../server/file-trees.js";
import type { FileTree } from "../../../server/model/file-tree.js";
import { installConfig } from "../../../startup/install-config.js";
import type { Result } from "../../../text/result.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import { findStartupErrors, supplyModules } from "../../server-failure.js";
import { fragmentContextOf } from "../../settings/path-ignores.js";
import type { FragmentContexts } from "../../settings/settings.js";
import { type CommandResult, exitCodes, failWith } from "../output/command-result.js";
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
  /** The path of the URL to answer. */
  readonly requestPath?: string | undefined;
  /** What to tell about the release. */
  readonly notesOnRelease?: readonly string[] | undefined;
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
export function loadServer(flags: ServerFlags, supply: ModuleSupply = "none"): Result<LoadedServer, CommandResult> {
  const loaded = findServer(flags);
  if (!loaded.ok || supply === "none") return loaded;
  const { project, startup } = loaded.value;
  // One that fails every request answers, with an error.
  if (supply === "unstarted" && startup.length === 0) return loaded;
  const supplied = supplyModules(installConfig(project.read), startup, loaded.value, (modules) => {
    const again = findServer({ ...flags, moreModules: [...(flags.moreModules ?? []), ...modules] });
    return again.ok ? again.value : undefined;
  });
  return { ok: true, value: { ...supplied.loaded, startup: supplied.findings } };
}

function findServer(flags: ServerFlags): Result<LoadedServer, CommandResult> {
  const streams = readStreams({
    ...flags,
    paths: [flags.entry],
    ...(flags.bySettings?.names.has("--envvars") ? { envvars: undefined } : {}),
  });
  if (streams && !streams.ok) return streams;
  const input = streams?.value;
  const entry = input?.paths[0] ?? flags.entry;
  if (input?.overlay.has(resolve(entry)) !== true && realPathOf(resolve(entry)) === undefined)
    return failWith(exitCodes.unreadable, `\`${entry}\` cannot be read: it does not exist`);
  const overlay = flags.overlay ?? input?.overlay;
  if (flags.main !== undefined) return loadByMain(entry, flags.main, flags, overlay);
  const named = listNamedMains(flags);
  const piped = input?.overlay.get(resolve(entry));
  const isMain = piped !== undefined && entryKindOf(entry, piped) === "server";
  const found: ReturnType<typeof findMainFileAround> = isMain
    ? { ok: true, value: { path: resolve(entry), isMain } }
    : findMainFileAround(entry, named, flags);
  if (!found.ok) return found;
  const main = found.value;
  const real = main.isMain ? resolveOrKeepPath(main.path) : undefined;
  const mainFiles = [...(main.isMain ? [main.path] : []), ...[...named].filter((path) => path !== real)];
  for (const path of mainFiles) {
    const loaded = loadFrom(path, true, flags, overlay);
    if (loaded.ok ? isReached(entry, loaded.value.project) : path === main.path) return loaded;
  }
  const unreached = main.isMain ? `\`${entry}\` is not included by \`${main.path}\`` : undefined;
  if (unreached !== undefined && statSync(entry, { throwIfNoEntry: false })?.isDirectory())
    return failWith(exitCodes.usage, `${unreached}; name the main file of its server`);
  const onItsOwn = loadFrom(resolve(entry), false, flags, overlay);
  if (!onItsOwn.ok) return onItsOwn;
  const role = onItsOwn.value.project.read.kind === "server" ? "as the main file of another server" : "on its own";
  const notes = unreached === undefined ? [] : [`httpd-lint: ${unreached}: it is analyzed ${role}`];
  return {
    ok: true,
    value: { ...onItsOwn.value, notes: [...onItsOwn.value.notes, ...notes, ...describePart(onItsOwn.value)] },
  };
}

/** Reads the server of the main file that --main names, which must include the entry. */
function loadByMain(
  entry: string,
  main: string,
  flags: ServerFlags,
  overlay: ReadonlyMap<string, string> | undefined,
): Result<LoadedServer, CommandResult> {
  const wrong = validateMainFlag(main, overlay);
  if (wrong) return { ok: false, error: wrong };
  const loaded = loadFrom(resolve(main), true, flags, overlay);
  if (!loaded.ok || isReached(entry, loaded.value.project)) return loaded;
  return failWith(exitCodes.usage, `\`${entry}\` is not included by \`${main}\` of --main; ${rootAdvice}`);
}

/** States once what is assumed about the rest of the server. */
function describePart({ project }: LoadedServer): readonly string[] {
  if (!project.isPart) return [];
  const modules = project.modules.listAssumed();
  const clauses = [
    ...describeAssumptions(project.assumptions),
    ...(modules.length === 0 ? [] : [describeAssumedModules(modules)]),
  ];
  return [
    `httpd-lint: assuming that ${joinClauses(clauses)}; name the main file with ENTRY or --main to check the whole server`,
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
): Result<LoadedServer, CommandResult> {
  const reading = createReadingOptions(flags, path, overlay);
  if (!reading.ok) return failWith(exitCodes.usage, reading.error);
  const context = flags.fragments
    ? fragmentContextOf(flags.fragments, reading.value.access.realPath(fromReadable(path)))
    : [];
  const load: LoadOptions = { ...reading.value.load, context, htaccess: true, ...(isMain ? { kind: "server" } : {}) };
  const loaded = readEntry(path, load);
  if (!loaded.ok) return failWith(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.error}`);
  const config = loaded.value;
  const project = installConfig(config, { part: "open", requestPath: flags.requestPath });
  const choice = createFilesChoice(flags);
  if (!choice.ok) return failWith(exitCodes.unreadable, choice.error);
  const { confine } = flags;
  const root = confine === undefined ? undefined : (realPathOf(resolve(confine)) ?? resolve(confine));
  const isAbove = (path: string) => root !== undefined && isWithin(root, reading.value.access.realPath(path));
  return {
    ok: true,
    value: {
      project,
      files: createFileTree(choice.value, project, reading.value.access, isAbove),
      read: { load: { ...load, kind: config.kind }, choice: choice.value, root },
      startup: findStartupErrors(installConfig(config)),
      notes: [
        ...(flags.notesOnRelease ?? []),
        ...describeUnknownModules(flags),
        ...describeGuessedRoot(reading.value.guess),
        ...describeModuleList(config),
        ...describeUnreadHtaccess(project),
      ],
    },
  };
}

/** States what is assumed of `.htaccess` files that were not read. */
function describeUnreadHtaccess(project: Project): readonly string[] {
  return listUnreadHtaccess(project).map((clause) => `httpd-lint: assuming that ${clause}`);
}

function listUnreadHtaccess({ assumptions }: Project): readonly string[] {
  return describeAssumptions(
    assumptions.filter(({ code }) => code === "no-userdir-htaccess" || code === "absent-folders-without-htaccess"),
  );
}

/** Returns the assumptions about a server that its notes do not state. */
export function collectUnnotedAssumptions(server: LoadedServer): readonly string[] {
  if (server.project.isPart) return [];
  const noted = new Set(listUnreadHtaccess(server.project));
  return collectAssumptions(server).filter((clause) => !noted.has(clause));
}

/** Returns the assumptions of several analyses, each clause once. */
export function collectAssumptions(...servers: readonly LoadedServer[]): readonly string[] {
  return [...new Set(servers.flatMap(({ project }) => describeAssumptions(project.assumptions)))];
}

/** Returns the assumptions of a proof about several servers: also that the missing files of Include lines do not matter. */
export function collectProofAssumptions(...servers: readonly LoadedServer[]): readonly string[] {
  return [...new Set([...collectAssumptions(...servers), ...assumeMissingFiles(servers)])];
}

/** States what a proof assumes of the missing files of Include lines. */
export function describeMissingFiles(servers: readonly LoadedServer[]): readonly string[] {
  return assumeMissingFiles(servers).map((clause) => `httpd-lint: assuming that ${clause}`);
}

function assumeMissingFiles(servers: readonly LoadedServer[]): readonly string[] {
  const clauses = servers.flatMap(({ project }) => {
    // What else is missing is unread, and not proved.
    const problems = findMissingParts(project).filter((each) => !isUnread(each));
    return problems.length === 0 ? [] : describeAssumptions([{ code: "missing-files-empty", problems }]);
  });
  return [...new Set(clauses)];
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
 * @param within the directory outside which nothing is listed, and the root of the server's file system
 */
export function findMainFileAround(
  entry: string,
  named: ReadonlySet<string> = new Set(),
  within: Pick<ServerFlags, "confine" | "sysroot"> = {},
): Result<MainCandidate, CommandResult> {
  const path = resolve(entry);
  if (named.has(resolveOrKeepPath(path))) return { ok: true, value: { path, isMain: true } };
  const found = findEntryFiles(entry, within);
  if (!found.ok) return failWith(exitCodes.unreadable, found.error);
  const [main, other] = found.value.mainFiles;
  if (main !== undefined && other !== undefined)
    return failWith(exitCodes.usage, `\`${entry}\` has more than one server; name the main file of one`);
  if (main !== undefined) return { ok: true, value: { path: main, isMain: true } };
  const { files } = found.value;
  if (files.length > 1 || files[0] !== path)
    return failWith(exitCodes.usage, `\`${entry}\` has no main file; name one of its files: ${formatSomePaths(files)}`);
  return { ok: true, value: { path, isMain: false } };
}

/** Reports whether the entry is the main file, its folder, or a file that it includes. */
function isReached(entry: string, project: Project): boolean {
  const real = realPathOf(resolve(entry)) ?? resolve(entry);
  const read = [...project.files.values()].map(({ source }) => source.realPath);
  return read.some((path) => path === real || path.startsWith(real + sep));
}

function createFilesChoice({ files, sysroot, bySettings }: ServerFlags): Result<FilesChoice, string> {
  if (files === undefined) return { ok: true, value: { ...defaultFilesChoice, isOfServer: sysroot !== undefined } };
  if (files === "assume") return { ok: true, value: { by: "configuration" } };
  if (files === "disk") return { ok: true, value: { by: "disk" } };
  const isByFlag = bySettings?.names.has("--files") !== true;
  const content = isByFlag ? readNamedFile(files) : readFoundFile(files, bySettings?.within);
  const list = parseFileList(files, content, nameOptionSource(bySettings, "--files"));
  return list.ok ? { ok: true, value: { by: "list", paths: list.value } } : list;
}

/** Parses one path per line, as printed by `find /srv/www`. A path that ends in a slash is an empty directory. */
function parseFileList(file: string, content: FileContent, given: string): Result<readonly string[], string> {
  if (!content.ok) return { ok: false, error: `the list \`${file}\` of ${given} cannot be read` };
  const paths = toReadable(content.value.text)
    .split(/\r?\n/)
    .filter((line) => line !== "");
  const relative = paths.findIndex((path) => toAbsolutePath(path) === undefined);
  if (relative >= 0)
    return {
      ok: false,
      error: `line ${relative + 1} of the list \`${file}\` of ${given} is not an absolute path: \`${paths[relative]}\``,
    };
  // A path with others below it is a directory, wherever it is in the list.
  return { ok: true, value: paths.map(fromReadable).sort() };
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
