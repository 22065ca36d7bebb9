import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../support/random/random.js";
import { distinctHosts, templateHosts } from "./fleet-hosts.js";
import type { FleetResults, FleetRow, FleetTarget } from "./fleet-results.js";
import { fleetVariants } from "./fleet-variants.js";
import { measure } from "./measure.js";
import { panelHosts } from "./panel-hosts.js";
import { panelVariants } from "./panel-variants.js";
import { measureProofLatency } from "./proof-latency.js";

const fromOld = ["--from", "2.2"];
const commands: readonly (readonly string[])[] = [
  ...[["check"], ["check", ...fromOld], ["compare"], ["map"], ["upgrade"], ["migrate", ...fromOld]],
];

/** For a server of 2.4. BEFORE and AFTER stand for two folders. */
const commandsOf24 = [["check"], ["compare", "BEFORE", "AFTER"], ["map"], ["migrate"]];

const debian = "/etc/apache2";

/** A server, and the limits of each command on it. */
interface Fleet {
  readonly what: string;
  /** Writes the server into a folder. */
  readonly write: (folder: string) => void;
  readonly target: (command: string) => FleetTarget;
  /** The commands, if not all. */
  readonly commands?: readonly (readonly string[])[];
  /** Number of runs, of which the best counts; 1 for long ones. */
  readonly runs?: number;
}

const THOUSAND = "1,000 hosts of one template";
const UNLIKE = "60 hosts of six templates, all different";
const ONE = "one host of that template";
const PANEL = "32 sites of a control panel, 2,355 lines";

/** The output of these commands fits on a few screens; a patch contains each changed line. */
const linesOf = (command: string) => (command.startsWith("migrate") ? {} : { lines: 400 });

const ofFleet =
  (what: string, atMost: number, megabytes = 600) =>
  (command: string): FleetTarget =>
    command === "check"
      ? { lines: 400 }
      : { ratio: { what, command: "check", atMost }, megabytes, ...linesOf(command) };

const inFile = (text: (folder: string) => string) => (folder: string) =>
  writeFileSync(join(folder, "httpd.conf"), text(folder));

const fleets: readonly Fleet[] = [
  { what: THOUSAND, write: inFile((folder) => templateHosts(1_000, folder)), target: ofFleet(THOUSAND, 10) },
  { what: UNLIKE, write: inFile(distinctHosts), target: ofFleet(UNLIKE, 10) },
  {
    what: "10,000 hosts of one template",
    write: inFile((folder) => templateHosts(10_000, folder)),
    target: (command) => ({ ratio: { what: THOUSAND, command, atMost: 12 }, ...linesOf(command) }),
  },
  {
    what: PANEL,
    write: inFile((folder) => panelHosts(32, folder)),
    target: (command) => ({
      ...(command === "check --from 2.2" || command.startsWith("migrate") ? { seconds: 5 } : {}),
      ...linesOf(command),
    }),
  },
  { what: ONE, write: inFile((folder) => templateHosts(1, folder)), target: ofFleet(ONE, 3), runs: 5 },
];

/** Returns the fleets of operators and of control panels; the seed chooses their optional lines. */
const variants = (seed: number): readonly Fleet[] =>
  [...fleetVariants, ...panelVariants].map(({ what, write, isOf24 }, number) => ({
    ...{ what, write: (folder) => write(folder, new Random(seed * 100 + number)), target: ofFleet(what, 10, 1_000) },
    ...(isOf24 ? { commands: commandsOf24 } : {}),
  }));

/** Debian's files are those of 2.4: nothing is migrated. */
const stock: Fleet = {
  what: "Debian's default configuration",
  write: (folder) => cpSync(debian, folder, { recursive: true, dereference: true }),
  target: () => ({ seconds: 0.5 }),
  commands: [["check"], ["compare"], ["map"]],
  runs: 5,
};

/**
 * Measures commands with proofs on servers with many virtual hosts, each compared with a check of the same file.
 * @param folder an empty folder for the files
 * @param seed chooses the optional lines of the fleets
 */
export async function measureFleets(folder: string, seed: number): Promise<FleetResults> {
  const rows = [...fleets, ...variants(seed), ...(existsSync(debian) ? [stock] : [])].flatMap((fleet, number) => {
    const own = join(folder, `fleet-${number}`);
    mkdirSync(own);
    fleet.write(own);
    return (fleet.commands ?? commands).map((command) => measureRow(fleet, own, command));
  });
  const edited = join(folder, "edited");
  mkdirSync(edited);
  const editor = { milliseconds: await measureProofLatency(edited), atMost: 300 };
  return { with: [`Node ${process.versions.node}`], seed, rows, editor };
}

function measureRow({ what, target, runs = 1 }: Fleet, folder: string, words: readonly string[]): FleetRow {
  const command = words.join(" ");
  const places = new Map([
    ["BEFORE", join(folder, "before")],
    ["AFTER", folder],
  ]);
  const named = words.map((word) => places.get(word) ?? word);
  const args = words.includes("AFTER") ? named : [...words, folder];
  const took = Array.from({ length: runs }, () => measure(["node", "dist/httpd-lint.js", ...args], [0, 1, 5]));
  const bestOf = (of: "seconds" | "processor" | "megabytes") => Math.min(...took.map((each) => each[of]));
  const row = {
    ...{ what, command, seconds: bestOf("seconds"), processor: bestOf("processor"), megabytes: bestOf("megabytes") },
    ...{ lines: took[0]?.lines ?? 0, target: target(command) },
  };
  process.stdout.write(`${JSON.stringify(row)}\n`);
  return row;
}
