import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { limitLeavesMethodsOpen } from "../../rules/limit-leaves-methods-open/limit-leaves-methods-open.js";
import { unprotectedHandler } from "../../rules/unprotected-handler/unprotected-handler.js";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer, type Sent } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";
import { lintText, section } from "../support/rules.js";

const modules = [
  ...["mpm_event", "authn_core", "authn_file", "auth_basic", "authz_core", "authz_host", "authz_user"],
  ...["access_compat", "allowmethods", "alias", "cgid", "remoteip", "status", "info", "proxy", "slotmem_shm"],
  "proxy_balancer",
];
const rules = [limitLeavesMethodsOpen, unprotectedHandler];

const members = ["AuthType Basic", "AuthName x", "AuthUserFile users", "Require valid-user"];
const denied = ["Order deny,allow", "Deny from all"];
const get = (...lines: readonly string[]) => section("Limit GET", ...lines).trimEnd();
const getAndPost = (...lines: readonly string[]) => section("Limit GET POST", ...lines).trimEnd();

type Case = readonly [kind: "program" | "file" | "page", ...lines: readonly string[]];

/** The handler of the response (a program, a file, or the page of the section), and the lines of the section. */
const open: readonly Case[] = [
  ["program", getAndPost(...denied)],
  ["program", getAndPost(...members)],
  ["program", getAndPost("Require ip 10.1")],
  ["file", get(...members)],
  ["file", get("Deny from 203.0.113.9")],
  ["page", "SetHandler server-status"],
  ["page", "SetHandler Server-Info"],
  ["page", "SetHandler balancer-manager", "Order allow,deny", "Allow from all"],
  ["page", "SetHandler server-status", "Deny from 0.0.0.0/1 128.0.0.0/1"],
  ["page", "SetHandler server-status", "<If \"-R '10.0.0.0/8'\">", "Require all denied", "</If>"],
];
const closed: readonly Case[] = [
  ["program", getAndPost(...denied), section("LimitExcept GET POST", ...denied).trimEnd()],
  ["program", ...members, get("Require user bob")],
  ["program", "AllowMethods GET POST", getAndPost(...denied)],
  ["page", "SetHandler server-status", "Require local"],
  ["page", "SetHandler server-status", ...denied, "Allow from 10"],
  ["page", "SetHandler server-status", "AllowMethods POST"],
  ["page", "SetHandler server-status", "<If \"! -R '10.0.0.0/8'\">", "Require all denied", "</If>"],
];
const cases = [...open, ...closed];

const url = (kind: string, index: number) => (kind === "page" ? `/p${index}` : `/${kind}/${index}/x`);

/** Requests for cases without a finding. */
const defaultRequests = [
  { method: "GET", clientIp: "203.0.113.9" },
  { method: "GET", clientIp: "2001:db8::9" },
  { method: "PUT", clientIp: "203.0.113.9" },
];

describe.skipIf(!httpd)(liveTitle("requests that findings report as allowed, on the live server"), () => {
  const folder = sharedFolder();
  /** The requests to send: those of the findings, or the default requests if there are none. */
  let sent: readonly { readonly index: number; readonly isReported: boolean; readonly request: Sent }[] = [];
  let statuses: readonly number[] = [];

  beforeAll(async () => {
    const port = await freePort();
    for (const [index, [kind]] of cases.entries()) {
      const path = folder.at(`${kind}/${index}`);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, "x"), "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n'\n");
      chmodSync(join(path, "x"), 0o755);
    }
    writeFileSync(folder.at("users"), "");
    const head = [
      `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nScriptSock "${folder.path}/sock"`,
      `Listen 127.0.0.1:${port}\nDocumentRoot "${folder.path}"\nScriptAlias /program "${folder.path}/program"`,
      "RemoteIPHeader X-Client\nRemoteIPInternalProxy 127.0.0.1\n",
    ].join("\n");
    const sections = cases.map(([kind, ...lines], index) => section(`Location ${url(kind, index)}`, ...lines));
    const text = loadModules(modules) + head + sections.join("");
    writeFileSync(folder.at("httpd.conf"), text);

    // The server must listen on an address that is reachable from outside.
    const findings = lintText(rules, text.replace("Listen 127.0.0.1:", "Listen "));
    sent = cases.flatMap(([kind], index) => {
      const path = url(kind, index);
      const shown = findings.flatMap(({ witness }) => (witness?.request.path === path ? [witness.request] : []));
      const isReported = shown.length > 0;
      return (isReported ? shown : defaultRequests).map(({ method, clientIp }) => {
        const request = `${method} ${path} HTTP/1.0\r\nX-Client: ${clientIp}\r\n\r\n`;
        return { index, isReported, request: { address: "127.0.0.1", port, text: request } };
      });
    });
    const result = await askServer(
      folder.path,
      sent.map(({ request }) => request),
    );
    if ("answers" in result) statuses = result.answers.map(({ status }) => status);
  });

  const withTitles = (some: readonly Case[], from: number) =>
    some.map((each, n) => [each.join(" | "), from + n] as const);
  const answersTo = (index: number) =>
    sent.flatMap((each, n) => (each.index === index ? [{ isReported: each.isReported, status: statuses[n] }] : []));

  test.each(withTitles(open, 0))("reports allowed requests: %s", (_, index) => {
    expect(answersTo(index)).toEqual([{ isReported: true, status: 200 }]);
  });

  test.each(withTitles(closed, open.length))("reports no denied requests: %s", (_, index) => {
    const answers = answersTo(index);
    expect(answers.map(({ isReported }) => isReported)).toEqual(defaultRequests.map(() => false));
    for (const { status } of answers) expect([401, 403, 405]).toContain(status);
  });
});
