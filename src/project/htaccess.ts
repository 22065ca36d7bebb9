import { toReadable } from "../text/source.js";
import type { Directive } from "./directive.js";
import type { FileAccess, FileFailure } from "./files.js";
import { absolutePath, parentOf } from "./paths.js";
import { type Fault, type Problem, quoted } from "./problems.js";
import { rewriteWords } from "./rewrite-words.js";

const DEFAULT_NAMES = [".htaccess"];

/** Directives that say where files lie. */
const placing = new Set(["documentroot", "alias", "scriptalias", "aliasmatch", "scriptaliasmatch"]);

/** Sections in which such a directive may stand. */
const holdsPlaces = new Set(["<virtualhost", "<location", "<locationmatch"]);

/** Where files lie by a directive, as written. */
function rootIn(directive: Directive): string | undefined {
  const { key } = directive;
  // Most directives are none of these: their words are not read.
  if (key === "rewriterule") return folderOfRule(rewriteWords(directive.argumentText)?.[1].value ?? "");
  return placing.has(key) ? folderPlaced(directive.arguments.at(-1)?.value, key.endsWith("match")) : undefined;
}

/** A directive's last word; of what a pattern leads to the folder that all of it lies in. */
function folderPlaced(value: string | undefined, isByPattern: boolean): string | undefined {
  if (value === undefined || !isByPattern || !value.includes("$")) return value;
  // More behind that may lie anywhere.
  const [folder, rest] = [value.slice(0, value.indexOf("$")), value.slice(value.indexOf("$"))];
  return rest.includes("/") || !folder.endsWith("/") ? undefined : folder;
}

/** A rule may lead to a file by its path. One at the top is as good as always a path of the URL. */
function folderOfRule(substitution: string): string | undefined {
  const written = /^(\/[^/$%\\?]+(?:\/[^/$%\\?]+)+)\//.exec(substitution)?.[1];
  const folder = written && absolutePath("/", written);
  return folder && folder.lastIndexOf("/") > 0 ? folder : undefined;
}

/**
 * More directories than this are not looked in: an Alias may lead to a folder that holds all of a machine's files, and no
 * tree of documents comes near.
 */
export const MOST_DIRECTORIES = 500_000;

/** A path below what a line says of where files lie. */
export interface Below {
  readonly path: string;
  readonly by: Directive;
}

/** A directory that is closed to us. */
export interface ClosedDirectory extends Below {
  readonly failure: FileFailure;
}

/** What lies below the folders of documents. */
export interface FoundFiles {
  readonly files: readonly Below[];
  readonly closed: readonly ClosedDirectory[];
  /** The first line whose folder was not looked through to its end, since there are too many. */
  readonly unfinished?: Below;
  /** The directories on the way; undefined where there are others, unreadable ones or behind further links. */
  readonly directories: ReadonlySet<string> | undefined;
}

/**
 * The per-directory files below the document roots of the main server and its virtual hosts and below what Alias and
 * RewriteRule lead to: in each directory the first existing name of AccessFileName. Every directory is entered once,
 * whatever links lead to it.
 *
 * @param most how many directories are looked in
 * @returns paths as binary strings, with the lines that lead there, in the order of the document roots, directories before what is in them
 */
export function findHtaccessFiles(
  directives: readonly Directive[],
  serverRoot: string,
  access: FileAccess,
  most = MOST_DIRECTORIES,
): FoundFiles {
  const roots = new Map<string, Directive>();
  const mayExist = parentsOf(serverRoot, access);
  const names = new Set<string>();
  const look = (directive: Directive): void => {
    if (holdsPlaces.has(directive.key)) {
      directive.children?.forEach(look);
      return;
    }
    const root = rootIn(directive);
    const path = root && mayExist(root) ? absolutePath(serverRoot, root).replace(/(?!^)\/$/, "") : undefined;
    if (path !== undefined && !roots.has(path)) roots.set(path, directive);
    if (directive.key === "accessfilename") {
      for (const word of directive.arguments) names.add(word.value);
    }
  };
  directives.forEach(look);
  const wanted = names.size > 0 ? [...names] : DEFAULT_NAMES;
  const walked: Walked = { most, entered: new Set(), directories: new Set(), files: [], closed: [], isComplete: true };
  let unfinished: Below | undefined;
  for (const [path, by] of roots) {
    if (access.isDirectory(path) && !walk({ path, by }, wanted, access, walked)) unfinished ??= { path, by };
  }
  const { closed, directories, files, isComplete } = walked;
  return { files, closed, directories: isComplete ? directories : undefined, ...(unfinished ? { unfinished } : {}) };
}

/** A fault with what it leaves unknown of `.htaccess` files. */
export interface UnreadFault extends Fault, Required<Pick<Problem, "directory">>, Pick<Problem, "andBelow"> {}

/** What is wrong where a `.htaccess` file cannot be read. */
export function closedFile(path: string, failure: FileFailure): UnreadFault {
  const wrong = `${quoted(path)} cannot be read: ${failure.failed}`;
  const directory = toReadable(parentOf(path));
  if (failure.system === undefined)
    return { wrong, so: "what it says of access is not known", remedy: OPEN, directory };
  const so = "where the server looks for it, it answers 403 to all that lies there (AH00529)";
  return { wrong, so, remedy: "put a regular file in its place, or take it away", directory };
}

/** What is wrong where a directory cannot be looked at in which such files may lie. */
export function closedDirectory({ path, failure }: ClosedDirectory): UnreadFault {
  const wrong = `the directory ${quoted(path)} cannot be listed: ${failure.failed}`;
  const so = "what `.htaccess` files there say of access is not known";
  return { wrong, so, remedy: OPEN, directory: toReadable(path), andBelow: true };
}

const OPEN = "let httpd-lint read it, such as by running it as root";

/** Whether the folder around a document root is there: hosts by the thousand often share one, and it is asked for once. */
function parentsOf(serverRoot: string, access: FileAccess): (root: string) => boolean {
  const known = new Map<string, boolean>();
  return (root) => {
    const parent = root.slice(0, root.lastIndexOf("/") + 1);
    const exists = known.get(parent) ?? access.isDirectory(absolutePath(serverRoot, parent));
    known.set(parent, exists);
    return exists;
  };
}

/** That a folder was not looked through, in words. */
export function unfinishedFault({ path: root, by }: Below): UnreadFault {
  const most = MOST_DIRECTORIES.toLocaleString("en");
  return {
    wrong: `with what lies below ${quoted(root)} there are more than ${most} directories, and httpd-lint looks for \`.htaccess\` files in no more`,
    so: "such files in the others are not checked, and answers for them are not sure",
    remedy: `let ${quoted(by.name)} name a smaller folder, or keep httpd-lint to one with \`--confine\``,
    directory: toReadable(root),
    andBelow: true,
  };
}

interface Walked {
  readonly most: number;
  /** By their real paths. */
  readonly entered: Set<string>;
  readonly directories: Set<string>;
  readonly files: Below[];
  readonly closed: ClosedDirectory[];
  isComplete: boolean;
}

/** @returns whether there was room for all that lies there */
function walk({ path: root, by }: Below, names: readonly string[], access: FileAccess, walked: Walked): boolean {
  const waiting = [root];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    const real = access.realPath(directory);
    if (walked.entered.has(real)) {
      if (!walked.directories.has(directory)) walked.isComplete = false;
      continue;
    }
    if (walked.entered.size >= walked.most) {
      walked.isComplete = false;
      return false;
    }
    walked.entered.add(real);
    walked.directories.add(directory);
    const inside = access.list(directory);
    if ("failed" in inside) {
      walked.isComplete = false;
      if (!inside.isAbsent) walked.closed.push({ path: directory, by, failure: inside });
      continue;
    }
    const all = new Set(inside.map((entry) => entry.name));
    const name = names.find((each) => all.has(each));
    if (name !== undefined) walked.files.push({ path: absolutePath(directory, name), by });
    const directories = inside.filter(
      (entry) =>
        entry.kind === "directory" ||
        (entry.kind === "link" && access.isDirectory(absolutePath(directory ?? "", entry.name))),
    );
    for (const entry of directories.reverse()) waiting.push(absolutePath(directory, entry.name));
  }
  return true;
}
