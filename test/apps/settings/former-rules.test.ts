import { describe, expect, test } from "vitest";
import { allRules, defaultRules } from "../../../rules/index.js";
import { Baseline } from "../../../src/apps/baseline/baseline.js";
import {
  createSettingsFilter,
  noSelection,
  type RuleSelection,
  selectRules,
} from "../../../src/apps/settings/apply-settings.js";
import { findSettings, type Settings } from "../../../src/apps/settings/settings.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Finding } from "../../../src/lint/finding.js";
import { formerRules } from "../../../src/lint/former-rules.js";
import type { RuleDefinition } from "../../../src/lint/rule.js";
import { Fingerprinter } from "../../../src/report/findings/fingerprint.js";
import { lintText } from "../../support/rules.js";

const OF_ALIAS = "Alias /docs/api /srv/api";
const OF_RULE = "RewriteRule ^admin - [F]";
/** A server with two findings of one rule, of variants that were rules. */
const text = `Alias /docs /srv/docs\n${OF_ALIAS}\nRewriteEngine On\nRewriteRule ^ - [E=APP:1,L]\n${OF_RULE}\n`;

const shown = (findings: readonly Finding[]) =>
  findings
    .filter(({ rule }) => rule === "shadowed-line")
    .map(({ span: { file, start, end }, severity }) => `${severity} ${file.text.slice(start, end)}`);

const both = [`warning ${OF_ALIAS}`, `warning ${OF_RULE}`];

function settingsOf(document: object): Settings {
  const found = findSettings("/srv", memoryAccess({ "/srv/.httpd-lint.json": JSON.stringify(document) }), allRules);
  if (!found?.ok) throw new Error(JSON.stringify(found));
  return found.value;
}

function findingsWith(document: object, flags: Partial<RuleSelection> = {}): readonly string[] {
  const settings = settingsOf(document);
  const rules = selectRules(allRules, { ...noSelection, ...flags }, settings);
  return shown(createSettingsFilter(settings)(lintText(rules, text)).reported);
}

const variantsOf = (rules: readonly RuleDefinition[]) =>
  rules.map(({ id, variants = [] }) => [id, variants.map((variant) => variant.id)]);

describe("the id of a rule of the previous version", () => {
  test.each([...formerRules])("%s selects its variant of %s only", (id, rule) => {
    expect(variantsOf(selectRules(allRules, { ...noSelection, select: [id] }, undefined))).toEqual([[rule, [id]]]);
    const others = selectRules(allRules, { ...noSelection, select: [rule], disable: [id] }, undefined);
    expect(others.flatMap(({ variants = [] }) => variants.map((variant) => variant.id))).not.toContain(id);
  });

  test("is accepted by flags", () => {
    expect(findingsWith({}, { select: ["shadowed-alias"] })).toEqual(both.slice(0, 1));
    expect(findingsWith({}, { disable: ["shadowed-alias"] })).toEqual(both.slice(1));
    expect(findingsWith({}, { select: ["tls"], extendSelect: ["shadowed-alias"] })).toEqual(both.slice(0, 1));
  });

  test("is accepted by the configuration file, and its level overrides that of the rule", () => {
    expect(findingsWith({})).toEqual(both);
    expect(findingsWith({ rules: { "shadowed-alias": "off" } })).toEqual(both.slice(1));
    expect(findingsWith({ rules: { "shadowed-line": "error", "shadowed-alias": "info" } })).toEqual([
      `info ${OF_ALIAS}`,
      `error ${OF_RULE}`,
    ]);
    expect(findingsWith({ rules: { "shadowed-line": "off", "shadowed-alias": "info" } })).toEqual([`info ${OF_ALIAS}`]);
    expect(findingsWith({ rules: { correctness: "off" }, extendSelect: ["shadowed-alias"] })).toEqual(both.slice(0, 1));
    expect(findingsWith({ ignores: [{ paths: ["/etc/**"], rules: ["shadowed-alias"] }] })).toEqual(both.slice(1));
    expect(findingsWith({ ignores: [{ paths: ["/etc/**"], rules: ["shadowed-line"] }] })).toEqual([]);
  });

  test("is accepted by a comment, for the findings that it had", () => {
    const commented = (id: string) =>
      `# httpd-lint-ignore-file ${id} reason\n${text}`.replace(OF_ALIAS, `# httpd-lint-ignore-next-line ${id} x\n$&`);
    const ruleIds = defaultRules.map(({ id }) => id);
    const findingsOf = (id: string) => lintText(defaultRules, commented(id));
    expect(ruleIds).not.toContain("shadowed-alias");
    expect(shown(findingsOf("shadowed-alias"))).toEqual(both.slice(1));
    expect(shown(findingsOf("unreachable-rewrite-rule"))).toEqual(both.slice(0, 1));
    expect(shown(findingsOf("shadowed-line"))).toEqual([]);
    const comments = (id: string) => findingsOf(id).filter(({ rule }) => rule === "ignore-comment").length;
    expect([comments("shadowed-alias"), comments("shadowed-line")]).toEqual([0, 0]);
    // Nothing on the next line was ever a finding of this one.
    expect(comments("shadowed-handler")).toBe(2);
  });

  test("is accepted by a baseline, which knows the findings that it had", () => {
    const findings = lintText(defaultRules, text);
    const before = findings.flatMap((finding) => {
      if (finding.variant !== "shadowed-alias") return [];
      const { variant: rule, span } = finding;
      const { hash: fingerprint, line } = new Fingerprinter().fingerprintOf({
        ...{ rule, span, severity: finding.severity, message: "", related: [] },
      });
      return [{ rule, path: "httpd.conf", line, fingerprint, count: 1 }];
    });
    const { fresh, known } = new Baseline(before, "/etc/httpd").takeNew(findings);
    expect([shown(known), shown(fresh)]).toEqual([both.slice(0, 1), both.slice(1)]);
  });
});
