import { describe, expect, test } from "vitest";
import { lintedFolder } from "../support/programs/test-folder.js";

const { lint, write } = lintedFolder();

const granted = ["<Directory /srv/www>", "Require all granted", "</Directory>"];
const site = (...lines: readonly string[]) =>
  `${["<VirtualHost *:80>", "ServerName a.test", "DocumentRoot /srv/www", ...lines, ...granted, "</VirtualHost>"].join("\n")}\n`;

/** Returns the lines about skipped sections that `explain` prints. */
function explain(text: string, url: string): readonly string[] {
  write({ "site.conf": text });
  const lines = lint(["explain", "site.conf", url]).stdout.split("\n");
  const start = lines.indexOf("if skipped sections apply");
  return start < 0 ? [] : lines.slice(start + 1, lines.indexOf("", start));
}

describe("explain shows the answer if a skipped section applies", () => {
  test.each<[what: string, section: readonly string[], url: string, expected: string]>([
    [
      "with a redirect",
      ["<IfDefine REDIRECT>", "Redirect permanent / https://a.test/", "</IfDefine>"],
      "http://a.test/x",
      "  301 → https://a.test/x (site.conf:5:1), with `<IfDefine REDIRECT>` (site.conf:4:1)",
    ],
    [
      "for a file that does not exist",
      ['<IfFile "/etc/none">', "Redirect gone /x", "</IfFile>"],
      "http://a.test/x",
      '  410 Gone (site.conf:5:1), with `<IfFile "/etc/none">` (site.conf:4:1)',
    ],
    [
      "that denies access",
      ["<IfDefine CLOSED>", "<Location /x>", "Require all denied", "</Location>", "</IfDefine>"],
      "http://a.test/x",
      "  403 Forbidden (AH01630, site.conf:6:1), with `<IfDefine CLOSED>` (site.conf:4:1)",
    ],
    [
      "inside another one",
      ["<IfDefine A>", "<IfDefine B>", "Redirect gone /x", "</IfDefine>", "</IfDefine>"],
      "http://a.test/x",
      "  410 Gone (site.conf:6:1), with `<IfDefine B>` (site.conf:5:1)",
    ],
  ])("%s", (_, section, url, expected) => {
    expect(explain(site(...section), url)).toEqual([expected]);
  });

  test("as JSON", () => {
    write({ "site.conf": site("<IfDefine REDIRECT>", "Redirect gone /x", "</IfDefine>") });
    const { otherReadings } = JSON.parse(lint(["explain", "site.conf", "/x", "--format", "json"]).stdout);
    expect(otherReadings).toMatchObject([{ status: 410, sections: [{ tag: "<IfDefine REDIRECT>" }] }]);
  });
});

describe("twin: explain does not show", () => {
  test.each<[what: string, section: readonly string[]]>([
    ["a section for another path", ["<IfDefine REDIRECT>", "Redirect gone /other", "</IfDefine>"]],
    ["a section with the same answer", ["<IfDefine OPEN>", ...granted, "</IfDefine>"]],
    ["a section that applies", ["Define OPEN", "<IfDefine OPEN>", "Redirect gone /x", "</IfDefine>"]],
    ["a section for another version", ["<IfVersion < 2.4>", "Redirect gone /x", "</IfVersion>"]],
  ])("%s", (_, section) => {
    expect(explain(site(...section), "/x")).toEqual([]);
  });

  test("a section for a module that a known server does not load", () => {
    const modules = ["authz_core", "alias"].map((name) => `LoadModule ${name}_module ${name}.so\n`).join("");
    const server = `${modules}Listen 80\nServerName a.test\nDocumentRoot /srv/www\n<IfModule mod_proxy.c>\nRedirect gone /x\n</IfModule>\n`;
    expect(explain(server, "/x")).toEqual([]);
  });
});
