import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { allRules } from "../../rules/index.js";
import { findDirectiveFacts } from "../../src/directives/directives.js";
import { rangeOf } from "../../src/text/source.js";
import { type Given, lintText } from "../support/rules.js";

/**
 * A page has a fence ```apache bad for each example that the rule reports, followed by a ```text fence with its
 * findings. It has a fence ```apache good for each example that the rule does not report. After bad or good are
 * options: `kind=htaccess`, `from=2.2`, `release=2.2`, `without=mod_access_compat`, `modules=mod_a,mod_b`. A fence
 * ```apache file=PATH is a file that exists for all of them, and a fence ```text link=PATH a symbolic link to the path in it.
 */
const fence = /^```apache (bad|good)([^\n]*)\n([\s\S]*?)^```$(?:\n+^```text\n([\s\S]*?)^```$)?/gm;

const file = /^```apache file=(\S+)\n([\s\S]*?)^```$/gm;
const link = /^```text link=(\S+)\n(\S+)\n```$/gm;

function parseOptions(options: string): Given {
  const words = new Map(
    options
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => word.split("=", 2) as [string, string]),
  );
  const kind = words.get("kind");
  const release = words.get("release");
  const modules = words.get("modules");
  const without = words.get("without");
  return {
    ...(kind === "htaccess" || kind === "fragment" ? { kind } : {}),
    ...(release === "2.2" ? { release } : {}),
    ...(words.get("from") === "2.2" ? { from: "2.2" as const } : {}),
    ...(modules ? { modules: modules.split(",") } : {}),
    ...(without ? { withoutModules: without.split(",") } : {}),
  };
}

/** The headings of each page, in this order. Not all pages have options and a reference. */
const headings = /^Why it matters,Example,How to fix(?:,Options)?,See also(?:,Reference)?$/;

const folders = readdirSync("rules").filter((name) => statSync(join("rules", name)).isDirectory());

test("each directory in rules has a registered rule, and each rule has a directory", () => {
  expect(allRules.map((rule) => rule.id).sort()).toEqual(folders.sort());
});

test("rule ids are unique, and superseded rules exist", () => {
  const ids = allRules.map((rule) => rule.id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const rule of allRules) for (const other of rule.supersedes ?? []) expect(ids).toContain(other);
});

describe.each(allRules.map((rule) => [rule.id, rule] as const))("the page of %s", (id, rule) => {
  const path = join("rules", id, `${id}.md`);
  const page = existsSync(path) ? readFileSync(path, "utf8") : "";
  const examples = [...page.matchAll(fence)];
  const files = Object.fromEntries([...page.matchAll(file)].map(([, name, text]) => [name, text ?? ""]));
  const links = Object.fromEntries([...page.matchAll(link)].map(([, name, target]) => [name, target ?? ""]));

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
    expect(examples.map((example) => example[1])).toContain("bad");
    expect(examples.map((example) => example[1])).toContain("good");
  });

  test.each(examples.map((example, index) => [index + 1, example] as const))(
    "example %d has the findings on the page",
    (_, example) => {
      const [, verdict, options = "", text = "", expected = ""] = example;
      const findings = lintText(verdict === "bad" ? allRules : [rule], text, { ...parseOptions(options), files, links })
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
