import type { Argument } from "../../grammar/ast.js";
import type { Situation } from "../logic/atoms.js";
import type { Subnet } from "../text/addresses.js";
import { readSubnet } from "../text/addresses.js";
import { grantTerm } from "./asked-client.js";
import { type MethodLimit, methodIn } from "./limits.js";
import { type RequireLine, requireWords } from "./new-rules.js";
import type { HostRule } from "./old-rules.js";
import { asksForUser } from "./providers.js";

/** Somebody of whom nothing special is known. */
export const stranger: Situation = {
  address: { family: 4, bits: 0xcb007109n },
  host: undefined,
  env: new Set(),
  user: undefined,
  groups: new Map(),
  method: "GET",
  values: new Map(),
  files: new Map(),
  terms: new Set(),
};

/** Somebody whom a word of an Allow or Deny line names. */
export function clientNamedBy({ match, limits }: HostRule): Situation {
  const client = by(limits);
  switch (match.kind) {
    case "all":
      return client;
    case "env":
      return match.negated ? client : { ...client, env: new Set([match.name.toLowerCase()]) };
    case "ip":
      return { ...client, address: firstOf(match.subnet) };
    case "host":
      return { ...client, host: match.name.toLowerCase() };
  }
}

/** Those whom a Require line may let in, one for each of its words. */
export function clientsMeeting(line: RequireLine): readonly Situation[] {
  const client: Situation = { ...by(line.limits), terms: new Set([grantTerm(line)]) };
  const words = requireWords(line);
  return words.length === 0 ? [somebodyAsked(line, client)] : words.map((word) => clientMeeting(line, word, client));
}

function somebodyAsked({ provider }: RequireLine, client: Situation): Situation {
  return asksForUser(provider) ? { ...client, user: "somebody" } : client;
}

function clientMeeting(line: RequireLine, word: Argument, client: Situation): Situation {
  switch (line.provider) {
    case "ip": {
      const verdict = readSubnet(word.value);
      return "subnet" in verdict ? { ...client, address: firstOf(verdict.subnet) } : client;
    }
    case "host":
      return { ...client, host: word.value.toLowerCase() };
    case "env":
      return { ...client, env: new Set([word.value.toLowerCase()]) };
    case "user":
      return { ...client, user: word.value };
    case "group":
    case "dbm-group":
      return { ...client, user: "somebody", groups: new Map([[line.provider, new Set([word.value])]]) };
    case "method":
      return { ...client, method: word.value };
    default:
      return somebodyAsked(line, client);
  }
}

function by(limits: readonly MethodLimit[]): Situation {
  return { ...stranger, method: methodIn(limits) };
}

function firstOf({ family, network }: Subnet): Situation["address"] {
  return { family, bits: network };
}
