import { describe, expect, test } from "vitest";
import type { Release } from "../../../src/facts/release.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { load } from "../../support/projects.js";

const modules = [
  ...["authn_core", "authz_core", "authn_file", "authn_anon", "auth_basic", "authz_user", "authz_owner"],
  ...["authz_groupfile", "authz_dbm", "authz_host", "allowmethods", "access_compat"],
];
const owned = createListedFiles(["/srv/a", "/etc/users", "/etc/groups"], { user: "bob", group: "staff" });
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];

interface RequestOptions {
  readonly request?: Partial<Request>;
  readonly files?: FileTree;
  readonly release?: Release;
}

function answerOf(lines: readonly string[], { request, files = owned, release = "2.4" }: RequestOptions = {}) {
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${lines.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules });
  const { status, errorLog, unknown } = answer(
    project,
    { method: "GET", path: "/a", clientIp: "192.0.2.7", ...request },
    { files },
  );
  return { status, codes: errorLog.map((line) => line.slice(0, 7)), unknown };
}

// Live 2.4.71, by the header `Authorization: Basic Ong=`.
describe("mod_authn_anon with an empty user name", () => {
  test.each([
    ["allows it with Anonymous_NoUserID on", ["Anonymous guest", "Anonymous_NoUserID on"], 200],
    ["allows it with Anonymous_NoUserID on and any name", ["Anonymous *", "Anonymous_NoUserID on"], 200],
    ["denies it without accepted names", ["Anonymous_NoUserID on"], 401],
    ["denies it with Anonymous_NoUserID off", ["Anonymous guest", "Anonymous_NoUserID off"], 401],
    ["denies it without Anonymous_NoUserID", ["Anonymous guest"], 401],
  ])("%s", (_, lines, status) => {
    const off = "Anonymous_MustGiveEmail off";
    const { codes, ...answer } = answerOf(
      [...authLines.slice(0, 2), "AuthBasicProvider anon", "Require valid-user", off, ...lines],
      { request: { user: "" } },
    );
    expect(answer).toEqual({ status, unknown: [] });
    expect(codes).toEqual(status === 200 ? [] : ["AH01618"]);
  });
});

// Live 2.4.71.
describe("AllowMethods", () => {
  test.each([
    ["rejects other methods", ["AllowMethods POST"], 405],
    ["adds up the methods of a section", ["AllowMethods POST", "AllowMethods GET"], 200],
    ["discards methods before a reset", ["AllowMethods GET", "AllowMethods reset", "AllowMethods POST"], 405],
    ["keeps methods after a reset", ["AllowMethods POST", "AllowMethods reset", "AllowMethods GET"], 200],
    ["allows all methods after a reset", ["AllowMethods POST", "AllowMethods reset"], 200],
  ])("%s", (_, lines, status) => {
    expect(answerOf(lines)).toEqual({ status, codes: status === 200 ? [] : ["AH01623"], unknown: [] });
  });
});

// modules/aaa/mod_authz_owner.c, mod_authz_groupfile.c and mod_authz_dbm.c of 2.4
describe("file owners and groups", () => {
  const group = "AuthGroupFile /etc/groups";
  const dbm = "AuthDBMGroupFile /etc/groups";
  test.each<[string, readonly string[], Partial<Request>, number, readonly string[]]>([
    ["allow the owner", ["Require file-owner"], { user: "bob" }, 200, []],
    ["deny another user", ["Require file-owner"], { user: "eve" }, 401, ["AH01637", "AH01631"]],
    ["allow a member of the file's group", [group, "Require file-group"], { user: "bob", groups: ["staff"] }, 200, []],
    [
      "deny a member of another group",
      [group, "Require file-group"],
      { user: "bob", groups: ["ops"] },
      401,
      ["AH01631"],
    ],
    [
      "deny a user without groups",
      [group, "Require file-group"],
      { user: "bob", groups: [] },
      401,
      ["AH01670", "AH01631"],
    ],
    ["deny all without a group file", ["Require file-group"], { user: "bob" }, 401, ["AH01668", "AH01631"]],
    [
      "allow a member of the file's group in dbm",
      [dbm, "Require dbm-file-group"],
      { user: "bob", dbmGroups: ["staff"] },
      200,
      [],
    ],
    [
      ...([
        "deny a member of another group in dbm",
        [dbm, "Require dbm-file-group"],
        { user: "bob", dbmGroups: ["ops"] },
      ] as const),
      ...([401, ["AH01805", "AH01631"]] as const),
    ],
  ])("%s", (_, lines, request, status, codes) => {
    expect(answerOf([...authLines, ...lines], { request })).toEqual({ status, codes, unknown: [] });
  });

  test("are unknown facts if the file system does not show them", () => {
    const files = createListedFiles(["/srv/a", "/etc/users", "/etc/groups"]);
    const unknownFor = (lines: readonly string[], release?: Release) =>
      answerOf([...authLines, ...lines], {
        request: { user: "bob", groups: ["staff"] },
        files,
        ...(release === undefined ? {} : { release }),
      }).unknown;
    expect(unknownFor(["Require file-owner"])).toEqual(["whether `/srv/a` belongs to `bob`"]);
    expect(unknownFor([group, "Require file-group"])).toEqual(["whether `bob` is in the group that owns `/srv/a`"]);
    expect(unknownFor(["Require file-owner"], "2.2")).toEqual(["whether `/srv/a` belongs to `bob`"]);
  });
});
