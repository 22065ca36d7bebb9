import { spawn } from "node:child_process";
import { chmodSync, closeSync, existsSync, lstatSync, openSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { sampleOf } from "../support/depth.js";
import { commandArgs, commandProgram, type Ran, run, shellCommand } from "../support/programs/command.js";
import { fragmentNote } from "../support/programs/command-output.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

const command = shellCommand;

/** Runs the built command after a shell command. */
function inShell(first: string, args: string): Ran {
  return run("sh", ["-c", `${first}; ${command} ${args}`], { cwd: scratch.path });
}

/** Enough lines for a report that exceeds a small disk. */
const many = "Optoins None\n".repeat(500);

/** Starts the built command without a shell. */
function startCommand(args: readonly string[], stdout: number | "pipe") {
  const child = spawn(commandProgram, [...commandArgs, ...args], {
    ...{ cwd: scratch.path, timeout: 20_000, stdio: ["ignore", stdout, "pipe"] },
  });
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<{ readonly status: number | null; readonly stderr: string }>((done) => {
    child.on("close", (status) => done({ status, stderr }));
  });
  return { child, ended, notes: () => stderr };
}

describe("a full disk", () => {
  test
    .skipIf(!existsSync("/dev/full"))
    .each([
      ...["--help", "--version", "completion", "completion zsh", "rules --help", "init --help", "rules"],
      "check httpd.conf --watch",
    ])("is reported by %s", async (args) => {
    write({ "httpd.conf": "Listen 80\n" });
    const full = openSync("/dev/full", "w");
    expect(await startCommand(args.split(" "), full).ended).toEqual({
      status: 2,
      stderr: "httpd-lint: standard output cannot be written: no space is left\n",
    });
    closeSync(full);
  });

  test.skipIf(!existsSync("/dev/full"))("is reported for standard output", () => {
    write({ "many.conf": many });
    const ran = inShell("exec >/dev/full", "check many.conf");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toBe(`${fragmentNote}httpd-lint: standard output cannot be written: no space is left\n`);
  });

  test("keeps the file of --output, and adds no file next to it", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    const ran = inShell("trap '' XFSZ; ulimit -f 1", "check many.conf --output report.txt");
    expect(ran.status).toBe(2);
    expect(ran.stderr).toMatch(
      /httpd-lint: `report\.txt` of --output cannot be written: it would exceed the size limit/,
    );
    expect(textOf("report.txt")).toBe("the last report\n");
    expect(readdirSync(scratch.path).sort()).toEqual(["many.conf", "report.txt"]);
  });

  test("with enough space left, does not prevent the replacement of the file of --output through a link", () => {
    write({ "many.conf": many, "report.txt": "the last report\n" });
    symlinkSync("report.txt", at("link.txt"));
    expect(lint(["check", "many.conf", "--output", "link.txt"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: fragmentNote,
    });
    expect(lstatSync(at("link.txt")).isSymbolicLink()).toBe(true);
    expect(textOf("report.txt")).toMatch(/500 errors in 1 file/);
  });
});

test("writes to special files in place", () => {
  write({ "many.conf": many });
  const ran = inShell(
    "mkfifo pipe; cat pipe >received & :",
    "check many.conf --output pipe; code=$?; wait; exit $code",
  );
  expect(ran).toMatchObject({ status: 1, stderr: fragmentNote });
  expect(lstatSync(at("pipe")).isFIFO()).toBe(true);
  expect(textOf("received")).toMatch(/500 errors in 1 file/);
});

test("--watch ends at the next change if its reader has closed the pipe", async () => {
  write({ "a.conf": "Optoins None\n" });
  const { child, ended, notes } = startCommand(["check", "a.conf", "--watch"], "pipe");
  await new Promise((read) => child.stdout?.once("data", read));
  child.stdout?.destroy();
  await expect.poll(notes, { timeout: 10_000 }).toContain("watching for changes");
  write({ "a.conf": "Optoins All\n" });
  expect(await ended).toEqual({
    status: 1,
    stderr: `${fragmentNote}httpd-lint: watching for changes; press Ctrl-C to stop\n${fragmentNote}`,
  });
});

describe("a closed pipe changes only standard output", () => {
  const server =
    "ServerName x\nDocumentRoot /srv/none\n<Location /a>\nOrder allow,deny\nAllow from 10.0.0.1\n</Location>\n";
  const expected = { expectations: [{ path: "/a", expect: 403 }] };

  const commands = [
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
  ];

  test.each(sampleOf(commands, 5))("%s", (args) => {
    write({
      "httpd.conf": server,
      "other.conf": server.replace("10.0.0.1", "10.0.0.2"),
      "expected.json": expected,
      "access.log": '10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 200 1\n',
    });
    const expectedRun = lint(args.split(" "));
    expect(expectedRun.stdout).not.toBe("");
    const shell = `{ sleep 0.2; ${command} ${args}; echo $? >code; } | :`;
    const piped = run("sh", ["-c", shell], { cwd: scratch.path });
    expect(piped.stderr).toBe(expectedRun.stderr);
    expect(textOf("code")).toBe(`${expectedRun.status}\n`);
  });
});

describe("the file of --output", () => {
  test("keeps its permission bits", () => {
    write({ "a.conf": "Listen 80\n", "report.txt": "the last report\n" });
    chmodSync(at("report.txt"), 0o600);
    expect(lint(["check", "a.conf", "--output", "report.txt"])).toMatchObject({ status: 0, stderr: fragmentNote });
    expect(statSync(at("report.txt")).mode & 0o7777).toBe(0o600);
    expect(textOf("report.txt")).toMatch(/^no findings/);
    lint(["check", "a.conf", "--output", "new.txt"]);
    expect(statSync(at("new.txt")).mode & 0o7777).toBe(0o666 & ~process.umask());
  });

  test("may be a link to a file that does not exist yet", () => {
    write({ "a.conf": "Listen 80\n", "reports/old.txt": "" });
    symlinkSync("reports/new.txt", at("next.txt"));
    symlinkSync("next.txt", at("link.txt"));
    symlinkSync("circle.txt", at("circle.txt"));
    expect(lint(["check", "a.conf", "--output", "link.txt"])).toMatchObject({ status: 0, stderr: fragmentNote });
    expect(textOf("reports/new.txt")).toMatch(/^no findings/);
    for (const name of ["link.txt", "next.txt"]) expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
    expect(lint(["check", "a.conf", "--output", "circle.txt"]).status).toBe(2);
    expect(lstatSync(at("circle.txt")).isSymbolicLink()).toBe(true);
  });

  test("does not follow a link with the name of its temporary file", () => {
    write({ "a.conf": "Listen 80\n", "victim.txt": "mine\n" });
    const ran = run("sh", ["-c", `ln -s victim.txt report.txt.$$.tmp; exec ${command} a.conf --output report.txt`], {
      cwd: scratch.path,
    });
    expect(ran).toMatchObject({ status: 0, stderr: fragmentNote });
    expect(textOf("victim.txt")).toBe("mine\n");
    expect(textOf("report.txt")).toMatch(/^no findings/);
    expect(readdirSync(scratch.path).filter((name) => name.endsWith(".tmp"))).toHaveLength(1);
  });

  test.each([
    "check httpd.conf",
    "check httpd.conf --jobs 2",
    "check httpd.conf --fix --diff",
    "resolve httpd.conf",
    "explain httpd.conf /a",
    "explain httpd.conf --requests access.log",
    "test httpd.conf expected.json",
    "compare httpd.conf",
    "compare httpd.conf --requests access.log",
    "map httpd.conf",
    "upgrade httpd.conf",
    "migrate httpd.conf",
  ])("cannot be a file of the configuration: %s", (args) => {
    const files = {
      "httpd.conf": "ServerName x\nInclude part.conf\n",
      "part.conf": "<Location /a>\n  Require all denied\n</Location>\n",
    };
    write({
      ...files,
      "expected.json": { expectations: [{ path: "/a", expect: 403 }] },
      "access.log": '10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /a HTTP/1.1" 403 1\n',
    });
    symlinkSync("part.conf", at("link.txt"));
    for (const target of ["httpd.conf", "link.txt"]) {
      const ran = lint([...args.split(" "), "--output", target]);
      expect(ran.status).toBe(2);
      expect(ran.stderr).toContain(
        `httpd-lint: \`${target}\` of --output is a file of the configuration, so it was not replaced; name another file\n`,
      );
    }
    for (const [name, text] of Object.entries(files)) expect(textOf(name)).toBe(text);
  });

  test("may be the file of fixed standard input", () => {
    write({ "a.conf": "Listen 80\n" });
    const args = ["check", "-", "--stdin-filename", "a.conf", "--fix", "--output", "a.conf"];
    expect(lint(args, { input: "Listen 81\n" }).status).toBe(0);
    expect(textOf("a.conf")).toBe("Listen 81\n");
  });
});

test.each(["javascript:alert(1)//)", "data:text/html,x", "//host.test/a", "host.test", "https://", " https://a.test"])(
  "--source-url accepts only web addresses, not %s",
  (address) => {
    write({ "httpd.conf": "Optoins None\n" });
    const ran = lint(["check", "httpd.conf", "--format", "comment", "--source-url", address]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain("for --source-url: expected one with http or https");
    const web = lint(["check", "httpd.conf", "--format", "comment", "--source-url", "HTTP://a.test/b"]);
    expect(web).toMatchObject({ status: 1, stdout: expect.stringContaining("](HTTP://a.test/b/httpd.conf#L1)") });
  },
);

test.each(["text", "html"])("-q keeps the notes of a report as %s, such as what was not compared", (format) => {
  write({ "a.conf": "Listen 80\n", "b.conf": "Listen 80\nRedirect /a /b\n" });
  const words = ["compare", "a.conf", "b.conf", "--format", format];
  const { stdout } = lint([...words, "-q"]);
  expect(stdout).toMatch(/note: .*not compared/i);
  expect(stdout).toBe(lint(words).stdout);
});

describe("--report", () => {
  const server = "Optoins None\nListen 80\n";

  test("writes the same files as --format and --output, in one run", () => {
    write({ "httpd.conf": server });
    const reports = ["sarif", "junit", "text"] as const;
    const flags = reports.flatMap((format) => ["--report", `${format}=${format}.out`]);
    const ran = lint(["check", "httpd.conf", "--format", "github", ...flags, "--color", "always"]);
    expect(ran).toEqual(lint(["check", "httpd.conf", "--format", "github"]));
    for (const format of reports) {
      lint(["check", "httpd.conf", "--format", format, "--output", "single.out"]);
      expect(textOf(`${format}.out`), format).toBe(textOf("single.out"));
    }
  });

  test.each([
    ["yaml=a.out", "invalid format `yaml` for --report: expected one of text, concise, json, "],
    ["sarif", "--report needs a file: --report sarif=FILE"],
    ["sarif=missing/a.out", "`missing/a.out` of --report cannot be written: its directory does not exist"],
    ["sarif=httpd.conf", "`httpd.conf` of --report is a file of the configuration, so it was not replaced"],
  ])("rejects %s", (report, message) => {
    write({ "httpd.conf": server });
    const ran = lint(["check", "httpd.conf", "--report", report, "--quiet"]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain(`httpd-lint: ${message}`);
    expect(textOf("httpd.conf")).toBe(server);
  });

  test.each(["sarif=a.out", "sarif=./b.out"])("rejects %s if another result has the same file", (report) => {
    write({ "httpd.conf": server });
    const ran = lint(["check", "httpd.conf", "--report", "json=a.out", "--report", report, "--output", "b.out"]);
    expect(ran).toMatchObject({ status: 2, stdout: "" });
    expect(ran.stderr).toContain(`two results for the file \`${report.slice("sarif=".length)}\``);
  });
});
