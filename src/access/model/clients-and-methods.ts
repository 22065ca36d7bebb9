import { DEFAULT_SERVER_IP, type Request } from "../../httpd/model/request.js";
import { isInDomain } from "../../logic/symbolic/atoms.js";
import type { Directive } from "../../project/model/directive.js";
import { scopeKindOf } from "../../project/model/scope.js";
import { type Address, hostSubnetOf, isInSubnet, parseAddress, type Subnet } from "../../text/addresses.js";

/** A Limit or LimitExcept section as the rules inside it see it. */
export interface MethodLimit {
  readonly except: boolean;
  /** As written: method names are case-sensitive. */
  readonly methods: readonly string[];
}

/** HEAD is what GET is, but to those who look at its letters. */
export function normalizeMethod(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

/** Whether some limits include a method; GET covers HEAD. */
export function limitsInclude(limits: readonly MethodLimit[], method: string): boolean {
  const asked = normalizeMethod(method);
  return limits.every(({ except, methods }) => methods.some((each) => normalizeMethod(each) === asked) !== except);
}

const emptyLimits: readonly MethodLimit[] = [];

/** The method limits around a directive within its scope, the outermost first; all of them hold. */
export function limitsOf(directive: Directive): readonly MethodLimit[] {
  let limits = emptyLimits;
  for (let outer = directive.parent; outer && scopeKindOf(outer) === undefined; outer = outer.parent) {
    if (outer.key !== "<limit" && outer.key !== "<limitexcept") continue;
    const methods = outer.arguments.map((word) => word.value);
    limits = [{ except: outer.key === "<limitexcept", methods }, ...limits];
  }
  return limits;
}

/** One text for limits that are written alike; empty for none. */
export function formatLimits(limits: readonly MethodLimit[]): string {
  return limits.map(({ except, methods }) => `${except ? "LimitExcept" : "Limit"} ${methods.join(" ")}`).join(" / ");
}

/** A method that some limits are for, or may be. */
export function sampleMethodOf(limits: readonly MethodLimit[]): string {
  const excepted = limits.flatMap(({ except, methods }) => (except ? methods : []));
  const named = limits.findLast(({ except }) => !except)?.methods ?? ["GET", "POST", "PUT"];
  return named.find((name) => !excepted.includes(name)) ?? "DELETE";
}

/** Whether the client's address is in a network. */
export function isClientInNetwork({ clientIp }: Request, subnet: Subnet): boolean {
  const address = addressOfClient(clientIp);
  return address !== undefined && isInSubnet(address, subnet);
}

const MAX_KNOWN_ADDRESSES = 1_000;
const clientAddresses = new Map<string, Address | "none">();

/** Clients come again, and each is compared with several networks. */
function addressOfClient(text: string): Address | undefined {
  const before = clientAddresses.get(text);
  if (before !== undefined) return before === "none" ? undefined : before;
  if (clientAddresses.size >= MAX_KNOWN_ADDRESSES) clientAddresses.clear();
  const address = parseAddress(text);
  clientAddresses.set(text, address ?? "none");
  return address;
}

/** Whether the client's name is a name or lies in a domain, at the boundary of a label (`in_domain`). */
export function hasClientName({ clientHost }: Request, name: string): boolean {
  return clientHost !== undefined && isInDomain(clientHost.toLowerCase(), name.toLowerCase());
}

/** A client that is on one machine with the server without its being told by what address. */
export const OWN_ADDRESS_QUESTION = "whether the client has the server's own address";

/** Where a client is that is on one machine with the server: the loopback addresses, and the server's own. */
export function localNetworksOf({ serverIp = DEFAULT_SERVER_IP }: Pick<Request, "serverIp">): readonly Subnet[] {
  const server = parseAddress(serverIp);
  return server ? [...loopbackNetworks, hostSubnetOf(server)] : loopbackNetworks;
}

/** Whether only the machine itself reaches an address. */
export function isLoopbackAddress(address: Address): boolean {
  return loopbackNetworks.some((network) => isInSubnet(address, network));
}

const loopbackNetworks: readonly Subnet[] = [
  { family: 4, network: 127n << 24n, mask: 255n << 24n },
  hostSubnetOf({ family: 6, bits: 1n }),
];
