import { spawnSync } from "node:child_process";

/** The ACL and the extended attributes of a file, which Node does not show. */
export interface ExtendedAttributes {
  /** A text to compare: the same for files with the same attributes, and empty if none are found. */
  readonly text: string;
  /** Whether the text covers all attributes: without `getfattr`, those of `user.*` are not found. */
  readonly isComplete: boolean;
}

/** These programs read a few bytes: one that is slower hangs, as on a dead network file system. */
const LONGEST_MS = 10_000;

/** Finds the ACL and the extended attributes of a file by `getfattr`, or by `ls` if that is not installed. */
export function extendedAttributesOf(path: string): ExtendedAttributes {
  const words = ["--absolute-names", "--no-dereference", "--dump", "--match=-", "--encoding=hex", "--", path];
  const dump = outputOf("getfattr", words);
  return dump === undefined ? shownByLs(path) : { text: dumpedIn(dump), isComplete: true };
}

/** Copies the ACL and the extended attributes of a file to another by GNU `cp`. It may fail: compare them afterwards. */
export function copyExtendedAttributes(from: string, to: string): void {
  outputOf("cp", ["--attributes-only", "--preserve=mode,xattr", "--", from, to]);
}

/** The lines of a dump without the name of the file, in an order of their own. */
function dumpedIn(dump: string): string {
  const lines = dump.split("\n").filter((line) => line !== "" && !line.startsWith("# file: "));
  return lines.sort().join("\n");
}

/** After the permission bits, `ls` marks an ACL with `+`, extended attributes with `@`, and a label of SELinux with `.`. */
function shownByLs(path: string): ExtendedAttributes {
  const mark = /^\S{10}([+@.])/.exec(outputOf("ls", ["-ld", "--", path]) ?? "")?.[1];
  // What is in an ACL is not shown, so no two count as the same.
  const text = mark === undefined ? "" : mark === "." ? labelOf(path) : `${mark} ${path}`;
  return { text, isComplete: false };
}

function labelOf(path: string): string {
  const [label = path] = (outputOf("ls", ["-dZ", "--", path]) ?? "").trim().split(/\s+/);
  return label;
}

/** Returns what a program prints, as a binary string; undefined if it cannot be run or reports an error. */
function outputOf(program: string, words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(program, words, {
    encoding: "latin1",
    env: { ...process.env, LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: LONGEST_MS,
    killSignal: "SIGKILL",
  });
  return status === 0 ? stdout : undefined;
}
