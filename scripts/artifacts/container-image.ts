/**
 * Builds the container image with buildah: `npm run build:image`. It writes `build/image/httpd-lint-VERSION-image.tar.gz`, which
 * `docker load` and `podman load` take. `npm run build:executable` makes the executable first.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { runTool } from "./pinned-packages.js";

const EXECUTABLE = "build/executable/httpd-lint";
const FOLDER = resolve("build", "image");

if (existsSync(EXECUTABLE)) buildImage();
else {
  process.stderr.write(`${EXECUTABLE} is missing: run \`npm run build:executable\` first\n`);
  process.exitCode = 2;
}

function buildImage(): void {
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const context = join(FOLDER, "context");
  const archive = join(FOLDER, `httpd-lint-${version}-image.tar`);
  rmSync(FOLDER, { recursive: true, force: true });
  stageRoot(join(context, "root"));
  // Own storage without an overlay file system works without privileges.
  const storage = ["--storage-driver", "vfs", "--root", join(FOLDER, "storage"), "--runroot", join(FOLDER, "run")];
  const buildah = (...args: readonly string[]) => runTool("buildah", [...storage, ...args]).trim();
  const name = `httpd-lint:${version}`;
  const options = ["--isolation", "chroot", "--network", "host", "--timestamp", "0", "--quiet"];
  buildah("build", ...options, "--file", "Containerfile", "--tag", name, context);
  buildah("push", "--quiet", name, `docker-archive:${archive}:${name}`);
  runTool("gzip", ["-9", "--no-name", "--force", archive]);
  rmSync(join(FOLDER, "storage"), { recursive: true });
  rmSync(context, { recursive: true });
  process.stdout.write(`wrote ${archive}.gz (${(statSync(`${archive}.gz`).size / 1e6).toFixed(1)} MB)\n`);
}

/** Fills the root directory of the image. */
function stageRoot(root: string): void {
  const copy = (source: string, target: string) => {
    mkdirSync(dirname(join(root, target)), { recursive: true });
    cpSync(realpathSync(source), join(root, target));
  };
  copy(EXECUTABLE, "bin/httpd-lint");
  for (const path of listLibraries()) copy(path, path);
  for (const name of ["LICENSE", "dist/third-party-licences.txt"])
    copy(name, join("usr/share/doc/httpd-lint", name.replace("dist/", "")));
  for (const name of ["libc6", "libgcc-s1", "libstdc++6"])
    copy(`/usr/share/doc/${name}/copyright`, `usr/share/doc/${name}/copyright`);
  mkdirSync(join(root, "config"));
}

/** Returns the paths of the libraries that the executable loads, and of the loader. */
function listLibraries(): readonly string[] {
  const paths = runTool("ldd", [EXECUTABLE]).match(/(?<=\s)\/\S+(?= \(0x)/g) ?? [];
  return [...new Set(paths)];
}
