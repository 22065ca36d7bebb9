import { describe, expect, test } from "vitest";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { load } from "../../support/projects.js";

const modules = [
  ...["authn_core", "authz_core", "authn_file", "auth_basic", "authz_user", "authz_owner", "authz_groupfile"],
  ...["authz_dbm", "alias"],
];
const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
const files: FileTree = {
  ...createListedFiles(["/srv/a", "/etc/users", "/etc/groups", "/etc/dbm.pag", "/etc/other.db"], {
    user: "root",
    group: "root",
  }),
  groupsOf: (path, user) => (path === "/etc/groups" && user === "bob" ? ["staff"] : []),
};

function answerOf(
  text: string,
  request: Partial<Request> = {},
  outerLines: readonly string[] = [],
  tree: FileTree = files,
): string {
  const outer = [...authLines, ...outerLines];
  const lines = ["<Location />", ...outer, "</Location>", "<Location /a>", ...text.split("; "), "</Location>"];
  const config = `DocumentRoot "/srv"\nAlias /a/none /srv/none\n${lines.join("\n")}\n`;
  const project = load({ "/etc/httpd/httpd.conf": config }, { kind: "server", modules });
  const fullRequest = { method: "GET", path: "/a", clientIp: "192.0.2.7", user: "bob", ...request };
  const { status, errorLog, logsMayDiffer, unknown } = answer(project, fullRequest, { files: tree });
  return [status, ...errorLog, ...(logsMayDiffer ? ["perhaps others"] : []), ...unknown].join(" | ");
}

const refused = 'AH01631: user bob: authorization failure for "/a": ';
const failed = "Authorization of user bob to access /a failed, reason:";

// All statuses and log messages are those of 2.4.
describe("a user in a text group file", () => {
  const groups = "AuthGroupFile /etc/groups";
  test.each([
    [`${groups}; Require group staff`, "200"],
    [`${groups}; Require group ops staff`, "200"],
    [`${groups}; Require group ops`, `401 | ${refused}`],
    [`${groups}; Require group ops "" staff`, `401 | ${refused}`],
    ["Require group staff", `401 | AH01664: No group file was specified in the configuration | ${refused}`],
    [
      "AuthGroupFile /etc/none; Require group staff",
      `401 | AH01665: Could not open group file: /etc/none | ${refused}`,
    ],
    [`${groups}; <RequireAll>; Require valid-user; Require group ops; </RequireAll>`, `401 | ${refused}`],
    [`${groups}; <RequireAll>; Require valid-user; Require not group staff; </RequireAll>`, `401 | ${refused}`],
    [`${groups}; <RequireAll>; Require valid-user; Require not group ops; </RequireAll>`, "200"],
  ])("%s", (lines, answer) => {
    expect(answerOf(lines)).toBe(answer);
  });

  test("has the groups of the request instead if these are given", () => {
    expect(answerOf(`${groups}; Require group ops`, { groups: ["ops"] })).toBe("200");
    expect(answerOf(`${groups}; Require group staff`, { groups: [] })).toBe(`401 | ${refused}`);
  });
});

test.each([
  ["AuthGroupFile /etc/groups; Require group staff", "whether `bob` is in the group `staff`"],
  ["AuthGroupFile /etc/groups; Require group ops staff", "whether `bob` is in the group `staff`"],
  ["AuthDBMGroupFile /etc/dbm; Require dbm-group staff", "whether `bob` is in the group `staff`"],
])("the result is unknown if the group file was not read: %s", (lines, question) => {
  const unread = { ...files, groupsOf: () => undefined };
  expect(answerOf(lines, {}, [], unread)).toContain(question);
  const request = { groups: ["staff"], dbmGroups: ["staff"] };
  expect(answerOf(lines, request, [], unread)).toBe("200");
});

describe("a user in a dbm group file", () => {
  const dbm = "AuthDBMGroupFile /etc/dbm";
  const notIn = `AH01801: ${failed} user is not part of the 'require'ed group(s).`;
  const unopened = "AH01799: could not open dbm (type default) group access file: /etc/none";
  test.each<[string, readonly string[] | undefined, string]>([
    [`${dbm}; Require dbm-group staff`, ["staff"], "200"],
    [`${dbm}; Require dbm-group ops staff`, ["staff"], "200"],
    [`${dbm}; Require dbm-group ops`, ["staff"], `401 | ${notIn} | ${refused}`],
    [
      ...([`${dbm}; Require dbm-group ops`, []] as const),
      `401 | AH01800: ${failed} user doesn't appear in DBM group file (/etc/dbm). | ${refused}`,
    ],
    ["AuthDBMGroupFile /etc/other; Require dbm-group staff", ["staff"], "200"],
    [
      ...(["Require dbm-group staff", ["staff"]] as const),
      `401 | AH01798: No group file was specified in the configuration | ${refused}`,
    ],
    ["AuthDBMGroupFile /etc/none; Require dbm-group staff", ["staff"], `500 | ${unopened}`],
    [
      ...(["AuthDBMGroupFile /etc/none; AuthzDBMType SDBM; Require dbm-group staff", ["staff"]] as const),
      "500 | AH01799: could not open dbm (type SDBM) group access file: /etc/none",
    ],
    ["AuthDBMGroupFile /etc/none; Require dbm-group staff; Require user bob", ["staff"], `500 | ${unopened}`],
    ["AuthDBMGroupFile /etc/none; Require user bob; Require dbm-group staff", ["staff"], "200"],
    [
      "AuthDBMGroupFile /etc/none; <RequireAll>; Require valid-user; Require not dbm-group staff; </RequireAll>",
      ...([["staff"], `500 | ${unopened}`] as const),
    ],
    [
      ...(["AuthzDBMType SDBM; Require dbm-group staff", ["staff"]] as const),
      `401 | AH01798: No group file was specified in the configuration | ${refused}`,
    ],
  ])("%s %j", (lines, dbmGroups, answer) => {
    expect(answerOf(lines, dbmGroups === undefined ? {} : { dbmGroups })).toBe(answer);
  });

  // modules/aaa/mod_authz_dbm.c does not merge: the directives of one section replace all.
  test("an inner section with any of the directives replaces all of them", () => {
    const request = { dbmGroups: ["staff"] };
    const outer = ["AuthDBMGroupFile /etc/dbm", "AuthzDBMType SDBM"];
    expect(answerOf("Require dbm-group staff", request, outer)).toBe("200");
    expect(answerOf("AuthzDBMType SDBM; Require dbm-group staff", request, outer)).toContain("AH01798");
    expect(answerOf("AuthDBMGroupFile /etc/none; Require dbm-group staff", request, outer)).toBe(`500 | ${unopened}`);
    expect(answerOf("Require dbm-group staff", request, ["AuthDBMGroupFile /etc/none", "AuthzDBMType SDBM"])).toBe(
      "500 | AH01799: could not open dbm (type SDBM) group access file: /etc/none",
    );
  });
});

describe("the group and the owner of a file", () => {
  const groups = "AuthGroupFile /etc/groups";
  const dbm = "AuthDBMGroupFile /etc/dbm";
  test.each<[string, Partial<Request>, string]>([
    ["Require file-owner", { user: "root" }, "200"],
    ["Require file-owner", {}, `401 | AH01637: ${failed} file owner root does not match. | ${refused}`],
    [
      ...(["<RequireAll>; Require valid-user; Require file-owner; </RequireAll>", {}] as const),
      `401 | AH01637: ${failed} file owner root does not match. | ${refused}`,
    ],
    [
      ...(["<RequireAll>; Require valid-user; Require not file-owner; </RequireAll>", {}] as const),
      `200 | AH01637: ${failed} file owner root does not match.`,
    ],
    [`${groups}; Require file-group`, { groups: ["root"] }, "200"],
    [`${groups}; Require file-group`, {}, `401 | ${refused}`],
    [`${groups}; <RequireAll>; Require valid-user; Require file-group; </RequireAll>`, {}, `401 | ${refused}`],
    [
      ...(["AuthGroupFile /etc/none; Require file-group", {}] as const),
      `401 | AH01669: Could not open group file: /etc/none | ${refused}`,
    ],
    [
      ...([
        "AuthGroupFile /etc/none; <RequireAll>; Require valid-user; Require file-group; </RequireAll>",
        {},
      ] as const),
      `401 | AH01669: Could not open group file: /etc/none | ${refused}`,
    ],
    [
      ...([`${groups}; Require file-group`, { groups: [] }] as const),
      `401 | AH01670: ${failed} user doesn't appear in group file (/etc/groups). | ${refused}`,
    ],
    [`${dbm}; Require dbm-file-group`, { dbmGroups: ["root"] }, "200"],
    [
      ...([`${dbm}; Require dbm-file-group`, { dbmGroups: ["staff"] }] as const),
      `401 | AH01805: ${failed} user is not part of the 'require'ed group(s). | ${refused}`,
    ],
    [
      ...([`${dbm}; Require dbm-file-group`, { dbmGroups: [] }] as const),
      `401 | AH01804: ${failed} user doesn't appear in DBM group file (/etc/dbm). | ${refused}`,
    ],
    [
      ...(["Require dbm-file-group", { dbmGroups: ["root"] }] as const),
      `401 | AH01802: No group file was specified in the configuration | ${refused}`,
    ],
    [
      ...(["AuthDBMGroupFile /etc/none; Require dbm-file-group; Require user bob", {}] as const),
      "200 | AH01799: could not open dbm (type default) group access file: /etc/none",
    ],
  ])("%s %j", (lines, request, answer) => {
    expect(answerOf(lines, request)).toBe(answer);
  });

  const noFile = 'AH01631: user bob: authorization failure for "/a/none": ';
  const noStat = "Authorization of user bob to access /a/none failed, reason: could not stat file /srv/none";
  test.each<[string, Partial<Request>, string]>([
    ["Require file-owner", {}, `401 | AH01634: ${noStat} | ${noFile}`],
    [`${groups}; Require file-group`, {}, `401 | AH01639: ${noStat} | ${noFile}`],
    [
      ...([`${groups}; <RequireAll>; Require valid-user; Require file-group; </RequireAll>`, {}] as const),
      `401 | AH01639: ${noStat} | ${noFile}`,
    ],
    ["<RequireAll>; Require valid-user; Require not file-owner; </RequireAll>", {}, `404 | AH01634: ${noStat}`],
  ])("do not match if the file is missing: %s", (lines, request, answer) => {
    expect(answerOf(lines, { path: "/a/none", ...request })).toBe(answer);
  });

  test("do not match if the file is missing and the group file was not read", () => {
    const unread = { ...files, groupsOf: () => undefined };
    expect(answerOf(`${dbm}; Require dbm-file-group`, { path: "/a/none" }, [], unread)).toBe(
      `401 | AH01639: ${noStat} | AH01805: ${noStat.replace(/could not.*/, "user is not part of the 'require'ed group(s).")} | ${noFile}`,
    );
  });

  test.each(["file-owner", "file-group", "dbm-file-group", "group staff", "dbm-group staff"])(
    "%s denies a request without a user, and logs nothing",
    (word) => {
      const lines = `${groups}; ${dbm}; Require ${word}`;
      const project = load(
        {
          "/etc/httpd/httpd.conf": `DocumentRoot "/srv"\n<Location /a>\n${[...authLines, ...lines.split("; ")].join("\n")}\n</Location>\n`,
        },
        { kind: "server", modules },
      );
      const { status, errorLog } = answer(project, { method: "GET", path: "/a", clientIp: "192.0.2.7" }, { files });
      expect({ status, errorLog }).toEqual({ status: 401, errorLog: [] });
    },
  );
});
