import { readFileSync } from "node:fs";
import { compare } from "../../../src/proof/compare/compare.js";
import type { Difference } from "../../../src/proof/model/comparison.js";
import { generateSampleText } from "../../../src/regex/automata/shortest-texts.js";
import { answer } from "../../../src/server/answer.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import { CASE_ROOT, type Case, loadCase } from "../../support/cases/recorded-cases.js";
import { Random } from "../../support/random/random.js";

/** Returns the configurations recorded with both releases, matched by the lines of the two files. */
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

/** Returns the requests with different results under 2.2 and 2.4 for one configuration. */
export function differencesIn(before: Case, after: Case): readonly Difference[] {
  const [old, now] = [loadCase(before), loadCase(after)];
  return compare({ project: old.project, semantics: "server" }, { project: now.project, semantics: "server" })
    .differences;
}

/** Returns the files that exist for the request of a difference. A directory ends in a slash. */
export function filesOf({ files }: Difference): readonly string[] {
  const existing = [...files].filter(([, kind]) => kind !== "missing");
  return existing.map(([path, kind]) => (kind === "directory" ? `${path}/` : path));
}

/** Maximum number of paths of a class to try in addition to the shown one. */
const MAX_TRIES = 50;

/**
 * Yields the requests that show differences as cases for a real 2.2, one each, with the files that they need. If these
 * conflict with the files of all cases, another path of the same class is used.
 */
export function* witnessCases(before: Case, after: Case): Generator<Case> {
  for (const [index, difference] of differencesIn(before, after).entries()) {
    for (const { path, files } of equivalentRequests(difference)) {
      const tree = files.flatMap((name) =>
        name.startsWith(`${CASE_ROOT}/`) ? [name.slice(CASE_ROOT.length + 1)] : [],
      );
      const request = { ...difference.request, path, status: difference.before.status, log: [] };
      const id = `${before.id}-witness-${index + 1}`;
      const witness: Case = { ...before, id, tree: [...(before.tree ?? []), ...tree], requests: [request] };
      const { project, files: witnessFiles } = loadCase(witness);
      if (answer(project, request, { files: witnessFiles }).class !== difference.before.class) continue;
      yield witness;
      break;
    }
  }
}

function* equivalentRequests(
  difference: Difference,
): Generator<{ readonly path: string; readonly files: readonly string[] }> {
  yield { path: difference.request.path, files: filesOf(difference) };
  const cell = difference.regions[0]?.pathClass;
  const random = new Random(1);
  for (let tries = 0; cell && tries < MAX_TRIES; tries++) {
    const text = generateSampleText(cell.paths, () => random.next(), 6);
    if (text === undefined) return;
    const { path, walks } = cell.walkedIn(text);
    const walk = walks[0];
    const existing =
      walk === undefined || walk.kind === "missing" ? [] : [walk.filename + (walk.kind === "directory" ? "/" : "")];
    yield { path: encodeUrlPath(path), files: existing };
  }
}
