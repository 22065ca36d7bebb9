import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { withFormatSamples } from "../../scripts/pages/format-samples.js";
import { ensureBuilt } from "../support/programs/command.js";

const page = readFileSync("docs/formats.md", "utf8");
beforeAll(ensureBuilt);

test("the samples of output formats match the output of the built command", () => {
  expect(page.match(/<!-- sample in /g)).toHaveLength(4);
  expect(withFormatSamples(page)).toBe(page);
});

test("a stale sample is replaced", () => {
  expect(withFormatSamples(page.replace("critical", "minor"))).toBe(page);
});
