import { createHash } from "node:crypto";
import { relative } from "node:path";
import type { Mutant } from "@stryker-mutator/api/core";
import { root } from "./saved-results.js";

/** `N/M`: the first N of M shares of the mutants, assigned by their properties. Default: all. */
const [shares = 1, of = 1] = (process.env["HTTPD_LINT_MUTANTS"] ?? "1/1").split("/").map(Number);

/** Description of the sample. */
export const sampleText = shares === of ? "all mutants" : `${shares} of ${of} mutants of each file, chosen by a digest`;

/** Returns whether a mutant is in the sample: evenly by file, and the same on every machine. */
export function isSampled({ fileName, location, mutatorName, replacement }: Mutant): boolean {
  const name = relative(root, fileName);
  const key = JSON.stringify([name, location, mutatorName, replacement]);
  return createHash("sha256").update(key).digest().readUInt32BE() % of < shares;
}
