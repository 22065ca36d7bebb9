import { describe, expect, test } from "vitest";
import {
  checksClientOnly,
  isNewProvider,
  moduleOfProvider,
  ProviderRegistry,
  requiresUser,
} from "../../../src/server/access/providers.js";
import { load } from "../../support/projects.js";

const main = "/etc/httpd/httpd.conf";
const core = ["authz_core_module", "authz_host_module"];

function explainUnknown(word: string, lines: readonly string[] = [], modules: readonly string[] = core) {
  const project = load({ [main]: `${lines.join("\n")}\n` }, { kind: "server", modules });
  const providers = new ProviderRegistry(project);
  for (const directive of project.directives) providers.define(directive);
  return providers.explainUnknown(word);
}

describe("an unknown provider of Require", () => {
  test.each([
    ["", "`Require` needs a provider", "add a provider, such as `all granted`"],
    ["Valid-User", "unknown authorization provider `Valid-User`", "names are case-sensitive: use `valid-user`"],
    ["IP", "unknown authorization provider `IP`", "names are case-sensitive: use `ip`"],
    ["granted", "unknown authorization provider `granted`", "use `Require all granted`"],
    ["Denied", "unknown authorization provider `Denied`", "use `Require all denied`"],
    ["env=x", "unknown authorization provider `env=x`", "use `Require env` with the variable's name"],
    ["ip 10", "unknown authorization provider `ip 10`", "delete the quotes"],
    ["192.0.2.8", "unknown authorization provider `192.0.2.8`", "use `Require ip 192.0.2.8`"],
    ["10.1.0.0/16", "unknown authorization provider `10.1.0.0/16`", "use `Require ip 10.1.0.0/16`"],
    ["hots", "unknown authorization provider `hots`", "did you mean `host`?"],
    [
      "zzzzzzzzzz",
      "unknown authorization provider `zzzzzzzzzz`",
      "correct the name, or load the module that provides it",
    ],
    ["user", "`Require user` needs `authz_user_module`, which is not loaded", "load `authz_user_module`"],
  ])("%s", (word, problem, remedy) => {
    expect(explainUnknown(word)).toMatchObject({ problem, remedy });
  });

  test("is reported with the missing module or the right case", () => {
    expect(explainUnknown("user")?.missing).toBe("authz_user_module");
    expect(explainUnknown("USER")?.lowerCase).toBe("user");
    expect(explainUnknown("ldap-group")?.missing).toBe("authnz_ldap_module");
  });
});

describe("a known or possibly known provider of Require", () => {
  test.each([
    ["of a loaded module", "ip", [], core],
    ["if the loaded modules are unknown", "user", [], []],
    ["that an alias defines", "here", ["<AuthzProviderAlias ip here 10>", "</AuthzProviderAlias>"], core],
    ["of a third-party module", "bogus", [], [...core, "bogus_module"]],
    ["that a script defines", "bogus", ["LuaAuthzProvider bogus a.lua b"], core],
    ["that a script defines in an indented line", "bogus", ["\tluaauthzprovider\tbogus a.lua b"], core],
  ])("%s", (_, word, lines, modules) => {
    const project = load(
      { [main]: `${lines.join("\n")}\n` },
      { kind: "server", ...(modules.length > 0 ? { modules } : {}) },
    );
    const providers = new ProviderRegistry(project);
    for (const directive of project.directives) providers.define(directive);
    expect(providers.explainUnknown(word)).toBeUndefined();
  });

  test("that a script in an included file may define", () => {
    const files = {
      [main]: "Include /etc/httpd/a.conf\nServerName x\n",
      "/etc/httpd/a.conf": "LuaAuthzProvider x a.lua b\n",
    };
    const project = load(files, { kind: "server", modules: core });
    expect(new ProviderRegistry(project).explainUnknown("bogus")).toBeUndefined();
  });

  test("twin: is not defined by a comment", () => {
    expect(explainUnknown("bogus", ["# LuaAuthzProvider bogus a.lua b"])).toBeDefined();
  });

  test("twin: is not defined by another section or a section without a name", () => {
    expect(explainUnknown("here", ["<AuthnProviderAlias file here>", "</AuthnProviderAlias>"])).toBeDefined();
    expect(explainUnknown("", ["<AuthzProviderAlias ip>", "</AuthzProviderAlias>"])).toBeDefined();
  });
});

test.each([
  ["valid-user", true, false, false],
  ["group", true, false, false],
  ["file-owner", true, false, false],
  ["ldap-filter", true, false, false],
  ["dbm-group", true, false, true],
  ["dbd-login", true, false, true],
  ["unix-group", true, false, false],
  ["ip", false, true, true],
  ["local", false, true, true],
  ["env", false, true, true],
  ["ssl", false, true, true],
  ["ssl-verify-client", false, true, true],
  ["all", false, false, true],
  ["method", false, false, true],
  ["expr", false, false, true],
  ["bogus", false, false, false],
])("%s requires a user: %s, checks only the client: %s, is new in 2.4: %s", (word, user, client, isNew) => {
  expect([requiresUser(word), checksClientOnly(word), isNewProvider(word)]).toEqual([user, client, isNew]);
});

test("returns the module of a provider", () => {
  expect(["all", "ip", "user", "file-owner", "ssl", "bogus"].map(moduleOfProvider)).toEqual([
    ...["authz_core_module", "authz_host_module", "authz_user_module", "authz_owner_module", "ssl_module", undefined],
  ]);
});
