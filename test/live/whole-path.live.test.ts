import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { neverMatchingPath } from "../../rules/never-matching-path/never-matching-path.js";
import { diskAccess } from "../../src/config/files/disk.js";
import { lint } from "../../src/lint/runner/lint.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";
import { onlyVariant } from "../support/rules.js";

const pathPatterns = onlyVariant(neverMatchingPath, "never-matching-path");

const access = diskAccess();
const redirect = "RewriteRule ^(.*)$ /to/$1 [R=302,L]";
const wild = 'Directory "DOCROOT*"';

type LiveCase = readonly [tag: string, lines: readonly string[], path: string, status: number, isShown?: true];

/** A section, its lines, a path, and the answer: the status, and whether the Location shows the folder on the disk. */
const cases: readonly LiveCase[] = [
  [wild, [redirect], "/go", 302, true],
  ["DirectoryMatch ^DOCROOT", [redirect], "/go", 302, true],
  ['Directory ~ "^DOCROOT"', [redirect], "/go", 302, true],
  ["Location /go", [redirect], "/go", 302, true],
  ["LocationMatch ^/go", [redirect], "/go", 302, true],
  ["Files go", [redirect], "/go", 302, true],
  ["If true", [redirect], "/go", 302, true],
  [wild, ["RewriteRule ^go$ /b.txt [R]"], "/go", 404],
  ["Location /go", ["RewriteRule ^/go$ /b.txt [R]"], "/go", 404],
  ["Files go", ["RewriteRule ^go$ /b.txt [R]"], "/go", 404],
  [wild, ["RewriteRule go$ b.txt [L]"], "/go", 404],
  ["DirectoryMatch ^DOCROOT", ["RewriteRule go$ b.txt [L]"], "/go", 400],
  ["Files go", ["RewriteBase /", "RewriteRule go$ b.txt [L]"], "/go", 400],
  ["If true", ["RewriteRule go$ b.txt [L]"], "/go", 400],
];

const twins: readonly LiveCase[] = [
  ['Directory "DOCROOT"', [redirect], "/go", 302],
  ['Directory "DOCROOT"', ["RewriteRule ^go$ b.txt [L]"], "/go", 200],
  [wild, ["RewriteRule /([^/]+)$ /to/$1 [R=302,L]"], "/go", 302],
  [wild, ["RewriteBase /", "RewriteRule go$ b.txt [L]"], "/go", 200],
  [wild, ["RewriteRule go$ /b.txt [L]"], "/go", 200],
  ["Location /go", ["RewriteRule ^ /to%{REQUEST_URI} [R=302,L]"], "/go", 302],
  ["If true", ["RewriteRule go$ /b.txt [L]"], "/go", 200],
];

const nameOf = ([tag, lines]: LiveCase) => `<${tag}> ${lines.join(", ")}`;

describe.skipIf(!httpd)(liveTitle("rules that compare the whole path of the file"), () => {
  test.each<[string, string, LiveCase]>([
    ...cases.map((each): [string, string, LiveCase] => ["", nameOf(each), each]),
    ...twins.map((each): [string, string, LiveCase] => ["twin: ", nameOf(each), each]),
  ])("%s%s", async (twin, _, [tag, lines, path, status, isShown]) => {
    const section = [`<${tag}>`, "RewriteEngine On", ...lines, `</${tag.replace(/ .*/, "")}>`];
    await withRunningHttpd(
      ["authz_core", "rewrite", "mime"],
      ["TypesConfig /dev/null", "LogLevel crit", ...section],
      async (running) => {
        const answer = await running.ask({ path });
        expect(answer.status).toBe(status);
        expect(JSON.stringify(answer.headers ?? {}).includes(running.folder)).toBe(isShown === true);
        const loaded = loadProject(join(running.folder, "httpd.conf"), { access, kind: "server" });
        if (!loaded.ok) throw new Error(loaded.error);
        const { findings } = lint(loaded.value, { rules: [pathPatterns], files: diskFiles(access) });
        expect(findings.length).toBe(twin === "" ? 1 : 0);
      },
      { "b.txt": "b" },
    );
  });
});
