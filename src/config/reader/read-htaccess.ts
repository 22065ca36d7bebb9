import type { ConfigTree } from "../../../grammar/ast.js";
import { toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import { directoryFailure, type FileFailure } from "../files/file-access.js";
import { parentOf } from "../files/paths.js";
import type { Directive } from "../model/directive.js";
import type { Guard } from "../model/guards.js";
import type { LoadedModules } from "../model/modules.js";
import { isUnread, type Problem, type ProblemDescription, ProblemLog } from "../model/problems.js";
import type { HtaccessFile } from "../model/project.js";
import { ConfigReader } from "./config-reader.js";
import {
  type ClosedDirectory,
  type FoundPath,
  type HtaccessSearchResult,
  MAX_DIRECTORIES,
  type RepeatedDirectory,
} from "./htaccess-discovery.js";
import { ReaderCache, type ReadingState } from "./reading-state.js";

/** The result of reading `.htaccess` files. */
interface ReadHtaccessFiles {
  readonly htaccess: HtaccessFile[];
  readonly problems: Problem[];
  readonly guards: Guard[];
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
  const read: ReadHtaccessFiles = { htaccess: [], problems: [], guards: [], files, unread: new Map(), modules };
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
    for (const [name, each] of report.files) read.files.set(name, each);
  }
  return read;
}

/** Returns the problems for directories and files that could not be read, each at the line that leads there. */
export function describeUnsearched(
  found: HtaccessSearchResult,
  unread: ReadonlyMap<string, FileFailure>,
): readonly Problem[] {
  const closed = new ProblemLog(false);
  const add = (
    kind: "closed" | "limit" | "passed-over",
    { directory, searchedBelow, firstName, ...fault }: UnreadDescription,
    { span }: Directive,
  ) =>
    closed.add(kind, span, fault, [], {
      directory,
      ...(searchedBelow ? { searchedBelow } : {}),
      ...(firstName === undefined ? {} : { firstName }),
    });
  for (const each of found.closed) add("closed", describeClosedDirectory(each), each.by);
  // One problem is enough.
  for (const [at, each] of found.unfinished.entries())
    add(at === 0 ? "limit" : "passed-over", describeUnfinishedSearch(each), each.by);
  for (const each of found.passed) add("passed-over", describeSkippedFolder(each, found.roots), each.by);
  for (const each of found.repeated) add("passed-over", describeRepeatedDirectory(each), each.by);
  if (unread.size === 0) return closed.problems;
  for (const { path, by } of found.files) {
    const failure = unread.get(path);
    if (failure) add("closed", describeClosedFile(path, failure), by);
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
      new ConfigReader({ ...state, isSkipped }).readTree({ tree }, inside, undefined);
      return inside;
    },
  };
}

/** A fault with the `.htaccess` files that it leaves unknown. */
interface UnreadDescription
  extends ProblemDescription,
    Required<Pick<Problem, "directory">>,
    Pick<Problem, "searchedBelow" | "firstName"> {}

/** Returns the fault for a `.htaccess` file that cannot be read. */
function describeClosedFile(path: string, failure: FileFailure): UnreadDescription {
  const wrong = `${quoteText(path)} cannot be read: ${failure.failed}`;
  const directory = toReadable(parentOf(path));
  const consequence = "its access rules are unknown";
  if (failure.system === undefined) return { problem: wrong, consequence, remedy: GRANT_ACCESS_REMEDY, directory };
  const remedy = "replace it with a regular file, or delete it";
  const refused = "requests below its directory return 403 if httpd reads `.htaccess` files there";
  return { problem: wrong, consequence: failure === directoryFailure ? refused : consequence, remedy, directory };
}

/** Returns the fault for an unreadable directory that may contain such files. */
function describeClosedDirectory({ path, failure }: ClosedDirectory): UnreadDescription {
  const wrong = `the directory ${quoteText(path)} cannot be listed: ${failure.failed}`;
  const consequence = "the access rules of `.htaccess` files there are unknown";
  return {
    problem: wrong,
    consequence,
    remedy: GRANT_ACCESS_REMEDY,
    directory: toReadable(path),
    searchedBelow: [],
  };
}

const GRANT_ACCESS_REMEDY = "give httpd-lint read access, for example by running it as root";

/** Returns the fault for a folder that was not searched completely. */
export function describeUnfinishedSearch({ path: root, by }: FoundPath): UnreadDescription {
  const max = MAX_DIRECTORIES.toLocaleString("en");
  return {
    problem: `${quoteText(root)} exceeds the limit of ${max} directories for \`.htaccess\` files`,
    consequence: "such files in further directories are not checked, and decisions there are uncertain",
    remedy: `use a smaller directory in ${quoteText(by.name)}, or limit httpd-lint to one with \`--confine\``,
    directory: toReadable(root),
    searchedBelow: [],
  };
}

/** Returns the fault for a folder that is not searched because a directive may map to any path in it. */
function describeSkippedFolder({ path, by }: FoundPath, searched: readonly string[]): UnreadDescription {
  return {
    problem: `\`${by.name}\` may map anywhere in ${quoteText(path)}, which is not searched for \`.htaccess\` files`,
    consequence: "their access rules are unknown",
    remedy: "add a separate Alias for the directory to have it searched",
    directory: toReadable(path),
    searchedBelow: [path, ...searched.filter((each) => each.startsWith(path === "/" ? path : `${path}/`))].map(
      toReadable,
    ),
  };
}

/** Returns the fault for a directory that was searched under another name. */
function describeRepeatedDirectory({ path, first }: RepeatedDirectory): UnreadDescription {
  return {
    problem: `${quoteText(path)} is the same directory as ${quoteText(first)}, and is read under that name`,
    consequence: "`.htaccess` files under the other name are not checked",
    remedy: "use the first name",
    directory: toReadable(path),
    searchedBelow: [],
    firstName: toReadable(first),
  };
}
