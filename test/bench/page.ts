import type { FleetResults } from "./fleet-results.js";
import { type BenchResults, ratioOf, type Target } from "./results.js";

/** Returns docs/performance.md with the figures of a benchmark run. */
export function performancePage(results: BenchResults, fleets: FleetResults): string {
  const { runs, targets, tools } = results;
  return `# Performance

\`npm run bench\` writes this page. The figures are from ${results.with.join(", ")}. Only the ratios are meaningful:
the runs alternate on one machine, and the best of ${runs} counts. Time is the wall time of the whole command with all default rules,
unless noted. Memory is the peak that the kernel reports.

## Targets

| measured | httpd-lint | compared with | ratio | target (at most) | |
|---|---|---|---|---|---|
${targets.map(targetRow).join("\n")}

## Comparison with other tools

All tools read the same files: virtual hosts of 34 lines each. They contain mod_access_compat directives, Require,
continuations and expressions. The tools do different work: only \`httpd -t\` and httpd-lint know what a directive means.

| tool | task | lines | time | memory |
|---|---|---|---|---|
${tools.map(toolRow).join("\n")}

## Fleets

\`npm run bench -- --fleets\` measures these commands once each, with ${fleets.with.join(", ")}. The ratio compares the processor time with
that of \`check\` on the same file. The target is at most 10, and at most 600 MB.

| hosts | command | processor time | ratio | memory |
|---|---|---|---|---|
${fleets.rows.map((row) => fleetRow(row, fleets)).join("\n")}

${whatWasTried}`;
}

const whatWasTried = `## Optimizations

### Compared with \`httpd -t\`

\`httpd -t\` compiles nothing and runs no rules.

- All rules share one walk over the lines. Equal lines are read and checked once. Of virtual hosts with the same text, five are
  checked. Servers, names, layers and errors are computed on demand. These changes have the largest effect, and reduce memory to
  that of the server.
- The remaining profile is flat. Garbage collection takes a fifth of the time, and building lines from tokens a tenth. No function takes
  as much as a twentieth.
- Of V8's flags, only a young generation that grows faster helps. It is used for files over 1 MB (\`src/cli/inputs/config-source.ts\`). A larger
  initial generation, fewer threads and the intermediate compilers make no difference.
- Numbers instead of keys, and arrays instead of maps, are slower or equal.
- Threads do not help. When a new thread is ready, the main thread has already parsed three quarters of a large file. Parsing
  takes less than a fifth of a check, and the rest needs the whole configuration in one place.

### Compared with the minimum for parsing

- Lines are scanned into columns of numbers, and a token is a run of lines of one kind. This takes a quarter less than an object and
  a token for each line. Scanning bytes instead of text makes no difference.
- Reading each character once takes two fifths. Chevrotain's lexer and parser take a quarter each, and reading the file
  takes the rest.
- Code that runs for the first time takes half of the time. A second, similar file takes three fifths of the time.

### Compared with \`node -e 0\`

- Code that Node's V8 compiled earlier for the machine (\`src/cli/launcher.cjs\`) saves a third to two fifths.
- Modules and tables that most runs do not need are loaded on demand. Words without quotes bypass the lexer of Chevrotain. The
  grammar of expressions is prepared only if there is an expression.
- Of the rest of the time, Node itself takes four tenths, the code a tenth, and loading modules a tenth. Chevrotain's analysis of
  its grammars takes a tenth to a seventh. Code that runs for the first time takes the remaining time.
- A heap snapshot would save most of that. Node accepts one only with a flag before the script, and only from the same program.

### Proofs

The time of a proof depends on the number of path classes. \`check\` of \`docs/examples/httpd-2.2\` had 9,038 path classes, and now has
2,803. Two changes reduced the number. Unused variables do not split classes, and a rejected byte splits only those of its rule.

Virtual hosts that are alike up to names, paths and addresses are [proved once](compare.md#alike-hosts). For 1,000 hosts of one template,
this reduces the processor time of \`compare\` from 31 to 4.6 seconds, and the memory from 498 to 180 MB. The time of \`map\` decreases from
32 to 3 seconds. \`migrate\` repeats only the requests that find the sections of a host, which halves its time for 100 hosts.
Three fifths of the former time was probing requests, and an eighth was dividing paths into classes.
`;

function targetRow(target: Target): string {
  const { what, ours, beside, theirs, of, atMost } = target;
  const ratio = ratioOf(target);
  const figure = (value: number | undefined) => (of === "seconds" ? seconds(value) : megabytes(value));
  const verdict = ratio <= atMost ? "reached" : "not reached";
  return `| ${what} | ${figure(ours[of])} | ${beside}: ${figure(theirs[of])} | ${ratio.toFixed(2)} | ${atMost} | ${verdict} |`;
}

function toolRow({ name, does, lines, took }: BenchResults["tools"][number]): string {
  const figures = took ? [seconds(took.seconds), megabytes(took.megabytes)] : ["not installed", ""];
  return `| ${[name, does, lines.toLocaleString("en"), ...figures].join(" | ")} |`;
}

function fleetRow({ what, command, processor, megabytes: memory }: FleetRow, { rows }: FleetResults): string {
  const check = rows.find((row) => row.what === what && row.command === "check");
  const ratio = check ? (processor / check.processor).toFixed(1) : "";
  return `| ${[what, `\`${command}\``, seconds(processor), ratio, megabytes(memory)].join(" | ")} |`;
}

type FleetRow = FleetResults["rows"][number];

function seconds(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(value < 1 ? 3 : 2)} s`;
}

function megabytes(value: number | undefined): string {
  return value === undefined ? "" : `${Math.round(value)} MB`;
}
