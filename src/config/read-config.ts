import { parseFile } from "../../grammar/parser.js";
import { isNewest, isSince, type Release, releaseOf, versionOf } from "../facts/release.js";
import { computeOnce } from "../text/memoize.js";
import type { Result } from "../text/result.js";
import { toReadable } from "../text/source.js";

import { type Conditions, type KnownConditions, keyOf, listUnread, readAlternatives } from "./alternatives.js";

import { entryKindOf, type FragmentContext, readFragmentContext, renderContextLines } from "./entry.js";
import { type FileAccess, type FileFailure, limitTotalSize } from "./files/file-access.js";
import { parentOf, pathRulesOf, resolvePath, toAbsolutePath } from "./files/paths.js";
import type { Directive } from "./model/directive.js";
import { LoadedModules, type LoadModule, listStartingModules } from "./model/modules.js";
import { ASSUMED_PATH, type EntryKind, type HtaccessView, type ReadConfig } from "./model/project.js";
import { Variables } from "./model/variables.js";
import { ConfigReader } from "./reader/config-reader.js";
import { findDisabledFiles } from "./reader/disabled-files.js";
import { FileReader } from "./reader/file-reader.js";
import { findHtaccessFiles, type HtaccessSearchResult } from "./reader/htaccess-discovery.js";
import { assumeModulesAround, createHtaccessEntry } from "./reader/htaccess-entry.js";
import type { Macro } from "./reader/macros.js";
import { describeUnsearched, readHtaccess } from "./reader/read-htaccess.js";
import { locatePath, type ReadingState } from "./reader/reading-state.js";
import { findSkippedFiles } from "./reader/skipped-files.js";
import { readUnusedMacro } from "./reader/unused-macros.js";
import type { Refusal } from "./refusals/refusal.js";

/** Options for reading a configuration. */
export interface ReadOptions {
  readonly release?: Release;
  /** The kind of the entry; derived from its name and content if absent. */
  readonly kind?: EntryKind;
  /** Overrides the configuration's own ServerRoot. */
  readonly serverRoot?: string;
  /** Defines as given by `-D NAME` or `Define NAME VALUE`. */
  readonly defines?: ReadonlyMap<string, string | undefined>;
  /** The server process's environment. */
  readonly environment?: ReadonlyMap<string, string>;
  /** The modules loaded in addition to those compiled in, regardless of LoadModule lines. */
  readonly modules?: readonly string[];
  readonly withoutModules?: readonly string[];
  /** Additional modules to assume loaded, as if more LoadModule lines were at the start. */
  readonly moreModules?: readonly string[];
  /** Whether to assume that no `.htaccess` file in the folders of UserDir controls access. */
  readonly assumesNoUserHtaccess?: boolean;
  /** The file access. */
  readonly access: FileAccess;
  /** The sections that a fragment is included in. Comments in the file take precedence. */
  readonly context?: FragmentContext;
  /** Whether to search for `.htaccess` files below the document roots, or below one; by default only for a server. */
  readonly htaccess?: boolean;
}

export type ReadResult = Result<ReadConfig, string>;

/**
 * Reads an entry and everything it includes as the server would.
 *
 * @param path of a file, as `access` knows it; a binary string, like the ServerRoot
 * @returns the configuration, or the reason why the entry cannot be read
 */
export function readConfig(path: string, options: ReadOptions): ReadResult {
  const main = readMain(path, options);
  if (!main.ok) return main;
  return { ok: true, value: withFiles(main.value, findFiles(main.value)) };
}

/** Returns a configuration with the `.htaccess` files that were found, and its alternatives. */
function withFiles(main: MainFiles, found: HtaccessSearchResult | undefined): ReadConfig {
  const readRest = (each: MainFiles) => readInnerFiles(each, found);
  return withAlternatives(main, readRest(main), readRest);
}

/**
 * @param base the configuration without alternatives
 * @param readRest completes an alternative from its main files
 */
function withAlternatives(main: MainFiles, base: ReadConfig, readRest: (main: MainFiles) => ReadConfig): ReadConfig {
  const { path, kind, options, state, listsModules } = main;
  const known: KnownConditions = {
    release: base.release,
    modulesAreKnown: base.modulesAreKnown,
    modulesAreGiven: options.modules !== undefined,
    releaseIsChosen: !isSince(base.release, "2.4"),
    versionIsChosen: !isNewest(base.release),
    definesAreKnown: (options.defines?.size ?? 0) > 0,
  };
  const alternatives = computeOnce(() =>
    readAlternatives(base, known, (conditions) => {
      const alternative = { ...conditions, parsed: base.files };
      const read = readFiles(path, kind, options, state.access, listsModules, alternative);
      return read.ok ? readRest({ ...read.value, listsModules }) : undefined;
    }),
  );
  return { ...base, alternatives };
}

/** @param found the `.htaccess` files; undefined if none were searched for */
function readInnerFiles(main: MainFiles, found: HtaccessSearchResult | undefined): ReadConfig {
  if (found === undefined) return configOf(main, noInnerFiles);
  const paths = found.files.map(({ path }) => path);
  const inner = readHtaccess(paths, main.state);
  return configOf(main, withAllFound(inner, found, inner.unread));
}

/** The main files of a server that were read, for analysis with some of its `.htaccess` files at a time. */
export interface OpenedServer {
  /** The configuration without any of those files. */
  readonly config: ReadConfig;
  /** Searches for the files. Undefined if the entry is not a server. */
  readonly findHtaccess: () => HtaccessSearchResult | undefined;
  /** Returns the configuration with all of them, and its alternatives. */
  readonly readWhole: (found: HtaccessSearchResult | undefined) => ReadConfig;
  /** Returns the configuration with some of them, which are read now. */
  readonly readPart: (paths: readonly string[], view: HtaccessView) => PartialConfig;
  /** Returns the configuration with some of them, given all that were found and those that could not be read. */
  readonly readMainPart: (
    paths: readonly string[],
    view: HtaccessView,
    found: HtaccessSearchResult,
    unread: UnreadFiles,
  ) => PartialConfig;
}

type UnreadFiles = ReadonlyMap<string, FileFailure>;

/** A server with some of its `.htaccess` files. */
export interface PartialConfig {
  readonly config: ReadConfig;
  readonly unread: UnreadFiles;
}

/** Reads only the main files of a server, which may have more `.htaccess` files than fit in memory. */
export function openServer(path: string, options: ReadOptions): Result<OpenedServer, string> {
  const main = readMain(path, options);
  if (!main.ok) return main;
  return {
    ok: true,
    value: {
      config: configOf(main.value, noInnerFiles),
      findHtaccess: () => findFiles(main.value),
      readWhole: (found) => withFiles(main.value, found),
      readPart(paths, view) {
        const inner = readHtaccess(paths, main.value.state);
        const readRest = (each: MainFiles, files = readHtaccess(paths, each.state)) => configOf(each, files, view);
        return { config: withAlternatives(main.value, readRest(main.value, inner), readRest), unread: inner.unread };
      },
      readMainPart(paths, view, found, unread) {
        const readRest = (each: MainFiles) => {
          const inner = readHtaccess(paths, each.state);
          return configOf(each, withAllFound(inner, found, unread), view);
        };
        return { config: withAlternatives(main.value, readRest(main.value), readRest), unread };
      },
    },
  };
}

/** Reads the main file until it is known whether there are LoadModule lines. */
function readMain(given: string, options: ReadOptions): Result<MainFiles, string> {
  const path = toAbsolutePath(given) ?? given;
  const disk = options.access;
  const content = disk.read(path);
  if (!content.ok) return { ok: false, error: content.error.message };
  // An entry may be large or a pipe, and is read only once.
  const access: FileAccess = { ...disk, read: (each) => (each === path ? content : disk.read(each)) };
  const named = entryKindOf(toReadable(path), content.value.text);
  const kind = options.kind ?? (named === "server" && content.value.isAddition ? "fragment" : named);
  // The LoadModule lines of a fragment are not complete: its server has others.
  const mayLoad = kind === "server" && options.modules === undefined;
  const loads = mayLoad && /^[ \t]*LoadModule[ \t]/im.test(content.value.text);
  const first = readFiles(path, kind, options, access, loads);
  if (!first.ok) return first;
  const guessedRight = !mayLoad || first.value.listsModules === loads;
  // The presence of LoadModule lines is certain only after all includes are read.
  const main = guessedRight ? first : readFiles(path, kind, options, access, first.value.listsModules);
  if (!main.ok || !mayLoad || !main.value.listsModules || hasCompleteModuleList(main.value)) return main;
  const withDefaults = readFiles(path, kind, options, access, false);
  return withDefaults.ok ? { ok: true, value: { ...withDefaults.value, listsModules: false } } : withDefaults;
}

/** Modules of which nearly every server loads at least one. */
const baseModules: ReadonlySet<string> = new Set([
  ...["authz_core_module", "unixd_module", "mpm_event_module", "mpm_worker_module", "mpm_prefork_module"],
  ...["mpm_itk_module", "authz_host_module", "mime_module", "dir_module", "log_config_module", "alias_module"],
  // Releases before 2.2 split these up.
  ...["access_module", "auth_module"],
]);

/** Paths of Include lines for the files with LoadModule lines, in the layouts of distributions. */
const moduleFiles = /\.load\b|\b(?:mods-enabled|conf\.modules\.d|modules\.d)\b/;

/**
 * Reports whether the LoadModule lines are all that the server has. They are not if none is for a base module: those are
 * built in, loaded by files that are missing here, or loaded only by a start with `-D NAME`. Nor are they if an Include
 * for module files finds none, or if the lines are for 2.4 and the files of any Include are elsewhere, as below a
 * ServerRoot of another machine. Files of 2.2 do not load what 2.4 needs.
 */
function hasCompleteModuleList({ reader: { report } }: MainFiles): boolean {
  const lines = report.loadModules.filter((line) => !isOfOneStart(line));
  const loads = (matches: (identifier: string) => boolean) => lines.some(({ identifier }) => matches(identifier));
  if (!loads((identifier) => baseModules.has(identifier))) return false;
  const missing = report.problems.filter(({ kind }) => kind === "include" || kind === "passed-over");
  const isElsewhere = missing.some(({ kind }) => kind === "passed-over");
  if (isElsewhere && loads((identifier) => identifier === "authz_core_module")) return false;
  const found = [...report.includes.filter(({ files }) => files.length === 0), ...missing];
  return !found.some(({ span: { file, start, end } }) => moduleFiles.test(file.text.slice(start, end)));
}

/**
 * Reports whether a line is read only by a start without `-D NAME`, as below `<IfDefine !SYSCONFIG>` of SUSE: with the
 * name, the server loads other modules.
 */
function isOfOneStart({ guard, includedFrom }: Pick<LoadModule, "guard" | "includedFrom">): boolean {
  for (let around = guard; around !== undefined; around = around.parent)
    if (around.kind === "<ifdefine" && around.negated) return true;
  if (includedFrom === undefined) return false;
  return isOfOneStart({ guard: includedFrom.guard, includedFrom: includedFrom.reading.includedFrom });
}

/** The result of reading the entry and its includes. */
interface MainFiles {
  readonly path: string;
  readonly kind: EntryKind;
  readonly options: ReadOptions;
  readonly state: ReadingState;
  readonly reader: ConfigReader;
  readonly directives: readonly Directive[];
  /** Whether LoadModule lines list the modules; false if the server has others that they do not list. */
  readonly listsModules: boolean;
}

function readFiles(
  path: string,
  kind: EntryKind,
  options: ReadOptions,
  access: FileAccess,
  hasLoadModule: boolean,
  alternative?: Conditions & Pick<ReadingState, "parsed">,
): Result<MainFiles, string> {
  const release = alternative?.version ? releaseOf(alternative.version) : (options.release ?? "2.4");
  const content = access.read(path);
  const pathRules = pathRulesOf(path, content.ok ? content.value.text : "");
  const isListed = hasLoadModule || options.modules !== undefined;
  const modules = new LoadedModules(release, listStartingModules(release, isListed, pathRules), !isListed);
  for (const name of [...(options.modules ?? []), ...(options.moreModules ?? [])]) modules.add(name);
  for (const name of options.withoutModules ?? []) modules.withhold(name);
  for (const [name, isLoaded] of alternative?.modules ?? [])
    if (isLoaded) modules.add(name);
    else modules.withhold(name);
  if (options.modules !== undefined) modules.close();
  const variables = new Variables(options.environment);
  for (const [name, value] of options.defines ?? []) variables.define(name, value);
  for (const name of alternative?.defines ?? []) variables.define(name);
  const state: ReadingState = {
    release,
    version: alternative?.version ?? versionOf(release),
    access: limitTotalSize(access),
    variables,
    modules,
    macros: new Map<string, Macro>(),
    usedMacros: new Set<Macro>(),
    pathRules,
    serverRoot: options.serverRoot ?? (kind === "server" ? findDefaultRoot(path, access) : parentOf(path)),
    serverRootIsFixed: options.serverRoot !== undefined,
    inHtaccess: kind === "htaccess",
    ...(alternative ? stateUnder(alternative) : {}),
    ...(alternative?.parsed ? { parsed: alternative.parsed } : {}),
  };
  if (kind === "htaccess") assumeModulesAround(path, state, options.htaccess === true);
  const directives: Directive[] = [];
  const reader = new ConfigReader(state);
  const unread =
    kind === "fragment"
      ? readInContext(path, reader, options, access, directives)
      : reader.readFile(path, undefined, directives, undefined);
  if (unread !== undefined) return { ok: false, error: unread.message };
  for (const macro of reader.report.macros)
    if (alternative?.macros.has(keyOf(macro.span)) && !state.usedMacros.has(macro))
      readUnusedMacro(macro, reader, directives);
  return {
    ok: true,
    // The LoadModule lines of a part are not all that its server has.
    value: {
      ...{ path, kind, options, state, reader, directives },
      listsModules: kind === "server" && reader.report.loadModules.length > 0,
    },
  };
}

function stateUnder({ files, templateConditions, appliesUndecided }: Conditions): Partial<ReadingState> {
  return { assumedFiles: files, templateConditions, appliesUndecided, includesAll: true };
}

/** The main files of Debian and SUSE, which have their directory compiled in as the ServerRoot. */
const packagedMain = /\/apache2\/(?:apache2|httpd)\.conf$/;

function isRootAssumed({ path, kind, state, reader }: MainFiles): boolean {
  return kind === "server" && !state.serverRootIsFixed && !reader.namesServerRoot && !packagedMain.test(path);
}

/** The relative path of an Include. */
const includedPath = /^[ \t]*Include(?:Optional)?[ \t]+["']?([^/\s"'][^\s"']*)/gim;

/** A wildcard or a variable, and the name that contains it. */
const variableName = /[^/]*[*?[$].*$/s;

/**
 * Returns the ServerRoot of a main file that does not name it. httpd has it compiled in, or gets it by `-d`: it is the
 * parent of `conf`, unless more of the included paths begin in `conf` itself.
 */
function findDefaultRoot(main: string, access: FileAccess): string {
  const folder = parentOf(main);
  if (!folder.endsWith("/conf")) return folder;
  const above = parentOf(folder);
  const content = access.read(main);
  const paths = content.ok ? [...content.value.text.matchAll(includedPath)].map(([, path = ""]) => path) : [];
  const isIn = (root: string, path: string) => {
    const known = path.replace(variableName, "");
    return known !== "" && access.exists(resolvePath(root, known).replace(/\/$/, ""));
  };
  const countIn = (root: string) => paths.filter((path) => isIn(root, path)).length;
  return countIn(folder) > countIn(above) ? folder : above;
}

/** Reads a fragment in the sections that it is included in, if they are named. */
function readInContext(
  path: string,
  reader: ConfigReader,
  options: ReadOptions,
  access: FileAccess,
  into: Directive[],
): FileFailure | undefined {
  const content = access.read(path);
  const named = content.ok ? readFragmentContext(content.value.text) : [];
  const context = named.length > 0 ? named : (options.context ?? []);
  if (context.length === 0) return reader.readFile(path, undefined, into, undefined);
  const source = { path: ASSUMED_PATH, realPath: ASSUMED_PATH, text: renderContextLines(context) };
  new FileReader(reader, { tree: parseFile(source) }, into, undefined).read();
  let section = into.at(-1);
  while (section?.children?.[0]) section = section.children[0];
  if (section === undefined) return reader.readFile(path, undefined, into, undefined);
  const children: Directive[] = [];
  const unread = reader.readFile(path, undefined, children, section);
  // Directives refer to their section, so it must remain the same object.
  Object.assign(section, { children });
  return unread;
}

function findFiles({ kind, options, directives, state }: MainFiles): HtaccessSearchResult | undefined {
  const findsHtaccess = kind !== "htaccess" && (options.htaccess ?? kind === "server");
  return findsHtaccess ? findHtaccessFiles(directives, (path) => locatePath(path, state), state.access) : undefined;
}

/** The `.htaccess` files that are part of a configuration. */
interface InnerFiles
  extends Pick<
    ReadConfig,
    | "htaccess"
    | "problems"
    | "guards"
    | "templateBranches"
    | "files"
    | "directories"
    | "missingFolders"
    | "absentFolders"
  > {
  /** The parts that could not be read. */
  readonly closed?: readonly Refusal[];
  readonly macros: readonly Macro[];
  /** With those that the files need, if the modules of the server are not known. */
  readonly modules?: LoadedModules;
}

function withAllFound(inner: InnerFiles, found: HtaccessSearchResult, unread: UnreadFiles): InnerFiles {
  const { directories, missingFolders } = found;
  const closed = describeUnsearched(found, unread);
  const absentFolders = found.absentFolders.map(({ path, by }) => ({ path: toReadable(path), by }));
  return { ...inner, ...(directories ? { directories } : {}), missingFolders, absentFolders, closed };
}

const noInnerFiles: InnerFiles = {
  htaccess: [],
  problems: [],
  guards: [],
  templateBranches: [],
  macros: [],
  files: new Map(),
};

function isCopy({ access, installedAt, serverRoot }: ReadingState): boolean {
  return access.isCopy === true || (installedAt !== undefined && installedAt !== serverRoot);
}

function configOf(main: MainFiles, inner: InnerFiles, view?: HtaccessView): ReadConfig {
  const { path, kind, options, state, reader, directives, listsModules } = main;
  const { report } = reader;
  const sharedObjects = reader.sharedObjects.knownNames();
  const tree = kind === "htaccess" ? report.files.get(path) : undefined;
  const config: Omit<ReadConfig, "alternatives" | "findSkippedFiles" | "findDisabledFiles"> = {
    kind,
    release: state.release,
    entry: toReadable(path),
    pathRules: state.pathRules,
    serverRoot: toReadable(state.serverRoot),
    ...(isRootAssumed(main) ? { serverRootIsAssumed: true } : {}),
    ...(state.installedAt === undefined ? {} : { installedAt: toReadable(state.installedAt) }),
    ...(isCopy(state) && sharedObjects === undefined ? { isCopy: true } : {}),
    directives,
    htaccess: inner.htaccess,
    ...(tree ? { htaccessEntry: createHtaccessEntry(path, tree, directives, state, options.htaccess === true) } : {}),
    ...(inner.directories ? { directories: inner.directories } : {}),
    ...(inner.missingFolders ? { missingFolders: inner.missingFolders } : {}),
    ...(inner.absentFolders ? { absentFolders: inner.absentFolders } : {}),
    ...(view ? { view } : {}),
    modules: inner.modules ?? state.modules,
    suppliedModules: options.moreModules ?? [],
    ...(options.assumesNoUserHtaccess ? { assumesNoUserHtaccess: true } : {}),
    modulesAreKnown: options.modules !== undefined || listsModules,
    loadModules: report.loadModules,
    ...(sharedObjects ? { sharedObjects } : {}),
    guards: [...report.guards, ...inner.guards],
    templateBranches: [...report.templateBranches, ...inner.templateBranches],
    macros: [...report.macros, ...inner.macros].map((macro) => ({
      span: macro.span,
      isUsed: state.usedMacros.has(macro),
    })),
    includes: report.includes,
    executedLines: report.executedLines,
    problems: [...report.problems, ...inner.problems, ...(inner.closed ?? [])],
    files: new Map([...report.files, ...inner.files]),
  };
  return {
    ...config,
    findSkippedFiles: computeOnce(() => findSkippedFiles(config.includes, config.files, state.access)),
    findDisabledFiles: computeOnce(() => findDisabledFiles(config.includes, config.files, state)),
    alternatives: computeOnce(() => listUnread(config)),
  };
}
