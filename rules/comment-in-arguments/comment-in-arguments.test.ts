import { describe, expect, test } from "vitest";
import { findingsOf, lintText } from "../../test/support/rules.js";
import { commentInArguments } from "./comment-in-arguments.js";

const found = (text: string) => findingsOf([commentInArguments], text).map((finding) => finding.text);

describe("reports", () => {
  test.each([
    ["DirectoryIndex index.php # main page", "# main page"],
    ["ServerAlias a.example #old", "#old"],
    ["AddHandler cgi-script .cgi # scripts", "# scripts"],
    ["SetEnvIf Remote_Addr ^10 LAN # office", "# office"],
    ["PassEnv A # b", "# b"],
  ])("%s", (line, text) => {
    expect(found(`${line}\n`)).toEqual([text]);
  });
});

describe("does not report", () => {
  test.each([
    "# DirectoryIndex a # b",
    'ServerAlias a "# b"',
    "IndexIgnore *.a #*",
    "DirectoryIndex a#b",
    "DirectoryIndex #a",
    "Header set X #a",
    "ServerAdmin a # b",
    "Allow from 192.0.2.1 # office",
  ])("%s", (line) => {
    expect(found(`${line}\n`)).toEqual([]);
  });
});

test("the fix moves the comment", () => {
  const [finding] = lintText([commentInArguments], "  DirectoryIndex a #b c\n");
  expect(finding?.fix?.edits.map(({ text }) => text)).toEqual(["  # b c\n", ""]);
});
