import { describe, expect, test } from "vitest";
import { findingsOf, type Given, lintText, section } from "../../test/support/rules.js";
import { overrideMissing } from "../override-missing/override-missing.js";
import { changedDefault } from "./changed-default.js";

const upgrade: Given = { from: "2.2" };
const check = (text: string, given: Given = {}) => findingsOf([changedDefault], text, { ...upgrade, ...given });
const directiveOf = (message: string) => /^default of `(\w+)` changed/.exec(message)?.[1] ?? message;
const listDirectives = (text: string, given?: Given) => check(text, given).map(({ message }) => directiveOf(message));

const host = (...lines: readonly string[]) => section('VirtualHost "*:80"', ...lines);
const root = 'DocumentRoot "/srv"\n';
const tls = "SSLEngine on";
const proxy = "SSLProxyEngine on";
const status = section('Location "/s"', "SetHandler server-status");
const scripts = "ScriptAlias /cgi/ /usr/lib/cgi/\n";

describe("changed defaults", () => {
  test.each([
    ["TimeOut", "Listen 80\n", "warning", "Listen 80"],
    ["MaxConnectionsPerChild", "Listen 80\n", "info", "Listen 80"],
    ["MaxMemFree", "ServerName a\n", "info", "ServerName a"],
    ["ExtendedStatus", status, "info", "SetHandler server-status"],
    ["ExtendedStatus", host(status), "info", "SetHandler server-status"],
    ["RequestReadTimeout", "LoadModule reqtimeout_module m/mod_reqtimeout.so\n", "info", undefined],
    ["EnableSendfile", root, "info", root.trim()],
    ["FileETag", host('DocumentRoot "/srv"'), "info", root.trim()],
    ["DefaultType", root, "warning", root.trim()],
    ["Options", `${root}AddHandler cgi-script .cgi\n`, "warning", root.trim()],
    [
      "Options",
      `LoadModule autoindex_module m/mod_autoindex.so\nLoadModule dir_module m/mod_dir.so\n${root}`,
      "warning",
      root.trim(),
    ],
    ["Options", `${root}AddOutputFilter INCLUDES .shtml\nOptions -Indexes\n`, "warning", root.trim()],
    ["AllowOverride", root, "warning", root.trim()],
    ["LimitRequestBody", scripts, "info", scripts.trim()],
    ["LimitRequestBody", host(section('Location "/d"', "Dav On")), "info", "Dav On"],
    ["LimitRequestBody", "AddType application/x-httpd-php .php\n", "info", "AddType application/x-httpd-php .php"],
    ["CacheDirLevels", "CacheRoot /c\n", "info", "CacheRoot /c"],
    ["SSLProtocol", host(tls), "info", tls],
    ["SSLProxyProtocol", proxy, "info", proxy],
    ["SSLProxyCheckPeerName", host(proxy), "warning", proxy],
    ["SSLProxyCheckPeerExpire", proxy, "warning", proxy],
  ])("reports %s for %j", (name, text, severity, underlined) => {
    const findings = check(text).filter(({ message }) => directiveOf(message) === name);
    expect(findings.map((each) => each.severity)).toEqual([severity]);
    expect(findings[0]?.message).toMatch(/^default of `\w+` changed from .* to .*$/);
    expect(findings[0]?.message.length).toBeLessThanOrEqual(90);
    expect(findings[0]?.notes?.[0]).toMatch(/^`\w+` is not set /);
    expect(findings[0]?.notes?.length).toBeGreaterThan(1);
    expect(findings[0]?.help).not.toEqual([]);
    if (underlined) expect(findings[0]?.text).toBe(underlined);
  });

  test.each([
    ["TimeOut", "Listen 80\nTimeOut 30\n"],
    ["MaxConnectionsPerChild", "Listen 80\nMaxRequestsPerChild 500\n"],
    ["MaxConnectionsPerChild", "Listen 80\nMaxConnectionsPerChild 0\n"],
    ["MaxMemFree", "MaxMemFree 512\n"],
    ["ExtendedStatus", `ExtendedStatus On\n${status}`],
    ["ExtendedStatus", section('Location "/s"', "SetHandler server-info")],
    ["ExtendedStatus", `LoadModule dir_module m/mod_dir.so\n${status}`],
    ["RequestReadTimeout", "LoadModule reqtimeout_module m/x.so\nRequestReadTimeout header=5\n"],
    ["RequestReadTimeout", "Listen 80\n"],
    ["EnableSendfile", `${root}EnableSendfile Off\n`],
    ["EnableSendfile", "ServerName a\n"],
    ["FileETag", host('DocumentRoot "/srv"', section('Directory "/srv"', "FileETag None"))],
    ["FileETag", `FileETag All\n${host('DocumentRoot "/srv"')}`],
    ["DefaultType", `${root}DefaultType none\n`],
    ["DefaultType", `${root}${section('Directory "/"', "ForceType text/html")}`],
    ["Options", `${root}AddHandler cgi-script .cgi\n${section('Directory "/srv"', "Options None")}`],
    ["Options", `${root}AddHandler cgi-script .cgi\n${section('DirectoryMatch "^/s"', "Options All")}`],
    ["Options", `LoadModule dir_module m/mod_dir.so\n${root}AddType text/plain .x\n`],
    ["AllowOverride", `${root}${section('Directory "/"', "AllowOverride None")}`],
    ["AllowOverride", `${root}${section('Directory "/sr*"', "AllowOverride None")}`],
    ["LimitRequestBody", `${scripts}${section('Directory "/x"', "LimitRequestBody 5000")}`],
    ["LimitRequestBody", section('Location "/d"', "Dav Off")],
    ["LimitRequestBody", "AddType text/html .php\n"],
    ["LimitRequestBody", section('Location "/d"', "SetHandler server-status")],
    ["CacheDirLevels", "CacheRoot /c\nCacheDirLevels 3\n"],
    ["SSLProtocol", `SSLProtocol -all +TLSv1.2\n${host(tls)}`],
    ["SSLProtocol", host("SSLEngine off")],
    ["SSLProtocol", host("SSLEngine optional")],
    ["SSLProxyProtocol", host(proxy, "SSLProxyProtocol +TLSv1")],
    ["SSLProxyCheckPeerName", host(proxy, "SSLProxyCheckPeerCN off")],
    ["SSLProxyCheckPeerExpire", `${proxy}\nSSLProxyCheckPeerExpire on\n`],
  ])("does not report %s for %j", (name, text) => {
    expect(listDirectives(text)).not.toContain(name);
  });
});

describe("the marked line of a directive that is not set", () => {
  const prefork = (line: string) =>
    `<IfModule mpm_prefork_module>\n${line}\n</IfModule>\nLoadModule mpm_prefork_module m/mod_mpm_prefork.so\n`;
  const first = "ServerAdmin a\nListen 80\n";
  const loaded = "LoadModule mpm_prefork_module m/mod_mpm_prefork.so\n";

  test.each([
    ["TimeOut", `${first}KeepAlive On\nKeepAliveTimeout 5\n`, "KeepAliveTimeout 5"],
    ["TimeOut", `${first}KeepAlive On\n${host("KeepAliveTimeout 5")}`, "KeepAlive On"],
    ["TimeOut", `${first}<IfDefine !X>\nKeepAlive On\n</IfDefine>\n`, "ServerAdmin a"],
    ["TimeOut", `<IfDefine !X>\nServerName a\n</IfDefine>\n${first}`, "ServerAdmin a"],
    ["TimeOut", "<IfDefine !X>\nServerName a\n</IfDefine>\n", "ServerName a"],
    ["TimeOut", `${host("ServerName b")}Listen 80\n`, "Listen 80"],
    ["MaxMemFree", `${first}MaxRequestWorkers 50\n`, "MaxRequestWorkers 50"],
    ["MaxMemFree", `${first}${loaded}${prefork("MaxClients 50")}`, "MaxClients 50"],
    ["MaxMemFree", `${first}${prefork("MaxClients 50")}`, "ServerAdmin a"],
    ["MaxMemFree", `${first}StartServers 5\nMaxRequestsPerChild 100\n`, "MaxRequestsPerChild 100"],
    ["MaxConnectionsPerChild", `${first}StartServers 5\nMaxClients 100\n`, "MaxClients 100"],
  ])("%s in %j", (name, text, underlined) => {
    expect(check(text).find(({ message }) => directiveOf(message) === name)?.text).toBe(underlined);
  });

  test("process limits are findings about the server, not about a line", () => {
    const findings = lintText([changedDefault], "Listen 80\nDocumentRoot /srv\n", { from: "2.2" });
    const serverFindings = findings
      .filter(({ isAboutServer }) => isAboutServer)
      .map(({ message }) => directiveOf(message));
    expect(serverFindings).toEqual(["MaxConnectionsPerChild", "MaxMemFree", "TimeOut"]);
  });

  test("a line of the main file, not of an earlier file", () => {
    const given: Given = { files: { "/etc/httpd/a.conf": "ServerName a\n" } };
    expect(check("Include a.conf\nListen 80\n", given)[0]).toMatchObject({ text: "Listen 80" });
    expect(check("Include a.conf\n", given)[0]).toMatchObject({ text: "ServerName a" });
  });
});

describe("TimeOut with ProxyTimeout", () => {
  const pass = "ProxyPass / http://b/";
  const own = "ProxyTimeout 300";
  const checkTimeOut = (text: string) => check(text).filter(({ message }) => directiveOf(message) === "TimeOut");

  test.each([
    ["for all hosts", `${own}\n${host(pass)}`],
    ["without any backend", `${own}\n`],
    ["in each host that has backends", host(own, pass) + host("ServerName a")],
  ])("does not mention backends if ProxyTimeout is set %s", (_, text) => {
    const [finding, ...more] = checkTimeOut(text.startsWith("<") ? `Listen 80\n${text}` : text);
    expect(more).toEqual([]);
    expect(finding?.notes).toContain("a script that is silent for more than a minute returns 504");
    expect(finding?.notes).toContain("ProxyTimeout affects only backends");
  });

  test.each([
    ["nowhere", host(pass)],
    ["in one of two hosts", host(own, pass) + host(pass)],
    ["in a host without backends", host(own) + host("RewriteRule ^/(.*) http://b/$1 [L,P]")],
    ["in one host, with a forward proxy", `ProxyRequests On\n${host(own, pass)}`],
  ])("names the effect on backends if ProxyTimeout is set %s", (_, text) => {
    const [finding, ...more] = checkTimeOut(`Listen 80\n${text}`);
    expect(more).toEqual([]);
    expect(finding?.notes?.[1]).toMatch(/^a script or backend that is silent/);
  });

  test("does not report a TimeOut that is set, or mistake redirects for backends", () => {
    expect(checkTimeOut(`Listen 80\nTimeOut 60\n${host(pass)}`)).toEqual([]);
    const redirected = checkTimeOut(`Listen 80\n${host(own, pass)}${host("RewriteRule ^/(.*) http://b/$1 [L,R]")}`);
    expect(redirected[0]?.notes).toContain("ProxyTimeout affects only backends");
  });
});

describe("the scope of a setting", () => {
  test("does not include other hosts or directories", () => {
    expect(listDirectives(`${host(tls, "SSLProtocol all")}${host(tls)}`)).toContain("SSLProtocol");
    expect(listDirectives(`${root}${section('Directory "/srv/a"', "FileETag None")}`)).toContain("FileETag");
    expect(listDirectives(`${root}${section('Files "a"', "FileETag None")}`)).toContain("FileETag");
    expect(listDirectives(`TimeOut 30\n${host("ServerName b")}`)).not.toContain("TimeOut");
    expect(listDirectives(`Listen 80\n${host("TimeOut 30")}`)).toContain("TimeOut");
  });

  test("resolves a relative DocumentRoot against the ServerRoot", () => {
    const configureFor = (directory: string) =>
      `ServerRoot /etc/httpd\nDocumentRoot htdocs\n${section(`Directory "${directory}"`, "FileETag None")}`;
    expect(listDirectives(configureFor("/etc/httpd/htdocs"))).not.toContain("FileETag");
    expect(listDirectives(configureFor("/srv/htdocs"))).toContain("FileETag");
  });

  test("includes lines in a conditional section whose module may be loaded", () => {
    const guarded = (name: string) =>
      `Listen 80\n<IfModule ${name}>\n<IfDefine X>\nMaxClients 5\n</IfDefine>\nMaxRequestsPerChild 9\n</IfModule>\n`;
    expect(listDirectives(guarded("worker.c"))).not.toContain("MaxConnectionsPerChild");
    expect(listDirectives(`${guarded("worker.c")}LoadModule x_module m/x.so\n`)).toContain("TimeOut");
    expect(listDirectives("Listen 80\n<IfModule worker.c>\n</IfModule>\n# MaxRequestsPerChild 9\n")).toContain(
      "MaxConnectionsPerChild",
    );
  });

  test("reports hosts that depend on the same default once", () => {
    const findings = check(`${host(tls)}${host(tls)}${host(tls)}`).filter(({ message }) =>
      message.includes("SSLProtocol"),
    );
    expect(findings).toHaveLength(1);
    expect(findings[0]?.notes?.at(-1)).toBe("the same applies to 2 more lines");
    expect(findings[0]?.related).toEqual([
      "httpd.conf:5:1: also depends on the default",
      "httpd.conf:8:1: also depends on the default",
    ]);
  });

  test("leaves AllowOverride to override-missing if a `.htaccess` file exists", () => {
    const given: Given = { ...upgrade, files: { "/srv/.htaccess": "Options None\n" } };
    const findings = findingsOf([changedDefault, overrideMissing], root, given).filter(({ message }) =>
      message.includes("AllowOverride"),
    );
    expect(findings.map(({ rule }) => rule)).toEqual(["override-missing"]);
  });
});

describe("the fix", () => {
  const fixed = (name: string, text: string) => {
    const fix = lintText([changedDefault], text, upgrade).find(({ message }) => directiveOf(message) === name)?.fix;
    const [edit, ...more] = fix?.edits ?? [];
    expect(more).toEqual([]);
    if (edit === undefined) return undefined;
    expect(fix?.safety).toBe("unsafe");
    return text.slice(0, edit.span.start) + edit.text + text.slice(edit.span.end);
  };

  test.each([
    ["TimeOut", "Listen 80\nListen 81", "Listen 80\nTimeOut 300\nListen 81"],
    ["TimeOut", "Listen 80", "Listen 80\nTimeOut 300"],
    ["TimeOut", "Listen 80\r\nServerName a\r\n", "Listen 80\r\nTimeOut 300\r\nServerName a\r\n"],
    ["CacheDirLevels", "  CacheRoot \\\n /c\n", "  CacheRoot \\\n /c\n  CacheDirLevels 3\n"],
    ["TimeOut", "Listen 80\n  KeepAlive On\r\n", "Listen 80\n  KeepAlive On\r\n  TimeOut 300\r\n"],
    ["MaxConnectionsPerChild", "Listen 80\nMaxClients 9\n", "Listen 80\nMaxClients 9\nMaxConnectionsPerChild 10000\n"],
    ["ExtendedStatus", `ServerName a\n${host(status)}`, `ServerName a\nExtendedStatus Off\n${host(status)}`],
    ["AllowOverride", root, `${root}<Directory "/srv">\n    AllowOverride All\n</Directory>\n`],
  ])("sets %s for %j", (name, text, expected) => {
    const after = fixed(name, text);
    expect(after).toBe(expected);
    expect(listDirectives(after ?? "")).not.toContain(name);
  });

  test.each([
    ["FileETag", root],
    ["SSLProxyCheckPeerName", proxy],
    ["SSLProtocol", tls],
  ])("is not offered for %s, whose new default is better", (name, text) => {
    expect(listDirectives(text)).toContain(name);
    expect(fixed(name, text)).toBeUndefined();
  });
});

test("does not report without --from, in a fragment or a `.htaccess` file, or for 2.2", () => {
  expect(findingsOf([changedDefault], "Listen 80\n")).toEqual([]);
  expect(check("Listen 80\n", { kind: "fragment" })).toEqual([]);
  expect(check("Options None\n", { kind: "htaccess" })).toEqual([]);
  expect(check("Listen 80\n", { release: "2.2" })).toEqual([]);
});
