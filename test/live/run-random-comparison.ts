/**
 * Compares the real server and the simulator on random access control: `npm run live:access -- --seed S --count N`. Each
 * configuration has its own seed, from S on, until N requests are compared; a difference is shrunk and shown with its
 * seed.
 */
import { parseArgs } from "node:util";
import { httpd } from "../support/httpd/httpd.js";
import { compareSeeds } from "./random-comparison.js";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    count: { type: "string", default: "10000" },
    most: { type: "string", default: "3" },
  },
});
const [seed, count, most] = [values.seed, values.count, values.most].map(Number);
const isUsable = httpd !== undefined && [seed, count, most].every(Number.isInteger);
if (isUsable) await run(seed ?? 1, count ?? 1, most ?? 1);
else {
  process.stderr.write(
    httpd ? "--seed, --count and --most take whole numbers\n" : "no apache2 or httpd on this machine\n",
  );
  process.exitCode = 2;
}

async function run(seed: number, count: number, most: number): Promise<void> {
  const { disagreements, answers, unknown, ...sum } = await compareSeeds(seed, count, most);
  const lines = [
    ...disagreements.map((each) => `seed ${each.seed}\n${each.text}\n`),
    ...[...answers].sort((a, b) => b[1] - a[1]).map(([answer, times]) => `${times} × ${answer}`),
    ...[...unknown].map(([reason, times]) => `${times} × unknown: ${reason}`),
    `${sum.configurations} configurations from seed ${seed} on, ${sum.refused} of them rejected by both`,
    `${sum.compared} requests, ${disagreements.length} disagreements`,
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  process.exitCode = disagreements.length > 0 ? 1 : 0;
}
