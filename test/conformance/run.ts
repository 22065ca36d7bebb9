import { conform, readCases } from "./conformance.js";

/** Reads case files, decides their requests, and shows the differences. */
const SHOWN = 20;
let passed = 0;
let failed = 0;
for (const path of process.argv.slice(2)) {
  const result = conform(readCases(path));
  passed += result.passed;
  failed += result.disagreements.length;
  for (const { id, request, expected, got } of result.disagreements.slice(0, SHOWN)) {
    const asked = request === undefined ? "start-up" : JSON.stringify(request);
    process.stdout.write(`${path}: ${id}: ${asked}\n  expected ${expected}\n  got      ${got}\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
