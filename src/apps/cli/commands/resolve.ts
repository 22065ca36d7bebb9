import { resolve } from "node:path";
import { dumpConfig } from "../../../config/dump.js";
import { nativePath } from "../../../config/files/paths.js";
import { findMainFile } from "../../../config/main-files.js";
import { readEntry } from "../../../config/read-entry.js";
import { formatRefusal } from "../../../config/refusals/refusal.js";
import { maskFile, maskVariableValues, redact } from "../../../report/secrets/redaction.js";
import { secretValuesOf } from "../../../report/secrets/secret-names.js";
import { toBytes } from "../../../text/bytes.js";
import { rangeOf } from "../../../text/source.js";
import { describeGuessedRoot } from "../inputs/config-source.js";
import { collectFilesRead } from "../inputs/load-server.js";
import { chooseServer } from "../inputs/project-settings.js";
import { createReadingOptions, describeUnknownModules, type ReadingFlags } from "../inputs/reading-options.js";
import { readStreams } from "../inputs/standard-input.js";
import { type CommandResult, createFailure, exitCodes } from "../output/command-result.js";
import { defineCommand } from "./command.js";
import { exitZeroFlag, mainFlags, outputFlag, quietFlag, readingFlags } from "./shared-flags.js";

interface ResolveFlags extends ReadingFlags {
  /** `-` for standard input. */
  readonly entry: string;
  readonly stdinFilename?: string | undefined;
  readonly exitZero: boolean;
  /** What to tell about the release. */
  readonly releaseNotes?: readonly string[] | undefined;
}

export const resolveCommand = defineCommand({
  describe: "Print the effective configuration, like `httpd -t -DDUMP_CONFIG`",
  arguments: { entry: { type: "string", describe: "Main file (default: from .httpd-lint.json)" } },
  flags: {
    ...readingFlags,
    "stdin-filename": mainFlags["stdin-filename"],
    output: outputFlag,
    quiet: quietFlag,
    "exit-zero": exitZeroFlag,
  },
  handler(flags) {
    const server = chooseServer(flags);
    return server.ok ? runResolve({ ...flags, ...server.value, release: server.value.effectiveRelease }) : server.error;
  },
});

/**
 * Prints the configuration that the server would load. Errors that prevent loading are reported on standard error, with
 * exit code 1.
 */
function runResolve(flags: ResolveFlags): CommandResult {
  const streams = readStreams({ ...flags, paths: [flags.entry] });
  if (streams && !streams.ok) return streams.error;
  const input = streams?.value;
  const entry = input?.paths[0] ?? findMainFile(resolve(flags.entry)) ?? resolve(flags.entry);
  const reading = createReadingOptions(flags, entry, input?.overlay);
  if (!reading.ok) return createFailure(exitCodes.usage, reading.error);
  const loaded = readEntry(entry, { ...reading.value.load, htaccess: false });
  if (!loaded.ok) return createFailure(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.error}`);
  const config = loaded.value;
  const { environment, defines } = reading.value.load;
  const sources = [...config.files.values()].map(({ source }) => source);
  const values = secretValuesOf(sources, environment, defines);
  const dumped = maskFile({ path: entry, realPath: entry, text: dumpConfig(config.directives) });
  const refusing = config.problems.filter(
    (problem) => problem.kind !== "undefined-variable" && problem.kind !== "fragile",
  );
  const notes = refusing.map((problem) => {
    const { start } = rangeOf(problem.span);
    return `${nativePath(problem.span.file.path)}:${start.line}:${start.column}: ${redact(formatRefusal(problem), values)}`;
  });
  return {
    output: [toBytes(maskVariableValues(dumped, values))],
    read: collectFilesRead({ project: config }),
    notes: [
      ...(flags.releaseNotes ?? []),
      ...describeUnknownModules(flags),
      ...describeGuessedRoot(reading.value.guess),
      ...notes,
    ],
    exitCode: refusing.length > 0 && !flags.exitZero ? exitCodes.findings : exitCodes.clean,
  };
}
