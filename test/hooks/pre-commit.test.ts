import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isDeep } from "../support/depth.js";
import { ensureBuilt, type Ran, run, shellCommand } from "../support/programs/command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import { commitAll, copyProject, git } from "../support/programs/scratch-repository.js";

const hasPreCommit = run("sh", ["-c", "command -v pre-commit"]).status === 0;
const title = (text: string) => (hasPreCommit ? text : `${text} (skipped: no pre-commit on this machine)`);

const bad = "<Directory /srv>\nOptions None\n";
const good = "<Directory /srv>\nOptions None\n</Directory>\n";

describe.skipIf(!hasPreCommit)(title("the hooks in a real pre-commit"), () => {
  let hooks: ScratchFolder;
  let user: ScratchFolder;
  let home: ScratchFolder;
  let commit: string;

  beforeAll(() => {
    ensureBuilt();
    hooks = scratchFolder();
    user = scratchFolder();
    home = scratchFolder();
    if (isDeep) copyProject(hooks.path);
    else writeSystemHooks();
    commit = commitAll(hooks.path);
    writeFiles(user.path, {
      "etc/conf/httpd.conf": "Listen 80\n",
      "etc/conf.d/bad.conf": bad,
      "etc/conf.d/good.conf": good,
      "www/.htaccess": "Optoins None\n",
      "docker/laravel.conf": "<VirtualHost *:80>\nDocumentRot /srv/app/public\nServerName app.test\n</VirtualHost>\n",
      "nginx/conf.d/site.conf": "server {\n}\n",
      "php/www.conf": "[www]\nuser = www-data\nlisten = 9000\n",
      "notes.txt": "Optoins None\n",
    });
    commitAll(user.path);
  });

  afterAll(() => {
    for (const folder of [hooks, user, home]) folder?.dispose();
  });

  /** Writes a repository whose hooks run the built command, because pre-commit needs a minute to install packages. */
  function writeSystemHooks(): void {
    const manifest = readFileSync(".pre-commit-hooks.yaml", "utf8");
    writeFileSync(
      join(hooks.path, ".pre-commit-hooks.yaml"),
      manifest.replaceAll("language: node", "language: system"),
    );
  }

  /** Writes the command into a folder of the home directory. @returns the PATH with that folder */
  function createPath(): string {
    const bin = join(home.path, "bin");
    mkdirSync(bin, { recursive: true });
    const command = join(bin, "httpd-lint");
    writeFileSync(command, `#!/bin/sh\nexec ${shellCommand} "$@"\n`);
    chmodSync(command, 0o755);
    return `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  }

  function preCommit(
    hook: string,
    args: readonly string[],
    settings = "",
    env: Readonly<Record<string, string>> = {},
  ): Ran {
    writeFileSync(
      join(user.path, ".pre-commit-config.yaml"),
      `default_language_version:\n  node: system\nrepos:\n  - repo: ${hooks.path}\n    rev: ${commit}\n    hooks:\n      - id: ${hook}\n${settings}`,
    );
    git(user.path, "add", "--all");
    // Use the installed packages.
    const environment = {
      PRE_COMMIT_HOME: home.path,
      PRE_COMMIT_COLOR: "never",
      npm_config_prefer_offline: "true",
      ...(isDeep ? {} : { PATH: createPath() }),
      ...env,
    };
    return run("pre-commit", ["run", hook, ...args], { cwd: user.path, env: environment });
  }

  test("are valid according to pre-commit", () => {
    expect(run("pre-commit", ["validate-manifest", ".pre-commit-hooks.yaml"])).toMatchObject({ status: 0 });
  });

  test("report problems only in the changed files", { timeout: 600_000 }, () => {
    const { status, stdout } = preCommit("httpd-lint", ["--files", "etc/conf.d/good.conf", "etc/conf.d/bad.conf"]);
    expect(stdout).toContain("--> etc/conf.d/bad.conf:1:1\n");
    expect(stdout).toContain("error[syntax-error]: ");
    expect(stdout).not.toContain("www/.htaccess");
    expect(status).toBe(1);
    expect(preCommit("httpd-lint", ["--files", "etc/conf.d/good.conf"])).toMatchObject({ status: 0 });
  });

  test("select files of httpd by their contents, but not those of nginx and others", { timeout: 600_000 }, () => {
    const { status, stdout } = preCommit("httpd-lint", ["--all-files"], "        args: [--statistics]\n");
    expect(stdout).toContain("1  syntax-error");
    expect(stdout).toContain("2  unknown-directive");
    expect(status).toBe(1);
    const site = preCommit("httpd-lint", ["--files", "docker/laravel.conf"]);
    expect(site.stdout).toContain("--> docker/laravel.conf:2:1\n");
    expect(site.status).toBe(1);
    const others = preCommit("httpd-lint", ["--files", "nginx/conf.d/site.conf", "php/www.conf"]);
    expect(others.stdout).not.toContain("error");
    expect(others.status).toBe(0);
    expect(preCommit("httpd-lint", ["--files", "notes.txt"]).stdout).toContain("no files to check");
  });

  test("check the whole tree with httpd-lint-tree, regardless of the changed files", { timeout: 600_000 }, () => {
    const { status, stdout } = preCommit("httpd-lint-tree", ["--files", "notes.txt"]);
    expect(stdout).toContain("--> etc/conf.d/bad.conf:1:1\n");
    expect(stdout).toContain("--> www/.htaccess:1:1\n");
    expect(status).toBe(1);
  });

  test.each(["httpd-lint", "httpd-lint-tree", "httpd-lint-system"])(
    "read and create nothing outside the repository: %s",
    { timeout: 600_000 },
    (hook) => {
      writeFiles(home.path, { "out/secret.conf": "Hunter2 on\n" });
      const out = relative(user.path, join(home.path, "out"));
      const path = { PATH: createPath() };
      const attempts: readonly object[] = [
        { entry: `${out}/secret.conf` },
        { entry: join(home.path, "out/secret.conf") },
        { cache: `${out}/cache` },
        { baseline: `${out}/secret.conf` },
        { confine: "/" },
      ];
      writeFiles(user.path, {
        "etc/conf.d/good.conf": `${good}Include ${join(home.path, "out/secret.conf")}\nInclude ../../${out}/*.conf\n`,
      });
      symlinkSync(join(home.path, "out/secret.conf"), join(user.path, "etc/conf.d/link.conf"));
      for (const attempt of isDeep ? attempts : attempts.slice(0, 3)) {
        writeFiles(user.path, { ".httpd-lint.json": JSON.stringify(attempt) });
        const { stdout } = preCommit(hook, ["--all-files"], "", path);
        expect(stdout).not.toContain("Hunter2");
        expect(readdirSync(join(home.path, "out"))).toEqual(["secret.conf"]);
      }
      rmSync(join(user.path, ".httpd-lint.json"));
      const { stdout } = preCommit(hook, ["--all-files"], "", path);
      expect(stdout).not.toContain("Hunter2");
      expect(stdout).toContain("outside of the --confine directory");
      rmSync(join(user.path, "etc/conf.d/link.conf"));
      writeFiles(user.path, { "etc/conf.d/good.conf": good });
    },
  );

  test("run the command on the PATH with httpd-lint-system", () => {
    const path = { PATH: createPath() };
    const { status, stdout } = preCommit("httpd-lint-system", ["--files", "etc/conf.d/bad.conf"], "", path);
    expect(stdout).toContain("--> etc/conf.d/bad.conf:1:1\n");
    expect(status).toBe(1);
  });
});

describe("the hooks file", () => {
  const hooks: { id: string; files?: string; exclude?: string }[] = parse(
    readFileSync(".pre-commit-hooks.yaml", "utf8"),
  );
  const hook = hooks.find((each) => each.id === "httpd-lint");
  // Python's verbose patterns ignore whitespace.
  const files = new RegExp((hook?.files ?? "").replace("(?x)", "").replace(/\s/g, ""));
  const exclude = new RegExp(hook?.exclude ?? "");
  const selects = (path: string) => files.test(path) && !exclude.test(path);

  test.each([
    ".htaccess",
    "public/.htaccess",
    "httpd.conf",
    "docker/apache2.conf",
    "etc/httpd/conf.d/ssl.conf",
    "etc/apache2/sites-available/000-default.conf",
    "sites-available/example.org",
    "conf-available/security.conf",
    "mods-available/ssl.load",
    "conf.modules.d/00-base.conf",
    "ansible/files/apache/vhost.conf",
    "000-default.conf",
    "docker/vhost.conf",
    "deploy/app-ssl.conf",
    "laravel.conf",
    "sites/shop.vhost",
    "htaccess.txt",
    "web/.htaccess.dist",
    "nginx/conf.d/site.conf",
  ])("selects %s", (path) => {
    expect(selects(path)).toBe(true);
  });

  test.each(["README.md", "src/httpd.conf.ts", "conf.d/ssl.conf.rpmnew", "sites-available/default~", ".htaccess.bak"])(
    "does not select %s",
    (path) => {
      expect(selects(path)).toBe(false);
    },
  );

  test("names a command of the package", () => {
    const manifest: { bin: Record<string, string> } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(Object.keys(manifest.bin)).toContain("httpd-lint");
    expect(existsSync("LICENSE")).toBe(true);
  });
});
