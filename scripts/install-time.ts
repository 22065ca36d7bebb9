// Measures the installation time in comparison with an unbundled package and with another linter: npm run install-time.
// Packages come from npm's cache, so only unpacking and linking is measured, not the network.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type InstallTimes, installTimesFile } from "./pages/install-times.js";

/** Number of rounds; the minimum counts, because other load only adds time. */
const RUNS = 5;

const manifest: {
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
} = JSON.parse(readFileSync("package.json", "utf8"));
const versions = { ...manifest.devDependencies, ...manifest.dependencies };
const bundled = [
  "chevrotain",
  "yargs",
  "zod",
  "jsonc-parser",
  "re2js",
  "tinyglobby",
  "picocolors",
  "diff",
  "marked",
  "@noble/hashes",
];
const withServer = [...bundled, "vscode-languageserver", "vscode-languageserver-textdocument"];

const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-install-"));
try {
  const packed = npm(process.cwd(), "pack", "--pack-destination", scratch).trim().split("\n").at(-1) ?? "";
  const candidates: readonly (readonly [string, readonly string[]])[] = [
    ["httpd-lint", [join(scratch, packed)]],
    ["the contents of its bundles, as packages", withServer.map((name) => `${name}@${versions[name]}`)],
    ["eslint 9.39.1", ["eslint@9.39.1"]],
  ];
  // The first round fills the cache.
  for (const [, packages] of candidates) measureInstallation(packages);
  // The commands alternate, so that other load affects all equally.
  const rounds = Array.from({ length: RUNS }, () =>
    candidates.map(([what, packages]) => ({ what, ...measureInstallation(packages) })),
  );
  const installs = candidates.flatMap((_, index) =>
    rounds
      .flatMap((each) => each[index] ?? [])
      .sort((a, b) => a.seconds - b.seconds)
      .slice(0, 1),
  );
  const times: InstallTimes = { node: process.version, npm: npm(scratch, "--version").trim(), installs };
  writeFileSync(installTimesFile, `${JSON.stringify(times, undefined, 2)}\n`);
  for (const { what, seconds, packages } of installs)
    process.stdout.write(`${what}: ${seconds} s, ${packages} packages\n`);
} finally {
  rmSync(scratch, { recursive: true });
}

function npm(folder: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args.join(" ")}: ${stderr}`);
  return stdout;
}

/** Installs packages into an empty folder. */
function measureInstallation(packages: readonly string[]): Omit<InstallTimes["installs"][number], "what"> {
  const folder = mkdtempSync(join(scratch, "into-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const start = performance.now();
  npm(folder, "install", "--prefer-offline", "--no-audit", "--no-fund", ...packages);
  const seconds = Math.round((performance.now() - start) / 10) / 100;
  const contents = measureContents(resolve(folder, "node_modules"));
  rmSync(folder, { recursive: true });
  return { seconds, ...contents };
}

function measureContents(modules: string): { readonly packages: number; readonly megabytes: number } {
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((path) => join(modules, path));
  const lock: { readonly packages: object } = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8"));
  const bytes = files.reduce((sum, path) => sum + (statSync(path).isFile() ? statSync(path).size : 0), 0);
  return { packages: Object.keys(lock.packages).length, megabytes: Math.round(bytes / 2 ** 20) };
}
