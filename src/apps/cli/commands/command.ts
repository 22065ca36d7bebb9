import type { ArgumentsCamelCase, Argv, InferredOptionTypes } from "yargs";
import type { ArgumentTable, CommandArgument, FlagTable } from "../inputs/flags.js";
import type { CommandResult } from "../output/command-result.js";

/** The names of all commands, in the order in which help lists them. The first is the default. */
export const commandNames = [
  ...(["check", "resolve", "explain", "test", "compare", "map", "audit"] as const),
  ...(["upgrade", "migrate", "init", "rules", "lsp", "completion"] as const),
] as const;
export type CommandName = (typeof commandNames)[number];

/** What help, completions and the manual page show of a command. */
export interface CommandDescription {
  readonly describe: string;
  readonly arguments: ArgumentTable;
  readonly flags: FlagTable;
  readonly examples?: readonly string[];
}

/** The flags and arguments of a command, as yargs parses them. */
type Parsed<Arguments extends ArgumentTable, Flags extends FlagTable> = Omit<object, keyof (Arguments & Flags)> &
  InferredOptionTypes<Arguments & Flags>;

type HandlerResult = CommandResult | Promise<CommandResult> | undefined;

/** The definition of a command. */
interface CommandDefinition<Arguments extends ArgumentTable, Flags extends FlagTable> extends CommandDescription {
  readonly arguments: Arguments;
  readonly flags: Flags;
  /** Runs the command. It returns nothing if it continues and calls `exit` itself. */
  readonly handler: (
    flags: ArgumentsCamelCase<Parsed<Arguments, Flags>>,
    exit: (code: number) => void,
  ) => HandlerResult;
}

/** Runs a command whose arguments are parsed. */
type CommandRunner = (
  run: (exit: (code: number) => void) => HandlerResult,
  flags: Readonly<Record<string, unknown>>,
) => void;

/** A command to be declared to yargs. */
export interface Command extends CommandDescription {
  readonly addTo: (parser: Argv, name: CommandName, runCommand: CommandRunner) => void;
}

/** Defines a command. The types of its flags are those in its table. */
export function defineCommand<Arguments extends ArgumentTable, Flags extends FlagTable>(
  definition: CommandDefinition<Arguments, Flags>,
): Command {
  return {
    ...definition,
    addTo(parser, name, runCommand) {
      const usage = [name, ...Object.entries(definition.arguments).map(formatArgument)].join(" ");
      parser.command(
        name === commandNames[0] ? [usage, "$0"] : usage,
        definition.describe,
        (command) => declareFlags(command, definition),
        (flags) => runCommand((exit) => definition.handler(flags, exit), flags),
      );
    },
  };
}

/** Returns an argument as yargs takes it: `[paths..]`. */
function formatArgument([name, { array }]: readonly [string, CommandArgument]): string {
  return `[${name}${array ? ".." : ""}]`;
}

function declareFlags<Arguments extends ArgumentTable, Flags extends FlagTable>(
  command: Argv<object>,
  { arguments: all, flags }: CommandDefinition<Arguments, Flags>,
) {
  const declared = command.options({ ...all, ...flags });
  for (const [name, { environment }] of Object.entries(flags))
    if (environment !== undefined) declared.default(name, process.env[environment] || undefined);
  // yargs would parse `--no-config` as the flag `config`.
  const hasNegations = Object.keys(flags).some((name) => name.startsWith("no-"));
  return declared.parserConfiguration({ "boolean-negation": !hasNegations });
}
