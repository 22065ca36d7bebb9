import { existsSync, lstatSync, readdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { builtCommand, type Ran, run } from "../support/command.js";
import { lintedFolder } from "../support/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

const command = `"${process.execPath}" "${builtCommand}"`;

/** The built command behind what a shell does first. */
function inShell(first: string, args: string): Ran {
  return run("sh", ["-c", `${first}; ${command} ${args}`], { cwd: scratch.path });
}

/** Enough for a report that no small disk takes. */
const many = "Optoins None\n".repeat(500);

describe("a disk that is full", () => {
  test.skipIf(!existsSync("/dev/full"))("is told of on standard output", () => {
    write({ "many.conf": many });
    const ran = inShell("exec >/dev/full", "check many.conf");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toBe("httpd-lint: standard output cannot be written: no space is left\n");
  });

  test("leaves what was in the file of --output, and nothing beside it", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    const ran = inShell("trap '' XFSZ; ulimit -f 1", "check many.conf --output report.txt");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(/^httpd-lint: `report\.txt` of --output cannot be written: it would be larger than is/);
    expect(textOf("report.txt")).toBe("the last report\n");
    expect(readdirSync(scratch.path).sort()).toEqual(["many.conf", "report.txt"]);
  });

  test("twin: with room the file is put in place, and a link stays a link", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    symlinkSync("report.txt", at("link.txt"));
    expect(lint(["check", "many.conf", "--output", "link.txt"])).toMatchObject({ status: 1, stdout: "", stderr: "" });
    expect(lstatSync(at("link.txt")).isSymbolicLink()).toBe(true);
    expect(textOf("report.txt")).toMatch(/500 errors in 1 file/);
  });
});

test("what is no file is written to and stays what it is", () => {
  write({ "many.conf": many });
  const ran = inShell("mkfifo pipe; cat pipe >taken & :", "check many.conf --output pipe; code=$?; wait; exit $code");
  expect(ran).toMatchObject({ status: 1, stderr: "" });
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  expect(textOf("taken")).toMatch(/500 errors in 1 file/);
});

describe("a reader that has left before anything is written changes nothing but that", () => {
  const server =
    "ServerName x\nDocumentRoot /srv/none\n<Location /a>\nOrder allow,deny\nAllow from 10.0.0.1\n</Location>\n";
  const expected = { expectations: [{ path: "/a", expect: 403 }] };

  test.each([
    ...["text", "json", "sarif", "github", "html", "markdown", "junit"].map(
      (format) => `check httpd.conf --format ${format}`,
    ),
    "check httpd.conf --statistics",
    "resolve httpd.conf",
    "explain httpd.conf /a",
    "explain httpd.conf --requests access.log",
    "test httpd.conf expected.json",
    "compare httpd.conf",
    "compare httpd.conf other.conf",
    "map httpd.conf",
    "map httpd.conf --format html",
    "upgrade httpd.conf",
    "migrate httpd.conf",
    "rules",
    "rules unknown-directive",
    "completion",
    "--help",
  ])("%s", (args) => {
    write({
      "httpd.conf": server,
      "other.conf": server.replace("10.0.0.1", "10.0.0.2"),
      "expected.json": expected,
      "access.log": '10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1\n',
    });
    const usual = lint(args.split(" "));
    expect(usual.stdout).not.toBe("");
    const shell = `{ sleep 0.2; ${command} ${args}; echo $? >code; } | :`;
    const left = run("sh", ["-c", shell], { cwd: scratch.path });
    expect(left.stderr).toBe(usual.stderr);
    expect(textOf("code")).toBe(`${usual.status}\n`);
  });
});
