import { closeSync, openSync, writeSync } from "node:fs";
import type { FileSystem } from "../../../src/apps/file-changes/file-system.js";
import { toBytes } from "../../../src/text/bytes.js";

/** Thrown to simulate a killed process: later operations have no effect. */
export const killed = Symbol("killed");

/** Returns an error like the system's. */
export function systemError(code: string, path = "/somewhere"): Error {
  return Object.assign(new Error(code), { code, path });
}

/** Returns the value to throw before the n-th operation; undefined to execute it. */
export type Stop = (count: number, operation: string) => unknown;

export const killAt =
  (n: number): Stop =>
  (count) =>
    count >= n ? killed : undefined;

/** The file system of this machine, until something is thrown. A file that is being written is then incomplete. */
export class StoppedFiles implements FileSystem {
  count = 0;

  constructor(
    private readonly files: FileSystem,
    private readonly stop: Stop,
  ) {}

  get user() {
    return this.files.user;
  }

  private step<T>(operation: string, run: () => T, half: () => void = () => {}): T {
    this.count++;
    const thrown = this.stop(this.count, operation);
    if (thrown === undefined) return run();
    half();
    throw thrown;
  }

  inspect: FileSystem["inspect"] = (path) => this.step("inspect", () => this.files.inspect(path));
  read: FileSystem["read"] = (path) => this.step("read", () => this.files.read(path));
  list: FileSystem["list"] = (path) => this.step("list", () => this.files.list(path));
  realPath: FileSystem["realPath"] = (path) => this.step("realPath", () => this.files.realPath(path));
  checkWritable: FileSystem["checkWritable"] = (path) =>
    this.step("checkWritable", () => this.files.checkWritable(path));
  makeDirectory: FileSystem["makeDirectory"] = (path, attributes) =>
    this.step("makeDirectory", () => this.files.makeDirectory(path, attributes));
  write: FileSystem["write"] = (path, text, attributes) =>
    this.step(
      "write",
      () => this.files.write(path, text, attributes),
      () => {
        // Once killed, nothing more is written.
        if (!this.hasStopped) this.files.write(path, text.slice(0, text.length / 2));
        this.hasStopped = true;
      },
    );
  overwrite: FileSystem["overwrite"] = (path, text) =>
    this.step(
      "overwrite",
      () => this.files.overwrite(path, text),
      () => {
        // Only the part in which the contents differ.
        if (!this.hasStopped) writeStart(path, text.slice(0, text.length - 4));
        this.hasStopped = true;
      },
    );
  extendedAttributes: FileSystem["extendedAttributes"] = (path) =>
    this.step("extendedAttributes", () => this.files.extendedAttributes(path));
  copyExtendedAttributes: FileSystem["copyExtendedAttributes"] = (from, to) =>
    this.step("copyExtendedAttributes", () => this.files.copyExtendedAttributes(from, to));
  rename: FileSystem["rename"] = (from, to) => this.step("rename", () => this.files.rename(from, to));
  remove: FileSystem["remove"] = (path) => this.step("remove", () => this.files.remove(path));
  removeDirectory: FileSystem["removeDirectory"] = (path) =>
    this.step("removeDirectory", () => this.files.removeDirectory(path));
  sync: FileSystem["sync"] = (path) => this.step("sync", () => this.files.sync(path));
  private hasStopped = false;
}

/** Overwrites the start of a file, and leaves the rest. */
function writeStart(path: string, text: string): void {
  const handle = openSync(path, "r+");
  writeSync(handle, toBytes(text));
  closeSync(handle);
}
