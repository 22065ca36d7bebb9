import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { loadModules } from "../support/httpd/httpd.js";

const modules = ["authz_core", "authz_host", "alias", "dir", "rewrite"];

interface Given {
  /** The paths of existing files. */
  readonly files?: readonly string[];
  readonly root?: string;
  /** Lines of `.htaccess` files, by path. */
  readonly htaccess?: Readonly<Record<string, string>>;
}

/** Returns a function that answers the request for a path with a status, or with what is unknown. */
function serve(lines: readonly string[], { files = [], root = "C:/www", htaccess = {} }: Given = {}) {
  const start = [
    `ServerRoot "${root}/.."`,
    `DocumentRoot "${root}"`,
    "<Directory />",
    "Require all denied",
    "</Directory>",
  ];
  const text = `${loadModules(modules)}${[...start, ...lines].join("\n")}\n`;
  const access = memoryAccess({ "/c/httpd.conf": text, ...htaccess });
  const loaded = loadProject("/c/httpd.conf", { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const tree = createListedFiles(["/C:/www/a.txt", "/C:/www/Private/a.txt", ...files]);
  const server = new SimulatedServer(loaded.value, tree);
  return (path: string) => {
    const answer = server.answer({ method: "GET", path, host: "a.test", clientIp: "192.0.2.7" });
    return answer.status ?? answer.class;
  };
}

const within = (tag: string, ...lines: readonly string[]) => [`<${tag}>`, ...lines, `</${/^\w+/.exec(tag)?.[0]}>`];
const granted = within('Directory "c:/WWW"', "Require all granted");

test.each(["/a.txt.", "/a.txt%20", "/Private./a.txt", "/A~1.TXT", "/PRIVAT~1/a.txt"])(
  "which file a name such as %s stands for is unknown",
  (path) => {
    const statusOf = serve([...granted, ...within("Location /a.txt", "Require all denied")]);
    expect(statusOf(path)).toBe("unknown");
    expect(statusOf("/a.txt")).toBe(403);
    expect(statusOf("/.a/a.~txt")).toBe(404);
  },
);

describe("a Directory section", () => {
  test.each(['"C:/www/private"', "c:\\WWW\\Private\\", '"/www/PRIVATE"', '"C:/www/x/../private"', '"\\www\\private"'])(
    "for %s applies in any case",
    (path) => {
      const statusOf = serve([...granted, ...within(`Directory ${path}`, "Require all denied")]);
      for (const each of ["/private/a.txt", "/PRIVATE/A.TXT", "/Private/a.txt"]) expect(statusOf(each)).toBe(403);
      expect(statusOf("/A.txt")).toBe(200);
    },
  );

  test("for the root applies above all drives", () => {
    expect(serve([])("/a.txt")).toBe(403);
    expect(serve(within("Directory />", "Require all granted").map((line) => line.replace(">>", ">")))("/a.txt")).toBe(
      200,
    );
  });

  test("on another drive does not apply", () => {
    expect(serve([...granted, ...within('Directory "D:/www/private"', "Require all denied")])("/private/a.txt")).toBe(
      200,
    );
  });

  test("differs in case on a system without drives", () => {
    const lines = within('Directory "/srv/WWW"', "Require all granted");
    expect(serve(lines, { root: "/srv/www", files: ["/srv/www/b.txt"] })("/b.txt")).toBe(403);
  });

  test("with a wildcard applies to the spelling of the disk, which is unknown for another case", () => {
    const statusOf = serve([...granted, ...within('Directory "C:/www/Priv*"', "Require all denied")]);
    expect(statusOf("/Private/a.txt")).toBe(403);
    expect(statusOf("/private/a.txt")).toBe("unknown");
    expect(statusOf("/a.txt")).toBe(200);
  });

  test("for a pattern ignores case, and starts with the drive", () => {
    const statusOf = serve([...granted, ...within('DirectoryMatch "^c:/www/PRIVATE"', "Require all denied")]);
    expect(statusOf("/private/a.txt")).toBe(403);
    expect(statusOf("/a.txt")).toBe(200);
  });
});

describe("a Files section", () => {
  test("applies to the spelling of the disk, which is unknown for another case", () => {
    const statusOf = serve([...granted, ...within('Files "A.txt"', "Require all denied")]);
    expect(statusOf("/A.txt")).toBe(403);
    expect(statusOf("/a.txt")).toBe("unknown");
    expect(statusOf("/Private/")).toBe(404);
  });

  test("for a pattern ignores case", () => {
    const statusOf = serve([...granted, ...within('FilesMatch "\\.TXT$"', "Require all denied")]);
    expect(statusOf("/a.txt")).toBe(403);
  });
});

test("a Location section and an Alias differ in case", () => {
  const statusOf = serve([...granted, ...within("Location /private", "Require all denied"), 'Alias /icons "c:\\www"']);
  expect(["/private/a.txt", "/PRIVATE/a.txt"].map(statusOf)).toEqual([403, 200]);
  expect(["/icons/a.txt", "/ICONS/a.txt"].map(statusOf)).toEqual([200, 404]);
});

test("a `.htaccess` file applies in any case of its directory", () => {
  const lines = within('Directory "C:/www"', "Require all granted", "AllowOverride All");
  const statusOf = serve(lines, { htaccess: { "C:/WWW/Private/.htaccess": "Require all denied\n" } });
  expect(["/private/a.txt", "/PRIVATE/a.txt", "/a.txt"].map(statusOf)).toEqual([403, 403, 200]);
});

test("variables have paths that start with the drive", () => {
  const test = (condition: string) => [...granted, "RewriteEngine On", condition, "RewriteRule ^ - [G]"];
  expect(serve(test('RewriteCond %{DOCUMENT_ROOT} "=C:/www"'))("/a.txt")).toBe(410);
  expect(serve(test("RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} -f"))("/A.TXT")).toBe(410);
  expect(serve(test("RewriteCond %{DOCUMENT_ROOT} ^/"))("/a.txt")).toBe(200);
  expect(
    serve([...granted, ...within(`If "%{REQUEST_FILENAME} == 'C:/www/a.txt'"`, "Require all denied")])("/a.txt"),
  ).toBe(403);
});

test("a rule may lead to a file on a drive", () => {
  const statusOf = serve([...granted, "RewriteEngine On", "RewriteRule ^/b$ c:/WWW/a.txt"]);
  expect(statusOf("/b")).toBe(200);
});
