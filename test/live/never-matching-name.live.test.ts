import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { httpd, liveTitle, loadModules } from "../support/httpd/httpd.js";
import { askServer } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const modules = "mpm_event authn_core authz_core authz_host access_compat auth_basic authn_file authz_user".split(" ");

const forAll = "Order allow,deny\nAllow from all\n";
/** Lines that the server accepts, and whether it allows alice from 127.0.0.1 with her password. */
const cases: readonly (readonly [string, boolean])[] = [
  ["Require host 127.0.0.1", false],
  ["Require host 127.0.0.0/8", false],
  ["Require host all", false],
  ["Require host localhost", true],
  ["Require host host", false],
  ["Require host local", false],
  ["Require host *", false],
  ["Require user alice", true],
  ["Require user alice, bob", false],
  ["Require user bob,alice", false],
  ["Require valid-user bob", true],
  ["Order deny,allow\nDeny from all\nAllow from 127.0.0.1", true],
  ["Order deny,allow\nDeny from all\nAllow from 127.0.0.1, 10.0.0.1", false],
  [`${forAll}Deny from 127.0.0.1`, false],
  [`${forAll}Deny from 127.0.0.1, 10.0.0.1`, true],
  [`${forAll}Deny from *`, true],
  [`${forAll}Deny from 127.0.0.1-127.0.0.9`, true],
  [`${forAll}Deny from "127.0.0.1 127.0.0.2"`, true],
  [`${forAll}Deny from 127.0.0.1;127.0.0.2`, true],
  [`${forAll}Deny from env`, true],
  ["Order deny,allow\nDeny from all\nAllow from @lan", false],
  ["Order deny,allow\nDeny from all\nAllow from none", false],
  ["Require user *", false],
  ["Require user alice;bob", false],
  ["Require ip 127.0.0.0", false],
  ["Require ip 127.0.0.0/8", true],
  ["Require ip 127.0.0", true],
  ["Order deny,allow\nDeny from all\nAllow from 127.0.0.0", false],
  ["Require ip 10.0.0.0/8", false],
];

describe.skipIf(!httpd)(liveTitle("names that never match, on the live server"), () => {
  const folder = sharedFolder();
  let statuses: readonly number[] = [];

  beforeAll(async () => {
    const port = await freePort();
    const root = folder.at("www");
    const sections = cases.map(([lines], index) => {
      mkdirSync(join(root, `${index}`), { recursive: true });
      writeFileSync(join(root, `${index}`, "x"), "x");
      const access = lines.includes("Require") ? "" : "Require valid-user\n";
      return `<Location "/${index}">\nAuthType Basic\nAuthName a\nAuthUserFile users\n${access}${lines}\n</Location>\n`;
    });
    writeFileSync(folder.at("users"), `alice:{SHA}${createHash("sha1").update("x").digest("base64")}\n`);
    const head = `ServerRoot "${folder.path}"\nServerName x.test\nPidFile pid\nErrorLog error.log\nListen 127.0.0.1:${port}\nDocumentRoot "${root}"\n`;
    writeFileSync(folder.at("httpd.conf"), loadModules(modules) + head + sections.join(""));
    const result = await askServer(
      folder.path,
      cases.map((_, index) => ({
        address: "127.0.0.1",
        port,
        text: `GET /${index}/x HTTP/1.0\r\nAuthorization: Basic ${btoa("alice:x")}\r\n\r\n`,
      })),
    );
    if ("answers" in result) statuses = result.answers.map(({ status }) => status);
  });

  test.each(cases.map(([lines, isAllowed], index) => [lines, isAllowed, index] as const))(
    "%j allows alice: %s",
    (_, isAllowed, index) => {
      expect(statuses[index]).toEqual(isAllowed ? 200 : expect.toBeOneOf([401, 403]));
    },
  );
});
