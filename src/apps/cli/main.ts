import yargs from "yargs";
import { describeBuild, version } from "../package-files.js";
import { auditCommand } from "./commands/audit.js";
import { checkCommand } from "./commands/check.js";
import { type Command, commandNames } from "./commands/command.js";
import { compareCommand } from "./commands/compare.js";
import { completionCommand } from "./commands/completion.js";
import { explainCommand } from "./commands/explain.js";
import { initCommand } from "./commands/init.js";
import { lspCommand } from "./commands/lsp.js";
import { mapCommand } from "./commands/map.js";
import { migrateCommand } from "./commands/migrate.js";
import { resolveCommand } from "./commands/resolve.js";
import { rulesCommand } from "./commands/rules.js";
import { testCommand } from "./commands/test.js";
import { upgradeCommand } from "./commands/upgrade.js";
import { normalizeArgv, restorePaths } from "./inputs/argv.js";
import { findFlagOutOfConfine } from "./inputs/confined-paths.js";
import { type CommandResult, createFailure, exitCodes } from "./output/command-result.js";
import { renderHelp } from "./output/help.js";
import { getTerminalWidth } from "./output/terminal.js";
import { describeUsageError } from "./output/usage-errors.js";
import { toOneLine, writeNotes, writeOutput } from "./output/write-output.js";

/** The commands, in the order in which help lists them. */
const commands: readonly Command[] = [
  ...[checkCommand, resolveCommand, explainCommand, testCommand, compareCommand, mapCommand, auditCommand],
  ...[upgradeCommand, migrateCommand, initCommand, rulesCommand, lspCommand, completionCommand],
];

/** Flags that may be repeated; of any other flag the last occurrence counts. */
const repeatableFlags = new Set([
  ...["_", "paths", "map", "define", "D", "modules", "no-module", "noModule"],
  ...["select", "extend-select", "extendSelect", "disable", "report"],
  ...["group", "grants", "header", "env", "accept"],
]);

/**
 * Runs the command line. Only the result is written to standard output.
 *
 * @param args the arguments after the command's name
 * @param exit called with the exit code as soon as all output is written: yargs would otherwise format unneeded help
 */
export function main(args: readonly string[], exit: (code: number) => void): void {
  const finish = (result: CommandResult, output?: string, isQuiet = false) =>
    exit(writeOutput(result, output, isQuiet));
  const parser = yargs()
    .scriptName("httpd-lint")
    .detectLocale(false)
    .usage("$0\n\nFinds problems in Apache httpd configuration, and shows what an upgrade from 2.2 to 2.4 changes");
  for (const command of commands)
    command.addTo(parser, (run, flags) => {
      const { output, quiet } = flags;
      const outside = findFlagOutOfConfine(flags);
      if (outside !== undefined) {
        finish(createFailure(exitCodes.usage, outside));
        return;
      }
      const result = run(exit);
      const done = (each: CommandResult) =>
        finish(each, typeof output === "string" ? output : undefined, quiet === true);
      // yargs's own way of waiting is slow.
      if (result instanceof Promise) result.then(done).catch((error: unknown) => exit(reportInternalError(error)));
      else if (result) done(result);
    });
  parser
    .middleware((flags) => {
      for (const [name, value] of Object.entries(flags)) {
        if (Array.isArray(value) && !repeatableFlags.has(name)) flags[name] = value.at(-1);
      }
      restorePaths(flags);
    }, true)
    .version(version)
    .describe("version", "Print the version")
    .help()
    .describe("help", "Print this help")
    .alias({ h: "help" })
    .strict()
    // The help is laid out again, which needs one line for each row.
    .wrap(null)
    .fail((message, error) => {
      // yargs also reports invalid usage as an error of its own.
      if (error && error.name !== "YError") throw error;
      const reason = toOneLine(message ?? error?.message ?? "");
      finish(createFailure(exitCodes.usage, describeUsageError(reason, args, commandNames)));
    });
  try {
    // Output that yargs writes itself would be lost silently if standard output is not writable.
    parser.parseSync(normalizeArgv(args), {}, (_error, flags, output) => {
      if (output === "") return;
      const isHelp = flags["help"] === true;
      const printed = isHelp ? renderHelp(output, getTerminalWidth()) : describeBuild(process);
      finish({ output: [`${printed}\n`], notes: [], exitCode: exitCodes.clean });
    });
  } catch (error) {
    exit(reportInternalError(error));
  }
}

function reportInternalError(error: unknown): number {
  writeNotes([
    `httpd-lint: internal error, please report it: ${toOneLine(error instanceof Error ? error.message : String(error))}`,
  ]);
  if (process.env["HTTPD_LINT_DEBUG"] && error instanceof Error) writeNotes([error.stack ?? ""]);
  return exitCodes.internal;
}
