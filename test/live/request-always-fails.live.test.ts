import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { requestAlwaysFails } from "../../rules/request-always-fails/request-always-fails.js";
import { diskAccess } from "../../src/config/files/disk.js";
import { lint } from "../../src/lint/runner/lint.js";
import { diskFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

const access = diskAccess();
const modules = ["alias", "authz_core", "authz_host", "cgid", "mime", "rewrite"];

const inRoot = (...lines: readonly string[]) => ['<Directory "DOCROOT">', ...lines, "</Directory>"];
const denied = ["<Directory />", "Require all denied", "</Directory>"];
const rules = ["RewriteEngine On", "RewriteRule ^b.txt$ a.cgi"];

describe.skipIf(!httpd)(liveTitle("what request-always-fails reports"), () => {
  test.each<[string, string, number, readonly string[]]>([
    ["a DocumentRoot", "/a.cgi", 403, denied],
    ["twin: a DocumentRoot with access", "/a.cgi", 200, [...denied, ...inRoot("Require all granted")]],
    ["an Alias", "/x/a.cgi", 403, [...denied, 'Alias "/x" "DOCROOT"']],
    [
      "twin: an Alias with access",
      "/x/a.cgi",
      200,
      [...denied, 'Alias "/x" "DOCROOT"', ...inRoot("Require all granted")],
    ],
    ["scripts", "/a.cgi", 403, inRoot("Options None", "AddHandler cgi-script .cgi")],
    ["twin: scripts with ExecCGI", "/a.cgi", 500, inRoot("Options ExecCGI", "AddHandler cgi-script .cgi")],
    ["scripts of the server", "/a.cgi", 403, ["AddHandler cgi-script .cgi", ...inRoot("Options Indexes")]],
    ["scripts of the server, without Options", "/a.cgi", 403, ["AddHandler cgi-script .cgi"]],
    [
      "twin: scripts of the server with ExecCGI",
      "/a.cgi",
      500,
      ["AddHandler cgi-script .cgi", ...inRoot("Options +ExecCGI")],
    ],
    ["twin: scripts of a ScriptAlias", "/x/a.cgi", 500, ['ScriptAlias "/x/" "DOCROOT/"', ...inRoot("Options None")]],
    ["rules", "/a.cgi", 403, inRoot("Options None", ...rules)],
    ["twin: rules with SymLinksIfOwnerMatch", "/a.cgi", 200, inRoot("Options SymLinksIfOwnerMatch", ...rules)],
  ])("%s", async (name, path, status, lines) => {
    await withRunningHttpd(
      modules,
      ["TypesConfig /dev/null", "LogLevel crit", "ScriptSock cgisock", ...lines],
      async (running) => {
        expect((await running.ask({ path })).status).toBe(status);
        const loaded = loadProject(join(running.folder, "httpd.conf"), { access, kind: "server" });
        if (!loaded.ok) throw new Error(loaded.error);
        const { findings } = lint(loaded.value, { rules: [requestAlwaysFails], files: diskFiles(access) });
        expect(findings.length).toBe(name.startsWith("twin") ? 0 : 1);
      },
      { "a.cgi": "no program" },
    );
  });

  const site = { "index.htm": "i", "app.html": "a", "panel/index.html": "p" };
  test.each<[string, string, number, readonly string[], Readonly<Record<string, string>>]>([
    ["a FallbackResource without its file", "/x", 500, ["FallbackResource /none/index.html"], site],
    ["twin: a FallbackResource with its file", "/x", 200, ["FallbackResource /app.html"], site],
    ["no index file", "/", 404, ["DirectoryIndex index.php"], site],
    ["no index file, with mod_autoindex", "/", 403, ["DirectoryIndex index.php"], site],
    ["twin: an index file", "/", 200, ["DirectoryIndex index.php index.htm"], site],
    [
      "a target that is missing",
      "/x",
      404,
      ["DirectoryIndex index.htm", "RewriteEngine On", "RewriteRule ^/x /index.html"],
      site,
    ],
    [
      "twin: a target that exists",
      "/x",
      200,
      ["DirectoryIndex index.htm", "RewriteEngine On", "RewriteRule ^/x /app.html [PT]"],
      site,
    ],
    [
      "a target without the directory of the application",
      "/panel/users",
      404,
      ["DirectoryIndex index.htm"],
      {
        ...site,
        "panel/.htaccess":
          "RewriteEngine On\nRewriteBase /\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_URI} !^/index\\.html$\nRewriteRule . /index.html [L]\n",
      },
    ],
  ])("%s", async (name, path, status, lines, files) => {
    await withRunningHttpd(
      [...modules, "dir", ...(name.includes("autoindex") ? ["autoindex"] : [])],
      ["TypesConfig /dev/null", ...inRoot("AllowOverride All", "Options FollowSymLinks"), ...lines],
      async (running) => {
        expect((await running.ask({ path })).status).toBe(status);
        const loaded = loadProject(join(running.folder, "httpd.conf"), { access, kind: "server" });
        if (!loaded.ok) throw new Error(loaded.error);
        const { findings } = lint(loaded.value, { rules: [requestAlwaysFails], files: diskFiles(access) });
        expect(findings.length).toBe(name.startsWith("twin") ? 0 : 1);
      },
      files,
    );
  });
});
