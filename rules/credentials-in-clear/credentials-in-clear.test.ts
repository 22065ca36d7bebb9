import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { credentialsInClear } from "./credentials-in-clear.js";

const login = ["AuthType Basic", 'AuthName "Members"', "AuthUserFile /etc/httpd/users", "Require valid-user"];
const members = section('Directory "/srv"', ...login);
const seen = (...lines: readonly string[]) => findingsOf([credentialsInClear], onServer(`${lines.join("\n")}\n`));

test("Basic authentication without TLS", () => {
  expect(seen(members)).toEqual([
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

const https = ["SSLEngine On", "SSLCertificateFile /c", "SSLCertificateKeyFile /k"];
const tooLate = section('Directory "/srv"', ...login, "RewriteEngine On", 'RewriteRule "(.*)" "https://a.test/$1" [R]');

test.each([
  ["a redirect that comes after the password", [tooLate]],
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
    "the same folder with TLS and without",
    [
      ["Listen 80", "Listen 443"].join("\n"),
      section("VirtualHost *:80", 'DocumentRoot "/srv"'),
      section("VirtualHost *:443", 'DocumentRoot "/srv"', ...https),
      members,
    ],
  ],
])("%s", (_, lines) => {
  expect(seen(...lines)).toHaveLength(1);
});

test("several sections of a server have one cause", () => {
  const second = section('Directory "/srv/b"', ...login);
  expect(seen(members, second).map(({ at, related }) => [at, related])).toEqual([
    ["3:1-3:15", ["httpd.conf:10:1: asks for a password on the same server"]],
  ]);
});

test.each([
  ["a redirect of the server", ['Redirect "/" "https://a.test/"', members]],
  [
    "a rule of the server",
    ["RewriteEngine On", "RewriteCond %{HTTPS} !on", 'RewriteRule "^/(.*)" "https://a.test/$1" [R]', members],
  ],
  ["TLS required", [section('Directory "/srv"', "SSLRequireSSL", ...login)]],
  ["a virtual host with TLS", ["Listen 443", section("VirtualHost *:443", 'DocumentRoot "/srv"', ...https, members)]],
  ["port 443", ["Listen 443", section("VirtualHost *:443", 'DocumentRoot "/srv"', members)]],
  ["a proxy in front", ["RemoteIPHeader X-Forwarded-For", members]],
  ["a header of a proxy with TLS", ['SetEnvIf X-Forwarded-Proto "https" HTTPS=on', members]],
  ["another type", [section('Directory "/srv"', "AuthType Digest", ...login.slice(1))]],
  ["no user required", [section('Directory "/srv"', ...login.slice(0, 3))]],
  ["an address as an alternative", [section('Directory "/srv"', ...login, "Require ip 203.0.113.0/24")]],
  ["a server on the loopback address", ["Listen 127.0.0.1:80", members]],
])("twin: %s", (_, lines) => {
  expect(seen(...lines)).toEqual([]);
});
