import { dirname } from "node:path";
import { formatCount } from "../../src/text/words.js";
import { computeScore, type MutationResults, sumResults, TARGET_SCORE } from "./results.js";
import { mutatedFolders } from "./tests.js";

/** Formats the figures of a mutation run as a table. */
export function mutationTable({ files, pending, survivors, share, with: tools }: MutationResults): string {
  const rows = mutatedFolders.map((folder) => {
    const own = files.filter(({ file }) => file.startsWith(`${folder}/`));
    const { killed, rejected, survived, notReached, static: atLoad, messages } = sumResults(own);
    const percentage = computeScore(own);
    const score = `${percentage.toFixed(1)} %${percentage < TARGET_SCORE ? ", below the target" : ""}`;
    return `| \`${folder}\` | ${[own.length, killed, rejected, survived, notReached, score, atLoad, messages].join(" | ")} |`;
  });
  return `Measured with ${tools.join(", ")}: ${share}. Target: ${TARGET_SCORE} % in each folder.

| folder | files | killed | rejected by the compiler | survived | not reached | score | at load | messages |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

The ${survivors.length} mutants that survived are listed in \`test/mutation/results.json\`.${describePending(pending)}
`;
}

function describePending(pending: readonly string[]): string {
  if (pending.length === 0) return "";
  const counts = new Map<string, number>();
  for (const file of pending) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const names = [...counts].map(([folder, count]) => `${formatCount(count, "file")} in \`${folder}\``);
  return `\nNot measured yet, or not since they were split or rewritten: ${names.join(", ")}.`;
}
