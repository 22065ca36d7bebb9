/** Compiles the program with Bun: for the system of the build, or with the Bun of another system and processor. */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { installPinned, runTool } from "./pinned-packages.js";

const LAUNCHER = "old-glibc-launcher.cjs";

/** Without these options, the executable would obey files of the working directory. */
const ownFilesOnly = ["bunfig", "dotenv", "package-json", "tsconfig"].map((name) => `--no-compile-autoload-${name}`);

/**
 * Writes an executable that contains Bun and the program.
 *
 * @param files the paths of the files of the program, by their names in `dist`
 * @param options how to compile: `--bytecode` and `--target`, or the Bun of another system
 */
export function compileWithBun(
  executable: string,
  files: ReadonlyMap<string, string>,
  options: readonly string[],
): void {
  const bun = join(installPinned("bun"), "bin", "bun");
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-bun-"));
  const at = (name: string) => join(scratch, name);
  try {
    for (const [name, path] of files) {
      mkdirSync(dirname(at(name)), { recursive: true });
      cpSync(path, at(name));
    }
    copyFileSync(join("src/apps/cli", LAUNCHER), at(LAUNCHER));
    const scripts = [...files.keys()].filter((name) => !name.includes("/") && name.endsWith(".js"));
    for (const name of scripts) nameExecutable(at(name));
    // A folder keeps the paths in it; a single file in a folder would not.
    const others = [...files.keys()].filter((name) => !scripts.includes(name)).map((name) => name.replace(/\/.*/, ""));
    const assets = [...new Set(others)].map((name) => `--asset=${name}`);
    const all = ["--compile", "--format=cjs", ...options, ...ownFilesOnly, ...assets];
    runTool(bun, ["build", ...all, LAUNCHER, "--outfile", resolve(executable)], scratch);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Replaces the path of a bundle in its own text, which is the path on the machine that builds, by that of the executable. */
function nameExecutable(path: string): void {
  const text = readFileSync(path, "utf8");
  const named = text.replace(/pathToFileURL\(__filename\)/, "pathToFileURL(process.execPath)");
  if (named === text) throw new Error(`${path} does not name its path`);
  writeFileSync(path, named);
}
