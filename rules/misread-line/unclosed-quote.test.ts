import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onlyVariant, section } from "../../test/support/rules.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { misreadLine } from "./misread-line.js";

const unclosedQuote = onlyVariant(misreadLine, "unclosed-quote");

const check = (text: string) => findingsOf([unclosedQuote], `${text}\n`);

test("marks the text from the quote to the end of the line", () => {
  expect(check('  DocumentRoot "/srv/www  \nListen 80')).toEqual([
    {
      rule: "misread-line",
      severity: "warning",
      at: "1:16-1:25",
      text: '"/srv/www',
      message: 'unclosed quote `"`',
      notes: ["httpd reads the rest of the line as one argument"],
      help: ["close the quote"],
      related: [],
    },
  ]);
});

test.each<readonly [string, string, string]>([
  ["a single quote", "ServerName 'x", "'x"],
  ["a quote after a closed one", 'Alias "/a" "/b c', '"/b c'],
  ["a quote directly after a closed one", 'Alias "/a"\'/b', "'/b"],
  ["a quote that the other kind does not close", "ServerAdmin \"a' b", "\"a' b"],
  ["a quote whose closing quote is escaped", 'DocumentRoot "C:\\www\\"', '"C:\\www\\"'],
  ["a quote on its own", 'ServerName "', '"'],
  ["a quote in a section tag", '<Directory "/srv>\n</Directory>', '"/srv'],
  ["a quote in Require user", '<Location />\nRequire user "a b\n</Location>', '"a b'],
])("reports %s", (_, text, underlined) => {
  expect(check(text).map((each) => each.text)).toEqual([underlined]);
});

test.each<readonly [string, string, string]>([
  ['ScriptAlias "/cgi-bin/ "/srv/app/"', '/srv/app/"', '"/cgi-bin/" "/srv/app/"'],
  ['Alias "/a "/srv/a"', '/srv/a"', '"/a" "/srv/a"'],
  ["Alias '/a '/srv/a'", "/srv/a'", "'/a' '/srv/a'"],
  ['ProxyPass "/app "http://127.0.0.1:81/app"', 'http://127.0.0.1:81/app"', '"/app" "http://127.0.0.1:81/app"'],
  ['Header set "X-A "b"', 'b"', '"X-A" "b"'],
  ['Redirect 301 "/a  "/b"', '/b"', '"/a" "/b"'],
])("reports a quote after the space: %s", (text, next, corrected) => {
  expect(check(text)).toMatchObject([
    {
      message: `misplaced quote: an argument begins after it, and is \`${next}\``,
      help: [`use \`${corrected}\``],
    },
  ]);
});

test.each([
  'Alias "/a" "/srv/a"',
  'Alias "/a b" "/srv/a"',
  'Alias "/a " "/srv/a"',
  'Alias "/a "/srv/a',
  'Alias "/a"/srv/a"',
  'LogFormat "a \\"%r\\"" x',
  'AddDescription "a "b" c" *.x',
  'ErrorDocument 404 "a "',
])("does not report a quote in another place: %s", (text) => {
  expect(check(text).filter(({ message }) => message.startsWith("misplaced"))).toEqual([]);
});

describe("does not report", () => {
  test.each<readonly [string, string]>([
    ["a closed quote", 'DocumentRoot "/srv/www"'],
    ["a quote inside a word", "ServerAdmin O'Brien"],
    ["a quote at the end of a word", 'AddDescription x" y'],
    ["a quote inside the other kind", "ServerAdmin \"O'Brien\" '\"'"],
    ["an escaped quote inside quotes", 'LogFormat "%h \\"%r\\"" common'],
    ["an escaped backslash before the closing quote", 'DocumentRoot "C:\\\\www\\\\"'],
    ["a word directly after a closed quote", 'Alias "/a"/b'],
    ["a quote that is closed on a continued line", 'ServerAdmin "a \\\n b"'],
    ["a quote in a section tag", '<Directory "/srv">\n</Directory>'],
    ["a quote in a section tag with spaces", '<Directory "/srv" >\n</Directory>'],
    ["a quote in an expression", '<Location />\nRequire expr %{HTTP_USER_AGENT} =~ / "x/\n</Location>'],
    ["a quote in a negated expression", '<Location />\nRequire not expr %{HTTP_USER_AGENT} =~ / "x/\n</Location>'],
    ["a comment", '# DocumentRoot "/srv'],
    ["a conditional section that applies on no server", '<IfVersion < 1.3>\nDocumentRoot "/srv\n</IfVersion>'],
  ])("%s", (_, text) => {
    expect(check(text)).toEqual([]);
  });
});

const valueRules = [unclosedQuote, unknownDirective, refusedAtStart];

describe("reports a value over several lines once", () => {
  test.each<[string, string, string, number]>([
    ["a header", `Header set X-A "\n  default-src 'self';\n  object-src 'none'"`, "default-src", 3],
    ["in single quotes", "Header set X-A 'geolocation=(),\n  camera=()'", "camera=()'", 2],
    ["with comments and empty lines", 'Header set X-A "a\n\n# don\'t "\nb"', 'b"', 4],
    [
      "a condition",
      'RewriteCond %{HTTP_USER_AGENT} "(bot|\ncrawler|\nspider)" [NC]\nRewriteRule ^ - [F]',
      "crawler|",
      3,
    ],
    ["a section", '<FilesMatch "\\.(ini|\nlog)$">\nRequire all denied\n</FilesMatch>', 'log)$">', 2],
    ["a page", 'ErrorDocument 403 "<html>\n<body>\nallow some time\n</body></html>"', "<body>", 4],
    [
      "a list of ciphers",
      'SSLCipherSuite "ECDHE-RSA-AES128-GCM-SHA256:\n  ECDHE-RSA-AES256-GCM-SHA384"',
      'ECDHE-RSA-AES256-GCM-SHA384"',
      2,
    ],
    ["with CRLF", 'Header set X-A "a\r\nb-c"', 'b-c"', 2],
  ])("%s", (_, text, name, count) => {
    for (const written of [`${text}\n`, section("VirtualHost *:80", text), section("IfModule mod_headers.c", text)]) {
      const found = findingsOf(valueRules, written);
      expect(found.map(({ rule, severity, message }) => [rule, severity, message])).toEqual([
        [
          "misread-line",
          "error",
          `the value that begins with \`${text.includes('"') ? '"' : "'"}\` goes over ${count} lines`,
        ],
      ]);
      expect(found[0]?.notes).toContain(
        `httpd ends the value at the end of the line, and reads \`${name}\` as a directive`,
      );
    }
  });

  test.each<[string, string]>([
    ["the next line is a directive", 'Header set X-A "abc\nHeader set X-B "def"\n'],
    ["the quote is closed after a directive", 'Header set X-A "abc\nb\nOptions None\nHeader set X-B def"\n'],
    ["the quote is closed after a section", 'Header set X-A "abc\n<Location /a>\n</Location>\nb"\n'],
    ["no other line has a quote", 'Header set X-A "abc\nb-c\n'],
  ])("not if %s", (_, text) => {
    expect(findingsOf([unclosedQuote], text)[0]?.message).toBe('unclosed quote `"`');
  });

  test("continues the lines", () => {
    expect(fixFirst(unclosedQuote, 'Header set X-A "\n a;\r\n b"\n')).toBe('Header set X-A "\\\n a; \\\r\n b"\n');
    expect(fixFirst(unclosedQuote, 'Header set X-A "a\n# b\nc"\n')).toBeUndefined();
  });
});
