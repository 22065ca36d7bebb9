/**
 * Builds the executable for systems with an old glibc: CentOS 7 and its relatives have 2.17, and Node.js 24 needs 2.28. It
 * contains Bun.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileWithBun } from "./bun-program.js";
import { runTool } from "./pinned-packages.js";
import { prependCode } from "./prepended-code.js";

/** Writes the executable. @param files the paths of the files of the program, by their names in `dist` */
export function buildOldGlibcExecutable(executable: string, files: ReadonlyMap<string, string>): void {
  compileWithBun(executable, files, ["--bytecode", "--target=bun"]);
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-old-glibc-"));
  try {
    // Bun obeys variables of the environment before it runs the program: one of them loads a script.
    const code = join(scratch, "clear-environment");
    runTool("as", ["-o", `${code}.o`, resolve("scripts/artifacts/clear-environment.s")]);
    runTool("objcopy", ["-O", "binary", "-j", ".text", `${code}.o`, code]);
    writeFileSync(executable, prependCode(readFileSync(executable), readFileSync(code)));
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
