import { describe, expect, test } from "vitest";
import { allRules, defaultRules } from "../../../rules/index.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { lint } from "../../../src/lint/runner/lint.js";
import { viewFromOutside } from "../../../src/proof/audit/outside-view.js";
import { sensitivePaths } from "../../../src/proof/audit/sensitive-paths.js";
import { probeSensitivePaths } from "../../../src/proof/audit/sensitive-probes.js";
import { renderAuditText } from "../../../src/report/comparisons/audit-text.js";
import { createFileTree } from "../../../src/server/file-trees.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { section } from "../../support/rules.js";

/** Renders the audit of a server for a terminal of some columns. */
function renderAudit(text: string, files: Readonly<Record<string, string>>, width: number): string {
  const entry = "/etc/httpd/conf/sites/httpd.conf";
  const access = memoryAccess({ ...files, [entry]: text });
  const loaded = loadProject(entry, { kind: "server", access });
  if (!loaded.ok) throw new Error(loaded.error);
  const project = loaded.value;
  const tree = createFileTree({ by: "existing disk" }, project, access);
  const rules = defaultRules.filter(({ group }) => group === "exposure");
  const view = viewFromOutside({ project, semantics: "server" });
  const report = {
    view,
    probes: probeSensitivePaths(project, tree, view.servers, sensitivePaths),
    checkedPaths: sensitivePaths.length,
    findings: lint(project, { rules, ruleIds: allRules.map(({ id }) => id), files: tree }).findings,
    rules,
    release: project.release,
    startup: [],
    assumptions: [],
  };
  return [...renderAuditText(report, { width })].join("");
}

const long = "a-name-that-is-as-long-as-those-of-customers";
const hosts = Array.from({ length: 12 }, (_, index) =>
  section(
    "VirtualHost *:80",
    `ServerName ${"x".repeat(index)}${long}.example.org`,
    `DocumentRoot "/srv/${index}"`,
    ...Array.from({ length: index }, (_each, number) => section(`Location "/${number}"`, "Require ip 10.0.0.0/8")),
  ),
);
const server = `Listen 80\nServerName ${long}.example.org\n${section("Directory /srv", "Options Indexes", "Require all granted")}${hosts.join("")}`;
const files = Object.fromEntries(
  hosts.flatMap((_, index) =>
    [".git/config", ".git/HEAD", ".env", ".htpasswd", "dump.sql", "backup.sql"].map((name) => [
      `/srv/${index}/${name}`,
      "x\n",
    ]),
  ),
);

describe("the overview of an audit", () => {
  const text = renderAudit(server, files, 80);
  const overview = text.slice(0, text.indexOf(`\n\n${long}`)).split("\n");

  test("fits a screen of 40 lines with many hosts, paths and findings", () => {
    expect(text).toContain("and 4 more hosts, shown below");
    expect(text).toMatch(/^Findings of exposure and TLS: \d\d errors/m);
    expect(overview.length).toBeGreaterThan(25);
    expect(overview.length).toBeLessThanOrEqual(40);
  });

  test("fits the columns like the details, except for longer words", () => {
    const wide = text.split("\n").filter((line) => line.length > 80);
    expect(wide.filter((line) => line.trim().includes(" ") && !/[`…]$/.test(line))).toEqual([]);
    expect(overview.filter((line) => line.length > 80)).toEqual([]);
  });
});
