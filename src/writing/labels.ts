import { readFileSync } from "node:fs";

/**
 * Whether SELinux holds programs to the labels of files. A new file has the label of the directory that it was written in,
 * and keeps it where it is put in place of another.
 *
 * @param enforce where the system says so
 */
export function hasLabels(enforce = "/sys/fs/selinux/enforce"): boolean {
  try {
    return readFileSync(enforce, "latin1").trim() === "1";
  } catch {
    return false;
  }
}
