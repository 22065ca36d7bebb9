import { writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type LogDefaults, parseLogLine } from "../../../src/apps/cli/inputs/access-log.js";
import { openLog } from "../../../src/apps/cli/inputs/log-lines.js";
import { escapeLogText } from "../../../src/server/trace/logs.js";
import { testFolder } from "../../support/programs/test-folder.js";

const read = (line: string) => parseLogLine(line, {});
/** Returns the request and the status in a line; undefined if the line is rejected. */
function requestIn(line: string, defaults: LogDefaults = {}) {
  const parsed = parseLogLine(line, defaults);
  return parsed.ok ? parsed.value : undefined;
}

const when = "[10/Oct/2000:13:55:36 -0700]";

describe("a line of a log is parsed", () => {
  test("in the common format", () => {
    expect(requestIn(`127.0.0.1 - frank ${when} "GET /apache_pb.gif HTTP/1.0" 200 2326`)).toEqual({
      request: { method: "GET", path: "/apache_pb.gif", clientIp: "127.0.0.1", user: "frank" },
      status: 200,
    });
    expect(requestIn(`2001:db8::1 ident - ${when} "POST /x?a=b&c HTTP/1.1" 404 -`)).toEqual({
      request: { method: "POST", path: "/x", query: "a=b&c", clientIp: "2001:db8::1" },
      status: 404,
    });
  });

  test("in the combined format, with more after it or the virtual host before it", () => {
    const combined = `192.0.2.7 - - ${when} "GET /x HTTP/1.1" 304 - "http://a.test/?q=\\"x\\"" "Mozilla/5.0 (X)"`;
    const headers = { Referer: 'http://a.test/?q="x"', "User-Agent": "Mozilla/5.0 (X)" };
    const request = { method: "GET", path: "/x", clientIp: "192.0.2.7", headers };
    expect(requestIn(combined)).toEqual({ request, status: 304 });
    expect(requestIn(`${combined} 1234 "more"`)).toEqual({ request, status: 304 });
    expect(requestIn(`b.test:8080 ${combined}`)).toEqual({
      request: { ...request, host: "b.test", port: 8080 },
      status: 304,
    });
  });

  test.each([
    [
      "of httpd's manual",
      { remoteIP: "192.0.2.7", host: "b.test", request: "/x", query: "?a", method: "GET", status: "200" },
    ],
    ["with the request line", { remote_addr: "192.0.2.7", vhost: "b.test", request: "GET /x?a HTTP/1.1", status: 200 }],
    [
      "with nested fields",
      {
        source: { ip: "192.0.2.7" },
        url: { path: "/x", query: "a", domain: "b.test" },
        http: { request: { method: "GET" }, response: { status_code: 200 } },
      },
    ],
    ["with httpd format strings", { "%h": "192.0.2.7", "%r": "GET /x?a HTTP/1.1", "%s": "200", "%v": "b.test" }],
  ])("in JSON %s", (_, fields) => {
    const request = { method: "GET", path: "/x", query: "a", clientIp: "192.0.2.7", host: "b.test" };
    expect(requestIn(JSON.stringify(fields))).toEqual({ request, status: 200 });
  });

  test("with httpd escapes and unescaped bytes in the path", () => {
    const line = `192.0.2.7 - a\\"b ${when} "GET /\\xc3\\xa9\\x22\\\\%20 HTTP/1.1" 200 1`;
    expect(requestIn(line)).toMatchObject({ request: { path: '/%C3%A9"\\%20', user: 'a"b' } });
  });

  test("with a URL instead of a path", () => {
    const line = `192.0.2.7 - - ${when} "GET http://c.test/x?y HTTP/1.1" 200 1`;
    expect(requestIn(line)).toMatchObject({
      request: { path: "/x", query: "y", host: "c.test", origin: "http://c.test" },
    });
  });

  test("with the target of a tunnel", () => {
    const line = `192.0.2.7 - - ${when} "CONNECT a.test:443 HTTP/1.1" 405 -`;
    expect(requestIn(line)).toMatchObject({
      request: { method: "CONNECT", path: "a.test:443", clientIp: "192.0.2.7" },
    });
  });

  test("without the user of a 401, whose password may be wrong", () => {
    const logged = requestIn(`192.0.2.7 - bob ${when} "GET / HTTP/1.1" 401 1`);
    expect(logged?.request).toEqual({ method: "GET", path: "/", clientIp: "192.0.2.7" });
  });

  test("with the flags for all requests", () => {
    const defaults = { host: "d.test", scheme: "https", groups: ["staff"], env: ["A"] } as const;
    const line = `192.0.2.7 - bob ${when} "GET / HTTP/1.1" 200 1`;
    expect(requestIn(line, defaults)).toMatchObject({ request: { ...defaults, user: "bob" } });
    expect(requestIn(line.replace("bob", "-"), defaults)?.request).not.toHaveProperty("groups");
    expect(requestIn(`e.test:80 ${line}`, defaults)).toMatchObject({ request: { host: "e.test", port: 80 } });
  });
});

test.each([
  ["", "not in the common, combined or JSON format"],
  ["hello", "not in the common, combined or JSON format"],
  [`192.0.2.7 - - ${when} "GET /x HTTP/1.1"`, "not in the common"],
  [`192.0.2.7 - - ${when} "GET /x HTTP/1.1 200 1`, "not in the common"],
  [`192.0.2.7 - - ${when} "-" 408 -`, "the client sent no request"],
  [`192.0.2.7 - - ${when} "\\x16\\x03\\x01" 400 226`, "its request line is invalid"],
  [`192.0.2.7 - - ${when} "GET" 400 226`, "its request line is invalid"],
  [`192.0.2.7 - - ${when} "GET x HTTP/1.1" 400 226`, "neither a URL nor a path"],
  [`192.0.2.7 - - ${when} "OPTIONS * HTTP/1.1" 200 -`, "does not request a path"],
  [`192.0.2.7 - - ${when} "CONNECT /x HTTP/1.1" 400 -`, "does not request a path"],
  [`host.test - - ${when} "GET / HTTP/1.1" 200 1`, "its client `host.test` is not an IP address"],
  [`192.0.2.7 - - ${when} "GET / HTTP/1.1" - 1`, "the status is missing"],
  ["{", "not a JSON object"],
  ["{} x", "not a JSON object"],
  ["{}", "the client is missing"],
  ['{"ip":"192.0.2.7"}', "the request is missing"],
  ['{"ip":"192.0.2.7","path":"/"}', "the status is missing"],
])("rejects %j: %s", (line, why) => {
  expect(read(line)).toEqual({ ok: false, error: expect.stringContaining(why) });
});

test("parses or rejects any bytes", () => {
  const piece = fc.constantFrom(
    '"',
    "\\",
    "[",
    "]",
    " ",
    "- ",
    ` ${when} `,
    '"GET / HTTP/1.1" 200 1',
    "192.0.2.7 ",
    "{",
    "}",
    ":",
  );
  const line = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join("")),
    fc.json(),
  );
  fc.assert(fc.property(line, (text) => void read(text)));
  for (const text of [" [", '" "', "[x] ", `${when} "`, "\\", '{"a":', "["]) {
    // With quadratic time, the test would exceed its time limit.
    read(`192.0.2.7 - - ${text.repeat(100_000)}`);
    read(text.repeat(100_000));
  }
});

test("parses lines that httpd writes", () => {
  const word = fc.string({ unit: "binary-ascii", minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(word, word, (path, user) => {
      const logged = `/${path.replace(/[^!-~]|[?#]/g, "_")}`;
      const name = user.replace(/^-$|^\s|[:\0]/g, "_").replace(/ \[/g, "_");
      const line = `192.0.2.7 - ${escapeLogText(name, true)} ${when} "${escapeLogText(`GET ${logged} HTTP/1.1`, true)}" 200 5`;
      expect(requestIn(line)).toEqual({
        request: { method: "GET", path: logged, clientIp: "192.0.2.7", user: name },
        status: 200,
      });
    }),
  );
});

describe("a log is read line by line", () => {
  const folder = testFolder();

  function lines(text: string): (string | undefined)[] {
    const path = folder.at("access.log");
    writeFileSync(path, text, "latin1");
    const log = openLog(path);
    return log.ok ? [...log.value].map((line) => line.text) : [log.error];
  }

  test("with both line endings, and without a final one", () => {
    expect(lines("a\nb\r\n\nc")).toEqual(["a", "b", "", "c"]);
    expect(lines("a\n")).toEqual(["a"]);
    expect(lines("")).toEqual([]);
  });

  test("across chunks, and without lines that are too long for a log", () => {
    const text = Array.from({ length: 50_000 }, (_, index) => `line ${index}`);
    expect(lines(`${text.join("\n")}\n`)).toEqual(text);
    expect(lines(`a\n${"x".repeat(1 << 20)}\nb\n${"y".repeat(1 << 20)}`)).toEqual(["a", undefined, "b", undefined]);
  });

  test("unless it cannot be read", () => {
    expect(openLog(folder.at("nowhere"))).toEqual({ ok: false, error: expect.stringContaining("does not exist") });
    expect(openLog(folder.path)).toEqual({ ok: false, error: "it is a directory" });
  });
});
