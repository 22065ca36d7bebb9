import { describe, expect, test } from "vitest";
import { findingsOf, lintText } from "../../test/support/rules.js";
import { unknownFilter } from "./unknown-filter.js";

const check = (text: string) =>
  findingsOf([unknownFilter], text).map((finding) => [finding.severity, finding.text, finding.help?.[0]]);

describe("reports", () => {
  test.each([
    ["SetOutputFilter DEFALTE", "warning", "DEFALTE", "DEFLATE"],
    ["AddOutputFilter INCLUDE;DEFLATE html", "warning", "INCLUDE", "INCLUDES"],
    ['SetOutputFilter "INCLUDES;SUBSTITUE"', "warning", "SUBSTITUE", "SUBSTITUTE"],
    ["AddHandler cgi-scrip .cgi", "warning", "cgi-scrip", "cgi-script"],
    ["AddHandler aplication/x-httpd-php .php", "warning", "aplication/x-httpd-php", "application/x-httpd-php"],
    ["AddHandler application/x-httpd-pph .php", "warning", "application/x-httpd-pph", "application/x-httpd-php"],
    ['SetHandler "sever-status"', "warning", '"sever-status"', "server-status"],
    ["SetInputFilter DEFLATTE", "warning", "DEFLATTE", "DEFLATE"],
  ])("%s", (line, severity, text, intended) => {
    expect(check(`${line}\n`)).toEqual([[severity, text, `use \`${intended}\``]]);
  });
});

describe("does not report", () => {
  test.each([
    "AddOutputFilterByType deflate text/html",
    // httpd rejects the line: see refused-at-start.
    "AddOutputFilterByType DEFLAT text/html",
    "SetOutputFilter INCLUDES;DEFLATE",
    "SetOutputFilter MOD_PAGESPEED_OUTPUT_FILTER",
    "ExtFilterDefine DEFLAT mode=output cmd=/bin/cat\nSetOutputFilter DEFLAT",
    "SetOutputFilter DEFLAT2\nFilterDeclare deflat2",
    "SetOutputFilter proxy-html",
    "SetHandler Server-Status",
    "SetHandler none",
    "SetHandler application/x-httpd-php5",
    "SetHandler application/x-httpd-php56",
    "SetHandler application/x-httpd-ea-php72",
    "SetHandler proxy:fcgi://localhost:9000",
    "SetHandler Drupal_Security_Do_Not_Remove_See_SA_2006_006",
    "AddHandler my-script .cgi",
    "AddHandler application/x-httpd-pl .pl",
    "AddHandler application/x-httpd-asp .asp",
    "AddHandler x-httpd-suphp .php",
    "suPHP_AddHandler x-httpd-phhp\nAddHandler x-httpd-phhp .php",
    "Action cgi-scrip /run\nAddHandler cgi-scrip .cgi",
  ])("%s", (line) => {
    expect(check(`${line}\n`)).toEqual([]);
  });
});

test("the fix replaces one name", () => {
  const [finding] = lintText([unknownFilter], "SetOutputFilter INCLUDES;DEFLAT\n");
  expect(finding?.fix?.edits.map(({ text }) => text)).toEqual(["DEFLATE"]);
});
