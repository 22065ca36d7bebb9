import { expect, test } from "vitest";
import { compare } from "../../../src/proof/compare/compare.js";
import { load } from "../../support/projects.js";

const main = '<Directory "/srv/www">\nAllowOverride All\n</Directory>\nDocumentRoot "/srv/www"\n';

function sideOf(text: string) {
  const options = { release: "2.4", kind: "server", modules: ["authz_core"] } as const;
  const files = { "/etc/httpd/httpd.conf": main, "/srv/www/d/.htaccess": text };
  return { project: load(files, options), semantics: "server" } as const;
}

const plain = '<If "false">\n</If>\n';

test.each([
  ["an Else", "<Else>\n</Else>\n", "different"],
  ["an ElseIf", '<ElseIf "true">\n</ElseIf>\n', "different"],
  ["an Else in an inner section", '<Files "*">\n<Else>\n</Else>\n</Files>\n', "different"],
  ["twin: an Else after an If", `${plain}<Else>\n</Else>\n`, "equivalent"],
])("%s in a `.htaccess` file: %s", (_, text, verdict) => {
  expect(compare(sideOf(plain), sideOf(text)).verdict).toBe(verdict);
  expect(compare(sideOf(text), sideOf(plain)).verdict).toBe(verdict);
});
