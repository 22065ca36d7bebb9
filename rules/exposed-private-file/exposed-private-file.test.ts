import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import { findingsOf, lintText, onServer, section } from "../../test/support/rules.js";
import { exposedPrivateFile } from "./exposed-private-file.js";

const granted = section('Directory "/srv"', "Require all granted");
const check = (text: string, ...files: readonly string[]) =>
  findingsOf([exposedPrivateFile], text, {
    files: Object.fromEntries(["/srv/index.html", ...files].map((path) => [path, "x"])),
  });
const urlsIn = (text: string, ...files: readonly string[]) =>
  check(text, ...files).map(({ message }) => message.replace(" is served to every client", ""));

test("reports a repository in the document root", () => {
  expect(check(onServer(granted), "/srv/.git/config", "/srv/.git/HEAD")).toEqual([
    {
      rule: "exposed-private-file",
      severity: "error",
      at: "1:1-1:20",
      text: 'DocumentRoot "/srv"',
      message: "`/.git/config` is served to every client",
      notes: [
        "the file is part of a Git repository",
        "1 more of these files in the directory are served",
        "GET `/.git/config` from 203.0.113.9 returns 200",
      ],
      help: ['add `RedirectMatch 404 "/\\.(git|hg|svn)(/|$)"`, or move the directory out of the served one'],
      related: [],
    },
  ]);
});

test("offers a fix for a repository", () => {
  const given = { files: { "/srv/.git/config": "x", "/srv/.env": "x" }, modules: ["mod_alias", "mod_authz_core"] };
  const text = onServer(granted);
  const findings = lintText([exposedPrivateFile], text, given);
  const [fix, ...others] = findings.flatMap((finding) => finding.fix ?? []);
  expect(others).toEqual([]);
  expect(fix?.safety).toBe("unsafe");
  const fixed = applyEdits(text, fix?.edits ?? []);
  expect(fixed).toBe(`DocumentRoot "/srv"\nRedirectMatch 404 "/\\.(git|hg|svn)(/|$)"\n${granted}`);
  expect(findingsOf([exposedPrivateFile], fixed, given)).toHaveLength(1);
});

describe("reports served files", () => {
  test.each([
    [".env"],
    ["app/.env.production"],
    [".htpasswd"],
    [".DS_Store"],
    ["index.php~"],
    [".index.php.swp"],
    ["backup.SQL"],
    ["tls/server.key"],
    ["wp-config.php.1"],
    ["a.BAK"],
    [".svn/wc.db"],
    ["a b.old"],
  ])("%s", (file) => {
    expect(urlsIn(onServer(granted), `/srv/${file}`)).toEqual([`\`/${file.replace(" ", "%20")}\``]);
  });

  test("once for each directory and kind", () => {
    const files = ["/srv/a.bak", "/srv/b.bak", "/srv/a.sql", "/srv/a/a.bak"];
    expect(urlsIn(onServer(granted), ...files)).toEqual(["`/a.bak`", "`/a.sql`", "`/a/a.bak`"]);
  });

  test("below an Alias", () => {
    const text = `${onServer(granted)}Alias "/files" "/data"\n${section('Directory "/data"', "Require all granted")}`;
    expect(check(text, "/data/.env").map(({ message, at }) => [message, at])).toEqual([
      ["`/files/.env` is served to every client", "5:1-5:23"],
    ]);
  });

  test("in the virtual host that has the document root", () => {
    const host = section("VirtualHost *:80", "ServerName a.test", onServer(granted).trimEnd());
    expect(check(`Listen 80\n${host}`, "/srv/.env").map(({ notes }) => notes?.at(-1))).toEqual([
      "GET `http://a.test/.env` from 203.0.113.9 returns 200",
    ]);
  });
});

describe("does not report", () => {
  test.each([
    ["a file for certificates", onServer(granted), "/srv/.well-known/x"],
    ["an example", onServer(granted), "/srv/.env.example"],
    ["an example of a distribution", onServer(granted), "/srv/.env.dist"],
    ["documentation", onServer(granted), "/srv/httpd.conf"],
    ["a denied root", onServer(section('Directory "/srv"', "Require all denied")), "/srv/.env"],
    ["a denied name", onServer(granted, section('FilesMatch "^\\."', "Require all denied")), "/srv/.env"],
    [
      "a directory with a password",
      onServer(section('Directory "/srv"', "AuthType Basic", "AuthName x", "AuthUserFile /u", "Require valid-user")),
      "/srv/.env",
    ],
    ["a path that is redirected", onServer(granted, 'RedirectMatch 404 "/\\.git(/|$)"\n'), "/srv/.git/config"],
    ["a path with a handler", onServer(granted, "SetHandler server-info\n"), "/srv/.env"],
    ["a proxied path", onServer(granted, 'ProxyPass "/" "http://b.test/"\n'), "/srv/.env"],
    ["a server on the loopback address", `Listen 127.0.0.1:80\n${onServer(granted)}`, "/srv/.env"],
    ["a server with an unknown module", onServer(granted, "SecRuleEngine On\n"), "/srv/.env"],
  ])("%s", (_, text, file) => {
    expect(urlsIn(text, file)).toEqual([]);
  });

  test("a document root of another machine", () => {
    expect(findingsOf([exposedPrivateFile], onServer(granted))).toEqual([]);
  });

  test("a directory with the name of a file", () => {
    expect(urlsIn(onServer(granted), "/srv/.env/x")).toEqual([]);
  });
});

test("reports a file although an Alias names a directory that does not exist", () => {
  const text = onServer(section('Directory "/srv"', "Require all granted"));
  for (const missing of ["/srv/none", "/opt/none"])
    expect(check(`Alias /none ${missing}\n${text}`, "/srv/tls/server.key")).toHaveLength(1);
  // Without the document root, the files are those of another machine.
  expect(check(`Alias /a /srv/a\n${text.replaceAll('"/srv"', '"/srv/none"')}`, "/srv/a/x")).toEqual([]);
});
