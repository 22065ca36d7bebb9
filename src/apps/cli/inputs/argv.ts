import { findClosestWord } from "../../../text/closest-word.js";
import type { Result } from "../../../text/result.js";
import { formatWordList } from "../../../text/words.js";
import { toOneLine } from "../output/write-output.js";
import { translateCurlLine } from "./curl-line.js";

/** The replacement for `-` while yargs parses. */
const STDIN_PLACEHOLDER = "/dev/stdin";

/**
 * Rewrites arguments for yargs, which loses a lone `-` and arguments after `--` if positionals are variadic: those
 * become paths. yargs would also take the argument after `--fix` as its value, and each letter of `-fjson` as a flag.
 *
 * @param shortFlags the flags with a value that have a letter, by this letter
 * @param valuesIfOmitted the values of flags such as `--fix` that are written without one, by their name
 */
export function normalizeArgv(
  args: readonly string[],
  valuesIfOmitted: ReadonlyMap<string, string>,
  shortFlags: ReadonlyMap<string, string>,
): string[] {
  const end = args.indexOf("--");
  const paths =
    end < 0 ? [] : args.slice(end + 1).map((path) => (path === "-" || path.startsWith("/") ? path : `./${path}`));
  return [...(end < 0 ? args : args.slice(0, end)), ...paths].flatMap((arg) => {
    const attached = splitAttachedValue(arg, shortFlags);
    if (attached !== undefined) return attached;
    const omitted = arg.startsWith("--") ? valuesIfOmitted.get(arg.slice(2)) : undefined;
    // A value follows a `=`: the next argument is a path.
    if (omitted !== undefined) return `${arg}=${omitted}`;
    return arg === "-" ? STDIN_PLACEHOLDER : arg;
  });
}

/** Rewrites `-fjson`, `-f=json` and `-qfjson` as separate arguments. @returns undefined if it has no such value */
function splitAttachedValue(arg: string, shortFlags: ReadonlyMap<string, string>): readonly string[] | undefined {
  if (!/^-[A-Za-z]/.test(arg)) return undefined;
  const at = arg.split("").findIndex((letter) => shortFlags.has(letter));
  const [before, name, value] = [arg.slice(0, Math.max(at, 0)), shortFlags.get(arg[at] ?? ""), arg.slice(at + 1)];
  // Only letters of flags without a value may be before it.
  if (name === undefined || value === "" || !/^-[A-Za-z]*$/.test(before)) return undefined;
  return [...(before === "-" ? [] : [before]), `--${name}=${value.replace(/^=/, "")}`];
}

/**
 * Rewrites `help COMMAND` as `COMMAND --help`, and `help` as `--help`. Returns an error if the argument is not the name of
 * one command.
 */
export function expandHelp(args: readonly string[], commands: readonly string[]): Result<readonly string[], string> {
  const [first, ...rest] = args;
  if (first !== "help") return { ok: true, value: args };
  const [word, ...others] = rest.filter((each) => !each.startsWith("-"));
  if (word !== undefined && !commands.includes(word)) {
    const near = findClosestWord(word, commands);
    const advice = near === undefined ? "" : `; did you mean \`${near}\`?`;
    const error = `unknown command \`${toOneLine(word)}\`: expected ${formatWordList(commands, "or")}${advice}`;
    return { ok: false, error };
  }
  if (others[0] !== undefined)
    return {
      ok: false,
      error: `unexpected argument \`${toOneLine(others[0])}\`; \`help\` takes the name of one command`,
    };
  return { ok: true, value: [...rest, "--help"] };
}

/** A flag that has several names. */
interface NamedFlag {
  readonly names: readonly string[];
  readonly canonicalize?: ((text: string) => string) | undefined;
}

/** Returns why two spellings of one flag have different values; undefined if there are none. @param args the normalized ones */
export function findContradiction(args: readonly string[], flags: readonly NamedFlag[]): string | undefined {
  for (const { names, canonicalize = (text: string) => text } of flags) {
    const given = names.flatMap((name) => {
      const index = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
      const value = args[index]?.includes("=") ? args[index].slice(name.length + 3) : args[index + 1];
      return index < 0 || value === undefined ? [] : [{ name, value: canonicalize(value) }];
    });
    const [first, second] = [given[0], given.find(({ value }) => value !== given[0]?.value)];
    if (first && second)
      return `--${first.name} ${toOneLine(first.value)} and --${second.name} ${toOneLine(second.value)} are different values of one flag; use only one of them`;
  }
  return undefined;
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
