import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { commandArgs, commandProgram } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, textOf, write } = scratch;

test.each(["SIGINT", "SIGTERM"] as const)("%s ends a run, and the last report is unchanged", async (signal) => {
  write({ "report.txt": "the last report\n" });
  const args = [...commandArgs, "check", "-", "--stdin-filename", "a.conf", "--output", "report.txt"];
  // The process waits for its input.
  const child = spawn(commandProgram, args, { cwd: scratch.path, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ended = new Promise((done) => child.on("close", (code, by) => done({ code, by, stderr })));
  child.stdin.write("Optoins None\n");
  await new Promise((later) => setTimeout(later, 1000));
  child.kill(signal);
  expect(await ended).toEqual({ code: null, by: signal, stderr: "" });
  expect(readdirSync(scratch.path)).toEqual(["report.txt"]);
  expect(textOf("report.txt")).toBe("the last report\n");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s at any moment of `migrate --write` leaves all files old or all files new",
  async (signal) => {
    const parts = Array.from({ length: 30 }, (_, n) => `conf.d/${n}.conf`);
    const before = (n: number) => `<Directory /srv/${n}>\nOrder allow,deny\nAllow from all\n</Directory>\n`;
    write({
      "httpd.conf": "ServerName x\nDocumentRoot /srv/none\nInclude conf.d/*.conf\n",
      ...Object.fromEntries(parts.map((path, n) => [path, before(n)])),
    });
    const isOld = () => parts.map((path) => textOf(path).includes("Order"));
    const states = new Set<string>();
    for (let delay = 50; !isOld().includes(false) && delay < 60_000; delay *= 1.2) {
      const args = [...commandArgs, "migrate", "httpd.conf", "--write", "--quiet"];
      const child = spawn(commandProgram, args, { cwd: scratch.path, stdio: "ignore" });
      const ended = new Promise<number | null>((done) => child.on("close", done));
      await new Promise((later) => setTimeout(later, delay));
      child.kill(signal);
      const code = await ended;
      expect(new Set(isOld()).size).toBe(1);
      states.add(`${code === null ? "interrupted" : "ended"}, ${isOld().includes(true) ? "old" : "new"}`);
      expect(readdirSync(at("conf.d")).sort()).toEqual(parts.map((path) => path.slice(7)).sort());
    }
    // The first run is interrupted long before it writes, and the last has enough time.
    expect([...states]).toContain("interrupted, old");
    expect(isOld()).not.toContain(true);
  },
);
