import type { Directive } from "../../config/model/directive.js";
import type { Request } from "../../server/model/request.js";
import { type Address, formatAddress, readSubnet, type Subnet } from "../../text/addresses.js";

/** An address of an anonymous client: reserved for documentation, so most rules do not match it. */
export const UNLISTED_CLIENT_IP = "203.0.113.9";

/**
 * More such addresses of each family: reserved for documentation or unassigned. Rules may name one of them, as examples
 * do. If all of a family are allowed, any client is.
 */
export const unlistedClientIps: Readonly<Record<4 | 6, readonly string[]>> = {
  4: [UNLISTED_CLIENT_IP, "198.51.100.9", "192.0.2.9"],
  6: ["2001:db8::9", "3fff::9", "100::9"],
};

type Client = Pick<Request, "clientIp" | "clientHost" | "user" | "groups" | "dbmGroups" | "env">;

/**
 * Returns the clients that the access rules distinguish: from each network and domain, with and without a user.
 *
 * @param unlistedIp the address of clients that no rule is meant to match
 */
export function createClients(
  directives: readonly Directive[],
  max: number,
  unlistedIp = UNLISTED_CLIENT_IP,
): readonly Client[] {
  const words = directives.filter(({ key }) => key === "allow" || key === "deny" || key === "require");
  const origins: Client[] = [{ clientIp: unlistedIp }];
  const users: Client[] = [{ clientIp: unlistedIp }, { clientIp: unlistedIp, user: "somebody" }];
  for (const directive of words) {
    const values = directive.arguments.map((word) => word.value);
    const [first, ...rest] = values[0]?.toLowerCase() === "not" ? values.slice(1) : values;
    for (const word of rest) {
      const origin =
        directive.key === "require"
          ? requireOrigin(first ?? "", word, unlistedIp)
          : clientOfCompatArgument(word, unlistedIp);
      if (origin) origins.push(origin);
    }
    if (directive.key !== "require") continue;
    if (first === "local") origins.push({ clientIp: LOOPBACK_IP });
    const [value] = rest;
    if (value === undefined) continue;
    if (first?.toLowerCase() === "user") users.push({ clientIp: unlistedIp, user: value });
    if (first?.toLowerCase() === "group") users.push({ clientIp: unlistedIp, user: "somebody", groups: [value] });
    if (first === "dbm-group") users.push({ clientIp: unlistedIp, user: "somebody", dbmGroups: [value] });
  }
  // Clients with host names come last: they are the hardest to reproduce.
  const sorted = [...origins].sort((a, b) => Number(a.clientHost !== undefined) - Number(b.clientHost !== undefined));
  const clients = sorted.flatMap((origin) => users.map((user) => withName({ ...user, ...origin })));
  return [...new Map(clients.map((client) => [JSON.stringify(client), client])).values()].slice(0, max);
}

function requireOrigin(provider: string, word: string, unlistedIp: string): Client | undefined {
  switch (provider) {
    case "ip":
      return sampleAddressIn(word);
    case "host":
      return namedClient(word, unlistedIp);
    case "env":
      return { clientIp: unlistedIp, env: [word] };
    default:
      return undefined;
  }
}

function clientOfCompatArgument(word: string, unlistedIp: string): Client | undefined {
  if (/^env=!?/i.test(word)) return { clientIp: unlistedIp, env: [word.replace(/^env=!?/i, "")] };
  if (word.toLowerCase() === "all") return undefined;
  return sampleAddressIn(word) ?? namedClient(word, unlistedIp);
}

const LOOPBACK_IP = "127.0.0.1";

/** The local machine has the same name everywhere. */
function withName(client: Client): Client {
  return client.clientIp === LOOPBACK_IP ? { ...client, clientHost: "localhost" } : client;
}

function namedClient(domain: string, unlistedIp: string): Client {
  if (domain.toLowerCase() === "localhost") return { clientIp: LOOPBACK_IP };
  return { clientIp: unlistedIp, clientHost: domain.startsWith(".") ? `client${domain}` : domain };
}

/** Returns a client from a network. */
export function sampleAddressIn(text: string): Pick<Client, "clientIp"> | undefined {
  const verdict = readSubnet(text);
  return verdict.ok ? { clientIp: formatAddress(firstAddressIn(verdict.value)) } : undefined;
}

/** Returns the first address of a network other than the network address. */
function firstAddressIn({ family, network, mask }: Subnet): Address {
  const isWhole = mask === (1n << (family === 4 ? 32n : 128n)) - 1n;
  return { family, bits: isWhole ? network : network | (1n & ~mask) };
}

/** Returns the request with a recorder for reads of its client. */
export function trackClientReads(request: Request, reads: { atClient: boolean }): Request {
  const { clientIp, ...rest } = request;
  const noting = (value: string | undefined) => ({
    enumerable: true,
    get() {
      reads.atClient = true;
      return value;
    },
  });
  return Object.defineProperties(
    { clientIp, ...rest },
    { clientIp: noting(clientIp), clientHost: noting(undefined), user: noting(undefined) },
  );
}
