import { describe, expect, test } from "vitest";
import { refusedAtStart } from "../../rules/refused-at-start/refused-at-start.js";
import { syntaxError } from "../../rules/syntax-error/syntax-error.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { verdictsOn } from "../support/httpd/startup-verdicts.js";
import { inScratchFolder } from "../support/programs/scratch-folder.js";
import { findingsOf } from "../support/rules.js";

const modules = [
  ...["authn_core", "authn_file", "auth_basic", "auth_form", "session", "session_cookie", "request", "authz_core"],
  ...["authz_user", "authz_host", "authz_groupfile", "alias", "rewrite", "setenvif", "headers", "log_debug", "filter"],
  ...["proxy", "proxy_fcgi", "env", "dir"],
];

/** Lines in `.htaccess` files with strings or conditions that the server parses when it reads them. */
const invalidLines = [
  ...['ErrorDocument 404 "%{"', "ErrorDocument 500 /%{wrong}", 'ErrorDocument 403 "text %{HTTPS"'],
  ...[
    'AuthName "Area %{"',
    "AuthType %{none}",
    "SetHandler %{x:",
    "Redirect http://o.test/%{",
    "Redirect 301 /%{wrong}",
  ],
  ...['AuthBasicFake "%{"', "AuthBasicFake a %{wrong}", "AuthFormLoginRequiredLocation /%{", "Require user a %{wrong}"],
  ...["Require not group %{", "Require host %{wrong}", 'Header set X "expr=%{wrong}"', 'Header edit X y "expr=%{"'],
  ...['RequestHeader set X "expr=%{wrong}"', 'RewriteCond expr "%{"', "RewriteCond expr \"%{wrong} == 'x'\""],
  ...['ProxyFCGISetEnvIf true A "%{"', 'ProxyFCGISetEnvIf "%{" A b', "AuthFormLogoutLocation %{wrong}"],
  ...["AuthFormLoginSuccessLocation %{"],
];
const validLines = [
  "SetEnv A %{",
  ...["ErrorDocument 404 /%{REQUEST_URI}", 'AuthName "%{HTTP_HOST} at 100%"', "SetHandler a%{env:x}", "ForceType %{"],
  ...["Redirect /x http://o.test/%{", "AuthBasicFake off %{", 'Header set X "EXPR=y"', 'Header set X "%{wrong}e"'],
  ...["Redirect 302 http://o.test/%{HTTP_HOST}", "RewriteCond %{wrong} x", "Require env %{", "DirectoryIndex %{"],
  ...["Redirect gone /%{", 'RequestHeader set X "expr=%{HTTP_HOST}"', 'ProxyFCGISetEnvIf true A "%{HTTP_HOST}"'],
];

/** Lines of sections in main files that `.htaccess` files may not have. */
const invalidMainLines = [
  ...['LogMessage "%{"', 'LogMessage "a %{REQUEST_URI"', "LogMessage %{}", "LogMessage %{NO_SUCH_NAME}"],
  ...["LogMessage x hook=none", "LogMessage x other", 'LogMessage x "expr=%{HTTPS"', "LogMessage x hook=all expr=/"],
  ...["Alias /%{", "Alias /%{wrong}", "ScriptAlias /%{"],
];
const validMainLines = [
  ...["LogMessage %{REQUEST_URI}", 'LogMessage "100% {x}"', "LogMessage x hook=All expr=true", "Alias /%{HTTP_HOST}"],
];

describe.skipIf(!httpd)(liveTitle("strings and conditions with variables"), () => {
  test.each([
    ["invalid", invalidLines, 500],
    ["valid", validLines, undefined],
  ] as const)("%s lines of `.htaccess` files", async (_, lines, status) => {
    const files = Object.fromEntries(
      lines.flatMap((line, index) => [
        [`${index}/.htaccess`, `${line}\n`],
        [`${index}/a.txt`, "a"],
      ]),
    );
    const open = ['<Directory "DOCROOT">', "AllowOverride All", "</Directory>"];
    const serve = async (running: Parameters<Parameters<typeof withRunningHttpd>[2]>[0]) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [index, line] of lines.entries()) {
        const path = `/${index}/a.txt`;
        const answer = await running.ask({ path, headers: { Host: "x.test" } });
        const decided = simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
        const findings = findingsOf([syntaxError, refusedAtStart], `${line}\n`, { kind: "htaccess" });
        const isRejected = running.errors().includes(`/${index}/.htaccess: `);
        expect([line, isRejected]).toEqual([line, status === 500]);
        expect([line, decided.status === 500, findings.length > 0]).toEqual([line, isRejected, isRejected]);
        if (isRejected) expect([line, answer.status]).toEqual([line, 500]);
      }
    };
    await withRunningHttpd(modules, open, serve, files);
  });

  test.each([
    ["invalid", invalidMainLines],
    ["valid", validMainLines],
  ] as const)("%s lines of main files", (name, lines) => {
    inScratchFolder((folder) => {
      for (const line of lines) {
        const section = `<Location /x>\n${line}\n</Location>\n`;
        const head = `${loadModules(["mpm_event", ...modules])}ServerName x.test\nErrorLog /dev/null\n`;
        const { server } = verdictsOn(folder, `${head}ServerRoot "${folder}"\n${section}`);
        const findings = findingsOf([syntaxError, refusedAtStart], section);
        expect([line, server === "accepted", findings.length === 0]).toEqual([
          line,
          name === "valid",
          name === "valid",
        ]);
      }
    });
  });
});
