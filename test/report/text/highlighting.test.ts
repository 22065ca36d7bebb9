import fc from "fast-check";
import { expect, test } from "vitest";
import { freshLine, tokenizeLine } from "../../../src/report/text/highlighting.js";
import { runCount } from "../../support/depth.js";

/** Returns the tokens of a line, each as its kind and text. */
function tokensIn(line: string, start = freshLine): string[] {
  return tokenizeLine(line, start).tokens.map((token) => `${token.kind} ${line.slice(token.start, token.end)}`);
}

test.each([
  ["  # Listen 80", ["comment # Listen 80"]],
  ["Order deny,allow", ["name Order"]],
  ['<Directory "/srv/a b">', ["section <Directory", 'string "/srv/a b"', "section >"]],
  ["<If %{HTTPS} == 'on'> ", ["section <If", "variable %{HTTPS}", "string 'on'", "section >"]],
  ["</Directory>", ["section </Directory", "section >"]],
  ['Header set X "a\\"${B}c"', ["name Header", 'string "a\\"', "variable ${B}", 'string c"']],
  ["RewriteRule ^(.*)$ /$1 [R=301,L]", ["name RewriteRule", "variable $1", "keyword [R=301,L]"]],
  ["Options -Indexes", ["name Options", "keyword -Indexes"]],
  ["Require ip 10.0.0.1 \\", ["name Require", "continuation \\"]],
])("a line is highlighted: %s", (line, tokens) => {
  expect(tokensIn(line)).toEqual(tokens);
});

test("only a quote continues on the next line", () => {
  const { next } = tokenizeLine('AuthName "a \\', freshLine);
  expect(tokensIn('Require" all', next)).toEqual(['string Require"', "keyword all"]);
  expect(tokenizeLine('AuthName "a', freshLine).next).toEqual(freshLine);
});

test("tokens of any line are in order, do not overlap, and are within the line", () => {
  const character = fc.constantFrom(..."aA <>/#\"'\\$%{}[]1\t\u00e9");
  fc.assert(
    fc.property(
      fc.array(
        fc.array(character).map((each) => each.join("")),
        { maxLength: 4 },
      ),
      (lines) => {
        let state = freshLine;
        for (const line of lines) {
          const { tokens, next } = tokenizeLine(line, state);
          const bounds = tokens.flatMap(({ start, end }) => [start, end]);
          expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
          expect(bounds.every((bound) => bound >= 0 && bound <= line.length)).toBe(true);
          expect(tokens.every(({ start, end }) => start < end)).toBe(true);
          state = next;
        }
      },
    ),
    { numRuns: runCount(300, 5000) },
  );
});
