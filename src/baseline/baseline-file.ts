import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "../project/discovery/main-files.js";
import { diskAccess } from "../project/files/disk.js";
import { fromReadable, toReadable } from "../text/source.js";
import { Baseline } from "./baseline.js";
import { readBaseline } from "./read.js";

/** A baseline and its file. */
export interface BaselineFile {
  /** With links resolved. */
  readonly path: string;
  readonly baseline: Baseline;
}

/** A missing, unreadable or invalid baseline, with the reason as a clause. */
export interface BaselineFailure {
  readonly kind: "missing" | "unreadable" | "wrong";
  readonly path: string;
  readonly why: string;
}

/** Reads a baseline. @param confine the directory that it must be in */
export function readBaselineFile(file: string, confine?: string): BaselineFile | BaselineFailure {
  const path = resolveBaselinePath(file);
  const content = diskAccess(confine === undefined ? {} : { confine }).read(fromReadable(path));
  if ("failed" in content) return { kind: content.isAbsent ? "missing" : "unreadable", path, why: content.failed };
  const read = readBaseline(toReadable(content.text));
  if ("failed" in read) return { kind: "wrong", path, why: read.failed };
  return { path, baseline: new Baseline(read.known, dirname(path)) };
}

/** Returns the path of a baseline, existing or not, with links resolved. */
function resolveBaselinePath(file: string): string {
  const named = resolve(file);
  return realPathOf(named) ?? join(realPathOf(dirname(named)) ?? dirname(named), basename(named));
}
