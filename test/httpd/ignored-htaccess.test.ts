import { expect, test } from "vitest";
import { omitUnreadHtaccess } from "../../src/httpd/walk/ignored-htaccess.js";
import { memoryAccess } from "../../src/project/files/file-access.js";
import { loadProject } from "../../src/project/load.js";

/** Counts the `.htaccess` files of a server that are read: there is one in `/w/a`. */
function filesRead(main: string, release: "2.2" | "2.4" = "2.4"): number {
  const access = memoryAccess({
    "/httpd.conf": `ServerRoot /w\nDocumentRoot /w\n${main}\n`,
    "/w/a/.htaccess": "<Files x>\n",
  });
  const loaded = loadProject("/httpd.conf", { access, release, kind: "server" });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const { htaccess, problems } = omitUnreadHtaccess(loaded.project);
  expect(problems).toHaveLength(htaccess.length);
  return htaccess.length;
}

const none = "<Directory />\nAllowOverride None\n</Directory>\n";

test.each([
  ["None above", none, 0],
  ["None at its own level", "<Directory /w/a>\nAllowOverride None\n</Directory>\n", 0],
  ["None by a wildcard", '<Directory "/w/*">\nAllowOverride None\n</Directory>\n', 0],
  ["nothing at all, which 2.4 reads and refuses", "", 1],
  ["a class further in", `${none}<Directory /w>\nAllowOverride AuthConfig\n</Directory>\n`, 1],
  ["single directives", `${none}<Directory /w>\nAllowOverrideList Require\n</Directory>\n`, 1],
  ["None for another directory", "<Directory /w/b>\nAllowOverride None\n</Directory>\n", 1],
  ["None in a pattern, where it has no effect", '<DirectoryMatch "^/w">\nAllowOverride None\n</DirectoryMatch>\n', 1],
  [
    "a virtual host that allows",
    `${none}<VirtualHost *>\n<Directory /w>\nAllowOverride All\n</Directory>\n</VirtualHost>\n`,
    1,
  ],
])("%s", (_, main, count) => {
  expect(filesRead(main)).toBe(count);
});

test("2.2 reads them by default", () => {
  expect(filesRead("", "2.2")).toBe(1);
  expect(filesRead(none, "2.2")).toBe(0);
});

test("a folder that cannot be looked at does no harm where no file in it is read", () => {
  const problemsWith = (main: string) => {
    const memory = memoryAccess({ "/httpd.conf": `ServerRoot /w\nDocumentRoot /w\n${main}\n`, "/w/a/x.txt": "" });
    const list: typeof memory.list = (path) =>
      path === "/w/a" ? { failed: "permission to read it is denied" } : memory.list(path);
    const loaded = loadProject("/httpd.conf", { access: { ...memory, list }, kind: "server" });
    if ("failed" in loaded) throw new Error(loaded.failed);
    return omitUnreadHtaccess(loaded.project).problems.map(({ directory }) => directory);
  };
  const further = (override: string) => `${none}<Directory /w/a/b>\nAllowOverride ${override}\n</Directory>\n`;
  expect([problemsWith(""), problemsWith(further("All"))]).toEqual([["/w/a"], ["/w/a"]]);
  expect([problemsWith(none), problemsWith(further("none"))]).toEqual([[], []]);
});
