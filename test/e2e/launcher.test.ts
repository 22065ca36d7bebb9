import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { run } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const thisMachine = `${process.versions.v8}-${process.platform}-${process.arch}`;
const installed = lintedFolder();

beforeEach(() => {
  for (const name of ["httpd-lint.js", "main.js", "package.json", "data", "code-cache"])
    cpSync(join("dist", name), installed.at(name), { recursive: true });
  installed.write({ "httpd.conf": "Optoins None\n" });
});

const inCache = (...names: readonly string[]) => join(installed.path, "code-cache", ...names);
const check = (...flags: readonly string[]) =>
  run("node", [installed.at("httpd-lint.js"), "check", installed.at("httpd.conf"), ...flags]);
const found = { status: 1, stdout: expect.stringContaining("`Options`"), stderr: "" };

test("the build contains compiled code for this version of Node.js and this machine", () => {
  expect(readdirSync("dist/code-cache")).toContain(thisMachine);
  expect(check()).toMatchObject(found);
});

test("the command runs without compiled code, or with compiled code for other machines only", () => {
  rmSync(inCache(thisMachine));
  expect(check()).toMatchObject(found);
  writeFileSync(inCache(`${process.versions.v8}-plan9-${process.arch}`), "never read");
  expect(check()).toMatchObject(found);
  rmSync(inCache(), { recursive: true });
  expect(check()).toMatchObject(found);
});

test("the command ignores truncated and missing code", () => {
  const whole = readFileSync(inCache(thisMachine));
  for (const size of [0, 10, whole.length >> 1]) {
    truncateSync(inCache(thisMachine), size);
    expect(check(), `${size} bytes`).toMatchObject(found);
    writeFileSync(inCache(thisMachine), whole);
  }
  rmSync(inCache(thisMachine));
  mkdirSync(inCache(thisMachine));
  expect(check()).toMatchObject(found);
});

test("a run writes no compiled code", () => {
  rmSync(inCache(), { recursive: true });
  check();
  expect(readdirSync(installed.path)).not.toContain("code-cache");
});

test("V8 accepts the compiled code", () => {
  const program = `const { readFileSync } = require("node:fs");
    const source = require("node:module").wrap(readFileSync(process.argv[1], "latin1"));
    const cachedData = readFileSync(process.argv[2]);
    process.stdout.write(String(new (require("node:vm").Script)(source, { cachedData }).cachedDataRejected));`;
  const result = run("node", ["-e", program, installed.at("main.js"), inCache(thisMachine)]);
  expect(result).toMatchObject({ status: 0, stdout: "false", stderr: "" });
});
