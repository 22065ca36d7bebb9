import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { migratedParts } from "../../../src/apps/cli/changes/migration-source.js";
import { loadServer } from "../../../src/apps/cli/inputs/load-server.js";
import type { Project } from "../../../src/config/model/project.js";
import type { Release } from "../../../src/facts/release.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { memberFilesOf } from "../../../src/server/file-trees.js";
import { decisionClassOf } from "../../../src/server/model/answer.js";
import { createListedFiles } from "../../../src/server/model/file-tree.js";
import { describeRequest, type Request } from "../../../src/server/model/request.js";
import { installConfig } from "../../../src/startup/install-config.js";
import { whileInScratchFolder, writeFiles } from "../../support/programs/scratch-folder.js";
import { Random } from "../../support/random/random.js";
import { chooseRequests } from "./chosen-requests.js";
import { createChrootFolder } from "./chroot-folder.js";
import { type MigratedTexts, migrateTexts } from "./migrated-texts.js";
import { sampleRequests } from "./sampled-requests.js";
import { addAddresses, serveRequests, testConfiguration } from "./serve-requests.js";
import { documentRootsOf, OmittedLines, ServedConfiguration } from "./served-configuration.js";
import { writeDocuments, writeServerFiles } from "./served-documents.js";

/** A configuration to migrate, and to serve before and after. */
export interface MigratedServer {
  readonly entry: string;
  readonly from: Release;
  readonly seed: number;
  /** Maximum number of requests. */
  readonly count: number;
}

/** The reason why the configuration could not be compared, or the counts of its answers. */
export type MigratedAnswers = { readonly failed: string } | AnswerCounts;

export interface AnswerCounts {
  readonly requests: number;
  /** The number of requests that the migrated server rejects with 401 or 403. */
  readonly denied: number;
  /** The requests whose answer changes in a way that the migration lists. */
  readonly listed: readonly string[];
  /** The number of requests whose answer the simulator does not know, and that have the same answer before and after. */
  readonly unknown: number;
  /** The number of requests that the original also received; 0 if this machine's server rejects it. */
  readonly sentBefore: number;
  readonly wrong: readonly string[];
  /** The reasons why answers are unknown, with the number of requests. */
  readonly reasons: ReadonlyMap<string, number>;
  /** The lines that this machine's server rejects, which are omitted. */
  readonly dropped: readonly string[];
}

/** Limit for lines that this machine's server rejects. */
const MAX_DROPPED = 300;

/**
 * Migrates a configuration. Serves the original with mod_access_compat, and the result without it, in a separate folder
 * and in the network namespace of this process. Compares the answers with each other and with the simulator's for
 * the original.
 */
export async function compareMigrated({ entry, from, seed, count }: MigratedServer): Promise<MigratedAnswers> {
  const migrated = migrateTexts(entry, from);
  if ("failed" in migrated) return migrated;
  const before = readServer(entry, from);
  const after = readServer(entry, "2.4", migrated.texts);
  if (before === undefined || after === undefined) return { failed: "the configuration cannot be read" };
  return whileInScratchFolder(async (root) => {
    chmodSync(root, 0o755);
    const without = new OmittedLines(after);
    createChrootFolder(root, [...without.served, "access_compat"]);
    writeServerFiles(root, after);
    const original = new ServedConfiguration(before, without, ["access_compat"], "/before.conf");
    const result = new ServedConfiguration(after, without, [], "/after.conf");
    const failed = prepare(root, result, without, after);
    if (failed !== undefined) return { failed };
    const canServeBefore = prepare(root, original, without, before) === undefined;
    prepare(root, result, without, after);
    const simulated = without.removeFrom(before);
    const random = new Random(seed);
    const chosen = chooseRequests(sampleRequests(simulated, random), existingFilesOf(simulated), count, random);
    const { requests, paths } = chosen;
    if (requests.length === 0) return { failed: "no request was found" };
    writeDocuments(root, { paths, requests, project: after });
    addAddresses([
      ...listenAddressesOf(after),
      ...requests.flatMap(({ clientIp, serverIp = "" }) => [clientIp, serverIp]),
    ]);
    const serve = (configuration: ServedConfiguration) => {
      writeAccessFiles(root, configuration);
      return serveRequests(root, configuration, requests);
    };
    const answersBefore = canServeBefore ? await serve(original) : [];
    const answers = await serve(result);
    if (typeof answers === "string") return { failed: answers };
    const files = { ...createListedFiles(paths), textOf: (path: string) => readText(join(root, path)) };
    const simulatedServer = new SimulatedServer(simulated, files);
    const counts = judge(requests, simulatedServer, {
      ...{ from, listed: migrated.listed, answers },
      before: typeof answersBefore === "string" ? [] : answersBefore,
    });
    return { ...counts, dropped: without.listIn(after) };
  });
}

function readText(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "latin1") : undefined;
}

/** Modules that the migrated server has in any case. */
const moreModules = ["authz_core", "authn_core", "authz_host", "unixd"];

function readServer(entry: string, release: Release, overlay?: ReadonlyMap<string, string>): Project | undefined {
  const changes = overlay && { overlay, noModule: ["access_compat"], moreModules };
  const loaded = loadServer({ entry, release, ...changes });
  return loaded.ok ? installConfig(loaded.value.project.read, migratedParts) : undefined;
}

/** Returns the addresses that the server listens on. */
function listenAddressesOf({ directives }: Project): readonly string[] {
  return directives.flatMap(({ key, arguments: [word] }) => {
    const [, ipv6, ipv4] = /^(?:\[([\da-f:]+)\]|([\d.]+)):\d+$/i.exec(word?.value ?? "") ?? [];
    return key === "listen" ? [ipv6 ?? ipv4 ?? ""] : [];
  });
}

function existingFilesOf(project: Project): ReadonlyMap<string, "file" | "directory"> {
  const files = new Map<string, "file" | "directory">([...memberFilesOf(project)].map((path) => [path, "file"]));
  for (const path of documentRootsOf(project)) files.set(path, "directory");
  return files;
}

/** Writes a configuration that this machine's server accepts. @returns why there is none */
function prepare(
  root: string,
  configuration: ServedConfiguration,
  without: OmittedLines,
  project: Project,
): string | undefined {
  for (let tries = 0; ; tries++) {
    writeFileSync(join(root, configuration.entry), configuration.render(), "latin1");
    const message = testConfiguration(root, configuration);
    if (message === undefined) return undefined;
    if (tries >= MAX_DROPPED || !configuration.drop(message))
      return `${message.trim()} (${without.listIn(project).length} lines omitted)`;
  }
}

function writeAccessFiles(root: string, configuration: ServedConfiguration): void {
  for (const [directory, text] of configuration.renderHtaccess())
    writeFiles(root, { [join(directory, ".htaccess")]: text }, "latin1");
}

interface Answers extends Pick<MigratedTexts, "listed"> {
  readonly from: Release;
  /** Empty if unknown. */
  readonly before: readonly number[];
  readonly answers: readonly number[];
}

function judge(
  requests: readonly Request[],
  simulatedServer: SimulatedServer,
  { from, listed, before, answers }: Answers,
) {
  const tally = { requests: requests.length, denied: 0, unknown: 0, sentBefore: before.length };
  const wrong: string[] = [];
  const changed: string[] = [];
  const reasons = new Map<string, number>();
  for (const [index, request] of requests.entries()) {
    const [status = 0, old] = [answers[index], before[index]];
    const answer = status === 0 ? "no answer" : decisionClassOf(status);
    if (status === 401 || status === 403) tally.denied++;
    const expected = simulatedServer.answer(request);
    const found = `${describeRequest(request)}: ${expected.status ?? "unknown"} expected, ${old ?? "?"} before, ${status} after`;
    const isSame = old === undefined || old === status;
    if (expected.class === "unknown") {
      const [reason = ""] = expected.unknown;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      if (isSame) tally.unknown++;
      else if (listed.has(`${decisionClassOf(old)} ${answer}`)) changed.push(found);
      else wrong.push(found);
      continue;
    }
    const isExpected = expected.status === status || expected.class === answer;
    if (isExpected && (isSame || from === "2.2")) continue;
    if (isSame && answer === "500" && expected.class === "allowed") continue;
    if (listed.has(`${expected.class} ${answer}`)) changed.push(found);
    else wrong.push(found);
  }
  return { ...tally, wrong, listed: changed, reasons };
}
