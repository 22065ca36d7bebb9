import { FILES_IN_PART, LINES_TO_A_FILE, MANY_FILES } from "../../src/cli/many-files.js";
import type { ScaleResults } from "./scale-results.js";

/** docs/scale.md: how servers with many files and fleets are checked, with the figures of a run of the bench. */
export function scalePage(results: ScaleResults): string {
  return `# Many files, many hosts

## Servers with many \`.htaccess\` files

\`httpd-lint check\` reads the main files of a server as a whole. From ${number(MANY_FILES)} \`.htaccess\` files on it looks at those in
parts of ${FILES_IN_PART}: they are read and judged, and let go but for what was found. Threads share the parts.

- \`--jobs N\` (\`-j N\`) says how many threads; without it there is one for each processor, at most 8. Smaller runs stay on one,
  whatever it says. What is found, and in what order, does not hang on it.
- A file is looked at with those above it, whose rules it inherits, and with those that requests come by otherwise, as
  where a RewriteRule leads on to another folder.
- Where single files are named, as [pre-commit](https://pre-commit.com) does, those alone are read and what they hang on.
- Files of no server are looked at each by itself. From ${number(MANY_FILES)} on threads share them.
- A terminal is shown how far the run has come: \`12,300 of 100,000 files, 2,400 a second\`. Pipes and CI are shown nothing.
- A thread that fails, as for want of memory, ends the run with exit code 2 and a message, and nothing is told of the rest.

### What memory hangs on

| what is held | bound |
|---|---|
| the main files, in each thread | their size |
| \`.htaccess\` files, in each thread | one part: ${FILES_IN_PART} files, or one for ${LINES_TO_A_FILE} lines of the main files where that is more; those above and beside come to it |
| of each \`.htaccess\` file | its path, its number of lines |
| of each directory | its path; [500,000](hardening.md#limits) are looked in |
| findings | none: all are held until the report is written, with the text of their files |

The heap grows lazily as long as there is memory; \`node --max-old-space-size=MB\` keeps it small, for more time.

### What is not done in parts

- \`--from 2.2\` proves what the move changes of all requests at once, and \`--fix\` and \`--diff\` try fixes on the whole server.
  They hold all files in one thread, and so do all other commands and editors. \`--from 2.2\` asks of
  each folder with a \`.htaccess\` file: that takes minutes where there are a thousand. Where the
  [steps](hardening.md#comparisons) run out, the hosts that come behind are told as not proved.
- A proof that lines change nothing is not made where a server is looked at in parts: a fix that hangs on one is offered as
  unsafe. \`old-access-control\` says of each section that rules may come in from outside.
- \`--watch\` checks in one thread. \`--cache\` keeps what was found where all of a server was asked for, not of files that were
  named out of it, nor of ${number(MANY_FILES)} files of no server or more.

## What it takes

Made by \`npm run bench -- --scale\`, with ${results.with.join(", ")}. Each run was made once, on a machine that did other things as
well, so processor time tells more than wall time. Three in twenty of the files are broken, half are copies of each other. Beside it
stands what it takes to find the same files and read them (\`find … -exec cat\`), or to find them where three are named.

| files | findings | threads | time | of processors | memory | find and read | ratio |
|---|---|---|---|---|---|---|---|
${results.rows.map(rowOf).join("\n")}

${grown(results)}

## Fleets

A run is about one configuration. Of hosts by the hundred each has a run of its own, and each result a SARIF category, by
which code scanning keeps them apart. In a GitHub workflow a matrix does so:

\`\`\`yaml
jobs:
  httpd:
    strategy:
      fail-fast: false
      matrix:
        host: [web1, web2]
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write
    steps:
      - uses: actions/checkout@v4
      - uses: <owner>/httpd-lint@v0.1.0
        with:
          paths: hosts/\${{ matrix.host }}
          category: httpd-\${{ matrix.host }}
\`\`\`

On one machine GNU parallel or xargs does, with one thread to each process:

\`\`\`sh
ls hosts | parallel -j2 'httpd-lint check --jobs 1 --exit-zero --format sarif --category httpd-{} \\
    --output sarif/{}.sarif --cache-location cache hosts/{}'
ls hosts | xargs -P2 -I{} httpd-lint check --jobs 1 --exit-zero --format sarif --category httpd-{} \\
    --output sarif/{}.sarif --cache-location cache hosts/{}
\`\`\`

Both were tried with two processes at a time. Without \`--exit-zero\` parallel ends with the number of hosts that have findings,
and xargs with 123; with it, each ends with 0 unless a run failed.

Processes may share one cache file: each puts it in place whole, with what others have kept there meanwhile. Two that end in
the same instant may lose what one of them kept, which is found anew the next time. It keeps the last hundred results; for
more hosts give each its own, \`--cache-location cache/{}\`.
`;
}

function rowOf(row: ScaleResults["rows"][number]): string {
  const { files, hosts, named, findings, jobs, ours, beside } = row;
  const where =
    hosts === undefined ? "of no server" : hosts === 0 ? "of one server" : `of ${number(hosts)} virtual hosts`;
  const what = `${named === undefined ? "" : `${named} named of `}${number(files)} ${where}`;
  const ratio = (ours.processor / beside.processor).toFixed(0);
  const cells = [
    what,
    number(findings),
    jobs,
    seconds(ours.seconds),
    seconds(ours.processor),
    megabytes(ours.megabytes),
  ];
  return `| ${[...cells, seconds(beside.processor), ratio].join(" | ")} |`;
}

/** What ten times as many files take. */
function grown({ rows }: ScaleResults): string {
  return rows
    .flatMap((large) => {
      if (large.jobs !== 1 || large.hosts === undefined || large.named !== undefined) return [];
      const small = rows.find(({ files, hosts, jobs, named }) => {
        const isAlike = hosts !== undefined && hosts * 10 === large.hosts && named === undefined;
        return files * 10 === large.files && jobs === 1 && isAlike;
      });
      if (small === undefined) return [];
      const time = (large.ours.processor / small.ours.processor).toFixed(1);
      const bytes = ((large.ours.megabytes - small.ours.megabytes) * 1_048_576) / (large.files - small.files);
      const where = large.hosts === 0 ? "one server" : `${number(large.hosts)} virtual hosts`;
      return [
        `Ten times as many files of ${where} took ${time} times the processor time, and ${(bytes / 1024).toFixed(1)} KB of memory for each file more, findings among it.`,
      ];
    })
    .join("\n");
}

function number(value: number): string {
  return value.toLocaleString("en");
}

function seconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}

function megabytes(value: number): string {
  return `${Math.round(value)} MB`;
}
