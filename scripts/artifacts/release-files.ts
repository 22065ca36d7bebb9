/**
 * Makes the files of a release in `build/release`, with their checksums: `npm run release-files`. They are the npm package, the
 * archives of the single executables, the container image, the extension for VS Code, the playground, the bill of materials and
 * the licences of the packages in the bundles.
 */
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { runTool } from "./pinned-packages.js";

const FOLDER = resolve("build", "release");
const CHECKSUMS = join(FOLDER, "SHA256SUMS");

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
// The package is built already; packing would build again.
runTool("npm", ["pack", "--ignore-scripts", "--pack-destination", FOLDER]);
npmRun("build:executable", "--archive");
npmRun("build:executable", "--archive", "--old-glibc");
npmRun("build:image");
npmRun("build:vscode");
npmRun("build:playground");
const archivesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => /\.tar\.[gx]z$/.test(name))
    .map((name) => join(folder, name));
for (const path of [
  ...archivesIn("build/executable"),
  ...archivesIn("build/image"),
  "build/vscode/httpd-lint.vsix",
  "dist/sbom.cdx.json",
  "dist/third-party-licences.txt",
])
  copyFileSync(path, join(FOLDER, basename(path)));
copyFileSync("build/playground/index.html", join(FOLDER, "playground.html"));
writeChecksums();

function npmRun(script: string, ...args: readonly string[]): void {
  process.stdout.write(runTool("npm", ["run", "--silent", script, "--", ...args]));
}

/** Writes the checksums of all files in the format of `sha256sum`. */
function writeChecksums(): void {
  const names = readdirSync(FOLDER).sort();
  const digestOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(FOLDER, name)))
      .digest("hex");
  writeFileSync(CHECKSUMS, names.map((name) => `${digestOf(name)}  ${name}\n`).join(""));
  for (const name of names)
    process.stdout.write(`${name} ${(statSync(join(FOLDER, name)).size / 1e6).toFixed(1)} MB\n`);
}
