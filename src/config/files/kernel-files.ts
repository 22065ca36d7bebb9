import { readlinkSync, realpathSync, statfsSync } from "node:fs";
import type { FileFailure } from "./file-access.js";
import { isWithin, resolvePath } from "./paths.js";

/**
 * The directories of the kernel and of devices. Files in them show the environment of this process, its memory or
 * input, and none is configuration.
 */
const kernelDirectories = ["/proc", "/sys", "/dev"];

/** Linux: types of file systems whose files the kernel makes up, wherever they are mounted (statfs(2)). */
const kernelFileSystems: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x1cd1, // devpts
  0x19800202, // mqueue
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x62656570, // configfs
  0x64626720, // debugfs
  0x73636673, // securityfs
  0x74726163, // tracefs
  0x6e736673, // nsfs
  0x6165676c, // pstore
  0xcafe4a11, // bpf
  0xde5e81e4, // efivarfs
  0x50494e46, // pidfs
]);

/** Returns why a path may not be read, judged by its name; undefined if it may. @param path absolute */
export function findKernelPath(path: string): FileFailure | undefined {
  const clean = resolvePath("/", path);
  // The server opens this device, which is empty, in place of a file (server/util.c `ap_pcfg_openfile`).
  if (clean === "/dev/null") return undefined;
  const directory = kernelDirectories.find((each) => isWithin(clean, each));
  return directory === undefined ? undefined : kernelFailure(` (\`${directory}\`)`);
}

/**
 * Returns why a file or directory may not be read, with links and mounts resolved; undefined if it may.
 *
 * @param held a path to it; on Linux that of an open descriptor, which another process cannot replace
 */
export function findKernelFile(held: string): FileFailure | undefined {
  const byName = findKernelPath(realPathOfHeld(held));
  if (byName !== undefined || process.platform !== "linux") return byName;
  return kernelFileSystems.has(statfsSync(held).type) ? kernelFailure("") : undefined;
}

function realPathOfHeld(held: string): string {
  return held.startsWith("/proc/self/fd/") ? readlinkSync(held) : realpathSync(held);
}

/** Returns a path to an open file that finds it even if its name is replaced. */
export function pathOfDescriptor(handle: number, path: string): string {
  return process.platform === "linux" ? `/proc/self/fd/${handle}` : path;
}

/** @param place the directory that shows it */
function kernelFailure(place: string): FileFailure {
  return {
    message: `it belongs to the kernel${place}`,
    reason: "httpd-lint does not read files below `/proc`, `/sys` and `/dev`, since they show data of this process",
    remedy: "name a file on the disk",
  };
}
