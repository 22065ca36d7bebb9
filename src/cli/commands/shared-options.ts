import type { Argv } from "yargs";
import type { Release } from "../../directives/directives.js";
import { readings } from "../../simulate/model/decision.js";
import { STDIN_NAME } from "../inputs/standard-input.js";

const releases: readonly Release[] = ["2.2", "2.4"];

/** The groups of flags in `--help`, in order; yargs's own come last. */
export const flagGroups = {
  positionals: "Positionals:",
  read: "What is read:",
  asked: "What is asked:",
  told: "What is told:",
  changed: "What is changed:",
  written: "How it is written:",
  run: "How it is run:",
} as const;

/** Defines the flags that control how a configuration is read, and by which release. */
export function addReadingFlags<T>(command: Argv<T>) {
  return addInputFlags(orderFlagGroups(command).group("release", flagGroups.read)).option("release", {
    ...defineReleaseFlag("the release that reads the configuration"),
    defaultDescription: "2.4",
  });
}

/** Defines the flags that control how a configuration is read. */
export function addInputFlags<T>(command: Argv<T>) {
  return orderFlagGroups(command)
    .option("server-root", {
      type: "string",
      requiresArg: true,
      describe: "overrides ServerRoot: where relative paths start",
    })
    .option("sysroot", { type: "string", requiresArg: true, describe: "read absolute paths below this directory" })
    .option("map", {
      type: "string",
      array: true,
      nargs: 1,
      describe: "HOST=SERVER: read this path of the server from a file or directory here",
    })
    .option("confine", { type: "string", requiresArg: true, describe: "read nothing outside this directory" })
    .option("define", {
      alias: "D",
      type: "string",
      array: true,
      nargs: 1,
      describe: "NAME[=VALUE], as `httpd -D` or Define",
    })
    .option("envvars", {
      type: "string",
      requiresArg: true,
      describe: "the server's environment file (default: envvars beside the main file)",
    })
    .option("process-env", { type: "boolean", describe: "take ${VARIABLES} from this process's environment too" })
    .option("modules", { type: "string", array: true, nargs: 1, describe: "the loaded modules: mod_a,mod_b" })
    .option("no-module", { type: "string", array: true, nargs: 1, describe: "a module that is not loaded" })
    .option("config", {
      type: "string",
      requiresArg: true,
      describe: "the settings (default: the nearest .httpd-lint.json, upwards from what is asked for)",
    })
    .option("no-config", { type: "boolean", default: false, describe: "take no settings" })
    .group(
      ["server-root", "sysroot", "map", "confine", "define", "envvars", "process-env", "modules", "no-module"],
      flagGroups.read,
    )
    .group(["config", "no-config"], flagGroups.read)
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
  describe: "the main file of the server, whatever its name: files that it includes are part of the server",
} as const;

/** Defines the server argument of a command. */
export function addEntryArgument<T>(command: Argv<T>) {
  return command.positional("entry", {
    type: "string",
    describe: "the server's main file, its folder, or a file that it reads (default: of the settings)",
  });
}

/** Returns a flag that takes a release. */
export function defineReleaseFlag(describe: string) {
  return { type: "string", requiresArg: true, choices: releases, describe } as const;
}

/** Defines the flags of the commands that query a server: the server, the files on its disk, and the output. */
export function addServerOptions<T>(command: Argv<T>) {
  return addEntryArgument(addSideOptions(command)).option("files", {
    ...defineFilesFlag("which files exist"),
    group: flagGroups.read,
  });
}

/** Returns the flag for the files on the server's disk. */
export function defineFilesFlag(what: string) {
  const describe = `${what}: disk, assume (unknown: both are decided), or a file of paths`;
  return { type: "string", requiresArg: true, describe } as const;
}

/** Defines the flags for querying a server and for the output. */
export function addSideOptions<T>(command: Argv<T>) {
  return addOutputFlags(
    command.option("reading", {
      requiresArg: true,
      choices: readings,
      defaultDescription: "server",
      describe: "what httpd does, or what its upgrade guide says",
      group: flagGroups.read,
    }),
  );
}

/** Defines the output flags. */
export function addOutputFlags<T>(command: Argv<T>) {
  return addResultFlags(command)
    .option("main", mainFlag)
    .group(["main", "stdin-filename"], flagGroups.read)
    .group(["format", "output", "color", "quiet", "exit-zero"], flagGroups.written);
}

/** Defines the output flags for a command that has more of them and groups them itself. */
export function addResultFlags<T>(command: Argv<T>) {
  return command
    .option("stdin-filename", {
      type: "string",
      requiresArg: true,
      describe: "with the path -: the file that standard input stands for",
      defaultDescription: STDIN_NAME,
    })
    .option("output", { type: "string", requiresArg: true, describe: "write the result to a file" })
    .option("exit-zero", { type: "boolean", default: false, describe: "exit 0 where the code would be 1" })
    .option("color", {
      requiresArg: true,
      choices: ["auto", "always", "never"] as const,
      default: "auto" as const,
      describe: "colours in text",
    })
    .option("quiet", { alias: "q", type: "boolean", default: false, describe: "no notes on standard error" });
}
