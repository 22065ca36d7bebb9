import type { Argv } from "yargs";
import { releases } from "../../../facts/directives.js";
import { semantics } from "../../../server/model/answer.js";
import { STDIN_NAME } from "../inputs/standard-input.js";

/** The groups of flags in `--help`, in order; yargs's own come last. */
export const flagGroups = {
  positionals: "Positionals:",
  input: "Input:",
  request: "Request:",
  rules: "Rules:",
  changes: "Changes:",
  output: "Output:",
  performance: "Performance:",
} as const;

/** Defines the flags that control how a configuration is read, and by which release. */
export function addReadingFlags<T>(command: Argv<T>) {
  return addInputFlags(orderFlagGroups(command).group("release", flagGroups.input)).option("release", {
    ...defineReleaseFlag("Target version (default: 2.4)"),
  });
}

/** Defines the flags that control how a configuration is read. */
export function addInputFlags<T>(command: Argv<T>) {
  return orderFlagGroups(command)
    .option("server-root", {
      type: "string",
      requiresArg: true,
      describe: "Directory for relative paths; overrides ServerRoot",
    })
    .option("sysroot", { type: "string", requiresArg: true, describe: "Resolve absolute paths below this directory" })
    .option("map", {
      type: "string",
      array: true,
      nargs: 1,
      describe: "Read the server path SERVER from the local path HOST",
    })
    .option("confine", {
      type: "string",
      requiresArg: true,
      // A container image confines all commands to the mounted directory.
      default: process.env["HTTPD_LINT_CONFINE"] || undefined,
      describe: "Read nothing outside this directory (default: that of HTTPD_LINT_CONFINE)",
    })
    .option("define", {
      alias: "D",
      type: "string",
      array: true,
      nargs: 1,
      describe: "Define a name, like `httpd -D` or Define",
    })
    .option("envvars", {
      type: "string",
      requiresArg: true,
      describe: "Environment of the server (default: envvars next to the main file)",
    })
    .option("process-env", { type: "boolean", describe: "Also resolve ${NAME} from the environment of httpd-lint" })
    .option("modules", {
      type: "string",
      array: true,
      nargs: 1,
      describe: "Loaded modules, instead of the LoadModule lines",
    })
    .option("no-module", { type: "string", array: true, nargs: 1, describe: "Modules that are not loaded" })
    .option("config", {
      type: "string",
      requiresArg: true,
      describe: "Configuration file (default: nearest .httpd-lint.json upwards)",
    })
    .option("no-config", { type: "boolean", default: false, describe: "Ignore configuration files" })
    .group(
      ["server-root", "sysroot", "map", "confine", "define", "envvars", "process-env", "modules", "no-module"],
      flagGroups.input,
    )
    .group(["config", "no-config"], flagGroups.input)
    .parserConfiguration({ "boolean-negation": false });
}

/** Registers the groups with yargs, which shows them in that order. */
function orderFlagGroups<T>(command: Argv<T>): Argv<T> {
  for (const title of Object.values(flagGroups)) command.group([], title);
  return command;
}

/** The flag for the main file of a server. */
export const mainFlag = {
  type: "string",
  requiresArg: true,
  describe: "Main file of the server, whatever its name",
} as const;

/** Defines the server argument of a command. */
export function addEntryArgument<T>(command: Argv<T>) {
  return command.positional("entry", {
    type: "string",
    describe: "Main file, its directory, or any file of the server (default: from .httpd-lint.json)",
  });
}

/** Returns a flag that takes a release. */
export function defineReleaseFlag(describe: string) {
  return { type: "string", requiresArg: true, choices: releases, describe } as const;
}

/** Defines the flags of the commands that query a server: the server, the files on its disk, and the output. */
export function addServerOptions<T>(command: Argv<T>) {
  return addEntryArgument(addSideOptions(command)).option("files", {
    ...defineFilesFlag("Files that exist on the server"),
    group: flagGroups.input,
  });
}

/** Returns the flag for the files on the server's disk. */
export function defineFilesFlag(what: string) {
  const describe = `${what}: those on disk, unknown, or listed`;
  return { type: "string", requiresArg: true, describe } as const;
}

/** Defines the flags for querying a server and for the output. */
export function addSideOptions<T>(command: Argv<T>) {
  return addOutputFlags(
    command.option("reading", {
      requiresArg: true,
      choices: semantics,
      describe: "Semantics: of httpd (default), or of its upgrade guide",
      group: flagGroups.input,
    }),
  );
}

/** Defines the output flags. */
export function addOutputFlags<T>(command: Argv<T>) {
  return addResultFlags(command)
    .option("main", mainFlag)
    .group(["main", "stdin-filename"], flagGroups.input)
    .group(["format", "output", "color", "quiet", "exit-zero"], flagGroups.output);
}

/** The flag for a file that receives the result. */
export const outputFlag = { type: "string", requiresArg: true, describe: "Write the result to a file" } as const;

/** The flag for a run that does not fail because of its result. */
export const exitZeroFlag = { type: "boolean", default: false, describe: "Exit with 0 instead of 1" } as const;

/** The flag for complete lists; each command describes what it lists. */
export const verboseFlag = { type: "boolean", default: false, group: flagGroups.output } as const;

/** The flag for colors. */
export const colorFlag = {
  requiresArg: true,
  choices: ["auto", "always", "never"],
  default: "auto",
  describe: "Use colors in text (default: auto)",
} as const;

/** Defines the output flags for a command that has more of them and groups them itself. */
export function addResultFlags<T>(command: Argv<T>) {
  return command
    .option("stdin-filename", {
      type: "string",
      requiresArg: true,
      describe: `File name for standard input, with the path - (default: ${STDIN_NAME})`,
    })
    .option("output", outputFlag)
    .option("exit-zero", exitZeroFlag)
    .option("color", colorFlag)
    .option("quiet", { alias: "q", type: "boolean", default: false, describe: "Omit notes on standard error" });
}
