import { expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Returns the changes that are proposed for a rule of a `.htaccess` file, or of the server, that a request does not fit. */
function helpFor(rule: string, url: string, isOfServer = false): readonly string[] {
  const lines = `RewriteEngine on\n${rule}\n`;
  const server = [
    "ServerName a.test",
    "DocumentRoot /srv/www",
    "<Directory /srv>\nRequire all granted\nAllowOverride All\n</Directory>",
    ...(isOfServer ? [lines] : []),
  ];
  const loaded = loadProject("/etc/httpd.conf", {
    access: memoryAccess({
      "/etc/httpd.conf": `${server.join("\n")}\n`,
      ...(isOfServer ? {} : { "/srv/www/.htaccess": lines }),
    }),
    ...{ release: "2.4", htaccess: true, kind: "server" },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const [path = "", query] = url.split("?");
  const request = {
    method: "GET",
    path,
    ...(query === undefined ? {} : { query }),
    host: "a.test",
    clientIp: "192.0.2.7",
  };
  const { misses } = answer(loaded.value, request, { files: createListedFiles(["/srv/www/index.html"]) });
  return misses.flatMap(({ help = [] }) => help);
}

test.each([
  ["^/a/(.*)$ /b/$1 [L]", "/a/x", "`RewriteRule ^a/(.*)$ /b/$1 [L]`"],
  ["^a/$ /b", "/a", "`RewriteRule ^a/?$ /b`"],
  ["^a$ /b [L]", "/A", "`RewriteRule ^a$ /b [L,NC]`"],
  ["^a$ /b", "/A", "`RewriteRule ^a$ /b [NC]`"],
  ["^a\\?id=(\\d+)$ /b/$1", "/a?id=7", "`RewriteCond %{QUERY_STRING} ^id=(\\d+)$` and `RewriteRule ^a$ /b/%1`"],
  [
    "^(a|c)\\?id=(\\d+)&x=(.*)$ /$1/$2/$3 [L]",
    "/a?id=7&x=y",
    "`RewriteCond %{QUERY_STRING} ^id=(\\d+)&x=(.*)$` and `RewriteRule ^(a|c)$ /$1/%1/%2 [L]`",
  ],
  [
    "^(?:a)\\?id=([(\\d]+)$ /$1",
    "/a?id=7",
    "`RewriteCond %{QUERY_STRING} ^id=([(\\d]+)$` and `RewriteRule ^(?:a)$ /%1`",
  ],
  ["^http://a\\.test/a$ /b", "/a", "`RewriteCond %{HTTP_HOST} ^a\\.test$ [NC]` and `RewriteRule ^/?a$ /b`"],
])("a rule for another text is corrected: %s", (rule, url, lines) => {
  expect(helpFor(`RewriteRule ${rule}`, url)).toEqual([`use ${lines}`]);
});

test("a rule of a server is corrected with the leading slash", () => {
  expect(helpFor("RewriteRule ^a/(.*)$ /b/$1", "/a/x", true)).toEqual(["use `RewriteRule ^/a/(.*)$ /b/$1`"]);
});

test.each([
  ["RewriteRule ^a$ /b", "/x"],
  ["RewriteRule !^a$ -", "/a"],
  // The pattern does not show what to write.
  ["RewriteRule ^/?(?:a|/b)/$ /x", "/a"],
])("no line is proposed: %s", (rule, url) => {
  expect(helpFor(rule, url).filter((each) => !each.startsWith("use `RewriteRule ^/?(?:a|/b)/?$"))).toEqual([]);
});
