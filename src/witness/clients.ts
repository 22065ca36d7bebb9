import type { Directive } from "../project/directive.js";
import type { Request } from "../scope/request.js";
import type { Subnet } from "../text/addresses.js";
import { readSubnet } from "../text/addresses.js";

/** Nobody's address: it is set aside for documentation, and most rules do not mean it. */
export const STRANGER = "203.0.113.9";

type Client = Pick<Request, "clientIp" | "clientHost" | "user" | "groups" | "dbmGroups" | "env">;

/** Clients that the access rules among some directives tell apart: from each network and domain, with and without a user. */
export function clientsFor(directives: readonly Directive[], most: number): readonly Client[] {
  const words = directives.filter(({ key }) => key === "allow" || key === "deny" || key === "require");
  const origins: Client[] = [{ clientIp: STRANGER }];
  const users: Client[] = [{ clientIp: STRANGER }, { clientIp: STRANGER, user: "somebody" }];
  for (const directive of words) {
    const [first, ...rest] = directive.arguments.map((word) => word.value);
    for (const word of rest) {
      const origin = directive.key === "require" ? requireOrigin(first ?? "", word) : oldOrigin(word);
      if (origin) origins.push(origin);
    }
    if (directive.key !== "require") continue;
    if (first === "local") origins.push({ clientIp: "127.0.0.1" });
    const [value] = rest;
    if (value === undefined) continue;
    if (first?.toLowerCase() === "user") users.push({ clientIp: STRANGER, user: value });
    if (first?.toLowerCase() === "group") users.push({ clientIp: STRANGER, user: "somebody", groups: [value] });
    if (first === "dbm-group") users.push({ clientIp: STRANGER, user: "somebody", dbmGroups: [value] });
  }
  const clients = origins.flatMap((origin) => users.map((user) => ({ ...user, ...origin })));
  return [...new Map(clients.map((client) => [JSON.stringify(client), client])).values()].slice(0, most);
}

function requireOrigin(provider: string, word: string): Client | undefined {
  switch (provider) {
    case "ip":
      return addressIn(word);
    case "host":
      return { clientIp: STRANGER, clientHost: nameIn(word) };
    case "env":
      return { clientIp: STRANGER, env: [word] };
    default:
      return undefined;
  }
}

function oldOrigin(word: string): Client | undefined {
  if (/^env=!?/i.test(word)) return { clientIp: STRANGER, env: [word.replace(/^env=!?/i, "")] };
  if (word.toLowerCase() === "all") return undefined;
  return addressIn(word) ?? { clientIp: STRANGER, clientHost: nameIn(word) };
}

function nameIn(domain: string): string {
  return domain.startsWith(".") ? `client${domain}` : domain;
}

function addressIn(text: string): Client | undefined {
  const verdict = readSubnet(text);
  return "subnet" in verdict ? { clientIp: addressText(verdict.subnet) } : undefined;
}

/** The first address of a network that is not the network's own. */
function addressText({ family, network, mask }: Subnet): string {
  const all = (1n << (family === 4 ? 32n : 128n)) - 1n;
  const address = mask === all ? network : network | (1n & ~mask);
  const width = family === 4 ? 8n : 16n;
  const parts = Array.from({ length: family === 4 ? 4 : 8 }, (_, index) => {
    const shift = width * BigInt((family === 4 ? 3 : 7) - index);
    return (address >> shift) & ((1n << width) - 1n);
  });
  return family === 4 ? parts.join(".") : parts.map((part) => part.toString(16)).join(":");
}
