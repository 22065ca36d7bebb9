import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const section = (name: string, argument = "", ...lines: readonly string[]) =>
  [`<${name}${argument && ` "${argument}"`}>`, ...lines, `</${name}>`].join("\n");

/** `.htaccess` files, and the answer. */
const files: readonly (readonly [text: string, live: number])[] = [
  [section("Else"), 500],
  [section("ElseIf", "true"), 500],
  [[section("If", "false"), section("Else")].join("\n"), 200],
  [[section("If", "false"), section("ElseIf", "true"), section("Else")].join("\n"), 200],
  [[section("If", "false"), section("Else"), section("Else")].join("\n"), 500],
  [[section("If", "false"), section("Files", "a.txt"), section("Else")].join("\n"), 200],
  [[section("If", "false"), section("Files", "a.txt", section("Else"))].join("\n"), 500],
  [section("Files", "b.txt", section("ElseIf", "true")), 500],
];

describe.skipIf(!httpd)(liveTitle("Else and ElseIf in `.htaccess` files"), () => {
  test("one without an If before it in its scope is an error for all requests below the file", async () => {
    const members = files.flatMap(([text], index) => [
      [`${index}/.htaccess`, `${text}\n`],
      [`${index}/a.txt`, "a"],
    ]);
    await withRunningHttpd(
      ["authz_core"],
      ['<Directory "DOCROOT">', "AllowOverride All", "</Directory>"],
      async (running) => {
        const simulated = simulatedServerOn(running);
        for (const [index, [text, live]] of files.entries()) {
          const path = `/${index}/a.txt`;
          const { status } = await running.ask({ path, headers: { Host: "x.test" } });
          const answer = simulated.answer({ method: "GET", path, host: "x.test", clientIp: "127.0.0.1" });
          expect([text, status, answer.status]).toEqual([text, live, live]);
        }
      },
      Object.fromEntries(members),
    );
  });
});
