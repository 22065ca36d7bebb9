import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { templateHosts, unlikeHosts } from "./fleet-hosts.js";
import type { FleetResults } from "./fleet-results.js";
import { measure } from "./measure.js";
import { panelHosts } from "./panel-hosts.js";

const commands = [
  ...[["check"], ["check", "--from", "2.2"], ["compare"], ["map"], ["upgrade"], ["migrate", "--from", "2.2"]],
] as const;

/** Measures commands with proofs on servers with many virtual hosts, each compared with a check of the same file. */
export function measuredFleets(folder: string): FleetResults {
  const fleets = [
    { what: "1,000 hosts of one template", text: templateHosts(1_000, folder) },
    { what: "60 hosts of six templates, all different", text: unlikeHosts(folder) },
    { what: "32 sites of a control panel, 2,355 lines", text: panelHosts(32, folder) },
  ];
  const rows = fleets.flatMap(({ what, text }, number) => {
    const own = join(folder, `fleet-${number}`);
    mkdirSync(own);
    writeFileSync(join(own, "httpd.conf"), text);
    return commands.map(([command, ...flags]) => {
      const { processor, megabytes } = measure(["node", "dist/httpd-lint.js", command, ...flags, own], [0, 1, 5]);
      return { what, command: [command, ...flags].join(" "), processor, megabytes };
    });
  });
  return { with: [`Node ${process.versions.node}`], rows };
}
