import { join } from "node:path";
import { expect, test } from "vitest";
import { findServerAccessTo } from "../../src/apps/file-changes/backup-reach.js";
import { defaultBackupDirectoryOf } from "../../src/apps/file-changes/journal.js";
import { recover } from "../../src/apps/file-changes/recover.js";
import { writeChanges } from "../../src/apps/file-changes/write-changes.js";
import { plainFiles, testKey } from "../apps/file-changes/plain-files.js";
import { httpd, liveTitle, loadModules, runHttpd } from "../support/httpd/httpd.js";
import { killed, StoppedFiles } from "../support/programs/interrupted-files.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

/** Fragments and their new contents, valid for any server. */
const fragments: Readonly<Record<string, string>> = {
  "sites/a.conf": "ServerTokens Minor\n",
  "sites/b.conf": "ServerSignature On\n",
  "sites/below/c.conf": "UseCanonicalName On\n",
};

/** Writes a configuration. @returns its main file */
function writeConfiguration(folder: string, include: string): string {
  const main = join(folder, "conf/httpd.conf");
  const head = `${loadModules(["mpm_event"])}ServerName x.test\nListen 127.0.0.1:8080\nErrorLog /dev/null\n`;
  writeFiles(folder, { ...fragments, "conf/httpd.conf": `${head}ServerRoot ${folder}\n${include}\n` });
  return main;
}

/** Returns all files that the server reads, by the paths that it uses, or its error. */
function listFilesReadByServer(main: string): string[] {
  const { status, stdout, stderr } = runHttpd(main, "-D", "DUMP_INCLUDES");
  if (status !== 0) return [`rejected: ${stderr}`];
  return [...stdout.matchAll(/^ *\((?:\d+|\*)\) (.*)$/gm)].map(([, path = ""]) => path).sort();
}

/** Adds a line to each fragment, and calls a function before each operation. */
function write(folder: string, place: string, observe: (operation: string) => unknown) {
  const changes = Object.entries(fragments).map(([path, before]) => {
    const after = `${before}# and more\n`;
    return { path: join(folder, path), before, after };
  });
  return writeChanges(changes, place, new StoppedFiles(plainFiles, (_, operation) => observe(operation)), testKey);
}

test.skipIf(!httpd).each(["Include sites", "Include sites/*", "IncludeOptional s*/*.conf"])(
  liveTitle("%s reads no backup file next to the main file, at any time of a run"),
  (include) => {
    inScratchFolder((folder) => {
      const main = writeConfiguration(folder, include);
      const place = defaultBackupDirectoryOf(main);
      expect(findServerAccessTo(place, [{ entry: main, load: {} }])).toBeUndefined();
      const before = listFilesReadByServer(main);
      expect(before.length).toBeGreaterThan(2);
      const written = write(folder, place, (operation) => {
        if (!["inspect", "read"].includes(operation)) expect(listFilesReadByServer(main)).toEqual(before);
      });
      expect(written).toMatchObject({ ok: true, value: { written: expect.any(Array) } });
      expect(listFilesReadByServer(main)).toEqual(before);
    });
  },
);

/** An Include line, a backup directory, and whether the server would read its contents. */
const places: readonly (readonly [string, string, boolean])[] = [
  ["Include sites", "sites/.httpd-lint", true],
  ["Include sites", "sites/saved", true],
  ["Include sites", "sites/below/.httpd-lint", true],
  ["Include sites", "saved", false],
  ["Include sites/*", "sites/.httpd-lint", false],
  ["Include sites/*", "sites/saved", true],
  ["Include sites/*", "sites/below/.httpd-lint", true],
  ["Include sites/*", "conf/saved", false],
  ["IncludeOptional sites/*.conf", "sites/saved", false],
  ["IncludeOptional sites/.*", "sites/.httpd-lint", true],
  ["<IfDefine MORE>\nInclude sites\n</IfDefine>\nInclude sites/a.conf", "sites/saved", false],
];

test.skipIf(!httpd).each(places)(
  liveTitle("with %j, the server reads the backup directory %s: %s"),
  (include, name, isRead) => {
    inScratchFolder((folder) => {
      const main = writeConfiguration(folder, include);
      const place = join(folder, name);
      const before = listFilesReadByServer(main);
      const reached = findServerAccessTo(place, [{ entry: main, load: {} }]);
      // With other command-line options, the server may read files that it does not read now.
      expect(reached !== undefined).toBe(isRead || include.includes("IfDefine"));
      // An interrupted run leaves files in the backup directory.
      let renames = 0;
      const interrupt = (operation: string) => (operation === "rename" && ++renames === 3 ? killed : undefined);
      expect(() => write(folder, place, interrupt)).toThrow();
      const now = listFilesReadByServer(main);
      if (isRead) expect(now.join()).toContain(`${place}/`);
      else expect(now).toEqual(before);
      expect(recover(place, plainFiles, { wanted: "after", key: testKey })).toMatchObject({
        ok: true,
        value: { recovered: "after" },
      });
    });
  },
);
