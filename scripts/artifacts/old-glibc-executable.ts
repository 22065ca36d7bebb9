/**
 * Builds the executable for systems with an old glibc: CentOS 7 and its relatives have 2.17, and Node.js 24 needs 2.28. It
 * contains Bun.
 */
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { installPinned, runTool } from "./pinned-packages.js";
import { prependCode } from "./prepended-code.js";

const LAUNCHER = "old-glibc-launcher.cjs";

/** Without these options, the executable would obey files of the working directory. */
const ownFilesOnly = ["bunfig", "dotenv", "package-json", "tsconfig"].map((name) => `--no-compile-autoload-${name}`);

/** Writes the executable. @param files the paths of the files of the program, by their names in `dist` */
export function buildOldGlibcExecutable(executable: string, files: ReadonlyMap<string, string>): void {
  const bun = join(installPinned("bun"), "bin", "bun");
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-old-glibc-"));
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
    const options = ["--compile", "--bytecode", "--format=cjs", "--target=bun", ...ownFilesOnly, ...assets];
    runTool(bun, ["build", ...options, LAUNCHER, "--outfile", resolve(executable)], scratch);
    // Bun obeys variables of the environment before it runs the program: one of them loads a script.
    const code = at("clear-environment");
    runTool("as", ["-o", `${code}.o`, resolve("scripts/artifacts/clear-environment.s")]);
    runTool("objcopy", ["-O", "binary", "-j", ".text", `${code}.o`, code]);
    writeFileSync(executable, prependCode(readFileSync(executable), readFileSync(code)));
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
