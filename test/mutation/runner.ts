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
import { KnownResults } from "./saved-results.js";
import { type CollectedTest, Collector } from "./test-collector.js";
import { leftOutTests, mostRuns, mostSeconds, slowest } from "./tests.js";

/** Stryker changes to its copy of the project after this module is loaded. */
const inFolder = (name: string) => join(process.cwd(), "build/mutants", name);
const ask = createRequire(import.meta.url);

/** The shared state of instrumented code and Stryker. */
const told: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: told });

/**
 * A test runner in Stryker's process that evaluates all code again for each mutant, so that no module state carries
 * over. It takes a fraction of the time of a vitest thread that loads each module.
 */
class InProcessRunner implements TestRunner {
  private expect: unknown;
  private below: Readonly<Record<string, unknown>> = {};
  private readonly known = new KnownResults();
  /** Number of mutants that each test killed. */
  private readonly found = new Map<string, number>();
  /** Duration of each test in seconds with the original code. */
  private times: Readonly<Record<string, number>> | undefined;

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    this.expect = (await import("vitest")).expect;
    const { names, ...loaded } = ask(inFolder("below.cjs"));
    this.below = Object.fromEntries(names.map((name: string, i: number) => [name, briefly(name, loaded[`m${i}`])]));
  }

  async dryRun(_: DryRunOptions): Promise<DryRunResult> {
    const coverage: MutantCoverage = { static: {}, perTest: {} };
    told.mutantCoverage = coverage;
    const tests: TestResult[] = [];
    const times: Record<string, number> = {};
    for (const test of this.collect("covered.cjs")) {
      told.currentTestId = test.id;
      const begun = performance.now();
      const worked = process.cpuUsage();
      const failure = await failureOf(test);
      const { id, name, file: fileName } = test;
      times[id] = process.cpuUsage(worked).user / 1e6;
      const base = { id, name, fileName: join(process.cwd(), fileName), timeSpentMs: performance.now() - begun };
      tests.push(
        failure === undefined
          ? { ...base, status: TestStatus.Success }
          : { ...base, status: TestStatus.Failed, failureMessage: failure },
      );
    }
    delete told.currentTestId;
    writeFileSync(inFolder("times.json"), JSON.stringify(times));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: coverage };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant } = options;
    // A test count of zero distinguishes a skipped mutant from a survivor; after an error Stryker would restart the
    // process.
    if (!isSampled(activeMutant)) return { status: MutantRunStatus.Survived, nrOfTests: 0 };
    const known = this.known.of(activeMutant);
    if (known) return known;
    const result = await this.run(options);
    this.known.add(activeMutant, result);
    return result;
  }

  /** Stryker's limit is a hundred times the hits of all tests; five times are enough to detect a loop. */
  private async run({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    delete told.activeMutant;
    const wanted = testFilter && new Set(testFilter);
    const tests = this.collect("mutated.cjs").filter(
      ({ id }) => (wanted?.has(id) ?? true) && this.secondsOf(id) < slowest,
    );
    told.activeMutant = activeMutant.id;
    told.hitCount = 0;
    const limit = hitLimit === undefined ? undefined : Math.ceil(hitLimit / 20);
    if (limit === undefined) delete told.hitLimit;
    else told.hitLimit = limit;
    const begun = process.cpuUsage();
    let nrOfTests = 0;
    for (const test of tests.sort((a, b) => this.cost(a) - this.cost(b))) {
      nrOfTests++;
      const failureMessage = await failureOf(test);
      const timeout = determineHitLimitReached(told.hitCount, limit);
      if (timeout) return { status: MutantRunStatus.Timeout, reason: timeout.reason ?? "" };
      if (failureMessage === undefined && process.cpuUsage(begun).user / 1e6 < mostSeconds) continue;
      if (failureMessage === undefined) break;
      this.found.set(test.id, (this.found.get(test.id) ?? 0) + 1);
      return { status: MutantRunStatus.Killed, killedBy: [test.id], failureMessage: "", nrOfTests };
    }
    return { status: MutantRunStatus.Survived, nrOfTests: Math.max(1, nrOfTests) };
  }

  /** Fast tests come first, and those that killed many mutants. */
  private cost({ id }: CollectedTest): number {
    return (this.secondsOf(id) + 0.001) / (1 + (this.found.get(id) ?? 0));
  }

  private secondsOf(id: string): number {
    this.times ??= JSON.parse(readFileSync(inFolder("times.json"), "utf8"));
    return this.times?.[id] ?? 0;
  }

  /** Collects the tests of a bundle, which is evaluated again. */
  private collect(bundle: string): CollectedTest[] {
    const collector = new Collector();
    const vitest = { ...collector.functions, expect: this.expect };
    const within = { exports: {} };
    const given = (name: string): unknown => (name === "vitest" ? vitest : (this.below[name] ?? ask(name)));
    scriptOf(bundle).runInThisContext()(within, within.exports, given, (file: string) => {
      collector.file = file;
    });
    return collector.tests.filter(({ name }) => !leftOutTests.some((each) => name.startsWith(each)));
  }
}

/** Returns a module for tests: fast-check tries each property a few times, with a fixed seed. */
function briefly(name: string, loaded: object): object {
  if (!name.includes("/fast-check/")) return loaded;
  const assert = (
    property: Parameters<typeof fc.assert>[0],
    { numRuns = 100, ...others }: NonNullable<Parameters<typeof fc.assert>[1]> = {},
  ) => fc.assert(property, { seed: 1, ...others, numRuns: Math.min(numRuns, mostRuns) });
  return { ...loaded, assert };
}

const scripts = new Map<string, Script>();

/** Returns the compiled script of a bundle; compiled once. */
function scriptOf(bundle: string): Script {
  const path = inFolder(bundle);
  const kept = scripts.get(path);
  if (kept) return kept;
  const text = `(function (module, exports, require, inFile) {${readFileSync(path, "utf8")}\n})`;
  const script = new Script(text, { filename: path });
  scripts.set(path, script);
  return script;
}

async function failureOf({ run }: CollectedTest): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, "in-process", InProcessRunner)];
