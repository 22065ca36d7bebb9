import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { outputFormats } from "../../src/report/formats.js";
import { isDeep, sampleOf } from "../support/depth.js";
import { commandArgs, commandProgram } from "../support/programs/command.js";
import { editedFolder } from "../support/programs/editor.js";

const scratch = editedFolder();
const { at, lint, start, textOf, uri, write } = scratch;

beforeEach(() => {
  write({
    "httpd.conf": `${lines}${more}`,
    "broken.conf": `${lines}${broken}`,
    "other.conf": `${lines}${more.replace("hunter-41", "hunter-51")}`,
    "access.log": log,
    "expected.json": { expectations: ["/one", "/two", "/three"].map((path) => ({ path, expect: 200 })) },
    "lone/.htaccess": "AuthLDAPBindPassword hunter-60\nOrder allow,deny\n",
    "inner/httpd.conf": "ServerName x\nListen 80\nDocumentRoot docs\n<Directory />\nAllowOverride All\n</Directory>\n",
    "inner/docs/.htaccess": "AuthLDAPBindPassword hunter-61\nRequire all granted\nSetEnv DB_PASSWORD hunter-62\n",
  });
});

/** Every line with a secret: `hunter-` and a number. */
const lines = `ServerName x.example
ServerRoot .
Listen 80
DocumentRoot htdocs
ServerAdmin http://admin:hunter-10@x.example
Define DB_PASSWORD hunter-11
Define connection "host=db password=hunter-12"
SetEnv API_TOKEN hunter-13
AuthLDAPBindPassword hunter-14
SSLPassPhraseDialog "exec:/bin/x hunter-15"
SessionCryptoPassphrase hunter-16
DBDParams "host=h user=u pass=hunter-17"
ProxyPass /b http://bob:hunter-18@b.example/ secret=hunter-19
ProxyRemote * http://r.example:80 me:hunter-20
ProxyRemote ftp http://me:hunter-21@r.example:80
RequestHeader set Authorization "Basic hunter-22"
Header set X-Api-Key hunter-23
AuthBasicFake demo hunter-24
RewriteEngine On
RewriteRule ^/p/(.*)$ http://bob:hunter-25@b.example/$1 [P,L,E=DB_PASSWORD:hunter-26]
Redirect /r http://bob:hunter-27@r.example/
ErrorDocument 404 http://bob:hunter-28@r.example/
AuthLDAPURL "ldap://bob:hunter-29@h/o=x?uid"
RequestHeader set Proxy-Authorization "Basic \${DB_PASSWORD}"
ProxyPass /c http://bob:\${DB_PASSWORD}@b.example/
Alias /x /srv/\${DB_PASSWORD}
<Macro Db $pass>
  AuthLDAPBindPassword $pass
</Macro>
Use Db hunter-30
CustomLog "|/bin/log --password=hunter-31" common
RewriteMap n "prg:/bin/x --password hunter-32"
ServerAlias http://u:hunter-33@h/
AuthLDAPBindPassword "hunter-34\\
hunter-35"
# AuthLDAPBindPassword hunter-36
SetEnv AWS_SECRET_ACCESS_KEY hunter-01
SetEnv SECRET_KEY_BASE hunter-02
Define SECRET_KEY hunter-03
Define DB_PASS_PROD hunter-04
Alias /s /srv/\${SECRET_KEY}
Alias /t /srv/\${DB_PASS_PROD}
RewriteRule ^/q - [E=AWS_SECRET_ACCESS_KEY:hunter-05]
ProxyFCGISetEnvIf "true" DB_PASSWORD "hunter-06"
PerlSetEnv DB_PASSWORD hunter-07
PassengerEnvVar DB_PASSWORD hunter-08
FcgidInitialEnv DB_PASSWORD hunter-09
BrowserMatch x DB_PASSWORD=hunter-45 AWS_SECRET_ACCESS_KEY=hunter-46
SSLSRPUnknownUserSeed hunter-47
SSLCertificateKeyFile "pkcs11:object=x?pin-value=hunter-48&pin-source=/etc/pin"
CustomLog "|curl -u bob:hunter-49 http://h/" common
CustomLog "|mysql -phunter-53 db" common
OIDCClientSecret hunter-54
TKTAuthSecret hunter-55
AuthLDAPBindPW hunter-56
RequestHeader set X-Auth hunter-57
RequestHeader set X-Access-Key hunter-58
Header set X-Shared-Secret-Value hunter-59
SetEnv RAILS_MASTER_KEY hunter-64
SetEnv PGPASS hunter-65
SetEnv dbpass hunter-66
SetEnv DBPW hunter-67
SetEnv APP_KEY hunter-68
SetEnv JWT hunter-69
SetEnv GITHUB_PAT hunter-85
SetEnv REDIS_AUTH hunter-86
SetEnv LDAP_CRED hunter-87
SetEnv STRIPE_SK hunter-88
Header always set Set-Cookie "sid=hunter-89; Path=/; SameSite=Lax"
ServerAlias mailto:u:hunter-93@h
<Location /one>
  AuthLDAPURL "ldap://h/o=x?uid?sub?(userPassword=hunter-61)"
  Order deny,allow
  Deny from all
  Allow from env=in
</Location>
RewriteCond %{QUERY_STRING} (^|&)key=hunter-a1(&|$)
RewriteRule ^/keyed - [F]
RewriteRule ^/sent /x?api_key=hunter-a2 [R,env=STRIPE_KEY:hunter-a3]
Header always set X "Bearer hunter-a4"
RequestHeader set X-Up "expr=Bearer hunter-a5"
RequestHeader set X-Gate-Key hunter-a6
SetEnv STRIPE_KEY hunter-a7
Define MAIL_KEY hunter-a8
Alias /m /srv/\${MAIL_KEY}
SetEnvIf Host ^a MAP_KEY=hunter-a9
OIDCCryptoPassphrase hunter-b1
TKTAuthSecretOld hunter-b2
SecHttpBlKey hunter-b3
GssapiSessionKey key:hunter-b4
AddRadiusAuth localhost:1812 hunter-b5 5
AuthFormSitePassphrase hunter-b6
# password: hunter-94
<Location "/five?token=hunter-95">
  # DB password = hunter-96
  Order allow,deny
</Location>
<Location /two>
  AuthLDAPBindPassword hunter-37
  Options None
  Order allow,deny
  Allow from 10.0.0.0/8
</Location>
`;

/** Header values for comparison. Output contains them only in requests that a user can send. */
const more = `SetEnvIf Authorization "^Basic hunter-40" in
<Location /two>
  Require expr "req('Authorization') == 'Basic hunter-41'"
</Location>
<Location /three>
  Require expr "%{HTTP:X-Api-Token} == 'hunter-42'"
  Require expr "req('X-Auth') == 'hunter-62' || %{HTTP:X-Shared-Secret-Value} == 'hunter-63'"
  Order allow,deny
</Location>
<If "req('Cookie') == 'session=hunter-43'">
  Require all denied
</If>
RewriteCond %{HTTP:X-Gate-Key} !^hunter-c1$
RewriteRule ^/gate - [F]
SetEnvIf X-Key ^hunter-c2$ in
<If "%{HTTP:X-Api-Key} == 'hunter-c3' || %{QUERY_STRING} =~ /key=hunter-c4/">
  Require all denied
</If>
RewriteCond %{HTTP:Authorization} "!=Bearer hunter-44"
RewriteRule ^/four - [F]
`;

/** Lines that the server rejects, so that messages quote them. */
const broken = `AuthLDAPBindPasword hunter-70
AuthLDAPBindPassword hunter-71 hunter-72
<SessionCryptoPassphrase hunter-73>
</SessionCryptoPassphrase>
Include http://u:hunter-74@h/x.conf
LoadModule ldap_module http://u:hunter-75@h/x.so
SetEnv API_TOKEN hunter-76 hunter-77
SSLPassPhraseDialog hunter-78
# httpd-lint-ignore-next-line unknown-directive
AuthLDAPBindPasswort hunter-79
DBDParams
ProxyPass /q bogus://u:hunter-80@h/ secret=hunter-81 nonsense
BalancerMember http://u:hunter-82@h/ secret=hunter-83
AuthnCacheSecret hunter
Require valid-usr http://u:hunter-84@h/
`;

const log = `10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /one HTTP/1.1" 200 1 "http://u:hunter-90@h/" "ua"
10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET /b/?password=hunter-91 HTTP/1.1" 200 1 "-" "ua"
10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET http://u:hunter-92@h/ HTTP/1.1" 200 1 "-" "ua"
`;

const anySecret = /.{0,60}hunter-[\da-f]\d.{0,20}/;

/** Returns the output without the requests in JSON, which a user can send. */
function withoutRequests(written: string): string {
  return written.replace(/"request": ?\{(?:[^{}]|\{[^{}]*\})*\}/g, "");
}

/** Returns the output without the patch of `migrate`, which must be exact. */
function maskedOutput(command: string, stdout: string): string {
  return command.endsWith("--format diff") ? "" : withoutRequests(stdout);
}

const paths = ["/one", "/two", "/three", "/four", "/b/x", "/p/x", "/x/y", "/r", "/keyed?key=1", "/sent", "/gate"];

/** The arguments with which each command of the program is run, without `--format`. */
const runs: { readonly [command in keyof typeof outputFormats]: readonly string[] } = {
  check: [
    ...["httpd.conf", "broken.conf", "lone/.htaccess", "inner/httpd.conf"].map((path) => `${path} --from 2.2`),
    "broken.conf --release 2.2",
    ".",
  ],
  explain: [
    ...paths.map((path) => `httpd.conf ${path}`),
    "broken.conf /two",
    "inner/httpd.conf /x",
    ...["httpd.conf", "broken.conf"].map((path) => `${path} --requests access.log`),
  ],
  test: ["httpd.conf expected.json", "broken.conf expected.json"],
  compare: [
    ...["httpd.conf", "broken.conf"].flatMap((path) => [
      path,
      `${path} other.conf`,
      `${path} other.conf --requests access.log`,
    ]),
    "inner/httpd.conf",
  ],
  map: ["httpd.conf", "broken.conf", "inner/httpd.conf"],
  audit: ["httpd.conf", "broken.conf", "inner/httpd.conf"],
  upgrade: ["httpd.conf", "broken.conf"],
  migrate: ["httpd.conf", "broken.conf", "lone/.htaccess"],
  rules: [""],
};

const commands: readonly string[] = [
  ...Object.entries(outputFormats).flatMap(([command, formats]) =>
    Object.entries(runs)
      .filter(([name]) => name === command)
      .flatMap(([, lists]) =>
        lists.flatMap((args) => formats.map((format) => `${command} ${args} --format ${format}`)),
      ),
  ),
  ...["httpd.conf", "broken.conf", "lone/.htaccess"].map((path) => `check ${path} --statistics`),
  ...["text", "json", "sarif", "junit"].map((format) => `check broken.conf --report-ignored --format ${format}`),
  ...["httpd.conf", "broken.conf"].map((path) => `resolve ${path}`),
  "init",
];

test("the lines contain the secrets", () => {
  expect(anySecret.test(lines)).toBe(true);
  const shown = lint(["compare", "httpd.conf", "other.conf", "--format", "json"]).stdout;
  expect(shown).toContain('"Authorization": "Basic hunter-41"');
  expect(withoutRequests(shown)).not.toMatch(anySecret);
});

test.each(sampleOf(commands, 8))(
  "no secret is in the output of: %s",
  (command) => {
    const ran = lint(command.split(" ").filter((word) => word !== ""));
    expect(ran.stdout + ran.stderr).not.toBe("");
    expect(maskedOutput(command, ran.stdout).match(anySecret)?.[0]).toBeUndefined();
    expect(ran.stderr.match(anySecret)?.[0]).toBeUndefined();
  },
  60_000,
);

test("no file on the disk contains a secret", () => {
  for (const args of [
    ["check", ".", "--baseline", "known.json", "--update-baseline"],
    ["check", "broken.conf", "--cache", "--cache-location", "cache.json"],
    ["check", "httpd.conf", "--from", "2.2", "--output", "report.txt"],
    ["init"],
  ])
    expect(lint(args).status).toBeLessThan(2);
  // The file quotes its input, so only its owner can read it.
  expect(statSync(at("cache.json")).mode & 0o077).toBe(0);
  const given = new Set(["cache.json", "httpd.conf", "broken.conf", "other.conf", "access.log", "lone", "inner"]);
  const written = readdirSync(scratch.path).filter((name) => !given.has(name));
  expect(written).toEqual(expect.arrayContaining(["known.json", "report.txt", ".httpd-lint.json"]));
  for (const name of written) {
    const path = at(name);
    expect([name, readFileSync(path, "utf8").match(anySecret)?.[0]]).toEqual([name, undefined]);
  }
});

test("--watch shows no secret", async () => {
  const child = spawn(commandProgram, [...commandArgs, "check", "broken.conf", "--watch"], { cwd: scratch.path });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (output += text));
  const isReported = new Promise<void>((done) => {
    child.stdout.on("data", () => /\d+ errors/.test(output) && done());
  });
  await isReported;
  child.kill();
  expect(output.match(anySecret)?.[0]).toBeUndefined();
});

test("the language server sends no secret, except in inserted text", async () => {
  const editor = await start({ initializationOptions: { from: "2.2" } });
  const received: unknown[] = [];
  for (const name of ["httpd.conf", "broken.conf"]) {
    const page = uri(name);
    const text = textOf(name);
    editor.open(page, text);
    received.push(await editor.diagnostics(page));
    const count = text.split("\n").length;
    const whole = { start: { line: 0, character: 0 }, end: { line: count, character: 0 } };
    const actions = await editor.actions(page, whole);
    received.push(actions.map(({ title, diagnostics }) => [title, diagnostics]));
    for (const line of sampleOf([...Array(count).keys()], 3)) {
      const width = text.split("\n")[line]?.length ?? 0;
      const positions = isDeep ? [2, Math.floor(width / 2), width] : [Math.floor(width / 2)];
      for (const character of positions) received.push(await editor.hover(page, { line, character }));
      // The proposals depend on the position of the line more than on its text.
      if (!isDeep && line % 15 !== 0) continue;
      for (const character of positions) received.push(await editor.completion(page, { line, character }));
    }
    received.push((await editor.links(page)).map(({ range }) => range));
  }
  expect(JSON.stringify([received, editor.messages, editor.stderr]).match(anySecret)?.[0]).toBeUndefined();
}, 60_000);

test("resolve prints no secrets", () => {
  const lines = ["AuthLDAPBindPassword hunter2", "SSLPassPhraseDialog exec:/bin/hunter2", "SetEnv DB_PASSWORD hunter2"];
  write({ "a.conf": `${lines.join("\n")}\nProxyPass /b http://bob:hunter2@b/\nServerName x\n` });
  const ran = lint(["resolve", "a.conf"]);
  expect(ran.stdout + ran.stderr).not.toContain("hunter2");
  expect(ran.stdout).toContain("AuthLDAPBindPassword ********\n");
  write({ "b.conf": "ServerName x\n" });
  expect(lint(["resolve", "b.conf"]).stdout).toContain("ServerName x\n");
});
