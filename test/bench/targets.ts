import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { httpd } from "../support/httpd/httpd.js";
import { virtualHosts } from "./hosts.js";
import { type Command, type Measure, measureAlternating } from "./measure.js";
import type { BenchResults, Target } from "./results.js";
import { toolsBeside } from "./tools.js";

const check = (file: string): Command => ["node", "dist/httpd-lint.js", "check", file];

/** Measures the target figures, and the cost of other tools on the same files. */
export function measureTargets(folder: string, runs: number): BenchResults {
  const large = hostsIn(folder, 10_000);
  return {
    with: [`Node ${process.versions.node}`, versionOf(httpd ?? "apache2", "-v"), `${cpus().length} processors`],
    runs,
    targets: [
      ...besideServer(large, runs),
      ...measureParsing(large, runs),
      measureStart(hostsIn(folder, 1), runs),
      ...measureGrowth(large, hostsIn(folder, 100_000)),
    ],
    tools: besideTools(folder, large),
  };
}

/** Each server has a folder of its own: `check` reads the files beside a file to find the server that includes it. */
function hostsIn(folder: string, count: number): string {
  const own = join(folder, String(count));
  mkdirSync(own);
  const file = join(own, "httpd.conf");
  writeFileSync(file, virtualHosts(count, folder));
  return file;
}

function besideServer(file: string, runs: number): readonly Target[] {
  if (httpd === undefined) return [];
  const [ours, theirs] = measureAlternating([check(file), [httpd, "-t", "-f", file]], runs);
  if (!ours || !theirs) return [];
  const figures = { ours, theirs, beside: "`httpd -t`" };
  return [
    { what: "`check` of 10,000 hosts, 340,000 lines", ...figures, of: "seconds", atMost: 0.7 },
    { what: "its peak memory", ...figures, of: "megabytes", atMost: 3 },
  ];
}

/** Measures both within Node, without its start. */
function measureParsing(file: string, runs: number): readonly Target[] {
  const took = { parse: Number.POSITIVE_INFINITY, floor: Number.POSITIVE_INFINITY };
  for (let run = 0; run < runs; run++) {
    for (const what of ["parse", "floor"] as const) {
      const { stdout } = spawnSync("node", ["test/bench/parse-file.cjs", what, file], { encoding: "utf8" });
      took[what] = Math.min(took[what], Number.parseFloat(stdout));
    }
  }
  const [ours, theirs] = [{ seconds: took.parse }, { seconds: took.floor }];
  const beside = "reading the bytes and splitting lines";
  return [{ what: "parsing the same files only", ours, theirs, beside, of: "seconds", atMost: 4 }];
}

function measureStart(file: string, runs: number): Target {
  const [ours = none, theirs = none] = measureAlternating([check(file), ["node", "-e", "0"]], runs * 2);
  return { what: "`check` of one host", ours, theirs, beside: "`node -e 0`", of: "seconds", atMost: 1.6 };
}

/** Two rounds are sufficient: these runs are long. */
function measureGrowth(file: string, tenfold: string): readonly Target[] {
  const [theirs = none, ours = none] = measureAlternating([check(file), check(tenfold)], 2);
  const room = { seconds: 0, megabytes: 4096 };
  return [
    { what: "`check` of 100,000 hosts", ours, theirs, beside: "of 10,000", of: "seconds", atMost: 11 },
    { what: "its peak memory", ours, theirs: room, beside: "4 GB", of: "megabytes", atMost: 1 },
  ];
}

const none: Measure = { seconds: Number.NaN, megabytes: Number.NaN };

function besideTools(folder: string, file: string): BenchResults["tools"] {
  const tools = toolsBeside(folder);
  const commands = tools.flatMap(({ reading }) => (reading ? [reading(file)] : []));
  const took = [...measureAlternating(commands, 2)];
  return tools.map(({ name, does, reading }) => ({
    ...{ name, does, lines: 340_020 },
    ...(reading ? { took: took.shift() } : {}),
  }));
}

function versionOf(command: string, flag: string): string {
  const { stdout } = spawnSync(command, [flag], { encoding: "utf8" });
  return /Apache\/[\d.]+/.exec(stdout ?? "")?.[0] ?? "no httpd";
}
