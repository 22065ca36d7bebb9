import type { Directive } from "../project/directive.js";
import type { Request } from "../scope/request.js";
import { addressText } from "../text/address-text.js";
import { type Address, readSubnet, type Subnet } from "../text/addresses.js";

/** Nobody's address: it is set aside for documentation, and most rules do not mean it. */
export const STRANGER = "203.0.113.9";

/**
 * More like that one, of each family: set aside for documentation or for nobody. Rules may name one of them, as examples do;
 * where all of a family are let in, so is everybody.
 */
export const strangers: Readonly<Record<4 | 6, readonly string[]>> = {
  4: [STRANGER, "198.51.100.9", "192.0.2.9"],
  6: ["2001:db8::9", "3fff::9", "100::9"],
};

type Client = Pick<Request, "clientIp" | "clientHost" | "user" | "groups" | "dbmGroups" | "env">;

/**
 * Clients that the access rules among some directives tell apart: from each network and domain, with and without a user.
 *
 * @param nobody the address of those that no rule is to mean
 */
export function clientsFor(directives: readonly Directive[], most: number, nobody = STRANGER): readonly Client[] {
  const words = directives.filter(({ key }) => key === "allow" || key === "deny" || key === "require");
  const origins: Client[] = [{ clientIp: nobody }];
  const users: Client[] = [{ clientIp: nobody }, { clientIp: nobody, user: "somebody" }];
  for (const directive of words) {
    const values = directive.arguments.map((word) => word.value);
    const [first, ...rest] = values[0]?.toLowerCase() === "not" ? values.slice(1) : values;
    for (const word of rest) {
      const origin = directive.key === "require" ? requireOrigin(first ?? "", word, nobody) : oldOrigin(word, nobody);
      if (origin) origins.push(origin);
    }
    if (directive.key !== "require") continue;
    if (first === "local") origins.push({ clientIp: LOOPBACK });
    const [value] = rest;
    if (value === undefined) continue;
    if (first?.toLowerCase() === "user") users.push({ clientIp: nobody, user: value });
    if (first?.toLowerCase() === "group") users.push({ clientIp: nobody, user: "somebody", groups: [value] });
    if (first === "dbm-group") users.push({ clientIp: nobody, user: "somebody", dbmGroups: [value] });
  }
  // Names of clients are the hardest to come by, for whoever tries the request.
  const sorted = [...origins].sort((a, b) => Number(a.clientHost !== undefined) - Number(b.clientHost !== undefined));
  const clients = sorted.flatMap((origin) => users.map((user) => withName({ ...user, ...origin })));
  return [...new Map(clients.map((client) => [JSON.stringify(client), client])).values()].slice(0, most);
}

function requireOrigin(provider: string, word: string, nobody: string): Client | undefined {
  switch (provider) {
    case "ip":
      return addressIn(word);
    case "host":
      return namedClient(word, nobody);
    case "env":
      return { clientIp: nobody, env: [word] };
    default:
      return undefined;
  }
}

function oldOrigin(word: string, nobody: string): Client | undefined {
  if (/^env=!?/i.test(word)) return { clientIp: nobody, env: [word.replace(/^env=!?/i, "")] };
  if (word.toLowerCase() === "all") return undefined;
  return addressIn(word) ?? namedClient(word, nobody);
}

const LOOPBACK = "127.0.0.1";

/** The machine itself goes by the same name everywhere. */
function withName(client: Client): Client {
  return client.clientIp === LOOPBACK ? { ...client, clientHost: "localhost" } : client;
}

function namedClient(domain: string, nobody: string): Client {
  if (domain.toLowerCase() === "localhost") return { clientIp: LOOPBACK };
  return { clientIp: nobody, clientHost: domain.startsWith(".") ? `client${domain}` : domain };
}

/** A client from a network. */
export function addressIn(text: string): Pick<Client, "clientIp"> | undefined {
  const verdict = readSubnet(text);
  return "subnet" in verdict ? { clientIp: addressText(firstIn(verdict.subnet)) } : undefined;
}

/** The first address of a network that is not the network's own. */
function firstIn({ family, network, mask }: Subnet): Address {
  const isWhole = mask === (1n << (family === 4 ? 32n : 128n)) - 1n;
  return { family, bits: isWhole ? network : network | (1n & ~mask) };
}
