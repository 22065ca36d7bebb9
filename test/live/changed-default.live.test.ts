import { once } from "node:events";
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { withRunningHttpd } from "../support/httpd/running-httpd.js";

describe.skipIf(!httpd)(liveTitle("the timeout of a backend"), () => {
  test("is ProxyTimeout, or TimeOut if ProxyTimeout is not set", async () => {
    const backend = createServer((_, response) => setTimeout(() => response.end("x"), 1600)).listen(0, "127.0.0.1");
    await once(backend, "listening");
    const address = backend.address();
    const port = typeof address === "object" ? address?.port : 0;
    const linesOfHosts = [[], ["ProxyTimeout 9"], ["TimeOut 9"], ["TimeOut 9", "ProxyTimeout 1"]];
    const hosts = linesOfHosts.flatMap((lines, index) => [
      ...["<VirtualHost *>", `ServerName host${index}.test`, `ProxyPass / http://127.0.0.1:${port}/ retry=0`],
      ...[...lines, "</VirtualHost>"],
    ]);
    try {
      await withRunningHttpd(["authz_core", "proxy", "proxy_http"], ["TimeOut 1", ...hosts], async ({ ask }) => {
        const responses = linesOfHosts.map((_, index) => ask({ path: "/", headers: { Host: `host${index}.test` } }));
        const statuses = (await Promise.all(responses)).map(({ status }) => status);
        expect(statuses).toEqual([502, 200, 200, 502]);
      });
    } finally {
      backend.close();
    }
  });
});
