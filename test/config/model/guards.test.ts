import { describe, expect, test } from "vitest";
import { decideGuard, type GuardKind } from "../../../src/config/model/guards.js";
import { applyingLines, load, loadText } from "../../support/projects.js";

const facts = {
  release: "2.4" as const,
  version: [2, 4, 71] as const,
  isModuleLoaded: (name: string) => name === "mod_alias.c" || name === "alias_module",
  isDefined: (name: string) => name === "SSL",
  undecidedBy: () => undefined,
  fileExists: (path: string) => ({ ok: true as const, value: path === "/etc/motd" }),
  directiveExists: (name: string) => name === "Order" || name === "<Directory",
};

const evaluate = (kind: GuardKind, argumentText: string) => {
  const verdict = decideGuard(kind, argumentText, facts);
  return verdict.ok ? verdict.value.holds : verdict.error.server;
};

describe("conditional sections", () => {
  // Results of httpd 2.4.71.
  test.each<[GuardKind, string, boolean | string]>([
    ["<ifmodule", "mod_alias.c>", true],
    ["<ifmodule", "alias_module>", true],
    ["<ifmodule", "mod_alias>", false],
    ["<ifmodule", "Mod_Alias.c>", false],
    ["<ifmodule", "!mod_alias.c>", false],
    ["<ifmodule", "! mod_alias.c>", false],
    ["<ifmodule", '"mod_alias.c">', true],
    ["<ifmodule", '!"mod_alias.c">', false],
    ["<ifmodule", "mod_alias.c mod_none.c>", true],
    ["<ifmodule", ">", "<IfModule> directive requires additional arguments"],
    ["<ifmodule", "mod_alias.c", "<IfModule> directive missing closing '>'"],
    ["<ifdefine", "SSL>", true],
    ["<ifdefine", "ssl>", false],
    ["<ifdefine", "!SSL>", false],
    ["<iffile", "/etc/motd>", true],
    ["<iffile", '!"/etc/motd">', false],
    ["<ifdirective", "Order>", true],
    ["<ifdirective", "Directory>", false],
    ["<ifsection", "Directory>", true],
    ["<ifversion", "2.4>", false],
    ["<ifversion", "2.4.71>", true],
    ["<ifversion", "= 2.4.71>", true],
    ["<ifversion", "== 2.4.71>", true],
    ["<ifversion", ">= 2.4>", true],
    ["<ifversion", "> 2.4>", true],
    ["<ifversion", "< 2.4>", false],
    ["<ifversion", "!< 2.4>", true],
    ["<ifversion", '>= "2.4" >', true],
    ["<ifversion", '"2.4.71" >', true],
    ["<ifversion", "~ ^2\\.4>", true],
    ["<ifversion", "!~ ^2\\.4>", false],
    ["<ifversion", "/^2.[24]/>", true],
    ["<ifversion", "= /^2.2/>", false],
    ["<ifversion", ">= 2.4", "<IfVersion> directive missing closing '>'"],
    ["<ifversion", "? 2.4>", "unrecognized operator '?'"],
    ["<ifversion", "~= 2.4>", "unrecognized operator '~='"],
    ["<ifversion", '= "" >', "<IfVersion> directive missing closing '>'"],
    ["<ifversion", "= /^2.4>", "Missing delimiting / of regular expression."],
  ])("evaluate %s %s to %j", (kind, argument, expected) => {
    expect(evaluate(kind, argument)).toBe(expected);
  });

  test("add their contents to the enclosing section if they are true", () => {
    const project = loadText(
      "<Directory />\n<IfModule mod_alias.c>\n<IfVersion >= 2.4>\nOptions None\n</IfVersion>\n</IfModule>\n</Directory>\n",
    );
    expect(applyingLines(project)).toEqual(["<Directory />", "  Options None", "</Directory>"]);
  });

  test("are skipped with any contents if they are false", () => {
    const project = loadText("<IfModule mod_none.c>\nNonsense\n<Directory />\n</Directory>\n</IfModule>\nListen 80\n");
    expect(applyingLines(project)).toEqual(["Listen 80"]);
    expect(project.guards.map((guard) => [guard.argument, guard.holds])).toEqual([["mod_none.c", false]]);
  });

  test("check the modules that are loaded before them", () => {
    const text =
      "<IfModule alias_module>\nAlias /a /b\n</IfModule>\nLoadModule alias_module modules/mod_alias.so\n<IfModule mod_alias.c>\nAlias /c /d\n</IfModule>\n";
    expect(applyingLines(loadText(text))).toEqual(["Alias /c /d"]);
  });

  test("treat a module that the release no longer has as not loaded", () => {
    const text =
      "LoadModule mem_cache_module x.so\n<IfModule mod_mem_cache.c>\nListen 80\n</IfModule>\n<IfModule !mem_cache_module>\nListen 81\n</IfModule>\n";
    expect(applyingLines(loadText(text))).toEqual(["Listen 81"]);
    expect(applyingLines(loadText(text, { release: "2.2" }))).toEqual(["Listen 80"]);
    expect(loadText(text).loadModules).toHaveLength(1);
  });

  test("assume that the source file of an unknown module is named after its shared object", () => {
    const text = "LoadModule own_module modules/mod_own.so\n<IfModule mod_own.c>\nListen 80\n</IfModule>\n";
    expect(applyingLines(loadText(text))).toEqual(["Listen 80"]);
  });

  test("resolve files relative to ServerRoot", () => {
    const project = load({
      "/etc/httpd/httpd.conf": "<IfFile conf/x>\nListen 80\n</IfFile>\n",
      "/etc/httpd/conf/x": "",
    });
    expect(applyingLines(project)).toEqual(["Listen 80"]);
  });

  test("distinguish 2.2 from 2.4", () => {
    const text = "<IfVersion < 2.4>\nListen 22\n</IfVersion>\n<IfVersion >= 2.4>\nListen 24\n</IfVersion>\n";
    expect(applyingLines(loadText(text, { release: "2.2" }))).toEqual(["Listen 22"]);
    expect(applyingLines(loadText(text))).toEqual(["Listen 24"]);
  });
});
