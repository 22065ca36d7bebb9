import type { FileTree } from "../model/file-tree.js";

/** Why the kernel does not run a script because of its first line. */
export type InterpreterFault =
  /** The line ends with CR LF, so that the CR is part of a name. */
  | { readonly kind: "return"; readonly name: string; readonly isArgument: boolean }
  /** The interpreter does not exist. */
  | { readonly kind: "missing"; readonly name: string }
  /** Something comes before `#!`: a byte order mark, or white space. */
  | { readonly kind: "late"; readonly hasMark: boolean };

const byteOrderMark = "\xef\xbb\xbf";

/**
 * Returns why the kernel does not run a script (execve(2), fs/binfmt_script.c): the name of the interpreter ends at white space, and only
 * a LF ends the line. Only on the disk of the server, whose modes are known.
 */
export function findInterpreterFault(filename: string, files: FileTree): InterpreterFault | undefined {
  const text = files.isExecutable?.(filename) === true ? files.textOf?.(filename) : undefined;
  if (text === undefined) return undefined;
  if (/^\s*#!/.test(text.replace(byteOrderMark, "")) && !text.startsWith("#!"))
    return { kind: "late", hasMark: text.startsWith(byteOrderMark) };
  const [, name = "", rest = ""] = /^#![ \t]*([^ \t\n]+)[ \t]*([^\n]*)/.exec(text) ?? [];
  if (name.endsWith("\r")) return { kind: "return", name: name.slice(0, -1), isArgument: false };
  // The program `env` looks for a name with the CR.
  const isOnlyArgument = name.endsWith("/env") && /^[^\s-]\S*\r$/.test(rest);
  if (isOnlyArgument) return { kind: "return", name: rest.slice(0, -1), isArgument: true };
  return isMissing(name, files) ? { kind: "missing", name } : undefined;
}

/** Reports whether a directory that exists, and has other files, lacks a program. */
function isMissing(path: string, files: FileTree): boolean {
  const slash = path.lastIndexOf("/");
  if (slash < 1 || files.isOfServer !== true) return false;
  const entries = files.kindOf(path.slice(0, slash)) === "directory" ? files.list?.(path.slice(0, slash)) : undefined;
  return entries !== undefined && entries.length > 0 && !entries.some(({ name }) => name === path.slice(slash + 1));
}
