import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureBuilt, httpdLint, type Ran } from "../support/command.js";
import { type ScratchFolder, scratchFolder, writeFiles } from "../support/scratch-repository.js";

let scratch: ScratchFolder;

beforeAll(ensureBuilt);
beforeEach(() => {
  scratch = scratchFolder();
});
afterEach(() => scratch.dispose());

function migrate(...args: readonly string[]): Ran {
  return httpdLint(["migrate", ...args], { cwd: scratch.path, env: { NO_COLOR: "1" } });
}

function textOf(name: string): string {
  return readFileSync(join(scratch.path, name), "utf8");
}

const main = 'ServerRoot "/etc/httpd"\nDocumentRoot "/srv/www"\nInclude conf.d/*.conf\n';
const office = '<Directory "/srv/www">\n  Order deny,allow\n  Deny from all\n  Allow from 10.0.0.0/8\n</Directory>\n';
const stuck =
  '<Directory "/srv/www">\n  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n  Order allow,deny\n  Allow from 10\n</Directory>\n';

describe("migrate", () => {
  test("shows what changes as a patch that applies, and leaves the files alone", () => {
    writeFiles(scratch.path, { "httpd.conf": main, "conf.d/office.conf": office });
    const ran = migrate("httpd.conf", "--server-root", ".");
    expect(ran).toEqual({
      status: 0,
      stderr:
        "httpd-lint: proved: with this change every request is answered as before by a server without mod_access_compat\n",
      stdout: [
        "--- a/conf.d/office.conf",
        "+++ b/conf.d/office.conf",
        "@@ -1,5 +1,3 @@",
        ' <Directory "/srv/www">',
        "-  Order deny,allow",
        "-  Deny from all",
        "-  Allow from 10.0.0.0/8",
        "+  Require ip 10.0.0.0/8",
        " </Directory>",
        "",
      ].join("\n"),
    });
    expect(textOf("conf.d/office.conf")).toBe(office);
    execFileSync("git", ["apply"], { cwd: scratch.path, input: ran.stdout });
    expect(textOf("conf.d/office.conf")).toBe('<Directory "/srv/www">\n  Require ip 10.0.0.0/8\n</Directory>\n');
    expect(migrate("httpd.conf", "--server-root", ".")).toEqual({
      status: 0,
      stderr: "httpd-lint: nothing to migrate: there is no old directive in it\n",
      stdout: "",
    });
  });

  test("writes the files, keeps the old texts, and has nothing more to do then", () => {
    writeFiles(scratch.path, { "httpd.conf": main, "conf.d/office.conf": office });
    const { status, stderr } = migrate("httpd.conf", "--server-root", ".", "--write");
    expect([status, textOf("conf.d/office.conf")]).toEqual([
      0,
      '<Directory "/srv/www">\n  Require ip 10.0.0.0/8\n</Directory>\n',
    ]);
    const [, backup = ""] = /the old texts are in `(.*)\/old`/.exec(stderr) ?? [];
    const [file = ""] = readdirSync(join(backup, "old"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("office.conf"),
    );
    expect(readFileSync(join(backup, "old", file), "utf8")).toBe(office);
    expect(migrate("httpd.conf", "--server-root", ".", "--write").stderr).toContain("nothing to migrate");
    expect(migrate("httpd.conf", "--recover").stderr).toContain("there is no run that was cut off");
  });

  test("writes nothing where the server would load what is kept, or where nothing is proved", () => {
    const all = 'ServerRoot "/etc/httpd"\nDocumentRoot "/srv/www"\nInclude conf.d\n';
    writeFiles(scratch.path, { "httpd.conf": all, "conf.d/office.conf": office });
    const ran = migrate("httpd.conf", "--server-root", ".", "--write", "--backup-dir", "conf.d/kept");
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("would load what lies there as configuration");
    expect(textOf("conf.d/office.conf")).toBe(office);
    writeFiles(scratch.path, { "httpd.conf": `DocumentRoot "/srv/www"\n${stuck}` });
    expect([migrate("httpd.conf", "--write").status, textOf("httpd.conf")]).toEqual([
      1,
      `DocumentRoot "/srv/www"\n${stuck}`,
    ]);
  });

  test.each([
    [["--undo"], "--undo is for --recover"],
    [["--recover"], "name the main configuration file, or the backup directory"],
    [[], "name ENTRY, the server's main file: there are no settings"],
    [["-", "--write"], "standard input cannot be written to"],
  ])("wrong usage is told: %j", (args, message) => {
    const { status, stderr } = migrate(...args);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
  });

  test("says why not, line by line, and exits 1", () => {
    writeFiles(scratch.path, { "httpd.conf": `DocumentRoot "/srv/www"\n${stuck}` });
    const { status, stdout } = migrate("httpd.conf");
    expect(status).toBe(1);
    expect(stdout).toBe(
      "not migrated: no way was found to say with Require alone what is said now; nothing is written\n" +
        "  httpd.conf:3:3: AuthType is in force without a Require, so whoever the addresses let pass gets 500, which no Require can say\n",
    );
    expect(migrate("httpd.conf", "--exit-zero").status).toBe(0);
    // 2.2 asks nobody there.
    expect(migrate("httpd.conf", "--from", "2.2").stdout).toContain("+  Require ip 10\n");
  });

  test("proves nothing of a configuration that is not all there", () => {
    writeFiles(scratch.path, { "httpd.conf": main.replace("/etc/", "/nope/"), "conf.d/office.conf": office });
    expect(migrate("httpd.conf")).toMatchObject({
      status: 1,
      stdout:
        "not migrated: no way was found to say with Require alone what is said now; nothing is written\n" +
        "  httpd.conf:1:1: the ServerRoot `/nope/httpd` is no directory on this machine, so not all of the configuration is known; correct the path, or name with --server-root where its files lie\n",
    });
    writeFiles(scratch.path, { "httpd.conf": `${office}Include gone.conf\n` });
    expect(migrate("httpd.conf")).toMatchObject({
      status: 1,
      stdout: expect.stringContaining("  httpd.conf:6:1: "),
    });
    writeFiles(scratch.path, { "httpd.conf": `${office}IncludeOptional gone.conf\n` });
    expect(migrate("httpd.conf").status).toBe(0);
  });

  test("the JSON is as its schema says", () => {
    const ajv = new Ajv2020({ strict: true });
    for (const name of ["compare", "migrate"])
      ajv.addSchema(JSON.parse(readFileSync(`dist/schemas/${name}.schema.json`, "utf8")), `${name}.schema.json`);
    for (const text of [office, stuck]) {
      writeFiles(scratch.path, { "httpd.conf": `DocumentRoot "/srv/www"\n${text}` });
      const told: unknown = JSON.parse(migrate("httpd.conf", "--format", "json").stdout);
      expect(ajv.validate("migrate.schema.json", told), JSON.stringify(ajv.errors)).toBe(true);
    }
  });

  test("guards that serve both are said to be enough", () => {
    const guards = `<Directory "/srv/www">\n<IfModule mod_access_compat.c>\nDeny from all\n</IfModule>\n<IfModule !mod_access_compat.c>\nRequire all denied\n</IfModule>\n</Directory>\n`;
    writeFiles(scratch.path, { "httpd.conf": `DocumentRoot "/srv/www"\n${guards}` });
    expect(migrate("httpd.conf")).toEqual({
      status: 0,
      stdout: "",
      stderr:
        "httpd-lint: nothing to migrate: what its guards hold serves a server without mod_access_compat as well\n",
    });
  });

  test("a LoadModule line for mod_access_compat is named once nothing needs it", () => {
    const modules = ["authz_core", "authz_host", "access_compat"].map(
      (name) => `LoadModule ${name}_module mod_${name}.so\n`,
    );
    writeFiles(scratch.path, { "httpd.conf": `${modules.join("")}DocumentRoot "/srv/www"\n${office}` });
    expect(migrate("httpd.conf").stderr).toContain(
      "nothing needs mod_access_compat then: take out its LoadModule line at httpd.conf:3",
    );
  });
});
