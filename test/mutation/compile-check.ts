import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { schema } from "@stryker-mutator/api/core";

/**
 * A type check of the mutants that no test kills: one that does not compile fails `npm run check`, too. They are
 * inserted into a copy of the sources one by one.
 */
export class CompileCheck {
  /** @param folder the folder of the copy, below the project */
  constructor(private readonly folder: string) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of ["grammar", "rules", "src"]) cpSync(name, join(folder, name), { recursive: true });
    for (const name of ["node_modules", "package.json", "test"])
      symlinkSync(join(process.cwd(), name), join(folder, name));
    const { compilerOptions } = JSON.parse(readFileSync("tsconfig.json", "utf8"));
    const settings = { compilerOptions, include: ["grammar", "src"], exclude: ["src/apps/browser", "**/*.test.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    if (!this.compiles()) throw new Error("the sources do not compile");
  }

  isRejected(file: string, source: string, { location, replacement = "" }: schema.MutantResult): boolean {
    const path = join(this.folder, file);
    const [start, end] = [offsetOf(source, location.start), offsetOf(source, location.end)];
    writeFileSync(path, source.slice(0, start) + replacement + source.slice(end));
    const isRejected = !this.compiles();
    writeFileSync(path, source);
    return isRejected;
  }

  private compiles(): boolean {
    return spawnSync(join("node_modules", ".bin", "tsc"), ["-p", this.folder, "--noEmit"]).status === 0;
  }
}

/** @param position line and column, counted from 1 */
function offsetOf(source: string, { line, column }: schema.Position): number {
  let start = 0;
  for (let before = 1; before < line; before++) start = source.indexOf("\n", start) + 1;
  return start + column - 1;
}
