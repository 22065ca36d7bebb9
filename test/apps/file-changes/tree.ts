import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { type FileReplacement, writeChanges } from "../../../src/apps/file-changes/write-changes.js";
import { killed, type Stop, StoppedFiles } from "../../support/programs/interrupted-files.js";
import { plainFiles, testKey } from "./plain-files.js";

/**
 * Configuration files in a separate folder, with changes to three of them. One of the three is reached through a link.
 */
export interface Tree {
  readonly folder: string;
  /** The backup directory, which does not exist. */
  readonly place: string;
  readonly changes: readonly FileReplacement[];
  /** Returns all entries outside the backup directory, with type, owner and contents. */
  state(): Readonly<Record<string, string>>;
  [Symbol.dispose](): void;
}

const paths = ["conf/main.conf", "conf/secret.conf", "sites-available/a.conf"] as const;

/** The contents are not valid UTF-8. */
const before = (path: string) => `# ${path} \xe9\nOrder allow,deny\nAllow from all\n`;
const after = (path: string) => `# ${path} \xe9\nRequire all granted\n`;

/** Returns a folder in memory if there is one, because these tests flush thousands of files, which is slow on a disk. */
function memoryFolder(): string {
  try {
    accessSync("/dev/shm", constants.W_OK);
    return "/dev/shm";
  } catch {
    return tmpdir();
  }
}

export function makeTree(): Tree {
  const folder = realpathSync(mkdtempSync(join(memoryFolder(), "httpd-lint-")));
  for (const name of ["conf", "sites-available", "sites-enabled"]) mkdirSync(join(folder, name));
  for (const path of paths) writeFileSync(join(folder, path), before(path), "latin1");
  writeFileSync(join(folder, "conf/other.conf"), "ServerName x\n");
  symlinkSync("../sites-available/a.conf", join(folder, "sites-enabled/a.conf"));
  chmodSync(join(folder, "conf/secret.conf"), 0o640);
  chmodSync(join(folder, "sites-available"), 0o750);
  if (process.getuid?.() === 0)
    for (const path of ["conf/secret.conf", "sites-available"]) chownSync(join(folder, path), 12_345, 54_321);
  const place = join(folder, "conf/.httpd-lint");
  return {
    folder,
    place,
    changes: paths.map((path) => ({ path: join(folder, path), before: before(path), after: after(path) })),
    state: () => Object.fromEntries(entriesOf(folder, "", place)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
}

function entriesOf(folder: string, below: string, place: string): [string, string][] {
  return readdirSync(join(folder, below)).flatMap((name): [string, string][] => {
    const path = join(below, name);
    const full = join(folder, path);
    if (full === place) return [];
    const status = lstatSync(full);
    const owned = `${(status.mode & 0o7777).toString(8)} ${status.uid}:${status.gid}`;
    if (status.isSymbolicLink()) return [[path, `-> ${readlinkSync(full)}`]];
    if (status.isDirectory()) return [[path, owned], ...entriesOf(folder, path, place)];
    return [[path, `${owned} ${readFileSync(full, "latin1")}`]];
  });
}

/** Returns the state of a tree after all changes. */
export function changedState(tree: Tree): Readonly<Record<string, string>> {
  const changed = Object.entries(tree.state()).map(([path, text]): [string, string] => {
    const change = tree.changes.find((each) => each.path === join(tree.folder, path));
    return [path, change ? text.replace(change.before, change.after) : text];
  });
  return Object.fromEntries(changed);
}

/** Runs a transaction that is killed after it has replaced one file. */
export function interruptRun({ changes, place, state }: Tree): void {
  let renames = 0;
  const stop: Stop = (_, operation) => {
    if (operation === "rename") renames++;
    return renames === 3 ? killed : undefined;
  };
  expect(() => writeChanges(changes, place, new StoppedFiles(plainFiles, stop), testKey)).toThrow();
  expect(Object.values(state()).filter((text) => text.includes("Require all granted"))).toHaveLength(1);
}
