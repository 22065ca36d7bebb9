import type { ConfigComparison, DifferenceRegion, ProbedMethods } from "../../../src/proof/model/comparison.js";
import type { PathClass } from "../../../src/proof/model/path-class.js";
import { type Automaton, acceptsText } from "../../../src/regex/automata/automaton.js";
import { normalizeMethod } from "../../../src/server/access/clients-and-methods.js";
import { answerUnder, type DefiniteAnswer } from "../../../src/server/definite-answer.js";
import type { RequestModel } from "../../../src/server/model/atoms.js";
import type { FileTree } from "../../../src/server/model/file-tree.js";
import type { Pass } from "../../../src/server/model/pass.js";
import type { Request } from "../../../src/server/model/request.js";
import type { SimulationSetup } from "../../../src/server/model/simulation-setup.js";
import { fileMethodTest } from "../../../src/server/phases/handler.js";
import { builtInMethods } from "../../../src/server/request/method-registry.js";
import { parseAddress } from "../../../src/text/addresses.js";

/**
 * Returns whether a request is in a region that a comparison reports, with some existing files.
 * @param after the side after the change
 */
export function isReported(
  comparison: ConfigComparison,
  request: Request,
  after: SimulationSetup,
  files: FileTree,
): boolean {
  const answer = answerUnder(after, request);
  const { methods } = comparison;
  return comparison.differences.some(({ regions }) =>
    regions.some((region) => isIn(region, request, answer, methods, files)),
  );
}

function isIn(
  { pair, pathClass, method: own, symbols, when }: DifferenceRegion,
  request: Request,
  { pass }: DefiniteAnswer,
  methods: ProbedMethods,
  files: FileTree,
): boolean {
  if (pass === undefined || pass.server.section !== pair.servers[1].section) return false;
  if (pathClass.walks[1]?.kind !== pass.walked?.kind) return false;
  const method = normalizeMethod(request.method);
  if (own !== representativeOf(method, methods)) return false;
  // Paths are checked last: they are the most expensive.
  return (
    symbols.holds(when, situationOf(request, symbols.atoms, files)) && acceptsText(pathsOf(pathClass), markedPath(pass))
  );
}

/** Returns the method that stands for another in a comparison: the handler of files treats the two alike. */
function representativeOf(method: string, { all, unnamed }: ProbedMethods): string {
  if (all.includes(method)) return method;
  const isRegistered = (each: string) => builtInMethods.includes(each);
  const isAlike = (each: string) =>
    fileMethodTest.resultFor(each) === fileMethodTest.resultFor(method) && isRegistered(each) === isRegistered(method);
  return unnamed.find(isAlike) ?? "GET";
}

const known = new WeakMap<PathClass, Automaton>();

/** Returns all paths of a path class, computed once for all regions and requests. */
function pathsOf(pathClass: PathClass): Automaton {
  const paths = known.get(pathClass) ?? pathClass.paths;
  known.set(pathClass, paths);
  return paths;
}

/** Returns the path with a NUL where the directory walk ends. */
function markedPath({ path, walked, mapping }: Pass): string {
  if (!walked || mapping.kind !== "file" || walked.kind === "directory") return `${path}\0`;
  const end = path.length - (mapping.filename.length - walked.filename.length);
  return `${path.slice(0, end)}\0${path.slice(end)}`;
}

function situationOf(
  request: Request,
  atoms: readonly { readonly kind: string; readonly path?: string }[],
  files: FileTree,
): RequestModel {
  const { clientIp, clientHost, env = [], user, groups = [], dbmGroups = [], method } = request;
  const address = parseAddress(clientIp);
  if (address === undefined) throw new Error(`no address: ${clientIp}`);
  const existing = new Map<string, "file" | "directory">();
  for (const { path } of atoms) {
    const kind = path === undefined ? "missing" : files.kindOf(path);
    if (path !== undefined && kind !== "missing" && kind !== "unknown") existing.set(path, kind);
  }
  return {
    ...{ address, host: clientHost?.toLowerCase(), env: new Set(env.map((each) => each.toLowerCase())), user },
    groups: new Map([
      ["text", new Set(groups)],
      ["dbm", new Set(dbmGroups)],
    ]),
    ...{ method, values: new Map(), files: existing, facts: new Set<never>() },
  };
}
