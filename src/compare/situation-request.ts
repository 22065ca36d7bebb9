import type { Situation } from "../logic/atoms.js";
import type { Request } from "../scope/request.js";
import { addressText } from "../text/address-text.js";

/** What a request asks for, whoever sends it. */
export type Target = Pick<Request, "method" | "path" | "scheme" | "host" | "port" | "serverIp" | "query">;

/** A request for a target by somebody. What a client sends in headers is not part of a situation: tests of it are terms. */
export function requestIn(situation: Situation, target: Target): Request {
  return { ...target, ...senderIn(situation) };
}

type Sender = Pick<Request, "clientIp" | "clientHost" | "env" | "user" | "groups" | "dbmGroups">;

const senders = new WeakMap<Situation, Sender>();

function senderIn(situation: Situation): Sender {
  const known = senders.get(situation) ?? madeSender(situation);
  senders.set(situation, known);
  return known;
}

function madeSender({ address, host, env, user, groups }: Situation): Sender {
  return {
    clientIp: addressText(address),
    ...(host === undefined ? {} : { clientHost: host }),
    ...(env.size === 0 ? {} : { env: [...env].sort() }),
    ...(user === undefined ? {} : { user, ...groupsIn(groups) }),
  };
}

function groupsIn(groups: Situation["groups"]): Pick<Request, "groups" | "dbmGroups"> {
  const [text, dbm] = [groups.get("text"), groups.get("dbm")];
  return { ...(text ? { groups: [...text].sort() } : {}), ...(dbm ? { dbmGroups: [...dbm].sort() } : {}) };
}
