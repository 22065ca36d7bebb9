import { describe, expect, test } from "vitest";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles, type FileTree, type GroupSource } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { load } from "../../support/projects.js";

interface GroupFile {
  readonly module: string;
  readonly directive: string;
  /** Contents of the file. */
  readonly file: string;
  readonly authoritative: string;
  readonly inOps: Partial<Request>;
}

const groupFiles: Readonly<Record<GroupSource, GroupFile>> = {
  text: {
    ...{ module: "authz_groupfile", directive: "AuthGroupFile /etc/groups", file: "/etc/groups" },
    ...{ authoritative: "AuthzGroupFileAuthoritative", inOps: { groups: ["ops"] } },
  },
  dbm: {
    ...{ module: "authz_dbm", directive: "AuthDBMGroupFile /etc/groups", file: "/etc/groups.pag" },
    ...{ authoritative: "AuthzDBMAuthoritative", inOps: { dbmGroups: ["ops"] } },
  },
};

interface TestOptions {
  readonly more?: Partial<Request>;
  readonly files?: readonly string[];
  /** Whether mod_authz_user runs first. */
  readonly isLast?: boolean;
  readonly groupsOf?: FileTree["groupsOf"];
}

function answerOf(
  { module, directive }: GroupFile,
  lines: readonly string[],
  options: TestOptions,
): number | string | undefined {
  const authorizers = options.isLast ? ["authz_user", module] : [module, "authz_user"];
  const modules = ["auth_basic", "authn_file", ...authorizers, "authz_default"];
  const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", directive, ...lines];
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${authLines.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.2", kind: "server", modules });
  const request = { method: "GET", path: "/a", clientIp: "192.0.2.7", user: "bob", ...options.more };
  const listed = createListedFiles(["/srv/a", "/etc/users", ...(options.files ?? [])]);
  const { groupsOf } = options;
  const { status, unknown } = answer(project, request, { files: groupsOf ? { ...listed, groupsOf } : listed });
  return status ?? unknown[0];
}

// modules/aaa/mod_authz_groupfile.c `check_user_access` and mod_authz_dbm.c `dbm_check_auth` of 2.2.34
describe.each(["text", "dbm"] as const)("a %s group file on 2.2", (source) => {
  const groupFile = groupFiles[source];
  const inGroup = { more: groupFile.inOps, files: [groupFile.file] };

  test.each<[string, readonly string[], TestOptions, number]>([
    ["allows a member of the group", ["Require group ops"], inGroup, 200],
    ["denies a user who is not in the group", ["Require group staff"], inGroup, 401],
    ["returns 500 if it is missing", ["Require group ops"], { more: groupFile.inOps }, 500],
    [
      "returns 500 if it is missing and not authoritative",
      [`${groupFile.authoritative} off`, "Require group ops"],
      { more: groupFile.inOps },
      500,
    ],
    ["is not read if no group is required", ["Require valid-user"], {}, 200],
    ["is read before a later provider grants access", ["Require group ops", "Require valid-user"], {}, 500],
    [
      "is not read after an earlier provider granted access",
      ["Require group ops", "Require valid-user"],
      { isLast: true },
      200,
    ],
  ])("%s", (_, lines, options, answer) => {
    expect(answerOf(groupFile, lines, options)).toBe(answer);
  });

  test("decides by its members if it is readable, and is unknown if not", () => {
    const answerWith = (groupsOf: FileTree["groupsOf"], more: Partial<Request> = {}) =>
      answerOf(groupFile, ["Require group staff ops"], { files: [groupFile.file], groupsOf, more });
    const inOps: FileTree["groupsOf"] = (path, user, of) =>
      path === "/etc/groups" && user === "bob" && of === source ? ["ops"] : [];
    expect([answerWith(inOps), answerWith(() => []), answerWith(undefined)]).toEqual([200, 401, 401]);
    expect(answerWith(() => undefined)).toBe("whether `bob` is in the group `staff`");
    expect(answerWith(() => undefined, groupFile.inOps)).toBe(200);
  });
});
