import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { accessMap } from "../../../src/proof/compare/access-map.js";
import { compare } from "../../../src/proof/compare/compare.js";
import type { Side } from "../../../src/proof/compare/observed-sides.js";
import { migrate } from "../../../src/proof/migrate/migrate.js";
import { createRunSteps, defaultBudget } from "../../../src/proof/model/budget.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { nameOfPair } from "../../../src/proof/model/server-pairs.js";
import { adviceOnPattern, reasonFor, wordsOfReason } from "../../../src/proof/model/unproved-reasons.js";
import { StepAllowance } from "../../../src/regex/budget.js";
import { load } from "../../support/projects.js";

const main = "/etc/httpd/httpd.conf";
const rules = "Order deny,allow\nDeny from all\nAllow from 10.0.0.0/8\n";
const host = (name: string) =>
  `<VirtualHost *:80>\nServerName ${name}\nErrorDocument 404 ${name}\n<Location "/x">\n${rules}</Location>\n</VirtualHost>\n`;

function projectOf(text: string, more: object = {}): Project {
  return load({ [main]: text }, { release: "2.4", kind: "server", ...more });
}

function sideOf(text: string): Side {
  return { project: projectOf(text), semantics: "server" };
}

const withSteps = (steps: number) => ({ ...defaultBudget, steps });

/** Returns the minimum number of steps that is sufficient. */
function findMinimum(isEnough: (steps: number) => boolean): number {
  let [low, high] = [0, 1];
  while (!isEnough(high)) [low, high] = [high, 2 * high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

const reasonsOf = ({ unproved }: Pick<ConfigComparison, "unproved">) => unproved.map(({ reason }) => reason);

const costlyPattern = wordsOfReason(reasonFor("costly-pattern", reasonFor("anchor-pattern")));
const incompleteReason = wordsOfReason(reasonFor("incomplete"));
const moreEntryPoints = wordsOfReason(reasonFor("more-entry-points"));
const notStartedReason = wordsOfReason(reasonFor("not-started"));
const outOfStepsReason = wordsOfReason(reasonFor("out-of-steps"));
const tooManyPathClasses = wordsOfReason(reasonFor("too-many-path-classes"));

describe("the steps for all servers", () => {
  const text = ["a.test", "b.test", "c.test"].map(host).join("");
  const compareWithin = (steps: number) => compare(sideOf(text), sideOf(text), withSteps(steps));
  const enough = findMinimum((steps) => compareWithin(steps).verdict === "equivalent");

  test("suffice for a proof at a certain number, but not with one step less", () => {
    expect(compareWithin(enough)).toMatchObject({ verdict: "equivalent", serverPairs: 3, unproved: [] });
    const { verdict, unproved } = compareWithin(enough - 1);
    expect([verdict, unproved.map(({ reason, directive }) => [reason, directive?.span.start])]).toEqual([
      "unknown",
      [[incompleteReason, text.indexOf("<VirtualHost *:80>\nServerName c.test")]],
    ]);
  });

  test("are reported for each host that is left out, and the others are compared", () => {
    const { serverPairs, pathClasses, unproved } = compareWithin(Math.floor(enough / 2));
    expect(serverPairs).toBeLessThan(3);
    expect(pathClasses).toBeGreaterThan(0);
    expect(unproved.map(({ directive }) => directive?.span.start)).toContain(text.lastIndexOf("<VirtualHost"));
    expect(unproved.at(-1)?.reason).toBe(notStartedReason);
  });

  test("leave the proof for the hosts before, which are named, and those that are open", () => {
    const names = ({ byServer }: ConfigComparison) =>
      byServer && [byServer.proved.map(nameOfPair), byServer.open.map(nameOfPair), byServer.all];
    expect(names(compareWithin(enough - 1))).toEqual([["a.test", "b.test"], ["c.test"], 3]);
    // Twins: all are proved, or none.
    expect(names(compareWithin(enough))).toBeUndefined();
    expect(names(compareWithin(0))).toBeUndefined();
    const one = compare(sideOf(host("a.test")), sideOf(host("a.test")), withSteps(1_000));
    expect([one.verdict, names(one)]).toEqual(["unknown", undefined]);
  });

  test("leave no host proved that has a difference, or that a part which was not read may concern", () => {
    const other = text.replace("Allow from 10.0.0.0/8", "Allow from 11.0.0.0/8");
    const changed = compare(sideOf(text), sideOf(other), withSteps(enough * 2));
    expect([changed.verdict, changed.byServer]).toEqual(["different", undefined]);
    const unread = sideOf(`${text}Include missing.conf\n`);
    expect(compare(unread, unread, withSteps(enough - 1)).byServer).toBeUndefined();
    const proofs = Array.from(
      { length: 20 },
      (_, index) => compare(sideOf(text), sideOf(other), withSteps(Math.floor((enough * index) / 10))).byServer,
    );
    const partly = proofs.filter((each) => each !== undefined);
    expect(partly.length).toBeGreaterThan(0);
    for (const { proved, open } of partly) {
      expect(proved.map(nameOfPair)).not.toContain("a.test");
      expect(open.length).toBeGreaterThan(0);
    }
  });

  test.each([0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])(
    "never suffice for a proof if they run out: %f of the minimum",
    (share) => {
      const found = compareWithin(Math.floor(share * (enough - 1)));
      expect(found.verdict).toBe("unknown");
      expect(found.unproved).not.toEqual([]);
    },
  );

  test("report the differences found before they ran out, and the rest", () => {
    const other = sideOf(text.replaceAll("Allow from 10.0.0.0/8\n", ""));
    const { verdict, differences, unproved } = compare(sideOf(text), other, withSteps(Math.floor(enough / 2)));
    expect(verdict).toBe("different");
    expect(differences).not.toEqual([]);
    expect(unproved).not.toEqual([]);
  });

  test("are reported as insufficient for further names and addresses", () => {
    expect(reasonsOf(compareWithin(30))).toContain(moreEntryPoints);
    expect(accessMap(sideOf(text), sideOf(text), withSteps(30)).unknown.map(({ reason }) => reason)).toContain(
      moreEntryPoints,
    );
  });

  test("of the main server are reported next to those of hosts", () => {
    const reasons = reasonsOf(compare(sideOf("Listen 80\n"), sideOf("Listen 80\n"), withSteps(100)));
    expect(reasons).toEqual([expect.stringMatching(/^the main server: the step budget/)]);
  });

  test("limit a map, which names the omitted parts", () => {
    const mapWithin = (steps: number) => accessMap(sideOf(text), sideOf(text), withSteps(steps));
    const ofMap = findMinimum((steps) => mapWithin(steps).unknown.length === 0);
    const { unknown, servers } = mapWithin(ofMap - 1);
    expect(unknown.map(({ reason }) => reason)).toEqual([incompleteReason]);
    expect(servers.map(({ scopes }) => scopes.length > 0)).toEqual([true, true, true]);
    // A server with a missing part is not equivalent to complete ones.
    expect(servers.map(({ scopes }) => scopes.some(({ isUnsure }) => isUnsure))).toEqual([false, false, true]);
    const half = mapWithin(Math.floor(ofMap / 2));
    expect(half.servers.length).toBeLessThan(3);
    expect(half.servers.every(({ scopes }) => scopes.length > 0)).toBe(true);
    expect(half.servers.length + half.unknown.filter(({ reason }) => reason === notStartedReason).length).toBe(3);
  });

  test("leave no partial result that another comparison would use as complete", () => {
    const sides = [sideOf(text), sideOf(text)] as const;
    const again = (steps: number) => compare(...sides, withSteps(steps)).verdict;
    expect([again(enough >> 1), again(enough), again(enough >> 4), again(enough)]).toEqual([
      "unknown",
      "equivalent",
      "unknown",
      "equivalent",
    ]);
  });

  test("may be shared with other comparisons", () => {
    const shared = new StepAllowance(enough);
    const comparing = () => compare(sideOf(text), sideOf(text), defaultBudget, { steps: shared }).verdict;
    expect([comparing(), comparing()]).toEqual(["equivalent", "unknown"]);
    expect(reasonsOf(compare(sideOf(text), sideOf(text), defaultBudget, { steps: shared }))).toEqual([
      outOfStepsReason,
    ]);
    const run = createRunSteps([], withSteps(enough));
    const verdicts = [1, 2, 3, 4, 5].map(
      () => compare(sideOf(text), sideOf(text), defaultBudget, { steps: run }).verdict,
    );
    expect(verdicts).toEqual(["equivalent", "equivalent", "equivalent", "equivalent", "unknown"]);
  });
});

test("a migration is refused without changed files if there are too few steps", () => {
  const text = ["a.test", "b.test"].map(host).join("");
  const files = (texts: ReadonlyMap<string, string>) => texts.get(main) ?? text;
  const migrateWithin = (steps: number) =>
    migrate(
      {
        before: projectOf(text),
        again: (texts) => projectOf(files(texts)),
        after: (texts) => projectOf(files(texts), { withoutModules: ["access_compat"] }),
      },
      "server",
      { budget: withSteps(steps) },
    );
  const enough = findMinimum((steps) => migrateWithin(steps).verdict === "proved");
  expect(migrateWithin(enough - 1)).toMatchObject({ verdict: "refused" });
  expect(migrateWithin(enough - 1)).not.toHaveProperty("files");
  const early = migrateWithin(100);
  expect(early.verdict === "refused" && early.refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^the configuration has too many different requests to analyze$/),
  ]);
});

describe("patterns that may match anywhere in a path", () => {
  const unanchored = (count: number, line: (n: number) => string) =>
    sideOf(Array.from({ length: count }, (_, n) => line(n)).join(""));
  const small = { ...defaultBudget, states: 2_000 };

  test.each([
    ["LocationMatch", (n: number) => `<LocationMatch "w${n}x">\n${rules}</LocationMatch>\n`],
    [
      "SetEnvIf",
      (n: number) =>
        `SetEnvIf Request_URI "w${n}x" v${n}\n<Location "/l${n}">\nOrder deny,allow\nDeny from env=v${n}\n</Location>\n`,
    ],
    ["FilesMatch", (n: number) => `<FilesMatch "w${n}x">\n${rules}</FilesMatch>\n`],
  ])("are reported as unknown if they cause too many path classes: %s", (_, line) => {
    const [few, many] = [unanchored(2, line), unanchored(60, line)];
    expect(compare(few, few, small).verdict).toBe("equivalent");
    const found = compare(many, many, small);
    const [server, ...lines] = found.unproved;
    expect([found.verdict, server?.reason]).toEqual(["unknown", `the main server: ${tooManyPathClasses}`]);
    expect(lines.map(({ reason, directive }) => [reason, directive?.argumentText.includes("w")])).toEqual([
      [costlyPattern, true],
      [costlyPattern, true],
      [costlyPattern, true],
    ]);
    expect(accessMap(many, many, small).unknown.map(({ reason }) => reason)).toContain(costlyPattern);
  });

  test.each([
    ['<LocationMatch "w[0-9]+x">', "anchor it with `^`, or analyze a copy of the configuration without it"],
    ['<FilesMatch "\\.php[0-9]+$">', "analyze a copy of the configuration without it"],
    ["RewriteRule ^/?([a-z]*)/x", "analyze a copy of the configuration without it"],
    ["RewriteCond %{REQUEST_URI} ^(.*)/(install.php)", "analyze a copy of the configuration without it"],
    ["RewriteRule (.*)/(install.php)", "analyze a copy of the configuration without it"],
    ["RewriteCond %{REQUEST_URI} /[0-9]+/old", "anchor it with `^`, or analyze a copy of the configuration without it"],
    ["SetEnvIf Request_URI /[0-9]+/old old", "anchor it with `^`, or analyze a copy of the configuration without it"],
  ])("have advice that fits the pattern: %s", (line, advice) => {
    const end = line.startsWith("<") ? `\n</${line.slice(1).replace(/ .*/, "")}>` : "";
    const [directive] = sideOf(`${line}${end}\n`)
      .project.directives.filter(({ key }) => key !== "documentroot")
      .slice(-1);
    expect(directive && wordsOfReason(reasonFor(adviceOnPattern(directive)))).toBe(advice);
  });

  test("are reported in descending order of their size", () => {
    const long = '<LocationMatch "w[0-9]+/longer-than-others$">\n';
    const short = Array.from({ length: 60 }, (_, n) => `<LocationMatch "w${n}x">\n${rules}</LocationMatch>\n`).join("");
    const side = sideOf(
      `${short}${long}${rules}</LocationMatch>\n<LocationMatch "^/plain/path/of/a/file$">\n${rules}</LocationMatch>\n`,
    );
    const [, first] = compare(side, side, small).unproved;
    expect(first?.directive?.argumentText).toContain("longer-than-others");
    const { project } = side;
    const migrateWithin = migrate({ before: project, again: () => project, after: () => project }, "server", {
      budget: small,
    });
    expect(migrateWithin.verdict === "refused" && migrateWithin.refused[1]).toMatchObject({
      reason: "its pattern multiplies the number of requests to analyze",
      directive: { argumentText: expect.stringContaining("longer-than-others") },
    });
  });

  test("use steps for their cached results", () => {
    const many = unanchored(60, (n) => `<LocationMatch "w${n}x">\n${rules}</LocationMatch>\n`);
    expect(new Set(reasonsOf(compare(many, many, { ...defaultBudget, steps: 300_000 })))).toEqual(
      new Set([`the main server: ${notStartedReason}`, costlyPattern]),
    );
  });

  test("twin: need few states if they are anchored", () => {
    const many = unanchored(60, (n) => `<LocationMatch "^/w${n}x">\n${rules}</LocationMatch>\n`);
    expect(compare(many, many, small).verdict).toBe("equivalent");
  });
});
