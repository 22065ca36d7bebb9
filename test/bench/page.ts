import { type ArtifactResults, artifactSection } from "./artifact-results.js";
import { formatMegabytes, formatSeconds } from "./figures.js";
import { fleetSection } from "./fleet-page.js";
import type { FleetResults } from "./fleet-results.js";
import { type OrdinaryResults, ordinarySection } from "./ordinary-results.js";
import { type PlaygroundResults, playgroundSection } from "./playground.js";
import { type BenchResults, ratioOf, type Target } from "./results.js";

/** Returns docs/performance.md with the figures of a benchmark run. */
export function performancePage(
  results: BenchResults,
  fleets: FleetResults,
  playground: PlaygroundResults,
  artifacts: ArtifactResults,
  ordinary: OrdinaryResults,
): string {
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

${artifactSection(artifacts)}

${ordinarySection(ordinary)}

${fleetSection(fleets)}

${playgroundSection(playground)}

${optimizations}`;
}

const optimizations = `## Optimizations

### Compared with \`httpd -t\`

\`httpd -t\` compiles nothing and runs no rules.

- All rules share one walk over the lines. Equal lines are read and checked once. Of virtual hosts with the same text, five are
  checked. Servers, names, layers and errors are computed on demand. These changes have the largest effect, and reduce memory to
  that of the server.
- Arguments and addresses of lines that repeat in each host are read once, and rules about dates, DBM groups and exposed paths skip
  hosts without such lines. Secrets are searched only in the names that a report shows. For 10,000 hosts, this saves a tenth.
- The remaining profile is flat. Garbage collection takes a sixth of the time, reading lines another sixth, and all rules together a
  quarter. No rule takes as much as a twentieth.
- Checks that depend only on the lines of a virtual host pass hosts that [differ only in
  numbers](scale.md#hosts-that-differ-only-in-numbers). For 10,000 hosts, this and fewer temporary objects save a seventh of the time and of
  the processor time.
- Templates for rules cannot bring the ratio to 1. Measured side by side: \`check\` took 1.55 times as long as \`httpd -t\`, and 1.29
  times if no rule visited the lines of repeated hosts at all. With a single rule, it took 0.75 times as long, most of it for reading
  the file. A lower ratio needs directives of repeated hosts that are created on demand, and rules about names, files and reports that do
  not need them.
- Smaller directives, one reading of the main file instead of two, and no comparison of the directives of repeated hosts make no
  difference: most of this time is that of loading the directives from memory.
- Rules about names on the disk and document roots list a directory once, and virtual hosts are compared as templates once for all
  rules. Sections with access rules are read only in hosts that have several. For 10,000 hosts, this saves a sixth of the
  processor time. The rules of the group \`correctness\` took 9 to 15 % of a check, and now take 5 to 7 %.
- Of V8's flags, only a young generation that grows faster helps. It is used for files over 1 MB (\`src/apps/cli/inputs/config-source.ts\`). A larger
  initial generation, fewer threads and the intermediate compilers make no difference.
- Numbers instead of keys, and arrays instead of maps, are slower or equal.
- Threads do not help. When a new thread is ready, the main thread has already parsed three quarters of a large file. Parsing
  takes less than a fifth of a check, and the rest needs the whole configuration in one place.

### Compared with the minimum for parsing

- Lines are scanned into columns of numbers. This takes a quarter less than an object for each line. Scanning bytes instead of
  text makes no difference.
- The grammar nests sections only for a command that needs the tree, such as \`migrate\`. To resolve a configuration, its lines are
  enough. A file of 340,000 lines is then parsed in two thirds of the time that tokens for its lines take.
- Code that runs for the first time takes half of the time. A second, similar file takes three fifths of the time.

### Compared with \`node -e 0\`

- Code that Node's V8 compiled earlier for the machine (\`src/apps/cli/launcher.cjs\`) saves a third to two fifths.
- Modules, tables and large patterns that most runs do not need are loaded on demand. The parser of Markdown, the table of cipher suites
  and the patterns of secrets took a seventh of the start.
- The compiled code comes from a run on the examples. Runs on other files make no difference, except a run on the measured file itself,
  which saves an eighth.
- Node's modules for threads and terminals, which load its streams, and the pages of reports are loaded on demand. Chevrotain's
  table of characters is not filled. These changes save a fourteenth of the processor time. The build fails if a module of this list
  has a new name. Without this check, two of them had been loaded at each start again.
- A cache of code from fewer examples makes no difference for other files, and commands with proofs take 3 to 7 % longer.
- V8's flags do not help: a larger or faster growing young generation, one thread, garbage collection in one thread, lazy
  compilation, no optimization, early feedback and no flushing of code make no difference or are slower.
- Words without quotes bypass the lexer of Chevrotain. The grammar of expressions is prepared only if there is an expression.
- The run that compiles the code does so without Sparkplug. V8 marks the functions that Sparkplug compiled, and each start then
  compiled them again at their first calls. This saves a twelfth of the time of a check.
- Chevrotain gives each parser 89 methods that record its grammar, and deletes them one by one. They are now in a prototype, which saves
  3 ms. The large pattern of lines with secrets is compiled only for lines that may have one, which saves 2 ms.
- The single executable continues a snapshot of the loaded program, which has its parsers, tables and compiled code. This saves
  a quarter of the time of a check. Threads cannot continue a snapshot, and load the program with compiled code.
- More compiled code in the snapshot makes each start slower. It has the code for two examples. With the code for all, a check takes 7 ms
  longer.
- Node 20 accepts a snapshot only with a flag before the script, so the npm package has none.
- Of the time beyond Node itself, reading the compiled code takes a fifth and Chevrotain a tenth. The garbage collector and patterns take
  less than a tenth each. Code that runs for the first time takes the rest. Half of the time is that of \`--version\`, which is
  the least for any command.
- The time of \`node -e 0\` depends on the environment. With \`NODE_EXTRA_CA_CERTS\`, Node 20 reads certificates at each start: on this machine,
  it takes 46 ms, and 17 ms without. The measurements have this variable. Without it, a check takes 5 times as long as \`node -e 0\`, and the
  executable 4.3 times.

### Proofs

- The time of a proof depends on the number of groups of paths. \`check\` of \`docs/examples/httpd-2.2\` had 9,038 groups of paths, and then
  2,803. Unused variables do not split classes, and a rejected byte splits only those of its rule.
- Groups of paths come only from the sections that may apply to a host, and results of probes are kept. For the sites of a control panel,
  \`check --from 2.2\` took 8 seconds, and now takes 3.
- Virtual hosts that are alike up to names, paths and addresses are [proved once](proof.md#alike-hosts). For 1,000 hosts of one template,
  this reduces the processor time of \`compare\` from 31 to 1.5 seconds, and the memory from 498 to 150 MB. The time of \`map\` decreases from
  32 to 1.5 seconds.
- \`migrate\` repeats only the requests that find the sections of a host. For 1,000 hosts, it took 94 seconds, and now takes 5.
- A result that holds for many hosts is printed once. Before, the output grew with the hosts: from 5,000 lines of \`check\` to 30,000 of
  \`upgrade\` for 1,000 hosts.
- A condition on the method counts as one test: methods with the same result are explored once. Before, each condition on
  \`%{REQUEST_METHOD}\` in a rule, and each SetEnvIf on it, made all methods different. A server of 202 lines with one such rule needed
  6,087 probes to compare, and now needs 3,306.
- If the file of a URL is unknown, as with UserDir, each URL class was checked with each file class, for each method. Now URL classes
  to which the same sections apply are checked once, and so are methods that no line distinguishes. For a server of 202 lines
  with UserDir, that is most of what \`migrate\` did.
- In an editor, proofs start together with the analysis without proofs, if the last one needed them. This saves the time of that
  analysis.
`;

function targetRow(target: Target): string {
  const { what, ours, beside, theirs, of, atMost } = target;
  const ratio = ratioOf(target);
  const figure = (value: number | undefined) => (of === "seconds" ? formatSeconds(value) : formatMegabytes(value));
  const verdict = ratio <= atMost ? "reached" : "not reached";
  return `| ${what} | ${figure(ours[of])} | ${beside}: ${figure(theirs[of])} | ${ratio.toFixed(2)} | ${atMost} | ${verdict} |`;
}

function toolRow({ name, does, lines, took }: BenchResults["tools"][number]): string {
  const figures = took ? [formatSeconds(took.seconds), formatMegabytes(took.megabytes)] : ["not installed", ""];
  return `| ${[name, does, lines.toLocaleString("en"), ...figures].join(" | ")} |`;
}
