import type { ConfigTree } from "../../../grammar/ast.js";
import { fromReadable } from "../../text/source.js";
import { compileFileWildcard } from "../../text/wildcards.js";
import { isWithin, parentOf } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { LoadedModules } from "../model/modules.js";
import type { DisabledFile, Include } from "../model/project.js";
import { ConfigReader } from "./config-reader.js";
import type { ReadingState } from "./reading-state.js";
import { findSkippedFiles } from "./skipped-files.js";
import { listCommentedFiles, listFilesBeside, type OmittedFile } from "./unread-files.js";

/** The wildcards of Debian's main file for the files that `a2enconf`, `a2ensite` and `a2enmod` enable by a link. */
const enabledFiles = /^(.*)\/(conf|sites|mods)-enabled\/\*(?:\.conf)?$/s;

/**
 * Finds the files that wildcards skip, and those of the `conf-available`, `sites-available` and `mods-available` folders that no
 * line reads, if an Include reads the folder of those that are enabled. Then those that a commented Include line names, and others that
 * are beside files which are read. A file that httpd would reject is not among them.
 */
export function findDisabledFiles(
  includes: readonly Include[],
  files: ReadonlyMap<string, ConfigTree>,
  state: ReadingState,
): readonly DisabledFile[] {
  const read: ReadonlySet<string> = new Set([...files.values()].map(({ source }) => source.realPath));
  const known = new Set(read);
  const available = includes.flatMap(({ path, files: enabled }) => {
    const [, root = "", folder] = enabledFiles.exec(path) ?? [];
    const kind = kinds.find((each) => each === folder);
    const entries = kind ? state.access.list(`${root}/${kind}-available`) : undefined;
    if (kind === undefined || !entries?.ok) return [];
    const names = new Set(enabled.map(baseNameOf));
    return entries.value.flatMap(({ name }): readonly DisabledFile[] => {
      if (!name.endsWith(".conf") || names.has(name)) return [];
      const file = readFile(`${root}/${kind}-available/${name}`, state);
      return file && !known.has(file.source.realPath) ? [{ ...file, kind, name: name.slice(0, -".conf".length) }] : [];
    });
  });
  const skipped = findSkippedFiles(includes, files, state.access).flatMap(
    ({ source, ending }): readonly DisabledFile[] => {
      const { path } = source;
      known.add(source.realPath);
      const file = readFile(fromReadable(path), state);
      return file ? [{ ...file, kind: "include", name: baseNameOf(path) + ending }] : [];
    },
  );
  const unread = [...listCommentedFiles(files.values(), state), ...listFilesBeside(includes, state)].flatMap(
    (found) => {
      const file = readFile(found.path, state);
      if (file === undefined || known.has(file.source.realPath)) return [];
      known.add(file.source.realPath);
      if (found.comment === undefined && isOfServer(file, read)) return [];
      return [{ ...file, ...nameUnread(found, includes, state.serverRoot) }];
    },
  );
  return [...available, ...skipped, ...unread];
}

/** Returns how a file is enabled that no line reads: by a name that a wildcard matches, or by an Include line. */
function nameUnread(
  { path, comment }: OmittedFile,
  includes: readonly Include[],
  serverRoot: string,
): Pick<DisabledFile, "kind" | "name" | "comment"> {
  const stem = path.replace(/(\.(?:conf|vhost))[._-]\w+$/i, "$1");
  const isMatched = (each: Include) =>
    parentOf(each.path) === parentOf(path) && compileFileWildcard(baseNameOf(each.path))(baseNameOf(stem));
  if (comment === undefined && stem !== path && includes.some(isMatched))
    return { kind: "include", name: baseNameOf(stem) };
  const name = isWithin(path, serverRoot) ? path.slice(serverRoot.length + 1) : path;
  return comment === undefined ? { kind: "unread", name } : { kind: "comment", name, comment };
}

function baseNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

const kinds = ["conf", "sites", "mods"] as const;

/** Reads a file as if it came after all others; undefined if it cannot be read, or if it would prevent a start. */
function readFile(
  path: string,
  state: ReadingState,
): Pick<DisabledFile, "source" | "directives" | "modules"> | undefined {
  const modules = state.modules.copy();
  const variables = state.variables.copy();
  const reader = new ConfigReader({ ...state, modules, variables, macros: new Map(state.macros) });
  const directives: Directive[] = [];
  const loads = path.replace(/\.conf$/, ".load");
  if (state.access.exists(loads)) reader.readFile(loads, undefined, directives, undefined);
  const failure = reader.readFile(path, undefined, directives, undefined);
  const source = reader.report.files.get(path)?.source;
  if (failure || source === undefined || reader.report.problems.length > 0) return undefined;
  return directives.some((each) => lacksModule(each, modules)) ? undefined : { source, directives, modules };
}

/**
 * Reports whether a file that no line names is the main file of a server, or a copy of it: it has settings that are for a whole server,
 * or reads files that are read already.
 *
 * @param read the real paths of these files
 */
function isOfServer(
  { directives, source }: Pick<DisabledFile, "directives" | "source">,
  read: ReadonlySet<string>,
): boolean {
  const isForServer = ({ known: { facts }, span: { file }, children = [] }: Directive): boolean =>
    facts.some(({ status }) => status === "MPM") ||
    (file !== source && read.has(file.realPath)) ||
    children.some(isForServer);
  return serverSettings.test(source.text) || directives.some(isForServer);
}

/** Settings of main files, also in sections that do not apply here. */
const serverSettings = /^[ \t]*(?:Listen|ServerRoot|LoadModule|PidFile|User|Group)[ \t]/im;

/** Reports whether no loaded module has a directive, or one in its section. */
function lacksModule({ known: { facts }, children = [] }: Directive, modules: LoadedModules): boolean {
  const isLacking = facts.length > 0 && !facts.some((each) => modules.provides(each));
  return isLacking || children.some((each) => lacksModule(each, modules));
}
