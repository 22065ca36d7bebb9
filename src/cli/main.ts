import { closeSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import yargs, { type Argv } from "yargs";
import type { Release } from "../directives/directives.js";
import { type Severity, severities } from "../engine/finding.js";
import { type Format, formats } from "../report/index.js";
import { type TestFormat, testFormats } from "../report/tested.js";
import { ANYBODY } from "../scope/written-request.js";
import { readings } from "../simulate/decision.js";
import { version } from "../version.js";
import { check } from "./check.js";
import { compare, compareFormats } from "./compare.js";
import { exitCodes } from "./exit-codes.js";
import { EXPECTATIONS_FILE } from "./expectations.js";
import { explain, explainFormats } from "./explain.js";
import { init } from "./init.js";
import { map, mapFormats } from "./map.js";
import { migrate, migrateFormats } from "./migrate.js";
import { entryMeant, explainWords, onServer, testWords } from "./on-server.js";
import { failure, type Outcome } from "./outcome.js";
import { resolveEntry } from "./resolve.js";
import { showRules } from "./rules.js";
import { columns, isTerminal } from "./terminal.js";
import { test } from "./test.js";
import { upgrade, upgradeFormats } from "./upgrade.js";
import { watchCheck } from "./watch.js";

const releases: readonly Release[] = ["2.2", "2.4"];

/** What `-` is called while yargs has it. */
const standardInput = "/dev/stdin";

/** What may be given several times; of every other flag the last one counts. */
const lists = new Set([
  ...["_", "paths", "define", "D", "modules", "no-module", "noModule", "select", "disable"],
  ...["group", "grants", "header", "env"],
]);

/**
 * Runs the command line. Standard output gets the result and nothing else.
 *
 * @param args the arguments behind the command's name
 * @param exit called with the exit code as soon as all is written: yargs would go on to lay out help that nobody wants
 */
export function main(args: readonly string[], exit: (code: number) => void): void {
  const done = (outcome: Outcome, flags: { output?: string | undefined; quiet?: boolean | undefined }) =>
    exit(deliver(outcome, flags.output, flags.quiet === true));
  const shell = shellFor(args);
  if (shell !== undefined && "failed" in shell) {
    done(failure(exitCodes.usage, shell.failed), {});
    return;
  }
  // yargs writes the script for the shell that the environment names.
  if (shell) Object.assign(process.env, { SHELL: shell.name, ZSH_NAME: "" });
  const parser = yargs(forYargs(args))
    .scriptName("httpd-lint")
    .usage(
      "$0 [command] PATH…\n\nFinds what is wrong with Apache httpd configuration, and what 2.4 makes of a 2.2 one.",
    )
    .command(
      ["check [paths..]", "$0"],
      "say what is wrong (the default command)",
      (command) => checkOptions(readingFlags(command)),
      (flags) => {
        const asked = { ...flags, ...shownBy(flags), paths: (flags.paths ?? []).map(pathOf) };
        if (flags.watch) watchCheck(asked, (outcome) => deliver(outcome, flags.output, flags.quiet), exit);
        else done(check(asked), flags);
      },
    )
    .command(
      "resolve [entry]",
      "print what the server would load, as `httpd -t -DDUMP_CONFIG` does",
      (command) =>
        readingFlags(command)
          .positional("entry", { type: "string", describe: "the main configuration file (default: of the settings)" })
          .option("stdin-filename", { type: "string", requiresArg: true, describe: "what standard input is called" })
          .option("output", { type: "string", describe: "write the result to a file", requiresArg: true })
          .option("quiet", { type: "boolean", describe: "no notes on standard error" }),
      (flags) =>
        done(
          onServer(withPaths(flags), (server) => resolveEntry({ ...flags, ...server, release: server.readBy })),
          flags,
        ),
    )
    .command(
      "explain [entry] [url]",
      "say what a request gets and why, or what each request of an access log gets",
      (command) => explainOptions(requestOptions(serverOptions(readingFlags(command)))),
      (flags) => {
        const asked = explainWords(withPaths(flags), flags.requests);
        done(
          onServer(asked, (server) => explain({ ...asked, ...shownBy(flags), ...server, release: server.readBy })),
          flags,
        );
      },
    )
    .command(
      "test [entry] [file]",
      "say whether requests get what a file of expectations says",
      (command) => testOptions(serverOptions(readingFlags(command))),
      (flags) => {
        const asked = testWords(withPaths(flags));
        done(
          onServer(asked, (server) =>
            test({
              ...asked,
              ...shownBy(flags),
              ...server,
              release: server.readBy,
              file: asked.file ?? server.expectations,
            }),
          ),
          flags,
        );
      },
    )
    .command(
      "compare [before] [after]",
      "say whether two configurations, or one under two releases, answer every request alike",
      (command) => compareOptions(sideOptions(inputFlags(command))),
      (flags) => {
        const { before: entry, release, ...asked } = withPaths(flags);
        done(
          onServer({ ...asked, entry }, (server) =>
            compare({ ...asked, ...shownBy(flags), ...server, before: server.entry, release }),
          ),
          flags,
        );
      },
    )
    .command(
      "map [entry]",
      "say who gets in where, under 2.2 and under 2.4",
      (command) => mapOptions(sideOptions(inputFlags(command))),
      (flags) =>
        done(
          onServer(withPaths(flags), (server) => map({ ...flags, ...shownBy(flags), ...server })),
          flags,
        ),
    )
    .command(
      "upgrade [entry]",
      "say all that the move from 2.2 to 2.4 breaks or changes",
      (command) => upgradeOptions(outputFlags(inputFlags(command))),
      (flags) =>
        done(
          onServer(withPaths(flags), (server) => upgrade({ ...flags, ...shownBy(flags), ...server })),
          flags,
        ),
    )
    .command(
      "migrate [entry]",
      "show old access control as Require, all at once, where it is proved that nobody gains or loses access",
      (command) => migrateOptions(outputFlags(inputFlags(command))),
      (flags) => {
        const { reading = "server", ...asked } = withPaths(flags);
        // Recovering reads no configuration.
        const isRecovering = flags.recover || flags.undo;
        done(
          isRecovering
            ? migrate({ ...asked, ...shownBy(flags), entry: entryMeant(asked), reading })
            : onServer(withPaths(flags), (server) => migrate({ ...asked, ...shownBy(flags), ...server })),
          flags,
        );
      },
    )
    .command(
      "init [directory]",
      "write the settings of a project from what is found",
      (command) =>
        command
          .positional("directory", {
            type: "string",
            describe: "the folder that holds it (default: . or this machine)",
          })
          .option("force", { type: "boolean", default: false, describe: "write settings that are there anew" }),
      (flags) => done(init(flags), {}),
    )
    .command(
      "rules [id]",
      "list the rules, or show the page of one",
      (command) => command.positional("id", { type: "string", describe: "a rule" }),
      (flags) => done(showRules(flags.id), {}),
    )
    .command(
      "lsp",
      "serve an editor: findings as you type, who gets in where, completion",
      (command) =>
        command
          .option("stdio", { type: "boolean", describe: "over standard input and output: there is no other way" })
          // Editors that are made of Node name themselves, to be outlived by no server.
          .option("clientProcessId", { type: "string", hidden: true }),
      () => serveEditor(),
    )
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        if (Array.isArray(value) && !lists.has(name)) flags[name] = value.at(-1);
      }
    }, true)
    .completion("completion", "print a completion script: completion [bash|zsh|fish]")
    .version(version)
    .help()
    .alias({ h: "help" })
    .strict()
    .recommendCommands()
    .wrap(Math.min(100, columns() ?? 100))
    .epilog(
      "Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 input unreadable, 4 internal failure, 5 answer unknown.",
    )
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

/** The language server is a bundle of its own, which no other command loads. */
function serveEditor(): void {
  void import("../lsp/server.js").then(({ serve }) => serve());
}

const shells = ["bash", "zsh", "fish"];

/** The shell that `completion` names; undefined for other commands, and where it names none. */
function shellFor([command, name]: readonly string[]):
  | { readonly name: string }
  | { readonly failed: string }
  | undefined {
  if (command !== "completion" || name === undefined || name.startsWith("-")) return undefined;
  if (shells.includes(name)) return { name };
  return {
    failed: `there is no completion script for \`${oneLine(name)}\`; name ${shells.join(", ")} or none, for the shell of $SHELL`,
  };
}

/**
 * yargs loses a lone `-`, and what stands behind `--`, where positionals are variadic: those are written as paths. And it
 * would take what stands behind `--fix` for its value.
 */
function forYargs(args: readonly string[]): string[] {
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

function pathOf(path: string): string {
  return path === standardInput ? "-" : path;
}

/** Flags with the paths among them as the user wrote them. */
function withPaths<T extends WordFlags>(flags: T): T {
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

/** Flags that say how a configuration is read, and by which release. */
function readingFlags<T>(command: Argv<T>) {
  return inputFlags(command).option("release", {
    ...releaseFlag("the release that reads the configuration"),
    defaultDescription: "2.4",
  });
}

function inputFlags<T>(command: Argv<T>) {
  return command
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
    .option("config", {
      type: "string",
      requiresArg: true,
      describe: "the settings (default: the nearest .httpd-lint.json, upwards from what is asked for)",
    })
    .option("no-config", { type: "boolean", default: false, describe: "no settings" })
    .parserConfiguration({ "boolean-negation": false });
}

/** The server that a command is about. */
function entryOf<T>(command: Argv<T>) {
  return command.positional("entry", {
    type: "string",
    describe: "the server's main file, its folder, or a file that it reads (default: of the settings)",
  });
}

/** A flag that names a release. */
function releaseFlag(describe: string) {
  return { type: "string", requiresArg: true, choices: releases, describe } as const;
}

/** Flags of the commands that ask a server: which one, what lies on its disk, and how results are written. */
function serverOptions<T>(command: Argv<T>) {
  return entryOf(sideOptions(command)).option("files", filesFlag("which files exist"));
}

/** The flag that says what lies on the server's disk. */
function filesFlag(what: string) {
  const describe = `${what}: disk, assume (unknown: both are decided), or a file of paths`;
  return { type: "string", requiresArg: true, describe } as const;
}

/** Flags that say how a server is asked, and how results are written. */
function sideOptions<T>(command: Argv<T>) {
  return outputFlags(
    command.option("reading", {
      requiresArg: true,
      choices: readings,
      defaultDescription: "server",
      describe: "what httpd does, or what its upgrade guide says",
    }),
  );
}

/** Flags that say how results are written. */
function outputFlags<T>(command: Argv<T>) {
  return command
    .option("stdin-filename", { type: "string", requiresArg: true, describe: "what standard input is called" })
    .option("output", { type: "string", requiresArg: true, describe: "write the result to a file" })
    .option("exit-zero", { type: "boolean", default: false, describe: "exit 0 in place of 1" })
    .option("color", {
      requiresArg: true,
      choices: ["auto", "always", "never"] as const,
      default: "auto" as const,
      describe: "colours in text",
    })
    .option("quiet", { type: "boolean", default: false, describe: "no notes on standard error" });
}

/** Flags that say what is asked for, and by whom. */
function requestOptions<T>(command: Argv<T>) {
  const text = (describe: string) => ({ type: "string", requiresArg: true, describe }) as const;
  const several = (describe: string) => ({ type: "string", array: true, nargs: 1, describe }) as const;
  return command
    .positional("url", { type: "string", describe: "a URL, or a path with or without a query" })
    .option("method", text("default GET"))
    .option("scheme", text("http or https"))
    .option("host", text("the Host header: names the virtual host"))
    .option("port", text("the port that the server is asked at"))
    .option("server-ip", text("the address that the server is asked at (default 127.0.0.1)"))
    .option("client-ip", text(`the client's address, behind any proxy (default ${ANYBODY}, from anywhere)`))
    .option("client-host", text("the client's name, where its address leads to it and it leads back"))
    .option("user", text("who it is, with the right password"))
    .option("group", several("a group of the user (default: those in the group file)"))
    .option("grants", several("what a directory, database or resolver grants: 'ldap-group cn=staff'"))
    .option("header", several('another header: "Name: value"'))
    .option("env", several("a variable set before access is checked: NAME[=VALUE]"))
    .option("query", text("the query, where the URL has none"));
}

function explainOptions<T>(command: Argv<T>) {
  return command
    .option("requests", {
      type: "string",
      requiresArg: true,
      describe: "an access log (common, combined or JSON) in place of one request, - for standard input",
    })
    .option("changed", {
      type: "boolean",
      default: false,
      describe: "with --requests: only what is answered otherwise than logged",
    })
    .option("format", {
      requiresArg: true,
      choices: explainFormats,
      default: "text" as (typeof explainFormats)[number],
      describe: "how the answer is written",
    });
}

function compareOptions<T>(command: Argv<T>) {
  return command
    .positional("before", {
      type: "string",
      describe: "the main file of a server, its folder, or a file that it reads (default: of the settings)",
    })
    .positional("after", {
      type: "string",
      describe: "the one to compare it with (default: the same under another release)",
    })
    .option("release", releaseFlag("the release that reads both (default 2.4)"))
    .option("from", releaseFlag("the release that reads BEFORE (default 2.2 where there is no AFTER)"))
    .option("to", releaseFlag("the release that reads AFTER (default 2.4)"))
    .option("requests", {
      type: "string",
      requiresArg: true,
      describe: "an access log: which of its requests are answered differently, - for standard input",
    })
    .option("format", {
      requiresArg: true,
      choices: compareFormats,
      default: "text" as (typeof compareFormats)[number],
      describe: "how the comparison is written",
    });
}

function mapOptions<T>(command: Argv<T>) {
  return entryOf(command)
    .option("release", releaseFlag("one release alone (default: both, each that starts with the configuration)"))
    .option("files", filesFlag("HTML: which files exist"))
    .option("format", {
      requiresArg: true,
      choices: mapFormats,
      default: "text" as (typeof mapFormats)[number],
      describe: "how the map is written",
    });
}

function upgradeOptions<T>(command: Argv<T>) {
  return entryOf(command)
    .option("config-nice", {
      type: "string",
      requiresArg: true,
      describe: "the `config.nice` of the build of 2.2: names the switches that 2.4 takes no more",
    })
    .option("format", {
      requiresArg: true,
      choices: upgradeFormats,
      default: "text" as (typeof upgradeFormats)[number],
      describe: "how the report is written",
    });
}

function migrateOptions<T>(command: Argv<T>) {
  return command
    .positional("entry", {
      type: "string",
      describe: "the main configuration file of a server, or its folder (default: of the settings)",
    })
    .option("from", { ...releaseFlag("the release whose answers are kept"), default: "2.4" as Release })
    .option("reading", {
      requiresArg: true,
      choices: readings,
      defaultDescription: "server",
      describe: "whose reading of the old directives is kept: what the server does, or what the upgrade guide says",
    })
    .option("format", {
      requiresArg: true,
      choices: migrateFormats,
      default: "diff" as (typeof migrateFormats)[number],
      describe: "how the change is written",
    })
    .option("write", {
      type: "boolean",
      default: false,
      describe: "change the files, all or none; the old texts are kept in the backup directory",
    })
    .option("backup-dir", {
      type: "string",
      requiresArg: true,
      describe: "where the old texts are kept (default: `.httpd-lint` beside the main file)",
    })
    .option("verify-with-httpd", {
      type: "string",
      describe:
        "have `httpd -t` of this machine look at the new texts first: =PATH, or the httpd or apache2 on the PATH",
    })
    .option("fix-start", {
      type: "boolean",
      default: false,
      describe: "with --from 2.2: also change what keeps 2.4 from starting, such as LoadModule lines",
    })
    .option("recover", {
      type: "boolean",
      default: false,
      describe: "bring a run of --write that was cut off to its end",
    })
    .option("undo", { type: "boolean", default: false, describe: "with --recover: take it back instead" });
}

function testOptions<T>(command: Argv<T>) {
  return command
    .positional("file", { type: "string", describe: `the expectations (default: ${EXPECTATIONS_FILE})` })
    .option("format", {
      requiresArg: true,
      choices: testFormats,
      default: "text" as TestFormat,
      describe: "how results are written",
    });
}

/** How text is to look, by the flags and the terminal. */
function shownBy(flags: { readonly color: "auto" | "always" | "never"; readonly output?: string | undefined }) {
  return { colour: useColour(flags.color, flags.output), width: flags.output === undefined ? columns() : undefined };
}

function checkOptions<T>(command: Argv<T>) {
  return command
    .positional("paths", {
      type: "string",
      array: true,
      describe: "files, folders, or - for standard input (default: the servers of the settings, or .)",
    })
    .option("from", releaseFlag("the release that the configuration comes from: adds the upgrade's rules"))
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
    .option("fix", {
      choices: ["safe", "unsafe"] as const,
      describe: "change the files: what is proved to be safe; --fix=unsafe the rest, too",
    })
    .option("diff", { type: "boolean", default: false, describe: "show what --fix would write, and write nothing" })
    .option("backup-dir", {
      type: "string",
      requiresArg: true,
      describe: "where --fix keeps the old texts (default: `.httpd-lint` beside the main file)",
    })
    .option("exit-zero", { type: "boolean", default: false, describe: "exit 0 although there are findings" })
    .option("statistics", {
      type: "boolean",
      default: false,
      describe: "count findings by rule instead of showing them",
    })
    .option("baseline", {
      type: "string",
      requiresArg: true,
      describe: "a file of findings that are known and stay quiet",
    })
    .option("update-baseline", {
      type: "boolean",
      default: false,
      describe: "write all that is found into the baseline",
    })
    .option("changed-since", {
      type: "string",
      requiresArg: true,
      describe: "a commit of git: only what is found in lines changed since",
    })
    .option("watch", { type: "boolean", default: false, describe: "check again whenever something is changed" })
    .option("report-ignored", { type: "boolean", default: false, describe: "say what is kept quiet, and by what" })
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
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeTo(temporary, outcome.output);
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    if (!(error instanceof Error && "code" in error)) throw error;
    writeNotes([`httpd-lint: \`${target}\` of --output cannot be written: ${whyNotWritten(error)}`]);
    return exitCodes.usage;
  }
  return outcome.exitCode;
}

function writeTo(path: string, output: Outcome["output"]): void {
  const descriptor = openSync(path, "w");
  try {
    for (const chunk of output) writeAll(descriptor, chunk);
  } finally {
    closeSync(descriptor);
  }
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
