import { describe, expect, test } from "vitest";
import { type Asked, answerFor, causesOf, closeMissesOf } from "./explained.js";

const files = ["a.html", "a.css", "a.js", "a.png", "text.woff2", "a.xyz", "a.html.utf8", "fonts/x.woff", "apis/x.json"];
const served = { files: files.map((name) => `/srv/www/${name}`) };
const origin = { headers: { Origin: "https://app.example.com" } };

/** Returns the Content-Type header with the lines that decide it, and the other lines for headers. */
function headersOf(lines: readonly string[], path: string, asked: Asked = {}): readonly unknown[] {
  const { contentType, lines: others = [] } = answerFor(lines, path, { ...served, ...asked }).sentHeaders ?? {};
  const written = (line: { readonly name: string; readonly argumentText: string }) =>
    `${line.name} ${line.argumentText}`;
  return [contentType?.value, ...(contentType?.lines ?? []).map(written), ...others.map(written)];
}

describe("the Content-Type of a file", () => {
  const files = (lines: readonly string[], path: string, asked: Asked = {}) => headersOf(lines, path, asked);

  // test/live: each value as the server sends it.
  test.each([
    [["AddDefaultCharset ISO-8859-2"], "/a.html", "text/html; charset=ISO-8859-2"],
    [["AddDefaultCharset On"], "/a.html", "text/html; charset=iso-8859-1"],
    [["AddCharset UTF-8 .html"], "/a.html", "text/html; charset=utf-8"],
    [["AddCharset UTF-8 .utf8"], "/a.html.utf8", "text/html; charset=utf-8"],
    [["ForceType Application/X-A"], "/a.html", "application/x-a"],
    [["AddType Text/X-Y .xyz"], "/a.xyz", "text/x-y"],
    [["AddType text/x-y;charset=utf-8 .css"], "/a.css", "text/x-y;charset=utf-8"],
  ])("is decided by %j for %s", (lines, path, value) => {
    expect(files(lines, path)).toEqual([value, ...lines]);
  });

  test("is decided by a type and a character set", () => {
    const [type, charset] = ["AddType text/html .xyz", "AddDefaultCharset utf-8"];
    expect(files([type, charset], "/a.xyz")).toEqual(["text/html; charset=utf-8", type, charset]);
    const both = [charset, "AddCharset latin1 .html"];
    expect(files(both, "/a.html")).toEqual(["text/html; charset=latin1", both[1]]);
  });

  test("is decided by DefaultType in 2.2", () => {
    const line = "DefaultType text/x-y";
    expect(headersOf([line], "/plain", { files: ["/srv/www/plain"], release: "2.2" })).toEqual(["text/x-y", line]);
  });

  test.each([
    [[], "/a.html"],
    [["AddDefaultCharset Off"], "/a.html"],
    [["AddDefaultCharset utf-8"], "/a.css"],
    [["AddDefaultCharset utf-8"], "/a.xyz"],
    [["AddType text/x-y .abc"], "/a.xyz"],
    [["AddType text/html .xyz", "RemoveType .xyz"], "/a.xyz"],
    [["ForceType None"], "/a.html"],
    [["AddDefaultCharset utf-8"], "/none.html"],
    [["AddDefaultCharset utf-8", "ProxyPass / http://127.0.0.1:3000/"], "/a.html"],
  ])("twin: no line decides it, or it is not known: %j for %s", (lines, path) => {
    expect(files(lines, path)).toEqual([undefined]);
  });
});

describe("the lines for headers that apply", () => {
  const set = "Header set X-A 1";
  const always = "Header always set X-B 1";

  test.each([
    [[set, always], "/a.html", [set, always]],
    [[set, always], "/none", [always]],
    [[set, "Header set X-A 2"], "/a.html", ["Header set X-A 2"]],
    [[set, "Header append X-A 2"], "/a.html", [set, "Header append X-A 2"]],
    [[set, "Header setifempty X-A 2"], "/a.html", [set]],
    [[set, "Header unset X-A"], "/a.html", ["Header unset X-A"]],
    [["Header always set X-A 1", "Header unset X-A"], "/a.html", ["Header unset X-A", "Header always set X-A 1"]],
    [["Header set X-A 1 early"], "/a.html", []],
    [["Header set X-A 1 env=a"], "/a.html", []],
    [["SetEnvIf Request_URI html a", "Header set X-A 1 env=a"], "/a.html", ["Header set X-A 1 env=a"]],
    [['<Files "*.css">', set, "</Files>"], "/a.css", [set]],
    [['<Files "*.css">', set, "</Files>"], "/a.html", []],
    [[set, "ProxyPass / http://127.0.0.1:3000/"], "/a.html", [set]],
    [["ExpiresActive On", "ExpiresDefault A60"], "/a.html", ["ExpiresDefault A60"]],
    [
      ["ExpiresActive On", "ExpiresDefault A60", "ExpiresByType text/css A90"],
      "/a.css",
      ["ExpiresByType text/css A90"],
    ],
    [["ExpiresActive On", "ExpiresDefault A60", "ExpiresByType text/* A90"], "/a.css", ["ExpiresByType text/* A90"]],
    [["ExpiresActive On", "ExpiresDefault A60", "ExpiresByType text/css A90"], "/a.png", ["ExpiresDefault A60"]],
    [["ExpiresDefault A60"], "/a.html", []],
    [["ExpiresActive On", "ExpiresDefault A60"], "/none", []],
  ])("of %j for %s: %j", (lines, path, expected) => {
    expect(headersOf(lines, path).slice(1)).toEqual(expected);
  });
});

describe("a line for headers that comes close", () => {
  const missesOf = (lines: readonly string[], path: string, asked: Asked = {}) =>
    closeMissesOf(lines, path, { ...served, ...asked });
  const cors = 'Header set Access-Control-Allow-Origin "*"';

  test.each([
    ['<FilesMatch "\\.(eot|ttf|woff)$">', "/text.woff2", "\\.(eot|ttf|woff|woff2)$"],
    ['<FilesMatch "\\.(?:css|png)$">', "/a.js", "\\.(?:css|png|js)$"],
    ['<FilesMatch "\\.css$">', "/a.js", "\\.(?:css|js)$"],
    ['<Files ~ "\\.(css)$">', "/a.js", "\\.(css|js)$"],
    ['<Files "*.css">', "/a.js", "\\.(?:css|js)$"],
  ])("is in %s, for %s", (section, path, pattern) => {
    const end = section.startsWith("<FilesMatch") ? "</FilesMatch>" : "</Files>";
    const [first, help] = missesOf([section, cors, end], path);
    expect(first).toContain(`\`${path.slice(1)}\`, so its \`${cors}\` does not apply`);
    expect(help).toBe(`help: use \`<FilesMatch "${pattern}">\``);
    const corrected = [`<FilesMatch "${pattern}">`, cors, "</FilesMatch>"];
    expect(headersOf(corrected, path).slice(1)).toEqual([cors]);
    expect(missesOf(corrected, path)).toEqual([]);
  });

  test.each([
    [['<FilesMatch "\\.(css|js)$">', cors, "</FilesMatch>"], "/a.html"],
    [['<FilesMatch "\\.(css|js)$">', cors, "</FilesMatch>"], "/a.png"],
    [['<FilesMatch "\\.css$">', "Require all granted", "</FilesMatch>"], "/a.js"],
    [['<FilesMatch "\\.css$">', cors, "</FilesMatch>", cors], "/a.js"],
    [['<Files "other.css">', cors, "</Files>"], "/a.css"],
    [['<Files "*.css">', "Header unset X-A", "</Files>"], "/a.js"],
    [['<Location "/api">', cors, "</Location>"], "/a.js"],
    [['<Location "/other/">', cors, "</Location>"], "/apis/x.json"],
    [['<Files "*.css">', "AddType text/x-y .js", "</Files>"], "/a.html"],
  ])("twin: is for other files, or the response has the header: %j", (lines, path) => {
    expect(missesOf(lines, path)).toEqual([]);
  });

  test.each([
    ["/api/", "/apis/x.json", "/apis/"],
    ["/api", "/apis/x.json", "/apis"],
    ["/x.json", "/apis/x.json", undefined],
    ["/fonts/", "/static/fonts/x.woff", "/static/fonts/"],
  ])("is in a section for the path %s, for %s", (from, path, to) => {
    const asked = { files: [`/srv/www${path}`] };
    const misses = missesOf([`<Location "${from}">`, cors, "</Location>"], path, asked);
    if (to === undefined) {
      expect(misses).toEqual([]);
      return;
    }
    const added = [`<Location "${to}">`, cors, "</Location>"];
    expect(misses).toEqual([
      `<Location "${from}">: it is not for \`${path}\`, so its \`${cors}\` does not apply`,
      `help: for this path as well, add \`${added[0]}\`, \`${cors}\` and \`</Location>\``,
    ]);
    expect(headersOf(added, path, asked).slice(1)).toEqual([cors]);
  });

  test("is in any section, if a script of another origin asks", () => {
    const lines = ['<Location "/other/">', cors, "</Location>"];
    expect(missesOf(lines, "/apis/x.json", origin)[0]).toContain("it is not for `/apis/x.json`");
    expect(missesOf(lines, "/apis/x.json")).toEqual([]);
  });

  test("is deleted by a later line", () => {
    const lines = ["Header set X-A 1", "<Location />", "Header unset X-A", "</Location>"];
    expect(missesOf(lines, "/a.html")).toEqual([
      "Header set X-A 1: `Header unset X-A` comes later, and deletes the header",
      "help: if this response is to have it, delete `Header unset X-A`",
    ]);
    expect(missesOf([...lines, "Header always set X-A 1"], "/a.html")).toEqual([]);
    expect(missesOf(["Header unset X-A", "Header set X-A 1"], "/a.html")).toEqual([]);
  });

  const reflected = 'Header set Access-Control-Allow-Origin "%{O}e" env=O';

  test("has a condition on a variable that the origin does not set", () => {
    const setter = 'SetEnvIf Origin "^https://www\\.example\\.com$" O=$0';
    const corrected = 'SetEnvIf Origin "^https://www\\.example\\.com$|^https://app\\.example\\.com$" O=$0';
    expect(missesOf([setter, reflected], "/a.js", origin)).toEqual([
      `${setter}: its pattern does not match \`https://app.example.com\`, so \`${reflected}\` does not apply`,
      `help: to allow this origin, use \`${corrected}\``,
    ]);
    expect(missesOf([corrected, reflected], "/a.js", origin)).toEqual([]);
    expect(missesOf([setter, reflected], "/a.js")).toEqual([]);
    expect(headersOf([corrected, reflected], "/a.js", origin).slice(1)).toEqual([reflected]);
  });

  test.each([
    ["^https://www\\.example\\.com$", "1", "^https://www\\.example\\.com$|^https://app\\.example\\.com$"],
    ["^(https://www\\.example\\.com)$", "$0", "^(https://www\\.example\\.com)$|^https://app\\.example\\.com$"],
    ["^(https://www\\.example\\.com)$", "$1", "^(https://www\\.example\\.com|https://app\\.example\\.com)$"],
    [
      "^(https://a\\.test|https://b\\.test)$",
      "$1",
      "^(https://a\\.test|https://b\\.test|https://app\\.example\\.com)$",
    ],
  ])("may take one more origin: %s O=%s", (pattern, value, corrected) => {
    const setterOf = (text: string) => `SetEnvIf Origin "${text}" O=${value}`;
    expect(missesOf([setterOf(pattern), reflected], "/a.js", origin)[1]).toBe(
      `help: to allow this origin, use \`${setterOf(corrected)}\``,
    );
    expect(headersOf([setterOf(corrected), reflected], "/a.js", origin).slice(1)).toEqual([reflected]);
  });

  test.each(["^https://(www)\\.example\\.com$", "^(http)(s://www\\.example\\.com)$", "(https://www\\.example\\.com)"])(
    "has no help that leaves a group empty: %s",
    (pattern) => {
      expect(missesOf([`SetEnvIf Origin "${pattern}" O=$1`, reflected], "/a.js", origin)).toEqual([]);
    },
  );

  test("has a condition on a variable that no line sets", () => {
    const setter = 'SetEnvIf Origin "^https://app\\.example\\.com$" O=$0';
    const [first, help] = missesOf([reflected], "/a.js", origin);
    expect(first).toMatch(/: no line (?:here )?sets the variable `O`$/);
    expect(help).toBe(`help: add \`${setter}\``);
    expect(headersOf([setter, reflected], "/a.js", origin).slice(1)).toEqual([reflected]);
  });

  test("is for another virtual host with the same name", () => {
    const host = (port: number, ...lines: readonly string[]) => [
      ...[`<VirtualHost *:${port}>`, "ServerName a.test", "DocumentRoot /srv/www", ...lines, "</VirtualHost>"],
    ];
    const line = "Header set X-A 1";
    const secure = 'Header always set Strict-Transport-Security "max-age=1"';
    expect(missesOf([...host(80), ...host(443, line, secure)], "/a.html")).toEqual([
      `${line}: it is in \`<VirtualHost *:443>\`, and \`<VirtualHost *:80>\` answers`,
      `help: add \`${line}\` to \`<VirtualHost *:80>\``,
    ]);
    expect(missesOf([...host(80, line), ...host(443, line)], "/a.html")).toEqual([]);
    expect(missesOf([line, ...host(80), ...host(443, line)], "/a.html")).toEqual([]);
  });

  test.each([
    [["ExpiresDefault A60"], "/a.css", "no `ExpiresActive On` applies"],
    [["ExpiresActive Off", "ExpiresDefault A60"], "/a.css", "`ExpiresActive Off` applies"],
  ])("lacks another line: %j", (lines, path, reason) => {
    expect(missesOf(lines, path)[0]).toBe(`ExpiresDefault A60: ${reason}`);
    expect(missesOf(["ExpiresActive On", "ExpiresDefault A60"], path)).toEqual([]);
  });

  test("is for other types", () => {
    const asked = { files: ["/srv/www/app/a.css"], htaccess: "AddType text/css .css\nAddDefaultCharset utf-8" };
    expect(missesOf([], "/app/a.css", asked)).toEqual([
      "AddDefaultCharset utf-8: it is only for the types `text/html` and `text/plain`, and this file has `text/css`",
      "help: add `AddCharset utf-8 .css`",
    ]);
    expect(missesOf(["AddType text/css .css", "AddDefaultCharset utf-8"], "/a.css")).toEqual([]);
  });
});

describe("a header with a surprising value", () => {
  const find = (lines: readonly string[], path: string, asked: Asked = {}) =>
    causesOf(lines, path, { ...served, ...asked });

  test.each([
    ["HTTP_ORIGIN", ", which only programs have"],
    ["ORIGIN", ""],
  ])("of a variable that no line sets: %s", (name, why) => {
    const line = (value: string) => `Header set Access-Control-Allow-Origin "${value}"`;
    expect(find([line(`%{${name}}e`)], "/a.js", origin)).toEqual([
      200,
      `no line sets the variable \`${name}\`${why}: httpd sends \`(null)\``,
      `help: use \`${line("https://app.example.com")}\``,
    ]);
    const setter = `SetEnvIf Origin "^https://app\\.example\\.com$" ${name}=$0`;
    expect(find([setter, line(`%{${name}}e`)], "/a.js", origin)).toEqual([200]);
    expect(find([line(`%{${name}}e`)], "/a.js")).toEqual([200]);
    expect(find([`RewriteRule ^ - [E=${name}:x]`, line(`%{${name}}e`)], "/a.js", origin)).toEqual([200]);
  });

  test("of another header", () => {
    const headers = { headers: { "X-Id": "7" } };
    expect(find(['Header set X-Sent "%{X_ID}e"'], "/a.js", headers)).toEqual([
      200,
      "no line sets the variable `X_ID`: httpd sends `(null)`",
      'help: use `Header set X-Sent "expr=%{req:X-ID}"`',
    ]);
    const backend = "ProxyPass / http://127.0.0.1:3000/";
    expect(find([backend, 'Header set X-Sent "%{HTTP_X_ID}e"'], "/a.js", headers)).toEqual([200]);
  });

  test("for another origin", () => {
    const line = (value: string) => `Header set Access-Control-Allow-Origin "${value}"`;
    const both = 'SetEnvIf Origin "^(?:https://www\\.example\\.com|https://app\\.example\\.com)$" CORS_ORIGIN=$0';
    expect(find([line("https://www.example.com")], "/a.js", origin)).toEqual([
      200,
      "the response is for scripts of `https://www.example.com`, and this request is from `https://app.example.com`",
      `help: to allow both, use \`${both}\` and \`${line("%{CORS_ORIGIN}e")} env=CORS_ORIGIN\``,
    ]);
    expect(find([both, `${line("%{CORS_ORIGIN}e")} env=CORS_ORIGIN`], "/a.js", origin)).toEqual([200]);
    expect(find([line("https://app.example.com/")], "/a.js", origin).at(-1)).toBe(
      `help: use \`${line("https://app.example.com")}\``,
    );
    for (const each of ["*", "https://app.example.com"]) expect(find([line(each)], "/a.js", origin)).toEqual([200]);
    expect(find([line("https://www.example.com")], "/a.js")).toEqual([200]);
    expect(find([line("https://www.example.com")], "/a.js", { headers: { Origin: "http://a.test" } })).toEqual([200]);
  });

  test.each([
    [["AddType application/x-httpd-php .html .htm"], "/a.html", "delete this line"],
    [["AddType application/x-httpd-php5 .php .html"], "/a.html", "use `AddType application/x-httpd-php5 .php`"],
  ])("of a type that only a module handles: %j", (lines, path, help) => {
    const [, text, last] = find(lines, path, { isPart: true });
    expect(text).toContain("httpd sends `a.html` as it is, with the type `application/x-httpd-php");
    expect(last).toBe(`help: ${help}`);
  });

  test("twin: PHP files may have a handler elsewhere", () => {
    const asked = { files: ["/srv/www/a.php"], isPart: true } as const;
    expect(find(["AddType application/x-httpd-php .php"], "/a.php", asked).join()).not.toContain("as it is");
    expect(find(["AddType application/x-type .html"], "/a.html", { isPart: true }).join()).not.toContain("as it is");
  });
});
