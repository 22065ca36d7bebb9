import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import type { PathClass, PathPartition, PathSide, WalkedPath } from "../../../src/proof/model/path-class.js";
import { fileTreeOfWalk } from "../../../src/proof/paths/applying-sections.js";
import { isInert } from "../../../src/proof/paths/inert-lines.js";
import { partitionPaths } from "../../../src/proof/paths/path-partition.js";
import { type Automaton, acceptsText } from "../../../src/regex/automata/automaton.js";
import { generateSampleText } from "../../../src/regex/automata/shortest-texts.js";
import { enumerateRuns } from "../../../src/server/model/oracle.js";
import type { Server } from "../../../src/server/model/server.js";
import { runPasses } from "../../../src/server/phases/passes.js";
import { prepareSimulation } from "../../../src/server/process-request.js";
import { normalizePath, slashRulesOf } from "../../../src/server/request/url-normalization.js";
import { ServerLookup } from "../../../src/server/request/vhost-lookup.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { encodeUrlPath } from "../../../src/text/escaping.js";
import { isDeep, runCount, seedOr } from "../../support/depth.js";
import { Random } from "../../support/random/random.js";
import { randomRequest } from "../../support/random/random-requests.js";
import { filesOf, type RandomServer, randomServer } from "../../support/random/random-server.js";

const root = "/srv/x";

function projectOf(server: RandomServer, release: "2.2" | "2.4"): Project {
  const files = filesOf(server, root, { ports: [8001, 8002], backend: 8003 });
  const onDisk = Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]);
  const access = memoryAccess(Object.fromEntries(onDisk));
  const loaded = loadProject(`${root}/httpd.conf`, { access, release, kind: "server", serverRoot: root });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Changes the lines that prevent partitions: rewrite rules, and variables that contain parts of the path. */
const serverWithLines = (change: (line: string) => string | undefined) =>
  randomServer.map((server): RandomServer => {
    const plain = (lines: readonly string[]) => lines.flatMap((line) => change(line) ?? []);
    const files = Object.entries(server.files).map(([path, lines]) => [path, plain(lines)]);
    return { ...server, body: plain(server.body), files: Object.fromEntries(files) };
  });

const withoutGroups = (line: string) => line.replace(/\(\?<\w+>/g, "(").replace(/=\$\d/g, "=x");
const plainServer = serverWithLines((line) => (/^Rewrite/.test(line) ? undefined : withoutGroups(line)));
const rewritingServer = serverWithLines(withoutGroups);

function serversOf({ directives, release }: Project): readonly [Server, ...Server[]] {
  const { main, hosts } = new ServerLookup(directives, release);
  return [main, ...hosts];
}

type Sides = readonly [PathSide, PathSide];

/** Returns two servers of two configurations, or of one under two releases. */
function pairOf(one: RandomServer, other: RandomServer, random: Random): Sides {
  const [a, b] = random.chance(0.3) ? [one, one] : [one, other];
  const sideOf = (project: Project) => ({ project, server: random.pick(serversOf(project)) });
  return [sideOf(projectOf(a, "2.4")), sideOf(projectOf(b, random.chance(0.3) ? "2.2" : "2.4"))];
}

/** Returns all possible results of a server for a path, with the configuration that applies. */
function answersTo({ project, server }: PathSide, { path, walks }: WalkedPath, side: number): string[] | undefined {
  const setup = prepareSimulation(project, fileTreeOfWalk(walks[side]));
  const request = { method: "GET", path: encodeUrlPath(path), clientIp: "10.1.2.3", host: "x.test", port: 8001 };
  const url = normalizePath(request.path, project.release, slashRulesOf(server.layers));
  if ("status" in url || url.path !== path) return undefined;
  const runs = enumerateRuns((oracle) => runPasses({ setup, server, oracle, recorder: undefined }, request, url));
  const numbers = new Map<object, number>();
  const numberOf = (each: object) => {
    const number = numbers.get(each) ?? numbers.size;
    numbers.set(each, number);
    return number;
  };
  for (const each of project.directives) number(each, numberOf);
  const answers = runs?.map(({ result, undecidable }) => {
    const deciding = result.layers.filter(({ section }) => section === undefined || !isInert(section, project));
    const layers = deciding.map((layer) => (layer.section ? numberOf(layer.section) : `${layer.content.length}`));
    return [undecidable, result.status, result.log, result.by.map(numberOf), layers].map(String).join("; ");
  });
  return answers && [...new Set(answers)].sort();
}

function number(directive: Project["directives"][number], numberOf: (each: object) => number): void {
  numberOf(directive);
  for (const child of directive.children ?? []) number(child, numberOf);
}

/** Replaces some bytes with others that the automaton does not distinguish. */
function withEquivalentBytes(text: string, { classOf }: Automaton, random: Random): string {
  return Array.from(text, (character) => {
    if (random.chance(0.7)) return character;
    const equivalent = [...classOf.keys()].filter((byte) => classOf[byte] === classOf[character.charCodeAt(0)]);
    return String.fromCharCode(equivalent[random.below(equivalent.length)] ?? 0);
  }).join("");
}

const isInexact = (cell: PathClass, { inexact }: PathPartition) =>
  inexact.some(({ classes }) => classes.includes(cell));

const seed = seedOr(20_240_505);
const numRuns = runCount(2, 30);
/** The number of requests in each case. */
const requestCount = isDeep ? Number.POSITIVE_INFINITY : 8;

describe.each([
  ["plain", plainServer],
  ["rewriting", rewritingServer],
])("%s configurations", (_, servers) => {
  test("have the same results for all paths of a cell", () => {
    let compared = 0;
    fc.assert(
      fc.property(servers, servers, fc.nat(), (one, other, drawn) => {
        const random = new Random(drawn);
        const sides = pairOf(one, other, random);
        const found = partitionPaths(sides, 20_000);
        if (found === "too large") return;
        for (const cell of found.classes) {
          if (isInexact(cell, found) || !random.chance(30 / found.classes.length)) continue;
          const automaton = cell.paths;
          const text = withEquivalentBytes(
            generateSampleText(automaton, () => random.next(), 30) ?? "",
            automaton,
            random,
          );
          expect(acceptsText(automaton, text)).toBe(true);
          const member = cell.walkedIn(text);
          for (const [index, side] of sides.entries()) {
            const expected = answersTo(side, cell, index);
            const answers = answersTo(side, member, index);
            if (expected === undefined || answers === undefined) continue;
            compared++;
            if (String(answers) !== String(expected))
              expect({ member, answers }).toEqual({ path: cell.path, walks: cell.walks, answers: expected });
          }
        }
      }),
      { seed, numRuns },
    );
    expect(compared).toBeGreaterThan(numRuns);
  }, 600_000);

  test("have the same sections on both sides if they are the same server", () => {
    fc.assert(
      fc.property(servers, fc.nat(), (one, drawn) => {
        const project = projectOf(one, "2.4");
        const side = { project, server: new Random(drawn).pick(serversOf(project)) };
        const found = partitionPaths([side, side], 20_000);
        if (found === "too large") return;
        for (const { sections, walks, path } of found.classes) {
          expect(sections[0], path).toEqual(sections[1]);
          expect(walks[0], path).toEqual(walks[1]);
        }
      }),
      { seed, numRuns },
    );
  }, 600_000);

  test("have each path in one class for each file type at the end of its walk", () => {
    fc.assert(
      fc.property(
        servers,
        servers,
        fc.array(randomRequest, { minLength: 20 }),
        fc.nat(),
        (one, other, requests, drawn) => {
          const found = partitionPaths(pairOf(one, other, new Random(drawn)), 20_000);
          if (found === "too large") return;
          const cells = found.classes.map((cell) => ({ cell, automaton: cell.paths }));
          const kindsOf = (text: string) =>
            cells
              .filter(({ automaton }) => acceptsText(automaton, text))
              .map(({ cell: { walks } }) => walks.map((walk) => walk?.kind ?? "none").join());
          for (const request of requests.slice(0, requestCount)) {
            const url = normalizePath(request.path, "2.4");
            if ("status" in url || url.path.includes("//")) continue;
            const { path } = url;
            const ends = [...path.matchAll(/(?<=[^/])(?=\/|$)|$/g)].map(({ index }) => index);
            const marked = (at: number) => `${path.slice(0, at)}\0${path.slice(at)}`;
            const all = [path, ...new Set(ends.map(marked))].map(kindsOf);
            for (const kinds of all) expect(kinds, path).toEqual([...new Set(kinds)]);
            const both = ends.flatMap((first) => ends.map((second) => kindsOf(markedTwice(path, first, second))));
            for (const kinds of both) expect(kinds, path).toEqual([...new Set(kinds)]);
            expect(
              [...all, ...both].some((kinds) => kinds.length > 0),
              path,
            ).toBe(true);
          }
        },
      ),
      { seed, numRuns },
    );
  }, 600_000);
});

/** Inserts two marks, as needed if the sides map to different files. */
function markedTwice(path: string, first: number, second: number): string {
  const at = Math.min(first, second);
  const marks = first <= second ? ["\x001", "\x002"] : ["\x002", "\x001"];
  return (
    path.slice(0, at) +
    marks[0] +
    path.slice(at, Math.max(first, second)) +
    marks[1] +
    path.slice(Math.max(first, second))
  );
}
