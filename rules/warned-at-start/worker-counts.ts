import type { Directive, Project } from "../../src/lint/api/configuration.js";
import type { Report } from "../../src/lint/api/rule.js";

export const workerCountMessages = {
  manyThreads: (threads: number, limit: number) => ({
    message: `\`ThreadsPerChild\` ${threads} exceeds \`ThreadLimit\` ${limit}`,
    notes: [`httpd starts with ${limit} threads for each process`],
    help: ["increase `ThreadLimit`, or decrease `ThreadsPerChild`"],
  }),
  fewWorkers: (name: string, workers: number, threads: number) => ({
    message: `\`${name}\` ${workers} is less than \`ThreadsPerChild\` ${threads}`,
    notes: [`httpd starts with a limit of ${threads} workers`],
    help: ["decrease `ThreadsPerChild`, or increase the number of workers"],
  }),
  unevenWorkers: (name: string, workers: number, threads: number) => ({
    message: `\`${name}\` ${workers} is not a multiple of \`ThreadsPerChild\` ${threads}`,
    notes: [`httpd starts with a limit of ${workers - (workers % threads)} workers`],
    help: ["use a multiple"],
  }),
  manyWorkers: (name: string, workers: number, limit: number, servers: number) => ({
    message: `\`${name}\` ${workers} needs a higher \`ServerLimit\` than ${servers}`,
    notes: [`httpd starts with a limit of ${limit} workers`],
    help: ["increase `ServerLimit`, or decrease the number of workers"],
  }),
};

/** The default numbers of an MPM, which counts processes only if it has no threads. */
interface WorkerDefaults {
  readonly threads: number;
  readonly threadLimit: number;
  readonly servers: number;
}

/** By module (server/mpm/event/event.c, worker/worker.c, prefork/prefork.c). */
const defaultsByMpm: ReadonlyMap<string, WorkerDefaults> = new Map([
  ["mpm_event_module", { threads: 25, threadLimit: 64, servers: 16 }],
  ["mpm_worker_module", { threads: 25, threadLimit: 64, servers: 16 }],
  ["mpm_prefork_module", { threads: 1, threadLimit: 1, servers: 256 }],
]);

/**
 * Returns the numbers that the MPM changes at start (`event_check_config`). Values outside the range of a directive are
 * not checked.
 */
export function findWorkerCounts({ directives, modules }: Project): readonly Report[] {
  const [mpm, ...others] = [...defaultsByMpm].filter(([module]) => modules.has(module));
  if (mpm === undefined || others.length > 0) return [];
  const [module, defaults] = mpm;
  const find = (...keys: readonly string[]) => directives.findLast(({ key }) => keys.includes(key));
  const lines = {
    threads: module === "mpm_prefork_module" ? undefined : find("threadsperchild"),
    threadLimit: module === "mpm_prefork_module" ? undefined : find("threadlimit"),
    servers: find("serverlimit"),
    workers: find("maxrequestworkers", "maxclients"),
  };
  const requestedThreads = readCount(lines.threads, defaults.threads);
  const threadLimit = readCount(lines.threadLimit, defaults.threadLimit);
  const servers = readCount(lines.servers, defaults.servers);
  const workers = readCount(lines.workers, defaults.threads * defaults.servers);
  if (requestedThreads === undefined || threadLimit === undefined || servers === undefined || workers === undefined)
    return [];
  const messages = workerCountMessages;
  const threads = Math.min(requestedThreads, threadLimit);
  const reportAt = (message: Report["message"], ...at: readonly (Directive | undefined)[]) =>
    at.flatMap((line) => (line ? [{ message, span: line.span }] : [])).slice(0, 1);
  const { workers: line } = lines;
  const name = line?.name ?? "MaxRequestWorkers";
  const excess =
    threads < requestedThreads
      ? reportAt(messages.manyThreads(requestedThreads, threads), lines.threads, lines.threadLimit)
      : [];
  if (workers < threads)
    return [...excess, ...reportAt(messages.fewWorkers(name, workers, threads), line, lines.threads)];
  const uneven =
    workers % threads > 0 ? reportAt(messages.unevenWorkers(name, workers, threads), line, lines.threads) : [];
  const processes = Math.floor(workers / threads);
  if (processes <= servers) return [...excess, ...uneven];
  const many = messages.manyWorkers(name, workers, servers * threads, servers);
  return [...excess, ...uneven, ...reportAt(many, line, lines.servers, lines.threads)];
}

/** Returns the number of a line, or the default; undefined if it is out of range. */
function readCount(line: Directive | undefined, byDefault: number): number | undefined {
  if (line === undefined) return byDefault;
  const value = line.arguments[0]?.value ?? "";
  return /^[1-9]\d{0,4}$/.test(value) ? Number(value) : undefined;
}
