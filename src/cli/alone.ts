import type { Examined } from "../engine/lint.js";
import type { RuleDefinition } from "../engine/rule.js";
import type { EntryKind } from "../project/project.js";
import { analyseWhole, filesOf } from "./analysed.js";
import { examinedAgain, plainResult } from "./plain-results.js";
import type { Reading } from "./reading.js";
import type { Alone, Done, Task } from "./work.js";

/** What came of files that are looked at each by itself. */
export function aloneIn(
  task: Task,
  reading: Reading,
  rules: readonly RuleDefinition[],
): Extract<Done, { kind: "alone" }> {
  return { kind: "alone", each: "paths" in task ? task.paths.map((path) => alone(path, reading, rules)) : [] };
}

function alone(path: string, reading: Reading, rules: readonly RuleDefinition[]): Alone {
  const analysed = analyseWhole({ path, kind: undefined, reading, rules });
  if ("unreadable" in analysed) return analysed;
  const { kind, linted } = analysed;
  return { kind, result: plainResult(linted.examined, linted.project, () => false) };
}

/** What was found in a file by itself. */
export interface FoundAlone {
  readonly examined: Examined;
  /** The files that were read, by real path, with their number of lines. */
  readonly files: ReadonlyMap<string, number>;
}

/** The same of what came of a file, which is looked at anew where that could not be said in plain values. */
export function foundAlone(
  path: string,
  { result }: Extract<Alone, { kind: EntryKind }>,
  reading: Reading,
  rules: readonly RuleDefinition[],
): FoundAlone | { readonly unreadable: string } {
  if (result) return { examined: examinedAgain(result, new Map()), files: new Map(result.lines) };
  const analysed = analyseWhole({ path, kind: undefined, reading, rules });
  if ("unreadable" in analysed) return analysed;
  return { examined: analysed.linted.examined, files: filesOf(analysed.linted.project) };
}
