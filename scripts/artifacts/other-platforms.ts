/** Builds executables for systems and processors other than that of the build. They contain Bun, and cannot be run here. */
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { compileWithBun } from "./bun-program.js";
import { installPinned, type PinnedName } from "./pinned-packages.js";
import { programFormatOf } from "./program-format.js";

/** The platforms by the end of the names of their files: the package with their Bun, and what the header of a program has. */
export const otherPlatforms = {
  "linux-arm64": { bun: "bunLinuxArm64", format: "linux-arm64" },
  "linux-x64-musl": { bun: "bunLinuxMusl", format: "linux-x64" },
  "darwin-arm64": { bun: "bunMacArm64", format: "darwin-arm64" },
  "darwin-x64": { bun: "bunMac", format: "darwin-x64" },
  "windows-x64": { bun: "bunWindows", format: "windows-x64" },
} as const satisfies Readonly<Record<string, { readonly bun: PinnedName; readonly format: string }>>;

export type OtherPlatform = keyof typeof otherPlatforms;

/**
 * Writes the executable for a platform.
 *
 * @param executable its path
 * @param files the paths of the files of the program, by their names in `dist`
 * @throws if it is not a program for the platform
 */
export function buildForPlatform(
  platform: OtherPlatform,
  executable: string,
  files: ReadonlyMap<string, string>,
): void {
  const { bun, format } = otherPlatforms[platform];
  const folder = join(installPinned(bun), "bin");
  const own = readdirSync(folder).find((name) => /^bun(?:\.exe)?$/.test(name));
  if (own === undefined) throw new Error(`${folder} has no bun`);
  const target = `--target=bun-${platform}`;
  compileWithBun(executable, files, [target, `--compile-executable-path=${join(folder, own)}`]);
  const found = existsSync(executable) ? programFormatOf(executable) : `missing in ${dirname(executable)}`;
  if (found !== format) throw new Error(`${executable} is ${found}, expected ${format}`);
}
