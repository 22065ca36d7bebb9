import { expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Release } from "../../../src/facts/release.js";
import { upgrade } from "../../../src/lint/runner/upgrade.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { rangeOf } from "../../../src/text/source.js";
import { loadModules } from "../../support/httpd/httpd.js";
import { section } from "../../support/rules.js";

const main = "/etc/httpd/httpd.conf";

/** Returns the findings in a configuration, as it is and with its missing modules added. */
function findingsOf(text: string, rule: string): string[] {
  const access = memoryAccess({ [main]: text });
  const load = (release: Release, moreModules: readonly string[] = []) => {
    const loaded = loadProject(main, { access, kind: "server", release, moreModules });
    if (!loaded.ok) throw new Error(loaded.error);
    return loaded.value;
  };
  const withModules = (modules: readonly string[]) => load("2.4", modules);
  const { findings } = upgrade(load("2.2"), { project: load("2.4"), withModules }, defaultRules);
  return Object.values(findings)
    .flat()
    .filter((each) => each.rule === rule)
    .map(({ span, message }) => `${rangeOf(span).start.line} ${message}`);
}

test("one cause is reported once, at its best line with all modules", () => {
  const prefork = section("IfModule prefork.c", "MaxRequestsPerChild 100");
  const findings = findingsOf(`${loadModules(["authz_core"])}Listen 80\n${prefork}`, "changed-default");
  expect(findings.filter((each) => each.includes("`MaxMemFree`"))).toEqual([expect.stringMatching(/^4 /)]);
});

test("sorts findings that need the added modules among the others", () => {
  const text = `${loadModules(["authz_core"])}Listen 80\nOrder deny,allow\n${section("Directory /srv", "Listen 81")}`;
  expect(findingsOf(text, "misplaced-directive").map((each) => each.replace(/ is not.*/, ""))).toEqual([
    "3 `Order`",
    "5 `Listen`",
  ]);
});
