import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runMigrate } from "../../src/apps/cli/commands/migrate.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

const modules = (...more: readonly string[]) => loadModules(["mpm_event", "authz_core", ...more]);
const closed = "Order deny,allow\nDeny from all\nAllow from 10\n";

/** Migrates a configuration in a folder with verification by the real server. */
function migrateVerified(folder: string, main: string, files: Readonly<Record<string, string>>, modules?: string) {
  const start = `ServerRoot "${folder}"\nServerName x.test\nListen 127.0.0.1:8000\nErrorLog error.log\nDocumentRoot "${folder}"\n`;
  writeFiles(folder, { "httpd.conf": `${start}${main}`, ...files });
  const { exitCode, notes } = runMigrate({
    ...{ entry: join(folder, "httpd.conf"), from: "2.4", reading: "server", format: "diff", write: false },
    ...{
      undo: false,
      exitZero: false,
      colour: false,
      hyperlinks: false,
      width: undefined,
      fixStart: false,
    },
    ...{ verifyWithHttpd: httpd ?? "", ...(modules === undefined ? {} : { modules: [modules] }) },
    define: ["PLACE=conf.d"],
  });
  return { exitCode, notes: notes.filter((note) => note.includes(" -t` ")).join("\n") };
}

describe.skipIf(!httpd)(liveTitle("`migrate --verify-with-httpd` with the real server"), () => {
  const included = { "conf.d/a.conf": "# nothing\n", "conf.d/b b.conf": `<Location /x>\n${closed}</Location>\n` };

  test("checks the new contents with and without mod_access_compat", () => {
    inScratchFolder((folder) => {
      const main = `${modules("authz_host", "access_compat")}Include \\\n  "\${PLACE}/*.conf"\n`;
      expect(migrateVerified(folder, main, included)).toEqual({
        exitCode: 0,
        notes: `httpd-lint: \`${httpd} -t\` accepts the new contents, with and without mod_access_compat`,
      });
    });
  });

  test("checks only the new contents if mod_access_compat is missing", () => {
    inScratchFolder((folder) => {
      const { exitCode, notes } = migrateVerified(folder, `${modules("authz_host")}Include conf.d/*.conf\n`, included);
      expect(exitCode).toBe(0);
      expect(notes).toContain("accepts the new contents; it rejects the unchanged files: ");
      expect(notes).toContain(`line 2 of ${folder}/conf.d/b b.conf: Invalid command 'Order'`);
    });
  });

  test("reports rejected lines at the original file and line", () => {
    inScratchFolder((folder) => {
      // The user states that mod_authz_host is loaded, and it is not.
      const files = { ...included, "outer.conf": "Include \\\n  conf.d\n" };
      const main = `${modules("access_compat")}IncludeOptional outer.*\n`;
      const { exitCode, notes } = migrateVerified(folder, main, files, "mpm_event,authz_core,authz_host,access_compat");
      expect(exitCode).toBe(1);
      expect(notes).toContain("rejects the new contents: ");
      expect(notes).toContain(`Syntax error on line 2 of ${folder}/conf.d/b b.conf: Unknown Authz provider: ip`);
      // The copies that the server reads are in a temporary folder, whose name is not shown.
      expect(notes.replaceAll(folder, "")).not.toContain("httpd-lint-");
      expect(notes).not.toMatch(/\.list/);
    });
  });

  test("distinguishes a server that rejects the unchanged files", () => {
    inScratchFolder((folder) => {
      const main = `${modules("authz_host", "access_compat")}Inclood x\nInclude conf.d\n`;
      const { exitCode, notes } = migrateVerified(folder, main, included);
      expect(exitCode).toBe(3);
      expect(notes).toContain("already rejects the unchanged files: ");
      expect(notes).toContain("Invalid command 'Inclood'");
    });
  });

  test("reports that an Include in a macro cannot refer to a copy", () => {
    inScratchFolder((folder) => {
      const macro = "<Macro all $from>\nInclude $from\n</Macro>\nUse all conf.d\n";
      const main = `${modules("authz_host", "access_compat", "macro")}${macro}`;
      const result = migrateVerified(folder, main, included);
      expect(result).toEqual({
        exitCode: 3,
        notes: expect.stringContaining("could not check the new contents: an Include line of a macro"),
      });
    });
  });
});
