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

describe("a file that a later section allows", () => {
  const denied = section('FilesMatch "^\\."', "Require all denied");
  const open = section("Location /", "Require all granted");

  test("is reported with a remedy that the section does not override", () => {
    const [finding] = check(onServer(granted, denied, open), "/srv/.env");
    expect(finding).toMatchObject({
      notes: expect.arrayContaining(["`<Location />` overrides the access rules of `<FilesMatch>`"]),
      help: ['add `RedirectMatch 404 "/\\.(?!well-known/)"`, or move the file out of the served directory'],
    });
    expect(check(onServer(granted, denied, open), "/srv/a.bak")).toMatchObject([
      { help: ['delete the file, or add `RedirectMatch 404 "~$|(?i)\\.(bak|old|orig|save|sql|key|sw[a-z])$"`'] },
    ]);
  });

  test("keeps the usual remedy with Allow, but not with Satisfy Any", () => {
    const helpFor = (...lines: readonly string[]) =>
      check(onServer(section('Directory "/srv"', ...lines)), "/srv/.env").flatMap(({ help = [] }) => help);
    expect(helpFor("Order allow,deny", "Allow from all")).toEqual([expect.stringContaining("FilesMatch")]);
    const login = ["AuthType Basic", "AuthName a", "AuthUserFile /u", "Require valid-user"];
    expect(helpFor(...login, "Satisfy any", "Order allow,deny", "Allow from all")).toEqual([
      expect.stringContaining("RedirectMatch"),
    ]);
  });

  test("is not reported with that remedy, nor without the section", () => {
    const redirect = 'RedirectMatch 404 "/\\.(?!well-known/)"\n';
    expect(check(onServer(granted, open, redirect), "/srv/.env")).toEqual([]);
    expect(check(onServer(granted, denied), "/srv/.env")).toEqual([]);
  });
});

test("the remedy for hidden files denies the file, and not `.well-known`", () => {
  const pattern = (path: string) => {
    const help = check(onServer(granted), path).flatMap((finding) => finding.help ?? []);
    return new RegExp(/<FilesMatch "(.*?)">/.exec(help.join())?.[1] ?? "no pattern");
  };
  for (const name of [".env", ".htpasswd", ".DS_Store"]) {
    expect(name).toMatch(pattern(`/srv/${name}`));
    expect(".well-known").not.toMatch(pattern(`/srv/${name}`));
    const denied = section(`FilesMatch "${pattern(`/srv/${name}`).source}"`, "Require all denied");
    expect(urlsIn(onServer(granted, denied), `/srv/${name}`)).toEqual([]);
  }
});
