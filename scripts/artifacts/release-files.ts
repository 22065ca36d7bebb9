/**
 * Makes the files of a release in `build/release`, with their checksums: `npm run release-files`. They are the npm package, the
 * single executables of all platforms, packages for Debian and Red Hat, the container image, the extension for VS Code, the
 * playground, the bill of materials, the licences of the packages in the bundles, a formula for Homebrew and a manifest for
 * Scoop. If a tool is missing, the files that need it are named, the others are made, and the exit code is 1.
 */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, delimiter, join, resolve } from "node:path";
import { makeDebianPackage, makeRpmPackage, type PackageRequest } from "./linux-packages.js";
import { otherPlatforms } from "./other-platforms.js";
import { renderHomebrewFormula, renderScoopManifest, webAddressOf } from "./package-manifests.js";
import { runTool } from "./pinned-packages.js";

const FOLDER = resolve("build", "release");
const CHECKSUMS = join(FOLDER, "SHA256SUMS");
const EXECUTABLE = "build/executable/httpd-lint";

const manifest: { readonly version: string; readonly repository?: string | { readonly url: string } } = JSON.parse(
  readFileSync("package.json", "utf8"),
);
const { version } = manifest;

/** What was not made, and why. */
const omitted: string[] = [];

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const name of ["sbom.cdx.json", "third-party-licences.txt"]) keep(join("dist", name));
make("the npm package", ["npm"], () => {
  // The package is built already; packing would build again.
  runTool("npm", ["pack", "--ignore-scripts", "--pack-destination", FOLDER]);
});
make("the executable", ["strip", "tar", "xz"], () => buildExecutable("linux-x64"));
make("the executable for old systems", ["as", "objcopy", "tar", "xz"], () =>
  buildExecutable("linux-x64-old-glibc", "--old-glibc"),
);
for (const platform of Object.keys(otherPlatforms))
  make(`the executable for ${platform}`, [platform.startsWith("windows") ? "zip" : "xz"], () =>
    buildExecutable(platform, "--platform", platform),
  );
make("the package for Debian", ["dpkg-deb"], () => {
  makeDebianPackage(packageRequest());
});
make("the package for Red Hat", ["rpmbuild"], () => {
  makeRpmPackage(packageRequest());
});
make("the container image", ["buildah"], () => {
  npmRun("build:image");
  keep(`build/image/httpd-lint-${version}-image.tar.gz`);
});
make("the extension for VS Code", [], () => {
  npmRun("build:vscode");
  keep("build/vscode/httpd-lint.vsix");
});
make("the playground", [], () => {
  npmRun("build:playground");
  keep("build/playground/index.html", "playground.html");
});
makeManifests();
writeChecksums();
for (const reason of omitted) process.stderr.write(`not made: ${reason}\n`);
process.exitCode = omitted.length > 0 ? 1 : 0;

/** Makes files, unless a tool is missing or fails: then the reason is kept, and the other files are made. */
function make(what: string, tools: readonly string[], run: () => void): void {
  const missing = tools.filter((tool) => !hasTool(tool));
  if (missing.length > 0) {
    omitted.push(`${what}, because ${missing.join(" and ")} ${missing.length === 1 ? "is" : "are"} not installed`);
    return;
  }
  try {
    run();
  } catch (error) {
    omitted.push(`${what}: ${error instanceof Error ? error.message.trim() : String(error)}`);
  }
}

function hasTool(name: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, name)));
}

function keep(path: string, name = basename(path)): void {
  copyFileSync(path, join(FOLDER, name));
}

function buildExecutable(platform: string, ...flags: readonly string[]): void {
  npmRun("build:executable", "--archive", ...flags);
  const name = `httpd-lint-${version}-${platform}${platform.startsWith("windows") ? ".zip" : ".tar.xz"}`;
  keep(join("build/executable", name));
}

/** Returns what the packages for Linux contain. @throws if the executable was not made */
function packageRequest(): PackageRequest {
  if (!existsSync(EXECUTABLE)) throw new Error("the executable is missing");
  const { date }: { readonly date: string } = JSON.parse(readFileSync("dist/build.json", "utf8"));
  const depends = ["libc6 (>= 2.28)", "libgcc-s1", "libstdc++6 (>= 6)"];
  return { executable: EXECUTABLE, version, date, depends, target: FOLDER };
}

/** Makes the files for Homebrew and Scoop, which contain the addresses and the checksums of archives. */
function makeManifests(): void {
  const repository = webAddressOf(manifest.repository);
  for (const [what, name, render] of [
    ["the formula for Homebrew", "httpd-lint.rb", renderHomebrewFormula],
    ["the manifest for Scoop", "httpd-lint.json", renderScoopManifest],
  ] as const)
    make(what, [], () => {
      if (repository === undefined) throw new Error("package.json names no repository");
      const files = readdirSync(FOLDER).map((each) => ({ name: each, digest: digestOf(each) }));
      writeFileSync(join(FOLDER, name), render({ version, repository, files }));
    });
}

function npmRun(script: string, ...args: readonly string[]): void {
  process.stdout.write(runTool("npm", ["run", "--silent", script, "--", ...args]));
}

function digestOf(name: string): string {
  return createHash("sha256")
    .update(readFileSync(join(FOLDER, name)))
    .digest("hex");
}

/** Writes the checksums of all files in the format of `sha256sum`. */
function writeChecksums(): void {
  const names = readdirSync(FOLDER).sort();
  writeFileSync(CHECKSUMS, names.map((name) => `${digestOf(name)}  ${name}\n`).join(""));
  for (const name of names)
    process.stdout.write(`${name} ${(statSync(join(FOLDER, name)).size / 1e6).toFixed(1)} MB\n`);
}
