import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { isDeep } from "../support/depth.js";
import { commandArgs, commandProgram } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, write } = lintedFolder();

const SITES = 48;
/** One rename each for the journal, the files and the backup. */
const RENAMES = SITES + 2;

const oldLines = "<Location /x>\nOrder allow,deny\nAllow from all\n</Location>\n";

/** Writes a server with a section to migrate in each of its sites. @returns its files */
function writeServer(): readonly string[] {
  const names = Array.from({ length: SITES }, (_, n) => `sites/${n}.conf`);
  const host = (name: string, n: number) =>
    `<VirtualHost *:80>\nServerName ${n}.test\n${oldLines}</VirtualHost>\n# ${name}\n`;
  const main = `ServerRoot ${at(".")}\nListen 80\nServerName a.test\nInclude sites/*.conf\n`;
  write({ "httpd.conf": main, ...Object.fromEntries(names.map((name, n) => [name, host(name, n)])) });
  return names;
}

/** Returns the number of files with old and with new contents. Fails for a file that has neither. */
function countStates(names: readonly string[], whole: ReadonlyMap<string, string>): { old: number; new: number } {
  const counts = { old: 0, new: 0 };
  for (const name of names) {
    const text = readFileSync(at(name), "utf8");
    const state = text.includes(oldLines) ? "old" : "new";
    if (state === "new") expect(text, name).toBe(whole.get(name));
    counts[state]++;
  }
  return counts;
}

/** Runs the command, which is killed before or after its n-th rename. */
function killedRun(n: number, side: "before" | "after", args: readonly string[]) {
  const env = {
    ...process.env,
    XDG_STATE_HOME: at("state"),
    NODE_OPTIONS: `--require ${resolve("test/support/kill-at-rename.cjs")}`,
    KILL_AT_RENAME: `${n} ${side}`,
  };
  const ran = spawnSync(commandProgram, [...commandArgs, ...args], { cwd: at("."), encoding: "utf8", env });
  expect(ran.signal, ran.stderr).toBe("SIGKILL");
}

const env = () => ({ XDG_STATE_HOME: at("state") });
const migrate = ["migrate", "httpd.conf", "--from", "2.2"];

describe("a run of `migrate --write` that is killed at a rename", { timeout: 1_200_000 }, () => {
  test(`is finished or undone completely, at ${isDeep ? "each" : "every eighth"} of ${RENAMES} renames`, () => {
    const names = writeServer();
    const originals = new Map(names.map((name) => [name, readFileSync(at(name), "utf8")]));
    expect(lint([...migrate, "--write"], { env: env() }).status).toBe(0);
    const migrated = new Map(names.map((name) => [name, readFileSync(at(name), "utf8")]));
    let mixed = 0;
    let kills = 0;
    for (let n = 1; n <= RENAMES; n += isDeep ? 1 : 8)
      for (const side of ["before", "after"] as const) {
        kills++;
        write(Object.fromEntries(originals));
        killedRun(n, side, [...migrate, "--write"]);
        const { old, new: changed } = countStates(names, migrated);
        const isMixed = old > 0 && changed > 0;
        if (isMixed) mixed++;
        // Each command on these files reports that.
        for (const args of isMixed ? [["check", "sites/3.conf"], ["resolve", "httpd.conf"], migrate] : [])
          expect(lint(args, { env: env() }).stderr).toContain("some files may be new and others old");
        const undo = (n + (side === "after" ? 1 : 0)) % 2 === 0 ? ["--undo"] : [];
        const recovered = lint([...["migrate", "httpd.conf", "--recover"], ...undo], { env: env() });
        expect(recovered.status, recovered.stderr).toBe(0);
        const settled = countStates(names, migrated);
        expect([settled.old, settled.new]).toContain(0);
        // A journal that is not in place yet means that nothing was changed.
        if (undo.length > 0) expect(settled.old).toBe(SITES);
        else if (n > 1) expect(settled.new).toBe(SITES);
        expect(existsSync(at(".httpd-lint/unfinished"))).toBe(false);
        expect(lint(["check", "httpd.conf"], { env: env() }).stderr).not.toContain("interrupted");
      }
    expect(kills).toBe(isDeep ? 2 * RENAMES : 14);
    expect(mixed).toBeGreaterThan(kills / 2);
  });
});
