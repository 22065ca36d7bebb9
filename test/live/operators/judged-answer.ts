import { join } from "node:path";
import { diskAccess } from "../../../src/config/files/disk.js";
import { SimulatedServer } from "../../../src/server/answer.js";
import { diskFiles } from "../../../src/server/file-trees.js";
import type { Answer, ResponseSource } from "../../../src/server/model/answer.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";
import { findMisplaced } from "../../../src/startup/misplaced.js";
import { findRefusals } from "../../../src/startup/validate.js";
import type { ServedAnswer } from "../../support/operators/exchange.js";
import type { ServerPlace } from "../../support/operators/operator-folder.js";
import { headersOf, type OperatorRequest } from "../../support/operators/operator-requests.js";
import { dbmGroups } from "../../support/random/random-requests.js";

/** How a decision relates to the server's answer. */
export type Judgement =
  | { readonly kind: "right" }
  /** It differs from the answer. */
  | { readonly kind: "wrong"; readonly cause: string }
  /** It depends on unknown facts. @param cause the first of them, without names */
  | { readonly kind: "unknown"; readonly cause: string }
  /** It is right, but names a rule that it did not follow. */
  | { readonly kind: "noted"; readonly cause: string };

/** Reads the configuration in a folder. @returns a simulatedServer, or why the server does not start */
export function readOperatorServer({ root }: ServerPlace): SimulatedServer | { readonly refused: string } {
  const access = diskAccess();
  const loaded = loadProject(join(root, "httpd.conf"), { access, kind: "server" });
  if (!loaded.ok) throw new Error(loaded.error);
  const [refusal] = findRefusals(loaded.value).startup;
  const [misplaced] = findMisplaced(loaded.value);
  const refused =
    refusal?.server ??
    loaded.value.problems.find(isRefusing)?.server ??
    (misplaced && `${misplaced.name} is not allowed here`);
  return refused === undefined ? new SimulatedServer(loaded.value, diskFiles(access)) : { refused };
}

function isRefusing({
  server,
  span,
}: {
  readonly server?: string;
  readonly span: { readonly file: { readonly path: string } };
}) {
  return server !== undefined && span.file.path.endsWith("/httpd.conf");
}

/** Converts a request for the simulator. @param clientIp the client as mod_remoteip determined it */
export function toSimulatedRequest(
  request: OperatorRequest,
  user: string | undefined,
  clientIp: string,
  { ports }: ServerPlace,
): Request {
  const { method, target, host, serverAddress, portIndex } = request;
  const question = target.indexOf("?");
  return {
    ...{ method, headers: headersOf(request), clientIp, serverIp: serverAddress, port: ports[portIndex], grants: [] },
    path: question < 0 ? target : target.slice(0, question),
    ...(question < 0 ? {} : { query: target.slice(question + 1) }),
    ...(host === undefined ? {} : { host }),
    ...(request.authority === undefined ? {} : { origin: request.authority }),
    ...(user === undefined ? {} : { user, dbmGroups: dbmGroups[user] ?? [] }),
  };
}

/** Messages about a wrong password. */
const passwordCodes = new Set(["AH01617", "AH01618", "AH01790", "AH01792", "AH01794", "AH01807", "AH01808"]);

/** The message about Basic credentials if AuthType is Digest: a client without a challenge sends such credentials. */
export const WRONG_SCHEME = "AH01781";

/** Statuses of backends without a listener and of programs that fail. A decision has the usual status of each. */
const failures: Readonly<Record<ResponseSource, readonly number[]>> = {
  backend: [502, 503],
  program: [500],
  listing: [],
};

function mayFail(status: number): boolean {
  return Object.values(failures).some((statuses) => statuses.includes(status));
}

/** Compares the answer of the server with a decision: the status, and the message numbers. */
export function judge(answer: ServedAnswer, decision: Answer, { credentials }: OperatorRequest): Judgement {
  const live = {
    ...answer,
    codes: answer.codes.filter(
      (code) => code !== WRONG_SCHEME && (credentials?.isRight !== false || !passwordCodes.has(code)),
    ),
  };
  const [unknown] = decision.unknown;
  if (unknown !== undefined) {
    const { alternatives } = decision;
    const isAmong =
      alternatives.length === 0 ||
      alternatives.some(({ status }) => status === live.status || (status === 200 && mayFail(live.status)));
    if (isAmong) return { kind: "unknown", cause: withoutNames(unknown) };
    return {
      kind: "wrong",
      cause: `${describeServed(live)}, simulator one of ${alternatives.map(({ status }) => status).join(" ")}`,
    };
  }
  const { answeredBy, logsMayDiffer, status } = decision;
  // The server does not log the request for which it skips lines in `.htaccess` files.
  const own = decision.errorLog
    .map((line) => /^AH\d{5}/.exec(line)?.[0] ?? "none")
    .filter((code) => !/^AH0229[56]$/.test(code));
  const hasFailed = answeredBy !== undefined && failures[answeredBy].includes(live.status);
  const isSameStatus = status === live.status || hasFailed;
  const isSameLog = logsMayDiffer || answeredBy !== undefined || String(own) === String(live.codes);
  if (!isSameStatus || !isSameLog)
    return { kind: "wrong", cause: `${describeServed(live)}, simulator ${[status, ...own].join(" ")}` };
  const [note] = decision.notes;
  return note === undefined ? { kind: "right" } : { kind: "noted", cause: withoutNames(note.text) };
}

function describeServed({ status, codes }: ServedAnswer): string {
  return `server ${[status, ...codes].join(" ")}`;
}

/** Removes the names and numbers of one configuration from a reason. */
function withoutNames(text: string): string {
  return text
    .replace(/`[^`]*`/g, "`…`")
    .replace(/"[^"]*"/g, '"…"')
    .replace(/\/tmp\/[^\s,)]*/g, "…")
    .replace(/\b\d+\b/g, "N");
}
