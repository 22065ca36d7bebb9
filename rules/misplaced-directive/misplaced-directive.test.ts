import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { syntaxError } from "../syntax-error/syntax-error.js";
import { misplacedDirective } from "./misplaced-directive.js";

const seen = (text: string, given?: Given) => findingsOf([misplacedDirective], text, given);
/** Returns the positions of the findings, with the underlined text. */
const places = (text: string, given?: Given) => seen(text, given).map((each) => `${each.at} ${each.text}`);

test("names the section, the effect, and the allowed sections", () => {
  expect(seen("<VirtualHost *:80>\n  Require all granted\n</VirtualHost>\n")).toEqual([
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

test("is reported once for equal lines of many virtual hosts; twin: once for each line within one", () => {
  const host = (...lines: readonly string[]) => `<VirtualHost *:80>\n${lines.join("\n")}\n</VirtualHost>\n`;
  const [finding, ...more] = seen(host("SSLRequireSSL") + host("SSLRequireSSL") + host("SSLRequireSSL"));
  expect(more).toEqual([]);
  expect(finding?.message).toBe("`SSLRequireSSL` is not allowed in `<VirtualHost>`");
  expect(finding?.notes).toContain("the same applies to 2 more lines");
  expect(finding?.related).toEqual([
    "httpd.conf:1:1: section starts here",
    "httpd.conf:5:1: same problem",
    "httpd.conf:8:1: same problem",
  ]);
  expect(places(host("SSLRequireSSL", "SSLRequireSSL"))).toHaveLength(2);
  expect(seen(host("SSLRequireSSL") + host("SSLRequire true"))).toHaveLength(2);
});

describe("in each place", () => {
  test.each<readonly [string, string, readonly string[]]>([
    ["server", "Require all granted\nServerName x\n", ["1:1-1:8 Require"]],
    ["server", "AllowOverride None\n<Limit GET>\n</Limit>\n", ["1:1-1:14 AllowOverride", "2:1-2:7 <Limit"]],
    ["virtual host", "<VirtualHost *>\nListen 80\nServerName x\n</VirtualHost>\n", ["2:1-2:7 Listen"]],
    ["virtual host", "<VirtualHost *>\n<RequireAll>\n</RequireAll>\n</VirtualHost>\n", ["2:1-2:13 <RequireAll>"]],
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

  test("a `.htaccess` file and the sections inside", () => {
    const text =
      "Listen 80\n<Files x>\n  AllowOverride None\n  <Limit GET>\n    AllowOverride All\n  </Limit>\n</Files>\n";
    const findings = seen(`${text}Require all granted\n`, { kind: "htaccess" });
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
    });
  });
});

describe("sections within sections", () => {
  test("the containers allow only authorization, also inside Limit", () => {
    const text =
      "<Location /a>\n<RequireAll>\nSetEnv a b\nRequire all granted\n<Limit GET>\nAllow from all\nRequire all granted\n</Limit>\n</RequireAll>\n</Location>\n";
    expect(places(text)).toEqual(["3:1-3:7 SetEnv", "6:1-6:6 Allow"]);
    expect(seen(text)[1]?.related).toEqual(["httpd.conf:2:1: section starts here"]);
  });

  test("an outer section rejects directives for inner ones", () => {
    expect(seen("<Location /a>\n<If true>\n<Files x>\n</Files>\n</If>\n</Location>\n")).toMatchObject([
      { at: "3:1-3:7", related: ["httpd.conf:1:1: section starts here"] },
    ]);
    expect(places("<Directory /a>\n<If true>\n<Files x>\n</Files>\n</If>\n</Directory>\n")).toEqual([]);
  });

  test("an alias of a provider allows the directives of the provider, also at server level", () => {
    const text =
      '<AuthnProviderAlias file x>\nAuthUserFile "/x"\nServerName x\nSetEnv a b\n</AuthnProviderAlias>\n<AuthzProviderAlias ip y 10.0.0.1>\n</AuthzProviderAlias>\n';
    expect(places(text)).toEqual(["3:1-3:11 ServerName", "4:1-4:7 SetEnv"]);
  });

  test("names sections inside `<Proxy>` for directives that only `<Proxy>` allows", () => {
    const line = "SSLProxyCACertificateFile /x\n";
    const given = { modules: ["core", "mod_ssl", "mod_proxy"] };
    expect(places(`<Proxy x>\n<If true>\n${line}</If>\n</Proxy>\n`, given)).toEqual([]);
    expect(places(`<Location /x>\n<If true>\n${line}</If>\n</Location>\n`, given)).toHaveLength(1);
  });

  test("directives for a section of their own are allowed there, in their long and short form", () => {
    const given = { modules: ["core", "mod_md"] };
    const line = "MDCertificateFile x.pem\n";
    expect(places(`<MDomainSet x.org>\n${line}</MDomainSet>\n<MDomain y.org>\n${line}</MDomain>\n`, given)).toEqual([]);
    expect(seen(line, given)).toMatchObject([
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
    expect(seen(sections("Else"))).toMatchObject([
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

  test("allows other lines and sections after it", () => {
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
    ["the top of a fragment may be anywhere", "Require all granted\nListen 80\n", { kind: "fragment" }],
    ["so may what stands in its Limit", "<Limit GET>\nRequire all granted\n</Limit>\n", { kind: "fragment" }],
    ["access control where it belongs", "<Location />\nRequire all granted\nOrder allow,deny\n</Location>\n"],
    ["a guard that does not hold", "<IfModule !core.c>\nRequire all granted\n</IfModule>\n"],
    ["a module that is not loaded", "Order allow,deny\n", { modules: ["core"] }],
    ["an unknown directive", "Ordr allow,deny\n"],
    ["a section of an unknown module", "<Location />\n<Company x>\nServerName x\n</Company>\n</Location>\n"],
    ["ServerAlias in a virtual host", "<VirtualHost *>\nServerAlias x\n</VirtualHost>\n"],
    ["Define and Include, which run while reading", "<Files x>\nDefine A b\nIncludeOptional x*\n</Files>\n"],
  ])("%s", (_, text, given) => {
    expect(seen(text, given)).toEqual([]);
  });

  test("ServerAlias outside a virtual host", () => {
    expect(places("ServerAlias x\n")).toEqual(["1:1-1:12 ServerAlias"]);
  });
});

test("sections that an outer closing tag closes are not misplaced in each other", () => {
  const text = "<VirtualHost *:80>\n<Directory /a>\n<Directory /b>\n</VirtualHost>\n";
  expect(findingsOf([misplacedDirective], text)).toEqual([]);
  const closed = text.replace("</V", "</Directory>\n</Directory>\n</V");
  expect(findingsOf([misplacedDirective], closed)).toMatchObject([{ at: "3:1-3:11" }]);
});

describe("a section that is never closed", () => {
  const found = (text: string, given?: Given) =>
    findingsOf([misplacedDirective, syntaxError], text, given).map((each) => `${each.at.split("-")[0]} ${each.rule}`);

  test("and that is not allowed there either: closing it would not help", () => {
    const given = { kind: "htaccess" } as const;
    expect(found("<Directory /srv>\nRequire all granted\n", given)).toEqual(["1:1 misplaced-directive"]);
    expect(found("<VirtualHost *>\n", given)).toEqual(["1:1 misplaced-directive"]);
    expect(found("<Files x>\n", given)).toEqual(["1:1 syntax-error"]);
  });

  test("does not affect the lines after it", () => {
    expect(found("<Directory /a>\n<Directory /b>\n</Directory>\nListen 80\n")).toEqual(["1:1 syntax-error"]);
    expect(found("<Directory /a>\n<Directory /b>\nListen 80\n")).toEqual(["1:1 syntax-error", "2:1 syntax-error"]);
    expect(found("<VirtualHost *>\n<Files x>\nListen 80\n</VirtualHost>\n")).toEqual([
      "3:1 misplaced-directive",
      "4:1 syntax-error",
    ]);
  });

  test("does not count closing tags of other sections", () => {
    expect(found("<Directory /a>\n</Location>\n<Directory /b>\n</Directory>\n")).toEqual(["2:1 syntax-error"]);
  });

  test("reports directives that are never allowed there", () => {
    expect(found("<VirtualHost *>\nRequire all granted\n")).toEqual(["1:1 syntax-error", "2:1 misplaced-directive"]);
    expect(found("<Files x>\nAllowOverride All\n", { kind: "htaccess" })).toEqual([
      "1:1 syntax-error",
      "2:1 misplaced-directive",
    ]);
    expect(seen("<Location />\n<Limit GET>\nListen 80\n</Limit>\n</Location>\n")[0]?.related).toEqual([
      "httpd.conf:2:1: section starts here",
    ]);
  });
});

test("an included file is checked in the context of its Include", () => {
  const files = { "/etc/httpd/access.conf": "Require all granted\n" };
  expect(places("Include access.conf\n", { files })).toEqual(["1:1-1:8 Require"]);
  expect(places("<Location />\nInclude access.conf\n</Location>\n", { files })).toEqual([]);
});
