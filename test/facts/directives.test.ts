import { describe, expect, test } from "vitest";
import table22 from "../../src/facts/data/2.2.json" with { type: "json" };
import table24 from "../../src/facts/data/2.4.json" with { type: "json" };
import thirdPartyTable from "../../src/facts/data/third-party.json" with { type: "json" };
import {
  type ContextKind,
  type DirectiveFacts,
  findDirectiveFacts,
  findThirdPartyDirective,
  isAllowedIn,
  type OverrideClass,
  suggestDirectiveName,
} from "../../src/facts/directives.js";
import { findModuleByManualName } from "../../src/facts/modules.js";
import type { Release } from "../../src/facts/release.js";
import { contextKinds } from "./support/context-trials.js";

const releases = [
  ["2.2", table22],
  ["2.4", table24],
] as const;

function onlyFacts(release: Release, name: string): DirectiveFacts {
  const [facts, ...others] = findDirectiveFacts(release, name);
  expect(others, `${name} in ${release}`).toEqual([]);
  if (facts === undefined) throw new Error(`${name} is unknown in ${release}`);
  return facts;
}

function contextsOf(release: Release, name: string): ContextKind[] {
  return contextKinds.filter((context) => isAllowedIn(onlyFacts(release, name), context));
}

describe("the tables", () => {
  test.each([
    ["KeepAliveTimeout", "KeepAliveTimeout 5", ["server", "virtualhost"]],
    ["DirectoryIndex", "DirectoryIndex index.html", ["server", "virtualhost", "directory", "htaccess"]],
    ["AllowOverride", "AllowOverride None (2.3.9 and later), AllowOverride All (2.3.8 and earlier)", ["directory"]],
  ] as const)("have the default and the contexts of %s as in the manual", (name, value, contexts) => {
    expect(onlyFacts("2.4", name).default).toBe(value);
    const usual = ["server", "virtualhost", "directory", "htaccess"];
    expect(contextsOf("2.4", name).filter((each) => usual.includes(each))).toEqual(contexts);
  });

  test.each(releases)("have a directive of %s once for each module", (_release, table) => {
    const rows = [...table.directives, ...table.unlisted];
    const keys = rows.map(([name = "", , module, marks = ""]) => {
      return `${marks.includes("section") ? "<" : ""}${name.toLowerCase()} ${module}`;
    });
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });

  test.each(releases)("have only valid values for %s", (release, table) => {
    const contexts = new Set(["server", "virtualhost", "directory", "proxy", "htaccess", "?"]);
    const refused = new Set<string>([...contextKinds, "", "?"]);
    const classes: readonly OverrideClass[] = ["All", "AuthConfig", "FileInfo", "Indexes", "Limit", "Options"];
    const known = new Set<string>([...classes, "", "?"]);
    for (const row of [...table.directives, ...table.unlisted]) {
      expect(row).toHaveLength(table.columns.length);
      const [name = "", , module = "", marks = ""] = row;
      expect(row[5]?.split(",").filter((word) => !contexts.has(word))).toEqual([]);
      expect(row[6]?.split(",").filter((word) => !known.has(word))).toEqual([]);
      expect(row[7]?.split(",").filter((word) => !refused.has(word))).toEqual([]);
      expect(module === "mpm_common" || findModuleByManualName(release, module), `${name} in ${module}`).toBeTruthy();
      const facts = findDirectiveFacts(release, marks.includes("section") ? `<${name}` : name);
      const unknown = facts.filter((each) => each.argumentKind === "UNKNOWN" && !each.manualOnly);
      expect(unknown, name).toEqual([]);
    }
  });

  test.each(releases)("correct only directives of %s that they have", (release, table) => {
    for (const { directive, why } of table.corrections) {
      expect(findDirectiveFacts(release, directive), directive).not.toEqual([]);
      expect(why).not.toBe("");
    }
  });
});

describe("the entry for a directive", () => {
  test("has the name of the manual, and the name of the server's table for messages", () => {
    expect(onlyFacts("2.4", "Order")).toMatchObject({
      name: "Order",
      tableName: "order",
      module: "mod_access_compat",
      argumentKind: "TAKE1",
      override: ["Limit"],
      readTime: false,
      section: false,
      help: "'allow,deny', 'deny,allow', or 'mutual-failure'",
    });
    expect(onlyFacts("2.2", "Order")).toMatchObject({ tableName: "order", module: "mod_authz_host" });
  });

  test("is found by name in any case, and for a section with its bracket", () => {
    expect(findDirectiveFacts("2.4", "ORDER")).toBe(findDirectiveFacts("2.4", "order"));
    expect(onlyFacts("2.4", "<virtualhost")).toMatchObject({ name: "VirtualHost", section: true, module: "core" });
    expect(findDirectiveFacts("2.4", "VirtualHost")).toEqual([]);
    expect(findDirectiveFacts("2.4", "<Order")).toEqual([]);
    expect(findDirectiveFacts("2.4", "Rewrite")).toEqual([]);
    expect(findDirectiveFacts("2.4", "constructor")).toEqual([]);
  });

  test("is repeated for each module that defines the directive", () => {
    const modules = (name: string) => findDirectiveFacts("2.4", name).map((facts) => facts.module);
    expect(modules("HeartbeatStorage")).toEqual(["mod_heartmonitor", "mod_lbmethod_heartbeat"]);
    expect(modules("ScriptLog")).toEqual(["mod_cgi", "mod_cgid"]);
    expect(findDirectiveFacts("2.2", "ScriptLog").map((facts) => facts.module)).toEqual(["mod_cgi", "mod_cgid"]);
  });

  test("is separate for a section and a directive of the same name", () => {
    expect(onlyFacts("2.4", "MDomain").section).toBe(false);
    expect(onlyFacts("2.4", "<MDomain").section).toBe(true);
    expect(onlyFacts("2.4", "<LuaQuickHandler")).toMatchObject({ readTime: true, section: true });
  });

  test("is marked if only the manual has the directive", () => {
    expect(onlyFacts("2.2", "SSIEnableAccess")).toMatchObject({ manualOnly: true, argumentKind: "UNKNOWN" });
    expect(contextsOf("2.2", "SSIEnableAccess")).toEqual(contextKinds);
    expect(onlyFacts("2.2", "SSIAccessEnable").manualOnly).toBe(false);
  });

  test.each([
    ["2.2", ["Include", "LoadFile", "LoadModule", "ServerRoot", "<IfDefine", "<IfModule", "<IfVersion"]],
    [
      "2.4",
      [
        ...["Define", "DefaultRuntimeDir", "Include", "IncludeOptional", "LoadFile", "LoadModule", "ServerRoot"],
        ...["UnDefine", "UndefMacro", "Use", "LuaAuthzProvider", "UNCList"],
        ...["<IfDefine", "<IfDirective", "<IfFile", "<IfModule", "<IfSection", "<IfVersion", "<Macro"],
        ...["<LuaHookAccessChecker", "<LuaHookAuthChecker", "<LuaHookCheckUserID", "<LuaHookFixups"],
        ...["<LuaHookMapToStorage", "<LuaHookPreTranslateName", "<LuaHookTranslateName", "<LuaHookTypeChecker"],
        "<LuaQuickHandler",
      ],
    ],
  ] as const)("is marked for all directives of %s that take effect while the file is read", (release, expected) => {
    const table = release === "2.2" ? table22 : table24;
    const found = [...table.directives, ...table.unlisted]
      .filter(([, , , marks = ""]) => marks.includes("readTime"))
      .map(([name = "", , , marks = ""]) => (marks.includes("section") ? `<${name}` : name));
    expect(found.sort()).toEqual([...expected].sort());
    for (const name of found) expect(onlyFacts(release, name).readTime).toBe(true);
  });
});

describe("the contexts of a directive", () => {
  const sections: readonly ContextKind[] = ["directory", "location", "files", "limit", "proxy", "if"];
  const everywhere: readonly ContextKind[] = ["server", "virtualhost", ...sections, "htaccess"];

  test.each<[Release, string, readonly ContextKind[]]>([
    ["2.2", "Order", [...sections, "htaccess"]],
    ["2.4", "Order", [...sections, "htaccess"]],
    ["2.4", "Require", [...sections, "htaccess"]],
    ["2.4", "<RequireAll", [...sections, "htaccess"]],
    ["2.4", "<Limit", [...sections, "htaccess"]],
    ["2.2", "<Limit", everywhere.filter((context) => context !== "limit")],
    ["2.4", "Options", everywhere],
    ["2.4", "DirectoryIndex", everywhere],
    ["2.4", "<Directory", ["server", "virtualhost"]],
    ["2.4", "<VirtualHost", ["server"]],
    ["2.4", "Listen", ["server"]],
    ["2.4", "ServerName", ["server", "virtualhost"]],
    ["2.4", "ServerAlias", ["virtualhost"]],
    ["2.2", "ServerAlias", ["virtualhost"]],
    ["2.4", "RewriteBase", [...sections, "htaccess"]],
    ["2.4", "ProxyPass", ["server", "virtualhost", "location", "proxy"]],
    ["2.2", "ProxyPass", everywhere.filter((context) => context !== "htaccess")],
    ["2.4", "SSLProxyVerify", ["server", "virtualhost", "proxy"]],
    ["2.4", "AllowOverride", sections],
    ["2.4", "ServerRoot", ["server", "virtualhost", ...sections]],
    ["2.4", "LoadModule", ["server", "virtualhost", ...sections]],
    ["2.4", "<IfModule", everywhere],
    ["2.4", "LuaQuickHandler", ["server", "virtualhost", "location", "proxy"]],
    ["2.4", "MDCertificateFile", []],
    ["2.4", "MDMember", ["server", "virtualhost"]],
  ])("%s: %s", (release, name, expected) => {
    expect(contextsOf(release, name)).toEqual(expected);
  });

  test("include the required section if it is not a context kind", () => {
    expect(onlyFacts("2.4", "MDCertificateFile").requiredSection).toBe("<MDomainSet");
    expect(onlyFacts("2.4", "MDMember").requiredSection).toBeUndefined();
  });

  test("include an override class if it is allowed in `.htaccess` files", () => {
    for (const [release, table] of releases) {
      for (const [name = "", , , marks = ""] of table.directives) {
        for (const facts of findDirectiveFacts(release, marks.includes("section") ? `<${name}` : name)) {
          if (facts.manualOnly) continue;
          if (isAllowedIn(facts, "htaccess")) expect(facts.override, name).not.toEqual([]);
        }
      }
    }
  });
});

describe("directives of modules that do not come with httpd", () => {
  test("are known with their module and Debian's package", () => {
    expect(findThirdPartyDirective("PHP_Value")).toEqual({
      name: "php_value",
      section: false,
      module: "php_module",
      modules: ["php_module"],
      file: "mod_php.c",
      package: "libapache2-mod-php8.2",
      override: ["Options"],
    });
    expect(findThirdPartyDirective("<Perl")).toMatchObject({ section: true, module: "perl_module" });
    expect(findThirdPartyDirective("JkMount")).toMatchObject({ module: "jk_module", file: "mod_jk.c" });
    expect(findThirdPartyDirective("AuthzSVNAccessFile")).toMatchObject({ module: "authz_svn_module" });
    expect(findThirdPartyDirective("QS_ClientEventLimitCount")).toMatchObject({ package: "libapache2-mod-qos" });
    expect(findThirdPartyDirective("php_admin_value")).toMatchObject({ override: [] });
    expect(findThirdPartyDirective("QS_ClientEventLimitCount")?.override).toBeUndefined();
    expect(findThirdPartyDirective("Order")).toBeUndefined();
  });

  test("have no package if Debian does not have it", () => {
    expect(findThirdPartyDirective("ModPagespeed")).toEqual({
      name: "ModPagespeed",
      section: false,
      module: "pagespeed_module",
      modules: ["pagespeed_module"],
      file: "mod_instaweb.cc",
    });
    expect(findThirdPartyDirective("CBandLimit")).toMatchObject({ module: "cband_module" });
  });

  test("have all modules that define them", () => {
    const { modules } = findThirdPartyDirective("TKTAuthLoginURL") ?? {};
    expect(modules?.toSorted()).toEqual(["auth_pubtkt_module", "auth_tkt_module"]);
  });

  test("are not directives of httpd", () => {
    const names = thirdPartyTable.directives.map(([name = ""]) => name);
    expect(names.length).toBeGreaterThan(1000);
    for (const name of names)
      expect([name, findDirectiveFacts("2.4", name), findDirectiveFacts("2.2", name)]).toEqual([name, [], []]);
  });
});

describe("the most similar name", () => {
  test.each([
    ["DirectroyIndex", "DirectoryIndex"],
    ["AllowOveride", "AllowOverride"],
    ["allowoveride", "AllowOverride"],
    ["ServerNam", "ServerName"],
    ["Requre", "Require"],
    ["Alow", "Allow"],
    ["<Directry", "<Directory"],
    ["<FileMatch", "<FilesMatch"],
    ["Usr", "Use"],
  ])("of %s is %s", (name, suggestion) => {
    expect(suggestDirectiveName("2.4", name)).toBe(suggestion);
  });

  test.each([["Frobnicate"], ["Directory"], ["<Order"], ["Xx"], [""], ["<"], ["a".repeat(10_000)]])(
    "does not exist for %s",
    (name) => {
      expect(suggestDirectiveName("2.4", name)).toBeUndefined();
    },
  );

  test("belongs to the requested release", () => {
    expect(suggestDirectiveName("2.2", "RewriteLogLevl")).toBe("RewriteLogLevel");
    expect(suggestDirectiveName("2.4", "RewriteLogLevl")).toBeUndefined();
    expect(suggestDirectiveName("2.2", "SSIEnableAcces")).toBeUndefined();
  });
});
