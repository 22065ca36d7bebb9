import { describe, expect, test } from "vitest";
import { applyEdits } from "../../src/text/edits.js";
import {
  findingsOf,
  fixFirst,
  inDirectory,
  lintText,
  onlyVariant,
  section,
  wholeServer,
} from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const constantResult = onlyVariant(constantCondition, "constant-condition");

const rule = "RewriteRule ^ - [F]";
const check = (...conditions: readonly string[]) =>
  findingsOf([constantResult], `${conditions.map((each) => `RewriteCond ${each}`).join("\n")}\n${rule}\n`, {
    kind: "htaccess",
  });

describe("reports a condition that never holds", () => {
  test.each([
    "%{HTTPS} =ON",
    "%{HTTPS} ^1$",
    "%{https} =true",
    "%{REQUEST_SCHEME} =HTTPS",
    "%{SERVER_PORT} ^https$",
    "%{REQUEST_METHOD} ^post$",
    "%{HTTP_HOST} ^Example\\.org$",
    "%{HTTP_HOST} ^https?://example\\.org",
    "%{HTTP_HOST} example\\.org/shop",
    "%{SERVER_PROTOCOL} ^HTTPS",
    "%{REQUEST_URI} ^index\\.php",
    "%{SERVER_NAME} =*.example.org",
    "%{HTTP_HOST} =*.example.org",
    "%{SERVER_NAME} ^\\*\\.example",
    "%{REQUEST_URI} ^$",
    "%{REQUEST_URI} index\\.php\\?id=",
    "%{QUERY_STRING} ^\\?id=",
    "%{THE_REQUEST} ^/index\\.php",
    "%{REQUEST_FILENAME} ^index\\.php$",
    "%{REMOTE_ADDR} ^localhost$",
  ])("%s", (condition) => {
    const isUsual = /HTTP_HOST|SERVER_NAME|REQUEST_METHOD|REQUEST_URI|QUERY_STRING|THE_REQUEST/.test(condition);
    expect(check(condition).map(({ message }) => message)).toEqual([
      `\`${condition}\` never holds${isUsual ? " for a usual request" : ""}`,
    ]);
  });
});

describe("reports a condition that always holds", () => {
  test.each(["%{HTTPS} !=ON", "%{HTTPS} !^$", "%{SERVER_PROTOCOL} !^HTTPS", "%{REQUEST_URI} !^index\\.php$"])(
    "%s",
    (condition) => {
      const end = condition.includes("REQUEST_URI") ? " for a usual request" : "";
      expect(check(condition).map(({ message }) => message)).toEqual([`\`${condition}\` always holds${end}`]);
    },
  );
});

describe("reports a pair", () => {
  test("that never holds", () => {
    expect(check("%{HTTP_HOST} ^a\\.test$", "%{HTTP_HOST} ^b\\.test$ [NC]")).toMatchObject([
      { message: "`RewriteCond` lines that never hold together", related: [".htaccess:2:1: must hold, too"] },
    ]);
  });

  test("that always holds", () => {
    expect(check("%{HTTP_HOST} !^a\\.test$ [OR]", "%{HTTP_HOST} !=b.test").map(({ message }) => message)).toEqual([
      "`RewriteCond` lines of which one always holds",
    ]);
  });
});

describe("reports conditions on files of which one always holds", () => {
  const file = "%{REQUEST_FILENAME}";
  test.each([
    ["a file, or a directory", [`${file} !-f [OR]`, `${file} !-d`], 1],
    ["a directory, or a file", [`${file} !-d [OR]`, `${file} !-f`], 1],
    ["a file with content, or a directory", [`${file} !-s [OR]`, `${file} !-d`], 1],
    ["with a link between them", [`${file} !-f [OR]`, `${file} !-l [OR]`, `${file} !-d`], 1],
    ["after another condition", ["%{REQUEST_METHOD} GET", `${file} !-f [OR]`, `${file} !-d`], 2],
    ["in another variable", ["%{DOCUMENT_ROOT}/$1 !-f [OR]", "%{DOCUMENT_ROOT}/$1 !-d"], 1],
  ])("%s", (_, conditions, line) => {
    expect(check(...conditions)).toMatchObject([
      {
        message: "`RewriteCond` lines of which one always holds",
        at: expect.stringMatching(`^${line}:`),
        notes: [expect.stringContaining("no path is a file and a directory at the same time")],
        help: [expect.stringContaining("delete `OR`")],
      },
    ]);
  });

  test.each([
    ["without OR", [`${file} !-f`, `${file} !-d`]],
    ["that want a file or a directory", [`${file} -f [OR]`, `${file} -d`]],
    ["of a file or a link", [`${file} !-f [OR]`, `${file} !-l`]],
    ["of different paths", [`${file} !-f [OR]`, `${file}.html !-d`]],
    ["of the same kind", [`${file} !-f [OR]`, `${file} !-s`]],
    ["of which one wants a file", [`${file} -f [OR]`, `${file} !-d`]],
    ["on a back reference, which may change", ["%{DOCUMENT_ROOT}/%1 !-f [OR]", "%{DOCUMENT_ROOT}/%1 !-d"]],
  ])("does not report those %s", (_, conditions) => {
    expect(check(...conditions)).toEqual([]);
  });
});

describe("reports a file below a document root that the path has twice", () => {
  test.each([
    ["%{DOCUMENT_ROOT}/var/www/html/cache/$1.html -f", "%{DOCUMENT_ROOT}/cache/$1.html"],
    ["%{DOCUMENT_ROOT}/home/jo/public_html%{REQUEST_URI} -f", "%{DOCUMENT_ROOT}%{REQUEST_URI}"],
    ["%{DOCUMENT_ROOT}/srv/www/htdocs/x/$1 !-d", "%{DOCUMENT_ROOT}/x/$1"],
  ])("%s", (condition, corrected) => {
    expect(check(condition)).toMatchObject([
      { message: expect.stringContaining(" twice"), help: [`use \`${corrected}\``], at: expect.stringMatching("^1:") },
    ]);
  });

  test.each([
    "%{DOCUMENT_ROOT}/cache/var/www/$1.html -f",
    "/var/www/html/cache/$1.html -f",
    "%{DOCUMENT_ROOT}/www/$1 -f",
    "%{DOCUMENT_ROOT}/var/www/html x",
  ])("does not report %s", (condition) => {
    expect(check(condition)).toEqual([]);
  });

  const lines = "RewriteEngine On\nRewriteCond %{DOCUMENT_ROOT}/var/www/html/a.html -f\nRewriteRule ^/x$ /y [L]\n";
  const host = (name: string, ...root: readonly string[]) =>
    section("VirtualHost *:80", `ServerName ${name}`, ...root, lines.trimEnd());
  const usual = "DocumentRoot /var/www/html";
  const chroot = "DocumentRoot /mnt/chroot";
  // The root of the server of the rule counts, and that of another one does not.
  test.each<[what: string, text: string, count: number]>([
    ["no root", host("a.test"), 1],
    ["the root itself", host("a.test", usual), 1],
    ["the root with a slash", host("a.test", 'DocumentRoot "/var/www/html/"'), 1],
    ["another root", host("a.test", chroot), 0],
    ["a virtual root", host("a.test", "VirtualDocumentRoot /srv/%0"), 0],
    ["the root of the main server", `${usual}\n${host("a.test")}`, 1],
    ["another root of the main server", `${chroot}\n${host("a.test")}`, 0],
    ["a root in place of another one", `${usual}\n${host("a.test", chroot)}`, 0],
    ["the root of another host", `${host("a.test", chroot)}${section("VirtualHost *:80", usual)}`, 0],
    ["rules of the main server", `${chroot}\n${lines}`, 0],
    ["a directory of several servers", `${chroot}\n${inDirectory(lines)}${section("VirtualHost *:80", usual)}`, 0],
    ["a directory of one server", `${usual}\n${inDirectory(lines)}`, 1],
  ])("with %s", (_, text, count) => {
    const found = findingsOf([constantCondition], text).filter(({ message }) => message.endsWith(" twice"));
    expect(found).toHaveLength(count);
  });
});

describe("reports a list of conditions", () => {
  const referer = (name: string, flags = "NC") => `%{HTTP_REFERER} ^https?://(www\\.)?${name} [${flags}]`;
  const never = "`RewriteCond` lines that never hold together";
  const missing = "`OR` is missing in a list of `RewriteCond` lines";
  const always = "`RewriteCond` lines of which one always holds";

  test.each([
    [
      "of referrers",
      [referer("a\\.test", "NC,OR"), referer("b\\.test"), referer("c\\.test", "NC,OR"), referer("d\\.test")],
      [never, 2],
    ],
    ["of two referrers", [referer("a\\.test"), referer("b\\.test")], [never, 1]],
    ["with one at the end", [referer("a\\.test", "NC,OR"), referer("b\\.test"), referer("c\\.test")], [never, 2]],
    ["without any OR", [referer("a\\.test"), referer("b\\.test"), referer("c\\.test")], [never, 1]],
    ["of paths", ["%{REQUEST_URI} ^/a/ [OR]", "%{REQUEST_URI} ^/b/", "%{REQUEST_URI} ^/c/"], [never, 2]],
    ["of hosts", ["%{HTTP_HOST} ^a\\.test$ [NC]", "%{HTTP_HOST} ^www\\.a\\.test$ [NC]"], [never, 1]],
    ["of addresses", ["%{REMOTE_ADDR} ^192\\.0\\.2\\.", "%{REMOTE_ADDR} ^198\\.51\\.100\\."], [never, 1]],
    ["of texts", ["%{QUERY_STRING} =a", "%{QUERY_STRING} =b"], [never, 1]],
    [
      "of methods",
      ["%{REQUEST_METHOD} ^PUT [OR]", "%{REQUEST_METHOD} ^DELETE", "%{REQUEST_METHOD} ^TRACE"],
      [never, 2],
    ],
    [
      "of programs",
      ["%{HTTP_USER_AGENT} ^Wget [OR]", "%{HTTP_USER_AGENT} ^curl", "%{HTTP_USER_AGENT} ^Zeus"],
      [never, 2],
    ],
    [
      "of parts of referrers",
      ["%{HTTP_REFERER} a\\.test [NC,OR]", "%{HTTP_REFERER} b\\.test [NC]", "%{HTTP_REFERER} c\\.test [NC]"],
      [missing, 2],
    ],
    [
      "of parts of names of programs",
      ["A [OR]", "B [OR]", "C", "D [OR]", "E"].map((each) => `%{HTTP_USER_AGENT} ${each.replace(/^./, "$&bot")}`),
      [missing, 3],
    ],
    ["of exclusions", ["%{REQUEST_URI} !^/a/ [OR]", "%{REQUEST_URI} !^/b/"], [always, 1]],
    ["of excluded hosts", ["%{HTTP_HOST} !^a\\.test [NC,OR]", "%{HTTP_HOST} !^b\\.test [NC]"], [always, 1]],
    ["after another one", ["%{HTTPS} off", "%{HTTP_HOST} ^a\\.test$", "%{HTTP_HOST} ^b\\.test$"], [never, 2]],
  ] as const)("%s", (_, conditions, [message, line]) => {
    expect(check(...conditions)).toMatchObject([{ message, at: expect.stringMatching(`^${line}:`) }]);
  });

  test.each([
    ["with OR", [referer("a\\.test", "NC,OR"), referer("b\\.test", "NC,OR"), referer("c\\.test")]],
    ["of exclusions without OR", ["%{REQUEST_URI} !^/a/", "%{REQUEST_URI} !^/b/"]],
    ["of different variables", ["%{HTTP_HOST} ^a\\.test$", "%{SERVER_NAME} ^b\\.test$"]],
    ["that hold together", ["%{REQUEST_URI} ^/a/", "%{REQUEST_URI} \\.php$"]],
    ["of parts that hold together", ["%{HTTP_USER_AGENT} Android", "%{HTTP_USER_AGENT} Mobile"]],
    ["with an exclusion", [referer("a\\.test", "NC"), "%{HTTP_REFERER} !^https://www\\. [NC]"]],
    ["of one host and its paths", ["%{HTTP_REFERER} a\\.test", "%{HTTP_REFERER} /forum"]],
    ["of a list and a path", ["%{HTTP_REFERER} a\\.test [OR]", "%{HTTP_REFERER} b\\.test", "%{HTTP_REFERER} \\?id="]],
    [
      "of a program and its systems",
      ["%{HTTP_USER_AGENT} Chrome", "%{HTTP_USER_AGENT} Linux [OR]", "%{HTTP_USER_AGENT} Mac"],
    ],
    [
      "of browsers and their systems",
      ["MSIE\\ 6 [OR]", "MSIE\\ 7 [OR]", "MSIE\\ 8", "Windows\\ NT\\ 5 [OR]", "Windows\\ NT\\ 6"].map(
        (each) => `%{HTTP_USER_AGENT} ${each}`,
      ),
    ],
    ["of parts of one host", ["%{HTTP_HOST} a\\.test$ [OR]", "%{HTTP_HOST} a\\.example$", "%{HTTP_HOST} ^shop\\.a"]],
    [
      "of hosts and their domain",
      ["x\\.a\\.test [OR]", "y\\.a\\.test", "a\\.test"].map((each) => `%{HTTP_REFERER} ${each}`),
    ],
    ["of hosts and a query", ["a\\.test [OR]", "b\\.test", "u=.*c\\.test"].map((each) => `%{HTTP_REFERER} ${each}`)],
    ["of back references", ["%{HTTP_HOST} ^(a).*(b)", "%1 ^a$", "%1 ^b$"]],
    ["of headers", ["%{HTTP:A} ^x", "%{HTTP:B} ^y"]],
    ["of files", ["%{REQUEST_FILENAME} !-f", "%{REQUEST_FILENAME} !-d"]],
    ["of exclusions that may both fail", ["%{REQUEST_URI} !^/a [OR]", "%{REQUEST_URI} !\\.php$"]],
    ["of an empty text", ["%{HTTP_REFERER} !^$", "%{HTTP_REFERER} !^https://a\\.test"]],
    ["of the same text", ["%{HTTP_HOST} ^a\\.test", "%{HTTP_HOST} \\.test$"]],
  ] as const)("but not one %s", (_, conditions) => {
    expect(check(...conditions)).toEqual([]);
  });

  test("and adds the flag", () => {
    const text = `${referer("a\\.test")}\n`.replace("%", "RewriteCond %");
    const given = `RewriteEngine On\n${text}${text.replace("a\\", "b\\")}RewriteRule ^ - [F]\n`;
    expect(fixFirst(constantResult, given, { kind: "htaccess" })).toBe(given.replace("[NC]", "[OR,NC]"));
  });
});

describe("reports a file test", () => {
  test.each(["%{REQUEST_URI} !-f", "%{REQUEST_URI} -d"])("%s", (condition) => {
    expect(check(condition).map(({ message }) => message)).toEqual(["`%{REQUEST_URI}` is not the path of a file"]);
  });

  test("in a virtual host", () => {
    const text = section("VirtualHost *", `RewriteCond %{REQUEST_FILENAME} !-f\n${rule}`);
    expect(findingsOf([constantResult], text).map(({ message }) => message)).toEqual([
      "`%{REQUEST_FILENAME}` is not the path of a file here",
    ]);
  });
});

describe("does not report", () => {
  test.each([
    // httpd rejects the line.
    ["%{HTTP_HOST} # ^a$"],
    ["%{HTTPS} =on"],
    ["%{HTTPS} ^ON$ [NC]"],
    ["%{HTTPS} (.*)"],
    ["%{REQUEST_METHOD} ^POST$"],
    ["%{HTTP_HOST} ^Example\\.org$ [NC]"],
    ["%{HTTP_HOST} !^$"],
    ["%{REQUEST_URI} ^/index\\.php"],
    ["%{REQUEST_URI} !^$"],
    ["%{QUERY_STRING} ^$"],
    ["%{THE_REQUEST} \\?id="],
    ["%{THE_REQUEST} \\s/index"],
    ["%{REQUEST_FILENAME} !-f"],
    ["%{DOCUMENT_ROOT}%{REQUEST_URI} -f"],
    ["%{HTTP_HOST} =@HOST@"],
    ["%{ENV:HTTPS} =ON"],
    ["%{HTTP_HOST} ^a\\.test$ [OR]", "%{HTTP_HOST} ^b\\.test$"],
    ["%{HTTP_HOST} !^a\\.test$", "%{HTTP_HOST} !^b\\.test$"],
    ["%{HTTP_HOST} ^(a|b)\\.test$", "%{HTTP_HOST} ^a\\.test$"],
    ["%{HTTP_HOST} a\\.test$", "%{HTTP_HOST} ^b\\."],
  ])("%j", (...conditions) => {
    expect(check(...conditions)).toEqual([]);
  });

  test("URLs of a forward proxy", () => {
    const text = `ProxyRequests On\nRewriteCond %{REQUEST_URI} ^http:\n${rule}\n`;
    expect(findingsOf([constantResult], `RewriteOptions AllowAnyURI\n${text}`)).toEqual([]);
    expect(
      findingsOf([constantResult], `${section("LocationMatch ^", text.replace(/.*\n/, ""))}ProxyRequests On\n`),
    ).toEqual([]);
    // Without the option, the rules of a server do not apply to such requests. No directory does.
    expect(findingsOf([constantResult], text)).toHaveLength(1);
    expect(findingsOf([constantResult], `${inDirectory(text.replace(/.*\n/, ""))}ProxyRequests On\n`)).toHaveLength(1);
  });
});

describe("the fix", () => {
  test.each([
    ["%{HTTPS} =ON", "%{HTTPS} =on"],
    ['%{HTTP_HOST} "^Example\\.org$"', '%{HTTP_HOST} "^example\\.org$"'],
    ["%{REQUEST_METHOD} ^(get|head)$", "%{REQUEST_METHOD} ^(GET|HEAD)$"],
    ["%{HTTP_HOST} '^Example\\.org$'", "%{HTTP_HOST} '^example\\.org$'"],
    ["%{REQUEST_URI} !-f", "%{REQUEST_FILENAME} !-f"],
  ])("of %s", (before, after) => {
    const text = `RewriteCond ${before}\n${rule}\n`;
    const [finding] = lintText([constantResult], text, { kind: "htaccess" });
    expect(finding?.fix && applyEdits(text, finding.fix.edits)).toBe(`RewriteCond ${after}\n${rule}\n`);
  });

  test("is not offered if the other case has another meaning", () => {
    const [finding] = lintText([constantResult], `RewriteCond %{HTTP_HOST} ^\\w+\\.Example\\.org$\n${rule}\n`);
    expect(finding?.fix).toBeUndefined();
  });
});

describe("reports an empty alternative by which a pattern matches everything", () => {
  const find = (text: string, kind?: "htaccess") => findingsOf([constantResult], text, kind && { kind });

  test("with the corrected pattern", () => {
    const text = inDirectory("SetEnvIf MM_COUNTRY_CODE ^(CN||CU|RU) BlockCountry", "Deny from env=BlockCountry");
    const [finding, ...more] = find(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      at: "2:26-2:38",
      severity: "warning",
      message: "`^(CN||CU|RU)` matches every text: an alternative is empty",
      notes: [
        "an alternative is empty between `||`, and between `|` and a parenthesis or the end",
        "the pattern excludes no request",
      ],
      help: ["delete the empty alternative: `^(CN|CU|RU)`", "to match an empty text also, add the alternative `^$`"],
    });
    const [{ fix } = {}] = lintText([constantResult], text);
    expect(fix && applyEdits(text, fix.edits)).toBe(text.replace("||", "|"));
  });

  test.each([
    ["SetEnvIfNoCase User-Agent (bot|crawl|) bad", "(bot|crawl)"],
    ["SetEnvIf Referer |spam bad", "spam"],
    ['BrowserMatch "bot||spider|" bad', "bot|spider"],
    ["BrowserMatchNoCase .*(bot||crawl).* bad", ".*(bot|crawl).*"],
    ['<FilesMatch "\\.(php|)?|x|">\n</FilesMatch>', "\\.(php)?|x"],
    ['<LocationMatch "^/(admin||login)">\n</LocationMatch>', "^/(admin|login)"],
    ['<Location ~ "/admin|">\n</Location>', "/admin"],
    ['<DirectoryMatch "^/(?:srv|)">\n</DirectoryMatch>', "^/(?:srv)"],
    ['<If "%{REMOTE_ADDR} =~ /^(10\\.1|)/">\n</If>', "^(10\\.1)"],
    ["RedirectMatch 403 ^/(a||b)", "^/(a|b)"],
    ["ProxyPassMatch ^/(api||v2) !", "^/(api|v2)"],
    ["RewriteRule ^/(wp-admin||xmlrpc) - [F]", "^/(wp-admin|xmlrpc)"],
    ["SetEnvIf Host (a|(b|)|) bad", "(a|(b))"],
  ])("%s", (line, corrected) => {
    expect(find(`${line}\n`)).toMatchObject([
      { help: [`delete the empty alternative: \`${corrected}\``, expect.anything()] },
    ]);
  });

  test("in conditions and rules of a `.htaccess` file", () => {
    const conditions = ["%{HTTP_REFERER} ^(http://a|)", "%{HTTP_USER_AGENT} !(bot||crawl)"];
    const text = `${conditions.map((each) => `RewriteCond ${each}\n`).join("")}RewriteRule ^(a||b) - [F]\n`;
    expect(find(text, "htaccess").map(({ at, notes }) => [at, notes?.[1]])).toEqual([
      ["1:29-1:41", "the pattern excludes no request"],
      ["2:33-2:45", "with a negation, the condition never holds"],
      ["3:13-3:20", "the pattern excludes no request"],
    ]);
    expect(find("RewriteCond %{REQUEST_URI} !^/(a||b)\nRewriteRule ^ - [F]\n", "htaccess")).toHaveLength(1);
  });

  test.each([
    ["no empty alternative", "SetEnvIf MM_COUNTRY_CODE ^(CN|CU) bad"],
    ["an end that excludes others", "SetEnvIf MM_COUNTRY_CODE ^(CN||CU)$ bad"],
    ["text beside it", "BrowserMatch Mozilla/(4||5) bad"],
    ["a pattern that is meant to match everything", "SetEnvIf Host ^ all"],
    ["everything without it", "SetEnvIf Host (.*|) all"],
    ["an escaped bar", "SetEnvIf Host a\\|\\|b all"],
    ["bars in a class", "SetEnvIf Host [(|)] all"],
    ["a lookahead", "SetEnvIf Host ^(?!a||b) all"],
    ["an optional suffix", "RedirectMatch ^(.*)(|\\.html)$ http://x.test$1"],
    ["a path with an optional end", '<LocationMatch "^/shop(|/.*)$">\n</LocationMatch>'],
    ["an operator of an expression", "<If \"-n '%{HTTP_HOST}' || true\">\n</If>"],
    ["a condition that compares text", "RewriteCond %{QUERY_STRING} =a||b\nRewriteRule ^x$ - [F]"],
    ["a placeholder", "SetEnvIf Host ^(@NAME@||b) all"],
    ["a pattern that a path does not match in a directory", inDirectory("RewriteRule ^/(a||b) - [F]")],
    ["a condition whose groups are used", "RewriteCond %{HTTP_HOST} ^(.*)(|:80)\nRewriteRule ^x$ http://%1/"],
  ])("but not %s", (_, text) => {
    expect(find(`${text}\n`)).toEqual([]);
  });
});

describe("a pattern for file names", () => {
  const given = (...lines: readonly string[]) =>
    findingsOf([constantResult], `${lines.join("\n")}\n`, { kind: "htaccess" }).map(({ severity, message, help }) => [
      severity,
      message,
      help?.[0],
    ]);
  const denied = (tag: string) => given(`<${tag}>`, "Require all denied", `</${tag.replace(/ .*/, "")}>`);

  test.each([
    ['Files ~ "^\\.*"', "^\\.*", "^\\."],
    ['FilesMatch "^\\.?"', "^\\.?", "^\\."],
    ['FilesMatch "\\.*"', "\\.*", "\\."],
  ])("%s matches everything", (tag, pattern, corrected) => {
    expect(denied(tag)).toEqual([["warning", `\`${pattern}\` matches every file name`, `use \`${corrected}\``]]);
  });

  test.each([
    ['FilesMatch ".(bak|config|sql|log)$"', ".(bak|config|sql|log)$", "xlog", "\\.(bak|config|sql|log)$"],
    ['FilesMatch ".sql$"', ".sql$", "xsql", "\\.sql$"],
    ['Files ~ "^.*.(ini|psd|log)$"', "^.*.(ini|psd|log)$", "xlog", "^.*\\.(ini|psd|log)$"],
    ['FilesMatch ".(?:log|sh)$"', ".(?:log|sh)$", "xsh", "\\.(?:log|sh)$"],
  ])("%s matches other names", (tag, pattern, name, corrected) => {
    const found = ["info", `\`${pattern}\` also matches names such as \`${name}\``, `use \`${corrected}\``];
    expect(denied(tag)).toEqual([found]);
    expect(given(`<${tag}>`, "Order allow,deny", "Deny from all", `</${tag.replace(/ .*/, "")}>`)).toEqual([found]);
  });

  test.each([
    'FilesMatch "^\\."',
    'FilesMatch "^\\.ht.*"',
    'FilesMatch ".*"',
    'FilesMatch "^.*$"',
    'FilesMatch "\\.(bak|log)$"',
    'FilesMatch "^.*\\.(bak|log)$"',
    'FilesMatch "(^#.*#|\\.(bak|log)|~)$"',
    'Files "*.log"',
  ])("but not %s", (tag) => {
    expect(denied(tag)).toEqual([]);
  });

  test("but not with a dot in a section that denies nothing", () => {
    expect(given('<FilesMatch ".(css|js)$">', "Header set A b", "</FilesMatch>")).toEqual([]);
    expect(given('<FilesMatch ".(css|js)$">', "Require all granted", "</FilesMatch>")).toEqual([]);
  });
});

describe("a path with two slashes", () => {
  const given = (condition: string, ...lines: readonly string[]) =>
    findingsOf([constantResult], wholeServer(...lines, "RewriteEngine on", `RewriteCond ${condition}`, rule)).map(
      ({ message, help }) => [message, help?.[0]],
    );

  test.each(["%{REQUEST_URI} //", "%{REQUEST_URI} ^(.*)//(.*)$", "%{REQUEST_URI} ^.*//.*$", "%{REQUEST_URI} ^/a//b"])(
    "%s",
    (condition) => {
      const found = [
        `\`${condition}\` never holds: the path has no \`//\``,
        "test the line of the request: `RewriteCond %{THE_REQUEST} \\s[^?\\s]*//`",
      ];
      expect(given(condition)).toEqual([found]);
      expect(check(condition).map(({ message }) => message)).toEqual([found[0]]);
      expect(given(condition, "MergeSlashes Off")).toEqual([]);
    },
  );

  test.each([
    "%{REQUEST_URI} !//",
    "%{REQUEST_URI} !^.*//.*$",
    "%{THE_REQUEST} //",
    "%{REQUEST_URI} (//|^/old)",
    "%{REQUEST_URI} ^//?a",
    "%{HTTP_REFERER} ^https?://",
  ])("not %s", (condition) => {
    expect(given(condition)).toEqual([]);
  });

  test("not before 2.4.39, which keeps them", () => {
    const text = wholeServer("RewriteEngine on", "RewriteCond %{REQUEST_URI} //", rule);
    expect(findingsOf([constantResult], text, { release: "2.4.38" })).toEqual([]);
  });
});

test.each([
  ["%{SERVER_NAME} =*.example.org", "use `\\.example\\.org$`"],
  ["%{HTTP_HOST} =*.example.org", "use `\\.example\\.org$`"],
])("the wildcard of %s", (condition, help) => {
  expect(check(condition).map((each) => each.help?.[0])).toEqual([help]);
});

describe("a condition that never holds where it is", () => {
  const host = (address: string, name: string, ...lines: readonly string[]) =>
    section(`VirtualHost ${address}`, `ServerName ${name}`, ...lines);
  const tls = ["SSLEngine on", "SSLCertificateFile c.pem"];
  const rules = (...conditions: readonly string[]) => [
    "RewriteEngine on",
    ...conditions.map((each) => `RewriteCond ${each}`),
    "RewriteRule ^/x$ /y",
  ];
  const head = ["mod_rewrite.so rewrite", "mod_ssl.so ssl"].map((each) => {
    const [file, name] = each.split(" ");
    return `LoadModule ${name}_module ${file}`;
  });
  const found = (...lines: readonly string[]) =>
    findingsOf([constantResult], wholeServer(...head, "Listen 80", "Listen 443", ...lines)).map(
      ({ message, severity }) => [severity, message.replace(/: the rule never applies$/, "")],
    );
  const second = (...lines: readonly string[]) => [host("*:80", "a.test"), host("*:80", "b.test", ...lines)];

  test.each<[string, string, readonly string[]]>([
    ["info", "`%{HTTPS} off` never holds here", [host("*:443", "a.test", ...tls, ...rules("%{HTTPS} off"))]],
    ["info", "`%{HTTPS} !=on` never holds here", [host("*:443", "a.test", ...tls, ...rules("%{HTTPS} !=on"))]],
    ["info", "`%{HTTPS} !^on$` never holds here", [host("*:443", "a.test", ...tls, ...rules("%{HTTPS} !^on$"))]],
    ["warning", "`%{HTTPS} on` never holds here", [host("*:80", "a.test", ...rules("%{HTTPS} on"))]],
    ["warning", "`%{HTTPS} =on` never holds here", [host("*:80", "a.test", ...rules("%{HTTPS} =on"))]],
    [
      "warning",
      "`%{SERVER_PORT} 443` never holds here for a usual request",
      [host("*:80", "a.test", ...rules("%{SERVER_PORT} 443"))],
    ],
    [
      "info",
      "`%{SERVER_PORT} ^80$` never holds here for a usual request",
      [host("*:443", "a.test", ...tls, ...rules("%{SERVER_PORT} ^80$"))],
    ],
    ["warning", "`%{HTTP_HOST} ^www\\.a\\.test$` never holds here", second(...rules("%{HTTP_HOST} ^www\\.a\\.test$"))],
    [
      "warning",
      "`%{HTTP_HOST} =c.test` never holds here",
      second("ServerAlias *.b.test", ...rules("%{HTTP_HOST} =c.test")),
    ],
    [
      "warning",
      "`%{SERVER_NAME} =c.test` never holds here",
      second("ServerAlias *.b.test", ...rules("%{SERVER_NAME} =c.test")),
    ],
    [
      "warning",
      "`%{SERVER_NAME} =c.test` never holds here",
      [host("*:80", "a.test", ...rules("%{SERVER_NAME} =c.test")), host("*:80", "c.test")],
    ],
    [
      "warning",
      "`%{HTTP_HOST} ^www\\.c\\.test$` never holds here",
      [
        host("*:80", "a.test", ...rules("%{HTTP_HOST} ^www\\.c\\.test$")),
        host("*:80", "c.test", "ServerAlias www.c.test"),
      ],
    ],
    [
      "warning",
      "`/srv%{REQUEST_URI} -d` never holds here",
      [host("*:80", "a.test", ...rules("/srv%{REQUEST_URI} -f", "/srv%{REQUEST_URI} -d"))],
    ],
    [
      "warning",
      "`/srv%{REQUEST_URI} -s` never holds here",
      [host("*:80", "a.test", ...rules("/srv%{REQUEST_URI} -d", "/srv%{REQUEST_URI} -s"))],
    ],
    [
      "warning",
      "`%{REQUEST_URI} ^/shop` never holds here",
      [host("*:80", "a.test", ...rules("%{REQUEST_URI} ^/shop"))],
    ],
    ["warning", "`%{REQUEST_URI} !^/x` never holds here", [host("*:80", "a.test", ...rules("%{REQUEST_URI} !^/x"))]],
    ["warning", "`%{REQUEST_URI} \\.php$` never holds here", [...rules("%{REQUEST_URI} \\.php$")]],
  ])("%s: %s", (severity, message, lines) => {
    expect(found(...lines)).toEqual([[severity, message]]);
  });

  test.each<[string, readonly string[]]>([
    ["the host has TLS", [host("*:443", "a.test", ...tls, ...rules("%{HTTPS} on"))]],
    ["the host has no TLS", [host("*:80", "a.test", ...rules("%{HTTPS} off"))]],
    ["the host has no TLS, and the test is negated", [host("*:80", "a.test", ...rules("%{HTTPS} !=on"))]],
    [
      "OR joins it to another condition",
      [host("*:443", "a.test", ...tls, ...rules("%{HTTPS} off [OR]", "%{HTTP_HOST} ^www"))],
    ],
    [
      "OR joins it to the one before",
      [host("*:443", "a.test", ...tls, ...rules("%{HTTP_HOST} ^www [OR]", "%{HTTPS} off"))],
    ],
    ["the addresses have both kinds of ports", [host("*:80 *:443", "a.test", ...rules("%{SERVER_PORT} 443"))]],
    ["ServerName has the port", [host("*:80", "https://a.test:443", ...rules("%{SERVER_PORT} 443"))]],
    ["the port is another one", [host("*:8080", "a.test", ...rules("%{SERVER_PORT} 443"))]],
    ["the host gets requests with any name", [host("*:80", "a.test", ...rules("%{HTTP_HOST} =c.test"))]],
    [
      "no other host has the name",
      [host("*:80", "a.test", ...rules("%{SERVER_NAME} =c.test")), host("*:80", "b.test")],
    ],
    [
      "a host of another address has the name",
      [host("*:80", "a.test", ...rules("%{SERVER_NAME} =c.test")), host("*:8080", "c.test")],
    ],
    [
      "other names fit as well",
      [host("*:80", "a.test", ...rules("%{HTTP_HOST} ^[a-z]\\.test$")), host("*:80", "c.test")],
    ],
    ["the name is an alias", second("ServerAlias c.test", ...rules("%{HTTP_HOST} =c.test"))],
    ["the name matches an alias", second("ServerAlias *.c.test", ...rules("%{HTTP_HOST} ^www\\.c\\.test"))],
    ["the name has a port", second(...rules("%{HTTP_HOST} ^b\\.test:80$"))],
    ["the name has another case", second(...rules("%{HTTP_HOST} ^B\\.test$ [NC]"))],
    ["every name but its own is wanted", second("ServerAlias www.b.test", ...rules("%{HTTP_HOST} !^www\\."))],
    ["another file may add names", second("IncludeOptional names/*.conf", ...rules("%{HTTP_HOST} =c.test"))],
    [
      "OR joins tests of files",
      [host("*:80", "a.test", ...rules("/srv%{REQUEST_URI} -f [OR]", "/srv%{REQUEST_URI} -d"))],
    ],
    [
      "neither a file nor a directory is wanted",
      [host("*:80", "a.test", ...rules("/srv%{REQUEST_URI} !-f", "/srv%{REQUEST_URI} !-d"))],
    ],
    ["two files are tested", [host("*:80", "a.test", ...rules("/srv%{REQUEST_URI} -d", "/srv%{REQUEST_URI}/a -f"))]],
    ["the path fits the pattern", [host("*:80", "a.test", ...rules("%{REQUEST_URI} ^/x"))]],
    [
      "an earlier rule changes the path",
      [host("*:80", "a.test", "RewriteRule ^/shop/(.*) /x", ...rules("%{REQUEST_URI} ^/shop"))],
    ],
    [
      "the pattern is below a directory",
      inDirectory("RewriteRule ^x$ y", "RewriteCond %{REQUEST_URI} ^/shop", "RewriteRule ^x$ y").split("\n"),
    ],
  ])("is not reported if %s", (_, lines) => {
    expect(found(...lines)).toEqual([]);
  });

  test("is not reported in a file that virtual hosts with and without TLS include", () => {
    const shared = rules("%{HTTPS} off").join("\n");
    const macro = `<Macro site>\n${shared}\n</Macro>`;
    const lines = [macro, host("*:443", "a.test", ...tls, "Use site"), host("*:80", "a.test", "Use site")];
    expect(found("LoadModule macro_module mod_macro.so", ...lines)).toEqual([]);
  });
});

describe("an attribute of SetEnvIf that has no value", () => {
  const find = (...lines: readonly string[]) =>
    findingsOf([constantCondition], `${lines.join("\n")}\n`, { kind: "htaccess" }).map(({ message, help = [] }) => [
      message,
      ...help,
    ]);

  test.each([
    ["SetEnvIf HTTP_USER_AGENT bot bad", "HTTP_USER_AGENT", "SetEnvIf", "use `User-Agent`"],
    ["SetEnvIfNoCase HTTP_REFERER spam bad", "HTTP_REFERER", "SetEnvIfNoCase", "use `Referer`"],
    ["SetEnvIf HTTP_X_API_KEY ^k$ ok", "HTTP_X_API_KEY", "SetEnvIf", "use `X-Api-Key`"],
    ["SetEnvIf X_Forwarded_For ^10\\. lan", "X_Forwarded_For", "SetEnvIf", "use `X-Forwarded-For`"],
    ["SetEnvIf %{HTTP_HOST} ^a$ a", "%{HTTP_HOST}", "SetEnvIf", "use `Host`"],
    ["SetEnvIf QUERY_STRING debug d", "QUERY_STRING", "SetEnvIf", "use `SetEnvIfExpr` with `%{QUERY_STRING}`"],
    ["SetEnvIf HTTPS on tls", "HTTPS", "SetEnvIf", "use `SetEnvIfExpr` with `%{HTTPS}`"],
    ["SetEnvIf SERVER_PROTOCOL 1.0 old", "SERVER_PROTOCOL", "SetEnvIf", "use `Request_Protocol`"],
  ])("is reported: %s", (line, word, directive, help) => {
    expect(find(line)).toEqual([[`\`${word}\` has no value in \`${directive}\`: the line sets nothing`, help]]);
  });

  test.each([
    ["SetEnvIf User-Agent bot bad"],
    ["SetEnvIf Remote_Addr ^10\\. lan"],
    ["SetEnvIf REQUEST_URI ^/a a"],
    ["SetEnvIf Request_Protocol 1.0 old"],
    ["SetEnvIf ^X-.* a b"],
    ["SetEnvIf GEOIP_COUNTRY_CODE ^CN$ bad"],
    ["SetEnvIf SSL_CLIENT_VERIFY ^SUCCESS$ ok"],
    // Another line sets it.
    ["SetEnvIf X-Forwarded-Proto https HTTPS=on", "SetEnvIf HTTPS on tls"],
    // It has no value, as the line tests.
    ["SetEnvIf HTTP_REFERER ^$ direct"],
  ])("is not reported: %j", (...lines) => {
    expect(find(...lines)).toEqual([]);
  });
});

describe("variables that SetEnv sets too late", () => {
  const late = (...lines: string[]) =>
    findingsOf([constantCondition], `${lines.join("\n")}\n`, { kind: "htaccess" }).map(({ message }) => message);
  const rule = ["RewriteEngine On", "RewriteCond %{ENV:MODE} =dev", "RewriteRule ^ - [F]"];
  const message = "`MODE` is tested before `SetEnv` sets it";

  test.each([
    ["SetEnv MODE dev", ...rule],
    ["SetEnv mode dev", ...rule],
    [...rule, "SetEnv MODE dev"],
    ["SetEnv MODE dev", "<If \"reqenv('MODE') == 'dev'\">", "Require all denied", "</If>"],
    ["SetEnv MODE dev", "<If \"%{ENV:MODE} == 'dev'\">", "Require all denied", "</If>"],
  ])("%j %j", (...lines) => {
    expect(late(...lines)).toEqual([message]);
  });

  test.each([
    ["SetEnvIf Host ^dev MODE=dev", "SetEnv MODE dev", ...rule],
    ["RewriteRule ^x - [E=MODE:dev]", ...rule],
    ["PassEnv MODE", ...rule],
    ["SetEnv HTTPS on", "RewriteEngine On", "RewriteCond %{ENV:HTTPS} on", "RewriteRule ^ - [F]"],
    ["SetEnv MODE dev", "RewriteEngine On", "RewriteCond %{ENV:REDIRECT_MODE} =dev", "RewriteRule ^ - [F]"],
    ["SetEnv MODE dev", "Header set X-Mode dev env=MODE"],
    rule,
  ])("not %j %j", (...lines) => {
    expect(late(...lines)).toEqual([]);
  });
});

test("does not compare conditions of which httpd refuses one", () => {
  const list = ["%{HTTP_USER_AGENT} ^Mass Loader.* [NC,OR]", "%{HTTP_USER_AGENT} ^WebZIP [NC]"];
  expect(check(...list)).toEqual([]);
  expect(check(...list.toReversed())).toEqual([]);
  expect(check("%{HTTP_USER_AGENT} ^Mass [NC]", "%{HTTP_USER_AGENT} ^WebZIP [NC]")).toHaveLength(1);
});
