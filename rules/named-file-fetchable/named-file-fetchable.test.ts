import { expect, test } from "vitest";
import { findingsOf, onServer, section } from "../../test/support/rules.js";
import { namedFileFetchable } from "./named-file-fetchable.js";

const granted = section('Directory "/srv"', "Require all granted");
const closed = section('Directory "/"', "Require all denied");
const check = (text: string) => findingsOf([namedFileFetchable], text);
const users = 'AuthUserFile "/srv/users.pwd"';

test("reports a password file in the document root", () => {
  expect(check(onServer(granted, section("Location /admin", users)))).toEqual([
    {
      rule: "named-file-fetchable",
      severity: "error",
      at: "6:1-6:30",
      text: users,
      message: `every client can read the file of \`${users}\``,
      notes: ["the file contains the password hashes of users", "GET `/users.pwd` from 203.0.113.9 returns 200"],
      help: ["move the file out of the served directories, or deny it with `<Files>`"],
      related: [],
    },
  ]);
});

test.each([
  ["a log", 'CustomLog "/srv/logs/access.log" combined\n'],
  ["an error log", "ErrorLog /srv/error.log\n"],
  ["a key", "SSLCertificateKeyFile /srv/tls/server.key\n"],
  ["a map", "RewriteMap users txt:/srv/users.txt\n"],
  [
    "a file below an Alias",
    `Alias "/data" "/data"\n${section('Directory "/data"', "Require all granted")}ErrorLog /data/e\n`,
  ],
])("reports %s", (_, lines) => {
  expect(check(onServer(granted, lines))).toHaveLength(1);
});

test.each([
  ["a file outside of the document root", 'ErrorLog "/var/log/error.log"\n'],
  ["a directory whose name has the same beginning", 'ErrorLog "/srv-logs/error.log"\n'],
  ["a denied name", `${users}\n${section('Files "*.pwd"', "Require all denied")}`],
  ["a certificate", "SSLCertificateFile /srv/tls/server.crt\n"],
  ["a program", 'CustomLog "|/srv/bin/rotatelogs" combined\n'],
  ["the system log", "ErrorLog syslog:local0\n"],
  ["a program as a map", "RewriteMap users prg:/srv/map.pl\n"],
  ["a proxied path", `${users}\nProxyPass "/" "http://b.test/"\n`],
  ["a path that is redirected", `${users}\nRedirectMatch 404 "\\.pwd$"\n`],
])("does not report %s", (_, lines) => {
  expect(check(onServer(closed, granted, lines))).toEqual([]);
});

test("does not report a server on the loopback address", () => {
  expect(check(`Listen 127.0.0.1:80\n${onServer(granted, users)}`)).toEqual([]);
});
