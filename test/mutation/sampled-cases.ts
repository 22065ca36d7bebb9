import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Case } from "../support/cases/recorded-cases.js";

const folder = "test/conformance/truth";

/** Sampling interval for recorded cases. */
const each = 3;

/** Recorded cases, sampled evenly, because they are decided again for each mutant. Loaded once. */
export const sampledCases: readonly Case[] = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .sort()
  .flatMap((name) => {
    const lines = readFileSync(join(folder, name), "utf8").split("\n");
    return lines.filter((line, i) => line !== "" && i % each === 0).map((line): Case => JSON.parse(line));
  });
