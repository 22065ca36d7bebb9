import { describe, expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { unclosedQuote } from "./unclosed-quote.js";

const check = (text: string) => findingsOf([unclosedQuote], `${text}\n`);

test("marks the text from the quote to the end of the line", () => {
  expect(check('  DocumentRoot "/srv/www  \nListen 80')).toEqual([
    {
      rule: "unclosed-quote",
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
