import { DEFAULT_SERVER_IP, type Request } from "../scope/request.js";
import { type Address, addressOf, isIn, type Subnet } from "../text/addresses.js";

/** Whether the client's address is in a network. */
export function isClientIn({ clientIp }: Request, subnet: Subnet): boolean {
  const address = addressOfClient(clientIp);
  return address !== undefined && isIn(address, subnet);
}

const KNOWN_LIMIT = 1_000;
const known = new Map<string, Address | "none">();

/** Clients come again, and each is compared with several networks. */
function addressOfClient(text: string): Address | undefined {
  const before = known.get(text);
  if (before !== undefined) return before === "none" ? undefined : before;
  if (known.size >= KNOWN_LIMIT) known.clear();
  const address = addressOf(text);
  known.set(text, address ?? "none");
  return address;
}

/** Whether the client's name is a name or lies in a domain, at the boundary of a label (`in_domain`). */
export function isClientNamed({ clientHost }: Request, name: string): boolean {
  if (clientHost === undefined) return false;
  const host = clientHost.toLowerCase();
  const domain = name.toLowerCase();
  if (!host.endsWith(domain)) return false;
  return host.length === domain.length || domain.startsWith(".") || host[host.length - domain.length - 1] === ".";
}

/** Whether client and server are one machine: a loopback address, or the same on both ends. */
export function isLocal({ clientIp, serverIp = DEFAULT_SERVER_IP }: Request): boolean {
  const client = addressOf(clientIp);
  const server = addressOf(serverIp);
  if (client === undefined) return false;
  if (client.family === 4 && client.bits >> 24n === 127n) return true;
  if (client.family === 6 && client.bits === 1n) return true;
  return client.family === server?.family && client.bits === server.bits;
}
