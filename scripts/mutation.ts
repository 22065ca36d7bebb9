/**
 * Mutates folders or files and runs tests on each mutant, and writes the results to test/mutation/results.json:
 * `npm run mutation -- [FOLDER or FILE…]`, where the folders in test/mutation/tests.ts are all. HTTPD_LINT_MUTANTS=0/8 tries an eighth.
 * Results of mutants of unchanged files are saved in build/mutation; HTTPD_LINT_SURVIVORS=again retries survivors.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { Stryker } from "@stryker-mutator/core";
import { build } from "esbuild";
import { globSync } from "tinyglobby";
import { CompileCheck } from "../test/mutation/compile-check.js";
import { type MutationResults, mutationResults, type Survivor } from "../test/mutation/results.js";
import { sampleText } from "../test/mutation/sampled-mutants.js";
import { summarizeMutants } from "../test/mutation/summarize.js";
import { mutatedFolders } from "../test/mutation/tests.js";

const work = "build/mutation";
const resultsPath = "test/mutation/results.json";
const args = process.argv.slice(2);
const plugins = ["runner", "ignore-messages"];
process.env["HTTPD_LINT_MUTATED"] = process.cwd();
process.env["HTTPD_LINT_RUNS"] = "5";
await build({
  entryPoints: plugins.map((each) => `test/mutation/${each}.ts`),
  outdir: `${work}/plugins`,
  bundle: true,
  platform: "node",
  format: "esm",
  packages: "external",
  outExtension: { ".js": ".mjs" },
});
const targets = args.length > 0 ? args : mutatedFolders;
const patterns = targets.map((path) => (path.endsWith(".ts") ? path : `${path}/**/*.ts`));
await mutate();

async function mutate(): Promise<void> {
  const reportPath = `${work}/report.json`;
  await new Stryker({
    mutate: patterns,
    plugins: plugins.map((each) => `${process.cwd()}/${work}/plugins/${each}.mjs`),
    testRunner: "in-process",
    ignorers: ["ignore-messages"],
    buildCommand: "npx tsx test/mutation/bundle.ts",
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    concurrency: Number(process.env["HTTPD_LINT_WORKERS"] ?? 2),
    // Loops end after a number of passes over the mutant; only a busy machine takes this long.
    timeoutMS: 120_000,
    dryRunTimeoutMinutes: 120,
    timeoutFactor: 5,
    reporters: ["json", "progress-append-only"],
    jsonReporter: { fileName: reportPath },
    tempDirName: `${work}/copy`,
    ignorePatterns: ["/build", "/dist", "/docs", "/coverage"],
    // Stryker reads it with an API that TypeScript 7 does not have.
    tsconfigFile: "none",
  }).runMutationTest();
  const compileCheck = new CompileCheck(`${work}/compiled`);
  writeResults(
    summarizeMutants(JSON.parse(readFileSync(reportPath, "utf8")), (...mutant) => compileCheck.isRejected(...mutant)),
  );
}

/** Replaces the rows of the folders, and keeps the notes on survivors. */
function writeResults({ files, survivors }: ReturnType<typeof summarizeMutants>): void {
  const before = mutationResults.parse(JSON.parse(readFileSync(resultsPath, "utf8")));
  const isOther = (name: string) => !targets.some((path) => name.startsWith(path.endsWith(".ts") ? path : `${path}/`));
  const reasons = new Map(before.survivors.map((each) => [nameOf(each), each.why]));
  const explained = survivors.map((each) => {
    const why = reasons.get(nameOf(each));
    return why === undefined ? each : { ...each, why };
  });
  const rows = new Map(files.map((each) => [each.file, each]));
  // Files that contain only types cannot be mutated.
  const none = { killed: 0, rejected: 0, survived: 0, notReached: 0, static: 0, messages: 0 };
  const all = globSync(patterns).map((file) => rows.get(file) ?? { file, ...none });
  const versions = JSON.parse(readFileSync("package.json", "utf8")).devDependencies;
  const results: MutationResults = {
    with: [`Stryker ${versions["@stryker-mutator/core"]}`, `Node ${process.versions.node}`],
    share: sampleText,
    files: [...before.files.filter(({ file }) => isOther(file)), ...all].sort((a, b) => (a.file < b.file ? -1 : 1)),
    pending: before.pending.filter(isOther),
    survivors: [...before.survivors.filter(({ at }) => isOther(at)), ...explained],
  };
  writeFileSync(resultsPath, `${JSON.stringify(results, undefined, 1)}\n`);
}

/** Returns the name of a survivor, independent of its line number. */
function nameOf({ at, mutator, code, becomes }: Survivor): string {
  return JSON.stringify([at.replace(/:\d+$/, ""), mutator, code, becomes]);
}
