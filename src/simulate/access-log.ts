import { protocolOf, type Request } from "../scope/request.js";
import { looksUpNames } from "../scope/server-names.js";
import { fromReadable } from "../text/source.js";
import { logText } from "./log-text.js";
import { mainPassesOf, type Outcome } from "./pass.js";
import type { Watch } from "./watch.js";

/**
 * The line of the access log in the common format, less the time and the size, which nobody can know:
 * `192.0.2.7 - alice "GET /x HTTP/1.1" 403`. The user is named where the server asked for one and got a name; the client
 * where its name was looked up, be it for a rule (modules/loggers/mod_log_config.c).
 *
 * @param status a dash stands for one that is unknown
 */
export function accessLine(request: Request, status: number | undefined, outcome: Outcome, watch: Watch): string {
  const { method, path, query, user, clientIp, clientHost } = request;
  const isNamed = clientHost !== undefined && (watch.hostName || looksUpNames(outcome.layers));
  const client = isNamed ? clientHost.toLowerCase() : clientIp;
  const sent = `${method} ${path}${query === undefined ? "" : `?${query}`} ${protocolOf(request)}`;
  const line = outcome.requestLine ?? sent;
  const name = user !== undefined && asksUser(outcome, watch) ? user || '""' : "-";
  const logged = status === undefined ? "-" : (outcome.loggedStatus ?? status);
  return `${written(client)} - ${name === '""' ? name : written(name)} "${written(line)}" ${logged}`;
}

/** Whether the user was asked for in the end: who is let in as before stays the same (server/request.c). */
function asksUser({ pass }: Outcome, watch: Watch): boolean {
  const passes = pass ? mainPassesOf(pass) : [];
  if (passes[0]?.isLost) return false;
  const last = passes.find(({ answer, isLetIn }) => answer !== undefined || !isLetIn);
  return last?.state !== undefined && watch.asksUser(last.state.request);
}

function written(text: string): string {
  return logText(fromReadable(text), true);
}
