import { describe, expect, test } from "vitest";
import {
  createReadingOptions,
  describeUnknownModules,
  type ReadingFlags,
} from "../../../src/apps/cli/inputs/reading-options.js";

const notes = (flags: Partial<ReadingFlags>) => describeUnknownModules({ release: "2.4", ...flags });

describe("the modules in flags", () => {
  test("are reported if they are unknown, with the likely intended one", () => {
    expect(notes({ modules: ["mod_alias,nosuch"], noModule: ["mod_rewrit"] })).toEqual([
      "httpd-lint: unknown module `nosuch` for 2.4 in --modules, so it may provide any directive",
      "httpd-lint: unknown module `mod_rewrit` for 2.4 in --no-module, so it has no effect; did you mean `mod_rewrite`?",
    ]);
  });

  test.each([
    ["Authz_Core_Module", "mod_authz_core"],
    ["MOD_ALIAS.C", "mod_alias"],
    ["mod_autz_host.c", "mod_authz_host"],
    ["mpm_preform", "prefork"],
  ])("%s suggests %s", (name, suggestion) => {
    expect(notes({ noModule: [name] })).toEqual([expect.stringContaining(`did you mean \`${suggestion}\`?`)]);
  });

  test.each([
    "mod_alias",
    "mod_alias.c",
    "alias_module",
    "alias",
    "core",
    "mod_ldap",
    "util_ldap.c",
    "mpm_prefork_module",
    "php_module",
    "mod_php5",
    "evasive20_module",
    "mod_shib",
    "mod_mem_cache",
  ])("include %s", (name) => {
    expect(notes({ modules: [name], noModule: [name] })).toEqual([]);
  });

  test("may be empty, which leaves the compiled-in modules", () => {
    const options = (list: string) => createReadingOptions({ release: "2.4", modules: [list] }, undefined);
    for (const list of ["", ","]) {
      expect(options(list)).toMatchObject({ value: { load: { modules: [] } } });
      expect(notes({ modules: [list] })).toEqual([]);
    }
  });
});
