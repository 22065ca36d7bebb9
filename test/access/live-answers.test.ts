import { describe, expect, test } from "vitest";
import type { Release } from "../../src/directives/directives.js";
import { createListedFiles, type FileTree } from "../../src/httpd/model/file-tree.js";
import type { Request } from "../../src/httpd/model/request.js";
import { decide } from "../../src/simulate/decide.js";
import { load } from "../support/projects.js";

const modules = [
  ...["authn_core", "authz_core", "authn_file", "authn_anon", "auth_basic", "authz_user", "authz_owner"],
  ...["authz_groupfile", "authz_dbm", "authz_host", "allowmethods", "access_compat"],
];
const owned = createListedFiles(["/srv/a", "/etc/users", "/etc/groups"], { user: "bob", group: "staff" });
const asking = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

interface HttpRequest {
  readonly request?: Partial<Request>;
  readonly files?: FileTree;
  readonly release?: Release;
}

function answerOf(lines: readonly string[], { request, files = owned, release = "2.4" }: HttpRequest = {}) {
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${lines.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules });
  const { status, errorLog, unknown } = decide(
    project,
    { method: "GET", path: "/a", clientIp: "192.0.2.7", ...request },
    { files },
  );
  return { status, codes: errorLog.map((line) => line.slice(0, 7)), unknown };
}

// Live 2.4.71, by the header `Authorization: Basic Ong=`.
describe("mod_authn_anon and a user without a name", () => {
  test.each([
    ["is let in where Anonymous_NoUserID says so", ["Anonymous guest", "Anonymous_NoUserID on"], 200],
    ["and anybody else is", ["Anonymous *", "Anonymous_NoUserID on"], 200],
    ["is not known where it names nobody", ["Anonymous_NoUserID on"], 401],
    ["is not known where it says off", ["Anonymous guest", "Anonymous_NoUserID off"], 401],
    ["is not known where nothing says so", ["Anonymous guest"], 401],
  ])("%s", (_, lines, status) => {
    const off = "Anonymous_MustGiveEmail off";
    const { codes, ...answer } = answerOf(
      [...asking.slice(0, 2), "AuthBasicProvider anon", "Require valid-user", off, ...lines],
      { request: { user: "" } },
    );
    expect(answer).toEqual({ status, unknown: [] });
    expect(codes).toEqual(status === 200 ? [] : ["AH01618"]);
  });
});

// Live 2.4.71.
describe("AllowMethods", () => {
  test.each([
    ["names who may not ask", ["AllowMethods POST"], 405],
    ["adds up in a section", ["AllowMethods POST", "AllowMethods GET"], 200],
    ["forgets what is ahead of a reset", ["AllowMethods GET", "AllowMethods reset", "AllowMethods POST"], 405],
    ["keeps what is behind it", ["AllowMethods POST", "AllowMethods reset", "AllowMethods GET"], 200],
    ["holds nobody back behind a reset", ["AllowMethods POST", "AllowMethods reset"], 200],
  ])("%s", (_, lines, status) => {
    expect(answerOf(lines)).toEqual({ status, codes: status === 200 ? [] : ["AH01623"], unknown: [] });
  });
});

// modules/aaa/mod_authz_owner.c, mod_authz_groupfile.c and mod_authz_dbm.c of 2.4
describe("file owners", () => {
  const group = "AuthGroupFile /etc/groups";
  const dbm = "AuthDBMGroupFile /etc/groups";
  test.each<[string, readonly string[], Partial<Request>, number, readonly string[]]>([
    ["the owner gets in", ["Require file-owner"], { user: "bob" }, 200, []],
    ["another does not", ["Require file-owner"], { user: "eve" }, 401, ["AH01637", "AH01631"]],
    ["one of its group gets in", [group, "Require file-group"], { user: "bob", groups: ["staff"] }, 200, []],
    ["one of another does not", [group, "Require file-group"], { user: "bob", groups: ["ops"] }, 401, ["AH01631"]],
    ["nor one of none", [group, "Require file-group"], { user: "bob", groups: [] }, 401, ["AH01670", "AH01631"]],
    ["without a file of groups", ["Require file-group"], { user: "bob" }, 401, ["AH01668", "AH01631"]],
    ["one of its group by dbm", [dbm, "Require dbm-file-group"], { user: "bob", dbmGroups: ["staff"] }, 200, []],
    [
      ...(["one of another by dbm", [dbm, "Require dbm-file-group"], { user: "bob", dbmGroups: ["ops"] }] as const),
      ...([401, ["AH01805", "AH01631"]] as const),
    ],
  ])("%s", (_, lines, request, status, codes) => {
    expect(answerOf([...asking, ...lines], { request })).toEqual({ status, codes, unknown: [] });
  });

  test("asks for an unknown file owner", () => {
    const files = createListedFiles(["/srv/a", "/etc/users", "/etc/groups"]);
    const asked = (lines: readonly string[], release?: Release) =>
      answerOf([...asking, ...lines], {
        request: { user: "bob", groups: ["staff"] },
        files,
        ...(release === undefined ? {} : { release }),
      }).unknown;
    expect(asked(["Require file-owner"])).toEqual(["whether `/srv/a` belongs to `bob`"]);
    expect(asked([group, "Require file-group"])).toEqual(["whether `bob` is in the group that owns `/srv/a`"]);
    expect(asked(["Require file-owner"], "2.2")).toEqual(["whether `/srv/a` belongs to `bob`"]);
  });
});
