import { describe, expect, test } from "vitest";
import { fixedConfigurations } from "../support/fixed-configurations.js";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";

const modules =
  "mpm_event authn_core authz_core authn_file auth_basic authz_user authz_groupfile access_compat ssl socache_shmcb charset_lite ext_filter filter deflate ldap proxy proxy_http".split(
    " ",
  );

const checkText = (text: string) => runHttpdOn(modules, `ErrorLog error.log\n${text}`);

describe.skipIf(!httpd)(liveTitle("the live 2.4 rejects a line, and accepts its fix"), () => {
  test.each(fixedConfigurations.map(({ before, after }) => [before, after] as const))("%j, %j", (before, after) => {
    expect(checkText(after)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Syntax OK\n$/) });
    expect(checkText(before).stderr).not.toBe("Syntax OK\n");
  });
});
