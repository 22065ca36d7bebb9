import { type BenchResults, ratioOf, type Target } from "./results.js";

/** docs/performance.md: the figures of a run of the bench, in words. */
export function performancePage(results: BenchResults): string {
  const { runs, targets, tools } = results;
  return `# Performance

Made by \`npm run bench\` from what it measured, with ${results.with.join(", ")}. Only the ratios mean anything: they are of
runs that took turns on one machine, the best of ${runs}. Time is wall time of the whole command, with all default rules, unless
said otherwise; memory is the peak that the kernel tells.

## What is aimed at

| measured | here | beside it | ratio | at most | |
|---|---|---|---|---|---|
${targets.map(targetRow).join("\n")}

## Beside other tools

The same files for all: virtual hosts of 34 lines each, with old and new access control, continuations and expressions. What
the tools do is not the same: only \`httpd -t\` and httpd-lint know what a directive means.

| tool | what it does | lines | time | memory |
|---|---|---|---|---|
${tools.map(toolRow).join("\n")}

${whatWasTried}`;
}

const whatWasTried = `## What was tried

Against \`httpd -t\`, which compiles nothing and asks no rule:

- One walk over the lines for all rules; lines that are written as others are read and judged once; of hosts that are written
  alike five are asked, not all; servers, names, layers and refusals are read when something asks for them. These brought most
  of what was gained, and memory to that of the server.
- Beyond that the profile is flat: a fifth of the time goes to collecting garbage, a tenth to making lines of tokens, and no
  function has five hundredths. Of V8's switches, only a young generation that grows faster helps, and files over 1 MB have it
  (\`src/cli/memory.ts\`); larger ones from the start, fewer threads and the compilers between make no difference.
- Numbers in place of keys, and arrays in place of maps: slower, or the same.

- Threads: one is ready, with the grammar loaded, when three quarters of a large file are parsed by one that is. Parsing is
  less than a fifth of a check, and what comes behind it wants the whole configuration in one place.

Against the floor of parsing:

- Lines are scanned into columns of numbers, and a token is a run of lines of one kind: a quarter less than with an object and a
  token for each line. Scanning bytes in place of text: the same.
- Two fifths go to looking at each character once, a quarter each to Chevrotain's lexer and parser, and the rest to reading the
  file. Half of it all is code that runs for the first time: the second of two like files takes three fifths of the time.

Against \`node -e 0\`:

- Code that was compiled before, by Node's V8 and the machine (\`src/cli/launcher.cjs\`): a third to two fifths less.
- Modules and tables that most runs do without are loaded when they are needed; words without quotes are read without the
  lexer of Chevrotain, and the grammar of expressions is made ready when there is one.
- What is left is, by parts: four tenths for Node itself, a tenth for the code, a tenth for what modules do when they are loaded,
  a tenth to a seventh for Chevrotain's look at its own grammars, and the rest for code that runs for the first time.
- A snapshot of the heap would spare most of that. Node takes one only by a switch of its own, ahead of the script, and only
  from the very same program.

What proofs take hangs on the kinds of paths that are to be told apart: \`check\` of \`docs/examples/httpd-2.2\` went over 9,038
kinds, and over 2,803 since a variable that nothing looks at tells no paths apart, and a refused byte only those that its rule is for.
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

function seconds(value: number | undefined): string {
  return value === undefined ? "" : `${value.toFixed(value < 1 ? 3 : 2)} s`;
}

function megabytes(value: number | undefined): string {
  return value === undefined ? "" : `${Math.round(value)} MB`;
}
