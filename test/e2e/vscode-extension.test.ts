import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { stageExtension } from "../../scripts/artifacts/vscode-extension.js";
import { ensureBuilt, run } from "../support/programs/command.js";
import { sharedFolder } from "../support/programs/test-folder.js";

interface Session {
  readonly registered: readonly string[];
  /** The calls of the editor's functions, with their arguments. */
  readonly calls: readonly (readonly [string, ...unknown[]])[];
  readonly findings: readonly string[];
  /** Files outside the extension that it loads. */
  readonly outside: readonly string[];
  /** Number of processes before and after the end of the extension. */
  readonly running: number;
  readonly remaining: number;
}

interface Manifest {
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, { readonly markdownDescription: string }>> };
  };
}

interface Schema {
  readonly properties: Readonly<Record<string, { readonly description: string }>>;
}

const folder = sharedFolder();
const configuration = `Listen 80
ServerName a.example
DocumentRoot /srv
<Directory /srv>
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
</Directory>
<FilesMatch "\\.bak$">
    Require all denied
</FilesMatch>
<Location /status>
    SetHandler server-status
    Order deny,allow
    Deny from all
    Allow from 127.0.0.1
</Location>
`;
let session: Session;

beforeAll(async () => {
  ensureBuilt();
  await stageExtension(folder.at("extension"));
  folder.write({ "httpd.conf": configuration });
  const script = resolve("test/support/vscode/session.cjs");
  const ran = run(process.execPath, [script, folder.at("extension"), folder.at("httpd.conf")], { cwd: folder.path });
  if (ran.status !== 0) throw new Error(ran.stderr);
  session = JSON.parse(ran.stdout);
});

const manifest = (): Manifest => JSON.parse(folder.textOf("extension/package.json"));

test("the editor receives the findings of an open document", () => {
  expect(session.findings).toContain("5 old-access-control");
});

test("the manifest lists the registered commands", () => {
  const listed = manifest().contributes.commands.map(({ command }) => command);
  expect(listed).toHaveLength(4);
  expect([...session.registered].sort()).toEqual(listed.sort());
});

test("a migration shows a diff, and writes the file if the user accepts", () => {
  const [diff, question, done] = session.calls;
  const file = `file://${folder.at("httpd.conf")}`;
  const next = "httpd-lint:Migrated%20httpd.conf";
  expect(diff?.slice(0, 4)).toEqual(["executeCommand", "vscode.diff", file, next]);
  expect(question).toEqual([
    "showInformationMessage",
    expect.stringMatching(/every access decision stays the same .*, except for 1 kind of requests that/),
    "Write",
  ]);
  expect(done).toEqual(["showInformationMessage", "httpd-lint: 1 file changed."]);
  expect(folder.textOf("httpd.conf")).toContain("    Require ip 10.0.0.0/8\n");
  expect(folder.textOf("httpd.conf")).not.toContain("Order");
});

test("the settings are described as in the configuration file", () => {
  const { properties }: Schema = JSON.parse(readFileSync("src/apps/settings/schema/settings.schema.json", "utf8"));
  const settings = Object.entries(manifest().contributes.configuration.properties);
  expect(settings).not.toEqual([]);
  for (const [name, { markdownDescription }] of settings)
    expect(properties).toHaveProperty([name.replace("httpdLint.", ""), "description"], markdownDescription);
});

test("the extension loads no files from other directories", () => {
  expect(session.outside).toEqual([]);
});

test("the language server ends with the extension", () => {
  expect([session.running, session.remaining]).toEqual([1, 0]);
});
