import yargs from "yargs";
import { version } from "../version.js";
import { checkInThreads } from "./check.js";
import { checkOptions } from "./check-flags.js";
import {
  compareOptions,
  explainOptions,
  initOptions,
  lspOptions,
  mapOptions,
  migrateOptions,
  requestOptions,
  resolveOptions,
  rulesOptions,
  testOptions,
  upgradeOptions,
} from "./command-flags.js";
import { compare } from "./compare.js";
import { deliver, delivered, oneLine, writeNotes } from "./deliver.js";
import { exitCodes } from "./exit-codes.js";
import { explain } from "./explain.js";
import { inputFlags, outputFlags, readingFlags, serverOptions, sideOptions } from "./flags.js";
import { init } from "./init.js";
import { shownBy } from "./look.js";
import { map } from "./map.js";
import { migrate } from "./migrate.js";
import { entryMeant, explainWords, onServer, testWords } from "./on-server.js";
import { failure, type Outcome } from "./outcome.js";
import { resolveEntry } from "./resolve.js";
import { showRules } from "./rules.js";
import { columns } from "./terminal.js";
import { test } from "./test.js";
import { upgrade } from "./upgrade.js";
import { watchCheck } from "./watch.js";
import { forYargs, pathOf, shellFor, withPaths } from "./words.js";

/** What may be given several times; of every other flag the last one counts. */
const lists = new Set([
  ...["_", "paths", "map", "define", "D", "modules", "no-module", "noModule", "select", "disable"],
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
  const isCompletion = args[0] === "completion";
  // yargs writes the script for the shell that the environment names.
  if (shell) Object.assign(process.env, { SHELL: shell.name, ZSH_NAME: "" });
  const parser = yargs()
    .scriptName("httpd-lint")
    .usage(
      "$0 [command] PATH…\n\nFinds what is wrong with Apache httpd configuration, and what 2.4 makes of a 2.2 one.",
    )
    .command(
      ["check [paths..]", "$0"],
      "say what is wrong (the default command)",
      (command) => checkOptions(readingFlags(command)),
      (flags) => {
        if (isCompletion) {
          // yargs goes on to the default command, and forgets the script by that.
          parser.showCompletionScript();
          return;
        }
        const asked = { ...flags, ...shownBy(flags), paths: (flags.paths ?? []).map(pathOf) };
        if (flags.watch) watchCheck(asked, (outcome) => delivered(outcome, flags.output, flags.quiet), exit);
        else whenDone(checkInThreads(asked), (outcome) => done(outcome, flags), exit);
      },
    )
    .command(
      "resolve [entry]",
      "print what the server would load, as `httpd -t -DDUMP_CONFIG` does",
      (command) => resolveOptions(readingFlags(command)),
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
        // To recover, the backup directory is enough.
        const isByDirectory = (flags.recover || flags.undo) && flags.entry === undefined;
        done(
          isByDirectory
            ? migrate({ ...asked, ...shownBy(flags), entry: entryMeant(asked), reading })
            : onServer(withPaths(flags), (server) => migrate({ ...asked, ...shownBy(flags), ...server })),
          flags,
        );
      },
    )
    .command("init [directory]", "write the settings of a project from what is found", initOptions, (flags) =>
      done(init(flags), {}),
    )
    .command("rules [id]", "list the rules, or show the page of one", rulesOptions, (flags) =>
      done(showRules(flags.id), {}),
    )
    .command("lsp", "serve an editor: findings as you type, who gets in where, completion", lspOptions, () =>
      serveEditor(),
    )
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        if (Array.isArray(value) && !lists.has(name)) flags[name] = value.at(-1);
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
    // What yargs writes by itself would be lost without a word where standard output cannot be written.
    parser.parseSync(isCompletion ? args.slice(0, 1) : forYargs(args), {}, (_error, _flags, output) => {
      if (output !== "") done({ output: [`${output}\n`], notes: [], exitCode: exitCodes.clean }, {});
    });
  } catch (error) {
    exit(internalFailure(error));
  }
}

/** Waits for an outcome that is not there yet; yargs would wait in ways that take time. */
function whenDone(
  outcome: Outcome | Promise<Outcome>,
  done: (outcome: Outcome) => void,
  exit: (code: number) => void,
): void {
  if (outcome instanceof Promise) outcome.then(done).catch((error: unknown) => exit(internalFailure(error)));
  else done(outcome);
}

function internalFailure(error: unknown): number {
  writeNotes([
    `httpd-lint: internal failure, please report it: ${oneLine(error instanceof Error ? error.message : String(error))}`,
  ]);
  if (process.env["HTTPD_LINT_DEBUG"] && error instanceof Error) writeNotes([error.stack ?? ""]);
  return exitCodes.internal;
}

/** The language server is a bundle of its own, which no other command loads. */
function serveEditor(): void {
  void import("../lsp/server.js").then(({ serve }) => serve());
}
