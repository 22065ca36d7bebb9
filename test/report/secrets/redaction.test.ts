import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formats } from "../../../src/report/index.js";
import { redact } from "../../../src/report/secrets/redaction.js";
import { sourceFile } from "../../../src/text/source.js";
import { runCount } from "../../support/depth.js";
import { at, finding, renderReport } from "../samples.js";

describe("secrets", () => {
  it("in arguments of sensitive directives and in URLs are masked", () => {
    const file = sourceFile(
      "/srv/a.conf",
      [
        'AuthLDAPBindPassword "hunter2 \\"x" # hunter3',
        "\tsslpassphrasedialog exec:/hunter4",
        "#SessionCryptoPassphrase hunter5",
        "AuthLDAPBind\\\nPassword \\",
        "   hunter6 \\",
        "   hunter7",
        "ProxyPass / http://bob:hun@ter8@backend.example:80/a@b",
        "AuthLDAPBindPasswordFile conf/not-secret",
        "",
      ].join("\n"),
    );
    const findings = [
      finding(at(file, '"hunter2')),
      finding(at(file, "sslpassphrasedialog")),
      finding(at(file, "#SessionCrypto")),
      finding(at(file, "hunter6 ")),
      finding(at(file, "unter7")),
      finding(at(file, "http://bob:hun@ter8@backend.example:80/a@b")),
      finding(at(file, "backend.example")),
      finding(at(file, "conf/not-secret")),
    ];
    expect(renderReport("text", findings)).toMatchInlineSnapshot(`
      "error[old-access-control]: it is wrong
       --> a.conf:1:22
        |
      1 | AuthLDAPBindPassword ********
        |                      ^^^^^^^^
        |
        = page: \`httpd-lint rules old-access-control\`

      error[old-access-control]: it is wrong
       --> a.conf:2:2
        |
      2 |     sslpassphrasedialog ********
        |     ^^^^^^^^^^^^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:3:1
        |
      3 | #SessionCryptoPassphrase ********
        | ^^^^^^^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:6:4
        |
      6 |    ******** \\
        |    ^^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:7:5
        |
      7 |    ********
        |    ^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:8:13
        |
      8 | ProxyPass / http://********@backend.example:80/a@b
        |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:8:33
        |
      8 | ProxyPass / http://********@backend.example:80/a@b
        |                             ^^^^^^^^^^^^^^^

      error[old-access-control]: it is wrong
       --> a.conf:9:26
        |
      9 | AuthLDAPBindPasswordFile conf/not-secret
        |                          ^^^^^^^^^^^^^^^

      8 errors in 1 file, 10 lines
      "
    `);
  });

  it("in quotations of messages are masked", () => {
    const file = sourceFile("/srv/a.conf", 'AuthLDAPBindPassword "hunter2 on"\nOrder\n');
    const findings = [
      finding(at(file, "AuthLDAPBindPassword"), {
        message: "`hunter2` and `on` go on, `AuthLDAPBindPassword` stays",
      }),
      finding(at(file, "Order"), {
        message: "not `authldapbindpassword  hunter2`, not `ldap://bob:hunter2@ldap.example/`",
        related: [{ message: "not `hunter2 on` either", span: at(file, "AuthLDAP") }],
      }),
    ];
    expect(renderReport("github", findings)).toMatchInlineSnapshot(`
      "::error file=a.conf,line=1,endLine=1,col=1,endColumn=21,title=\`********\` and \`********\` go on%2C \`AuthLDAPBindPassword\` stays::rule: old-access-control
      ::error file=a.conf,line=2,endLine=2,col=1,endColumn=6,title=not \`authldapbindpassword  ********\`%2C not \`ldap%3A//********@ldap.example/\`::a.conf:1:1: not \`********\` either%0Arule: old-access-control
      "
    `);
  });

  it.each([
    "SSLPassPhraseDialog builtin",
    "SSLCipherSuite HIGH:!aNULL:@SECLEVEL=0",
    "SSLCipherSuite ALL:!ADH:+HIGH:@STRENGTH",
    'RequestHeader set X-Token "%{TOKEN}e"',
    'RequestHeader set Authorization "Bearer %{X-Token}e"',
    'RequestHeader set Authorization "expr=Bearer %{req:X-Token}"',
    "Header set Cookie ''",
  ])("do not occur in %s", (line) => {
    const file = sourceFile("/srv/a.conf", `${line}\n`);
    const output = renderReport("text", [finding(at(file, line), { message: `not \`${line}\`` })]);
    expect(output).toContain(`1 | ${line}\n`);
    expect(output).toContain(`not \`${line}\``);
  });

  it.each([
    ["SSLPassPhraseDialog builtin7", "builtin7"],
    ['RequestHeader set X-Token "%{TOKEN}e7"', "e7"],
    ['RequestHeader set X-Token "a%{TOKEN}e"', "a%{TOKEN}"],
    ['RequestHeader set Authorization "Bearer abc%{TOKEN}e"', "abc%{TOKEN}"],
  ])("are masked in %s", (line, secret) => {
    const file = sourceFile("/srv/a.conf", `${line}\n`);
    expect(renderReport("text", [finding(at(file, line), { message: `not \`${line}\`` })])).not.toContain(secret);
  });

  it("in any part of a finding are masked in every format", () => {
    const file = sourceFile("/srv/a.conf", "AuthLDAPBindPassword hunter2\nOrder\n");
    const words = "not `hunter2` as in http://bob:pass9@h.example";
    const found = finding(at(file, "AuthLDAPBindPassword"), {
      ...{ message: words, label: words, notes: [words], help: [words] },
      related: [{ message: words, span: at(file, "Order") }],
      fix: { title: words, safety: "safe", edits: [{ span: at(file, "Order"), text: "" }] },
    });
    for (const each of [found, { ...found, isAboutServer: true }])
      for (const format of formats) {
        const shown = renderReport(format, [each], { hyperlinks: true });
        expect(shown, format).not.toMatch(/hunter2|pass9/);
        expect(shown, format).toContain("********");
      }
  });

  it("are not written by a fix", () => {
    const file = sourceFile("/srv/a.conf", "AuthLDAPBindPassword hunter2\n");
    const span = at(file, "AuthLDAPBindPassword hunter2");
    const fixedBy = (text: string) =>
      finding(span, { fix: { title: "quote it", safety: "safe", edits: [{ span, text }] } });
    for (const text of ['"hunter2"', 'authldapbindpassword "x"', "ldap://a:b@c/"]) {
      for (const format of formats) expect(renderReport(format, [fixedBy(text)])).not.toContain("quote it");
    }
    expect(renderReport("text", [fixedBy("AuthLDAPBindPassword")])).toContain("quote it");
  });

  it("are not written by a fix that omits the name of the directive", () => {
    const file = sourceFile("/srv/a.conf", "SetEnv APP_KEY=hunter2\n");
    const span = at(file, "APP_KEY=hunter2");
    const fix = { title: "separate it", safety: "unsafe", edits: [{ span, text: "APP_KEY hunter2" }] } as const;
    for (const format of formats)
      expect(renderReport(format, [finding(span, { fix })]), format).not.toMatch(/separate|hunter/);
  });

  it("are not shown at any position and any terminal width", () => {
    const word = fc.string({
      unit: fc.constantFrom("q", "7", "é", "\\", "'", ":", "@", "本", "\\\n"),
      minLength: 1,
      maxLength: 9,
    });
    const secret = fc.tuple(word, fc.constantFrom(1, 2, 70)).map(([text, times]) => `SEC${text}RET`.repeat(times));
    const gap = fc.constantFrom(" ", "\t", " \\\n", " \\\r\n\t", " x\\\n", ` ${"pad ".repeat(40)}`);
    const config = fc.oneof(
      fc
        .tuple(
          fc.constantFrom("AuthLDAPBindPassword", "SSLPASSPHRASEDIALOG", "SessionCrypto\\\nPassphrase"),
          gap,
          secret,
          gap,
        )
        .map((parts) => parts.join("")),
      fc
        .tuple(fc.constantFrom("", "ProxyPass /", "x".repeat(200)), gap, secret, gap)
        .map(([name, before, hidden, after]) => `${name}${before}http://bob:${hidden}@h.example${after}`),
    );
    fc.assert(
      fc.property(
        config,
        fc.nat(),
        fc.nat({ max: 40 }),
        fc.integer({ min: 1, max: 150 }),
        (text, from, length, width) => {
          const file = sourceFile("/srv/a.conf", `Order\n${text}\nDeny\n`);
          const start = from % file.text.length;
          const span = { file, start, end: Math.min(file.text.length, start + length) };
          const related = [{ message: "here", span: at(file, "Order") }];
          for (const format of formats) {
            const shown = renderReport(format, [finding(span, { related })], { width });
            expect(shown.replaceAll(" ", "")).not.toMatch(/SEC|RET/);
          }
        },
      ),
      { numRuns: runCount(100, 500) },
    );
  });
});

describe("a line that a message shortens", () => {
  it.each([
    [
      "`Require expr \"req('X-Api-Key') in { 'abc', 'hunter2hun…` is overridden",
      "`Require expr \"req('X-Api-Key') in {********` is overridden",
    ],
    [
      "`Require expr \"%{HTTP:X-Shared-Secret} == 'hunter2…` applies",
      "`Require expr \"%{HTTP:X-Shared-Secret} == '********` applies",
    ],
    [
      "`Require expr \"reqenv('APP_TOKEN') -strmatch 'hunter2*…`",
      "`Require expr \"reqenv('APP_TOKEN') -strmatch '********`",
    ],
    ['`RewriteCond %{HTTP:X-Token} "!=hunter2 hun…`', '`RewriteCond %{HTTP:X-Token} "!=********`'],
    ["`RewriteRule ^ /x?password='hunter2…`", "`RewriteRule ^ /x?password='********`"],
    ["`ProxyPass /a http://user:hunter2…` never applies", "`ProxyPass /a http://user:********` never applies"],
    ['`ProxyPass /a ajp://b/ secret="hunter2 hun…`', '`ProxyPass /a ajp://b/ secret="********`'],
    // A port and a plain text are not secrets.
    ["`ProxyPass /a http://backend:80…`", "`ProxyPass /a http://backend:80…`"],
    ["`Require expr \"%{HTTP:User-Agent} == 'hunter2…`", "`Require expr \"%{HTTP:User-Agent} == 'hunter2…`"],
    [
      "`AuthLDAPBindPassword` is not allowed in `<VirtualHost>`",
      "`AuthLDAPBindPassword` is not allowed in `<VirtualHost>`",
    ],
  ])("%s", (message, masked) => {
    expect(redact(message, [])).toBe(masked);
  });
});

describe("words of a message stay beside a secret", () => {
  it.each([
    ["`ProxyPass /x http://b/ secret=hunter2` never applies", "`ProxyPass /x http://b/ secret=********` never applies"],
    ["`ProxyPass` ignores `secret=hunter2`: the backend is", "`ProxyPass` ignores `secret=********`: the backend is"],
    ['`ProxySet secret="hunter 2"` applies', "`ProxySet secret=********` applies"],
    ["`^page\\.php\\?key=hunter2$` never matches", "`^page\\.php\\?key=********$` never matches"],
    ["`RewriteRule !^a\\?token=hunter2$ -` is", "`RewriteRule !^a\\?token=********$ -` is"],
    ["`/page?key=hunter2$` never matches", "`/page?key=********` never matches"],
    ["`X-Token` is `hunter2`, not set", "`X-Token` is `********`, not set"],
    ["`X-Token` is not `hunter2`", "`X-Token` is not `********`"],
    ["`X-Token` == hunter2", "`X-Token` == ********"],
    ["`API_TOKEN` is not set", "`API_TOKEN` is not set"],
    ["`ServerTokens` matches the default", "`ServerTokens` matches the default"],
    ["use `key=value`, as in 'password=value'", "use `key=value`, as in 'password=value'"],
    ["`password=value-hunter2`", "`password=********`"],
    ["`password=values`", "`password=********`"],
  ])("%s", (message, masked) => {
    expect(redact(message, [])).toBe(masked);
  });

  it("a parameter with a backtick is masked as a whole", () => {
    const line = "ProxyPass / ajp://b/ secret=hun`ter2";
    const file = sourceFile("/srv/a.conf", `${line}\n`);
    const output = renderReport("text", [finding(at(file, line), { message: `not \`${line}\` here` })]);
    expect(output).toContain("not `ProxyPass / ajp://b/ secret=********` here");
  });

  it("no text of the program looks like a secret", () => {
    const sources = ["src", "rules", "grammar"].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
        .map((path) => readFileSync(join(folder, path), "utf8")),
    );
    const texts = sources.flatMap((source) => listTexts(source));
    expect(texts.length).toBeGreaterThan(1000);
    expect(texts.filter((text) => redact(text, []) !== text)).toEqual([]);
  });
});

/** Returns the texts with several words in a source file; each value in them is a number. */
function listTexts(source: string): string[] {
  const code = source.replace(/^ *(?:\/\*\*|\*|\/\/).*$/gm, "");
  const literals = code.matchAll(/"((?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*)"|`((?:[^`\\\n]|\\.)* (?:[^`\\\n]|\\.)*)`/g);
  return [...literals].map(([, plain, template]) =>
    (plain ?? template ?? "").replace(/\$\{[^}]*\}/g, "17").replaceAll("\\`", "`"),
  );
}
