import { describe, expect, test } from "vitest";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import { simulatedServerOn, withRunningHttpd } from "../support/httpd/running-httpd.js";

const header = "X-Forwarded-For";

/** Lines about proxies: the connection is always from 127.0.0.1. */
const servers: readonly (readonly string[])[] = [
  [],
  [`RemoteIPHeader ${header}`],
  [`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.1"],
  [`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.0/8 10.0.0.0/8"],
  [`RemoteIPHeader ${header}`, "RemoteIPTrustedProxy 127.0.0.1 198.51.100.0/24"],
  [`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 192.0.2.1"],
  [`RemoteIPHeader ${header}`, "RemoteIPInternalProxy 127.0.0.1", "RemoteIPTrustedProxy 10.0.0.1"],
  ["RemoteIPHeader X-Other", "RemoteIPInternalProxy 127.0.0.1"],
];

const values = [
  undefined,
  ...[
    "10.0.0.7",
    "203.0.113.9",
    "203.0.113.9, 10.0.0.1",
    "203.0.113.9,198.51.100.7",
    "10.1.1.1, 203.0.113.9 , 10.0.0.1",
  ],
  ...["2001:db8::1", "fe80::1, 2001:db8::1", "203.0.113.9,", ", 10.0.0.7"],
];

const rules = [
  "RewriteEngine On",
  ...[
    `%{HTTP:${header}} ^$`,
    `%{HTTP:${header}} ,`,
    `%{HTTP:${header}} ^203`,
    "%{CONN_REMOTE_ADDR} =127.0.0.1",
  ].flatMap((test, index) => [`RewriteCond ${test}`, `RewriteRule ^/c${index}$ - [F]`]),
  `RewriteCond expr "-n req('${header}')"`,
  "RewriteRule ^/c4$ - [F]",
  `SetEnvIf ${header} "\\." seen`,
  "RewriteCond %{ENV:seen} 1",
  "RewriteRule ^/c5$ - [F]",
  ...["RewriteCond %{IPV6} =on", "RewriteRule ^/c6$ - [F]"],
  ...["RewriteCond expr \"%{IPV6} == 'on'\"", "RewriteRule ^/c7$ - [F]"],
];

describe.skipIf(!httpd)(liveTitle("mod_remoteip"), () => {
  test.each(servers.map((lines) => [lines]))(
    "with %j",
    async (lines) => {
      await withRunningHttpd(
        ["authz_core", "remoteip", "rewrite", "setenvif"],
        ["LogLevel core:info", ...lines, ...rules],
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          const differences: unknown[] = [];
          for (const value of values) {
            const headers = value === undefined ? {} : { [header]: value };
            const before = running.errors().length;
            await running.ask({ path: "/none", headers });
            const [, clientIp = ""] = /\[client ([^\]]*):\d+\] AH00128/.exec(running.errors().slice(before)) ?? [];
            for (const index of [0, 1, 2, 3, 4, 5, 6, 7]) {
              const path = `/c${index}`;
              const { status } = await running.ask({ path, headers });
              const decided = simulatedServer.answer({ method: "GET", path, clientIp, headers });
              const isUnknown = decided.unknown.length > 0 || decided.notes.length > 0;
              // The address of the connection is not part of a request.
              const mayBeUnknown = index === 3 || index === 7 || lines.length === 3;
              if (isUnknown ? !mayBeUnknown : decided.status !== status)
                differences.push({ value, clientIp, path, status, decided: decided.status, unknown: decided.unknown });
            }
          }
          expect(differences).toEqual([]);
        },
      );
    },
    60_000,
  );
});
