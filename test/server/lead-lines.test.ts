import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { answer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";

const files = createListedFiles(["/srv/www/index.php", "/srv/www/article.php", "/srv/www/x.txt", "/srv/icons/a.png"]);
const grant = ["<Directory /srv>", "Require all granted", "</Directory>"];

function answerFor(lines: readonly string[], path: string, htaccess?: string, host = "a.test") {
  const text = ["ServerName a.test", "DocumentRoot /srv/www", ...grant, ...lines].join("\n");
  const loaded = loadProject("/etc/httpd.conf", {
    access: memoryAccess({
      "/etc/httpd.conf": `${text}\n`,
      ...(htaccess === undefined ? {} : { "/srv/www/.htaccess": `${htaccess}\n` }),
    }),
    ...{ release: "2.4", htaccess: true, kind: "server" },
  });
  if (!loaded.ok) throw new Error(loaded.error);
  return answer(loaded.value, { method: "GET", path, host, clientIp: "192.0.2.7" }, { files });
}

/** Returns the lines that are shown because the deciding lines only grant access. */
function leadOf(...parameters: Parameters<typeof answerFor>): readonly string[] {
  const { leadPlaces } = answerFor(...parameters);
  return leadPlaces.map(({ file, start, end }) => file.text.slice(start, end).split("\n")[0] ?? "");
}

describe("the line that leads to a result", () => {
  test("is none if the file is served or access is denied", () => {
    expect(leadOf([], "/x.txt")).toEqual([]);
    expect(leadOf(["<Location />", "Require all denied", "</Location>"], "/none")).toEqual([]);
  });

  test("is the mapping to a file that does not exist", () => {
    expect(leadOf(["Alias /icons /srv/icons"], "/icons/b.png")).toEqual(["Alias /icons /srv/icons"]);
    expect(leadOf(["Alias /icons /srv/icons"], "/icons/a.png")).toEqual([]);
    expect(leadOf([], "/none")).toEqual(["DocumentRoot /srv/www"]);
  });

  test("is the AllowOverride line if a file with rules is not read", () => {
    const none = ["<Directory /srv/www>", "AllowOverride None", "</Directory>"];
    const rules = "RewriteEngine on\nRewriteRule ^ /index.php";
    expect(leadOf(none, "/none", rules)).toEqual(["AllowOverride None"]);
    expect(leadOf(none, "/none", "Header set X-A b")).toEqual(["DocumentRoot /srv/www"]);
    expect(leadOf(none, "/x.txt", rules)).toEqual([]);
  });

  test("is the last rule that leads to another URL", () => {
    const rule = "RewriteRule ^none$ /index.php [L]";
    expect(
      leadOf(["<Directory /srv/www>", "Options FollowSymLinks", "RewriteEngine on", rule, "</Directory>"], "/none"),
    ).toEqual([rule]);
  });

  test("is the name of another virtual host", () => {
    const hosts = (alias: string) => [
      ...["<VirtualHost *:80>", "ServerName b.test", `ServerAlias ${alias}`, "DocumentRoot /srv/www", "</VirtualHost>"],
      ...["<VirtualHost *:80>", "ServerName shop.test", "DocumentRoot /srv/icons", "</VirtualHost>"],
    ];
    expect(leadOf(hosts("*.test"), "/x.txt", undefined, "shop.test")).toEqual(["ServerAlias *.test"]);
    expect(leadOf(hosts("*.org"), "/a.png", undefined, "shop.test")).toEqual([]);
  });
});

test("MultiViews that chooses a file of another name is a cause", () => {
  const modules = ["authz_core", "dir", "mime", "negotiation"].map((name) => `LoadModule ${name}_module ${name}.so`);
  const views = [
    ...modules,
    "<Directory /srv/www>",
    "Options FollowSymLinks MultiViews",
    "AddType text/plain .php",
    "</Directory>",
  ];
  const texts = (path: string) => answerFor(views, path).causes.map(({ text }) => text);
  expect(texts("/article")).toEqual(["`MultiViews` chooses `/srv/www/article.php` for `/article`"]);
  expect(texts("/article.php")).toEqual([]);
  const helpOf = (lines: readonly string[]) =>
    answerFor([...views, "LoadModule rewrite_module rewrite.so", ...lines], "/article").causes.map(
      ({ help = [] }) => help,
    );
  const rules = ["RewriteEngine On", "RewriteRule ^/?article$ /x.txt"];
  const inRoot = (...lines: readonly string[]) => ["<Directory /srv/www>", ...lines, "</Directory>"];
  expect(helpOf(inRoot(...rules))).toEqual([["use `Options FollowSymLinks`"]]);
  // The rules of the server run before MultiViews; those of other directories, and those that are off, do not run.
  expect(helpOf(["RewriteEngine On", "RewriteRule ^/old$ /x.txt"])).toEqual([[]]);
  expect(helpOf(["<Directory /srv/icons>", ...rules, "</Directory>"])).toEqual([[]]);
  expect(helpOf(inRoot("RewriteEngine Off", ...rules.slice(1)))).toEqual([[]]);
});

describe("a rule or Redirect that gets a URL after an earlier rule", () => {
  const details = (lines: readonly string[], path: string) => {
    const { trace } = answerFor(
      ["<Directory /srv/www>", "Options FollowSymLinks", "RewriteEngine on", ...lines, "</Directory>"],
      path,
    );
    return trace.flatMap((step) => step.details).filter((text) => text.includes("comes first"));
  };

  test("names that rule", () => {
    const front = ["RewriteCond %{REQUEST_FILENAME} !-f", "RewriteRule ^ index.php [L]"];
    const https = "RewriteRule ^(.*)$ https://a.test/$1 [R=301,L]";
    expect(details([...front, https], "/about")).toEqual([
      "`RewriteRule ^ index.php [L]` comes first: this rule tests `/index.php`",
    ]);
    expect(details([https, ...front], "/about")).toEqual([]);
    expect(details([...front, https], "/index.php")).toEqual([]);
    const redirect = "Redirect /old /new";
    expect(details([redirect, ...front], "/old")).toEqual([
      "`RewriteRule ^ index.php [L]` comes first: rewrite rules of a directory run before `Redirect` lines",
    ]);
    expect(details([redirect], "/old")).toEqual([]);
  });
});
