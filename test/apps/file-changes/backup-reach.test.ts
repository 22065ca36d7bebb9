import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { findServerAccessTo } from "../../../src/apps/file-changes/backup-reach.js";
import { diskAccess } from "../../../src/config/files/disk.js";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { LoadOptions } from "../../../src/config/read-entry.js";
import type { Release } from "../../../src/facts/release.js";
import { testFolder } from "../../support/programs/test-folder.js";

const main = "/etc/httpd/httpd.conf";
const releases: readonly Release[] = ["2.2", "2.4"];

/** Returns the message about a directory if the main file has these lines. */
function checkDirectory(directory: string, lines: readonly string[], load: LoadOptions = {}, only = releases) {
  const files = {
    [main]: ["ServerRoot /etc/httpd", ...lines, ""].join("\n"),
    "/etc/httpd/conf.d/a.conf": "\n",
    "/etc/httpd/sites/one/a.conf": "\n",
    "/srv/parts/alias.conf": "Alias /b /etc/httpd\n",
    "/srv/parts/more.conf": "Include saved/*\n",
    "/var/www/html/index.html": "",
  };
  const readings = only.map((release) => ({
    entry: main,
    load: { kind: "server", release, access: memoryAccess(files), ...load } as const,
  }));
  return findServerAccessTo(directory, readings);
}

const hidden = "/etc/httpd/.httpd-lint";

describe("a directory is reachable", () => {
  test.each([
    ["by an Include of its parent", hidden, ["Include ."], "Include ."],
    ["by an absolute Include of its parent", hidden, ["Include /etc/httpd"], "Include /etc/httpd"],
    ["by an Include of the directory itself", "/etc/httpd/saved", ["Include saved"], "Include saved"],
    ["by a wildcard", "/etc/httpd/saved", ["IncludeOptional sa*"], "IncludeOptional sa*"],
    ["by a wildcard for its contents", "/etc/httpd/saved", ["IncludeOptional saved/*"], "IncludeOptional saved/*"],
    [
      "by a wildcard for a parent",
      "/etc/httpd/conf.d/saved",
      ["IncludeOptional conf.d/*/*.conf"],
      "IncludeOptional conf.d/*/*.conf",
    ],
    ["by a wildcard with a dot", hidden, ["IncludeOptional .*"], "IncludeOptional .*"],
    [
      "below a match of a wildcard",
      "/etc/httpd/sites/one/.httpd-lint",
      ["IncludeOptional sites/*"],
      "IncludeOptional sites/*",
    ],
    [
      "by an Include of a path below it",
      hidden,
      ["IncludeOptional .httpd-lint/unfinished/*"],
      "IncludeOptional .httpd-lint/unfinished/*",
    ],
    ["by a name with non-ASCII characters", "/etc/httpd/früher", ["IncludeOptional fr*"], "IncludeOptional fr*"],
    ["in a section", hidden, ["<VirtualHost *:80>", "Include .", "</VirtualHost>"], "Include ."],
    [
      "in a conditional section that does not apply",
      hidden,
      ["<IfDefine SSL>", "Include .", "</IfDefine>"],
      "Include .",
    ],
    [
      "in a conditional section for the other release",
      hidden,
      ["<IfVersion < 2.3>", "Include .", "</IfVersion>"],
      "Include .",
    ],
  ])("%s", (_, directory, lines, line) => {
    const failed = checkDirectory(directory, lines);
    expect(failed).toMatchObject({ kind: "place", path: directory });
    expect(failed?.message).toContain(`\`${directory}\` cannot be used: \`${line}\` in \`${main}\` line `);
    expect(failed?.message).toMatch(/would load .* in httpd 2\.[24]; name another directory with --backup-dir$/);
  });

  test("by a line with a variable or in a macro", () => {
    const byVariable = ["Define PLACE /etc/httpd", `Include \${PLACE}`];
    expect(checkDirectory(hidden, byVariable)?.message).toContain("an Include would load its files");
    const byMacro = ["<Macro Load $place>", "Include $place", "</Macro>", "Use Load /etc/httpd"];
    expect(checkDirectory(hidden, byMacro, { moreModules: ["macro_module"] })?.message).toContain(
      "an Include would load",
    );
  });

  test.each([
    ["/var/www/html/.httpd-lint", ["DocumentRoot /var/www/html"]],
    ["/var/www/html", ["DocumentRoot /var/www/html"]],
    ["/var/www/html/.httpd-lint", ["<VirtualHost *:80>", "DocumentRoot /var/www", "</VirtualHost>"]],
    ["/var/www/html/.httpd-lint", ["Alias /x /var/www/html/"]],
    [hidden, ["ScriptAlias /x /etc"]],
    [hidden, ["VirtualDocumentRoot /etc/httpd/%0/html"]],
    // Without LoadModule lines, a module of httpd that the configuration tests for counts as loaded.
    [hidden, ["<IfModule ssl_module>", "Alias /b /etc/httpd", "</IfModule>"]],
  ])("%s by clients with %j", (directory, lines) => {
    expect(checkDirectory(directory, lines, { moreModules: ["vhost_alias_module"] })?.message).toContain(
      "it is below a DocumentRoot or Alias, so clients could download it",
    );
  });

  test.each([
    ["a define", ["<IfDefine X>", "Alias /b /etc/httpd", "</IfDefine>"]],
    ["a missing define", ["<IfDefine !GIVEN>", "Alias /b /etc/httpd", "</IfDefine>"]],
    ["a module", ["<IfModule mod_x.c>", "Alias /b /etc/httpd", "</IfModule>"]],
    ["a missing module", ["<IfModule !mod_alias.c>", "DocumentRoot /etc/httpd", "</IfModule>"]],
    ["two levels", ["<IfDefine X>", "<IfDefine Y>", "DocumentRoot /etc", "</IfDefine>", "</IfDefine>"]],
    ["a variable that it defines", ["<IfDefine X>", "Define R /etc", "DocumentRoot ${R}", "</IfDefine>"]],
    ["an included file", ["<IfDefine X>", "Include /srv/parts/alias.conf", "</IfDefine>"]],
    ["a folder for each host", ["<IfDefine X>", "VirtualDocumentRoot /etc/httpd/%0", "</IfDefine>"]],
  ])("by clients in a conditional section: %s", (_, lines) => {
    const more = { moreModules: ["vhost_alias_module"], defines: new Map([["GIVEN", undefined]]) };
    expect(checkDirectory(hidden, lines, more)?.message).toContain(
      "clients could download it if a conditional section applies; name another",
    );
  });

  test("by an Include in a file that a conditional section includes", () => {
    const lines = ["<IfDefine X>", "Include /srv/parts/more.conf", "</IfDefine>"];
    expect(checkDirectory("/etc/httpd/saved", lines)?.message).toContain(
      "an Include in a conditional section would load",
    );
  });

  test("by a file that only one release loads", () => {
    const lines = ["<IfVersion >= 2.4>", "Define NAME saved", "</IfVersion>", `Include \${NAME}`];
    expect(checkDirectory("/etc/httpd/saved", lines, {}, ["2.2"])).toBeUndefined();
    expect(checkDirectory("/etc/httpd/saved", lines)?.message).toContain("in httpd 2.4");
  });
});

describe("a directory is not reachable", () => {
  test.each([
    [hidden, ["Include conf.d", "Include conf.d/*", "IncludeOptional sites/*/*.conf"]],
    [hidden, ["IncludeOptional *", "IncludeOptional */*.conf", "IncludeOptional ?httpd-lint"]],
    ["/etc/httpd/conf.d/.httpd-lint", ["Include conf.d/*"]],
    ["/etc/httpd/conf.d2", ["Include conf.d"]],
    ["/etc/httpd/conf.d2", ["Include conf.d/*", "DocumentRoot /etc/httpd/conf.d"]],
    [hidden, ["DocumentRoot /var/www/html", "Alias /x /etc/httpd/conf.d", "VirtualDocumentRoot /srv/%0"]],
    ["/etc/httpd", ["Include conf.d/*.conf"]],
    ["/var/www", ["DocumentRoot /var/www/html"]],
    ["/root/saved", ["Include /etc/httpd/conf.d"]],
    [hidden, ["<IfDefine X>", "Alias /b /etc/httpd/conf.d", "</IfDefine>"]],
  ])("%s with %j", (directory, lines) => {
    expect(checkDirectory(directory, lines, { moreModules: ["vhost_alias_module"] })).toBeUndefined();
  });
});

describe("files next to a fragment with an unknown main file", () => {
  const check = (entry: string, directory: string) => {
    const load = { access: memoryAccess({ [entry]: "Options None\n", "/saved/x": "" }) };
    return findServerAccessTo(directory, [{ entry, load }])?.message;
  };

  test("may be loaded by the server", () => {
    expect(check("/etc/httpd/conf.d/a.conf", "/etc/httpd/conf.d/.httpd-lint")).toContain("the main file is unknown");
    expect(check("/etc/httpd/conf.d/a.conf", "/saved")).toBeUndefined();
  });

  test("may be downloaded if the fragment is a `.htaccess` file", () => {
    expect(check("/srv/www/.htaccess", "/srv/www/.httpd-lint")).toContain("clients could download it");
    expect(check("/srv/www/.htaccess", "/saved")).toBeUndefined();
  });
});

describe("on a disk", () => {
  const scratch = testFolder();
  const { at, write } = scratch;
  const message = (directory: string, load: LoadOptions = {}, entry = at("conf/httpd.conf")) =>
    findServerAccessTo(directory, [{ entry, load: { kind: "server", ...load } }])?.message;

  beforeEach(() => {
    write({
      "conf/httpd.conf": `ServerRoot ${at("conf")}\nDocumentRoot ${at("www")}\nIncludeOptional linked/*\n`,
      "www/index.html": "",
    });
    mkdirSync(at("saved"));
  });

  test("a directory is reachable through a link to it, whether it exists or not", () => {
    expect(message(at("saved"))).toBeUndefined();
    symlinkSync("../saved", at("conf/linked"));
    expect(message(at("saved"))).toContain("IncludeOptional linked/*");
    expect(message(at("saved/new"))).toContain("IncludeOptional linked/*");
    expect(message(at("saved/.new"))).toBeUndefined();
  });

  test("a directory that is a link is reachable by the path of its target", () => {
    mkdirSync(at("conf/linked/saved"), { recursive: true });
    symlinkSync("conf/linked/saved", at("backups"));
    expect(message(at("backups"))).toContain("IncludeOptional linked/*");
  });

  test("a directory is reachable through a link in a DocumentRoot", () => {
    expect(message(at("conf/.httpd-lint"))).toBeUndefined();
    symlinkSync("../conf", at("www/conf"));
    expect(message(at("conf/.httpd-lint"))).toContain("clients could download it");
  });

  test("a directory below a system root is identified by its path on the server", () => {
    writeFileSync(at("conf/httpd.conf"), "ServerRoot /conf\nInclude /conf/x\n");
    const load = { access: diskAccess({ sysroot: scratch.path }) };
    expect(message(at("conf/x"), load, "/conf/httpd.conf")).toContain("Include /conf/x");
    expect(message(at("conf/.httpd-lint"), load, "/conf/httpd.conf")).toBeUndefined();
  });
});
