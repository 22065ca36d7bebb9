import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { recoverAll } from "./journals.js";

test.each([
  ["halfway", ["journal", "journal", "after", "before"]],
  ["in-place", ["journal", "journal", "after", "before"]],
  ["link", ["journal", "journal", "journal", "journal"]],
  ["planted", ["journal", "journal", "journal", "journal"]],
])("the journal %s has the intended result, unsigned and signed", (name, outcomes) => {
  expect(recoverAll(readFileSync(`test/fuzz/corpus/journals/${name}`))).toEqual(outcomes);
});
