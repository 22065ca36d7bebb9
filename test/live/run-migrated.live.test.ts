import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isDeep } from "../support/depth.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { inScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";

const configuration = `
ServerRoot "C:/site"
Listen 192.0.2.80:8080
LoadModule alias_module modules/mod_alias.so
LoadModule dir_module modules/mod_dir.so
LoadModule authz_host_module modules/mod_authz_host.so
LoadModule wsgi_module modules/mod_wsgi.so
MaxRequestsPerChild 20
DocumentRoot "C:/site/htdocs"
<Directory />
  Order deny,allow
  Deny from all
</Directory>
<Directory "C:/site/htdocs">
  Order allow,deny
  Allow from all
</Directory>
<Directory "C:/site/htdocs/staff">
  Order deny,allow
  Deny from all
  Allow from 10.1 staff.example.com 2001:db8::/32
</Directory>
NameVirtualHost *:8080
<VirtualHost *:8080>
  ServerName app.example.com
  WSGIScriptAlias / /srv/app.wsgi
  <Location /admin>
    Order deny,allow
    Deny from all
    Allow from 10.2
  </Location>
</VirtualHost>
`;

/** The script needs a separate network, device files and a separate root folder. */
const canRun = httpd !== undefined && process.getuid?.() === 0 && spawnSync("unshare", ["-n", "true"]).status === 0;

describe.skipIf(!canRun || !isDeep)(liveTitle("npm run live:migrated"), () => {
  test("serves the configuration of a Windows server with a module that is not on this machine", {
    timeout: 120_000,
  }, () => {
    inScratchFolder((folder) => {
      writeFiles(folder, { "httpd.conf": configuration });
      const script = join(import.meta.dirname, "run-migrated.ts");
      const words = ["--import", "tsx", script, "--from", "2.2", "--count", "200", "--verbose"];
      const { stdout, stderr } = spawnSync(process.execPath, [...words, join(folder, "httpd.conf")], {
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      const [summary = "", ...details] = stdout.trimEnd().split("\n");
      expect(summary).toMatch(/: 200 requests, [1-9]\d* denied, 0 wrong, .* 200 also sent before, 1 lines omitted$/);
      expect(details).toEqual(["  omitted: wsgiscriptalias / /srv/app.wsgi"]);
    });
  });
});
