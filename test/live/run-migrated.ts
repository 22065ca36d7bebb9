/**
 * Migrates configurations, and compares the answers of the running 2.4 without mod_access_compat with those of the
 * original on 2.4 with it, and with those of the simulator: `npm run -s live:migrated -- --from 2.2 ENTRY…`. Needs root,
 * for a separate network and folder in which each configuration keeps its addresses, ports and paths.
 */
import { spawnSync } from "node:child_process";
import { parseArgs } from "node:util";
import { httpd } from "../support/httpd/httpd.js";
import { compareMigrated } from "./migrated/compare-migrated.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string", default: "2.4" },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    verbose: { type: "boolean", default: false },
  },
});
const inside = "HTTPD_LINT_OWN_NETWORK";
const { from } = values;
if (httpd === undefined || process.getuid?.() !== 0 || (from !== "2.2" && from !== "2.4") || positionals.length === 0) {
  process.stderr.write("run as root, with apache2 or httpd: npm run -s live:migrated -- [--from 2.2] ENTRY…\n");
  process.exitCode = 2;
} else if (process.env[inside] === undefined) {
  const words = ["-n", process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  process.exitCode =
    spawnSync("unshare", words, { stdio: "inherit", env: { ...process.env, [inside]: "1" } }).status ?? 1;
} else {
  spawnSync("ip", ["link", "set", "lo", "up"]);
  for (const entry of positionals) await show(entry, from);
}

async function show(entry: string, release: "2.2" | "2.4"): Promise<void> {
  const result = await compareMigrated({
    ...{ entry, from: release },
    ...{ seed: Number(values.seed), count: Number(values.count) },
  });
  if ("failed" in result) {
    process.stdout.write(`${entry}: ${result.failed.split("\n").join(" ")}\n`);
    process.exitCode = 1;
    return;
  }
  const { requests, denied, listed, unknown, sentBefore, wrong, reasons, dropped } = result;
  const counts = [
    ...[`${requests} requests`, `${denied} denied`, `${wrong.length} wrong`, `${listed.length} listed`],
    ...[`${unknown} unknown to the simulator`, `${sentBefore} also sent before`, `${dropped.length} lines omitted`],
  ];
  const details = [
    ...wrong,
    ...listed.map((line) => `listed: ${line}`),
    ...[...reasons].map(([reason, number]) => `unknown: ${number} ${reason}`),
    ...dropped.map((line) => `omitted: ${line}`),
  ];
  const lines = [`${entry}: ${counts.join(", ")}`, ...(values.verbose ? details : []).map((line) => `  ${line}`)];
  process.stdout.write(`${lines.join("\n")}\n`);
  if (wrong.length > 0) process.exitCode = 1;
}
