import { spawnSync } from "node:child_process";

/** Wall time, CPU time and the kernel's own figure of peak memory for one run of a command. */
export interface Measure {
  readonly seconds: number;
  readonly processor?: number;
  readonly megabytes: number;
  /** Lines of output. */
  readonly lines?: number;
}

export type Command = readonly [string, ...string[]];

const script = `import resource, subprocess, sys, tempfile, time
output = tempfile.TemporaryFile()
start = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=output, stderr=subprocess.DEVNULL)
took = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
output.seek(0)
print(took, used.ru_maxrss, done.returncode, used.ru_utime + used.ru_stime, sum(1 for _ in output))`;

/**
 * Measures a command. It exits with 1 if there are findings; a higher code is mostly a failure.
 *
 * @param expected exit codes that are not failures
 */
export function measure(command: Command, expected: readonly number[] = [0, 1]): Required<Measure> {
  const { stdout } = spawnSync("python3", ["-c", script, ...command], { encoding: "utf8" });
  const [seconds = Number.NaN, kilobytes = Number.NaN, code = Number.NaN, processor = Number.NaN, lines = 0] = stdout
    .trim()
    .split(" ")
    .map(Number);
  if (!expected.includes(code)) throw new Error(`\`${command.join(" ")}\` ended with ${code}`);
  return { seconds, processor, megabytes: kilobytes / 1024, lines };
}

/**
 * Measures several commands in alternating rounds and returns the best of each: other load then affects all equally.
 */
export function measureAlternating(commands: readonly Command[], rounds: number): readonly Measure[] {
  const runs = Array.from({ length: rounds }, () => commands.map((each) => measure(each)));
  return commands.map((_, index) => {
    const of = runs.flatMap((each) => each[index] ?? []);
    return {
      seconds: Math.min(...of.map(({ seconds }) => seconds)),
      megabytes: Math.min(...of.map(({ megabytes }) => megabytes)),
    };
  });
}
