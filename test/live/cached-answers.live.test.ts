import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** A client with this header is denied. */
const denied = { "X-Denied": "1" };
const access = ['SetEnvIf X-Denied "1" denied', '<Location "/p">', "<RequireAll>"];
const rest = ["Require all granted", "Require not env denied", "</RequireAll>"];
const modules = ["authz_core", "cache", "cache_disk", "headers", "setenvif"];

async function statusesOf(server: readonly string[], section: readonly string[], headers = denied, method = "GET") {
  const cache = ['CacheRoot "DOCROOT/../cache"', 'Header set Cache-Control "max-age=600"'];
  const lines = [...cache, ...server, ...access, ...rest, ...section, "</Location>"];
  let found: unknown[] = [];
  await withRunningHttpd(
    modules,
    lines,
    async (running) => {
      const first = await running.ask({ path: "/p/a.txt" });
      const cached = await running.ask({ path: "/p/a.txt", headers, method });
      const request = { method, path: "/p/a.txt", clientIp: "127.0.0.1", headers };
      const { status, unknown } = simulatedServerOn(running).answer(request);
      found = [first.status, cached.status, status ?? unknown.join("; ")];
    },
    { "p/a.txt": "text", [join("..", "cache", "x")]: "" },
  );
  return found;
}

const unknown = (line: string) => `whether the cache has an answer for another client (\`${line}\`)`;

describe.skipIf(!httpd)(liveTitle("mod_cache"), () => {
  test.each([["CacheEnable disk /"], ["CacheEnable disk /p"]])(
    "%s returns the answer of another client before access is checked",
    async (line) => expect(await statusesOf([line], [])).toEqual([200, 200, unknown(line)]),
  );

  test.each([
    ["below another path", ["CacheEnable disk /other"], []],
    ["in a section", [], ["CacheEnable disk"]],
    ["after access is checked", ["CacheEnable disk /", "CacheQuickHandler off"], []],
    ["not at all with CacheDisable", ["CacheEnable disk /", "CacheDisable /p"], []],
  ])("twin: looks %s", async (_, server, section) => {
    expect(await statusesOf(server, section)).toEqual([200, 403, 403]);
  });

  test("twin: is not asked about other methods", async () => {
    expect(await statusesOf(["CacheEnable disk /"], [], denied, "POST")).toEqual([200, 403, 403]);
  });

  test("looks in spite of CacheDisable in a section", async () => {
    const line = "CacheEnable disk /";
    expect(await statusesOf([line], ["CacheDisable on"])).toEqual([200, 200, unknown(line)]);
  });
});
