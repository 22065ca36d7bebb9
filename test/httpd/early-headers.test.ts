import { describe, expect, test } from "vitest";
import { applyEarlyHeaders, findEarlyHeader } from "../../src/httpd/environment/early-headers.js";
import { Oracle } from "../../src/httpd/model/oracle.js";
import type { Request } from "../../src/httpd/model/request.js";
import { ServerLookup } from "../../src/httpd/vhost/vhost-lookup.js";
import { loadText } from "../support/projects.js";

/** A line that reads all headers set here. */
const looking = "SetEnvIf X-In . seen\n";

const projectOf = (text: string) => loadText(text, { kind: "server" });

/** Returns a request after lines of a server, and why it is unknown. */
function behind(text: string, sent: Partial<Request> = {}) {
  const project = projectOf(text);
  const oracle = new Oracle(new Map());
  const { layers } = new ServerLookup(project.directives, project.release).main;
  const request: Request = { method: "GET", path: "/", clientIp: "192.0.2.7", ...sent };
  return { request: applyEarlyHeaders(request, layers, project, oracle), unsettled: oracle.undecidable };
}

/** Returns the resulting value of `X-In`. */
function headerBehind(line: string, before?: string): string | undefined {
  const sent = before === undefined ? {} : { headers: { "X-In": before, Accept: "*/*" } };
  const { headers = {} } = behind(looking + line, sent).request;
  expect(headers["Accept"]).toBe(before === undefined ? undefined : "*/*");
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "x-in")?.[1];
}

describe("RequestHeader with early", () => {
  test.each<[string, string | undefined, string | undefined]>([
    ["set X-In new early", undefined, "new"],
    ["set X-In new early", "old", "new"],
    ["SET X-In: new EARLY", "old", "new"],
    ["set X-In 100%% early", undefined, "100%"],
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
  ])("%s, of %j: %j", (line, before, after) => {
    expect(headerBehind(`RequestHeader ${line}\n`, before)).toBe(after);
  });

  test("one more header of a name is not distinguished if a pattern matches headers", () => {
    const lines = 'SetEnvIf "^X-I" . seen\nRequestHeader add X-In new early\n';
    expect(behind(lines).unsettled).toBeUndefined();
    expect(behind(lines, { headers: { "X-In": "old" } }).unsettled).toContain("RequestHeader add X-In new early");
  });

  test("several lines, one after the other", () => {
    const lines = ["set X-In a early", "append X-In b early", "append X-In c early"];
    expect(headerBehind(lines.map((line) => `RequestHeader ${line}\n`).join(""))).toBe("a, b, c");
  });
});

describe("unknown parts", () => {
  test.each([
    ["set X-In %{REMOTE_USER}e early", {}],
    ["edit X-In old new early", { headers: { "X-In": "old" } }],
    ["set X-In a\\tb early", {}],
    ["edit* X-In old new early", { headers: { "x-in": "old" } }],
    ["merge X-In new early", { headers: { "X-In": '"a, b"' } }],
  ])("%s", (line, sent) => {
    expect(behind(`${looking}RequestHeader ${line}\n`, sent).unsettled).toBe(`the effect of \`RequestHeader ${line}\``);
  });

  test("replaced Host and credentials are unknown", () => {
    const host = "RequestHeader set Host other.test early\n";
    expect(
      behind(`${host}RewriteCond %{HTTP_HOST} other\nRewriteRule ^ - [F]\n`, { host: "x.test" }).unsettled,
    ).toBeDefined();
    const credentials = "RequestHeader set Authorization secret early\n";
    expect(behind(`${credentials}<Location />\nAuthType Basic\n</Location>\n`).unsettled).toBeDefined();
    for (const line of [host, credentials]) expect(behind(line).unsettled).toBeUndefined();
  });

  test.each(["edit X-In old new early", "unset X-In early", "unset Host early"])(
    "nothing of %s, where the header was not sent",
    (line) => {
      expect(behind(`${looking}SetEnvIf Host . seen\nRequestHeader ${line}\n`).unsettled).toBeUndefined();
    },
  );

  test("ignores a header that no line reads", () => {
    const line = "RequestHeader edit Destination ^https http early\n";
    expect(behind(looking + line, { headers: { Destination: "https://x" } })).toMatchObject({
      request: { headers: { Destination: "https://x" } },
      unsettled: undefined,
    });
  });
});

test("a name keeps its letters: those it was sent with, or else those of the line", () => {
  const line = `${looking}RequestHeader set x-IN new early\n`;
  expect(behind(line).request.headers).toEqual({ "x-IN": "new" });
  expect(behind(line, { headers: { "X-in": "old" } }).request.headers).toEqual({ "X-in": "new" });
});

test("without Authorization nobody is logged in", () => {
  const text = "<Location />\nAuthType Basic\n</Location>\nRequestHeader unset Authorization early\n";
  const { request } = behind(text, { user: "bob", groups: ["staff"], dbmGroups: ["all"], host: "x.test" });
  expect(request).toEqual({ method: "GET", path: "/", clientIp: "192.0.2.7", host: "x.test" });
});

describe("a header is looked at", () => {
  const line = "RequestHeader set User-Agent x early\n";
  test.each([
    ["by its name", "SetEnvIf User-Agent x y\n", true],
    ["in a condition", "RewriteCond %{HTTP_USER_AGENT} x\nRewriteRule ^ - [F]\n", true],
    ["by BrowserMatch", "BrowserMatch x y\n", true],
    ["by a pattern over names", "SetEnvIf ^User.* x y\n", true],
    ["by a pattern that begins with letters", "SetEnvIf User.* x y\n", true],
    ["by a name with an underscore", "Require expr \"req('User_Agent') == 'x'\"\n", true],
    ["by nothing", "SetEnvIf Accept x y\n", false],
    ["for the answer alone", 'Header set X "%{User-Agent}e"\nRequestHeader unset User-Agent\n', false],
  ])("%s", (_, others, isLookedAt) => {
    expect(findEarlyHeader(projectOf(line + others))?.argumentText).toBe(
      isLookedAt ? "set User-Agent x early" : undefined,
    );
  });
});
