/** Writes the playground: a page in one file, `build/playground/index.html`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { renderPlaygroundPage } from "../src/report/html/playground-page.js";
import { forBrowsers } from "./browsers.mjs";

/** The output folder and its contents. */
const FOLDER = join("build", "playground");

const { outputFiles = [] } = buildSync({
  ...forBrowsers,
  entryPoints: ["src/browser/playground.ts"],
  write: false,
});
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, "index.html"), renderPlaygroundPage(outputFiles[0]?.text ?? ""));
process.stdout.write(`wrote ${join(FOLDER, "index.html")}\n`);
