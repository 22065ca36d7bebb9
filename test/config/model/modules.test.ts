import { describe, expect, test } from "vitest";
import { LoadedModules } from "../../../src/config/model/modules.js";
import { findDirectiveFacts } from "../../../src/facts/directives.js";

function modulesOf(...names: readonly string[]): LoadedModules {
  const modules = new LoadedModules("2.4", []);
  for (const name of names) modules.add(name);
  return modules;
}

describe("a module of httpd", () => {
  test.each(["alias_module", "mod_alias.c", "mod_alias", "alias"])("is found by %s", (name) => {
    const modules = modulesOf(name);
    expect(modules.has("alias_module")).toBe(true);
    expect(modules.matchesGuard("mod_alias.c")).toBe(true);
    expect(findDirectiveFacts("2.4", "Alias").some((facts) => modules.provides(facts))).toBe(true);
    expect(modules.unknown).toEqual([]);
    modules.withhold(name);
    expect(modules.has("alias_module") || modules.matchesGuard("mod_alias.c")).toBe(false);
  });
});

describe("directives with any name are possible", () => {
  test.each(["company_module", "mod_company", "company", "Alias_Module"])("with %s", (name) => {
    expect(modulesOf(name).unknown).toHaveLength(1);
  });

  test.each([
    "php_module",
    "php5_module",
    "mod_php5.c",
    "security2_module",
    "evasive20_module",
    "mod_shib",
    "mem_cache_module",
    "mod_auth_dbm",
    "access_module",
  ])("twin: but not with %s, whose directives are known", (name) => {
    expect(modulesOf(name).unknown).toEqual([]);
  });
});

test("a third-party module is found in any of its versions", () => {
  expect(modulesOf("php5_module").hasThirdParty("php_module")).toBe(true);
  expect(modulesOf("evasive20_module").hasThirdParty("evasive20_module")).toBe(true);
  expect(modulesOf("mod_shib").hasThirdParty("mod_shib")).toBe(true);
  expect(modulesOf("alias_module").hasThirdParty("php_module")).toBe(false);
});
