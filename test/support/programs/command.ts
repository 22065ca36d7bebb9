import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** The built command, as a package brings it. */
export const builtCommand = resolve("dist/httpd-lint.js");

/** What a command answered. */
export interface Ran {
  /** The exit code; null where a signal ended it. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  /** Beside the environment of the tests, from which colours and the linter's own settings are taken out. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The environment without what would change a command's output. */
function plainEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { NO_COLOR, FORCE_COLOR, NODE_OPTIONS, HTTPD_LINT_DEBUG, ...rest } = process.env;
  // Tests make no keys of journals in the home directory.
  return { XDG_STATE_HOME: join(tmpdir(), `httpd-lint-test-state-${process.geteuid?.() ?? 0}`), ...rest, ...more };
}

/** Runs the built command as a user would. */
export function httpdLint(args: readonly string[], { cwd, input, env }: RunOptions = {}): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtCommand, ...args], {
    cwd,
    input,
    env: plainEnvironment(env),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    // One that waits for ever fails its test by the missing exit code.
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

/** Runs the built command and closes its standard output after the first bytes; gives what it left behind. */
export function runWithClosedPipe(args: readonly string[]): Promise<Pick<Ran, "status" | "stderr">> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [builtCommand, ...args], { env: plainEnvironment() });
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    child.on("error", failed);
    child.on("close", (status) => done({ status, stderr }));
  });
}

/** What the bundle is made of. */
const sources = [
  "grammar",
  "rules",
  "src",
  "scripts/build.mjs",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

/** Builds the command where it is missing or older than its sources. Test files run beside each other: one builds. */
export function ensureBuilt(): void {
  withLock(() => {
    if (isFresh()) return;
    const { status, stdout, stderr } = run(process.execPath, ["scripts/build.mjs"]);
    if (status !== 0) throw new Error(`the build failed:\n${stdout}${stderr}`);
  });
}

function isFresh(): boolean {
  // The types are written last.
  if (!existsSync("dist/types/src/index.d.ts") || !existsSync(builtCommand)) return false;
  return statSync("dist/types").mtimeMs > Math.max(...sources.map(newest));
}

/** When a file, or the latest file in a folder, was changed. */
function newest(path: string): number {
  const status = statSync(path);
  if (!status.isDirectory()) return status.mtimeMs;
  // A page of a rule is copied, not compiled, but belongs to the package too.
  return readdirSync(path).reduce((latest, name) => Math.max(latest, newest(join(path, name))), 0);
}

/** A folder is made by one process alone; a lock older than any build was left behind. */
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
