import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, test } from "vitest";
import { commandArgs, commandProgram, type Ran } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

beforeEach(() => {
  write({
    "web/httpd.conf": 'DocumentRoot "/srv/www"\nServerRoot "."\nInclude conf.d/*.conf\n'.replace('"."', at("web")),
    "web/conf.d/office.conf": office,
    "tmp/.keep": "",
  });
});

const office = '<Directory "/srv/www">\n  Order deny,allow\n  Deny from all\n  Allow from 10.0.0.0/8\n</Directory>\n';

/** Writes a program that replaces the server. `$main` is the main file that it receives. */
function writeServer(name: string, lines: string): string {
  const getMain = 'for word; do [ "$last" = -f ] && main=$word; last=$word; done';
  write({ [name]: `#!/bin/sh\n${getMain}\n${lines}\n` });
  chmodSync(at(name), 0o755);
  return at(name);
}

const env = () => ({ NO_COLOR: "1", TMPDIR: at("tmp") });

function migrate(...args: readonly string[]): Ran {
  return lint(["migrate", ...args], { env: env() });
}

/** Returns whether all files are unchanged, and no copies remain. */
function isUntouched(): boolean {
  const hasCopies = ["web/.httpd-lint", "tmp/httpd-lint-"].some((name) => existsSync(at(name)));
  return textOf("web/conf.d/office.conf") === office && !hasCopies;
}

describe("--verify-with-httpd", () => {
  test("writes the new contents if the server accepts copies of them", () => {
    const program = writeServer("httpd", 'cat $(sed -n \'s/^Include "\\(.*\\)"/\\1/p\' "$main") > config');
    const ran = migrate("web/httpd.conf", "--write", `--verify-with-httpd=${program}`);
    expect(ran.stderr).toContain(`httpd-lint: \`${program} -t\` accepts the new contents\n`);
    expect(ran.status).toBe(0);
    expect(textOf("config")).toMatch(/^Include ".*\/tmp\/httpd-lint-/);
    expect(textOf("web/conf.d/office.conf")).toContain("Require ip 10.0.0.0/8");
  });

  test("writes nothing if the server rejects the new contents, and shows its message with the original file", () => {
    const main = at("web/httpd.conf");
    const words = 'echo "AH00526: Syntax error on line 3 of $main:" >&2; echo "invalid line" >&2; exit 1';
    const program = writeServer("httpd", `[ "$main" = ${main} ] && exit 0\n${words}`);
    const ran = migrate("web/httpd.conf", "--write", `--verify-with-httpd=${program}`);
    expect(ran.stderr).toContain(
      `httpd-lint: \`${program} -t\` rejects the new contents: AH00526: Syntax error on line 3 of ${main}: invalid line; nothing was written\n`,
    );
    expect([ran.status, isUntouched()]).toEqual([1, true]);
  });

  test("distinguishes a server that also rejects the unchanged files", () => {
    const program = writeServer("httpd", 'echo "httpd: no such module" >&2; exit 1');
    const ran = migrate("web/httpd.conf", "--write", `--verify-with-httpd=${program}`);
    expect(ran.stderr).toContain(
      "-t` already rejects the unchanged files: httpd: no such module; so it cannot check the new contents, and nothing was written",
    );
    expect([ran.status, isUntouched()]).toEqual([3, true]);
  });

  test("runs the server with the same -D flags, and the variables of envvars", () => {
    write({ "web/envvars": "export RUN_DIR=/run/web\n" });
    const program = writeServer("httpd", 'echo "$@" "$RUN_DIR" > log');
    migrate("web/httpd.conf", "-D", "TLS", "-D", "PORT=80", `--verify-with-httpd=${program}`);
    expect(textOf("log")).toMatch(/^-t -d \S+\/web -f \S+ -D TLS -C Define PORT "80" \/run\/web\n$/);
  });

  test("without a value, uses the server on the PATH, and the next argument is the main file", () => {
    writeServer("bin/apache2", "exit 0");
    const path = `${at("bin")}:${process.env["PATH"]}`;
    const ran = lint(["migrate", "--verify-with-httpd", "web/httpd.conf"], {
      env: { ...env(), PATH: path },
    });
    expect(ran.stderr).toMatch(/-t` accepts the new contents/);
  });

  test.each([
    [["--verify-with-httpd=/nope/httpd"], "`/nope/httpd` of --verify-with-httpd is not an executable program"],
    [["--verify-with-httpd=web"], "`web` of --verify-with-httpd is not an executable program"],
    [["--verify-with-httpd=true", "--sysroot", "."], "runs the httpd of this machine"],
  ])("reports wrong usage in one line: %j", (args, message) => {
    const ran = migrate("web/httpd.conf", "--write", ...args);
    expect(ran).toEqual({ status: 2, stdout: "", stderr: expect.stringMatching(/^httpd-lint: [^\n]*\n$/) });
    expect(ran.stderr).toContain(message);
    expect(isUntouched()).toBe(true);
  });

  test("reports a missing server on the PATH as wrong usage", () => {
    const ran = lint(["migrate", "web/httpd.conf", "--verify-with-httpd"], {
      env: { ...env(), PATH: at("web") },
    });
    expect([ran.status, ran.stderr]).toEqual([
      2,
      "httpd-lint: --verify-with-httpd found no httpd or apache2 on the PATH; name it: --verify-with-httpd=/usr/sbin/httpd\n",
    ]);
  });

  test("changes nothing, and leaves nothing to recover, if it is killed while the server runs", async () => {
    const program = writeServer("httpd", "echo $$ > log; exec sleep 100");
    const args = [...commandArgs, "migrate", "web/httpd.conf", "--write", `--verify-with-httpd=${program}`];
    const child = spawn(commandProgram, args, { cwd: scratch.path, env: { ...process.env, ...env() } });
    const ended = once(child, "close");
    const log = at("log");
    for (let tries = 0; tries < 400 && !(existsSync(log) && textOf("log") !== ""); tries++) await sleep(25);
    child.kill("SIGKILL");
    process.kill(Number(textOf("log")), "SIGKILL");
    await ended;
    expect(isUntouched()).toBe(true);
    expect(migrate("web/httpd.conf", "--recover").stderr).toContain("no interrupted run in");
  });
});
