import { spawnSync } from "node:child_process";
import { chmodSync, renameSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { builtCommand, type Ran, run } from "../support/command.js";
import { lintedFolder } from "../support/test-folder.js";

const scratch = lintedFolder();
const { at, lint, write } = scratch;

const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] as const;
const isRoot = process.getuid?.() === 0;
/** Whether an ordinary user may run the built command where it lies. */
const canDrop =
  isRoot && spawnSync(nobody[0], [...nobody.slice(1), "test", "-r", resolve("package.json")]).status === 0;

/** Checks the server in the folder as somebody whom permissions bind. */
function checkAsNobody(): Ran {
  chmodSync(scratch.path, 0o755);
  const [program, ...rest] = [...(isRoot ? nobody : []), process.execPath, builtCommand, "check", "httpd.conf"];
  return run(program ?? "", rest, { cwd: scratch.path });
}

test.skipIf(isRoot && !canDrop)("a part that may not be read is told of, and the rest is checked", () => {
  write({ "httpd.conf": "Include a.conf\nInclude b.conf\n", "a.conf": "Optoins None\n", "b.conf": "Optoins None\n" });
  chmodSync(at("a.conf"), 0);
  const ran = checkAsNobody();
  expect(ran.status).toBe(1);
  expect(ran.stdout).toMatch(/^httpd\.conf:1:1: .*a\.conf` cannot be included: permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^b\.conf:1:1: error: /m);
});

test.skipIf(isRoot && !canDrop)("folders that may not be read are told of, and the rest is checked", () => {
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
  expect(ran.stdout).toMatch(/^httpd\.conf:2:1: .*closed` .*permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^httpd\.conf:1:1: .*www\/closed` cannot be listed: permission to read it is denied/m);
  expect(ran.stdout).toMatch(/^open\/a\.conf:1:1: error: /m);
  expect(ran.stdout).toMatch(/^www\/open\/\.htaccess:1:1: error: /m);
});

test("what never ends, or never begins, beside a main file is not waited for", () => {
  write({ "httpd.conf": "Listen 80\n" });
  run("mkfifo", [at("envvars")]);
  expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
  renameSync(at("envvars"), at("pipe"));
  symlinkSync("/dev/zero", at("envvars"));
  expect(lint(["resolve", "httpd.conf"]).status).toBe(0);
});
