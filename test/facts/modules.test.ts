import { describe, expect, test } from "vitest";
import moduleTable from "../../src/facts/data/modules.json" with { type: "json" };
import {
  findModuleByManualName,
  findModuleByName,
  findRemovedModule,
  listCompiledInModules,
  listDefaultModules,
  successorsOf,
} from "../../src/facts/modules.js";

const names = (modules: readonly { readonly name: string }[]) => modules.map((module) => module.name);

describe("modules", () => {
  test.each([
    ["2.4", "alias_module", "mod_alias"],
    ["2.4", "mod_alias.c", "mod_alias"],
    ["2.4", "ldap_module", "mod_ldap"],
    ["2.4", "util_ldap.c", "mod_ldap"],
    ["2.4", "core.c", "core"],
    ["2.4", "http_module", "http_core"],
    ["2.4", "http_core.c", "http_core"],
    ["2.4", "mod_so.c", "mod_so"],
    ["2.4", "event.c", "event"],
    ["2.4", "mpm_event_module", "event"],
    ["2.2", "prefork.c", "prefork"],
    ["2.2", "mpm_prefork_module", "prefork"],
    ["2.2", "worker.c", "worker"],
    ["2.2", "mod_disk_cache.c", "mod_disk_cache"],
    ["2.4", "mod_authz_core.c", "mod_authz_core"],
  ] as const)("of %s are found by name: %s is %s", (release, moduleName, name) => {
    const module = findModuleByName(release, moduleName);
    expect(module?.name).toBe(name);
    expect(module).toBe(findModuleByManualName(release, name));
  });

  test.each([
    ["2.4", "mod_ldap.c"],
    ["2.4", "mod_alias"],
    ["2.4", "MOD_ALIAS.C"],
    ["2.4", "Alias_Module"],
    ["2.4", "mod_disk_cache.c"],
    ["2.2", "mod_authz_core.c"],
    ["2.2", "mod_unixd.c"],
    ["2.4", "mod_php.c"],
  ] as const)("of %s do not include %s", (release, moduleName) => {
    expect(findModuleByName(release, moduleName)).toBeUndefined();
  });

  test.each(["2.2", "2.4"] as const)("of %s have unique names", (release) => {
    const { modules, default: defaults, compiledIn } = moduleTable[release];
    expect(new Set(modules.flat()).size).toBe(modules.length * 3 - modules.filter((row) => row[1] === row[2]).length);
    expect(names(listDefaultModules(release)).sort()).toEqual([...defaults].sort());
    expect(names(listCompiledInModules(release)).sort()).toEqual([...compiledIn].sort());
    expect(names(listDefaultModules(release))).toEqual(expect.arrayContaining(compiledIn));
  });

  test("have default and compiled-in lists", () => {
    expect(names(listCompiledInModules("2.4"))).toContain("mod_unixd");
    expect(names(listCompiledInModules("2.2"))).not.toContain("mod_unixd");
  });

  test("have an MPM in each server of 2.2, which cannot load one", () => {
    expect(names(listCompiledInModules("2.2"))).toContain("prefork");
    expect(names(listCompiledInModules("2.4"))).not.toContain("prefork");
    expect(names(listDefaultModules("2.4"))).toEqual(
      expect.arrayContaining(["event", "mod_access_compat", "mod_macro"]),
    );
    expect(names(listDefaultModules("2.2"))).toEqual(expect.arrayContaining(["prefork", "mod_authz_default"]));
    expect(names(listDefaultModules("2.2"))).not.toContain("mod_so.c");
  });
});

describe("removed modules", () => {
  const successors = (release: "2.2" | "2.4", moduleName: string) => {
    const removed = findRemovedModule(release, moduleName);
    return removed && names(successorsOf(release, removed));
  };

  test.each([
    ["mod_disk_cache.c", ["mod_cache_disk"]],
    ["disk_cache_module", ["mod_cache_disk"]],
    ["mod_authn_alias", ["mod_authn_core"]],
    ["mod_example.c", ["mod_example_hooks"]],
    ["mod_authz_default.c", []],
    ["mod_mem_cache.c", []],
    ["mod_access.c", ["mod_authz_host", "mod_access_compat"]],
    ["auth_module", ["mod_auth_basic", "mod_authn_file", "mod_authz_user", "mod_authz_groupfile"]],
  ])("%s has the successors %j in 2.4", (moduleName, expected) => {
    expect(successors("2.4", moduleName)).toEqual(expected);
  });

  test("of 2.0 were removed in 2.2", () => {
    expect(successors("2.2", "mod_access.c")).toEqual(["mod_authz_host"]);
    expect(successors("2.2", "mod_auth_dbm.c")).toEqual(["mod_authn_dbm", "mod_authz_dbm"]);
    expect(findRemovedModule("2.2", "mod_disk_cache.c")).toBeUndefined();
    expect(findRemovedModule("2.2", "mod_auth_digest.c")).toBeUndefined();
  });

  test("are all modules of 2.2 that 2.4 lacks, and those of 2.0", () => {
    const kept = new Set(moduleTable["2.4"].modules.map(([, , name]) => name));
    const lost = moduleTable["2.2"].modules.map(([, , name = ""]) => name).filter((name) => !kept.has(name));
    const later = moduleTable.removed.filter(({ removedIn }) => removedIn === "2.4");
    expect(names(later).sort()).toEqual(lost.sort());
    for (const { name, identifier, file, removedIn, becomes, explanation } of moduleTable.removed) {
      expect(findModuleByName("2.4", identifier) ?? findModuleByName("2.4", file), name).toBeUndefined();
      if (removedIn === "2.2")
        expect(findModuleByName("2.2", identifier) ?? findModuleByName("2.2", file), name).toBeUndefined();
      for (const successor of becomes) expect(findModuleByManualName("2.4", successor), successor).toBeDefined();
      expect(explanation).not.toMatch(/\.$|\. /);
    }
    expect(findRemovedModule("2.4", "mod_authz_host.c")).toBeUndefined();
  });
});
