/**
 * Writes files in a process, for tests to kill: `node --import tsx writing-process.ts FOLDER MODE`. With mode
 * `repeat`, it writes the next letter into all files in an endless loop. With `once`, it waits for a file `go`, and
 * writes `b` despite interruptions.
 */
import { existsSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { withSignalsBlocked } from "../../../src/apps/file-changes/atomic-write.js";
import { writeChanges } from "../../../src/apps/file-changes/write-changes.js";
import { plainFiles, testKey } from "./plain-files.js";

const [folder = "", mode] = process.argv.slice(2);
const next: Readonly<Record<string, string>> = { a: "b", b: "c", c: "a" };

function write(): void {
  const changes = readdirSync(join(folder, "files")).map((name) => {
    const path = join(folder, "files", name);
    const before = readFileSync(path, "latin1");
    return { path, before, after: (next[before[0] ?? ""] ?? "").repeat(before.length) };
  });
  const written = writeChanges(changes, join(folder, "backups"), plainFiles, testKey);
  if (!written.ok) throw new Error(written.error.message);
}

const ready = () => writeSync(1, "ready\n");
if (mode === "once")
  withSignalsBlocked(() => {
    ready();
    const clock = new Int32Array(new SharedArrayBuffer(4));
    while (!existsSync(join(folder, "go"))) Atomics.wait(clock, 0, 0, 5);
    write();
    writeSync(1, "written\n");
  });
else for (ready(); ; ) write();
