import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHUNKING_THRESHOLD } from "../../../src/apps/cli/check/chunks.js";
import { lintPaths } from "../../../src/apps/cli/check/lint-paths.js";
import { testFolder } from "../../support/programs/test-folder.js";

const { at } = testFolder();

const SERVERS = 3;

/** Writes servers, each with files next to its main file that the server does not read. */
function writeServers(files: number): void {
  for (let server = 0; server < SERVERS; server++) {
    const folder = at(`server${server}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "httpd.conf"), "Listen 80\n");
    for (let file = 0; file < files; file++) writeFileSync(join(folder, `unread${file}.conf`), "TimeOut 60\n");
  }
}

test("files next to several servers are in one session, so that threads start only once", () => {
  const filesPerServer = Math.ceil(CHUNKING_THRESHOLD / SERVERS);
  writeServers(filesPerServer);
  const batches = [...lintPaths([at(".")], {}, undefined, (access) => access, undefined)];
  const sessions = batches.map(({ session }) => session);
  expect(sessions.map(({ files }) => files.length)).toEqual([SERVERS * filesPerServer]);
  expect(sessions.map((session) => ("main" in session ? 1 : session.sources.length))).toEqual([SERVERS]);
});
