import { expect, test } from "vitest";
import { isWindowsPath, resolvePath } from "../../../src/config/files/paths.js";

test.each([
  ["/srv/www/../app", "/srv/app"],
  ["conf//a.conf", "/etc/httpd/conf/a.conf"],
  ["a\\b", "/etc/httpd/a\\b"],
  ["C:/www", "/C:/www"],
  ["C:\\www\\app", "/C:/www/app"],
  ["\\xampp\\htdocs\\", "/xampp/htdocs/"],
  ["\\\\server\\share", "/server/share"],
])("resolves `%s` to `%s`", (path, resolved) => {
  expect(resolvePath("/etc/httpd", path)).toBe(resolved);
});

test("recognizes absolute paths of Windows", () => {
  expect(["C:/a", "c:\\a", "\\a"].every(isWindowsPath)).toBe(true);
  expect(["/a", "a\\b", "C:", "proxy:*"].some(isWindowsPath)).toBe(false);
});
