import { describe, expect, test } from "vitest";
import { findings } from "../support/programs/command-output.js";
import { type Editor, editedFolder } from "../support/programs/editor.js";
import { git } from "../support/programs/scratch-repository.js";

const { at, lint, start, textOf, uri, write } = editedFolder();

/** Opens a file as it is on the disk, and returns the findings shown in the editor, in the format of `findings`. */
async function editorFindings(editor: Editor, name: string): Promise<string[]> {
  editor.open(uri(name), textOf(name));
  const diagnostics = await editor.diagnostics(uri(name));
  return diagnostics.map(({ code, range }) => `${name}:${range.start.line + 1} ${code}`);
}

/** Returns the findings on the command line. */
function commandFindings(name: string): string[] {
  return findings(lint([name])).map((each) => each.replace(/:\d+: \w+/, ""));
}

describe("a document belongs to the server that reads it, as on the command line", () => {
  test.each([
    [
      "a main file with an unusual name in the parent directory",
      "web/vhosts/a.conf",
      ["web/vhosts/a.conf:1 misplaced-directive"],
    ],
    ["a main file in a sibling directory `conf`", "web/parts/b.conf", ["web/parts/b.conf:1 misplaced-directive"]],
    ["a main file in a sibling of its directory", "shared/c.conf", ["shared/c.conf:1 misplaced-directive"]],
    ["the main file itself", "web/conf/main.conf", ["web/conf/main.conf:5 unknown-directive"]],
    ["no main file", "roles/web/files/d.conf", []],
  ])("%s", async (_, name, expected) => {
    write({
      "web/conf/main.conf":
        "Listen 80\nDocumentRoot /srv\nInclude ../parts/*.conf\nInclude ../../shared/*.conf\nOptoins None\n",
      "web/parts/b.conf": "Require all granted\n",
      "web/server.conf": "ServerRoot .\n<IfModule mpm_event_module>\nListen 80\n</IfModule>\nInclude vhosts/*.conf\n",
      "web/vhosts/a.conf": "Require all granted\n",
      "shared/c.conf": "Require all granted\n",
      "roles/web/files/d.conf": "Require all granted\n",
    });
    git(at("."), "init", "--quiet");
    const editor = await start();
    expect(await editorFindings(editor, name)).toEqual(expected);
    expect(commandFindings(name).filter((each) => each.startsWith(name))).toEqual(expected);
  });

  test("a fragment that looks like a main file belongs to the server that reads it", async () => {
    write({
      "main.conf": "ServerRoot .\n<Directory /srv>\nInclude conf.d/hosts.conf\n</Directory>\n",
      "conf.d/hosts.conf": "Listen 8080\nDocumentRoot /srv\n",
    });
    git(at("."), "init", "--quiet");
    const editor = await start();
    // The Include must move: the editor shows that at the first line that it adds.
    const expected = ["conf.d/hosts.conf:1 misplaced-directive"];
    expect(await editorFindings(editor, "conf.d/hosts.conf")).toEqual(expected);
    expect(commandFindings("conf.d/hosts.conf")).toEqual(["main.conf:3 misplaced-directive"]);
  });

  test("the entry of the configuration file takes precedence", async () => {
    write({
      ".httpd-lint.json": { entry: "site", serverRoot: "." },
      "site/server.conf": "Listen 80\nDocumentRoot /srv\n<Directory /srv>\nInclude parts/*.inc\n</Directory>\n",
      "parts/a.inc": "Listen 80\n",
    });
    git(at("."), "init", "--quiet");
    const editor = await start();
    expect(await editorFindings(editor, "parts/a.inc")).toEqual(["parts/a.inc:1 misplaced-directive"]);
    expect(commandFindings("parts/a.inc")).toEqual(["site/server.conf:4 misplaced-directive"]);
  });

  test("a main file that is created later is found", async () => {
    write({ "a.conf": "Require all granted\n" });
    git(at("."), "init", "--quiet");
    const editor = await start();
    expect(await editorFindings(editor, "a.conf")).toEqual([]);
    write({ "web.conf": "ServerRoot .\nInclude a.conf\n" });
    editor.notify("workspace/didChangeWatchedFiles", { changes: [{ uri: uri("web.conf"), type: 1 }] });
    expect(await editor.diagnostics(uri("a.conf"), (all) => all.length > 0)).toMatchObject([
      { code: "misplaced-directive" },
    ]);
  });
});
