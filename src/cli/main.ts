import yargs from "yargs";
import { version } from "../linter/package-files.js";
import { addCheckOptions, runCheckInWorkers } from "./commands/check.js";
import {
  addCompareOptions,
  addExplainOptions,
  addInitOptions,
  addLspOptions,
  addMapOptions,
  addMigrateOptions,
  addRequestOptions,
  addResolveOptions,
  addRulesOptions,
  addTestOptions,
  addUpgradeOptions,
} from "./commands/command-options.js";
import { runCompare } from "./commands/compare.js";
import { runExplain } from "./commands/explain.js";
import { runInit } from "./commands/init.js";
import { runMap } from "./commands/map.js";
import { runMigrate } from "./commands/migrate.js";
import { runResolve } from "./commands/resolve.js";
import { showRules } from "./commands/rules.js";
import {
  addInputFlags,
  addOutputFlags,
  addReadingFlags,
  addServerOptions,
  addSideOptions,
} from "./commands/shared-options.js";
import { runTest } from "./commands/test.js";
import { runUpgrade } from "./commands/upgrade.js";
import { runWatch } from "./commands/watch.js";
import {
  assignExplainArguments,
  assignTestArguments,
  chooseShell,
  findChosenEntry,
  normalizeArgv,
  restorePath,
  restorePaths,
  withServer,
} from "./inputs/argv.js";
import { type CommandResult, createFailure, exitCodes } from "./output/command-result.js";
import { getTerminalWidth, outputStyleOf } from "./output/terminal.js";
import { toOneLine, writeNotes, writeOutput, writeResult } from "./output/write-output.js";

/** Flags that may be repeated; of any other flag the last occurrence counts. */
const repeatableFlags = new Set([
  ...["_", "paths", "map", "define", "D", "modules", "no-module", "noModule", "select", "disable"],
  ...["group", "grants", "header", "env"],
]);

/**
 * Runs the command line. Only the result is written to standard output.
 *
 * @param args the arguments after the command's name
 * @param exit called with the exit code as soon as all output is written: yargs would otherwise format unneeded help
 */
export function main(args: readonly string[], exit: (code: number) => void): void {
  const done = (outcome: CommandResult, flags: { output?: string | undefined; quiet?: boolean | undefined }) =>
    exit(writeOutput(outcome, flags.output, flags.quiet === true));
  const shell = chooseShell(args);
  if (shell !== undefined && "failed" in shell) {
    done(createFailure(exitCodes.usage, shell.failed), {});
    return;
  }
  const isCompletion = args[0] === "completion";
  // yargs writes the script for the shell in the environment.
  if (shell) Object.assign(process.env, { SHELL: shell.name, ZSH_NAME: "" });
  const parser = yargs()
    .scriptName("httpd-lint")
    .usage(
      "$0 [command] PATH…\n\nFinds what is wrong with Apache httpd configuration, and what 2.4 makes of a 2.2 one.",
    )
    .command(
      ["check [paths..]", "$0"],
      "say what is wrong (the default command)",
      (command) => addCheckOptions(addReadingFlags(command)),
      (flags) => {
        if (isCompletion) {
          // yargs would continue with the default command and skip the script.
          parser.showCompletionScript();
          return;
        }
        const asked = { ...flags, ...outputStyleOf(flags), paths: (flags.paths ?? []).map(restorePath) };
        if (flags.watch) runWatch(asked, (outcome) => writeResult(outcome, flags.output, flags.quiet), exit);
        else awaitResult(runCheckInWorkers(asked), (outcome) => done(outcome, flags), exit);
      },
    )
    .command(
      "resolve [entry]",
      "print what the server would load, as `httpd -t -DDUMP_CONFIG` does",
      (command) => addResolveOptions(addReadingFlags(command)),
      (flags) =>
        done(
          withServer(restorePaths(flags), (server) => runResolve({ ...flags, ...server, release: server.readBy })),
          flags,
        ),
    )
    .command(
      "explain [entry] [url]",
      "say what a request gets and why, or what each request of an access log gets",
      (command) => addExplainOptions(addRequestOptions(addServerOptions(addReadingFlags(command)))),
      (flags) => {
        const asked = assignExplainArguments(restorePaths(flags), flags.requests);
        done(
          withServer(asked, (server) =>
            runExplain({ ...asked, ...outputStyleOf(flags), ...server, release: server.readBy }),
          ),
          flags,
        );
      },
    )
    .command(
      "test [entry] [file]",
      "say whether requests get what a file of expectations says",
      (command) => addTestOptions(addServerOptions(addReadingFlags(command))),
      (flags) => {
        const asked = assignTestArguments(restorePaths(flags));
        done(
          withServer(asked, (server) =>
            runTest({
              ...asked,
              ...outputStyleOf(flags),
              ...server,
              release: server.readBy,
            }),
          ),
          flags,
        );
      },
    )
    .command(
      "compare [before] [after]",
      "say whether two configurations, or one under two releases, answer every request alike",
      (command) => addCompareOptions(addSideOptions(addInputFlags(command))),
      (flags) => {
        const { before: entry, release, ...asked } = restorePaths(flags);
        done(
          withServer({ ...asked, entry }, (server) =>
            runCompare({ ...asked, ...outputStyleOf(flags), ...server, before: server.entry, release }),
          ),
          flags,
        );
      },
    )
    .command(
      "map [entry]",
      "say who gets in where, under 2.2 and under 2.4",
      (command) => addMapOptions(addSideOptions(addInputFlags(command))),
      (flags) =>
        done(
          withServer(restorePaths(flags), (server) => runMap({ ...flags, ...outputStyleOf(flags), ...server })),
          flags,
        ),
    )
    .command(
      "upgrade [entry]",
      "say all that the move from 2.2 to 2.4 breaks or changes",
      (command) => addUpgradeOptions(addOutputFlags(addInputFlags(command))),
      (flags) =>
        done(
          withServer(restorePaths(flags), (server) => runUpgrade({ ...flags, ...outputStyleOf(flags), ...server })),
          flags,
        ),
    )
    .command(
      "migrate [entry]",
      "show old access control as Require, all at once, where it is proved that nobody gains or loses access",
      (command) => addMigrateOptions(addOutputFlags(addInputFlags(command))),
      (flags) => {
        const { reading = "server", ...asked } = restorePaths(flags);
        // For recovery, the backup directory is enough.
        const isByDirectory = (flags.recover || flags.undo) && flags.entry === undefined;
        done(
          isByDirectory
            ? runMigrate({ ...asked, ...outputStyleOf(flags), entry: findChosenEntry(asked), reading })
            : withServer(restorePaths(flags), (server) => runMigrate({ ...asked, ...outputStyleOf(flags), ...server })),
          flags,
        );
      },
    )
    .command("init [directory]", "write the settings of a project from what is found", addInitOptions, (flags) =>
      done(runInit(flags), {}),
    )
    .command("rules [id]", "list the rules, or show the page of one", addRulesOptions, (flags) =>
      done(showRules(flags.id), {}),
    )
    .command("lsp", "serve an editor: findings as you type, who gets in where, completion", addLspOptions, () =>
      startServer(),
    )
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        if (Array.isArray(value) && !repeatableFlags.has(name)) flags[name] = value.at(-1);
      }
    }, true)
    .completion("completion", "print a completion script: completion [bash|zsh|fish]")
    .version(version)
    .describe("version", "show the version")
    .help()
    .describe("help", "show this")
    .alias({ h: "help" })
    .strict()
    .recommendCommands()
    .wrap(Math.min(100, getTerminalWidth() ?? 100))
    .epilog(
      "Exit codes: 0 nothing found, 1 findings, 2 wrong usage, 3 input unreadable, 4 internal failure, 5 answer unknown.",
    )
    .fail((message, error) => {
      // yargs also reports invalid usage as an error of its own.
      if (error && error.name !== "YError") throw error;
      exit(
        writeOutput(
          createFailure(exitCodes.usage, `${toOneLine(message ?? error?.message ?? "")}; see \`httpd-lint --help\``),
          undefined,
          false,
        ),
      );
    });
  try {
    // Output that yargs writes itself would be lost silently if standard output is not writable.
    parser.parseSync(isCompletion ? args.slice(0, 1) : normalizeArgv(args), {}, (_error, _flags, output) => {
      if (output !== "") done({ output: [`${output}\n`], notes: [], exitCode: exitCodes.clean }, {});
    });
  } catch (error) {
    exit(internalFailure(error));
  }
}

/** Waits for a pending outcome; yargs's own way of waiting is slow. */
function awaitResult(
  outcome: CommandResult | Promise<CommandResult>,
  done: (outcome: CommandResult) => void,
  exit: (code: number) => void,
): void {
  if (outcome instanceof Promise) outcome.then(done).catch((error: unknown) => exit(internalFailure(error)));
  else done(outcome);
}

function internalFailure(error: unknown): number {
  writeNotes([
    `httpd-lint: internal failure, please report it: ${toOneLine(error instanceof Error ? error.message : String(error))}`,
  ]);
  if (process.env["HTTPD_LINT_DEBUG"] && error instanceof Error) writeNotes([error.stack ?? ""]);
  return exitCodes.internal;
}

/** Starts the language server, a separate bundle, which other commands do not load. */
function startServer(): void {
  void import("../lsp/server.js").then(({ startLanguageServer }) => startLanguageServer());
}
