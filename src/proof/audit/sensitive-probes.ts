import type { Project } from "../../config/model/project.js";
import { SimulatedServer } from "../../server/answer.js";
import type { Answer } from "../../server/model/answer.js";
import { type AnswerClass, answerClassOf } from "../../server/model/answer-class.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { formatLine } from "../../server/trace/step.js";
import { decodeUrl } from "../../text/escaping.js";
import { fromReadable, toReadable } from "../../text/source.js";
import { namesOfPairs } from "../compare/summary.js";
import { describeEntryPoint, type EntryPoint } from "../model/server-pairs.js";
import { UNLISTED_CLIENT_IP } from "../requests/sample-clients.js";
import type { OutsideViewServer } from "./outside-model.js";
import type { SensitivePath } from "./sensitive-paths.js";

/**
 * What an outsider gets for a sensitive path: the file or the page itself; the answer of a program or a backend, which
 * may be anything; an error, which does not protect the file; a denial; nothing, because no file exists; another page or
 * a redirect; a rejection of the request; or something unknown.
 */
export const probeOutcomes = [
  "exposed",
  "program",
  "backend",
  "error",
  "denied",
  "absent",
  "other",
  "rejected",
  "unknown",
] as const;
export type ProbeOutcome = (typeof probeOutcomes)[number];

/** The outcomes from the most open one on: something unknown may be an exposure. */
export const outcomesByOpenness: readonly ProbeOutcome[] = [
  ...(["exposed", "program", "backend", "unknown", "error", "other", "rejected", "denied", "absent"] as const),
];

/** A sensitive path with the same answer at some hosts. */
export interface SensitiveProbe extends Pick<Answer, "request" | "status" | "decidedBy" | "unknown"> {
  readonly path: string;
  readonly outcome: ProbeOutcome;
  /** A name of each host with this answer, the one of the request first; empty for a single host without a name. */
  readonly hosts: readonly string[];
}

/**
 * Requests sensitive paths from all servers, and groups equal answers of several hosts. Hosts that are alike up to
 * constants share the answers of one, as long as the same files exist under their own names.
 */
export function probeSensitivePaths(
  project: Project,
  files: FileTree,
  servers: readonly OutsideViewServer[],
  paths: readonly SensitivePath[],
): readonly SensitiveProbe[] {
  const simulatedServer = new SimulatedServer(project, files);
  const hosts = servers.flatMap((server): readonly ProbedHost[] => {
    const { entryPoints, alike } = server;
    const recorder = alike.length === 0 ? undefined : new FileTreeRecorder(files);
    const own = probePaths(
      recorder ? new SimulatedServer(project, recorder.files) : simulatedServer,
      paths,
      entryPoints[0] ?? {},
    );
    const others = alike.map(({ pair, renaming }) => {
      const isShared =
        !paths.some(({ path }) => renaming.affects(path)) &&
        recorder?.isSameFor((path) => renaming.text(path)) === true;
      const probes = isShared ? own : probePaths(simulatedServer, paths, pair.entryPoints[0] ?? {});
      return { names: namesOfPairs([pair]), probes };
    });
    return [{ names: namesOf(entryPoints), probes: own }, ...others];
  });
  return paths.flatMap((_, index) => {
    const found = new Map<string, Omit<SensitiveProbe, "hosts"> & { readonly hosts: string[] }>();
    for (const { names, probes } of hosts) {
      const probe = probes[index];
      if (probe === undefined) continue;
      const { outcome, status, decidedBy } = probe;
      // Hosts have lines, and unknown files, of their own.
      const key = JSON.stringify([outcome, status, outcome === "unknown" ? [] : decidedBy.map(formatLine)]);
      const known = found.get(key) ?? { ...probe, hosts: [] };
      found.set(key, known);
      known.hosts.push(...names);
    }
    return [...found.values()];
  });
}

/** The answers of a host, one for each path. */
interface ProbedHost {
  readonly names: readonly string[];
  readonly probes: readonly Omit<SensitiveProbe, "hosts">[];
}

function probePaths(
  simulatedServer: SimulatedServer,
  paths: readonly SensitivePath[],
  entryPoint: EntryPoint,
): ProbedHost["probes"] {
  return paths.map((path) => probePath(simulatedServer, path, entryPoint));
}

function namesOf(entryPoints: readonly EntryPoint[]): readonly string[] {
  return entryPoints
    .slice(0, 1)
    .map((each) => toReadable(describeEntryPoint(each)))
    .filter((name) => name !== "");
}

function probePath(
  simulatedServer: SimulatedServer,
  { path, isPage }: SensitivePath,
  entryPoint: EntryPoint,
): Omit<SensitiveProbe, "hosts"> {
  const request = { ...entryPoint, method: "GET", path: fromReadable(path), clientIp: UNLISTED_CLIENT_IP };
  const decision = simulatedServer.answer(request);
  const { status, decidedBy, unknown } = decision;
  return { path, request, status, decidedBy, unknown, outcome: outcomeOf(decision, isPage) };
}

/** The outcomes of answers without content. */
const outcomes: Readonly<Record<Exclude<AnswerClass, "allowed">, ProbeOutcome>> = {
  redirected: "other",
  login: "denied",
  denied: "denied",
  "not found": "absent",
  rejected: "rejected",
  error: "error",
};

function outcomeOf({ status, class: decided, answeredBy, servedPath, request }: Answer, isPage: boolean): ProbeOutcome {
  // A denial holds whether the file exists or not, and so does an error.
  if (decided === "401" || decided === "403") return "denied";
  if (decided === "500") return "error";
  if (status === undefined || decided === "unknown") return "unknown";
  const answer = answerClassOf(status);
  if (answer !== "allowed") return outcomes[answer];
  if (answeredBy === "backend") return "backend";
  // Rules lead many paths to one page; an index file is below its directory.
  if (servedPath?.startsWith(decodeUrl(request.path)) !== true) return "other";
  return answeredBy === "program" && !isPage ? "program" : "exposed";
}

/** A query to a file tree; runs it again for another path, and renders its result. */
interface FileQuery {
  readonly path: string;
  readonly ask: (path: string) => string;
  readonly result: string;
}

/** Records what decisions about anonymous requests ask a file tree. Such requests read no password and group files. */
class FileTreeRecorder {
  private readonly queries = new Map<string, FileQuery>();
  readonly files: FileTree;

  constructor(of: FileTree) {
    const { kindOf, linkAt, list, textOf, ownerOf } = of;
    const recording =
      <T>(name: string, query: (path: string) => T) =>
      (path: string): T => {
        const found = query(path);
        const render = (result: T) => JSON.stringify(result ?? null);
        this.queries.set(`${name} ${path}`, { path, ask: (other) => render(query(other)), result: render(found) });
        return found;
      };
    const asFile = recording("file", (path) => kindOf.call(of, path, true));
    const asDirectory = recording("kind", (path) => kindOf.call(of, path, false));
    this.files = {
      ...of,
      kindOf: (path, mayBeFile = false) => (mayBeFile ? asFile(path) : asDirectory(path)),
      ...(linkAt ? { linkAt: recording("link", (path) => linkAt.call(of, path)) } : {}),
      ...(list ? { list: recording("list", (path) => list.call(of, path)) } : {}),
      ...(textOf ? { textOf: recording("text", (path) => textOf.call(of, path)) } : {}),
      ...(ownerOf ? { ownerOf: recording("owner", (path) => ownerOf.call(of, path)) } : {}),
    };
  }

  /** Reports whether all queries so far have the same results for renamed paths. */
  isSameFor(rename: (path: string) => string): boolean {
    return [...this.queries.values()].every(({ path, ask, result }) => {
      const other = rename(path);
      return other === path || ask(other) === result;
    });
  }
}
