import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Rules with the flag N that never end, and twins that do. */
const lines = [
  ...["TypesConfig /dev/null", "RewriteEngine on"],
  // Other rules that each round tries.
  ...Array.from({ length: 20 }, (_, index) => `RewriteRule ^/other${index}/(.*) /$1`),
  "RewriteRule ^/same(.*)$ /same$1 [N]",
  "RewriteRule ^/env/(.*)$ /env/$1 [E=A:b,N]",
  "RewriteRule ^/swap/a(.*)$ /swap/b$1 [N]",
  "RewriteRule ^/swap/b(.*)$ /swap/a$1 [N]",
  "RewriteRule ^/ends/a(.*)$ /ends/$1 [N]",
  "RewriteCond %{ENV:A} !=b",
  "RewriteRule ^/once/(.*)$ /once/$1 [E=A:b,N]",
];

describe.skipIf(!httpd)(liveTitle("rules that restart"), () => {
  test("end with 500 if a round changes nothing", async () => {
    await withRunningHttpd(["authz_core", "mime", "rewrite"], lines, async (running) => {
      const simulated = simulatedServerOn(running);
      for (const [path, expected] of [
        ["/same/x", 500],
        ["/env/x", 500],
        ["/swap/ax", 500],
        ["/ends/aaax", 404],
        ["/once/x", 404],
      ] as const) {
        const before = running.errors().length;
        const { status } = await running.ask({ path, headers: { Host: "x.test" } });
        const answer = simulated.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
        expect([path, status, answer.status]).toEqual([path, expected, expected]);
        const logged = running.errors().slice(before);
        for (const line of answer.errorLog) expect(logged).toContain(line);
        expect(answer.errorLog).toHaveLength(expected === 500 ? 1 : 0);
      }
    });
  }, 60_000);
});
