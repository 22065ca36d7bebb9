import { describe, expect, test } from "vitest";
import { Oracle } from "../../src/server/model/oracle.js";
import type { Request } from "../../src/server/model/request.js";
import { wordsOfFact } from "../../src/server/model/unknown-facts.js";
import { applyEarlyHeaders, findEarlyHeader } from "../../src/server/request/early-headers.js";
import { ServerLookup } from "../../src/server/request/vhost-lookup.js";
import { loadText } from "../support/projects.js";

/** A line that reads all headers set here. */
const readingLine = "SetEnvIf X-In . seen\n";

const projectOf = (text: string) => loadText(text, { kind: "server" });

/** Returns a request after the lines of a server are applied, and why it is unknown. */
function applyLines(text: string, sent: Partial<Request> = {}) {
  const project = projectOf(text);
  const oracle = new Oracle(new Map());
  const { layers } = new ServerLookup(project.directives, project.release).main;
  const request: Request = { method: "GET", path: "/", clientIp: "192.0.2.7", ...sent };
  return {
    request: applyEarlyHeaders(request, layers, project, oracle),
    unknown: oracle.undecidable && wordsOfFact(oracle.undecidable),
  };
}

/** Returns the resulting value of `X-In`. */
function headerAfter(line: string, before?: string): string | undefined {
  const sent = before === undefined ? {} : { headers: { "X-In": before, Accept: "*/*" } };
  const { headers = {} } = applyLines(readingLine + line, sent).request;
  expect(headers["Accept"]).toBe(before === undefined ? undefined : "*/*");
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "x-in")?.[1];
}

describe("RequestHeader with early", () => {
  test.each<[string, string | undefined, string | undefined]>([
    ["set X-In new early", undefined, "new"],
    ["set X-In new early", "old", "new"],
    ["SET X-In: new EARLY", "old", "new"],
    ["set X-In 100%% early", undefined, "100%"],
    ["set X-In 100% early", undefined, "100%"],
    ["add X-In new early", undefined, "new"],
    ["add X-In new early", "old", "old"],
    ["setifempty X-In new early", undefined, "new"],
    ["setifempty X-In new early", "old", "old"],
    ["append X-In new early", undefined, "new"],
    ["append X-In old early", "old", "old, old"],
    ["merge X-In new early", undefined, "new"],
    ["merge X-In new early", "old", "old, new"],
    ["merge X-In old early", "new, old", "new, old"],
    ["unset X-In early", "old", undefined],
    ["unset X-In early", undefined, undefined],
    ["note X-In name early", "old", "old"],
    ["edit X-In old new early", undefined, undefined],
    ["set X-In new", "old", "old"],
    ["set X-In new env=early", "old", "old"],
    ["set X-In early", "old", "old"],
    ["set X-In early early", "old", "early"],
  ])("%s changes %j to %j", (line, before, after) => {
    expect(headerAfter(`RequestHeader ${line}\n`, before)).toBe(after);
  });

  test("makes a repeated header unknown if a pattern matches headers", () => {
    const lines = 'SetEnvIf "^X-I" . seen\nRequestHeader add X-In new early\n';
    expect(applyLines(lines).unknown).toBeUndefined();
    expect(applyLines(lines, { headers: { "X-In": "old" } }).unknown).toContain("RequestHeader add X-In new early");
  });

  test("applies several lines in order", () => {
    const lines = ["set X-In a early", "append X-In b early", "append X-In c early"];
    expect(headerAfter(lines.map((line) => `RequestHeader ${line}\n`).join(""))).toBe("a, b, c");
  });
});

describe("makes a request unknown", () => {
  test.each([
    ["set X-In %{REMOTE_USER}e early", {}],
    ["edit X-In old new early", { headers: { "X-In": "old" } }],
    ["set X-In a\\tb early", {}],
    ["edit* X-In old new early", { headers: { "x-in": "old" } }],
    ["merge X-In new early", { headers: { "X-In": '"a, b"' } }],
  ])("%s", (line, sent) => {
    expect(applyLines(`${readingLine}RequestHeader ${line}\n`, sent).unknown).toBe(
      `the effect of \`RequestHeader ${line}\``,
    );
  });

  test("by a replaced Host or replaced credentials", () => {
    const host = "RequestHeader set Host other.test early\n";
    expect(
      applyLines(`${host}RewriteCond %{HTTP_HOST} other\nRewriteRule ^ - [F]\n`, { host: "x.test" }).unknown,
    ).toBeDefined();
    const credentials = "RequestHeader set Authorization secret early\n";
    expect(applyLines(`${credentials}<Location />\nAuthType Basic\n</Location>\n`).unknown).toBeDefined();
    for (const line of [host, credentials]) expect(applyLines(line).unknown).toBeUndefined();
  });

  test.each(["edit X-In old new early", "unset X-In early", "unset Host early"])(
    "twin: not by %s if the header was not sent",
    (line) => {
      expect(applyLines(`${readingLine}SetEnvIf Host . seen\nRequestHeader ${line}\n`).unknown).toBeUndefined();
    },
  );

  test("twin: not by a header that no line reads", () => {
    const line = "RequestHeader edit Destination ^https http early\n";
    expect(applyLines(readingLine + line, { headers: { Destination: "https://x" } })).toMatchObject({
      request: { headers: { Destination: "https://x" } },
      unknown: undefined,
    });
  });
});

test("a header name keeps the case of the request, or else of the line", () => {
  const line = `${readingLine}RequestHeader set x-IN new early\n`;
  expect(applyLines(line).request.headers).toEqual({ "x-IN": "new" });
  expect(applyLines(line, { headers: { "X-in": "old" } }).request.headers).toEqual({ "X-in": "new" });
});

test("a request has no user without Authorization", () => {
  const text = "<Location />\nAuthType Basic\n</Location>\nRequestHeader unset Authorization early\n";
  const { request } = applyLines(text, { user: "bob", groups: ["staff"], dbmGroups: ["all"], host: "x.test" });
  expect(request).toEqual({ method: "GET", path: "/", clientIp: "192.0.2.7", host: "x.test" });
});

describe("detects whether an early header is read", () => {
  const line = "RequestHeader set User-Agent x early\n";
  test.each([
    ["by its name", "SetEnvIf User-Agent x y\n", true],
    ["in a condition", "RewriteCond %{HTTP_USER_AGENT} x\nRewriteRule ^ - [F]\n", true],
    ["by BrowserMatch", "BrowserMatch x y\n", true],
    ["by a pattern over names", "SetEnvIf ^User.* x y\n", true],
    ["by a pattern that begins with letters", "SetEnvIf User.* x y\n", true],
    ["by a name with an underscore", "Require expr \"req('User_Agent') == 'x'\"\n", true],
    ["by no line", "SetEnvIf Accept x y\n", false],
    ["only for the response", 'Header set X "%{User-Agent}e"\nRequestHeader unset User-Agent\n', false],
  ])("%s", (_, others, isFound) => {
    expect(findEarlyHeader(projectOf(line + others))?.argumentText).toBe(
      isFound ? "set User-Agent x early" : undefined,
    );
  });
});
