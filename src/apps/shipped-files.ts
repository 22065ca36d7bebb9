import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";
import { startThread } from "./threads.js";

/** The files in a single executable, and how a thread starts there. The launcher of the executable sets it. */
interface EmbeddedFiles {
  /** Returns a file's text; undefined if it is missing. */
  readonly read: (name: string) => string | undefined;
  /** Starts a script in a thread. */
  readonly start: (name: string, options: WorkerOptions) => Worker;
  /** Whether the program is only loaded, for a startup snapshot. */
  readonly isDeferred: boolean;
}

/** The key of `EmbeddedFiles` in the global object. */
const EMBEDDED = Symbol.for("httpd-lint.embedded-files");

const embedded: EmbeddedFiles | undefined = Reflect.get(globalThis, EMBEDDED);

/** Whether the program is a single executable, whose files have no paths. */
export const isExecutable: boolean = embedded !== undefined;

/** Whether the program is only loaded, and another program starts it. */
export const isDeferred: boolean = embedded?.isDeferred === true;

/** Returns the path of the program: the bundle, or the executable, which may be elsewhere than at its build. */
export function findProgram(): string {
  return isExecutable ? process.execPath : fileURLToPath(import.meta.url);
}

/** Folders of the source tree with files that the build copies, each with the shipped name before the path. */
const sourcePaths: readonly (readonly [RegExp, string])[] = [
  [/^rules\/(.+)\.md$/, "../../rules/$1/$1.md"],
  [/^browser\//, "../../dist/browser/"],
  [/^completions\//, "../../completions/"],
];

/** Returns the paths at which a shipped file can be: beside the bundle, or in the source tree. */
export function listShippedPaths(name: string): readonly URL[] {
  const inSource = sourcePaths.filter(([pattern]) => pattern.test(name));
  const paths = [`./${name}`, ...inSource.map(([pattern, path]) => name.replace(pattern, path))];
  return paths.map((path) => new URL(path, import.meta.url));
}

/** Returns the text of a file that is built with the program; undefined if it is missing. */
export function readShippedFile(name: string): string | undefined {
  if (embedded) return embedded.read(name);
  for (const path of listShippedPaths(name)) {
    try {
      return readFileSync(path, "utf8");
    } catch {
      // The next path may exist.
    }
  }
  return undefined;
}

/** Starts a shipped script in a thread. */
export function startShippedScript(name: string, options: WorkerOptions = {}): Worker {
  return embedded ? embedded.start(name, options) : startThread(new URL(`./${name}`, import.meta.url), options);
}
