import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { recover } from "../../../src/apps/file-changes/recover.js";
import { plainFiles, testKey } from "./plain-files.js";

let folder: string;
let child: ChildProcess | undefined;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "httpd-lint-")));
  mkdirSync(join(folder, "files"));
  for (let n = 0; n < 20; n++) writeFileSync(join(folder, "files", `${n}.conf`), "a".repeat(50_000));
});
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** Starts the process, and waits until it is ready to write. */
async function startProcess(mode: string): Promise<{ readonly process: ChildProcess; output(): string }> {
  const script = resolve("test/apps/file-changes/writing-process.ts");
  const process = spawn("node", ["--import", "tsx", script, folder, mode], { stdio: ["ignore", "pipe", "inherit"] });
  child = process;
  let output = "";
  process.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  await once(process.stdout, "data");
  return { process, output: () => output };
}

/** Returns the distinct contents of all files, with a run of the same letter shortened to that letter. */
function texts(): string[] {
  const names = readdirSync(join(folder, "files"));
  expect(names).toHaveLength(20);
  return [...new Set(names.map((name) => readFileSync(join(folder, "files", name), "latin1")))].map((text) =>
    text === (text[0] ?? "").repeat(50_000) ? (text[0] ?? "") : "neither",
  );
}

test("a process that is killed while it writes leaves complete files, which are all in the same state after recovery", async () => {
  let unfinished = 0;
  for (const delay of [1, 30, 70, 110, 160, 220]) {
    const { process } = await startProcess("repeat");
    await sleep(delay);
    process.kill("SIGKILL");
    await once(process, "exit");
    expect(texts()).not.toContain("neither");
    if (existsSync(join(folder, "backups/unfinished"))) unfinished++;
    expect(recover(join(folder, "backups"), plainFiles, { wanted: "after", key: testKey })).toHaveProperty(
      "value.recovered",
    );
    expect(texts()).toHaveLength(1);
  }
  expect(unfinished).toBeGreaterThan(0);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("%s waits until all files are written", async (signal) => {
  const { process, output } = await startProcess("once");
  process.kill(signal);
  await sleep(20);
  writeFileSync(join(folder, "go"), "");
  await once(process, "exit");
  expect(output()).toBe("ready\nwritten\n");
  expect(texts()).toEqual(["b"]);
  expect(readdirSync(join(folder, "backups"))).toHaveLength(1);
});
