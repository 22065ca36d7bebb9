import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../support/random/random.js";
import { measure } from "./measure.js";
import type { OrdinaryMeasure, OrdinaryResults } from "./ordinary-results.js";
import { ordinaryServer } from "./ordinary-servers.js";

const URL = "http://site1.example/admin/index.php";

/** The commands for a server in a folder. Upgrades are for servers of 2.2; one of 2.4 is compared with itself. */
function commandsFor(release: "2.2" | "2.4", folder: string): ReadonlyMap<string, readonly string[]> {
  const always: readonly (readonly [string, readonly string[]])[] = [
    ["check", ["check", folder]],
    ["explain", ["explain", folder, URL]],
    ["map", ["map", folder]],
    ["audit", ["audit", folder]],
  ];
  const ofRelease: typeof always =
    release === "2.2"
      ? [
          ["check --from 2.2", ["check", folder, "--from", "2.2"]],
          ["compare", ["compare", folder]],
          ["upgrade", ["upgrade", folder]],
          ["migrate --from 2.2", ["migrate", folder, "--from", "2.2"]],
        ]
      : [
          ["compare BEFORE AFTER", ["compare", folder, folder]],
          ["migrate", ["migrate", folder]],
        ];
  return new Map([...always, ...ofRelease]);
}

/**
 * Measures each command once on servers of ordinary size.
 *
 * @param folder an existing folder
 * @param seed draws the servers
 * @param count the number of servers
 */
export function measureOrdinary(folder: string, seed: number, count: number): OrdinaryResults {
  const measures: OrdinaryMeasure[] = [];
  for (let number = 0; number < count; number++) {
    const own = join(folder, `ordinary-${number}`);
    mkdirSync(own, { recursive: true });
    const { release, text, lines } = ordinaryServer(new Random(seed * 1_000 + number), own);
    writeFileSync(join(own, "httpd.conf"), text);
    for (const [command, words] of commandsFor(release, own)) {
      const { processor, megabytes } = measure(["node", "dist/httpd-lint.js", ...words], [0, 1, 5]);
      const measured = { number, release, lines, command, processor, megabytes };
      process.stdout.write(`${JSON.stringify(measured)}\n`);
      measures.push(measured);
    }
  }
  return { with: [`Node ${process.versions.node}`], seed, servers: count, measures };
}
