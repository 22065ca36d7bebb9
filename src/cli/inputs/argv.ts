import { existsSync } from "node:fs";
import type { CommandResult } from "../output/command-result.js";
import { toOneLine } from "../output/write-output.js";
import { type ChosenServer, chooseServer, type ServerChoice } from "./project-settings.js";

/** The replacement for `-` while yargs parses. */
const STDIN_PLACEHOLDER = "/dev/stdin";

/**
 * Rewrites arguments for yargs, which loses a lone `-` and arguments after `--` if positionals are variadic: those
 * become paths. yargs would also take the argument after `--fix` as its value.
 */
export function normalizeArgv(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const behind =
    end < 0 ? [] : args.slice(end + 1).map((path) => (path === "-" || path.startsWith("/") ? path : `./${path}`));
  return [...(end < 0 ? args : args.slice(0, end)), ...behind].map((arg) => {
    // Its value is omitted or follows a `=`: the next argument is a path.
    if (arg === "--verify-with-httpd") return `${arg}=`;
    if (arg === "--fix") return "--fix=safe";
    return arg === "-" ? STDIN_PLACEHOLDER : arg;
  });
}

/** Returns a path as the user wrote it. */
export function restorePath(path: string): string {
  return path === STDIN_PLACEHOLDER ? "-" : path;
}

/** Restores the paths in flags as the user wrote them. */
export function restorePaths<T extends PathFlags>(flags: T): T {
  const { entry, before, after, requests } = flags;
  return {
    ...flags,
    ...(entry === undefined ? {} : { entry: restorePath(entry) }),
    ...(before === undefined ? {} : { before: restorePath(before) }),
    ...(after === undefined ? {} : { after: restorePath(after) }),
    ...(requests === undefined ? {} : { requests: restorePath(requests) }),
  };
}

/** Flags and arguments that may be standard input. */
interface PathFlags {
  readonly entry?: string | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly requests?: string | undefined;
}

const shells = ["bash", "zsh", "fish"];

/** Returns the shell that `completion` names; undefined for other commands, and if it names none. */
export function chooseShell([command, name]: readonly string[]):
  | { readonly name: string }
  | { readonly failed: string }
  | undefined {
  if (command !== "completion" || name === undefined || name.startsWith("-")) return undefined;
  if (shells.includes(name)) return { name };
  return {
    failed: `there is no completion script for \`${toOneLine(name)}\`; name ${shells.join(", ")} or none, for the shell of $SHELL`,
  };
}

/** Runs a command on the server that flags and configuration file select. */
export function withServer(choice: ServerChoice, run: (server: ChosenServer) => CommandResult): CommandResult {
  const server = chooseServer(choice);
  return "failed" in server ? server.failed : run(server);
}

/** Returns the selected entry, if any, for commands to which it is optional. */
export function findChosenEntry(choice: ServerChoice): string | undefined {
  const server = choice.entry === undefined ? chooseServer(choice) : { entry: choice.entry };
  return "failed" in server ? undefined : server.entry;
}

/** Resolves the arguments of `explain`: a single argument is the URL if the configuration file names the server. */
export function assignExplainArguments<T extends ServerChoice & { readonly url?: string | undefined }>(
  flags: T,
  log: unknown,
): T {
  const { entry, url } = flags;
  if (entry === undefined || url !== undefined || log !== undefined) return flags;
  const asked = { ...flags, entry: undefined, url: entry };
  return "failed" in chooseServer(asked) && existsSync(entry) ? flags : asked;
}

/**
 * Resolves the arguments of `test`: a single argument that ends in `.json` is the expectations file, because
 * configuration files do not end so.
 */
export function assignTestArguments<T extends ServerChoice & { readonly file?: string | undefined }>(flags: T): T {
  const { entry, file } = flags;
  if (entry === undefined || file !== undefined || !entry.endsWith(".json")) return flags;
  return { ...flags, entry: undefined, file: entry };
}
