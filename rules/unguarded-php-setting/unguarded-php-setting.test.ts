import { expect, test } from "vitest";
import { findingsOf } from "../../test/support/rules.js";
import { unguardedPhpSetting } from "./unguarded-php-setting.js";

test.each(["php_value memory_limit 64M", "php_flag display_errors off"])("reports %s", (line) => {
  expect(findingsOf([unguardedPhpSetting], `${line}\n`, { kind: "htaccess" })).toMatchObject([
    { severity: "warning", message: `\`${line.split(" ")[0]}\` needs mod_php: with PHP-FPM or CGI, httpd returns 500` },
  ]);
});

test("reports the lines of a file once", () => {
  const text = "php_value a 1\nphp_value b 1\n";
  expect(findingsOf([unguardedPhpSetting], text, { kind: "htaccess" })).toMatchObject([
    { at: "1:1-1:10", related: [".htaccess:2:1: same here"] },
  ]);
});

test.each([
  ["a condition on the module", "<IfModule mod_php7.c>\nphp_value a 1\n</IfModule>\n", {}],
  ["a negated condition", "<IfModule !mod_fcgid.c>\nphp_value a 1\n</IfModule>\n", {}],
  ["known modules", "php_value a 1\n", { modules: ["php_module"] }],
])("does not report %s", (_, text, given) => {
  expect(findingsOf([unguardedPhpSetting], text, { kind: "htaccess", ...given })).toEqual([]);
});

test("does not report the configuration of a server", () => {
  expect(findingsOf([unguardedPhpSetting], "php_value a 1\n")).toEqual([]);
});
