import { resolve } from "node:path";
import { dumpConfig } from "../project/dump.js";
import { loadProject } from "../project/load.js";
import { mainIn } from "../project/main-files.js";
import { maskedText } from "../report/masked.js";
import { secretValuesOf } from "../report/secret-values.js";
import { redact, withoutValues } from "../report/secrets.js";
import { toBytes } from "../text/bytes.js";
import { rangeOf } from "../text/position.js";
import { exitCodes } from "./exit-codes.js";
import { moduleNotes, type ReadingFlags, readingOptions } from "./options.js";
import { failure, type Outcome } from "./outcome.js";
import { guessNotes } from "./root-notes.js";
import { filesReadBy } from "./server.js";
import { standardInput } from "./standard-input.js";

export interface ResolveFlags extends ReadingFlags {
  /** `-` for standard input. */
  readonly entry: string;
  readonly stdinFilename?: string | undefined;
}

/** Prints what the server would load. What keeps it from loading is told on standard error, and the exit code is 1. */
export function resolveEntry(flags: ResolveFlags): Outcome {
  const input = standardInput({ paths: [flags.entry], stdinFilename: flags.stdinFilename });
  if (input && "failed" in input) return failure(input.exitCode, input.failed);
  const entry = input?.path ?? mainIn(resolve(flags.entry)) ?? resolve(flags.entry);
  const reading = readingOptions(flags, entry, input?.overlay);
  if ("failed" in reading) return failure(exitCodes.usage, reading.failed);
  const loaded = loadProject(entry, { ...reading.load, htaccess: false });
  if ("failed" in loaded) return failure(exitCodes.unreadable, `\`${flags.entry}\` cannot be read: ${loaded.failed}`);
  const { project } = loaded;
  const { environment, defines } = reading.load;
  const sources = [...project.files.values()].map(({ source }) => source);
  const values = secretValuesOf(sources, environment, defines);
  const dumped = maskedText({ path: entry, realPath: entry, text: dumpConfig(project.directives) });
  const refusing = project.problems.filter(
    (problem) => problem.kind !== "undefined-variable" && problem.kind !== "fragile",
  );
  const notes = refusing.map((problem) => {
    const { start } = rangeOf(problem.span);
    return `${problem.span.file.path}:${start.line}:${start.column}: ${redact(problem.message, values)}`;
  });
  return {
    output: [toBytes(withoutValues(dumped, values))],
    read: filesReadBy(loaded),
    notes: [...moduleNotes(flags), ...guessNotes(reading.guess), ...notes],
    exitCode: refusing.length > 0 ? exitCodes.findings : exitCodes.clean,
  };
}
