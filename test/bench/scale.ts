import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { type PlantedTree, plantTree } from "./htaccess-tree.js";
import { measure } from "./measure.js";
import type { ScaleResults } from "./scale-results.js";

/** Largest tree without a server to measure. */
const MAX_STANDALONE_FILES = 10_000;

/** Number of files per virtual host. */
const FILES_IN_HOST = 100;

/**
 * Measures checks of servers with many `.htaccess` files, each compared with only reading the same files.
 *
 * @param folder an existing folder, for temporary trees
 */
export function measureScale(folder: string, sizes: readonly number[]): ScaleResults {
  const processors = availableParallelism();
  return {
    with: [`Node ${process.versions.node}`, `${processors} processors`],
    rows: sizes.flatMap((files) => [...ofTree(folder, files, 0), ...ofTree(folder, files, files / FILES_IN_HOST)]),
  };
}

function ofTree(folder: string, files: number, hosts: number): ScaleResults["rows"] {
  const root = join(folder, `${files}-${hosts}`);
  mkdirSync(root);
  try {
    const tree = plantTree(root, files, hosts);
    const all = rowsOf(tree, [tree.main], files, hosts);
    if (hosts > 0) return [...all, measureNamed(tree, files, hosts)];
    if (files > MAX_STANDALONE_FILES) return all;
    rmSync(tree.main);
    return [...all, ...rowsOf(tree, [tree.documents], files, undefined)];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function rowsOf(
  tree: PlantedTree,
  paths: readonly string[],
  files: number,
  hosts: number | undefined,
): ScaleResults["rows"] {
  const beside = measure(["find", tree.documents, "-name", ".htaccess", "-exec", "cat", "{}", "+"]);
  return [1, availableParallelism()].map((jobs) => {
    const about = { files, ...(hosts === undefined ? {} : { hosts }), jobs };
    const row = { ...about, ...measureCheck(tree, jobs, paths), beside };
    process.stdout.write(`${JSON.stringify(row)}\n`);
    return row;
  });
}

/** Measures a check of files named by a hook, in a large tree. */
function measureNamed(tree: PlantedTree, files: number, hosts: number): ScaleResults["rows"][number] {
  const paths = [0, 1, 2].map((host) => join(tree.documents, `host${host}`, "d3", ".htaccess"));
  const beside = measure(["find", tree.documents, "-name", ".htaccess"]);
  return { files, hosts, named: paths.length, jobs: 1, ...measureCheck(tree, 1, paths), beside };
}

function measureCheck(
  { documents }: PlantedTree,
  jobs: number,
  paths: readonly string[],
): Pick<ScaleResults["rows"][number], "findings" | "ours"> {
  const report = join(documents, "..", "report.json");
  const flags = ["--jobs", `${jobs}`, "--format", "json", "--output", report];
  const ours = measure(["node", "dist/httpd-lint.js", "check", ...flags, ...paths]);
  const { findings }: { readonly findings: readonly unknown[] } = JSON.parse(readFileSync(report, "utf8"));
  return { findings: findings.length, ours };
}
