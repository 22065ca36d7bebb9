// Bundles the command and the library, and writes the types. Runs on `npm ci` too, so it takes only what is installed.
//
// The bundles are CommonJS: Node starts them faster than modules. What costs most after that is compiling, so the command
// comes with V8's code cache, made here by this Node. Another Node ignores it and compiles as ever.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { build } from "esbuild";

rmSync("dist", { recursive: true, force: true });

/** Tables as text that is parsed when something in them is looked up first: most runs need one release's alone. */
const tablesWhenNeeded = {
  name: "tables-when-needed",
  setup({ onLoad }) {
    onLoad({ filter: /data\/[^/]+\.json$/ }, ({ path }) => {
      const table = JSON.parse(readFileSync(path, "utf8"));
      const keys = Object.keys(table).map(
        (key) => `get ${JSON.stringify(key)}() { return table()[${JSON.stringify(key)}]; }`,
      );
      const text = JSON.stringify(JSON.stringify(table));
      return {
        contents: `let parsed; const table = () => (parsed ??= JSON.parse(${text})); export default { ${keys.join(", ")} };`,
        loader: "js",
      };
    });
  },
};

/**
 * Packages that most runs do without, loaded when one of their functions is called first: the width of text, for the
 * layout of help (its patterns take 20 ms to make), and the search of folders.
 */
const functionsWhenNeeded = {
  "string-width/index.js": ["default"],
  "tinyglobby/dist/index.mjs": ["globSync"],
};
const packagesWhenNeeded = {
  name: "packages-when-needed",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\?now$/ }, ({ path }) => ({ path: path.slice(0, -"?now".length), suffix: "?now" }));
    for (const [file, names] of Object.entries(functionsWhenNeeded)) {
      onLoad({ filter: new RegExp(`/${file.replace(/[./]/g, "\\$&")}$`) }, ({ path, suffix }) => {
        if (suffix === "?now") return undefined;
        const load = `require(${JSON.stringify(`${path}?now`)})`;
        const wrapped = names.map((name) =>
          name === "default"
            ? `export default (...args) => ${load}.default(...args);`
            : `export const ${name} = (...args) => ${load}.${name}(...args);`,
        );
        return { contents: wrapped.join("\n"), loader: "js", resolveDir: dirname(path) };
      });
    }
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
  plugins: [tablesWhenNeeded, packagesWhenNeeded],
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
