import type { schema } from "@stryker-mutator/api/core";
import { messageReason } from "./ignore-messages.js";
import type { MutatedFile, Survivor } from "./results.js";
import { isSampled } from "./sampled-mutants.js";

/**
 * Returns a row for each mutated file of Stryker's report, and the surviving mutants.
 *
 * @param isRejected tells whether the compiler rejects a survivor
 */
export function summarizeMutants(
  { files }: schema.MutationTestResult,
  isRejected: (file: string, source: string, mutant: schema.MutantResult) => boolean,
): { files: MutatedFile[]; survivors: Survivor[] } {
  const rows: MutatedFile[] = [];
  const survivors: Survivor[] = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const count = (isCounted: (mutant: schema.MutantResult) => boolean) => mutants.filter(isCounted).length;
    const survived = mutants.filter((each) => each.status === "Survived" && each.testsCompleted !== 0);
    const compiled = survived.filter((each) => !isRejected(file, source, each));
    rows.push({
      file,
      killed: count(({ status }) => status === "Killed" || status === "Timeout"),
      rejected: survived.length - compiled.length,
      survived: compiled.length,
      notReached: count((each) => each.status === "NoCoverage" && isSampled(toRunnerMutant(file, each))),
      static: count((each) => each.status === "Ignored" && each.statusReason !== messageReason),
      messages: count(({ status, statusReason }) => status === "Ignored" && statusReason === messageReason),
    });
    const lines = source.split("\n");
    for (const { location, mutatorName, replacement = "" } of compiled)
      survivors.push({
        at: `${file}:${location.start.line}`,
        mutator: mutatorName,
        code: shorten(textAt(lines, location)),
        becomes: shorten(replacement),
      });
  }
  return { files: rows.sort((a, b) => (a.file < b.file ? -1 : 1)), survivors };
}

/**
 * Converts a mutant of the report, to sample those in unreached code at the same rate. Its location has another format
 * than in runners, so the draw differs.
 */
function toRunnerMutant(fileName: string, { location, mutatorName, replacement = "", id }: schema.MutantResult) {
  const zeroBased = ({ line, column }: schema.Position) => ({ line: line - 1, column: column - 1 });
  const { start, end } = location;
  return { id, fileName, mutatorName, replacement, location: { start: zeroBased(start), end: zeroBased(end) } };
}

function textAt(lines: readonly string[], { start, end }: schema.Location): string {
  const own = lines.slice(start.line - 1, end.line);
  const last = own.length - 1;
  const cut = own.map((line, i) => line.slice(i === 0 ? start.column - 1 : 0, i === last ? end.column - 1 : undefined));
  return cut.join(" ");
}

function shorten(text: string): string {
  const plain = text.replace(/\s+/g, " ");
  return plain.length > 90 ? `${plain.slice(0, 87)}...` : plain;
}
