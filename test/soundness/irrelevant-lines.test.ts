import { expect, test } from "vitest";
import type { Directive } from "../../src/config/model/directive.js";
import type { Project } from "../../src/config/model/project.js";
import { removeDirectives } from "../../src/config/queries/directive-tree.js";
import { isInert, isInertLine } from "../../src/proof/paths/inert-lines.js";
import { omitRefusedLines } from "../../src/startup/install-config.js";
import { runCount, seedOr } from "../support/depth.js";
import { Random } from "../support/random/random.js";
import { findContradiction, readSide } from "./check-pair.js";
import { printLines } from "./configuration-tree.js";
import { drawRandomPair } from "./linked-lines.js";
import { drawRequests } from "./sample-requests.js";

/** Number of requests to each configuration. */
const REQUESTS = 60;

/** Returns the lines of the main files that cannot change the class of an answer, and the sections with only such lines. */
function irrelevantLinesIn(project: Project): ReadonlySet<Directive> {
  const found = new Set<Directive>();
  const collect = (lines: readonly Directive[]) => {
    for (const line of lines)
      if (line.children ? isInert(line, project) : isInertLine(line, project)) found.add(line);
      else collect(line.children ?? []);
  };
  collect(project.directives);
  return found;
}

const first = seedOr(60_000);
const count = runCount(60, 20_000);

test(`${count} random configurations answer requests alike without the lines that cannot matter`, () => {
  let removed = 0;
  for (let seed = first; seed < first + count; seed++) {
    const pair = drawRandomPair(seed);
    const { after: server, release } = pair;
    const whole = readSide(server, release, omitRefusedLines);
    const rest = readSide(server, release, (project) => {
      const installed = omitRefusedLines(project);
      const irrelevant = irrelevantLinesIn(installed);
      removed += irrelevant.size;
      return removeDirectives(installed, irrelevant);
    });
    const found = findContradiction(whole, rest, drawRequests(new Random(seed), pair, REQUESTS));
    expect(found, `seed ${seed}, ${release}, ${server.modules.join(" ")}\n${printLines(server.lines)}`).toBeUndefined();
  }
  expect(removed).toBeGreaterThan(count / 2);
}, 3_600_000);
