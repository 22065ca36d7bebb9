import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, linkSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { httpd, moduleFolder } from "../../support/httpd/httpd.js";

/** Programs that the server or its CGI programs need. */
const programs = [httpd ?? "apache2", "/bin/sh"];

/**
 * Creates a folder that contains the server, its modules and their libraries, in which it can run with chroot.
 *
 * @param modules short names
 */
export function createChrootFolder(root: string, modules: readonly string[]): void {
  const files = [...programs, ...modules.map((name) => join(moduleFolder, `mod_${name}.so`))];
  for (const path of files) copyInto(root, path);
  for (const library of librariesOf(files)) copyInto(root, library);
  for (const folder of ["dev/shm", "tmp", "run", "var/log", "etc"]) mkdirSync(join(root, folder), { recursive: true });
  for (const [name, minor] of [
    ["null", "3"],
    ["urandom", "9"],
    ["random", "8"],
  ] as const)
    spawnSync("mknod", ["-m", "666", join(root, "dev", name), "c", "1", minor]);
}

function librariesOf(files: readonly string[]): ReadonlySet<string> {
  const { stdout } = spawnSync("ldd", files, { encoding: "utf8", maxBuffer: 1 << 26 });
  return new Set([...stdout.matchAll(/(\/\S+\.so\S*)(?= \()/g)].map(([, path]) => path ?? ""));
}

/** Links a file to its path below the root, or copies it if a link is not possible. */
function copyInto(root: string, path: string): void {
  const target = join(root, path);
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  const real = realpathSync(path);
  try {
    linkSync(real, target);
  } catch {
    copyFileSync(real, target);
  }
}
