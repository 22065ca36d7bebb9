import type { ConfigTree } from "../../grammar/ast.js";
import { toReadable } from "../text/source.js";
import type { Directive } from "./directive.js";
import type { FileFailure } from "./files.js";
import type { Guard } from "./guards.js";
import type { FoundFiles } from "./htaccess.js";
import { parentOf } from "./paths.js";
import { isUnread, type Problem, ProblemLog } from "./problems.js";
import type { HtaccessFile } from "./project.js";
import { ConfigReader, KnownLines, type ReadingState } from "./reader.js";
import {
  againFault,
  closedDirectory,
  closedFile,
  passedFault,
  type UnreadFault,
  unfinishedFault,
} from "./unread-faults.js";

/** What was read of `.htaccess` files. */
interface ReadFiles {
  readonly htaccess: HtaccessFile[];
  readonly problems: Problem[];
  readonly guards: Guard[];
  /** By the paths that they were reached by. */
  readonly files: Map<string, ConfigTree>;
  /** By path, why they are there and could not be read. */
  readonly unread: Map<string, FileFailure>;
}

/**
 * Reads `.htaccess` files one after the other, each as the server does when a request comes by it.
 *
 * @param main what reading the main files has led to
 */
export function readHtaccess(paths: readonly string[], main: ReadingState): ReadFiles {
  const read: ReadFiles = { htaccess: [], problems: [], guards: [], files: new Map(), unread: new Map() };
  // What one of them makes a macro of is none of the main files'.
  const state: ReadingState = { ...main, inHtaccess: true, macros: new Map(main.macros) };
  const known = new KnownLines();
  for (const path of paths) {
    const reader = new ConfigReader(state, known);
    const directives: Directive[] = [];
    const unread = reader.readFile(path, undefined, directives, undefined);
    if (unread && !unread.isAbsent) read.unread.set(path, unread);
    if (unread) continue;
    const { report } = reader;
    const directory = toReadable(parentOf(path));
    const tree = report.files.get(path);
    if (tree) read.htaccess.push(htaccessFile(directory, tree, directives, state));
    for (const problem of report.problems) read.problems.push(isUnread(problem) ? { ...problem, directory } : problem);
    for (const guard of report.guards) read.guards.push(guard);
    for (const [name, each] of report.files) read.files.set(name, each);
  }
  return read;
}

/** What could not be looked at, each told at the line that leads there. */
export function closedProblems(found: FoundFiles, unread: ReadonlyMap<string, FileFailure>): readonly Problem[] {
  const closed = new ProblemLog(false);
  const add = (
    kind: "closed" | "limit" | "passed-over",
    { directory, andBelow, ...fault }: UnreadFault,
    { span }: Directive,
  ) => closed.add(kind, span, fault, [], { directory, ...(andBelow ? { andBelow } : {}) });
  for (const each of found.closed) add("closed", closedDirectory(each), each.by);
  // One tells enough.
  for (const [at, each] of found.unfinished.entries())
    add(at === 0 ? "limit" : "passed-over", unfinishedFault(each), each.by);
  for (const each of found.passed) add("passed-over", passedFault(each, found.roots), each.by);
  for (const each of found.again) add("passed-over", againFault(each), each.by);
  if (unread.size === 0) return closed.problems;
  for (const { path, by } of found.files) {
    const failure = unread.get(path);
    if (failure) add("closed", closedFile(path, failure), by);
  }
  return closed.problems;
}

/** A `.htaccess` file that was read. */
export function htaccessFile(
  directory: string,
  tree: ConfigTree,
  directives: readonly Directive[],
  state: ReadingState,
): HtaccessFile {
  return { directory, tree, directives, ...readingAnew(tree, state) };
}

/** Reads a `.htaccess` file once more, with some lines passed over; what is wrong with its text has been told. */
function readingAnew(tree: ConfigTree, state: ReadingState): Pick<HtaccessFile, "readPassingOver"> {
  return {
    readPassingOver(isPassedOver) {
      const inside: Directive[] = [];
      new ConfigReader({ ...state, isPassedOver }).readTree({ tree }, inside, undefined);
      return inside;
    },
  };
}
