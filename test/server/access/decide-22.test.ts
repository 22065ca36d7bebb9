import { describe, expect, test } from "vitest";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { toReadable } from "../../../src/text/source.js";
import { load } from "../../support/projects.js";

const modules = ["auth_basic", "authn_file", "authz_user", "authz_groupfile", "authz_host", "authz_default", "ssl"];
const paths = ["/srv/a", "/etc/users", "/etc/groups", "/etc/dbm"];
const owned = createListedFiles(paths, { user: "bob", group: "staff" });

interface RequestOptions extends Partial<Request> {
  readonly files?: FileTree;
  /** A line outside of all sections. */
  readonly server?: string;
}

/** Returns the status in 2.2, and the deciding lines. */
function answerOf(text: string, { files = owned, server = "", ...request }: RequestOptions = {}): string {
  const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
  const lines = ["<Location />", ...authLines, "</Location>", "<Location /a>", ...text.split("; "), "</Location>"];
  const config = `${server}\nDocumentRoot "/srv"\nAlias /a/none /srv/none\n${lines.join("\n")}\n`;
  const project = load(
    { "/etc/httpd/httpd.conf": config },
    { release: "2.2", kind: "server", modules: [...modules, "alias", "authz_owner"] },
  );
  const fullRequest = { method: "GET", path: "/a", clientIp: "192.0.2.7", ...request };
  const { status, decidedBy } = answer(project, fullRequest, { files });
  return [status, ...decidedBy.map(({ span }) => toReadable(span.file.text.slice(span.start, span.end)))].join(" | ");
}

const bob = { user: "bob" };

describe("decides by mod_access_compat directives and Require on 2.2", () => {
  test.each<[string, RequestOptions, string]>([
    ["Deny from all", {}, "403 | Deny from all"],
    ["Deny from 10", {}, "200 | Deny from 10"],
    ["Deny from all; Require valid-user", bob, "403 | Deny from all"],
    ["Deny from 10; Require valid-user", bob, "200 | Deny from 10 | Require valid-user"],
    ["Deny from 10; Require valid-user", {}, "401 | Require valid-user"],
    ["Deny from all; Satisfy any", {}, "403 | Deny from all"],
    ["Deny from all; Require valid-user; Satisfy any", bob, "200 | Satisfy any | Require valid-user"],
    ["Deny from all; Require valid-user; Satisfy any", {}, "401 | Require valid-user"],
    ["Deny from 10; Require valid-user; Satisfy any", {}, "200 | Deny from 10 | Satisfy any"],
    ["Deny from 10; Satisfy any", {}, "200 | Deny from 10"],
    ["Require valid-user; Satisfy any", {}, "200 | Satisfy any"],
    ["Require valid-user; Satisfy any; Satisfy all", {}, "401 | Require valid-user"],
    ["<Limit POST>; Require valid-user; </Limit>; Deny from all; Satisfy any", {}, "403 | Deny from all"],
    ["<Limit POST>; Satisfy any; </Limit>; Deny from all; Require valid-user", bob, "403 | Deny from all"],
    [
      "<Limit POST>; Satisfy any; </Limit>; Satisfy all; Deny from 10; Require valid-user",
      {},
      "401 | Require valid-user",
    ],
  ])("%s %j", (lines, options, answer) => {
    expect(answerOf(lines, options)).toBe(answer);
  });
});

// modules/ssl/ssl_engine_kernel.c `ssl_hook_Access` of 2.2: it runs after the mod_access_compat rules, and Satisfy
// treats it like them.
describe("SSLRequireSSL on 2.2", () => {
  const optional = { server: "SSLEngine optional" };
  test.each<[string, RequestOptions, string]>([
    ["SSLRequireSSL", {}, "403 | SSLRequireSSL"],
    ["SSLRequireSSL", optional, "426 | SSLRequireSSL"],
    ["SSLRequireSSL; Deny from 10", optional, "426 | SSLRequireSSL"],
    ["SSLRequireSSL; Deny from all", optional, "403 | Deny from all"],
    ["SSLRequireSSL", { scheme: "https" }, "200"],
    ["SSLRequireSSL; Deny from all", {}, "403 | Deny from all"],
    ["SSLRequireSSL; Deny from 10", {}, "403 | SSLRequireSSL"],
    ["SSLRequireSSL; Require valid-user", bob, "403 | SSLRequireSSL"],
    ["SSLRequireSSL; Require valid-user; Satisfy any", bob, "200 | Satisfy any | Require valid-user"],
    ["SSLRequireSSL; Require valid-user; Satisfy any", {}, "401 | Require valid-user"],
    ["SSLRequireSSL; Require valid-user; Satisfy any", { scheme: "https" }, "200 | Satisfy any"],
  ])("%s %j", (lines, options, answer) => {
    expect(answerOf(lines, options)).toBe(answer);
  });
});

describe("Require on 2.2, module by module", () => {
  const groups = "AuthGroupFile /etc/groups";
  test.each<[string, RequestOptions, number]>([
    ["Require user bob", bob, 200],
    ["Require user Bob", bob, 401],
    ["Require USER bob", bob, 200],
    ["Require Valid-User", bob, 200],
    ["Require user eve; Require user alice bob", bob, 200],
    ["AuthzUserAuthoritative Off; Require user eve", bob, 401],
    ["AuthzUserAuthoritative Off; AuthzDefaultAuthoritative Off; Require user eve", bob, 500],
    ["AuthzDefaultAuthoritative Off; Require user eve", bob, 401],
    ["AuthzDefaultAuthoritative Off; Require bogus", bob, 500],
    ["Require bogus", bob, 401],
    [`${groups}; Require group staff`, { ...bob, groups: ["staff"] }, 200],
    [`${groups}; Require GROUP ops staff`, { ...bob, groups: ["staff"] }, 200],
    [`${groups}; Require group ops`, { ...bob, groups: ["staff"] }, 401],
    ["Require group staff", { ...bob, groups: ["staff"] }, 401],
    [`${groups}; Require group ops; Require group staff`, { ...bob, groups: ["staff"] }, 200],
    // mod_authz_user runs first, and declines other providers.
    [`${groups}; Require user eve; Require group staff`, { ...bob, groups: ["staff"] }, 401],
    [
      `${groups}; AuthzUserAuthoritative Off; Require user eve; Require group staff`,
      { ...bob, groups: ["staff"] },
      200,
    ],
    [`${groups}; AuthzGroupFileAuthoritative Off; AuthzDefaultAuthoritative Off; Require group ops`, bob, 500],
  ])("%s %j", (lines, options, status) => {
    expect(answerOf(lines, options)).toMatch(new RegExp(`^${status}`));
  });

  // modules/aaa/mod_authz_owner.c of 2.2.34
  test.each<[string, RequestOptions, number]>([
    ["Require file-owner", bob, 200],
    ["Require file-owner", { user: "eve" }, 401],
    // Its arguments are case-sensitive.
    ["Require File-Owner", bob, 401],
    ["Require file-owner", { ...bob, path: "/a/none" }, 401],
    [`${groups}; Require file-group`, { user: "eve", groups: ["staff"] }, 200],
    [`${groups}; Require file-group`, { user: "eve", groups: ["ops"] }, 401],
    [`${groups}; Require file-group`, { user: "eve", groups: ["staff"], path: "/a/none" }, 401],
    ["Require file-group", { user: "eve", groups: ["staff"] }, 401],
    ["AuthzDefaultAuthoritative Off; Require file-group", { user: "eve" }, 500],
    ["AuthzDefaultAuthoritative Off; Require file-owner", { user: "eve" }, 401],
    ["AuthzOwnerAuthoritative Off; AuthzDefaultAuthoritative Off; Require file-owner", { user: "eve" }, 500],
    // If mod_authz_owner decides last, only the first of the two providers applies.
    [`${groups}; Require file-owner; Require file-group`, { user: "eve", groups: ["staff"] }, 401],
    [`${groups}; Require file-group; Require file-owner`, { user: "bob", groups: [] }, 401],
    [`${groups}; Require file-group; Require file-owner`, { user: "eve", groups: ["staff"] }, 200],
    [
      `${groups}; AuthzOwnerAuthoritative Off; Require file-owner; Require file-group`,
      ...([{ user: "eve", groups: ["staff"] }, 200] as const),
    ],
    [`${groups}; AuthzOwnerAuthoritative Off; Require file-group; Require file-owner`, { ...bob, groups: [] }, 200],
    // The group of the file is checked before later providers.
    [`${groups}; Require file-group; Require group ops`, { user: "eve", groups: ["ops"] }, 401],
    [`${groups}; Require group ops; Require file-group`, { user: "eve", groups: ["ops"] }, 200],
    [
      `${groups}; AuthzGroupFileAuthoritative Off; Require file-group; Require group ops`,
      ...([{ user: "eve", groups: ["ops"] }, 200] as const),
    ],
  ])("by the owner of the file: %s %j", (lines, options, status) => {
    expect(answerOf(lines, options)).toMatch(new RegExp(`^${status}`));
  });
});
