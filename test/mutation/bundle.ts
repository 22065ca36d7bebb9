/**
 * Bundles the tests of mutants and their imports into three files, which Stryker runs in its copy of the project with
 * all mutants. Code without mutants is loaded once; the rest is evaluated again for each.
 */
import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { testsOfMutants } from "./tests.js";

const root = process.cwd();
export const bundled = join(root, "build/mutants");

/** The dependencies of the mutated code: none of them imports the mutated folders. */
const dependencyFolders = [
  ...["grammar/", "src/text/", "src/facts/", "src/config/", "node_modules/"],
  ...["test/support/httpd/httpd.ts", "test/mutation/sampled-cases.ts"],
];
const dependencies = new Set<string>();

/** These dependencies are external by path, and part of the bundle that is loaded once. */
const externalizeDependencies: Plugin = {
  name: "externalize-dependencies",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /.*/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === "resolving" || importer === "" || path === "vitest" || isBuiltin(path)) return undefined;
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: "resolving" });
      const name = relative(root, found.path);
      if (!dependencyFolders.some((folder) => name.startsWith(folder) || name.includes(`/${folder}`))) return found;
      dependencies.add(found.path);
      return { path: found.path, external: true };
    });
  },
};

/** Bundled code keeps its original folder, and a test file registers its name before its tests. */
const registerTestFiles: Plugin = {
  name: "register-test-files",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:test|rules|scripts)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const at = tests.includes(relative(root, path)) ? `setFile(${JSON.stringify(relative(root, path))});` : "";
      const placed = text
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path)))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      return { contents: at + placed, loader: "ts" };
    });
  },
};

const common: BuildOptions = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "error" };
const tests = testsOfMutants(root);
for (const [name, pureFunctions] of [
  ["covered.cjs", []],
  // Coverage is not needed when mutants run: without it they run several times as fast.
  ["mutated.cjs", ["stryCov_9fa48"]],
] as const) {
  await build({
    ...common,
    stdin: {
      contents: tests.map((path) => `import "./${path}";`).join("\n"),
      resolveDir: root,
      sourcefile: "tests.ts",
    },
    external: ["vitest"],
    plugins: [externalizeDependencies, registerTestFiles],
    pure: [...pureFunctions],
    minifySyntax: pureFunctions.length > 0,
    outfile: join(bundled, name),
  });
}
const loaded = [...dependencies].map((path, i) => `import * as m${i} from ${JSON.stringify(path)}; export { m${i} };`);
const names = JSON.stringify([...dependencies]);
await build({
  ...common,
  stdin: { contents: `${loaded.join("\n")}\nexport const names = ${names};`, resolveDir: root },
  outfile: join(bundled, "dependencies.cjs"),
});

function isBuiltin(path: string): boolean {
  return path.startsWith("node:") || builtinModules.includes(path);
}
