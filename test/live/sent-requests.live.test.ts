import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { translateCurlLine } from "../../src/apps/cli/inputs/curl-line.js";
import { renderCurlCommands } from "../../src/report/answers/sent-request.js";
import type { SimulatedServer } from "../../src/server/answer.js";
import type { Request } from "../../src/server/model/request.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const header = "X-Forwarded-For";
const modules = ["authz_core", "authz_host", "remoteip", "rewrite", "setenvif", "dir"];

/** Returns the client of which the server says that it asks, and the client of the simulator. */
async function clientsOf(running: RunningHttpd, clients: readonly string[], value: string | undefined) {
  const headers = { Host: "x.test", ...(value === undefined ? {} : { [header]: value }) };
  const simulated = simulatedServerOn(running);
  const request: Request = {
    ...{ method: "GET", path: "/", host: "x.test", clientIp: "127.0.0.1", peerIp: "127.0.0.1" },
    headers: value === undefined ? {} : { [header]: value },
  };
  const found: string[] = [];
  for (const [index, client] of clients.entries()) {
    const { status } = await running.ask({ path: `/c${index}`, headers });
    if (status === 410) found.push(client);
  }
  return { live: found[0], simulated: simulated.withClientOf(request)?.clientIp };
}

describe.skipIf(!httpd)(liveTitle("the client of a request through a proxy"), () => {
  const clients = ["127.0.0.1", "203.0.113.9", "10.0.0.7", "10.1.1.1", "2001:db8::1", "198.51.100.7"];
  const rules = clients.flatMap((client, index) => [
    `RewriteCond expr "%{REMOTE_ADDR} == '${client}'"`,
    `RewriteRule ^/c${index}$ - [G]`,
  ]);

  test.each([
    [[]],
    [[`RemoteIPHeader ${header}`]],
    [[`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.1"]],
    [[`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.0/8 10.0.0.0/8"]],
    [[`RemoteIPHeader ${header}`, "RemoteIPTrustedProxy 127.0.0.1 198.51.100.0/24"]],
    [[`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 192.0.2.1"]],
    [[`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.1", "RemoteIPTrustedProxy 198.51.100.7"]],
  ])(
    "with %j",
    async (lines) => {
      await withRunningHttpd(modules, [...lines, "RewriteEngine On", ...rules], async (running) => {
        for (const value of [
          undefined,
          ...["203.0.113.9", "10.0.0.7", "203.0.113.9, 10.0.0.7", "10.1.1.1, 203.0.113.9 , 10.0.0.7"],
          ...["203.0.113.9,198.51.100.7", "10.0.0.7,198.51.100.7", "2001:db8::1", "203.0.113.9,", ", 10.0.0.7"],
        ]) {
          const { live, simulated } = await clientsOf(running, clients, value);
          expect([value, simulated]).toEqual([value, live]);
        }
      });
    },
    60_000,
  );
});

const curl = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;

describe.skipIf(!httpd || !hasCurl)(liveTitle("a curl command line"), () => {
  test("is the request that curl sends", async () => {
    const lines = [
      "RewriteEngine On",
      ...[
        "%{HTTP_USER_AGENT} ^curl/",
        "%{HTTP_ACCEPT} =*/*",
        "%{HTTP_COOKIE} ^a=b(;.c=d)?$",
        "%{HTTP_REFERER} ^http://r\\.test/$",
        "%{REQUEST_METHOD} =POST",
        "%{REQUEST_METHOD} =HEAD",
        "%{REQUEST_METHOD} =PURGE",
        "%{QUERY_STRING} ^x&y=z$",
        "%{HTTP:Content-Type} ^application/x-www-form-urlencoded$",
        "%{HTTP:Content-Length} =7",
        "%{HTTP_HOST} ^a\\.test:[0-9]+$",
        "%{HTTP:X-Empty}x =x",
        "%{HTTP:Accept-Encoding} gzip",
        "%{HTTP:Range} =bytes=0-1",
      ].flatMap((condition, index) => [`RewriteCond ${condition}`, `RewriteRule ^/c${index}/in$ - [G]`]),
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const port = new URL(running.url("/")).port;
      const simulated = simulatedServerOn(running);
      for (const options of [
        [],
        ["-A", "x", "-e", "http://r.test/"],
        ["-b", "a=b", "-H", "Accept:"],
        ["-d", "a=b", "-d", "c=d"],
        ["-G", "-d", "y=z"],
        ["-XPURGE", "--compressed"],
        ["-H", "X-Empty;", "-r", "0-1"],
      ])
        for (let index = 0; index < 14; index++) {
          const url = `http://a.test:${port}/x/../c${index}/in?x`;
          const words = [...options, "--resolve", `a.test:${port}:127.0.0.1`, url];
          const { stdout } = await curl("curl", ["-s", "-o", "/dev/null", "-w", "%{http_code}", ...words]);
          expect([...words, statusOf(simulated, words)]).toEqual([...words, Number(stdout)]);
        }
    });
  }, 120_000);
});

describe.skipIf(!httpd || !hasCurl)(liveTitle("a request as a curl command"), () => {
  test("gets the expected status", async () => {
    const conditions = [
      ...[
        "%{HTTP_USER_AGENT} ^$",
        "%{HTTP_ACCEPT} ^$",
        "%{HTTP_COOKIE} ='",
        "%{REQUEST_METHOD} =PUT",
        "%{HTTP_HOST} ^$",
      ],
      ...[
        "%{HTTP_HOST} ^a\\.test$",
        "%{QUERY_STRING} ^x=\\[1\\]&y=%20$",
        "%{THE_REQUEST} /\\.\\./",
        "%{HTTP:X-Empty}x =x",
      ],
    ];
    const lines = [
      "RewriteEngine On",
      ...conditions.flatMap((condition, index) => [`RewriteCond ${condition}`, `RewriteRule ^/c${index}$ - [G]`]),
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const simulated = simulatedServerOn(running);
      const port = Number(new URL(running.url("/")).port);
      for (const parts of [
        {},
        { host: "a.test", serverIp: "127.0.0.1" },
        { host: "a.test", serverIp: "127.0.0.1", query: "x=[1]&y=%20", method: "PUT" },
        { host: `127.0.0.1:${port}`, headers: { "User-Agent": "it's", Cookie: "'", "X-Empty": "" } },
      ])
        for (const index of conditions.keys()) {
          const request = { method: "GET", path: `/x/../c${index}`, clientIp: "127.0.0.1", port, ...parts };
          const { status } = simulated.answer(request);
          const [line = ""] = renderCurlCommands([{ request, expected: String(status) }]);
          const { stdout } = await curl("sh", ["-c", line]);
          expect([line, Number.parseInt(stdout, 10)]).toEqual([line, status]);
        }
    });
  }, 120_000);
});

/** Returns the status for the request of a curl command line. */
function statusOf(server: SimulatedServer, words: readonly string[]): number | undefined {
  const translated = translateCurlLine(words);
  if (!translated.ok) throw new Error(translated.error);
  const [url = "", , method = "", ...flags] = translated.value;
  const parts = new URL(url);
  const headers = flags.flatMap((flag) => {
    const [, name, value] = /^--header=([^:]*): (.*)$/.exec(flag) ?? [];
    return name === undefined ? [] : [[name, value ?? ""] as const];
  });
  return server.answer({
    ...{ method, path: parts.pathname, query: parts.search.slice(1), host: parts.host, clientIp: "127.0.0.1" },
    headers: Object.fromEntries(headers),
  }).status;
}
