// Bundles the command and the library, and writes the types. Runs on `npm ci` too, so it takes only what is installed.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

const common = {
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: "none",
  logLevel: "warning",
};

await build({
  ...common,
  entryPoints: { "httpd-lint": "src/cli/bin.ts" },
  outdir: "dist",
  // Packages in CommonJS look for `require`, which a module does not have.
  banner: { js: 'import { createRequire as requireFor } from "node:module"; const require = requireFor(import.meta.url);' },
});
await build({ ...common, entryPoints: { index: "src/index.ts" }, outdir: "dist", packages: "external" });

const tsc = join("node_modules", ".bin", "tsc");
execFileSync(tsc, ["-p", "tsconfig.build.json"], { stdio: "inherit" });

mkdirSync("dist/rules", { recursive: true });
for (const page of readdirSync("rules").map((id) => join("rules", id, `${id}.md`))) {
  if (existsSync(page)) cpSync(page, join("dist/rules", basename(page)));
}
cpSync("src/report/schema", "dist/schemas", { recursive: true });
