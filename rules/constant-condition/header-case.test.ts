import { describe, expect, test } from "vitest";
import { findingsOf, fixFirst, onlyVariant, section } from "../../test/support/rules.js";
import { constantCondition } from "./constant-condition.js";

const rule = onlyVariant(constantCondition, "constant-condition");
const socket = "RewriteRule ^/(.*)$ ws://127.0.0.1:3001/$1 [P,L]";
const host = (condition: string) => section("VirtualHost *:80", "RewriteEngine On", `RewriteCond ${condition}`, socket);

describe("a condition on a header of web sockets", () => {
  test.each([
    ["%{HTTP:Upgrade} ^WebSocket$", "%{HTTP:Upgrade} ^WebSocket$ [NC]"],
    ["%{HTTP:Upgrade} =WebSocket", "%{HTTP:Upgrade} =WebSocket [NC]"],
    ["%{HTTP:upgrade} WEBSOCKET [OR]", "%{HTTP:upgrade} WEBSOCKET [NC,OR]"],
    ["%{HTTP:Connection} ^upgrade$", "%{HTTP:Connection} ^upgrade$ [NC]"],
    ["%{HTTP:Connection} upgrade", "%{HTTP:Connection} upgrade [NC]"],
  ])("needs NC: %s", (condition, fixed) => {
    const text = host(condition);
    const [, input, pattern] = /^(\S+) (\S+)/.exec(condition) ?? [];
    expect(findingsOf([rule], text)).toMatchObject([
      {
        message: `\`${input} ${pattern}\` never holds for a usual request`,
        help: ["add the flag `NC`"],
      },
    ]);
    expect(fixFirst(rule, text)).toContain(`RewriteCond ${fixed}\n`);
  });

  test.each([
    "%{HTTP:Upgrade} websocket [NC]",
    "%{HTTP:Upgrade} ^WebSocket$ [NC]",
    "%{HTTP:Upgrade} (?i)WebSocket",
    "%{HTTP:Upgrade} =websocket",
    "%{HTTP:Upgrade} ^web",
    "%{HTTP:Upgrade} [Ww]eb[Ss]ocket",
    "%{HTTP:Upgrade} !=websocket [NC]",
    "%{HTTP:Upgrade} !^WebSocket$",
    "%{HTTP:Upgrade} ^SPDY/",
    "%{HTTP:Connection} Upgrade",
    "%{HTTP:Connection} upgrade [NC]",
    "%{HTTP:Connection} ^keep-alive",
    "%{HTTP:X-Upgrade} ^WebSocket$",
  ])("may hold: %s", (condition) => {
    expect(findingsOf([rule], host(condition))).toEqual([]);
  });
});
