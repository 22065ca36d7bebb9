import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const denied = "Require all denied\n";

/**
 * A name, files below the DocumentRoot, and the status that the server returned. The server appends the name to each
 * directory.
 */
const cases: readonly (readonly [name: string, files: Readonly<Record<string, string>>, status: number])[] = [
  ["sub/.ht", { "sub/.ht": denied }, 403],
  ["sub//.ht", { "sub/.ht": denied }, 403],
  ["./.ht", { ".ht": denied }, 403],
  ["../.ht", { "../.ht": denied }, 403],
  ["DOCROOT/absolute", { absolute: denied }, 403],
  ["sub/", { "sub/.ht": denied }, 403],
  [".ht sub/.ht", { ".ht": "Require all granted\n", "sub/.ht": denied }, 200],
  ["sub/.ht", { "sub/other": denied }, 200],
  ["x.txt/.ht", {}, 200],
];

describe.skipIf(!httpd)(liveTitle("AccessFileName with a slash"), () => {
  test.each(cases)("%s with %j returns %i, and the decision is %i or unknown", async (name, files, status) => {
    await withRunningHttpd(
      ["authz_core"],
      ["<Directory />", "AllowOverride All", "Require all granted", "</Directory>", `AccessFileName ${name}`],
      async (running) => {
        expect((await running.ask({ path: "/x.txt" })).status).toBe(status);
        const decided = simulatedServerOn(running).answer({ method: "GET", path: "/x.txt", clientIp: "127.0.0.1" });
        expect([status, undefined]).toContain(decided.status);
        if (status === 200) expect(decided.status).toBe(200);
      },
      { "x.txt": "x\n", ...files },
    );
  });
});
