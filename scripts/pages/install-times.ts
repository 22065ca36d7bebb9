import { readFileSync } from "node:fs";
import { withMarked } from "./marked-section.js";

/** Installation times and installed contents. */
export interface InstallTimes {
  readonly node: string;
  readonly npm: string;
  readonly installs: readonly {
    readonly what: string;
    readonly seconds: number;
    readonly packages: number;
    readonly megabytes: number;
  }[];
}

/** File with the last measurement. */
export const installTimesFile = "test/bench/install-times.json";

/** Inserts the last measurement as ratios: seconds depend on the machine. */
export function withInstallTimes(page: string): string {
  const { node, npm, installs }: InstallTimes = JSON.parse(readFileSync(installTimesFile, "utf8"));
  const own = installs[0]?.seconds ?? 1;
  const rows = installs.map(
    ({ what, seconds, packages, megabytes }) =>
      `| ${what} | ${seconds.toFixed(2)} s | ${(seconds / own).toFixed(1)} | ${packages} | ${megabytes} MB |\n`,
  );
  const head = "| installed | time | ratio | packages | on disk |\n|---|---|---|---|---|\n";
  const words = `\`npm run install-time\`, Node ${node.slice(1)}, npm ${npm}, from npm's cache, the best of five runs:\n\n`;
  return withMarked(page, "install times", words + head + rows.join(""));
}
