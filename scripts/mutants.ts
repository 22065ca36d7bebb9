import { readFileSync } from "node:fs";
import { mutationTable } from "../test/mutation/page.js";
import { mutationResults } from "../test/mutation/results.js";

/** The page with its table of mutants, made of what the last run wrote down. */
export function withMutants(page: string): string {
  const results = mutationResults.parse(JSON.parse(readFileSync("test/mutation/results.json", "utf8")));
  return page.replace(
    /(<!-- mutation -->\n)[\s\S]*?(<!-- \/mutation -->)/,
    (_, open: string, close: string) => `${open}${mutationTable(results)}${close}`,
  );
}
