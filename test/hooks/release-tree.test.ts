import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt, run } from "../support/programs/command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import { commitAll, git } from "../support/programs/scratch-repository.js";

const hasPreCommit = run("sh", ["-c", "command -v pre-commit"]).status === 0;

const identity = {
  GIT_AUTHOR_NAME: "Tester",
  GIT_AUTHOR_EMAIL: "tester@example.com",
  GIT_COMMITTER_NAME: "Tester",
  GIT_COMMITTER_EMAIL: "tester@example.com",
};

const releaseTree = (...args: readonly string[]) =>
  run("node_modules/.bin/tsx", ["scripts/release-tree.ts", ...args], { env: identity });

describe("the release tree", () => {
  let repository: ScratchFolder;
  let source = "";

  beforeAll(() => {
    ensureBuilt();
    repository = scratchFolder();
    writeFiles(repository.path, { "source.txt": "source\n" });
    source = commitAll(repository.path);
    const { status, stdout, stderr } = releaseTree(repository.path, "v0.1.0-tree");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toMatch(/^v0\.1\.0-tree is [0-9a-f]{40}\n$/);
  });

  afterAll(() => repository.dispose());

  test("is a child of the source commit, with the built command and without the sources", () => {
    expect(git(repository.path, "rev-parse", "v0.1.0-tree^").stdout.trim()).toBe(source);
    const names = git(repository.path, "ls-tree", "-r", "--name-only", "v0.1.0-tree").stdout.split("\n");
    expect(names).toEqual(
      expect.arrayContaining([".pre-commit-hooks.yaml", "action.yml", "dist/httpd-lint.js", "LICENSE", "package.json"]),
    );
    expect(names.filter((name) => /^(?:dist\/types|source|src|node_modules)/.test(name))).toEqual([]);
  });

  test("has a package without dependencies and scripts", () => {
    const manifest = JSON.parse(git(repository.path, "show", "v0.1.0-tree:package.json").stdout);
    expect(manifest).toMatchObject({ name: "httpd-lint", bin: { "httpd-lint": "dist/httpd-lint.js" } });
    for (const key of ["dependencies", "devDependencies", "scripts"]) expect(manifest).not.toHaveProperty(key);
  });

  test("does not change the work tree or the index", () => {
    expect(git(repository.path, "status", "--porcelain").stdout).toBe("");
    expect(git(repository.path, "rev-parse", "HEAD").stdout.trim()).toBe(source);
    expect(existsSync(join(repository.path, "dist"))).toBe(false);
  });

  test.each([
    [[], "usage: npm run release-tree -- REPOSITORY TAG\n"],
    [["v1 .."], "v1 .. is not a valid name of a tag\n"],
    [["v0.1.0-tree"], "the tag v0.1.0-tree already exists\n"],
  ])("is not created for %j", (tags, message) => {
    const { status, stderr } = releaseTree(repository.path, ...tags);
    expect({ status, stderr }).toEqual({ status: 2, stderr: message });
  });

  test.skipIf(!hasPreCommit)("installs in a real pre-commit, and reports findings", () => {
    const user = scratchFolder();
    const home = scratchFolder();
    writeFiles(user.path, {
      "conf/httpd.conf": "Optoins None\n",
      ".pre-commit-config.yaml": `repos:\n- repo: ${repository.path}\n  rev: v0.1.0-tree\n  hooks:\n  - id: httpd-lint\n`,
    });
    commitAll(user.path);
    const options = { cwd: user.path, env: { ...identity, PRE_COMMIT_HOME: home.path } };
    const installed = run("pre-commit", ["install-hooks"], options);
    expect(installed).toMatchObject({ status: 0 });
    const { status, stdout } = run("pre-commit", ["run", "--all-files"], options);
    expect(status).toBe(1);
    expect(stdout).toContain("unknown directive `Optoins`");
    user.dispose();
    home.dispose();
  });
});

test("the release workflow tags the tree", () => {
  expect(readFileSync(".github/workflows/release.yml", "utf8")).toContain("npm run release-tree -- . ");
});
