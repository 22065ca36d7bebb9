import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cured } from "../support/cured.js";
import { type Answer, httpd, liveTitle, loadModules, runHttpd } from "../support/httpd.js";
import { inScratchFolder } from "../support/scratch-folder.js";

const modules =
  "mpm_event authn_core authz_core authn_file auth_basic authz_user authz_groupfile access_compat ssl socache_shmcb charset_lite ext_filter filter deflate ldap proxy proxy_http".split(
    " ",
  );

function ask(text: string): Answer {
  return inScratchFolder((folder) => {
    const entry = join(folder, "httpd.conf");
    const head = `${loadModules(modules)}ServerName x.test\nServerRoot "${folder}"\nErrorLog error.log\n`;
    writeFileSync(entry, `${head}${text}`);
    return runHttpd(entry);
  });
}

describe.skipIf(!httpd)(liveTitle("what the fixes make of a line that the live 2.4 refuses, it takes"), () => {
  test.each(cured.map(({ before, after }) => [before, after] as const))("%j, %j", (before, after) => {
    expect(ask(after)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Syntax OK\n$/) });
    expect(ask(before).stderr).not.toBe("Syntax OK\n");
  });
});
