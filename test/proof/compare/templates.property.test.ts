import { expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { AccessMapBuilder } from "../../../src/proof/compare/access-map.js";
import { exploreRequests } from "../../../src/proof/compare/compare.js";
import { DifferenceFinder } from "../../../src/proof/compare/difference-finder.js";
import { startExploration } from "../../../src/proof/compare/exploration.js";
import type { ExplorationVisitor } from "../../../src/proof/compare/explored-requests.js";
import type { TemplateInstance } from "../../../src/proof/compare/host-templates.js";
import type { Side } from "../../../src/proof/compare/observed-sides.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { Difference } from "../../../src/proof/model/comparison.js";
import { describeEntryPoint, type ServerPair } from "../../../src/proof/model/server-pairs.js";
import { runCount, seedOr } from "../../support/depth.js";
import { load } from "../../support/projects.js";
import { Random } from "../../support/random/random.js";
import { type FleetFiles, randomFleet } from "../../support/random/random-fleet.js";

/** The results of a comparison and an access map, by server name. */
interface ServerResults {
  readonly verdict: string;
  /** The differences of each server: the class of each side, the method, and the number of path classes. */
  readonly differences: ReadonlyMap<string, readonly string[]>;
  readonly scopes: ReadonlyMap<string, readonly string[]>;
  readonly instances: readonly TemplateInstance[];
}

/** Decides whether hosts share the results of a template, and records them. */
class InstanceWatcher implements ExplorationVisitor {
  readonly instances: TemplateInstance[] = [];

  constructor(private readonly isShared: boolean) {}

  visitPartition(): void {}
  visitPathClass(): void {}
  visitIncomplete(): void {}

  visitInstance(instance: TemplateInstance): boolean {
    if (this.isShared) this.instances.push(instance);
    return this.isShared;
  }
}

function exploreFleet([before, after]: readonly [Side, Side], isShared: boolean): ServerResults {
  const exploration = startExploration(before, after, defaultBudget);
  const finder = new DifferenceFinder(exploration);
  const builder = new AccessMapBuilder(exploration);
  const watcher = new InstanceWatcher(isShared);
  exploreRequests(exploration, isShared ? [finder, builder, watcher] : [watcher, finder, builder]);
  const { verdict, differences } = finder.comparison();
  const { instances } = watcher;
  return { verdict, differences: listDifferences(differences), scopes: listScopes(builder, instances), instances };
}

function nameOf({ entryPoints: [entryPoint] }: Pick<ServerPair, "entryPoints">): string {
  return entryPoint ? `${entryPoint.serverIp ?? ""} ${describeEntryPoint(entryPoint)}` : "";
}

function listDifferences(differences: readonly Difference[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { before, after, regions } of differences)
    for (const { pair, alike, method, pathClass } of regions)
      for (const each of [pair, ...alike.map((instance) => instance.pair)]) {
        const kinds = pathClass.walks.map((walk) => walk?.kind);
        const name = nameOf(each);
        found.set(name, [...(found.get(name) ?? []), [before.class, after.class, method, ...kinds].join(" ")].sort());
      }
  return found;
}

/** Lists the scopes of each server with its own constants; networks are compared by their number only. */
function listScopes(
  builder: AccessMapBuilder,
  instances: readonly TemplateInstance[],
): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>();
  for (const { entryPoints, scopes } of builder.build().servers) {
    // Whether paths with equal access share a scope depends on the order of names in lists.
    const texts = scopes.flatMap(({ examples, place, methods, who, differs, isUnsure }) =>
      examples.map((example) => JSON.stringify([example, place, methods, who, differs, isUnsure])),
    );
    const representative = nameOf({ entryPoints });
    found.set(representative, texts.map(normalizeScope).sort());
    for (const { pair, representative: of, renaming } of instances)
      if (nameOf(of) === representative)
        found.set(nameOf(pair), texts.map((text) => normalizeScope(renaming.text(text))).sort());
  }
  return found;
}

/** Returns a scope with sorted lists. */
function normalizeScope(text: string): string {
  return JSON.stringify(sortLists(JSON.parse(text.replace(/\d+(?:\.\d+){3}(?:\/\d+)?/g, "N"))));
}

function sortLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(sortLists(each))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, sortLists(each)]));
}

function sidesOf(files: FleetFiles, random: Random): readonly [Side, Side] {
  const read = (release: Release, each: FleetFiles): Side => ({
    project: load(each, { release, kind: "server" }),
    semantics: "server",
  });
  if (random.chance(0.5)) return [read("2.2", files), read("2.4", files)];
  return [read("2.4", files), read("2.4", withChange(files, random))];
}

type Change = readonly [pattern: RegExp, text: string];

/** Returns the files with each line of one text deleted or changed, so that hosts of one template remain similar. */
function withChange(files: FleetFiles, random: Random): FleetFiles {
  const changes: readonly [Change, ...Change[]] = [
    [/^Deny from all$/gm, ""],
    [/^Require all denied$/gm, "Require all granted"],
    [/^Order deny,allow$/gm, "Order allow,deny"],
    [/^Satisfy any$/gm, ""],
  ];
  const [pattern, text] = random.pick(changes);
  return Object.fromEntries(Object.entries(files).map(([path, each]) => [path, each.replace(pattern, text)]));
}

const first = seedOr(2_027);
const count = runCount(20, 10_000);
const PER_TEST = 10;
const starts = Array.from({ length: Math.ceil(count / PER_TEST) }, (_, index) => first + index * PER_TEST);
let sharedCount = 0;

function checkFleet(seed: number): number {
  const random = new Random(seed);
  return checkFiles(randomFleet(random), random, `seed ${seed}`);
}

/** Expects equal results with and without sharing. @returns the number of hosts that share results */
function checkFiles(files: FleetFiles, random: Random, name: string): number {
  const sides = sidesOf(files, random);
  const shared = exploreFleet(sides, true);
  // Without instances, both explorations are the same.
  if (shared.instances.length === 0) return 0;
  const own = exploreFleet(sides, false);
  const context = `${name}\n${Object.values(files).join("\n")}`;
  expect(shared.verdict, context).toBe(own.verdict);
  expect(shared.differences, context).toEqual(own.differences);
  expect(shared.scopes, context).toEqual(own.scopes);
  return shared.instances.length;
}

test.each([1, 2, 3, 4, 5, 6])(
  "files and directories may have the same deciding lines in another order, change %i",
  (seed) => {
    const host = (name: string) => `<VirtualHost *:80>
ServerName ${name}.test
DocumentRoot /srv/root-${name}
RewriteEngine On
RewriteCond %{HTTP_HOST} ^www\\.${name}\\.test$ [NC]
RewriteRule ^(.*)$ http://${name}.test$1 [L,R=301]
<Location /members>
AuthType Basic
AuthName "members"
AuthUserFile "/srv/root-${name}/users"
Require user user-${name} carl
</Location>
<If "%{HTTP_HOST} == '${name}.test' && %{REQUEST_URI} =~ m|^/part-${name}/|">
Require all denied
</If>
</VirtualHost>
`;
    const main = `Listen 80
NameVirtualHost *:80
SetEnvIf Request_URI "aa.bb" bot
`;
    const files = {
      "/etc/httpd/httpd.conf": main + ["one", "two", "three"].map(host).join(""),
      "/srv/aa.bb/.htaccess": "Deny from all\n",
    };
    expect(checkFiles(files, new Random(seed), `change ${seed}`)).toBeGreaterThan(0);
  },
);

test.each(starts)(
  "hosts that differ only in constants have the results of a separate proof, seeds from %i",
  (start) => {
    for (let seed = start; seed < Math.min(start + PER_TEST, first + count); seed++) sharedCount += checkFleet(seed);
  },
);

test("many random fleets have hosts that differ only in constants", () => {
  if (count >= 100) expect(sharedCount).toBeGreaterThan(count / 20);
});
