import { describe, expect, test } from "vitest";
import { defaultRules } from "../../rules/index.js";
import { Baseline, renderBaseline } from "../../src/baseline/baseline.js";
import { readBaseline } from "../../src/baseline/baseline-file.js";
import type { Finding } from "../../src/engine/finding.js";
import { sourceFile } from "../../src/text/source.js";
import { at, finding } from "../report/samples.js";
import { lintText } from "../support/rules.js";

const text = "<Directory /srv>\n  Order allow,deny\n  Deny from all\n</Directory>\n";

/** Returns a finding at each `Order` of a file. */
function found(config: string, path = "/srv/web/a.conf"): Finding[] {
  const file = sourceFile(path, config);
  return [...config.matchAll(/Order/g)].map(({ index }) => finding({ file, start: index, end: index + 5 }));
}

/** Returns the number of new findings in a configuration, with a baseline from another. */
function freshIn(config: string, before: string): number {
  const first = new Baseline([], "/srv/web");
  first.takeNew(found(before));
  const known = new Baseline(
    first.listUpdated(() => true),
    "/srv/web",
  );
  return known.takeNew(found(config)).fresh.length;
}

const always = () => true;

describe("a known finding stays quiet", () => {
  test.each([
    ["as it was", text],
    ["where lines are put before it", `# more\n\n${text}`],
    ["where its section is moved", `<Directory /other>\n</Directory>\n${text}`],
    ["where it is indented, or broken over lines", "<Directory /srv>\nOrder \\\n  allow,deny\n</Directory>\n"],
    ["where lines come into its section", text.replace("  Order", "  Options None\n  Order")],
  ])("%s", (_, config) => {
    expect(freshIn(config, text)).toBe(0);
  });

  test.each([
    ["another line", text.replace("allow,deny", "deny,allow")],
    ["in another section", text.replace("/srv", "/srv/other")],
    ["in a section around it", `<VirtualHost *:80>\n${text}</VirtualHost>\n`],
    ["one more of a kind", text.replace("  Deny", "  Order allow,deny\n  Deny")],
  ])("and twin: %s is new", (_, config) => {
    expect(freshIn(config, text)).toBe(1);
  });

  test("in its own file only", () => {
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

  test("matches the same lines, whatever the findings say", () => {
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

describe("an update", () => {
  const known = new Baseline([], "/srv/web");
  known.takeNew(found(text));
  const before = known.listUpdated(always);

  test("drops deleted entries", () => {
    const next = new Baseline(before, "/srv/web");
    next.takeNew([]);
    expect(next.listUpdated(always)).toEqual([]);
  });

  test("keeps entries that were not searched", () => {
    const next = new Baseline(before, "/srv/web");
    const asked: string[] = [];
    next.takeNew([]);
    expect(next.listUpdated((rule, path) => asked.push(`${rule} ${path}`) === 0)).toEqual(before);
    expect(asked).toEqual(["old-access-control /srv/web/a.conf"]);
  });

  test("counts a file that two servers read once", () => {
    const next = new Baseline([], "/srv/web");
    next.takeNew(found(text));
    next.takeNew(found(text));
    expect(next.listUpdated(always)).toEqual(before);
  });
});

describe("the file", () => {
  test("is read as it was written", () => {
    const book = new Baseline([], "/srv/web");
    book.takeNew(found(text));
    const known = book.listUpdated(always);
    expect(known).toMatchObject([{ path: "a.conf", line: "Order allow,deny", count: 1 }]);
    expect(readBaseline(renderBaseline(known))).toEqual({ known });
    expect(readBaseline(renderBaseline([]))).toEqual({ known: [] });
  });

  test("holds no secrets, and none changes what is known", () => {
    const line = (secret: string) => `AuthLDAPBindPassword ${secret}\n`;
    const secretAt = (secret: string) => [finding(at(sourceFile("/srv/web/a.conf", line(secret)), "AuthLDAP"))];
    const book = new Baseline([], "/srv/web");
    book.takeNew(secretAt("hunter2"));
    const known = book.listUpdated(always);
    expect(renderBaseline(known)).not.toContain("hunter2");
    expect(new Baseline(known, "/srv/web").takeNew(secretAt("other")).fresh).toEqual([]);
  });

  test.each([
    ["{", "it is not valid JSON"],
    ['<<<<<<< HEAD\n{ "version": 1 }', "it is not valid JSON: it has the markers of a merge conflict"],
    ['{ "version": 2, "findings": {} }', "it has version 2, but this httpd-lint reads version 1"],
    ['{ "findings": [] }', "it is not a baseline of httpd-lint: `version` is missing or invalid"],
    [
      '{ "version": 1, "findings": [{ "rule": "a" }] }',
      "it is not a baseline of httpd-lint: `findings.0.path` is missing or invalid",
    ],
  ])("%j is refused", (written, failed) => {
    expect(readBaseline(written)).toEqual({ failed });
  });
});

test("a baseline of which all is wrong is refused at the first mistake", () => {
  const text = JSON.stringify({ version: 1, findings: Array.from({ length: 200_000 }, () => ({})) });
  expect(readBaseline(text)).toEqual({
    failed: "it is not a baseline of httpd-lint: `findings.0.rule` is missing or invalid",
  });
});
