import { describe, expect, test } from "vitest";
import { createListedFiles, type FileTree, type GroupSource } from "../../src/httpd/model/file-tree.js";
import type { Request } from "../../src/httpd/model/request.js";
import { decide } from "../../src/simulate/decide.js";
import { load } from "../support/projects.js";

interface Kind {
  readonly module: string;
  readonly directive: string;
  /** Contents of the file. */
  readonly file: string;
  readonly authoritative: string;
  readonly inOps: Partial<Request>;
}

const kinds: Readonly<Record<GroupSource, Kind>> = {
  text: {
    ...{ module: "authz_groupfile", directive: "AuthGroupFile /etc/groups", file: "/etc/groups" },
    ...{ authoritative: "AuthzGroupFileAuthoritative", inOps: { groups: ["ops"] } },
  },
  dbm: {
    ...{ module: "authz_dbm", directive: "AuthDBMGroupFile /etc/groups", file: "/etc/groups.pag" },
    ...{ authoritative: "AuthzDBMAuthoritative", inOps: { dbmGroups: ["ops"] } },
  },
};

interface Setting {
  readonly more?: Partial<Request>;
  readonly files?: readonly string[];
  readonly isBehind?: boolean;
  readonly groupsOf?: FileTree["groupsOf"];
}

function answerOf(
  { module, directive }: Kind,
  lines: readonly string[],
  setting: Setting,
): number | string | undefined {
  const authorizers = setting.isBehind ? ["authz_user", module] : [module, "authz_user"];
  const modules = ["auth_basic", "authn_file", ...authorizers, "authz_default"];
  const asking = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", directive, ...lines];
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${asking.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.2", kind: "server", modules });
  const asked = { method: "GET", path: "/a", clientIp: "192.0.2.7", user: "bob", ...setting.more };
  const listed = createListedFiles(["/srv/a", "/etc/users", ...(setting.files ?? [])]);
  const { groupsOf } = setting;
  const { status, unknown } = decide(project, asked, { files: groupsOf ? { ...listed, groupsOf } : listed });
  return status ?? unknown[0];
}

// modules/aaa/mod_authz_groupfile.c `check_user_access` and mod_authz_dbm.c `dbm_check_auth` of 2.2.34
describe.each(["text", "dbm"] as const)("a %s file of groups on 2.2", (source) => {
  const kind = kinds[source];
  const there = { more: kind.inOps, files: [kind.file] };

  test.each<[string, readonly string[], Setting, number]>([
    ["lets in who is in a group", ["Require group ops"], there, 200],
    ["turns down who is in none", ["Require group staff"], there, 401],
    ["answers 500 where it is not there", ["Require group ops"], { more: kind.inOps }, 500],
    ["does so without the last word", [`${kind.authoritative} off`, "Require group ops"], { more: kind.inOps }, 500],
    ["is not looked for where no group is asked for", ["Require valid-user"], {}, 200],
    ["is asked ahead of what is content", ["Require group ops", "Require valid-user"], {}, 500],
    ["is not asked behind it", ["Require group ops", "Require valid-user"], { isBehind: true }, 200],
  ])("%s", (_, lines, setting, answer) => {
    expect(answerOf(kind, lines, setting)).toBe(answer);
  });

  test("lists the members of a readable group, and leaves others unknown", () => {
    const ask = (groupsOf: FileTree["groupsOf"], more: Partial<Request> = {}) =>
      answerOf(kind, ["Require group staff ops"], { files: [kind.file], groupsOf, more });
    const inOps: FileTree["groupsOf"] = (path, user, of) =>
      path === "/etc/groups" && user === "bob" && of === source ? ["ops"] : [];
    expect([ask(inOps), ask(() => []), ask(undefined)]).toEqual([200, 401, 401]);
    expect(ask(() => undefined)).toBe("whether `bob` is in the group `staff`");
    expect(ask(() => undefined, kind.inOps)).toBe(200);
  });
});
