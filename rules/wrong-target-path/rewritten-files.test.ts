import { describe, expect, test } from "vitest";
import { findingsOf, onlyVariant, onServer, section } from "../../test/support/rules.js";
import { wrongTargetPath } from "./wrong-target-path.js";

const rule = onlyVariant(wrongTargetPath, "rewritten-files");
const notDirectory = "RewriteCond %{REQUEST_FILENAME} !-d\n";
const notFile = "RewriteCond %{REQUEST_FILENAME} !-f\n";
const toIndex = "RewriteRule .* index.php [L]\n";

const inFile = (text: string) => findingsOf([rule], `RewriteEngine On\n${text}`, { kind: "htaccess" });
const granted = section('Directory "/srv"', "AllowOverride All", "Options FollowSymLinks", "Require all granted");
const modules = "LoadModule rewrite_module mod_rewrite.so\n";
const onDisk = (text: string, files: Readonly<Record<string, string>> = { "/srv/css/a.css": "" }) =>
  findingsOf([rule], modules + onServer(granted), {
    files: { "/srv/index.php": "", "/srv/.htaccess": `RewriteEngine On\n${text}`, ...files },
  });

test("reports a rule that takes a file of the site", () => {
  expect(onDisk(notDirectory + toIndex)).toEqual([
    {
      rule: "wrong-target-path",
      severity: "warning",
      at: "3:1-3:29",
      text: toIndex.trim(),
      message: "requests for files that exist get `index.php`, such as `/css/a.css`",
      notes: [
        "GET `http://www.example.com/css/a.css` from 203.0.113.9 returns 200 from `/srv/index.php`",
        "`-d` is true for directories only, and `-f` for files",
      ],
      help: ["add `RewriteCond %{REQUEST_FILENAME} !-f` beside the condition"],
      related: [".htaccess:2:1: tests only for directories"],
    },
  ]);
});

describe("reports", () => {
  test.each([
    ["a path and a query", `${notDirectory}RewriteRule ^(.*)$ index.php?url=$1 [QSA,L]\n`],
    ["another variable for the file", `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-d\n${toIndex}`],
    ["the rule of another path first", `RewriteRule ^old$ new [R]\n${notDirectory}${toIndex}`],
    ["a negative pattern", `${notDirectory}RewriteRule !^admin/ index.php [L]\n`],
    ["the start page of a site with one page", `${notDirectory}RewriteRule ^ index.html [L]\n`],
    ["a condition about the path of a page", `${notDirectory}RewriteCond %{REQUEST_URI} !^/api/\n${toIndex}`],
    ["a condition about the method", `${notDirectory}RewriteCond %{REQUEST_METHOD} GET\n${toIndex}`],
  ])("%s", (_, text) => {
    expect(inFile(text)).toMatchObject([{ severity: "info", rule: "wrong-target-path" }]);
    expect(onDisk(text)).toHaveLength(1);
  });

  test("a rule that ends the rules for directories", () => {
    const text = `RewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [L]\n${toIndex}`;
    expect(inFile(text)).toMatchObject([
      { help: ["add `RewriteCond %{REQUEST_FILENAME} -f [OR]` before the condition"] },
    ]);
  });
});

const page = "RewriteRule ^canary$ gen204.html [L]\n";

test("reports a rule without the conditions of the rule before it", () => {
  expect(onDisk(notFile + notDirectory + page + toIndex)).toMatchObject([
    {
      severity: "warning",
      text: toIndex.trim(),
      message: "requests for files that exist get `index.php`, such as `/css/a.css`",
      notes: [
        "GET `http://www.example.com/css/a.css` from 203.0.113.9 returns 200 from `/srv/index.php`",
        "`RewriteCond` lines apply only to the next `RewriteRule`, and this rule has none",
      ],
      help: ["move the `RewriteCond` lines to this rule, or repeat them before it"],
      related: [".htaccess:2:1: applies only to the rule after it"],
    },
  ]);
});

describe("reports a rule without conditions after", () => {
  test.each([
    ["one condition and a rule", `${notFile}${page}${toIndex}`],
    ["several rules", `${notFile}${page}RewriteRule ^b$ b.php [L]\n${toIndex}`],
    ["a rule with another program", `${notFile}${notDirectory}RewriteRule ^api/ api.php [L]\n${toIndex}`],
    ["a redirect", `${notFile}RewriteRule ^old$ /new [R=301,L]\n${toIndex}`],
    ["a rule of its conditional section", `<IfModule mod_rewrite.c>\n${notFile}${page}${toIndex}</IfModule>\n`],
    ["a denial", `${notFile}RewriteRule ^private - [F]\n${toIndex}`],
    ["another variable", `RewriteCond %{DOCUMENT_ROOT}%{REQUEST_URI} !-f\n${page}${toIndex}`],
    ["a rule that only sets a variable", `${notFile}RewriteRule ^ - [E=MISSING:1]\n${toIndex}`],
    ["a rule that ends the rules for some paths", `${notFile}RewriteRule ^[^.]+$ - [F]\n${toIndex}`],
    ["a rule that ends the rules for paths without a match", `${notFile}RewriteRule !^a - [F]\n${toIndex}`],
    ["a rule that is chained to one for some paths", `${notFile}RewriteRule ^a - [C]\nRewriteRule b - [F]\n${toIndex}`],
  ])("%s", (_, text) => {
    expect(inFile(text)).toMatchObject([{ severity: "info", rule: "wrong-target-path" }]);
    expect(onDisk(text)).toMatchObject([{ severity: "warning" }]);
  });
});

describe("does not report a rule without conditions", () => {
  test.each([
    ["the only rule", toIndex],
    ["before the conditions", `${toIndex}${notFile}${page}`],
    [
      "after another rule with other conditions",
      `${notFile}${page}RewriteCond %{HTTP_HOST} ^a\nRewriteRule ^c$ d [L]\n${toIndex}`,
    ],
    ["for the rest of the paths", `${notFile}${page}RewriteRule ^app/ index.php [L]\n`],
    ["without the extensions of files", `${notFile}${page}RewriteRule ^[^.]*$ index.php [L]\n`],
    ["after a rule for files that exist", `RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [L]\n${toIndex}`],
    ["after folders with files", `${notFile}${page}RewriteRule \\.(css|js|png)$ - [L]\n${toIndex}`],
    ["with a static page", `${notFile}${page}RewriteRule ^ maintenance.html [L]\n`],
    ["with the path", `${notFile}${page}RewriteRule ^(.*)$ public/$1 [L]\n`],
    ["a redirect", `${notFile}${page}RewriteRule ^ /index.php [R,L]\n`],
    [
      "in another conditional section",
      `${notFile}<IfModule mod_fcgid.c>\nRewriteRule ^(.*)$ a.fcgi [L]\n</IfModule>\n<IfModule mod_cgi.c>\n${toIndex}</IfModule>\n`,
    ],
    ["after one that ends missing files", `${notFile}RewriteRule ^ - [R=404,L]\nRewriteRule ^ gate.php [L]\n`],
    ["after one that denies missing files", `${notFile}RewriteRule . - [F]\nRewriteRule ^ gate.php [L]\n`],
    [
      "after one that leads missing files elsewhere",
      `${notFile}RewriteRule ^(.*)$ /404.php [L]\nRewriteRule ^(.*)$ download.php?file=$1 [L]\n`,
    ],
    [
      "after one that redirects missing files and directories",
      `${notFile}${notDirectory}RewriteRule ^ https://b.test/ [R,L]\nRewriteRule ^ gate.php [L]\n`,
    ],
    [
      "after one that ends missing files, and others",
      `${notFile}RewriteRule ^ - [G]\n${notFile}${page}RewriteRule ^b$ b.php [L]\nRewriteRule ^ gate.php [L]\n`,
    ],
    ["that missing files skip", `${notFile}RewriteRule ^ - [S=1]\nRewriteRule ^ gate.php [L]\n`],
    [
      "after a chain that ends missing files",
      `${notFile}RewriteRule ^ - [C]\nRewriteRule ^ - [R=404]\nRewriteRule ^ gate.php [L]\n`,
    ],
    ["with END for the rest", `${notFile}RewriteRule ^ index.php [END]\n`],
  ])("%s", (_, text) => {
    expect(inFile(text)).toEqual([]);
    expect(onDisk(text)).toEqual([]);
  });
});

describe("does not report", () => {
  test.each([
    ["both tests", notFile + notDirectory + toIndex],
    [
      "a rule that ends the rules for files",
      `RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [L]\n${notDirectory}${toIndex}`,
    ],
    ["a test of the size", `RewriteCond %{REQUEST_FILENAME} !-s\n${notDirectory}${toIndex}`],
    ["no test of files", toIndex],
    [
      "extensions that a condition leaves out",
      `RewriteCond %{REQUEST_URI} !\\.(css|js|png)$\n${notDirectory}${toIndex}`,
    ],
    ["extensions that another rule leaves out", `RewriteRule \\.(css|js|png)$ - [L]\n${notDirectory}${toIndex}`],
    ["a pattern without a dot", `${notDirectory}RewriteRule ^([^.]*)$ index.php [L]\n`],
    ["a pattern for some paths", `${notDirectory}RewriteRule ^api/(.*)$ index.php [L]\n`],
    [
      "a directory for the files",
      `${notDirectory}RewriteRule ^(?!assets/|static/).*$ index.php [L]\nRewriteRule ^(style|script|logo) - [L]\n`,
    ],
    [
      "folders that a condition for the match leaves out",
      `${notDirectory}RewriteCond $1 !^(index\\.php|images|css|js|robots\\.txt)\nRewriteRule ^(.*)$ index.php/$1 [L]\n`,
    ],
    [
      "folders that a condition for the match leaves out, and a query",
      `${notDirectory}RewriteCond $1 !^(index\\.php|images|css|js)\nRewriteRule ^(.*)$ index.php?u=$1 [L]\n`,
    ],
    ["folders that another rule leaves out", `RewriteRule ^(css|js)/ - [L]\n${notDirectory}${toIndex}`],
    ["a static page", `${notDirectory}RewriteRule ^ maintenance.html [L]\n`],
    ["a static page in a folder", `${notDirectory}RewriteRule ^ errors/down.html?x [L]\n`],
    [
      "a page for some clients",
      `RewriteCond %{REMOTE_ADDR} !^192\\.0\\.2\\.\n${notDirectory}RewriteRule ^ closed.php [L]\n`,
    ],
    ["a page without a cookie", `RewriteCond %{HTTP_COOKIE} !preview\n${notDirectory}RewriteRule ^ closed.php [L]\n`],
    ["a target with the path", `${notDirectory}RewriteRule ^(.*)$ public/$1 [L]\n`],
    ["a loop, which rewrite-loop reports", `${notDirectory}RewriteRule ^ /index.php [L]\n`],
    ["a loop with a path after the file", `${notDirectory}RewriteRule ^(.*)$ index.php/$1 [L]\n`],
    ["a redirect", `${notDirectory}RewriteRule ^ /index.php [R,L]\n`],
    ["a denial", `${notDirectory}RewriteRule ^ - [F]\n`],
    ["a header that few clients send", `${notDirectory}RewriteCond %{HTTP:X-Api} ^1$\n${toIndex}`],
  ])("%s", (_, text) => {
    expect(inFile(text)).toEqual([]);
  });

  test.each(["css", "js", "images", "img", "assets", "static"])("a condition that leaves out the folder %s", (name) => {
    expect(inFile(`${notDirectory}RewriteCond %{REQUEST_URI} !^/${name}/\n${toIndex}`)).toEqual([]);
  });

  test("a directory without such files", () => {
    expect(onDisk(notDirectory + toIndex, {})).toEqual([]);
    expect(onDisk(notDirectory + toIndex, { "/srv/lib/a.php": "", "/srv/data/x.json": "" })).toEqual([]);
  });

  test("files that a `.htaccess` file of their directory leaves out", () => {
    const own = { "/srv/css/.htaccess": "RewriteEngine Off\n", "/srv/css/a.css": "" };
    expect(onDisk(notDirectory + toIndex, own)).toEqual([]);
  });
});
