import { readFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Request } from "../../src/httpd/model/request.js";
import type { Decider } from "../../src/simulate/decide.js";
import { clients, equivalentCases, mixedCases } from "../simulate/guide-cases.js";
import { httpd, liveTitle } from "../support/httpd/httpd.js";
import {
  asBob,
  bobAuthentication,
  deciderOn,
  errorsAfter,
  type RunningHttpd,
  withRunningHttpd,
} from "../support/httpd/running-httpd.js";
import { findUnnamedAddress } from "../support/httpd/served-folder.js";

/** The server writes the name of a client that has one. */
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

interface HttpRequest {
  readonly path: string;
  readonly method?: string;
  readonly isUser?: boolean;
  readonly stranger?: boolean;
  readonly clientIp?: string;
  readonly clientHost?: string;
  readonly referer?: string;
}

/** Returns the server's response with its lines in both logs, and the simulator's decision. */
async function both(running: RunningHttpd, decider: Decider, asked: HttpRequest) {
  const { path, method = "GET", isUser = false, stranger = false, clientIp = outsideAddress, referer } = asked;
  await untilLonger(running, 0);
  const before = running.errors().length;
  const loggedBefore = logged(running).length;
  const carol = { Authorization: `Basic ${btoa("carol:secret")}` };
  const sent = await running.ask({
    path,
    method,
    headers: {
      "X-Client-IP": clientIp,
      ...(isUser ? asBob : stranger ? carol : {}),
      ...(referer === undefined ? {} : { Referer: referer }),
    },
  });
  const [bare = "", query] = path.split("?");
  const request: Request = {
    ...{ method, path: bare, clientIp, host: "127.0.0.1" },
    ...(query === undefined ? {} : { query }),
    ...(asked.clientHost === undefined ? {} : { clientHost: asked.clientHost }),
    ...(isUser ? { user: "bob" } : stranger ? { user: "carol" } : {}),
    ...(referer === undefined ? {} : { headers: { Referer: referer } }),
  };
  const { status, errorLog, accessLog } = decider.decide(request);
  // The log line is written after the response.
  await untilLonger(running, loggedBefore);
  const live = {
    status: sent.status,
    errorLog: errorsAfter(running, before),
    accessLog: logged(running).trimEnd().split("\n").at(-1),
  };
  return { live, here: { status, errorLog, accessLog } };
}

function logged({ folder }: RunningHttpd): string {
  return readFileSync(join(folder, "access.log"), "utf8");
}

async function untilLonger(running: RunningHttpd, length: number): Promise<void> {
  for (let tries = 0; tries < 200 && logged(running).length <= length; tries++)
    await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Sections that cover every message about a decision, with their requests. */
const cases: readonly (readonly [lines: readonly string[], asked: readonly Omit<HttpRequest, "path">[]])[] = [
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
    [{}, { isUser: true }, { stranger: true }],
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

describe.skipIf(!httpd)(liveTitle("the running server answers and writes as explained"), () => {
  test.each([...mixedCases, ...equivalentCases])(
    "the upgrade guide's example: $title",
    async ({ lines, path, answers }) => {
      await withRunningHttpd(modules, [...server, ...lines], async (running) => {
        const decider = deciderOn(running);
        const got: string[] = [];
        for (const { isLocal, isUser } of clients) {
          const { live, here } = await both(running, decider, {
            ...{ path, isUser, clientIp: isLocal ? "127.0.0.1" : outsideAddress },
            // The machine has a name, which a rule on host names looks up.
            ...(isLocal ? { clientHost: "localhost" } : {}),
          });
          expect(here).toEqual(live);
          const decided = [401, 403, 500].includes(live.status) ? String(live.status) : "allowed";
          const codes = live.errorLog.map((line) => line.slice(0, 7)).filter((code) => code !== "AH01753");
          got.push([decided, ...codes].join(" "));
        }
        expect(got).toEqual(answers.server);
      });
    },
  );

  test("every message about a decision, for all kinds of paths", async () => {
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
        const decider = deciderOn(running, { ownerOf: () => owner });
        for (const [index, [, each]] of cases.entries()) {
          for (const path of paths) {
            for (const asked of each) {
              const { live, here } = await both(running, decider, { ...asked, path: `/${index}${path}` });
              expect({ lines: cases[index]?.[0], path, ...here }).toEqual({ lines: cases[index]?.[0], path, ...live });
            }
          }
        }
      },
      files,
    );
  });

  test("a backend, a Redirect, and URLs that are refused themselves", async () => {
    const lines = [
      ...server,
      ...["ProxyPass /back http://127.0.0.1:1/b", '<Proxy "http://127.0.0.1:1/b">', "Require ip 10", "</Proxy>"],
      ...["Redirect /gone http://x.test/", "Redirect 410 /never"],
      ...['<Location "/gone">', "Require all denied", "</Location>"],
    ];
    const asked = ["/back/x", "/gone/x?y", "/never", "/../x", "/a%2fb", "/%zz?q", "/.%2e/x", "/a/../b//c", "/x%00"];
    await withRunningHttpd(modules, lines, async (running) => {
      const decider = deciderOn(running);
      for (const path of asked) {
        const { live, here } = await both(running, decider, { path });
        expect({ path, ...here }).toEqual({ path, ...live });
      }
    });
  });

  test("`.htaccess` files that are refused", async () => {
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
          const decider = deciderOn(running);
          for (const [index, text] of texts.entries()) {
            const { live, here } = await both(running, decider, { path: `/${index}/x.txt` });
            expect({ allowed, text, ...here }).toEqual({ allowed, text, ...live });
          }
        },
        files,
      );
    }
  });
});
