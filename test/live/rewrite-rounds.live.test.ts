import { mkdirSync } from "node:fs";
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
  // The URL gets longer in each round.
  "RewriteRule ^/grow/(.*)$ /grow/x/$1 [N]",
  "RewriteRule ^/slow/(.*)$ /slow/$1x [N]",
  "RewriteRule ^/few/(.*)$ /few/$1x [N=50]",
  "RewriteRule ^/end/(.+)\\.x$ /end/y/$1.x [N]",
  "RewriteCond %{REQUEST_URI} !^/none",
  "RewriteRule ^/uri/(.*)$ /uri/more/$1 [N]",
  // Twins: rules that end.
  "RewriteCond %{REQUEST_FILENAME} !xxxxxx",
  "RewriteRule ^/until/(.*)$ /until/x$1 [N]",
  "RewriteRule ^/leaves/(.*)$ /left/x/$1 [N]",
  "RewriteRule ^/short/([^x]*)$ /short/x$1 [N]",
  // The second rule is skipped if the first one does not apply, so that the third one ends the rounds.
  "RewriteRule ^/chain/a(.*)$ /chain/b$1 [C]",
  "RewriteRule ^/chain/b(.*)$ /chain/bx$1 [N]",
  "RewriteRule ^/chain/bx(y{0,3})$ /chain/a$1y [N]",
  ...['<Directory "DOCROOT/d">', "AllowOverride None", "Options FollowSymLinks", "RewriteEngine on"],
  ...["RewriteRule ^in/(.*)$ in/x/$1 [N]", "RewriteRule ^away/(.*)$ /away/x/$1 [N]", "</Directory>"],
];

describe.skipIf(!httpd)(liveTitle("rules that restart"), () => {
  test("end with 500 if a round changes nothing, or if the URL grows for ever", async () => {
    await withRunningHttpd(["authz_core", "mime", "rewrite"], lines, async (running) => {
      mkdirSync(`${running.folder}/htdocs/d`, { recursive: true });
      const simulated = simulatedServerOn(running);
      for (const [path, expected] of [
        ["/same/x", 500],
        ["/env/x", 500],
        ["/swap/ax", 500],
        ["/ends/aaax", 404],
        ["/once/x", 404],
        ["/grow/x", 500],
        ["/slow/x", 500],
        ["/few/x", 500],
        ["/end/a.x", 500],
        ["/uri/x", 500],
        ["/until/y", 404],
        ["/leaves/x", 404],
        ["/short/a", 404],
        ["/chain/a", 404],
        ["/d/in/a", 500],
        ["/d/in/a/b/c", 500],
        ["/d/away/a", 404],
      ] as const) {
        const before = running.errors().length;
        const { status } = await running.ask({ path, headers: { Host: "x.test" } });
        const answer = simulated.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
        expect([path, status, answer.status]).toEqual([path, expected, expected]);
        const logged = running.errors().slice(before);
        for (const line of answer.errorLog) expect(logged).toContain(line);
        expect([path, answer.errorLog.length]).toEqual([path, expected === 500 ? 1 : 0]);
        expect([path, answer.causes.length]).toEqual([path, expected === 500 ? 1 : 0]);
      }
    });
  }, 60_000);
});
