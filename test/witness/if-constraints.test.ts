import { describe, expect, test } from "vitest";
import { authenticationIncomplete } from "../../rules/authentication-incomplete/authentication-incomplete.js";
import { compatPrecedence } from "../../rules/compat-precedence/compat-precedence.js";
import { findingsOf, onServer, section } from "../support/rules.js";

/** Returns the requests that rules report for a section with an incomplete authentication setup. */
function asked(...sections: readonly string[]): string[] {
  return findingsOf([authenticationIncomplete], onServer(...sections)).map(
    ({ message, notes = [] }) => /([A-Z]+ `.*) returns 500/.exec(notes.join("; "))?.[1] ?? message,
  );
}

const within = (tag: string) => section(tag, "Require valid-user");

describe("a request for which a condition holds", () => {
  test.each([
    ["true", "GET `/index.html` from 203.0.113.9"],
    ["%{REQUEST_URI} == '/x'", "GET `/x` from 203.0.113.9"],
    ["'/x' == %{REQUEST_URI}", "GET `/x` from 203.0.113.9"],
    ["%{REQUEST_URI} =~ m#^/x/#", "GET `/x/` from 203.0.113.9"],
    ["%{REQUEST_URI} =~ /\\.php$/", "GET `/x.php` from 203.0.113.9"],
    ["%{REQUEST_URI} -strmatch '/x/*'", "GET `/x/x` from 203.0.113.9"],
    ["-R '10.0.0.0/8'", "GET `/index.html` from 10.0.0.1"],
    ["%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'", "GET `/index.html` from 10.0.0.1"],
    ["%{REMOTE_ADDR} == '192.0.2.7'", "GET `/index.html` from 192.0.2.7"],
    ["%{HTTP_HOST} == 'a.test'", "GET `http://a.test/index.html` from 203.0.113.9"],
    ["%{REQUEST_METHOD} == 'POST'", "POST `/index.html` from 203.0.113.9"],
    ["%{REQUEST_METHOD} -in { 'PUT', 'DELETE' }", "PUT `/index.html` from 203.0.113.9"],
    ["%{REQUEST_URI} == '/x' && -R '10.0.0.0/8'", "GET `/x` from 10.0.0.1"],
    ["%{REQUEST_URI} == '/x' || %{HTTP_HOST} == 'a.test'", "GET `/x` from 203.0.113.9"],
  ])("%s", (condition, request) => {
    expect(asked(within(`If "${condition}"`))).toEqual([request]);
  });

  test("in other sections, and within each other", () => {
    const inner = within("If \"%{REQUEST_METHOD} == 'POST'\"");
    expect(asked(section("Location /a", inner))).toEqual(["POST `/a` from 203.0.113.9"]);
    expect(asked(section("If \"-R '10.0.0.0/8'\"", inner))).toEqual(["POST `/index.html` from 10.0.0.1"]);
  });

  test("ElseIf and Else, where the conditions ahead of them do not hold", () => {
    const first = section("If \"%{REQUEST_METHOD} == 'POST'\"", "Require all granted");
    expect(asked(first, within("Else"))).toEqual(["GET `/index.html` from 203.0.113.9"]);
    expect(asked(first, within("ElseIf \"%{REQUEST_URI} == '/x'\""))).toEqual(["GET `/x` from 203.0.113.9"]);
  });

  test.each([
    ["that never holds", 'If "false"'],
    ["that wants two things at once", "If \"%{REQUEST_URI} == '/x' && %{REQUEST_URI} == '/y'\""],
    ["on a header", "If \"%{HTTP:X-Token} == 'x'\""],
    ["on the time", "If \"%{TIME_HOUR} == '3'\""],
    ["that is negated", "If \"! %{REQUEST_URI} == '/x'\""],
    ["on a variable twice over", "If \"%{REQUEST_URI} == '/%{HTTP_HOST}'\""],
  ])("twin: one %s", (_, tag) => {
    expect(asked(within(tag))).toEqual([]);
  });

  test("finds none for paths outside of the section, and for unreachable Else", () => {
    expect(asked(section("Location /a", within("If \"%{REQUEST_URI} == '/x'\"")))).toEqual([]);
    expect(asked(section('If "true"', "Require all granted"), within("Else"))).toEqual([]);
  });
});

test("considers outer conditions for the client", () => {
  const outer = section('Directory "/srv"', "Order deny,allow", "Deny from all");
  const office = section("If \"-R '10.0.0.0/8'\"", "Require ip 10.1");
  expect(findingsOf([compatPrecedence], onServer(outer, office)).map(({ notes }) => notes)).toEqual([
    expect.arrayContaining(["GET `/index.html` from 10.1.0.1 returns 403 (AH01797)"]),
  ]);
  expect(findingsOf([compatPrecedence], onServer(office))).toEqual([]);
});
