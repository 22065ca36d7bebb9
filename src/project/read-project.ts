import type { ConfigTree } from "../../grammar/ast.js";
import type { Release } from "../directives/directives.js";
import { toReadable } from "../text/source.js";
import { boundedAccess } from "./bounded-access.js";
import type { Directive } from "./directive.js";
import type { FileAccess } from "./files.js";
import type { Guard } from "./guards.js";
import { closedDirectory, closedFile, findHtaccessFiles, unfinishedFault } from "./htaccess.js";
import type { Macro } from "./macros.js";
import { LoadedModules, startingModules } from "./modules.js";
import { parentOf } from "./paths.js";
import { type Problem, ProblemLog } from "./problems.js";
import type { EntryKind, HtaccessFile, Project } from "./project.js";
import { ConfigReader, type ReadingState } from "./reader.js";
import { Variables } from "./variables.js";

/** How a configuration is read. */
export interface ReadOptions {
  readonly release?: Release;
  /** What the entry is; worked out from its name and content where absent. */
  readonly kind?: EntryKind;
  /** Overrides the configuration's own ServerRoot. */
  readonly serverRoot?: string;
  /** As `-D NAME` or `Define NAME VALUE` would give them. */
  readonly defines?: ReadonlyMap<string, string | undefined>;
  /** The server process's environment. */
  readonly environment?: ReadonlyMap<string, string>;
  /** The modules loaded beside those compiled in, whatever LoadModule lines there are. */
  readonly modules?: readonly string[];
  readonly withoutModules?: readonly string[];
  /** Modules taken for loaded besides, as if more LoadModule lines stood at the start. */
  readonly moreModules?: readonly string[];
  /** How files are reached. */
  readonly access: FileAccess;
  /** Whether to look for `.htaccess` files under the document roots; default yes. */
  readonly htaccess?: boolean;
}

export type LoadResult = { readonly project: Project } | { readonly failed: string };

/** The versions that stand for a release where a configuration asks with IfVersion. */
const versions: { readonly [release in Release]: readonly [number, number, number] } = {
  "2.2": [2, 2, 34],
  "2.4": [2, 4, 71],
};

/**
 * Reads an entry and all that it includes as the server would.
 *
 * @param path of a file, as `access` knows it; a binary string, as the ServerRoot is
 * @returns the project, or in words why the entry itself cannot be read
 */
export function readProject(path: string, options: ReadOptions): LoadResult {
  const disk = options.access;
  const content = disk.read(path);
  if ("failed" in content) return { failed: content.failed };
  // An entry may be large, and it may be a pipe: it is read once.
  const access: FileAccess = { ...disk, read: (each) => (each === path ? content : disk.read(each)) };
  const kind = options.kind ?? kindOf(toReadable(path), content.text);
  // The LoadModule lines of a fragment are not all there are: its server has others.
  const mayLoad = kind === "server" && options.modules === undefined;
  const loads = mayLoad && /^[ \t]*LoadModule[ \t]/im.test(content.text);
  const first = readAll(path, kind, options, access, loads);
  if ("failed" in first) return first;
  const guessedRight = !mayLoad || first.loadedAny === loads;
  // Whether there are LoadModule lines is known for sure only after all includes are read.
  const read = guessedRight ? first : readAll(path, kind, options, access, first.loadedAny);
  return "failed" in read ? read : { project: read.project };
}

/** A main file has the name of one, or sets the ServerRoot. */
function kindOf(path: string, text: string): EntryKind {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (name === "httpd.conf" || name === "apache2.conf") return "server";
  if (/^\.ht/.test(name) || /(^|[._-])htaccess(\.(txt|dist|sample))?$/.test(name)) return "htaccess";
  return /^[ \t]*ServerRoot[ \t]/im.test(text) ? "server" : "fragment";
}

/** Reads a `.htaccess` file once more, with some lines passed over; what is wrong with its text has been told. */
function readingAnew(tree: ConfigTree, state: ReadingState): Pick<HtaccessFile, "readPassingOver"> {
  return {
    readPassingOver(isPassedOver) {
      const inside: Directive[] = [];
      new ConfigReader({ ...state, inHtaccess: true, isPassedOver }).readTree({ tree }, inside, undefined);
      return inside;
    },
  };
}

interface ReadAll {
  readonly project: Project;
  readonly loadedAny: boolean;
}

function readAll(
  path: string,
  kind: EntryKind,
  options: ReadOptions,
  access: FileAccess,
  hasLoadModule: boolean,
): ReadAll | { failed: string } {
  const release = options.release ?? "2.4";
  const modules = new LoadedModules(release, startingModules(release, hasLoadModule || options.modules !== undefined));
  for (const name of [...(options.modules ?? []), ...(options.moreModules ?? [])]) modules.add(name);
  for (const name of options.withoutModules ?? []) modules.withhold(name);
  if (options.modules !== undefined) modules.close();
  const variables = new Variables(options.environment);
  for (const [name, value] of options.defines ?? []) variables.define(name, value);
  const state: ReadingState = {
    release,
    version: versions[release],
    access: boundedAccess(access),
    variables,
    modules,
    macros: new Map<string, Macro>(),
    serverRoot: options.serverRoot ?? parentOf(path),
    serverRootIsFixed: options.serverRoot !== undefined,
    inHtaccess: kind === "htaccess",
  };
  const directives: Directive[] = [];
  const reader = new ConfigReader(state);
  const unread = reader.readFile(path, undefined, directives, undefined);
  if (unread !== undefined) return { failed: unread.failed };
  const loadedAny = reader.report.loadModules.length > 0;

  const problems: Problem[] = [...reader.report.problems];
  const guards: Guard[] = [...reader.report.guards];
  const files = new Map<string, ConfigTree>(reader.report.files);
  const htaccess: HtaccessFile[] = [];
  let directories: ReadonlySet<string> | undefined;
  if (kind === "server" && options.htaccess !== false) {
    const found = findHtaccessFiles(directives, state.serverRoot, access);
    directories = found.directories;
    const closed = new ProblemLog(false);
    const blame = ({ directory, ...fault }: ReturnType<typeof closedFile>, { span }: Directive) =>
      closed.add("closed", span, fault, [], { directory });
    for (const each of found.closed) blame(closedDirectory(each), each.by);
    if (found.unfinished) closed.add("limit", found.unfinished.by.span, unfinishedFault(found.unfinished));
    for (const { path: file, by } of found.files) {
      const inner = new ConfigReader({ ...state, inHtaccess: true });
      const inside: Directive[] = [];
      const unread = inner.readFile(file, undefined, inside, undefined);
      if (unread && !unread.isAbsent) blame(closedFile(file, unread), by);
      if (unread) continue;
      const tree = inner.report.files.get(file);
      if (tree)
        htaccess.push({ directory: toReadable(parentOf(file)), tree, directives: inside, ...readingAnew(tree, state) });
      problems.push(...inner.report.problems);
      guards.push(...inner.report.guards);
      for (const [name, tree] of inner.report.files) files.set(name, tree);
    }
    problems.push(...closed.problems);
  }
  const sharedObjects = reader.sharedObjects.known();
  const project: Project = {
    kind,
    release,
    entry: toReadable(path),
    serverRoot: toReadable(state.serverRoot),
    ...(state.installedAt === undefined ? {} : { installedAt: toReadable(state.installedAt) }),
    directives,
    htaccess,
    ...(directories ? { directories } : {}),
    modules,
    modulesAreKnown: options.modules !== undefined || (kind === "server" && loadedAny),
    loadModules: reader.report.loadModules,
    ...(sharedObjects ? { sharedObjects } : {}),
    guards,
    includes: reader.report.includes,
    problems,
    files,
  };
  return { project, loadedAny };
}
