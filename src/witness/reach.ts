import { isLoopback } from "../access/clients.js";
import { inForce } from "../access/state.js";
import { type ListenAddress, readListenAddress, readListenLine } from "../scope/listen-address.js";
import { portOf } from "../scope/request.js";
import { keywordOf } from "../scope/words.js";
import { hostAround } from "./access-scopes.js";
import type { Situation } from "./inspector.js";

/**
 * Whether anybody's request comes as far as access control: the server listens elsewhere than at the loopback alone, and TLS
 * is spoken with clients that show no certificate.
 */
export function isReachedByAnybody({ scope, state, request }: Situation): boolean {
  if (request.scheme === "https" && keywordOf(inForce(state, "sslverifyclient")) === "require") return false;
  const host = hostAround(scope)?.section?.arguments.map(({ value }) => readListenAddress(value)) ?? [];
  if (host.length > 0 && host.every(isLocal)) return false;
  const lines = state.project.directives.filter(({ key }) => key === "listen");
  const listening = lines.map(readListenLine);
  const here = listening.filter(({ port }) => port === portOf(request));
  const asked = here.length > 0 ? here : listening;
  return asked.length === 0 || !asked.every(isLocal);
}

function isLocal({ address, name }: ListenAddress): boolean {
  return name?.toLowerCase() === "localhost" || (address !== undefined && isLoopback(address));
}
