import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText, section } from "../../test/support/rules.js";
import { changedBehaviour } from "./changed-behaviour.js";

const upgrade: Given = { from: "2.2" };
const seen = (text: string, given: Given = {}) => findingsOf([changedBehaviour], text, { ...upgrade, ...given });
const host = (...lines: readonly string[]) => section('VirtualHost "*:443"', ...lines);
const inFolder = (path: string, ...lines: readonly string[]) => section(`Directory "${path}"`, ...lines);

/** Applies the first finding's fix to the text. */
function fixed(text: string): string | undefined {
  const [edit, ...more] = lintText([changedBehaviour], text, upgrade)[0]?.fix?.edits ?? [];
  expect(more).toEqual([]);
  return edit && text.slice(0, edit.span.start) + edit.text + text.slice(edit.span.end);
}

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
  ])("%s", (line, what) => {
    const [finding, ...more] = seen(`${line}\n`);
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
  ])("%s: the server does not start", (line, name) => {
    expect(seen(`${line}\n`)).toMatchObject([{ severity: "error", text: line }]);
    expect(seen(`${line}\n`)[0]?.message).toBe(`2.4 needs the full path of the piped log program ${name}`);
    expect(seen(`${line}\n`)[0]?.notes?.[1]).toMatch(/^httpd will not start \(AH00104\)/);
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
    expect(seen(`${line}\n`)).toEqual([]);
  });

  test("the fix starts the program by a shell", () => {
    const after = fixed('  CustomLog "|/bin/cat > /logs/a" common\n');
    expect(after).toBe('  CustomLog "|$/bin/cat > /logs/a" common\n');
    expect(seen(after ?? "")).toEqual([]);
    expect(fixed("ErrorLog |tee\n")).toBe("ErrorLog |$tee\n");
  });

  test("in a fragment, too", () => {
    expect(seen("ErrorLog |tee\n", { kind: "fragment" })).toHaveLength(1);
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
    ["one of backends", "SSLProxyCARevocationPath /crl\n", "warning", undefined, "`SSLProxyCARevocationCheck`"],
    ["a name that decides", inFolder("/a", dn), "warning", dn, "SSL_CLIENT_S_DN"],
    ["a name that is sent", 'RequestHeader set X "%{SSL_CLIENT_I_DN}s"\n', "info", undefined, "SSL_CLIENT_I_DN"],
    ["a name as the user's", "SSLUserName SSL_CLIENT_S_DN\n", "warning", undefined, "SSL_CLIENT_S_DN"],
    ["TLS by request", host("SSLEngine Optional"), "warning", "SSLEngine Optional", "means `SSLEngine off`"],
    ["SSI by filter", `${on}${ssi}\n`, "warning", ssi, "#if expr"],
    [
      "SSI by handler",
      inFolder("/a", "Options All", "AddHandler server-parsed .html"),
      "warning",
      undefined,
      "#if expr",
    ],
    [
      "SSI in error pages",
      `${inFolder("/srv/error", ...errorPages)}ErrorDocument 404 /error/x.var\n`,
      "warning",
      "AddOutputFilter Includes html",
      "#if expr",
    ],
    ["SSI by mode", `${on}XBitHack full\n`, "warning", "XBitHack full", "#if expr"],
    ["SSI among filters", `${on}SetOutputFilter INCLUDES;DEFLATE\n`, "warning", undefined, "#if expr"],
    ["an SCGI backend", `${scgi}\n`, "warning", scgi, "does not send `PATH_INFO`"],
    ["the same by a rule", "RewriteRule ^/a scgi://b/ [P]\n", "warning", undefined, "does not send `PATH_INFO`"],
    ["a cache for all of a proxy", cache, "warning", "CacheEnable disk /", "forward proxy"],
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
  ])("%s", (_, text, severity, underlined, says) => {
    const [finding, ...more] = seen(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity, ...(underlined ? { text: underlined } : {}) });
    expect(finding?.help).not.toEqual([]);
    expect([finding?.message, ...(finding?.notes ?? []), ...(finding?.help ?? [])].join("\n")).toContain(says);
  });

  // Distributions ship `DavLockDB` in their main file; without `Dav on`, httpd does not write the file.
  test.each(["", "Dav off", "Dav svn"])("does not report DavLockDB with `%s`", (line) => {
    expect(seen(`DavLockDB /var/locks/db\n<Location /dav>\n${line}\n</Location>\n`)).toEqual([]);
  });

  const check = "SSLCARevocationCheck leaf";
  const keep = "SSLOptions +LegacyDNStringFormat";
  test.each([
    ["the lists are asked", host(crl, check)],
    ["they are asked by the main server", `${check}\n${host(crl)}`],
    ["a host asks those of the main server", `${crl}\n${host(check)}`],
    ["the old form in a host for a folder of all", `${inFolder("/a", dn)}${host(keep)}`],
    ["TLS", host("SSLEngine on")],
    ["no TLS", host("SSLEngine off")],
    ["a certificate that may be there", host("SSLEngine on", "SSLVerifyClient optional")],
    ["a part of a name", inFolder("/a", 'SSLRequire %{SSL_CLIENT_S_DN_CN} eq "A"')],
    ["the old form of names", inFolder("/a", keep, dn)],
    ["the old form in the host", host("SSLOptions StdEnvVars LegacyDNStringFormat", inFolder("/a", dn))],
    ["the old parser", `${on}${ssi}\n${inFolder("/", "SSILegacyExprParser on")}`],
    ["the new one by choice", `${on}${ssi}\n${inFolder("/", "SSILegacyExprParser off")}`],
    [
      "SSI only for error pages that no line names",
      `${inFolder("/srv/error/", ...errorPages)}${ssi}\nErrorDocument 403 /error/noindex.html\n`,
    ],
    ["SSI that no Options switches on", `${inFolder("/a", "Options Indexes -Includes")}${ssi}\nXBitHack on\n`],
    ["another filter", `${on}AddOutputFilter DEFLATE .html\nXBitHack off\nAddHandler cgi-script .cgi\n`],
    ["PATH_INFO by SetEnvIf", `${scgi}\nSetEnvIf Request_URI "^" proxy-scgi-pathinfo=1\n`],
    ["PATH_INFO by a rule", "RewriteRule ^/a scgi://b/ [P,E=proxy-scgi-pathinfo:1]\n"],
    ["another backend", 'ProxyPass "/app" "http://127.0.0.1:4000/"\n'],
    ["a cache without a forward proxy", "ProxyRequests Off\nCacheEnable disk /\n"],
    ["a cache for a folder", "ProxyRequests On\nCacheEnable disk /a\n"],
    ["a cache for the proxy", `${cache}CacheEnable disk http://\n`],
    ["no session identifiers", "CacheIgnoreURLSessionIdentifiers None\n"],
    ["a limit for lines", `Substitute s/a/b/\n${inFolder("/", "SubstituteMaxLineLength 5m")}`],
    ["mod_dumpio at trace7", "LogLevel debug dumpio:trace7\nDumpIOInput On\n"],
    ["everything at trace8", "LogLevel trace8\nDumpIOInput On\n"],
    ["what 2.2 did not log", "LogLevel warn\nDumpIOInput On\n"],
    ["DumpIOInput Off", "LogLevel debug\nDumpIOInput Off\n"],
  ])("does not report %s", (_, text) => {
    expect(seen(text)).toEqual([]);
  });

  test("SetEnv comes too late for an SCGI backend", () => {
    const [finding] = seen(`SetEnv proxy-scgi-pathinfo 1\n${scgi}\n`);
    expect(finding?.notes).toContain("SetEnv takes effect too late for `proxy-scgi-pathinfo`");
  });

  test.each([
    ["revocation", host(crl), host(crl, "SSLCARevocationCheck chain no_crl_for_cert_ok")],
    ["names", host("SSLEngine on", inFolder("/a", dn)), host("SSLEngine on", keep, inFolder("/a", dn))],
    ["names beside other options", `SSLOptions StdEnvVars\n${dn}\n`, `SSLOptions StdEnvVars\n${keep}\n${dn}\n`],
    ["SSI in a folder", inFolder("/a", on, ssi), inFolder("/a", on, ssi, "SSILegacyExprParser on")],
    ["SSI", `${on}${ssi}\n`, `${on}${ssi}\n<Location "/">\n    SSILegacyExprParser on\n</Location>\n`],
    ["SCGI", `${scgi}\n`, `${scgi}\nSetEnvIf Request_URI "^" proxy-scgi-pathinfo=1\n`],
    ["a cache", cache, `${cache}CacheEnable disk http://\n`],
    ["DumpIOInput", "DumpIOInput On\nLogLevel debug\n", "DumpIOInput On\nLogLevel debug\nLogLevel dumpio:trace7\n"],
  ])("the fix of %s", (_, text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(seen(expected)).toEqual([]);
  });

  test("one finding and one fix for all lines with an equal effect", () => {
    const text = `${host(crl)}${host(crl)}${host(crl, check)}${host(crl)}`;
    const [finding, ...more] = lintText([changedBehaviour], text, upgrade);
    expect(more).toEqual([]);
    expect(finding?.message).toContain("(here and in 2 more lines)");
    expect(finding?.fix?.edits).toHaveLength(3);
    const lines = `${on}${host(ssi, "XBitHack on")}${host(ssi)}`;
    expect(seen(lines)[0]?.message).toContain("(here and in 2 more lines)");
    // A host-level option is reported once for any number of lines.
    const named = host("SSLEngine on", inFolder("/a", dn), inFolder("/b", dn));
    expect(fixed(named)).toBe(host("SSLEngine on", keep, inFolder("/a", dn), inFolder("/b", dn)));
  });
});

describe("inherited settings of SSI", () => {
  const outer = inFolder("/srv", 'SSIErrorMsg "oops"');

  test.each([
    ["from a folder", `${outer}${inFolder("/srv/a", "SSITimeFormat %Y")}`, "SSITimeFormat %Y"],
    ["from the server", `SSIUndefinedEcho x\n${inFolder("/srv", "SSITimeFormat %Y")}`, "SSITimeFormat %Y"],
  ])("%s", (_, text, underlined) => {
    const [finding, ...more] = seen(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: underlined });
    expect(seen(fixed(text) ?? text)).toEqual([]);
  });

  test.each([
    ["beside each other", `${outer}${inFolder("/srv2", "SSITimeFormat %Y")}`],
    ["set anew", `${outer}${inFolder("/srv/a", 'SSIErrorMsg "no"', "SSITimeFormat %Y")}`],
    ["nothing of SSI", `${outer}${inFolder("/srv/a", "Options None")}`],
  ])("does not report %s", (_, text) => {
    expect(seen(text)).toEqual([]);
  });
});

describe("virtual hosts without NameVirtualHost", () => {
  const named = (address: string, ...names: readonly string[]) =>
    names.map((name) => section(`VirtualHost ${address}`, `ServerName ${name}`)).join("");

  test("virtual hosts after the first never answered", () => {
    const [finding, ...more] = seen(named("*:80", "a", "b", "c"));
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", at: "4:1-4:19" });
    expect(finding?.message).toBe("2.4 selects the virtual host `b`, which 2.2 never does (here and in 1 more line)");
    expect(finding?.notes).toContain("2.4 selects by name, so requests for `b` now return this site");
    expect(finding?.related[0]).toBe("httpd.conf:1:1: 2.2 selects this one");
    expect(seen(named("_default_:80", "a") + named("*:80", "b"))).toHaveLength(1);
    expect(seen(`NameVirtualHost *:443\n${named("*:80", "a", "b")}`)).toHaveLength(1);
  });

  test.each([
    ["NameVirtualHost", `NameVirtualHost *:80\n${named("*:80", "a", "b")}`],
    ["one for each port", `NameVirtualHost *\n${named("*:80", "a", "b")}`],
    ["an address each", named("10.0.0.1:80", "a") + named("10.0.0.2:80", "b")],
    ["a port each", named("*:80", "a") + named("*:81", "b")],
    ["an IPv6 address each", named("[::1]:80", "a") + named("[::2]:80", "b")],
    ["NameVirtualHost for 2.2", `<IfVersion < 2.4>\nNameVirtualHost *:80\n</IfVersion>\n${named("*:80", "a", "b")}`],
    ["one name", named("*:80", "a", "A")],
  ])("does not report %s", (_, text) => {
    expect(seen(text)).toEqual([]);
  });
});

test("does not report without --from, or where 2.2 continues, or what depends on other files of a fragment", () => {
  expect(findingsOf([changedBehaviour], "ErrorLog |tee\n")).toEqual([]);
  expect(seen("ErrorLog |tee\n", { release: "2.2" })).toEqual([]);
  expect(seen("SSLCARevocationFile /crl\nSubstitute s/a/b/\n", { kind: "fragment" })).toEqual([]);
  expect(seen("Options Includes\nXBitHack on\n", { kind: "htaccess" })).toEqual([]);
});
