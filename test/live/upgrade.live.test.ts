import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { changedBehaviour } from "../../rules/changed-behaviour/changed-behaviour.js";
import { changedDefault } from "../../rules/changed-default/changed-default.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { freePort } from "../support/httpd/ports.js";
import { type RunningHttpd, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { lintText } from "../support/rules.js";

type Answer = Awaited<ReturnType<RunningHttpd["ask"]>>;

const open = '<Directory "DOCROOT">\nRequire all granted\n</Directory>';

async function answerTo(path: string, lines: readonly string[], files: Readonly<Record<string, string>>) {
  const answers: Answer[] = [];
  const modules = ["authz_core", "dir", "mime", "autoindex", "filter", "substitute"];
  const run = async (server: RunningHttpd) => {
    answers.push(await server.ask({ path }));
  };
  await withRunningHttpd(modules, [open, "TypesConfig /dev/null", ...lines], run, files);
  return answers[0];
}

const upgrade = { from: "2.2" } as const;

describe.skipIf(!httpd)("defaults that 2.4 changed", () => {
  const files = { file: "x", "folder/file": "x", "own/.htaccess": "DirectoryIndex file\n", "own/file": "x" };
  const of = (directory: string, line: string) => `<Directory "${directory}">\n${line}\n</Directory>`;

  test.each<[string, string, string, string | undefined, (answer: Answer | undefined) => unknown]>([
    [
      "FileETag",
      "/file",
      "FileETag INode MTime Size",
      "FileETag MTime Size",
      (answer) => answer?.headers.etag?.split("-").length,
    ],
    ["Options", "/folder/", "Options All", "Options FollowSymLinks", (answer) => answer?.status],
    [
      "DefaultType",
      "/file",
      of("DOCROOT", "ForceType text/plain"),
      undefined,
      (answer) => answer?.headers["content-type"],
    ],
    ["AllowOverride", "/own/", of("DOCROOT", "AllowOverride All"), undefined, (answer) => answer?.status],
  ])(liveTitle("%s"), async (name, path, before, after, look) => {
    const unset = look(await answerTo(path, [], files));
    expect(unset).not.toEqual(look(await answerTo(path, [before], files)));
    if (after) expect(unset).toEqual(look(await answerTo(path, [after], files)));
    const text = (line: string) =>
      `${loadModules(["autoindex", "dir"])}DocumentRoot /srv\n${line.replace("DOCROOT", "/srv")}\n`;
    const isTold = (line: string) =>
      lintText([changedDefault], text(line), upgrade).some(({ message }) =>
        message.startsWith(`default of \`${name}\` changed`),
      );
    expect([isTold(""), isTold(before)]).toEqual([true, false]);
  });
});

describe.skipIf(!httpd)("piped logs", () => {
  const LOG = "FOLDER/piped";

  /** Returns whether a request is logged to the file of the log. */
  async function isLogged(line: string): Promise<boolean> {
    return whileInScratchFolder(async (folder) => {
      const log = join(folder, "piped");
      const holdsIt = () => existsSync(log) && readFileSync(log, "utf8").includes("/asked\n");
      await withRunningHttpd(["authz_core"], [line.replace(LOG, log)], async ({ ask }) => {
        await ask({ path: "/asked" });
        for (let tries = 0; tries < 20 && !holdsIt(); tries++) await sleep(20);
      });
      return holdsIt();
    });
  }

  const told = (line: string) => lintText([changedBehaviour], `${line}\n`, upgrade)[0];

  test.each([`CustomLog "|/bin/cat > ${LOG}" "%U"`, `CustomLog "|/usr/bin/tee ${LOG}; true" "%U"`])(
    liveTitle("%s is told of, and its fix logs"),
    async (line) => {
      expect(await isLogged(line)).toBe(false);
      const [edit] = told(line)?.fix?.edits ?? [];
      if (edit === undefined) throw new Error("no fix");
      expect(await isLogged(line.slice(0, edit.span.start) + edit.text + line.slice(edit.span.end))).toBe(true);
    },
  );

  test.each([`CustomLog "|/usr/bin/tee ${LOG}" "%U"`, `CustomLog "|/bin/sh -c 'cat > ${LOG}'" "%U"`])(
    liveTitle("%s is quiet, and logs"),
    async (line) => {
      expect(told(line)).toBeUndefined();
      expect(await isLogged(line)).toBe(true);
    },
  );

  test(liveTitle("a program without its path keeps the server from starting"), async () => {
    await whileInScratchFolder(async (folder) => {
      const line = `ErrorLog "|tee ${folder}/log"`;
      expect(told(line)?.severity).toBe("error");
      const port = await freePort();
      const head = `${loadModules(["mpm_event", "authz_core"])}ServerName x\nServerRoot ${folder}\nPidFile pid\n`;
      writeFileSync(join(folder, "httpd.conf"), `${head}Listen 127.0.0.1:${port}\n${line}\n`);
      const run = (...flags: string[]) =>
        spawnSync(httpd ?? "", [...flags, "-f", join(folder, "httpd.conf")], { encoding: "utf8", timeout: 10_000 });
      expect(run("-t").status).toBe(0);
      const started = run("-X");
      expect([started.status, started.stderr.includes("AH00089")]).toEqual([1, true]);
    });
  });
});

test.skipIf(!httpd)(liveTitle("Substitute gives up at a line of more than 1 MB"), async () => {
  const files = { "long.html": `${"a".repeat(1_500_000)}foo\n` };
  const lines = ["AddType text/html .html", "AddOutputFilterByType SUBSTITUTE text/html", "Substitute s/foo/bar/"];
  expect((await answerTo("/long.html", lines, files))?.status).toBe(500);
  expect((await answerTo("/long.html", [...lines, "SubstituteMaxLineLength 10m"], files))?.status).toBe(200);
});
