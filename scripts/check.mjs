// Runs all checks for a change, except the tests. Each step runs even if an earlier one failed.
import { spawnSync } from "node:child_process";

const steps = [
  ["format and lint", "npx", ["biome", "check", "."]],
  ["types", "npm", ["run", "--silent", "types"]],
  ["dead code", "npx", ["knip"]],
  ["generated files are fresh", "npx", ["tsx", "scripts/generate.ts", "--check"]],
  ["build", "npm", ["run", "--silent", "build"]],
  ["plain English", "npx", ["vitest", "run", "test/language"]],
  ["documentation site and its links", "npm", ["run", "--silent", "site"]],
  ["how much of the code the quick tests reach", "npm", ["run", "--silent", "coverage", "--", "--reporter=dot"]],
  ["packed package", "npx", ["publint", "--strict"]],
];

const failed = steps.filter(([title, command, args]) => {
  process.stdout.write(`\n== ${title}\n`);
  return spawnSync(command, args, { stdio: "inherit" }).status !== 0;
});
const names = failed.map(([title]) => title).join(", ");
process.stdout.write(failed.length === 0 ? "\nall checks passed\n" : `\nfailed: ${names}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;
