import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rewriteMapLines, rewriteMapPaths, rewriteMapText } from "../support/cases/rewrite-map-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { findDifferingAnswers } from "./differing-answers.js";

/** The live responses, used in test/server/rewrite-map-answers.test.ts; HTTPD_LINT_RECORD=1 records them again. */
const recordPath = join(import.meta.dirname, "../server/rewrite-map-answers.json");

describe.skipIf(!httpd)(liveTitle("RewriteMap files"), () => {
  test("have the values of the live server and the recorded values", async () => {
    const lines = rewriteMapLines.map((line) => line.replace("MAPFILE", "DOCROOT/map.txt"));
    await withRunningHttpd(
      ["authz_core", "rewrite"],
      lines,
      async (running) => {
        const requests = rewriteMapPaths.map((path) => ({ path }));
        // One of three values, chosen at random.
        expect(await findDifferingAnswers(running, requests, { open: ["/r/multi"] })).toEqual([]);
        const answers: Record<string, number> = {};
        for (const path of rewriteMapPaths)
          if (path !== "/r/multi") answers[path] = (await running.ask({ path })).status;
        if (process.env["HTTPD_LINT_RECORD"] === "1")
          writeFileSync(recordPath, `${JSON.stringify(answers, undefined, 1)}\n`);
        else expect(answers).toEqual(JSON.parse(readFileSync(recordPath, "utf8")));
      },
      { "map.txt": rewriteMapText },
    );
  }, 60_000);
});
