import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { filesOfWalk } from "../../src/compare/cell-files.js";
import { type Comparison, compare, type Difference } from "../../src/compare/compare.js";
import { requestIn } from "../../src/compare/situation-request.js";
import type { Side } from "../../src/compare/survey.js";
import { sampleText } from "../../src/logic/texts.js";
import type { FileTree } from "../../src/scope/files.js";
import { Questions } from "../../src/scope/questions.js";
import { requestText } from "../../src/scope/request-text.js";
import { Decider } from "../../src/simulate/decide.js";
import { classOf } from "../../src/simulate/decision.js";
import { run } from "../../src/simulate/run.js";
import { setUp } from "../../src/simulate/setup.js";
import { sentPath } from "../../src/text/sent-path.js";
import { readCases } from "../conformance/conformance.js";
import { type Case, loadCase } from "../support/cases.js";
import { Random } from "../support/random.js";

const truth = join(import.meta.dirname, "../conformance/truth");
const cases = ["2.4-mixed.jsonl", "2.4-new.jsonl", "2.4-extras.jsonl", "2.2-extras.jsonl"].flatMap((name) =>
  readCases(join(truth, name)).filter(({ startup }, index) => startup === undefined && index % 25 === 3),
);

function sideOf(each: Case): Side {
  return { project: loadCase(each).project, reading: "server" };
}

/** The answers of each difference, in some order. */
function answers({ differences }: Comparison, isTurned = false): string[] {
  return differences
    .map(({ before, after }) => (isTurned ? `${after.class} ${before.class}` : `${before.class} ${after.class}`))
    .sort();
}

describe("random configurations", () => {
  test.each(cases)("$id is equivalent to itself", (each) => {
    const { verdict, differences } = compare(sideOf(each), sideOf(each));
    expect([verdict, ...differences]).toEqual(["equivalent"]);
  });

  test.each(cases.filter((_, index) => index % 4 === 0))(
    "$id with a line less: nothing is lost, and no side is preferred",
    (each) => {
      const random = new Random(Number(/\d+$/.exec(each.id)?.[0] ?? 1));
      const edited = withoutALine(each, random);
      if (edited === undefined) return;
      const [one, other] = [compare(sideOf(each), sideOf(edited)), compare(sideOf(edited), sideOf(each))];
      expect(one.verdict).toBe(other.verdict);
      expect(new Set(answers(one))).toEqual(new Set(answers(other, true)));
      const [before, after] = [each, edited].map((side) => {
        const { project, files } = loadCase(side);
        return new Decider(project, files);
      });
      for (const difference of one.differences) expect(strayIn(difference, [each, edited], random)).toEqual([]);
      const differs = each.requests.some((request) => before?.decide(request).class !== after?.decide(request).class);
      if (differs) expect(one.verdict).not.toBe("equivalent");
    },
  );
});

/** Sampled requests of a difference that do not get the answers that it tells of. */
function strayIn({ regions, before, after }: Difference, sides: readonly [Case, Case], random: Random): string[] {
  const projects = sides.map((side) => loadCase(side).project);
  const expected = `${before.class} ${after.class}`;
  const next = () => random.next();
  return Array.from({ length: 20 }, () => {
    const region = regions[random.below(regions.length)];
    const text = region && sampleText(region.cell.paths, next, 12);
    const situation = region?.universe.sample(region.when, next);
    if (!region || text === undefined || !situation || situation === "too large") return "nothing to sample";
    const { path, walks } = region.cell.walkedIn(text);
    const request = requestIn(situation, {
      ...region.pair.doors[0],
      method: region.method,
      path: sentPath(path),
    });
    const got = projects.map((project, side) => {
      const known = filesOfWalk(walks[side]);
      const files: FileTree = {
        kindOf: (name, mayBeFile) => {
          const kind = known.kindOf(name, mayBeFile);
          if (kind !== "unknown") return kind;
          return /conf\/(htpasswd|htgroup)$/.test(name) ? "file" : (situation.files.get(name) ?? "missing");
        },
      };
      const answers = new Map([...situation.terms].map((term) => [term, true] as const));
      return classOf(run(setUp(project, files), request, new Questions(answers)).status);
    });
    return got.join(" ") === expected ? "" : `${requestText(request)}: ${got.join(" ")}, not ${expected}`;
  }).filter((fault) => fault !== "");
}

/** A case less one plain line of its main file; undefined where the server would not start with it. */
function withoutALine(each: Case, random: Random): Case | undefined {
  const lines = (each.files["httpd.conf"] ?? "").split("\n");
  const plain = lines.flatMap((line, index) => (/^\s+\w/.test(line) ? [index] : []));
  const at = plain[random.below(plain.length)];
  if (at === undefined) return undefined;
  return { ...each, files: { ...each.files, "httpd.conf": lines.toSpliced(at, 1).join("\n") } };
}
