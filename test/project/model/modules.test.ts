import { describe, expect, test } from "vitest";
import { findDirectiveFacts } from "../../../src/directives/directives.js";
import { LoadedModules } from "../../../src/project/model/modules.js";

function loaded(...names: readonly string[]): LoadedModules {
  const modules = new LoadedModules("2.4", []);
  for (const name of names) modules.add(name);
  return modules;
}

describe("a module of httpd", () => {
  test.each(["alias_module", "mod_alias.c", "mod_alias", "alias"])("is found by %s", (name) => {
    const modules = loaded(name);
    expect(modules.has("alias_module")).toBe(true);
    expect(modules.matchesGuard("mod_alias.c")).toBe(true);
    expect(findDirectiveFacts("2.4", "Alias").some((facts) => modules.provides(facts))).toBe(true);
    expect(modules.unknown).toEqual([]);
    modules.withhold(name);
    expect(modules.has("alias_module") || modules.matchesGuard("mod_alias.c")).toBe(false);
  });
});

describe("directives of any name are expected", () => {
  test.each(["company_module", "mod_company", "company", "Alias_Module"])("of %s", (name) => {
    expect(loaded(name).unknown).toHaveLength(1);
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
  ])("not of %s, whose directives are known", (name) => {
    expect(loaded(name).unknown).toEqual([]);
  });
});

test("a module from elsewhere is there in whichever of its versions", () => {
  expect(loaded("php5_module").hasThirdParty("php_module")).toBe(true);
  expect(loaded("evasive20_module").hasThirdParty("evasive20_module")).toBe(true);
  expect(loaded("mod_shib").hasThirdParty("mod_shib")).toBe(true);
  expect(loaded("alias_module").hasThirdParty("php_module")).toBe(false);
});
