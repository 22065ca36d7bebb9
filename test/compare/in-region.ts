import { asGet } from "../../src/access/limits.js";
import type { Comparison, Region } from "../../src/compare/compare.js";
import type { PathCell } from "../../src/compare/path-cell.js";
import type { Situation } from "../../src/logic/atoms.js";
import { type Automaton, accepts } from "../../src/logic/automaton.js";
import type { FileTree } from "../../src/scope/files.js";
import { Questions } from "../../src/scope/questions.js";
import type { Request } from "../../src/scope/request.js";
import type { Outcome, Pass, Setup } from "../../src/simulate/pass.js";
import { run } from "../../src/simulate/run.js";
import { addressOf } from "../../src/text/addresses.js";

/** Whether a request lies in a region that a comparison reports, where some files exist. @param after the later side */
export function isReported(comparison: Comparison, request: Request, after: Setup, files: FileTree): boolean {
  const outcome = run(after, request, new Questions(new Map()));
  const { methods } = comparison;
  return comparison.differences.some(({ regions }) =>
    regions.some((region) => isIn(region, request, outcome, methods, files)),
  );
}

function isIn(
  { pair, cell, method: own, universe, when }: Region,
  request: Request,
  { pass }: Outcome,
  all: readonly string[],
  files: FileTree,
): boolean {
  if (pass === undefined || pass.server.section !== pair.servers[1].section) return false;
  if (cell.walks[1]?.kind !== pass.walked?.kind) return false;
  const method = asGet(request.method);
  const other = all.at(-1) ?? "GET";
  if (own !== (all.includes(method) ? method : other)) return false;
  // Its paths come last: they take the most time.
  return universe.holds(when, situationOf(request, universe.atoms, files)) && accepts(pathsOf(cell), markedPath(pass));
}

const known = new WeakMap<PathCell, Automaton>();

/** All paths of a cell, made once for all regions and requests that ask for them. */
function pathsOf(cell: PathCell): Automaton {
  const paths = known.get(cell) ?? cell.paths;
  known.set(cell, paths);
  return paths;
}

/** The path with a NUL where the walk through the file system ends. */
function markedPath({ path, walked, mapping }: Pass): string {
  if (!walked || mapping.kind !== "file" || walked.kind === "directory") return `${path}\0`;
  const end = path.length - (mapping.filename.length - walked.filename.length);
  return `${path.slice(0, end)}\0${path.slice(end)}`;
}

function situationOf(
  request: Request,
  atoms: readonly { readonly kind: string; readonly path?: string }[],
  files: FileTree,
): Situation {
  const { clientIp, clientHost, env = [], user, groups = [], dbmGroups = [], method } = request;
  const address = addressOf(clientIp);
  if (address === undefined) throw new Error(`no address: ${clientIp}`);
  const there = new Map<string, "file" | "directory">();
  for (const { path } of atoms) {
    const kind = path === undefined ? "missing" : files.kindOf(path);
    if (path !== undefined && kind !== "missing" && kind !== "unknown") there.set(path, kind);
  }
  return {
    ...{ address, host: clientHost?.toLowerCase(), env: new Set(env.map((each) => each.toLowerCase())), user },
    groups: new Map([
      ["text", new Set(groups)],
      ["dbm", new Set(dbmGroups)],
    ]),
    ...{ method, values: new Map(), files: there, terms: new Set<string>() },
  };
}
