import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { httpd } from "../support/httpd.js";
import { decisionsPerSecond } from "./decisions.js";
import { hostsAlone, namedHosts, virtualHosts } from "./hosts.js";
import { typing } from "./typing.js";

/**
 * Times the built command beside `httpd -t` on the same files, in turn and in one run, since only the ratio means
 * anything on a busy machine. The least of several runs counts. Peak memory is the kernel's own figure.
 */
const runs = Number(process.env["HTTPD_LINT_BENCH_RUNS"] ?? 7);
const command = ["node", "dist/httpd-lint.js"];

interface Measure {
  readonly seconds: number;
  readonly megabytes: number;
}

function measure(args: readonly string[]): Measure {
  const timed = spawnSync("/usr/bin/env", ["bash", "-c", 'TIMEFORMAT=%R; time "$@" >/dev/null 2>&1', "-", ...args], {
    encoding: "utf8",
  });
  const seconds = Number.parseFloat(timed.stderr.trim().split("\n").pop() ?? "");
  const peak = spawnSync("python3", ["-c", peakScript, ...args], { encoding: "utf8" });
  return { seconds, megabytes: Number.parseInt(peak.stdout, 10) / 1024 };
}

const peakScript = `import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`;

/** The best of several rounds in which each command has its turn. */
function together(commands: Readonly<Record<string, readonly string[]>>, rounds: number): Map<string, Measure> {
  const best = new Map<string, Measure>();
  for (let round = 0; round < rounds; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const now = measure(args);
      const before = best.get(name);
      best.set(name, {
        seconds: Math.min(now.seconds, before?.seconds ?? Number.POSITIVE_INFINITY),
        megabytes: Math.min(now.megabytes, before?.megabytes ?? Number.POSITIVE_INFINITY),
      });
    }
  }
  return best;
}

function show(title: string, ours: Measure | undefined, theirs: Measure | undefined): void {
  if (!ours || !theirs) return;
  const ratio = (ours.seconds / theirs.seconds).toFixed(2);
  const memory = (ours.megabytes / theirs.megabytes).toFixed(1);
  process.stdout.write(
    `${title.padEnd(34)} ${ours.seconds.toFixed(3)} s / ${theirs.seconds.toFixed(3)} s = ${ratio}    ${ours.megabytes.toFixed(0)} MB / ${theirs.megabytes.toFixed(0)} MB = ${memory}\n`,
  );
}

const debian = "/etc/apache2";

/** The check of an upgrade, beside the check of the same files. */
function comparing(title: string, entry: string): void {
  const commands = { compare: [...command, "compare", entry], check: [...command, "check", entry] };
  const best = together(commands, Math.ceil(runs / 2));
  show(title, best.get("compare"), best.get("check"));
}

/** A check of files that were not changed since the last one, beside a check without a cache. */
function again(title: string, args: readonly string[]): void {
  const check = [...command, "check", "--exit-zero", ...args];
  const kept = [...check, "--cache-location", join(folder, "cache")];
  spawnSync("/usr/bin/env", kept);
  const best = together({ kept, check }, Math.ceil(runs / 4));
  show(`${title}, kept / check`, best.get("kept"), best.get("check"));
}

const folder = mkdtempSync(join(tmpdir(), "httpd-lint-bench-"));
try {
  process.stdout.write("check / the command beside it, best of the runs: time and peak memory\n");
  for (const hosts of [100, 1_000, 10_000]) {
    const file = join(folder, `hosts-${hosts}.conf`);
    writeFileSync(file, virtualHosts(hosts, folder));
    const commands = { check: [...command, "check", file], httpd: [httpd ?? "apache2", "-t", "-f", file] };
    const best = together(commands, runs);
    show(`${hosts} virtual hosts, httpd -t`, best.get("check"), best.get("httpd"));
    const decided = decisionsPerSecond(file, hosts, runs);
    process.stdout.write(
      `${`${hosts} virtual hosts, decide`.padEnd(34)} ${decided.toLocaleString("en")} requests a second\n`,
    );
  }
  const small = join(folder, "small.conf");
  writeFileSync(small, virtualHosts(1, folder));
  const best = together({ check: [...command, "check", small], node: ["node", "-e", "0"] }, runs * 2);
  show("one host (60 lines), node -e 0", best.get("check"), best.get("node"));
  for (const hosts of [100, 1_000]) {
    const file = join(folder, `named-${hosts}.conf`);
    writeFileSync(file, namedHosts(hosts, folder));
    comparing(`${hosts} virtual hosts, compare / check`, file);
  }
  for (const hosts of [1_000, 10_000]) again(`${hosts} virtual hosts`, [join(folder, `hosts-${hosts}.conf`)]);
  again("1000 named hosts from 2.2", [join(folder, "named-1000.conf"), "--from", "2.2"]);
  const example = "docs/examples/httpd-2.2";
  again("example of 2.2", [example, "--server-root", example, "--from", "2.2"]);
  const editorFile = join(folder, "httpd.conf");
  const { slowestKey, medianKey, findings, check } = await typing(editorFile, virtualHosts(290, folder));
  const ms = (milliseconds: number) => `${milliseconds.toFixed(0)} ms`;
  const ratio = (milliseconds: number) => (milliseconds / check).toFixed(2);
  process.stdout.write(
    `${"10,000 lines, key to completions".padEnd(34)} ${ms(medianKey)}, slowest ${ms(slowestKey)} / ${ms(check)} for check in process = ${ratio(medianKey)}, ${ratio(slowestKey)}\n`,
  );
  process.stdout.write(
    `${"10,000 lines, last key to findings".padEnd(34)} ${ms(findings)} / ${ms(check)} = ${ratio(findings)}\n`,
  );
  if (existsSync(debian)) {
    const copy = join(folder, "debian");
    cpSync(debian, copy, { recursive: true, dereference: true });
    const main = join(copy, "apache2.conf");
    // As 2.2 could read it: it knows no IncludeOptional.
    const text = readFileSync(main, "utf8").replaceAll("IncludeOptional", "Include");
    writeFileSync(main, `${text}NameVirtualHost *:80\n${hostsAlone(10, 80)}`);
    comparing("Debian and 10 hosts, compare / check", copy);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
