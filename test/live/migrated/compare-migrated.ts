import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runMigrate } from "../../../src/cli/commands/migrate.js";
import { loadServer } from "../../../src/cli/inputs/load-server.js";
import type { Release } from "../../../src/directives/directives.js";
import { createListedFiles } from "../../../src/httpd/model/file-tree.js";
import { DEFAULT_SERVER_IP, describeRequest, type Request } from "../../../src/httpd/model/request.js";
import { assumeServer } from "../../../src/project/assumed-server.js";
import { omitMissingParts } from "../../../src/project/model/problems.js";
import type { Project } from "../../../src/project/model/project.js";
import { iterateDirectives } from "../../../src/project/queries/directive-tree.js";
import { relocateProject } from "../../../src/project/queries/install-root.js";
import { Decider } from "../../../src/simulate/decide.js";
import { memberFilesOf } from "../../../src/simulate/inputs/file-trees.js";
import { decisionClassOf } from "../../../src/simulate/model/decision.js";
import { fromReadable } from "../../../src/text/source.js";
import { makeCertificate } from "../../support/httpd/certificate.js";
import { sendAsClient } from "../../support/httpd/client-request.js";
import { httpd } from "../../support/httpd/httpd.js";
import { readLog } from "../../support/httpd/live-requests.js";
import { whileInScratchFolder, writeFiles } from "../../support/programs/scratch-folder.js";
import { Random } from "../../support/random/random.js";
import { createChrootFolder } from "./chroot-folder.js";
import { AgreedFiles, type SampledRequest, sampleRequests } from "./sampled-requests.js";
import { defaultDocumentRootOf, ServedConfiguration, served } from "./served-configuration.js";

/** A configuration to migrate, to serve, and to compare with the simulator's answers for the original. */
export interface MigratedServer {
  readonly entry: string;
  readonly from: Release;
  readonly seed: number;
  /** Maximum number of requests. */
  readonly count: number;
}

/** The result: why it could not be compared, or how it answers. */
export type MigratedAnswers = { readonly failed: string } | AnswerCounts;

export interface AnswerCounts {
  readonly requests: number;
  /** The requests that the migration lists with the change that is seen. */
  readonly listed: number;
  readonly unknown: number;
  readonly wrong: readonly string[];
  /** The lines that this machine's server rejects, which are left out. */
  readonly dropped: readonly string[];
}

/** Limit for lines that this machine's server rejects. */
const MAX_DROPPED = 300;
const password = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";
/** Both a program and a page. */
const page = "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nhere\\n'\n";

/** Migrates and serves a configuration in a folder of its own, in a network namespace of this process. */
export async function compareMigrated({ entry, from, seed, count }: MigratedServer): Promise<MigratedAnswers> {
  const migrated = migrate(entry, from);
  if ("failed" in migrated) return migrated;
  const before = readServer(entry, from);
  const after = readServer(entry, "2.4", migrated.texts);
  if (before === undefined || after === undefined) return { failed: "the configuration cannot be read" };
  const random = new Random(seed);
  const all = sampleRequests(before, random);
  const { requests, files } = choose(all, before, count, random);
  return whileInScratchFolder(async (root) => {
    chmodSync(root, 0o755);
    createChrootFolder(root);
    writeDocuments(root, files.paths, requests, after);
    const configuration = new ServedConfiguration(after);
    const failed = prepare(root, configuration);
    if (failed !== undefined) return { failed };
    const decider = new Decider(before, createListedFiles(files.paths));
    const [wrong, tally] = [[] as string[], { listed: 0, unknown: 0 }];
    const failure = await whileServing(root, requests, async (request) => {
      const expected = decider.decide(request);
      if (expected.class === "unknown") {
        tally.unknown++;
        return;
      }
      const status = await sendAsClient(request);
      const answer = decisionClassOf(status);
      if (answer === expected.class || (answer === "500" && expected.class === "allowed")) return;
      if (migrated.listed.has(`${expected.class} ${answer}`)) tally.listed++;
      else wrong.push(`${describeRequest(request)}: ${expected.status} expected, ${status} returned`);
    });
    if (failure !== undefined) return { failed: failure };
    return { requests: requests.length, ...tally, wrong, dropped: configuration.dropped };
  });
}

interface Migrated {
  readonly texts: ReadonlyMap<string, string>;
  /** The changes that the migration lists: `401 403`. */
  readonly listed: ReadonlySet<string>;
}

function migrate(entry: string, from: Release): Migrated | { readonly failed: string } {
  const { output } = runMigrate({
    ...{ entry, from, reading: "server", format: "json", accept: ["stricter"], write: false, fixStart: false },
    ...{ recover: false, undo: false, exitZero: false, colour: false, hyperlinks: false, width: undefined },
  });
  const text = [...output].join("");
  if (!text.startsWith("{")) return { failed: text };
  const result: MigrationResult = JSON.parse(text);
  if (result.verdict !== "proved") return { failed: "not migrated" };
  const changes = [
    ...(result.accepted ?? []).map(({ difference }) => difference),
    ...(result.samePage ?? []),
    ...(result.byRelease ?? []),
  ];
  return {
    texts: new Map(result.files.map((file) => [fromReadable(file.path), fromReadable(file.text)])),
    listed: new Set(changes.map((each) => `${each.before.class} ${each.after.class}`)),
  };
}

type ListedChange = Readonly<Record<"before" | "after", { readonly class: string }>>;

interface MigrationResult {
  readonly verdict: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly accepted?: readonly { readonly difference: ListedChange }[];
  readonly samePage?: readonly ListedChange[];
  readonly byRelease?: readonly ListedChange[];
}

/** Modules that the migrated server has in any case. */
const moreModules = ["authz_core", "authn_core", "authz_host", "unixd"];

function readServer(entry: string, release: Release, overlay?: ReadonlyMap<string, string>): Project | undefined {
  const changes = overlay && { overlay, noModule: ["access_compat"], moreModules };
  const loaded = loadServer({ entry, release, ...changes });
  return "failed" in loaded ? undefined : relocateProject(omitMissingParts(assumeServer(loaded.project)));
}

/** Chooses requests at random that agree on the existing files, and on the names and groups of their clients. */
function choose(all: readonly SampledRequest[], project: Project, count: number, random: Random) {
  const left = [...all];
  const files = new AgreedFiles();
  files.add(new Map([...memberFilesOf(project)].map((path) => [path, "file"])));
  if (!project.directives.some(({ key }) => key === "documentroot"))
    files.add(new Map([[defaultDocumentRootOf(project), "directory"]]));
  const facts = new Map<string, string>();
  const seen = new Set<string>();
  const requests: Request[] = [];
  while (requests.length < count && left.length > 0) {
    const [sampled] = left.splice(random.below(left.length), 1);
    if (sampled === undefined || seen.has(describeRequest(sampled.request))) continue;
    seen.add(describeRequest(sampled.request));
    const { clientIp, clientHost = "", user = "", groups = [], dbmGroups, method } = sampled.request;
    const own = [
      [clientIp, clientHost],
      [`user ${user}`, groups.join(" ")],
    ] as const;
    const isAgreed = own.every(([name, fact]) => (facts.get(name) ?? fact) === fact);
    if (!isAgreed || dbmGroups !== undefined || method === "CONNECT" || !files.add(sampled.files)) continue;
    for (const [name, fact] of own) facts.set(name, fact);
    requests.push(sampled.request);
  }
  return { requests, files };
}

function writeDocuments(root: string, paths: readonly string[], requests: readonly Request[], project: Project): void {
  for (const path of paths) {
    const target = join(root, path);
    mkdirSync(path.endsWith("/") ? target : dirname(target), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(target, page, { mode: 0o755 });
  }
  const users = new Map(requests.flatMap(({ user, groups = [] }) => (user === undefined ? [] : [[user, groups]])));
  const passwords = [...users.keys()].map((user) => `${user}:${password}\n`).join("");
  const members = new Map<string, string[]>();
  for (const [user, groups] of users)
    for (const group of groups) members.set(group, [...(members.get(group) ?? []), user]);
  const groups = [...members].map(([group, names]) => `${group}: ${names.join(" ")}\n`).join("");
  const texts = new Map<string, string>([
    ["authuserfile", passwords],
    ["authgroupfile", groups],
    ["typesconfig", "text/html html\n"],
    ["mimemagicfile", ""],
  ]);
  for (const {
    key,
    arguments: [word],
  } of iterateDirectives(project)) {
    const text = texts.get(key);
    if (word === undefined || text === undefined) continue;
    const path = word.value.startsWith("/") ? word.value : join(project.serverRoot, word.value);
    writeFiles(root, { [path]: text }, "latin1");
  }
  for (const { directory, tree } of project.htaccess)
    writeFiles(root, { [join(directory, ".htaccess")]: tree.source.text }, "latin1");
  const names = requests.flatMap(({ clientIp, clientHost }) => (clientHost ? [`${clientIp} ${clientHost}\n`] : []));
  writeFiles(root, { "etc/hosts": [...new Set(names)].join(""), "etc/nsswitch.conf": "hosts: files\n" });
  writeFiles(root, { "etc/passwd": "nobody:x:65534:65534::/:/bin/sh\n", "etc/group": "nogroup:x:65534:\n" });
  writeFiles(root, { "etc/mime.types": "text/html html\n" });
  mkdirSync(join(root, project.serverRoot, "logs"), { recursive: true });
  mkdirSync(join(root, project.serverRoot, "conf"), { recursive: true });
  writeFiles(join(root, project.serverRoot), { ...mimeTypes, "conf/magic": "" });
}

/** The places where servers look for the types of files. */
const mimeTypes = { "mime.types": "text/html html\n", "conf/mime.types": "text/html html\n" };

/** Writes a configuration that this machine's server accepts. @returns why there is none */
function prepare(root: string, configuration: ServedConfiguration): string | undefined {
  makeCertificate(join(root, served.key), join(root, served.certificate));
  for (;;) {
    writeFileSync(join(root, served.entry), configuration.render(), "latin1");
    const { status, stderr } = spawnSync("chroot", [root, httpd ?? "apache2", "-t", "-f", served.entry], {
      encoding: "latin1",
    });
    if (status === 0) return undefined;
    if (configuration.dropped.length >= MAX_DROPPED || !configuration.drop(stderr)) return stderr.trim();
  }
}

/** Starts the server, visits the requests, and stops it. @returns the reason if it did not start */
async function whileServing(
  root: string,
  requests: readonly Request[],
  visit: (request: Request) => Promise<void>,
): Promise<string | undefined> {
  for (const address of new Set(requests.flatMap(({ clientIp, serverIp }) => [clientIp, serverIp ?? ""])))
    if (address !== "") spawnSync("ip", ["addr", "add", address, "dev", "lo"]);
  spawnSync("ip", ["addr", "add", DEFAULT_SERVER_IP, "dev", "lo"]);
  const server = spawn("chroot", [root, httpd ?? "apache2", "-X", "-f", served.entry], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  server.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
  });
  const ended = once(server, "close");
  try {
    const [first] = requests;
    if (first === undefined) return "no request was found";
    if (!(await isUp(first, server))) return `${readLog(root, served.errorLog)} ${output}`.trim();
    const left = [...requests];
    const work = async () => {
      for (let next = left.pop(); next; next = left.pop()) await visit(next);
    };
    await Promise.all(Array.from({ length: 4 }, work));
    return undefined;
  } finally {
    server.kill("SIGKILL");
    await ended;
  }
}

async function isUp(request: Request, server: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < 100 && server.exitCode === null; tries++) {
    const status = await sendAsClient(request).catch(() => undefined);
    if (status !== undefined) return true;
    await sleep(100);
  }
  return false;
}
