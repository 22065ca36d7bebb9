import type { ConfigTree } from "../../../grammar/ast.js";
import { toReadable } from "../../text/source.js";
import { formatNumber } from "../../text/words.js";
import { directoryFailure, type FileFailure } from "../files/file-access.js";
import { nativePath, parentOf } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { Guard } from "../model/guards.js";
import type { LoadedModules } from "../model/modules.js";
import type { HtaccessFile, TemplateBranchReading } from "../model/project.js";
import { isUnread, type Refusal, RefusalLog, type RefusalText, wordingOf } from "../refusals/refusal.js";
import { ConfigReader } from "./config-reader.js";
import { FileReader } from "./file-reader.js";
import {
  type ClosedDirectory,
  type FoundPath,
  type HtaccessSearchResult,
  MAX_DIRECTORIES,
  type RepeatedDirectory,
} from "./htaccess-discovery.js";
import type { Macro } from "./macros.js";
import { ReaderCache, type ReadingState } from "./reading-state.js";

/** The result of reading `.htaccess` files. */
interface ReadHtaccessFiles {
  readonly htaccess: HtaccessFile[];
  readonly problems: Refusal[];
  readonly guards: Guard[];
  readonly templateBranches: TemplateBranchReading[];
  readonly macros: Macro[];
  /** By the path that was read. */
  readonly files: Map<string, ConfigTree>;
  /** Existing files that could not be read, with the reason, by path. */
  readonly unread: Map<string, FileFailure>;
  /** The modules of the server, with those that the files need if the others are not known. */
  readonly modules: LoadedModules;
}

/**
 * Reads `.htaccess` files one by one, as the server does when a request reaches them.
 *
 * @param main the state after reading the main files
 */
export function readHtaccess(paths: readonly string[], main: ReadingState): ReadHtaccessFiles {
  const modules = main.modules.isOpen ? main.modules.copy() : main.modules;
  const files = new Map<string, ConfigTree>();
  const read: ReadHtaccessFiles = {
    htaccess: [],
    problems: [],
    guards: [],
    templateBranches: [],
    macros: [],
    files,
    unread: new Map(),
    modules,
  };
  // A macro that one of them defines does not exist in the main files.
  const state: ReadingState = { ...main, modules, inHtaccess: true, macros: new Map(main.macros) };
  const known = new ReaderCache();
  for (const path of paths) {
    const reader = new ConfigReader(state, known);
    const directives: Directive[] = [];
    const unread = reader.readFile(path, undefined, directives, undefined);
    if (unread && !unread.isAbsent) read.unread.set(path, unread);
    if (unread) continue;
    const { report } = reader;
    const directory = toReadable(parentOf(path));
    const tree = report.files.get(path);
    if (tree) read.htaccess.push(createHtaccessFile(directory, tree, directives, state));
    for (const problem of report.problems) read.problems.push(isUnread(problem) ? { ...problem, directory } : problem);
    for (const guard of report.guards) read.guards.push(guard);
    for (const branch of report.templateBranches) read.templateBranches.push(branch);
    for (const macro of report.macros) read.macros.push(macro);
    for (const [name, each] of report.files) read.files.set(name, each);
  }
  return read;
}

/** Returns the problems for directories and files that could not be read, each at the line that leads there. */
export function describeUnsearched(
  found: HtaccessSearchResult,
  unread: ReadonlyMap<string, FileFailure>,
): readonly Refusal[] {
  const closed = new RefusalLog(false);
  const add = ({ directory, searchedBelow, firstName, ...fault }: UnreadDescription, { span }: Directive) =>
    closed.add(span, fault, [], {
      directory,
      ...(searchedBelow ? { searchedBelow } : {}),
      ...(firstName === undefined ? {} : { firstName }),
    });
  for (const each of found.closed) add(describeClosedDirectory(each), each.by);
  for (const [at, each] of found.unfinished.entries()) {
    const unfinished = describeUnfinishedSearch(each);
    // One problem is enough.
    add(at === 0 ? unfinished : { ...unfinished, kind: "passed-over" }, each.by);
  }
  for (const each of found.passed) add(describeSkippedFolder(each, found.roots), each.by);
  for (const each of found.repeated) add(describeRepeatedDirectory(each), each.by);
  if (unread.size === 0) return closed.problems;
  for (const { path, by } of found.files) {
    const failure = unread.get(path);
    if (failure) add(describeClosedFile(path, failure), by);
  }
  return closed.problems;
}

/** Returns a `.htaccess` file that was read. */
export function createHtaccessFile(
  directory: string,
  tree: ConfigTree,
  directives: readonly Directive[],
  state: ReadingState,
): HtaccessFile {
  return { directory, tree, directives, ...createRereader(tree, state) };
}

/** Reads a `.htaccess` file again with some lines ignored; its syntax errors have already been reported. */
function createRereader(tree: ConfigTree, state: ReadingState): Pick<HtaccessFile, "readWithout"> {
  return {
    readWithout(isSkipped) {
      const inside: Directive[] = [];
      new FileReader(new ConfigReader({ ...state, isSkipped }), { tree }, inside, undefined).read();
      return inside;
    },
  };
}

/** A fault with the `.htaccess` files that it leaves unknown. */
interface UnreadDescription
  extends RefusalText,
    Required<Pick<Refusal, "directory">>,
    Pick<Refusal, "searchedBelow" | "firstName"> {}

/** Returns the fault for a `.htaccess` file that cannot be read. */
function describeClosedFile(path: string, failure: FileFailure): UnreadDescription {
  const directory = toReadable(parentOf(path));
  if (failure.system === undefined)
    return { ...wordingOf("unreadable-htaccess", nativePath(path), failure.message), directory };
  return {
    ...wordingOf("irregular-htaccess", nativePath(path), failure.message, failure === directoryFailure),
    directory,
  };
}

/** Returns the fault for an unreadable directory that may contain such files. */
function describeClosedDirectory({ path, failure }: ClosedDirectory): UnreadDescription {
  return {
    ...wordingOf("unlisted-directory", nativePath(path), failure.message),
    directory: toReadable(path),
    searchedBelow: [],
  };
}

/** Returns the fault for a folder that was not searched completely. */
export function describeUnfinishedSearch({ path: root, by }: FoundPath): UnreadDescription {
  const max = formatNumber(MAX_DIRECTORIES);
  return {
    ...wordingOf("unfinished-search", nativePath(root), max, by.name),
    directory: toReadable(root),
    searchedBelow: [],
  };
}

/** Returns the fault for a folder that is not searched because a directive may map to any path in it. */
function describeSkippedFolder({ path, by }: FoundPath, searched: readonly string[]): UnreadDescription {
  return {
    ...wordingOf("unsearched-directory", by.name, nativePath(path)),
    directory: toReadable(path),
    searchedBelow: [path, ...searched.filter((each) => each.startsWith(path === "/" ? path : `${path}/`))].map(
      toReadable,
    ),
  };
}

/** Returns the fault for a directory that was searched under another name. */
function describeRepeatedDirectory({ path, first }: RepeatedDirectory): UnreadDescription {
  return {
    ...wordingOf("directory-with-two-names", nativePath(path), nativePath(first)),
    directory: toReadable(path),
    searchedBelow: [],
    firstName: toReadable(first),
  };
}
