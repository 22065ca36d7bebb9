import { readFileSync } from "node:fs";
import { type BoundResults, boundResults } from "../../test/bench/bound-results.js";
import { withMarked } from "./marked-section.js";

/** Inserts the benchmark results of the most expensive comparisons into the page. */
export function withBound(page: string): string {
  const results = boundResults.parse(JSON.parse(readFileSync("test/bench/bound.json", "utf8")));
  const intro = `Measured by \`npm run bench -- --bound\` with ${results.with.join(", ")}:\n\n`;
  const head =
    "| input, compared under 2.2 and 2.4 | verdict | hosts | groups of paths | not proved | time | memory |\n";
  return withMarked(page, "bound", `${intro}${head}|---|---|---|---|---|---|---|\n${results.rows.map(rowOf).join("")}`);
}

function rowOf({ what, verdict, servers, paths, unknown, processor, megabytes }: BoundResults["rows"][number]): string {
  const [hosts, kinds, doubts] = [servers, paths, unknown].map((each) => each.toLocaleString("en"));
  const time = `${processor.toFixed(processor < 10 ? 1 : 0)} s`;
  return `| ${[what, verdict, hosts, kinds, doubts, time, `${megabytes.toFixed(0)} MB`].join(" | ")} |\n`;
}
