// Runs a target of test/fuzz for some seconds: npm run fuzz -- TARGET SECONDS [SEED]. With `all` the targets share the
// time, and the results go into test/fuzz/results.json, for `npm run generate`. Inputs that reach new code are kept in
// build/fuzz/TARGET and used first in the next run; a failing one is saved beside them as failed-….
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import { build, type Plugin, transform } from "esbuild";
import { createInstrumenter } from "istanbul-lib-instrument";
import { corpora, targets } from "../test/fuzz/targets.js";
import type { FuzzNews, FuzzWork } from "../test/fuzz/worker.js";
import { type FuzzResults, fuzzResultsFile, HANGS_MS, MAX_MEGABYTES } from "./pages/fuzz-results.js";

const MAX_INPUT_BYTES = 1 << 20;

/** Only this project's sources are instrumented; packages are not. */
const instrumented: Plugin = {
  name: "instrumented",
  setup({ onLoad }) {
    const instrumenter = createInstrumenter({ coverageVariable: "fuzzCoverage", esModules: true, compact: true });
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "ts", target: "node20" });
      const counts = /^(src|grammar|rules)\//.test(relative(".", path));
      return { contents: counts ? instrumenter.instrumentSync(code, path) : code, loader: "js" };
    });
  },
};

async function bundle(): Promise<string> {
  const outfile = "build/fuzz/worker.cjs";
  await build({
    entryPoints: ["test/fuzz/worker.ts"],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    logLevel: "warning",
    define: { "import.meta.url": JSON.stringify(pathToFileURL(resolve("src/apps/shipped-files.ts")).href) },
    alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
    plugins: [instrumented],
  });
  return outfile;
}

function inputsIn(folder: string): Uint8Array[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => !name.startsWith("failed-"));
  return names.map((name) => new Uint8Array(readFileSync(join(folder, name))));
}

/** The result of a target. */
interface Fuzzed {
  readonly runs: number;
  readonly reached: number;
  /** Failure message; undefined if nothing failed. */
  readonly why: string | undefined;
}

async function fuzz(file: string, target: Target, seconds: number, seed: number): Promise<Fuzzed> {
  const folder = join("build/fuzz", target);
  mkdirSync(folder, { recursive: true });
  const running = new SharedArrayBuffer(8 + MAX_INPUT_BYTES);
  const kept = [...inputsIn(join("test/fuzz/corpus", corpora[target])), ...inputsIn(folder)];
  const workerData: FuzzWork = { target, seed, kept, folder, running, until: Date.now() + seconds * 1000 };
  const thread = new Worker(resolve(file), { workerData, resourceLimits: { maxOldGenerationSizeMb: MAX_MEGABYTES } });
  const head = new Uint32Array(running, 0, 2);
  let last = { run: head[1], since: process.cpuUsage() };
  let why: string | undefined;
  let reached = 0;
  const watch = setInterval(() => {
    if (head[1] !== last.run) last = { run: head[1], since: process.cpuUsage() };
    const { user, system } = process.cpuUsage(last.since);
    if ((user + system) / 1000 < HANGS_MS) return;
    why = `it still runs after ${HANGS_MS} ms`;
    void thread.terminate();
  }, 1000);
  thread.on("message", (news: FuzzNews) => {
    if (news.kind === "failed") why = news.why;
    if (news.kind !== "pulse") return;
    reached = news.reached;
    process.stdout.write(`${target}: ${news.runs} runs, ${news.kept} inputs kept, ${reached} places reached\n`);
  });
  thread.on("error", (error) => {
    why = String(error);
  });
  await new Promise((ended) => thread.once("exit", ended));
  clearInterval(watch);
  const runs = head[1] ?? 0;
  if (why === undefined) return { runs, reached, why };
  const failed = join(folder, `failed-${Date.now()}`);
  writeFileSync(failed, new Uint8Array(running, 8, head[0]));
  process.stdout.write(`${target}: ${why}\n  on ${failed}, with seed ${seed}\n`);
  return { runs, reached, why };
}

/** Runs all targets in turn, each for its share of the time. The results are saved for docs/fuzzing.md. */
async function fuzzAll(seconds: number, seed: number): Promise<boolean> {
  const names = Object.keys(targets).filter(isTarget);
  const results: FuzzResults["targets"][number][] = [];
  const file = await bundle();
  for (const target of names) {
    const { runs, reached, why } = await fuzz(file, target, seconds / names.length, seed);
    results.push({ target, runs, reached, found: why === undefined ? 0 : 1 });
  }
  const kept: FuzzResults = { seconds, seed, node: process.version, targets: results };
  writeFileSync(fuzzResultsFile, `${JSON.stringify(kept, undefined, 2)}\n`);
  return results.every(({ found }) => found === 0);
}

type Target = keyof typeof targets;
const isTarget = (name: string): name is Target => name in targets;
const [name = "", seconds = "60", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
if (isTarget(name))
  process.exitCode = (await fuzz(await bundle(), name, Number(seconds), Number(seed))).why === undefined ? 0 : 1;
else if (name === "all") process.exitCode = (await fuzzAll(Number(seconds), Number(seed))) ? 0 : 1;
else {
  process.stdout.write(
    `npm run fuzz -- TARGET SECONDS [SEED], with all or one of ${Object.keys(targets).join(", ")}\n`,
  );
  process.exitCode = 2;
}
