import { expect, test } from "vitest";
import { methodsOfSections } from "../../../../src/proof/migrate/plan/access-policy.js";
import { layerOfSection } from "../../../../src/server/model/config-layer.js";
import { loadText } from "../../../support/projects.js";

test("sections distinguish the methods of their Limit and LimitExcept sections, and all others", () => {
  const lines = [
    ...["<Directory /a>", "Require valid-user", "<Limit PUT HEAD>", "Require user ann", "</Limit>"],
    ...["<LimitExcept OPTIONS>", "Require user bert", "</LimitExcept>", "</Directory>"],
  ];
  const { directives } = loadText(`${lines.join("\n")}\n`);
  expect(methodsOfSections(directives.map(layerOfSection))).toEqual(["PUT", "GET", "OPTIONS", "-"]);
});
