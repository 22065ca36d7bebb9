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
  module: object,
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

/** Changes the environment of this process, which `os.homedir` and other programs get, too. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (process.env[name] !== value) process.env[name] = value;
}

/**
 * Runs the built command in this process, because the start of another one takes longer than most runs. The bundle is
 * evaluated again each time, so a run inherits nothing from earlier ones. It has its own arguments, environment and
 * standard streams, and only one processor, so that it starts no threads. Only for commands that end on their own.
 */
export function runInProcess(
  bundle: string,
  args: readonly string[],
  { cwd, input, env, programTimeout }: InProcessOptions,
): Ran {
  const evaluate = compileBundle(bundle);
  const written: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  let unread = Buffer.from(input);
  let status: number | undefined;

  const capture = (descriptor: 1 | 2, bytes: Uint8Array): number => {
    // A finished process writes nothing.
    if (status === undefined) written[descriptor].push(Buffer.from(bytes));
    return bytes.length;
  };
  const streams = {
    writeSync: (descriptor: number, data: unknown, ...rest: readonly unknown[]): number => {
      if (descriptor !== 1 && descriptor !== 2) return Reflect.apply(fs.writeSync, fs, [descriptor, data, ...rest]);
      const bytes = data instanceof Uint8Array ? data : Buffer.from(String(data));
      return capture(descriptor, bytes.subarray(Number(rest[0] ?? 0)));
    },
    readSync: (descriptor: number, target: Buffer, ...rest: readonly unknown[]): number => {
      if (descriptor !== 0) return Reflect.apply(fs.readSync, fs, [descriptor, target, ...rest]);
      const length = unread.copy(target);
      unread = unread.subarray(length);
      return length;
    },
  };
  const own = {
    argv: [process.execPath, bundle, ...args],
    exit: (code: number) => {
      status ??= code;
      throw new Exit();
    },
    stdout: { write: (text: string) => capture(1, Buffer.from(text)) },
    stderr: { write: (text: string) => capture(2, Buffer.from(text)) },
  };
  const ownProcess = new Proxy(process, {
    get(target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const load = createRequire(bundle);
  const timeLimit = programTimeout === undefined ? {} : { timeout: programTimeout };
  const execFileSync = (program: string, words: readonly string[], options: object) =>
    childProcess.execFileSync(program, words, { ...options, ...timeLimit });
  const modules = new Map<string, object>([
    ["child_process", { ...childProcess, execFileSync }],
    ["fs", { ...fs, ...streams }],
    ["os", { ...os, availableParallelism: () => 1 }],
  ]);
  const require = (name: string): unknown => modules.get(name.replace(/^node:/, "")) ?? load(name);

  const before = { folder: process.cwd(), env: { ...process.env } };
  if (cwd !== undefined) process.chdir(cwd);
  setEnvironment(env);
  try {
    evaluate({}, require, { exports: {} }, bundle, dirname(bundle), ownProcess);
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
  } finally {
    setEnvironment(before.env);
    process.chdir(before.folder);
  }
  if (status === undefined) throw new Error(`\`${args.join(" ")}\` does not end on its own: it needs its own process`);
  return { status, stdout: Buffer.concat(written[1]).toString(), stderr: Buffer.concat(written[2]).toString() };
}
