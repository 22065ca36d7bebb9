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
  const inDirectory = (directory: string, line: string) => `<Directory "${directory}">\n${line}\n</Directory>`;

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
      inDirectory("DOCROOT", "ForceType text/plain"),
      undefined,
      (answer) => answer?.headers["content-type"],
    ],
    ["AllowOverride", "/own/", inDirectory("DOCROOT", "AllowOverride All"), undefined, (answer) => answer?.status],
  ])(liveTitle("%s"), async (name, path, before, after, select) => {
    const unset = select(await answerTo(path, [], files));
    expect(unset).not.toEqual(select(await answerTo(path, [before], files)));
    if (after) expect(unset).toEqual(select(await answerTo(path, [after], files)));
    const text = (line: string) =>
      `${loadModules(["autoindex", "dir"])}DocumentRoot /srv\n${line.replace("DOCROOT", "/srv")}\n`;
    const isReported = (line: string) =>
      lintText([changedDefault], text(line), upgrade).some(({ message }) =>
        message.startsWith(`default of \`${name}\` changed`),
      );
    expect([isReported(""), isReported(before)]).toEqual([true, false]);
  });
});

describe.skipIf(!httpd)("piped logs", () => {
  const LOG = "FOLDER/piped";

  /** Returns whether the log contains a request. */
  async function isLogged(line: string): Promise<boolean> {
    return whileInScratchFolder(async (folder) => {
      const log = join(folder, "piped");
      const hasRequest = () => existsSync(log) && readFileSync(log, "utf8").includes("/logged\n");
      await withRunningHttpd(["authz_core"], [line.replace(LOG, log)], async ({ ask }) => {
        await ask({ path: "/logged" });
        for (let tries = 0; tries < 20 && !hasRequest(); tries++) await sleep(20);
      });
      return hasRequest();
    });
  }

  const findingOn = (line: string) => lintText([changedBehaviour], `${line}\n`, upgrade)[0];

  test.each([`CustomLog "|/bin/cat > ${LOG}" "%U"`, `CustomLog "|/usr/bin/tee ${LOG}; true" "%U"`])(
    liveTitle("%s is reported, and is logged with the fix"),
    async (line) => {
      expect(await isLogged(line)).toBe(false);
      const [edit] = findingOn(line)?.fix?.edits ?? [];
      if (edit === undefined) throw new Error("no fix");
      expect(await isLogged(line.slice(0, edit.span.start) + edit.text + line.slice(edit.span.end))).toBe(true);
    },
  );

  test.each([`CustomLog "|/usr/bin/tee ${LOG}" "%U"`, `CustomLog "|/bin/sh -c 'cat > ${LOG}'" "%U"`])(
    liveTitle("%s is not reported, and is logged"),
    async (line) => {
      expect(findingOn(line)).toBeUndefined();
      expect(await isLogged(line)).toBe(true);
    },
  );

  test(liveTitle("a program without its path prevents the start of the server"), async () => {
    await whileInScratchFolder(async (folder) => {
      const line = `ErrorLog "|tee ${folder}/log"`;
      expect(findingOn(line)?.severity).toBe("error");
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

test.skipIf(!httpd)(liveTitle("Substitute fails on a line of more than 1 MB"), async () => {
  const files = { "long.html": `${"a".repeat(1_500_000)}foo\n` };
  const lines = ["AddType text/html .html", "AddOutputFilterByType SUBSTITUTE text/html", "Substitute s/foo/bar/"];
  expect((await answerTo("/long.html", lines, files))?.status).toBe(500);
  expect((await answerTo("/long.html", [...lines, "SubstituteMaxLineLength 10m"], files))?.status).toBe(200);
});
