import { expect, test } from "vitest";
import { maskFile, redact } from "../../../src/report/secrets/redaction.js";
import { sourceFile } from "../../../src/text/source.js";

const masked = (text: string) => maskFile(sourceFile("/srv/a.conf", text));

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
  ["RequestHeader edit X-Api-Key ^.*$ hunter2", "RequestHeader edit X-Api-Key ********"],
  ["RewriteCond %{HTTP:X-Api-Key} !^(foo|bar)hunter2$", "RewriteCond %{HTTP:X-Api-Key} !^********"],
  ["RewriteCond %{HTTP:X-Api-Key} =abc;hunter2 [NC]", "RewriteCond %{HTTP:X-Api-Key} =******** [NC]"],
  ["SetEnvIf X-Api-Key ^k(1|2)hunter2$ ok", "SetEnvIf X-Api-Key ^******** ok"],
  ["SetEnvIf X-Api-Key ^hunter2'x9hunter$ ok", "SetEnvIf X-Api-Key ^******** ok"],
  [`<If "'hunter2' -in {req('X-Api-Key')}">`, `<If "'********' -in {req('X-Api-Key')}">`],
  ["RewriteCond %{HTTP:Authorization} ^(Basic|Bearer)\\s+", "RewriteCond %{HTTP:Authorization} ^(Basic|Bearer)\\s+"],
  ["RewriteCond %{HTTP:X-Csrf-Token} ^[0-9a-f]{32}$", "RewriteCond %{HTTP:X-Csrf-Token} ^[0-9a-f]{32}$"],
  ["ProxyPass / ajp://tomcat:8009/ secret=hunter2 ttl=9", "ProxyPass / ajp://tomcat:8009/ secret=******** ttl=9"],
  ["AuthLDAPBindPasword hunter2", "AuthLDAPBindPasword ********"],
  ["<SessionCryptoPassphrase hunter2>", "<SessionCryptoPassphrase ********"],
  [`Require expr "req('Authorization') == 'Basic hunter2'"`, `Require expr "req('Authorization') == 'Basic ********'"`],
  [`<If "'hunter2' == tolower(%{HTTP:X-Auth-Token})">`, `<If "'********' == tolower(%{HTTP:X-Auth-Token})">`],
  [`<If "'hunter2' == %{HTTP:X-Auth-Token}">`, `<If "'********' == %{HTTP:X-Auth-Token}">`],
  [`<If "%{HTTP:X-Api-Key} -in {'hunter2', 'hunter3'}">`, `<If "%{HTTP:X-Api-Key} -in {********}">`],
  [`<If "req('X-Secret') =~ /^hunter2$/">`, `<If "req('X-Secret') =~ /^********/">`],
  [`<If "%{HTTP_COOKIE} =~ /session=hunter2/">`, `<If "%{HTTP_COOKIE} =~ /session=********/">`],
  ["RewriteCond %{HTTP:Authorization} !^Basic\\ hunter2$", "RewriteCond %{HTTP:Authorization} !^Basic\\ ********"],
  [
    'RewriteCond %{HTTP:Authorization} "=Bearer hunter2" [NC]',
    'RewriteCond %{HTTP:Authorization} "=Bearer ********" [NC]',
  ],
  ['SetEnvIfNoCase Authorization "^Basic hunter2" in', 'SetEnvIfNoCase Authorization "^Basic ********" in'],
  ["RewriteRule ^ - [E=DB_PASSWORD:hunter2,L]", "RewriteRule ^ - [E=DB_PASSWORD:********,L]"],
  ['Define db "host=h password=hunter2"', 'Define db "host=h password=********"'],
  ['CustomLog "|/bin/log --password hunter2 -x" common', 'CustomLog "|/bin/log --password ******** -x" common'],
  ["SetEnv AWS_SECRET_ACCESS_KEY hunter2", "SetEnv AWS_SECRET_ACCESS_KEY ********"],
  ["SetEnv SECRET_KEY_BASE hunter2", "SetEnv SECRET_KEY_BASE ********"],
  ["SetEnv PASSWORD_DB hunter2", "SetEnv PASSWORD_DB ********"],
  ["Define DB_PASS_PROD hunter2", "Define DB_PASS_PROD ********"],
  ["Define dbPassProd hunter2", "Define dbPassProd ********"],
  ["SetEnv DB_PASSWORD2 hunter2", "SetEnv DB_PASSWORD2 ********"],
  ["RewriteRule ^ - [E=AWS_SECRET_ACCESS_KEY:hunter2,L]", "RewriteRule ^ - [E=AWS_SECRET_ACCESS_KEY:********,L]"],
  ['ProxyFCGISetEnvIf "true" DB_PASSWORD "hunter2"', 'ProxyFCGISetEnvIf "true" DB_PASSWORD ********'],
  [
    `ProxyFCGISetEnvIf "reqenv('a') == 'b'" SECRET_KEY hunter2`,
    `ProxyFCGISetEnvIf "reqenv('a') == 'b'" SECRET_KEY ********`,
  ],
  ["PerlSetEnv DB_PASSWORD hunter2", "PerlSetEnv DB_PASSWORD ********"],
  ["PassengerEnvVar DB_PASSWORD hunter2", "PassengerEnvVar DB_PASSWORD ********"],
  ["FcgidInitialEnv DB_PASSWORD hunter2", "FcgidInitialEnv DB_PASSWORD ********"],
  ["SetEnvIf Host ^a AWS_SECRET_ACCESS_KEY=hunter2", "SetEnvIf Host ^a AWS_SECRET_ACCESS_KEY=********"],
  ["SetEnvIf Host ^a DB_PASSWORD =hunter2 b", "SetEnvIf Host ^a DB_PASSWORD =******** b"],
  ['BrowserMatchNoCase ^a DB_PASSWORD = "hunter 2" b', 'BrowserMatchNoCase ^a DB_PASSWORD = "********" b'],
  ["SetEnvIfNoCase Host ^a DB_PASSWORD= hunter2", "SetEnvIfNoCase Host ^a DB_PASSWORD= ********"],
  ["BrowserMatch a DB_PASSWORD=hunter2 in", "BrowserMatch a DB_PASSWORD=******** in"],
  ["SSLSRPUnknownUserSeed hunter2", "SSLSRPUnknownUserSeed ********"],
  [
    'SSLCertificateKeyFile "pkcs11:object=x?pin-value=hunter2&pin-source=/etc/pin"',
    'SSLCertificateKeyFile "pkcs11:object=x?pin-value=********&pin-source=/etc/pin"',
  ],
  ['CustomLog "|curl -u bob:hunter2 http://h/" a', 'CustomLog "|curl -u bob:******** http://h/" a'],
  ['CustomLog "|curl -sSu bob:hunter2 http://h/" a', 'CustomLog "|curl -sSu bob:******** http://h/" a'],
  [`CustomLog "|curl -s --user 'bob:hunter2 b' http://h/"`, `CustomLog "|curl -s --user 'bob:********' http://h/"`],
  ['CustomLog "|/usr/bin/mysql -phunter2 db" a', 'CustomLog "|/usr/bin/mysql -p******** db" a'],
  ["RewriteMap a prg:mysqldump -u a -phunter2", "RewriteMap a prg:mysqldump -u a -p********"],
  ["OIDCClientSecret hunter2", "OIDCClientSecret ********"],
  ["oidcclientsecret hunter2", "oidcclientsecret ********"],
  ["TKTAuth\\\nSecretOld hunter2", "TKTAuth\\\nSecretOld ********"],
  ["OIDCCryptoPassphrase hunter2", "OIDCCryptoPassphrase ********"],
  ["AuthLDAPBindPW hunter2", "AuthLDAPBindPW ********"],
  ["RequestHeader set X-Auth hunter2", "RequestHeader set X-Auth ********"],
  ["Header set X-Access-Key hunter2", "Header set X-Access-Key ********"],
  ["Header always set X-Shared-Secret-Value hunter2", "Header always set X-Shared-Secret-Value ********"],
  [`Require expr "req('X-Auth') == 'hunter2'"`, `Require expr "req('X-Auth') == '********'"`],
  [`<If "%{HTTP:X-Access-Key} == 'hunter2'">`, `<If "%{HTTP:X-Access-Key} == '********'">`],
  [`<If "'hunter2' == req('X-Shared-Secret-Value')">`, `<If "'********' == req('X-Shared-Secret-Value')">`],
  [
    'AuthLDAPURL "ldap://h/o=x?uid?sub?(userPassword=hunter2)"',
    'AuthLDAPURL "ldap://h/o=x?uid?sub?(userPassword=********)"',
  ],
])("a secret is masked in %s", (renderReport, shown) => {
  expect(masked(renderReport)).toBe(shown);
});

test.each([
  "AuthLDAPBindPasswordFile conf/not-secret",
  "SetEnv PASSENGER on",
  "Define SECRETARY_PATH /srv/secretary",
  "ProxyRemote * http://proxy:80",
  "Header set Cache-Control no-store",
  "RewriteRule ^/login secret=1 [R]",
  "ProxyPass / http://backend/",
  'SetEnvIf Authorization "(.*)" HTTP_AUTHORIZATION=$1',
  "SetEnvIf Host ^a DB_PASSWORD =$1",
  "LogMessage password = hunter2",
  "RewriteCond %{HTTP:Authorization} ^(.+)$",
  "RewriteCond %{HTTP:Authorization} ^Basic\\s+(.*)$ [NC]",
  "RewriteRule ^ - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]",
  "RewriteCond %{HTTP_COOKIE} !wordpress_logged_in_ [NC]",
  "RewriteCond %{QUERY_STRING} (^|&)token=([a-z]+)",
  "<If \"-n req('Authorization') && req('X-Kind') == 'some'\">",
  "ProxyPassReverse /b http://backend/",
  "Use Restricted 10.0.0.0/8",
  "SetEnv BYPASS_CACHE all",
  "SetEnv PASSPORT_URL http://passport/",
  "SetEnv KEYWORDS some",
  "SetEnv PRIVATE_KEY_FILE /etc/key.pem",
  "SetEnv AWS_ACCESS_KEY_ID AKIA1",
  "SetEnv PASS_THROUGH all",
  "SetEnv TOKENIZER lindera",
  "Define TOKEN_TTL 3600",
  "PassengerEnvVar PASSENGER_MODE some",
  "ProxyFCGISetEnvIf true !DB_PASSWORD",
  "SSLCertificateKeyFile /etc/secret/key.pem",
  'AuthName "Password please"',
  "AuthUserFile /etc/htpasswd",
  "Require user secretary",
  "ServerTokens Prod",
  "OIDCPassRefreshToken On",
  "OIDCProviderTokenEndpoint https://h/token",
  'AuthDBDUserPWQuery "SELECT password FROM users"',
  "Header set Access-Control-Allow-Credentials true",
  "Header set X-Token-Type Bearer",
  "RequestHeader set X-Auth-User bob",
  "# Secret things are kept elsewhere",
  "# A token is taken from the request",
  'CustomLog "|curl -u http://h/" a',
  'CustomLog "|mysql -P3306 --protocol=tcp -p db" a',
])("%s contains no secret", (renderReport) => {
  expect(masked(renderReport)).toBe(renderReport);
});

test("masks arguments of macros that become secrets", () => {
  const macro =
    "<Macro Db $host $pass>\nDBDParams host=$host,pass=$pass\n</Macro>\n<Macro Net $net>\nRequire ip $net\n</Macro>\n";
  expect(masked(`${macro}Use Db h hunter2\nUse Net 10.0.0.0/8\n`)).toBe(
    `${macro.replace("host=$host,pass=$pass", "********")}Use Db ********\nUse Net 10.0.0.0/8\n`,
  );
});

test.each([
  ["a=".repeat(100_000)],
  ["password_".repeat(100_000)],
  ["%{HTTP:Authorization}".repeat(20_000)],
  [`RewriteCond ${"%{HTTP_COOKIE}".repeat(20_000)} x`],
  [`Require expr "req('Token') == '${"\\[".repeat(100_000)}`],
  ["-pass ".repeat(100_000)],
  ["curl -u".repeat(100_000)],
  [`curl ${"-u a".repeat(100_000)}`],
  ["mysql-".repeat(100_000)],
  [`mysql ${" -p".repeat(100_000)}`],
  [`RequestHeader set ${"X-Token-".repeat(100_000)} x`],
  [`Require expr "req('${"X-Token-".repeat(100_000)}') == 'x'`],
  [`SetEnv ${"Pass_".repeat(100_000)} x`],
  [`ProxyFCGISetEnvIf ${"'\\".repeat(100_000)}`],
  ["Secret".repeat(100_000)],
  ["`Secret ".repeat(100_000)],
  ["`X-Token-a ".repeat(50_000)],
])("ends the search for secrets in a long line: %#", (line) => {
  // With quadratic time, the test would exceed its time limit.
  expect(masked(line)).toBeDefined();
  expect(redact(line, [])).toBeDefined();
});

test("lines keep their numbers and continuations", () => {
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
