// Runs all checks for a change, except the tests: two at a time, because most use one processor. Each step runs even if
// an earlier one failed, and its output is written in one piece when it ends.
import { spawn } from "node:child_process";

/** The steps that do not use the built command, and the build itself. */
const first = [
  ["build", "npm", ["run", "--silent", "build"]],
  ["format and lint", "npx", ["biome", "check", "."]],
  ["types", "npm", ["run", "--silent", "types"]],
  ["dead code", "npx", ["knip"]],
];
/** The longest step is the first. */
const afterBuild = [
  ["how much of the code the quick tests reach", "npm", ["run", "--silent", "coverage", "--", "--reporter=dot"]],
  ["generated files are fresh", "npx", ["tsx", "scripts/generate.ts", "--check"]],
  ["documentation site and its links", "npm", ["run", "--silent", "site"]],
  ["packed package", "npx", ["publint", "--strict"]],
];

const startTime = Date.now();
const failed = [];

/** Runs a step, and writes its output with its time. */
async function runStep([title, command, args]) {
  const start = Date.now();
  const output = [];
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => output.push(bytes));
  const status = await new Promise((done) => child.on("error", done).on("close", done));
  if (status !== 0) failed.push(title);
  process.stdout.write(`\n== ${title} (${secondsSince(start)} s)\n${Buffer.concat(output)}`);
}

async function runSteps(steps) {
  const waiting = [...steps];
  const next = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) await runStep(step);
  };
  await Promise.all([next(), next()]);
}

const secondsSince = (start) => Math.round((Date.now() - start) / 1000);

await runSteps(first);
await runSteps(afterBuild);
const result = failed.length === 0 ? "all checks passed" : `failed: ${failed.join(", ")}`;
process.stdout.write(`\n${result} (${secondsSince(startTime)} s)\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
