import { expect, test } from "vitest";
import { PolicyCache } from "../../../src/proof/clients/policy.js";
import { startExploration } from "../../../src/proof/compare/exploration.js";
import { defaultBudget } from "../../../src/proof/model/budget.js";
import type { WalkKind } from "../../../src/proof/model/path-class.js";
import { loadText } from "../../support/projects.js";

/** Returns the kinds of object at `/a` for which a cache returns the policies that were stored for one kind. */
function kindsWithPoliciesOf(kind: WalkKind, lines: string): readonly WalkKind[] {
  const project = loadText(`DocumentRoot /srv\n<Directory /srv>\nRequire all granted\n${lines}\n</Directory>\n`, {
    kind: "server",
  });
  const side = { project, semantics: "server" } as const;
  const exploration = startExploration(side, side, defaultBudget);
  const [pair] = exploration.serverPairs;
  const partition = pair && exploration.pathClassesOf(pair);
  if (pair === undefined || typeof partition !== "object") throw new Error("no classes");
  const classOf = (each: WalkKind) =>
    partition.classes.find(({ path, walks: [walk] }) => path === "/a" && walk?.kind === each && walk.walked === 2);
  const cache = new PolicyCache();
  const own = classOf(kind);
  if (own === undefined) throw new Error(`no ${kind}`);
  cache.find(pair, own);
  cache.store(
    pair,
    own,
    [...exploration.policiesOf(pair, own)].map(({ requests, policy }) => ({ method: requests.target.method, policy })),
  );
  return (["file", "missing", "directory"] as const).filter((each) => {
    const pathClass = classOf(each);
    return pathClass !== undefined && cache.find(pair, pathClass) !== undefined;
  });
}

test("the policy of a file is that of a missing file if no decision depended on it, but not of a directory", () => {
  expect(kindsWithPoliciesOf("file", "")).toEqual(["file", "missing"]);
  expect(kindsWithPoliciesOf("directory", "")).toEqual(["directory"]);
});

test("twin: not if a rule leads to another path, where the server does not check the object again", () => {
  expect(kindsWithPoliciesOf("file", "RewriteEngine on\nRewriteRule ^a$ /b")).toEqual(["file"]);
});
