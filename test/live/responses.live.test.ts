import { describe, expect, test } from "vitest";
import { responseCases, responseFiles, responseModules } from "../support/cases/response-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { asBob, type RunningHttpd, simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";
import { waitForErrors } from "./differing-answers.js";

describe.skipIf(!httpd)(liveTitle("responses that do not depend on access control"), () => {
  test.each(responseCases)("$title", async ({ modules = [], lines, requests }) => {
    await withRunningHttpd(
      [...responseModules, ...modules],
      ["TypesConfig /dev/null", ...lines],
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        for (const [requestLine, answer, { host = "x.test", body, referer, isBob } = {}] of requests) {
          const [method = "", path = ""] = requestLine.split(" ");
          const before = running.errors().length;
          const given: Record<string, string> = {
            ...(body === undefined ? {} : { "Content-Length": String(body) }),
            ...(referer === undefined ? {} : { Referer: referer }),
          };
          const headers = { Host: host, ...given, ...(isBob ? asBob : {}) };
          const sent = { method, path, headers, body: "x".repeat(body ?? 0) };
          const { status } = await running.ask(sent);
          const decided = simulatedServer.answer({
            ...{ method, path, host, headers: given, clientIp: "127.0.0.1" },
            ...(isBob ? { user: "bob" } : {}),
          });
          const log = await waitForErrors(running, before, decided.errorLog.length);
          const numbers = log.flatMap((line) => /^AH\d+/.exec(line)?.[0] ?? []);
          expect([requestLine, host, [status, ...numbers].join(" ")]).toEqual([requestLine, host, answer]);
          expect([requestLine, host, decided.status, ...decided.errorLog]).toEqual([requestLine, host, status, ...log]);
        }
      },
      responseFiles,
    );
  });
  test("ProxyPassInherit Off does not remove the ProxyPass lines of the main server", async () => {
    const host = ["<VirtualHost *:*>", "ServerName x.test", "ProxyPassInherit Off", "</VirtualHost>"];
    const lines = ["ProxyPassInherit Off", "ProxyPass /p http://127.0.0.1:1/", ...host];
    await withRunningHttpd(["authz_core", "proxy", "proxy_http"], lines, async (running) => {
      expect((await running.ask({ path: "/p", headers: { Host: "x.test" } })).status).toBe(503);
      const decided = simulatedServerOn(running).answer({
        method: "GET",
        path: "/p",
        host: "x.test",
        clientIp: "127.0.0.1",
      });
      expect(decided.answeredBy).toBe("backend");
    });
  });

  // The status depends on the length and the time of the file. The headers do not change access.
  test("headers for a part or a version of a file make the status unknown", async () => {
    const headers: readonly (readonly [name: string, value: string, status: number])[] = [
      ["Range", "bytes=0-0", 206],
      ["Range", "bytes=9-", 416],
      ["If-None-Match", "*", 304],
      ["If-Match", '"none"', 412],
      ["If-Modified-Since", "Fri, 01 Jan 1999 00:00:00 GMT", 200],
      ["If-Unmodified-Since", "Fri, 01 Jan 1999 00:00:00 GMT", 412],
    ];
    const lines = ["TypesConfig /dev/null", "<Location /e>", "Require all denied", "</Location>"];
    const serve = async (running: RunningHttpd) => {
      const simulatedServer = simulatedServerOn(running);
      for (const [name, value, status] of headers) {
        const sent = { method: "GET", path: "/a.txt", headers: { Host: "x.test", [name]: value } };
        expect([name, (await running.ask(sent)).status]).toEqual([name, status]);
        const decided = simulatedServer.answer({ ...sent, clientIp: "127.0.0.1" });
        expect([name, decided.status, decided.class]).toEqual([name, undefined, "allowed"]);
        expect(decided.unknown[0]).toBe(`whether the header \`${name}\` changes the status`);
        expect(decided.alternatives.map((each) => each.status)).toContain(status);
        const denied = { ...sent, path: "/e/x.txt" };
        expect([name, (await running.ask(denied)).status]).toEqual([name, 403]);
        expect(simulatedServer.answer({ ...denied, clientIp: "127.0.0.1" }).status).toBe(403);
      }
    };
    await withRunningHttpd(responseModules, lines, serve, responseFiles);
  });
});
