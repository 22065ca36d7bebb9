import type { Result } from "../../../text/result.js";
import { translateCurlLine } from "./curl-line.js";

/** The replacement for `-` while yargs parses. */
const STDIN_PLACEHOLDER = "/dev/stdin";

/**
 * Rewrites arguments for yargs, which loses a lone `-` and arguments after `--` if positionals are variadic: those
 * become paths. yargs would also take the argument after `--fix` as its value.
 *
 * @param valuesIfOmitted the values of flags such as `--fix` that are written without one, by their name
 */
export function normalizeArgv(args: readonly string[], valuesIfOmitted: ReadonlyMap<string, string>): string[] {
  const end = args.indexOf("--");
  const paths =
    end < 0 ? [] : args.slice(end + 1).map((path) => (path === "-" || path.startsWith("/") ? path : `./${path}`));
  return [...(end < 0 ? args : args.slice(0, end)), ...paths].map((arg) => {
    const omitted = arg.startsWith("--") ? valuesIfOmitted.get(arg.slice(2)) : undefined;
    // A value follows a `=`: the next argument is a path.
    if (omitted !== undefined) return `${arg}=${omitted}`;
    return arg === "-" ? STDIN_PLACEHOLDER : arg;
  });
}

/** Rewrites `help COMMAND` as `COMMAND --help`, and `help` as `--help`. */
export function expandHelp(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  return first === "help" ? [...rest, "--help"] : args;
}

/**
 * Replaces the curl command line after `--` in the arguments of `explain`, such as `explain httpd.conf -- curl -I URL`, with
 * flags of `explain`. Returns an error if they cannot describe its request.
 */
export function expandCurlLine(args: readonly string[]): Result<readonly string[], string> {
  const end = args.indexOf("--");
  if (end < 0 || args[0] !== "explain" || args[end + 1] !== "curl") return { ok: true, value: args };
  const translated = translateCurlLine(args.slice(end + 2));
  if (!translated.ok) return translated;
  const [url = "", ...flags] = translated.value;
  return { ok: true, value: [...args.slice(0, end), url, ...flags] };
}

/** The arguments and flags that may name standard input. */
const pathFlags = ["paths", "entry", "before", "after", "requests"];

/** Restores the paths in flags as the user wrote them. */
export function restorePaths(flags: Record<string, unknown>): void {
  const restore = (path: unknown) => (path === STDIN_PLACEHOLDER ? "-" : path);
  for (const name of pathFlags) {
    const value = flags[name];
    if (value !== undefined) flags[name] = Array.isArray(value) ? value.map(restore) : restore(value);
  }
}
