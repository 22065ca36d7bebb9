import { expect, test } from "vitest";
import {
  isWindowsPath,
  isWithin,
  nativePath,
  pathKey,
  pathRulesOf,
  resolvePath,
} from "../../../src/config/files/paths.js";

test.each([
  ["/srv/www/../app", "/srv/app"],
  ["conf//a.conf", "/etc/httpd/conf/a.conf"],
  ["a\\b", "/etc/httpd/a\\b"],
  ["C:/www", "/C:/www"],
  ["C:\\www\\app", "/C:/www/app"],
  ["\\xampp\\htdocs\\", "/xampp/htdocs/"],
  ["\\\\server\\share", "/server/share"],
  ["c:/www", "/C:/www"],
  ["C:/www/../../..", "/C:/"],
])("resolves `%s` to `%s`", (path, resolved) => {
  expect(resolvePath("/etc/httpd", path)).toBe(resolved);
});

test.each([
  ["conf\\extra\\a.conf", "/C:/Apache24/conf/extra/a.conf"],
  ["/xampp/htdocs", "/C:/xampp/htdocs"],
  ["\\xampp\\htdocs", "/C:/xampp/htdocs"],
  ["d:\\www", "/D:/www"],
  ["//server/share/www", "/server/share/www"],
])("resolves `%s` below a ServerRoot on a drive to `%s`", (path, resolved) => {
  for (const root of ["/C:/Apache24", "c:\\Apache24"]) expect(resolvePath(root, path)).toBe(resolved);
});

test("recognizes absolute paths of Windows", () => {
  expect(["C:/a", "c:\\a", "\\a"].every(isWindowsPath)).toBe(true);
  expect(["/a", "a\\b", "C:", "proxy:*"].some(isWindowsPath)).toBe(false);
});

test("compares paths on a drive without case, and other paths with it", () => {
  expect(isWithin("/C:/XAMPP/htdocs/a", "/C:/xampp/HTDOCS")).toBe(true);
  expect(isWithin("c:\\xampp\\a", "C:\\XAMPP")).toBe(true);
  expect(isWithin("/C:/xampp-old", "/C:/xampp")).toBe(false);
  expect(isWithin("/srv/WWW/a", "/srv/www")).toBe(false);
  expect(pathKey("/C:/Xampp")).toBe(pathKey("/C:/XAMPP"));
  expect(pathKey("/srv/WWW")).toBe("/srv/WWW");
});

test("writes a path as its system does", () => {
  expect(nativePath("/C:/Apache24")).toBe("C:/Apache24");
  expect(nativePath("/srv/www")).toBe("/srv/www");
});

test.each([
  ["/c/httpd.conf", 'ServerRoot "c:/Apache24"\n', "windows"],
  ["/c/httpd.conf", "Define SRVROOT C:\\Apache24\n", "windows"],
  ["/c/vhosts.conf", '<VirtualHost *>\n  <Directory "D:/www">\n', "windows"],
  ["C:\\xampp\\a.conf", "Listen 80\n", "windows"],
  ["/c/httpd.conf", '# ServerRoot "c:/Apache24"\nServerRoot /etc/httpd\n', "posix"],
  ["/c/httpd.conf", "Redirect /a http://b/\n", "posix"],
  ["/c/httpd.conf", 'ServerRoot "/xampp/apache"\n', "windows"],
  ["/c/httpd.conf", 'ServerRoot "/xampp-7.0.15/apache"\n', "windows"],
  ["/c/httpd.conf", 'ServerRoot "/opt/lampp"\n', "posix"],
])("reads `%s` with `%s` by the rules of %s", (entry, text, rules) => {
  expect(pathRulesOf(entry, text)).toBe(rules);
});
