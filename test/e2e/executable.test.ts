import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commandProgram, ensureBuilt, isPackaged } from "../support/programs/command.js";
import { testFolder } from "../support/programs/test-folder.js";

const scratch = testFolder();
const { at, write } = scratch;
beforeAll(ensureBuilt);

/** Runs a program in the scratch folder, with no environment except what is given. */
function runBare(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: scratch.path, env, encoding: "utf8" });
  return { status, stdout, stderr };
}

const titleSuffix = isPackaged ? " (skipped: HTTPD_LINT_COMMAND names no executable)" : "";

describe.skipIf(isPackaged)(`a single executable${titleSuffix}`, () => {
  test("writes the same bytes as the package", () => {
    for (const example of readdirSync("docs/examples")) {
      const args = ["check", resolve("docs/examples", example), "--from", "2.2", "--exit-zero", "--quiet"];
      const packaged = runBare(process.execPath, [resolve("dist/httpd-lint.js"), ...args]);
      expect(runBare(commandProgram, args), example).toEqual(packaged);
    }
  }, 300_000);

  test("ignores NODE_OPTIONS, and loads nothing from the working directory", () => {
    const trap = `require("node:fs").writeFileSync(${JSON.stringify(at("ran"))}, "");`;
    const names = ["main.js", "lsp.js", "yargs.js", "node_modules/yargs/index.js", "bunfig.toml", "package.json"];
    write(Object.fromEntries(names.map((name) => [name, name.endsWith(".js") ? trap : ""])));
    write({ "trap.cjs": trap, "a.conf": "Optoins None\n" });
    const env = { NODE_OPTIONS: `--require ${at("trap.cjs")}`, NODE_PATH: at("node_modules") };
    expect(runBare(commandProgram, ["check", "a.conf", "--jobs", "2", "--quiet"], env)).toMatchObject({ status: 1 });
    expect(readdirSync(scratch.path)).not.toContain("ran");
  });
});
