// Bundles the command and the library, and writes the types. Runs on `npm ci` too, so it takes only what is installed.
//
// The bundles are CommonJS: Node starts them faster than modules. What costs most after that is compiling, so the command
// comes with V8's code cache, made here by this Node. Another Node ignores it and compiles as ever.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

/** Tables as text that is parsed when its module is loaded: V8 reads JSON faster than the same as JavaScript. */
const jsonAsText = {
  name: "json-as-text",
  setup({ onLoad }) {
    onLoad({ filter: /data\/[^/]+\.json$/ }, ({ path }) => {
      const compact = JSON.stringify(JSON.parse(readFileSync(path, "utf8")));
      return { contents: `export default JSON.parse(${JSON.stringify(compact)});`, loader: "js" };
    });
  },
};

await build({
  entryPoints: { main: "src/cli/bin.ts", index: "src/index.ts" },
  outdir: "dist",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  keepNames: false,
  legalComments: "none",
  logLevel: "warning",
  plugins: [jsonAsText],
  // Some packages ask where they lie, in the way of modules.
  define: { "import.meta.url": "bundleUrl" },
  banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
});

writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
cpSync("src/cli/launcher.cjs", "dist/httpd-lint.js");
chmodSync("dist/httpd-lint.js", 0o755);

mkdirSync("dist/rules", { recursive: true });
for (const page of readdirSync("rules").map((id) => join("rules", id, `${id}.md`))) {
  if (existsSync(page)) cpSync(page, join("dist/rules", basename(page)));
}
cpSync("src/report/schema", "dist/schemas", { recursive: true });

// A run over something real compiles what a run needs, and leaves it in the cache.
const warmUp = ["check", "docs/examples", "--exit-zero", "--quiet"];
execFileSync(process.execPath, ["dist/httpd-lint.js", ...warmUp], {
  env: { ...process.env, HTTPD_LINT_WRITE_CODE_CACHE: "1" },
  stdio: ["ignore", "ignore", "inherit"],
});

execFileSync(join("node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json"], { stdio: "inherit" });
