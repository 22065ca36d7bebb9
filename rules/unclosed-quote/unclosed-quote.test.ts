import { describe, expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { unclosedQuote } from "./unclosed-quote.js";

const seen = (text: string) => findingsOf([unclosedQuote], `${text}\n`);

test("marks the text from the quote to the end of the line", () => {
  expect(seen('  DocumentRoot "/srv/www  \nListen 80')).toEqual([
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
  ["behind a closed one", 'Alias "/a" "/b c', '"/b c'],
  ["right behind a closed one", 'Alias "/a"\'/b', "'/b"],
  ["the other kind does not close it", "ServerAdmin \"a' b", "\"a' b"],
  ["a backslash takes the closing one's meaning", 'DocumentRoot "C:\\www\\"', '"C:\\www\\"'],
  ["alone", 'ServerName "', '"'],
  ["a section", '<Directory "/srv>\n</Directory>', '"/srv'],
  ["Require of a user", '<Location />\nRequire user "a b\n</Location>', '"a b'],
])("%s", (_, text, underlined) => {
  expect(seen(text).map((each) => each.text)).toEqual([underlined]);
});

describe("does not report", () => {
  test.each<readonly [string, string]>([
    ["closed", 'DocumentRoot "/srv/www"'],
    ["one inside a word", "ServerAdmin O'Brien"],
    ["one at the end of a word", 'AddDescription x" y'],
    ["one inside the other kind", "ServerAdmin \"O'Brien\" '\"'"],
    ["escaped inside quotes", 'LogFormat "%h \\"%r\\"" common'],
    ["a backslash with its own", 'DocumentRoot "C:\\\\www\\\\"'],
    ["a word right behind a closed one", 'Alias "/a"/b'],
    ["closed on a continued line", 'ServerAdmin "a \\\n b"'],
    ["a section", '<Directory "/srv">\n</Directory>'],
    ["a section with spaces", '<Directory "/srv" >\n</Directory>'],
    ["in an expression", '<Location />\nRequire expr %{HTTP_USER_AGENT} =~ / "x/\n</Location>'],
    ["in a negated expression", '<Location />\nRequire not expr %{HTTP_USER_AGENT} =~ / "x/\n</Location>'],
    ["a comment", '# DocumentRoot "/srv'],
    ["a guard that does not hold", '<IfDefine X>\nDocumentRoot "/srv\n</IfDefine>'],
  ])("%s", (_, text) => {
    expect(seen(text)).toEqual([]);
  });
});
