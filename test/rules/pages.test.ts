import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { findDirectiveFacts } from "../../src/facts/directives.js";
import { formerRules } from "../../src/lint/former-rules.js";
import { listChecks } from "../../src/lint/rule.js";
import { rangeOf } from "../../src/text/source.js";
import { readRulePage } from "../support/rule-pages.js";
import { lintText } from "../support/rules.js";

/** The headings of each page, in this order. Not all pages have options and a reference. */
const headings = /^Why it matters,Example,How to fix(?:,Options)?,See also(?:,Reference)?$/;

const folders = readdirSync("rules").filter((name) => statSync(join("rules", name)).isDirectory());

test("each directory in rules has a registered rule, and each rule has a directory", () => {
  expect(allRules.map((rule) => rule.id).sort()).toEqual(folders.sort());
});

test("ids of rules and variants are unique, and superseded ones exist", () => {
  const ids = allRules.flatMap(({ id, variants = [] }) => [...new Set([id, ...variants.map((variant) => variant.id)])]);
  expect(new Set(ids).size).toBe(ids.length);
  const superseded = allRules.flatMap(listChecks).flatMap(({ supersedes = [] }) => supersedes);
  expect(superseded.filter((other) => !ids.includes(other))).toEqual([]);
});

test("each rule of the previous version is a variant of the rule that the table names", () => {
  const variantsOf = (rule: string) => allRules.find(({ id }) => id === rule)?.variants?.map(({ id }) => id);
  for (const [id, rule] of formerRules) expect(variantsOf(rule), id).toContain(id);
});

describe.each(allRules.map((rule) => [rule.id, rule] as const))("the page of %s", (id, rule) => {
  const { text: page, examples } = readRulePage(id);

  test("has the rule's id as its title, then what the rule reports and the headings of all pages", () => {
    expect(page).toMatch(new RegExp(`^# ${id}\\n\\n(?!#)\\S`));
    const prose = page.replace(/^```.*?^```$/gms, "");
    expect([...prose.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading).join()).toMatch(headings);
  });

  test("refers only to existing rules and pages", () => {
    const links = [...page.matchAll(/\]\((?!https:)([^)#]+)/g)].map(([, target = ""]) => join("rules", id, target));
    expect(links.filter((target) => !existsSync(target))).toEqual([]);
  });

  test.runIf(rule.upgrade !== undefined || rule.upgradeOnly)(
    "lists the pages of the manual that it is based on",
    () => {
      expect(page.split("\n## See also\n")[1]).toMatch(/^Manual: \S.*\.$/m);
    },
  );

  test("links only to directives that the manual has on the linked page", () => {
    const links = page.matchAll(/https:\/\/httpd\.apache\.org\/docs\/(2\.[24])\/mod\/(\w+)\.html#([^)]*)\)/g);
    for (const [url, release, module, anchor = ""] of links) {
      const facts = ["", "<"].flatMap((start) => findDirectiveFacts(release === "2.2" ? "2.2" : "2.4", start + anchor));
      expect(
        facts.map((each) => each.module),
        url,
      ).toContain(module);
    }
  });

  test("has a bad and a good example", () => {
    expect(examples.map(({ verdict }) => verdict)).toContain("bad");
    expect(examples.map(({ verdict }) => verdict)).toContain("good");
  });

  test.each(examples.map((example, index) => [index + 1, example] as const))(
    "example %d has the findings on the page",
    (_, { verdict, text, expected, given }) => {
      const findings = lintText(verdict === "bad" ? allRules : [rule], text, given)
        .filter((finding) => finding.rule === id)
        .map((finding) => {
          const { start } = rangeOf(finding.span);
          const { severity, message, label, notes = [], help = [] } = finding;
          const more = [
            ...(label === undefined ? [] : [`label: ${label}`]),
            ...notes.map((note) => `note: ${note}`),
            ...help.map((advice) => `help: ${advice}`),
          ];
          return [
            `${start.line}:${start.column}: ${severity}: ${message}\n`,
            ...more.map((words) => `  ${words}\n`),
          ].join("");
        });
      if (verdict === "bad") expect(findings.length).toBeGreaterThan(0);
      expect(findings.join("")).toBe(expected);
    },
  );
});
