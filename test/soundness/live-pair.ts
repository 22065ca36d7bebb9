import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { answerClassOf } from "../../src/server/model/answer-class.js";
import type { Request } from "../../src/server/model/request.js";
import { makeCertificate } from "../support/httpd/certificate.js";
import { moduleFolder } from "../support/httpd/httpd.js";
import { startBackend, whileServing } from "../support/httpd/live-requests.js";
import { freePort } from "../support/httpd/ports.js";
import { OperatorClient } from "../support/operators/exchange.js";
import { whileInScratchFolder, writeFiles } from "../support/programs/scratch-folder.js";
import type { ServerPairText, ServerText } from "./configuration-tree.js";
import { linesOf } from "./mutations.js";
import { filesOfServer, rootLines, type ServerPlace } from "./server-files.js";

/** Two places with the same files, one for each side. */
export type PairPlace = readonly [ServerPlace, ServerPlace];

/** The lines of all servers that run: they say nothing about requests. */
const head = `LoadModule mpm_event_module ${moduleFolder}/mod_mpm_event.so
${rootLines}Listen 127.0.0.1:@PORT1@
PidFile "@ROOT@/logs/pid"
ErrorLog "@ROOT@/error.log"
DefaultRuntimeDir "@ROOT@/logs"
Mutex posixsem
ServerLimit 1
StartServers 1
ThreadsPerChild 8
MaxRequestWorkers 8
${process.getuid?.() === 0 ? "User #65534\nGroup #65534\n" : ""}`;

/** Calls a function with places for both sides, and a backend. */
export async function whileInPairPlace<T>(run: (place: PairPlace) => Promise<T>): Promise<T> {
  const backend = await startBackend();
  try {
    return await whileInScratchFolder(async (folder) => {
      chmodSync(folder, 0o755);
      makeCertificate(join(folder, "server.key"), join(folder, "server.crt"));
      const closed = await freePort();
      const placeOf = async (name: string): Promise<ServerPlace> => {
        const root = join(folder, name);
        return { root, port: await freePort(), backend: backend.port, closed, spare: await freePort() };
      };
      return run([await placeOf("1"), await placeOf("2")]);
    });
  } finally {
    backend.end();
  }
}

/**
 * Lines with which a server does not answer HTTP requests as such, so that nobody would see that it runs, or that need a
 * program or files which the servers here do not have.
 */
const unservable =
  /^(?:ProtocolEcho|RemoteIPProxyProtocol|SuexecUserGroup|SSL(?:Proxy)?CARevocation(?:File|Path)|SSLSessionTicketKeyFile|SSLSRPVerifierFile|SSLProxyMachineCertificate\w+|SSLOCSPResponderCertificateFile)\b/i;

function isUnservable(server: ServerText): boolean {
  const texts = linesOf(server).map(({ text }) => text);
  // A comparison takes the DocumentRoot of the main server to exist; `missing-document-root` reports one that does not.
  const isRootMoved = texts.some((text) => /^ServerRoot /.test(text));
  return texts.some((text) => unservable.test(text) || (isRootMoved && /^DocumentRoot [a-z]/.test(text)));
}

/** Whether the installed server has all modules of a pair, and answers with it. */
export function canRun({ release, before, after }: ServerPairText): boolean {
  const modules = new Set([...before.modules, ...after.modules]);
  if ([before, after].some(isUnservable)) return false;
  return release === "2.4" && [...modules].every((name) => existsSync(join(moduleFolder, `mod_${name}.so`)));
}

/** The statuses of one side, or that it does not start or answer. */
export type LiveSide = readonly (number | undefined)[] | "refused";

/** Starts both sides, and sends both all requests. */
export async function askPair(
  { before, after }: ServerPairText,
  requests: readonly Request[],
  [one, other]: PairPlace,
): Promise<readonly [LiveSide, LiveSide]> {
  return Promise.all([askSide(before, requests, one), askSide(after, requests, other)]);
}

async function askSide(server: ServerText, requests: readonly Request[], place: ServerPlace): Promise<LiveSide> {
  const { root, port } = place;
  writePlace(server, place);
  const served = await whileServing(root, { address: "127.0.0.1", port }, async () => {
    const client = new OperatorClient([port, port]);
    const statuses: (number | undefined)[] = [];
    const waiting = [...requests.entries()];
    const work = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        statuses[next[0]] = await statusOf(client, next[1]);
    };
    await Promise.all([work(), work(), work(), work()]);
    return statuses;
  });
  return "refused" in served ? "refused" : served;
}

function writePlace(server: ServerText, place: ServerPlace): void {
  rmSync(place.root, { recursive: true, force: true });
  mkdirSync(place.root, { recursive: true });
  const files = filesOfServer(server, place, head);
  const outside = Object.keys(files).find((path) => !path.startsWith(`${place.root}/`));
  if (outside !== undefined) throw new Error(`${outside} is not in the folder of the test`);
  writeFiles("/", files, "latin1");
  for (const [path, text] of Object.entries(files)) if (text.startsWith("#!")) chmodSync(path, 0o755);
  for (const name of ["server.key", "server.crt"]) copyCertificate(place, name);
}

function copyCertificate({ root }: ServerPlace, name: string): void {
  const made = join(root, "..", name);
  // `compare` assumes that a server has the files that it needs to start, also below another ServerRoot.
  for (const folder of ["conf", "second/conf"]) if (existsSync(made)) copyFileSync(made, join(root, folder, name));
}

async function statusOf(client: OperatorClient, request: Request): Promise<number | undefined> {
  const { method, path, query, host, user, headers, clientIp } = request;
  const body = /^(POST|PUT|FOO)$/.test(method) ? { "Content-Length": "1" } : {};
  const sending = client.send({
    method,
    target: query === undefined ? path : `${path}?${query}`,
    ...(host === undefined ? {} : { host }),
    ...(user === undefined ? {} : { credentials: { user, isRight: true } }),
    ...{ headers: { ...headers, ...body }, clientAddress: clientIp, serverAddress: "127.0.0.1", portIndex: 0 },
  });
  // A server that a request has ended refuses connections.
  const sent = await sending.catch(() => undefined);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(sent?.head ?? "")?.[1];
  return status === undefined ? undefined : Number(status);
}

/** Returns the class of a status: of a request without an answer, none. */
export function shownStatus(status: number | undefined): string {
  return status === undefined ? "no answer" : answerClassOf(status);
}
