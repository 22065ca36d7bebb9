import type { BudgetExceeded } from "../../regex/budget.js";
import type { Address, Subnet } from "../../text/addresses.js";
import { memoize } from "../../text/memoize.js";
import type { BddResult, Diagram, Diagrams } from "./bdd.js";

/**
 * Sets of client addresses as diagrams. Level 0 is the family, true for IPv6. The following levels are the address bits
 * from the left, shared by both families: a client has one family, and a network takes one node per bit. Union,
 * intersection and difference are those of the diagrams.
 */
const FAMILY_LEVEL = 0;
const FIRST_BIT_LEVEL = 1;

/** The first level available for other variables. */
export const ADDRESS_LEVELS = FIRST_BIT_LEVEL + 128;

/** Returns the level of an address bit, counted from the left. */
export function bitLevel(bit: number): number {
  return FIRST_BIT_LEVEL + bit;
}

export type Family = Address["family"];

const widths: Readonly<Record<Family, number>> = { 4: 32, 6: 128 };

/** IPv4-mapped IPv6 addresses: httpd treats them as IPv4, so an IPv6 client never has one. */
const mapped: Subnet = { family: 6, network: 0xffffn << 32n, mask: ((1n << 96n) - 1n) << 32n };

/** Returns all addresses of a family. */
export function addressesOfFamily(diagrams: Diagrams, family: Family): BddResult {
  const isIpv6 = diagrams.variable(FAMILY_LEVEL);
  return family === 6 ? isIpv6 : diagrams.not(isIpv6);
}

/** Returns the addresses of a network, including one with a non-contiguous mask. */
export function addressesOfNetwork(diagrams: Diagrams, { family, network, mask }: Subnet): BddResult {
  const width = widths[family];
  const [networkBits, maskBits] = [network, mask].map((bits) => bits.toString(2).padStart(width, "0"));
  const values: [level: number, value: boolean][] = [];
  for (let bit = width - 1; bit >= 0; bit--) {
    if (maskBits?.[bit] === "1") values.push([FIRST_BIT_LEVEL + bit, networkBits?.[bit] === "1"]);
  }
  return diagrams.assignment([...values, [FAMILY_LEVEL, family === 6]]);
}

/** Returns the addresses that a client can have. */
export const buildPossibleAddresses = memoize((diagrams: Diagrams) =>
  diagrams.not(addressesOfNetwork(diagrams, mapped)),
);

/** Returns the value of an address at a level. */
export function addressBitAt({ family, bits }: Address, level: number): boolean {
  if (level === FAMILY_LEVEL) return family === 6;
  const place = widths[family] - 1 - (level - FIRST_BIT_LEVEL);
  return place >= 0 && ((bits >> BigInt(place)) & 1n) === 1n;
}

/** Returns the address that the values of the levels represent. */
export function decodeAddress(valueAt: (level: number) => boolean): Address {
  const family = valueAt(FAMILY_LEVEL) ? 6 : 4;
  let bits = 0n;
  for (let bit = 0; bit < widths[family]; bit++) bits = (bits << 1n) | (valueAt(FIRST_BIT_LEVEL + bit) ? 1n : 0n);
  return { family, bits };
}

/**
 * Returns the shortest list of networks for a set, ordered by address. Its diagram may only test the address.
 *
 * @param max more are "too large"
 */
export function networksOf(diagrams: Diagrams, set: Diagram, max: number): readonly Subnet[] | BudgetExceeded {
  const all: Subnet[] = [];
  for (const family of [4, 6] as const) {
    const networks = networksOfFamily(diagrams, set, family, max - all.length);
    if (networks === "too large") return "too large";
    all.push(...networks);
  }
  return all;
}

function networksOfFamily(
  diagrams: Diagrams,
  set: Diagram,
  family: Family,
  max: number,
): readonly Subnet[] | BudgetExceeded {
  const networks: Subnet[] = [];
  const width = widths[family];
  const all = (1n << BigInt(width)) - 1n;
  // Every step leads to a network, because empty parts are skipped: the limit also bounds the steps.
  const visit = (part: Diagram, prefix: bigint, length: number): boolean => {
    const opened = diagrams.open(part);
    const rest = BigInt(width - length);
    if (opened.kind === "constant") {
      if (opened.value) networks.push({ family, network: prefix << rest, mask: (all >> rest) << rest });
      return networks.length <= max;
    }
    if (opened.level >= FIRST_BIT_LEVEL + width) throw new Error("a set that depends on more than the address");
    const isTested = opened.level === FIRST_BIT_LEVEL + length;
    return (
      visit(isTested ? opened.low : part, prefix << 1n, length + 1) &&
      visit(isTested ? opened.high : part, (prefix << 1n) | 1n, length + 1)
    );
  };
  return visit(childSet(diagrams, set, family), 0n, 0) ? networks : "too large";
}

function childSet(diagrams: Diagrams, set: Diagram, family: Family): Diagram {
  const opened = diagrams.open(set);
  if (opened.kind === "constant" || opened.level !== FAMILY_LEVEL) return set;
  return family === 6 ? opened.high : opened.low;
}

/** A set within one family in its shorter form: its networks, or all except some. */
export interface AddressCover {
  readonly family: Family;
  readonly except: boolean;
  /** Empty with `except`: the whole family. */
  readonly networks: readonly Subnet[];
}

/**
 * Returns a set for display, with the families that it contains. Addresses that a client cannot have are included if
 * that is shorter.
 *
 * @param max more networks in a family are "too large"
 */
export function coverOf(diagrams: Diagrams, set: Diagram, max: number): readonly AddressCover[] | BudgetExceeded {
  const covers: AddressCover[] = [];
  for (const family of [4, 6] as const) {
    const cover = familyCover(diagrams, set, family, max);
    if (cover === "too large") return "too large";
    if (cover.except || cover.networks.length > 0) covers.push(cover);
  }
  return covers;
}

function familyCover(diagrams: Diagrams, set: Diagram, family: Family, max: number): AddressCover | BudgetExceeded {
  const all = buildPossibleAddresses(diagrams);
  let shortest: AddressCover | BudgetExceeded = "too large";
  for (const except of [false, true]) {
    const addresses = except ? diagrams.not(set) : set;
    for (const way of [diagrams.and(addresses, all), diagrams.or(addresses, diagrams.not(all))]) {
      if (way === "too large") continue;
      const networks = networksOfFamily(diagrams, way, family, max);
      if (networks === "too large") continue;
      if (shortest === "too large" || networks.length < shortest.networks.length)
        shortest = { family, except, networks };
    }
  }
  return shortest;
}
