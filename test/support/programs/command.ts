import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeep } from "../depth.js";
import { restartProgram, runInProcess } from "./in-process.js";

/**
 * The program to test instead of the built command, such as the single executable. Its tests run in their own
 * processes.
 */
const otherCommand = process.env["HTTPD_LINT_COMMAND"];

/** Whether the tests run the command with Node.js, as packaged. */
export const isPackaged: boolean = otherCommand === undefined;

/** The program that runs the command, and its first arguments. */
export const commandProgram: string = otherCommand === undefined ? process.execPath : resolve(otherCommand);
export const commandArgs: readonly string[] = isPackaged ? [resolve("dist/httpd-lint.js")] : [];

/** The start of a command line for a shell. */
export const shellCommand: string = [commandProgram, ...commandArgs].map((word) => `"${word}"`).join(" ");

/** The names of all commands. */
export const commandNames = [
  ...["check", "resolve", "explain", "test", "compare", "map", "audit", "upgrade", "migrate", "init", "rules", "lsp"],
] as const;

/** The bundle that it starts. */
const builtBundle = resolve("dist/main.js");

/** The result of a command. */
export interface Ran {
  /** The exit code; null if a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  /**
   * Additions to the environment of the tests, from which colour settings and the linter's own variables are removed.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The CPU time after which the command is killed. */
  readonly cpuSeconds?: number;
  /** The time that programs have that the command starts, in milliseconds; deep runs wait as long as the command does. */
  readonly programTimeout?: number;
  /** Whether the command always has its own process, as in deep runs. */
  readonly ownProcess?: boolean;
}

/** Returns the environment without variables that would change a command's output. */
function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, NODE_OPTIONS, HTTPD_LINT_DEBUG, ...rest } = process.env;
  // Tests do not create journal keys in the home directory.
  return { XDG_STATE_HOME: join(tmpdir(), `httpd-lint-test-state-${process.geteuid?.() ?? 0}`), ...rest, ...more };
}

/**
 * Runs the built command as a user would. In `npm test` it has its own process only where that matters: if it starts
 * threads, is limited, or gets options for Node.
 */
export function httpdLint(args: readonly string[], options: RunOptions = {}): Ran {
  const { cwd, input, env, cpuSeconds, programTimeout, ownProcess = isDeep || !isPackaged } = options;
  const isForThreads = args.some((arg) => /^(--jobs|-j)/.test(arg));
  if (!ownProcess && !isForThreads && cpuSeconds === undefined && env?.["NODE_OPTIONS"] === undefined)
    return runInProcess(builtBundle, args, { cwd, input: input ?? "", env: plainEnvironment(env), programTimeout });
  const command = [commandProgram, ...commandArgs, ...args];
  const limit = `ulimit -t ${cpuSeconds} && exec "$0" "$@"`;
  const [program = "", ...words] = cpuSeconds === undefined ? command : ["sh", "-c", limit, ...command];
  const { status, stdout, stderr } = spawnSync(program, words, {
    cwd,
    input,
    env: plainEnvironment(env),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    // A command that hangs fails its test by the missing exit code.
    timeout: 120_000,
  });
  return { status, stdout, stderr };
}

/** Runs another program, with its output as text. */
export function run(program: string, args: readonly string[], { cwd, env }: RunOptions = {}): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: plainEnvironment(env),
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

/** Runs the built command and closes its standard output after the first bytes; returns the rest of its result. */
export function runWithClosedPipe(args: readonly string[]): Promise<Pick<Ran, "status" | "stderr">> {
  return new Promise((done, failed) => {
    const child = spawn(commandProgram, [...commandArgs, ...args], { env: plainEnvironment() });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    child.on("error", failed);
    child.on("close", (status) => done({ status, stderr }));
  });
}

/** The sources of the bundle. */
const sources = [
  "completions",
  "grammar",
  "rules",
  "src",
  "scripts/build.mjs",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/**
 * Builds the command if it is missing or older than its sources. Test files run in parallel: only one builds. The runs of
 * earlier test files leave nothing to the next ones in the same process.
 */
export function ensureBuilt(): void {
  restartProgram();
  withLock(() => {
    if (isFresh()) return;
    const { status, stdout, stderr } = run(process.execPath, ["scripts/build.mjs"]);
    if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
  });
}

function isFresh(): boolean {
  // The types are written last.
  if (!existsSync("dist/types/src/index.d.ts") || !existsSync("dist/httpd-lint.js")) return false;
  return statSync("dist/types").mtimeMs > Math.max(...sources.map(newest));
}

/** Returns the modification time of a file, or the latest one in a folder. */
function newest(path: string): number {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  // A rule's page is copied, not compiled, but belongs to the package too.
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

/** Only one process can create the folder; a lock older than any build is stale. */
function withLock(action: () => void): void {
  const lock = join(tmpdir(), `httpd-lint-build-${Buffer.from(resolve(".")).toString("hex").slice(-40)}`);
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch {
      const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0);
      if (age > 120_000 && existsSync(lock)) rmdirSync(lock);
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    action();
  } finally {
    rmdirSync(lock);
  }
}
