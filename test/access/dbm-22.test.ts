import { expect, test } from "vitest";
import { listedFiles } from "../../src/scope/files.js";
import { decide } from "../../src/simulate/decide.js";
import { load } from "../support/projects.js";

const modules = ["auth_basic", "authn_file", "authz_dbm", "authz_user", "authz_default"];
const asked = { method: "GET", path: "/a", clientIp: "192.0.2.7", user: "bob", dbmGroups: ["ops"] };

function statusOf(lines: readonly string[], files: readonly string[], order = modules): number | undefined {
  const asking = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", "AuthDBMGroupFile /etc/groups", ...lines];
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${asking.join("\n")}\n</Directory>\n`;
  const project = load({ "/etc/httpd/httpd.conf": text }, { release: "2.2", kind: "server", modules: order });
  return decide(project, asked, { files: listedFiles(["/srv/a", "/etc/users", ...files]) }).status;
}

// modules/aaa/mod_authz_dbm.c `dbm_check_auth` of 2.2.34
test.each<[string, readonly string[], readonly string[], number]>([
  ["lets in who is in a group", ["Require group ops"], ["/etc/groups.pag"], 200],
  ["turns down who is in none", ["Require group staff"], ["/etc/groups.pag"], 401],
  ["fails without its file", ["Require group ops"], [], 500],
  [
    "fails without its file though it has not the last word",
    ["AuthzDBMAuthoritative off", "Require group ops"],
    [],
    500,
  ],
  ["does not look for its file where no group is asked for", ["Require valid-user"], [], 200],
])("mod_authz_dbm of 2.2 %s", (_, lines, files, status) => {
  expect(statusOf(lines, files)).toBe(status);
});

test("mod_authz_dbm of 2.2 is not asked where another module is content before it", () => {
  const lines = ["Require group ops", "Require valid-user"];
  expect(statusOf(lines, [])).toBe(500);
  expect(statusOf(lines, [], ["auth_basic", "authn_file", "authz_user", "authz_dbm", "authz_default"])).toBe(200);
});
