import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, inDirectory, lintText } from "../../test/support/rules.js";
import { accessCompatNotLoaded } from "../access-compat-not-loaded/access-compat-not-loaded.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { removedModule } from "../removed-module/removed-module.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { modulesToLoad } from "./modules-to-load.js";

const load = (...names: readonly string[]) =>
  names.map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");
const complete = load("mpm_prefork", "unixd", "authz_core");
const from22: Given = { from: "2.2" };
const check = (text: string, given: Given = {}) => findingsOf([modulesToLoad], text, { ...from22, ...given });

/** Returns the required modules, with their purposes. */
const listNeeds = (text: string, given?: Given) =>
  (check(text, given)[0]?.notes ?? []).flatMap((note) => {
    const [, module, what] =
      /`(\w+)_module` (?:is |\()needed for (.*?)(?:\), unless it is built in)?$/.exec(note) ?? [];
    return module === undefined ? [] : [`${module} for ${what}`];
  });

const fixed = (text: string, given: Given = {}) => {
  const findings = lintText([modulesToLoad], text, { ...from22, ...given });
  return applyFixes(findings, () => true).texts.get("/etc/httpd/httpd.conf");
};

describe("directives that need a module", () => {
  test.each([
    [inDirectory("Order deny,allow"), "access_compat for `Order`"],
    [inDirectory("AuthName x"), "authn_core for `AuthName`"],
    [`${load("authnz_ldap")}Timeout 5\n`, "ldap for `authnz_ldap_module`"],
    [inDirectory("AuthLDAPURL ldap://x/"), "ldap for `authnz_ldap_module`"],
    [inDirectory("Require ip 10"), "authz_host for `Require ip 10`"],
    [inDirectory("Require Valid-User"), "authz_user for `Require Valid-User`"],
    [inDirectory("Require group a"), "authz_groupfile for `Require group a`"],
    ["AddOutputFilterByType X text/html\n", "filter for `AddOutputFilterByType`"],
    [`${load("proxy")}AllowCONNECT 443\n`, "proxy_connect for `AllowCONNECT`"],
    [`${load("proxy")}ProxyFtpDirCharset x\n`, "proxy_ftp for `ProxyFtpDirCharset`"],
    [`${load("ssl")}SSLSessionCache shmcb:/x\n`, "socache_shmcb for `SSLSessionCache shmcb:/x`"],
    [`${load("ssl")}SSLSessionCache shm:/x\n`, "socache_shmcb for `SSLSessionCache shm:/x`"],
    [`${load("ssl")}SSLSessionCache dbm:/x\n`, "socache_dbm for `SSLSessionCache dbm:/x`"],
    [load("proxy", "proxy_balancer"), "slotmem_shm for `proxy_balancer_module`"],
    ["CacheRoot /x\n", "cache_disk for `CacheRoot`"],
    ["DirectoryIndex a\n", "dir for `DirectoryIndex`"],
    [
      `${load("mime")}AddType a/b .b\n<AuthnProviderAlias file a>\n</AuthnProviderAlias>\n`,
      "authn_core for `<AuthnProviderAlias>`",
    ],
  ])("reports %j: %s", (text, module) => {
    expect(listNeeds(complete + text)).toContain(module);
  });

  test("reports the method of a balancer", () => {
    const balancer = (...lines: readonly string[]) =>
      `${complete}${load("proxy", "proxy_balancer", "slotmem_shm")}<Proxy balancer://x>\n${lines.join("\n")}\n</Proxy>\n`;
    expect(listNeeds(balancer("BalancerMember http://a"))).toEqual([
      "lbmethod_byrequests for `BalancerMember http://a`",
    ]);
    expect(listNeeds(balancer("BalancerMember http://a", "ProxySet lbmethod=bytraffic"))).toEqual([
      "lbmethod_bytraffic for `ProxySet lbmethod=bytraffic`",
    ]);
    expect(listNeeds(balancer("ProxySet stickysession=x"))).toEqual([]);
  });

  test("reports mod_authz_core, which every request needs", () => {
    expect(check(load("mpm_prefork", "unixd"))).toMatchObject([
      {
        severity: "error",
        message: "2.4 needs `authz_core_module`, but no line loads it",
        notes: [
          "every request returns 500",
          "`authz_core_module` is needed for every request (without it, all return 500)",
        ],
        help: ["add a `LoadModule` line for it after that of `unixd_module`"],
      },
    ]);
  });

  test("does not report `Require all` of mod_authz_core, or loaded modules", () => {
    expect(check(complete + inDirectory("Require all granted"))).toEqual([]);
    expect(check(complete + load("authz_host") + inDirectory("Require ip 10"))).toEqual([]);
    expect(check(`${complete}${load("ssl", "socache_shmcb")}SSLSessionCache shmcb:/x\n`)).toEqual([]);
    expect(check(`${complete}${load("ssl")}SSLSessionCache none\n`)).toEqual([]);
  });
});

describe("modules that may be built in", () => {
  test.each([
    [load("mpm_prefork", "authz_core"), "unixd for dropping root privileges"],
    [`${load("mpm_prefork", "authz_core")}User a\n`, "unixd for `User`"],
    [load("unixd", "authz_core"), "mpm_prefork for handling requests as 2.2 does by default"],
    [`${load("unixd", "authz_core")}<IfModule worker.c>\n</IfModule>\n`, "mpm_worker for `<IfModule worker.c>`"],
    [`${load("unixd", "authz_core")}MaxSpareServers 5\n`, "mpm_prefork for `MaxSpareServers`"],
    [`${load("unixd", "authz_core")}ThreadsPerChild 25\n`, "mpm_worker for `ThreadsPerChild`"],
    [`${load("unixd", "authz_core")}MaxClients 50\n`, "mpm_prefork for handling requests as 2.2 does by default"],
    [`${complete}CustomLog a b\n`, "log_config for `CustomLog`"],
    [`${complete}<IfVersion >= 2.4>\n</IfVersion>\n`, "version for `<IfVersion>`"],
  ])("reports a warning for %j: %s", (text, module) => {
    expect(listNeeds(text)).toEqual([module]);
    expect(check(text)[0]?.severity).toBe("warning");
  });

  test("does not report a loaded module, a conditional section, or a module that Debian builds in", () => {
    expect(check(`${complete}${load("log_config")}CustomLog a b\n`)).toEqual([]);
    const guarded = `<IfModule !mod_log_config.c>\n${load("log_config")}</IfModule>\n`;
    expect(check(`${complete}${guarded}CustomLog a b\n`)).toEqual([]);
    const files = { "/etc/httpd/mods-enabled/a.load": load("mpm_event", "authz_core") };
    expect(check("Include mods-enabled/*.load\nUser a\nCustomLog a b\n", { files })).toEqual([]);
  });

  test("treats modules with a file in the module directory as not built in, and the others as built in", () => {
    const moduleFiles = (...names: readonly string[]) =>
      Object.fromEntries(["authz_core", ...names].map((name) => [`/etc/httpd/modules/mod_${name}.so`, ""]));
    const text = `${load("authz_core")}User a\nCustomLog a b\n`;
    expect(check(text, { files: moduleFiles() })).toEqual([]);
    const files = moduleFiles("unixd", "mpm_event");
    expect(listNeeds(text, { files })).toEqual([
      "mpm_prefork for handling requests as 2.2 does by default",
      "unixd for `User`",
    ]);
    const [finding] = check(text, { files });
    expect(finding).toMatchObject({ severity: "error" });
    expect(finding?.notes?.[0]).toBe("httpd will not start");
    expect(fixed(text, { files })).toBe(text.replace("User", `${load("mpm_prefork", "unixd")}User`));
  });

  test("reports one or several modules in one finding", () => {
    const listing = "run `httpd -l` to list the modules that are built in";
    expect(check(load("mpm_prefork", "authz_core"))).toMatchObject([
      {
        message: "2.4 needs `unixd_module`, but no line loads it",
        notes: [
          "httpd will not start without `unixd_module` (needed for dropping root privileges), unless it is built in",
        ],
        help: ["add a `LoadModule` line for it after that of `authz_core_module`", listing],
      },
    ]);
    expect(check(load("authz_core"))).toMatchObject([
      {
        message: "2.4 needs `mpm_prefork_module` and 1 more module, but no line loads them",
        help: ["add a `LoadModule` line for each of them after that of `authz_core_module`", listing],
      },
    ]);
  });

  test("requires the MPM on which a third-party MPM is based", () => {
    expect(listNeeds(load("unixd", "authz_core", "mpm_itk"))).toEqual([
      "mpm_prefork for handling requests as 2.2 does by default",
    ]);
    expect(check(load("unixd", "authz_core", "mpm_worker"))).toEqual([]);
  });
});

describe("the fix", () => {
  test("follows the last LoadModule line of the main file outside of conditional sections, in its style", () => {
    const text = `LoadModule  mpm_prefork_module  "/usr/lib/mod_mpm_prefork.so"\n<IfModule !unixd_module>\n${load("unixd")}</IfModule>\n${inDirectory("Require ip 10")}`;
    expect(check(text)[0]?.at).toBe("1:1-1:62");
    expect(check(text)[0]?.related).toEqual([
      "httpd.conf:6:1: needs `authz_core_module`",
      "httpd.conf:6:1: needs `authz_host_module`",
    ]);
    expect(fixed(text)).toBe(
      text.replace(
        "\n<IfModule",
        '\nLoadModule  authz_core_module  "/usr/lib/mod_authz_core.so"\nLoadModule  authz_host_module  "/usr/lib/mod_authz_host.so"\n<IfModule',
      ),
    );
  });

  test("adds modules that may be built in within a conditional section, and removes the finding", () => {
    const after = fixed(`${load("authz_core")}LoadModule php5_module modules/libphp5.so\nUser a\n`) ?? "";
    expect(after).toContain(
      `libphp5.so\n${load("mpm_prefork")}<IfModule !unixd_module>\n    ${load("unixd")}</IfModule>\nUser`,
    );
    expect(check(after)).toEqual([]);
  });

  test("loads dependencies first, also at the end of a file", () => {
    const text = `CacheRoot /x\nCacheEnable disk /\n${complete}`.trimEnd();
    expect(fixed(text)).toBe(`${text}\n${load("cache", "cache_disk")}`.trimEnd());
  });

  test("loads an MPM before an earlier conditional section that tests for it", () => {
    const guard = "<IfModule prefork.c>\nMaxClients 256\n</IfModule>\n";
    const modules = load("unixd", "authz_core");
    expect(fixed(guard + modules)).toBe(load("mpm_prefork") + guard + modules);
  });

  test("uses the line endings of the file", () => {
    const text = `${load("mpm_prefork", "unixd")}${inDirectory("Require all granted")}`.replaceAll("\n", "\r\n");
    expect(fixed(text)).toBe(text.replace("mod_unixd.so\r\n", `mod_unixd.so\r\n${load("authz_core").trimEnd()}\r\n`));
  });

  test("suggests a2enmod if each module has a file", () => {
    const files = { "/etc/httpd/mods-enabled/a.load": load("alias") };
    const text = `Include mods-enabled/*.load\n${inDirectory("Require ip 10")}`;
    expect(check(text, { files })[0]?.help).toEqual(["run `a2enmod authz_core authz_host mpm_prefork`"]);
    expect(fixed(text, { files })).toBeUndefined();
    const withDumpIo = `Include mods-enabled/*.load\nDumpIOInput On\n`;
    expect(check(withDumpIo, { files })[0]?.help?.[0]).toMatch(/^run `a2enmod authz_core dump_io /);
  });

  test("is not offered with --modules, which marks the first line that needs a module", () => {
    const given: Given = { modules: ["alias_module"] };
    expect(check(inDirectory("Require ip 10"), given).map(({ at }) => at)).toEqual(["2:1-2:8"]);
    expect(fixed(inDirectory("Require ip 10"), given)).toBeUndefined();
    expect(check("Listen 80\n", given)).toEqual([]);
  });

  test("does not repeat a line for an absent module", () => {
    const given: Given = { withoutModules: ["authz_host_module"] };
    expect(check(`${complete}${load("authz_host")}${inDirectory("Require ip 10")}`, given)).toEqual([]);
    expect(check(complete, { modules: ["authz_core_module"] })).toEqual([]);
  });
});

describe("configurations without LoadModule lines", () => {
  const all = "mpm_prefork for handling requests as 2.2 does by default";
  const core = "authz_core for every request (without it, all return 500)";

  test("reports all required modules at the first line, also those that may be built in", () => {
    const text = `ServerRoot /etc\nListen 80\n<IfVersion >= 2.2>\nCustomLog a b\n</IfVersion>\n${inDirectory("Order deny,allow", "AuthType Basic")}`;
    const [finding, ...more] = check(text);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      severity: "warning",
      at: "2:1-2:10",
      message: "2.4 needs `LoadModule` lines, but this configuration has none",
      help: ["add a `LoadModule` line for each module that `httpd -l` does not list"],
    });
    expect(listNeeds(text)).toEqual([
      all,
      "access_compat for `Order`",
      "auth_basic for `AuthType Basic`",
      "authn_core for `AuthType`",
      core,
      "log_config for `CustomLog`",
      "unixd for dropping root privileges",
      "version for `<IfVersion>`",
    ]);
  });

  test("reports modules that no line requires, with the effect of their absence", () => {
    const dir = "`/` and every other directory return 404 without `dir_module`";
    const mime = "files have no Content-Type without `mime_module`";
    const server = "httpd reports: AH00534: Configuration error: No MPM loaded.";
    const root = "`unixd_module` is needed for dropping root privileges";
    const ending = (text: string) => {
      const notes = check(`Listen 80\n${text}`)[0]?.notes ?? [];
      return notes.slice(notes.indexOf(root));
    };
    expect(ending("")).toEqual([root, dir, mime, server]);
    expect(ending("DirectoryIndex a\n")).toEqual([root, mime, server]);
    expect(ending("DirectoryIndex a\nAddType a/b .c\n")).toEqual([root, server]);
  });

  test.each([
    ["<IfModule worker.c>\nThreadsPerChild 25\n</IfModule>\n", "mpm_worker for `<IfModule worker.c>`"],
    ["ThreadsPerChild 25\n", "mpm_worker for `ThreadsPerChild`"],
    ["MaxClients 150\n", all],
  ])("selects the MPM by its directives: %j", (text, mpm) => {
    expect(listNeeds(`Listen 80\n${text}`)).toEqual([mpm, core, "unixd for dropping root privileges"]);
  });

  test.each([
    ["a part of a server", "Alias /a /b\n", {}],
    ["a fragment", "Listen 80\n", { kind: "fragment" }],
    ["a `.htaccess` file", "DirectoryIndex a\n", { kind: "htaccess" }],
    ["an Include of a missing file", "Listen 80\nInclude modules.conf\n", {}],
    [
      "a LoadModule line in a conditional section that does not apply",
      `Listen 80\n<IfDefine MODULES>\n${load("alias")}</IfDefine>\n`,
      {},
    ],
    ["a template", "Listen 80\n@@LoadModule@@\n", {}],
    ["a configuration with --modules", "Listen 80\n", { modules: ["alias_module"] }],
    ["a configuration of 2.2", "Listen 80\n", { release: "2.2" }],
  ] as const)("does not report %s", (_, text, given) => {
    expect(check(text, given)).toEqual([]);
  });
});

describe("findings with the same cause", () => {
  const rules = [accessCompatNotLoaded, modulesToLoad, refusedAtStart, unknownDirective];
  const text = `${load("authz_core")}${inDirectory("Order deny,allow", "AuthName x", "Require ip 10")}RewriteEngine on\n`;

  test("are not reported by rules for single lines", () => {
    expect(findingsOf(rules, text, from22).map(({ rule }) => rule)).toEqual(["modules-to-load"]);
  });

  test("are reported by these rules without --from, or if no module fixes them", () => {
    expect(new Set(findingsOf(rules, text).map(({ rule }) => rule))).toEqual(
      new Set(["access-compat-not-loaded", "refused-at-start", "unknown-directive"]),
    );
    expect(findingsOf(rules, `${complete}Ordr x\n`, from22).map(({ rule }) => rule)).toEqual(["unknown-directive"]);
  });

  test("are left to removed-module if it loads the successor", () => {
    const alias = `${complete}${load("authn_alias")}${inDirectory("AuthName x")}`;
    expect(findingsOf([...rules, removedModule], alias, from22).map(({ rule }) => rule)).toEqual(["removed-module"]);
    expect(findingsOf([...rules, removedModule], alias)).toHaveLength(2);
    const disk = `${complete}${load("cache", "disk_cache")}CacheRoot /x\n`;
    expect(findingsOf([modulesToLoad, removedModule], disk, from22).map(({ rule }) => rule)).toEqual([
      "removed-module",
    ]);
  });
});

test.each([
  ["a configuration without --from", inDirectory("Require ip 10"), { modules: ["alias_module"] }],
  ["a configuration with unknown modules", inDirectory("Require ip 10"), from22],
  ["a configuration of 2.2", load("alias") + inDirectory("Order deny,allow"), { ...from22, release: "2.2" }],
  [
    "a `.htaccess` file, which does not affect the start",
    "Require ip 10\n",
    { ...from22, kind: "htaccess", modules: ["alias_module"] },
  ],
  ["a fragment", load("alias") + inDirectory("Require ip 10"), { ...from22, kind: "fragment" }],
  ["a section of a third-party module", `${complete}<Perl>\nOrder x\n</Perl>\n`, from22],
] as const)("does not report %s", (_, text, given) => {
  expect(findingsOf([modulesToLoad], text, given)).toEqual([]);
});

describe("directives in `.htaccess` files", () => {
  const main = `${complete}DocumentRoot /srv\n<Directory /srv>\nAllowOverride All\n</Directory>\n`;
  const having = (text: string) => ({ files: { "/srv/a/.htaccess": text } });

  test("need the modules that 2.2 does not have, without which requests return 500", () => {
    expect(check(main, having("AuthType Basic\nAuthName x\n"))).toMatchObject([
      {
        severity: "error",
        message: "2.4 needs `authn_core_module`, but no line loads it",
        notes: ["`authn_core_module` is needed for `AuthType` in a `.htaccess` file: requests below it return 500"],
      },
    ]);
  });

  test("twin: are not mentioned if the main configuration needs the same module to start", () => {
    const given = having("AuthType Basic\n");
    expect(listNeeds(main + inDirectory("AuthName x"), given)).toEqual(["authn_core for `AuthName`"]);
  });

  test.each(["DirectoryIndex x\n", "RewriteEngine on\n", "ExpiresActive on\n", "Options None\n"])(
    "twin: do not need a module that 2.2 lacks as well, or the core: %s",
    (text) => {
      expect(check(main, having(text))).toEqual([]);
    },
  );
});

test("expects a built-in MPM and no mod_unixd only on Windows and OS/2", () => {
  const text = (file: string) => `LoadModule mime_module modules/${file}\nUser nobody\nOrder allow,deny\n`;
  const modules = (file: string) => listNeeds(text(file)).map((need) => need.replace(/ for .*/, ""));
  expect(modules("mime.dll")).toEqual(["access_compat", "authz_core"]);
  expect(modules("mod_mime.so")).toEqual(["access_compat", "authz_core", "mpm_prefork", "unixd"]);
});
