import { expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { omitUnreadHtaccess } from "../../src/server/walk/ignored-htaccess.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Counts the `.htaccess` files that a server with one in `/w/a` reads. */
function countReadFiles(main: string, release: "2.2" | "2.4" = "2.4"): number {
  const access = memoryAccess({
    "/httpd.conf": `ServerRoot /w\nDocumentRoot /w\n${main}\n`,
    "/w/a/.htaccess": "<Files x>\n",
  });
  const loaded = loadProject("/httpd.conf", { access, release, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const { htaccess, problems } = omitUnreadHtaccess(loaded.value);
  expect(problems).toHaveLength(htaccess.length);
  return htaccess.length;
}

const none = "<Directory />\nAllowOverride None\n</Directory>\n";

test.each([
  ["AllowOverride None in a parent directory", none, 0],
  ["AllowOverride None in the same directory", "<Directory /w/a>\nAllowOverride None\n</Directory>\n", 0],
  ["AllowOverride None in a section with a wildcard", '<Directory "/w/*">\nAllowOverride None\n</Directory>\n', 0],
  ["no AllowOverride, with which 2.4 reads and rejects the file", "", 1],
  ["AuthConfig in an inner section", `${none}<Directory /w>\nAllowOverride AuthConfig\n</Directory>\n`, 1],
  ["AllowOverrideList in an inner section", `${none}<Directory /w>\nAllowOverrideList Require\n</Directory>\n`, 1],
  ["AllowOverride None for another directory", "<Directory /w/b>\nAllowOverride None\n</Directory>\n", 1],
  [
    "AllowOverride None in a DirectoryMatch, where it has no effect",
    '<DirectoryMatch "^/w">\nAllowOverride None\n</DirectoryMatch>\n',
    1,
  ],
  [
    "AllowOverride All in a virtual host",
    `${none}<VirtualHost *>\n<Directory /w>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`,
    1,
  ],
])("the expected number of `.htaccess` files is read with %s", (_, main, count) => {
  expect(countReadFiles(main)).toBe(count);
});

test("2.2 reads `.htaccess` files by default", () => {
  expect(countReadFiles("", "2.2")).toBe(1);
  expect(countReadFiles(none, "2.2")).toBe(0);
});

test("an unlistable directory is reported only if `.htaccess` files in it are read", () => {
  const problemsWith = (main: string) => {
    const memory = memoryAccess({ "/httpd.conf": `ServerRoot /w\nDocumentRoot /w\n${main}\n`, "/w/a/x.txt": "" });
    const list: typeof memory.list = (path) =>
      path === "/w/a" ? { ok: false, error: { message: "permission to read it is denied" } } : memory.list(path);
    const loaded = loadProject("/httpd.conf", { access: { ...memory, list }, kind: "server" });
    if (!loaded.ok) throw new Error(loaded.error);
    return omitUnreadHtaccess(loaded.value).problems.map(({ directory }) => directory);
  };
  const further = (override: string) => `${none}<Directory /w/a/b>\nAllowOverride ${override}\n</Directory>\n`;
  expect([problemsWith(""), problemsWith(further("All"))]).toEqual([["/w/a"], ["/w/a"]]);
  expect([problemsWith(none), problemsWith(further("none"))]).toEqual([[], []]);
});
