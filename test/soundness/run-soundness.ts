/**
 * Shows that `compare` never calls two sides equivalent that differ: `npm run soundness -- --seed S --count N`. Each pair
 * has its own seed, from S on. With `--directives`, the pairs differ in one directive: N pairs for each directive and
 * context. Each kind of failure is shown with its seed, as a pair without the lines that it does not need.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { renderFailure } from "./render-pair.js";
import { checkPairs, directivePairs, type Failure, randomPairs, serveDirectives, servePairs } from "./soundness.js";

const recordFile = "test/soundness/live-directives.json";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    count: { type: "string", default: "1000" },
    directives: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    live: { type: "boolean", default: false },
    progress: { type: "boolean", default: false },
  },
});
const [seed = 0, count = 0] = [values.seed, values.count].map(Number);
if ([seed, count].every(Number.isInteger)) await (values.record ? record() : run());
else {
  process.stderr.write("--seed and --count take whole numbers\n");
  process.exitCode = 2;
}

/** Serves each directive, and records those with which the server started, for docs/directives.md. */
async function record(): Promise<void> {
  const { served, failures } = await serveDirectives(seed, (failure) =>
    process.stdout.write(`${renderFailure(failure)}\n`),
  );
  const about = "Directives of httpd with which a live test starts a server; `npm run soundness -- --record` writes it";
  writeFileSync(recordFile, `${JSON.stringify({ about, served }, undefined, 2)}\n`);
  process.stdout.write(`${served.length} directives served, ${failures.length} wrong proofs\n`);
  process.exitCode = failures.length > 0 ? 1 : 0;
}

async function run(): Promise<void> {
  const startTime = Date.now();
  const listeners = {
    onFailure: (failure: Failure) => process.stdout.write(`${renderFailure(failure)}\n`),
    onProgress: (done: number) => {
      if (values.progress && done % 500 === 0)
        process.stderr.write(`${done} pairs in ${Math.round((Date.now() - startTime) / 1000)} s\n`);
    },
  };
  const drawn = values.directives
    ? directivePairs(seed, values.live ? 1000 : count)
    : randomPairs(seed, values.live ? 1e9 : count);
  const live = values.live ? await servePairs(drawn, count, listeners) : undefined;
  const { verdicts, requests, failures } = live ?? (await checkPairs(drawn, listeners));
  const counts = Object.entries(verdicts).map(([verdict, number]) => `${number} ${verdict}`);
  const wrong = failures.filter(({ kind }) => kind !== "unknown");
  process.stdout.write(
    [
      ...failures.map((each) => `${each.count} × ${each.kind}: ${each.cause} (seed ${each.seed})`),
      `${values.directives ? "directives" : "random pairs"} from seed ${seed} on: ${counts.join(", ")}; in ${Math.round((Date.now() - startTime) / 1000)} s`,
      ...(live ? [`${live.served} equivalent pairs served by httpd, ${live.refused} more refused on both sides`] : []),
      `${requests} requests to equivalent pairs: ${wrong.length} kinds of wrong proofs, ${failures.length - wrong.length} kinds with an unknown answer on one side`,
      "",
    ].join("\n"),
  );
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
