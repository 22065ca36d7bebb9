import { describe, expect, test } from "vitest";
import { defaultRules } from "../../../rules/index.js";
import { Baseline, renderBaseline } from "../../../src/apps/baseline/baseline.js";
import { readBaseline } from "../../../src/apps/baseline/baseline-file.js";
import type { Finding } from "../../../src/lint/finding.js";
import { sourceFile } from "../../../src/text/source.js";
import { at, finding } from "../../report/samples.js";
import { lintText } from "../../support/rules.js";

const text = "<Directory /srv>\n  Order allow,deny\n  Deny from all\n</Directory>\n";

/** Returns a finding at each `Order` of a file. */
function found(config: string, path = "/srv/web/a.conf"): Finding[] {
  const file = sourceFile(path, config);
  return [...config.matchAll(/Order/g)].map(({ index }) => finding({ file, start: index, end: index + 5 }));
}

/** Returns the number of new findings in a configuration, with a baseline from another. */
function countNew(config: string, before: string): number {
  const first = new Baseline([], "/srv/web");
  first.takeNew(found(before));
  const known = new Baseline(
    first.listUpdated(() => true),
    "/srv/web",
  );
  return known.takeNew(found(config)).fresh.length;
}

const always = () => true;

describe("a known finding is not reported", () => {
  test.each([
    ["without a change", text],
    ["after lines are added before it", `# more\n\n${text}`],
    ["after its section moves", `<Directory /other>\n</Directory>\n${text}`],
    ["after it is indented, or continued on another line", "<Directory /srv>\nOrder \\\n  allow,deny\n</Directory>\n"],
    ["after lines are added to its section", text.replace("  Order", "  Options None\n  Order")],
  ])("%s", (_, config) => {
    expect(countNew(config, text)).toBe(0);
  });

  test.each([
    ["a different line", text.replace("allow,deny", "deny,allow")],
    ["a line in another section", text.replace("/srv", "/srv/other")],
    ["a line in a further section", `<VirtualHost *:80>\n${text}</VirtualHost>\n`],
    ["a second copy of a line", text.replace("  Deny", "  Order allow,deny\n  Deny")],
  ])("twin: %s is new", (_, config) => {
    expect(countNew(config, text)).toBe(1);
  });

  test("only in the same file", () => {
    const first = new Baseline([], "/srv/web");
    first.takeNew(found(text));
    const known = new Baseline(first.listUpdated(always), "/srv/web");
    expect(known.takeNew(found(text, "/srv/web/b.conf")).fresh).toHaveLength(1);
  });
});

describe("a baseline of an earlier version", () => {
  const config = '<Directory "/srv">\n  Order allow,deny\n  Deny from all\n  Optoins None\n</Directory>\n';
  const before = [
    ["old-access-control", "Order allow,deny", "a4a7178789a27437"],
    ["unknown-directive", "Optoins None", "599ce12c56d26989"],
  ].map(([rule = "", line = "", fingerprint = ""]) => ({ rule, path: "httpd.conf", line, fingerprint, count: 1 }));

  test("matches the same lines if the messages change", () => {
    const findings = lintText(defaultRules, config);
    const known = new Baseline(before, "/etc/httpd");
    expect(known.takeNew(findings)).toEqual({ fresh: [], known: findings });
    const reworded = findings.map((each) => ({
      ...each,
      ...{ message: "x", label: "y", notes: ["z"], help: ["w"], isAboutServer: true, related: [] },
    }));
    expect(new Baseline(before, "/etc/httpd").takeNew(reworded).fresh).toEqual([]);
    expect(known.listUpdated(() => true)).toEqual(before);
  });
});

describe("an updated baseline", () => {
  const known = new Baseline([], "/srv/web");
  known.takeNew(found(text));
  const before = known.listUpdated(always);

  test("omits entries whose findings are gone", () => {
    const next = new Baseline(before, "/srv/web");
    next.takeNew([]);
    expect(next.listUpdated(always)).toEqual([]);
  });

  test("keeps the entries of rules and files that were not checked", () => {
    const next = new Baseline(before, "/srv/web");
    const queries: string[] = [];
    next.takeNew([]);
    expect(next.listUpdated((rule, path) => queries.push(`${rule} ${path}`) === 0)).toEqual(before);
    expect(queries).toEqual(["old-access-control /srv/web/a.conf"]);
  });

  test("counts the findings in a file that two servers read once", () => {
    const next = new Baseline([], "/srv/web");
    next.takeNew(found(text));
    next.takeNew(found(text));
    expect(next.listUpdated(always)).toEqual(before);
  });
});

describe("a baseline file", () => {
  test("contains the same entries after a round trip", () => {
    const baseline = new Baseline([], "/srv/web");
    baseline.takeNew(found(text));
    const known = baseline.listUpdated(always);
    expect(known).toMatchObject([{ path: "a.conf", line: "Order allow,deny", count: 1 }]);
    expect(readBaseline(renderBaseline(known))).toEqual({ ok: true, value: known });
    expect(readBaseline(renderBaseline([]))).toEqual({ ok: true, value: [] });
  });

  test("contains no secrets, and matches lines whose secret changes", () => {
    const line = (secret: string) => `AuthLDAPBindPassword ${secret}\n`;
    const secretAt = (secret: string) => [finding(at(sourceFile("/srv/web/a.conf", line(secret)), "AuthLDAP"))];
    const baseline = new Baseline([], "/srv/web");
    baseline.takeNew(secretAt("hunter2"));
    const known = baseline.listUpdated(always);
    expect(renderBaseline(known)).not.toContain("hunter2");
    expect(new Baseline(known, "/srv/web").takeNew(secretAt("other")).fresh).toEqual([]);
  });

  test.each([
    ["{", "not-json", "it is not valid JSON"],
    [
      '<<<<<<< HEAD\n{ "version": 1 }',
      "merge-conflict",
      "it is not valid JSON: it has the markers of a merge conflict",
    ],
    ['{ "version": 2, "findings": {} }', "other-version", "it has version 2, but this httpd-lint reads version 1"],
    ['{ "findings": [] }', "not-a-baseline", "it is not a baseline of httpd-lint: `version` is missing or invalid"],
    [
      '{ "version": 1, "findings": [{ "rule": "a" }] }',
      "not-a-baseline",
      "it is not a baseline of httpd-lint: `findings.0.path` is missing or invalid",
    ],
  ])("is rejected if its content is %j", (written, code, message) => {
    expect(readBaseline(written)).toEqual({ ok: false, error: { code, message } });
  });
});

test("a baseline with many mistakes is rejected at the first", () => {
  const text = JSON.stringify({ version: 1, findings: Array.from({ length: 200_000 }, () => ({})) });
  expect(readBaseline(text)).toEqual({
    ok: false,
    error: {
      code: "not-a-baseline",
      message: "it is not a baseline of httpd-lint: `findings.0.rule` is missing or invalid",
    },
  });
});
