import { conform, readCases } from "./conformance.js";

/** Maximum number of differences that are shown for a file. */
const SHOWN = 20;
let passed = 0;
let failed = 0;
for (const path of process.argv.slice(2)) {
  const result = conform(readCases(path));
  passed += result.passed;
  failed += result.disagreements.length;
  for (const { id, request, expected, actual } of result.disagreements.slice(0, SHOWN)) {
    const subject = request === undefined ? "start-up" : JSON.stringify(request);
    process.stdout.write(`${path}: ${id}: ${subject}\n  expected ${expected}\n  got      ${actual}\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
