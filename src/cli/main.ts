import { renameSync, rmSync, writeFileSync, writeSync } from "node:fs";
import yargs, { type Argv } from "yargs";
import type { Release } from "../directives/directives.js";
import { type Severity, severities } from "../engine/finding.js";
import { type Format, formats } from "../report/index.js";
import { version } from "../version.js";
import { check } from "./check.js";
import { exitCodes } from "./exit-codes.js";
import { failure, type Outcome } from "./outcome.js";
import { resolveEntry } from "./resolve.js";
import { showRules } from "./rules.js";
import { columns, isTerminal } from "./terminal.js";

const releases: readonly Release[] = ["2.2", "2.4"];

/** What `-` is called while yargs has it. */
const standardInput = "/dev/stdin";

/** What may be given several times; of every other flag the last one counts. */
const lists = new Set(["_", "paths", "define", "D", "modules", "no-module", "noModule", "select", "disable"]);

/**
 * Runs the command line. Standard output gets the result and nothing else.
 *
 * @param args the arguments behind the command's name
 * @param exit called with the exit code as soon as all is written: yargs would go on to lay out help that nobody wants
 */
export function main(args: readonly string[], exit: (code: number) => void): void {
  const done = (outcome: Outcome, flags: { output?: string | undefined; quiet?: boolean | undefined }) =>
    exit(deliver(outcome, flags.output, flags.quiet === true));
  const parser = yargs(forYargs(args))
    .scriptName("httpd-lint")
    .usage(
      "$0 [command] PATH…\n\nFinds what is wrong with Apache httpd configuration, and what 2.4 makes of a 2.2 one.",
    )
    .command(
      ["check [paths..]", "$0"],
      "say what is wrong (the default command)",
      (command) => checkOptions(readingFlags(command)),
      (flags) =>
        done(
          check({
            ...flags,
            paths: pathsOf(flags.paths ?? []),
            colour: useColour(flags.color, flags.output),
            width: columns(),
          }),
          flags,
        ),
    )
    .command(
      "resolve <entry>",
      "print what the server would load, as `httpd -t -DDUMP_CONFIG` does",
      (command) =>
        readingFlags(command)
          .positional("entry", { type: "string", demandOption: true, describe: "the main configuration file" })
          .option("output", { type: "string", describe: "write the result to a file", requiresArg: true })
          .option("quiet", { type: "boolean", describe: "no notes on standard error" }),
      (flags) => done(resolveEntry(flags), flags),
    )
    .command(
      "rules [id]",
      "list the rules, or show the page of one",
      (command) => command.positional("id", { type: "string", describe: "a rule" }),
      (flags) => done(showRules(flags.id), {}),
    )
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        if (Array.isArray(value) && !lists.has(name)) flags[name] = value.at(-1);
      }
    }, true)
    .completion("completion", "print a completion script for the shell")
    .version(version)
    .help()
    .alias({ h: "help" })
    .strict()
    .recommendCommands()
    .wrap(Math.min(100, columns() ?? 100))
    .epilog("Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 input unreadable, 4 internal failure.")
    .fail((message, error) => {
      // Wrong usage comes as an error of yargs' own, too.
      if (error && error.name !== "YError") throw error;
      exit(
        deliver(
          failure(exitCodes.usage, `${oneLine(message ?? error?.message ?? "")}; see \`httpd-lint --help\``),
          undefined,
          false,
        ),
      );
    });
  try {
    parser.parseSync();
  } catch (error) {
    writeNotes([
      `httpd-lint: internal failure, please report it: ${oneLine(error instanceof Error ? error.message : String(error))}`,
    ]);
    if (process.env["HTTPD_LINT_DEBUG"] && error instanceof Error) writeNotes([error.stack ?? ""]);
    exit(exitCodes.internal);
  }
}

/** yargs loses a lone `-`, and what stands behind `--`, where positionals are variadic: those are written as paths. */
function forYargs(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  const behind =
    end < 0 ? [] : args.slice(end + 1).map((path) => (path === "-" || path.startsWith("/") ? path : `./${path}`));
  return [...(end < 0 ? args : args.slice(0, end)), ...behind].map((arg) => (arg === "-" ? standardInput : arg));
}

function pathsOf(paths: readonly string[]): string[] {
  return paths.length > 0 ? paths.map((path) => (path === standardInput ? "-" : path)) : ["."];
}

function readingFlags<T>(command: Argv<T>) {
  return command
    .option("release", {
      type: "string",
      requiresArg: true,
      choices: releases,
      default: "2.4" as Release,
      describe: "the release that reads the configuration",
    })
    .option("server-root", {
      type: "string",
      requiresArg: true,
      describe: "overrides ServerRoot: where relative paths start",
    })
    .option("sysroot", { type: "string", requiresArg: true, describe: "read absolute paths below this directory" })
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
    .parserConfiguration({ "boolean-negation": false });
}

function checkOptions<T>(command: Argv<T>) {
  return command
    .positional("paths", {
      type: "string",
      array: true,
      describe: "files, folders, or - for standard input (default: .)",
    })
    .option("from", {
      type: "string",
      requiresArg: true,
      choices: releases,
      describe: "the release that the configuration comes from: adds the upgrade's rules",
    })
    .option("stdin-filename", { type: "string", requiresArg: true, describe: "what standard input is called" })
    .option("format", {
      requiresArg: true,
      choices: formats,
      default: "text" as Format,
      describe: "how findings are written",
    })
    .option("output", { type: "string", requiresArg: true, describe: "write the result to a file" })
    .option("select", { type: "string", array: true, nargs: 1, describe: "only these rules" })
    .option("disable", { type: "string", array: true, nargs: 1, describe: "without these rules" })
    .option("min-severity", {
      requiresArg: true,
      choices: severities,
      default: "info" as Severity,
      describe: "findings below it are left out",
    })
    .option("exit-zero", { type: "boolean", default: false, describe: "exit 0 although there are findings" })
    .option("statistics", {
      type: "boolean",
      default: false,
      describe: "count findings by rule instead of showing them",
    })
    .option("category", {
      type: "string",
      requiresArg: true,
      describe: "SARIF: keeps several runs of one commit apart",
    })
    .option("color", {
      requiresArg: true,
      choices: ["auto", "always", "never"] as const,
      default: "auto" as const,
      describe: "colours in text",
    })
    .option("quiet", { type: "boolean", default: false, describe: "no notes on standard error" });
}

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR and the flag win. */
function useColour(flag: "auto" | "always" | "never", output: string | undefined): boolean {
  if (flag !== "auto") return flag === "always";
  if (process.env["NO_COLOR"]) return false;
  if (process.env["FORCE_COLOR"]) return true;
  return output === undefined && isTerminal(1);
}

/** Writes the result where it belongs; a file appears whole or not at all. */
function deliver(outcome: Outcome, target: string | undefined, quiet: boolean): number {
  if (!quiet || outcome.exitCode > exitCodes.findings) writeNotes(outcome.notes);
  if (target === undefined) {
    for (const chunk of outcome.output) writeAll(1, chunk);
    return outcome.exitCode;
  }
  const text = [...outcome.output];
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, Buffer.concat(text.map((chunk) => Buffer.from(chunk))));
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    writeNotes([`httpd-lint: \`${target}\` of --output cannot be written: ${whyNotWritten(error)}`]);
    return exitCodes.usage;
  }
  return outcome.exitCode;
}

const writeFailures: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "a part of its path is not a folder",
  EISDIR: "it is a folder",
  EBUSY: "it is in use",
  EACCES: "permission is denied",
  EPERM: "permission is denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
};

function whyNotWritten(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return writeFailures[code] ?? `the system says ${code || oneLine(String(error))}`;
}

function writeNotes(notes: readonly string[]): void {
  for (const note of notes) writeAll(2, `${note}\n`);
}

/** Writes all of it, also into a pipe that is full for the moment; a reader that left ends the output. */
function writeAll(descriptor: number, chunk: string | Buffer): void {
  const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(descriptor, bytes, done);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "EPIPE") return;
      if (code !== "EAGAIN") throw error;
    }
  }
}

function oneLine(message: string): string {
  return message.replace(/\s+/g, " ").trim();
}
