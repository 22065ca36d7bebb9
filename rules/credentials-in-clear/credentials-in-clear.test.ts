import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { credentialsInClear } from "./credentials-in-clear.js";

const login = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/httpd/users", "Require valid-user"];
const members = section('Directory "/srv"', ...login);
const check = (...lines: readonly string[]) => findingsOf([credentialsInClear], onServer(`${lines.join("\n")}\n`));

test("reports Basic authentication without TLS", () => {
  expect(check(members)).toEqual([
    {
      rule: "credentials-in-clear",
      severity: "warning",
      at: "3:1-3:15",
      text: "AuthType Basic",
      message: "`AuthType Basic` asks for a password over unencrypted HTTP",
      notes: [
        "GET `/index.html` from 203.0.113.9 returns 401",
        "the client sends the password in each request, without encryption",
      ],
      help: [
        "redirect to HTTPS in the `<VirtualHost>`, outside of `<Directory>` and `.htaccess` files",
        "if a proxy in front of this server terminates TLS, ignore this finding",
      ],
      related: [],
    },
  ]);
});

test.each(["Require ip 203.0.113.0/24", "Require ip 198.51.100.0/24", "Require ip 10.0.0.0/8"])(
  "reports a login that clients of other addresses than `%s` need",
  (line) => {
    expect(check(section('Directory "/srv"', ...login, line))).toHaveLength(1);
  },
);

const https = ["SSLEngine On", "SSLCertificateFile /c", "SSLCertificateKeyFile /k"];
const lateRedirect = section(
  'Directory "/srv"',
  ...login,
  "RewriteEngine On",
  'RewriteRule "(.*)" "https://a.test/$1" [R]',
);

test.each([
  ["a redirect that comes after the password", [lateRedirect]],
  ["a virtual host", [section("VirtualHost *:80", "ServerName a.test", 'DocumentRoot "/srv"'), members]],
  [
    "a proxy in front of another virtual host",
    [
      section("VirtualHost *:80", 'DocumentRoot "/srv"'),
      section("VirtualHost *:81", "RemoteIPHeader X-Forwarded-For"),
      members,
    ],
  ],
  [
    "the same directory with TLS and without",
    [
      ["Listen 80", "Listen 443"].join("\n"),
      section("VirtualHost *:80", 'DocumentRoot "/srv"'),
      section("VirtualHost *:443", 'DocumentRoot "/srv"', ...https),
      members,
    ],
  ],
])("reports %s", (_, lines) => {
  expect(check(...lines)).toHaveLength(1);
});

test("reports several sections of a server once", () => {
  const second = section('Directory "/srv/b"', ...login);
  expect(check(members, second).map(({ at, related }) => [at, related])).toEqual([
    ["3:1-3:15", ["httpd.conf:10:1: asks for a password on the same server"]],
  ]);
});

test.each([
  ["a redirect of the server", ['Redirect "/" "https://a.test/"', members]],
  [
    "a RewriteRule of the server",
    ["RewriteEngine On", "RewriteCond %{HTTPS} !on", 'RewriteRule "^/(.*)" "https://a.test/$1" [R]', members],
  ],
  ["required TLS", [section('Directory "/srv"', "SSLRequireSSL", ...login)]],
  ["a virtual host with TLS", ["Listen 443", section("VirtualHost *:443", 'DocumentRoot "/srv"', ...https, members)]],
  ["a virtual host on port 443", ["Listen 443", section("VirtualHost *:443", 'DocumentRoot "/srv"', members)]],
  ["a proxy in front", ["RemoteIPHeader X-Forwarded-For", members]],
  ["a header of a proxy with TLS", ['SetEnvIf X-Forwarded-Proto "https" HTTPS=on', members]],
  ["another authentication type", [section('Directory "/srv"', "AuthType Digest", ...login.slice(1))]],
  ["authentication without a required user", [section('Directory "/srv"', ...login.slice(0, 3))]],
  ["access for all as an alternative", [section('Directory "/srv"', ...login, "Require all granted")]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", members]],
])("does not report %s", (_, lines) => {
  expect(check(...lines)).toEqual([]);
});

test("reports a path only if the server asks for a password there, whatever files it has", () => {
  const rules = ["RewriteEngine On", "RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f", "RewriteRule ^ /index.php"];
  const text = onServer(`${rules.join("\n")}\n`, section('Directory "/srv/members"', ...login));
  const check = (files: Readonly<Record<string, string>>) => findingsOf([credentialsInClear], text, { files });
  expect(check({})).toHaveLength(1);
  expect(check({ "/srv/index.php": "", "/srv/members/index.html": "" })).toHaveLength(1);
  // The rule answers with another page.
  expect(check({ "/srv/index.php": "", "/srv/members/a.txt": "" })).toEqual([]);
});
