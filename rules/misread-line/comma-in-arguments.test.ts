import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const commaInArguments = onlyVariant(misreadLine, "comma-in-arguments");

const check = (text: string) => findingsOf([commaInArguments], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["DirectoryIndex index.php, index.html", "index.php,"],
    ["DirectoryIndex index.php,index.html", "index.php,index.html"],
    ["ServerAlias a.example, b.example", "a.example,"],
    ["ServerAlias a.example , b.example", ","],
    ["AddType text/plain .a, .b", ".a,"],
    ["AddOutputFilterByType DEFLATE text/html, text/css", "text/html,"],
    ["LanguagePriority en, de", "en,"],
  ])("%s", (line, text) => {
    expect(check(`${line}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "DirectoryIndex index.php index.html",
    'DirectoryIndex "a, b"',
    "IndexIgnore *,v *,t",
    "AddHandler text a,b",
    "SetEnvIf Accept a,b c",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test.each([
  ["ServerAlias a , b,c", "b c"],
  ["DirectoryIndex a, b,", "a b"],
])("fixes %s", (line, text) => {
  const [finding] = lintText([commaInArguments], `${line}\n`);
  expect(finding?.fix?.edits[0]?.text).toBe(text);
});
