import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const typographicQuote = onlyVariant(misreadLine, "typographic-quote");

const check = (text: string) => findingsOf([typographicQuote], text).map(({ message }) => message);

describe("reports", () => {
  test.each([
    ["CustomLog “/var/log/a” common", "“/var/log/a”"],
    ["Header set X ”b”", "”b”"],
    ["Header set X ‘b’", "‘b’"],
    ["ErrorDocument 404 „Not found“", "„Not"],
    ["ServerAdmin «a»", "«a»"],
  ])("%s", (line, value) => {
    expect(check(`${line}\n`)).toEqual([`the typographic quotes of \`${value}\` are part of the value`]);
  });
});

describe("does not report", () => {
  test.each(['ErrorDocument 404 "“Not found”"', "AddDescription It’s *.txt", "# “comment”", 'CustomLog "/a" common'])(
    "%s",
    (line) => {
      expect(check(`${line}\n`)).toEqual([]);
    },
  );
});

test("the fix replaces all quotes of a line", () => {
  const [finding] = lintText([typographicQuote], "ErrorDocument 404 “Not found”\n");
  expect(finding?.fix?.edits.map(({ text }) => text)).toEqual(['404 "Not found"']);
});
