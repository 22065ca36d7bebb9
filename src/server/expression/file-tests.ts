import { resolvePath, stripTrailingSlash, toAbsolutePath } from "../../config/files/paths.js";
import type { FileTree } from "../model/file-tree.js";
import type { Oracle } from "../model/oracle.js";
import { unknownFact } from "../model/unknown-facts.js";

/** A test of a file: it exists, or is a directory, a file, a file with content, a link, executable. */
export type FileTest = "e" | "d" | "f" | "s" | "L" | "x";

/**
 * Tests a file as expressions and RewriteCond do (server/util_expr_eval.c `op_file_min`, mod_rewrite.c
 * `apply_rewrite_cond`). Undefined if the result is unknown.
 *
 * @param written a relative path starts at the root, which is the server's working directory
 */
export function testFile(test: FileTest, written: string, files: FileTree, oracle: Oracle): boolean | undefined {
  if (written === "") return false;
  const path = toAbsolutePath(written) ?? `/${written}`;
  const bare = absolutePathOf(path);
  // The system follows a link before a slash.
  const isLinkTest = test === "L" || test === "x";
  const mayBeLink = isLinkTest && !/\/\.{0,2}$/.test(path);
  if (mayBeLink && files.linkAt?.(bare) !== undefined) return true;
  if (test === "L") return mayBeLink && files.linkAt === undefined ? undefined : false;
  if (!traversesDirectories(path, files, oracle)) return false;
  const known = files.kindOf(bare, !path.endsWith("/"));
  const exists = known === "unknown" ? oracle.ask(unknownFact("exists", bare)) : known !== "missing";
  if (!exists) return false;
  if (test === "e" && !path.endsWith("/")) return true;
  const isDirectory = known === "unknown" ? oracle.ask(unknownFact("is-directory", bare)) : known === "directory";
  if (test === "d" || test === "e") return isDirectory;
  if (test === "x") return undefined;
  if (isDirectory || path.endsWith("/")) return false;
  if (test === "f") return true;
  const text = files.textOf?.(bare);
  return text === undefined ? undefined : text !== "";
}

/** Returns the size that `filesize()` returns: that of a file, else 0; undefined if unknown. */
export function sizeOfFile(written: string, files: FileTree, oracle: Oracle): number | undefined {
  const isFile = testFile("f", written, files, oracle);
  return isFile ? files.textOf?.(absolutePathOf(written))?.length : 0;
}

/** The largest file that `file()` reads. */
const MAX_FILE_SIZE = 10 * 1024 * 1024;

/** Returns what `file()` reads: up to the first NUL. Undefined if the text is unknown, or if the server fails. */
export function readFileText(written: string, files: FileTree, oracle: Oracle): string | undefined {
  const isFile = testFile("f", written, files, oracle);
  const text = isFile ? files.textOf?.(absolutePathOf(written)) : undefined;
  return text === undefined || text.length > MAX_FILE_SIZE ? undefined : text.replace(/\0[\s\S]*/, "");
}

function absolutePathOf(written: string): string {
  return stripTrailingSlash(resolvePath("/", written));
}

/** Reports whether each `..` of a path leaves a directory: the system cannot go up from anything else. */
function traversesDirectories(path: string, files: FileTree, oracle: Oracle): boolean {
  return [...path.matchAll(/\/\.\.(?=\/|$)/g)].every(({ index }) => {
    const folder = absolutePathOf(path.slice(0, index) || "/");
    const kind = files.kindOf(folder);
    return kind === "unknown" ? oracle.ask(unknownFact("is-directory", folder)) : kind === "directory";
  });
}
