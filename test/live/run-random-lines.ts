/**
 * Compares `httpd -t` and `check` on random lines, drawn from the directives and words of all versions:
 * `npm run live:lines -- --httpd DIR --seed S --count N`. DIR is that of a server built from the sources of its version;
 * without it, the installed server is asked.
 */
import { parseArgs } from "node:util";
import { listInstalledHttpds } from "../support/httpd/httpd.js";
import { compareLines, serverIn } from "./random-lines.js";

const { values } = parseArgs({
  options: {
    httpd: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    count: { type: "string", default: "500" },
  },
});
const [seed = 0, count = 0] = [values.seed, values.count].map(Number);
const server = values.httpd === undefined ? listInstalledHttpds().at(-1) : serverIn(values.httpd);
if (server === undefined || !Number.isInteger(seed) || !Number.isInteger(count)) {
  process.stderr.write(server === undefined ? "no server there\n" : "--seed and --count take whole numbers\n");
  process.exitCode = 2;
} else {
  const { disagreements, compared, refused, skipped } = compareLines(server, seed, count);
  for (const { seed: of, text, predicted, actual } of disagreements)
    process.stdout.write(
      `seed ${of}: ${JSON.stringify(text)}\n  check: ${predicted || "accepts"}\n  httpd: ${actual || "accepts"}\n`,
    );
  process.stdout.write(
    `httpd ${server.version}: ${compared} lines from seed ${seed} on, ${refused} of them rejected by check, ${skipped} of modules that it lacks; ${disagreements.length} disagreements\n`,
  );
  process.exitCode = disagreements.length > 0 ? 1 : 0;
}
