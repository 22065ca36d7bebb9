import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { ensureBuilt, httpdLint, type Ran, type RunOptions } from "./command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "./scratch-folder.js";

/** A folder for the unrestricted use of one or more tests. */
export interface TestFolder {
  readonly path: string;
  /** Returns the path of an existing or new entry. */
  at(name: string): string;
  /** Writes files by path; values other than strings are written as JSON. */
  write(files: Readonly<Record<string, string | object>>): void;
  /** Returns the content of a file in it. */
  textOf(name: string): string;
}

/** Sets up a separate folder for each test of a file or `describe`, removed afterwards. */
export function testFolder(): TestFolder {
  return folderBetween(beforeEach, afterEach);
}

/** Sets up one folder for all tests. */
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

/** Sets up a folder for each test of the built command, which is built first if it is older than its sources. */
export function lintedFolder(): LintedFolder {
  beforeAll(ensureBuilt);
  const folder = testFolder();
  const lint = (args: readonly string[], options: RunOptions = {}) => httpdLint(args, { cwd: folder.path, ...options });
  // Not spread: its path differs for each test.
  return Object.assign(folder, { lint });
}
