/** Writes the extension for VS Code, with the built command in it: `npm run build:vscode`. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { installPinned, runTool } from "./artifacts/pinned-packages.js";
import { stageExtension } from "./artifacts/vscode-extension.js";

const FOLDER = resolve("build", "vscode");

if (existsSync("dist/httpd-lint.js")) {
  const stage = join(FOLDER, "extension");
  await stageExtension(stage);
  const packed = join(FOLDER, "httpd-lint.vsix");
  const options = ["--no-dependencies", "--allow-missing-repository", "--no-rewrite-relative-links", "--out", packed];
  runTool(process.execPath, [join(installPinned("vsce"), "vsce"), "package", ...options], stage);
  process.stdout.write(`wrote ${packed} (${(statSync(packed).size / 1e6).toFixed(1)} MB)\n`);
} else {
  process.stderr.write("dist is missing: run `npm run build` first\n");
  process.exitCode = 2;
}
