import { describe, expect, test } from "vitest";
import { findingsOf, type Given } from "../../test/support/rules.js";
import { syntaxError } from "../syntax-error/syntax-error.js";
import { unclosedGuard } from "./unclosed-guard.js";

const check = (text: string, given?: Given) => findingsOf([unclosedGuard, syntaxError], text, given);
const places = (text: string, given?: Given) => check(text, given).map((each) => `${each.rule} ${each.at}`);

test("reports a conditional section that applies to the end of the file", () => {
  expect(check("Listen 80\n  <IfModule core.c>\nListen 81\n")).toEqual([
    {
      rule: "unclosed-guard",
      severity: "warning",
      at: "2:3-2:20",
      text: "<IfModule core.c>",
      message: "unclosed section `<IfModule>`",
      notes: ["httpd accepts the file only if the condition is true"],
      help: ["add `</IfModule>`"],
      related: [],
    },
  ]);
});

test.each([
  "<IfModule !mod_nothing.c>",
  "<IfDefine !X>",
  "<IfVersion >= 2.4>",
  "<IfFile /etc/httpd/httpd.conf>",
  "<IfDirective Listen>",
  "<IfSection Files>",
])("reports %s", (opening) => {
  expect(places(`${opening}\nListen 80\n`)).toEqual([`unclosed-guard 1:1-1:${opening.length + 1}`]);
});

test("reports unclosed sections inside a conditional section", () => {
  const findings = check("<IfModule core.c>\n<Files x>\n<IfDefine !X>\n");
  expect(findings.map((each) => `${each.rule} ${each.at}`)).toEqual([
    "unclosed-guard 1:1-1:18",
    "unclosed-guard 2:1-2:10",
    "unclosed-guard 3:1-3:14",
  ]);
  expect(findings[1]).toMatchObject({
    message: "unclosed section `<Files>`",
    notes: ["httpd accepts the file only if the condition of the unclosed section around it is true"],
    help: ["add `</Files>`"],
  });
});

test("reports a section that is open at the end of an included file", () => {
  const files = { "/etc/httpd/a.conf": "<IfModule core.c>\n" };
  expect(places("Include a.conf\n<Files x>\n</Files>\n", { files })).toEqual(["unclosed-guard 1:1-1:18"]);
});

describe("a section with a misspelled closing tag, which syntax-error reports", () => {
  const sameName = "use the same name in both tags";
  const inOrder = "close the sections in the order they were opened";

  test.each([
    ["<IfModule core.c>\nListen 80\n</IfModul>\n", "syntax-error 3:1-3:11", sameName],
    ["<IfModule core.c>\nListen 80\n</IfModules>\nListen 81\n", "syntax-error 3:1-3:13", sameName],
    ["<IfModule core.c>\n<IfDefine !X>\n</IfDefin>\n</IfModule>\n", "syntax-error 3:1-3:11", sameName],
    ["<IfModule mod_nothing.c>\nListen 80\n</IfModul>\n", "syntax-error 3:1-3:11", sameName],
    ["<IfModule mod_nothing.c>\n<Files x>\n</File>\n</IfModule>\n", "syntax-error 3:1-3:8", sameName],
    ["<IfModule core.c>\nListen 80\n</File>\n", "syntax-error 3:1-3:8", inOrder],
    ["<IfModule core.c>\nListen 80\n</File>\n</IfModule>\n", "syntax-error 3:1-3:8", inOrder],
    ["<IfModule core.c>\n<Files x>\n</IfModul>\n</Files>\n", "syntax-error 3:1-3:11", inOrder],
  ])("%j", (text, place, help) => {
    expect(places(text)).toEqual([place]);
    expect(check(text)[0]?.help).toEqual([help]);
  });

  test("but another unclosed section is reported", () => {
    expect(places("<IfModule core.c>\n<IfDefine !X>\n</IfDefin>\n")).toEqual([
      "unclosed-guard 1:1-1:18",
      "syntax-error 3:1-3:11",
    ]);
  });
});

describe("does not report", () => {
  test("a closed section", () => {
    expect(check("<IfModule core.c>\n<Files x>\n</Files>\n</ifmodule>\n")).toEqual([]);
  });

  test("a section that does not apply, which syntax-error reports", () => {
    expect(places("<IfModule mod_nothing.c>\nListen 80\n")).toEqual(["syntax-error 1:1-1:25"]);
  });

  test("an outer section, which syntax-error reports", () => {
    expect(places("<Files x>\n<IfModule core.c>\n")).toEqual(["syntax-error 1:1-1:10", "unclosed-guard 2:1-2:18"]);
  });
});
