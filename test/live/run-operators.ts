/**
 * Compares the real server and the simulator on servers as operators write them: `npm run live -- --seed S --count N`.
 * Each server has its own seed, from S on, until N requests are compared. Each cause of a difference is shown with its
 * first case, minimized.
 */
import { parseArgs } from "node:util";
import { httpd } from "../support/httpd/httpd.js";
import { type CauseTally, compareOperators, minimizeCause } from "./operators/compare-operators.js";
import { renderCase } from "./operators/operator-case.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    count: { type: "string", default: "10000" },
    examples: { type: "string", default: "10" },
    kinds: { type: "string" },
  },
});
const kinds = values.kinds?.split(",");
const [seed = 0, count = 0, examples = 0] = [values.seed, values.count, values.examples].map(Number);
if (httpd !== undefined && [seed, count, examples].every(Number.isInteger)) await run();
else {
  process.stderr.write(
    httpd ? "--seed, --count and --examples take whole numbers\n" : "no apache2 or httpd on this machine\n",
  );
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const startTime = Date.now();
  const sum = await compareOperators({ seed, count });
  const { causes } = sum;
  const share = (kind: CauseTally["kind"]) => {
    const requests = causes.filter((each) => each.kind === kind).reduce((all, each) => all + each.count, 0);
    return `${requests} ${kind} (${((100 * requests) / sum.requests).toFixed(2)} %)`;
  };
  const lines = [
    ...causes.map((each) => `${each.count} × ${each.kind}: ${each.cause} (seed ${each.seed})`),
    `${sum.servers} servers from seed ${seed} on, ${sum.refused} of them rejected by both, in ${Math.round((Date.now() - startTime) / 1000)} s`,
    `${sum.requests} requests, ${sum.unanswered} more without an answer: ${(["wrong", "unknown", "noted"] as const).map(share).join(", ")}`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  const chosen = causes.filter(({ kind }) => kinds === undefined || kinds.includes(kind)).slice(0, examples);
  for (const each of chosen) {
    const found = renderCase(await minimizeCause(each));
    process.stdout.write(`\n${each.count} × ${each.kind}: ${each.cause}\n${found}\n`);
  }
  process.exitCode = causes.some(({ kind }) => kind === "wrong" || kind === "start") ? 1 : 0;
}
