import { describe, expect, test } from "vitest";
import { authenticationIncomplete } from "../../../rules/authentication-incomplete/authentication-incomplete.js";
import { compatPrecedence } from "../../../rules/compat-precedence/compat-precedence.js";
import { findingsOf, onServer, section } from "../../support/rules.js";

/** Returns the requests that rules report for a section with an incomplete authentication setup. */
function reportedRequests(...sections: readonly string[]): string[] {
  return findingsOf([authenticationIncomplete], onServer(...sections)).map(
    ({ message, notes = [] }) => /([A-Z]+ `.*) returns 500/.exec(notes.join("; "))?.[1] ?? message,
  );
}

const within = (tag: string) => section(tag, "Require valid-user");

describe("finds a request that meets a condition", () => {
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
    expect(reportedRequests(within(`If "${condition}"`))).toEqual([request]);
  });

  test("in another section, and in nested conditions", () => {
    const inner = within("If \"%{REQUEST_METHOD} == 'POST'\"");
    expect(reportedRequests(section("Location /a", inner))).toEqual(["POST `/a` from 203.0.113.9"]);
    expect(reportedRequests(section("If \"-R '10.0.0.0/8'\"", inner))).toEqual(["POST `/index.html` from 10.0.0.1"]);
  });

  test("for ElseIf and Else, if the conditions before them are false", () => {
    const first = section("If \"%{REQUEST_METHOD} == 'POST'\"", "Require all granted");
    expect(reportedRequests(first, within("Else"))).toEqual(["GET `/index.html` from 203.0.113.9"]);
    expect(reportedRequests(first, within("ElseIf \"%{REQUEST_URI} == '/x'\""))).toEqual(["GET `/x` from 203.0.113.9"]);
  });

  test.each([
    ["that is never true", 'If "false"'],
    ["that contradicts itself", "If \"%{REQUEST_URI} == '/x' && %{REQUEST_URI} == '/y'\""],
    ["on a header", "If \"%{HTTP:X-Token} == 'x'\""],
    ["on the time", "If \"%{TIME_HOUR} == '3'\""],
    ["that is negated", "If \"! %{REQUEST_URI} == '/x'\""],
    ["with a variable on both sides", "If \"%{REQUEST_URI} == '/%{HTTP_HOST}'\""],
  ])("twin: none for a condition %s", (_, tag) => {
    expect(reportedRequests(within(tag))).toEqual([]);
  });

  test("twin: none for paths outside of the section, and for an unreachable Else", () => {
    expect(reportedRequests(section("Location /a", within("If \"%{REQUEST_URI} == '/x'\"")))).toEqual([]);
    expect(reportedRequests(section('If "true"', "Require all granted"), within("Else"))).toEqual([]);
  });
});

test("a client is chosen by the outer condition", () => {
  const outer = section('Directory "/srv"', "Order deny,allow", "Deny from all");
  const office = section("If \"-R '10.0.0.0/8'\"", "Require ip 10.1");
  expect(findingsOf([compatPrecedence], onServer(outer, office)).map(({ notes }) => notes)).toEqual([
    expect.arrayContaining(["GET `/index.html` from 10.1.0.1 returns 403 (AH01797)"]),
  ]);
  expect(findingsOf([compatPrecedence], onServer(office))).toEqual([]);
});
