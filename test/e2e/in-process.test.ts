import { expect, test } from "vitest";
import { isPackaged } from "../support/programs/command.js";
import { lintedFolder } from "../support/programs/test-folder.js";

const { at, lint, textOf, write } = lintedFolder();

const main = "ServerName x\nListen 80\nDocumentRoot www\n<Location /a>\nOrder deny,allow\nDeny from all\n</Location>\n";

test.each([
  "check httpd.conf",
  "check httpd.conf --format json --color always",
  "check - --stdin-filename httpd.conf",
  "check . --statistics",
  "check nothing.conf",
  "check --nonsense",
  "resolve - --envvars envvars",
  "explain httpd.conf /a",
  "explain httpd.conf --requests -",
  "migrate httpd.conf",
  "rules",
  "init --help",
  "completion zsh",
  // The output names the version of Node.js, and the executable contains another one.
  ...(isPackaged ? ["--version"] : []),
])("a run in the test process has the same result as a run in its own process: %s", (words) => {
  write({ "httpd.conf": `${main}Optoins None\n`, envvars: "export A=b\n" });
  const options = { input: `${main}SetEnv HOME \${HOME}\n`, env: { HOME: at("home"), LANG: "C" } };
  const [own, inTest] = [true, false].map((ownProcess) => lint(words.split(" "), { ...options, ownProcess }));
  expect(inTest).toEqual(own);
});

test("a run in the test process is independent of the previous one, and restores the process", () => {
  write({ "httpd.conf": "Listen 80\n" });
  const before = { folder: process.cwd(), env: { ...process.env } };
  const resolve = (input: string) => lint(["resolve", "-"], { input, ownProcess: false }).stdout;
  expect([resolve("Listen 81\n"), resolve("Listen 82\n")]).toEqual([
    expect.stringContaining("Listen 81\n"),
    expect.stringContaining("Listen 82\n"),
  ]);
  expect({ folder: process.cwd(), env: { ...process.env } }).toEqual(before);
  expect(textOf("httpd.conf")).toBe("Listen 80\n");
});
