import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { neverMatchingPath } from "../never-matching-path/never-matching-path.js";
import { overrideMissing } from "../override-missing/override-missing.js";
import { syntaxError } from "../syntax-error/syntax-error.js";
import { misplacedDirective } from "./misplaced-directive.js";

const check = (text: string, given?: Given) => findingsOf([misplacedDirective], text, given);
/** Returns the positions of the findings, with the underlined text. */
const places = (text: string, given?: Given) => check(text, given).map((each) => `${each.at} ${each.text}`);

test("reports the section, the effect, and the allowed sections", () => {
  expect(check("<VirtualHost *:80>\n  Require all granted\n</VirtualHost>\n")).toEqual([
    {
      rule: "misplaced-directive",
      severity: "error",
      at: "2:3-2:10",
      text: "Require",
      message: "`Require` is not allowed in `<VirtualHost>`",
      notes: ["httpd will not start"],
      help: ["move it to `<Directory>`, `<Location>`, `<Files>`, `<Proxy>` or a `.htaccess` file"],
      related: ["httpd.conf:1:1: section starts here"],
    },
  ]);
});

test("reports equal lines of many virtual hosts once, but each line within one", () => {
  const host = (...lines: readonly string[]) => `<VirtualHost *:80>\n${lines.join("\n")}\n</VirtualHost>\n`;
  const [finding, ...more] = check(host("SSLRequireSSL") + host("SSLRequireSSL") + host("SSLRequireSSL"));
  expect(more).toEqual([]);
  expect(finding?.message).toBe("`SSLRequireSSL` is not allowed in `<VirtualHost>`");
  expect(finding?.notes).toContain("the same applies to 2 more lines");
  expect(finding?.related).toEqual([
    "httpd.conf:1:1: section starts here",
    "httpd.conf:5:1: same problem",
    "httpd.conf:8:1: same problem",
  ]);
  expect(places(host("SSLRequireSSL", "SSLRequireSSL"))).toHaveLength(2);
  expect(check(host("SSLRequireSSL") + host("SSLRequire true"))).toHaveLength(2);
});

describe("reports a directive that is not allowed in", () => {
  test.each<readonly [string, string, readonly string[]]>([
    ["the main server", "Require all granted\nServerName x\n", ["1:1-1:8 Require"]],
    ["the main server", "AllowOverride None\n<Limit GET>\n</Limit>\n", ["1:1-1:14 AllowOverride", "2:1-2:7 <Limit"]],
    ["a virtual host", "<VirtualHost *>\nListen 80\nServerName x\n</VirtualHost>\n", ["2:1-2:7 Listen"]],
    ["a virtual host", "<VirtualHost *>\n<RequireAll>\n</RequireAll>\n</VirtualHost>\n", ["2:1-2:13 <RequireAll>"]],
    ["Directory", "<Directory /a>\nServerName x\nSetEnv a b\n</Directory>\n", ["2:1-2:11 ServerName"]],
    ["Directory", "<Directory /a>\n<Directory /a/b>\n</Directory>\n</Directory>\n", ["2:1-2:11 <Directory"]],
    ["DirectoryMatch", "<DirectoryMatch a>\nDocumentRoot x\n</DirectoryMatch>\n", ["2:1-2:13 DocumentRoot"]],
    ["Location", "<Location /a>\n<Files x>\n</Files>\nSetEnv a b\n</Location>\n", ["2:1-2:7 <Files"]],
    ["Files", "<Files a>\nListen 80\nSetEnv a b\n</Files>\n", ["2:1-2:7 Listen"]],
    ["If", '<If "true">\nListen 80\nSetEnv a b\n</If>\n', ["2:1-2:7 Listen"]],
    ["Proxy", "<Proxy x>\nListen 80\nRequire all granted\n</Proxy>\n", ["2:1-2:7 Listen"]],
    ["Limit", "<Location /a>\n<Limit GET>\n<If true>\n</If>\nOrder x\n</Limit>\n</Location>\n", ["3:1-3:4 <If"]],
    ["LimitExcept", "<Files a>\n<LimitExcept GET>\nListen 1\n</LimitExcept>\n</Files>\n", ["3:1-3:7 Listen"]],
  ])("%s", (_, text, expected) => {
    expect(places(text)).toEqual(expected);
  });

  test("a `.htaccess` file and its sections", () => {
    const text =
      "Listen 80\n<Files x>\n  AllowOverride None\n  <Limit GET>\n    AllowOverride All\n  </Limit>\n</Files>\n";
    const findings = check(`${text}Require all granted\n`, { kind: "htaccess" });
    expect(findings.map((each) => each.at)).toEqual(["1:1-1:7", "3:3-3:16", "5:5-5:18"]);
    const notes = ["requests below this directory return 500"];
    expect(findings[0]).toMatchObject({
      message: "`Listen` is not allowed in a `.htaccess` file",
      notes,
      help: ["move it to server level"],
    });
    expect(findings[1]).toMatchObject({
      message: expect.stringMatching(/ not allowed in a `\.htaccess` file$/),
      notes,
      help: ["move it to `<Directory>`, `<Location>`, `<Files>` or `<Proxy>` in the configuration of the server"],
    });
  });
});

describe("nested sections", () => {
  test("allow only authorization in authorization containers, also inside Limit", () => {
    const text =
      "<Location /a>\n<RequireAll>\nSetEnv a b\nRequire all granted\n<Limit GET>\nAllow from all\nRequire all granted\n</Limit>\n</RequireAll>\n</Location>\n";
    expect(places(text)).toEqual(["3:1-3:7 SetEnv", "6:1-6:6 Allow"]);
    expect(check(text)[1]?.related).toEqual(["httpd.conf:2:1: section starts here"]);
  });

  test("reject sections that an outer section does not allow", () => {
    expect(check("<Location /a>\n<If true>\n<Files x>\n</Files>\n</If>\n</Location>\n")).toMatchObject([
      { at: "3:1-3:7", related: ["httpd.conf:1:1: section starts here"] },
    ]);
    expect(places("<Directory /a>\n<If true>\n<Files x>\n</Files>\n</If>\n</Directory>\n")).toEqual([]);
  });

  test("allow the directives of a provider in its alias, also those of server level", () => {
    const text =
      '<AuthnProviderAlias file x>\nAuthUserFile "/x"\nServerName x\nSetEnv a b\n</AuthnProviderAlias>\n<AuthzProviderAlias ip y 10.0.0.1>\n</AuthzProviderAlias>\n';
    expect(places(text)).toEqual(["3:1-3:11 ServerName", "4:1-4:7 SetEnv"]);
  });

  test("allow directives for `<Proxy>` only inside `<Proxy>`", () => {
    const line = "SSLProxyCACertificateFile /x\n";
    const given = { modules: ["core", "mod_ssl", "mod_proxy"] };
    expect(places(`<Proxy x>\n<If true>\n${line}</If>\n</Proxy>\n`, given)).toEqual([]);
    expect(places(`<Location /x>\n<If true>\n${line}</If>\n</Location>\n`, given)).toHaveLength(1);
  });

  test("allow directives that need a specific section there, in its long and short form", () => {
    const given = { modules: ["core", "mod_md"] };
    const line = "MDCertificateFile x.pem\n";
    expect(places(`<MDomainSet x.org>\n${line}</MDomainSet>\n<MDomain y.org>\n${line}</MDomain>\n`, given)).toEqual([]);
    expect(check(line, given)).toMatchObject([
      {
        at: "1:1-1:18",
        message: "`MDCertificateFile` is not allowed outside a section",
        notes: ["httpd will not start"],
        help: ["move it to `<MDomainSet>`"],
      },
    ]);
  });
});

describe("Else and ElseIf", () => {
  const sections = (...names: readonly string[]) =>
    names.map((name) => `<${name}${name === "Else" ? "" : " true"}>\n</${name}>\n`).join("");

  test("need an If before them", () => {
    expect(check(sections("Else"))).toMatchObject([
      {
        at: "1:1-1:7",
        text: "<Else>",
        message: "`<Else>` does not follow an `<If>` in the same section",
        notes: ["httpd will not start"],
        help: ["move it right after its `<If>`"],
      },
    ]);
    expect(places(sections("ElseIf"))).toEqual(["1:1-1:8 <ElseIf"]);
    expect(places(sections("If", "Else", "ElseIf"))).toEqual(["5:1-5:8 <ElseIf"]);
    expect(places(sections("If", "Else", "Else"))).toEqual(["5:1-5:7 <Else>"]);
    expect(places(`${sections("If")}<Files x>\n${sections("Else")}</Files>\n`)).toEqual(["4:1-4:7 <Else>"]);
  });

  test("may follow other lines and sections", () => {
    expect(places(sections("If", "ElseIf", "ElseIf", "Else"))).toEqual([]);
    expect(places(`${sections("If")}SetEnv a b\n${sections("Files", "Else")}`)).toEqual([]);
    expect(places(`<IfModule core.c>\n${sections("If")}</IfModule>\n${sections("Else")}`)).toEqual([]);
  });

  test("are not checked at the top level of a fragment, but in its sections", () => {
    expect(places(sections("Else"), { kind: "fragment" })).toEqual([]);
    expect(places(`<Files x>\n${sections("Else")}</Files>\n`, { kind: "fragment" })).toEqual(["2:1-2:7 <Else>"]);
  });
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    [
      "the top level of a fragment, which may be in any section",
      "Require all granted\nListen 80\n",
      { kind: "fragment" },
    ],
    ["a Limit at the top level of a fragment", "<Limit GET>\nRequire all granted\n</Limit>\n", { kind: "fragment" }],
    ["access control in a Location", "<Location />\nRequire all granted\nOrder allow,deny\n</Location>\n"],
    ["a conditional section that does not apply", "<IfModule !core.c>\nRequire all granted\n</IfModule>\n"],
    ["a directive of a module that is not loaded", "Order allow,deny\n", { modules: ["core"] }],
    ["an unknown directive", "Ordr allow,deny\n"],
    ["a section of an unknown module", "<Location />\n<Company x>\nServerName x\n</Company>\n</Location>\n"],
    ["ServerAlias in a virtual host", "<VirtualHost *>\nServerAlias x\n</VirtualHost>\n"],
    ["Define and Include, which run while reading", "<Files x>\nDefine A b\nIncludeOptional x*\n</Files>\n"],
  ])("%s", (_, text, given) => {
    expect(check(text, given)).toEqual([]);
  });
});

describe("reports", () => {
  test("ServerAlias outside of a virtual host", () => {
    expect(places("ServerAlias x\n")).toEqual(["1:1-1:12 ServerAlias"]);
  });
});

test("does not report sections that an outer closing tag closes as misplaced in each other", () => {
  const text = "<VirtualHost *:80>\n<Directory /a>\n<Directory /b>\n</VirtualHost>\n";
  expect(findingsOf([misplacedDirective], text)).toEqual([]);
  const closed = text.replace("</V", "</Directory>\n</Directory>\n</V");
  expect(findingsOf([misplacedDirective], closed)).toMatchObject([{ at: "3:1-3:11" }]);
});

describe("a section that is never closed", () => {
  const listRules = (text: string, given?: Given) =>
    findingsOf([misplacedDirective, syntaxError], text, given).map((each) => `${each.at.split("-")[0]} ${each.rule}`);

  test("is reported only as misplaced if it is not allowed there", () => {
    const given = { kind: "htaccess" } as const;
    expect(listRules("<Directory /srv>\nRequire all granted\n", given)).toEqual(["1:1 misplaced-directive"]);
    expect(listRules("<VirtualHost *>\n", given)).toEqual(["1:1 misplaced-directive"]);
    expect(listRules("<Files x>\n", given)).toEqual(["1:1 syntax-error"]);
  });

  test("does not affect the lines after it", () => {
    expect(listRules("<Directory /a>\n<Directory /b>\n</Directory>\nListen 80\n")).toEqual(["1:1 syntax-error"]);
    expect(listRules("<Directory /a>\n<Directory /b>\nListen 80\n")).toEqual(["1:1 syntax-error", "2:1 syntax-error"]);
    expect(listRules("<VirtualHost *>\n<Files x>\nListen 80\n</VirtualHost>\n")).toEqual([
      "3:1 misplaced-directive",
      "4:1 syntax-error",
    ]);
  });

  test("is not closed by tags of other sections", () => {
    expect(listRules("<Directory /a>\n</Location>\n<Directory /b>\n</Directory>\n")).toEqual(["2:1 syntax-error"]);
  });

  test("does not hide directives that are never allowed there", () => {
    expect(listRules("<VirtualHost *>\nRequire all granted\n")).toEqual([
      "1:1 syntax-error",
      "2:1 misplaced-directive",
    ]);
    expect(listRules("<Files x>\nAllowOverride All\n", { kind: "htaccess" })).toEqual([
      "1:1 syntax-error",
      "2:1 misplaced-directive",
    ]);
    expect(check("<Location />\n<Limit GET>\nListen 80\n</Limit>\n</Location>\n")[0]?.related).toEqual([
      "httpd.conf:2:1: section starts here",
    ]);
  });
});

describe("an Include that adds lines where they are not allowed", () => {
  const list = "<RequireAll>\nRequire all granted\nRequire not ip 203.0.113.9\n</RequireAll>\n";
  const files = {
    "/etc/httpd/list.conf": list,
    "/etc/httpd/lists/a.conf": list,
    "/etc/httpd/lists/b.conf": "Require ip 10\n",
    "/etc/httpd/nested.conf": "Include list.conf\nSetEnv list 1\n",
    "/etc/httpd/host.conf": "<VirtualHost *>\nServerName a\n</VirtualHost>\n",
    "/etc/httpd/own.conf": "<VirtualHost *>\nRequire all granted\n</VirtualHost>\n",
    "/etc/httpd/mixed.conf": `${list}<Directory /srv>\nRequire all granted\n</Directory>\n`,
  };
  const host = (...lines: readonly string[]) => `<VirtualHost *>\n${lines.join("\n")}\n</VirtualHost>\n`;

  test("is reported instead of the line, with the places that accept all lines", () => {
    expect(check(host("ServerName a", "Include list.conf"), { files })).toEqual([
      {
        rule: "misplaced-directive",
        severity: "error",
        at: "3:1-3:18",
        text: "Include list.conf",
        message: "`Include` adds `<RequireAll>`, which is not allowed in `<VirtualHost>`",
        notes: ["httpd will not start"],
        help: ["move this `Include` to `<Directory>`, `<Location>`, `<Files>` or `<Proxy>`"],
        related: ["list.conf:1:1: httpd rejects this line", "httpd.conf:1:1: section starts here"],
      },
    ]);
    const [inDirectory] = check("<Directory /srv>\nInclude host.conf\n</Directory>\n", { files });
    expect(inDirectory).toMatchObject({ at: "2:1-2:18", help: ["move this `Include` to server level"] });
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["the main server", "Include list.conf\n", ["1:1-1:18 Include list.conf"]],
    ["a wildcard in a virtual host", host("IncludeOptional lists/*.conf"), ["2:1-2:29 IncludeOptional lists/*.conf"]],
    ["an Include of an Include", host("Include nested.conf"), ["2:1-2:20 Include nested.conf"]],
    ["a macro", `<Macro List>\nRequire ip 10\n</Macro>\n${host("Use List")}`, ["5:1-5:9 Use List"]],
  ])("is found in %s", (_, text, expected) => {
    expect(places(text, { files })).toEqual(expected);
  });

  test.each<readonly [string, string, readonly string[]]>([
    ["no place accepts all lines", host("Include mixed.conf"), ["1:1-1:13 <RequireAll>"]],
    [
      "a wildcard reads the files of the server",
      "Include lists/*.conf\n",
      ["1:1-1:13 <RequireAll>", "1:1-1:8 Require"],
    ],
    ["the file has the section", "Include own.conf\n", ["2:1-2:8 Require"]],
  ])("is not reported if %s", (_, text, expected) => {
    expect(places(text, { files })).toEqual(expected);
  });

  test("is correct in a section that accepts the lines", () => {
    expect(places("<Location />\nInclude list.conf\n</Location>\n", { files })).toEqual([]);
    expect(
      places(host("Include lists/b.conf", "<Location />", "Include lists/b.conf", "</Location>"), { files }),
    ).toEqual(["2:1-2:21 Include lists/b.conf"]);
  });
});

test("reports a misplaced section with a path that never matches only as misplaced", () => {
  const text = '<Directory "uploads">\nRequire all denied\n</Directory>\n';
  const rulesOf = (kind: "htaccess" | "server") =>
    findingsOf([misplacedDirective, neverMatchingPath], text, { kind }).map(({ rule }) => rule);
  expect(rulesOf("htaccess")).toEqual(["misplaced-directive"]);
  expect(rulesOf("server")).toEqual(["never-matching-path"]);
});

test("reports a line that no .htaccess file may have only as misplaced", () => {
  const text =
    'Listen 80\nDocumentRoot "/srv"\n<Directory /srv>\nAllowOverride All\nRequire all granted\n</Directory>\n';
  const rulesOf = (line: string, server = text) =>
    findingsOf([misplacedDirective, overrideMissing], server, { files: { "/srv/.htaccess": `${line}\n` } }).map(
      ({ rule }) => rule,
    );
  expect(rulesOf("php_admin_value open_basedir /tmp")).toEqual(["misplaced-directive"]);
  expect(rulesOf("php_value memory_limit 1M", text.replace(" All", " Limit"))).toEqual(["override-missing"]);
});

describe("a directive of a third-party module that no .htaccess file may have", () => {
  const lines = ["php_admin_value open_basedir /tmp", "php_admin_flag engine off", "WSGIDaemonProcess app"];
  const inHtaccess = { kind: "htaccess" } as const;

  test.each(lines)("is reported in such a file: %s", (line) => {
    const name = line.split(" ")[0] ?? "";
    expect(check(`${line}\n`, inHtaccess)).toMatchObject([
      {
        severity: "error",
        text: name,
        message: `\`${name}\` is not allowed in a \`.htaccess\` file`,
        notes: ["requests below this directory return 500"],
        help: ["move it to the configuration of the server"],
      },
    ]);
  });

  test("is reported in sections of such a file", () => {
    expect(places(`<IfModule mod_php.c>\n${lines[0]}\n</IfModule>\n`, inHtaccess)).toEqual([
      "2:1-2:16 php_admin_value",
    ]);
    expect(places(`<Files x.php>\n${lines[1]}\n</Files>\n`, inHtaccess)).toEqual(["2:1-2:15 php_admin_flag"]);
    expect(places(`${lines[0]}\n`, { ...inHtaccess, modules: ["php_module"] })).toEqual(["1:1-1:16 php_admin_value"]);
  });

  test("is not reported in the configuration of a server", () => {
    for (const line of lines)
      for (const text of [
        line,
        `<VirtualHost *:80>\n${line}\n</VirtualHost>`,
        `<Directory /srv>\n${line}\n</Directory>`,
      ])
        expect(check(`${text}\n`, { modules: ["php_module", "wsgi_module"] })).toEqual([]);
  });

  test("is not reported if its module is not loaded, which unknown-directive reports", () => {
    expect(check(`${lines[0]}\n`, { ...inHtaccess, modules: ["core"] })).toEqual([]);
  });

  test("is not reported if AllowOverride may allow it, or if that is unknown", () => {
    expect(check("php_value a b\nphp_flag a on\nPerlSetVar a b\nAppClass x\n", inHtaccess)).toEqual([]);
  });
});
