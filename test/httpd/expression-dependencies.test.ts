import { describe, expect, test } from "vitest";
import { isConditionMet, parseExpressionCondition } from "../../src/httpd/expression/evaluate.js";
import { type DependencyTracker, TrackedEnvironment } from "../../src/httpd/model/dependency-tracker.js";
import { createListedFiles } from "../../src/httpd/model/file-tree.js";
import { Oracle } from "../../src/httpd/model/oracle.js";

/** Returns whether a condition holds for a request of bob's, and what it reads. */
function lookedAtBy(text: string, { user }: { readonly user?: string } = { user: "bob" }) {
  const condition = parseExpressionCondition(text);
  if (condition === undefined) throw new Error(text);
  const seen: unknown[] = [];
  const tracker: DependencyTracker = {
    ownVariables: new Set(["own"]),
    recordPredicate: (predicate, value) => void seen.push([predicate, value]),
    recordTest: (words, actual, of) => {
      seen.push([words, actual, of]);
      return actual;
    },
    peekTest: (_, value) => ({ predicate: { kind: "constant", value }, holds: value }),
    markUnknown: (reason) => void seen.push(reason),
    recordMethod: () => undefined,
    recordFileExistence: () => undefined,
  };
  const context = {
    request: { method: "GET", path: "/x", clientIp: "10.1.2.3", headers: { "X-A": "b" }, tracker },
    ...{ path: "/x", env: new TrackedEnvironment(new Map([["set", "1"]]), tracker.ownVariables), user },
    ...{
      filename: "/srv/x",
      names: { serverName: "a.test", serverPort: 80, scheme: "http", looksUpNames: false } as const,
      oracle: new Oracle(new Map()),
      files: createListedFiles([]),
      target: { documentRoot: "/srv", alias: undefined, pathInfo: "", serverAdmin: undefined },
    },
  };
  return { holds: isConditionMet(condition, context), seen };
}

const ten = { kind: "address", subnet: expect.anything() };
const bob = { kind: "user", name: "bob" };
const sent = (words: string) => `whether \`${words}\``;

describe("inputs of a condition beside method and URL", () => {
  test.each<[string, boolean, readonly unknown[]]>([
    ["%{REQUEST_URI} == '/x'", true, []],
    ["%{HTTPS} == 'on'", false, []],
    ["md5('a') == 'b' || tolower('A') == 'a'", true, []],
    ["-R '10.0.0.0/8'", true, [[ten, true]]],
    ["-R '11.0.0.0/8'", false, [[ten, false]]],
    ["%{REMOTE_ADDR} -ipmatch '10.0.0.0/8'", true, [[ten, true]]],
    ["%{REMOTE_ADDR} == '10.1.2.3'", true, [[ten, true]]],
    ["%{REMOTE_ADDR} != '10.1.2.3'", false, [[ten, true]]],
    ["%{REMOTE_ADDR} != '10.1.2.4'", true, [[ten, false]]],
    ["%{REMOTE_ADDR} == '::0:1'", false, [[sent("%{REMOTE_ADDR} == '::0:1'"), false, undefined]]],
    ["%{REMOTE_ADDR} < '2'", true, [[sent("%{REMOTE_ADDR} < '2'"), true, undefined]]],
    ["%{REMOTE_USER} == 'bob'", true, [[bob, true]]],
    ["%{REMOTE_USER} != 'bob'", false, [[bob, true]]],
    ["%{REMOTE_USER} == 'eve'", false, [[{ kind: "user", name: "eve" }, false]]],
    ["%{REMOTE_USER} == ''", false, [[sent("%{REMOTE_USER} == ''"), false, undefined]]],
    ["%{REMOTE_USER} =~ /b/", true, [[sent("%{REMOTE_USER} =~ m/b/"), true, undefined]]],
    ["-n reqenv('Other')", false, [[{ kind: "env", name: "other" }, false]]],
    ["-z reqenv('set')", false, [[{ kind: "env", name: "set" }, true]]],
    ["reqenv('other') == ''", true, [[{ kind: "env", name: "other" }, false]]],
    ["reqenv('other') != ''", false, [[{ kind: "env", name: "other" }, false]]],
    ["reqenv('other') == 'x'", false, [[{ kind: "env", name: "other" }, false]]],
    ["-n reqenv('own')", false, [[{ kind: "constant", value: false }, false]]],
    ["-z reqenv('own')", true, [[{ kind: "constant", value: false }, false]]],
    [
      "-T reqenv('own')",
      false,
      ["whether `-T %{reqenv:'own'}` is true depends on the value that other directives set for `own`"],
    ],
    [
      "reqenv('own') < ''",
      false,
      ["whether `%{reqenv:'own'} < ''` is true depends on the value that other directives set for `own`"],
    ],
    ["reqenv('own') != ''", false, [[{ kind: "constant", value: false }, false]]],
    [
      "reqenv('own') =~ /x/",
      false,
      ["whether `%{reqenv:'own'} =~ m/x/` is true depends on the value that other directives set for `own`"],
    ],
    [
      "reqenv('own') in {'x'}",
      false,
      ["whether `%{reqenv:'own'} -in { 'x' }` is true depends on the value that other directives set for `own`"],
    ],
    ["-n req('REQENV:other')", false, [[sent("-n %{req:'REQENV:other'}"), false, undefined]]],
    ["%{REQUEST_METHOD} -in {req('X-A')}", false, [[sent("%{REQUEST_METHOD} -in { %{req:'X-A'} }"), false, undefined]]],
    ["'' == req('X-A')", false, [[sent("'' == %{req:'X-A'}"), false, undefined]]],
    ["'x' == 'x'", true, []],
    ["req_novary('X-A') == 'b'", true, [[sent("%{req_novary:'X-A'} == 'b'"), true, { header: "X-A", text: "b" }]]],
    ["unbase64(req('X-A')) == 'b'", false, [[sent("%{unbase64:%{req:'X-A'}} == 'b'"), false, undefined]]],
    ["req(tolower('X-A')) == 'b'", true, [[sent("%{req:%{tolower:'X-A'}} == 'b'"), true, undefined]]],
    ["%{HTTP_X} == 'b'.'c'", false, [[sent("%{HTTP_X} == 'b' . 'c'"), false, { header: "X", text: "bc" }]]],
    ["reqenv('other') == req('X-A')", false, [[sent("%{reqenv:'other'} == %{req:'X-A'}"), false, undefined]]],
    [
      "reqenv('own') == 'x'",
      false,
      ["whether `%{reqenv:'own'} == 'x'` is true depends on the value that other directives set for `own`"],
    ],
    ["req('X-A') == 'b'", true, [[sent("%{req:'X-A'} == 'b'"), true, { header: "X-A", text: "b" }]]],
    ["http('X-A') != 'b'", false, [[sent("%{http:'X-A'} != 'b'"), false, { header: "X-A", text: "b" }]]],
    ["'%{req:X-A}' =~ /B/i", true, [[sent("'%{req:'X-A'}' =~ m/B/i"), true, { header: "X-A", pattern: "B" }]]],
    [
      "%{HTTP_USER_AGENT} =~ /x/",
      false,
      [[sent("%{HTTP_USER_AGENT} =~ m/x/"), false, { header: "USER-AGENT", pattern: "x" }]],
    ],
    ["tolower(req('X-A')) == 'b'", true, [[sent("%{tolower:%{req:'X-A'}} == 'b'"), true, undefined]]],
    ["req('X-A') == %{QUERY_STRING}", false, [[sent("%{req:'X-A'} == %{QUERY_STRING}"), false, undefined]]],
    ["'x%{req:X-A}' == 'xb'", true, [[sent("'x%{req:'X-A'}' == 'xb'"), true, undefined]]],
    [
      "%{REMOTE_ADDR} =~ /^10/",
      true,
      [[sent("%{REMOTE_ADDR} =~ m/^10/"), true, { addressPattern: "^10", ignoreCase: false, isNegated: false }]],
    ],
    [
      "'%{REMOTE_ADDR}' !~ /^A/i",
      true,
      [[sent("'%{REMOTE_ADDR}' !~ m/^A/i"), true, { addressPattern: "^A", ignoreCase: true, isNegated: true }]],
    ],
    ["'x%{REMOTE_ADDR}' =~ /^x/", true, [[sent("'x%{REMOTE_ADDR}' =~ m/^x/"), true, undefined]]],
  ])("%s", (text, isHeld, seen) => {
    expect(lookedAtBy(text)).toEqual({ holds: isHeld, seen });
  });

  test("the user is empty before the login", () => {
    expect(lookedAtBy("%{REMOTE_USER} == 'bob'", {}).seen).toEqual([]);
  });

  test("evaluates constants first, which may decide", () => {
    expect(lookedAtBy("req('X-A') == 'b' || %{REQUEST_URI} == '/x'")).toEqual({ holds: true, seen: [] });
    expect(lookedAtBy("req('X-A') == 'b' && !(%{REQUEST_URI} == '/x')")).toEqual({ holds: false, seen: [] });
    expect(lookedAtBy("req('X-A') == 'b' && %{REQUEST_URI} == '/x'").seen).toHaveLength(1);
    expect(lookedAtBy("req('X-A') == 'b' || true").seen).toEqual([]);
    // A pattern's match is available to the rest.
    expect(lookedAtBy("req('X-A') =~ /(b)/ && $1 == 'b' && true").seen).toHaveLength(1);
  });
});
