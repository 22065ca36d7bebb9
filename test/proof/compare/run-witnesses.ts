import { writeFileSync } from "node:fs";
import { recordedPairs, witnessCases } from "./witnesses.js";

/**
 * Writes 2.2's predicted answers to the requests that show differences as case files, for verification with a real 2.2.
 */
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("name the file to write: npm run -s witnesses -- FILE\n");
  process.exitCode = 2;
} else {
  const cases = recordedPairs().flatMap(({ before, after }) => [...witnessCases(before, after)]);
  writeFileSync(file, cases.map((each) => `${JSON.stringify(each)}\n`).join(""));
  process.stdout.write(`${cases.length} cases\n`);
}
