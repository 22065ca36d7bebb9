import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import { type Exploration, startExploration } from "../../../src/proof/compare/exploration.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { SymbolTable } from "../../../src/proof/requests/symbol-table.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import { linesOf, modulesOf, pairGroups } from "../../support/cases/differing-pairs.js";
import { loadCase } from "../../support/cases/recorded-cases.js";
import { runCount, sampleOf, seedOr } from "../../support/depth.js";
import { load } from "../../support/projects.js";
import { Random } from "../../support/random/random.js";
import { recordedPairs } from "../compare/witnesses.js";

/*
 * A proof generalizes an answer to all requests with the same values of the predicates that the simulator has recorded.
 * So an answer must not change with anything that it has not recorded: another user, another address, another variable.
 */

const MAX_CLASSES = 6;
const MAX_BLOCKS = 6;

/** Returns the words of a configuration, which may name users, groups, hosts and variables. */
function wordsOf(project: Project): readonly [string, ...string[]] {
  const words = [...iterateDirectives(project)].flatMap(({ argumentText }) => argumentText.match(/[\w.-]+/g) ?? []);
  return ["", ...new Set([...words, ...words.map((word) => word.toUpperCase())])];
}

/** Returns a model that also differs in what no condition of a table reads. */
function varyUnread(
  model: RequestModel,
  { atoms }: SymbolTable,
  ownVariables: ReadonlySet<string>,
  words: readonly [string, ...string[]],
  random: Random,
): RequestModel {
  const pick = () => random.pick(words);
  const reads = (kind: string) => atoms.some((atom) => atom.kind === kind);
  const isUserNamed = atoms.some((atom) => atom.kind === "user" && atom.name === model.user);
  const other = pick();
  // One spelling stands for all that no line distinguishes.
  const isOtherNamed = atoms.some((atom) => atom.kind === "user" && atom.name.toLowerCase() === other.toLowerCase());
  const isFixed = model.user === undefined || isUserNamed || isOtherNamed || reads("group");
  // Clients cannot bring along variables that lines set, or that httpd sets in an internal redirect.
  const readVariables = new Set([
    ...ownVariables,
    ...atoms.flatMap((atom) => (atom.kind === "env" ? [atom.name.toLowerCase()] : [])),
  ]);
  const variables = [pick(), pick()]
    .map((word) => word.toLowerCase())
    .filter((name) => !readVariables.has(name) && !name.startsWith("redirect_"));
  return {
    ...model,
    user: isFixed ? model.user : other,
    host: reads("host") ? model.host : `${pick() || "x"}.example`.toLowerCase(),
    groups: reads("group") || model.user === undefined ? model.groups : new Map([["text", new Set([pick()])]]),
    env: new Set([...model.env, ...variables]),
  };
}

/** Returns the answers that change with something that was not recorded. */
function findUntrackedReads(project: Project, random: Random): string[] {
  const side = { project, semantics: "server" } as const;
  const exploration = startExploration(side, side, defaultBudget);
  const words = wordsOf(project);
  return exploration.serverPairs.slice(0, 2).flatMap((pair) => {
    const partition = exploration.pathClassesOf(pair);
    if (typeof partition === "string") return [];
    return partition.classes
      .slice(0, MAX_CLASSES)
      .flatMap((pathClass) => [...exploration.policiesOf(pair, pathClass)])
      .flatMap((each) => changesIn(exploration, each, words, random));
  });
}

type Explored = ReturnType<Exploration["policiesOf"]> extends Generator<infer T> ? T : never;

function changesIn(
  exploration: Exploration,
  { requests: { target, pathClass, knownFiles }, policy }: Explored,
  words: readonly [string, ...string[]],
  random: Random,
): string[] {
  if (policy === "too large") return [];
  const { symbols } = policy;
  exploration.observed.useFiles(knownFiles, pathClass.walks);
  return policy.blocks.slice(0, MAX_BLOCKS).flatMap(({ when, results: [recorded] }) => {
    const sampled = symbols.sample(when, () => random.next());
    if (recorded?.unprovedReason !== undefined || sampled === undefined || sampled === "too large") return [];
    const model = varyUnread(sampled, symbols, exploration.observed.prepared[0].ownVariables, words, random);
    const [again] = exploration.observed.observe({ target, walks: pathClass.walks, model });
    if (again === undefined || recorded === undefined || again.access === recorded.access) return [];
    const { user, host, env } = model;
    return [
      `${target.method} ${target.path} as ${user} from ${host} with ${[...env]}: ${recorded.access}, ${again.access}`,
    ];
  });
}

describe("an answer changes only with what it has recorded", () => {
  const seed = seedOr(4711);

  test.each(Object.entries(pairGroups))("%s", { timeout: 120_000 }, (_, pairs) => {
    const random = new Random(seed);
    const changes = pairs.flatMap((pair) =>
      [pair.before, pair.after].flatMap((own) => {
        const lines = ["ServerRoot /srv", "DocumentRoot /srv/htdocs", "Listen 80", ...linesOf(pair, own)];
        const text = `${lines.join("\n").replaceAll("DOCROOT", "/srv/htdocs")}\n`;
        const options = { release: "2.4", kind: "server", modules: modulesOf(pair) } as const;
        const project = load({ "/etc/httpd/httpd.conf": text }, options);
        return findUntrackedReads(project, random).map((change) => `${pair.name}: ${change}`);
      }),
    );
    expect(changes).toEqual([]);
  });

  const cases = sampleOf(recordedPairs(), 12).slice(0, runCount(25, 500));
  test(`in ${cases.length} recorded configurations, under 2.2 and 2.4`, { timeout: 600_000 }, () => {
    const random = new Random(seed);
    const changes = cases.flatMap(({ before, after }) =>
      [before, after].flatMap((each) =>
        findUntrackedReads(loadCase(each).project, random).map((change) => `${each.id}: ${change}`),
      ),
    );
    expect(changes).toEqual([]);
  });
});
