import { expect, test } from "vitest";
import { maskedText } from "../../src/report/masked.js";
import { sourceFile } from "../../src/text/source.js";

const masked = (text: string) => maskedText(sourceFile("/srv/a.conf", text));

test.each([
  ["AuthLDAPBindPassword hunter2", "AuthLDAPBindPassword ********"],
  ["SSLPassPhraseDialog exec:/bin/hunter 2", "SSLPassPhraseDialog ********"],
  ["  # DBDParams host=localhost,pass=hunter2", "  # DBDParams ********"],
  ["AuthBasicFake bob hunter2", "AuthBasicFake bob ********"],
  ["ProxyRemote * http://proxy:80 bob:hunter2", "ProxyRemote * http://proxy:80 ********"],
  ["ProxyRemote * http://bob:hunter2@proxy:80", "ProxyRemote * http://********@proxy:80"],
  ["SetEnv DB_PASSWORD hunter2", "SetEnv DB_PASSWORD ********"],
  ['php_admin_value "mysqli.default_pw" hunter2', 'php_admin_value "mysqli.default_pw" ********'],
  ["Define apiKey hunter2", "Define apiKey ********"],
  ['RequestHeader set Authorization "Basic hunter2"', "RequestHeader set Authorization ********"],
  ["RequestHeader early set X-Api-Key hunter2", "RequestHeader early set X-Api-Key ********"],
  ["ProxyPass / ajp://tomcat:8009/ secret=hunter2 ttl=9", "ProxyPass / ajp://tomcat:8009/ secret=******** ttl=9"],
])("%s", (written, shown) => {
  expect(masked(written)).toBe(shown);
});

test.each([
  "AuthLDAPBindPasswordFile conf/not-secret",
  "SetEnv PASSENGER on",
  "Define SECRETARY_PATH /srv/secretary",
  "ProxyRemote * http://proxy:80",
  "Header set Cache-Control no-store",
  "RewriteRule ^/login secret=1 [R]",
  "ProxyPass / http://backend/",
])("%s holds none", (written) => {
  expect(masked(written)).toBe(written);
});

test("lines stay where they are, and go on where they went on", () => {
  const text =
    'Listen 80\r\nAuthLDAPBindPassword "a\\\r\n  b" \\\n c\nSetEnv DB_PASS\\\nWORD x\nUse http://a\\\nb:c@d\\\n/e\n';
  const lines = masked(text).split("\n");
  expect(lines).toHaveLength(text.split("\n").length);
  expect(lines).toEqual([
    "Listen 80\r",
    "AuthLDAPBindPassword ********\\\r",
    "  ******** \\",
    " ********",
    "SetEnv DB_PASS\\",
    "********",
    "Use http://********\\",
    "********@d\\",
    "/e",
    "",
  ]);
});
