import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findUnmetNeeds } from "../../src/facts/module-needs.js";
import { mayRefuseArguments } from "../../src/startup/directives/accepted-arguments.js";
import { httpd, liveTitle, loadModules, moduleFolder, runHttpdOn } from "../support/httpd/httpd.js";
import { loadText } from "../support/projects.js";

const usual = ["mpm_event", "authz_core", "socache_shmcb", "ssl"];

/** A line that the server accepts, and one that it refuses, with their module. */
const lines: readonly (readonly [module: string, accepted: string, refused: string])[] = [
  ["http2", "H2Push off", "H2Push 1"],
  ["http2", "H2WindowSize 1024", "H2WindowSize 1023"],
  ["http2", "H2PushDiarySize 64", "H2PushDiarySize 100"],
  ["http2", "H2MaxWorkers 1", "H2MaxWorkers 0"],
  ["http2", "H2StreamTimeout 5", "H2StreamTimeout x"],
  ["http2", "H2Padding 8", "H2Padding 9"],
  ["md", "MDRenewViaARI on", "MDRenewViaARI 1"],
  ["md", "MDMember auto", "MDMember www.example.com"],
  ["md", "MDRenewWindow 30d", "MDRenewWindow x"],
  ["md", "MDRetryDelay 5s", "MDRetryDelay 10%"],
  ["brotli", "BrotliCompressionWindow 18", "BrotliCompressionWindow 9"],
  ["brotli", "BrotliAlterETag NoChange", "BrotliAlterETag None"],
  ["ldap", "<Files x>\nLDAPReferralHopLimit 1\n</Files>", "<Files x>\nLDAPReferralHopLimit 0\n</Files>"],
  ["ldap", "LDAPTrustedMode TLS", "LDAPTrustedMode Plain"],
  ["lua", "LuaScope once", "LuaScope twice"],
  ["remoteip", "RemoteIPTrustedProxy 10.0.0.0/8", "RemoteIPTrustedProxy none.invalid"],
  ["vhost_alias", "VirtualDocumentRoot /srv/www", "VirtualDocumentRoot www"],
  ["vhost_alias", "VirtualDocumentRoot none", "VirtualScriptAlias x/y"],
  ["reflector", 'ErrorLogFormat "[%t] %M"', 'ErrorLogFormat "%k"'],
  ["reflector", 'ErrorLogFormat request "%k"', 'ErrorLogFormat request "%M"'],
  ["reflector", 'ErrorLogFormat "%{c}a %-M"', 'ErrorLogFormat "%Z %M"'],
  [
    "proxy",
    '<Location "/a">\nProxyPass http://127.0.0.1:1/\n</Location>',
    '<Proxy "*">\nProxyPass http://127.0.0.1:1/\n</Proxy>',
  ],
  ["filter", "Listen 81", "AddOutputFilterByType NONE text/html"],
  ["reflector", "SSLCACertificateFile DEFAULT", "<Files x>\nSSLCACertificateFile DEFAULT\n</Files>"],
  ["reflector", "Listen 81", "ScriptInterpreterSource Script"],
];

function isRefused(modules: readonly string[], text: string): boolean {
  return runHttpdOn(modules, `ServerName x.test\nErrorLog /dev/null\n${text}\n`).status !== 0;
}

/** Reports whether a proof leaves a line open. */
function isOpen(modules: readonly string[], text: string): boolean {
  const project = loadText(`${loadModules(modules)}${text}\n`, { kind: "server" });
  const all = project.directives.flatMap((line) => [line, ...(line.children ?? [])]);
  return all.some((line) => mayRefuseArguments(line, project));
}

const certificate = "/etc/ssl/certs/ca-certificates.crt";

describe.skipIf(!httpd)(liveTitle("arguments that the server accepts or refuses"), () => {
  test.each(lines)("with mod_%s: `%s`, and not `%s`", (module, accepted, refused) => {
    const modules = [...usual, module];
    if (!existsSync(join(moduleFolder, `mod_${module}.so`)) || (/DEFAULT/.test(accepted) && !existsSync(certificate)))
      return;
    const [good, bad] = [accepted, refused].map((line) => line.replace("DEFAULT", certificate));
    expect([good, isRefused(modules, good ?? ""), isOpen(modules, good ?? "")]).toEqual([good, false, false]);
    expect([bad, isRefused(modules, bad ?? ""), isOpen(modules, bad ?? "")]).toEqual([bad, true, true]);
  });

  test.each([
    [
      ["proxy", "proxy_http"],
      ["proxy_http", "proxy"],
    ],
    [["cache", "cache_disk"], ["cache_disk"]],
    [
      ["dav", "dav_fs"],
      ["dav_fs", "dav"],
    ],
    [
      ["session", "session_cookie"],
      ["session_cookie", "session"],
    ],
  ])("modules that need others: %j, and not %j", (accepted, refused) => {
    const unmet = (names: readonly string[]) =>
      findUnmetNeeds(
        names.map((name) => `${name}_module`),
        () => false,
      ).length > 0;
    expect([isRefused([...usual, ...accepted], ""), unmet(accepted)]).toEqual([false, false]);
    expect([isRefused([...usual, ...refused], ""), unmet(refused)]).toEqual([true, true]);
  });
});
