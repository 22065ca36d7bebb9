import { isLoopbackAddress } from "../../server/access/clients-and-methods.js";
import { type AnswerClass, isAccessDenied } from "../../server/model/answer-class.js";
import type { RequestModel } from "../../server/model/atoms.js";
import type { ListenAddress } from "../../server/model/server.js";
import { parseAddress, readSubnet } from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import type { EntryPoint } from "../model/server-pairs.js";
import { addressesOfFamily, addressesOfNetwork } from "../requests/address-sets.js";
import type { BddResult, Diagram, Diagrams } from "../requests/bdd.js";
import type { SymbolTable } from "../requests/symbol-table.js";
import type { VariableAspect } from "../requests/variables.js";
import { type ClientDescription, memoizeClientDescriptions } from "./client-description.js";
import type { ClientPolicy } from "./policy.js";

/**
 * The IPv4 networks that no client on the Internet has (IANA IPv4 Special-Purpose Address Registry), and the groups
 * above the unicast addresses. The networks for documentation count as public: examples use them as such.
 */
const privateNetworks = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.168.0.0/16", "224.0.0.0/3"],
];

/** The only global unicast addresses that IANA has assigned so far (RFC 4291, section 2.4). */
const publicNetwork6 = "2000::/3";

/** Reports whether only the machine itself reaches an entry point: no outsider does. */
export function isLoopbackEntryPoint({ serverIp }: EntryPoint): boolean {
  const address = parseAddress(serverIp ?? "");
  return address !== undefined && isLoopbackAddress(address);
}

/** Reports whether only the machine itself can connect to an address that the server listens on. */
export function isLoopbackListener({ address, name }: ListenAddress): boolean {
  return name?.toLowerCase() === "localhost" || (address !== undefined && isLoopbackAddress(address));
}

/** The access that a configuration gives to outsiders: clients with a public address and without credentials. */
export type OutsideAccess =
  /** Every outsider is allowed, whatever its address. */
  | {
      readonly kind: "open";
      /** Conditions other than the client; each alternative is enough. Empty if access is unconditional. */
      readonly alternatives: readonly ClientDescription["conditions"][];
      /** An outsider who is allowed. */
      readonly model: RequestModel;
    }
  /** Some outsiders are denied, whatever they send. */
  | { readonly kind: "closed"; readonly model: RequestModel }
  /** Requests of some outsiders fail with an error, whatever they send: that does not protect anything. */
  | { readonly kind: "failing"; readonly model: RequestModel }
  | { readonly kind: "too complex" };

/** The aspects of a request that remain once the client is given. */
const contextAspects: ReadonlySet<VariableAspect> = new Set(["method", "file", "env", "value", "fact"]);

/** Returns the access that a policy gives to outsiders. Several methods and path classes may share a policy. */
export const accessOfOutsiders = memoize(({ symbols, blocks }: ClientPolicy): OutsideAccess => {
  const { diagrams } = symbols;
  const outsiders = outsidersIn(symbols);
  const where = (isIn: (access: AnswerClass) => boolean) =>
    diagrams.or(...blocks.filter(({ results: [first] }) => first && isIn(first.access)).map(({ when }) => when));
  const denied = diagrams.and(outsiders, diagrams.not(where((access) => !isAccessDenied(access))));
  const failing = diagrams.and(
    outsiders,
    where((access) => access === "error"),
  );
  const allow = diagrams.and(
    symbols.project(outsiders, contextAspects),
    diagrams.not(symbols.project(denied, contextAspects)),
  );
  if (allow === "too large" || denied === "too large" || failing === "too large") return { kind: "too complex" };
  const isOpen = !diagrams.isFalse(allow);
  const isFailing = !diagrams.isFalse(failing);
  const model = modelOf(symbols, isOpen ? diagrams.and(allow, outsiders) : isFailing ? failing : denied);
  if (model === undefined) return { kind: "too complex" };
  if (isOpen) return { kind: "open", alternatives: conditionsOf(symbols, allow), model };
  return { kind: isFailing ? "failing" : "closed", model };
});

function modelOf(symbols: SymbolTable, of: BddResult): RequestModel | undefined {
  const found = of === "too large" ? undefined : symbols.witness(of);
  return found === "too large" ? undefined : found;
}

const descriptionsIn = memoizeClientDescriptions();

/** Returns the conditions of a function that does not depend on the client. */
function conditionsOf(symbols: SymbolTable, when: Diagram): readonly ClientDescription["conditions"][] {
  const all = descriptionsIn(symbols, when).map(({ conditions }) => conditions);
  return all.some(({ length }) => length === 0) ? [] : all;
}

/** Returns the function of all outsiders: those with a public address, no user, and no host name that a line names. */
const outsidersIn = memoize((symbols: SymbolTable): BddResult => {
  const { diagrams } = symbols;
  const named = symbols.atoms
    .filter(({ kind }) => kind === "any-user" || kind === "user" || kind === "group" || kind === "host")
    .map((atom) => symbols.formulaOf(atom));
  return diagrams.and(publicAddressesIn(diagrams), symbols.possible, diagrams.not(diagrams.or(...named)));
});

const publicAddressesIn = memoize((diagrams: Diagrams): BddResult => {
  const networkOf = (text: string) => {
    const read = readSubnet(text);
    if (!read.ok) throw new Error(`not a network: ${text}`);
    return addressesOfNetwork(diagrams, read.value);
  };
  const four = diagrams.and(
    addressesOfFamily(diagrams, 4),
    diagrams.not(diagrams.or(...privateNetworks.map(networkOf))),
  );
  return diagrams.or(four, networkOf(publicNetwork6));
});
