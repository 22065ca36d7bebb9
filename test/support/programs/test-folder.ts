import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { ensureBuilt, httpdLint, type Ran, type RunOptions } from "./command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "./scratch-folder.js";

/** A folder that a test, or several, may do with as they like. */
export interface TestFolder {
  readonly path: string;
  /** The path of what is in it, or is to be. */
  at(name: string): string;
  /** Writes files by path; what is no text is written as JSON. */
  write(files: Readonly<Record<string, string | object>>): void;
  /** What a file in it says. */
  textOf(name: string): string;
}

/** For the tests of a file, or of a `describe`: a folder of its own for each, which is gone afterwards. */
export function testFolder(): TestFolder {
  return folderBetween(beforeEach, afterEach);
}

/** The same with one folder for all of them. */
export function sharedFolder(): TestFolder {
  return folderBetween(beforeAll, afterAll);
}

type Hook = (run: () => void) => void;

function folderBetween(before: Hook, after: Hook): TestFolder {
  let scratch: ScratchFolder;
  before(() => {
    scratch = scratchFolder();
  });
  after(() => scratch.dispose());
  const at = (name: string) => join(scratch.path, name);
  return {
    get path(): string {
      return scratch.path;
    },
    at,
    write: (files) => writeFiles(scratch.path, files),
    textOf: (name) => readFileSync(at(name), "utf8"),
  };
}

export interface LintedFolder extends TestFolder {
  /** Runs the built command in it, as a user would. */
  lint(args: readonly string[], options?: RunOptions): Ran;
}

/** A folder for each test of the built command, which is built first where it is older than its sources. */
export function lintedFolder(): LintedFolder {
  beforeAll(ensureBuilt);
  const folder = testFolder();
  const lint = (args: readonly string[], options: RunOptions = {}) => httpdLint(args, { cwd: folder.path, ...options });
  // Not spread: its path is another for each test.
  return Object.assign(folder, { lint });
}
