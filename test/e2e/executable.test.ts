import { spawnSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync } from "node:fs";
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

const titleSuffix = isPackaged ? " (skipped: HTTPD_LINT_COMMAND is not set)" : "";

describe.skipIf(isPackaged)(`a single executable${titleSuffix}`, () => {
  test("writes the same bytes as the package", () => {
    for (const example of readdirSync("docs/examples")) {
      const args = ["check", resolve("docs/examples", example), "--from", "2.2", "--exit-zero", "--quiet"];
      const packaged = runBare(process.execPath, [resolve("dist/httpd-lint.js"), ...args]);
      expect(runBare(commandProgram, args), example).toEqual(packaged);
    }
  }, 300_000);

  test("ignores variables for the runtime, and loads nothing from the working directory", () => {
    const trap = `require("node:fs").writeFileSync(${JSON.stringify(at("ran"))}, "");`;
    const names = ["main.js", "lsp.js", "yargs.js", "worker.js", "trap.cjs", "node_modules/yargs/index.js"];
    write(Object.fromEntries(names.map((name) => [name, trap])));
    write({
      "bunfig.toml": 'preload = ["./trap.cjs"]\n',
      ".bunfig.toml": 'preload = ["./trap.cjs"]\n',
      ".env": "HTTPD_LINT_CONFINE=/nowhere\n",
      "package.json": { type: "module", imports: { "#yargs": "./trap.cjs" }, dependencies: { yargs: "1" } },
      "tsconfig.json": { compilerOptions: { paths: { "*": ["./trap.cjs"] } } },
      "a.conf": "Optoins None\n",
    });
    const args = ["check", "a.conf", "--jobs", "2"];
    const plain = runBare(commandProgram, args);
    expect(plain).toMatchObject({ status: 1, stdout: expect.stringContaining("unknown-directive") });
    for (const env of [
      { NODE_OPTIONS: `--require ${at("trap.cjs")}`, NODE_PATH: at("node_modules") },
      { BUN_OPTIONS: `--preload ${at("trap.cjs")}`, BUN_INSPECT_PRELOAD: at("trap.cjs") },
      { BUN_BE_BUN: "1" },
      { BUN_INSPECT: "127.0.0.1:9", BUN_JSC_dumpOptions: "2", BUN_BYTECODE_ORDER_OUT: at("ran") },
      { HOME: scratch.path, XDG_CONFIG_HOME: scratch.path },
    ])
      expect(runBare(commandProgram, args, env), JSON.stringify(env)).toEqual(plain);
    expect(readdirSync(scratch.path)).not.toContain("ran");
  });

  const isForOldSystems = !isPackaged && commandProgram.endsWith("-old-glibc");
  test.runIf(isForOldSystems)("needs only glibc 2.17 and system calls of Linux 3.10", () => {
    const symbols = runBare("/usr/bin/objdump", ["-T", commandProgram]).stdout;
    const minors = [...symbols.matchAll(/\(GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
    expect(Math.max(...minors)).toBe(17);
    write({ "a.conf": "Optoins None\n", "b.conf": "Optoins None\n" });
    const args = ["check", "a.conf", "b.conf", "--jobs", "2"];
    const restricted = runBare("/usr/bin/python3", [
      resolve("test/support/programs/old-linux.py"),
      commandProgram,
      ...args,
    ]);
    expect(restricted).toEqual(runBare(commandProgram, args));
    expect(restricted.status).toBe(1);
  });

  test("loads nothing from the directories around it", () => {
    const trap = `require("node:fs").writeFileSync(${JSON.stringify(at("ran"))}, "");`;
    write({
      "node_modules/picomatch/index.js": trap,
      "node_modules/picomatch/package.json": {},
      "a.conf": "Listen 80\n",
    });
    linkSync(commandProgram, at("httpd-lint"));
    expect(runBare(at("httpd-lint"), ["check", ".", "--quiet"])).toMatchObject({ status: 0 });
    expect(readdirSync(scratch.path)).not.toContain("ran");
  });

  const hasTracer = spawnSync("strace", ["-V"]).status === 0;
  test.skipIf(!hasTracer)(
    `opens only the configuration, and no connections${hasTracer ? "" : " (needs strace)"}`,
    () => {
      write({
        "site/a.conf": "Listen 80\nOptoins None\n",
        "bunfig.toml": "",
        ".env": "",
        "tsconfig.json": {},
        "package.json": {},
        "node_modules/a/index.js": "",
      });
      const trace = at("trace");
      const args = [
        "-f",
        "-qq",
        "-e",
        "trace=%network,open,openat,execve",
        "-o",
        trace,
        commandProgram,
        "check",
        "site",
      ];
      expect(runBare("strace", args)).toMatchObject({ status: 1 });
      const calls = readFileSync(trace, "utf8").split("\n");
      expect(calls.filter((call) => /\b(?:socket|connect|bind|sendto)\(/.test(call))).toEqual([]);
      expect(calls.filter((call) => call.includes("execve(") && !call.includes(`execve("${commandProgram}"`))).toEqual(
        [],
      );
      const opened = calls.flatMap((call) => /"([^"]*)".*= \d+$/.exec(call)?.[1] ?? []);
      const system = /^\/(?:proc|sys|lib|lib64|usr\/lib|etc\/(?:ld\.so|ssl\/|localtime))/;
      const others = opened.filter((path) => !system.test(path) && path !== commandProgram);
      // The search for configuration files reads the folders above, too.
      const isAbove = (path: string) => `${at("site")}/`.startsWith(path.endsWith("/") ? path : `${path}/`);
      expect([...new Set(others.filter((path) => !isAbove(resolve(scratch.path, path))))]).toEqual([at("site/a.conf")]);
    },
  );
});
