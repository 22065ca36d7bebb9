import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Mutant } from "@stryker-mutator/api/core";
import { type MutantRunResult, MutantRunStatus } from "@stryker-mutator/api/test-runner";

/** The project itself, rather than Stryker's copy: file names are relative to it. */
export const root = process.env["HTTPD_LINT_MUTATED"] ?? process.cwd();
const path = join(root, "build/mutation/results.jsonl");

/**
 * Results of mutants, each saved immediately, so that an interrupted run continues. A result is valid while the mutated
 * file is unchanged.
 */
export class SavedResults {
  private readonly results = new Map<string, MutantRunResult>();
  private readonly digests = new Map<string, string>();

  constructor() {
    if (!existsSync(path)) return;
    for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) {
      const { key, result }: { key: string; result: MutantRunResult } = JSON.parse(line);
      this.results.set(key, result);
    }
  }

  /** Returns a saved result; with HTTPD_LINT_SURVIVORS=again, only that of a killed mutant. */
  find(mutant: Mutant): MutantRunResult | undefined {
    const saved = this.results.get(this.keyOf(mutant));
    const retriesSurvivors = process.env["HTTPD_LINT_SURVIVORS"] === "again";
    return saved?.status === MutantRunStatus.Survived && retriesSurvivors ? undefined : saved;
  }

  add(mutant: Mutant, result: MutantRunResult): void {
    appendFileSync(path, `${JSON.stringify({ key: this.keyOf(mutant), result })}\n`);
  }

  private keyOf({ fileName, location, mutatorName, replacement }: Mutant): string {
    const name = relative(root, fileName);
    const { start, end } = location;
    const place = `${start.line}:${start.column}-${end.line}:${end.column}`;
    return [name, this.digestOf(name), place, mutatorName, replacement].join(" ");
  }

  private digestOf(name: string): string {
    const cached = this.digests.get(name);
    if (cached !== undefined) return cached;
    const digest = createHash("sha256")
      .update(readFileSync(join(root, name)))
      .digest("hex")
      .slice(0, 12);
    this.digests.set(name, digest);
    return digest;
  }
}
