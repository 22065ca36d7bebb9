import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { diskAccess } from "../../src/config/files/disk.js";
import { readFileStart, readFoundFile, readNamedFile } from "../../src/config/files/file-content.js";
import { commandArgs, commandProgram, run, shellCommand } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();
const secret = "Hunter2";

/** Runs a command whose environment has a secret, with input, and fails if it waits. */
function limited(args: readonly string[]) {
  const env = { ...process.env, CI_DEPLOY: secret };
  const ran = spawnSync(commandProgram, [...commandArgs, ...args], {
    ...{ cwd: at("."), encoding: "utf8", timeout: 20_000, env, input: `ServerAdmin ${secret}\n` },
  });
  expect(ran.signal).toBeNull();
  return ran;
}

describe.skipIf(process.platform !== "linux")("a configuration cannot have files of the kernel read", () => {
  test.each([
    ["/proc/self/environ"],
    ["//proc//self/environ"],
    ["/proc/../proc/self/environ"],
    ["/usr/../proc/self/environ"],
    ["/proc/self/task/../environ"],
    ["/proc/self/env*"],
    ["/proc/*/environ"],
    ["/dev/stdin"],
    ["/dev/fd/0"],
    ["/proc/self/fd/0"],
    ["/dev/fd"],
    ["/sys/kernel/mm/transparent_hugepage/enabled"],
    ["link.conf"],
    ["folder/environ"],
    ["folder/env*"],
    ["${where}/environ"],
  ])("by Include %s", (path) => {
    write({ "httpd.conf": `Define where /proc/self\nInclude ${path}\nListen 80\n` });
    symlinkSync("/proc/self/environ", at("link.conf"));
    symlinkSync("/proc/self", at("folder"));
    for (const args of [
      ["check"],
      ["check", "--format", "html"],
      ["check", "--format", "json"],
      ["resolve"],
      ["map"],
    ]) {
      const { stdout, stderr } = limited([...args, "httpd.conf"]);
      expect(stdout + stderr).not.toContain(secret);
    }
    const { stdout } = limited(["check", "httpd.conf", "--confine", "/"]);
    expect(stdout).toMatch(/: it belongs to the kernel \(`\/(?:proc|sys|dev)`\)\n/);
    expect(stdout).toContain("= note: httpd-lint does not read files below `/proc`, `/sys` and `/dev`");
  });

  test("by a ServerRoot, a macro or a directory of `--sysroot`", () => {
    write({
      "httpd.conf": "ServerRoot /proc/self\n<Macro M $x>\nInclude $x\n</Macro>\nUse M environ\n",
      "root/httpd.conf": "Include /proc/self/environ\n",
      "root/proc/self/environ": "Nonsense on\n",
    });
    const { stdout } = limited(["check", "httpd.conf"]);
    expect(stdout).toContain("`/proc/self/environ` cannot be included: it belongs to the kernel (`/proc`)");
    const below = limited(["check", "root/httpd.conf", "--sysroot", "root"]);
    expect(below.stdout).toContain("it belongs to the kernel (`/proc`)");
    expect(below.stdout).not.toContain("Nonsense");
  });

  test.each([
    ["an `.htaccess` file", "www/.htaccess", ["check", "httpd.conf"]],
    ["a file of users", "users", ["explain", "httpd.conf", "/", "--user", "me"]],
    ["a type map", "www/index.var", ["explain", "httpd.conf", "/index.var"]],
    ["a map of mod_rewrite", "map.txt", ["explain", "httpd.conf", "/m/CI_DEPLOY"]],
    ["a certificate", "cert.pem", ["check", "httpd.conf"]],
    ["the environment", "envvars", ["resolve", "httpd.conf"]],
    ["expectations", "httpd-lint.tests.json", ["test", "httpd.conf"]],
    ["a baseline", "baseline.json", ["check", "httpd.conf", "--baseline", "baseline.json"]],
    ["the cache", ".httpd-lint-cache", ["check", "httpd.conf", "--cache"]],
    ["a configuration file", ".httpd-lint.json", ["check", "httpd.conf"]],
  ])("as %s", (_what, name, args) => {
    mkdirSync(at("www"));
    write({
      "httpd.conf": `ServerRoot ${at(".")}\nListen 80\nDocumentRoot ${at("www")}\nServerAdmin \${CI_DEPLOY}
AddHandler type-map .var\nRewriteEngine on\nRewriteMap m txt:${at("map.txt")}\nRewriteRule ^/m/(.*) /$\{m:$1}
SSLEngine on\nSSLCertificateFile ${at("cert.pem")}
<Directory ${at("www")}>\nAllowOverride All\nAuthType Basic\nAuthName x\nAuthUserFile ${at("users")}\nRequire valid-user\n</Directory>\n`,
    });
    symlinkSync("/proc/self/environ", at(name));
    const { stdout, stderr } = limited(args);
    expect(stdout + stderr).not.toContain(secret);
  });

  test("as a file that a flag or an argument names", () => {
    write({ "a.conf": "Listen 80\n" });
    for (const args of [
      ["check", "/proc/self/environ"],
      ["resolve", "/proc/self/environ"],
      ["check", "a.conf", "--envvars", "/proc/self/environ"],
      ["check", "a.conf", "--main", "/proc/self/environ"],
      ["check", "a.conf", "--config", "/proc/self/environ"],
    ]) {
      const { status, stdout, stderr } = limited(args);
      expect(stdout + stderr).not.toContain(secret);
      expect(status, args.join(" ")).toBeGreaterThanOrEqual(2);
      expect(stderr).toContain("it belongs to the kernel (`/proc`)");
    }
  });

  test("where the directory is mounted elsewhere", ({ skip }) => {
    mkdirSync(at("mounted"));
    write({ "httpd.conf": `Listen 80\nInclude ${at("mounted")}/self/environ\n` });
    const command = `mount -t proc proc mounted && CI_DEPLOY=${secret} exec ${shellCommand} check httpd.conf`;
    const { stdout, stderr } = run("unshare", [process.geteuid?.() === 0 ? "-m" : "-rm", "sh", "-c", command], {
      cwd: at("."),
    });
    if (/unshare|mount:/.test(stderr)) skip("this machine does not permit a mount");
    expect(stdout).toContain("cannot be included: it belongs to the kernel\n");
    expect(stdout).not.toContain(secret);
  });

  test("in any function that reads files", () => {
    symlinkSync("/proc/self/environ", at("link"));
    for (const path of ["/proc/self/environ", at("link")]) {
      expect(readFoundFile(path)).toMatchObject({
        ok: false,
        error: { message: "it belongs to the kernel (`/proc`)" },
      });
      expect(readFoundFile(path, "/")).toHaveProperty("ok", false);
      expect(readNamedFile(path)).toHaveProperty("ok", false);
      expect(readFileStart(path, 100)).toBeUndefined();
    }
    expect(diskAccess().list("/proc/self")).toHaveProperty("ok", false);
    symlinkSync("/proc/self", at("folder"));
    expect(diskAccess().list(at("folder"))).toHaveProperty("ok", false);
  });
});

describe("files that are read", () => {
  test("are the empty device, and folders with a similar name", () => {
    write({
      "httpd.conf": "Include /dev/null\nInclude proc/self/environ\nInclude dev*/*.conf\n",
      "proc/self/environ": "Nonsense1 on\n",
      "dev/a.conf": "Nonsense2 on\n",
      "devices/a.conf": "Nonsense3 on\n",
    });
    const { stdout } = lint(["check", "httpd.conf"]);
    for (const name of ["Nonsense1", "Nonsense2", "Nonsense3"]) expect(stdout).toContain(`\`${name}\``);
    expect(stdout).not.toContain("kernel");
  });
});

describe("a pipe", () => {
  const shell = (command: string) => run("bash", ["-c", command], { cwd: at(".") });

  test.each([
    ["check", "Ordr on"],
    ["resolve", "Ordr on"],
    ["map", "unknown directive `Ordr`"],
    ["upgrade", "Upgrade from 2.2 to 2.4"],
  ])("is read where an argument names it: %s <(…)", (command, shown) => {
    const { stdout, stderr } = shell(`${shellCommand} ${command} <(printf 'Listen 80\\nOrdr on\\n')`);
    expect(stdout).toContain(shown);
    expect(stderr).not.toContain("cannot be read");
  });

  test("is read by several threads, by --main, and twice", () => {
    write({ "a.conf": "ServerAdmin ${UP}\nNonsense on\n" });
    const jobs = shell(
      `${shellCommand} check --jobs 2 --format json --envvars <(echo export UP=me) a.conf <(echo Nonsense2 on)`,
    );
    expect(jobs.stdout).toContain("Nonsense2");
    expect(jobs.stdout).not.toContain("`UP`");
    const main = shell(`${shellCommand} check --main <(echo "Include ${at("a.conf")}") a.conf`);
    expect(main.stdout).toContain("Nonsense");
    const compared = shell(`${shellCommand} compare <(echo Listen 80) <(echo Listen 80)`);
    expect(compared.stdout).toContain("equivalent");
  });

  test("may be empty, or an open file", () => {
    write({ "a.conf": "Nonsense on\n" });
    expect(shell(`${shellCommand} check <(true)`).stdout).toContain("no findings");
    expect(shell(`${shellCommand} check /dev/fd/3 3<a.conf`).stdout).toContain("Nonsense");
    expect(shell(`${shellCommand} check - <a.conf`).stdout).toContain("Nonsense");
    expect(shell(`cat a.conf | ${shellCommand} check /dev/stdin`).stdout).toContain("Nonsense");
  });

  test("is not changed", () => {
    const fixed = shell(`${shellCommand} check --fix <(echo Listen 80)`);
    expect(fixed).toMatchObject({ status: 2, stderr: expect.stringContaining("--fix cannot change the pipe") });
    const migrated = shell(`${shellCommand} migrate --write <(echo Listen 80)`);
    expect(migrated).toMatchObject({ status: 2, stderr: expect.stringContaining("--write cannot change a pipe") });
  });

  test("is not read where a configuration names it", () => {
    write({ "httpd.conf": "Include pipe.conf\nListen 80\n" });
    run("mkfifo", [at("pipe.conf")]);
    expect(limited(["check", "httpd.conf"]).stdout).toContain(
      "pipe.conf` cannot be included: it is not a regular file",
    );
  });

  test("is waited for, but not forever", () => {
    run("mkfifo", [at("pipe")]);
    expect(readNamedFile(at("pipe"), 300)).toEqual({
      ok: false,
      error: { message: "it is a pipe that sent nothing for 0 seconds" },
    });
    write({ other: "Listen 80\n" });
    expect(readNamedFile(at("other"), 300)).toMatchObject({ value: { text: "Listen 80\n" } });
  });
});
