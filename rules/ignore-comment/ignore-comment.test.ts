import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { lintWithoutProofs } from "../../src/lint/runner/lint.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { misplacedDirective } from "../misplaced-directive/misplaced-directive.js";
import { misreadLine } from "../misread-line/misread-line.js";
import { unknownDirective } from "../unknown-directive/unknown-directive.js";
import { ignoreComment } from "./ignore-comment.js";

const rules = [ignoreComment, misplacedDirective, unknownDirective, misreadLine];
const check = (text: string, given?: Given) => findingsOf(rules, text, given);
const describeFindings = (text: string, given?: Given) =>
  check(text, given).map(
    ({ rule, at, message, notes = [], help = [] }) =>
      `${rule === "ignore-comment" ? "" : `${rule} `}${at}: ${[message, ...notes, ...help].join("; ")}`,
  );

const next = (names: string) => `# httpd-lint-ignore-next-line ${names}\n`;
const section = (names: string) => `# httpd-lint-ignore-next-section ${names}\n`;
const file = (names: string) => `# httpd-lint-ignore-file ${names}\n`;
const misplaced = "Require all granted\n";
const unused = (name: string) =>
  `unused suppression of \`${name}\`; the rule does not report anything here; delete the name from the comment`;

describe("a comment with an unknown rule", () => {
  test("suggests the intended name", () => {
    expect(check(`${next("misplaced-directve")}Listen 80\n`)).toEqual([
      {
        rule: "ignore-comment",
        severity: "warning",
        at: "1:31-1:49",
        text: "misplaced-directve",
        message: "unknown rule `misplaced-directve`; did you mean `misplaced-directive`?",
        notes: ["this name does not suppress anything"],
        related: [],
      },
    ]);
  });

  test("lists all rules if none is similar", () => {
    expect(describeFindings(file("everything"))).toEqual([
      "1:26-1:36: unknown rule `everything`; this name does not suppress anything; run `httpd-lint rules` to list the rules",
    ]);
  });

  test("does not suppress other rules", () => {
    expect(check(`${next("Misplaced-Directive")}${misplaced}`).map((each) => each.rule)).toEqual([
      "ignore-comment",
      "misplaced-directive",
    ]);
  });
});

describe("reports a suppressed rule without a finding", () => {
  test("on the next line", () => {
    expect(describeFindings(`${next("misplaced-directive")}Listen 80\n${misplaced.replace("R", "#R")}`)).toEqual([
      `1:31-1:50: ${unused("misplaced-directive")}`,
    ]);
  });

  test("on the next line if the line after it has one", () => {
    expect(check(`${next("misplaced-directive")}Listen 80\n${misplaced}`)).toHaveLength(2);
  });

  test("at the end of the file", () => {
    expect(describeFindings(next("misplaced-directive"))).toEqual([`1:31-1:50: ${unused("misplaced-directive")}`]);
  });

  test("in the file if only an included file has one", () => {
    // With a line for servers only, the finding is not at the Include.
    const files = { "/etc/httpd/a.conf": `${misplaced}Listen 81\n` };
    const reportedRules = check(`${file("misplaced-directive")}Include a.conf\n`, { files }).map((each) => each.rule);
    expect(reportedRules.sort()).toEqual(["ignore-comment", "misplaced-directive"]);
  });

  test("among several rules, each at its position", () => {
    expect(
      describeFindings(`${next("unknown-directive,misplaced-directive,unknwn-directive because")}${misplaced}`),
    ).toEqual([
      `1:31-1:48: ${unused("unknown-directive")}`,
      "1:69-1:85: unknown rule `unknwn-directive`; did you mean `unknown-directive`?; this name does not suppress anything",
    ]);
  });

  test("among several rules after a comma and a space", () => {
    expect(
      describeFindings(`${next("misplaced-directive, unknwn-directive, misread-line because")}${misplaced}`),
    ).toEqual([
      "1:52-1:68: unknown rule `unknwn-directive`; did you mean `unknown-directive`?; this name does not suppress anything",
      `1:70-1:82: ${unused("misread-line")}`,
    ]);
  });
});

test("reports a comment without a rule", () => {
  expect(describeFindings(`# httpd-lint-ignore-next-line\n${misplaced}`)[0]).toBe(
    "1:1-1:30: `httpd-lint-ignore` comment does not name a rule; the comment does not suppress anything; add the name of a rule",
  );
});

test.each(["httpd-lint-ignore", "httpd-lint-ignore-nextline", "httpd-lint-disable", "httpd-lint-Ignore-File"])(
  "reports %s",
  (word) => {
    expect(describeFindings(`  #  ${word}: misplaced-directive\n`)).toEqual([
      `1:6-1:${6 + word.length}: unknown comment keyword \`${word}\`; the comment does not suppress anything; use \`httpd-lint-ignore-next-line\`, \`httpd-lint-ignore-next-section\` or \`httpd-lint-ignore-file\``,
    ]);
  },
);

describe("a comment for a section", () => {
  const notBefore =
    "`httpd-lint-ignore-next-section` is not before a section; the comment does not suppress anything; move it to the line before the section, or use `httpd-lint-ignore-next-line`";

  test.each([
    ["a line", `${section("misplaced-directive")}Listen 80\n`],
    ["a closing line", `<Files x>\n${section("misplaced-directive")}</Files>\n`],
    ["the end of the file", `Listen 80\n${section("misplaced-directive, unknown-directive")}`],
    ["a line in an inactive section", `<IfDefine X>\n${section("misplaced-directive")}Listen 80\n</IfDefine>\n`],
  ])("is misplaced before %s", (_, text) => {
    expect(describeFindings(text).map((each) => each.replace(/^[^ ]+ /, ""))).toEqual([notBefore]);
  });

  test("is unused if the finding is after the section", () => {
    const text = `${section("misplaced-directive")}<Files x>\nSetEnv A b\n</Files>\n${misplaced}`;
    expect(check(text).map(({ rule, at }) => `${rule} ${at}`)).toEqual([
      "ignore-comment 1:34-1:53",
      "misplaced-directive 5:1-5:8",
    ]);
  });

  test("is unused if only an included file has one", () => {
    const files = { "/etc/httpd/a.conf": `${misplaced}Listen 81\n` };
    const text = `${section("misplaced-directive")}<VirtualHost *:80>\nInclude a.conf\n</VirtualHost>\n`;
    expect(new Set(check(text, { files }).map(({ rule }) => rule))).toContain("ignore-comment");
  });

  test("without a rule is reported once", () => {
    expect(describeFindings("# httpd-lint-ignore-next-section\nListen 80\n")).toHaveLength(1);
  });

  test.each(["misplaced-directve", "Misplaced-Directive"])("with the unknown rule %s", (name) => {
    const text = `${section(name)}<Files x>\nRequire all granted\n</Files>\n`;
    expect(check(text).map(({ message }) => message)[0]).toContain(`unknown rule \`${name}\``);
  });
});

describe("does not report", () => {
  test.each<[string, string, Given?]>([
    ["a comment for the next line", `${next("misplaced-directive")}${misplaced}`],
    ["a comment before blank lines and comments", `${next("misplaced-directive")}\n# other\n\n${misplaced}`],
    ["two comments for one line", `${next("misplaced-directive")}${next("misread-line")}Require user "x\n`],
    ["several rules", `${next("misplaced-directive,misread-line")}Require user "x\n`],
    ["several rules, with spaces", `${next("misplaced-directive, misread-line because")}Require user "x\n`],
    ["several rules, with spaces around the comma", `${next("misplaced-directive , misread-line")}Require user "x\n`],
    ["a comma before the reason", `${next("misplaced-directive, moves in May, at last")}${misplaced}`],
    ["a continued line", `${next("misplaced-directive")}Require \\\n  all \\\n  granted\n`],
    ["a comment for the whole file at its end", `${misplaced}${misplaced}${file("misplaced-directive")}`],
    [
      "a comment with a reason and a colon",
      `${next("misplaced-directive").replace("line ", "line: ").replace("\n", " it is meant\n")}${misplaced}`,
    ],
    [
      "a comment in a conditional section that does not apply",
      `<IfDefine X>\n<Files x>\n${next("misplaced-directive")}Listen 80\n</Files>\n</IfDefine>\n`,
    ],
    ["a comment for a section", `${section("misread-line")}<Files x>\nRequire user "x\n</Files>\n`],
    [
      "a comment for a section with sections in it",
      `${section("misread-line")}\n# other\n<Directory /x>\n<Files y>\n</Files>\n<Files x>\nRequire user "x\n</Files>\n</Directory>\n`,
    ],
    [
      "a comment for the inner one of two sections",
      `<Directory /x>\n${section("misread-line")}<Files x>\nRequire user "x\n</Files>\n</Directory>\n`,
    ],
    ["a comment for a section that is not closed", `${section("misread-line")}<Files x>\nRequire user "x\n`],
    [
      "a comment for its opening line",
      `${section("misplaced-directive")}<Directory /y>\n<Directory /x>\n</Directory>\n</Directory>\n`,
    ],
    [
      "a comment for a conditional section that does not apply",
      `${section("misread-line")}<IfDefine X>\n</IfDefine>\n`,
    ],
    [
      "a comment for a section with a conditional section that does not apply",
      `${section("misread-line")}<Files x>\n<IfDefine X>\nSetEnv A b\n</IfDefine>\n</Files>\n`,
    ],
    [
      "a section of a `.htaccess` file",
      `${section("misread-line")}<Files x>\nRequire user "x\n</Files>\n`,
      { kind: "htaccess" },
    ],
    ["a comment about httpd-lint", "# httpd-lint is run by the pipeline\n#httpd-linter\n"],
    [
      "the comment of an included file",
      "Include a.conf\n",
      { files: { "/etc/httpd/a.conf": `${next("misplaced-directive")}${misplaced}Listen 81\n` } },
    ],
    ["a `.htaccess` file", `${next("misplaced-directive")}Listen 80\n`, { kind: "htaccess" }],
    ["a macro", `<Macro M>\n${next("misplaced-directive")}${misplaced}Listen 81\n</Macro>\nUse M\n`],
  ])("%s", (_, text, given) => {
    expect(describeFindings(text, given)).toEqual([]);
  });

  test("a rule that does not run", () => {
    const text = next("third-party-module");
    const loaded = loadProject("/x.conf", { kind: "server", access: memoryAccess({ "/x.conf": text }) });
    if (!loaded.ok) throw new Error(loaded.error);
    const ruleIds = ["ignore-comment", "third-party-module"];
    expect(lintWithoutProofs(loaded.value, { rules: [ignoreComment], ruleIds }).findings).toEqual([]);
    expect(lintWithoutProofs(loaded.value, { rules: [ignoreComment] }).findings).toHaveLength(1);
  });

  test("only comments in a conditional section that does not apply, but those after it", () => {
    expect(describeFindings(`<IfDefine X>\n</IfDefine>\n${next("misplaced-directive")}Listen 80\n`)).toHaveLength(1);
  });
});
