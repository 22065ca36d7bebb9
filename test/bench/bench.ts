import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { artifactResults } from "./artifact-results.js";
import { measureArtifacts } from "./artifacts.js";
import { measureBounds } from "./bound.js";
import { decisionsPerSecond } from "./decisions.js";
import { fleetResults } from "./fleet-results.js";
import { measureFleets } from "./fleets.js";
import { hostSections, namedHosts, virtualHosts } from "./hosts.js";
import { type Command, type Measure, measureAlternating } from "./measure.js";
import { measureOrdinary } from "./ordinary.js";
import { ordinaryResults } from "./ordinary-results.js";
import { performancePage } from "./page.js";
import { measurePlayground, playgroundResults } from "./playground.js";
import { benchResults } from "./results.js";
import { measureScale } from "./scale.js";
import { scalePage } from "./scale-page.js";
import { measureTargets } from "./targets.js";
import { measureTyping } from "./typing.js";

/**
 * Measures the built command in comparison with others on the same files, alternating in one run: only the ratio is
 * meaningful on a busy machine. The minimum of several runs counts. Peak memory is the kernel's own figure. The target
 * figures are written to test/bench/results.json and docs/performance.md; with `--targets` no others are measured. With
 * `--scale` only trees of many files are checked, once each, and docs/scale.md is written. With `--fleets` only commands with proofs on servers with many hosts are
 * measured, once each. With `--playground` only the latency of the playground is measured, and with `--artifacts` only the
 * files of a release. With `--ordinary` only commands on servers of ordinary size are measured. With `--bound` it measures comparisons that may take long, for docs/hardening.md.
 * `--seed` draws other fleets and servers.
 */
const { values: flags } = parseArgs({
  options: {
    targets: { type: "boolean" },
    scale: { type: "boolean" },
    fleets: { type: "boolean" },
    playground: { type: "boolean" },
    artifacts: { type: "boolean" },
    ordinary: { type: "boolean" },
    bound: { type: "boolean" },
    seed: { type: "string" },
    servers: { type: "string" },
  },
});
const runs = Number(process.env["HTTPD_LINT_BENCH_RUNS"] ?? 7);
const command: Command = ["node", "dist/httpd-lint.js"];

function show(title: string, ours: Measure | undefined, theirs: Measure | undefined): void {
  if (!ours || !theirs) return;
  const ratio = (ours.seconds / theirs.seconds).toFixed(2);
  const memory = (ours.megabytes / theirs.megabytes).toFixed(1);
  process.stdout.write(
    `${title.padEnd(34)} ${ours.seconds.toFixed(3)} s / ${theirs.seconds.toFixed(3)} s = ${ratio}    ${ours.megabytes.toFixed(0)} MB / ${theirs.megabytes.toFixed(0)} MB = ${memory}\n`,
  );
}

const debian = "/etc/apache2";

/** Compares the check of an upgrade with the check of the same files. */
function compareChecks(title: string, entry: string): void {
  const [compare, check] = measureAlternating(
    [
      [...command, "compare", entry],
      [...command, "check", entry],
    ],
    Math.ceil(runs / 2),
  );
  show(title, compare, check);
}

/** Compares a check of unchanged files with a check without a cache. */
function compareWithCache(title: string, folder: string, args: readonly string[]): void {
  const check: Command = [...command, "check", "--exit-zero", ...args];
  const cached: Command = [...check, "--cache-location", join(folder, "cache")];
  const [, kept, whole] = measureAlternating([cached, cached, check], Math.ceil(runs / 4));
  show(`${title}, kept / check`, kept, whole);
}

function runTargets(folder: string): void {
  const results = measureTargets(folder, runs);
  writeFileSync("test/bench/results.json", `${JSON.stringify(results, null, 2)}\n`);
  writePage();
  process.stdout.write(readFileSync("docs/performance.md", "utf8"));
}

/** Writes docs/performance.md from the results of the last measurements. */
function writePage(): void {
  const read = (name: string): unknown => JSON.parse(readFileSync(name, "utf8"));
  const page = performancePage(
    benchResults.parse(read("test/bench/results.json")),
    fleetResults.parse(read(fleetFile)),
    playgroundResults.parse(read(playgroundFile)),
    artifactResults.parse(read(artifactFile)),
    ordinaryResults.parse(read(ordinaryFile)),
  );
  writeFileSync("docs/performance.md", page);
}

/** Measures the files of a release; the other figures of the page stay. */
function ofArtifacts(folder: string): void {
  writeFileSync(artifactFile, `${JSON.stringify(measureArtifacts(folder, runs), null, 2)}\n`);
  writePage();
}

/** Measures servers of ordinary size, other ones in each run; the other figures of the page stay. */
function ofOrdinary(folder: string): void {
  const seed = Number(flags.seed ?? Date.now() % 1_000_000);
  const results = measureOrdinary(folder, seed, Number(flags.servers ?? 40));
  writeFileSync(ordinaryFile, `${JSON.stringify(results, null, 2)}\n`);
  writePage();
}

/** Measures fleets; the other figures of the page stay. */
async function ofFleets(folder: string): Promise<void> {
  const fleets = await measureFleets(folder, Number(flags.seed ?? 1));
  writeFileSync(fleetFile, `${JSON.stringify(fleets, null, 2)}\n`);
  writePage();
}

/** Measures the playground; the other figures of the page stay. */
async function ofPlayground(): Promise<void> {
  writeFileSync(playgroundFile, `${JSON.stringify(await measurePlayground(), null, 2)}\n`);
  writePage();
}

const fleetFile = "test/bench/fleets.json";
const artifactFile = "test/bench/artifacts.json";
const ordinaryFile = "test/bench/ordinary.json";
const playgroundFile = "test/bench/playground.json";

function atScale(folder: string): void {
  const results = measureScale(folder, [10_000, 100_000]);
  writeFileSync("test/bench/scale.json", `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync("docs/scale.md", scalePage(results));
}

function runBounds(folder: string): void {
  writeFileSync("test/bench/bound.json", `${JSON.stringify(measureBounds(folder), null, 2)}\n`);
}

async function others(folder: string): Promise<void> {
  for (const hosts of [100, 1_000, 10_000]) {
    const file = join(folder, `hosts-${hosts}.conf`);
    writeFileSync(file, virtualHosts(hosts, folder));
    const decided = decisionsPerSecond(file, hosts, runs);
    process.stdout.write(
      `${`${hosts} virtual hosts, decide`.padEnd(34)} ${decided.toLocaleString("en")} requests a second\n`,
    );
  }
  for (const hosts of [100, 1_000]) {
    const file = join(folder, `named-${hosts}.conf`);
    writeFileSync(file, namedHosts(hosts, folder));
    compareChecks(`${hosts} virtual hosts, compare / check`, file);
  }
  for (const hosts of [1_000, 10_000])
    compareWithCache(`${hosts} virtual hosts`, folder, [join(folder, `hosts-${hosts}.conf`)]);
  compareWithCache("1000 named hosts from 2.2", folder, [join(folder, "named-1000.conf"), "--from", "2.2"]);
  const example = "docs/examples/httpd-2.2";
  compareWithCache("example of 2.2", folder, [example, "--server-root", example, "--from", "2.2"]);
  const editorFile = join(folder, "httpd.conf");
  const { slowestKey, medianKey, findings, check } = await measureTyping(editorFile, virtualHosts(290, folder));
  const ms = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`;
  const ratio = (milliseconds: number) => (milliseconds / check).toFixed(2);
  process.stdout.write(
    `${"10,000 lines, key to completions".padEnd(34)} ${ms(medianKey)}, slowest ${ms(slowestKey)} / ${ms(check)} for check in process = ${ratio(medianKey)}, ${ratio(slowestKey)}\n`,
  );
  process.stdout.write(
    `${"10,000 lines, last key to findings".padEnd(34)} ${ms(findings)} / ${ms(check)} = ${ratio(findings)}\n`,
  );
  if (existsSync(debian)) {
    const copy = join(folder, "debian");
    cpSync(debian, copy, { recursive: true, dereference: true });
    const main = join(copy, "apache2.conf");
    // For 2.2, which does not have IncludeOptional.
    const text = readFileSync(main, "utf8").replaceAll("IncludeOptional", "Include");
    writeFileSync(main, `${text}NameVirtualHost *:80\n${hostSections(10, 80)}`);
    compareChecks("Debian and 10 hosts, compare / check", copy);
  }
}

const folder = mkdtempSync(join(tmpdir(), "httpd-lint-bench-"));
try {
  if (flags.scale) atScale(folder);
  else if (flags.ordinary) ofOrdinary(folder);
  else if (flags.bound) runBounds(folder);
  else if (flags.artifacts) ofArtifacts(folder);
  else if (flags.playground) await ofPlayground();
  else if (flags.fleets) await ofFleets(folder);
  else {
    runTargets(folder);
    if (!flags.targets) await others(folder);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
