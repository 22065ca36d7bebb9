import { spawnSync } from "node:child_process";
import { chmodSync, renameSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { commandArgs, commandProgram, type Ran, run, shellCommand } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] as const;
const isRoot = process.getuid?.() === 0;
/** Whether an ordinary user may run the built command at its location. */
const canDrop =
  isRoot && spawnSync(asNobody[0], [...asNobody.slice(1), "test", "-r", resolve("package.json")]).status === 0;

/** Checks the server in the folder as a user who is subject to permissions. */
function checkAsNobody(): Ran {
  chmodSync(scratch.path, 0o755);
  const [program, ...rest] = [...(isRoot ? asNobody : []), commandProgram, ...commandArgs, "check", "httpd.conf"];
  return run(program ?? "", rest, { cwd: scratch.path });
}

test.skipIf(isRoot && !canDrop)("reports an unreadable file, and checks the others", () => {
  write({ "httpd.conf": "Include a.conf\nInclude b.conf\n", "a.conf": "Optoins None\n", "b.conf": "Optoins None\n" });
  chmodSync(at("a.conf"), 0);
  const ran = checkAsNobody();
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(
    /: .*a\.conf` cannot be included: permission to read it is denied.*\n --> httpd\.conf:1:1\n/,
  );
  expect(ran.stdout).toMatch(/^error\[.*\n --> b\.conf:1:1$/m);
});

test.skipIf(isRoot && !canDrop)("reports unreadable directories, and checks the others", () => {
  write({
    "httpd.conf": `DocumentRoot ${scratch.path}/www\nInclude closed/*.conf\nInclude open/*.conf\n`,
    "closed/a.conf": "Optoins None\n",
    "open/a.conf": "Optoins None\n",
    "www/closed/.htaccess": "Optoins None\n",
    "www/open/.htaccess": "Optoins None\n",
  });
  for (const folder of ["closed", "www/closed"]) chmodSync(at(folder), 0);
  const ran = checkAsNobody();
  for (const folder of ["closed", "www/closed"]) chmodSync(at(folder), 0o755);
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(/: .*closed` .*permission to read it is denied.*\n --> httpd\.conf:2:1\n/);
  expect(ran.stdout).toMatch(
    /: .*www\/closed` cannot be listed: permission to read it is denied.*\n --> httpd\.conf:1:1\n/,
  );
  expect(ran.stdout).toMatch(/^error\[.*\n --> open\/a\.conf:1:1$/m);
  expect(ran.stdout).toMatch(/^error\[.*\n --> www\/open\/\.htaccess:1:1$/m);
});

test("does not wait for pipes and devices next to a main file", () => {
  write({ "httpd.conf": "Listen 80\n" });
  run("mkfifo", [at("envvars")]);
  expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
  renameSync(at("envvars"), at("pipe"));
  symlinkSync("/dev/zero", at("envvars"));
  expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
});

describe.each([
  ["a device", (name: string) => symlinkSync("/dev/zero", at(name))],
  ["a pipe", (name: string) => run("mkfifo", [at(name)])],
])("%s instead of a regular file does not block", (_what, create) => {
  /** Runs a command with a timeout. */
  const limited = (...args: string[]): Ran => {
    const ran = spawnSync(commandProgram, [...commandArgs, ...args], {
      ...{ cwd: scratch.path, encoding: "utf8", timeout: 20_000 },
    });
    return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr };
  };

  test("the read of the cache", () => {
    write({ "a.conf": "Optoins None\n" });
    create(".httpd-lint-cache");
    const ran = limited("check", "a.conf", "--cache", "--confine", ".");
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^httpd-lint: the cache `.*` is ignored, because it cannot be read$/m);
  });

  test.each([
    ["cache", ["check"], 1],
    ["expectations", ["test"], 3],
    ["files", ["explain", "a.conf", "/x"], 3],
  ])("the read of `%s` of the configuration file", (name, args, status) => {
    write({ "a.conf": "Optoins None\n", ".httpd-lint.json": { entry: "a.conf", [name]: "c.bin" } });
    create("c.bin");
    const ran = limited(...args);
    expect(ran.status).toBe(status);
    expect(ran.stderr).toContain("cannot be read");
  });
});

test.each([
  ["explain", "a.conf", "--requests"],
  ["test", "a.conf"],
  ["upgrade", "a.conf", "--config-nice"],
  ["explain", "a.conf", "/x", "--files"],
  ["resolve", "a.conf", "--envvars"],
])("does not read a device that a flag names: %s %s %s", (...args) => {
  write({ "a.conf": "Listen 80\n" });
  symlinkSync("/dev/zero", at("zero.json"));
  const { status, stderr } = spawnSync(commandProgram, [...commandArgs, ...args, "zero.json"], {
    ...{ cwd: scratch.path, encoding: "utf8", timeout: 20_000 },
  });
  expect(status).toBeGreaterThanOrEqual(2);
  expect(stderr).toContain("cannot be read");
});

test("waits for a pipe that a flag names", () => {
  write({ "a.conf": "ServerAdmin ${UP}\n" });
  run("mkfifo", [at("pipe")]);
  const command = `${shellCommand} resolve a.conf --envvars pipe`;
  const ran = run("sh", ["-c", `{ sleep 0.3; echo export UP=me >pipe; } & ${command}`], { cwd: scratch.path });
  expect(ran.stdout).toContain("ServerAdmin me");
});

test("uses a cache outside the confined directory", () => {
  write({ "inside/httpd.conf": "Optoins None\n" });
  const check = () => lint(["check", "inside/httpd.conf", "--cache", "--confine", "inside"]);
  expect(check()).toMatchObject({ status: 1, stderr: "" });
  expect(check()).toMatchObject({ status: 1, stderr: "" });
});
