import { describe, expect, test } from "vitest";
import { httpd, liveTitle, runHttpdOn } from "../support/httpd/httpd.js";

const modules = "mpm_event authn_core authz_core authz_host access_compat alias dir".split(" ");

const inDirectory = (line: string) => `<Directory /a>\n${line}\n</Directory>`;
const deep = (open: string, close: string) => `<If "${open.repeat(300)}true${close.repeat(300)}">\n</If>`;

const checkText = (text: string, log = "/dev/null") => runHttpdOn(modules, `ErrorLog ${log}\n${text}\n`);

/** Configurations that httpd-lint warns about and the server accepts. */
const accepted: Readonly<Record<string, string>> = {
  "300 parentheses": deep("(", ")"),
  "300 negations": deep("! ", ""),
  "IfModule not": "<IfModule not mod_none.c>\nNone\n</IfModule>",
  "IfModule with two words": "<IfModule mod_none.c mod_dir.c>\nNone\n</IfModule>",
  "IfModule with one module and another": "<IfModule mod_dir.c && mod_none.c>\nServerAdmin x\n</IfModule>",
  "IfModule with a quoted `!`": '<IfModule "!mod_none.c">\nNone\n</IfModule>',
  "IfModule with a comma": "<IfModule mod_dir.c,core.c>\nNone\n</IfModule>",
  "IfDefine not": "<IfDefine not X>\nNone\n</IfDefine>",
  "257 containers": inDirectory(`${"<RequireAny>\n".repeat(257)}Require all granted\n${"</RequireAny>\n".repeat(257)}`),
};

describe.skipIf(!httpd)(liveTitle("lines that the live server accepts silently"), () => {
  test.each(Object.entries(accepted))("%s", (_, text) => {
    expect(checkText(text)).toMatchObject({ status: 0, stderr: "Syntax OK\n" });
  });
});

describe.skipIf(!httpd)(liveTitle("lines that the live server accepts and reports as ignored"), () => {
  const ignored: readonly (readonly [string, string])[] = [
    ["DefaultType text/plain", "AH00117"],
    ["NameVirtualHost *:80", "AH00548"],
    ["<Location /a>\nAllowOverride None\n</Location>", "AH00114"],
    ["<Files a>\nAllowOverride None\n</Files>", "AH00114"],
    [inDirectory("<If true>\nAllowOverrideList None\n</If>"), "AH00115"],
    ["DefaultType none", ""],
    [inDirectory("AllowOverride None"), ""],
  ];

  test.each(ignored)("%j: %s", (text, number) => {
    const { status, stderr } = checkText(text, "error.log");
    expect({ status, number: /AH\d+/.exec(stderr)?.[0] ?? "" }).toEqual({ status: 0, number });
  });
});
