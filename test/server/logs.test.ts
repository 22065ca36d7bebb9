import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { escapeLogText } from "../../src/server/trace/logs.js";
import { readCases } from "../conformance/conformance.js";
import { sampleOf } from "../support/depth.js";
import { logComplaints } from "./recorded-logs.js";

const folder = join(import.meta.dirname, "../conformance/truth");
const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

/** test/live/explain.live.test.ts compares the whole lines with a running server. */
describe("the status and the messages in the error log are as recorded", () => {
  test.each(files)("%s", (name) => {
    expect(logComplaints(sampleOf(readCases(join(folder, name)), 12)).slice(0, 3)).toEqual([]);
  });
});

test("any bytes are logged on one line, in printable ASCII", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.boolean(), (bytes, quotes) => {
      const written = escapeLogText(Buffer.from(bytes).toString("latin1"), quotes);
      expect(written).toMatch(/^[ -~]*$/);
      if (quotes) expect(written).not.toMatch(/(^|[^\\])(\\\\)*"/);
    }),
  );
});
