import childProcess from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import { dirname } from "node:path";
import { Script } from "node:vm";
import type { Ran } from "./command.js";

/** What a run gets instead of what the test's own process has. */
export interface InProcessOptions {
  readonly cwd: string | undefined;
  /** Standard input. */
  readonly input: string | Buffer;
  readonly env: NodeJS.ProcessEnv;
  /** The time that programs have that the command starts; default: the command's own limits. */
  readonly programTimeout: number | undefined;
}

/** Ends a run, as `process.exit` ends a process. */
class Exit extends Error {}

type Evaluate = (
  exports: object,
  require: (name: string) => unknown,
  module: { readonly exports: object },
  filename: string,
  folder: string,
  process: NodeJS.Process,
) => void;

let compiled: { readonly evaluate: Evaluate; readonly time: number } | undefined;

/** Compiles the bundle as a function of what Node gives each module, and of `process`. */
function compileBundle(bundle: string): Evaluate {
  const time = fs.statSync(bundle).mtimeMs;
  if (compiled?.time === time) return compiled.evaluate;
  const parameters = "exports, require, module, __filename, __dirname, process";
  const script = new Script(`(function (${parameters}) {${fs.readFileSync(bundle, "latin1")}\n})`, {
    filename: bundle,
  });
  const evaluate: Evaluate = script.runInThisContext();
  compiled = { evaluate, time };
  return evaluate;
}

/** The streams of a run, and its end. */
class Run {
  private readonly written: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  private unread: Buffer;
  status: number | undefined;

  constructor(
    readonly argv: readonly string[],
    input: string | Buffer,
    readonly programTimeout: number | undefined,
  ) {
    this.unread = Buffer.from(input);
  }

  write(descriptor: 1 | 2, bytes: Uint8Array): number {
    // A finished process writes nothing.
    if (this.status === undefined) this.written[descriptor].push(Buffer.from(bytes));
    return bytes.length;
  }

  read(target: Buffer): number {
    const length = this.unread.copy(target);
    this.unread = this.unread.subarray(length);
    return length;
  }

  readonly exit = (code: number): never => {
    this.status ??= code;
    throw new Exit();
  };

  textOf(descriptor: 1 | 2): string {
    return Buffer.concat(this.written[descriptor]).toString();
  }
}

/** The bundle, evaluated once, and the run that its streams belong to. */
class Program {
  private run = new Run([], "", undefined);
  private readonly module: { readonly exports: { main?: (args: readonly string[], exit: Run["exit"]) => void } } = {
    exports: {},
  };

  constructor(
    private readonly bundle: string,
    readonly evaluate: Evaluate,
  ) {}

  /** The first run evaluates the bundle, which reads the arguments of the process. */
  start(run: Run): void {
    this.run = run;
    const { main } = this.module.exports;
    if (main) main(run.argv, run.exit);
    else
      this.evaluate(
        this.module.exports,
        this.require(),
        this.module,
        this.bundle,
        dirname(this.bundle),
        this.process(),
      );
  }

  private process(): NodeJS.Process {
    const { bundle } = this;
    const runNow = () => this.run;
    const own = {
      get argv() {
        return [process.execPath, bundle, ...runNow().argv];
      },
      get exit() {
        return runNow().exit;
      },
      stdout: { write: (text: string) => runNow().write(1, Buffer.from(text)) },
      stderr: { write: (text: string) => runNow().write(2, Buffer.from(text)) },
    };
    return new Proxy(process, {
      get(target, name) {
        if (Object.hasOwn(own, name)) return Reflect.get(own, name);
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  }

  private require(): (name: string) => unknown {
    const runNow = () => this.run;
    const streams = {
      writeSync: (descriptor: number, data: unknown, ...rest: readonly unknown[]): number => {
        if (descriptor !== 1 && descriptor !== 2) return Reflect.apply(fs.writeSync, fs, [descriptor, data, ...rest]);
        const bytes = data instanceof Uint8Array ? data : Buffer.from(String(data));
        return runNow().write(descriptor, bytes.subarray(Number(rest[0] ?? 0)));
      },
      readSync: (descriptor: number, target: Buffer, ...rest: readonly unknown[]): number =>
        descriptor === 0 ? runNow().read(target) : Reflect.apply(fs.readSync, fs, [descriptor, target, ...rest]),
    };
    const execFileSync = (program: string, words: readonly string[], options: object) => {
      const { programTimeout } = runNow();
      const timeLimit = programTimeout === undefined ? {} : { timeout: programTimeout };
      return childProcess.execFileSync(program, words, { ...options, ...timeLimit });
    };
    const modules = new Map<string, object>([
      ["child_process", { ...childProcess, execFileSync }],
      ["fs", { ...fs, ...streams }],
      ["os", { ...os, availableParallelism: () => 1 }],
    ]);
    const load = createRequire(this.bundle);
    return (name) => modules.get(name.replace(/^node:/, "")) ?? load(name);
  }
}

let program: Program | undefined;

/** Makes the next run evaluate the program again, so that test files do not depend on their order. */
export function restartProgram(): void {
  program = undefined;
}

/** Changes the environment of this process, which `os.homedir` and other programs get, too. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}

/**
 * Runs the built command in this process, because the start of another one takes longer than most runs. The evaluation
 * of the bundle takes longer than most runs, too, so the runs of a test file share one (`restartProgram`): between runs, it
 * keeps only what it computed from texts, as it does in the executable, which starts with such results. A run has its own
 * arguments, environment and standard streams, and only one processor, so that it starts no threads. Only for commands
 * that end on their own.
 */
export function runInProcess(
  bundle: string,
  args: readonly string[],
  { cwd, input, env, programTimeout }: InProcessOptions,
): Ran {
  const evaluate = compileBundle(bundle);
  // Standard input is read once for all of a program.
  if (program?.evaluate !== evaluate || args.some((arg) => /^(--[\w-]+=)?-$/.test(arg)))
    program = new Program(bundle, evaluate);
  const run = new Run(args, input, programTimeout);
  const before = { folder: process.cwd(), env: { ...process.env } };
  if (cwd !== undefined) process.chdir(cwd);
  setEnvironment(env);
  try {
    program.start(run);
  } catch (error) {
    if (!(error instanceof Exit)) {
      restartProgram();
      throw error;
    }
  } finally {
    setEnvironment(before.env);
    process.chdir(before.folder);
  }
  const { status } = run;
  if (status === undefined) {
    restartProgram();
    throw new Error(`\`${args.join(" ")}\` does not end on its own: it needs its own process`);
  }
  return { status, stdout: run.textOf(1), stderr: run.textOf(2) };
}
