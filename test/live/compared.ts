import { spawnSync } from "node:child_process";
import { lookup, lookupService } from "node:dns/promises";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { memoryAccess } from "../../src/project/files.js";
import { loadProject } from "../../src/project/load.js";
import { findRefusals } from "../../src/refusals/refusals.js";
import { listedFiles } from "../../src/scope/files.js";
import { Decider, type Decision } from "../../src/simulate/decide.js";
import { askServer, freePorts, type LiveAnswer } from "../support/asked-httpd.js";
import {
  asDecided,
  asSent,
  dbmGroupLines,
  groupFile,
  type RandomRequest,
  randomRequest,
  users,
} from "../support/random-requests.js";
import { asksForNames, filesOf, onDisk, type RandomServer, randomServer } from "../support/random-server.js";

/** What came of some seeds. */
export interface Comparison {
  /** Requests whose answers were compared. */
  compared: number;
  configurations: number;
  /** Configurations that neither starts with. */
  refused: number;
  /** Requests that the simulator does not decide, by the reason. */
  readonly unknown: Map<string, number>;
  /** How often each answer came. */
  readonly answers: Map<string, number>;
  readonly disagreements: Disagreement[];
}

export interface Disagreement {
  readonly seed: number;
  readonly text: string;
}

/** The messages that tell of a decision; others accompany it. */
const telling = new Set(["AH01797", "AH01630", "AH01631", "AH01629", "AH01627", "AH00027", "AH00028"]);

interface Place {
  readonly root: string;
  readonly ports: readonly [number, number];
  readonly names: ReadonlyMap<string, string>;
}

/**
 * Draws a configuration and requests for each seed from `seed` on, until `count` requests are compared.
 *
 * @param mostDisagreements where it stops
 */
export async function compareSeeds(
  seed: number,
  count: number,
  mostDisagreements: number,
  jobs = 2,
): Promise<Comparison> {
  const sum: Comparison = {
    compared: 0,
    configurations: 0,
    refused: 0,
    unknown: new Map(),
    answers: new Map(),
    disagreements: [],
  };
  const names = await clientNames();
  let next = seed;
  const job = async () => {
    const root = mkdtempSync(join(tmpdir(), "httpd-lint-"));
    try {
      const place: Place = { root, ports: await freePorts(), names };
      while (sum.compared < count && sum.disagreements.length < mostDisagreements)
        await compareSeed(next++, place, sum);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  await Promise.all(Array.from({ length: jobs }, job));
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
      // A smaller case must come apart in the same way, or it is another case.
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
  const requests = asksForNames(server) ? drawn.map((each) => ({ ...each, clientIp: "127.0.0.1" })) : drawn;
  const { root, ports, names } = place;
  const files = filesOf(server, root, ports);
  prepare(root, files);
  const sent = requests.map((request, id) => ({
    address: request.serverIp,
    port: ports[request.portIndex],
    text: asSent(request, id),
  }));

  const live = await askServer(root, sent);

  const access = memoryAccess(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${root}/${path}`, text])),
  );
  const loaded = loadProject(join(root, "httpd.conf"), { access, release: "2.4", kind: "server", serverRoot: root });
  if ("failed" in loaded) throw new Error(loaded.failed);
  const { project } = loaded;
  const refusal =
    findRefusals(project).startup[0]?.server ??
    project.problems.find(({ server: said, span }) => said !== undefined && span.file.path.endsWith("/httpd.conf"))
      ?.server;
  const isRefused = "refused" in live;
  if (sum) sum.configurations++;
  if (isRefused || refusal !== undefined) {
    if (sum) sum.refused++;
    if (isRefused && refusal !== undefined) return undefined;
    return {
      kind: "start",
      text: `${"refused" in live ? live.refused : "it starts"}\nhere: ${refusal}\n${server.hasAllowMethods ? "with mod_allowmethods\n" : ""}${shown(files, root)}`,
    };
  }
  const owner = { user: userInfo().username, group: ownGroup() };
  const paths = [...onDisk, ...Object.keys(files), "conf/users", "conf/groups"].map((path) => `${root}/${path}`);
  const decider = new Decider(project, listedFiles(paths, owner));
  for (const [id, request] of requests.entries()) {
    const answer = live.answers[id];
    if (answer === undefined) continue;
    const asked = asDecided(request, ports, names);
    const decision = decider.decide(asked);
    if (sum) count(sum, answer, decision);
    // A listing looks at all that is in a directory, and the log tells what came of it.
    const codes = server.hasAutoindex && answer.status === 200 ? decision.log : codesOf(answer);
    const expected = answerText(classOf(answer.status), codes);
    const got = decision.unknown.length > 0 ? decision.class : answerText(decision.class, decision.log);
    if (
      decision.class === "unknown" ||
      expected === got ||
      (decision.unknown.length > 0 && got === classOf(answer.status))
    )
      continue;
    const text = [
      asSent(request, id).trimEnd(),
      `at ${asked.serverIp}:${asked.port}${request.user === undefined ? "" : ` as ${request.user}`}`,
      `server: ${answer.status} ${answer.log.join(" | ")}`,
      `here:   ${got} by ${decision.decidedBy.map((directive) => `${directive.name} ${directive.argumentText}`).join(" | ")}`,
      `${server.hasAllowMethods ? "with mod_allowmethods" : ""} ${server.hasAutoindex ? "with mod_autoindex" : ""}`,
      shown(files, root),
    ];
    return { kind: "answer", text: text.join("\n") };
  }
  return undefined;
}

function shown(files: Readonly<Record<string, string>>, root: string): string {
  return Object.entries(files)
    .map(
      ([path, text]) =>
        `--- ${path}\n${path === "httpd.conf" ? text.slice(text.lastIndexOf("reads GET>")).split("\n").slice(2).join("\n") : text}`,
    )
    .join("\n")
    .replaceAll(root, "@ROOT@");
}

function count(sum: Comparison, answer: LiveAnswer, decision: Decision): void {
  sum.compared++;
  if (decision.class === "unknown") {
    for (const reason of decision.unknown) sum.unknown.set(reason, (sum.unknown.get(reason) ?? 0) + 1);
    return;
  }
  const text = answerText(String(answer.status), codesOf(answer));
  sum.answers.set(text, (sum.answers.get(text) ?? 0) + 1);
}

function codesOf({ log }: LiveAnswer): readonly string[] {
  return log.map((line) => /^AH\d{5}/.exec(line)?.[0] ?? "");
}

function classOf(status: number): string {
  return status === 401 || status === 403 || status === 500 ? String(status) : "allowed";
}

function answerText(decided: string, log: readonly string[]): string {
  return [decided, ...[...new Set(log)].filter((code) => telling.has(code)).sort()].join(" ");
}

/** The folder as the server finds it: what always lies there, and a configuration's own files. */
function prepare(root: string, files: Readonly<Record<string, string>>): void {
  rmSync(root, { recursive: true, force: true });
  const write = (path: string, text: string) => {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text, "latin1");
  };
  for (const path of onDisk) write(path, "x\n");
  write("conf/users", users.map((user) => `${user}:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=\n`).join(""));
  write("conf/groups", groupFile);
  for (const [path, bytes] of dbmFiles()) writeFileSync(join(root, path), bytes);
  for (const [path, text] of Object.entries(files)) write(path, text);
}

let dbm: readonly (readonly [path: string, bytes: Buffer])[] | undefined;

/** The group file in the form that mod_authz_dbm reads; made once by the server's own tool. */
function dbmFiles(): readonly (readonly [path: string, bytes: Buffer])[] {
  if (dbm) return dbm;
  const folder = mkdtempSync(join(tmpdir(), "httpd-lint-"));
  writeFileSync(join(folder, "lines"), dbmGroupLines);
  spawnSync("httxt2dbm", ["-i", join(folder, "lines"), "-o", join(folder, "dbm")]);
  dbm = readdirSync(folder)
    .filter((name) => name.startsWith("dbm"))
    .map((name) => [`conf/${name}`, readFileSync(join(folder, name))] as const);
  rmSync(folder, { recursive: true, force: true });
  return dbm;
}

function ownGroup(): string {
  group ??= spawnSync("id", ["-gn"], { encoding: "utf8" }).stdout.trim();
  return group;
}

let group: string | undefined;

/** The names that the server finds for clients' addresses: those that lead back, too. */
async function clientNames(): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const address of [
    "127.0.0.1",
    "127.0.0.2",
    "::1",
    "10.1.2.3",
    "10.2.0.1",
    "192.0.2.7",
    "203.0.113.9",
    "2001:db8::1",
  ]) {
    const name = await lookupService(address, 80).then(
      ({ hostname }) => hostname,
      () => address,
    );
    if (name === address) continue;
    const back = await lookup(name, { all: true }).catch(() => []);
    if (back.some((each) => each.address === address)) names.set(address, name);
  }
  return names;
}
