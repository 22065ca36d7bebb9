import { join } from "node:path";
import fc from "fast-check";
import { memoryAccess } from "../../src/config/files/file-access.js";
import type { Project } from "../../src/config/model/project.js";
import { SimulatedServer } from "../../src/server/answer.js";
import { createListedFiles } from "../../src/server/model/file-tree.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findRefusals } from "../../src/startup/validate.js";
import { askServer, type LiveAnswer, startBackend } from "../support/httpd/live-requests.js";
import { freePorts } from "../support/httpd/ports.js";
import { clientNames, ownOwner, prepareFolder } from "../support/httpd/served-folder.js";
import { whileInScratchFolder } from "../support/programs/scratch-folder.js";
import { asDecided, asSent, type RandomRequest, randomRequest, users } from "../support/random/random-requests.js";
import {
  filesOf,
  modulesOf,
  needsClientNames,
  onDisk,
  type RandomServer,
  randomServer,
} from "../support/random/random-server.js";
import { disagreements, kindOfAnswer } from "./answer-differences.js";

/** The results for some seeds. */
export interface Comparison {
  /** Requests whose answers were compared. */
  compared: number;
  configurations: number;
  /** Configurations that both reject. */
  refused: number;
  /** Requests without a certain decision, by reason. */
  readonly unknown: Map<string, number>;
  /** Frequency of each response. */
  readonly answers: Map<string, number>;
  readonly disagreements: Disagreement[];
}

export interface Disagreement {
  readonly seed: number;
  readonly text: string;
}

interface Place {
  readonly root: string;
  readonly ports: readonly [number, number];
  readonly backend: number;
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Generates a configuration and requests for each seed from `seed` on, until `count` requests are compared.
 *
 * @param mostDisagreements number of differences after which it stops
 */
export async function compareSeeds(
  seed: number,
  count: number,
  mostDisagreements: number,
  jobs = 2,
): Promise<Comparison> {
  const sum: Comparison = {
    ...{ compared: 0, configurations: 0, refused: 0 },
    ...{ unknown: new Map(), answers: new Map(), disagreements: [] },
  };
  const names = await clientNames();
  const backend = await startBackend();
  let next = seed;
  const job = async () => {
    await whileInScratchFolder(async (root) => {
      const place: Place = { root, ports: await freePorts(), backend: backend.port, names };
      while (sum.compared < count && sum.disagreements.length < mostDisagreements)
        await compareSeed(next++, place, sum);
    });
  };
  try {
    await Promise.all(Array.from({ length: jobs }, job));
  } finally {
    backend.end();
  }
  return sum;
}

async function compareSeed(seed: number, place: Place, sum: Comparison): Promise<void> {
  let isFirst = true;
  let kind: string | undefined;
  const property = fc.asyncProperty(
    fc.array(randomRequest, { minLength: 1, maxLength: 120, size: "max" }),
    randomServer,
    async (requests, server) => {
      const found = await compare(server, requests, place, isFirst ? sum : undefined);
      isFirst = false;
      // A smaller case must fail in the same way, or it is another case.
      kind ??= found?.kind;
      if (found !== undefined && found.kind === kind) throw new Error(found.text);
    },
  );
  const result = await fc.check(property, { seed, numRuns: 1, unbiased: true });
  if (result.failed) {
    const text = result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance);
    sum.disagreements.push({ seed, text });
  }
}

interface Found {
  readonly kind: "start" | "answer";
  readonly text: string;
}

async function compare(
  server: RandomServer,
  drawn: readonly RandomRequest[],
  place: Place,
  sum: Comparison | undefined,
): Promise<Found | undefined> {
  const requests = needsClientNames(server) ? drawn.map((each) => ({ ...each, clientIp: "127.0.0.1" })) : drawn;
  const { root, ports, names } = place;
  const files = filesOf(server, root, place);
  prepareFolder(root, files);
  const sent = requests.map((request, id) => {
    return { address: request.serverIp, port: ports[request.portIndex], text: asSent(request, id) };
  });

  const live = await askServer(root, sent);
  const project = projectOf(files, root);
  const refusal = refusalOf(project);
  if (sum) sum.configurations++;
  if ("refused" in live || refusal !== undefined) {
    if (sum) sum.refused++;
    if ("refused" in live && refusal !== undefined) return undefined;
    const liveResult = "refused" in live ? live.refused : "it starts";
    return { kind: "start", text: [liveResult, `simulator: ${refusal}`, renderServer(server, files, root)].join("\n") };
  }

  const paths = [...onDisk, ...Object.keys(files), "conf/users", "conf/groups", "conf/dbm"].map(
    (path) => `${root}/${path}`,
  );
  const simulatedServer = new SimulatedServer(project, {
    ...createListedFiles(paths, ownOwner()),
    passwordEntryOf: (_, user) => (users.includes(user) ? "usable" : "missing"),
  });
  for (const [id, request] of requests.entries()) {
    const answer = live.answers[id];
    if (answer === undefined) continue;
    const decision = simulatedServer.answer(asDecided(request, ports, names));
    if (sum) countAnswer(sum, answer, [...decision.unknown, ...decision.notes.map(({ text }) => text)]);
    const found = disagreements(answer, decision);
    if (found.length === 0) continue;
    const at = `at ${request.serverIp}:${ports[request.portIndex]}${request.user === undefined ? "" : ` as ${request.user}`}`;
    const by = decision.decidedBy.map((directive) => `${directive.name} ${directive.argumentText}`).join(" | ");
    const text = [asSent(request, id).trimEnd(), at, ...found, `by ${by}`, renderServer(server, files, root)];
    return { kind: "answer", text: text.join("\n") };
  }
  return undefined;
}

function projectOf(files: Readonly<Record<string, string>>, root: string): Project {
  const onDisk = Object.entries(files).map(([path, text]) => [`${root}/${path}`, text]);
  const access = memoryAccess(Object.fromEntries(onDisk));
  const loaded = loadProject(join(root, "httpd.conf"), { access, release: "2.4", kind: "server", serverRoot: root });
  if (!loaded.ok) throw new Error(loaded.error);
  return loaded.value;
}

/** Returns the predicted server error on start. */
function refusalOf(project: Project): string | undefined {
  const [first] = findRefusals(project).startup;
  const unreadable = project.problems.find(
    ({ server, span }) => server !== undefined && span.file.path.endsWith("/httpd.conf"),
  );
  return first?.server ?? unreadable?.server;
}

/** Renders the files of a server, without the parts that all servers share. */
function renderServer(server: RandomServer, files: Readonly<Record<string, string>>, root: string): string {
  const own = Object.entries(files).map(([path, text]) => {
    const from = path === "httpd.conf" ? text.indexOf("\n", text.lastIndexOf("# from here on")) + 1 : 0;
    return `--- ${path}\n${text.slice(from)}`;
  });
  return [`with ${modulesOf(server).join(" ")}`, ...own].join("\n").replaceAll(root, "@ROOT@");
}

function countAnswer(sum: Comparison, answer: LiveAnswer, unknown: readonly string[]): void {
  const { answers } = sum;
  sum.compared++;
  for (const reason of unknown) sum.unknown.set(reason, (sum.unknown.get(reason) ?? 0) + 1);
  const kind = kindOfAnswer(answer);
  answers.set(kind, (answers.get(kind) ?? 0) + 1);
}
