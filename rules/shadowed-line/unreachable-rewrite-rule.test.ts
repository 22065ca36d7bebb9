import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, onlyVariant, section } from "../../test/support/rules.js";
import { shadowedLine } from "./shadowed-line.js";

const check = (text: string) => findingsOf([shadowedLine], text, { kind: "htaccess" }).map((finding) => finding.text);

const later = "RewriteRule ^a - [F]";

describe("reports a rule after", () => {
  test.each([
    "RewriteRule ^ - [L]",
    "RewriteRule .* - [END]",
    "RewriteRule ^(.*)$ /x [F]",
    "RewriteRule (.*) - [G,NC]",
    "RewriteRule ^ index.php [L]",
    "RewriteRule ^(.*)$ index.php?q=$1 [QSA,L]",
  ])("%s", (line) => {
    expect(check(`${line}\n${later}\n`)).toEqual([later]);
  });

  test("with the number of rules", () => {
    const [finding] = findingsOf([shadowedLine], `RewriteRule ^ - [L]\n${later}\n${later}\n${later}\n`);
    expect(finding?.notes?.[1]).toBe("this and the 2 rules after it have no effect");
  });
});

describe("does not report a rule after", () => {
  test.each([
    "RewriteRule ^ - [R=301]",
    "RewriteRule ^ab - [L]",
    "RewriteRule !^ - [L]",
    "RewriteCond %{HTTPS} off\nRewriteRule ^ - [L]",
    "RewriteRule .. - [L]",
    "RewriteRule ^b - [C]\nRewriteRule ^ - [L]",
    "RewriteRule ^b - [S=1]\nRewriteRule ^ - [L]",
    "RewriteRule ^ - [L,NS]",
  ])("%j", (lines) => {
    expect(check(`${lines}\n${later}\n`)).toEqual([]);
  });

  test("one in another section", () => {
    expect(check(`RewriteRule ^ - [L]\n<Files x>\n${later}\n</Files>\n`)).toEqual([]);
    expect(check(inDirectory("RewriteRule ^ - [L]") + inDirectory(later))).toEqual([]);
  });
});

describe("compares many rules", () => {
  const rules = (write: (index: number) => string) => Array.from({ length: 3000 }, (_, index) => write(index));

  test.each([
    [
      "with a path",
      (index: number) => `RewriteRule ^old${index}/(.*)$ new${index}/$1 [L]`,
      "RewriteRule ^old7/a$ a [L]",
    ],
    ["without a start", (index: number) => `RewriteRule /old${index}$ new${index} [L]`, "RewriteRule ^x/old7$ a [L]"],
    ["in any case", (index: number) => `RewriteRule ^Old${index}- new${index} [NC,L]`, "RewriteRule ^oLD7-a a [L]"],
  ])("%s", (_, write, last) => {
    const finding = { text: last, related: [".htaccess:8:1: takes the same requests"] };
    const text = [...rules(write), last].join("\n");
    const found = findingsOf([onlyVariant(shadowedLine, "unreachable-rewrite-rule")], `${text}\n`, {
      kind: "htaccess",
    });
    expect(found).toMatchObject([finding]);
  });

  test.each([
    ["for one name each", (index: number) => `^h${index}\\.test$ [NC]`, "^h7\\.test$ [NC]"],
    ["for all names but one", (index: number) => `!^h${index}\\.test$ [NC]`, "!h7\\.test$ [NC]"],
  ])("%s", (_, write, last) => {
    const list = Array.from(
      { length: 600 },
      (_, index) => `${write(index)}\nRewriteRule ^(.*)$ https://x${index}.test/$1`,
    );
    const text = [...list, `${last}\nRewriteRule ^a$ /a`].map((each) => `RewriteCond %{HTTP_HOST} ${each} [R=301,L]`);
    const found = findingsOf([onlyVariant(shadowedLine, "unreachable-rewrite-rule")], `${text.join("\n")}\n`, {
      kind: "htaccess",
    });
    expect(found).toMatchObject([{ related: [".htaccess:16:1: takes the same requests"] }]);
  });
});

const front = "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /index.php [L]";
const toHttps = "RewriteRule ^ https://%{HTTP_HOST}%{REQUEST_URI} [R=301,L]";
const headers = (text: string) =>
  findingsOf([shadowedLine], `${text}\n`, { kind: "htaccess" }).map(({ message, text: line }) => [line, message]);

describe("reports a rule whose requests an earlier rule takes", () => {
  test.each<[string, string]>([
    ["RewriteRule ^shop/(.*)$ shop.php?p=$1 [L]", "RewriteRule ^shop/cart$ cart.php [L]"],
    ["RewriteRule ^([^/]+)/?$ page.php?n=$1 [L,QSA]", "RewriteRule ^contact/?$ contact.php [L]"],
    ["RewriteRule ^blog https://blog.test/ [R=301,L]", "RewriteRule ^blog/feed$ /feed [R=301,L]"],
    ["RewriteRule !\\.php$ index.php [END]", "RewriteRule ^about$ about.php [L]"],
    ["RewriteRule ^API/ - [F,NC]", "RewriteRule ^api/v1$ /v1 [L]"],
    ["RewriteRule ^api/(.*)$ http://127.0.0.1:81/$1 [P]", "RewriteRule ^api/v1/(.*)$ http://127.0.0.1:82/$1 [P]"],
    [`RewriteCond %{HTTPS} off\n${toHttps}`, "RewriteCond %{HTTPS} off\nRewriteRule ^old$ /new [R,L]"],
    [
      `RewriteCond %{HTTP_HOST} !^www\\.\n${toHttps}`,
      "RewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^old$ /new [R,L]",
    ],
    [
      `RewriteCond %{HTTP_HOST} ^a\\.test [NC]\n${toHttps}`,
      "RewriteCond %{HTTP_HOST} ^a\\.test$\nRewriteRule ^x$ /y [L]",
    ],
    [
      "RewriteCond %{REQUEST_METHOD} ^(GET|HEAD)$\nRewriteRule ^a /x [L]",
      "RewriteCond %{REQUEST_METHOD} ^GET$\nRewriteRule ^ab$ /y [L]",
    ],
  ])("%s, then %s", (earlier, later) => {
    const line = later.split("\n").at(-1);
    expect(headers(`${earlier}\n${later}`)).toEqual([[line, "rewrite rule is never reached"]]);
    // A rule between them that keeps the path changes nothing.
    expect(headers(`${earlier}\nRewriteRule ^z/z/z\\.php$ - [F]\n${later}`)).toEqual([
      [line, "rewrite rule is never reached"],
    ]);
    expect(headers(`${later}\n${earlier}`)).toEqual([]);
  });

  test.each([
    ["^old-page$", "RewriteRule ^old-page$ /new-page [R=301,L]"],
    ["^(.*)$", "RewriteCond %{HTTPS} off\nRewriteRule ^(.*)$ https://%{HTTP_HOST}/$1 [R=301,L]"],
    ["^", `RewriteCond %{HTTP_HOST} !^www\\. [NC]\n${toHttps}`],
    ["^blog/([0-9]+)/(.*)$", "RewriteRule ^blog/([0-9]+)/(.*)$ https://blog.test/$2 [R=301,L]"],
  ])("except for files: %s", (pattern, later) => {
    const line = later.split("\n").at(-1);
    const message = `redirect of \`${pattern}\` applies only to files and directories that exist`;
    expect(headers(`RewriteRule ^index\\.php$ - [L]\n${front}\n${later}`)).toEqual([[line, message]]);
    expect(headers(`${later}\n${front}`)).toEqual([]);
  });
});

describe("a variable that is set after a rule for all that does not exist", () => {
  const variable = "RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]";
  const notFile = "RewriteCond %{REQUEST_FILENAME} !-f\n";
  const own = "RewriteRule ^index\\.php$ - [L]";
  const found = (what: string, pattern = ".*") => [
    [expect.stringContaining("[E="), `rule of \`${pattern}\` applies only to ${what} that exist`],
  ];
  const headers = (text: string, place = (lines: string) => lines) =>
    findingsOf([onlyVariant(shadowedLine, "unreachable-rewrite-rule")], place(`RewriteEngine On\n${text}`), {
      kind: place("").length === 0 ? "htaccess" : "fragment",
    }).map(({ text: line, message }) => [line, message]);
  const inHost = (lines: string) => section("VirtualHost *:80", lines.trim());

  test("is reported", () => {
    expect(headers(`${own}\n${front}\n${variable}`)).toEqual(found("files and directories"));
    expect(headers(`${notFile}RewriteRule ^ index.php [END]\n${variable}`)).toEqual(found("files"));
    const conditional = `RewriteCond %{HTTP:Authorization} .\n${variable.replace(".*", "^")}`;
    expect(headers(`${own}\n${front}\n${conditional}`)).toEqual(found("files and directories", "^"));
    const ofHost = notFile.replace("%{REQUEST_FILENAME}", "%{DOCUMENT_ROOT}%{REQUEST_URI}");
    expect(headers(`${ofHost}RewriteRule ^ /index.php [L]\n${variable}`, inHost)).toEqual(found("files"));
  });

  test.each([
    ["before it", `${variable}\n${own}\n${front}`],
    ["if the target reaches it", `${notFile}RewriteRule ^ index.php [L]\n${variable}`],
    ["if a rule for another file ends", `RewriteRule ^app\\.php$ - [L]\n${front}\n${variable}`],
    ["if the rule for the target has a condition", `RewriteCond %{HTTPS} on\n${own}\n${front}\n${variable}`],
    ["for files", `${own}\n${front}\nRewriteRule \\.(woff2?|eot)$ - [E=FONT:1]`],
    ["for a file that exists", `${own}\n${front}\n${notFile.replace("!", "")}${variable}`],
    ["for other paths", `${own}\n${notFile}RewriteRule ^app/ index.php [L]\n${variable}`],
  ])("is not reported %s", (_, text) => {
    expect(headers(text)).toEqual([]);
  });
});

describe("reports a rule for pages after a rule for all that does not exist", () => {
  const taken = (what: string, ...conditions: readonly string[]) => ({
    what,
    before: `${conditions.map((test) => `RewriteCond %{REQUEST_FILENAME} ${test}\n`).join("")}RewriteRule ^(.*)$ index.php?q=$1 [L,QSA]`,
  });
  const both = taken("files and directories", "!-f", "!-d");
  const onlyFiles = taken("files", "!-f");

  test.each([
    [both, "^product/([0-9]+)$", "product.php?id=$1 [L,QSA]"],
    [both, "^user/(\\w+)/?$", "/profile.php?name=$1 [L,QSA]"],
    [both, "^([a-z]+)/([a-z-]+)$", "list.php/$1/$2 [L]"],
    [onlyFiles, "^contact$", "contact.php [L]"],
    [onlyFiles, "^tag/([a-z]+)$", "tags.cgi?t=$1 [L,QSA]"],
    [taken("directories", "!-d"), "^tag/([a-z]+)$", "tags.php?t=$1 [L,QSA]"],
  ])("%o, then %s %s", ({ what, before }, pattern, target) => {
    const line = `RewriteRule ${pattern} ${target}`;
    const message = `rule of \`${pattern}\` applies only to ${what} that exist`;
    expect(headers(`${before}\n${line}`)).toEqual([[line, message]]);
    expect(headers(`${line}\n${before}`)).toEqual([]);
  });

  test.each([
    [["!-d"], "directory"],
    [["!-f"], "file"],
    [["!-f", "!-d"], "file or directory"],
    [["!-l", "!-f"], "file"],
  ])("with a note about what the earlier rule tests: %s", (tests, missing) => {
    const { before } = taken("", ...tests);
    const text = inDirectory(`RewriteEngine On\n${before}\nRewriteRule ^user/(\\w+)$ user.php?u=$1 [L]`);
    const [finding] = findingsOf([shadowedLine], text);
    expect(finding?.notes?.[0]).toBe(`an earlier rule takes all requests for which no ${missing} exists`);
    expect(finding?.related).toEqual([expect.stringContaining(`takes requests for which no ${missing} exists`)]);
  });

  test.each([
    ["%{DOCUMENT_ROOT}/static/%{REQUEST_URI} !-f", 0],
    ["%{DOCUMENT_ROOT}/cache%{REQUEST_URI} !-f", 0],
    ["%{REQUEST_FILENAME}.html !-f", 0],
    ["%{REQUEST_FILENAME} !-l", 0],
    ["%{DOCUMENT_ROOT}%{REQUEST_URI} !-f", 1],
    ["%{DOCUMENT_ROOT}/%{REQUEST_URI} !-f", 1],
    ["%{SCRIPT_FILENAME} !-f", 1],
  ])("and the path of the request itself: %s", (condition, count) => {
    const lines = `RewriteCond ${condition}\nRewriteRule . /index.php [L]\nRewriteRule ^api/(\\d+)$ /api.php?i=$1 [L]`;
    expect(headers(lines)).toHaveLength(count);
  });

  test.each([
    // The directory of the file, or the document root, exists.
    [both, "^$", "home.php [L]"],
    [both, "^/?$", "home.php [L]"],
    // A directory may have this path.
    [both, "^docs/?$", "docs/start.php [L]"],
    // Programs may send files that exist.
    [both, "^files/(.*)$", "download.php?f=$1 [L,QSA]"],
    [both, "^(.+)\\.jpg$", "image.php?f=$1 [L,QSA]"],
    [both, "^(.*)$", "public/$1 [L]"],
    [both, "^cache/([0-9]+)$", "- [E=A:1]"],
    [onlyFiles, "^(.*)$", "index.php?q=$1 [L,QSA]"],
  ])("but not %o, then %s %s", ({ before }, pattern, target) => {
    const found = headers(`${before}\nRewriteRule ${pattern} ${target}`);
    expect(found.filter(([, message = ""]) => message.includes("applies only"))).toEqual([]);
  });

  // A live 2.4.71 redirects `/` in all of these.
  test.each([front, front.replace("RewriteRule .", "RewriteRule ^(.*)$")])(
    "nor a redirect of the root: %s",
    (before) => {
      expect(headers(`${before}\nRewriteRule ^$ /home [R=301,L]`)).toEqual([]);
    },
  );
});

describe("does not report a rule whose requests an earlier rule leaves", () => {
  test.each<[string, string]>([
    ["RewriteRule ^shop/(.+)$ shop.php?p=$1 [L]", "RewriteRule ^shop/?$ all.php [L]"],
    ["RewriteRule ^shop/(.*)$ shop.php?p=$1", "RewriteRule ^shop/cart$ cart.php [L]"],
    ["RewriteRule ^api/ - [F]", "RewriteRule ^API/v1$ /v1 [NC,L]"],
    [`RewriteCond %{HTTPS} off\n${toHttps}`, "RewriteRule ^old$ /new [R,L]"],
    [`RewriteCond %{HTTPS} off\n${toHttps}`, "RewriteCond %{HTTPS} on\nRewriteRule ^old$ /new [R,L]"],
    [
      `RewriteCond %{HTTPS} off [OR]\nRewriteCond %{HTTP_HOST} ^a\n${toHttps}`,
      "RewriteCond %{HTTPS} off\nRewriteRule ^old$ /new [L]",
    ],
    [
      "RewriteCond %{HTTPS} off\nRewriteRule ^a /x [L]",
      "RewriteCond %{HTTPS} off [OR]\nRewriteCond %{HTTP_HOST} ^a\nRewriteRule ^a /new [L]",
    ],
    ["RewriteRule ^x$ - [L]\nRewriteRule ^y$ x", "RewriteRule ^x$ z [L]"],
    [
      "RewriteCond %{ENV:A} 1\nRewriteRule ^x$ - [L]\nRewriteRule ^ - [E=A:1]",
      "RewriteCond %{ENV:A} 1\nRewriteRule ^x$ z [L]",
    ],
    ["RewriteRule ^a$ - [S=1]\nRewriteRule ^x - [L]", "RewriteRule ^x$ z [L]"],
    [front, "RewriteRule \\.(jpg|png)$ - [F]"],
    [front, "RewriteRule ^old\\.html$ /new [R=301,L]"],
    [front, "RewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^(.*[^/])$ /$1/ [R=301,L]"],
    [front, "RewriteRule ^wp-admin - [F]"],
    ["RewriteCond %{REQUEST_FILENAME} -f [OR]\nRewriteCond %{REQUEST_FILENAME} -d\nRewriteRule ^ - [L]", toHttps],
    ["RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^app/ /app.php [L]", toHttps],
  ])("%s, then %s", (earlier, later) => {
    expect(headers(`${earlier}\n${later}`)).toEqual([]);
  });
});

describe("a rule that MultiViews hides", () => {
  /** mod_negotiation chooses only files whose type is known. */
  const types = "AddType text/html .html .php\n";
  const views = `${types}Options +MultiViews\n`;
  const found = (text: string, given: Given) => findingsOf([shadowedLine], text, given).map(({ message }) => message);
  const hidden = (name: string) => `rule never applies: MultiViews finds \`${name}\` first`;
  const alone = (lines: string, files: Given["files"] = {}) =>
    found(`${views}RewriteEngine On\n${lines}\n`, { kind: "htaccess", files });

  test.each([
    ["RewriteRule ^news/(\\d+)$ news.php?id=$1 [L]", "news.php"],
    ["RewriteRule ^news/([a-z]+)/?$ news.php?name=$1 [L,QSA]", "news.php"],
    ["RewriteRule ^news/(.*)$ /news.php?path=$1 [L]", "news.php"],
    ["RewriteRule ^shop/item-([0-9]+)$ shop.html?item=$1", "shop.html"],
    ["RewriteRule ^news/(.+)$ news.php?a=$1\nRewriteRule ^news/a/(.+)$ news.php?b=$1", "news.php"],
  ])("is reported: %s", (lines, name) => {
    expect(alone(lines)).toEqual([hidden(name)]);
  });

  test("is reported with the files of the disk", () => {
    const files = { "/srv/old.html": "x" };
    expect(alone("RewriteRule ^old/(.*)$ /new/$1 [R=301,L]", files)).toEqual([hidden("old.html")]);
    expect(alone("RewriteRule ^old/(.*)$ /new/$1 [R=301,L]")).toEqual([]);
  });

  test.each([
    ["Options Indexes FollowSymLinks MultiViews", 1],
    ["Options +MultiViews", 1],
    ["Options Indexes FollowSymLinks", 0],
    ["Options All", 0],
    ["Options +MultiViews\nOptions -MultiViews", 0],
  ])("in a section with %j", (options, count) => {
    const rules = `${options}\nRewriteEngine On\nRewriteRule ^news/(\\d+)$ news.php?id=$1`;
    const text = `${types}DocumentRoot /srv\n${inDirectory(rules)}`;
    expect(found(text, { files: { "/srv/news.php": "x" } })).toHaveLength(count);
    expect(found(text, { files: { "/srv/other.php": "x" } })).toEqual([]);
  });

  test.each([
    "RewriteRule ^news$ news.php [L]",
    "RewriteRule ^news/(.*)$ news.php/$1 [L]",
    "RewriteRule ^news(?:\\.php)?/(\\d+)$ news.php?id=$1 [L]",
    "RewriteRule ^article/(\\d+)$ news.php?id=$1 [L]",
    "RewriteRule ^(.*)$ index.php?q=$1 [L]",
    "RewriteRule ^news\\.php$ index.php?q=news [L]",
    "Options -MultiViews\nRewriteRule ^news/(\\d+)$ news.php?id=$1 [L]",
  ])("is not reported: %s", (lines) => {
    expect(alone(lines)).toEqual([]);
  });

  test("is not reported without MultiViews, and in a virtual host", () => {
    const rule = "RewriteRule ^news/(\\d+)$ news.php?id=$1 [L]";
    expect(found(`RewriteEngine On\n${rule}\n`, { kind: "htaccess" })).toEqual([]);
    const host = section("VirtualHost *", "DocumentRoot /srv", "RewriteEngine On", rule.replace("^", "^/"));
    expect(found(`${types}${inDirectory("Options +MultiViews")}${host}`, { files: { "/srv/news.php": "x" } })).toEqual(
      [],
    );
  });
});

test("a rule that does the same as the one that takes its requests is to be deleted", () => {
  const given: Given = { kind: "htaccess" };
  const same = "RewriteEngine On\nRewriteRule ^img/ - [L]\nRewriteRule ^img/logo\\.png - [L]\n";
  expect(findingsOf([shadowedLine], same, given)).toMatchObject([{ severity: "info", help: ["delete it"] }]);
  const other = same.replace("png - ", "png /logo.png ");
  expect(findingsOf([shadowedLine], other, given)).toMatchObject([{ severity: "warning" }]);
  const groups = "RewriteEngine On\nRewriteRule ^a(.*)$ /x/$1 [L]\nRewriteRule ^a/b(.*)$ /x/$1 [L]\n";
  expect(findingsOf([shadowedLine], groups, given)).toMatchObject([{ severity: "warning" }]);
});

test("a redirect of files may be after the front controller", () => {
  const after = (pattern: string) =>
    findingsOf(
      [shadowedLine],
      `RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule . /index.php [L]\nRewriteRule ${pattern} https://cdn.example.net/$0 [R=301,L]\n`,
      { kind: "htaccess" },
    );
  for (const pattern of ["\\.(?:jpe?g|png)$", "\\.[a-z]+$", "[.]png$", "\\.((?:jpe?g)|png)$"])
    expect(after(pattern)).toEqual([]);
  expect(after("^pictures/")).toHaveLength(1);
});
