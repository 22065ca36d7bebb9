import { describe, expect, test } from "vitest";
import { answer } from "../../../src/server/answer.js";
import type { Semantics } from "../../../src/server/model/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { loadText } from "../../support/projects.js";
import { inDirectory, onServer } from "../../support/rules.js";

const auth = "AuthType Basic; AuthName x; AuthUserFile /etc/users";

/** Returns both results for a client at 10.1.2.3. */
function answersTo(text: string, method = "GET"): string {
  const project = loadText(onServer(inDirectory(...text.split("; "))), { kind: "server" });
  const statusBy = (semantics: Semantics) =>
    answer(
      project,
      { method, path: "/a", clientIp: "10.1.2.3" },
      { semantics, files: createListedFiles(["/srv/a", "/etc/users"]) },
    ).status;
  return `${statusBy("server")}, by the guide ${statusBy("guide")}`;
}

describe("the semantics of the upgrade guide", () => {
  test.each([
    // With mod_access_compat directives, Require lines that check only the host are ignored.
    ["Deny from 11; Require all denied", "403, by the guide 200"],
    ["Order allow,deny; Require all granted", "403, by the guide 403"],
    ["Order deny,allow; Require all denied", "403, by the guide 200"],
    ["Allow from 11; Require ip 11", "403, by the guide 200"],
    ["Deny from 11; Require host a.test", "403, by the guide 200"],
    ["Deny from 11; Require env x", "403, by the guide 200"],
    ["Deny from 11; Require local", "403, by the guide 200"],
    ["Deny from 11; <RequireAll>; Require ip 11; Require not ip 12; </RequireAll>", "403, by the guide 200"],
    ["Deny from 10; Require all granted; Satisfy any", "200, by the guide 403"],
    // With other Require lines, they apply.
    [`${auth}; Deny from 11; Require valid-user`, "401, by the guide 401"],
    [`${auth}; Deny from 11; Require ip 11; Require valid-user`, "401, by the guide 401"],
    [
      `${auth}; Deny from 11; <RequireAll>; Require all granted; Require valid-user; </RequireAll>`,
      "401, by the guide 401",
    ],
    ["Deny from 11; Require method POST", "403, by the guide 403"],
    ["Deny from 11; Require expr false", "403, by the guide 403"],
    // A Satisfy does not restrict hosts.
    ["Satisfy all; Require all denied", "403, by the guide 403"],
    ["Require all denied", "403, by the guide 403"],
    // An Allow is an exception to `Deny from all` under any Order.
    ["Order allow,deny; Deny from all; Allow from 10", "403, by the guide 200"],
    ["Order allow,deny; Deny from all; Allow from 11", "403, by the guide 403"],
    ["Order allow,deny; Deny from all", "403, by the guide 403"],
    ["Order allow,deny; Deny from 10; Allow from all", "403, by the guide 403"],
    ["Order allow,deny; Deny from 10; Allow from 10", "403, by the guide 403"],
    ["Order mutual-failure; Deny from all; Allow from 10", "403, by the guide 403"],
    ["Order deny,allow; Deny from all; Allow from 10", "200, by the guide 200"],
    ["Order allow,deny; Deny from all; <Limit POST>; Allow from 10; </Limit>", "403, by the guide 403"],
    ["Order allow,deny; <Limit POST>; Deny from all; </Limit>; Deny from 10; Allow from 10", "403, by the guide 403"],
    [
      "Order allow,deny; <Limit POST>; Order deny,allow; </Limit>; Deny from all; Allow from 10",
      "403, by the guide 200",
    ],
  ])("%s: %s", (lines, answers) => {
    expect(answersTo(lines)).toBe(answers);
  });
});
