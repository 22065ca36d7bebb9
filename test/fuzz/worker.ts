import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";
import { Random } from "../support/random/random.js";
import { Coverage } from "./coverage.js";
import { mutate } from "./mutations.js";
import { type FuzzTarget, targets } from "./targets.js";

/** The parameters of a thread that runs a target. */
export interface FuzzWork {
  readonly target: keyof typeof targets;
  readonly seed: number;
  readonly kept: readonly Uint8Array[];
  /** Folder for inputs that reach new code. */
  readonly folder: string;
  /** Length, number and contents of the current input: the watching thread reads them if this one hangs. */
  readonly running: SharedArrayBuffer;
  readonly until: number;
}

/** A message from the thread. */
export type FuzzNews =
  | { readonly kind: "pulse"; readonly runs: number; readonly kept: number; readonly reached: number }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "done" };

/**
 * Limit on CPU time for an input of a few kilobytes, with the slowdown of instrumentation included. Other load on the
 * machine does not affect it.
 */
const SLOWEST_MS = 15_000;
/** A command may take 20 seconds for a small attack. Counting makes it about twice as slow. */
const SLOWEST_OF_ATTACK_MS = 40_000;
const attacks: ReadonlySet<FuzzWork["target"]> = new Set(["limits", "expansion", "environment"]);
const PULSE_MS = 5_000;

function work({ target, seed, kept: given, folder, running, until }: FuzzWork): void {
  const run: FuzzTarget = targets[target];
  const coverage = new Coverage();
  const random = new Random(seed);
  const kept = [...given];
  const shown = new Uint8Array(running, 8);
  const head = new Uint32Array(running, 0, 2);
  mkdirSync(folder, { recursive: true });
  let runs = 0;
  let lastMessage = Date.now();
  const tell = (news: FuzzNews) => parentPort?.postMessage(news);
  const pulse = () => tell({ kind: "pulse", runs, kept: kept.length, reached: coverage.reached });

  /** @returns whether the target kept its guarantees */
  const tries = (data: Uint8Array): boolean => {
    shown.set(data);
    head[0] = data.length;
    head[1] = ++runs;
    coverage.clear();
    const start = process.cpuUsage();
    try {
      run(data);
    } catch (error) {
      tell({ kind: "failed", why: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      return false;
    }
    const { user, system } = process.cpuUsage(start);
    const took = (user + system) / 1000;
    if (took <= (attacks.has(target) ? SLOWEST_OF_ATTACK_MS : SLOWEST_MS)) return true;
    tell({ kind: "failed", why: `it took ${Math.round(took)} ms` });
    return false;
  };

  for (const data of given) {
    if (Date.now() >= until) break;
    if (!tries(data)) return;
    coverage.grows();
  }
  while (Date.now() < until) {
    const data = mutate(kept, random);
    if (!tries(data)) return;
    if (coverage.grows()) {
      kept.push(data);
      writeFileSync(join(folder, createHash("sha1").update(data).digest("hex").slice(0, 16)), data);
    }
    if (Date.now() - lastMessage < PULSE_MS) continue;
    lastMessage = Date.now();
    pulse();
  }
  pulse();
  tell({ kind: "done" });
}

work(workerData);
