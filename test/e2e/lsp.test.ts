import { describe, expect, test } from "vitest";
import { isPackaged } from "../support/programs/command.js";
import { type Editor, editedFolder } from "../support/programs/editor.js";

const { at, start, uri, write } = editedFolder();

const main = `Listen 8080
Define SITE /srv/none
Include conf.d/*.conf
DocumentRoot "\${SITE}"
<Directory "/srv/none">
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
</Directory>
<Macro Restricted $net>
    Require ip $net
</Macro>
<AuthzProviderAlias ip office "192.0.2.0/24">
</AuthzProviderAlias>
`;
const site = `<Location /secret>
    Require ip 10.1.2.3
    Use Restricted 10.0.0.0/8
    Require office
</Location>
`;

function writeServer(): void {
  write({ "httpd.conf": main, "conf.d/site.conf": site });
}

const codes = (all: readonly { readonly code?: string | number }[]) => all.map(({ code }) => code);

describe("a session", () => {
  test("checks unsaved text as part of its server", async () => {
    writeServer();
    const editor = await start();
    const page = uri("conf.d/site.conf");
    editor.open(page, site);
    expect(codes(await editor.diagnostics(page))).not.toContain("unknown-directive");
    editor.replace(page, "Require ip", "Requre ip");
    const [found] = await editor.diagnostics(page, (all) => codes(all).includes("unknown-directive"));
    expect(found).toMatchObject({
      severity: 1,
      source: "httpd-lint",
      message: "unknown directive `Requre`",
      // The hover has the notes and the help.
      relatedInformation: [],
      range: { start: { line: 1, character: 4 }, end: { line: 1, character: 10 } },
      // The page in a single executable has no address.
      ...(isPackaged ? { codeDescription: { href: expect.stringMatching(/^file:.*\/unknown-directive\.md$/) } } : {}),
    });
    editor.replace(page, "Requre ip", "Require ip");
    expect(codes(await editor.diagnostics(page))).not.toContain("unknown-directive");
    expect(await editor.shutdown()).toBe(0);
    expect(editor.stderr).toBe("");
  });

  test("reports private files on the disk in the main file", async () => {
    const text = `ServerRoot "${at(".")}"\nListen 80\nDocumentRoot "${at("www")}"\n`;
    write({ "httpd.conf": text, "www/index.html": "<p>", "www/shop.sql": "CREATE TABLE a;\n" });
    const editor = await start();
    editor.open(uri("httpd.conf"), text);
    const found = await editor.diagnostics(uri("httpd.conf"), (all) => codes(all).includes("exposed-private-file"));
    expect(found).toContainEqual(expect.objectContaining({ message: "`/shop.sql` is served to every client" }));
  });

  test("reports an effect of a change in another open file", async () => {
    writeServer();
    const editor = await start();
    editor.open(uri("httpd.conf"), main);
    editor.open(uri("conf.d/site.conf"), site);
    await editor.diagnostics(uri("conf.d/site.conf"));
    editor.forget();
    editor.replace(uri("httpd.conf"), "<Macro Restricted", "<Macro Other");
    const found = await editor.diagnostics(uri("conf.d/site.conf"), (all) =>
      all.some(({ message }) => JSON.stringify(message).includes("undefined macro `Restricted`")),
    );
    expect(found).not.toEqual([]);
  });

  test("offers a comment that ignores a finding", async () => {
    const text =
      "<Location /x>\r\n  Order allow,deny\r\n  Allow from all\r\n  Satisfy any\r\n  ServerTokn é\r\n</Location>\r\n";
    write({ "httpd.conf": text });
    const editor = await start();
    const page = uri("httpd.conf");
    editor.open(page, text);
    const found = await editor.diagnostics(page, (all) => codes(all).includes("unknown-directive"));
    const unknown = found.find(({ code }) => code === "unknown-directive");
    if (unknown === undefined) throw new Error("nothing is unknown");
    const actions = await editor.actions(page, unknown.range);
    const ignore = actions.find(({ title }) => title === "Ignore unknown-directive on this line");
    if (ignore === undefined) throw new Error("nothing is offered");
    editor.apply(ignore);
    expect(editor.text(page)).toContain("  # httpd-lint-ignore-next-line unknown-directive\r\n  ServerTokn é\r\n");
    expect(codes(await editor.diagnostics(page))).not.toContain("unknown-directive");
  });

  test("offers a comment that ignores the findings in a section", async () => {
    const text =
      "Listen 80\n  # about\n  <Location /x>\n    <Limit GET>\n    </Limit>\n    ServerTokn a\n    ServerTokn b\n  </Location>\nServerTokn c\n";
    write({ "httpd.conf": text });
    const editor = await start();
    const page = uri("httpd.conf");
    editor.open(page, text);
    const isUnknown = ({ code }: { readonly code?: string | number | undefined }) => code === "unknown-directive";
    const found = (await editor.diagnostics(page, (all) => all.some(isUnknown))).filter(isUnknown);
    const [first, last] = [found.at(0), found.at(-1)];
    if (first === undefined || last === undefined) throw new Error("nothing is unknown");
    const title = "Ignore unknown-directive in this section";
    expect((await editor.actions(page, last.range)).map((each) => each.title)).not.toContain(title);
    const ignore = (await editor.actions(page, first.range)).find((each) => each.title === title);
    if (ignore === undefined) throw new Error("nothing is offered");
    editor.apply(ignore);
    const comment = "  # httpd-lint-ignore-next-section unknown-directive\n  <Location /x>\n";
    expect(editor.text(page)).toContain(comment);
    const left = (await editor.diagnostics(page)).filter(isUnknown);
    expect(left.map(({ range }) => range.start.line)).toEqual([9]);
  });

  test("applies all safe fixes at once, and offers none for an older version of the text", async () => {
    const text = 'DocumentRoot "/srv/none"\nListen 80\nNameVirtualHost *:80\nServerName a.test\n';
    write({ "httpd.conf": text });
    const editor = await start();
    const page = uri("httpd.conf");
    editor.open(page, text);
    await editor.diagnostics(page, (all) => codes(all).includes("ignored-directive"));
    const whole = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
    const quick = await editor.actions(page, whole, ["quickfix"]);
    const fix = quick.find(({ title }) => title === "Delete this line");
    expect(fix).toMatchObject({ kind: "quickfix", isPreferred: true, diagnostics: [{ code: "ignored-directive" }] });
    const [all, ...others] = await editor.actions(page, whole, ["source.fixAll"]);
    expect(others).toEqual([]);
    if (all === undefined) throw new Error("nothing is offered to fix all");
    expect(all).toMatchObject({ kind: "source.fixAll.httpd-lint" });
    editor.apply(all);
    expect(editor.text(page)).toBe('DocumentRoot "/srv/none"\nListen 80\nServerName a.test\n');
    expect(await editor.actions(page, whole)).toEqual([]);
    expect(codes(await editor.diagnostics(page))).not.toContain("ignored-directive");
  });

  test("sends plain edits to an editor that does not support versions", async () => {
    write({ "httpd.conf": "Nonsense on\n" });
    const editor = await start({ capabilities: {} });
    const page = uri("httpd.conf");
    editor.open(page, "Nonsense on\n");
    const [found] = await editor.diagnostics(page, (all) => all.length > 0);
    const [action] = await editor.actions(page, found?.range ?? { start: startOfDocument, end: startOfDocument });
    expect(action?.edit).toMatchObject({ changes: { [page]: [{ newText: expect.stringContaining("ignore") }] } });
  });
});

const startOfDocument = { line: 0, character: 0 };

describe("language features", () => {
  const textOf = (hover: Awaited<ReturnType<Editor["hover"]>>) => JSON.stringify(hover?.contents ?? "");

  test("hover describes a directive and the access", async () => {
    writeServer();
    const editor = await start();
    editor.open(uri("httpd.conf"), main);
    expect(textOf(await editor.hover(uri("httpd.conf"), editor.positionAfter(uri("httpd.conf"), "Lis")))).toContain(
      "allowed in: server level",
    );
    const place = editor.positionAfter(uri("httpd.conf"), "Deny fr");
    let hoverText = "";
    while (!hoverText.includes("10.0.0.0/8; others: 403")) {
      hoverText = textOf(await editor.hover(uri("httpd.conf"), place));
      expect(hoverText).toMatch(/Access to these paths|The access to these paths is still being computed/);
    }
    expect(hoverText).toContain("httpd.conf#L5");
    expect(hoverText).toContain("Deprecated in 2.4 (`mod_access_compat`): use `Require`.");
  });

  test("a fragment and a `.htaccess` file are analyzed on their own, and their assumptions are stated", async () => {
    const text = "<Location /status>\nDeny from all\n</Location>\n<Location /status/x>\nRequire local\n</Location>\n";
    const above = "Deny from all\n";
    write({ "site.conf": text, "docs/.htaccess": above, "docs/in/.htaccess": "Require all granted\n" });
    const editor = await start();
    editor.open(uri("site.conf"), text);
    const found = (await editor.diagnostics(uri("site.conf"))).find(({ code }) => code === "compat-precedence");
    expect(found?.message).not.toContain("assuming");
    const related = found?.relatedInformation?.map(({ message }) => message);
    expect(related).toContainEqual(expect.stringContaining("inherited"));
    const inHover = textOf(await editor.hover(uri("site.conf"), editor.positionAfter(uri("site.conf"), "Require lo")));
    expect(inHover).toMatch(/\*\*\w+\*\* `compat-precedence`: `Require local` /);
    expect(inHover).toContain("- note: assuming that no other file sets access for `/status/x`");
    let hoverText = "";
    while (!hoverText.includes("assuming that"))
      hoverText = textOf(await editor.hover(uri("site.conf"), editor.positionAfter(uri("site.conf"), "Require lo")));
    expect(hoverText).toContain("/status/x");
    const page = uri("docs/in/.htaccess");
    editor.open(page, "Require all granted\n");
    const inside = await editor.diagnostics(page, (all) => all.length > 0);
    expect(inside.map(({ code }) => code)).toContain("compat-precedence");
  });

  test("completion offers the directives allowed at a place, and their arguments", async () => {
    writeServer();
    const editor = await start();
    const page = uri("conf.d/site.conf");
    const text = "<Location /x>\n  \n  Require \n  Options +\n  Use \n  ErrorDocument 404 ${}\n</Location>\n\n";
    editor.open(page, text);
    await editor.diagnostics(page);
    const labels = async (line: number, character: number) =>
      (await editor.completion(page, { line, character })).map(({ label }) => label);
    const inSection = await labels(1, 2);
    expect(inSection).toEqual(expect.arrayContaining(["Require", "<RequireAny>", "</Location>"]));
    expect(inSection).not.toContain("Listen");
    const onTop = await editor.completion(page, { line: 7, character: 0 });
    expect(onTop.map(({ label }) => label)).toContain("Listen");
    expect(onTop.find(({ label }) => label === "<Directory>")).toMatchObject({
      insertTextFormat: 2,
      textEdit: { newText: "<Directory ${1:directory-path}>\n\t$0\n</Directory>" },
    });
    editor.replace(page, "  \n  Require ", "  <Re\n  Require ");
    const afterBracket = await labels(1, 5);
    expect(afterBracket).toContain("<RequireAny>");
    expect(afterBracket.filter((label) => !label.startsWith("<"))).toEqual([]);
    expect(await labels(2, 10)).toEqual(expect.arrayContaining(["all", "valid-user", "office"]));
    expect(await labels(3, 11)).toEqual(expect.arrayContaining(["+Indexes", "-MultiViews"]));
    expect(await labels(4, 6)).toEqual(["Restricted"]);
    expect(await labels(5, 22)).toEqual(["SITE"]);
    const [require] = onTop.filter(({ label }) => label === "Listen");
    expect(JSON.stringify(require && (await editor.resolve(require)))).toContain("allowed in");
  });

  test("definitions are found in other files, open or not", async () => {
    writeServer();
    const editor = await start();
    const page = uri("conf.d/site.conf");
    editor.open(page, site);
    await editor.diagnostics(page);
    const from = async (text: string) => editor.definition(page, editor.positionAfter(page, text));
    expect(await from("Use Restr")).toMatchObject([{ uri: uri("httpd.conf"), range: { start: { line: 9 } } }]);
    expect(await from("Require off")).toMatchObject([{ uri: uri("httpd.conf"), range: { start: { line: 12 } } }]);
    editor.open(uri("httpd.conf"), main);
    await editor.diagnostics(uri("httpd.conf"));
    const inMain = async (text: string) =>
      editor.definition(uri("httpd.conf"), editor.positionAfter(uri("httpd.conf"), text));
    expect(await inMain("conf.d/")).toMatchObject([{ uri: page }]);
    expect(await inMain("${SI")).toMatchObject([{ uri: uri("httpd.conf"), range: { start: { line: 1 } } }]);
    expect(await inMain("<Macro Restr")).toMatchObject([{ uri: page, range: { start: { line: 2 } } }]);
    expect(await editor.links(uri("httpd.conf"))).toMatchObject([{ target: page, range: { start: { line: 2 } } }]);
  });

  test("sections are outlined and folded", async () => {
    const editor = await start();
    const page = uri("a.conf");
    editor.open(
      page,
      "# one\n# two\n<VirtualHost *:80>\n ServerName a.test\n <Directory /x>\n Options None\n </Directory>\n</VirtualHost>\n",
    );
    expect(await editor.symbols(page)).toMatchObject([
      { name: "VirtualHost *:80", detail: "a.test", children: [{ name: "Directory /x", children: [] }] },
    ]);
    expect(await editor.folding(page)).toEqual([
      { startLine: 0, endLine: 1, kind: "comment" },
      { startLine: 4, endLine: 5 },
      { startLine: 2, endLine: 6 },
    ]);
  });
});
