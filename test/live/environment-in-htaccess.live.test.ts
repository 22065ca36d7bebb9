import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

/** Environment variables of the server. Those of the tests' own process are unknown to a reader of its files, too. */
const environment = { LIVE_OPTION: "Bogus", LIVE_WORDS: "a b c", LIVE_NAME: "SetEnv", LIVE_ADDRESS: "127.0.0.1" };

/** Lines of `.htaccess` files with variables of the environment, and the answer. */
const lines: readonly (readonly [line: string, live: number])[] = [
  ["Options ${LIVE_OPTION}", 500],
  ["SetEnv A ${LIVE_WORDS}", 500],
  ['SetEnv A "${LIVE_WORDS}"', 200],
  ["ErrorDocument ${LIVE_OPTION} /x", 500],
  ["AddType ${LIVE_ADDRESS}", 500],
  ["${LIVE_NAME} A b", 200],
  ["${LIVE_OPTION}", 500],
  ["Require not ip ${LIVE_ADDRESS}", 500],
  ["<Files ${LIVE_NAME}>\nRequire all denied\n</Files>", 200],
];

describe.skipIf(!httpd)(liveTitle("environment variables in `.htaccess` files"), () => {
  test("an unknown value makes the answer unknown; a defined one and a comment do not", async () => {
    const known: readonly (readonly [line: string, live: number])[] = [
      ["Options ${KNOWN}", 500],
      ["# ${LIVE_OPTION}\nSetEnv A b", 200],
      ["RewriteRule ^x ${map:$0}", 200],
      ["<IfDefine LIVE_NAME>\nBogus\n</IfDefine>", 200],
      ["Bogus ${LIVE_NAME}", 500],
    ];
    const all = [...lines, ...known];
    const files = Object.fromEntries(
      all.flatMap(([line], index) => [
        [`${index}/.htaccess`, `${line}\n`],
        [`${index}/a.txt`, "a"],
      ]),
    );
    await withRunningHttpd(
      ["authz_core", "authz_host", "env", "mime", "rewrite"],
      ["TypesConfig /dev/null", "Define KNOWN Bogus", '<Directory "DOCROOT">', "AllowOverride All", "</Directory>"],
      async (running) => {
        const simulatedServer = simulatedServerOn(running);
        for (const [index, [line, live]] of all.entries()) {
          const path = `/${index}/a.txt`;
          const { status } = await running.ask({ path, headers: { Host: "x.test" } });
          const decided = simulatedServer.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
          const isOpen = index < lines.length;
          expect([line, status, decided.status]).toEqual([line, live, isOpen ? undefined : live]);
          if (isOpen)
            expect([line, decided.unknown[0]]).toEqual([
              line,
              expect.stringMatching(/^the value of `\$\{.*, which is not set$/),
            ]);
        }
      },
      files,
      environment,
    );
  });
});
