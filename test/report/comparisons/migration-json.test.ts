import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ProvedMigration } from "../../../src/proof/migrate/migration.js";
import { renderMigrationJson } from "../../../src/report/comparisons/migration-json.js";
import { listLineEdits } from "../../../src/report/text/file-changes.js";
import { load } from "../../support/projects.js";

/** Applies edits from the end, so that their offsets hold. */
function applied(before: string, after: string): string {
  return listLineEdits(before, after).reduceRight(
    (text, { start, end, text: inserted }) => text.slice(0, start) + inserted + text.slice(end),
    before,
  );
}

describe("edits of whole lines", () => {
  test("give the new contents, for any texts", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "a\r\n", "\n", "c"), { maxLength: 12 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(applied(before, after)).toBe(after);
      }),
    );
  });

  test("give the new contents of long texts, and are few", () => {
    const lines = Array.from({ length: 9_000 }, (_, n) => `Listen ${n}\n`);
    const after = lines.with(40, "Require all granted\n").toSpliced(8_000, 2);
    expect(applied(lines.join(""), after.join(""))).toBe(after.join(""));
    expect(listLineEdits(lines.join(""), after.join(""))).toHaveLength(2);
  });
});

/** Renders a migration of a file, as far as its contents matter. */
function edited(before: string, after: string): unknown {
  const migration: ProvedMigration = {
    verdict: "proved",
    files: [{ path: "/srv/a.conf", before, after }],
    after: load({ "/etc/httpd/httpd.conf": after }),
    exceptions: {
      methods: { all: [], unnamed: [] },
      byRelease: [],
      samePage: [],
      accepted: [],
      restored: [],
      faults: [],
    },
    ineffective: [],
    assumesStartFixes: false,
  };
  return JSON.parse([...renderMigrationJson(migration, "/srv")].join("")).files;
}

describe("JSON of a migration", () => {
  test("has the edits of each file, as those of fixes", () => {
    expect(edited("Listen 80\nOrder allow,deny\nAllow from all\n", "Listen 80\nRequire all granted\n")).toEqual([
      {
        path: "a.conf",
        edits: [
          {
            path: "a.conf",
            start: { line: 2, column: 1 },
            end: { line: 4, column: 1 },
            text: "Require all granted\n",
          },
        ],
      },
    ]);
  });

  test("omits the text of an edit with a secret, but not that of the others", () => {
    const lines = (granted: string) =>
      `Define TOKEN hunter-2\n${granted}\nSetEnv DB_PASSWORD hunter-1\nListen 80\n${granted}\n`;
    const before = lines("Order allow,deny");
    const after = lines("Require all granted").replace(
      "granted\nSetEnv",
      "granted\nRequire expr \"req('X-Key') == 'hunter-3'\"\nSetEnv",
    );
    const files = edited(before, after);
    expect(files).toMatchObject([{ edits: [{ omitted: "secret" }, { text: "Require all granted\n" }] }]);
    expect(JSON.stringify(files)).not.toContain("hunter");
    expect(edited("Order allow,deny\n", "Alias /a /srv/hunter-2\n")).toMatchObject([
      { edits: [{ text: "Alias /a /srv/hunter-2\n" }] },
    ]);
    expect(edited(before, before.replace("Listen 80", "Alias /a /srv/hunter-2"))).toMatchObject([
      { edits: [{ omitted: "secret" }] },
    ]);
  });
});
