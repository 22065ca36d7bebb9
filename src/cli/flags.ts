import type { Argv } from "yargs";
import type { Release } from "../directives/directives.js";
import { readings } from "../simulate/decision.js";
import { STDIN_NAME } from "./standard-input.js";

const releases: readonly Release[] = ["2.2", "2.4"];

/** What flags are sorted by in `--help`, in this order; yargs's own come last. */
export const groups = {
  positionals: "Positionals:",
  read: "What is read:",
  asked: "What is asked:",
  told: "What is told:",
  changed: "What is changed:",
  written: "How it is written:",
  run: "How it is run:",
} as const;

/** Flags that say how a configuration is read, and by which release. */
export function readingFlags<T>(command: Argv<T>) {
  return inputFlags(inGroups(command).group("release", groups.read)).option("release", {
    ...releaseFlag("the release that reads the configuration"),
    defaultDescription: "2.4",
  });
}

/** Flags that say how a configuration is read. */
export function inputFlags<T>(command: Argv<T>) {
  return inGroups(command)
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
      groups.read,
    )
    .group(["config", "no-config"], groups.read)
    .parserConfiguration({ "boolean-negation": false });
}

/** Has yargs hear of the groups: it shows them in that order. */
function inGroups<T>(command: Argv<T>): Argv<T> {
  for (const title of Object.values(groups)) command.group([], title);
  return command;
}

/** The flag that names the main file of a server. */
export const mainFlag = {
  type: "string",
  requiresArg: true,
  describe: "the main file of the server, whatever its name: files that it includes are part of the server",
} as const;

/** The server that a command is about. */
export function entryOf<T>(command: Argv<T>) {
  return command.positional("entry", {
    type: "string",
    describe: "the server's main file, its folder, or a file that it reads (default: of the settings)",
  });
}

/** A flag that names a release. */
export function releaseFlag(describe: string) {
  return { type: "string", requiresArg: true, choices: releases, describe } as const;
}

/** Flags of the commands that ask a server: which one, what lies on its disk, and how results are written. */
export function serverOptions<T>(command: Argv<T>) {
  return entryOf(sideOptions(command)).option("files", { ...filesFlag("which files exist"), group: groups.read });
}

/** The flag that says what lies on the server's disk. */
export function filesFlag(what: string) {
  const describe = `${what}: disk, assume (unknown: both are decided), or a file of paths`;
  return { type: "string", requiresArg: true, describe } as const;
}

/** Flags that say how a server is asked, and how results are written. */
export function sideOptions<T>(command: Argv<T>) {
  return outputFlags(
    command.option("reading", {
      requiresArg: true,
      choices: readings,
      defaultDescription: "server",
      describe: "what httpd does, or what its upgrade guide says",
      group: groups.read,
    }),
  );
}

/** Flags that say how results are written. */
export function outputFlags<T>(command: Argv<T>) {
  return resultFlags(command)
    .option("main", mainFlag)
    .group(["main", "stdin-filename"], groups.read)
    .group(["format", "output", "color", "quiet", "exit-zero"], groups.written);
}

/** The same flags where a command has more of their kind, and groups them itself. */
export function resultFlags<T>(command: Argv<T>) {
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
    .option("quiet", { type: "boolean", default: false, describe: "no notes on standard error" });
}
