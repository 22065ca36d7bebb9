import { CHUNKING_THRESHOLD, FILES_PER_CHUNK, LINES_PER_FILE } from "../../src/apps/cli/check/chunks.js";
import { MIN_FILES_FOR_THREADS } from "../../src/apps/workers/worker-pool.js";
import type { ScaleResults } from "./scale-results.js";

/** Returns docs/scale.md: guidance for servers with many files and fleets, with the figures of a benchmark run. */
export function scalePage(results: ScaleResults): string {
  return `# Many files, many hosts

\`\`\`sh
httpd-lint --jobs 4 --cache             # check with four threads, and keep the results
httpd-lint check web1.conf web2.conf    # several servers
\`\`\`

## Check many \`.htaccess\` files

\`httpd-lint check\` reads the main files of a server as a whole. With ${number(CHUNKING_THRESHOLD)} or more \`.htaccess\` files, it checks them in
parts of ${FILES_PER_CHUNK}. Threads share the parts, and only the findings of a part stay in memory.

- \`--jobs N\` (\`-j N\`) sets the number of threads. By default, ${number(MIN_FILES_FOR_THREADS)} or more files use one thread for each processor,
  at most 8. With fewer files, threads take longer to start than they save. The findings and their order do not depend on the
  number.
- A file is checked with the files in parent folders, from which it inherits. Other files that its requests reach are
  added, for example through a RewriteRule to another folder.
- If you name single files, as [pre-commit](https://pre-commit.com) does, only those files and their dependencies are read.
- Files without a server are checked one by one. Threads share ${number(CHUNKING_THRESHOLD)} or more of them, also if they are next to several servers.
  With 60 copies of a server, two threads once took four times as long as one, because each thread read all servers. Now they take the
  same time.
- A terminal shows the progress: \`12,300 of 100,000 files, 2,400/s, about 37 s left\`. Pipes and CI do not show it.
- If a thread fails, for example from lack of memory, the run ends with exit code 2 and a message. No findings are shown.

## Check a fleet

Each run checks one configuration. For hundreds of hosts, run httpd-lint for each host. Give each result its own SARIF category,
which separates the hosts in code scanning. In a GitHub workflow, use a matrix:

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

On one machine, use GNU parallel or xargs, with one thread for each process:

\`\`\`sh
ls hosts | parallel -j2 'httpd-lint check --jobs 1 --exit-zero --format sarif --category httpd-{} \\
    --output sarif/{}.sarif --cache=cache hosts/{}'
ls hosts | xargs -P2 -I{} httpd-lint check --jobs 1 --exit-zero --format sarif --category httpd-{} \\
    --output sarif/{}.sarif --cache=cache hosts/{}
\`\`\`

Both commands are tested with two processes at a time. With \`--exit-zero\`, they end with 0 unless a run fails. Without it, the exit
code of parallel is the number of hosts with findings, and that of xargs is 123.

Processes can share one cache file. Each process replaces the whole file, and keeps results that others added meanwhile. If two
processes end at the same moment, one result may be lost. The next run computes it again. The cache keeps the last hundred
results. For more hosts, use one cache file for each: \`--cache=cache/{}\`.

## Many virtual hosts in one server

Templates create hosts that are alike up to names, paths and addresses. Such hosts are [proved once](proof.md#alike-hosts), and a
result that holds for several is shown once, with the first host and the number of others. \`--verbose\` lists all of them, and JSON has
them in \`hosts\`. [Performance](performance.md#fleets) has the measurements.

### Hosts that differ only in numbers

Programs often number the hosts that they write: \`host1.example.org\`, \`host2.example.org\`. \`check\` checks five such hosts in full. A
check that depends only on the lines of a host, and finds nothing in these five, passes the other hosts that are alike. This
applies to checks of single lines and of the access rules in one section. Checks of names, files and other hosts, and checks with a
finding, still read every host. The findings are therefore the same as without this shortcut.

Two hosts are alike if their text is the same except for numbers, and all of these conditions are met:

1. Both have the same directives in the same lines, with the same meaning. A condition or a LoadModule line between the hosts can
   change that. All lines are in the file of the host, and have no variables.
2. The numbers that differ are in one of these places:
   - comments
   - words with a letter, or whole names of a path, in Alias, AuthGroupFile, AuthUserFile, CustomLog, Directory, DocumentRoot,
     ErrorLog, If, Location, ScriptAlias, ServerAdmin, ServerAlias, ServerName, SetEnvIf, SSLCertificateFile, SSLCertificateKeyFile or
     TransferLog, but not in classes of characters, repetitions, references or ports
   - the title in AuthName
   - the last three numbers of networks in Allow, Deny and Require, if these lines have no addresses in other forms, such as \`10.1\`,
     \`10.1.0.0/255.255.0.0\` or IPv6
3. Equal numbers of names are equal in both hosts, and different ones are different. A number that differs is not the same as a number
   that is not part of a name.
4. Each pair of networks has the same relation in both hosts, such as one inside the other. The lengths of prefixes are the same.
5. The lines have at most 1,000 bytes, and the numbers of names at most nine digits, so that no limit of httpd applies.

These checks read a name in two ways. They compare it with other words of the host, which gives the same result because of the third
condition. Or they search for other characters than digits in it, such as a comma or a quote. They read a network as an address, and
compare it with others, which gives the same result because of the fourth condition. A random test compares the findings of both ways
to check for thousands of servers, including hosts that nearly meet the conditions.

## Limits of checks in parts

- \`--from 2.2\` compares all requests at once, and \`--fix\` and \`--diff\` try fixes on the whole server. They use one thread
  for all files. All other commands and editors do the same.
- \`--from 2.2\` examines each folder with a \`.htaccess\` file. This takes minutes for a thousand folders. If the
  [steps](hardening.md#comparisons) run out, the remaining hosts are reported as not proved.
- If httpd-lint checks a server in parts, it does not prove that lines have no effect. A fix that depends on such a proof is
  unsafe. \`old-access-control\` reports for each section that access rules may be inherited.
- \`--watch\` checks in one thread.
- \`--cache\` keeps results of whole servers. It does not keep results of named files of a server, or of
  ${number(CHUNKING_THRESHOLD)} or more files without a server.

## Memory

| content | bound |
|---|---|
| the main files, in each thread | their size |
| \`.htaccess\` files, in each thread | one part: ${FILES_PER_CHUNK} files, or one for each ${LINES_PER_FILE} lines of the main files if that is more. Files in parent folders, and other files that requests reach, are added |
| for each \`.htaccess\` file | its path and its number of lines |
| for each directory | its path; at most [500,000](hardening.md#limits) are searched |
| findings | unbounded: all are kept until the report is written, with the contents of their files |

The heap grows freely while memory is available. \`node --max-old-space-size=MB\` limits it, but takes more time.

## Measurements

\`npm run bench -- --scale\` writes this table. The figures are from ${results.with.join(", ")}. Each figure is from one run, on a
machine with other load. Processor time is therefore more reliable than wall time. Three in twenty files are broken, and half are
copies of each other. The ratio compares with the time to find and read the same files (\`find … -exec cat\`). With three named
files, it compares with finding them.

| files | findings | threads | wall time | processor time | memory | find and read | ratio |
|---|---|---|---|---|---|---|---|
${results.rows.map(rowOf).join("\n")}

${grown(results)}
`;
}

function rowOf(row: ScaleResults["rows"][number]): string {
  const { files, hosts, named, findings, jobs, ours, beside } = row;
  const where =
    hosts === undefined ? "without a server" : hosts === 0 ? "of one server" : `of ${number(hosts)} virtual hosts`;
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

/** Returns the cost of ten times as many files. */
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
        `For ten times as many files of ${where}, the processor time is ${time} times as long. Each additional file and its findings take ${(bytes / 1024).toFixed(1)} KB of memory.`,
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
