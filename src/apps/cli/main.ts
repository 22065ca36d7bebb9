import yargs from "yargs";
import { describeBuild, version } from "../package-files.js";
import { commands } from "./commands/all-commands.js";
import { commandNames } from "./commands/command.js";
import { collectFlagValues, renderCommandHelp, renderOverview } from "./commands/help.js";
import { expandCurlLine, expandHelp, findContradiction, normalizeArgv, restorePaths } from "./inputs/argv.js";
import { findFlagOutOfConfine } from "./inputs/confined-paths.js";
import type { Flag } from "./inputs/flags.js";
import { type CommandResult, createFailure, exitCodes } from "./output/command-result.js";
import { getTerminalWidth } from "./output/terminal.js";
import { describeUsageError } from "./output/usage-errors.js";
import { toOneLine, writeNotes, writeResult } from "./output/write-output.js";

const about = "Finds problems in Apache httpd configuration, and shows what an upgrade from 2.2 to 2.4 changes";

/** The flags that may be repeated; of any other flag the last occurrence counts. */
const repeatableFlags: ReadonlySet<string> = new Set([
  "_",
  ...Object.values(commands).flatMap(({ arguments: all, flags }) =>
    Object.entries({ ...all, ...flags }).flatMap(([name, { array, alias = [] }]) =>
      array ? [name, ...[alias].flat()] : [],
    ),
  ),
]);

/** The flags of all commands. */
const allFlags = Object.values(commands).flatMap(({ flags }): [string, Flag][] => Object.entries(flags));

/** The functions that return the usual spelling of a value of a flag, by its name. */
const canonicalizers = new Map(
  allFlags.flatMap(([name, { canonicalize }]) => (canonicalize ? [[name, canonicalize] as const] : [])),
);

/** The values of flags that are written without one, by name. */
const valuesIfOmitted = new Map(
  allFlags.flatMap(([name, { valueIfOmitted: value }]) => (value === undefined ? [] : [[name, value] as const])),
);

/** The flags with a value that have a letter, by this letter. */
const shortFlags = new Map(
  allFlags.flatMap(([name, { alias = [], value, valueIfOmitted }]) =>
    value === undefined || valueIfOmitted !== undefined
      ? []
      : [alias].flat().flatMap((each) => (each.length === 1 ? [[each, name] as const] : [])),
  ),
);

/** Reports whether a flag may be repeated. @param name as written or in camel case, in which yargs repeats each flag */
function isRepeatable(name: string): boolean {
  return (
    repeatableFlags.has(name) || repeatableFlags.has(name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))
  );
}

/**
 * Runs the command line. Only the result is written to standard output.
 *
 * @param args the arguments after the command's name
 * @param exit called with the exit code as soon as all output is written: yargs would otherwise format unneeded help
 */
export function main(args: readonly string[], exit: (code: number) => void): void {
  const finish = (result: CommandResult, output?: string, quiet: unknown = 0) =>
    exit(writeResult(result, output, typeof quiet === "number" ? quiet : 0).code);
  const helped = expandHelp(args, commandNames);
  const expanded = helped.ok ? expandCurlLine(helped.value) : helped;
  if (!expanded.ok) {
    finish(createFailure(exitCodes.usage, expanded.error));
    return;
  }
  const normalized = normalizeArgv(expanded.value, valuesIfOmitted, shortFlags);
  const contradiction = findContradiction(normalized, listSynonyms(normalized[0]));
  if (contradiction !== undefined) {
    finish(createFailure(exitCodes.usage, contradiction));
    return;
  }
  const parser = yargs().scriptName("httpd-lint").detectLocale(false).usage(about);
  for (const name of commandNames) {
    const command = commands[name];
    command.addTo(parser, name, (run, flags) => {
      const { output, quiet } = flags;
      const outside = findFlagOutOfConfine(flags, command.flags);
      if (outside !== undefined) {
        finish(createFailure(exitCodes.usage, outside));
        return;
      }
      const result = run(exit);
      const done = (each: CommandResult) => finish(each, typeof output === "string" ? output : undefined, quiet);
      // yargs's own way of waiting is slow.
      if (result instanceof Promise) result.then(done).catch((error: unknown) => exit(reportInternalError(error)));
      else if (result) done(result);
    });
  }
  parser
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        const last: unknown = Array.isArray(value) && !isRepeatable(name) ? value.at(-1) : value;
        flags[name] = typeof last === "string" ? (canonicalizers.get(name)?.(last) ?? last) : last;
      }
      restorePaths(flags);
    }, true)
    .version(version)
    .describe("version", "Print the version")
    .help()
    .describe("help", "Print this help")
    .alias({ h: "help", V: "version" })
    .strict()
    // The help that yargs writes is not shown, so it needs no width of the terminal.
    .wrap(null)
    .fail((message, error) => {
      // yargs also reports invalid usage as an error of its own.
      if (error && error.name !== "YError") throw error;
      const reason = toOneLine(message ?? error?.message ?? "");
      finish(
        createFailure(
          exitCodes.usage,
          describeUsageError(
            reason,
            normalized,
            commandNames,
            new Map(allFlags),
            collectFlagValues(Object.values(commands)),
          ),
        ),
      );
    });
  try {
    // Output that yargs writes itself would be lost silently if standard output is not writable.
    parser.parseSync(normalized, {}, (_error, flags, output) => {
      if (output === "") return;
      const isHelp = flags["help"] === true;
      const printed = isHelp ? renderHelp(flags["_"]) : describeBuild(process);
      finish({ output: [`${printed}\n`], notes: [], exitCode: exitCodes.clean });
    });
  } catch (error) {
    exit(reportInternalError(error));
  }
}

/** Returns the flags of a command that have several long names. @param word the first argument */
function listSynonyms(word: string | undefined) {
  const name = commandNames.find((each) => each === word) ?? commandNames[0];
  return Object.entries(commands[name].flags).flatMap(([flag, { alias = [], canonicalize }]) => {
    const names = [flag, ...[alias].flat().filter((each) => each.length > 1)];
    return names.length > 1 ? [{ names, canonicalize }] : [];
  });
}

/** Renders the help of the named command, or of all. @param words the arguments that are not flags */
function renderHelp([word]: readonly unknown[]): string {
  const name = commandNames.find((each) => each === word);
  const width = getTerminalWidth();
  if (name !== undefined) return renderCommandHelp(name, commands[name], width);
  return renderOverview(
    about,
    commandNames.map((each) => [each, commands[each]]),
    width,
  );
}

function reportInternalError(error: unknown): number {
  writeNotes([
    `httpd-lint: internal error, please report it: ${toOneLine(error instanceof Error ? error.message : String(error))}`,
  ]);
  if (process.env["HTTPD_LINT_DEBUG"] && error instanceof Error) writeNotes([error.stack ?? ""]);
  return exitCodes.internal;
}
