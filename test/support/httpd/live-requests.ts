import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import type { RequestOptions } from "node:https";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { httpd, serverEnvironment, stopSignalFor } from "./httpd.js";
import { portOf } from "./ports.js";

/** A request as sent, with its destination. */
export interface Sent {
  readonly address: string;
  readonly port: number;
  readonly text: string;
}

/** The response of a server to one of many requests. */
export interface LiveAnswer {
  readonly status: number;
  /** Its error log lines. */
  readonly errorLog: readonly string[];
  /** Its access log line. */
  readonly accessLog: string | undefined;
}

export type Answers = { readonly answers: readonly LiveAnswer[] } | { readonly refused: string };

/** Starts a backend that returns 200 to all requests. */
export async function startBackend(): Promise<{ readonly port: number; end(): void }> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"));
  });
  return { port: await portOf(server), end: () => server.close() };
}

/**
 * Starts a server on a folder that contains `httpd.conf`, sends it all requests at once, and stops it. Each request has
 * its index as `Request-Id`, with which the configuration's formats mark the lines of `error.log` and `access.log`:
 * `#12 AH01797: …`.
 *
 * @returns the responses, or the server's error if it did not start
 */
export async function askServer(folder: string, requests: readonly Sent[]): Promise<Answers> {
  const [first] = requests;
  if (first === undefined) return { answers: [] };
  return whileServing(folder, first, async () => answersIn(folder, await askAll(requests)));
}

/**
 * Sends the requests one after the other.
 *
 * @param prepare prepares the folder for a request
 * @param hosts a file with the names of clients, if the machine supports a private one for the server
 */
export async function askInTurn(
  folder: string,
  requests: readonly Sent[],
  prepare: (id: number) => void,
  hosts?: string,
): Promise<Answers> {
  const [first] = requests;
  if (first === undefined) return { answers: [] };
  const sendAll = async () => {
    const statuses: number[] = [];
    for (const [id, request] of requests.entries()) {
      prepare(id);
      statuses.push(await ask(request));
    }
    return answersIn(folder, statuses);
  };
  return whileServing(folder, first, sendAll, hosts);
}

/** Whether client names can be defined for the server only, with a private mount. */
export const canNameClients = spawnSync("unshare", ["-m", "mount", "--bind", "/dev/null", "/etc/hosts"]).status === 0;

/**
 * Starts a server on a folder that contains `httpd.conf`, and stops it after the function ends.
 *
 * @param probe a place at which it listens
 * @param hosts as in `askInTurn`
 * @returns the function's result, or the server's error if it did not start or does not answer
 */
export async function whileServing<T>(
  folder: string,
  { address, port }: Pick<Sent, "address" | "port">,
  run: () => Promise<T>,
  hosts?: string,
): Promise<T | { readonly refused: string }> {
  const command = [httpd ?? "apache2", "-X", "-f", join(folder, "httpd.conf")];
  const mounting = ["unshare", "-m", "sh", "-c", `mount --bind "$0" /etc/hosts && exec "$@"`, hosts ?? ""];
  const [program = "", ...words] = hosts === undefined ? command : [...mounting, ...command];
  const server = spawn(program, words, { env: serverEnvironment, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  server.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString("latin1");
  });
  const ended = once(server, "close");
  try {
    const isUp = await waitUntilAnswering(server, { address, port, text: "GET / HTTP/1.0\r\n\r\n" });
    if (isUp) return await run();
    if (server.exitCode === null && server.signalCode === null) return { refused: "the server does not answer" };
    await ended;
    return { refused: `${output}${readLog(folder, "error.log")}` };
  } finally {
    if (server.exitCode === null && server.signalCode === null)
      server.kill(stopSignalFor(readFileSync(join(folder, "httpd.conf"), "latin1")));
    await ended;
  }
}

async function answersIn(folder: string, statuses: readonly number[]): Promise<Answers> {
  const accessLog = await accessLogOf(folder, statuses.length);
  const errorLog = linesByRequest(readLog(folder, "error.log"));
  const answers = statuses.map((status, id) => {
    return { status, errorLog: errorLog.get(id) ?? [], accessLog: accessLog.get(id)?.[0] };
  });
  return { answers };
}

/**
 * Returns the access log. Its line is written after the response, and after those of the error log; some configurations
 * do not keep this log.
 */
async function accessLogOf(folder: string, count: number): Promise<Map<number, string[]>> {
  if (!existsSync(join(folder, "access.log"))) return new Map();
  for (let tries = 0; ; tries++) {
    const lines = linesByRequest(readLog(folder, "access.log"));
    if (lines.size >= count || tries === 100) return lines;
    await sleep(5);
  }
}

/** Returns a log in a folder; empty if there is none. */
export function readLog(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), "latin1");
  } catch {
    return "";
  }
}

function linesByRequest(log: string): Map<number, string[]> {
  const lines = new Map<number, string[]>();
  for (const line of log.split("\n")) {
    const [, id = "", message = ""] = /^#(\d+) (.*)/.exec(line) ?? [];
    if (id === "") continue;
    const before = lines.get(Number(id));
    if (before) before.push(message);
    else lines.set(Number(id), [message]);
  }
  return lines;
}

/** Limit for the start of a server. */
const START_MS = 20_000;
/** Limit for the answer to a request, and to the first one: with mod_echo, a server never closes the connection. */
const ANSWER_MS = 20_000;
const FIRST_ANSWER_MS = 5_000;

/** Reports whether a server answers; false if it ends, or does not answer in time. */
async function waitUntilAnswering(server: ChildProcess, probe: Sent): Promise<boolean> {
  const start = Date.now();
  while (Date.now() - start < START_MS) {
    if (server.exitCode !== null || server.signalCode !== null) return false;
    const answers = await ask(probe, FIRST_ANSWER_MS).then(
      () => true,
      () => false,
    );
    if (answers) return true;
    await sleep(5);
  }
  return false;
}

/** Limited to the number of the server's threads. */
async function askAll(requests: readonly Sent[]): Promise<number[]> {
  const statuses: number[] = [];
  let next = 0;
  const worker = async () => {
    for (let id = next++; id < requests.length; id = next++) {
      const request = requests[id];
      if (request) statuses[id] = await ask(request);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return statuses;
}

/** Returns the status of the response; the connection is then closed. */
function ask({ address, port, text }: Sent, limit = ANSWER_MS): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, address);
    let answer = "";
    socket.setEncoding("latin1");
    const timer = setTimeout(() => socket.destroy(new Error(`no end of the answer: ${answer}`)), limit);
    socket.on("error", reject);
    socket.on("data", (chunk: string) => {
      if (answer.length < 100) answer += chunk;
    });
    socket.on("close", () => {
      clearTimeout(timer);
      const status = /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1];
      if (status) resolve(Number(status));
      else reject(new Error(`no answer: ${answer}`));
    });
    socket.write(text, "latin1");
  });
}

/**
 * Returns the server's status; the connection is then closed, because with `-X` the server may handle one at a time.
 */
export function statusOf(options: RequestOptions, ask = httpRequest): Promise<number> {
  return new Promise((answer, reject) => {
    ask({ host: "127.0.0.1", agent: false, ...options }, (response) => {
      response.resume();
      answer(response.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}
