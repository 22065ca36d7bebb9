import { readFileSync } from "node:fs";
import { mutationTable } from "../../test/mutation/page.js";
import { mutationResults } from "../../test/mutation/results.js";
import { withMarked } from "./marked-section.js";

/** Inserts the table of mutants from the results of the last run. */
export function withMutants(page: string): string {
  const results = mutationResults.parse(JSON.parse(readFileSync("test/mutation/results.json", "utf8")));
  return withMarked(page, "mutation", mutationTable(results));
}
