import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { SETTINGS_SECTION } from "../../src/apps/lsp/documents/editor-settings.js";

/** The settings that an editor can set, in the order in which it lists them. */
const settingNames = ["release", "from", "serverRoot", "sysroot", "defines", "modules"] as const;

const SOURCE = resolve("editors", "vscode");

/** The parts of the program that the language server and the commands need. */
const serverFiles = [
  ...["httpd-lint.js", "main.js", "lsp.js", "worker.js", "package.json", "third-party-licences.txt"],
  ...["browser", "completions", "data", "rules", "schemas"],
];

/** Writes the extension as an unpacked folder, from the built command. */
export async function stageExtension(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of [
    "apacheconf.tmLanguage.json",
    "language-configuration.json",
    "snippets.json",
    "README.md",
    "icon.png",
    "pictures",
  ])
    cpSync(join(SOURCE, name), join(folder, name), { recursive: true });
  cpSync("LICENSE", join(folder, "LICENSE"));
  for (const name of serverFiles) cpSync(join("dist", name), join(folder, "server", name), { recursive: true });
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(createManifest(), undefined, 2)}\n`);
  await bundleExtension(join(folder, "extension.js"));
}

/** Bundles the extension for the Node.js of the editor. */
async function bundleExtension(outfile: string): Promise<void> {
  await build({
    ...{ entryPoints: [join(SOURCE, "extension.ts")], outfile, bundle: true, minify: true, external: ["vscode"] },
    ...{ platform: "node", format: "cjs", target: "node20", legalComments: "none", logLevel: "warning" },
  });
}

interface Manifest {
  readonly contributes: Readonly<Record<string, unknown>>;
}

/** Returns the manifest with the version of the program, and with the settings of its configuration file. */
function createManifest(): Manifest & Readonly<Record<string, unknown>> {
  const manifest: Manifest = JSON.parse(readFileSync(join(SOURCE, "package.json"), "utf8"));
  const { version }: { readonly version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const configuration = { title: "httpd-lint", properties: createSettings() };
  return { ...manifest, version, contributes: { ...manifest.contributes, configuration } };
}

interface SettingSchema {
  readonly type: string;
  readonly enum?: readonly string[];
  readonly items?: object;
  readonly description: string;
}

/** Returns the editor's settings by name, from the schema of the configuration file. An empty value means that the setting is not set. */
function createSettings(): Readonly<Record<string, object>> {
  const { properties }: { readonly properties: Readonly<Record<string, SettingSchema>> } = JSON.parse(
    readFileSync("src/apps/settings/schema/settings.schema.json", "utf8"),
  );
  const settings = settingNames.map((name) => {
    const schema = properties[name];
    if (schema === undefined) throw new Error(`the configuration file has no setting ${name}`);
    const { type, enum: values, items, description } = schema;
    const isList = type === "array";
    const shape = isList
      ? { type: ["array", "null"], items, default: null }
      : { type, default: "", ...(values ? { enum: ["", ...values] } : {}) };
    return [`${SETTINGS_SECTION}.${name}`, { ...shape, scope: "resource", markdownDescription: description }] as const;
  });
  return Object.fromEntries(settings);
}
