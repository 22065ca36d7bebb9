import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SimulatedServer } from "../../src/server/answer.js";
import type { Request } from "../../src/server/model/request.js";
import { clients, equivalentCases, mixedCases } from "../server/guide-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import {
  asBob,
  bobAuthentication,
  errorsAfter,
  type RunningHttpd,
  simulatedServerOn,
  withRunningHttpd,
} from "../support/httpd/running-httpd.js";
import { findUnnamedAddress } from "../support/httpd/served-folder.js";

/** An address without a name: the server logs the name of a client that has one. */
const outsideAddress = await findUnnamedAddress();

const modules = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_groupfile", "authz_host"],
  ...["authz_owner", "access_compat", "setenvif", "alias", "dir", "autoindex", "remoteip", "proxy", "proxy_http"],
  ...["status", "headers"],
];
const server = [
  ...["RemoteIPHeader X-Client-IP", "RemoteIPInternalProxy 127.0.0.1"],
  ...['LogFormat "%h %l %u \\"%r\\" %>s" short', "CustomLog access.log short"],
];

interface LiveCase {
  readonly path: string;
  readonly method?: string;
  readonly isUser?: boolean;
  readonly isStranger?: boolean;
  readonly clientIp?: string;
  readonly clientHost?: string;
  readonly referer?: string;
}

/** Returns the server's response with its lines in both logs, and the simulator's decision. */
async function answerBoth(running: RunningHttpd, simulatedServer: SimulatedServer, each: LiveCase) {
  const { path, method = "GET", isUser = false, isStranger = false, clientIp = outsideAddress, referer } = each;
  await waitForLongerLog(running, 0);
  const before = running.errors().length;
  const loggedBefore = readAccessLog(running).length;
  const carol = { Authorization: `Basic ${btoa("carol:secret")}` };
  const sent = await running.ask({
    path,
    method,
    headers: {
      "X-Client-IP": clientIp,
      ...(isUser ? asBob : isStranger ? carol : {}),
      ...(referer === undefined ? {} : { Referer: referer }),
    },
  });
  const [bare = "", query] = path.split("?");
  const request: Request = {
    ...{ method, path: bare, clientIp, host: "127.0.0.1" },
    ...(query === undefined ? {} : { query }),
    ...(each.clientHost === undefined ? {} : { clientHost: each.clientHost }),
    ...(isUser ? { user: "bob" } : isStranger ? { user: "carol" } : {}),
    ...(referer === undefined ? {} : { headers: { Referer: referer } }),
  };
  const { status, errorLog, accessLog } = simulatedServer.answer(request);
  // The log line is written after the response.
  await waitForLongerLog(running, loggedBefore);
  const live = {
    status: sent.status,
    errorLog: errorsAfter(running, before),
    accessLog: readAccessLog(running).trimEnd().split("\n").at(-1),
  };
  return { live, simulated: { status, errorLog, accessLog } };
}

function readAccessLog({ folder }: RunningHttpd): string {
  return readFileSync(join(folder, "access.log"), "utf8");
}

async function waitForLongerLog(running: RunningHttpd, length: number): Promise<void> {
  for (let tries = 0; tries < 200 && readAccessLog(running).length <= length; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Sections that cover every message about a decision, with their requests. */
const cases: readonly (readonly [lines: readonly string[], requests: readonly Omit<LiveCase, "path">[]])[] = [
  [["Deny from all"], [{}, { referer: 'http://example.org/"x"' }, { method: "POST" }]],
  [["Require all denied"], [{}, { isUser: true }]],
  [["Require all granted"], [{}, { method: "PUT" }, { method: "OPTIONS" }]],
  [["Require host example.org"], [{}]],
  [
    ["Require host example.org", "Require ip 10"],
    [{}, { clientIp: "10.1.2.3" }],
  ],
  [
    [...bobAuthentication, "Require valid-user"],
    [{}, { isUser: true }, { isStranger: true }],
  ],
  [
    [...bobAuthentication, "Require user al"],
    [{}, { isUser: true }],
  ],
  [[...bobAuthentication, "Require user al", "AuthzSendForbiddenOnFailure On"], [{ isUser: true }]],
  [[...bobAuthentication, "Require group staff"], [{ isUser: true }]],
  [[...bobAuthentication, "Require file-owner"], [{ isUser: true }]],
  [[...bobAuthentication, "Require file-group"], [{ isUser: true }]],
  [
    [...bobAuthentication, "<RequireAny>", "Require host a.test", "Require user al", "</RequireAny>"],
    [{}, { isUser: true }],
  ],
  [
    [...bobAuthentication, "Deny from all", "Satisfy any", "Require host a.test", "Require valid-user"],
    [{}, { isUser: true }],
  ],
  [
    ["AuthType Basic", "AuthUserFile users", "Require valid-user"],
    [{}, { isUser: true }],
  ],
  [
    ["AuthType Basic", "AuthName x", "Require valid-user"],
    [{}, { isUser: true }],
  ],
  [
    ["AuthType Basic", "AuthName x", "AuthUserFile nowhere", "Require valid-user"],
    [{}, { isUser: true }],
  ],
  [["Require valid-user"], [{}, { isUser: true }]],
  [["Deny from all", "Satisfy any", "Require valid-user"], [{}]],
  [[...bobAuthentication], [{}, { isUser: true }]],
  [["AuthType Digest", "AuthName x", "Require valid-user"], [{}]],
  [["Options None", "DirectoryIndex a.html b.html"], [{}]],
  [["Options Indexes"], [{}, { method: "PUT" }]],
  [["SetHandler server-status"], [{}]],
];
const paths = ["", "/", "/x.txt", "/x.txt/more/info", "/nowhere/at/all", "/sub", "/sub/", "/a%20b%22%5c%c3%a9?q=%22"];

describe.skipIf(!httpd)(liveTitle("the explanation has the status and the log lines of the running server"), () => {
  test.each([...mixedCases, ...equivalentCases])(
    "for the upgrade guide's example: $title",
    async ({ lines, path, answers }) => {
      await withRunningHttpd(modules, [...server, ...lines], async (running) => {
        const simulatedServer = simulatedServerOn(running);
        const actual: string[] = [];
        for (const { isLocal, isUser } of clients) {
          const { live, simulated } = await answerBoth(running, simulatedServer, {
            ...{ path, isUser, clientIp: isLocal ? "127.0.0.1" : outsideAddress },
            // The machine has a name, which a rule on host names looks up.
            ...(isLocal ? { clientHost: "localhost" } : {}),
          });
          expect(simulated).toEqual(live);
          const decided = [401, 403, 500].includes(live.status) ? String(live.status) : "allowed";
          const codes = live.errorLog.map((line) => line.slice(0, 7)).filter((code) => code !== "AH01753");
          actual.push([decided, ...codes].join(" "));
        }
        expect(actual).toEqual(answers.server);
      });
    },
  );

  test("for every message about a decision, and all path classes", async () => {
    const sections = cases.flatMap(([lines], index) => [`<Location "/${index}">`, ...lines, "</Location>"]);
    const files = Object.fromEntries(
      cases.flatMap((_, index) => [
        [`${index}/x.txt`, "x\n"],
        [`${index}/sub/index.html`, "x\n"],
      ]),
    );
    const lines = [...server, ...sections];
    await withRunningHttpd(
      modules,
      lines,
      async (running) => {
        const owner = { user: userInfo().username, group: "staff" };
        const simulatedServer = simulatedServerOn(running, { ownerOf: () => owner });
        for (const [index, [, requests]] of cases.entries()) {
          for (const path of paths) {
            for (const request of requests) {
              const { live, simulated } = await answerBoth(running, simulatedServer, {
                ...request,
                path: `/${index}${path}`,
              });
              expect({ lines: cases[index]?.[0], path, ...simulated }).toEqual({
                lines: cases[index]?.[0],
                path,
                ...live,
              });
            }
          }
        }
      },
      files,
    );
  });

  test("for a backend, a Redirect, and rejected URLs", async () => {
    const lines = [
      ...server,
      ...["ProxyPass /back http://127.0.0.1:1/b", '<Proxy "http://127.0.0.1:1/b">', "Require ip 10", "</Proxy>"],
      ...["Redirect /gone http://x.test/", "Redirect 410 /never"],
      ...['<Location "/gone">', "Require all denied", "</Location>"],
    ];
    const requestPaths = [
      "/back/x",
      "/gone/x?y",
      "/never",
      "/../x",
      "/a%2fb",
      "/%zz?q",
      "/.%2e/x",
      "/a/../b//c",
      "/x%00",
    ];
    await withRunningHttpd(modules, lines, async (running) => {
      const simulatedServer = simulatedServerOn(running);
      for (const path of requestPaths) {
        const { live, simulated } = await answerBoth(running, simulatedServer, { path });
        expect({ path, ...simulated }).toEqual({ path, ...live });
      }
    });
  });

  test("for rejected `.htaccess` files", async () => {
    const texts = [
      ...["Listen 80", "Nope x", "Order foo", "<Files x>", "<RequireAll>\n</RequireAll>", "Require not ip 10"],
      ...["</Files>", "<IfModule nope.c>\n</IfModule>", "<Nope x>\n</Nope>", "ErrorDocument 404 x", "OPTIONS None"],
      ...[
        "# nothing",
        "<Limit GET>\nDeny from all\n</Limit>",
        "AuthType",
        "<IfModule dir_module>\nOrder x\n</IfModule>",
      ],
    ];
    const files = Object.fromEntries(
      texts.flatMap((text, index) => [
        [`${index}/.htaccess`, `${text}\n`],
        [`${index}/x.txt`, "x\n"],
      ]),
    );
    for (const allowed of [[], ["AllowOverride All"], ["AllowOverride Limit"], ["AllowOverride None"]]) {
      const lines = [...server, '<Directory "/">', ...allowed, "</Directory>"];
      await withRunningHttpd(
        modules,
        lines,
        async (running) => {
          const simulatedServer = simulatedServerOn(running);
          for (const [index, text] of texts.entries()) {
            const { live, simulated } = await answerBoth(running, simulatedServer, { path: `/${index}/x.txt` });
            expect({ allowed, text, ...simulated }).toEqual({ allowed, text, ...live });
          }
        },
        files,
      );
    }
  });
});
