import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Diagnostic } from "vscode-languageserver-protocol/node";
import { type Editor, editedFolder } from "../support/programs/editor.js";

const { at, lint, start, uri, write } = editedFolder();

/** Writes a configuration file into the project. */
function set(settings: string | object, path = ".httpd-lint.json"): void {
  write({ [path]: settings });
}

const settingsFile = () => uri(".httpd-lint.json");
const has = (code: string) => (all: readonly Diagnostic[]) => all.some((each) => each.code === code);
const hasNo = (code: string) => (all: readonly Diagnostic[]) => !has(code)(all);
const unknown = "unknown-directive";

describe("the configuration file of a project, in the editor", () => {
  test("names the server of a file, whose main file may have any name", async () => {
    set({ servers: [{ entry: "other/apache2.conf" }, { entry: "web/main.cfg", defines: ["SHOP"], sysroot: "web" }] });
    write({
      "other/apache2.conf": "Listen 80\n",
      "web/main.cfg": "ServerRoot /\n<Directory /srv>\nInclude pieces/shop.inc\n</Directory>\n",
    });
    const editor = await start();
    const page = uri("web/pieces/shop.inc");
    const text = "<IfDefine SHOP>\nListen 80\n</IfDefine>\n";
    write({ "web/pieces/shop.inc": text });
    editor.open(page, text);
    const found = await editor.diagnostics(page, (all) => all.length > 0);
    expect(found).toMatchObject([{ code: "misplaced-directive", range: { start: { line: 1 } } }]);
    expect(editor.messages).toEqual([]);
  });

  test("sets the version, the version to upgrade from, and the modules", async () => {
    set({ from: "2.2", modules: ["rewrite", "mime"], withoutModules: ["mime"] });
    const editor = await start();
    const page = uri("httpd.conf");
    editor.open(page, "DefaultType text/plain\nAddType text/x-a .a\nRewriteEngine on\n");
    const found = await editor.diagnostics(page, (all) => all.length > 0);
    expect(found.map(({ code, range }) => `${range.start.line} ${code}`)).toEqual([
      "0 changed-default",
      "0 ignored-directive",
      "1 modules-to-load",
    ]);
    set({ release: "2.2" });
    editor.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: settingsFile(), type: 2 }] });
    await editor.diagnostics(page, (all) => all.length === 0);
  });

  test("sets severities, disables rules and ignores paths as on the command line", async () => {
    set({
      rules: { "unknown-directive": "info", "misplaced-directive": "off" },
      ignores: [{ paths: ["vendor/**"] }],
    });
    const text = "Nonsense\n<Directory /x>\nListen 80\n</Directory>\n";
    write({ "a.conf": text, "vendor/b.conf": text });
    const editor = await start();
    for (const path of ["a.conf", "vendor/b.conf"]) editor.open(uri(path), text);
    expect(await editor.diagnostics(uri("a.conf"))).toMatchObject([{ code: unknown, severity: 3 }]);
    expect(await editor.diagnostics(uri("vendor/b.conf"))).toEqual([]);
    const { stdout } = lint(["check", "--format", "json", "a.conf", "vendor/b.conf"]);
    expect(JSON.parse(stdout).findings).toMatchObject([{ rule: unknown, severity: "info" }]);
  });

  test("hides the known findings of its baseline even if lines move, but not new ones", async () => {
    write({ "a.conf": "Nonsense\n" });
    set({ baseline: "known.json" });
    lint(["check", "--update-baseline", "a.conf"]);
    const editor = await start();
    editor.open(uri("a.conf"), "# moved\n\nNonsense\n");
    expect(await editor.diagnostics(uri("a.conf"))).toEqual([]);
    editor.replace(uri("a.conf"), "Nonsense\n", "Nonsense\nNonsense\n");
    expect(await editor.diagnostics(uri("a.conf"), (all) => all.length > 0)).toHaveLength(1);
  });

  test("applies if it is the nearest one; editor settings override its options and add to its defines", async () => {
    set({ release: "2.2", defines: ["A"] });
    set({ release: "2.4", defines: ["B"] }, "inner/.httpd-lint.json");
    const text = "<IfDefine A>\nNonsenseA\n</IfDefine>\n<IfDefine B>\nNonsenseB\n</IfDefine>\n<If true>\n</If>\n";
    const linesOf = async (editor: Editor, page: string) => {
      editor.open(page, text);
      return (await editor.diagnostics(page, (all) => all.length > 0)).map(({ range }) => range.start.line);
    };
    const plain = await start();
    expect(await linesOf(plain, uri("a.conf"))).toEqual([1, 6]);
    expect(await linesOf(plain, uri("inner/a.conf"))).toEqual([4]);
    const configured = await start({ initializationOptions: { release: "2.4", defines: ["B"] } });
    expect(await linesOf(configured, uri("a.conf"))).toEqual([1, 4]);
  });
});

describe("a changed configuration file", () => {
  test("is read when the editor reports the change, or at the next keystroke", async () => {
    set({ rules: { "unknown-directive": "off" } });
    const editor = await start();
    const page = uri("a.conf");
    editor.open(page, "Nonsense\n");
    expect(await editor.diagnostics(page)).toEqual([]);
    set({});
    editor.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: settingsFile(), type: 2 }] });
    await editor.diagnostics(page, has(unknown));
    set({ rules: { "unknown-directive": "off" } });
    editor.forget();
    editor.replace(page, "Nonsense\n", "Nonsense \n");
    await editor.diagnostics(page, hasNo(unknown));
    rmSync(at(".httpd-lint.json"));
    editor.replace(page, "Nonsense \n", "Nonsense\n");
    await editor.diagnostics(page, has(unknown));
  });

  test("applies as edited if it is open, and is not checked as httpd configuration", async () => {
    const editor = await start();
    const page = uri("a.conf");
    editor.open(page, "Nonsense\n");
    await editor.diagnostics(page, has(unknown));
    editor.open(settingsFile(), '{ "rules": { "unknown-directive": "off" } }');
    await editor.diagnostics(page, hasNo(unknown));
    expect(await editor.completion(settingsFile(), { line: 0, character: 1 })).toEqual([]);
    expect(await editor.symbols(settingsFile())).toEqual([]);
    editor.close(settingsFile());
    await editor.diagnostics(page, has(unknown));
  });
});

describe("an invalid configuration file", () => {
  test("is reported in the file and once as a message, and applies when it is corrected", async () => {
    set('{\n  "relase": "2.2",\n  "rules": { "unknown-directive": "loud" }\n}\n');
    const editor = await start();
    const page = uri("a.conf");
    editor.open(page, "Nonsense\n");
    await editor.diagnostics(page, has(unknown));
    expect(await editor.diagnostics(settingsFile(), (all) => all.length > 0)).toMatchObject([
      {
        severity: 1,
        message: expect.stringContaining("did you mean `release`?"),
        range: { start: { line: 1, character: 2 }, end: { line: 1 } },
      },
      { message: expect.stringContaining('expected `"off"`'), range: { start: { line: 2 } } },
    ]);
    editor.replace(page, "Nonsense", "Nonsens");
    await editor.diagnostics(page, has(unknown));
    expect(editor.messages).toEqual([
      expect.stringMatching(/^httpd-lint: \/.*\.json:2:3: .*the file is ignored until this is corrected$/),
    ]);
    set({ rules: { "unknown-directive": "off" } });
    editor.replace(page, "Nonsens", "Nonsense");
    await editor.diagnostics(page, hasNo(unknown));
    await editor.diagnostics(settingsFile(), (all) => all.length === 0);
  });

  test("is reported if it names missing files, and its other options apply", async () => {
    set({ sysroot: "nowhere", baseline: "none.json", rules: { "unknown-directive": "info" } });
    const editor = await start();
    editor.open(uri("a.conf"), "Nonsense\n");
    expect(await editor.diagnostics(settingsFile(), (all) => all.length > 0)).toMatchObject([
      {
        severity: 2,
        message: expect.stringMatching(/^`sysroot`: `.*` is not a directory, so no files in it are read$/),
      },
      { severity: 2, message: expect.stringContaining("run `httpd-lint --update-baseline` to create it") },
    ]);
    expect(await editor.diagnostics(uri("a.conf"), has(unknown))).toMatchObject([{ severity: 3 }]);
  });

  test("is reported if its baseline has another version, which suppresses nothing", async () => {
    set({ baseline: "known.json" });
    write({ "known.json": '{ "version": 99, "findings": [] }' });
    const editor = await start();
    editor.open(uri("a.conf"), "Nonsense\n");
    await editor.diagnostics(uri("a.conf"), has(unknown));
    expect(await editor.diagnostics(settingsFile(), (all) => all.length > 0)).toMatchObject([
      { message: expect.stringContaining("it has version 99") },
    ]);
  });
});
