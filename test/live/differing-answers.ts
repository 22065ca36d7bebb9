import { setTimeout as sleep } from "node:timers/promises";
import { errorsAfter, type RunningHttpd, simulatedServerOn } from "../support/httpd/running-httpd.js";

/** A request to a running server from 127.0.0.1. A user has the password `secret`. */
export interface LiveRequest {
  readonly path: string;
  readonly method?: string;
  readonly user?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request for which the simulator's answer differs from the server's. */
export interface DifferingAnswer extends LiveRequest {
  readonly live: number;
  readonly decided: number | undefined;
  /** The error log lines, if they differ. */
  readonly logs?: { readonly live: readonly string[]; readonly decided: readonly string[] };
  readonly unknown: readonly string[];
}

/**
 * Returns the requests whose answers differ.
 *
 * @param open paths whose answers are unknown
 * @param comparesLogs whether error logs must be equal, too
 */
export async function findDifferingAnswers(
  running: RunningHttpd,
  requests: readonly LiveRequest[],
  { open = [], comparesLogs = false }: { readonly open?: readonly string[]; readonly comparesLogs?: boolean } = {},
): Promise<readonly DifferingAnswer[]> {
  const simulatedServer = simulatedServerOn(running);
  const differing: DifferingAnswer[] = [];
  for (const request of requests) {
    const { path, method = "GET", user, headers = {} } = request;
    const before = running.errors().length;
    const credentials = user === undefined ? {} : { Authorization: `Basic ${btoa(`${user}:secret`)}` };
    const { status } = await running.ask({ path, method, headers: { ...headers, ...credentials } });
    const [bare = "", query] = path.split("?");
    const decision = simulatedServer.answer({
      ...{ method, path: bare, clientIp: "127.0.0.1", host: "127.0.0.1", headers },
      ...(query === undefined ? {} : { query }),
      ...(user === undefined ? {} : { user }),
    });
    const { errorLog, unknown } = decision;
    const logged = comparesLogs ? await waitForErrors(running, before, errorLog.length) : errorLog;
    const isSame = String(logged) === String(errorLog) || decision.logsMayDiffer;
    if (open.includes(path) ? unknown.length > 0 : unknown.length === 0 && decision.status === status && isSame)
      continue;
    const logs = isSame ? {} : { logs: { live: logged, decided: errorLog } };
    differing.push({ ...request, live: status, decided: decision.status, ...logs, unknown });
  }
  return differing;
}

/** Returns the new lines of the error log, which may be written after the response. */
export async function waitForErrors(running: RunningHttpd, before: number, count: number): Promise<readonly string[]> {
  for (let tries = 0; tries < 20 && errorsAfter(running, before).length < count; tries++) await sleep(5);
  return errorsAfter(running, before);
}
