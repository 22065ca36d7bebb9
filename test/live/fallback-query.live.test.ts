import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const key = ['<Location "/b">', `Require expr "%{QUERY_STRING} == 'k'"`, "</Location>"];
const both = ['<Location "/b">', `Require expr "%{QUERY_STRING} == 'k?q'"`, "</Location>"];
const sent = ['<Location "/b">', `Require expr "%{QUERY_STRING} == 'q'"`, "</Location>"];
const none = ['<Location "/b">', `Require expr "%{QUERY_STRING} == ''"`, "</Location>"];

/** test/server/lines.test.ts has the same without a server. */
describe.skipIf(!httpd)(liveTitle("the query of a target of mod_dir"), () => {
  test.each<[url: string, lines: readonly string[], status: number]>([
    ["/no/x", ["FallbackResource /b/x.txt?k", ...key], 200],
    ["/no/x", ["FallbackResource /b/x.txt?other", ...key], 403],
    ["/no/x", ["FallbackResource /b/x.txt", ...none], 200],
    ["/no/x?q", ["FallbackResource /b/x.txt?k", ...both], 200],
    ["/no/x?q", ["FallbackResource /b/x.txt?k", ...key], 403],
    ["/no/x?q", ["FallbackResource /b/x.txt", ...sent], 200],
    ["/no/x?q", ['FallbackResource "/b/x.txt?k#part"', ...key], 200],
    ["/no/x?q", ['FallbackResource "/b/x.txt#part?k"', ...none], 200],
    ["/no/x", ['FallbackResource "/b/x.txt#part"', ...none], 200],
    ["/a/", ["DirectoryIndex /b/x.txt?k", ...key], 200],
    ["/a/?q", ["DirectoryIndex /b/x.txt?k", ...both], 200],
    ["/a/?q", ['DirectoryIndex "/b/x.txt#part"', ...none], 200],
    ["/a/?q", ["DirectoryIndex /b/x.txt", ...none], 403],
  ])("%s with %j: %i", async (url, lines, status) => {
    const [path = "", query] = url.split("?");
    await withRunningHttpd(
      ["authz_core", "dir"],
      ["<Directory DOCROOT>", "Require all granted", "</Directory>", ...lines],
      async (running) => {
        const live = await running.ask({ path: url });
        const request = { method: "GET", path, clientIp: "127.0.0.1", ...(query === undefined ? {} : { query }) };
        const predicted = simulatedServerOn(running).answer(request).status;
        expect([live.status, predicted]).toEqual([status, status]);
      },
      { "a/y.txt": "y\n", "b/x.txt": "x\n" },
    );
  });
});
