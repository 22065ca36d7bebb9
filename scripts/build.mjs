// Bundles the command and the library, and writes the types. It also runs on `npm ci`, so it uses only installed
// packages.
//
// The bundles are CommonJS: Node starts them faster than ES modules. Compilation is the next largest cost, so the
// command comes with V8's code cache, made here by this Node. For a release, other versions add theirs:
// HTTPD_LINT_NODES lists the paths of their programs, separated like PATH. A Node without a cache compiles as usual.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { forBrowsers } from "./browsers.mjs";
import { bundledPackages, noticesOf, sbomOf } from "./bundled.mjs";

rmSync("dist", { recursive: true, force: true });

/** Tables stay separate files, each read at the first lookup: most runs need only one release's tables. */
const tablesWhenNeeded = {
  name: "tables-when-needed",
  setup({ onLoad }) {
    onLoad({ filter: /data\/[^/]+\.json$/ }, ({ path }) => {
      const table = JSON.parse(readFileSync(path, "utf8"));
      const keys = Object.keys(table).map(
        (key) => `get ${JSON.stringify(key)}() { return table()[${JSON.stringify(key)}]; }`,
      );
      mkdirSync("dist/data", { recursive: true });
      writeFileSync(join("dist/data", basename(path)), JSON.stringify(table));
      const read = `readShippedFile(${JSON.stringify(`data/${basename(path)}`)})`;
      return {
        contents: `import { readShippedFile } from ${JSON.stringify(resolve("src/apps/shipped-files.ts"))};
          let parsed; const table = () => (parsed ??= JSON.parse(${read})); export default { ${keys.join(", ")} };`,
        loader: "js",
        resolveDir: dirname(path),
      };
    });
  },
};

/**
 * Modules that most runs do not need, loaded at the first call. They include: text width for the layout of help (its
 * patterns take 20 ms to compile), folder search, patterns, readers of configuration files, expectations and baselines,
 * process creation, Markdown pages, and yargs' assertions. Locating the package of a bundle is not included: yargs
 * asserts that at each start, and continues without it.
 */
const whenNeeded = {
  "string-width/index.js": "export default (...args) => module().default(...args);",
  "tinyglobby/dist/index.mjs": "export const globSync = (...args) => module().globSync(...args);",
  "re2js/build/index.js": `export const RE2JS = {
    compile: (...args) => module().RE2JS.compile(...args),
    quote: (...args) => module().RE2JS.quote(...args),
    get DOTALL() { return module().RE2JS.DOTALL; },
    get CASE_INSENSITIVE() { return module().RE2JS.CASE_INSENSITIVE; } };`,
  "src/report/html/check-page.ts": "export const renderCheckPage = (...args) => module().renderCheckPage(...args);",
  "src/report/html/markdown-report.ts": "export const renderMarkdown = (...args) => module().renderMarkdown(...args);",
  "src/report/html/blocks-page.ts": "export const renderBlocksPage = (...args) => module().renderBlocksPage(...args);",
  "src/report/blocks/markdown-layout.ts":
    "export const renderBlocksMarkdown = (...args) => module().renderBlocksMarkdown(...args);",
  "src/report/html/audit-page.ts": "export const renderAuditPage = (...args) => module().renderAuditPage(...args);",
  "src/report/html/map-page.ts":
    "export const renderMapPage = (...args) => module().renderMapPage(...args);\n" +
    "export const renderUnproved = (...args) => module().renderUnproved(...args);",
  "src/report/text/terminal-markdown.ts":
    "export const renderMarkdownText = (...args) => module().renderMarkdownText(...args);",
  "src/apps/settings/read.ts": "export const readSettings = (...args) => module().readSettings(...args);",
  "src/apps/settings/path-ignores.ts":
    "export const createIgnoreMatcher = (...args) => module().createIgnoreMatcher(...args);\n" +
    "export const fragmentContextOf = (...args) => module().fragmentContextOf(...args);",
  "src/apps/cli/inputs/expectations-shape.ts":
    "export const readExpectations = (...args) => module().readExpectations(...args);",
  "src/apps/baseline/baseline-file.ts":
    "export const readBaselineFile = (...args) => module().readBaselineFile(...args);\n" +
    "export const readBaseline = (...args) => module().readBaseline(...args);",
  "src/apps/threads.ts":
    "export const startThread = (...args) => module().startThread(...args);\n" +
    "export const connectThread = (...args) => module().connectThread(...args);",
  "node:tty": "export const isatty = (...args) => module().isatty(...args);",
  "node:crypto": `
    export const createPrivateKey = (...args) => module().createPrivateKey(...args);
    export const createHash = (...args) => module().createHash(...args);
    export const createHmac = (...args) => module().createHmac(...args);
    export const randomBytes = (...args) => module().randomBytes(...args);
    export const timingSafeEqual = (...args) => module().timingSafeEqual(...args);
    export const X509Certificate = new Proxy(class {}, {
      construct: (_, args) => Reflect.construct(module().X509Certificate, args),
    });`,
  "node:child_process": `
    export const execFileSync = (...args) => module().execFileSync(...args);
    export const spawnSync = (...args) => module().spawnSync(...args);`,
  assert: `
    export const notStrictEqual = (a, b, message) => { if (a === b) throw new Error(message); };
    export const strictEqual = (...args) => { if (args[0] !== args[1]) module().strictEqual(...args); };`,
};
/**
 * Work that packages do at load time, with its replacement: terminal queries, for which Node initializes its streams
 * (such colours are not used), yargs' search for a version in the `package.json` files around the working directory,
 * Chevrotain's table of 65,536 characters, of which only the first 256 occur, and its 89 methods that record a grammar: each
 * parser gets and loses them through its prototype instead of one by one. Lodash reads paths, but Chevrotain has only names.
 */
const replacedWork = {
  "yargs/lib/platform-shims/esm.mjs": {
    "stdColumns: typeof process.stdout.columns !== 'undefined' ? process.stdout.columns : null":
      "get stdColumns() { return process.stdout.columns ?? null; }",
    "findUp: escalade": "findUp: () => undefined",
  },
  "picocolors/picocolors.js": { "(p.stdout || {}).isTTY": "false" },
  "chevrotain/lib/src/scan/lexer.js": {
    "if (isEmpty(charCodeToOptimizedIdxMap))": "if (false)",
    "charCodeToOptimizedIdxMap[charCode];": "255 + ~~(charCode / 255);",
  },
  "chevrotain/lib/src/parse/parser/traits/gast_recorder.js": {
    'this.TRACE_INIT("Enable Recording", () => {':
      "const recorder = Object.create(Object.getPrototypeOf(this)); Object.setPrototypeOf(this, recorder); (function () {",
    "this.LA = this.LA_RECORD;\n        });": "this.LA = this.LA_RECORD;\n        }).call(recorder);",
    'this.TRACE_INIT("Deleting Recording methods", () => {':
      "Object.setPrototypeOf(this, Object.getPrototypeOf(Object.getPrototypeOf(this))); if (false) (() => {",
  },
  "lodash-es/has.js": { "hasPath(object, path, baseHas)": "Object.hasOwn(object, path)" },
};
/** The modules of the list that the build has not found yet. If one is renamed, each start would load it again. */
const unusedStandIns = new Set(Object.keys(whenNeeded));
const modulesWhenNeeded = {
  name: "modules-when-needed",
  setup({ onLoad, onResolve }) {
    const endOf = (path) => new RegExp(`(^|/)${path.replace(/[./]/g, "\\$&")}$`);
    onResolve({ filter: /\?now$/ }, ({ path }) => ({ path: path.slice(0, -"?now".length), suffix: "?now" }));
    onResolve({ filter: /^(node:crypto|node:child_process|node:tty|assert)$/ }, ({ path, kind }) =>
      kind === "import-statement" ? { path, namespace: "node" } : undefined,
    );
    for (const [module, standIn] of Object.entries(whenNeeded)) {
      const loading = (path) => standIn.replaceAll("module()", `require(${JSON.stringify(path)})`);
      onLoad({ filter: endOf(module), namespace: "file" }, ({ path, suffix }) => {
        if (suffix === "?now") return undefined;
        unusedStandIns.delete(module);
        return { contents: loading(`${path}?now`), loader: "js", resolveDir: dirname(path) };
      });
      onLoad({ filter: endOf(module), namespace: "node" }, ({ path }) => {
        unusedStandIns.delete(module);
        return { contents: loading(path), loader: "js" };
      });
    }
    for (const [module, replacements] of Object.entries(replacedWork)) {
      onLoad({ filter: endOf(module) }, ({ path }) => {
        let contents = readFileSync(path, "utf8");
        for (const [now, later] of Object.entries(replacements)) {
          if (!contents.includes(now)) return { errors: [{ text: `${module} has changed` }] };
          contents = contents.replace(now, () => later);
        }
        return { contents, loader: "js" };
      });
    }
  },
};

/**
 * Gives packages a `createRequire` that finds only Node's own modules. Otherwise, `fdir` would load `picomatch` from any folder
 * `node_modules` above the program, such as that of an untrusted checkout with the program in it.
 */
const ownModulesOnly = {
  name: "own-modules-only",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(node:)?module$/ }, ({ kind }) =>
      kind === "import-statement" ? { path: "module", namespace: "own-modules" } : undefined,
    );
    onLoad({ filter: /^module$/, namespace: "own-modules" }, () => ({
      contents: `const { isBuiltin } = require("node:module");
        const find = (name) => {
          if (isBuiltin(name)) return name;
          throw new Error("the module " + name + " is not in the bundle");
        };
        export const createRequire = () => Object.assign((name) => require(find(name)), { resolve: find });`,
      loader: "js",
      resolveDir: resolve("."),
    }));
  },
};

/** Starts the language server, a separate bundle, which other commands do not load. */
const languageServerWhenNeeded = {
  name: "language-server-when-needed",
  setup({ onResolve }) {
    onResolve({ filter: /\/lsp\/server\.js$/ }, ({ kind }) =>
      kind === "dynamic-import" ? { path: "./lsp.js", external: true } : undefined,
    );
  },
};

/** Returns the commit of the source and its day; undefined outside a checkout of this repository. */
function buildFacts() {
  const git = (...args) => {
    const { status, stdout } = spawnSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    return status === 0 ? stdout.trim() : "";
  };
  // The sources may be a folder of another repository.
  if (git("rev-parse", "--show-prefix", "--show-toplevel") !== process.cwd()) return undefined;
  const [commit, date] = git("log", "-1", "--format=%h %cs").split(" ");
  if (date === undefined) return undefined;
  // A release adds its repository to the manifest.
  const isChanged = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!package.json") !== "";
  return { commit: `${commit}${isChanged ? "+" : ""}`, date };
}

const { metafile } = await build({
  metafile: true,
  // The language server starts its threads from the file `worker.js` beside it.
  entryPoints: {
    main: "src/apps/cli/bin.ts",
    index: "src/index.ts",
    lsp: "src/apps/lsp/server.ts",
    worker: "src/apps/lsp/worker.ts",
  },
  outdir: "dist",
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  minify: true,
  keepNames: false,
  legalComments: "none",
  logLevel: "warning",
  // The CommonJS build of this package requires its parts in a way that cannot be bundled.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
  plugins: [tablesWhenNeeded, modulesWhenNeeded, ownModulesOnly, languageServerWhenNeeded],
  // The code that the launcher runs has no module loader.
  supported: { "dynamic-import": false },
  // Some packages query their location as ES modules do.
  define: { "import.meta.url": "bundleUrl" },
  banner: { js: 'const bundleUrl = require("node:url").pathToFileURL(__filename).href;' },
});

if (unusedStandIns.size > 0) throw new Error(`these modules were not found: ${[...unusedStandIns].join(", ")}`);

// The launcher reads the bundle as Latin-1. esbuild escapes strings, but neither patterns nor tagged templates.
const foreign = /.{0,40}[^\0-\x7f]/.exec(readFileSync("dist/main.js", "utf8"));
if (foreign) throw new Error(`dist/main.js is not ASCII: ${foreign[0]}`);

// The code for the pages of the reports: Node's modules are not available there.
const { metafile: ofPages } = await build({
  ...forBrowsers,
  ...{ metafile: true, entryPoints: ["src/apps/browser/check.ts", "src/apps/browser/map.ts"], outdir: "dist/browser" },
});
const bundled = bundledPackages([metafile, ofPages]);
writeFileSync("dist/sbom.cdx.json", `${JSON.stringify(sbomOf(bundled), undefined, 2)}\n`);
writeFileSync("dist/third-party-licences.txt", noticesOf(bundled).join("\n"));

writeFileSync("dist/package.json", '{ "type": "commonjs" }\n');
cpSync("src/apps/cli/launcher.cjs", "dist/httpd-lint.js");
chmodSync("dist/httpd-lint.js", 0o755);

mkdirSync("dist/rules", { recursive: true });
for (const page of readdirSync("rules").map((id) => join("rules", id, `${id}.md`))) {
  if (existsSync(page)) cpSync(page, join("dist/rules", basename(page)));
}
cpSync("completions", "dist/completions", { recursive: true });
const facts = buildFacts();
if (facts) writeFileSync("dist/build.json", `${JSON.stringify(facts)}\n`);
mkdirSync("dist/schemas", { recursive: true });
for (const folder of ["src/report/schema", "src/apps/settings/schema"])
  for (const file of readdirSync(folder))
    if (file.endsWith(".schema.json")) cpSync(join(folder, file), join("dist/schemas", file));

// A run on real input compiles the code that a run needs, and leaves it in the cache.
const warmUp = ["check", "docs/examples", "--exit-zero", "--quiet"];
const others = (process.env.HTTPD_LINT_NODES ?? "").split(delimiter).filter((path) => path !== "");
for (const node of [process.execPath, ...others])
  execFileSync(node, ["dist/httpd-lint.js", ...warmUp], {
    env: { ...process.env, HTTPD_LINT_WRITE_CODE_CACHE: "1" },
    stdio: ["ignore", "ignore", "inherit"],
  });

execFileSync(join("node_modules", ".bin", "tsc"), ["-p", "tsconfig.build.json"], { stdio: "inherit" });
