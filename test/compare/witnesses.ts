import { readFileSync } from "node:fs";
import { compare, type Difference } from "../../src/compare/compare.js";
import { CASE_ROOT, type Case, loadCase } from "../support/cases.js";

/** The configurations that both releases answered for, by the lines of the two files. */
export function recordedPairs(): readonly { readonly before: Case; readonly after: Case }[] {
  const [older, later] = ["2.2-old", "2.4-old"].map((name) =>
    readFileSync(`test/conformance/truth/${name}.jsonl`, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): Case => JSON.parse(line)),
  );
  return (older ?? []).flatMap((before, index) => {
    const after = later?.[index];
    return after === undefined || before.startup !== undefined || after.startup !== undefined
      ? []
      : [{ before, after }];
  });
}

/** What 2.2 and 2.4 answer differently to one configuration. */
export function differencesIn(before: Case, after: Case): readonly Difference[] {
  const [old, now] = [loadCase(before), loadCase(after)];
  return compare({ project: old.project, reading: "server" }, { project: now.project, reading: "server" }).differences;
}

/** What is there for the request of a difference: where its path leads, and what else it takes. A directory ends in a slash. */
export function filesOf({ given, regions }: Difference): readonly string[] {
  const walk = regions[0]?.cell.walks[1];
  const there = walk === undefined || walk.kind === "missing" ? [] : [[walk.filename, walk.kind] as const];
  return [...there, ...given.files].map(([path, kind]) => (kind === "directory" ? `${path}/` : path));
}

/** The requests that show differences, as cases for a real 2.2 to answer: one each, with the files that it takes. */
export function* witnessCases(before: Case, after: Case): Generator<Case> {
  for (const [index, difference] of differencesIn(before, after).entries()) {
    const { request, before: said } = difference;
    const tree = filesOf(difference).flatMap((path) =>
      path.startsWith(`${CASE_ROOT}/`) ? [path.slice(CASE_ROOT.length + 1)] : [],
    );
    const asked = { ...request, status: said.status, log: [] };
    yield {
      ...before,
      id: `${before.id}-witness-${index + 1}`,
      tree: [...(before.tree ?? []), ...tree],
      requests: [asked],
    };
  }
}
