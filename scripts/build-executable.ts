/**
 * Writes the built command as one file that needs no Node.js: `npm run build:executable`. It is a single executable
 * application of Node.js 24. With `--old-glibc`, it contains Bun, which needs only glibc 2.17. With `--archive`, it also writes an archive of the file with the manual page, the completion
 * scripts and the licences, in the folders where programs look for them below `/usr/local`.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { archiveExecutable } from "./artifacts/executable-archive.js";
import { buildOldGlibcExecutable } from "./artifacts/old-glibc-executable.js";
import { installPinned, runTool } from "./artifacts/pinned-packages.js";

const FOLDER = resolve("build", "executable");
const isForOldGlibc = process.argv.includes("--old-glibc");
const EXECUTABLE = join(FOLDER, isForOldGlibc ? "httpd-lint-old-glibc" : "httpd-lint");

/** Marks the place in Node.js where the program goes. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

if (existsSync("dist/httpd-lint.js")) {
  mkdirSync(FOLDER, { recursive: true });
  if (isForOldGlibc) buildOldGlibcExecutable(EXECUTABLE, listAssets());
  else buildExecutable();
  reportWritten(EXECUTABLE);
  if (process.argv.includes("--archive"))
    reportWritten(archiveExecutable(EXECUTABLE, isForOldGlibc ? "-old-glibc" : ""));
} else {
  process.stderr.write("dist is missing: run `npm run build` first\n");
  process.exitCode = 2;
}

function reportWritten(path: string): void {
  process.stdout.write(`wrote ${path} (${(statSync(path).size / 1e6).toFixed(1)} MB)\n`);
}

/** Returns the files of the program by their names in `dist`. */
function listAssets(): ReadonlyMap<string, string> {
  const inFolder = (folder: string) => readdirSync(join("dist", folder)).map((name) => join(folder, name));
  const names = ["main.js", "lsp.js", "worker.js", ...["browser", "completions", "data", "rules"].flatMap(inFolder)];
  if (existsSync("dist/build.json")) names.push("build.json");
  return new Map(names.map((name) => [name, resolve("dist", name)]));
}

/** Builds twice: a run of the first executable compiles the code for the second. */
function buildExecutable(): void {
  const stripped = join(FOLDER, "node");
  copyFileSync(join(installPinned("node"), "bin", "node"), stripped);
  chmodSync(stripped, 0o755);
  runTool("strip", [stripped]);
  const cache = join(FOLDER, "main.js.cache");
  const target = join(FOLDER, "code-cache-target");
  rmSync(cache, { force: true });
  writeFileSync(target, cache);
  inject(stripped, new Map([["code-cache-target", target]]));
  runTool(EXECUTABLE, ["check", "docs/examples", "--exit-zero", "--quiet"]);
  inject(stripped, new Map([["main.js.cache", cache]]));
  for (const path of [stripped, cache, target]) rmSync(path);
}

/** Writes the executable: Node.js with the program and more assets. */
function inject(node: string, more: ReadonlyMap<string, string>): void {
  const launcher = resolve("src/cli/executable-launcher.cjs");
  const config = join(FOLDER, "sea-config.json");
  const blob = join(FOLDER, "program.blob");
  const assets = { ...Object.fromEntries([...listAssets(), ...more]), "launcher.js": launcher };
  const settings = { disableExperimentalSEAWarning: true, execArgvExtension: "none", useCodeCache: false };
  writeFileSync(config, JSON.stringify({ main: launcher, output: blob, assets, ...settings }));
  // A blob belongs to the version of Node.js that writes it.
  runTool(node, ["--experimental-sea-config", config]);
  rmSync(EXECUTABLE, { force: true });
  copyFileSync(node, EXECUTABLE);
  const postject = join(installPinned("postject"), "dist", "cli.js");
  runTool(process.execPath, [postject, EXECUTABLE, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE]);
  for (const path of [config, blob]) rmSync(path);
}
