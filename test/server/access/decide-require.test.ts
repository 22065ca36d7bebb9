import { describe, expect, test } from "vitest";
import { type AuthzResult, appliesToMethod, decideByRequireWith } from "../../../src/server/access/decide-require.js";
import { requireRulesOf } from "../../../src/server/access/require-rules.js";
import { answer } from "../../../src/server/answer.js";
import { layerOf } from "../../../src/server/model/config-layer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { load } from "../../support/projects.js";
import { scopeOf, textOf } from "../../support/scopes.js";

const getRequest: Request = { method: "GET", path: "/", clientIp: "192.0.2.7" };

const results: Readonly<Record<string, AuthzResult>> = {
  yes: "granted",
  no: "denied",
  who: "no-user",
  none: "neutral",
  broken: "error",
};

/**
 * Returns the result of rules whose lines are `yes`, `no`, `who`, `none` or `broken`, followed by a number, with the
 * deciding lines.
 */
function decisionOf(text: string, method = "GET"): string {
  const lines = text.split("; ").map((line) => (line.startsWith("<") ? line : `Require ${line}`));
  const { scope } = scopeOf(lines);
  const set = { kind: "section", rules: requireRulesOf(scope), layer: layerOf(scope.content, scope.section) } as const;
  const check = ({ provider }: { readonly provider: string }) => results[provider.replace(/\d$/, "")] ?? "error";
  const { result, by } = decideByRequireWith(set, { ...getRequest, method }, check);
  return [result, ...by.map((each) => textOf(each).replace("Require ", ""))].join(" ");
}

const all = (rules: string) => `<RequireAll>; ${rules}; </RequireAll>`;
const none = (rules: string) => `<RequireNone>; ${rules}; </RequireNone>`;
const limit = (rules: string) => `<Limit POST>; ${rules}; </Limit>`;

// modules/aaa/mod_authz_core.c `apply_authz_sections`
describe("decisions of rules, with the deciding lines", () => {
  test.each([
    ["yes1", "granted yes1"],
    ["no1; yes2; yes3", "granted yes2"],
    ["no1; no2", "denied no1 no2"],
    ["no1; who2", "no-user who2"],
    ["who1; no2", "no-user who1"],
    ["who1; who2; no3", "no-user who1 who2"],
    ["no1; who2; who3", "no-user who2 who3"],
    ["no1; broken2; yes3", "error broken2"],
    ["yes1; broken2", "granted yes1"],
    ["none1; none2", "neutral"],
    ["none1; no2; none3", "denied no2"],
    ["none1; who2", "no-user who2"],
  ])("any of %s: %s", (rules, expected) => {
    expect(decisionOf(rules)).toBe(expected);
  });

  test.each([
    ["yes1; yes2", "granted yes1 yes2"],
    ["yes1; no2; no3", "denied no2"],
    ["no1; who2", "denied no1"],
    ["who1; no2", "denied no2"],
    ["yes1; who2", "no-user who2"],
    ["who1; yes2", "no-user who1"],
    ["who1; who2; yes3", "no-user who1 who2"],
    ["yes1; who2; who3", "no-user who2 who3"],
    ["yes1; broken2; no3", "error broken2"],
    ["no1; broken2", "denied no1"],
    ["none1; none2", "neutral"],
    ["none1; yes2; none3", "granted yes2"],
    ["yes1; not no2", "granted yes1"],
    ["yes1; not yes2", "denied not yes2"],
    ["yes1; not who2", "granted yes1"],
    ["yes1; not broken2", "error not broken2"],
  ])("all of %s: %s", (rules, expected) => {
    expect(decisionOf(all(rules))).toBe(expected);
  });

  test.each([
    [all(`yes1; ${none("no2; yes3")}`), "denied yes3"],
    [all(`yes1; ${none("no2; no3")}`), "granted yes1"],
    [all(`yes1; ${none("who2")}`), "granted yes1"],
    [all(`yes1; ${none("broken2")}`), "error broken2"],
    [all(`yes1; ${none(all("yes2; no3"))}`), "granted yes1"],
    [all(`yes1; ${none(all("yes2; yes3"))}`), "denied yes2 yes3"],
    [`no1; ${all("yes2; no3")}; ${all("yes4; yes5")}`, "granted yes4 yes5"],
    [all(all("no1; yes2")), "denied no1"],
    [all(`yes1; ${all("not no2")}`), "granted yes1"],
    ["<RequireAny>; no1; <RequireAny>; yes2; </RequireAny>; </RequireAny>", "granted yes2"],
  ])("%s: %s", (rules, expected) => {
    expect(decisionOf(rules)).toBe(expected);
  });

  test.each<[string, string, string]>([
    [limit("no1"), "GET", "granted"],
    [limit("no1"), "POST", "denied no1"],
    [`${limit("yes1")}; no2`, "GET", "denied no2"],
    [`${limit("yes1")}; no2`, "POST", "granted yes1"],
    [all(`yes1; ${limit("no2")}`), "GET", "granted yes1"],
    [all(`yes1; ${limit("no2")}`), "POST", "denied no2"],
    [all(`yes1; ${none(limit("yes2"))}`), "GET", "granted yes1"],
    [`no1; ${all(limit("yes2"))}`, "GET", "denied no1"],
  ])("%s by %s: %s", (rules, method, expected) => {
    expect(decisionOf(rules, method)).toBe(expected);
  });
});

test("a section applies to the methods of any of its rules", () => {
  const applies = (text: string, method: string) => {
    const { scope } = scopeOf(text.split("; "));
    const set = {
      kind: "section",
      rules: requireRulesOf(scope),
      layer: layerOf(scope.content, scope.section),
    } as const;
    return appliesToMethod(set, { ...getRequest, method });
  };
  expect(applies("Require all granted", "POST")).toBe(true);
  expect(applies("<Limit GET>; Require all granted; </Limit>", "POST")).toBe(false);
  expect(applies("<Limit GET>; Require all granted; </Limit>", "HEAD")).toBe(true);
  expect(applies(all("<Limit GET>; Require ip 10; </Limit>; <Limit POST>; Require ip 11; </Limit>"), "POST")).toBe(
    true,
  );
});

describe("an AuthzProviderAlias", () => {
  const modules = ["authn_core", "authz_core", "authz_host", "authn_file", "auth_basic", "authz_user", "authz_dbm"];
  const files = createListedFiles(["/srv/a", "/etc/users", "/etc/groups"]);
  const statusOf = (alias: string, lines: string, request: Partial<Request> = {}) => {
    const authLines = ["AuthType Basic", "AuthName x", "AuthUserFile /etc/users"];
    const section = ["<Location />", ...authLines, ...lines.split("; "), "</Location>"];
    const text = [...alias.split("; "), "</AuthzProviderAlias>", 'DocumentRoot "/srv"', ...section].join("\n");
    const project = load({ "/etc/httpd/httpd.conf": `${text}\n` }, { kind: "server", modules });
    return answer(project, { ...getRequest, path: "/a", ...request }, { files }).status;
  };

  test("has its own lines, which override all others", () => {
    const alias = "<AuthzProviderAlias dbm-group ops-people ops>; AuthDBMGroupFile /etc/groups";
    const bob = { user: "bob", dbmGroups: ["ops"] };
    expect(statusOf(alias, "Require ops-people", bob)).toBe(200);
    expect(statusOf(alias, "AuthDBMGroupFile /etc/none; Require ops-people", bob)).toBe(200);
    expect(statusOf(alias, "Require dbm-group ops", bob)).toBe(401);
    expect(statusOf(alias, "Require ops-people")).toBe(401);
    const empty = "<AuthzProviderAlias dbm-group ops-people ops>";
    expect(statusOf(empty, "AuthDBMGroupFile /etc/groups; Require ops-people", bob)).toBe(200);
    expect(statusOf(empty, "Require ops-people", bob)).toBe(401);
  });

  test("is checked under the name of its provider if that is unknown", () => {
    const statusFor = (grants: readonly string[]) =>
      statusOf('<AuthzProviderAlias ldap-user people "bob eve">', "Require people", { user: "bob", grants });
    expect(statusFor(["ldap-user bob eve"])).toBe(200);
    expect(statusFor(["people"])).toBe(401);
  });

  // 2.4.71 looks for the provider when it reads the Require line.
  test.each([
    ["Require valid-user", "<AuthzProviderAlias user valid-user alice>", { user: "bob" }, 200, 401],
    ["Require local", "<AuthzProviderAlias env local nope>", { clientIp: "127.0.0.1" }, 200, 403],
    ["Require all granted", "<AuthzProviderAlias ip all 127.9>", {}, 200, 403],
  ] as const)("takes the name of a provider in later lines only: %s, %s", (line, alias, request, before, after) => {
    const section = ["<Location />", "AuthType Basic", "AuthName x", "AuthUserFile /etc/users", line, "</Location>"];
    const ofAlias = [alias, "</AuthzProviderAlias>"];
    const statusFor = (lines: readonly string[]) => {
      const text = ['DocumentRoot "/srv"', ...lines, ""].join("\n");
      const project = load({ "/etc/httpd/httpd.conf": text }, { kind: "server", modules: [...modules, "authz_env"] });
      return answer(project, { ...getRequest, path: "/a", ...request }, { files }).status;
    };
    expect(statusFor([...section, ...ofAlias])).toBe(before);
    expect(statusFor([...ofAlias, ...section])).toBe(after);
  });

  test("does not define a provider if its name is missing", () => {
    expect(statusOf("<AuthzProviderAlias ip>", "Require ip 192.0.2.7")).toBe(200);
    expect(statusOf("<AuthzProviderAlias>", "Require ip 10")).toBe(403);
  });
});
