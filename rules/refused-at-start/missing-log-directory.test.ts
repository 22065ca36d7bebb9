import { describe, expect, test } from "vitest";
import { findingsOf, section, wholeServer } from "../../test/support/rules.js";
import { refusedAtStart } from "./refused-at-start.js";

describe("a log", () => {
  const files = { "/var/log/httpd/error_log": "", "/srv/www/index.html": "" };
  const logs = (...lines: readonly string[]) =>
    findingsOf([refusedAtStart], wholeServer("Listen 80", ...lines), { files }).map(({ severity, text }) => [
      severity,
      text,
    ]);

  test.each([
    ["ErrorLog /var/log/httpd/shop/error.log", "/var/log/httpd/shop/error.log"],
    ["CustomLog /var/log/shop/access.log combined", "/var/log/shop/access.log"],
    ["TransferLog /srv/www/logs/access.log", "/srv/www/logs/access.log"],
  ])("%s", (line, path) => {
    expect(logs(line)).toEqual([["warning", path]]);
    expect(logs(...section("VirtualHost *:80", line).trim().split("\n"))).toEqual([["warning", path]]);
  });

  test.each([
    "ErrorLog /var/log/httpd/shop.log",
    "ErrorLog syslog:local1",
    'ErrorLog "|/usr/bin/rotatelogs /var/none/error.log 86400"',
    "CustomLog ${LOGS}/access.log combined",
    // The disk has no such tree at all: it may be another one.
    "ErrorLog /opt/none/error.log",
    "ErrorLog /data/logs/shop/error.log",
    "CustomLog /dev/stdout common",
    "ErrorLog logs/error_log",
    "ErrorLog /var/log/shop/2024/error.log",
  ])("but not %s", (line) => {
    expect(logs(line)).toEqual([]);
  });

  test("but not of a part of a server", () => {
    const given = { kind: "fragment", files } as const;
    expect(findingsOf([refusedAtStart], "ErrorLog /var/log/shop/error.log\n", given)).toEqual([]);
  });
});
