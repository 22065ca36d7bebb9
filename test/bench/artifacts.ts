import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { runTool } from "../../scripts/artifacts/pinned-packages.js";
import type { ArtifactResults } from "./artifact-results.js";
import { virtualHosts } from "./hosts.js";
import { measure, measureAlternating } from "./measure.js";

const RELEASE = "build/release";

/** Measures the files of a release. They must exist. */
export function measureArtifacts(folder: string, runs: number): ArtifactResults {
  if (!existsSync(join(RELEASE, "SHA256SUMS"))) throw new Error("run `npm run release-files` first");
  const names = readdirSync(RELEASE).filter((name) => name !== "SHA256SUMS");
  return {
    with: [`Node ${process.versions.node}`, `${cpus().length} processors`],
    files: names.map((name) => ({ name, bytes: statSync(join(RELEASE, name)).size })),
    starts: measureStarts(folder, runs),
    hooks: measureHooks(folder),
  };
}

/** Measures the start of the package and of the executables, alternating with that of Node. */
function measureStarts(folder: string, runs: number): ArtifactResults["starts"] {
  const file = join(folder, "httpd.conf");
  writeFileSync(file, virtualHosts(1, folder));
  const [packaged, executable, forOldSystems, node] = measureAlternating(
    [
      ["node", "dist/httpd-lint.js", "check", file],
      ["build/executable/httpd-lint", "check", file],
      ["build/executable/httpd-lint-old-glibc", "check", file],
      ["node", "-e", "0"],
    ],
    runs * 3,
  );
  if (!packaged || !executable || !forOldSystems || !node) return [];
  return [
    { what: "npm package", seconds: packaged.seconds, node: node.seconds },
    { what: "single executable", seconds: executable.seconds, node: node.seconds, atMost: 1.6 },
    { what: "single executable for old systems", seconds: forOldSystems.seconds, node: node.seconds, atMost: 1.6 },
  ];
}

/** Measures how long pre-commit takes to install the hook from a release tree, and from the source. */
function measureHooks(folder: string): ArtifactResults["hooks"] {
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "init.defaultBranch=main"];
  const git = (cwd: string, ...args: readonly string[]) => runTool("git", [...identity, ...args], cwd).trim();
  const source = join(folder, "source");
  git(".", "clone", "--quiet", resolve("."), source);
  git(source, "config", "user.name", "bench");
  git(source, "config", "user.email", "bench@example.com");
  runTool("npm", ["run", "--silent", "release-tree", "--", source, "bench-tree"]);
  const user = join(folder, "user");
  mkdirSync(user);
  git(user, "init", "--quiet");
  const install = (revision: string) => {
    const hook = `repos:\n- repo: ${source}\n  rev: ${revision}\n  hooks:\n  - id: httpd-lint\n`;
    writeFileSync(join(user, ".pre-commit-config.yaml"), hook);
    const home = mkdtempSync(join(folder, "pre-commit-"));
    return measure(["env", "-C", user, `PRE_COMMIT_HOME=${home}`, "pre-commit", "install-hooks"], [0]).seconds;
  };
  const revisions = { "from a release tree": "bench-tree", "from the source": git(source, "rev-parse", "HEAD") };
  return Object.entries(revisions).map(([what, revision]) => {
    // The first installation fills the cache.
    const times = Array.from({ length: 3 }, () => install(revision));
    const limit = what === "from a release tree" ? { atMost: 8 } : {};
    return { what, seconds: Math.min(...times.slice(1)), ...limit };
  });
}
