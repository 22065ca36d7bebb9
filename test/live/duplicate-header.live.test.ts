import { describe, expect, test } from "vitest";
import { duplicateHeader } from "../../rules/duplicate-header/duplicate-header.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findingsOf } from "../support/rules.js";

const plain = "Header set X-A 1";
const always = "Header always set X-A 2";

/** Lines, the values in the response, and the number of findings. */
const cases: readonly (readonly [lines: readonly string[], values: string, findings: number])[] = [
  [[plain, always], "2, 1", 1],
  [[always, plain], "2, 1", 1],
  [[always, "<Location />", plain, "</Location>"], "2, 1", 1],
  [[plain, plain], "1", 0],
  [[plain, "Header unset X-A", always], "2", 0],
  [["Header onsuccess unset X-A", always], "2", 0],
  [[always, "Header always unset X-A", plain], "1", 0],
];

describe.skipIf(!httpd)(liveTitle("headers that both tables of mod_headers have"), () => {
  test.each(cases)("%j", async (lines, values, findings) => {
    await withRunningHttpd(
      ["authz_core", "headers"],
      lines,
      async (running) => {
        expect((await running.ask({ path: "/a.txt" })).headers["x-a"]).toBe(values);
      },
      { "a.txt": "a" },
    );
    expect(findingsOf([duplicateHeader], `${lines.join("\n")}\n`)).toHaveLength(findings);
  });
});
