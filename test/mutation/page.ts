import { AIM, killedOf, type MutationResults, totalOf } from "./results.js";
import { mutatedFolders } from "./tests.js";

/** Formats the figures of a mutation run as a table. */
export function mutationTable({ files, pending, survivors, share, with: tools }: MutationResults): string {
  const rows = mutatedFolders.map((folder) => {
    const own = files.filter(({ file }) => file.startsWith(`${folder}/`));
    const { killed, refused, survived, notReached, static: atLoad, words } = totalOf(own);
    const found = killedOf(own);
    const score = `${found.toFixed(1)} %${found < AIM ? ", below the target" : ""}`;
    return `| \`${folder}\` | ${[own.length, killed, refused, survived, notReached, score, atLoad, words].join(" | ")} |`;
  });
  return `Measured with ${tools.join(", ")}: ${share}. Target: ${AIM} % in each folder.

| folder | files | found | found by the compiler only | not found | in code that no test reaches | score | at load | words |
|---|---|---|---|---|---|---|---|---|
${rows.join("\n")}

The ${survivors.length} mutants that were not found are listed in \`test/mutation/results.json\`.${describePending(pending)}
`;
}

function describePending(pending: readonly string[]): string {
  if (pending.length === 0) return "";
  return `\nNot measured, since they were split or rewritten: ${pending.map((file) => `\`${file}\``).join(", ")}.`;
}
