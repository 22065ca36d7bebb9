/**
 * Writes the built command as one file that needs no Node.js: `npm run build:executable`. It is a single executable
 * application of Node.js 24. With `--old-glibc`, it contains Bun, which needs only glibc 2.17. With `--platform NAME`, it is for
 * another system or processor, and contains Bun. With `--archive`, it also
 * writes an archive of the file with the manual page, the completion scripts and the licences, in the folders where
 * programs look for them below `/usr/local`.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { archiveExecutable } from "./artifacts/executable-archive.js";
import { buildOldGlibcExecutable } from "./artifacts/old-glibc-executable.js";
import { buildForPlatform, type OtherPlatform, otherPlatforms } from "./artifacts/other-platforms.js";
import { installPinned, runTool } from "./artifacts/pinned-packages.js";

const FOLDER = resolve("build", "executable");
const isForOldGlibc = process.argv.includes("--old-glibc");
const platform = readPlatform();
const EXECUTABLE = join(FOLDER, executableName());

/** Marks the place in Node.js where the program goes. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Examples whose check compiles the code that most runs need. More code makes each start slower. */
const checked = ["demo", "intranet"].map((name) => join("docs", "examples", name));

/** Examples that the program in the snapshot has analyzed. */
const analyzed = ["demo", "intranet", "mistakes", "tls"].map((name) => join("docs", "examples", name, "httpd.conf"));

if (existsSync("dist/httpd-lint.js")) {
  mkdirSync(FOLDER, { recursive: true });
  if (platform !== undefined) buildForPlatform(platform, EXECUTABLE, listAssets());
  else if (isForOldGlibc) buildOldGlibcExecutable(EXECUTABLE, listAssets());
  else buildExecutable();
  reportWritten(EXECUTABLE);
  if (process.argv.includes("--archive"))
    reportWritten(archiveExecutable(EXECUTABLE, platform ?? (isForOldGlibc ? "linux-x64-old-glibc" : "linux-x64")));
} else {
  process.stderr.write("dist is missing: run `npm run build` first\n");
  process.exitCode = 2;
}

/** Returns the platform that the arguments name; undefined for that of the build. */
function readPlatform(): OtherPlatform | undefined {
  const index = process.argv.indexOf("--platform");
  if (index < 0) return undefined;
  const names = Object.keys(otherPlatforms);
  const written = process.argv[index + 1];
  const isKnown = (name: string | undefined): name is OtherPlatform => name !== undefined && names.includes(name);
  if (isKnown(written)) return written;
  throw new Error(`unknown platform ${written}; expected one of ${names.join(", ")}`);
}

function executableName(): string {
  if (platform === undefined) return isForOldGlibc ? "httpd-lint-old-glibc" : "httpd-lint";
  return `httpd-lint-${platform}${platform.startsWith("windows") ? ".exe" : ""}`;
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

/** Writes the executable: Node.js with the loaded program as a startup snapshot, and its files as assets. */
function buildExecutable(): void {
  rmSync(EXECUTABLE, { force: true });
  copyFileSync(join(installPinned("node"), "bin", "node"), EXECUTABLE);
  chmodSync(EXECUTABLE, 0o755);
  runTool("strip", [EXECUTABLE]);
  const launcher = resolve("src/apps/cli/executable-launcher.cjs");
  const config = join(FOLDER, "sea-config.json");
  const blob = join(FOLDER, "program.blob");
  // Threads start without the snapshot.
  const cache = join(FOLDER, "main.js.cache");
  process.env["HTTPD_LINT_WRITE_CODE_CACHE"] = cache;
  runTool(EXECUTABLE, ["dist/httpd-lint.js", "check", "docs/examples", "--exit-zero", "--quiet"]);
  const assets = { ...Object.fromEntries(listAssets()), "launcher.js": launcher, "main.js.cache": cache };
  const settings = { disableExperimentalSEAWarning: true, execArgvExtension: "none", useSnapshot: true };
  writeFileSync(config, JSON.stringify({ main: launcher, output: blob, assets, ...settings }));
  process.env["HTTPD_LINT_SNAPSHOT"] = JSON.stringify({ checked, analyzed });
  // A blob belongs to the version of Node.js that writes it.
  execFileSync(EXECUTABLE, ["--experimental-sea-config", config], { stdio: ["ignore", "ignore", "pipe"] });
  const postject = join(installPinned("postject"), "dist", "cli.js");
  runTool(process.execPath, [postject, EXECUTABLE, "NODE_SEA_BLOB", blob, "--sentinel-fuse", FUSE]);
  for (const path of [config, blob, cache]) rmSync(path);
}
