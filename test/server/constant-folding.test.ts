import { expect, test } from "vitest";
import { parseExpression } from "../../grammar/expression/expression.js";
import { constantOf, formatExpression } from "../../src/server/expression/constant-folding.js";
import { readsUser } from "../../src/server/expression/evaluate.js";

function conditionOf(text: string) {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value.expression;
}

test.each([
  ["true", "true"],
  ["not false", "!(false)"],
  ["true and false", "(true) && (false)"],
  ["true or not false", "(true) || (!(false))"],
  ["'a' = \"b\"", "'a' == 'b'"],
  ["10 lt 9", "10 -lt 9"],
  ["'a' -strmatch 'b*'", "'a' -strmatch 'b*'"],
  ["%{request_uri} =~ m#^/A#i", "%{REQUEST_URI} =~ m#^/A#i"],
  ["%{REQUEST_URI} !~ /x/", "%{REQUEST_URI} !~ m/x/"],
  ["'a' in {'b', 'c'}", "'a' -in { 'b', 'c' }"],
  ["'a' in split('b')", "'a' -in split('b')"],
  ["-n %{REQ:X-A}", "-n %{req:'X-A'}"],
  ["-z tolower('A')", "-z %{tolower:'A'}"],
  ["'a' . 'b' == 'ab'", "'a' . 'b' == 'ab'"],
  ["'x%{HTTPS}y$1' == '1'", "'x%{HTTPS}y$1' == '1'"],
  [String.raw`'it\'s' == 'b\\c'`, String.raw`'it\'s' == 'b\\c'`],
])("formats %s as %s", (text, formatted) => {
  expect(formatExpression(conditionOf(text))).toBe(formatted);
});

test.each([
  ["%{REMOTE_USER} == 'bob'", true],
  ["%{remote_user} == 'bob'", true],
  ["true && !(-z 'x%{REMOTE_USER}')", true],
  ["tolower(%{REMOTE_USER}) in {'bob'}", true],
  ["%{REMOTE_ADDR} == '10.0.0.1'", false],
  ["'REMOTE_USER' == 'x'", false],
  ["req('REMOTE_USER') == 'x'", false],
])("detects whether %s reads the user: %s", (text, expected) => {
  expect(readsUser(conditionOf(text))).toBe(expected);
});

test.each([
  ["'a' == 'b'", "b"],
  ["'a' == 10", "10"],
  ["'a' == 'b' . 'c'", "bc"],
  ["'a' == ''", ""],
  ["'a' == 'b%{HTTPS}'", undefined],
  ["'a' == %{HTTPS}", undefined],
  ["'a' == 'b' . %{HTTPS}", undefined],
  ["'a' == tolower('B')", undefined],
])("finds the constant operand of %s: %j", (text, constant) => {
  const condition = conditionOf(text);
  expect(condition.kind === "comparison" ? constantOf(condition.right) : "not a comparison").toBe(constant);
});

test("a missing operand is not a constant", () => {
  expect(constantOf(undefined)).toBeUndefined();
});
