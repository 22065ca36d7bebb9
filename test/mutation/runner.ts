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
import { type CollectedTest, Collector } from "./collected.js";
import { KnownResults } from "./known.js";
import { isSampled } from "./sampling.js";
import { leftOutTests, mostRuns, mostSeconds, slowest } from "./tests.js";

/** Stryker goes to its copy of the project after this module is loaded. */
const inFolder = (name: string) => join(process.cwd(), "build/mutants", name);
const ask = createRequire(import.meta.url);

/** What instrumented code and Stryker tell each other. */
const told: InstrumenterContext = {};
Object.assign(globalThis, { __stryker__: told });

/**
 * Runs tests in the process that Stryker starts, all code evaluated anew for each mutant, so that nothing kept by modules
 * goes from one to the next. That takes a fraction of the time that vitest takes to start a thread and load each module.
 */
class InProcessRunner implements TestRunner {
  private expect: unknown;
  private below: Readonly<Record<string, unknown>> = {};
  private readonly known = new KnownResults();
  /** How many mutants a test found. */
  private readonly found = new Map<string, number>();
  /** How many seconds of work a test takes with the code as it is. */
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
    // No tests tell one left out from a survivor; after an error Stryker would start the process anew.
    if (!isSampled(activeMutant)) return { status: MutantRunStatus.Survived, nrOfTests: 0 };
    const known = this.known.of(activeMutant);
    if (known) return known;
    const result = await this.run(options);
    this.known.add(activeMutant, result);
    return result;
  }

  /** Stryker's limit is a hundred times what all tests hit; five times are enough to tell a loop. */
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

  /** What is quick comes first, and what found many mutants. */
  private cost({ id }: CollectedTest): number {
    return (this.secondsOf(id) + 0.001) / (1 + (this.found.get(id) ?? 0));
  }

  private secondsOf(id: string): number {
    this.times ??= JSON.parse(readFileSync(inFolder("times.json"), "utf8"));
    return this.times?.[id] ?? 0;
  }

  /** The tests of a bundle, which is evaluated anew. */
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

/** A module as tests see it: fast-check tries each property a few times, the same ones each time. */
function briefly(name: string, loaded: object): object {
  if (!name.includes("/fast-check/")) return loaded;
  const assert = (
    property: Parameters<typeof fc.assert>[0],
    { numRuns = 100, ...others }: NonNullable<Parameters<typeof fc.assert>[1]> = {},
  ) => fc.assert(property, { seed: 1, ...others, numRuns: Math.min(numRuns, mostRuns) });
  return { ...loaded, assert };
}

const scripts = new Map<string, Script>();

/** A bundle as a function that evaluates it; compiled once. */
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
