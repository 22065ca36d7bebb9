import { describe, expect, test } from "vitest";
import type { FileTree } from "../../src/server/model/file-tree.js";
import { Oracle } from "../../src/server/model/oracle.js";
import type { Request } from "../../src/server/model/request.js";
import { unknownFact, wordsOfFact } from "../../src/server/model/unknown-facts.js";
import { testRewriteConditions } from "../../src/server/rewrite/conditions.js";
import type { RewriteContext } from "../../src/server/rewrite/rewrite-context.js";
import { parseRewriteRules } from "../../src/server/rewrite/rule-parser.js";
import { loadText } from "../support/projects.js";
import { createRecordingTracker } from "../support/recording-tracker.js";

const kinds: Readonly<Record<string, "file" | "directory" | "unknown">> = {
  ...{ "": "directory", "/srv": "directory", "/srv/a": "directory", "/srv/x": "file", "/srv/who": "unknown" },
};
const files: FileTree = { kindOf: (path) => kinds[path] ?? "missing" };

/** Returns the result of a rule's conditions, and what they read. */
function testConditions(
  lines: readonly string[],
  changed: Partial<RewriteContext> = {},
  release: "2.2" | "2.4" = "2.4",
) {
  const text = `${lines.map((line) => `RewriteCond ${line}\n`).join("")}RewriteRule ^ - [F]\n`;
  const project = loadText(text, { kind: "server", release });
  const [rule] = parseRewriteRules(project.directives);
  if (rule === undefined) throw new Error(text);
  const dependencies: unknown[] = [];
  const tracker = createRecordingTracker(dependencies);
  const headers = { "User-Agent": "Wget", "X-A": "b" };
  const request: Request = { method: "GET", path: "/x", query: "q=1", clientIp: "10.1.2.3", headers, tracker };
  const oracle = new Oracle(new Map());
  const verdict = testRewriteConditions(rule, [], {
    ...{ project, files, oracle, request, path: "/x" },
    names: { serverName: "a.test", serverPort: 80, scheme: "http", looksUpNames: false, checksClientName: false },
    ...{
      handler: undefined,
      type: undefined,
      target: { documentRoot: "/srv", alias: undefined, pathInfo: "", serverAdmin: undefined },
      env: new Map(),
      user: "bob",
      maps: new Map(),
    },
    ...{ directory: undefined, isProxied: false, isOwnHost: () => false, filename: "/x", pathInfo: "" },
    ...{ query: "q=1", status: 200, isReduced: false, ...changed },
  });
  return { verdict, dependencies, questions: [...oracle.answered.keys()].map(wordsOfFact) };
}

const address = { addressPattern: "^10", ignoreCase: false, isNegated: false };

describe("a condition depends on inputs other than the method and the URL", () => {
  test.each<[string, boolean, readonly unknown[]]>([
    ["%{REQUEST_URI} ^/x", true, []],
    ["%{REQUEST_METHOD} =GET", true, []],
    ["%{HTTPS} =on", false, []],
    ["%{REQUEST_FILENAME} -f", false, []],
    ["%{HTTP_USER_AGENT} -f", false, []],
    [
      "%{HTTP_USER_AGENT} Wget",
      true,
      [["whether `%{HTTP_USER_AGENT}` matches `Wget`", true, { header: "USER-AGENT", pattern: "Wget" }]],
    ],
    [
      "%{http_user_agent} x",
      false,
      [["whether `%{http_user_agent}` matches `x`", false, { header: "user-agent", pattern: "x" }]],
    ],
    [
      "%{HTTP_USER_AGENT} !Wget",
      false,
      [["whether `%{HTTP_USER_AGENT}` matches `Wget`", true, { header: "USER-AGENT", pattern: "Wget" }]],
    ],
    [
      "%{HTTP:X-A} B [NC]",
      true,
      [["whether `%{HTTP:X-A}` matches `B` (ignoring case)", true, { header: "X-A", pattern: "B" }]],
    ],
    ["%{HTTP:X-A} =b", true, [["whether `%{HTTP:X-A} = b`", true, { header: "X-A", text: "b" }]]],
    ["%{HTTP:X-A} =B [NC]", true, [["whether `%{HTTP:X-A} = B` (ignoring case)", true, { header: "X-A", text: "B" }]]],
    ["%{HTTP:X-A} >a", true, [["whether `%{HTTP:X-A} > a`", true]]],
    ["%{HTTP:X-A} -eq0", true, [["whether `%{HTTP:X-A} -eq 0`", true]]],
    ["%{HTTP:X-A} -ne0", false, [["whether `%{HTTP:X-A} -eq 0`", true]]],
    ["x%{HTTP:X-A} =xb", true, [["whether `x%{HTTP:X-A} = xb`", true]]],
    ["%{HTTP:X-A}x =bx", true, [["whether `%{HTTP:X-A}x = bx`", true]]],
    ["x%{HTTP:X-A} b", true, [["whether `x%{HTTP:X-A}` matches `b`", true]]],
    ["%{REMOTE_ADDR} ^10", true, [["whether `%{REMOTE_ADDR}` matches `^10`", true, address]]],
    ["%{REMOTE_ADDR} !^10", false, [["whether `%{REMOTE_ADDR}` matches `^10`", true, address]]],
    [
      "%{remote_addr} ^10 [NC]",
      true,
      [["whether `%{remote_addr}` matches `^10` (ignoring case)", true, { ...address, ignoreCase: true }]],
    ],
    ["%{REMOTE_ADDR} =10.1.2.3", true, [["whether `%{REMOTE_ADDR} = 10.1.2.3`", true]]],
    ["x%{REMOTE_ADDR} ^x10", true, [["whether `x%{REMOTE_ADDR}` matches `^x10`", true]]],
    ["%{REMOTE_ADDR}x ^10", true, [["whether `%{REMOTE_ADDR}x` matches `^10`", true]]],
    ["%{QUERY_STRING} q", true, [["whether `%{QUERY_STRING}` matches `q`", true]]],
    ["%{THE_REQUEST} q", true, [["whether `%{THE_REQUEST}` matches `q`", true]]],
    ["%{REMOTE_USER} =bob", true, [["whether `%{REMOTE_USER} = bob`", true]]],
    ["%{ENV:other} .", false, [["whether `%{ENV:other}` matches `.`", false]]],
    [
      "%{ENV:OWN} .",
      false,
      [
        "whether `%{ENV:OWN}` matches `.` depends on values that other directives set",
        ["whether `%{ENV:OWN}` matches `.`", false],
      ],
    ],
    [
      "%{env:a}%{ENV:own} =",
      false,
      [
        "whether `%{env:a}%{ENV:own}` matches `=` depends on values that other directives set",
        ["whether `%{env:a}%{ENV:own}` matches `=`", false],
      ],
    ],
    ["%{SERVER_NAME} a", true, [["whether `%{SERVER_NAME}` matches `a`", true]]],
    [
      "expr \"%{HTTP_USER_AGENT} == 'Wget'\"",
      true,
      [["whether `%{HTTP_USER_AGENT} == 'Wget'`", true, { header: "USER-AGENT", text: "Wget" }]],
    ],
    ["expr \"!(%{REQUEST_URI} == '/x')\"", false, []],
  ])("%s", (line, isTrue, dependencies) => {
    const found = testConditions([line]);
    expect(found.verdict.kind).toBe(isTrue ? "hold" : "fail");
    expect(found.dependencies).toEqual(dependencies);
  });

  test("except for the user, who is empty before authentication", () => {
    expect(testConditions(["%{REMOTE_USER} =bob"], { user: undefined }).dependencies).toEqual([]);
    expect(testConditions(["x%{REMOTE_USER} =xbob"], { user: undefined }).dependencies).toHaveLength(1);
    expect(testConditions(["%{REMOTE_USER} =bob"], { user: "unknown" }).verdict).toEqual({
      kind: "unknown",
      why: { unknown: unknownFact("variable", "%{REMOTE_USER}") },
    });
  });

  test("including the logged-in user in an expression", () => {
    expect(testConditions(["expr \"%{REMOTE_USER} == 'bob'\""]).verdict.kind).toBe("hold");
    expect(testConditions(["expr \"%{REMOTE_USER} == 'bob'\""], { user: undefined }).verdict.kind).toBe("fail");
  });

  test("except for Authorization, which is absent without a user", () => {
    expect(testConditions(["%{HTTP:Authorization} ^$"], { user: undefined }).verdict.kind).toBe("hold");
  });

  test("except for a query that rules changed", () => {
    const unknown = "whether `%{QUERY_STRING}` matches `z` depends on values that other directives set";
    expect(testConditions(["%{QUERY_STRING} z"], { query: "z" }).dependencies[0]).toBe(unknown);
    expect(testConditions(["%{THE_REQUEST} z"], { query: "z" }).dependencies).toHaveLength(1);
  });

  test("only if it is tested", () => {
    expect(testConditions(["a b", "%{QUERY_STRING} q"]).dependencies).toEqual([]);
    expect(testConditions(["a a [OR]", "%{QUERY_STRING} q"]).dependencies).toEqual([]);
    expect(testConditions(["a b [OR]", "%{QUERY_STRING} q"]).dependencies).toHaveLength(1);
    for (const line of ["a a [OR]", "a b [OR]"]) expect(testConditions([line]).verdict.kind).toBe("hold");
  });
});

describe("file tests", () => {
  test.each<[string, "hold" | "fail"]>([
    ["/srv/x -f", "hold"],
    ["srv/x -f", "hold"],
    ["/srv/x/ -f", "fail"],
    ["/srv/x -d", "fail"],
    ["/srv/a -d", "hold"],
    ["srv/a/ -d", "hold"],
    ["/srv/a -f", "fail"],
    ["/srv/a -s", "fail"],
    ["/srv/none -s", "fail"],
    ["/srv/a/../x -f", "hold"],
    ["/srv/x/../x -f", "fail"],
    ["/srv/none/../x -f", "fail"],
    ["/srv/none/..x -f", "fail"],
    ["/../srv/x -f", "hold"],
    ["/srv/a/.. -d", "hold"],
  ])("with %s conditions %s", (line, kind) => {
    expect(testConditions([line])).toMatchObject({ verdict: { kind }, questions: [] });
  });

  test.each([
    ["/srv/x -F", unknownFact("file-test", "F", "/srv/x")],
    ["/x -U", unknownFact("file-test", "U", "/x")],
  ])("have an unknown result for %s", (line, unknown) => {
    expect(testConditions([line]).verdict).toEqual({ kind: "unknown", why: { unknown } });
  });

  test.each(["s", "x", "l"])("have either result in proofs for -%s", (letter) => {
    const { verdict, questions } = testConditions([`/srv/x -${letter}`]);
    expect([verdict.kind, questions]).toEqual(["fail", [`the result of the test \`-${letter}\` for \`/srv/x\``]]);
  });

  test("detect links if the file tree has facts about links", () => {
    const withLinks: FileTree = {
      ...files,
      linkAt: (path) => (path === "/srv/x" ? { hasSameOwner: true } : undefined),
    };
    for (const letter of ["l", "L", "h"]) {
      expect(testConditions([`/srv/x -${letter}`], { files: withLinks }).verdict.kind).toBe("hold");
      expect(testConditions([`/srv/a -${letter}`], { files: withLinks }).verdict.kind).toBe("fail");
      // The system follows a link before a slash (test/live/cgi-path-info.live.test.ts).
      expect(testConditions([`/srv/x/ -${letter}`], { files: withLinks }).verdict.kind).toBe("fail");
    }
  });

  test("depend on unknown files", () => {
    expect(testConditions(["/srv/who -f"]).questions).toEqual(["whether `/srv/who` exists"]);
    expect(testConditions(["/srv/who/../x -f"]).questions).toEqual(["whether `/srv/who` is a directory"]);
  });
});

describe("unknown results", () => {
  const time = { kind: "unknown", why: { unknown: unknownFact("variable", "%{TIME}") } };
  test.each<[readonly string[], unknown]>([
    [["%{TIME} 1"], time],
    [["%{TIME} 1 [OR]", "a a"], { kind: "hold", condition: { unknown: unknownFact("variable", "%{TIME}") }, met: [] }],
    [["%{TIME} 1 [OR]", "a b"], time],
    [["a a [OR]", "%{TIME} 1"], { kind: "hold", condition: ["a"], met: [] }],
    [["a b [OR]", "%{TIME} 1"], time],
    [["%{TIME} 1", "a a"], time],
    [["%{TIME} 1", "a b"], expect.objectContaining({ kind: "fail" })],
    [["%{TIME} 1 [OR]", "a b", "a b"], expect.objectContaining({ kind: "fail" })],
    [["%{TIME} 1 [OR]", "a b", "a a"], time],
    [
      ["%{TIME} 1 [OR]", "%{TIME_DAY} 1", "a a"],
      { kind: "unknown", why: { unknown: unknownFact("variable", "%{TIME_DAY}") } },
    ],
    [["%{TIME} 1", "%{TIME_DAY} 1"], time],
    [["%{TIME} 1 [OR]", "a a", "%1 =x"], time],
    [["expr true", "%1 =x"], { kind: "unknown", why: { unknown: unknownFact("groups-of-expression", "true") } }],
    [["expr \"'ab' =~ /(b)/\"", "%1 =b"], expect.objectContaining({ kind: "hold" })],
    [["ab (b)", "expr !false", "%1 =b"], expect.objectContaining({ kind: "hold" })],
    [["a a(?R)?"], { kind: "unknown", why: { unknown: unknownFact("pattern-matches", "a(?R)?", "a") } }],
    [["a a(?!b)"], expect.objectContaining({ kind: "hold" })],
    [
      ["expr \"%{TIME} == '1'\""],
      {
        kind: "unknown",
        why: { unknown: unknownFact("test-holds-for", "%{TIME} == '1'", unknownFact("variable", "%{TIME}")) },
      },
    ],
    [['expr "("'], expect.objectContaining({ kind: "fail" })],
  ])("%j", (lines, verdict) => {
    expect(testConditions(lines).verdict).toEqual(verdict);
  });
});

test.each<[string, "hold" | "fail"]>([
  ["expr ^expr$", "hold"],
  ["expr true", "fail"],
  ["Expr expr [NC]", "hold"],
  ["12 -eq12", "fail"],
  ["x-eq12 -eq12", "hold"],
  ["X-EQ12 -eq12 [NC]", "hold"],
  ["12 =12", "hold"],
])("2.2 does not support expressions and numbers: with %s the conditions %s", (line, kind) => {
  expect(testConditions([line], {}, "2.2").verdict.kind).toBe(kind);
});
