/**
 * Commits a tree that installs without building, and tags it: `npm run release-tree -- REPOSITORY TAG`. The tree has the
 * built command, the action and the hooks; its package has no dependencies and no `prepare`. Neither the work tree nor
 * the index of the repository changes. With HTTPD_LINT_NODES, `npm run build` first adds code caches of other versions
 * of Node.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** What the tree has beside `package.json`. */
const files = [".npmrc", ".pre-commit-hooks.yaml", "CHANGELOG.md", "LICENSE", "README.md", "action.yml", "dist", "man"];

/** The parts of `package.json` that an installation needs. */
const keptKeys = [
  "name",
  "version",
  "description",
  "keywords",
  "license",
  "repository",
  "type",
  "bin",
  "files",
  "man",
  "engines",
];

const [repository, tag, ...others] = process.argv.slice(2);
const mistake =
  repository === undefined || tag === undefined || others.length > 0
    ? "usage: npm run release-tree -- REPOSITORY TAG"
    : commitTree(resolve(repository), tag);
if (mistake !== undefined) {
  process.stderr.write(`${mistake}\n`);
  process.exitCode = 2;
}

/** Commits and tags the tree. @returns an error message, if it fails */
function commitTree(repository: string, tag: string): string | undefined {
  if (!existsSync("dist/httpd-lint.js")) return "dist is missing: run `npm run build` first";
  const scratch = mkdtempSync(join(tmpdir(), "httpd-lint-release-"));
  try {
    const tree = join(scratch, "tree");
    // The types refer to packages that the tree does not install.
    const isShipped = (path: string) => resolve(path) !== resolve("dist/types");
    for (const name of files) cpSync(name, join(tree, name), { recursive: true, filter: isShipped });
    const manifest: Readonly<Record<string, unknown>> = JSON.parse(readFileSync("package.json", "utf8"));
    const kept = Object.fromEntries(keptKeys.map((key) => [key, manifest[key]]));
    writeFileSync(join(tree, "package.json"), `${JSON.stringify(kept, undefined, 2)}\n`);
    const git = createGit(repository, { GIT_INDEX_FILE: join(scratch, "index"), GIT_WORK_TREE: tree });
    if (git("check-ref-format", `refs/tags/${tag}`) === undefined) return `${tag} is not a valid name of a tag`;
    if (git("rev-parse", "--quiet", "--verify", `refs/tags/${tag}`)) return `the tag ${tag} already exists`;
    git("add", "--force", "--all", ".");
    const written = git("write-tree");
    const head = git("rev-parse", "--quiet", "--verify", "HEAD");
    const parent = head ? ["-p", head] : [];
    const commit = written && git("commit-tree", ...parent, "-m", `Release ${tag}`, written);
    if (!commit || git("tag", tag, commit) === undefined) return `the tree cannot be committed to ${repository}`;
    process.stdout.write(`${tag} is ${commit}\n`);
    return undefined;
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** Returns a function that runs git in a repository. It returns the output, or undefined if git fails. */
function createGit(repository: string, environment: Readonly<Record<string, string>>) {
  const gitDirectory = spawnSync("git", ["rev-parse", "--absolute-git-dir"], { cwd: repository, encoding: "utf8" });
  const env = { ...process.env, ...environment, GIT_DIR: gitDirectory.stdout.trim() };
  return (...args: readonly string[]): string | undefined => {
    const { status, stdout, stderr } = spawnSync("git", args, {
      cwd: environment["GIT_WORK_TREE"],
      env,
      encoding: "utf8",
    });
    if (status === 0) return stdout.trim();
    process.stderr.write(stderr);
    return undefined;
  };
}
