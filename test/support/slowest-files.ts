import type { Reporter, TestModule } from "vitest/node";

/** The number of files that are listed; runs of fewer files list none. */
const LISTED = 10;

/** Lists the test files that took longest, with their import, at the end of a run. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= LISTED) return;
    const slowest = modules
      .map((module) => ({ file: module.relativeModuleId, seconds: secondsOf(module) }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, LISTED);
    const rows = slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`);
    process.stdout.write(`\nSlowest files:\n${rows.join("")}`);
  }
}

function secondsOf(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic();
  return (collectDuration + duration) / 1000;
}
