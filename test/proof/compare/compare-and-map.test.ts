import { expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { accessMap } from "../../../src/proof/compare/access-map.js";
import { compare } from "../../../src/proof/compare/compare.js";
import type { Side } from "../../../src/proof/compare/observed-sides.js";
import { compareWithAccessMap } from "../../../src/proof/compare/proofs.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { ConfigComparison } from "../../../src/proof/model/comparison.js";
import { load } from "../../support/projects.js";

const host = (name: string) =>
  `<VirtualHost *:80>\nServerName ${name}\n<Location "/x">\nDeny from all\nSatisfy any\n</Location>\n</VirtualHost>\n`;
const files = { "/etc/httpd/httpd.conf": `NameVirtualHost *:80\n${host("a.test")}${host("b.test")}` };

function sideOf(release: Release): Side {
  return { project: load(files, { release, kind: "server" }), semantics: "server" };
}

/** Returns a comparison without its intermediate data. */
function summaryOf({ differences, verdict, unproved, serverPairs, pathClasses }: ConfigComparison) {
  const requests = differences.map(({ request, before, after }) => [request, before.class, after.class]);
  return { requests, verdict, unproved, serverPairs, pathClasses };
}

test("a joint walk for both has the results of separate walks", () => {
  const [before, after] = [sideOf("2.2"), sideOf("2.4")];
  const { comparison, map } = compareWithAccessMap(before, after);
  expect(summaryOf(comparison)).toEqual(summaryOf(compare(before, after)));
  expect(map).toEqual(accessMap(before, after));
  expect(comparison.differences.map(({ instances }) => instances.length)).toEqual([1]);
  expect(map.servers.map(({ alike }) => alike.length)).toEqual([1]);
});
test("reports an exhausted budget", () => {
  const { comparison, map } = compareWithAccessMap(sideOf("2.2"), sideOf("2.4"), { ...defaultBudget, steps: 5_000 });
  expect(comparison.unproved).not.toEqual([]);
  expect(map.unknown).toEqual(comparison.unproved);
});
