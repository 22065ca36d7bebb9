import { fstatSync, statSync } from "node:fs";

/**
 * Whether standard output (1) or standard error (2) is a terminal. Node's own streams know, but take milliseconds to make
 * ready: they are asked only where a device is there that may be one.
 */
export function isTerminal(descriptor: 1 | 2): boolean {
  try {
    const status = fstatSync(descriptor);
    if (!status.isCharacterDevice() || status.rdev === statSync("/dev/null").rdev) return false;
  } catch {
    // A closed descriptor is no terminal; a system without the null device knows better.
  }
  return (descriptor === 1 ? process.stdout : process.stderr).isTTY === true;
}

/** How many columns standard output has; undefined where it is no terminal. */
export function columns(): number | undefined {
  return isTerminal(1) ? process.stdout.columns : undefined;
}
