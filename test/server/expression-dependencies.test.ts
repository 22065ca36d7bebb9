import { describe, expect, test } from "vitest";
import { isConditionMet, parseExpressionCondition } from "../../src/server/expression/evaluate.js";
import { TrackedEnvironment } from "../../src/server/model/dependency-tracker.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { Oracle } from "../../src/server/model/oracle.js";
import { createRecordingTracker } from "../support/recording-tracker.js";

/** Returns whether a condition is true for a request of bob's, and what it reads. */
function dependenciesOf(text: string, { user }: { readonly user?: string } = { user: "bob" }) {
  const condition = parseExpressionCondition(text);
  if (condition === undefined) throw new Error(text);
  const dependencies: unknown[] = [];
  const tracker = createRecordingTracker(dependencies);
  const context = {
    request: { method: "GET", path: "/x", clientIp: "10.1.2.3", headers: { "X-A": "b" }, tracker },
    ...{ path: "/x", env: new TrackedEnvironment(new Map([["set", "1"]]), tracker), user },
    ...{
      filename: "/srv/x",
      names: {
        serverName: "a.test",
        serverPort: 80,
        scheme: "http",
        looksUpNames: false,
        checksClientName: false,
      } as const,
      oracle: new Oracle(new Map()),
      files: createListedFiles([]),
      target: { documentRoot: "/srv", alias: undefined, pathInfo: "", serverAdmin: undefined },
    },
  };
  return { holds: isConditionMet(condition, context), dependencies };
}

const ten = { kind: "address", subnet: expect.anything() };
const bob = { kind: "user", name: "bob" };
const testText = (words: string) => `whether \`${words}\``;

describe("a condition depends on inputs other than the method and the URL", () => {
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
    ["%{REMOTE_ADDR} == '::0:1'", false, [[testText("%{REMOTE_ADDR} == '::0:1'"), false]]],
    ["%{REMOTE_ADDR} < '2'", true, [[testText("%{REMOTE_ADDR} < '2'"), true]]],
    ["%{REMOTE_USER} == 'bob'", true, [[bob, true]]],
    ["%{REMOTE_USER} != 'bob'", false, [[bob, true]]],
    ["%{REMOTE_USER} == 'eve'", false, [[{ kind: "user", name: "eve" }, false]]],
    ["%{REMOTE_USER} == ''", false, [[testText("%{REMOTE_USER} == ''"), false]]],
    ["%{REMOTE_USER} =~ /b/", true, [[testText("%{REMOTE_USER} =~ m/b/"), true]]],
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
    ["-n req('REQENV:other')", false, [[testText("-n %{req:'REQENV:other'}"), false]]],
    ["%{REQUEST_METHOD} -in {req('X-A')}", false, [[testText("%{REQUEST_METHOD} -in { %{req:'X-A'} }"), false]]],
    ["'' == req('X-A')", false, [[testText("'' == %{req:'X-A'}"), false]]],
    ["'x' == 'x'", true, []],
    ["req_novary('X-A') == 'b'", true, [[testText("%{req_novary:'X-A'} == 'b'"), true, { header: "X-A", text: "b" }]]],
    ["unbase64(req('X-A')) == 'b'", false, [[testText("%{unbase64:%{req:'X-A'}} == 'b'"), false]]],
    ["req(tolower('X-A')) == 'b'", true, [[testText("%{req:%{tolower:'X-A'}} == 'b'"), true]]],
    ["%{HTTP_X} == 'b'.'c'", false, [[testText("%{HTTP_X} == 'b' . 'c'"), false, { header: "X", text: "bc" }]]],
    ["reqenv('other') == req('X-A')", false, [[testText("%{reqenv:'other'} == %{req:'X-A'}"), false]]],
    [
      "reqenv('own') == 'x'",
      false,
      ["whether `%{reqenv:'own'} == 'x'` is true depends on the value that other directives set for `own`"],
    ],
    ["req('X-A') == 'b'", true, [[testText("%{req:'X-A'} == 'b'"), true, { header: "X-A", text: "b" }]]],
    ["http('X-A') != 'b'", false, [[testText("%{http:'X-A'} != 'b'"), false, { header: "X-A", text: "b" }]]],
    ["'%{req:X-A}' =~ /B/i", true, [[testText("'%{req:'X-A'}' =~ m/B/i"), true, { header: "X-A", pattern: "B" }]]],
    [
      "%{HTTP_USER_AGENT} =~ /x/",
      false,
      [[testText("%{HTTP_USER_AGENT} =~ m/x/"), false, { header: "USER-AGENT", pattern: "x" }]],
    ],
    ["tolower(req('X-A')) == 'b'", true, [[testText("%{tolower:%{req:'X-A'}} == 'b'"), true]]],
    ["req('X-A') == %{QUERY_STRING}", false, [[testText("%{req:'X-A'} == %{QUERY_STRING}"), false]]],
    ["'x%{req:X-A}' == 'xb'", true, [[testText("'x%{req:'X-A'}' == 'xb'"), true]]],
    [
      "%{REMOTE_ADDR} =~ /^10/",
      true,
      [[testText("%{REMOTE_ADDR} =~ m/^10/"), true, { addressPattern: "^10", ignoreCase: false, isNegated: false }]],
    ],
    [
      "'%{REMOTE_ADDR}' !~ /^A/i",
      true,
      [[testText("'%{REMOTE_ADDR}' !~ m/^A/i"), true, { addressPattern: "^A", ignoreCase: true, isNegated: true }]],
    ],
    ["'x%{REMOTE_ADDR}' =~ /^x/", true, [[testText("'x%{REMOTE_ADDR}' =~ m/^x/"), true]]],
  ])("%s", (text, isTrue, dependencies) => {
    expect(dependenciesOf(text)).toEqual({ holds: isTrue, dependencies });
  });

  test("except for the user, who is empty before authentication", () => {
    expect(dependenciesOf("%{REMOTE_USER} == 'bob'", {}).dependencies).toEqual([]);
  });

  test("only if constants do not decide", () => {
    expect(dependenciesOf("req('X-A') == 'b' || %{REQUEST_URI} == '/x'")).toEqual({ holds: true, dependencies: [] });
    expect(dependenciesOf("req('X-A') == 'b' && !(%{REQUEST_URI} == '/x')")).toEqual({
      holds: false,
      dependencies: [],
    });
    expect(dependenciesOf("req('X-A') == 'b' && %{REQUEST_URI} == '/x'").dependencies).toHaveLength(1);
    expect(dependenciesOf("req('X-A') == 'b' || true").dependencies).toEqual([]);
    // The match of a pattern is available to later tests.
    expect(dependenciesOf("req('X-A') =~ /(b)/ && $1 == 'b' && true").dependencies).toHaveLength(1);
  });
});
