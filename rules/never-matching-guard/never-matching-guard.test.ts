import { describe, expect, test } from "vitest";
import { applyFixes } from "../../src/lint/apply-fixes.js";
import { findingsOf, type Given, lintText } from "../../test/support/rules.js";
import { neverMatchingGuard } from "./never-matching-guard.js";

const check = (text: string, given?: Given) => findingsOf([neverMatchingGuard], text, given);
const guard = (argument: string, content = "") => `<IfModule ${argument}>\n${content}</IfModule>\n`;
/** Returns the texts of the findings: header, notes, help. */
const describeFindings = (text: string, given?: Given) =>
  check(text, given).map(({ message, notes = [], help = [] }) => [message, ...notes, ...help]);

describe("a name that no module has", () => {
  test("suggests the intended name", () => {
    expect(check(`  ${guard("mod_alias")}`)).toEqual([
      {
        rule: "never-matching-guard",
        severity: "warning",
        at: "1:3-1:23",
        text: "<IfModule mod_alias>",
        message: "`mod_alias` is not the name of a module",
        notes: ["httpd silently ignores the contents of the section"],
        help: ["use `mod_alias.c`"],
        related: [],
      },
    ]);
  });

  test("reports a condition with `!` as always true", () => {
    expect(describeFindings(guard("!mod_authz_core"))).toEqual([
      [
        "`mod_authz_core` is not the name of a module",
        "httpd always applies the contents of the section",
        "use `mod_authz_core.c`",
      ],
    ]);
  });

  test.each([
    ["alias", "mod_alias.c"],
    ["Mod_Alias.c", "mod_alias.c"],
    ["mod_alias.so", "mod_alias.c"],
    ["alias_module.c", "mod_alias.c"],
    ["mod_alias_module", "mod_alias.c"],
    ["mod_ldap.c", "util_ldap.c"],
    ["mpm_prefork", "prefork.c"],
    ["prefork", "prefork.c"],
    ["mod_mpm_worker.c", "worker.c"],
    ["core", "core.c"],
    ["mod_php5", "mod_php5.c"],
    ["php5", "php5_module"],
    ['"mod_php5.so"', "mod_php5.c"],
  ])("corrects %s to %s", (written, intended) => {
    expect(check(guard(written))).toMatchObject([{ help: [`use \`${intended}\``] }]);
  });

  test.each([
    "mod_alias.c",
    "alias_module",
    "!alias_module",
    "util_ldap.c",
    "ldap_module",
    "prefork.c",
    "mpm_prefork_module",
    "mod_php5.c",
    "php5_module",
    "mod_pagespeed.cc",
    "MOD_COMPANY.C",
    `$${"{MODULE}"}`,
    "@MODULE@",
    "%MODULE%",
    "{{ module }}",
  ])("does not report %s", (written) => {
    expect(describeFindings(guard(written))).toEqual([]);
  });

  test.each([
    ["mod_expire.c", "ExpiresActive On", "mod_expires.c"],
    ["mod_header.c", 'Header set X-A "b"', "mod_headers.c"],
    ["mod_heders.c", '<FilesMatch "\\.js$">\nHeader set X-A "b"\n</FilesMatch>', "mod_headers.c"],
    ["header_module", 'Header set X-A "b"', "headers_module"],
    ["mod_rewrtie.c", "RewriteEngine On\nRewriteRule ^a$ /b", "mod_rewrite.c"],
    ["mod_deflates.c", "AddOutputFilterByType DEFLATE text/html", "mod_deflate.c"],
    ["mod_setenv.c", "SetEnvIf A b c", "mod_setenvif.c"],
    ["mod_spelling.c", "CheckSpelling On", "mod_speling.c"],
    ["rewrite_modul", "RewriteEngine On", "mod_rewrite.c"],
    ["rewrite_mod", "RewriteEngine On", "mod_rewrite.c"],
    ["mod_autoindexs.c", "IndexOptions FancyIndexing\nOptions +Indexes", "mod_autoindex.c"],
  ])("corrects %s by the lines of its section", (written, lines, intended) => {
    for (const kind of ["htaccess", "fragment", "server"] as const)
      expect(check(guard(written, `${lines}\n`), { kind })).toMatchObject([{ help: [`use \`${intended}\``] }]);
  });

  test.each([
    ["mod_pagespeed.c", "ModPagespeed on"],
    ["mod_security2.c", "SecRuleEngine Off"],
    ["mod_php7.c", "php_value memory_limit 1G"],
    ["mod_evasive20.c", "DOSPageCount 5"],
    ["mod_fcgid.c", "AddHandler fcgid-script .fcgi"],
    ["mod_authz_ldap.c", "AuthzLDAPServer a\nRequire ldap-user b"],
    ["mod_nss.c", "SSLEngine On"],
    ["mod_jk.c", "JkMount /a b"],
    ["mod_gzip.c", "AddOutputFilterByType DEFLATE text/html"],
    ["mod_setenv.c", "SetEnv A b"],
    ["mod_headers2.c", "RewriteEngine On"],
    ["mod_headerz.c", 'Header set X-A "b"\nHeaderZ on'],
    ["mod_header.c", ""],
    ["mod_headers.c", 'Header set X-A "b"'],
  ])("does not correct %s around %j", (written, lines) => {
    expect(check(guard(written, `${lines}\n`), { kind: "htaccess" })).toEqual([]);
  });

  test("does not report inactive conditional sections, or those of other kinds", () => {
    expect(describeFindings(`<IfVersion < 1.3>\n${guard("mod_alias")}</IfVersion>\n`)).toEqual([]);
    expect(describeFindings("<IfDefine mod_alias>\n</IfDefine>\n<IfFile mod_alias>\n</IfFile>\n")).toEqual([]);
  });
});

describe("a removed module", () => {
  test("is reported with its successor", () => {
    expect(describeFindings(guard("mod_disk_cache.c"))).toEqual([
      [
        "`mod_disk_cache.c` does not exist in 2.4",
        "httpd silently ignores the contents of the section",
        "the module is now called mod_cache_disk",
        "test for `mod_cache_disk.c`",
      ],
    ]);
    expect(describeFindings(guard("!authz_default_module"))).toEqual([
      [
        "`authz_default_module` does not exist in 2.4",
        "httpd always applies the contents of the section",
        "2.4 denies every request that no Require allows",
        "delete the section, but keep its contents",
      ],
    ]);
  });

  test("is reported for 2.2 if it is a module of 2.0", () => {
    expect(describeFindings(guard("mod_access.c"), { release: "2.2" })).toEqual([
      [
        "`mod_access.c` does not exist in 2.2",
        "httpd silently ignores the contents of the section",
        "2.2 replaced it with mod_authz_host; in 2.4, Order, Allow and Deny are in mod_access_compat",
        "test for `mod_authz_host.c`",
      ],
    ]);
  });

  test.each([
    ["mod_access.c", "test for the module of these directives: `mod_authz_host.c` or `mod_access_compat.c`"],
    [
      "mod_auth.c",
      "test for the module of these directives: `mod_auth_basic.c`, `mod_authn_file.c`, `mod_authz_user.c` or `mod_authz_groupfile.c`",
    ],
    ["auth_dbm_module", "test for the module of these directives: `mod_authn_dbm.c` or `mod_authz_dbm.c`"],
    ["mod_auth_anon.c", "test for `mod_authn_anon.c`"],
    ["mod_auth_ldap.c", "test for `mod_authnz_ldap.c`"],
    ["mod_imap.c", "test for `mod_imagemap.c`"],
    ["mod_mem_cache.c", "delete the section with its contents"],
  ])("is reported with the help for %s: %s", (written, advice) => {
    expect(check(guard(written))).toMatchObject([{ help: [advice] }]);
  });

  test.each([
    guard("mod_auth_digest.c"),
    guard("mod_access.c") + guard("mod_access_compat.c"),
    guard("mod_auth.c") + guard("authn_file_module"),
    guard("!mod_auth_dbm.c", guard("mod_authz_dbm.c")),
  ])("is not reported if it still exists, or if a section tests for the new name: %j", (text) => {
    expect(describeFindings(text)).toEqual([]);
  });

  test("is not reported beside a section for the new name", () => {
    expect(describeFindings(guard("mod_disk_cache.c") + guard("mod_cache_disk.c"))).toEqual([]);
    expect(describeFindings(guard("cache_disk_module") + guard("disk_cache_module"))).toEqual([]);
    expect(describeFindings(guard("mod_disk_cache.c") + guard("mod_cache.c"))).toHaveLength(1);
  });

  test("is not reported for 2.2, or in a section for a version", () => {
    expect(describeFindings(guard("mod_disk_cache.c"), { release: "2.2" })).toEqual([]);
    expect(describeFindings(`<IfVersion < 2.4>\n${guard("mod_mem_cache.c")}</IfVersion>\n`)).toEqual([]);
  });

  test("is not reported for 2.2 if it is a module of 2.4", () => {
    expect(describeFindings(guard("mod_authz_core.c"), { release: "2.2" })).toEqual([]);
  });
});

describe("a module of both releases around access control", () => {
  const inside = (text: string) => `<Location />\n${text}</Location>\n`;

  test("does not show whether mod_access_compat directives are available", () => {
    expect(check(inside(guard("mod_authz_host.c", "Allow from all\nOrder allow,deny\n")))).toMatchObject([
      {
        at: "2:1-2:28",
        message: "testing for `mod_authz_host.c` does not show whether `Allow` is available",
        notes: ["`mod_authz_host.c` exists in both 2.2 and 2.4"],
        help: ["test for `mod_access_compat.c`"],
        related: ["httpd.conf:3:1: may not be available"],
      },
    ]);
  });

  test.each([
    ["Require all granted\n", "mod_authz_core.c"],
    ["Require not env x\n", "mod_authz_core.c"],
    ["<RequireAny>\n</RequireAny>\n", "mod_authz_core.c"],
    ["Satisfy any\n", "mod_access_compat.c"],
    [guard("mod_dir.c", "Deny from all\n"), "mod_access_compat.c"],
  ])("is replaced around %j by %s", (content, expected) => {
    for (const name of ["authz_host_module", "mod_version.c"]) {
      expect(check(inside(guard(name, content)))).toMatchObject([{ help: [`test for \`${expected}\``] }]);
    }
  });

  test.each([
    ["other directives", "DirectoryIndex x\n"],
    ["directives of mod_authz_host", "Require ip 10\nRequire host example.org\nRequire local\n"],
    ["directives of both releases", "Require valid-user\n"],
    ["an inner section for the right module", guard("mod_access_compat.c", "Order allow,deny\n")],
    ["an inner section for a version", "<IfVersion < 3>\nOrder allow,deny\n</IfVersion>\n"],
  ])("is not reported around %s", (_, content) => {
    expect(describeFindings(inside(guard("mod_authz_host.c", content)))).toEqual([]);
  });

  test("is not reported in another section, with a `!`, for other modules, or for 2.2", () => {
    const order = "Order allow,deny\n";
    expect(describeFindings(inside(guard("mod_access_compat.c", guard("mod_authz_host.c", order))))).toEqual([]);
    expect(describeFindings(inside(guard("!mod_authz_host.c", order)))).toEqual([]);
    expect(describeFindings(inside(guard("mod_dir.c", order)))).toEqual([]);
    expect(describeFindings(inside(guard("mod_authz_host.c", order)), { release: "2.2" })).toEqual([]);
  });
});

describe("words that httpd does not read", () => {
  test.each([
    [
      "<IfModule not mod_ssl.c>",
      [
        "`not` does not negate `<IfModule>`",
        "`<IfModule>` tests only for that name",
        "httpd silently ignores the contents of the section",
        "use `<IfModule !mod_ssl.c>`",
      ],
    ],
    [
      "<IfDefine NOT Proxy>",
      [
        "`NOT` does not negate `<IfDefine>`",
        "`<IfDefine>` tests only for that name",
        "httpd silently ignores the contents of the section",
        "use `<IfDefine !Proxy>`",
      ],
    ],
    [
      "<IfModule mod_dir.c mod_ssl.c>",
      [
        "`<IfModule>` ignores `mod_ssl.c` after `mod_dir.c`",
        "`<IfModule>` reads only one name",
        "nest a section for each name",
        "or delete `mod_ssl.c`",
      ],
    ],
    [
      "<IfModule !mod_dir.c && !mod_ssl.c>",
      [
        "`<IfModule>` ignores `&& !mod_ssl.c` after `mod_dir.c`",
        "`<IfModule>` reads only one name",
        "nest a section for each name",
        "or delete `&& !mod_ssl.c`",
      ],
    ],
    [
      '<IfModule "!mod_dir.c">',
      [
        "a `!` inside quotes is part of the name in `<IfModule>`",
        "httpd silently ignores the contents of the section",
        "use `<IfModule !mod_dir.c>`",
      ],
    ],
    [
      "<IfModule !!mod_dir.c>",
      [
        "the second `!` is part of the name in `<IfModule>`",
        "httpd always applies the contents of the section",
        "use `<IfModule mod_dir.c>`",
      ],
    ],
    [
      "<IfModule mod_dir.c,mod_ssl.c>",
      [
        "`mod_dir.c,mod_ssl.c` is not the name of a module",
        "httpd silently ignores the contents of the section",
        "nest a section for each name",
      ],
    ],
  ])("reports %s", (opening, texts) => {
    const closing = /^<\w+/.exec(opening)?.[0].replace("<", "</");
    const text = `${opening}\n${closing}>\n`;
    expect(check(text)).toMatchObject([{ at: `1:1-1:${opening.length + 1}` }]);
    expect(describeFindings(text)).toEqual([texts]);
  });

  test.each([
    "<IfModule ! mod_dir.c>\n</IfModule>\n",
    "<IfModule mod_dir.c # for the index>\n</IfModule>\n",
    "<IfModule mod_dir.c > # for the index\n</IfModule>\n",
    "<IfDefine not>\n</IfDefine>\n",
    "<IfVersion >= 2.4 >\n</IfVersion>\n",
    '<IfFile "a b">\n</IfFile>\n',
  ])("does not report %j", (text) => {
    expect(check(text)).toEqual([]);
  });
});

test("does not report a section for another server", () => {
  expect(findingsOf([neverMatchingGuard], "<IfModule LiteSpeed>\nOptions None\n</IfModule>\n")).toEqual([]);
});

describe("a version without its last number", () => {
  test.each([
    [
      "2.4",
      [
        "`2.4` in `<IfVersion>` means only 2.4.0",
        "all other versions ignore the contents of the section",
        "use `<IfVersion ~ ^2\\.4\\.>` for all of 2.4",
      ],
    ],
    [
      "= 2.4",
      [
        "`2.4` in `<IfVersion>` means only 2.4.0",
        "all other versions ignore the contents of the section",
        "use `<IfVersion ~ ^2\\.4\\.>` for all of 2.4",
      ],
    ],
    [
      "== 2",
      [
        "`2` in `<IfVersion>` means only 2.0.0",
        "all other versions ignore the contents of the section",
        "use `<IfVersion ~ ^2\\.>` for all of 2",
      ],
    ],
    [
      "!= 2.4",
      [
        "`2.4` in `<IfVersion>` means only 2.4.0",
        "all other versions apply the contents of the section",
        "use `<IfVersion !~ ^2\\.4\\.>` for all of 2.4",
      ],
    ],
    [
      "<= 2.4",
      [
        "`2.4` in `<IfVersion>` means only 2.4.0",
        "releases after 2.4.0 ignore the contents of the section",
        "use `<IfVersion < 2.5>` for all of 2.4 and older",
      ],
    ],
  ])("reports %s", (written, texts) => {
    const text = `<IfVersion ${written}>\n</IfVersion>\n`;
    expect(check(text)).toMatchObject([{ severity: "warning" }]);
    expect(describeFindings(text)).toEqual([texts]);
  });

  test.each(["2.4.0", "= 2.4.71", ">= 2.4", "< 2.4", "> 2.4", "~ 2.4", "= /^2.4/", "!~ ^2"])(
    "does not report %s",
    (written) => {
      expect(describeFindings(`<IfVersion ${written}>\n</IfVersion>\n`)).toEqual([]);
    },
  );

  test("suggests a condition that is true", () => {
    for (const written of ["~ ^2\\.4\\.", "< 2.5", "!~ ^2\\.2\\."])
      expect(describeFindings(`<IfVersion ${written}>\n${guard("mod_alias")}</IfVersion>\n`)).toHaveLength(1);
  });
});

describe("a section in one with the opposite condition", () => {
  const define = (name: string, content: string) => `<IfDefine ${name}>\n${content}</IfDefine>\n`;

  test.each([
    [guard("mod_dir.c", guard("!mod_dir.c")), "<IfModule !mod_dir.c>", "!mod_dir.c"],
    [guard("mod_dir.c", guard("!dir_module")), "<IfModule !dir_module>", "!dir_module"],
    [guard("mod_dir.c", guard("mod_env.c", guard("!mod_dir.c"))), "<IfModule !mod_dir.c>", "!mod_dir.c"],
    [define("!A", define("A", "")), "<IfDefine A>", "A"],
  ])("reports %j", (text, opening, name) => {
    expect(check(text, { kind: "htaccess" })).toMatchObject([
      {
        text: opening,
        message: `condition \`${name}\` is always false inside the opposite \`${opening.split(" ")[0]}>\``,
      },
    ]);
  });

  test.each([
    guard("mod_dir.c", guard("!mod_env.c")),
    guard("mod_dir.c") + guard("!mod_dir.c"),
    define("!A", `Define A\n${define("A", "")}`),
  ])("does not report %j", (text) => {
    expect(check(text)).toEqual([]);
  });
});

describe("the fix", () => {
  const fixed = (text: string) =>
    applyFixes(lintText([neverMatchingGuard], text), () => true).texts.get("/etc/httpd/httpd.conf");

  test.each([
    [guard("mod_disk_cache.c"), guard("mod_cache_disk.c")],
    [guard('!"disk_cache_module"'), guard('!"cache_disk_module"')],
    [guard("mod_mem_cache.c"), undefined],
    [guard("mod_auth.c"), undefined],
  ])("changes %j to %j", (text, after) => {
    expect(fixed(text)).toBe(after);
  });
});

test("reports a section for an MPM of another system as an info, and for a removed module as a warning", () => {
  const severities = (name: string) =>
    findingsOf([neverMatchingGuard], `<IfModule ${name}>\n</IfModule>\n`).map(({ severity }) => severity);
  expect(severities("beos.c")).toEqual(["info"]);
  expect(severities("mod_mem_cache.c")).toEqual(["warning"]);
});

describe("denials that only 2.2 reads", () => {
  const old = guard("!mod_authz_core.c", "Order deny,allow\nDeny from all\n");
  const given: Given = { kind: "htaccess" };
  const find = (text: string) => describeFindings(text, given).filter(([message]) => message?.startsWith("nothing"));

  test.each([
    [
      "of every client",
      old,
      "nothing denies access in 2.4: only `<IfModule !mod_authz_core.c>` has `Deny` lines",
      "add `Require all denied` in `<IfModule mod_authz_core.c>`",
    ],
    [
      "by a section for files",
      guard("!authz_core_module", '<Files "*.ini">\nDeny from all\n</Files>\n'),
      "nothing denies access in 2.4: only `<IfModule !authz_core_module>` has `Deny` lines",
      "add `Require all denied` in `<IfModule mod_authz_core.c>`",
    ],
    [
      "with exceptions",
      guard("!mod_authz_core.c", "Order deny,allow\nDeny from all\nAllow from 10.1\n"),
      "nothing denies access in 2.4: only `<IfModule !mod_authz_core.c>` has `Deny` lines",
      "add the equivalent `Require` lines in `<IfModule mod_authz_core.c>`",
    ],
    [
      "by version",
      "<IfVersion < 2.4>\nDeny from all\n</IfVersion>\n",
      "nothing denies access in 2.4: only `<IfVersion < 2.4>` has `Deny` lines",
      "add `Require all denied` in `<IfVersion >= 2.4>`",
    ],
  ])("are reported: %s", (_, text, message, help) => {
    expect(find(`Options -Indexes\n${text}`)).toEqual([
      [message, "2.4 ignores the contents of the section", "the file has no access rules that 2.4 reads", help],
    ]);
  });

  test.each([
    ["with their counterpart", `${old}${guard("mod_authz_core.c", "Require all denied\n")}`],
    ["with a counterpart that another file has", `${old}${guard("mod_authz_core.c", "Include lan.conf\n")}`],
    ["with a counterpart by version", `${old}<IfVersion >= 2.4>\nRequire all denied\n</IfVersion>\n`],
    ["with other access rules of 2.4", `${old}Require ip 10.1\n`],
    ["of lines that allow", guard("!mod_authz_core.c", "Order allow,deny\nAllow from all\n")],
    ["in a section that 2.4 reads", guard("mod_access_compat.c", "Order deny,allow\nDeny from all\n")],
    ["after the section", `${guard("!mod_authz_core.c", "Options None\n")}# Deny from all\n`],
  ])("are not reported %s", (_, text) => {
    expect(find(text)).toEqual([]);
  });

  test.each(["2.4.29", "rhel-8"] as const)("are reported for %s", (release) => {
    expect(describeFindings(old, { ...given, release })).toHaveLength(1);
  });

  test("are denials for 2.2", () => {
    expect(describeFindings(old, { ...given, release: "2.2" })).toEqual([]);
  });
});

describe("the PHP of another release", () => {
  const modules = ["mpm_prefork", "unixd", "authz_core"].map((name) => `LoadModule ${name}_module mod_${name}.so\n`);
  const withPhp = (id: string, text: string) => check(`${modules.join("")}LoadModule ${id} libphp.so\n${text}`);

  test.each([
    ["php_module", "mod_php5.c", "mod_php.c"],
    ["php_module", "php7_module", "mod_php.c"],
    ["php7_module", "mod_php5.c", "mod_php7.c"],
  ])("%s, and a section for %s", (id, name, file) => {
    expect(withPhp(id, guard(name, "php_flag engine off\n"))).toMatchObject([
      { text: `<IfModule ${name}>`, help: [`test for \`${file}\`, too`] },
    ]);
  });

  test.each([
    ["php_module", guard("mod_php.c")],
    ["php_module", guard("mod_php5.c") + guard("mod_php.c")],
    ["php_module", guard("mod_php7.c") + guard("php_module")],
    ["php_module", guard("!mod_php5.c")],
    ["php7_module", guard("mod_php7.c")],
  ])("%s, and not for %j", (id, text) => {
    expect(withPhp(id, text)).toEqual([]);
  });

  test("without PHP, or without the list of modules", () => {
    expect(check(`${modules.join("")}${guard("mod_php5.c")}`)).toEqual([]);
    expect(check(guard("mod_php5.c"), { kind: "htaccess" })).toEqual([]);
  });
});
