import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, type Given, section } from "../../test/support/rules.js";
import { changedBehaviour } from "./changed-behaviour.js";

const upgrade: Given = { from: "2.2" };
const check = (text: string, given: Given = {}) => findingsOf([changedBehaviour], text, { ...upgrade, ...given });
const host = (...lines: readonly string[]) => section('VirtualHost "*:443"', ...lines);
const inDirectory = (path: string, ...lines: readonly string[]) => section(`Directory "${path}"`, ...lines);

const fixed = (text: string) => fixFirst(changedBehaviour, text, upgrade);

describe("spaces in the query string of a rule", () => {
  test.each([
    ["RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]", "`$1`"],
    ["RewriteRule ^(.+)$ index.php?$1", "`$1`"],
    ["RewriteRule ^/[a-z]+/([^/]+)$ /i.php?q=$1 [B=/]", "`$1`"],
    ["RewriteRule ^/(\\d+)/(([^/]+)/)? /i.php?a=$1&b=$2 [L]", "`$2`"],
    ["RewriteRule ^/(?:x|y)\\((.*) /i.php?b=$1 [L]", "`$1`"],
    ["RewriteRule . /i.php?q=$0 [NC]", "`$0`"],
    ["RewriteRule ^(?!admin)([\\w\\s]+)$ /i.php?q=$1", "`$1`"],
    ['RewriteRule "^([a-z ]+)$" /i.php?q=$1', "`$1`"],
    ["RewriteRule ^([\\w\\ ]+)$ /i.php?q=$1", "`$1`"],
    ["RewriteRule ^(a\\Wb|c)$ /i.php?q=$1", "`$1`"],
    ["RewriteRule ^/(.*) /i.php?q=$1 [R,NE]", "`$1`"],
    ["RewriteRule ^/(.*) http://backend/?q=$1 [P]", "`$1`"],
    ["RewriteRule ^/(.*) /i.php?q=$1 [UnsafeAllow3F,BNP]", "`$1`"],
    ['RewriteRule ^/(.*) /i.php?q=$1 "[B,BNE= /]"', "`$1`"],
    ["RewriteRule ^ /i.php?u=%{REQUEST_URI} [B]", "`%{REQUEST_URI}`"],
    ["RewriteCond %{REQUEST_URI} ^/(.*)\nRewriteCond %{HTTPS} !on\nRewriteRule ^ /i.php?u=%1", "`%1`"],
    ["RewriteCond $1 ^(.*)$\nRewriteRule ^/(.*) /i.php?u=%1", "`%1`"],
  ])("reports %j", (text, what) => {
    const [finding, ...more] = check(`${text}\n`);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: text.split("\n").at(-1) });
    expect(finding?.message).toBe(`a blank from ${what} in the query string returns 403 in 2.4`);
    expect(finding?.notes?.[0]).toBe("since 2.4.56, httpd rejects blanks and control characters there (AH10410)");
  });

  test.each([
    "RewriteRule ^/(.*) /i.php?q=$1 [B,L]",
    "RewriteRule ^/(.*) /i.php?q=$1 [L,BCTLS]",
    'RewriteRule ^/(.*) /i.php?q=$1 "[B= ?,L]"',
    "RewriteRule ^/(.*) /i.php?q=$1 [backrefescaping,BNP]",
    "RewriteRule ^/(.*) /i.php/$1 [QSA]",
    "RewriteRule ^/(.*) /i.php/$1?q=1 [L]",
    "RewriteRule ^/([0-9]+)-([a-z_-]*)/(.*) /i.php/$3?q=$1&r=$2",
    "RewriteRule ^/([^\\s]+)$ /i.php?q=$1",
    "RewriteRule ^/([^\\\\ /]+)$ /i.php?q=$1",
    "RewriteRule ^/(.*) /i.php?q=$1 [R=301,L]",
    "RewriteRule ^/(.*) http://other.test/?q=$1",
    "RewriteRule ^/(.*) /i.php?q=${esc:$1}",
    "RewriteRule ^/(.*) /i.php?q=\\$1",
    "RewriteRule !^/(.*) /i.php?q=$1",
    "RewriteRule ^/(.*) /i.php?q=$1 [F]",
    "RewriteRule ^/ /i.php?u=%{QUERY_STRING}",
    "RewriteCond %{QUERY_STRING} ^x=(.*)$\nRewriteRule ^/ /i.php?u=%1",
    "RewriteCond %{REQUEST_URI} ^/(\\d+)$\nRewriteRule ^/ /i.php?u=%1",
    "RewriteCond %{REQUEST_URI} ^/(.*)$\nRewriteRule ^/ /i.php?u=%1 [B]",
    "RewriteCond %{REQUEST_URI} ^/(.*)$\nRewriteRule ^/a -\nRewriteRule ^/ /i.php?u=%1",
    "RewriteRule ^/([[:alnum:]]+|[^[:space:]\\]]x) /i.php?q=$1",
    "RewriteRule ^/(\\S+\\.html) /i.php?q=$1",
    "RewriteRule ^/(?<n>.*) /i.php?q=$1",
  ])("does not report %j", (text) => {
    expect(check(`${text}\n`)).toEqual([]);
  });

  test("reports another error code in directories and `.htaccess` files", () => {
    const rule = "RewriteRule ^(.*)$ index.php?q=$1";
    expect(`${check(inDirectory("/a", rule))[0]?.notes}`).toContain("AH10411");
    expect(`${check(`${rule}\n`, { kind: "htaccess" })[0]?.notes}`).toContain("AH10411");
    expect(`${check(host(rule))[0]?.notes}`).toContain("AH10410");
  });

  test.each([
    ["RewriteRule ^(.*)$ i.php?q=$1 [L,QSA]\n", "RewriteRule ^(.*)$ i.php?q=$1 [BCTLS,L,QSA]\n"],
    ['RewriteRule ^(.*)$ i.php?q=$1 "[L, QSA]"\r\n', 'RewriteRule ^(.*)$ i.php?q=$1 "[BCTLS,L, QSA]"\r\n'],
    ['RewriteRule "^(.*)$" "i.php?q=$1"\n', 'RewriteRule "^(.*)$" "i.php?q=$1" [BCTLS]\n'],
    ["RewriteRule ^([a-z]+)/(.*) $1.php?q=$2\n", "RewriteRule ^([a-z]+)/(.*) $1.php?q=$2 [BCTLS]\n"],
  ])("fixes %j", (text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(check(expected)).toEqual([]);
  });

  test("suggests an escaping map if a flag would damage the result", () => {
    const path = "RewriteRule ^/(.*)/(.*) /$1/i.php?q=$2\n";
    expect(check(path)[0]?.help).toEqual(["add `RewriteMap esc int:escape` to the server, and use `${esc:$2}` here"]);
    expect(fixed(path)).toBeUndefined();
    const byVariable = "RewriteRule ^/a /i.php?q=%{REQUEST_URI} [B]\n";
    expect(`${check(byVariable)[0]?.help}`).toContain("use `${esc:%{REQUEST_URI}}` here");
    // The flag would also escape a hyphen of the path as `%2d`.
    expect(check("RewriteRule ^/([a-z-]+)/(.*) /$1?q=$2\n")[0]?.help).toHaveLength(1);
    expect(check("RewriteRule ^/([a-z-]+)/(.*) /i?q=$2\n")[0]?.help).toContain(
      "to escape all special characters, add the flag `B`",
    );
  });
});

describe("headers that do not become variables", () => {
  const name = "RequestHeader set X_User alice";
  const all = 'ProxyPass "/" "http://backend/"';

  test.each([
    ["in a host", host(name)],
    ["in a directory", inDirectory("/a", name)],
    ["for paths that are not proxied", `${name}\nProxyPass /app http://backend/\n`],
    ["for a FastCGI server", `${name}\nProxyPass / fcgi://backend/\n`],
    ["in one host if another is proxied", host(name) + host(all)],
    ["of all hosts if one of them is proxied", `${name}\n${host(all)}${host("Timeout 5")}`],
    ["in a directory beside a proxied one", host(inDirectory("/a", name), inDirectory("/b", all))],
    ["with a rule that does not proxy", `${name}\nRewriteRule ^/(.*) http://b/$1 [R,L]\n`],
  ])("reports a header %s", (_, text) => {
    const [finding, ...more] = check(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({ severity: "warning", text: name });
    expect(finding?.message).toBe("2.4 does not set an environment variable for the header `X_User`");
    expect(finding?.notes).toEqual(
      expect.arrayContaining([
        "scripts and SSI pages no longer receive `X_User` as `HTTP_X_USER`",
        "a client that sends `X-User` sets this variable",
      ]),
    );
    expect(finding?.help).toEqual(["rename the header to `X-User`"]);
  });

  test.each(["setifempty", "add", "append", "merge"])("reports the action %s", (action) => {
    expect(check(`RequestHeader ${action} X.Y: v\n`)[0]?.notes).toContain("2.4 skips headers with `.` in the name");
  });

  test("reports the action edit", () => {
    expect(check("RequestHeader edit* X_Y a b\n")).toHaveLength(1);
  });

  test.each([
    ["a name with a hyphen", "RequestHeader set X-User alice\n"],
    ["both spellings of a name", `${name}\nRequestHeader set x-user alice\n`],
    ["both spellings, one of which is removed from requests", `${name}\nRequestHeader unset X-User\n`],
    ["a header that is removed", "RequestHeader unset X_User\n"],
    ["a response header", "Header set X_User alice\n"],
    ["a header for a backend", `${name}\n${all}\n`],
    ["a header for a backend of a RewriteRule", host(name, 'RewriteRule ^/(.*)$ ajp://b/$1 "[L, proxy]"')],
    ["a header for a backend of a section", host(name, section("Location /", "ProxyPass balancer://b/"))],
    ["a header of a section that is proxied", section("Location /app", name, "ProxyPass http://b/")],
    ["a header in a Proxy section", section("Proxy http://b/", name)],
    ["a header of all hosts if all of them are proxied", `${name}\n${host(all)}${host(all)}`],
    ["a header of one host with a backend of the server", `${host(name)}${all}\n`],
  ])("does not report %s", (_, text) => {
    expect(check(text)).toEqual([]);
  });

  test.each([
    [`${name}\n`, "RequestHeader set X-User alice\n"],
    ['RequestHeader set "X_User" alice early\r\n', 'RequestHeader set "X-User" alice early\r\n'],
  ])("fixes %j", (text, expected) => {
    expect(fixed(text)).toBe(expected);
    expect(check(expected)).toEqual([]);
  });

  test("does not offer a fix if another line uses the name", () => {
    const text = `${name}\nRewriteCond %{HTTP:X_User} !alice\n`;
    expect(check(text)).toHaveLength(1);
    expect(fixed(text)).toBeUndefined();
  });

  test("reports each header once", () => {
    expect(check(`${name}\nRequestHeader append X_User b\nRequestHeader set X_Z b\n`)).toHaveLength(2);
  });
});
