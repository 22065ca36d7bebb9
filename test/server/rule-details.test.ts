import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = createListedFiles(["/srv/www/.htaccess", "/srv/www/index.php", "/srv/www/a.css", "/srv/www/m/news.html"]);

/** Returns the details of the first step of each rule that applies to a request. */
function detailsOf(lines: readonly string[], url: string, headers: Record<string, string> = {}): readonly string[] {
  const entry = "/srv/www/.htaccess";
  const loaded = loadProject(entry, {
    access: memoryAccess({ [entry]: `RewriteEngine on\n${lines.join("\n")}\n` }),
    ...{ release: "2.4", htaccess: true },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const [path = "", query] = url.split("?");
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", headers, ...(query ? { query } : {}) };
  const { trace } = answer(loaded.value, request, { files });
  return trace.find(({ section, details }) => section.startsWith("RewriteRule") && details.length > 0)?.details ?? [];
}

describe("a rule that applies", () => {
  test("shows the values that make its conditions true", () => {
    const rule = "RewriteRule \\.css$ - [F]";
    const cond = "RewriteCond %{HTTP_REFERER} !^https://a\\.test/";
    expect(detailsOf([cond, rule], "/a.css")).toEqual(["its condition is true: `%{HTTP_REFERER}` is empty"]);
    expect(detailsOf([cond, rule], "/a.css", { Referer: "http://b.test/" })).toEqual([
      "its condition is true: `%{HTTP_REFERER}` is `http://b.test/`",
    ]);
    expect(detailsOf([cond, rule], "/a.css", { Referer: "https://a.test/" })).toEqual([]);
    expect(detailsOf([rule], "/a.css")).toEqual([]);
  });

  test("shows what file tests find, and of conditions joined by OR the one that is true", () => {
    const rule = "RewriteRule ^ index.php [L]";
    const file = "`%{REQUEST_FILENAME}` is `/srv/www/a.css`";
    const joined = ["RewriteCond %{REQUEST_FILENAME} -d [OR]", "RewriteCond %{REQUEST_FILENAME} !-d", rule];
    expect(detailsOf(joined, "/a.css")).toEqual([`condition 2 is true: ${file}, which is not an existing directory`]);
    const both = ["RewriteCond %{REQUEST_FILENAME} -f", "RewriteCond %{HTTP_HOST} =a.test", rule];
    expect(detailsOf(both, "/a.css")).toEqual([
      `condition 1 is true: ${file}, which is an existing file; condition 2 is true: \`%{HTTP_HOST}\` is \`a.test\``,
    ]);
  });

  test("shows the values before the rule changes them", () => {
    const lines = ["RewriteCond %{QUERY_STRING} ^id=(\\d+)$", "RewriteRule ^old$ /m/news.html?n=%1 [L]"];
    expect(detailsOf(lines, "/old?id=7")).toEqual([
      "its condition is true: `%{QUERY_STRING}` is `id=7`",
      "this replaces the query `id=7`, since the rule has no `QSA`",
    ]);
  });

  test("shows that the conditions above it are those of another rule", () => {
    const detail = "it has no condition: the `RewriteCond` lines above are those of another rule";
    const cond = "RewriteCond %{HTTP_HOST} ^m\\.";
    const news = "RewriteRule ^news$ /m/news.html [L]";
    expect(detailsOf([cond, "RewriteRule ^$ /m/index.html [L]", news], "/news")).toEqual([detail]);
    expect(detailsOf(["RewriteRule ^$ /m/index.html [L]", news], "/news")).toEqual([]);
    const host = "RewriteCond %{HTTP_HOST} ^a";
    expect(detailsOf([host, "RewriteRule ^news$ - [E=X:1]", news], "/news")).not.toContain(detail);
  });

  test("shows that its query replaces that of the request", () => {
    const detail = "this replaces the query `tab=b`, since the rule has no `QSA`";
    expect(detailsOf(["RewriteRule ^user$ index.php?u=1 [L]"], "/user?tab=b")).toEqual([detail]);
    expect(detailsOf(["RewriteRule ^user$ index.php?u=1 [QSA,L]"], "/user?tab=b")).toEqual([]);
    expect(detailsOf(["RewriteRule ^user$ index.php [L]"], "/user?tab=b")).toEqual([]);
    expect(detailsOf(["RewriteRule ^user$ index.php?u=1 [L]"], "/user")).toEqual([]);
  });
});
