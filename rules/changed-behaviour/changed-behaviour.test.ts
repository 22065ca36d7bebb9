import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, type Given, lintText, section } from "../../test/support/rules.js";
import { changedBehaviour } from "./changed-behaviour.js";

const upgrade: Given = { from: "2.2" };
const check = (text: string, given: Given = {}) => findingsOf([changedBehaviour], text, { ...upgrade, ...given });
const host = (...lines: readonly string[]) => section('VirtualHost "*:443"', ...lines);
const inDirectory = (path: string, ...lines: readonly string[]) => section(`Directory "${path}"`, ...lines);

const fixed = (text: string) => fixFirst(changedBehaviour, text, upgrade);

describe("piped logs", () => {
  test.each([
    ['CustomLog "|/bin/cat >> /logs/a" common', "`>>`"],
    ['ErrorLog "|/bin/tee /logs/a; true"', "`;`"],
    ['ErrorLog "|/bin/tee /logs/a 2>/dev/null"', "`2>`"],
    ['CustomLog "|/bin/grep x | /bin/tee /logs/a" common', "`|`"],
    ['CustomLog "|/bin/a && /bin/b" common', "`&&`"],
    ['TransferLog "|/bin/tee /logs/*.log"', "`*`"],
    ['TransferLog "|/bin/tee ~/log"', "`~`"],
    ['CustomLog "|/bin/tee /logs/$HOST" common', "`$HOST`"],
    ['CustomLog "|/bin/tee \\"/logs/$(date)\\"" common', "`$`"],
    ['ForensicLog "|/bin/cat > /logs/f"', "`>`"],
    ['ForensicLog "|cat > /logs/f"', "`>`"],
  ])("reports %s", (line, what) => {
    const [finding, ...more] = check(`${line}\n`);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: line });
    expect(finding?.message).toBe(`2.4 passes ${what} to the piped log program literally`);
    expect(finding?.help).toEqual(["to start the program with a shell, use `|$` instead of `|`"]);
  });

  test.each([
    ['CustomLog "|tee /logs/a" common', "`tee`"],
    ['ErrorLog "|exec /bin/tee /logs/a"', "`exec`"],
    ['ErrorLog "|TZ=UTC /bin/tee /logs/a"', "`TZ=UTC`"],
    ["ErrorLog |rotatelogs", "`rotatelogs`"],
  ])("reports %s, with which the server does not start", (line, name) => {
    expect(check(`${line}\n`)).toMatchObject([{ severity: "error", text: line }]);
    expect(check(`${line}\n`)[0]?.message).toBe(`2.4 needs the full path of the piped log program ${name}`);
    expect(check(`${line}\n`)[0]?.notes?.[1]).toMatch(/^httpd will not start \(AH00104\)/);
  });

  test.each([
    'CustomLog "|/usr/sbin/rotatelogs -l /logs/a.%Y-%m-%d 86400" common',
    'CustomLog "||/bin/cat >> /logs/a" common',
    'CustomLog "|$/bin/cat >> /logs/a" common',
    "CustomLog \"|/bin/sh -c 'cat > /logs/$HOST'\" common",
    'CustomLog "|/bin/a \\"x > y\\"" common',
    'CustomLog "|/bin/a x~1 \\\\> y" common',
    'CustomLog "|bin/rotatelogs logs/a 5M" common',
    'CustomLog "logs/a>b" common',
    "ErrorLog syslog:local1",
    'ForensicLog "|bin/forensic"',
    'ForensicLog "|forensic"',
  ])("does not report %s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });

  test("the fix uses a shell to start the program", () => {
    const after = fixed('  CustomLog "|/bin/cat > /logs/a" common\n');
    expect(after).toBe('  CustomLog "|$/bin/cat > /logs/a" common\n');
    expect(check(after ?? "")).toEqual([]);
    expect(fixed("ErrorLog |tee\n")).toBe("ErrorLog |$tee\n");
  });

  test("reports a piped log in a fragment", () => {
    expect(check("ErrorLog |tee\n", { kind: "fragment" })).toHaveLength(1);
  });
});

describe("directives whose behaviour changed", () => {
  const crl = "SSLCARevocationFile /crl.pem";
  const dn = 'SSLRequire %{SSL_CLIENT_S_DN} eq "/C=DE/CN=A"';
  const ssi = "AddOutputFilter INCLUDES .shtml";
  const on = "Options +Includes\n";
  const errorPages = ["Options IncludesNoExec", "AddOutputFilter Includes html", "AddHandler type-map var"];
  const scgi = 'ProxyPass "/app" "scgi://127.0.0.1:4000/"';
  const cache = "ProxyRequests On\nCacheEnable disk /\n";

  test.each([
    ["a list of revoked certificates", host(crl), "warning", crl, "a client with a revoked certificate is accepted"],
    [
      "a list of revoked certificates of backends",
      "SSLProxyCARevocationPath /crl\n",
      "warning",
      undefined,
      "`SSLProxyCARevocationCheck`",
    ],
    ["a distinguished name in a condition", inDirectory("/a", dn), "warning", dn, "SSL_CLIENT_S_DN"],
    [
      "a distinguished name in a header",
      'RequestHeader set X "%{SSL_CLIENT_I_DN}s"\n',
      "info",
      undefined,
      "SSL_CLIENT_I_DN",
    ],
    ["a distinguished name as the user name", "SSLUserName SSL_CLIENT_S_DN\n", "warning", undefined, "SSL_CLIENT_S_DN"],
    ["optional TLS", host("SSLEngine Optional"), "warning", "SSLEngine Optional", "means `SSLEngine off`"],
    ["SSI through a filter", `${on}${ssi}\n`, "warning", ssi, "#if expr"],
    [
      "SSI through a handler",
      inDirectory("/a", "Options All", "AddHandler server-parsed .html"),
      "warning",
      undefined,
      "#if expr",
    ],
    [
      "SSI in error pages",
      `${inDirectory("/srv/error", ...errorPages)}ErrorDocument 404 /error/x.var\n`,
      "warning",
      "AddOutputFilter Includes html",
      "#if expr",
    ],
    ["SSI through XBitHack", `${on}XBitHack full\n`, "warning", "XBitHack full", "#if expr"],
    ["SSI in a list of filters", `${on}SetOutputFilter INCLUDES;DEFLATE\n`, "warning", undefined, "#if expr"],
    ["an SCGI backend", `${scgi}\n`, "warning", scgi, "does not send `PATH_INFO`"],
    [
      "an SCGI backend of a RewriteRule",
      "RewriteRule ^/a scgi://b/ [P]\n",
      "warning",
      undefined,
      "does not send `PATH_INFO`",
    ],
    ["a cache for all requests of a proxy", cache, "warning", "CacheEnable disk /", "forward proxy"],
    ["session identifiers", "CacheIgnoreURLSessionIdentifiers id sid\n", "info", undefined, "`userid`"],
    ["Substitute", "Substitute s/a/b/\n", "info", "Substitute s/a/b/", "AH01328"],
    ["DumpIOInput", "LogLevel debug\nDumpIOInput On\n", "info", "DumpIOInput On", "`LogLevel dumpio:trace7`"],
    ["DumpIOLogLevel", "DumpIOLogLevel notice\nDumpIOOutput On\n", "info", "DumpIOOutput On", "trace7"],
    [
      "DavLockDB",
      "DavLockDB /var/locks/db\n<Location /dav>\nDav on\n</Location>\n",
      "info",
      "DavLockDB /var/locks/db",
      "`/var/locks/db`",
    ],
  ])("reports %s", (_, text, severity, underlined, part) => {
    const [finding, ...more] = check(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity, ...(underlined ? { text: underlined } : {}) });
    expect(finding?.help).not.toEqual([]);
    expect([finding?.message, ...(finding?.notes ?? []), ...(finding?.help ?? [])].join("\n")).toContain(part);
  });

  // Distributions ship `DavLockDB` in their main file; without `Dav on`, httpd does not write the file.
  test.each(["", "Dav off", "Dav svn"])("does not report DavLockDB with `%s`", (line) => {
    expect(check(`DavLockDB /var/locks/db\n<Location /dav>\n${line}\n</Location>\n`)).toEqual([]);
  });

  const crlCheck = "SSLCARevocationCheck leaf";
  const keep = "SSLOptions +LegacyDNStringFormat";
  test.each([
    ["revocation lists that are checked", host(crl, crlCheck)],
    ["revocation lists that the main server checks", `${crlCheck}\n${host(crl)}`],
    ["revocation lists of the main server that a host checks", `${crl}\n${host(crlCheck)}`],
    ["the legacy format of names in a host for a directory of the server", `${inDirectory("/a", dn)}${host(keep)}`],
    ["a host with TLS", host("SSLEngine on")],
    ["a host without TLS", host("SSLEngine off")],
    ["an optional client certificate", host("SSLEngine on", "SSLVerifyClient optional")],
    ["a part of a distinguished name", inDirectory("/a", 'SSLRequire %{SSL_CLIENT_S_DN_CN} eq "A"')],
    ["the legacy format of names", inDirectory("/a", keep, dn)],
    [
      "the legacy format of names in the host",
      host("SSLOptions StdEnvVars LegacyDNStringFormat", inDirectory("/a", dn)),
    ],
    ["the legacy SSI parser", `${on}${ssi}\n${inDirectory("/", "SSILegacyExprParser on")}`],
    ["the new SSI parser if it is selected explicitly", `${on}${ssi}\n${inDirectory("/", "SSILegacyExprParser off")}`],
    [
      "SSI only for error pages that no ErrorDocument uses",
      `${inDirectory("/srv/error/", ...errorPages)}${ssi}\nErrorDocument 403 /error/noindex.html\n`,
    ],
    ["SSI that no Options line enables", `${inDirectory("/a", "Options Indexes -Includes")}${ssi}\nXBitHack on\n`],
    ["another filter", `${on}AddOutputFilter DEFLATE .html\nXBitHack off\nAddHandler cgi-script .cgi\n`],
    ["PATH_INFO set by SetEnvIf", `${scgi}\nSetEnvIf Request_URI "^" proxy-scgi-pathinfo=1\n`],
    ["PATH_INFO set by a RewriteRule", "RewriteRule ^/a scgi://b/ [P,E=proxy-scgi-pathinfo:1]\n"],
    ["another backend", 'ProxyPass "/app" "http://127.0.0.1:4000/"\n'],
    ["a cache without a forward proxy", "ProxyRequests Off\nCacheEnable disk /\n"],
    ["a cache for a path", "ProxyRequests On\nCacheEnable disk /a\n"],
    ["a cache for the proxy", `${cache}CacheEnable disk http://\n`],
    ["no session identifiers", "CacheIgnoreURLSessionIdentifiers None\n"],
    ["a limit on line lengths", `Substitute s/a/b/\n${inDirectory("/", "SubstituteMaxLineLength 5m")}`],
    ["mod_dumpio at trace7", "LogLevel debug dumpio:trace7\nDumpIOInput On\n"],
    ["all modules at trace8", "LogLevel trace8\nDumpIOInput On\n"],
    ["output that 2.2 did not log", "LogLevel warn\nDumpIOInput On\n"],
    ["DumpIOInput Off", "LogLevel debug\nDumpIOInput Off\n"],
  ])("does not report %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test("notes that SetEnv takes effect too late for an SCGI backend", () => {
    const [finding] = check(`SetEnv proxy-scgi-pathinfo 1\n${scgi}\n`);
    expect(finding?.notes).toContain("SetEnv takes effect too late for `proxy-scgi-pathinfo`");
  });

  test.each([
    ["revocation lists", host(crl), host(crl, "SSLCARevocationCheck chain no_crl_for_cert_ok")],
    [
      "distinguished names",
      host("SSLEngine on", inDirectory("/a", dn)),
      host("SSLEngine on", keep, inDirectory("/a", dn)),
    ],
    [
      "distinguished names beside other options",
      `SSLOptions StdEnvVars\n${dn}\n`,
      `SSLOptions StdEnvVars\n${keep}\n${dn}\n`,
    ],
    ["SSI in a directory", inDirectory("/a", on, ssi), inDirectory("/a", on, ssi, "SSILegacyExprParser on")],
    ["SSI", `${on}${ssi}\n`, `${on}${ssi}\n<Location "/">\n    SSILegacyExprParser on\n</Location>\n`],
    ["SCGI", `${scgi}\n`, `${scgi}\nSetEnvIf Request_URI "^" proxy-scgi-pathinfo=1\n`],
    ["a cache", cache, `${cache}CacheEnable disk http://\n`],
    ["DumpIOInput", "DumpIOInput On\nLogLevel debug\n", "DumpIOInput On\nLogLevel debug\nLogLevel dumpio:trace7\n"],
  ])("fixes %s", (_, text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(check(expected)).toEqual([]);
  });

  test("reports lines with the same effect once, with one fix", () => {
    const text = `${host(crl)}${host(crl)}${host(crl, crlCheck)}${host(crl)}`;
    const [finding, ...more] = lintText([changedBehaviour], text, upgrade);
    expect(more).toEqual([]);
    expect(finding?.message).toContain("(here and in 2 more lines)");
    expect(finding?.fix?.edits).toHaveLength(3);
    const lines = `${on}${host(ssi, "XBitHack on")}${host(ssi)}`;
    expect(check(lines)[0]?.message).toContain("(here and in 2 more lines)");
    // A host-level option is reported once for any number of lines.
    const named = host("SSLEngine on", inDirectory("/a", dn), inDirectory("/b", dn));
    expect(fixed(named)).toBe(host("SSLEngine on", keep, inDirectory("/a", dn), inDirectory("/b", dn)));
  });
});

describe("inherited SSI settings", () => {
  const outer = inDirectory("/srv", 'SSIErrorMsg "oops"');

  test.each([
    ["settings from a directory", `${outer}${inDirectory("/srv/a", "SSITimeFormat %Y")}`, "SSITimeFormat %Y"],
    ["settings from the server", `SSIUndefinedEcho x\n${inDirectory("/srv", "SSITimeFormat %Y")}`, "SSITimeFormat %Y"],
  ])("reports %s", (_, text, underlined) => {
    const [finding, ...more] = check(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: underlined });
    expect(check(fixed(text) ?? text)).toEqual([]);
  });

  test.each([
    ["settings of separate directories", `${outer}${inDirectory("/srv2", "SSITimeFormat %Y")}`],
    ["settings that are set again", `${outer}${inDirectory("/srv/a", 'SSIErrorMsg "no"', "SSITimeFormat %Y")}`],
    ["directories without SSI settings", `${outer}${inDirectory("/srv/a", "Options None")}`],
  ])("does not report %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});

describe("virtual hosts without NameVirtualHost", () => {
  const named = (address: string, ...names: readonly string[]) =>
    names.map((name) => section(`VirtualHost ${address}`, `ServerName ${name}`)).join("");

  test("reports virtual hosts that 2.2 never selects", () => {
    const [finding, ...more] = check(named("*:80", "a", "b", "c"));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", at: "4:1-4:19" });
    expect(finding?.message).toBe("2.4 selects the virtual host `b`, which 2.2 never does (here and in 1 more line)");
    expect(finding?.notes).toContain("2.4 selects by name, so requests for `b` now return this site");
    expect(finding?.related[0]).toBe("httpd.conf:1:1: 2.2 selects this one");
    expect(check(named("_default_:80", "a") + named("*:80", "b"))).toHaveLength(1);
    expect(check(`NameVirtualHost *:443\n${named("*:80", "a", "b")}`)).toHaveLength(1);
  });

  test.each([
    ["NameVirtualHost", `NameVirtualHost *:80\n${named("*:80", "a", "b")}`],
    ["a NameVirtualHost for every port", `NameVirtualHost *\n${named("*:80", "a", "b")}`],
    ["hosts with different addresses", named("10.0.0.1:80", "a") + named("10.0.0.2:80", "b")],
    ["hosts with different ports", named("*:80", "a") + named("*:81", "b")],
    ["hosts with different IPv6 addresses", named("[::1]:80", "a") + named("[::2]:80", "b")],
    ["NameVirtualHost for 2.2", `<IfVersion < 2.4>\nNameVirtualHost *:80\n</IfVersion>\n${named("*:80", "a", "b")}`],
    ["hosts with the same name", named("*:80", "a", "A")],
  ])("does not report %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});

test("does not report without --from, for 2.2, or if the effect depends on files outside of a fragment", () => {
  expect(findingsOf([changedBehaviour], "ErrorLog |tee\n")).toEqual([]);
  expect(check("ErrorLog |tee\n", { release: "2.2" })).toEqual([]);
  expect(check("SSLCARevocationFile /crl\nSubstitute s/a/b/\n", { kind: "fragment" })).toEqual([]);
  expect(check("Options Includes\nXBitHack on\n", { kind: "htaccess" })).toEqual([]);
});
