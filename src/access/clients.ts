import { isInDomain } from "../logic/atoms.js";
import { DEFAULT_SERVER_IP, type Request } from "../scope/request.js";
import { type Address, addressOf, isIn, networkOfOne, type Subnet } from "../text/addresses.js";

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
  return clientHost !== undefined && isInDomain(clientHost.toLowerCase(), name.toLowerCase());
}

/** A client that is on one machine with the server without its being told by what address. */
export const SERVERS_OWN = "whether the client has the server's own address";

/** Where a client is that is on one machine with the server: the loopback addresses, and the server's own. */
export function localNetworks({ serverIp = DEFAULT_SERVER_IP }: Pick<Request, "serverIp">): readonly Subnet[] {
  const server = addressOf(serverIp);
  return server ? [...loopback, networkOfOne(server)] : loopback;
}

/** Whether only the machine itself reaches an address. */
export function isLoopback(address: Address): boolean {
  return loopback.some((network) => isIn(address, network));
}

const loopback: readonly Subnet[] = [
  { family: 4, network: 127n << 24n, mask: 255n << 24n },
  networkOfOne({ family: 6, bits: 1n }),
];
