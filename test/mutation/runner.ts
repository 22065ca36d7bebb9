import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { Script } from "node:vm";
import type { InstrumenterContext, MutantCoverage } from "@stryker-mutator/api/core";
import { declareClassPlugin, PluginKind } from "@stryker-mutator/api/plugin";
import {
  type DryRunOptions,
  type DryRunResult,
  DryRunStatus,
  determineHitLimitReached,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
} from "@stryker-mutator/api/test-runner";
import fc from "fast-check";
import { isSampled } from "./sampled-mutants.js";
import { SavedResults } from "./saved-results.js";
import { type CollectedTest, Collector } from "./test-collector.js";
import { maxMutantSeconds, maxRuns, maxTestSeconds } from "./tests.js";

/** Stryker changes to its copy of the project after this module is loaded. */
const bundlePath = (name: string) => join(process.cwd(), "build/mutants", name);
const requireModule = createRequire(import.meta.url);

/** The shared state of instrumented code and Stryker. */
const strykerState: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: strykerState });

/**
 * A test runner in Stryker's process that evaluates all code again for each mutant, so that no module state carries
 * over. It takes a fraction of the time of a vitest thread that loads each module.
 */
class InProcessRunner implements TestRunner {
  private expect: unknown;
  private dependencies: Readonly<Record<string, unknown>> = {};
  private readonly saved = new SavedResults();
  /** Number of mutants that each test killed. */
  private readonly killCounts = new Map<string, number>();
  /** Duration of each test in seconds with the original code. */
  private testSeconds: Readonly<Record<string, number>> | undefined;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    this.expect = (await import("vitest")).expect;
    const { names, ...loaded } = requireModule(bundlePath("dependencies.cjs"));
    this.dependencies = Object.fromEntries(
      names.map((name: string, i: number) => [name, withFewRuns(name, loaded[`m${i}`])]),
    );
  }

  async dryRun(_: DryRunOptions): Promise<DryRunResult> {
    const coverage: MutantCoverage = { static: {}, perTest: {} };
    strykerState.mutantCoverage = coverage;
    const tests: TestResult[] = [];
    const times: Record<string, number> = {};
    for (const test of this.collect("covered.cjs")) {
      strykerState.currentTestId = test.id;
      const start = performance.now();
      const cpuStart = process.cpuUsage();
      const failure = await runTest(test);
      const { id, name, file: fileName } = test;
      times[id] = process.cpuUsage(cpuStart).user / 1e6;
      const base = { id, name, fileName: join(process.cwd(), fileName), timeSpentMs: performance.now() - start };
      tests.push(
        failure === undefined
          ? { ...base, status: TestStatus.Success }
          : { ...base, status: TestStatus.Failed, failureMessage: failure },
      );
    }
    delete strykerState.currentTestId;
    writeFileSync(bundlePath("times.json"), JSON.stringify(times));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant } = options;
    // A test count of zero distinguishes a skipped mutant from a survivor; after an error Stryker would restart the
    // process.
    if (!isSampled(activeMutant)) return { status: MutantRunStatus.Survived, nrOfTests: 0 };
    const saved = this.saved.find(activeMutant);
    if (saved) return saved;
    const result = await this.run(options);
    this.saved.add(activeMutant, result);
    return result;
  }

  /** Stryker's limit is a hundred times the hits of all tests; five times are enough to detect a loop. */
  private async run({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    delete strykerState.activeMutant;
    const selected = testFilter && new Set(testFilter);
    const tests = this.collect("mutated.cjs").filter(
      ({ id }) => (selected?.has(id) ?? true) && this.secondsOf(id) < maxTestSeconds,
    );
    strykerState.activeMutant = activeMutant.id;
    strykerState.hitCount = 0;
    const limit = hitLimit === undefined ? undefined : Math.ceil(hitLimit / 20);
    if (limit === undefined) delete strykerState.hitLimit;
    else strykerState.hitLimit = limit;
    const start = process.cpuUsage();
    let nrOfTests = 0;
    for (const test of tests.sort((a, b) => this.cost(a) - this.cost(b))) {
      nrOfTests++;
      const failureMessage = await runTest(test);
      const timeout = determineHitLimitReached(strykerState.hitCount, limit);
      if (timeout) return { status: MutantRunStatus.Timeout, reason: timeout.reason ?? "" };
      if (failureMessage === undefined && process.cpuUsage(start).user / 1e6 < maxMutantSeconds) continue;
      if (failureMessage === undefined) break;
      this.killCounts.set(test.id, (this.killCounts.get(test.id) ?? 0) + 1);
      return { status: MutantRunStatus.Killed, killedBy: [test.id], failureMessage: "", nrOfTests };
    }
    return { status: MutantRunStatus.Survived, nrOfTests: Math.max(1, nrOfTests) };
  }

  /** Fast tests come first, and those that killed many mutants. */
  private cost({ id }: CollectedTest): number {
    return (this.secondsOf(id) + 0.001) / (1 + (this.killCounts.get(id) ?? 0));
  }

  private secondsOf(id: string): number {
    this.testSeconds ??= JSON.parse(readFileSync(bundlePath("times.json"), "utf8"));
    return this.testSeconds?.[id] ?? 0;
  }

  /** Collects the tests of a bundle, which is evaluated again. */
  private collect(bundle: string): CollectedTest[] {
    const collector = new Collector();
    const vitest = { ...collector.functions, expect: this.expect };
    const module = { exports: {} };
    const requireBundled = (name: string): unknown =>
      name === "vitest" ? vitest : (this.dependencies[name] ?? requireModule(name));
    compileScript(bundle).runInThisContext()(module, module.exports, requireBundled, (file: string) => {
      collector.file = file;
    });
    return [...collector.tests];
  }
}

/** Returns a module for tests: fast-check tries each property a few times, with a fixed seed. */
function withFewRuns(name: string, module: object): object {
  if (!name.includes("/fast-check/")) return module;
  const assert = (
    property: Parameters<typeof fc.assert>[0],
    { numRuns = 100, ...others }: NonNullable<Parameters<typeof fc.assert>[1]> = {},
  ) => fc.assert(property, { seed: 1, ...others, numRuns: Math.min(numRuns, maxRuns) });
  return { ...module, assert };
}

const scripts = new Map<string, Script>();

/** Returns the compiled script of a bundle; compiled once. */
function compileScript(bundle: string): Script {
  const path = bundlePath(bundle);
  const cached = scripts.get(path);
  if (cached) return cached;
  const text = `(function (module, exports, require, setFile) {${readFileSync(path, "utf8")}\n})`;
  const script = new Script(text, { filename: path });
  scripts.set(path, script);
  return script;
}

/** Runs a test, and returns the message of its failure. */
async function runTest({ run }: CollectedTest): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "in-process", InProcessRunner)];
