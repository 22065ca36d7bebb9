import { expect, test } from "vitest";
import { findingsOf, inDirectory, lintText, onServer, section } from "../../test/support/rules.js";
import { wrongCase } from "./wrong-case.js";

const files = { "/srv/Admin/index.html": "", "/srv/config.php": "", "/srv/index.html": "" };
const check = (text: string) => findingsOf([wrongCase], text, { files });

test.each([
  [
    section("Directory /srv/admin", "Require all denied"),
    "`<Directory /srv/admin>` does not match the file on the disk: `/srv/Admin`",
  ],
  [
    inDirectory("<Files Config.php>", "</Files>"),
    "`<Files Config.php>` does not match the file on the disk: `config.php`",
  ],
  [inDirectory("DirectoryIndex Index.html"), "`Index.html` does not exist, but `index.html` does"],
])("reports %j", (text, message) => {
  expect(check(text).map((each) => each.message)).toEqual([message]);
});

test("reports a section of a `.htaccess` file", () => {
  const findings = findingsOf([wrongCase], "<Files Config.php>\n</Files>\n", { kind: "htaccess", files });
  expect(findings.map(({ text }) => text)).toEqual(["Config.php"]);
});

test.each([
  section("Directory /srv/Admin", "Require all denied"),
  section("Directory /srv/other", "Require all denied"),
  section("Directory /srv/adm*", "Require all denied"),
  section("Directory ~ /srv/admin", "Require all denied"),
  inDirectory("<Files config.php>", "</Files>"),
  inDirectory("<Files other.php>", "</Files>"),
  inDirectory("DirectoryIndex Index.html index.html"),
  inDirectory("DirectoryIndex index.php"),
  section("Files Config.php", "Require all denied"),
])("does not report %j", (text) => {
  expect(check(text)).toEqual([]);
});

test("does not report a link to a missing file", () => {
  const links = { "/srv/site": "/srv/missing" };
  const text = section("Directory /srv/site", "Require all denied");
  expect(findingsOf([wrongCase], text, { files, links })).toEqual([]);
});

test("does not report names in a document root of another machine", () => {
  const hosts = (root: string) => `DocumentRoot ${root}\n${section("Directory /srv/admin", "Require all denied")}`;
  expect(check(hosts("/srv/site"))).toEqual([]);
  expect(check(hosts("/srv/Admin"))).toHaveLength(1);
});

test("the fix replaces the name", () => {
  const [finding] = lintText([wrongCase], onServer(inDirectory('<Files "Config.php">', "</Files>")), { files });
  expect(finding?.fix?.edits[0]?.text).toBe('"config.php"');
});
