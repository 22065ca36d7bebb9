import { describe, expect, test } from "vitest";
import { findingsOf, type Given, inDirectory, textOf } from "../../test/support/rules.js";
import { implicitRequireAny } from "../implicit-require-any/implicit-require-any.js";
import { mixedAccessControl } from "../mixed-access-control/mixed-access-control.js";
import { modulesToLoad } from "../modules-to-load/modules-to-load.js";
import { neverMatchingName } from "../never-matching-name/never-matching-name.js";
import { refusedAtStart } from "../refused-at-start/refused-at-start.js";
import { thirdPartyModule } from "../third-party-module/third-party-module.js";
import { unknownDirective } from "./unknown-directive.js";

const check = (text: string, given?: Given) => findingsOf([unknownDirective], text, given);
const describeFindings = (text: string, given?: Given) =>
  check(text, given).map((each) => `${each.at}: ${textOf(each)}`);

describe("an unknown name", () => {
  test("is reported with the intended name", () => {
    expect(check("Listen 80\n  Ordr allow,deny\n")).toEqual([
      {
        rule: "unknown-directive",
        severity: "error",
        at: "2:3-2:7",
        text: "Ordr",
        message: "unknown directive `Ordr`",
        label: "not a directive of httpd 2.4 or of any known module",
        notes: ["httpd will not start"],
        help: ["did you mean `Order`?"],
        related: [],
      },
    ]);
  });

  test("of a section replaces findings for its contents", () => {
    expect(describeFindings("<Frobnicate>\nOrdr x\n</Frobnicate>\nOrdr x\n").map((each) => each.split(":")[0])).toEqual(
      ["1", "4"],
    );
  });

  test("of a section keeps its brackets", () => {
    expect(describeFindings("<Directry /x>\n</Directry>\n")).toEqual([
      "1:1-1:10: unknown directive `<Directry>` | label: not a directive of httpd 2.4 or of any known module | note: httpd will not start | help: did you mean `<Directory>`?",
    ]);
  });

  test("of a section may lack its bracket, or have a space after it", () => {
    expect(describeFindings("Directory /x>\n</Directory>\n")).toEqual([
      "1:1-1:10: missing `<` before section `Directory` | note: httpd will not start | help: use `<Directory`",
    ]);
    expect(describeFindings("< Directory /x>\n</Directory>\n")).toEqual([
      "1:1-1:2: space between `<` and the name of the section | note: httpd will not start | help: use `<Directory`",
    ]);
    expect(describeFindings("< VirtualHost *:80 >\n</VirtualHost>\n")[0]).toContain("help: use `<VirtualHost`");
    expect(describeFindings("< >\n</>\n")[0]).toContain("help: delete the space");
    expect(describeFindings("Directory /x\n")[0]).toContain("not a directive of httpd 2.4");
  });

  test.each([
    ["AddOutputFilterByTypeByType DEFLATE text/html", "AddOutputFilterByType"],
    ["RewriteRewriteEngine on", "RewriteEngine"],
    ["RewriteEngineEngin on", "RewriteEngine"],
    ["<DirectoryDirectory /a>\n</DirectoryDirectory>", "<Directory>"],
  ])("may have a part twice: %s", (line, meant) => {
    expect(describeFindings(`${line}\n`)[0]).toMatch(new RegExp(`help: did you mean \`${meant}\`\\?$`));
  });

  test.each(["AnAnAn on", "AbcdAbcd on", `${"x".repeat(200)} on`])("has no similar one: %s", (line) => {
    expect(describeFindings(`${line}\n`)[0]).not.toContain("did you mean");
  });

  // A live 2.4.71 does not start with the first group.
  describe("of a web page", () => {
    const page = '<head>\n<meta charset="utf-8">\n<title>a</title>\n</head>\n<body>\nOrdr x\n</body>\n</html>\n';
    const finding = "the file contains an HTML page, not a configuration | note: httpd will not start |";

    test.each([`<!DOCTYPE html>\n<html lang="en">\n${page}`, `\n\n<html>\n${page}`, `<!doctype html>\n<p>a`])(
      "is the only finding in its file: %j",
      (text) => {
        const found = describeFindings(text);
        expect(found).toHaveLength(1);
        expect(found[0]).toContain(finding);
        expect(found[0]).toContain("help: download the file itself");
      },
    );

    test("leaves the findings of the lines before it", () => {
      expect(describeFindings(`Ordr x\n<!DOCTYPE html>\n<html>\n${page}`).map((each) => each.split(":")[0])).toEqual([
        "1",
        "2",
      ]);
    });

    test("is not found in other sections without a known name", () => {
      expect(describeFindings("<Htm>\n</Htm>\n")[0]).toContain("unknown directive");
    });
  });

  test("has other help if no name is similar", () => {
    expect(describeFindings("Frobnicate on\n")).toEqual([
      "1:1-1:11: unknown directive `Frobnicate` | label: not a directive of httpd 2.4 or of any known module | note: httpd will not start | help: correct the name, or load the module that defines it",
    ]);
  });

  test("is reported at each place, with its effect there", () => {
    const text = 'DocumentRoot "/srv"\nOrdr x\n<Location />\nOrdr x\n</Location>\n';
    const findings = check(text, { files: { "/srv/.htaccess": "<Files x>\nOrdr x\n</Files>\n" } });
    const expected = ["2:1-2:5", "4:1-4:5", "2:1-2:5"];
    expect(findings.map((each) => each.at)).toEqual(expected);
    expect(findings.map((each) => each.notes?.includes("requests below this directory return 500"))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

describe("a module that is not loaded", () => {
  const given = { modules: ["core"] };

  test("is reported by its identifier if it is an MPM", () => {
    expect(describeFindings("MinSpareServers 2\n", given)).toEqual([
      "1:1-1:16: `MinSpareServers` needs `mpm_prefork_module`, which is not loaded | note: httpd will not start | help: load the module, or delete the lines that need it",
    ]);
  });

  test("is reported by its file name if it is not an MPM", () => {
    expect(describeFindings("RewriteEngine on\n", given)).toEqual([
      "1:1-1:14: `RewriteEngine` needs `mod_rewrite`, which is not loaded | note: httpd will not start | help: add `LoadModule rewrite_module modules/mod_rewrite.so` | help: or delete the lines that need it",
    ]);
  });

  test("is reported once for a third-party module, also for the upgrade", () => {
    const rules = [unknownDirective, thirdPartyModule];
    const text = "LoadModule mime_module x.so\nLoadModule env_module x.so\nPassengerEnabled on\nPassengerRuby x\n";
    expect(findingsOf(rules, text, { from: "2.2" }).map(({ rule, text: line }) => [rule, line])).toEqual([
      ["unknown-directive", "PassengerEnabled"],
    ]);
  });

  test("is reported by its identifier and package if it is a third-party module", () => {
    expect(describeFindings("PassengerEnabled on\n", given)).toEqual([
      "1:1-1:17: `PassengerEnabled` needs third-party module `passenger_module`, which is not loaded | note: httpd will not start | note: Debian's package libapache2-mod-passenger contains the module | help: load the module, or delete the lines that need it",
    ]);
  });

  test.each([
    ["php_flag engine off", 'to disable PHP here, use `<FilesMatch "\\.php$">` with `Require all denied` instead'],
    ["php_flag engine 0", 'to disable PHP here, use `<FilesMatch "\\.php$">` with `Require all denied` instead'],
    [
      "php_value memory_limit 1G",
      "with PHP-FPM, set the value in `.user.ini`, or put the line into `<IfModule mod_php.c>` (before PHP 8: `mod_php7.c` or `mod_php5.c`)",
    ],
    ["php_admin_value open_basedir /srv", "with PHP-FPM, set the value in the file of its pool, or load the module"],
  ])("names what replaces `%s` with PHP-FPM", (line, help) => {
    const [text] = describeFindings(`${line}\n`, given);
    expect(text).toContain("needs third-party module");
    expect(text?.endsWith(`| help: ${help}`)).toBe(true);
  });

  test.each([
    ["php_flag engine off", 'use `<FilesMatch "\\.php$">` with `Order allow,deny` and `Deny from all` instead'],
    ["php_value memory_limit 1G", "or put the line into `<IfModule mod_php5.c>`"],
  ])("names what 2.2 has for `%s`", (line, help) => {
    const [text] = describeFindings(`${line}\n`, { ...given, release: "2.2" });
    expect(text?.endsWith(help)).toBe(true);
  });

  test("is reported once, at the first line that needs it", () => {
    const files = { "/etc/httpd/a.conf": "RewriteEngine on\nHeader unset X\n" };
    const line = "RewriteRule a b\n";
    const text = `${line.repeat(3)}<Location />\nPassengerEnabled on\n${line.repeat(2)}</Location>\nInclude a.conf\n`;
    const findings = check(text, { ...given, files });
    expect(findings.map(({ at, message }) => [at, message.replace(/^.*, /, "")])).toEqual([
      ["1:1-1:14", "which is not loaded; 5 more lines need it"],
      ["2:1-2:7", "which is not loaded"],
      ["5:1-5:17", "which is not loaded"],
    ]);
    expect(findings[0]?.related).toEqual([1, 2, 3].map((n) => `httpd.conf:${n}:1: also needs the module`));
  });

  test("is reported once for a macro that is used twice", () => {
    const loaded = { modules: ["core", "macro_module"] };
    expect(check("<Macro M>\nRewriteEngine on\n</Macro>\nUse M\nUse M\n", loaded)).toMatchObject([
      {
        text: "RewriteEngine on",
        help: ["add `LoadModule rewrite_module modules/mod_rewrite.so`", "or delete the lines that need it"],
      },
    ]);
  });

  test("is reported for LoadModule lines, too", () => {
    const lines = "LoadModule env_module x.so\nSetEnv a b\nRewriteEngine on\n";
    expect(describeFindings(`LoadModule mime_module x.so\n${lines}`)).toHaveLength(1);
  });

  test.each([
    ["no base module", "LoadModule php5_module x.so\nRewriteEngine on\nRequire all granted\n"],
    [
      "an Include of module files without a match",
      "LoadModule mime_module x.so\nIncludeOptional mods-enabled/*.load\nRewriteEngine on\n",
    ],
  ])("is not reported if the LoadModule lines are incomplete: %s", (_, text) => {
    expect(describeFindings(text)).toEqual([]);
  });
});

test("reports a directive of the other release", () => {
  const given = { release: "2.2" } as const;
  expect(describeFindings("LockFile /x\n")).toEqual([
    "1:1-1:9: `LockFile` is not a directive of httpd 2.4 | note: httpd will not start | note: it is a directive of 2.2 | help: delete it, or put it in an `<IfVersion>` section",
  ]);
  expect(describeFindings("Mutex default\n", given)).toEqual([
    "1:1-1:6: `Mutex` is not a directive of httpd 2.2 | note: httpd will not start | note: it is a directive of 2.4 | help: delete it, or put it in an `<IfVersion>` section",
  ]);
  expect(describeFindings("LockFile /x\n", given)).toEqual([]);
});

const loading = "LoadModule passenger_module x.so\n";

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["a known name, in any case", "sErVeRnAmE x\n"],
    ["a third-party name if the modules are unknown", "PassengerEnabled on\n"],
    ["a name of an optional module of 2.4 if the modules are unknown", "SSLEngine on\n"],
    ["a directive of a loaded third-party module", `${loading}PassengerEnabled on\n`],
    ["a third-party name in mixed case", "Auth_memCookie_Memcached_AddrPort 127.0.0.1:11211\n"],
    ["a directive of a module with a version in its name", "LoadModule php5_module x.so\nphp_value a b\n"],
    [
      "any name in a section for a loaded module that is not known",
      "LoadModule company_module x.so\n<IfModule company_module>\nFrobnicate on\n</IfModule>\n",
    ],
    [
      "a conditional section that does not apply",
      "<IfModule mod_nothing.c>\nOrdr x\n</IfModule>\n",
      { modules: ["core"] },
    ],
    ["a section for a version that does not apply", "<IfVersion < 2.4>\nLockFile /x\n</IfVersion>\n"],
    ["a program in a section of a third-party module", "<Perl>\nuse Frobnicate;\nif ($x) {\n</Perl>\n"],
    ["tags of a template", "@@LoadModule@@ x\n%alias%\n%ssl%SSLEngine on\n{{ lines }}\n"],
    ["a comment", "# Ordr x\n"],
  ])("%s", (_, text, given) => {
    expect(describeFindings(text, given)).toEqual([]);
  });
});

describe("reports a name", () => {
  test("for the httpd of a distribution", () => {
    const [finding] = describeFindings("RedirectRelative On\n", { release: "rhel-6" });
    expect(finding).toContain("`RedirectRelative` is not a directive of httpd 2.2.15 of rhel-6");
  });

  test("in a macro that no line uses", () => {
    const [finding] = describeFindings("<Macro M>\nOrdr x\n</Macro>\n");
    expect(finding).toContain("no `Use` line in effect uses `<Macro M>` on line 1; this applies if one does");
  });

  test("that a known third-party module does not define", () => {
    expect(describeFindings(`${loading}Frobnicate on\n`)).toHaveLength(1);
  });

  test("that a module of the other release does not define", () => {
    expect(describeFindings("LoadModule authz_default_module x.so\nFrobnicate on\n")).toHaveLength(1);
  });

  test("in a conditional section that applies", () => {
    expect(describeFindings("<IfModule !mod_nothing.c>\nOrdr x\n</IfModule>\n")).toHaveLength(1);
  });

  test("in a macro that is used", () => {
    expect(check("<Macro M>\n  Ordr x\n</Macro>\nUse M\nUse M\n")).toMatchObject([
      { at: "2:3-2:9", related: ["httpd.conf:4:1: the macro `m` is used here"] },
    ]);
  });
});

describe("a missing module", () => {
  const access = "AuthGroupFile groups\nRequire group staff\nRequire ip 10\nOrder deny,allow\nRequire user a,b\n";
  const rules = [unknownDirective, refusedAtStart, implicitRequireAny, mixedAccessControl, neverMatchingName];

  test("is reported once, by the rule of the first line that needs it", () => {
    const [finding, ...others] = findingsOf(
      [unknownDirective, refusedAtStart],
      inDirectory("AuthGroupFile groups", "Require group staff"),
      {
        modules: ["authz_core"],
      },
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ rule: "unknown-directive", text: "AuthGroupFile" });
    expect(finding?.message).toContain("; 1 more line needs it");
    expect(finding?.related).toEqual(["httpd.conf:3:9: also needs the module"]);
  });

  test("is not followed by findings of rules for Require", () => {
    const given = { modules: ["authz_groupfile", "access_compat"] };
    expect(findingsOf(rules, inDirectory(access), given).map(({ rule }) => rule)).toEqual(["unknown-directive"]);
    const loaded = { modules: [...given.modules, "authz_core", "authz_host", "authz_user"] };
    expect(findingsOf(rules, inDirectory(access), loaded).map(({ rule }) => rule)).not.toEqual([]);
  });
});

test("reports a byte order mark", () => {
  const marked = "\uFEFF";
  const text = {
    message: "the file begins with a byte order mark",
    notes: ["httpd will not start", "httpd reads it as part of the first directive name"],
    help: ["save the file as UTF-8 without a byte order mark"],
  };
  for (const line of ["Listen 80", "# a comment"])
    expect(check(`${marked}${line}\nListen 81\n`)).toMatchObject([{ severity: "error", ...text }]);
});

describe("a module in a section that does not apply", () => {
  const inSection = (argument: string) =>
    `LoadModule mime_module modules/mod_mime.so\n<IfModule ${argument}>\n<IfModule !x.c>\n</IfModule>\n  LoadModule php5_module modules/libphp5.so\n</IfModule>\nphp_flag engine on\n`;

  test("is reported with its section", () => {
    expect(findingsOf([unknownDirective], inSection("prefork.c"))).toMatchObject([
      {
        notes: [
          "httpd will not start",
          "`LoadModule php5_module` is in `<IfModule prefork.c>`, whose condition is false",
        ],
        related: ["httpd.conf:5:3: loads the module, but is not read"],
      },
    ]);
    const text =
      "LoadModule mime_module modules/mod_mime.so\n<IfDefine SSL>\nLoadModule ssl_module modules/mod_ssl.so\n</IfDefine>\nSSLEngine on\n";
    expect(findingsOf([unknownDirective], text)[0]?.notes).toContain(
      "`LoadModule ssl_module` is in `<IfDefine SSL>`, whose condition is false",
    );
  });

  test("is not reported if the section applies, or without a line in it", () => {
    expect(findingsOf([unknownDirective], inSection("mime_module"))).toEqual([]);
    const after = "LoadModule mime_module modules/mod_mime.so\n<IfModule prefork.c>\n</IfModule>\nphp_flag engine on\n";
    expect(findingsOf([unknownDirective], after)[0]?.related).toEqual([]);
  });

  test("is not reported if the upgrade adds the module that the section tests for", () => {
    const listRules = (argument: string) =>
      findingsOf([unknownDirective, modulesToLoad], inSection(argument), { from: "2.2" }).map(({ rule }) => rule);
    expect(listRules("prefork.c")).toEqual(["modules-to-load"]);
    expect(listRules("mod_foo.c")).toContain("unknown-directive");
  });
});

test("reports directives of 1.3 once each, with any loaded modules, but not other unknown names", () => {
  const text = (name: string) => `LoadModule foo_module foo.so\n${name} mod_a.c\n${name} mod_b.c\n`;
  expect(findingsOf([unknownDirective], text("AddModule"))).toMatchObject([
    {
      message: "`AddModule` was removed in 2.0, here and in 1 more line",
      help: ["delete the line: 2.x initializes modules in the right order"],
      related: ["httpd.conf:3:1: same here"],
    },
  ]);
  expect(findingsOf([unknownDirective], text("AddModules"))).toMatchObject([{ severity: "info" }]);
});

test.each([
  ["AuthAuthoritative off", "`AuthAuthoritative` was removed in 2.2", "use `AuthBasicAuthoritative`"],
  ["AuthDigestFile conf/digest", "`AuthDigestFile` was removed in 2.2", "use `AuthUserFile`"],
  ["AuthLDAPEnabled on", "`AuthLDAPEnabled` was removed in 2.2", "use `AuthBasicProvider ldap`"],
])("reports %s, which only 2.0 has", (line, message, help) => {
  const text = `LoadModule authn_core_module mod_authn_core.so\n<Directory /a>\n${line}\n</Directory>\n`;
  expect(findingsOf([unknownDirective], text)).toMatchObject([{ message, help: [help] }]);
});

describe("a name that a module may define which is not known", () => {
  const load = (...names: readonly string[]) => names.map((name) => `LoadModule ${name}_module ${name}.so\n`).join("");
  const summarize = (text: string, given?: Given) =>
    check(text, given).map(({ severity, message, notes = [] }) => [severity, message, notes[0]]);

  test("is information, once for all names", () => {
    expect(summarize(`${load("company")}Frobnicate on\nFrobnicate off\n<FrobArea>\n</FrobArea>\n`)).toEqual([
      [
        "info",
        "`Frobnicate` is not a known directive, like 2 more lines",
        "httpd-lint does not know the directives of `company_module`, which may define it",
      ],
    ]);
  });

  test("names all such modules", () => {
    expect(summarize(`${load("company", "branch")}Frobnicate on\n`)[0]?.[2]).toBe(
      "httpd-lint does not know the directives of `company_module` and `branch_module`, one of which may define it",
    );
  });

  test("is a warning if it is a misspelling", () => {
    expect(check(`${load("company")}DirectoryIdnex x\n`)).toMatchObject([
      { severity: "warning", text: "DirectoryIdnex", help: ["did you mean `DirectoryIndex`?"] },
    ]);
  });

  test("belongs to a loaded module with such names, if there is one", () => {
    expect(summarize(`${load("company", "rpaf")}RPAF_Enable On\n`)[0]?.[1]).toBe(
      "`RPAF_Enable` is not a known directive of `rpaf_module`",
    );
  });

  test("belongs to the module that a section around it names, not to one with such names", () => {
    const inSection = (name: string) => `<IfModule ${name}_module>\nMaxProcessors 2\n</IfModule>\n`;
    expect(summarize(`${load("mpm_peruser", "fcgid")}${inSection("mpm_peruser")}`)).toEqual([]);
    expect(summarize(`${load("mpm_peruser", "fcgid")}${inSection("fcgid")}`)[0]?.[1]).toBe(
      "`MaxProcessors` is not a known directive of `fcgid_module`",
    );
  });

  test("does not belong to a module with such names that is not loaded", () => {
    expect(summarize(`${load("company")}SetSysEnv a\n`)[0]?.[1]).toBe("`SetSysEnv` is not a known directive");
  });

  test.each<[string, Given]>([
    ["unless another module of the server defines it, httpd will not start", { kind: "fragment" }],
    ["unless another module of the server defines it, requests below this directory return 500", { kind: "htaccess" }],
  ])("is a warning in a part of a server: %s (%j)", (note, given) => {
    expect(summarize("Frobnicate on\n", given)).toEqual([["warning", "unknown directive `Frobnicate`", note]]);
    expect(check("Ordr x\n", given)).toMatchObject([{ severity: "error" }]);
  });

  test("is an error if all modules are known", () => {
    expect(check(`${load("authz_core", "unixd")}Frobnicate on\n`)).toMatchObject([{ severity: "error" }]);
  });

  test("names the module that is not loaded if it begins like those of one", () => {
    expect(check(`${load("authz_core", "unixd")}ModPagespeedNew on\nModPagespeedOther on\n`)).toMatchObject([
      {
        severity: "error",
        message:
          "`ModPagespeedNew` begins like the directives of `pagespeed_module`, which is not loaded; 1 more line needs it",
      },
    ]);
  });
});

describe("a name that begins like the directives of a known third-party module", () => {
  const loadModules = (...names: readonly string[]) =>
    ["authz_core", ...names].map((name) => `LoadModule ${name}_module modules/mod_${name}.so\n`).join("");
  const severities = (text: string, given?: Given) => check(text, given).map(({ severity }) => severity);

  test("may belong to another version of the module, and is reported once", () => {
    expect(describeFindings(`${loadModules("rpaf")}RPAF_Enable On\nRPAF_ProxyIPs 10.0.0.1\n`)).toEqual([
      "3:1-3:12: `RPAF_Enable` is not a known directive of `rpaf_module`, like 1 more line | note: another version of the module may define it | note: if it does not, httpd will not start | help: check the name in the documentation of the module",
    ]);
  });

  test.each([
    ["pagespeed", "ModPagespeedNewFilter on"],
    ["security2", "SecNewSetting on"],
    ["auth_openidc", "OIDCNewSetting on"],
    ["qos", "QS_NewSetting 1"],
    ["passenger", "PassengerNewSetting 1"],
    ["jk", "JkNewSetting 1"],
  ])("is information if mod_%s is loaded: %s", (module, line) => {
    expect(severities(`${loadModules(module)}${line}\n`)).toEqual(["info"]);
  });

  test("is information in a fragment, whose modules are not known", () => {
    expect(severities("RPAF_Enable On\n", { kind: "fragment" })).toEqual(["info"]);
  });

  test.each([
    ["another module is loaded", `${loadModules("jk")}RPAF_Enable On\n`],
    ["it is close to a directive of httpd", `${loadModules("security2")}ServerNam x\n`],
    ["no module has such names", `${loadModules("rpaf")}Frobnicate On\n`],
    ["directives of httpd begin more like it", `${loadModules("authnz_external")}AuthUserFoobar x\n`],
  ])("is an error if %s", (_, text) => {
    expect(severities(text)).toEqual(["error"]);
  });
});

describe("a line that continues another one without a backslash", () => {
  test.each<[string, string, number]>([
    ["Require ip 10.0.0.0/8\n  192.168.0.0/16\n  172.16.0.0/12", "192.168.0.0/16", 1],
    ["ServerAlias a.example.org\n  b.example.org", "b.example.org", 0],
    [
      "SSLCipherSuite ECDHE-RSA-AES128-GCM-SHA256:\nECDHE-RSA-AES256-GCM-SHA384:\nDHE-RSA-AES128-GCM-SHA256",
      "ECDHE-RSA-AES256-GCM-SHA384:",
      1,
    ],
    ["Header set X-A a;\n  script-src 'self'", "script-src", 0],
    ["RewriteRule ^a$ /b\n  [R=301,L]", "[R=301,L]", 0],
  ])("%s", (text, name, others) => {
    const found = findingsOf([unknownDirective], `${text}\n`);
    const more = others === 0 ? "" : ", like the first word of 1 more line";
    expect(found.map(({ message }) => message)).toEqual([`\`${name}\` is not the name of a directive${more}`]);
    expect(found[0]?.help).toEqual(["if it continues the line before, end that line with a backslash"]);
    expect(findingsOf([unknownDirective], `${text.replace(/\n/g, " \\\n")}\n`)).toEqual([]);
  });

  test.each([
    "Options None\n\n192.168.0.0/16",
    "Options None\nDirectoryIdnex a",
    "# a\n192.168.0.0/16",
    "Options None\n<Perl>\n$a = 1;\nfoo-bar;\n</Perl>",
  ])("not %s", (text) => {
    const found = findingsOf([unknownDirective], `${text}\n`);
    expect(found.filter(({ message }) => message.includes("not the name of"))).toEqual([]);
  });
});

describe("a line with HTML entities", () => {
  test.each([
    ['&lt;Directory "/srv"&gt;', '<Directory "/srv">'],
    ["&lt;/Directory&gt;", "</Directory>"],
    ["&lt;VirtualHost *:80&gt;", "<VirtualHost *:80>"],
  ])("%s", (line, plain) => {
    const name = line.split(" ")[0] ?? "";
    expect(findingsOf([unknownDirective], `${line}\n`).map(({ message, help }) => [message, help])).toEqual([
      [`unknown directive \`${name}\`: the line contains HTML entities`, [`use \`${plain}\``]],
    ]);
  });

  test("does not have the remedy of other lines", () => {
    expect(findingsOf([unknownDirective], "&Directory /srv\n")[0]?.help).toEqual([
      "correct the name, or load the module that defines it",
    ]);
  });
});
