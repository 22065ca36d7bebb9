import type { Directive } from "../../config/model/directive.js";
import { scopeKindOf } from "../../config/model/scope.js";
import { type Address, hostSubnetOf, isInSubnet, parseAddress, type Subnet } from "../../text/addresses.js";
import { memoizeByText } from "../../text/memoize.js";
import { isInDomain } from "../model/atoms.js";
import type { Predicate } from "../model/dependency-tracker.js";
import { DEFAULT_SERVER_IP, type Request } from "../model/request.js";
import { unknownFact } from "../model/unknown-facts.js";

/** A Limit or LimitExcept section around a rule. */
export interface MethodLimit {
  readonly except: boolean;
  /** Method names as written; they are case-sensitive. */
  readonly methods: readonly string[];
}

/** Maps HEAD to GET. They are equivalent except where the name itself is compared. */
export function normalizeMethod(method: string): string {
  return method === "HEAD" ? "GET" : method;
}

/** Reports whether the limits include a method; GET covers HEAD. */
export function limitsInclude(limits: readonly MethodLimit[], method: string): boolean {
  const normalized = normalizeMethod(method);
  return limits.every(({ except, methods }) => methods.some((each) => normalizeMethod(each) === normalized) !== except);
}

const emptyLimits: readonly MethodLimit[] = [];

/** Returns the method limits around a directive within its scope, outermost first; all of them must hold. */
export function limitsOf(directive: Directive): readonly MethodLimit[] {
  let limits = emptyLimits;
  for (let outer = directive.parent; outer && scopeKindOf(outer) === undefined; outer = outer.parent) {
    if (outer.key !== "<limit" && outer.key !== "<limitexcept") continue;
    const methods = outer.arguments.map((word) => word.value);
    limits = [{ except: outer.key === "<limitexcept", methods }, ...limits];
  }
  return limits;
}

/** Returns a key that is equal for limits written alike; empty for none. */
export function formatLimits(limits: readonly MethodLimit[]): string {
  return limits.map(({ except, methods }) => `${except ? "LimitExcept" : "Limit"} ${methods.join(" ")}`).join(" / ");
}

/** Returns a method that the limits include, or may include. */
export function sampleMethodOf(limits: readonly MethodLimit[]): string {
  const excepted = limits.flatMap(({ except, methods }) => (except ? methods : []));
  const named = limits.findLast(({ except }) => !except)?.methods ?? ["GET", "POST", "PUT"];
  return named.find((name) => !excepted.includes(name)) ?? "DELETE";
}

/** Reports whether the client's address is in a network. */
export function isClientInNetwork({ clientIp }: Request, subnet: Subnet): boolean {
  const address = addressOfClient(clientIp);
  return address !== undefined && isInSubnet(address, subnet);
}

/** Clients recur, and each is compared with several networks. */
const addressOfClient = memoizeByText(parseAddress);

/** Reports whether the client's host name equals a name or is in a domain, at a label boundary (`in_domain`). */
export function hasClientName({ clientHost }: Request, name: string): boolean {
  return clientHost !== undefined && isInDomain(clientHost.toLowerCase(), name.toLowerCase());
}

/**
 * Reports whether a host name stands for no client: `none`, which httpd compares like any other name. No client has it,
 * because the DNS has no such domain.
 */
export function isNobodysName(name: string): boolean {
  return name.toLowerCase() === "none";
}

/** Returns the predicate that the client's host name matches a name. */
export function clientNamePredicateOf(name: string): Predicate {
  return isNobodysName(name) ? { kind: "constant", value: false } : { kind: "host", name };
}

/** The condition that the client uses the server's own address, if that address is not given. */
export const OWN_ADDRESS = unknownFact("own-address");

/** Returns the networks of clients on the server's own machine: the loopback addresses and the server's own address. */
export function localNetworksOf({ serverIp = DEFAULT_SERVER_IP }: Pick<Request, "serverIp">): readonly Subnet[] {
  const server = parseAddress(serverIp);
  return server ? [...loopbackNetworks, hostSubnetOf(server)] : loopbackNetworks;
}

/** Reports whether an address is only reachable from the machine itself. */
export function isLoopbackAddress(address: Address): boolean {
  return loopbackNetworks.some((network) => isInSubnet(address, network));
}

const loopbackNetworks: readonly Subnet[] = [
  { family: 4, network: 127n << 24n, mask: 255n << 24n },
  hostSubnetOf({ family: 6, bits: 1n }),
];
