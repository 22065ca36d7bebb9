import { describe, expect, test } from "vitest";
import type { Project } from "../../../src/config/model/project.js";
import { lineOf, type Release, type ReleaseLine } from "../../../src/facts/release.js";
import { compare } from "../../../src/proof/compare/compare.js";
import { answer } from "../../../src/server/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { load } from "../../support/projects.js";

const common = ["ldap", "authnz_ldap", "auth_basic", "authn_file", "authz_user", "authz_owner", "authz_groupfile"];
const modules: Readonly<Record<ReleaseLine, readonly string[]>> = {
  "2.2": [...common, "authz_default"],
  "2.4": [...common, "authn_core", "authz_core", "authz_host", "access_compat"],
};

function inRoot(lines: readonly string[], release: Release = "2.2"): Project {
  const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users", ...lines];
  const text = `DocumentRoot "/srv"\n<Directory "/srv">\n${authLines.join("\n")}\n</Directory>\n`;
  return load({ "/etc/httpd/httpd.conf": text }, { release, kind: "server", modules: [...modules[lineOf(release)]] });
}

const url = "AuthLDAPURL ldap://127.0.0.1/dc=example";
const files = createListedFiles(["/srv/a", "/etc/users"]);
const request = { method: "GET", path: "/a", clientIp: "192.0.2.7", user: "bob" };

describe("mod_authnz_ldap on 2.2", () => {
  test.each<[string, readonly string[], readonly string[], number]>([
    ["grants what the LDAP directory grants", [url, "Require ldap-user bob"], ["ldap-user bob"], 200],
    [
      "grants any of several providers",
      [url, "Require ldap-user eve", "Require ldap-group cn=a"],
      ["ldap-group cn=a"],
      200,
    ],
    ["denies what the LDAP directory does not grant", [url, "Require ldap-user bob"], [], 401],
    [
      "denies before later providers if it is authoritative",
      [url, "Require ldap-user eve", "Require user bob"],
      [],
      401,
    ],
    [
      "leaves the decision to later providers if it is not authoritative",
      [url, "AuthzLDAPAuthoritative off", "Require ldap-user eve", "Require user bob"],
      [],
      200,
    ],
    ["denies without an AuthLDAPURL", ["Require ldap-user bob"], ["ldap-user bob"], 401],
    ["does not decide without its own provider", [url, "Require user bob"], [], 200],
    ["denies an unknown provider", [url, "Require ldap-users bob"], ["ldap-users bob"], 401],
  ])("%s", (_, lines, grants, status) => {
    expect(answer(inRoot(lines), { ...request, grants }, { files }).status).toBe(status);
  });

  test("has an unknown result if the LDAP directory is unknown", () => {
    const { status, unknown } = answer(inRoot([url, "Require ldap-user bob"]), request, { files });
    expect(status).toBeUndefined();
    expect(unknown.join()).toContain("whether `Require ldap-user bob` grants access");
  });
});

describe("releases depend on the same unknown fact", () => {
  test.each([
    ["the result of the LDAP directory", [url, "Require ldap-group cn=staff"]],
    ["the file's group", ["AuthGroupFile groups", "Require file-group"]],
    ["the file's owner", ["Require file-owner"]],
  ])("%s", (_, lines) => {
    const sides = (["2.2", "2.4"] as const).map((release) => ({
      project: inRoot(lines, release),
      semantics: "server" as const,
    }));
    const [before, after] = sides;
    if (!before || !after) throw new Error("two sides");
    const found = compare(before, after).differences.map((each) => `${each.before.class} ${each.after.class}`);
    expect(found).toEqual([]);
  });
});
