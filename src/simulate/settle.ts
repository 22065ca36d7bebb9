import type { Run } from "../scope/questions.js";
import type { Outcome } from "./pass.js";

/** One question with the answer that leads somewhere. */
export interface Condition {
  /** In words that complete "it hangs on …". */
  readonly question: string;
  readonly answer: boolean;
}

/** An answer of the server that some way of answering the questions leads to. */
export interface Way {
  readonly outcome: Outcome;
  /** A shortest list of conditions under which it comes to this; there may be others. */
  readonly when: readonly Condition[];
}

type Tree =
  | { readonly run: Run<Outcome>; readonly key: string }
  | { readonly question: string; readonly yes: Tree; readonly no: Tree; readonly key: string };

/**
 * The different answers that some runs come to, each with what it hangs on. Questions whose answers change nothing are
 * left out.
 *
 * @param runs one for each way of answering the questions, as `explore` makes them
 */
export function waysOf(runs: readonly Run<Outcome>[]): readonly Way[] {
  const found = new Map<string, Way>();
  const walk = (tree: Tree, when: readonly Condition[]) => {
    if ("question" in tree) {
      walk(tree.yes, [...when, { question: tree.question, answer: true }]);
      walk(tree.no, [...when, { question: tree.question, answer: false }]);
      return;
    }
    const before = found.get(tree.key);
    if (before === undefined || before.when.length > when.length)
      found.set(tree.key, { outcome: tree.run.result, when });
  };
  const tree = treeOf(runs, 0);
  if (tree) walk(tree, []);
  return [...found.values()];
}

/** Runs that answered the first questions alike, by the next one that they asked. */
function treeOf(runs: readonly Run<Outcome>[], depth: number): Tree | undefined {
  const [first] = runs;
  if (first === undefined) return undefined;
  const question = [...first.answers.keys()][depth];
  if (question === undefined) return { run: first, key: keyOf(first.result) };
  const answered = (answer: boolean) => runs.filter((run) => run.answers.get(question) === answer);
  const yes = treeOf(answered(true), depth + 1);
  const no = treeOf(answered(false), depth + 1);
  if (yes === undefined || no === undefined) return yes ?? no;
  return yes.key === no.key ? yes : { question, yes, no, key: `${question}?(${yes.key}):(${no.key})` };
}

function keyOf({ status, log }: Outcome): string {
  return `${status} ${log.join(" ")}`;
}
