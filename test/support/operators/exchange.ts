import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { getOrCreate } from "../../../src/text/collections.js";
import { readLog, whileServing } from "../httpd/live-requests.js";
import { hashMd5, type ServerPlace, writeServer } from "./operator-folder.js";
import { type Credentials, type OperatorRequest, passwordOf, requestText } from "./operator-requests.js";
import type { OperatorServer } from "./operator-server.js";

/** What the server did with a request. */
export interface ServedAnswer {
  readonly status: number;
  /** The message numbers in its error log. */
  readonly codes: readonly string[];
  /** The client as the server sees it. */
  readonly clientIp: string;
}

export type ServedAnswers = { readonly answers: readonly (ServedAnswer | undefined)[] } | { readonly refused: string };

interface Response {
  /** The client's address and port, which mark the lines of both logs. */
  readonly mark: string;
  readonly head: string;
}

/**
 * Starts the server and sends it all requests. An answer is undefined if there is none. The folder has the same files
 * before and after.
 */
export async function askOperatorServer(
  server: OperatorServer,
  requests: readonly OperatorRequest[],
  place: ServerPlace,
): Promise<ServedAnswers> {
  writeServer(server, place);
  return whileServing(place.root, { address: "127.0.0.1", port: place.ports[0] }, async () => {
    const client = new OperatorClient(place.ports);
    const responses = await sendAll(server, requests, client, place);
    const accessLog = linesByMark(await untilLogged(place.root, client.sent));
    const errorLog = linesByMark(readLog(place.root, "error.log"));
    const answers = responses.map((response): ServedAnswer | undefined => {
      if (response === undefined) return undefined;
      const [clientIp = "", status = ""] = accessLog.get(response.mark)?.at(-1)?.split(" ") ?? [];
      const codes = (errorLog.get(response.mark) ?? []).map((line) => /\bAH\d{5}(?=:)/.exec(line)?.[0] ?? "none");
      return { status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(response.head)?.[1] ?? status), codes, clientIp };
    });
    return { answers };
  });
}

/** Returns the access log when it has all lines: the server writes them after the responses. */
async function untilLogged(root: string, sent: number): Promise<string> {
  for (let tries = 0; ; tries++) {
    const log = readLog(root, "access.log");
    // The first line is of the request to which the server was up.
    if (tries === 200 || log.split("\n").length > sent + 1) return log;
    await sleep(5);
  }
}

/** Returns the lines of a log by their mark: `#127.0.0.1:4711 …`. */
function linesByMark(log: string): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const line of log.split("\n")) {
    const [, mark, text = ""] = /^#(\S+) (.*)/.exec(line.replace(/[[\]]/g, "")) ?? [];
    if (mark !== undefined) getOrCreate(lines, mark, () => []).push(text);
  }
  return lines;
}

const writing = new Set(["PUT", "DELETE", "MKCOL", "COPY", "MOVE"]);

/** Sends requests that change files last, one after the other, and then restores the files. */
async function sendAll(
  server: OperatorServer,
  requests: readonly OperatorRequest[],
  client: OperatorClient,
  place: ServerPlace,
): Promise<readonly (Response | undefined)[]> {
  const responses: (Response | undefined)[] = [];
  const isWriting = ({ method }: OperatorRequest) => writing.has(method);
  const reading = [...requests.entries()].filter(([, each]) => !isWriting(each));
  const work = async () => {
    for (let next = reading.pop(); next; next = reading.pop()) responses[next[0]] = await client.send(next[1]);
  };
  await Promise.all(Array.from({ length: 6 }, work));
  for (const [id, each] of requests.entries()) {
    if (!isWriting(each)) continue;
    const response = await client.send(each);
    responses[id] = response;
    if (response && /^HTTP\/1\.1 2/.test(response.head)) writeServer(server, place, ["access.log", "error.log", "pid"]);
  }
  return requests.map((_, id) => responses[id]);
}

/** A client of one server. Each request has a connection of its own, from a place that no other has. */
export class OperatorClient {
  private readonly used = new Set<string>();

  constructor(private readonly ports: readonly [number, number]) {}

  /** The number of requests. */
  get sent(): number {
    return this.used.size;
  }

  /** Sends a request with the user's password, as the server asks for it. */
  async send(request: OperatorRequest): Promise<Response | undefined> {
    const { credentials } = request;
    const first = await this.exchange(request, credentials && basicAuthorization(credentials));
    // An error document may add a challenge to the response to another error.
    const challenge = /^HTTP\/1\.[01] 401 .*?^WWW-Authenticate: Digest ([^\r\n]*)/ims.exec(first?.head ?? "")?.[1];
    if (credentials === undefined || challenge === undefined) return first;
    return this.exchange(request, digestAuthorization(request, credentials, challenge));
  }

  private async exchange(request: OperatorRequest, authorization: string | undefined): Promise<Response | undefined> {
    const { mark, socket } = await this.connect(request);
    let head = "";
    socket.setEncoding("latin1");
    socket.setTimeout(10_000, () => socket.destroy());
    socket.on("data", (chunk: string) => {
      if (head.length < 2000) head += chunk;
    });
    // A server that rejects a body may reset the connection after its response.
    socket.on("error", () => socket.destroy());
    socket.write(requestText(request, { mark, authorization }), "latin1");
    await once(socket, "close").catch(() => undefined);
    return head === "" ? undefined : { mark, head };
  }

  private async connect({ clientAddress, serverAddress, portIndex }: OperatorRequest) {
    for (;;) {
      const socket = connect({ host: serverAddress, port: this.ports[portIndex], localAddress: clientAddress });
      await once(socket, "connect");
      const mark = `${clientAddress}:${socket.localPort}`;
      if (!this.used.has(mark)) {
        this.used.add(mark);
        return { mark, socket };
      }
      socket.destroy();
    }
  }
}

function basicAuthorization(credentials: Credentials): string {
  return `Basic ${btoa(`${credentials.user}:${passwordOf(credentials)}`)}`;
}

/** Returns the answer to a challenge (RFC 7616, with MD5 and `qop=auth`). */
function digestAuthorization(request: OperatorRequest, credentials: Credentials, challenge: string): string {
  const { method, target, authority = "" } = request;
  const part = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const [realm, nonce, uri] = [part("realm"), part("nonce"), `${authority}${target}`];
  const secret = hashMd5(`${credentials.user}:${realm}:${passwordOf(credentials)}`);
  const response = hashMd5(`${secret}:${nonce}:00000001:abcd:auth:${hashMd5(`${method}:${uri}`)}`);
  const parts = { username: credentials.user, realm, nonce, uri, algorithm: "MD5", response, cnonce: "abcd" };
  const quoted = Object.entries(parts).map(([name, value]) => `${name}="${value.replace(/[\\"]/g, "\\$&")}"`);
  return `Digest ${[...quoted, "qop=auth", "nc=00000001"].join(", ")}`;
}
