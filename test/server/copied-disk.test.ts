import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createDefaultFiles } from "../../src/server/file-trees.js";
import { loadProject } from "../../src/startup/load-project.js";

/** Answers a request to a server below a system root. @param files the other files of the copy, with their texts */
function answerOnCopy(
  lines: readonly string[],
  url: string,
  files: Readonly<Record<string, string>>,
  { isCopy = true } = {},
) {
  const { host, pathname } = new URL(url, "http://a.test");
  const entry = "/etc/httpd/conf/httpd.conf";
  const base = [
    "ServerRoot /etc/httpd",
    "ServerName main.test",
    "<Directory />",
    "Require all granted",
    "</Directory>",
  ];
  const text = `${[...base, ...lines].join("\n")}\n`;
  const access = { ...memoryAccess({ [entry]: text, ...files }), isCopy };
  const loaded = loadProject(entry, { access, kind: "server", htaccess: true });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path: pathname, host, clientIp: "192.0.2.7" };
  return answer(loaded.value, request, { files: createDefaultFiles(loaded.value, access) });
}

const hostAt = (root: string) => ["<VirtualHost *:80>", "ServerName a.test", `DocumentRoot ${root}`, "</VirtualHost>"];
const site = { "/var/www/site/index.html": "" };

describe("a directory that a copied disk lacks beside others", () => {
  const statusOf = (lines: readonly string[], path: string, files: Readonly<Record<string, string>> = site) =>
    answerOnCopy(lines, path, files).status;

  test.each([
    ["a document root", hostAt("/var/www/sites"), "/"],
    ["a document root in another case", hostAt("/var/www/Site"), "/index.html"],
    ["the target of an Alias", [...hostAt("/var/www/site"), "Alias /pics /var/www/pcitures"], "/pics/a.png"],
    ["the target of a ScriptAlias", [...hostAt("/var/www/site"), "ScriptAlias /c /var/www/cgi"], "/c/a"],
    ["a root without its directory", ["DocumentRoot /var/www/site", ...hostAt("/var/www/shop/public")], "/"],
    ["a directory of the URL", hostAt("/var/www/site"), "/images/a.png"],
  ])("%s is missing", (_, lines, path) => {
    expect(statusOf(lines, path)).toBe(404);
  });

  test.each([
    ["without the parent directory", hostAt("/srv/www/site"), site],
    ["with only the configuration", hostAt("/srv/www"), {}],
    ["without another root beside it", hostAt("/var/www/shop/public"), site],
    ["with the configuration in the parent", hostAt("/etc/httpd/htdocs"), { "/etc/httpd/users": "" }],
  ])("it is unknown %s", (_, lines, files) => {
    const users = ["<Directory /etc/httpd/private>", "AuthUserFile /etc/httpd/users", "</Directory>"];
    expect(statusOf([...lines, ...users], "/x.html", files)).not.toBe(404);
  });

  test("it is unknown on the disk of another machine", () => {
    expect(answerOnCopy(hostAt("/var/www/sites"), "/x.html", site, { isCopy: false }).status).not.toBe(404);
    expect(answerOnCopy(hostAt("/var/www/sites"), "/x.html", site).status).toBe(404);
  });
});
