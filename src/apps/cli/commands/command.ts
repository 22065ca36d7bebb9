import type { ArgumentsCamelCase, Argv } from "yargs";
import type { CommandResult } from "../output/command-result.js";

/** A command as yargs takes it, except that its handler returns the result. */
interface CommandModule<F> {
  /** Its name with its positional arguments; further names follow. */
  readonly command: string | readonly string[];
  readonly describe: string;
  /** Defines the flags and positional arguments. */
  readonly builder: (command: Argv) => Argv<F>;
  /** Runs the command. It returns nothing if it continues and calls `exit` itself. */
  readonly handler: (
    flags: ArgumentsCamelCase<F>,
    exit: (code: number) => void,
  ) => CommandResult | Promise<CommandResult> | undefined;
}

/** Runs a command whose arguments are parsed. */
type CommandRunner = (
  run: (exit: (code: number) => void) => ReturnType<CommandModule<unknown>["handler"]>,
  flags: Readonly<Record<string, unknown>>,
) => void;

/** A command to be declared to yargs. */
export interface Command {
  readonly addTo: (parser: Argv, runCommand: CommandRunner) => void;
}

/** Defines a command. The types of its flags are those that its builder declares. */
export function defineCommand<F>({ command, describe, builder, handler }: CommandModule<F>): Command {
  return {
    addTo(parser, runCommand) {
      parser.command(command, describe, builder, (flags) => runCommand((exit) => handler(flags, exit), flags));
    },
  };
}

/** The names of all commands. */
export const commandNames: readonly string[] = [
  ...["check", "resolve", "explain", "test", "compare", "map", "audit", "upgrade", "migrate", "init", "rules", "lsp"],
  "completion",
];
