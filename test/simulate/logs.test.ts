import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Decider } from "../../src/simulate/decide.js";
import { logText } from "../../src/simulate/log-text.js";
import { readCases } from "../conformance/conformance.js";
import { loadCase } from "../support/cases.js";

const folder = join(import.meta.dirname, "../conformance/truth");
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

/** What the whole lines say is held against a running server in test/live/explain.live.test.ts. */
describe("the status, and every message of the error log in its order, as recorded", () => {
  test.each(files)("%s", (name) => {
    const complaints: string[] = [];
    for (const each of readCases(join(folder, name)).filter(({ startup }) => startup === undefined)) {
      const { project, files: tree } = loadCase(each);
      const decider = new Decider(project, tree);
      for (const request of each.requests) {
        const { status, errorLog } = decider.decide(request);
        const codes = errorLog.map((line) => /^AH\d{5}(?=: )/.exec(line)?.[0]).filter((code) => code !== undefined);
        const got = [status, ...codes].join(" ");
        const expected = [request.status, ...(each.release === "2.4" ? request.log : [])].join(" ");
        if (got !== expected) complaints.push(`${each.id}: ${JSON.stringify(request)}: ${got}, not ${expected}`);
      }
    }
    expect(complaints.slice(0, 3)).toEqual([]);
  });
});

test("any bytes come into a log on one line, in printable ASCII", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), (bytes, quotes) => {
      const written = logText(Buffer.from(bytes).toString("latin1"), quotes);
      expect(written).toMatch(/^[ -~]*$/);
      if (quotes) expect(written).not.toMatch(/(^|[^\\])(\\\\)*"/);
    }),
  );
});
