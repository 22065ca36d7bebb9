import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { Exclusions } from "../../../src/apps/cli/inputs/exclusions.js";
import { GitIgnores } from "../../../src/apps/cli/inputs/git-ignores.js";
import { inScratchFolder, writeFiles } from "../../support/programs/scratch-folder.js";
import { git } from "../../support/programs/scratch-repository.js";

/** Returns `file:line` of the rule by which a path or a folder above it is ignored, as a search meets them. */
function ruleOf(rules: Pick<GitIgnores, "find">, root: string, path: string): string {
  const names = path.split("/").filter((name) => name !== "");
  for (let length = 1; length <= names.length; length++) {
    const isFolder = length < names.length || path.endsWith("/build");
    const found = rules.find(join(root, ...names.slice(0, length)), isFolder);
    if (found?.kind === "git") return `${found.path.replace(`${root}/`, "")}:${found.line}`;
  }
  return "";
}

/** Returns the same of `git check-ignore`. */
function rulesOfGit(root: string, paths: readonly string[], env: NodeJS.ProcessEnv = {}): string[] {
  const { stdout } = spawnSync("git", ["check-ignore", "--no-index", "--verbose", "--non-matching", "--stdin", "-z"], {
    cwd: root,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null", ...env },
    input: `${paths.join("\0")}\0`,
    encoding: "utf8",
  });
  const fields = stdout.split("\0");
  return paths.map((_, index) => {
    const [file = "", line = "", pattern = ""] = fields.slice(index * 4, index * 4 + 3);
    return file === "" || pattern.startsWith("!") ? "" : `${file.replace(`${root}/`, "")}:${line}`;
  });
}

const paths = [
  ...["a", "b", "a.conf", "b.conf", "#a", "!a", "a b", "a ", " a", "[a]", "a-b", "A.conf", "a\\b", "ä", "a{b,c}"],
  ...["build/a.conf", "build", "src/build/a.conf", "src/build/x/a.conf", "src/a", "src/x/a", "src/x/y/a", "x/src/a"],
  ...["x/y/z/a.conf", "1.conf", "x1.conf", "xx.conf", ".a", ".b/b.conf", "**", "src/a.conf"],
];

const patternFiles = [
  ...["a", "/a", "a/", "*.conf", "/*.conf", "a*", "*a", "?", "?.conf", "[ab]", "[!a]", "[^a]*", "[a-c].conf", "[]a]"],
  ...[
    "build",
    "build/",
    "/build/",
    "build/*",
    "build/**",
    "src/build",
    "src/*",
    "src/**",
    "src/**/a",
    "src/**/",
    "**/a",
  ],
  ...[
    "**/build/a.conf",
    "**/build/**",
    "src/**/**/a",
    "src/a",
    "/src/a",
    "src/*/a",
    "src/?/a",
    "**",
    "**/",
    "/**",
    "*",
  ],
  ...[
    "#a",
    "\\#a",
    "!a",
    "\\!a",
    "a\\ ",
    "a ",
    "a\\",
    "a\\b",
    "a\\\\b",
    "\\a",
    "[[]a]",
    "[a",
    "\\[a\\]",
    "a**b",
    "src**a",
  ],
  ...["[[:digit:]].conf", "x[[:alnum:]].conf", "x[^[:digit:]].conf", "[[:upper:]]*", "[[:punct:]]a", "[[:none:]]a"],
  ...[
    "*.conf\n!a.conf",
    "build/\n!build/a.conf",
    "build/*\n!build/a.conf",
    "/*\n!/src\n/src/*\n!/src/x",
    "a\r\nb\r",
    "",
  ],
  ...[
    "\ufeffa",
    "a{b,c}",
    "ä",
    "?",
    "/",
    "!",
    "//a",
    "/src/",
    "src//a",
    "./a",
    "*.*",
    "x/**/z",
    "x/**/a.conf",
    "*\n!*/",
  ],
];

describe("the rules of a repository", () => {
  test("are those of git check-ignore", () => {
    inScratchFolder((root) => {
      git(root, "init", "--quiet");
      const all = patternFiles.flatMap((rules, index) => {
        const folder = `p${index}`;
        mkdirSync(join(root, folder));
        writeFileSync(join(root, folder, ".gitignore"), rules);
        return paths.map((path) => `${folder}/${path}`);
      });
      for (const path of all)
        if (path.endsWith("/build")) mkdirSync(join(root, path), { recursive: true });
        else {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), "");
        }
      const rules = new GitIgnores(undefined);
      const own = all.map((path) => `${path} ${ruleOf(rules, root, path)}`);
      const ofGit = rulesOfGit(root, all);
      expect(own).toEqual(all.map((path, index) => `${path} ${ofGit[index]}`));
      expect(ofGit.filter((rule) => rule !== "").length).toBeGreaterThan(400);
    });
  });

  test("come from nested files, the repository, and the file of the user, the nearest first", () => {
    inScratchFolder((root) => {
      git(root, "init", "--quiet");
      git(root, "config", "core.excludesFile", join(root, "of-user"));
      writeFiles(root, {
        "of-user": "*.tmp\n*.old\n*.log\n",
        ".git/info/exclude": "!x.old\n/local\n*.log\n",
        ".gitignore": "*.conf\n!x.log\n",
        "web/.gitignore": "!a.conf\n/b.log\n",
      });
      const some = [
        "x.tmp",
        "x.old",
        "y.old",
        "local",
        "web/local",
        "x.log",
        "y.log",
        "a.conf",
        "web/a.conf",
        "web/c.conf",
      ];
      const all = [...some, "web/b.log", "web/x.log", "web/d/a.conf", "web/d/b.log"];
      expect(all.map((path) => ruleOf(new GitIgnores(undefined), root, path))).toEqual(rulesOfGit(root, all));
    });
  });

  test("apply in a further work tree and in a submodule, whose `.git` is a file", () => {
    inScratchFolder((root) => {
      writeFiles(root, { "main/a": "", "main/.git.placeholder": "" });
      const main = join(root, "main");
      git(main, "init", "--quiet");
      git(main, "add", "a");
      git(main, "commit", "--quiet", "-m", "first");
      git(main, "worktree", "add", "--quiet", "../tree");
      writeFileSync(join(main, ".git/info/exclude"), "/local\n");
      const tree = join(root, "tree");
      expect(new GitIgnores(undefined).find(join(tree, "local"), false)).toMatchObject({ kind: "git", line: 1 });
      expect(new GitIgnores(undefined).find(join(tree, "other"), false)).toBeUndefined();
    });
  });

  test("end at an inner repository, and do not exist outside of one", () => {
    inScratchFolder((root) => {
      writeFiles(root, { "outer/.gitignore": "*.conf\n", "outer/inner/.gitignore": "*.tmp\n", ".gitignore": "*\n" });
      git(join(root, "outer"), "init", "--quiet");
      git(join(root, "outer/inner"), "init", "--quiet");
      const rules = new GitIgnores(undefined);
      const found = (path: string) => rules.find(join(root, path), false) !== undefined;
      expect(["outer/a.conf", "outer/inner/a.conf", "outer/inner/a.tmp", "a.conf"].map(found)).toEqual([
        true,
        false,
        true,
        false,
      ]);
    });
  });

  test("are not read outside of --confine", () => {
    inScratchFolder((root) => {
      writeFiles(root, { ".gitignore": "*.conf\n", "web/.gitignore": "*.tmp\n" });
      git(root, "init", "--quiet");
      const rules = new GitIgnores(join(root, "web"));
      expect(rules.find(join(root, "web/a.conf"), false)).toBeUndefined();
      expect(rules.find(join(root, "web/a.tmp"), false)).toBeDefined();
    });
  });

  test("with many wildcards take little time", () => {
    inScratchFolder((root) => {
      const rules = ["**/a/**/a/**/a/**/a/**/a/**/b", "*a*a*a*a*a*a*a*a*b", "{a,b}{a,b}", "[[[[[[[[".repeat(400)];
      writeFiles(root, { ".gitignore": rules.join("\n") });
      git(root, "init", "--quiet");
      const found = new GitIgnores(undefined);
      const before = performance.now();
      expect(found.find(join(root, "a".repeat(255)), false)).toBeUndefined();
      expect(found.find(join(root, ...Array<string>(400).fill("a")), false)).toBeUndefined();
      expect(performance.now() - before).toBeLessThan(2000);
    });
  });
});

describe("the patterns of `exclude`", () => {
  const at = (exclude: readonly string[], noIgnore = true) => new Exclusions({ exclude, noIgnore }, undefined);
  const cwd = process.cwd();

  test.each([
    ["vendor", "vendor/a.conf", true],
    ["vendor", "x/vendor/a.conf", true],
    ["/vendor", "x/vendor/a.conf", false],
    ["./vendor", "vendor/a.conf", true],
    ["./vendor", "x/vendor/a.conf", false],
    ["vendor/**", "vendor/a.conf", true],
    ["**/*.old.conf", "x/a.old.conf", true],
    ["*.{old,new}.conf", "x/a.new.conf", true],
    ["*.{old,new}.conf", "x/a.conf", false],
    ["x/{a,b}/*.conf", "x/b/c.conf", true],
    ["x/*.conf", "x/y/c.conf", false],
  ])("%s and %s", (pattern, path, isExcluded) => {
    expect(at([pattern]).findForFile(join(cwd, path)) !== undefined).toBe(isExcluded);
  });

  test("add to the default ones, and the last one decides", () => {
    expect(at([]).findForFile(join(cwd, "node_modules/x/a.conf"))).toEqual({
      kind: "default",
      pattern: "node_modules/",
    });
    expect(at(["x", "!x"]).findForFile(join(cwd, "x/a.conf"))).toBeUndefined();
    expect(at(["!node_modules"]).findForFile(join(cwd, "node_modules/x/a.conf"))).toBeUndefined();
    expect(at(["*.conf", "!keep.conf"]).findForFile(join(cwd, "x/keep.conf"))).toBeUndefined();
    expect(at(["*.conf", "!keep.conf"]).findForFile(join(cwd, "x/a.conf"))).toEqual({
      kind: "flag",
      pattern: "*.conf",
    });
  });

  test("do not concern files outside of the folder that they are relative to", () => {
    expect(at(["*.conf"]).findForFile("/srv/a.conf")).toBeUndefined();
  });

  test("with too many braces stay as they are", () => {
    expect(at(["{a,b}".repeat(20)]).findForFile(join(cwd, "ab".repeat(10)))).toBeUndefined();
  });
});
