import { expect, test } from "vitest";
import { type Editor, editedFolder } from "../support/programs/editor.js";

const scratch = editedFolder();
const { at, start, uri, write } = scratch;

/** Returns the code lenses of a document: the line's number and the text of each. */
async function lensesOf(editor: Editor, document: string): Promise<string[]> {
  const lenses = await editor.ask<
    { readonly range: { readonly start: { readonly line: number } }; readonly command: { readonly title: string } }[]
  >("textDocument/codeLens", { textDocument: { uri: document } });
  return lenses.map(({ range, command }) => `${range.start.line + 1}: ${command.title}`);
}

/** Returns the main file of a server with a document root and more lines. */
function serverWith(lines: string): string {
  return `ServerRoot "${at(".")}"\nDocumentRoot "${at("docs")}"\nListen 80\n${lines}`;
}

test("each section with access control shows the access to its paths", async () => {
  const main = serverWith(`<Directory />
  Require all denied
</Directory>
<Directory "${at("docs")}">
  Require ip 10.0.0.0/8
  AllowOverride All
</Directory>
<Location /open>
  Require all granted
</Location>
<Location /none>
  SetEnv A b
</Location>
Include sites/*.conf
`);
  const site = `<Location /methods>
  Order deny,allow
  Deny from all
  <Limit POST>
    Satisfy any
  </Limit>
</Location>
`;
  const page = '<Files "x">\n  Require all denied\n</Files>\nRequire ip 192.0.2.0/24\n';
  write({ "httpd.conf": main, "sites/a.conf": site, "docs/below/.htaccess": page, "docs/below/index.html": "" });
  const editor = await start();
  editor.open(uri("httpd.conf"), main);
  editor.open(uri("sites/a.conf"), site);
  editor.open(uri("docs/below/.htaccess"), page);
  expect(await lensesOf(editor, uri("httpd.conf"))).toEqual([
    "4: other sections decide the access to its paths",
    "7: 10.0.0.0/8; others: 403",
    "11: every client",
  ]);
  expect(await lensesOf(editor, uri("sites/a.conf"))).toEqual([
    "1: GET, any other method: no client (403) | POST: 10.0.0.0/8; others: 403",
  ]);
  expect(await lensesOf(editor, uri("docs/below/.htaccess"))).toEqual([
    "4: 192.0.2.0/24; others: 403",
    "1: no client (403)",
  ]);
});

test("an edit changes the access, also in another file of the server", async () => {
  const main = serverWith("<Location /a>\n  Require local\n</Location>\nInclude other.conf\n");
  const other = "<Location /a/b>\n  Require all granted\n</Location>\n";
  write({ "httpd.conf": main, "other.conf": other });
  const editor = await start();
  editor.open(uri("httpd.conf"), main);
  editor.open(uri("other.conf"), other);
  const local = "127.0.0.0/8, ::1/128";
  expect((await lensesOf(editor, uri("httpd.conf")))[0]).toContain(local.split(",")[0]);
  editor.replace(uri("httpd.conf"), "Require local", "Require all denied");
  expect(await lensesOf(editor, uri("httpd.conf"))).toEqual(["4: no client (403)"]);
  editor.replace(uri("other.conf"), "/a/b", "/a");
  expect(await lensesOf(editor, uri("httpd.conf"))).toEqual(["4: other sections decide the access to its paths"]);
});

test("a section shows the access in both versions if it differs from the version to upgrade from", async () => {
  const main = serverWith(`<Location /a>
  Order deny,allow
  Deny from all
  Allow from 10.0.0.0/8
  Satisfy any
</Location>
`);
  write({ "httpd.conf": main });
  const editor = await start({ initializationOptions: { from: "2.2" } });
  editor.open(uri("httpd.conf"), main);
  expect(await lensesOf(editor, uri("httpd.conf"))).toEqual(["4: 2.2: 10.0.0.0/8; others: 403; 2.4: every client"]);
});

test("text without access control and a document that is not open have no lenses", async () => {
  write({ "a.conf": "Listen 80\n" });
  const editor = await start();
  editor.open(uri("a.conf"), "Listen 80\n");
  expect(await lensesOf(editor, uri("a.conf"))).toEqual([]);
  expect(await lensesOf(editor, uri("b.conf"))).toEqual([]);
});
