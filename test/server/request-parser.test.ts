import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  parseRequest,
  parseUrl,
  type RequestPartNames,
  type RequestSpec,
} from "../../src/server/request/request-parser.js";

const names: RequestPartNames = {
  ...{
    url: "URL",
    method: "--method",
    absolute: "--absolute",
    scheme: "--scheme",
    host: "--host",
    port: "--port",
    query: "--query",
  },
  ...{
    serverIp: "--server-ip",
    clientIp: "--client-ip",
    peerIp: "--peer-ip",
    clientHost: "--client-host",
    user: "--user",
  },
  ...{ groups: "--group", dbmGroups: "--group", grants: "--grants", env: "--env", headers: "--header" },
};
const read = (spec: Partial<RequestSpec>) => parseRequest({ url: "/", ...spec }, names);

describe("parsing a URL", () => {
  test.each([
    ["/a/b?c=d", { path: "/a/b", query: "c=d" }],
    ["/a?", { path: "/a", query: "" }],
    ["/a#part", { path: "/a" }],
    ["/a?b#part?c", { path: "/a", query: "b" }],
    ["//a/../%2e%2f", { path: "//a/../%2e%2f" }],
    ["/caf\u00e9/\u{1f600}?\u00e9", { path: "/caf%C3%A9/%F0%9F%98%80", query: "%C3%A9" }],
    ["http://one.test", { scheme: "http", host: "one.test", path: "/" }],
    ["HTTPS://One.test:8443/x?y", { scheme: "https", host: "One.test:8443", port: 8443, path: "/x", query: "y" }],
    ["http://[2001:db8::1]/x", { scheme: "http", host: "[2001:db8::1]", path: "/x" }],
    ["http://.one.test/", { scheme: "http", host: ".one.test", path: "/" }],
    ["http://x:1/", { scheme: "http", host: "x:1", port: 1, path: "/" }],
    ["http://x:65535/", { scheme: "http", host: "x:65535", port: 65535, path: "/" }],
    ["http://one.test?q", { scheme: "http", host: "one.test", path: "/", query: "q" }],
    ["http://one.test/a//b:c", { scheme: "http", host: "one.test", path: "/a//b:c" }],
    ["/http://x/", { path: "/http://x/" }],
    ["/a??b", { path: "/a", query: "?b" }],
    ["http://one.test./", { scheme: "http", host: "one.test.", path: "/" }],
    ["http://[2001:db8::1:2]/", { scheme: "http", host: "[2001:db8::1:2]", path: "/" }],
    ["http://[::1]:81?q", { scheme: "http", host: "[::1]:81", port: 81, path: "/", query: "q" }],
  ])("splits %s into its parts", (text, parts) => {
    expect(parseUrl(text)).toEqual({ ok: true, value: parts });
  });

  test.each([
    ["", /neither a URL nor a path/],
    ["admin", /neither a URL nor a path/],
    ["/a b", /a space or a control character/],
    ["/a\tb", /a space or a control character/],
    ["ftp://x/", /has the scheme `ftp`/],
    ["http://bob:secret@x/", /contains a user name/],
    ["http://x y/", /a space/],
    ["http:///x", /is not a valid host/],
    ["http://x:0/", /is not a valid host/],
    ["http://x:/", /is not a valid host/],
    ["http://x:8x/", /is not a valid host/],
    ["http://[::1]x/", /is not a valid host/],
    ["http://x[::1]/", /is not a valid host/],
    ["http://", /is not a valid host/],
    ["http:/x", /neither a URL nor a path/],
    ["http:x", /neither a URL nor a path/],
    ["1http://x/", /neither a URL nor a path/],
    [" /a", /a space or a control character/],
    ["#/a", /neither a URL nor a path/],
    ["http2://x/", /has the scheme `http2`/],
    ["x-y.z+1://x/", /has the scheme `x-y.z\+1`/],
    ["http://x:65536/", /is not a valid host/],
    ["http://a..b/", /is not a valid host/],
  ])("rejects %j", (text, why) => {
    expect(parseUrl(text)).toEqual({ ok: false, error: expect.stringMatching(why) });
  });
});

describe("a request", () => {
  test("has a default client", () => {
    expect(read({ url: "/x" })).toEqual({ ok: true, value: { method: "GET", path: "/x", clientIp: "192.0.2.1" } });
  });

  test("has all specified parts", () => {
    const spec: Partial<RequestSpec> = {
      ...{ url: "https://one.test:8443/x?y", method: "PUT", serverIp: "10.0.0.1", clientIp: "::1" },
      ...{ clientHost: "a.test", user: "bob", groups: ["staff"], env: ["A", "B=c=d"] },
      headers: ["User-Agent: x y", "X-A: 1", "X-A: 2", "X-Empty:"],
    };
    expect(read(spec)).toEqual({
      ok: true,
      value: {
        ...{ method: "PUT", path: "/x", query: "y", scheme: "https", host: "one.test:8443", port: 8443 },
        ...{ serverIp: "10.0.0.1", clientIp: "::1", clientHost: "a.test", user: "bob" },
        ...{ groups: ["staff"], dbmGroups: ["staff"], env: ["A", "B=c=d"] },
        headers: { "User-Agent": "x y", "X-A": "1, 2", "X-Empty": "" },
      },
    });
  });

  test("prefers a flag to the same part of the URL", () => {
    expect(read({ url: "http://one.test:81/", host: "two.test", port: "82", scheme: "https" })).toMatchObject({
      ok: true,
      value: { host: "two.test", port: 82, scheme: "https" },
    });
    expect(read({ headers: ["Host: three.test"] })).toMatchObject({ ok: true, value: { host: "three.test" } });
    expect(read({ url: "http://one.test/", headers: ["Host: three.test"] })).toMatchObject({
      ok: true,
      value: { host: "one.test" },
    });
    expect(read({ url: "http://one.test/", headers: ["Host: three.test"], host: "two.test" })).toMatchObject({
      ok: true,
      value: { host: "two.test" },
    });
    expect(read({ query: "\u00e9" })).toMatchObject({ ok: true, value: { query: "%C3%A9" } });
    expect(read({ query: "a?" })).toMatchObject({ ok: true, value: { query: "a?" } });
    expect(read({ port: "0080" })).toMatchObject({ ok: true, value: { port: 80 } });
    expect(read({ port: "65535", scheme: "http" })).toMatchObject({ ok: true, value: { port: 65535, scheme: "http" } });
    expect(read({ query: "?a" })).toMatchObject({ ok: true, value: { query: "a" } });
  });

  test("has the whole URL in its request line if it is for a forward proxy", () => {
    expect(read({ url: "https://one.test:8443/x?y", absolute: true })).toEqual({
      ok: true,
      value: {
        ...{ method: "GET", path: "/x", query: "y", origin: "https://one.test:8443", host: "one.test:8443" },
        clientIp: "192.0.2.1",
      },
    });
    const tunnel = { url: "one.test:443", method: "CONNECT" };
    expect(read(tunnel)).toEqual({
      ok: true,
      value: { method: "CONNECT", path: "one.test:443", clientIp: "192.0.2.1" },
    });
    expect(read({ ...tunnel, method: "GET" })).toHaveProperty("ok", false);
  });

  test("has no other parts", () => {
    expect(read({ user: "bob" })).toEqual({
      ok: true,
      value: { method: "GET", path: "/", clientIp: "192.0.2.1", user: "bob" },
    });
    expect(read({ user: "bob", groups: ["a"], dbmGroups: ["b"] })).toMatchObject({
      ok: true,
      value: { groups: ["a"], dbmGroups: ["b"] },
    });
    expect(read({ headers: ["Host: a.test"] })).toEqual({
      ok: true,
      value: { method: "GET", path: "/", clientIp: "192.0.2.1", host: "a.test" },
    });
    expect(read({ grants: [" Require ldap-group x ", "require  ldap-user y", "ldap-dn require z"] })).toMatchObject({
      ok: true,
      value: { grants: ["ldap-group x", "ldap-user y", "ldap-dn require z"] },
    });
  });

  test.each<[Partial<RequestSpec>, string]>([
    [{ url: "x" }, "`x` of URL"],
    [{ method: "GE T" }, "`GE T` of --method"],
    [{ scheme: "ftp" }, "`ftp` of --scheme"],
    [{ url: "/x", absolute: true }, "--absolute requires a whole URL in URL"],
    [{ url: "one.test:443", method: "CONNECT", absolute: true }, "of URL"],
    [{ host: "a b" }, "`a b` of --host"],
    [{ port: "0" }, "`0` of --port"],
    [{ port: "65536" }, "`65536` of --port"],
    [{ port: "http" }, "`http` of --port"],
    [{ clientIp: "10.1.2" }, "`10.1.2` of --client-ip"],
    [{ clientIp: "10.1.2.256" }, "`10.1.2.256` of --client-ip"],
    [{ clientIp: "10.0.0.0/8" }, "`10.0.0.0/8` of --client-ip"],
    [{ serverIp: "localhost" }, "`localhost` of --server-ip"],
    [{ clientHost: "a..b" }, "`a..b` of --client-host"],
    [{ user: "" }, "`` of --user"],
    [{ user: "bob:secret" }, "`bob:secret` of --user"],
    [{ groups: ["staff"] }, "--group requires --user"],
    [{ user: "bob", groups: ["a b"] }, "`a b` of --group"],
    [{ env: ["=x"] }, "`=x` of --env"],
    [{ headers: ["X"] }, "`X` of --header"],
    [{ headers: [" X: a"] }, "` X: a` of --header"],
    [{ headers: ["X Y: a"] }, "`X Y: a` of --header"],
    [{ headers: [": a"] }, "`: a` of --header"],
    [{ headers: ["host: a b"] }, "`a b` of --header"],
    [{ port: "0x1" }, "`0x1` of --port"],
    [{ port: "80 " }, "`80 ` of --port"],
    [{ scheme: "https:" }, "`https:` of --scheme"],
    [{ scheme: "xhttp" }, "`xhttp` of --scheme"],
    [{ method: "" }, "`` of --method"],
    [{ user: "a\tb" }, "of --user"],
    [{ user: "bob", groups: [""] }, "`` of --group"],
    [{ dbmGroups: ["staff"] }, "--group requires --user"],
    [{ env: ["A B"] }, "`A B` of --env"],
    [{ env: [""] }, "`` of --env"],
    [{ query: "a#b" }, "`a#b` of --query"],
    [{ clientHost: "" }, "`` of --client-host"],
    [{ clientHost: ".a" }, "`.a` of --client-host"],
    [{ headers: ["X: a\nb"] }, "of --header"],
    [{ headers: ["Authorization: Bearer x"], user: "bob" }, "--header cannot set `Authorization`: use --user"],
    [{ headers: ["Authorization: Basic x"] }, "--header cannot set `Authorization`: use --user"],
    [{ headers: ["Host: a b"] }, "`a b` of --header"],
    [{ query: "a b" }, "`a b` of --query"],
    [{ url: "/?a", query: "b" }, "--query cannot be combined with a query in URL"],
  ])("rejects %j, and names the wrong part", (spec, named) => {
    expect(read(spec)).toEqual({ ok: false, error: expect.stringContaining(named) });
  });

  test("may have a header of another scheme than Basic", () => {
    expect(read({ headers: ["Authorization: Bearer abc.def"] })).toMatchObject({
      value: { headers: { Authorization: "Bearer abc.def" } },
    });
  });

  test("is parsed or rejected for any text", () => {
    const text = fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom("/x", "http://x/", "10.0.0.1"));
    const part = fc.option(text, { nil: undefined });
    const parts = fc.record({
      ...{ method: part, scheme: part, host: part, port: part, serverIp: part, clientIp: part, clientHost: part },
      ...{ user: part, query: part, url: text },
      env: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
      headers: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, (spec) => {
        const result = parseRequest(spec, names);
        if (result.ok) expect(result.value.path).toMatch(/^\/[!-~]*$/);
        else expect(result.error).not.toBe("");
      }),
    );
  });
});
