import { bitLevel, familySet } from "./address-sets.js";
import { Automata, type AutomatonOutcome } from "./automata.js";
import { type Automaton, isAccepting, nextState } from "./automaton.js";
import type { Diagrams, Outcome } from "./bdd.js";
import { bytesOf } from "./byte-sets.js";
import { readPattern } from "./pattern-reader.js";
import { bytes, either, emptyText, repeated, sequence } from "./regular.js";

/** A pattern that addresses are held against as they are written, made ready. */
export interface AddressPattern {
  readonly texts: Automaton;
  /** What comes of all IPv6 addresses; undefined where it may tell them apart, which are written in too many ways. */
  readonly ofSix: boolean | undefined;
}

/** Automata of patterns stay small, or are not used. */
const automata = new Automata(2_000);

const colon = bytes(bytesOf(":"));
const group = repeated(bytes(bytesOf("0123456789abcdef")), 1, 4);
const octet = repeated(bytes(bytesOf("0123456789")), 1, 3);
const likeFour = sequence(octet, repeated(sequence(bytes(bytesOf(".")), octet), 3, 3));
const groups = (most: number) => sequence(group, repeated(sequence(colon, group), 0, most - 1));
const behindGap = either(emptyText, groups(7), sequence(repeated(sequence(group, colon), 0, 5), likeFour));
/** At least all ways in which IPv6 addresses are written: eight groups, or a gap between some; a few end like those of IPv4. */
const likeSix = either(
  sequence(group, repeated(sequence(colon, group), 7, 7)),
  sequence(repeated(sequence(group, colon), 6, 6), likeFour),
  sequence(either(emptyText, groups(7)), colon, colon, behindGap),
);
/** Made when the first pattern is read: most runs come without. */
let textsOfSix: AutomatonOutcome | undefined;

const known = new Map<string, AddressPattern | undefined>();

/** The addresses that a pattern matches as httpd writes them; undefined where it is beyond the regular subset. */
export function addressPattern(pattern: string, ignoreCase: boolean): AddressPattern | undefined {
  const key = `${ignoreCase ? "i" : ""} ${pattern}`;
  if (!known.has(key)) known.set(key, readAddressPattern(pattern, ignoreCase));
  return known.get(key);
}

function readAddressPattern(pattern: string, ignoreCase: boolean): AddressPattern | undefined {
  const reading = readPattern(pattern, { ignoreCase });
  if (reading.kind !== "regular") return undefined;
  const texts = automata.of(reading.texts);
  if (texts === "too large") return undefined;
  textsOfSix ??= automata.of(likeSix);
  if (automata.isWithin(textsOfSix, texts) === true) return { texts, ofSix: true };
  return { texts, ofSix: automata.isWithin(textsOfSix, automata.not(texts)) === true ? false : undefined };
}

/** The addresses that a pattern matches, as a function of their bits; those of IPv6 that are not told are not among them. */
export function addressTextSet(diagrams: Diagrams, { texts, ofSix }: AddressPattern): Outcome {
  return diagrams.ite(
    familySet(diagrams, 6),
    diagrams.constant(ofSix === true),
    new FourReader(diagrams, texts).behind(0, 0),
  );
}

/** Goes over all that IPv4 addresses are written as, an octet after the other. */
class FourReader {
  private readonly known = new Map<string, Outcome>();

  constructor(
    private readonly diagrams: Diagrams,
    private readonly texts: Automaton,
  ) {}

  /** Where the octets from one on lead from a state of the automaton to one in which a text may end. */
  behind(octet: number, state: number): Outcome {
    const key = `${octet} ${state}`;
    const known = this.known.get(key) ?? this.bits(octet, state, 0, 0);
    this.known.set(key, known);
    return known;
  }

  private bits(octet: number, state: number, bit: number, value: number): Outcome {
    if (bit === 8) return this.octetRead(octet, this.read(state, String(value)));
    const low = this.bits(octet, state, bit + 1, value * 2);
    const high = this.bits(octet, state, bit + 1, value * 2 + 1);
    return this.diagrams.ite(this.diagrams.variable(bitLevel(octet * 8 + bit)), high, low);
  }

  private octetRead(octet: number, state: number): Outcome {
    if (octet === 3) return this.diagrams.constant(isAccepting(this.texts, state));
    return this.behind(octet + 1, this.read(state, "."));
  }

  private read(state: number, text: string): number {
    let at = state;
    for (const character of text) at = nextState(this.texts, at, this.texts.classOf[character.charCodeAt(0)] ?? 0);
    return at;
  }
}
