import { mkdirSync, symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { editedFolder } from "../support/programs/editor.js";

const { at, start, uri, write } = editedFolder();

const isUnknown = ({ code }: { readonly code?: string | number }) => code === "unknown-directive";

describe("unusual documents", () => {
  test("offers only directives that are allowed in a lone `.htaccess` file, and reports Listen", async () => {
    const editor = await start();
    const page = uri("www/.htaccess");
    editor.open(page, "Listen 80\n\n");
    const found = await editor.diagnostics(page, (all) => all.length > 0);
    expect(found).toMatchObject([
      { code: "misplaced-directive", message: "`Listen` is not allowed in a `.htaccess` file" },
    ]);
    const labels = (await editor.completion(page, { line: 1, character: 0 })).map(({ label }) => label);
    expect(labels).toEqual(expect.arrayContaining(["RewriteRule", "<Files>"]));
    expect(labels).not.toContain("DocumentRoot");
    expect(labels).not.toContain("<Directory>");
  });

  test("checks an unsaved document, and documents with unknown schemes", async () => {
    const editor = await start();
    for (const page of [
      "untitled:Untitled-1",
      "git:/srv/www/httpd.conf?ref=HEAD",
      "zipfile:///a.zip::b%20c.conf",
      "%",
    ]) {
      editor.open(page, "Nonsense on\n");
      expect(await editor.diagnostics(page, (all) => all.length > 0)).toMatchObject([{ code: "unknown-directive" }]);
      editor.close(page);
    }
  });

  test("uses positions in UTF-16 units, after wide characters and all line endings", async () => {
    const editor = await start();
    const page = uri("httpd.conf");
    editor.open(page, '# é😀\r\nServerAdmin "é😀" \\\r\n  x\r\n  Nonsensé "😀"\r\n# old\rMac\r\nOtherNonsense\r\n');
    const found = (await editor.diagnostics(page, (all) => all.filter(isUnknown).length === 2)).filter(isUnknown);
    expect(found.map(({ range }) => range)).toEqual([
      { start: { line: 3, character: 2 }, end: { line: 3, character: 10 } },
      { start: { line: 6, character: 0 }, end: { line: 6, character: 13 } },
    ]);
    editor.replace(page, "é😀\r\n", "é😀😀 ü\r\n");
    editor.replace(page, "Nonsensé", "Nonsens");
    const again = await editor.diagnostics(page, (all) => all.filter(isUnknown).length === 2);
    expect(again.filter(isUnknown)[0]?.range.end).toEqual({ line: 3, character: 9 });
  });

  test("accepts paths with spaces, percent signs and non-ASCII letters, as each editor encodes them", async () => {
    write({ "my site 100%/ü/httpd.conf": "Include 'own rules.conf'\n" });
    const editor = await start();
    const main = uri("my site 100%/ü/httpd.conf");
    const rules = uri("my site 100%/ü/own rules.conf");
    write({ "my site 100%/ü/own rules.conf": "" });
    // VS Code encodes characters that others leave unchanged.
    const asCode = rules.replace("my", "%6Dy");
    editor.open(asCode, "Nonsense\n");
    editor.open(main, "Include 'own rules.conf'\n");
    expect(await editor.diagnostics(asCode, (all) => all.length > 0)).toMatchObject([{ code: "unknown-directive" }]);
    await editor.diagnostics(main);
    expect(await editor.definition(main, { line: 0, character: 12 })).toMatchObject([{ uri: rules }]);
    const windows = "file:///c%3A/conf/httpd.conf";
    editor.open(windows, "Listen\n");
    expect(await editor.diagnostics(windows, (all) => all.length > 0)).toHaveLength(1);
  });

  test("treats a file that is opened through a link as the file that the server reads", async () => {
    write({
      "httpd.conf": "<Directory /x>\nInclude enabled/a.conf\n</Directory>\n",
      "available/a.conf": "",
    });
    mkdirSync(at("enabled"));
    symlinkSync("../available/a.conf", at("enabled/a.conf"));
    const editor = await start();
    for (const page of [uri("available/a.conf"), uri("enabled/a.conf")]) {
      editor.open(page, "Listen 80\n");
      expect(await editor.diagnostics(page, (all) => all.length > 0)).toMatchObject([{ code: "misplaced-directive" }]);
      editor.close(page);
    }
  });

  test("clears the diagnostics of a closed file, and reads it from the disk", async () => {
    write({ "httpd.conf": "Include a.conf\n", "a.conf": "Define HERE\n" });
    const editor = await start();
    editor.open(uri("httpd.conf"), "Include a.conf\n<IfDefine !HERE>\nNonsense\n</IfDefine>\n");
    await editor.diagnostics(uri("httpd.conf"), (all) => !all.some(isUnknown));
    editor.open(uri("a.conf"), "# nothing\n");
    await editor.diagnostics(uri("httpd.conf"), (all) => all.some(isUnknown));
    editor.close(uri("a.conf"));
    await editor.diagnostics(uri("httpd.conf"), (all) => !all.some(isUnknown));
  });
});

describe("settings", () => {
  const text = "<Location /x>\n<RequireAny>\nRequire all granted\n</RequireAny>\n</Location>\n";

  test("are sent on initialization", async () => {
    const editor = await start({ initializationOptions: { release: "2.2" } });
    editor.open(uri("httpd.conf"), text);
    expect(await editor.diagnostics(uri("httpd.conf"), (all) => all.length > 0)).toMatchObject([
      { severity: 1, message: "`<RequireAny>` is not a directive of httpd 2.2" },
    ]);
  });

  test("are requested, and mistakes in them are reported", async () => {
    const editor = await start({
      capabilities: { workspace: { configuration: true } },
      configuration: { release: "2.2", from: 2, colour: "red" },
    });
    editor.open(uri("httpd.conf"), text);
    await editor.diagnostics(uri("httpd.conf"), (all) => all.some(({ severity }) => severity === 1));
    expect(editor.messages).toEqual([
      "httpd-lint: ignored unknown setting `httpdLint.colour`",
      "httpd-lint: ignored setting `httpdLint.from`: expected a version such as 2.4 or 2.4.29",
    ]);
  });

  test("can change at run time, and settings of other servers are ignored", async () => {
    const editor = await start({ initializationOptions: { httpdLint: { defines: ["A"] } } });
    editor.open(uri("httpd.conf"), text);
    await editor.diagnostics(uri("httpd.conf"), (all) => all.length === 0);
    editor.notify("workspace/didChangeConfiguration", { settings: { pylsp: { colour: true } } });
    editor.notify("workspace/didChangeConfiguration", { settings: { httpdLint: { release: "2.2" } } });
    await editor.diagnostics(uri("httpd.conf"), (all) => all.length > 0);
    expect(editor.messages).toEqual([]);
    // Initial settings apply until they are changed.
    editor.open(uri("a.conf"), "<IfDefine A>\nNonsense\n</IfDefine>\n");
    await editor.diagnostics(uri("a.conf"), (all) => all.some(isUnknown));
  });
});

describe("the end of a session", () => {
  test("has exit code 0 after a shutdown request", async () => {
    const editor = await start({ flags: ["--stdio", `--clientProcessId=${process.pid}`] });
    expect(await editor.shutdown()).toBe(0);
  });

  test.each(["stdin", "stdout"] as const)("is silent if the editor closes %s", async (pipe) => {
    const editor = await start({ flags: [] });
    editor.open(uri("httpd.conf"), "Nonsense on\n");
    editor.process[pipe].destroy();
    // A closed pipe is noticed at the next write.
    if (pipe === "stdout") editor.process.stderr.resume();
    expect([0, 1]).toContain(await editor.ended);
    expect(editor.stderr).toBe("");
  });

  test("is not caused by invalid requests", async () => {
    const editor = await start();
    editor.notify("textDocument/didChange", {
      textDocument: { uri: uri("nowhere.conf"), version: 3 },
      contentChanges: [],
    });
    await expect(editor.ask("no/such/request", {})).rejects.toThrow();
    expect(await editor.hover(uri("nowhere.conf"), { line: 5, character: 5 })).toBeNull();
    editor.open(uri("a.conf"), "");
    expect(await editor.completion(uri("a.conf"), { line: 40, character: 40 })).not.toEqual([]);
    expect(await editor.shutdown()).toBe(0);
  });
});
