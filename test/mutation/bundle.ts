/**
 * Puts the tests of mutants and what they import into three files, run by Stryker in its copy of the project, where the
 * code holds all mutants. What cannot hold a mutant is loaded once; the rest is evaluated anew for each.
 */
import { readFile } from "node:fs/promises";
import { builtinModules } from "node:module";
import { dirname, join, relative } from "node:path";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { testsOfMutants } from "./tests.js";

const root = process.cwd();
export const bundled = join(root, "build/mutants");

/** What mutated code is built on: nothing in it imports the mutated folders. */
const below = [
  ...["grammar/", "src/text/", "src/directives/", "src/project/", "node_modules/"],
  ...["test/support/httpd/httpd.ts", "test/mutation/sample.ts"],
];
const kept = new Set<string>();

/** What lies below is asked for by its path, and kept for the bundle that is loaded once. */
const leavesOut: Plugin = {
  name: "what lies below mutated code",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /.*/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === "asked" || importer === "" || path === "vitest" || isBuiltin(path)) return undefined;
      const found = await resolve(path, { importer, kind, resolveDir, pluginData: "asked" });
      const name = relative(root, found.path);
      if (!below.some((folder) => name.startsWith(folder) || name.includes(`/${folder}`))) return found;
      kept.add(found.path);
      return { path: found.path, external: true };
    });
  },
};

/** Code in a bundle asks for its folder as ever, and a file of tests says its name before them. */
const knowsItsPlace: Plugin = {
  name: "places of tests",
  setup({ onLoad }) {
    onLoad({ filter: /\/(?:test|rules)\/.*\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const at = tests.includes(relative(root, path)) ? `inFile(${JSON.stringify(relative(root, path))});` : "";
      return { contents: at + text.replaceAll("import.meta.dirname", JSON.stringify(dirname(path))), loader: "ts" };
    });
  },
};

const common: BuildOptions = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "error" };
const tests = testsOfMutants(root);
for (const [name, pure] of [
  ["covered.cjs", []],
  // Counting what a test covers is over when mutants run: without it they run several times as fast.
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
    plugins: [leavesOut, knowsItsPlace],
    pure: [...pure],
    minifySyntax: pure.length > 0,
    outfile: join(bundled, name),
  });
}
const loaded = [...kept].map((path, i) => `import * as m${i} from ${JSON.stringify(path)}; export { m${i} };`);
const names = JSON.stringify([...kept]);
await build({
  ...common,
  stdin: { contents: `${loaded.join("\n")}\nexport const names = ${names};`, resolveDir: root },
  outfile: join(bundled, "below.cjs"),
});

function isBuiltin(path: string): boolean {
  return path.startsWith("node:") || builtinModules.includes(path);
}
