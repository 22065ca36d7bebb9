import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { templateHosts } from "../bench/fleet-hosts.js";
import { commandArgs, commandProgram } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const env = { PATH: process.env["PATH"], TERM: "xterm" };

/** Runs a command with a terminal as standard error, and presses Ctrl+C at the first progress. */
const interrupt = `import os, pty, signal, subprocess, sys
leader, follower = pty.openpty()
run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=follower)
os.close(follower)
seen = b""
try:
    while part := os.read(leader, 1024):
        if b"exploring" in part and b"exploring" not in seen:
            run.send_signal(signal.SIGINT)
        seen += part
except OSError:
    pass
print(run.wait())
print(seen.decode(), end="")`;

test("a terminal shows the progress of a long comparison, and Ctrl+C clears it", () => {
  // The comparison takes several times as long as the delay before the first progress.
  scratch.write({ "httpd.conf": templateHosts(10_000, scratch.path) });
  const args = ["-c", interrupt, commandProgram, ...commandArgs, "compare", "httpd.conf"];
  const { stdout } = spawnSync("python3", args, { cwd: scratch.path, encoding: "utf8", env });
  const [code, ...shown] = stdout.split("\n");
  expect(code).toBe("-2");
  const lines = shown.join("\n").split("\r\x1b[K");
  expect(lines.slice(0, 2)).toEqual([
    "",
    expect.stringMatching(/^httpd-lint: exploring requests: \d+ of 10,000 hosts/),
  ]);
  expect(lines.at(-1)).toBe("");
}, 120_000);

test("progress is not written to a pipe", () => {
  scratch.write({ "httpd.conf": templateHosts(3_000, scratch.path) });
  const args = [...commandArgs, "compare", "httpd.conf"];
  const started = Date.now();
  const { stderr, status } = spawnSync(commandProgram, args, { cwd: scratch.path, encoding: "utf8", env });
  // The documents of the hosts are not here.
  const others = stderr.split("\n").filter((line) => !line.startsWith("httpd-lint: assuming that no `.htaccess` file"));
  expect({ others, status }).toEqual({ others: [""], status: 0 });
  expect(Date.now() - started).toBeGreaterThan(1_000);
}, 120_000);
