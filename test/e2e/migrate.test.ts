import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Ran } from "../support/programs/command.js";
import { validJson } from "../support/programs/shipped-schemas.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const scratch = lintedFolder();
const { at, lint, textOf, write } = scratch;

function migrate(...args: readonly string[]): Ran {
  return lint(["migrate", ...args], { env: { NO_COLOR: "1" } });
}

const main = 'ServerRoot "/etc/httpd"\nDocumentRoot "/srv/www"\nInclude conf.d/*.conf\n';
const office = '<Directory "/srv/www">\n  Order deny,allow\n  Deny from all\n  Allow from 10.0.0.0/8\n</Directory>\n';
const unmigratable =
  '<Directory "/srv/www">\n  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n  Order allow,deny\n  Allow from 10\n</Directory>\n';

/** The documents are not on this machine, and 2.2 reads `.htaccess` files there. */
const absentFolder =
  "httpd-lint: assuming that no `.htaccess` file controls access in folders that do not exist here: `/srv/www`";

describe("migrate --from a version of 2.4", () => {
  const rule = "RewriteEngine On\nRewriteRule ^/old/(.*)$ /new?a=$1 [L]\n";

  test.each([
    ["2.4", ""],
    ["2.4.7", " on httpd 2.4.7"],
    ["2.4.58", " on httpd 2.4.58"],
    ["ubuntu-14.04", " on httpd 2.4.7 of ubuntu-14.04"],
    ["ubuntu-24.04", " on httpd 2.4.58 of ubuntu-24.04"],
  ])("%s keeps its decisions in the same version", (from, where) => {
    // 2.4.7 and 2.4.58 answer a blank in the query of this rule differently.
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${rule}${office}` });
    const { status, stderr, stdout } = migrate("httpd.conf", "--server-root", ".", "--from", from);
    expect(stderr).toContain(
      `proved: without mod_access_compat, the changed file keeps the access decision of every request${where}\n`,
    );
    expect(stdout).toContain("+  Require ip 10.0.0.0/8\n");
    expect(status).toBe(0);
  });

  test("2.2 is compared with 2.4", () => {
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${rule}${office}` });
    const { stderr } = migrate("httpd.conf", "--server-root", ".", "--from", "2.2");
    expect(stderr).toContain("returns 200 in 2.2 and 403 in 2.4 (rule at httpd.conf:3)");
  });
});

describe("migrate", () => {
  test("shows the changes as a patch that applies, and does not change the files", () => {
    write({ "httpd.conf": main, "conf.d/office.conf": office });
    const ran = migrate("httpd.conf", "--server-root", ".");
    expect(ran).toEqual({
      status: 0,
      stderr:
        "httpd-lint: proved: without mod_access_compat, the changed file keeps the access decision of every request\n",
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
      stderr: "httpd-lint: nothing to migrate: it has no mod_access_compat directives\n",
      stdout: "",
    });
  });

  test("asks about `.htaccess` files in home directories, and proves with the assumption", () => {
    const section = (override: string) =>
      `<Directory "/home/*/public_html">\nAllowOverride ${override}\nOrder allow,deny\nAllow from all\n</Directory>\n`;
    const head = 'ServerRoot "."\nServerName x.test\nDocumentRoot "/srv/www"\nUserDir public_html\n';
    write({ "open.conf": head + section("FileInfo AuthConfig Limit"), "none.conf": head + section("None") });
    const flag = "--assume-no-userdir-htaccess";
    const open = migrate("open.conf");
    expect(open.status).toBe(1);
    expect(open.stdout).toContain("Not proved:\n  open.conf:4:1: `.htaccess` files in the directories of users");
    expect(open.stdout).toContain(`    = help: add \`${flag}\` if no such file controls access\n`);
    expect(open.stdout).toContain("Proved for all requests that do not lead to the directories of users\n");
    const assumed = migrate("open.conf", flag);
    const clause = "no `.htaccess` file in the directories of users (`UserDir public_html`) controls access";
    expect([assumed.status, assumed.stderr.split("\n").slice(0, 2)]).toEqual([
      0,
      [`httpd-lint: assuming that ${clause}`, expect.stringContaining("httpd-lint: proved under this assumption: ")],
    ]);
    for (const more of [[], [flag]]) {
      const { stdout } = migrate("open.conf", ...more, "--format", "json");
      validJson("migrate", stdout);
      expect(JSON.parse(stdout)).toMatchObject(
        more.length === 0
          ? {
              provedExcept: "user-directories",
              unknown: [{ reason: expect.stringContaining(flag) }],
            }
          : { assumptions: [clause], verdict: "proved" },
      );
    }
    expect(migrate("none.conf")).toMatchObject({ status: 0, stderr: expect.stringContaining("httpd-lint: proved: ") });
    expect(migrate("none.conf", flag)).toEqual(migrate("none.conf"));
  });

  test("lists what is not proved once, at the lines of the files as they are", () => {
    const target = "RewriteEngine On\nRewriteRule ^/u/(.*) %{ENV:ROOT}/$1 [PT]\n";
    write({ "httpd.conf": `ServerName x.test\nDocumentRoot "/srv/www"\n${office}${target}` });
    const ran = migrate("httpd.conf");
    expect(ran.status).toBe(1);
    const places = [...ran.stdout.matchAll(/^ {2}(httpd\.conf:\d+:\d+): (.*)$/gm)].map(([, place]) => place);
    expect(places).toEqual([...new Set(places)]);
    expect(places).toContain("httpd.conf:9:1");
  });

  test("names the placeholder of a template as one", () => {
    write({ "httpd.conf": `ServerName x.test\n${office.replace("10.0.0.0/8", "@@OFFICE@@")}` });
    const { status, stdout } = migrate("httpd.conf");
    expect(status).toBe(1);
    expect(stdout).toContain("httpd.conf:5:3: `@@OFFICE@@` is the placeholder of a template\n");
    expect(stdout).toContain("    = help: fill in the template, and analyze the generated file\n");
    const home = office.replace("/srv/www", "%HOME%/www");
    write({ "httpd.conf": `ServerName x.test\nDocumentRoot "%HOME%/www"\n${office}${home}` });
    expect(migrate("httpd.conf").stdout).toContain(
      'the value of `%HOME%` in `DocumentRoot "%HOME%/www"`, a placeholder of a template',
    );
    // Twin: a variable may have a value.
    write({ "httpd.conf": `ServerName x.test\n${office.replace("10.0.0.0/8", "$" + "{OFFICE}")}` });
    expect(migrate("httpd.conf").stdout).toContain("= help: define it with `--define NAME=VALUE`");
  });

  test("adds the section that 2.4 needs to a main file with any name, as a patch that applies", () => {
    write({
      "größe.conf": `ServerRoot "${scratch.path}"\nServerName x.test\nDocumentRoot www\nLoadModule authz_host_module modules/mod_authz_host.so\n`,
      "www/.htaccess": "Order deny,allow\nDeny from all\n",
    });
    const ran = migrate("größe.conf", "--from", "2.2");
    expect(ran).toMatchObject({
      status: 0,
      stderr: expect.stringContaining("proved: without mod_access_compat, the 2 changed files keep"),
    });
    execFileSync("git", ["apply"], { cwd: scratch.path, input: ran.stdout });
    expect(textOf("größe.conf")).toContain('<Directory "/">\n    AllowOverride All\n</Directory>\n');
    expect(textOf("www/.htaccess")).toBe("Require all denied\n");
  });

  test("writes the files, keeps the originals, and has nothing to do when run again", () => {
    write({ "httpd.conf": main, "conf.d/office.conf": office });
    const { status, stderr } = migrate("httpd.conf", "--server-root", ".", "--write");
    expect([status, textOf("conf.d/office.conf")]).toEqual([
      0,
      '<Directory "/srv/www">\n  Require ip 10.0.0.0/8\n</Directory>\n',
    ]);
    const [, backup = ""] = /the originals are in `(.*)\/old`/.exec(stderr) ?? [];
    const [file = ""] = readdirSync(join(backup, "old"), { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith("office.conf"),
    );
    expect(readFileSync(join(backup, "old", file), "utf8")).toBe(office);
    expect(migrate("httpd.conf", "--server-root", ".", "--write").stderr).toContain("nothing to migrate");
    expect(migrate("httpd.conf", "--recover").stderr).toContain("no interrupted run in");
  });

  test("writes nothing if the server would load the originals, or if the proof fails", () => {
    const all = 'ServerRoot "/etc/httpd"\nDocumentRoot "/srv/www"\nInclude conf.d\n';
    write({ "httpd.conf": all, "conf.d/office.conf": office });
    const ran = migrate("httpd.conf", "--server-root", ".", "--write", "--backup-dir", "conf.d/saved");
    expect(ran.status).toBe(3);
    expect(ran.stderr).toContain("would load its files as configuration");
    expect(textOf("conf.d/office.conf")).toBe(office);
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${unmigratable}` });
    expect([migrate("httpd.conf", "--write").status, textOf("httpd.conf")]).toEqual([
      1,
      `DocumentRoot "/srv/www"\n${unmigratable}`,
    ]);
  });

  test("refuses to run after an interrupted run, which --recover finds by any path of the server", () => {
    write({ "web/httpd.conf": main, "web/conf.d/office.conf": office });
    symlinkSync("web/httpd.conf", at("link.conf"));
    for (const name of ["web", "web/httpd.conf", "link.conf", "web/conf.d/office.conf"]) {
      mkdirSync(at("web/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
      for (const more of [[], ["--write"], ["--from", "2.2"]]) {
        const ran = migrate("web/httpd.conf", "--server-root", "web", ...more);
        expect([ran.status, ran.stdout]).toEqual([3, ""]);
        expect(ran.stderr).toMatch(
          /an earlier run was interrupted .* run `httpd-lint migrate --recover --backup-dir .* first/,
        );
      }
      expect(migrate(name, "--recover").stderr).toBe(
        "httpd-lint: the interrupted run is undone: all files have their original contents\n",
      );
    }
  });

  test("finds an interrupted run by --main", () => {
    write({ "web/main.cnf": main, "web/conf.d/office.conf": office });
    for (const entry of [[], ["web/conf.d/office.conf"]]) {
      mkdirSync(at("web/.httpd-lint/unfinished"), { recursive: true, mode: 0o700 });
      expect(migrate(...entry, "--main", "web/main.cnf", "--recover").stderr).toContain("interrupted run is undone");
    }
  });

  test.each([
    [["--undo"], "--undo needs --recover"],
    [["--recover"], "ENTRY is missing: name the main file, or the backup directory"],
    [[], "ENTRY is missing: expected a main file, a virtual host file"],
    [["-", "--write"], "--write cannot change standard input"],
  ])("reports wrong usage: %j", (args, message) => {
    const { status, stderr } = migrate(...args);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
  });

  test("names both hosts if another one answers a request that would change", () => {
    const rules = "RewriteEngine On\nRewriteRule ^/u/(.*) /x/$1 [PT]\n";
    const host = (name: string, address: string, lines: string) =>
      `<VirtualHost ${address}:80>\nServerName ${name}\n${rules}<Location />\n${lines}\n</Location>\n</VirtualHost>\n`;
    const text = (address: string) =>
      'DocumentRoot "/srv/www"\nListen 80\n' +
      host("a.test", "127.0.0.1", "Order deny,allow\nDeny from all") +
      host("b.test", address, "Order allow,deny\nAllow from all");
    write({ "moved.conf": text("127.0.0.1"), "apart.conf": text("127.0.0.2") });
    const note = "note: the host `a.test` answers this request now, the host `b.test` after the conversion\n";
    const { status, stdout } = migrate("moved.conf", "--from", "2.2");
    expect([status, stdout.includes(note), stdout.includes("correct it first")]).toEqual([1, true, true]);
    expect(migrate("apart.conf", "--from", "2.2").stdout).not.toContain("answers this request now");
  });

  test("reports why it cannot migrate, line by line, and exits with 1", () => {
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${unmigratable}` });
    const { status, stdout } = migrate("httpd.conf");
    expect(status).toBe(1);
    expect(stdout).toBe(
      "not migrated: all files are converted at once, or none; no file was changed\n" +
        "  httpd.conf:3:3: AuthType applies without a Require line\n" +
        "    = note: requests that pass Order, Allow and Deny return 500 (AH01627)\n" +
        "    = note: Require lines cannot preserve a status of 500\n" +
        "    = help: add the missing Require line, or delete the AuthType line\n",
    );
    expect(migrate("httpd.conf", "--exit-zero").status).toBe(0);
    // 2.2 does not require a user there.
    expect(migrate("httpd.conf", "--from", "2.2").stdout).toContain("+  Require ip 10\n");
  });

  test("assumes that missing files do not affect access, and names them", () => {
    // A relative Include with existing files would reveal the ServerRoot.
    write({ "httpd.conf": main.replace("/etc/", "/nope/"), "other.d/office.conf": office });
    const elsewhere = "no missing file affects access: `Include conf.d/*.conf` (httpd.conf:3)";
    const { status, stderr } = migrate("httpd.conf");
    expect([status, stderr.split("\n")[0]]).toEqual([
      0,
      `httpd-lint: assuming that ${elsewhere}; to check the whole server, pass the directory with its files as \`--server-root\``,
    ]);
    const missing = "no missing file affects access: `Include gone.conf` (httpd.conf:6)";
    write({ "httpd.conf": `${office}Include gone.conf\n` });
    const shown = migrate("httpd.conf");
    expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining("+  Require ip 10.0.0.0/8\n")]);
    expect(shown.stderr).toContain("httpd-lint: proved under this assumption: ");
    expect(JSON.parse(migrate("httpd.conf", "--format", "json").stdout)).toMatchObject({
      verdict: "proved",
      assumptions: [missing],
    });
    expect(migrate("httpd.conf", "--write")).toMatchObject({
      status: 2,
      stderr: `httpd-lint: nothing was written: it is not known that ${missing}; add the missing files, or add --assume-complete if it is so\n`,
    });
    expect(migrate("httpd.conf", "--write", "--assume-complete").status).toBe(0);
    expect(textOf("httpd.conf")).toContain("  Require ip 10.0.0.0/8\n");
    write({ "httpd.conf": `@@LoadModule@@\n${office}` });
    expect(migrate("httpd.conf").stderr).toContain(
      "httpd-lint: assuming that no line inserted for a template tag affects access: `@@LoadModule@@` (httpd.conf:1); to check the whole server, check the generated file\n",
    );
  });

  test("does not migrate lines whose effect is unknown", () => {
    write({ "httpd.conf": `${office}Include $` + "{NOWHERE}/office.conf\n" });
    expect(migrate("httpd.conf")).toMatchObject({
      status: 1,
      stdout: expect.stringMatching(/ {2}httpd\.conf:6:1: .*\n {4}= note: a part of the configuration is unknown\n/),
    });
    // No path is relative to this ServerRoot, so it does not need to exist.
    write({ "httpd.conf": `ServerRoot "/nope/httpd"\nDocumentRoot "/nope/www"\n${office}` });
    expect(migrate("httpd.conf").status).toBe(0);
    write({ "httpd.conf": office.replace("from all", "from all # but the office") });
    expect(migrate("httpd.conf").stdout).toContain(
      "httpd.conf:3:3: 2.4: a comment cannot follow a directive on the same line\n",
    );
    write({ "httpd.conf": `${office}IncludeOptional gone.conf\n` });
    const optional = migrate("httpd.conf");
    expect([optional.status, optional.stderr]).toEqual([0, expect.not.stringContaining("assuming")]);
  });

  test("lists requests whose new response is a page that the client may already see or log in to", () => {
    const hidden = '<FilesMatch "\\.old$">\n  Order allow,deny\n  Deny from all\n</FilesMatch>\n';
    const page = "<Location /status>\n  SetHandler server-status\n  AuthType Basic\n  AuthName x\n  AuthUserFile /u\n";
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${hidden}${page}  Require user admin\n</Location>\n` });
    const { status, stderr } = migrate("httpd.conf");
    const notes = stderr.split("\n").filter((line) => line.includes("path of the section"));
    const place = "(`Require user admin` at httpd.conf:10)";
    expect([status, ...notes]).toEqual([
      0,
      `httpd-lint: GET \`/status/.old\` from 203.0.113.7 returned 403 and now returns 401 ${place}, as at the path of the section`,
      `httpd-lint: GET \`/status/.old\` from 203.0.113.7 as user \`admin\` returned 403 and now returns the page of its section ${place}, which this client may see at the path of the section; methods other than GET and HEAD reach a file at this path, if one exists`,
    ]);
  });

  test("writes JSON that matches its schema", () => {
    for (const text of [office, unmigratable]) {
      write({ "httpd.conf": `DocumentRoot "/srv/www"\n${text}` });
      validJson("migrate", migrate("httpd.conf", "--format", "json").stdout, { strict: true });
    }
  });

  test("skips lines that 2.4 rejects, with a note", () => {
    const rule = "RewriteEngine on\nRewriteRule ^/old/(.*)$ /new/$1 [R]\n";
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${rule}${office}` });
    const { status, stderr } = migrate("httpd.conf", "--from", "2.2");
    expect([status, ...stderr.trimEnd().split("\n")]).toEqual([
      0,
      absentFolder,
      "httpd-lint: proved under this assumption: without mod_access_compat, the changed file keeps the access decision of every request except those that 2.4 itself rejects",
      "httpd-lint: not affected by access control: GET `/old/%3f` from 203.0.113.7 returns 302 in 2.2 and 403 in 2.4 (rule at httpd.conf:3); for details, run `httpd-lint upgrade`",
    ]);
    const json = migrate("httpd.conf", "--from", "2.2", "--format", "json").stdout;
    expect(validJson("migrate", json, { strict: true })).toMatchObject({
      verdict: "proved",
      byRelease: [{ request: { path: "/old/%3f" } }],
    });
    expect(migrate("httpd.conf").stderr).not.toContain("not affected by access control");
  });

  test("lists differences with their IDs, and writes the changes if all differences are accepted", () => {
    const text = [
      ...['DocumentRoot "/srv/www"', '<Directory "/srv/www/wiki">', "  Order allow,deny", "  Allow from all"],
      ...["  AuthType Basic", "  AuthName x", "  AuthUserFile /etc/users", "  Require valid-user", "  Satisfy any"],
      ...["</Directory>", "<Files secret.txt>", "  Deny from all", "</Files>", ""],
    ].join("\n");
    write({ "httpd.conf": text });
    const args = ["httpd.conf", "--from", "2.2"];
    const { status, stdout } = migrate(...args);
    expect(status).toBe(1);
    const ids = [...stdout.matchAll(/^(d-[0-9a-f]{8}): /gm)].map(([, id = ""]) => id);
    expect(ids).not.toEqual([]);
    expect(stdout).toContain("to accept the differences, add `--accept stricter`");
    expect(stdout).toContain("\nChanges with these differences:\n--- a/httpd.conf\n");
    const json = migrate(...args, "--format", "json").stdout;
    expect(validJson("migrate", json, { strict: true })).toMatchObject({
      ...{ verdict: "refused", files: [] },
      proposal: { files: [{ path: "httpd.conf" }], differences: ids.map((id) => ({ id, stricter: true })) },
    });
    expect(migrate(...args, "--write", "--accept", "d-00000000").status).toBe(1);
    expect(textOf("httpd.conf")).toBe(text);
    // `Satisfy any` allows clients without a password: that is kept only if it is accepted, too.
    const open = migrate(...args, "--write", "--accept", "stricter");
    expect([open.status, textOf("httpd.conf")]).toEqual([1, text]);
    const [, fault = ""] = /add `--accept (f-[0-9a-f]{8})`/.exec(open.stdout) ?? [];
    const accepted = migrate(...args, "--format", "json", "--accept", [...ids, fault].join(",")).stdout;
    expect(validJson("migrate", accepted, { strict: true })).toMatchObject({
      ...{ verdict: "proved", accepted: ids.map((id) => ({ id })), faults: [{ id: fault }] },
    });
    const ran = migrate(...args, "--write", "--accept", `stricter,${fault}`);
    expect(ran.status).toBe(0);
    expect(ran.stderr).toContain(`except ${ids.length} accepted difference`);
    for (const id of ids) expect(ran.stderr).toContain(`httpd-lint: accepted: ${id}: GET \`/wiki/secret.txt\``);
    expect(textOf("httpd.conf")).toContain("<Files secret.txt>\n  Require all denied\n</Files>\n");
  });

  test("keeps all access with variables, if they are allowed", () => {
    const user = (name: string) =>
      [
        ...[`<Directory "/srv/www/${name}">`, "  AuthType Basic", "  AuthName x", "  AuthUserFile /etc/users"],
        ...["  Order allow,deny", "  Allow from 10", `  Require user ${name}`, "</Directory>", ""],
      ].join("\n");
    const files = "<Files x.txt>\n  Order allow,deny\n  Allow from 192.0.2.0/24\n</Files>\n";
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${user("a")}${user("b")}${files}` });
    expect(migrate("httpd.conf")).toMatchObject({ status: 1, stdout: expect.stringContaining("`--allow-variables`") });
    expect(migrate("httpd.conf", "--allow-variables")).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('SetEnvIf Request_URI "^" in_'),
    });
  });

  test("reports conditional sections for both versions as sufficient", () => {
    const guards = `<Directory "/srv/www">\n<IfModule mod_access_compat.c>\nDeny from all\n</IfModule>\n<IfModule !mod_access_compat.c>\nRequire all denied\n</IfModule>\n</Directory>\n`;
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${guards}` });
    expect(migrate("httpd.conf")).toEqual({
      status: 0,
      stdout: "",
      stderr: "httpd-lint: nothing to migrate: its conditional sections also work without mod_access_compat\n",
    });
  });

  test("reports the LoadModule line for mod_access_compat if no directive needs the module", () => {
    const modules = ["authz_core", "authz_host", "access_compat"].map(
      (name) => `LoadModule ${name}_module mod_${name}.so\n`,
    );
    write({ "httpd.conf": `${modules.join("")}DocumentRoot "/srv/www"\n${office}` });
    expect(migrate("httpd.conf").stderr).toContain(
      "no directive needs mod_access_compat after the change: delete its LoadModule line at httpd.conf:3",
    );
  });

  test.each([
    ["home directories", 'UserDir public_html\n<Directory "/home">\nAllowOverride All\n</Directory>\n', "folder"],
    ["folders that do not exist here", '<Directory "/">\nAllowOverride All\n</Directory>\n', "absent"],
  ])("says that its deletion depends on `.htaccess` files in %s", (where, lines, root) => {
    const modules = ["authz_core", "authz_host", "access_compat", "userdir"].map(
      (name) => `LoadModule ${name}_module mod_${name}.so\n`,
    );
    write({
      "folder/x.html": "",
      "httpd.conf": `${modules.join("")}DocumentRoot "${scratch.path}/${root}"\n${lines}${office}`,
    });
    const { stderr } = migrate("httpd.conf", "--assume-no-userdir-htaccess");
    expect(stderr).toContain(`but \`.htaccess\` files in ${where} were not read: search them`);
    expect(stderr).toContain("only if none has such a line, delete its LoadModule line at httpd.conf:3");
  });

  test("notes suspicious lines and inactive parts", () => {
    const open =
      "  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n  Require valid-user\n  Order allow,deny\n  Allow from all\n  Satisfy any\n";
    const other = "<IfDefine OLD>\n<Location /x>\nDeny from all\n</Location>\n</IfDefine>\n";
    write({
      "httpd.conf": `DocumentRoot "/srv/www"\n<Directory "/srv/www">\n${open}</Directory>\n${other}`,
    });
    for (const from of ["2.2", "2.4"]) {
      const refused = migrate("httpd.conf", "--from", from);
      const [, id = ""] = /^ {2}httpd\.conf:9:3: (f-[0-9a-f]{8}): `Satisfy any` /m.exec(refused.stdout) ?? [];
      expect([refused.status, id]).toEqual([1, expect.stringMatching(/^f-/)]);
      expect(refused.stdout).toContain("\nChanges:\n--- a/httpd.conf\n");
      expect(migrate("httpd.conf", "--from", from, "--accept", "f-00000000").status).toBe(1);
      const { status, stderr } = migrate("httpd.conf", "--from", from, "--accept", id);
      expect(status).toBe(0);
      expect(stderr).toContain("kept, but probably not intended: httpd.conf:9: `Satisfy any` ");
      expect(stderr).toContain(
        "1 mod_access_compat line in `<IfDefine OLD>` does not apply here and was not changed (at httpd.conf:13): to convert them, run `migrate` again with `--define OLD`\n",
      );
    }
    expect(migrate("httpd.conf", "--define", "OLD").stderr).not.toContain("does not apply here");
  });

  test("does not report a password for clients that addresses deny", () => {
    const some =
      "  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n  Require valid-user\n  Order deny,allow\n  Deny from all\n  Allow from 10\n  Satisfy any\n";
    write({
      "httpd.conf": `DocumentRoot "/srv/www"\n<Directory "/srv/www">\n${some}</Directory>\n`,
    });
    expect(migrate("httpd.conf").stderr).not.toContain("probably not intended");
  });

  test("does not call a configuration proved that the versions decide differently", () => {
    const load = (...names: readonly string[]) =>
      names.map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");
    const both = "  Require group a\n  <Limit GET>\n    Require valid-user\n  </Limit>\n";
    const login = "  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n";
    const text = (lines: string) =>
      `${load("auth_basic", "authn_file", "authz_host", "authz_groupfile", "authz_user")}DocumentRoot "/srv/www"\n<Directory />\n  AllowOverride None\n</Directory>\n<Directory "/srv/www">\n${login}${lines}</Directory>\n`;
    const expectVerdict = (verdict: string) => {
      const { status, stdout } = migrate("httpd.conf", "--from", "2.2", "--format", "json");
      expect([status, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ verdict })]);
    };
    write({ "httpd.conf": text(both) });
    expect(migrate("httpd.conf", "--from", "2.2").stderr).toContain(
      "httpd-lint: nothing to migrate: it has no mod_access_compat directives\nhttpd-lint: 2.2 and 2.4 may decide some requests differently; to list them, run `httpd-lint compare --from 2.2`\n",
    );
    expectVerdict("unchanged");
    write({ "httpd.conf": text("  Require valid-user\n") });
    expect(migrate("httpd.conf", "--from", "2.2").stderr).not.toContain("differently");
    expectVerdict("proved");
  });

  test("does not treat a migrated configuration as one of 2.2", () => {
    const moved = 'DocumentRoot "/srv/www"\n<Directory "/srv/www">\n  Require ip 10\n</Directory>\n';
    write({ "httpd.conf": moved });
    expect(migrate("httpd.conf", "--from", "2.2")).toEqual({
      status: 0,
      stdout: "",
      stderr: `${absentFolder}\nhttpd-lint: nothing to migrate: it has no mod_access_compat directive, and \`Require ip 10\` (httpd.conf:3) is a directive of 2.4; omit --from 2.2\n`,
    });
    write({ "httpd.conf": `${moved}<Location /x>\n  Deny from all\n</Location>\n` });
    const { status, stderr } = migrate("httpd.conf", "--from", "2.2");
    expect([status, stderr]).toEqual([
      2,
      "httpd-lint: `Require ip 10` (httpd.conf:3) is a directive of 2.4, so 2.2 cannot run this configuration; omit --from 2.2 to keep the access decisions of 2.4\n",
    ]);
  });

  test("does not report files that 2.2 does not include as migrated", () => {
    write({
      "httpd.conf": "ServerRoot .\nIncludeOptional a.conf\n",
      "a.conf": "<Location /a>\nDeny from all\n</Location>\n",
    });
    const { status, stdout, stderr } = migrate("httpd.conf", "--from", "2.2");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^httpd-lint: `IncludeOptional a\.conf` \(httpd\.conf:2\) is a directive of 2\.4, so 2\.2 cannot/,
    );
  });

  test("reports that a `.htaccess` file contains only comments, and names no restart for it", () => {
    const root = at("www");
    write({
      "httpd.conf": `DocumentRoot "${root}"\n<Directory "${root}">\n  AllowOverride AuthConfig\n  Require all granted\n</Directory>\n`,
      "www/.htaccess": "# both\nSatisfy all\n",
    });
    const { status, stderr } = migrate("httpd.conf", "--write");
    expect([status, textOf("www/.htaccess")]).toEqual([0, "# both\n"]);
    expect(stderr).not.toContain("apachectl");
    expect(stderr).toContain("`www/.htaccess` contains only comments after the change");
  });

  test("says that `.htaccess` files may set up logins after the change", () => {
    const site = (name: string, override: string) =>
      `<Directory "${at(name)}">\n  AllowOverride ${override}\n  Require all granted\n</Directory>\n`;
    const roots = `DocumentRoot "${at("one")}"\nAlias /two "${at("two")}"\n`;
    const denied = "Order allow,deny\nDeny from all\n";
    const note = "`.htaccess` files may now also set up logins: `Require` in them needs `AllowOverride AuthConfig`";
    write({ "httpd.conf": roots + site("one", "Limit"), "one/.htaccess": denied });
    expect(migrate("httpd.conf").stderr).toContain(`httpd-lint: ${note} (httpd.conf:4)`);
    write({
      "httpd.conf": roots + site("one", "Limit") + site("two", "Limit"),
      "two/.htaccess": denied,
    });
    expect(migrate("httpd.conf", "--write").stderr).toContain(`${note} (httpd.conf:4 and 1 more line: httpd.conf:8)`);
    expect(textOf("httpd.conf")).toContain("AllowOverride Limit AuthConfig");
    // Twins: they may have done so before, or no file needs it.
    for (const override of ["All", "Limit AuthConfig", "None"]) {
      write({ "httpd.conf": roots + site("one", override), "one/.htaccess": denied });
      expect(migrate("httpd.conf").stderr).not.toContain("logins");
    }
  });

  test("names a restart if main files change too", () => {
    const root = at("www");
    write({
      "httpd.conf": `DocumentRoot "${root}"\n<Directory "${root}">\n  AllowOverride AuthConfig\n  Order allow,deny\n  Allow from all\n</Directory>\n`,
      "www/.htaccess": "# both\nSatisfy all\n",
    });
    const { status, stderr } = migrate("httpd.conf", "--write");
    expect(status).toBe(0);
    expect(stderr).toContain(
      "run `apachectl graceful` now: `www/.htaccess` applies immediately, but the main files only after a restart",
    );
  });

  test("requires --from 2.2 for --fix-start, which adds the modules that 2.4 needs to the same change", () => {
    const loads = ["authz_host", "authz_default"].map((name) => `LoadModule ${name}_module mod_${name}.so\n`).join("");
    write({ "httpd.conf": `${loads}DocumentRoot "/srv/www"\n${office}` });
    expect(migrate("httpd.conf", "--fix-start")).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--fix-start needs --from 2.2"),
    });
    const withoutFlag = migrate("httpd.conf", "--from", "2.2");
    expect(withoutFlag.stdout).not.toContain("LoadModule authz_core");
    expect(withoutFlag.stderr).toContain("httpd.conf:2: `authz_default_module` does not exist in 2.4");
    expect(withoutFlag.stderr).toContain("add --fix-start to include the available fixes in the change");
    const withFlag = migrate("httpd.conf", "--from", "2.2", "--fix-start");
    expect(withFlag.stdout).toContain("-LoadModule authz_default_module mod_authz_default.so\n");
    expect(withFlag.stdout).toContain("+LoadModule authz_core_module mod_authz_core.so\n");
    expect(withFlag.stdout).toContain("+  Require ip 10.0.0.0/8\n");
    expect(withFlag.stderr).not.toContain("does not exist in 2.4");
  });
});

describe("migrate asks for consent", () => {
  const stock =
    'DocumentRoot "/srv/www"\n<Directory "/">\n  Require all denied\n</Directory>\n<FilesMatch "^\\.ht">\n  Require all denied\n</FilesMatch>\n';
  const site = '<Directory "/srv/www/site">\n  Order allow,deny\n  Allow from all\n</Directory>\n';

  test("before it deletes lines without effect, and shows both changes", () => {
    write({ "httpd.conf": stock + site });
    const { status, stdout } = migrate("httpd.conf", "--write");
    expect([status, textOf("httpd.conf")]).toEqual([1, stock + site]);
    expect(stdout).toContain(
      [
        '  httpd.conf:9:3: `Order allow,deny`, `Allow from all` have no effect in `<Directory "/srv/www/site">`',
        "    = note: the inherited `Require all denied` decides instead",
        "    = note: now: no client is allowed",
        "    = note: as written: every client is allowed",
        "    = help: to give the lines this effect, add `--ineffective restore`",
        "    = help: to keep the access of today and delete them, add `--ineffective delete`",
      ].join("\n"),
    );
    expect(stdout).toMatch(
      /\nWith `--ineffective restore`:\n\nd-[0-9a-f]{8}: 403 → allowed: GET `\/site.*\n\+ {2}Require all granted\n/s,
    );
    expect(stdout).toMatch(/\nWith `--ineffective delete`:\n--- a\/httpd\.conf\n/);
    const json = validJson("migrate", migrate("httpd.conf", "--format", "json").stdout, { strict: true });
    const lines = [{ text: "Order allow,deny", location: { path: "httpd.conf" } }, { text: "Allow from all" }];
    expect(json).toMatchObject({
      verdict: "refused",
      choice: {
        ineffective: [{ lines, now: "no client is allowed", written: "every client is allowed" }],
        restore: { verdict: "proved", restored: [{ stricter: false }] },
        delete: { verdict: "proved", ineffective: [{ lines }] },
      },
    });
  });

  test("and then writes what is chosen", () => {
    write({ "httpd.conf": stock + site });
    const restored = migrate("httpd.conf", "--ineffective", "restore", "--write");
    expect([restored.status, textOf("httpd.conf")]).toEqual([
      0,
      `${stock}<Directory "/srv/www/site">\n  Require all granted\n</Directory>\n`,
    ]);
    expect(restored.stderr).toContain(
      "keeps the access decision of every request except those that restored lines decide",
    );
    expect(restored.stderr).toMatch(
      /by restored lines: GET `\/site\S*` from 203\.0\.113\.7: 403 before, allowed after\n/,
    );
    write({ "httpd.conf": stock + site });
    const deleted = migrate("httpd.conf", "--ineffective", "delete", "--write");
    expect([deleted.status, textOf("httpd.conf")]).toEqual([0, stock]);
    expect(deleted.stderr).toContain(
      "deleted, because it had no effect: httpd.conf:9: `Order allow,deny`, `Allow from all`: no client is allowed\n",
    );
  });

  const login = "  AuthType Basic\n  AuthName x\n  AuthUserFile /etc/users\n  Require valid-user\n";
  const office = '<Directory "/srv/www">\n  Order deny,allow\n  Deny from all\n  Allow from 10.0.0.0/8\n</Directory>\n';

  test.each([
    ["compat-reset", `${office}<Location "/wiki">\n${login}  Satisfy any\n</Location>\n`, "discards the inherited"],
    [
      "satisfy-any",
      `<Directory "/srv/www">\n  Order allow,deny\n  Allow from all\n  Satisfy any\n</Directory>\n<Directory "/srv/www/x">\n${login}</Directory>\n<Directory "/srv/www/x/y">\n  Require user bob\n</Directory>\n`,
      "",
    ],
  ])("before it makes a finding of %s permanent", (rule, lines, words) => {
    const text = `DocumentRoot "/srv/www"\n${lines}`;
    write({ "httpd.conf": text });
    const findings = lint(["check", "httpd.conf"]).stdout;
    expect(findings).toContain(`[${rule}]`);
    const args = ["httpd.conf", "--ineffective", "delete", "--write"];
    const { status, stdout } = migrate(...args);
    if (words !== "") {
      const ids = [...stdout.matchAll(/^ {2}httpd\.conf:\d+:\d+: (f-[0-9a-f]{8}): /gm)].map(([, id]) => id);
      expect([status, ids.length, textOf("httpd.conf")]).toEqual([1, 1, text]);
      expect(stdout).toContain(words);
      const accepted = migrate(...args, "--accept", ids.join(","));
      expect([accepted.status, accepted.stderr]).toEqual([
        0,
        expect.stringContaining("kept, but probably not intended: "),
      ]);
    }
  });

  test.each([
    ["a user beside every user", `${login}  Require user carla\n`, "`Require user carla` has no effect"],
    ["an address beside a user", `${login}  Require ip 10.9.9.9\n`, "grants access without a login"],
    ["an address beside all", "  Order allow,deny\n  Allow from 10.0.0.1\n  Allow from all\n", "restricts nothing"],
  ])("before it makes lines permanent that may allow too many clients: %s", (_, lines, words) => {
    const compat = "  Order deny,allow\n  Deny from 192.0.2.0/24\n";
    const text = `DocumentRoot "/srv/www"\n<Directory "/srv/www">\n${compat}${lines}</Directory>\n`;
    write({ "httpd.conf": text });
    const { status, stdout } = migrate("httpd.conf", "--write");
    expect([status, textOf("httpd.conf")]).toEqual([1, text]);
    expect(stdout).toContain(words);
    const ids = [...stdout.matchAll(/^ {2}httpd\.conf:\d+:\d+: (f-[0-9a-f]{8}): /gm)].map(([, id]) => id);
    expect(migrate("httpd.conf", "--accept", ids.join(",")).status).toBe(0);
  });

  test("but not about a list that is twice there", () => {
    const lines = "  Order deny,allow\n  Deny from all\n  Allow from 10.0.0.0/8\n  Allow from 10.0.0.1\n";
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n<Directory "/srv/www">\n${lines}</Directory>\n` });
    expect(migrate("httpd.conf").status).toBe(0);
  });

  test("but not about a finding that `check` still reports afterwards", () => {
    const lines = office.replace("\n", "\n  <Limit PUT DELETE>\n").replace("</Dir", "  </Limit>\n</Dir");
    write({ "httpd.conf": `DocumentRoot "/srv/www"\n${lines}` });
    expect(migrate("httpd.conf", "--write").status).toBe(0);
    expect(lint(["check", "httpd.conf"]).stdout).toContain("[limit-leaves-methods-open]");
  });
});
