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

  describe("with a path from the ServerRoot", () => {
    const rooted = (line: string, own: Readonly<Record<string, string>>) =>
      findingsOf([refusedAtStart], `ServerRoot /etc/httpd\n${wholeServer("Listen 80", line)}`, { files: own }).map(
        ({ text }) => text,
      );
    const present = { "/etc/httpd/logs/.keep": "" };

    test.each(["ErrorLog logs/shop/error.log", 'CustomLog "logs/shop/access.log" common'])("%s", (line) => {
      expect(rooted(line, present)).toEqual(
        [/logs\/shop\/\w+\.log/.exec(line)?.[0]].map((path) => (line.includes('"') ? `"${path}"` : path)),
      );
    });

    test.each([
      ["ErrorLog logs/error.log", present],
      ["ErrorLog logs/shop/error.log", { ...present, "/etc/httpd/logs/shop/x": "" }],
      ["ErrorLog logs/shop/error.log", { "/etc/httpd/conf/x": "" }],
      ["ErrorLog logs/shop/error.log", { "/srv/www/index.html": "" }],
      ["ErrorLog logs/a/b/error.log", present],
      ["ErrorLog ../logs/shop/error.log", present],
      ["ErrorLog ${LOGS}/shop/error.log", present],
      ['CustomLog "|bin/rotatelogs logs/shop/a 86400" common', present],
    ])("but not %s", (line, own) => {
      expect(rooted(line, own)).toEqual([]);
    });
  });

  // A live 2.4.71 does not start with the first group, and starts with the second.
  test.each([
    ['ErrorLog "|cat"', "cat"],
    ['ErrorLog "||cat"', "cat"],
    ['CustomLog "|rotatelogs -l /var/log/httpd/a 86400" common', "rotatelogs"],
    ['TransferLog "| cat"', "cat"],
    ['GlobalLog "|cat" common', "cat"],
  ])("of the program in %s, which httpd does not find", (line, program) => {
    const found = findingsOf([refusedAtStart], wholeServer("Listen 80", line), { files });
    expect(found.map(({ message }) => message)).toEqual([
      `httpd does not find the program \`${program}\`: it does not search \`PATH\``,
    ]);
  });

  // The message names the whole command (live 2.4.71).
  test.each([
    ['ErrorLog "||cat"', "AH00089: Couldn't start ErrorLog process '|cat'"],
    ['CustomLog "||cat" common', "AH00104: unable to start piped log program 'cat'"],
    ['CustomLog "|logger -t web" common', "AH00104: unable to start piped log program 'logger -t web'"],
  ])("%s quotes the message of httpd", (line, reported) => {
    const [finding] = findingsOf([refusedAtStart], wholeServer("Listen 80", line), { files });
    expect(finding?.notes).toContain(`httpd reports: ${reported}`);
  });

  test.each(['CustomLog "|$cat" common', 'CustomLog "|/bin/cat" common', 'ErrorLog "| /bin/cat"', "ErrorLog syslog"])(
    "but not of the program in %s",
    (line) => {
      expect(logs(line)).toEqual([]);
    },
  );

  // It is relative to the directory in which httpd is started.
  test("but not of a program with a relative path", () => {
    expect(logs('CustomLog "|bin/rotatelogs logs/a 86400" common')).toEqual([]);
  });

  test("but not of the program of a shell in 2.2", () => {
    expect(
      findingsOf([refusedAtStart], wholeServer("Listen 80", 'CustomLog "|cat" common'), { release: "2.2" }),
    ).toEqual([]);
  });

  test("but not of a part of a server", () => {
    const given = { kind: "fragment", files } as const;
    expect(findingsOf([refusedAtStart], "ErrorLog /var/log/shop/error.log\n", given)).toEqual([]);
  });
});
