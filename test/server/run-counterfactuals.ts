import { readCases } from "../conformance/conformance.js";
import { counterfactuals } from "./counterfactuals.js";

/** Maximum number of complaints that are printed. */
const SHOWN = 20;
let checked = 0;
const complaints: string[] = [];
for (const path of process.argv.slice(2)) {
  for (const each of readCases(path)) {
    const found = counterfactuals(each);
    checked += found.checked;
    complaints.push(...found.complaints);
  }
}
for (const complaint of complaints.slice(0, SHOWN)) process.stdout.write(`${complaint}\n`);
process.stdout.write(`${checked - complaints.length} passed, ${complaints.length} failed\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;
