import { expect, test } from "vitest";
import type { Directive } from "../../../src/config/model/directive.js";
import type { Project } from "../../../src/config/model/project.js";
import { indexDirectives } from "../../../src/config/queries/directive-index.js";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import { isInertLine } from "../../../src/proof/paths/inert-lines.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { findRefusals } from "../../../src/startup/validate.js";
import { lineAt } from "../../../src/text/source.js";
import { findContradiction, readSide } from "../../soundness/check-pair.js";
import type { ServerPairText } from "../../soundness/configuration-tree.js";
import { linesOf, withoutServerLines } from "../../soundness/mutations.js";
import { drawRequests } from "../../soundness/sample-requests.js";
import { directivePairs } from "../../soundness/soundness.js";
import { CASE_ROOT, type Case, loadCase } from "../../support/cases/recorded-cases.js";
import { runCount, sampleOf, seedOr } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";
import { recordedPairs } from "../compare/witnesses.js";

/*
 * Proofs leave out lines outside of the cone of influence. So no answer may change without one of them, whatever the simulator
 * reads of it.
 */

/** Lines that recorded configurations rarely have, and that write something. */
const added = [
  'SetEnvIf User-Agent "bot" is_bot',
  "SetEnv APP_MODE test",
  "RequestHeader set X-App one",
  "Header always set X-Frame-Options DENY",
  "AddDefaultCharset utf-8",
  "ServerAdmin a@b.test",
  'CustomLog "logs/a" common env=!is_bot',
];

function withLines(recorded: Case): Case {
  const main = recorded.files["httpd.conf"] ?? "";
  return { ...recorded, files: { ...recorded.files, "httpd.conf": `${main}\n${added.join("\n")}\n` } };
}

function classesOf(recorded: Case): readonly string[] {
  const { project, files } = loadCase(recorded);
  const server = new SimulatedServer(project, files);
  return recorded.requests.map((request) => {
    const { access, unknown } = server.answer(request);
    return `${request.method} ${request.path}: ${unknown.length > 0 ? "unknown" : access}`;
  });
}

/** Returns the lines without which an answer changes, though no answer should depend on them; counts those that it tries. */
function changesIn(recorded: Case) {
  const { project } = loadCase(recorded);
  const before = classesOf(recorded);
  const changes: string[] = [];
  let tried = 0;
  for (const line of iterateDirectives(project)) {
    if (line.children || !isInertLine(line, project) || indexDirectives(project).named(line.key).length > 20) continue;
    const name = line.span.file.path.slice(CASE_ROOT.length + 1);
    const text = recorded.files[name];
    if (text === undefined) continue;
    const lines = text.split("\n");
    lines[lineAt(line.span.file, line.span.start) - 1] = "";
    const after = classesOf({ ...recorded, files: { ...recorded.files, [name]: lines.join("\n") } });
    tried++;
    if (String(after) !== String(before)) changes.push(`${recorded.id}: ${line.name} ${line.argumentText}`);
  }
  return { changes, tried };
}

const cases = sampleOf(recordedPairs(), 5)
  .slice(0, runCount(30, 1_000))
  .flatMap(({ before, after }) => [before, after])
  .map(withLines);

function refusalsIn(project: Project): number {
  const { startup, htaccess } = findRefusals(project);
  return startup.length + htaccess.length;
}

/** Returns the same for a drawn server and drawn requests. */
function changesInDrawn(pair: ServerPairText, random: Random) {
  const { release, after } = pair;
  const before = readSide(after, release);
  const requests = drawRequests(random, pair, 40);
  const directives = [...iterateDirectives(before.project)];
  const textOf = ({ name, argumentText }: Directive) => `${name} ${argumentText}`.trim().toLowerCase();
  const kept = new Set(directives.filter((line) => !isInertLine(line, before.project)).map(textOf));
  const known = new Set(directives.map(textOf));
  const inert = linesOf(after).filter(({ text, inner }) => {
    const key = text.toLowerCase();
    return inner === undefined && known.has(key) && !kept.has(key);
  });
  const changes = inert.flatMap(({ id, text }) => {
    const without = readSide(withoutServerLines(after, new Set([id])), release);
    // A line that the server rejects may be one.
    if (refusalsIn(without.project) !== refusalsIn(before.project)) return [];
    const found = findContradiction(before, without, requests);
    return found ? [`${text}: ${found.before} → ${found.after} for ${JSON.stringify(found.request)}`] : [];
  });
  return { changes, tried: inert.length };
}

const drawn = [...directivePairs(seedOr(97), 1, runCount(60, 1))];

test(`no answer changes without such a line of ${drawn.length} drawn servers`, { timeout: 3_600_000 }, () => {
  const random = new Random(seedOr(97));
  const all = drawn.map(({ pair }) => changesInDrawn(pair, random));
  expect(all.flatMap(({ changes }) => changes)).toEqual([]);
  expect(all.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThan(drawn.length / 4);
});

test(`no answer changes without a line outside of the cone of influence, in ${cases.length} configurations`, {
  timeout: 600_000,
}, () => {
  const all = cases.map(changesIn);
  expect(all.flatMap(({ changes }) => changes)).toEqual([]);
  expect(all.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThan(cases.length);
});
