import { describe, expect, test } from "vitest";
import { findingsOf, lintText, onlyVariant } from "../../test/support/rules.js";
import { misreadLine } from "./misread-line.js";

const continuedComment = onlyVariant(misreadLine, "continued-comment");

const check = (text: string) =>
  findingsOf([continuedComment], text, { kind: "htaccess" }).map(({ at, text: name }) => `${at} ${name}`);

describe("reports", () => {
  test.each([
    ["# a \\\nRequire all denied\n", "2:1-2:8 Require"],
    ["  # a\\\n  Require all denied\n", "2:3-2:10 Require"],
    ["# a \\\r\nOptions -Indexes\r\n", "2:1-2:8 Options"],
    ["# a \\\n<Files x>\nRequire all denied\n", "2:1-2:7 <Files"],
    ["#\\\nRequire all denied", "2:1-2:8 Require"],
  ])("%j", (text, expected) => {
    expect(check(text)).toEqual([expected]);
  });

  test("a directive after several comments", () => {
    expect(check("# a\n# b \\\nOptions None\n# c\n")).toEqual(["3:1-3:8 Options"]);
  });
});

describe("does not report", () => {
  test.each([
    "# a \\ \nRequire all denied\n",
    "# a\nRequire all denied\n",
    "# a \\\n# b\nRequire all denied\n",
    "# a \\\nmore text\n",
    "# C:\\\n\nRequire all denied\n",
    "Require \\\n all denied\n",
    "# Options are \\\nOptional features\n",
  ])("%j", (text) => {
    expect(check(text)).toEqual([]);
  });
});

test("the fix deletes the backslash", () => {
  const [finding] = lintText([continuedComment], "# a \\\nTimeOut 60\n");
  expect(finding?.fix?.edits.map(({ span, text }) => [span.start, span.end, text])).toEqual([[4, 5, ""]]);
});
