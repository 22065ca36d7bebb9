import type { Situation } from "../logic/atoms.js";
import type { Directive } from "../project/directive.js";
import type { FileTree } from "../scope/files.js";
import { Questions } from "../scope/questions.js";
import type { Request } from "../scope/request.js";
import { classOf, type SettledClass } from "../simulate/decision.js";
import { run } from "../simulate/run.js";
import type { AskedSide } from "./asked.js";

/** What one side answers. */
export interface Verdict {
  readonly status: number;
  readonly class: SettledClass;
  readonly log: readonly string[];
  /** The lines that decide. */
  readonly decidedBy: readonly Directive[];
}

/**
 * What a side answers to a request as anybody would ask it: the simulator goes by the request alone, and not by what was
 * worked out before.
 *
 * @param situation tells what exists, and what is true that nobody can know
 * @param known the files that are there for sure
 * @returns undefined where something decides that cannot be told
 */
export function replayed(
  { setup, files }: AskedSide,
  request: Request,
  situation: Situation,
  known: FileTree,
): Verdict | undefined {
  files.takeFrom({
    kindOf: (path, mayBeFile) => {
      const kind = known.kindOf(path, mayBeFile);
      return kind === "unknown" ? (situation.files.get(path) ?? "missing") : kind;
    },
  });
  const answers = new Map([...situation.terms].map((term) => [term, true] as const));
  const questions = new Questions(answers);
  const { status, log, by } = run(setup, request, questions);
  if (questions.unsettled !== undefined) return undefined;
  return { status, class: classOf(status), log, decidedBy: [...new Set(by)] };
}
