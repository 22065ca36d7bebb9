import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { concretizeRequest } from "../../../src/proof/clients/observe.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { Exploration } from "../../../src/proof/compare/exploration.js";
import type { Side } from "../../../src/proof/compare/observed-sides.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { ConfigComparison, Difference, DifferenceRegion } from "../../../src/proof/model/comparison.js";
import { fileTreeOfWalk } from "../../../src/proof/paths/applying-sections.js";
import { generateSampleText } from "../../../src/regex/automata/shortest-texts.js";
import { OWN_ADDRESS } from "../../../src/server/access/clients-and-methods.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { answerUnder } from "../../../src/server/definite-answer.js";
import type { FileTree } from "../../../src/server/model/file-tree.js";
import { Oracle } from "../../../src/server/model/oracle.js";
import { describeRequest } from "../../../src/server/model/request.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import { readCases } from "../../conformance/conformance.js";
import { type Case, loadCase } from "../../support/cases/recorded-cases.js";
import { sampleOf } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";

const truth = join(import.meta.dirname, "../../conformance/truth");
const cases = ["2.4-mixed.jsonl", "2.4-new.jsonl", "2.4-extras.jsonl", "2.2-extras.jsonl"].flatMap((name) =>
  sampleOf(
    readCases(join(truth, name)).filter(({ startup }, index) => startup === undefined && index % 25 === 3),
    5,
  ),
);

function sideOf(each: Case): Side {
  return { project: loadCase(each).project, semantics: "server" };
}

/** Returns the answers of each difference, in any order. */
function answers({ differences }: ConfigComparison, isSwapped = false): string[] {
  return differences
    .map(({ before, after }) => (isSwapped ? `${after.class} ${before.class}` : `${before.class} ${after.class}`))
    .sort();
}

describe("random configurations", () => {
  test.each(cases)("$id is equivalent to itself", (each) => {
    const { verdict, differences } = compare(sideOf(each), sideOf(each));
    expect([verdict, ...differences]).toEqual(["equivalent"]);
  });

  test.each(cases.filter((_, index) => index % 2 === 0))(
    "$id without one line: all differences are found, in both directions",
    (each) => {
      const random = new Random(Number(/\d+$/.exec(each.id)?.[0] ?? 1));
      const edited = withoutRandomLine(each, random);
      if (edited === undefined) return;
      const [one, other] = [compare(sideOf(each), sideOf(edited)), compare(sideOf(edited), sideOf(each))];
      expect(one.verdict).toBe(other.verdict);
      expect(new Set(answers(one))).toEqual(new Set(answers(other, true)));
      const [before, after] = [each, edited].map((side) => {
        const { project, files } = loadCase(side);
        return new SimulatedServer(project, files);
      });
      for (const difference of one.differences) expect(wrongSamplesIn(difference, [each, edited], random)).toEqual([]);
      expect(wrongSamplesOutside([each, edited], random)).toEqual([]);
      const differs = each.requests.some((request) => before?.answer(request).class !== after?.answer(request).class);
      if (differs) expect(one.verdict).not.toBe("equivalent");
    },
  );
});

/** The source of samples: paths of a path class, with a method. */
type Source = Pick<DifferenceRegion, "pair" | "pathClass" | "method" | "symbols" | "when">;

/** Returns sampled requests of a difference that do not have the reported results. */
function wrongSamplesIn(
  { regions, before, after }: Difference,
  sides: readonly [Case, Case],
  random: Random,
): string[] {
  const projects = sides.map((side) => loadCase(side).project);
  const expected = `${before.access} ${after.access}`;
  return Array.from({ length: 20 }, () => {
    const region = regions[random.below(regions.length)];
    const sampled = region && sampledFrom(region, projects, random);
    if (sampled === undefined) return "nothing to sample";
    const { request, results } = sampled;
    return results.join(" ") === expected ? "" : `${describeRequest(request)}: ${results.join(" ")}, not ${expected}`;
  }).filter((mistake) => mistake !== "");
}

/** Returns sampled requests outside all differences that have different results. */
function wrongSamplesOutside(sides: readonly [Case, Case], random: Random): string[] {
  const projects = sides.map((side) => loadCase(side).project);
  const exploration = new Exploration([sideOf(sides[0]), sideOf(sides[1])], defaultBudget);
  const mistakes: string[] = [];
  for (let left = 20; left > 0; left--) {
    const source = regionOutside(exploration, random);
    const sampled = source && sampledFrom(source, projects, random);
    if (sampled === undefined) continue;
    const { request, results } = sampled;
    if (results[0] !== results[1]) mistakes.push(`${describeRequest(request)}: ${results.join(" ")}`);
  }
  return mistakes;
}

/** Returns a region of some path class and method with equal results. */
function regionOutside(exploration: Exploration, random: Random): Source | undefined {
  const pair = exploration.serverPairs[random.below(exploration.serverPairs.length)];
  const partition = pair && exploration.pathClassesOf(pair);
  if (pair === undefined || partition === undefined || typeof partition === "string") return undefined;
  const pathClass = partition.classes[random.below(partition.classes.length)];
  if (pathClass === undefined || partition.inexact.some((each) => each.classes.includes(pathClass))) return undefined;
  const policies = [...exploration.policiesOf(pair, pathClass)];
  const { requests, policy } = policies[random.below(policies.length)] ?? {};
  if (!requests || !policy || policy === "too large") return undefined;
  const { symbols, blocks } = policy;
  const equalBlocks = blocks.filter(({ results: [old, now = old] }) => {
    const isProved = old?.unprovedReason === undefined && now?.unprovedReason === undefined;
    return isProved && old && now && old.access === now.access;
  });
  const when = symbols.diagrams.or(...equalBlocks.map((each) => each.when));
  if (when === "too large" || symbols.diagrams.isFalse(when)) return undefined;
  return { pair, pathClass, method: requests.target.method, symbols, when };
}

/** Samples a request, with the answers of both sides. */
function sampledFrom({ pair, pathClass, method, symbols, when }: Source, projects: readonly Project[], random: Random) {
  const next = () => random.next();
  const text = generateSampleText(pathClass.paths, next, 12);
  const model = symbols.sample(when, next);
  if (text === undefined || !model || model === "too large") return undefined;
  const { path, walks } = pathClass.walkedIn(text);
  const sender = concretizeRequest(model, { ...pair.entryPoints[0], method, path: encodeUrlPath(path) });
  const request = model.facts.has(OWN_ADDRESS) ? { ...sender, serverIp: sender.clientIp } : sender;
  const results = projects.map((project, side) => {
    const known = fileTreeOfWalk(walks[side]);
    const [own, ofClass] = [walks[side]?.filename, pathClass.walks[side]?.filename];
    const files: FileTree = {
      kindOf: (name, mayBeFile) => {
        const kind = known.kindOf(name, mayBeFile);
        if (kind !== "unknown") return kind;
        if (/conf\/(htpasswd|htgroup)$/.test(name)) return "file";
        // Files in the directory of the path class are mapped to the requested one.
        const isInside = own !== undefined && ofClass !== undefined && name.startsWith(`${own}/`);
        return model.files.get(isInside ? ofClass + name.slice(own.length) : name) ?? "missing";
      },
    };
    const answers = new Map([...model.facts].map((fact) => [fact, true] as const));
    return answerUnder(prepareSimulation(project, files), request, new Oracle(answers)).access;
  });
  return { request, results };
}

/** Removes one plain line from a case's main file; undefined if the server would not start with the result. */
function withoutRandomLine(each: Case, random: Random): Case | undefined {
  const lines = (each.files["httpd.conf"] ?? "").split("\n");
  const plain = lines.flatMap((line, index) => (/^\s+\w/.test(line) ? [index] : []));
  const at = plain[random.below(plain.length)];
  if (at === undefined) return undefined;
  return { ...each, files: { ...each.files, "httpd.conf": lines.toSpliced(at, 1).join("\n") } };
}
