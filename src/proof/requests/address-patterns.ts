import { type Automaton, isAcceptingState, stepAutomaton } from "../../regex/automata/automaton.js";
import { AutomatonAlgebra } from "../../regex/automata/operations.js";
import {
  alternate,
  byteSetOf,
  concatenate,
  emptyText,
  matchBytes,
  repeat,
} from "../../regex/automata/regular-language.js";
import { parsePattern } from "../../regex/pcre/language.js";
import { getOrCreate } from "../../text/collections.js";
import { computeOnce } from "../../text/memoize.js";
import { addressesOfFamily, bitLevel } from "./address-sets.js";
import type { BddResult, Diagrams } from "./bdd.js";

/** A compiled pattern for matching the text of addresses. */
export interface AddressPattern {
  readonly texts: Automaton;
  /**
   * The result for all IPv6 addresses; undefined if the pattern may distinguish them, because their notations are too
   * many.
   */
  readonly ofIpv6: boolean | undefined;
}

/** Automata of patterns stay small, or are not used. */
const automata = new AutomatonAlgebra(2_000);

const colon = matchBytes(byteSetOf(":"));
const group = repeat(matchBytes(byteSetOf("0123456789abcdef")), 1, 4);
const octet = repeat(matchBytes(byteSetOf("0123456789")), 1, 3);
const ipv4Form = concatenate(octet, repeat(concatenate(matchBytes(byteSetOf(".")), octet), 3, 3));
const groups = (max: number) => concatenate(group, repeat(concatenate(colon, group), 0, max - 1));
const afterGap = alternate(emptyText, groups(7), concatenate(repeat(concatenate(group, colon), 0, 5), ipv4Form));
/**
 * A superset of the notations of IPv6 addresses: eight groups, or a gap between some; a few end like IPv4 addresses.
 */
const ipv6Form = alternate(
  concatenate(group, repeat(concatenate(colon, group), 7, 7)),
  concatenate(repeat(concatenate(group, colon), 6, 6), ipv4Form),
  concatenate(alternate(emptyText, groups(7)), colon, colon, afterGap),
);
/** Created for the first pattern: most runs do not need it. */
const textsOfIpv6 = computeOnce(() => ({ result: automata.of(ipv6Form) }));

const known = new Map<string, AddressPattern | undefined>();

/**
 * Compiles a pattern that matches addresses as httpd writes them; returns undefined if it is beyond the regular subset.
 */
export function parseAddressPattern(pattern: string, ignoreCase: boolean): AddressPattern | undefined {
  const key = `${ignoreCase ? "i" : ""} ${pattern}`;
  if (!known.has(key)) known.set(key, parseUncached(pattern, ignoreCase));
  return known.get(key);
}

function parseUncached(pattern: string, ignoreCase: boolean): AddressPattern | undefined {
  const reading = parsePattern(pattern, { ignoreCase });
  if (reading.kind !== "regular") return undefined;
  const texts = automata.of(reading.texts);
  if (texts === "too large") return undefined;
  const ipv6 = textsOfIpv6().result;
  if (automata.isWithin(ipv6, texts) === true) return { texts, ofIpv6: true };
  return { texts, ofIpv6: automata.isWithin(ipv6, automata.not(texts)) === true ? false : undefined };
}

/**
 * Returns the addresses that a pattern matches, as a function of their bits; undetermined IPv6 addresses are not
 * included.
 */
export function addressesMatching(diagrams: Diagrams, { texts, ofIpv6 }: AddressPattern): BddResult {
  return diagrams.ite(
    addressesOfFamily(diagrams, 6),
    diagrams.constant(ofIpv6 === true),
    new Ipv4Matcher(diagrams, texts).acceptedFrom(0, 0),
  );
}

/** Enumerates the texts of all IPv4 addresses, octet by octet. */
class Ipv4Matcher {
  private readonly known = new Map<string, BddResult>();

  constructor(
    private readonly diagrams: Diagrams,
    private readonly texts: Automaton,
  ) {}

  /** Returns the function of the remaining octets that leads from an automaton state to an accepting one. */
  acceptedFrom(octet: number, state: number): BddResult {
    const key = `${octet} ${state}`;
    return getOrCreate(this.known, key, () => this.bits(octet, state, 0, 0));
  }

  private bits(octet: number, state: number, bit: number, value: number): BddResult {
    if (bit === 8) return this.octetRead(octet, this.read(state, String(value)));
    const low = this.bits(octet, state, bit + 1, value * 2);
    const high = this.bits(octet, state, bit + 1, value * 2 + 1);
    return this.diagrams.ite(this.diagrams.variable(bitLevel(octet * 8 + bit)), high, low);
  }

  private octetRead(octet: number, state: number): BddResult {
    if (octet === 3) return this.diagrams.constant(isAcceptingState(this.texts, state));
    return this.acceptedFrom(octet + 1, this.read(state, "."));
  }

  private read(state: number, text: string): number {
    let at = state;
    for (const character of text) at = stepAutomaton(this.texts, at, this.texts.classOf[character.charCodeAt(0)] ?? 0);
    return at;
  }
}
