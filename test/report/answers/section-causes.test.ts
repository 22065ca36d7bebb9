import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../../src/config/files/file-access.js";
import { renderAnswerText } from "../../../src/report/answers/answer-text.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

const files = createListedFiles([
  ...["/srv/www/a.html", "/srv/www/REPORT.PDF", "/srv/www/in/b.zip", "/srv/www/in/.htaccess", "/srv/www/index.php"],
  ...["/srv/app/index.php", "/srv/app/a.html", "/home/bob/www/a.html", "/etc/users"],
]);

interface Asked extends Partial<Request> {
  readonly htaccess?: string;
}

/** Returns the text of an answer, as the command shows it first. */
function textFor(lines: readonly string[], path: string, { htaccess, ...sent }: Asked = {}): string {
  const access = memoryAccess({
    "/etc/httpd.conf": `ServerName a.test\nDocumentRoot /srv/www\n${lines.join("\n")}\n`,
    ...(htaccess === undefined ? {} : { "/srv/www/in/.htaccess": `${htaccess}\n` }),
  });
  const loaded = loadProject("/etc/httpd.conf", { access, release: "2.4", htaccess: true, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const request = { method: "GET", path, host: "a.test", clientIp: "192.0.2.7", ...sent };
  const style = { colours: false, width: 1000, base: "/" } as const;
  return [...renderAnswerText({ answer: answer(loaded.value, request, { files }), startup: [] }, style)].join("");
}

const section = (opening: string, ...lines: readonly string[]) => [
  opening,
  ...lines,
  opening.replace(/<(\w+).*/, "</$1>"),
];
const grant = section("<Directory /srv/www>", "AllowOverride All", "Require all granted");

describe("a section for another case of letters", () => {
  const header = "Header set X-A b";
  test.each([
    ["a pattern of files", '<FilesMatch "\\.pdf$">', "/REPORT.PDF", '<FilesMatch "(?i)\\.pdf$">'],
    ["a name", '<Files "report.pdf">', "/REPORT.PDF", '<FilesMatch "(?i)^report\\.pdf$">'],
    ["a wildcard", '<Files "*.pdf">', "/REPORT.PDF", '<FilesMatch "(?i)\\.pdf$">'],
    ["a path", '<Location "/Docs">', "/docs/x", '<LocationMatch "(?i)^/Docs(?:/|$)">'],
    ["a pattern of paths", '<LocationMatch "^/Docs">', "/docs/x", '<LocationMatch "(?i)^/Docs">'],
  ])("is named for %s", (_, opening, path, written) => {
    const text = textFor([...grant, ...section(opening, header)], path);
    expect(text).toContain(": letters differ in case");
    expect(text).toContain(`help: to ignore case, use \`${written}\``);
  });

  test.each([
    ["that applies", '<FilesMatch "\\.PDF$">', "/REPORT.PDF"],
    ["that ignores case", '<FilesMatch "(?i)\\.pdf$">', "/REPORT.PDF"],
    ["for other files", '<FilesMatch "\\.png$">', "/REPORT.PDF"],
    ["for another path", '<Location "/Other">', "/docs/x"],
  ])("is not one %s", (_, opening, path) => {
    expect(textFor([...grant, ...section(opening, header)], path)).not.toContain("letters differ in case");
  });

  test("is not one whose lines another section has for this case", () => {
    const both = [...section('<FilesMatch "\\.pdf$">', header), ...section('<FilesMatch "\\.PDF$">', header)];
    expect(textFor([...grant, ...both], "/REPORT.PDF")).not.toContain("letters differ in case");
  });
});

describe("a false condition of an If section", () => {
  const headers = { "User-Agent": "GreedyBot/2.1" };
  const of = (condition: string) => [...grant, ...section(`<If "${condition}">`, "Require all denied")];
  test.each([
    ["%{HTTP_USER_AGENT} == 'GreedyBot'", "%{HTTP_USER_AGENT} =~ /^GreedyBot/"],
    ["%{HTTP_USER_AGENT} == 'greedybot'", "%{HTTP_USER_AGENT} =~ /^greedybot/i"],
    ["%{REQUEST_URI} == '/a'", "%{REQUEST_URI} =~ m#^/a#"],
  ])("compares a whole value: %s", (condition, written) => {
    const text = textFor(of(condition), "/a.html", { headers });
    expect(text).toContain("`==` compares the whole value");
    expect(text).toContain(`help: use \`<If "${written}">\``);
  });

  test.each([
    "%{HTTP_USER_AGENT} == 'GreedyBot/2.1'",
    "%{HTTP_USER_AGENT} == 'Other'",
    "%{HTTP_USER_AGENT} =~ /Other/",
  ])("is not of such a comparison: %s", (condition) => {
    expect(textFor(of(condition), "/a.html", { headers })).not.toContain("compares the whole value");
  });
});

describe("conditions that must all hold", () => {
  const rule = "RewriteRule ^ https://www.a.test%{REQUEST_URI} [R=301,L]";
  const [plain, named] = ["RewriteCond %{HTTPS} off", "RewriteCond %{HTTP_HOST} !^www\\. [NC]"];
  const asked = (first: string, second: string, sent: Asked) =>
    textFor(["RewriteEngine On", first, second, rule, ...grant], "/a.html", sent);
  const help = "if one of them is to be enough, use";
  test("are named if one of them is false", () => {
    const www: Asked = { host: "www.a.test", scheme: "http" };
    expect(asked(plain, named, www)).toContain(`help: ${help} \`RewriteCond %{HTTPS} off [OR]\``);
    const bracket = "RewriteCond %{HTTP_HOST} !^www[.]";
    expect(asked(bracket, plain, www)).toContain(`help: ${help} \`${bracket} [OR]\``);
    expect(asked(named, plain, www)).toContain(`help: ${help} \`RewriteCond %{HTTP_HOST} !^www\\. [NC,OR]\``);
  });

  test.each<[about: string, first: string, second: string, sent: Asked]>([
    ["with OR", `${plain} [OR]`, named, { host: "www.a.test", scheme: "http" }],
    ["that both hold", plain, named, { host: "a.test", scheme: "http" }],
    ["for the target itself", plain, named, { host: "www.a.test", scheme: "https" }],
    ["for the scheme of the target", "RewriteCond %{HTTPS} on", named, { host: "www.a.test", scheme: "https" }],
    ["of another kind", plain, "RewriteCond %{REQUEST_URI} !^/a", { host: "www.a.test", scheme: "http" }],
  ])("are not those %s", (_, first, second, sent) => {
    expect(asked(first, second, sent)).not.toContain(help);
  });
});

describe("a fallback", () => {
  const app = (target: string) => [
    ...grant,
    "Alias /app /srv/app",
    ...section("<Directory /srv/app>", "Require all granted", `FallbackResource ${target}`),
  ];
  test("has a URL path, not one of its directory", () => {
    const text = textFor(app("/index.php"), "/app/x");
    expect(text).toContain(
      "`/index.php` is a URL path, which leads to `/srv/www/index.php`, and not to `/srv/app/index.php`",
    );
    expect(text).toContain("help: use `FallbackResource /app/index.php`");
  });

  test("may have the URL path of its directory, or of one without the file", () => {
    expect(textFor(app("/app/index.php"), "/app/x")).not.toContain("is a URL path");
    expect(textFor(app("/a/../none.php"), "/app/x")).not.toContain("is a URL path");
  });
});

describe("homes of users in another folder", () => {
  const homes = (folder: string) => [
    ...section("<Directory />", "Require all denied"),
    ...["UserDir /home/*/www", ...section(`<Directory "/home/*/${folder}">`, "Require all granted")],
  ];
  test("are named with the section to write", () => {
    const text = textFor(homes("public_html"), "/~bob/a.html");
    expect(text).toContain("it does not match `/home/bob/www`, to which `UserDir /home/*/www` leads");
    expect(text).toContain('help: use `<Directory "/home/*/www">`');
  });

  test("are not those that match", () => {
    expect(textFor(homes("www"), "/~bob/a.html")).not.toContain("does not match");
    expect(textFor(homes("public_html"), "/a.html")).not.toContain("does not match");
  });
});

describe("Require lines of a file", () => {
  const inner = (line: string) => section("<Directory /srv/www>", "AllowOverride All", line);
  const login = "AuthType Basic\nAuthName x\nAuthUserFile /etc/users\nRequire valid-user";
  const help = "help: to require both, add `AuthMerging And` to `.htaccess`";
  const ask = (line: string, htaccess: string) => textFor(inner(line), "/in/b.zip", { htaccess, user: "bob" });
  test("replace those that would deny the client", () => {
    expect(ask("Require ip 10.0.0.0/8", login)).toContain(help);
  });

  test("are not named if the others allow the client, or are for its user, or both apply", () => {
    expect(ask("Require ip 192.0.2.0/24", login)).not.toContain(help);
    expect(ask("Require user alice", login)).not.toContain(help);
    expect(ask("Require all granted", login)).not.toContain(help);
    expect(ask("Require ip 10.0.0.0/8", `${login}\nAuthMerging And`)).not.toContain(help);
  });
});

describe("a decoded path in a query", () => {
  const ask = (flags: string, path: string, target = "/index.php?title=$1") =>
    textFor(["RewriteEngine On", `RewriteRule ^/wiki/(.*)$ ${target} [${flags}]`, ...grant], path);
  test.each([
    ["/wiki/AT%26T", "`&` ends the value in the query"],
    ["/wiki/C++", "`+` stands for a space in the query"],
  ])("needs the flag B for %s", (path, why) => {
    expect(ask("L,QSA", path)).toContain(why);
    expect(ask("L,QSA", path)).toContain("help: use `RewriteRule ^/wiki/(.*)$ /index.php?title=$1 [L,QSA,B]`");
  });

  test("is as written with the flag, without such a character, and in the path", () => {
    for (const text of [
      ask("B,L", "/wiki/AT%26T"),
      ask("L", "/wiki/ATT"),
      ask("L", "/wiki/AT%26T", "/index.php/$1"),
      ask("L", "/wiki/AT%26T", "/index.php?page"),
    ])
      expect(text).not.toContain("the path is decoded");
  });
});

describe("a Files section", () => {
  const denied = (opening: string) => section(opening, "Require all denied");
  const exception = section("<Directory /srv/www/in>", "Require all granted");
  test("is merged after a directory that grants access again", () => {
    const text = textFor([...grant, ...denied('<Files "*.zip">'), ...exception], "/in/b.zip");
    expect(text).toContain('httpd merges `<Files "*.zip">` after all `<Directory>` sections');
    expect(text).toContain(
      'help: to grant access there, add `<Files "*.zip">`, `Require all granted` and `</Files>` to `<Directory /srv/www/in>`',
    );
  });

  test("is not named without such a directory, for files of httpd, or within the directory", () => {
    for (const text of [
      textFor([...grant, ...denied('<Files "*.zip">')], "/in/b.zip"),
      textFor([...grant, ...denied('<Files ".ht*">'), ...exception], "/in/.htaccess"),
      textFor(
        [...grant, ...section("<Directory /srv/www/in>", "Require all granted", ...denied('<Files "*.zip">'))],
        "/in/b.zip",
      ),
    ])
      expect(text).not.toContain("httpd merges");
  });
});

describe("a Proxy section that denies", () => {
  test("may be replaced for one backend, but not that of a forward proxy", () => {
    const proxy = section("<Proxy *>", "Order deny,allow", "Deny from all", "Allow from 10.0.0.0/8");
    const lines = ["ProxyPass / http://127.0.0.1:3000/", ...proxy];
    expect(textFor(lines, "/")).toContain(
      'help: to allow all clients of this backend, add `<Proxy "http://127.0.0.1:3000/*">`, `Order allow,deny`, `Allow from all`',
    );
    expect(textFor(["ProxyRequests On", ...lines], "/")).not.toContain("to allow all clients");
  });
});
