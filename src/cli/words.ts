import { oneLine } from "./deliver.js";

/** What `-` is called while yargs has it. */
const standardInput = "/dev/stdin";

/**
 * yargs loses a lone `-`, and what stands behind `--`, where positionals are variadic: those are written as paths. And it
 * would take what stands behind `--fix` for its value.
 */
export function forYargs(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const behind =
    end < 0 ? [] : args.slice(end + 1).map((path) => (path === "-" || path.startsWith("/") ? path : `./${path}`));
  return [...(end < 0 ? args : args.slice(0, end)), ...behind].map((arg) => {
    // Its value is left out or stands behind a `=`: the next word is a path of its own.
    if (arg === "--verify-with-httpd") return `${arg}=`;
    if (arg === "--fix") return "--fix=safe";
    return arg === "-" ? standardInput : arg;
  });
}

/** A path as the user wrote it. */
export function pathOf(path: string): string {
  return path === standardInput ? "-" : path;
}

/** Flags with the paths among them as the user wrote them. */
export function withPaths<T extends WordFlags>(flags: T): T {
  const { entry, before, after, requests } = flags;
  return {
    ...flags,
    ...(entry === undefined ? {} : { entry: pathOf(entry) }),
    ...(before === undefined ? {} : { before: pathOf(before) }),
    ...(after === undefined ? {} : { after: pathOf(after) }),
    ...(requests === undefined ? {} : { requests: pathOf(requests) }),
  };
}

/** Flags and words that may be standard input. */
interface WordFlags {
  readonly entry?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly requests?: string | undefined;
}

const shells = ["bash", "zsh", "fish"];

/** The shell that `completion` names; undefined for other commands, and where it names none. */
export function shellFor([command, name]: readonly string[]):
  | { readonly name: string }
  | { readonly failed: string }
  | undefined {
  if (command !== "completion" || name === undefined || name.startsWith("-")) return undefined;
  if (shells.includes(name)) return { name };
  return {
    failed: `there is no completion script for \`${oneLine(name)}\`; name ${shells.join(", ")} or none, for the shell of $SHELL`,
  };
}
